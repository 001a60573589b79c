import DqliteCluster
import Strata
import Testing

/// What observers learn of the changes of a cluster.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct ClusterObservationTests {
    static let nodes = DqliteNode.isAvailable ? try! NodeProcesses(count: 1) : nil

    @Test
    func `An observation follows the writes of its own client, of all statements that may change its tables`() async throws {
        let cluster = try Self.nodes!.open(database: "observed")
        try await cluster.write { db in try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE other (a)") }
        let observation = ValueObservation.tracking { db in try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") }
        var values = observation.values(in: cluster).makeAsyncIterator()
        #expect(try await values.next() == [])
        let changes = [
            ("INSERT INTO t VALUES (1), (2)", [1, 2]), ("UPDATE t SET a = a + 1 RETURNING a", [2, 3]), ("DELETE FROM t WHERE a = 2", [3]),
            ("WITH n AS (SELECT 7) INSERT INTO t SELECT * FROM n", [3, 7]),
        ]
        for (sql, expected) in changes {
            try await cluster.write { db in try db.execute(sql: "INSERT INTO other VALUES (1)") }
            try await cluster.write { db in try db.execute(sql: sql) }
            // Equal values may come before.
            while let value = try await values.next(), value != expected {}
        }
        try await cluster.write { db in try db.execute(sql: "DELETE FROM t") }
        while let value = try await values.next(), !value.isEmpty {}
    }

    @Test
    func `A transaction observer learns the changed tables, and no rows`() throws {
        final class Observer: TransactionObserver {
            var changeCount = 0
            var events: [DatabaseEvent] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "t" }
            func databaseDidChange() { changeCount += 1 }
            func databaseDidChange(with event: DatabaseEvent) { events.append(event.copy()) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let cluster = try Self.nodes!.open(database: "observer")
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE other (a)") }
        let observer = Observer()
        cluster.add(transactionObserver: observer, extent: .databaseLifetime)
        try cluster.write { db in try db.execute(sql: "INSERT INTO other VALUES (1)") }
        #expect(observer.changeCount == 0)
        try cluster.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(observer.changeCount == 1)
        #expect(observer.events.isEmpty)
    }
}
