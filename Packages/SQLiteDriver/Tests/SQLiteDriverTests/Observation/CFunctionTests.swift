import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// What functions of SQLite bypass, when a program calls them with the handle of a connection: see "Coming from SQLite's C API".
@Suite struct CFunctionTests {
    /// An observer of all events, which is not asked for their kinds.
    private final class Everything: TransactionObserver {
        private(set) var events: [String] = []
        private(set) var commits = 0

        var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
            var strategy = DatabaseEventObservationStrategy.default
            strategy.requiresDatabaseEventKind = false
            return strategy
        }
        func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
            Issue.record("The observer was asked for \(kind).")
            return false
        }
        func databaseDidChange(with event: DatabaseEvent) { events.append("\(event.kind) \(event.tableName) \(event.rowID)") }
        func databaseDidChange(in region: DatabaseRegion) { events.append("changes \(region)") }
        func databaseDidCommit(_ db: Database) { commits += 1 }
        func databaseDidRollback(_ db: Database) {}

        func take() -> [String] {
            defer { events = [] }
            return events
        }
    }

    /// A connection of SQLite, for functions of SQL that run statements of the C API.
    private struct Handle: @unchecked Sendable {
        let connection: OpaquePointer?
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY, x);
                    CREATE TABLE b (id INTEGER PRIMARY KEY, x);
                    CREATE TABLE k (id PRIMARY KEY) WITHOUT ROWID;
                    INSERT INTO a VALUES (1, x'000000'), (2, 'b');
                    """)
        }
        return queue
    }

    private func run(_ sql: String, _ db: Database) {
        #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
    }

    // MARK: - Observers without event kinds

    @Test
    func `An observer that requires no event kinds gets all events`() throws {
        let queue = try makeQueue()
        let observer = Everything()
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO a (x) VALUES ('c'); DELETE FROM a WHERE id > 1; INSERT INTO k VALUES (1)")
            for id in 3...5 { try db.cachedStatement(sql: "INSERT INTO b VALUES (?, NULL)").execute(arguments: [id]) }
            let events = ["insert a 3", "delete a 2", "delete a 3", "changes k(*)", "insert b 3", "insert b 4", "insert b 5"]
            #expect(observer.take() == events)
            // The optimization of DELETE without WHERE would report no rows.
            try db.execute(sql: "DELETE FROM b")
            #expect(observer.take() == ["delete b 3", "delete b 4", "delete b 5"])
            try db.notifyChanges(in: DatabaseRegion(table: "b"))
            #expect(observer.take() == ["changes b(*)"])
        }
        #expect(observer.commits == 1)
    }

    /// Functions of SQL that change rows with statements of the C API.
    enum Change: CaseIterable { case compiles, prepared }

    @Test(arguments: Change.allCases, [true, false])
    func `It gets changes that a function makes with statements of the C API`(_ change: Change, _ isInTransaction: Bool) throws {
        let queue = try makeQueue()
        let observer = Everything()
        queue.add(transactionObserver: observer)
        try queue.writeWithoutTransaction { db in
            let handle = Handle(connection: db.sqliteConnection)
            var prepared: OpaquePointer?
            sqlite3_prepare_v2(db.sqliteConnection, "INSERT INTO b (x) VALUES (1)", -1, &prepared, nil)
            defer { sqlite3_finalize(prepared) }
            let insertion = Handle(connection: prepared)
            let function = DatabaseFunction("change", argumentCount: 1) { values in
                if values[0] == .integer(0) { return nil }
                switch change {
                case .compiles: return Int(sqlite3_exec(handle.connection, "INSERT INTO b (x) VALUES (1)", nil, nil, nil))
                case .prepared:
                    sqlite3_step(insertion.connection)
                    return Int(sqlite3_reset(insertion.connection))
                }
            }
            db.add(function: function)
            defer { db.remove(function: function) }
            if isInTransaction { try db.beginTransaction() }
            try db.execute(sql: "SELECT change(1)")
            #expect(observer.take() == ["insert b 1"])
            // A statement that has run without such a change before.
            let statement = try db.makeStatement(sql: "INSERT INTO a (x) SELECT change(?)")
            try statement.execute(arguments: [0])
            try statement.execute(arguments: [0])
            #expect(observer.take() == ["insert a 3", "insert a 4"])
            try statement.execute(arguments: [1])
            #expect(observer.take().sorted() == ["insert a 5", "insert b 2"])
            if isInTransaction { try db.commit() }
        }
        #expect(observer.commits == (isInTransaction ? 1 : 4))
    }

    // MARK: - What functions bypass

    @Test
    func `A write to a blob is invisible to observers, also in a read of a queue`() throws {
        let queue = try makeQueue()
        let observer = Everything()
        queue.add(transactionObserver: observer)
        func write(_ byte: UInt8, _ db: Database) {
            var blob: OpaquePointer?
            #expect(sqlite3_blob_open(db.sqliteConnection, "main", "a", "x", 1, 1, &blob) == SQLITE_OK)
            #expect(sqlite3_blob_write(blob, [byte], 1, 0) == SQLITE_OK)
            #expect(sqlite3_blob_close(blob) == SQLITE_OK)
        }
        func stored() throws -> String? { try queue.read { try $0.texts("SELECT hex(x) FROM a WHERE id = 1").first } }
        try queue.write { write(1, $0) }
        #expect(try stored() == "010000")
        try queue.read { write(2, $0) }
        #expect(try stored() == "020000")
        #expect(observer.take() == [])
        // The program reports it.
        try queue.write { db in
            write(3, db)
            try db.notifyChanges(in: DatabaseRegion(table: "a", rowIds: [1]))
        }
        #expect(observer.take() == ["changes a(*)[1]"])
    }

    @Test
    func `Readers of a pool refuse writes by the C API, and reads of a queue don't`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY, x); INSERT INTO a VALUES (1, x'00')") }
        try pool.read { db in
            #expect(sqlite3_exec(db.sqliteConnection, "DELETE FROM a", nil, nil, nil) == SQLITE_READONLY)
            var blob: OpaquePointer?
            #expect(sqlite3_blob_open(db.sqliteConnection, "main", "a", "x", 1, 1, &blob) != SQLITE_OK)
            sqlite3_blob_close(blob)
        }
        let queue = try makeQueue()
        let observer = Everything()
        queue.add(transactionObserver: observer)
        try queue.read { db in
            #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM a") }
            run("DELETE FROM a WHERE id = 2", db)
        }
        #expect(observer.take() == ["delete a 2"])
    }

    @Test
    func `A copy into the connection by the C API is invisible to observers`() throws {
        let queue = try makeQueue()
        let source = try makeQueue()
        try source.write { try $0.execute(sql: "DELETE FROM a") }
        let observer = Everything()
        queue.add(transactionObserver: observer)
        try source.writeWithoutTransaction { from in
            try queue.writeWithoutTransaction { db in
                let backup = sqlite3_backup_init(db.sqliteConnection, "main", from.sqliteConnection, "main")
                #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
                #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
            }
        }
        #expect(try queue.read { try $0.integer("SELECT count(*) FROM a") } == 0)
        #expect(observer.take() == [])
    }

    @Test
    func `A hook of the program replaces the library's`() throws {
        for hook in ["update", "commit"] {
            let queue = try makeQueue()
            let observer = Everything()
            queue.add(transactionObserver: observer)
            try queue.writeWithoutTransaction { db in
                if hook == "update" {
                    #expect(sqlite3_update_hook(db.sqliteConnection, { _, _, _, _, _ in }, nil) != nil)
                } else {
                    #expect(sqlite3_commit_hook(db.sqliteConnection, { _ in 0 }, nil) != nil)
                }
            }
            try queue.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM a WHERE id = 1") }
            #expect(observer.take() == (hook == "update" ? [] : ["delete a 1"]))
            #expect(observer.commits == (hook == "update" ? 1 : 0))
        }
    }
}
