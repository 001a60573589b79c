import SQLiteDriver
import Testing

@Suite("Changes that programs report")
struct NotifiedChangesTests {
    /// Records its notifications.
    private final class Recorder: TransactionObserver {
        let table: String?
        var log: [String] = []

        init(table: String? = nil) { self.table = table }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { table == nil || eventKind.tableName == table }
        func databaseDidChange() { log.append("change") }
        func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.kind) \(event.tableName)") }
        func databaseDidCommit(_ db: Database) { log.append("commit") }
        func databaseDidRollback(_ db: Database) { log.append("rollback") }

        func take() -> [String] {
            defer { log = [] }
            return log
        }
    }

    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE Player (id INTEGER PRIMARY KEY, name); CREATE TABLE team (id INTEGER)") }
    }

    @Test(arguments: [
        "SELECT * FROM player", "SELECT name FROM Player", "SELECT player.id FROM Player, team", "SELECT * FROM sqlite_master, player",
    ])
    func `An observer is notified once of the change of its table, whatever the region`(_ sql: String) throws {
        let (observer, other) = (Recorder(table: "Player"), Recorder(table: "place"))
        queue.add(transactionObserver: observer)
        queue.add(transactionObserver: other)
        try queue.write { db in
            let region = try db.makeStatement(sql: sql).databaseRegion
            try db.notifyChanges(in: region)
            #expect(observer.take() == ["change"])
            try db.notifyChanges(in: .fullDatabase)
            #expect(observer.take() == ["change"])
        }
        #expect(observer.take() == ["commit"])
        #expect(other.take() == ["commit"])
    }

    @Test(arguments: [
        ("SELECT * FROM player", true), ("SELECT name FROM player", true), ("SELECT id FROM player", false),
        ("SELECT id FROM player WHERE name > ''", true), ("SELECT count(*) FROM player", true), ("SELECT * FROM team", false),
        (nil as String?, true),
    ])
    func `An observer of a column is notified if the region contains the column`(_ sql: String?, _ isNotified: Bool) throws {
        final class ColumnObserver: TransactionObserver {
            var count = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
                if case .update("Player", let columns) = eventKind { columns.contains("name") } else { false }
            }
            func databaseDidChange() { count += 1 }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = ColumnObserver()
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.notifyChanges(in: sql.map { try db.makeStatement(sql: $0).databaseRegion } ?? .fullDatabase)
        }
        #expect(observer.count == (isNotified ? 1 : 0))
    }

    @Test(arguments: ["sqlite_master", "sqlite_schema", "main.sqlite_master"])
    func `Changes of the schema table are notified`(_ table: String) throws {
        let (observer, other) = (Recorder(table: "sqlite_master"), Recorder(table: "Player"))
        queue.add(transactionObserver: observer)
        queue.add(transactionObserver: other)
        try queue.write { db in
            try db.notifyChanges(in: db.makeStatement(sql: "SELECT * FROM \(table)").databaseRegion)
            #expect(observer.take() == ["change"])
            #expect(other.take() == [])
            try db.notifyChanges(in: .fullDatabase)
            #expect(observer.take() == ["change"])
        }
        #expect(observer.take() == ["commit"])
    }

    @Test(arguments: Database.TransactionKind.all)
    func `A transaction that only notifies is committed for its observers`(_ kind: Database.TransactionKind) throws {
        let observer = Recorder()
        queue.add(transactionObserver: observer)
        try queue.inTransaction(kind) { db in
            try db.notifyChanges(in: .fullDatabase)
            return .commit
        }
        #expect(observer.take() == ["change", "commit"])
        try queue.inTransaction(kind) { db in
            try db.notifyChanges(in: .fullDatabase)
            return .rollback
        }
        #expect(observer.take() == ["change", "rollback"])
        try queue.inTransaction(.deferred) { _ in .commit }
        #expect(observer.take() == [])
    }

    @Test
    func `A change that a read notifies is committed at the end of the read`() throws {
        let observer = Recorder()
        let next = Recorder()
        queue.add(transactionObserver: observer)
        try queue.read { db in
            try db.notifyChanges(in: .fullDatabase)
            #expect(observer.take() == ["change"])
        }
        #expect(observer.take() == ["commit"])
        queue.add(transactionObserver: next, extent: .nextTransaction)
        try queue.read { _ in }
        #expect(next.take() == [])
        try queue.read { try $0.notifyChanges(in: .fullDatabase) }
        #expect(next.take() == ["change", "commit"])
        #expect(throws: TestError.self) {
            try queue.read { db in
                observer.log = []
                try db.notifyChanges(in: .fullDatabase)
                throw TestError()
            }
        }
        #expect(observer.take() == ["change", "rollback"])
        #expect(next.take() == [])
    }

    @Test
    func `Outside transactions, the commit follows the change immediately`() throws {
        let observer = Recorder()
        queue.add(transactionObserver: observer)
        try queue.writeWithoutTransaction { db in
            try db.notifyChanges(in: .fullDatabase)
            #expect(observer.take() == ["change", "commit"])
        }
        try queue.inTransaction(.deferred) { _ in .commit }
        #expect(observer.take() == [])
    }

    @Test
    func `A transaction that began where writing is forbidden, and then writes, ends the next transaction`() throws {
        try queue.writeWithoutTransaction { db in
            let (before, inside) = (Recorder(), Recorder())
            db.add(transactionObserver: before, extent: .nextTransaction)
            try db.readOnly { try db.beginTransaction() }
            db.add(transactionObserver: inside, extent: .nextTransaction)
            try db.execute(sql: "INSERT INTO team VALUES (1)")
            try db.readOnly { try db.commit() }
            #expect(before.take() == ["insert team", "commit"])
            #expect(inside.take() == ["insert team", "commit"])
        }
    }

    @Test
    func `Temporary tables of a read-only connection have events`() throws {
        let folder = try TemporaryFolder()
        try DatabaseQueue(path: folder.path("db")).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
        let observer = Recorder()
        queue.add(transactionObserver: observer)
        try queue.unsafeRead { db in
            try db.execute(sql: "CREATE TEMPORARY TABLE note (a)")
            observer.log = []
            try db.execute(sql: "INSERT INTO note VALUES (1)")
            #expect(observer.take() == ["insert note", "commit"])
        }
    }
}

extension Database.TransactionKind {
    fileprivate static let all: [Database.TransactionKind] = [.deferred, .immediate, .exclusive]
}
