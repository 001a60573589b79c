import DqliteCluster
import Foundation
import Strata
import Testing

/// Nodes that are paused: their connections stay open, and a paused leader does not know that it was deposed.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct PausedNodeTests {
    let nodes: NodeProcesses

    init() throws {
        nodes = try NodeProcesses()
        let cluster = try nodes.open()
        try cluster.write(id: "counter") { db in
            try db.execute(sql: "CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0)")
        }
        try cluster.close()
    }

    private func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT n FROM counter")
    }

    private func increment(_ cluster: DqliteCluster, id: String) throws {
        try cluster.write(id: id) { db in try db.execute(sql: "UPDATE counter SET n = n + 1") }
    }

    @Test
    func `While the leader is paused, accesses continue on another`() throws {
        // Without another leader, a request would end with a timeout.
        let cluster = try DqliteCluster(
            addresses: nodes.addresses, database: "app", requestTimeout: .seconds(waitLimit), leaderTimeout: .seconds(60))
        #expect(try cluster.read(count) == 0)
        let leader = try cluster.leader().id
        nodes.pause(leader)
        try increment(cluster, id: "1")
        #expect(try cluster.read(.repeatable, count) == 1)
        #expect(try cluster.leader().id != leader)
        nodes.resume(leader)
        try increment(cluster, id: "2")
        #expect(try cluster.read(.repeatable, count) == 2)
        try cluster.close()
    }

    @Test
    func `A transaction during which its leader is deposed is not committed`() throws {
        let (cluster, other) = (try nodes.open(), try nodes.open())
        let leader = try cluster.leader().id
        #expect(throws: ClusterError.self) {
            try cluster.write { db in
                let before = try #require(try count(db))
                nodes.pause(leader)
                defer { nodes.resume(leader) }
                try increment(other, id: "other")
                nodes.resume(leader)
                // The leader may still believe that it leads, and run this, but it can't commit it.
                try db.execute(sql: "UPDATE counter SET n = ?", arguments: [before + 100])
            }
        }
        #expect(try other.write(.repeatable, count) == 1)
        // The same client continues, and sees what the other one has written.
        try increment(cluster, id: "own")
        #expect(try cluster.read(.repeatable, count) == 2)
        try cluster.close()
        try other.close()
    }

    @Test
    func `A deposed leader may answer a read with the earlier state, but not a read in a transaction that writes`() throws {
        let (cluster, other) = (try nodes.open(), try nodes.open())
        // The connection for reads is open.
        #expect(try cluster.read(count) == 0)
        let leader = try cluster.leader().id
        nodes.pause(leader)
        try increment(other, id: "1")
        nodes.resume(leader)
        do {
            let value = try cluster.read(count)
            #expect(value == 0 || value == 1)
        } catch is ClusterError {
            // The deposed leader has closed the connection.
        }
        let value = try cluster.write(.repeatable) { db in
            try db.execute(sql: "UPDATE counter SET n = n + 10")
            return try count(db)
        }
        #expect(value == 11)
        try cluster.close()
        try other.close()
    }

    @Test
    func `Without a majority, a write ends with its time limit, and is not acknowledged`() throws {
        let cluster = try nodes.open()
        let limited = try DqliteCluster(addresses: nodes.addresses, database: "app", accessTimeout: .milliseconds(500))
        let leader = try cluster.leader().id
        let others = try cluster.nodes().map(\.id).filter { $0 != leader }
        #expect(others.count == 2)
        for id in others { nodes.pause(id) }
        // The commit is not answered, or a request before it.
        #expect(throws: (any Error).self, "nodes \(others) of leader \(leader) in states \(others.map(nodes.state))") {
            try limited.write { db in try db.execute(sql: "UPDATE counter SET n = n + 1") }
        }
        for id in others { nodes.resume(id) }
        // The write was applied or not, once.
        let before = try #require(try cluster.write(.repeatable, count))
        #expect(before == 0 || before == 1)
        try increment(cluster, id: "1")
        #expect(try cluster.read(.repeatable, count) == before + 1)
        try cluster.close()
        try limited.close()
    }

    @Test
    func `No acknowledged write is lost or applied twice while nodes are paused`() async throws {
        let cluster = try nodes.open()
        try await cluster.write(id: "log") { db in try db.execute(sql: "CREATE TABLE log (id TEXT NOT NULL)") }
        let journal = FailoverTests.Journal()
        let nodes = nodes
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<3 {
                group.addTask {
                    try await journal.write(client, nodes) { try $0.execute(sql: "INSERT INTO log VALUES (?)", arguments: [$1]) }
                }
            }
            for _ in 0..<FailoverTests.killCount {
                await journal.waitForMore(5)
                let leader = try cluster.leader().id
                nodes.pause(leader)
                // The clients continue, although the leader is running.
                await journal.waitForMore(5)
                nodes.resume(leader)
            }
            await journal.waitForMore(5)
            journal.end()
            try await group.waitForAll()
        }
        let applied = try await cluster.read(.repeatable) { db in try String.fetchAll(db, sql: "SELECT id FROM log") }
        journal.expectOutcomes(applied)
        try cluster.close()
    }
}
