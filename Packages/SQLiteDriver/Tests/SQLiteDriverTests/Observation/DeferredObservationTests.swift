import SQLiteDriver
import Testing

@Suite(.timeLimit(.minutes(20))) struct DeferredObservationTests {
    private final class Observer: TransactionObserver {
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test
    func `With an observer, the first INSERT of a deferred transaction waits for the lock of another connection`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var otherConfiguration = Configuration()
        otherConfiguration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: otherConfiguration)
        try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
        // The other connection has the lock until this one waits for it. A transaction that had read the database would not wait.
        var configuration = Configuration()
        configuration.busyMode = .callback { numberOfTries in
            if numberOfTries == 0 { try? other.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1); COMMIT") } }
            return numberOfTries < 10
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let observer = Observer()
        queue.add(transactionObserver: observer)
        for number in 1...2 {
            try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    try db.cachedStatement(sql: "INSERT INTO t VALUES (2)").execute()
                    return .commit
                }
            }
            try #expect(queue.read { try $0.integers("SELECT count(*) FROM t") } == [Int64(number * 2)])
        }
        withExtendedLifetime(observer) {}
    }
}
