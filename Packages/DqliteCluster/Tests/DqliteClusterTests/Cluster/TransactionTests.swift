import DqliteCluster
import Foundation
import Testing

@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ClusterTransactionTests {
    static let nodes = DqliteNode.isAvailable ? try! TestNodes() : nil
    let cluster: DqliteCluster

    init() throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        cluster = try Self.nodes!.open("transactions", configuration)
        try cluster.write { db in
            try db.execute(sql: "DROP TABLE IF EXISTS t")
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE)")
        }
    }

    private func count() throws -> Int64? {
        try cluster.read { db in
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM t")
            return try statement.step() ? statement.int64(at: 0) : nil
        }
    }

    /// The node's SQLite has a cache of 2 MB. What it writes to the database file before the commit, dqlite can't read again.
    @Test
    func `A transaction may change more than the cache of a connection holds, also after another node has become the leader`() throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        let value = String(repeating: "0123456789", count: 10)
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT i, ? FROM n"
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE large (id INTEGER PRIMARY KEY, a TEXT NOT NULL)")
            try db.execute(sql: "INSERT INTO large \(rows)", arguments: [value])
        }
        for _ in 1...2 {
            try cluster.write { db in
                try db.execute(sql: "UPDATE large SET a = a || 'b'")
                try db.execute(sql: "UPDATE large SET a = a || 'c'")
            }
            let leader = try cluster.leader().id
            let other = leader % 3 + 1
            while (try? cluster.leader().id) != other { try? cluster.transferLeadership(to: other) }
        }
        try cluster.read { db in
            let sum = try db.makeStatement(sql: "SELECT sum(length(a)) FROM large")
            #expect(try sum.step() && sum.int64(at: 0) == 30_000 * 104)
            let check = try db.makeStatement(sql: "PRAGMA integrity_check")
            #expect(try check.step() && check.string(at: 0) == "ok")
        }
    }

    struct Refusal: Error {}

    @Test
    func `An error rolls back the transaction, with its schema changes`() throws {
        #expect(throws: Refusal.self) {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
                try db.execute(sql: "CREATE TABLE other (a)")
                try db.execute(sql: "INSERT INTO other VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try count() == 0)
        try cluster.read { db in try #expect(!db.tableExists("other")) }
    }

    @Test
    func `A statement that rolls back the transaction ends it, and the access fails`() throws {
        do {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
                #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO t (a) VALUES (1)") }
                #expect(!db.isInsideTransaction)
            }
            Issue.record("the access has not failed")
        } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_CONSTRAINT)
        }
        #expect(try count() == 0)
        // A conflict that does not roll back.
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
            #expect(db.isInsideTransaction)
        }
        #expect(try count() == 1)
    }

    @Test
    func `A commit that a deferred foreign key refuses leaves nothing behind`() throws {
        try cluster.write { db in
            try db.execute(sql: "DROP TABLE IF EXISTS child")
            try db.execute(sql: "CREATE TABLE child (t INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
        }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
                try db.execute(sql: "INSERT INTO child VALUES (77)")
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(try count() == 0)
        try cluster.write { db in try db.execute(sql: "DROP TABLE child") }
    }

    @Test
    func `An observer is notified of changes, and can refuse the commit`() throws {
        final class Observer: TransactionObserver {
            var refuses = false
            var commits = 0
            var rollbacks = 0
            var isNotified = false
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "t" }
            func databaseDidChange() { isNotified = true }
            func databaseDidChange(with event: DatabaseEvent) { isNotified = true }
            func databaseWillCommit() throws { if refuses { throw Refusal() } }
            func databaseDidCommit(_ db: Database) { commits += 1 }
            func databaseDidRollback(_ db: Database) { rollbacks += 1 }
        }
        let observer = Observer()
        try cluster.writeWithoutTransaction { db in db.add(transactionObserver: observer, extent: .databaseLifetime) }
        try cluster.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
        #expect(observer.isNotified)
        #expect(observer.commits == 1)
        observer.refuses = true
        #expect(throws: Refusal.self) { try cluster.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (2)") } }
        #expect(throws: Refusal.self) {
            try cluster.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO t (a) VALUES (3)") }
        }
        #expect(observer.rollbacks == 2)
        #expect(try count() == 1)
    }

    @Test
    func `Reads can't write, and see one state of the database`() throws {
        let other = try Self.nodes!.open("transactions")
        try cluster.read { db in
            #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM t") }
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM t")
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 0)
            statement.reset()
            try other.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 0)
        }
        #expect(try count() == 1)
    }

    @Test
    func `Writers of several clients wait for each other`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<3 {
                group.addTask {
                    var configuration = Configuration()
                    configuration.busyMode = .timeout(20)
                    let own = try Self.nodes!.open("transactions", configuration)
                    for number in 0..<5 {
                        try await own.write { db in
                            try db.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: ["\(client) \(number)"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try count() == 15)
    }

    @Test
    func `Without a time to wait, a conflict with another writer is an immediate error`() throws {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let other = try Self.nodes!.open("transactions", configuration)
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            let error = #expect(throws: DatabaseError.self) {
                try other.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (2)") }
            }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        try other.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (2)") }
        #expect(try count() == 2)
    }

    @Test
    func `A trigger that rolls back the transaction ends it`() throws {
        try cluster.write { db in
            try db.execute(
                sql: "CREATE TRIGGER refuses BEFORE INSERT ON t WHEN new.a = 13 BEGIN SELECT RAISE(ROLLBACK, 'unlucky'); END")
        }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
                try db.execute(sql: "INSERT INTO t (a) VALUES (13)")
            }
        }
        #expect(error?.message == "unlucky")
        #expect(try count() == 0)
    }

    @Test
    func `A write with an ID writes once`() throws {
        #expect(try cluster.write(id: "one") { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") })
        try #expect(!cluster.write(id: "one") { db in try db.execute(sql: "INSERT INTO t (a) VALUES (2)") })
        #expect(try count() == 1)
        try cluster.write { db in try db.execute(sql: "DELETE FROM strata_write") }
    }

    @Test
    func `A cancelled task throws, and its transaction is rolled back`() async throws {
        let hasBegun = AsyncStream<Void>.makeStream()
        let task = Task {
            try await cluster.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
                hasBegun.continuation.yield()
                // On a busy machine, the task is cancelled late.
                for _ in 1...1_000 {
                    try db.execute(
                        sql: """
                            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
                            INSERT INTO t (a) SELECT max(i) + (SELECT count(*) FROM t) FROM n
                            """)
                }
            }
        }
        for await _ in hasBegun.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try count() == 0)
    }
}
