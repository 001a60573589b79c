import SQLiteDriver
import Testing

@Suite struct ObserverRemovalTests {
    private final class Recorder: TransactionObserver {
        var log: [String] = []
        var onChange: () -> Void = {}
        var onCommit: (Database) -> Void = { _ in }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

        func databaseDidChange(with event: DatabaseEvent) {
            log.append("insert \(event.rowID)")
            onChange()
        }

        func databaseDidCommit(_ db: Database) {
            log.append("commit")
            onCommit(db)
        }

        func databaseDidRollback(_ db: Database) {}
    }

    private let queue: DatabaseQueue
    private let first = Recorder()
    private let second = Recorder()

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY)") }
        queue.add(transactionObserver: first)
        queue.add(transactionObserver: second)
    }

    @Test
    func `An observer removed by another observer is not notified of further changes`() throws {
        first.onChange = { [unowned queue, unowned second] in queue.remove(transactionObserver: second) }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1), (2)") }
        #expect(first.log == ["insert 1", "insert 2", "commit"])
        #expect(second.log == [])
    }

    @Test
    func `An observer removed inside a savepoint is not notified of its changes`() throws {
        try queue.write { (db) throws in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                db.remove(transactionObserver: second)
                return .commit
            }
        }
        #expect(first.log == ["insert 1", "commit"])
        #expect(second.log == [])
    }

    @Test
    func `An observer removed at the end of a transaction is not notified of the end`() throws {
        first.onCommit = { [unowned first, unowned second] db in
            db.remove(transactionObserver: first)
            db.remove(transactionObserver: second)
        }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(first.log == ["insert 1", "commit"])
        #expect(second.log == ["insert 1"])
    }
}
