import DqliteCluster
import Foundation
import Strata
import Testing

/// Transfers between accounts, while the leader is killed. `make soak` kills it more often: `STRATA_LEADER_KILLS`.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct FailoverTests {
    static let killCount = ProcessInfo.processInfo.environment["STRATA_LEADER_KILLS"].flatMap { Int($0) } ?? 2
    static let accountCount = 10

    /// The responses that the clients got.
    ///
    /// `@unchecked Sendable`: a lock guards the properties.
    final class Journal: @unchecked Sendable {
        private let lock = NSLock()
        private var transfers: [String: Bool] = [:]
        private var hasEnded = false

        var isOver: Bool { lock.withLock { hasEnded } }
        func end() { lock.withLock { hasEnded = true } }

        /// Notes a transfer: whether it was acknowledged, or its outcome is unknown.
        func note(_ id: String, isAcknowledged: Bool) {
            let waiter = lock.withLock { () -> CheckedContinuation<Void, Never>? in
                transfers[id] = isAcknowledged
                if isAcknowledged { acknowledgedCount += 1 }
                guard acknowledgedCount >= awaitedCount else { return nil }
                defer { self.waiter = nil }
                return self.waiter
            }
            waiter?.resume()
        }

        private var acknowledgedCount = 0
        private var awaitedCount = 0
        private var waiter: CheckedContinuation<Void, Never>?

        /// Waits until clients know of further transfers.
        func waitForMore(_ count: Int) async {
            await withCheckedContinuation { continuation in
                lock.withLock {
                    awaitedCount = acknowledgedCount + count
                    waiter = continuation
                }
            }
        }

        /// Writes with a client of its own until the journal ends.
        ///
        /// - Parameters:
        ///   - client: the client's number. Those with even numbers write by `write(id:)`.
        ///   - updates: writes what has an ID.
        func write(
            _ client: Int, _ nodes: NodeProcesses, _ updates: @escaping @Sendable (Database, String) throws -> Void
        ) async throws {
            let cluster = try nodes.open()
            var number = 0
            while !isOver {
                number += 1
                let id = "\(client)-\(number)"
                do {
                    if client % 2 == 0 {
                        try await cluster.write(id: id) { db in try updates(db, id) }
                    } else {
                        try await cluster.write { db in try updates(db, id) }
                    }
                    note(id, isAcknowledged: true)
                } catch ClusterError.outcomeUnknown {
                    note(id, isAcknowledged: false)
                } catch is ClusterError {
                    // Nothing was written.
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    // The others were faster, for 20 s.
                }
            }
            try cluster.close()
        }

        /// Checks what the database has: each acknowledged write once, and none that failed.
        func expectOutcomes(_ applied: [String], sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(Set(applied).count == applied.count, sourceLocation: sourceLocation)
            #expect(acknowledged.subtracting(applied).isEmpty, sourceLocation: sourceLocation)
            #expect(Set(applied).subtracting(all).isEmpty, sourceLocation: sourceLocation)
        }

        var acknowledged: Set<String> { lock.withLock { Set(transfers.filter(\.value).keys) } }
        var all: Set<String> { lock.withLock { Set(transfers.keys) } }
    }

    private func transfer(_ db: Database, _ id: String) throws {
        let from = Int.random(in: 0..<Self.accountCount)
        let to = Int.random(in: 0..<Self.accountCount)
        try db.execute(sql: "INSERT INTO transfer (id) VALUES (?)", arguments: [id])
        try db.execute(sql: "UPDATE account SET balance = balance - 1 WHERE id = ?", arguments: [from])
        try db.execute(sql: "UPDATE account SET balance = balance + 1 WHERE id = ?", arguments: [to])
    }

    @Test(.timeLimit(.minutes(20)))
    func `No acknowledged transfer is lost or applied twice while the leader is killed`() async throws {
        let nodes = try NodeProcesses()
        let observer = try nodes.open()
        try await observer.write(id: "account") { db in
            try db.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
            try db.execute(sql: "CREATE TABLE transfer (id TEXT NOT NULL)")
            for id in 0..<Self.accountCount { try db.execute(sql: "INSERT INTO account VALUES (?, 100)", arguments: [id]) }
        }
        let journal = Journal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<4 {
                group.addTask { try await journal.write(client, nodes) { try transfer($0, $1) } }
            }
            for _ in 0..<Self.killCount {
                await journal.waitForMore(8)
                let leader = try observer.leader().id
                nodes.stop(leader)
                // The clients continue.
                await journal.waitForMore(8)
                try nodes.start(leader)
            }
            journal.end()
            try await group.waitForAll()
        }
        let (sum, applied) = try await observer.read(.repeatable) { db in
            (try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account"), try String.fetchAll(db, sql: "SELECT id FROM transfer"))
        }
        #expect(sum == 100 * Self.accountCount)
        journal.expectOutcomes(applied)
        try observer.close()
    }

    /// The number of writes that a new node has to catch up. dqlite keeps 8,192 of them in its log, and sends a snapshot for older ones.
    static let lateWriteCount = ProcessInfo.processInfo.environment["STRATA_LATE_WRITES"].flatMap { Int($0) } ?? 50

    @Test(.timeLimit(.minutes(20)))
    func `A stopped node catches up, and a majority continues`() throws {
        let nodes = try NodeProcesses()
        let cluster = try nodes.open()
        try cluster.write(id: "t") { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let leader = try cluster.leader().id
        let late = try #require(try cluster.nodes().first { $0.id != leader }).id
        nodes.stop(late)
        try cluster.write(id: "2") { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
        try nodes.start(late)
        let third = try #require(try cluster.nodes().first { $0.id != leader && $0.id != late }).id
        nodes.stop(third)
        // The late node is needed for the majority.
        try cluster.write(id: "3") { db in try db.execute(sql: "INSERT INTO t VALUES (3)") }
        nodes.lead(late, cluster)
        #expect(try cluster.read(.repeatable) { db in try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") } == [1, 2, 3])
        try cluster.close()
    }

    @Test(.timeLimit(.minutes(20)))
    func `A new node with an empty folder catches up, and leads; then all nodes are restarted`() throws {
        let nodes = try NodeProcesses(laterCount: 1)
        let cluster = try nodes.open()
        try cluster.write(id: "t") { db in try db.execute(sql: "CREATE TABLE t (a, b)") }
        for number in 1...Self.lateWriteCount {
            try cluster.write(id: "\(number)") { db in try db.execute(sql: "INSERT INTO t VALUES (?, zeroblob(100))", arguments: [number]) }
        }
        try cluster.write(id: "blob") { db in try db.execute(sql: "INSERT INTO t VALUES (0, randomblob(3000000))") }
        func content() throws -> [DatabaseValue] {
            try cluster.read(.repeatable) { db in
                let sums = try Row.fetchOne(db, sql: "SELECT count(*), sum(a), sum(length(b)), (SELECT hex(b) FROM t WHERE a = 0) FROM t")
                return Array(try #require(sums).databaseValues)
            }
        }
        let expected = try content()
        #expect(expected[0] == (Self.lateWriteCount + 1).databaseValue)

        try nodes.join(4, cluster)
        #expect(try cluster.nodes().first { $0.id == 4 }?.role == .voter)
        nodes.lead(4, cluster)
        #expect(try content() == expected)
        #expect(try cluster.leader().id == 4)

        for id in UInt64(1)...4 { nodes.stop(id) }
        for id in UInt64(1)...4 { try nodes.start(id) }
        #expect(try content() == expected)
        try cluster.write(id: "last") { db in try db.execute(sql: "INSERT INTO t VALUES (-1, NULL)") }
        #expect(try content()[0] == (Self.lateWriteCount + 2).databaseValue)
        try cluster.close()
    }
}
