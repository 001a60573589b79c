import DqliteCluster
import Foundation
import Strata
import Testing

/// What all databases promise after schema changes, while observed and when tasks are cancelled, while nodes are killed and paused. `make soak`
/// disturbs them more often: `STRATA_LEADER_KILLS`.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(60)))
struct DisturbedClusterTests {
    let nodes: NodeProcesses

    init() throws {
        nodes = try NodeProcesses()
        let cluster = try nodes.open()
        try cluster.write(id: "schema") { db in
            try db.execute(
                sql: """
                    CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0);
                    CREATE TABLE wide (c0 INTEGER); INSERT INTO wide VALUES (0);
                    CREATE TABLE log (id INTEGER PRIMARY KEY)
                    """)
        }
        try cluster.close()
    }

    /// Kills, pauses and changes leaders, while clients continue.
    private func disturb(_ journal: FailoverTests.Journal, _ cluster: DqliteCluster) async throws {
        for round in 0..<FailoverTests.killCount * 2 {
            await journal.waitForMore(5)
            guard let leader = try? cluster.leader().id else { continue }
            if round.isMultiple(of: 2) { nodes.pause(leader) } else { nodes.stop(leader) }
            await journal.waitForMore(5)
            if round.isMultiple(of: 2) { nodes.resume(leader) } else { try nodes.start(leader) }
            let ids = (try? cluster.nodes().map(\.id)) ?? []
            if let next = ids.first(where: { $0 != leader }) { try? cluster.transferLeadership(to: next) }
        }
        await journal.waitForMore(5)
        journal.end()
    }

    @Test
    func `Rolling migrations, observations and cancelled tasks`() async throws {
        let journal = FailoverTests.Journal()
        let (observed, controller) = (try nodes.open(), try nodes.open())
        let values = Collector<Int>()
        let (attempts, fetches, starts) = (Locked(0), Locked(0), Locked(0))
        let (committed, cancelled) = (Locked<Set<Int>>([]), Locked<Set<Int>>([]))
        let nodes = nodes

        let observation = Task {
            while !Task.isCancelled {
                starts.withLock { $0 += 1 }
                let counter = ValueObservation.tracking { db in
                    fetches.withLock { $0 += 1 }
                    return try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? -1
                }
                do {
                    for try await value in counter.values(in: observed) { values.append(value) }
                } catch is ClusterError {
                    // The leader was lost during a fetch.
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    // A new leader is not ready.
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The client that is observed writes.
            group.addTask {
                var number = 0
                while !journal.isOver {
                    number += 1
                    attempts.withLock { $0 += 1 }
                    do {
                        try await observed.write(id: "count-\(number)") { db in try db.execute(sql: "UPDATE counter SET n = n + 1") }
                        journal.note("count-\(number)", isAcknowledged: true)
                    } catch is ClusterError {
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
                }
            }
            // Another one adds columns, which a third one reads.
            group.addTask {
                let cluster = try nodes.open()
                var number = 1
                while !journal.isOver, number < 400 {
                    let column = number
                    do {
                        try await cluster.write(id: "column-\(column)") { db in
                            try db.execute(sql: "ALTER TABLE wide ADD COLUMN c\(column) INTEGER DEFAULT \(column)")
                        }
                        number += 1
                    } catch is ClusterError {
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
                    for _ in 0..<200 { await Task.yield() }
                }
                try cluster.close()
            }
            group.addTask {
                let cluster = try nodes.open()
                while !journal.isOver {
                    do {
                        let (names, values) = try await cluster.read(.repeatable) { db in
                            let row = try Row.fetchOne(db, sql: "SELECT * FROM wide")
                            return (row.map { Array($0.columnNames) } ?? [], row.map { Array($0.databaseValues) } ?? [])
                        }
                        #expect(!names.isEmpty)
                        #expect(names == names.indices.map { "c\($0)" })
                        #expect(values == values.indices.map { $0.databaseValue })
                    } catch is ClusterError {
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
                }
                try cluster.close()
            }
            // Tasks are cancelled at any time.
            group.addTask {
                let cluster = try nodes.open()
                var number = 0
                while !journal.isOver {
                    number += 1
                    let id = number
                    let task = Task { try await cluster.write { try $0.execute(sql: "INSERT INTO log VALUES (?)", arguments: [id]) } }
                    for _ in 0..<Int.random(in: 0..<3000) { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success: committed.withLock { _ = $0.insert(id) }
                    case .failure(is CancellationError): cancelled.withLock { _ = $0.insert(id) }
                    case .failure(is ClusterError): break
                    case .failure(let error):
                        #expect((error as? DatabaseError)?.resultCode == .SQLITE_BUSY, "\(error)")
                    }
                }
                try cluster.close()
            }
            group.addTask { try await disturb(journal, controller) }
            try await group.waitForAll()
        }

        // The observation rests at the last state.
        while (try? await observed.write(id: "end", { try $0.execute(sql: "UPDATE counter SET n = n + 1") })) == nil {}
        let count = try await controller.read(.repeatable) { try Int.fetchOne($0, sql: "SELECT n FROM counter") ?? -1 }
        await values.wait { $0.last == count }
        for _ in 0..<10 { try await observed.unsafeRead { _ in } }
        #expect(values.all.last == count)
        // Writes whose outcome is unknown are fetched, too, and tried again.
        #expect(fetches.value <= 3 * attempts.value + 2 * starts.value + 2)
        observation.cancel()
        _ = await observation.result
        let log = try await controller.read(.repeatable) { Set(try Int.fetchAll($0, sql: "SELECT id FROM log")) }
        #expect(committed.value.isSubset(of: log))
        #expect(cancelled.value.isDisjoint(with: log))
        try observed.close()
        try controller.close()
    }
}
