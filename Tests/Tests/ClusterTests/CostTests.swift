import DqliteCluster
import Foundation
import Strata
import Testing

/// The requests that a cluster costs. Each is a round trip to the leader.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct ClusterCostTests {
    /// A cluster with a table that has a row, where each connection has read and written.
    private func open(_ configuration: Configuration = Configuration()) async throws -> TestDatabase {
        var configuration = configuration
        configuration.maximumReaderCount = 1
        let database = try TestDatabase(.cluster, configuration, schema: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        for _ in 0..<2 {
            try await database.writer.write { try $0.execute(sql: "UPDATE t SET a = a") }
            _ = try await database.writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        }
        return database
    }

    @Test
    func `A read, a write and a statement outside a transaction have few round trips`() async throws {
        let database = try await open()
        let cluster = try #require(database.writer as? DqliteCluster)
        func cost(_ body: () async throws -> Void) async throws -> Int {
            let before = cluster.requestCount
            try await body()
            return cluster.requestCount - before
        }
        // BEGIN, the version of the schema, the statement, and COMMIT.
        #expect(try await cost { _ = try await cluster.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } } == 4)
        #expect(try await cost { try await cluster.write { try $0.execute(sql: "UPDATE t SET a = a") } } == 4)
        #expect(try await cost { try await cluster.writeWithoutTransaction { try $0.execute(sql: "UPDATE t SET a = a") } } == 4)
        // The version of the schema, and the statement.
        #expect(try await cost { _ = try await cluster.unsafeRead { try Int.fetchAll($0, sql: "SELECT a FROM t") } } == 2)
        // Preparing a statement again after a change of the schema asks the leader nothing.
        try await cluster.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        _ = try await cluster.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        #expect(try await cost { _ = try await cluster.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } } == 4)
    }

    @Test(arguments: [false, true])
    func `An idle observation sends nothing, and a commit is fetched once for each observation`(_ observesOthers: Bool) async throws {
        var configuration = Configuration()
        configuration.observesOtherProcesses = observesOthers
        // Each reader has a connection to the leader, which opens when the reader is first used.
        configuration.maximumReaderCount = 1
        let database = try await open(configuration)
        let cluster = try #require(database.writer as? DqliteCluster)
        let other = try database.openAgain()
        let fetchCount = Locked(0)
        let values = Collector<Int>()
        let observation = ValueObservation.tracking { db in
            fetchCount.withLock { $0 += 1 }
            return try Int.fetchOne(db, sql: "SELECT a FROM t") ?? 0
        }
        let cancellables = (0..<3).map { _ in
            observation.start(in: cluster, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
                Issue.record($0)
            } onChange: {
                values.append($0)
            }
        }
        func settle() async throws {
            for _ in 0..<10 {
                try await cluster.writeWithoutTransaction { _ in }
                try await cluster.unsafeRead { _ in }
            }
        }
        // With a watch for other commits, the first observation may fetch twice: it may begin before the watch does.
        await values.wait { $0.count >= 3 }
        try await settle()

        // Idle, while another client writes, and this one reads and writes elsewhere.
        let (fetches, requests) = (fetchCount.value, cluster.requestCount)
        for _ in 0..<20 { try await other.write { try $0.execute(sql: "UPDATE t SET a = 2") } }
        try await settle()
        #expect(cluster.requestCount == requests)
        #expect(fetchCount.value == fetches)

        // One commit: 4 round trips, and 4 for each fetch.
        try await cluster.write { try $0.execute(sql: "UPDATE t SET a = 3") }
        await values.wait { $0.count { $0 == 3 } == 3 }
        try await settle()
        #expect(fetchCount.value == fetches + 3)
        #expect(cluster.requestCount == requests + 4 + 3 * 4)
        #expect(values.all.filter { $0 != 1 } == [3, 3, 3])
        for cancellable in cancellables { cancellable.cancel() }
        try other.close()
    }
}
