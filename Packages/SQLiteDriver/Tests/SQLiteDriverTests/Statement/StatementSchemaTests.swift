import SQLiteDriver
import Testing

/// The properties of a statement that was prepared before the schema changed, and has not run since.
@Suite struct StatementSchemaTests {
    let folder: TemporaryFolder
    let queue: DatabaseQueue
    let other: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)") }
        other = try DatabaseQueue(path: folder.path("a.sqlite"))
    }

    /// The connection that changes the schema.
    enum Changer: CaseIterable {
        case sameConnection, sameTransaction, otherConnection
    }

    /// Prepares a statement, changes the schema, and checks the statement.
    private func changing<Kept>(
        _ sql: String, by changer: Changer, make: (Database) throws -> Kept, check: (Database, Kept) throws -> Void
    ) throws {
        try queue.writeWithoutTransaction { db in
            let kept = try make(db)
            if changer == .sameTransaction { try db.beginTransaction() }
            try (changer == .otherConnection ? other.write : { try $0(db) }) { try $0.execute(sql: sql) }
            try check(db, kept)
            guard changer == .sameTransaction else { return }
            try db.rollback()
        }
    }

    @Test
    func `The error of a statement that does not compile is about the current schema`() throws {
        // This connection knows neither the view nor its columns.
        try other.write { try $0.execute(sql: "CREATE VIEW v AS SELECT b FROM t") }
        try queue.writeWithoutTransaction { db in
            let error = expectError(.SQLITE_ERROR) { try db.makeStatement(sql: "SELECT a FROM v") }
            #expect(error?.message == "no such column: a")
        }
    }

    @Test(arguments: [false, true])
    func `A name means the first table of that name, whatever has changed since the statement was prepared`(_ isCached: Bool) throws {
        let path = folder.path("b.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE item (name); INSERT INTO item VALUES ('attached')") }
        try queue.writeWithoutTransaction { db in
            let sql = "SELECT name FROM item"
            try db.execute(sql: "ATTACH ? AS extra", arguments: [path])
            let kept = isCached ? nil : try db.makeStatement(sql: sql)
            func expect(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
                let statement = try kept ?? db.cachedStatement(sql: sql)
                defer { statement.reset() }
                #expect(try statement.step(), sourceLocation: sourceLocation)
                #expect(statement.string(at: 0) == name, sourceLocation: sourceLocation)
            }
            let creation = "CREATE TABLE main.item (name); INSERT INTO main.item VALUES ('main')"
            try expect("attached")
            try db.execute(sql: creation)
            try expect("main")
            try db.execute(sql: "DROP TABLE main.item")
            try expect("attached")
            try db.execute(sql: "CREATE VIEW main.item AS SELECT 'view' AS name")
            try expect("view")
            try db.execute(sql: "CREATE TEMP TABLE item (name); INSERT INTO temp.item VALUES ('temporary')")
            try expect("temporary")
            try db.execute(sql: "DROP TABLE temp.item; DROP VIEW main.item")
            try expect("attached")
            try db.execute(sql: "CREATE TABLE main.renamed AS SELECT 'renamed' AS name; ALTER TABLE main.renamed RENAME TO item")
            try expect("renamed")
            try db.execute(sql: "DROP TABLE main.item")
            try db.inTransaction {
                try expect("attached")
                try db.execute(sql: creation)
                try expect("main")
                return .rollback
            }
            try expect("attached")
            // A change by another connection, once this one has compared the schemas.
            _ = try db.schemaGeneration()
            try other.write { try $0.execute(sql: creation) }
            _ = try db.schemaGeneration()
            try expect("main")
            try other.write { try $0.execute(sql: "DROP TABLE item") }
            try expect("attached")
            try db.execute(sql: "DETACH extra")
            expectError(.SQLITE_ERROR) { try expect("") }
            try db.execute(sql: "ATTACH ? AS more", arguments: [path])
            try expect("attached")
        }
    }

    static let changes = [
        ("ALTER TABLE t ADD COLUMN c DEFAULT 3", ["a", "b", "c"]),
        ("ALTER TABLE t RENAME COLUMN a TO z", ["z", "b"]),
        ("ALTER TABLE t DROP COLUMN a", ["b"]),
        ("DROP TABLE t; CREATE TABLE t (b, a); INSERT INTO t VALUES (1, 2)", ["b", "a"]),
    ]

    @Test(arguments: changes, Changer.allCases)
    func `A statement has the current columns before it runs`(_ change: (sql: String, names: [String]), _ changer: Changer) throws {
        try changing(change.sql, by: changer) { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            let asked = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(asked.columnNames == ["a", "b"])
            #expect(try db.cachedStatement(sql: "SELECT * FROM t").columnCount == 2)
            let finished = try db.makeStatement(sql: "SELECT * FROM t WHERE 0")
            #expect(try !finished.step())
            let started = try db.makeStatement(sql: "SELECT * FROM t")
            _ = try started.beginRun()
            return [statement, asked, try db.cachedStatement(sql: "SELECT * FROM t"), finished, started]
        } check: { db, statements in
            for statement in statements {
                #expect(statement.columnCount == change.names.count)
                #expect(statement.columnNames == change.names)
                #expect(statement.columnName(at: 0) == change.names[0])
                #expect(statement.index(ofColumn: "B") == change.names.firstIndex(of: "b"))
                #expect("\(statement.databaseRegion)" == "t(\(change.names.sorted().joined(separator: ",")))")
            }
            let fresh = try db.cachedStatement(sql: "SELECT * FROM t AS fresh")
            #expect(fresh.columnNames == change.names)
        }
        try queue.writeWithoutTransaction { db in
            // The change may have been rolled back.
            let names = try db.texts("SELECT name FROM pragma_table_info('t')")
            #expect(try db.cachedStatement(sql: "SELECT * FROM t").columnNames == names)
        }
    }

    @Test
    func `A rollback restores the columns of a statement`() throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            try db.beginTransaction()
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
            #expect(statement.columnNames == ["a", "b", "c"])
            try db.inSavepoint {
                try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO z")
                #expect(statement.columnNames == ["z", "b", "c"])
                #expect(try statement.step())
                #expect(statement.columnNames == ["z", "b", "c"])
                statement.reset()
                return .rollback
            }
            #expect(statement.columnNames == ["a", "b", "c"])
            try db.rollback()
            #expect(statement.columnNames == ["a", "b"])
            #expect(try statement.step())
            #expect(statement.columnNames == ["a", "b"])
        }
    }

    @Test
    func `A row has the columns of its run`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (3, 4)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(try statement.step())
            try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
            #expect(statement.columnNames == ["a", "b"])
            #expect(try statement.step())
            #expect(statement.columnCount == 2)
            statement.reset()
            #expect(statement.columnNames == ["a", "b", "c"])
        }
    }

    @Test
    func `Every cache that compares the count notices a change`() throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            try statement.run()
            let counts = [statement.repreparationCount, statement.repreparationCount]
            try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO z")
            #expect(statement.columnNames == ["z", "b"])
            #expect(try statement.step())
            #expect(statement.columnNames == ["z", "b"])
            #expect(counts.allSatisfy { $0 < statement.repreparationCount })
        }
    }

    @Test
    func `Attached and temporary tables are noticed as well`() throws {
        let path = folder.path("b.sqlite")
        let attached = try DatabaseQueue(path: path)
        try attached.write { try $0.execute(sql: "CREATE TABLE u (a)") }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH '\(path)' AS other; CREATE TEMP TABLE v (a)")
            let statement = try db.makeStatement(sql: "SELECT * FROM other.u, v")
            #expect(statement.columnNames == ["a", "a"])
            try db.execute(sql: "ALTER TABLE temp.v ADD COLUMN b")
            #expect(statement.columnNames == ["a", "a", "b"])
            try attached.write { try $0.execute(sql: "ALTER TABLE u ADD COLUMN c") }
            #expect(statement.columnNames == ["a", "c", "a", "b"])
            try db.execute(sql: "DETACH other; ATTACH '\(folder.path("c.sqlite"))' AS other; CREATE TABLE other.u (x)")
            #expect(statement.columnNames == ["x", "a", "b"])
        }
    }

    @Test
    func `A statement whose table was dropped keeps its columns`() throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            try db.execute(sql: "DROP TABLE t")
            #expect(statement.columnNames == ["a", "b"])
            expectError(.SQLITE_ERROR) { try statement.step() }
            try db.execute(sql: "CREATE TABLE t (x)")
            #expect(statement.columnNames == ["x"])
        }
    }

    // MARK: What a statement reads and writes

    @Test(arguments: Changer.allCases)
    func `A recording has the region of the current schema`(_ changer: Changer) throws {
        try changing("ALTER TABLE t ADD COLUMN c", by: changer) { db in
            try db.execute(sql: "CREATE VIEW w AS SELECT a FROM t")
            let statements = try ["SELECT * FROM t", "INSERT INTO t (a) SELECT count(*) FROM w"].map { try db.makeStatement(sql: $0) }
            for statement in statements { try statement.run() }
            return statements
        } check: { db, statements in
            func region(of statement: Statement) throws -> DatabaseRegion { try db.recordingAccesses { try statement.run() }.region }
            #expect(try region(of: statements[0]).description == "t(a,b,c)")
            try db.execute(sql: "CREATE TABLE u (a); DROP VIEW w; CREATE VIEW w AS SELECT a FROM u")
            #expect(try region(of: statements[1]).isModified(byEventsOfKind: .insert(tableName: "u")))
        }
    }

    private final class Recorder: TransactionObserver {
        var changes = 0
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            switch eventKind {
            case .insert(let table): table == "log"
            // An event kind without column names stands for all columns.
            case .update(let table, let columns): table == "counter" && (columns.isEmpty || columns.contains("n"))
            case .delete: false
            }
        }
        func databaseDidChange() { changes += 1 }
        func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test(arguments: Changer.allCases, [false, true])
    func `Observers are notified of the changes of new triggers`(_ changer: Changer, _ isInTransaction: Bool) throws {
        let recorder = Recorder()
        queue.add(transactionObserver: recorder)
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE log (a PRIMARY KEY) WITHOUT ROWID; CREATE TABLE counter (n, m); INSERT INTO counter VALUES (0, 0)")
        }
        let trigger = "CREATE TRIGGER logging AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END"
        let counting = "CREATE TRIGGER counting AFTER UPDATE OF b ON t BEGIN UPDATE counter SET n = n + 1; END"
        try changing("\(trigger); \(counting)", by: changer) { db in
            let statements = [try db.makeStatement(sql: "INSERT INTO t VALUES (10, 1)"), try db.makeStatement(sql: "UPDATE t SET b = 5")]
            for statement in statements { try statement.run() }
            return statements
        } check: { db, statements in
            for statement in statements {
                recorder.changes = 0
                if isInTransaction {
                    try db.inSavepoint {
                        try statement.run()
                        return .commit
                    }
                } else {
                    try statement.run()
                }
                if changer != .sameTransaction { #expect(recorder.changes > 0) }
            }
            if changer == .sameTransaction {
                // Observers are notified of all changes at the commit.
                try db.commit()
                #expect(recorder.changes > 0)
                try db.beginTransaction()
            }
        }
    }

    @Test(arguments: [
        ("DROP TABLE IF EXISTS u", "CREATE TABLE u (a)"), ("DROP VIEW IF EXISTS u", "CREATE VIEW u AS SELECT 1 AS a"),
        ("CREATE TABLE IF NOT EXISTS t (x, y, z)", "DROP TABLE t"),
        ("CREATE VIRTUAL TABLE IF NOT EXISTS r USING rtree(id, low, high)", "DROP TABLE r"),
    ])
    func `A statement without effect may change the schema in a later run`(_ sql: String, _ change: String) throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE r USING rtree(id, low, high)")
            let statement = try db.makeStatement(sql: sql)
            try statement.run()
            try db.inTransaction {
                try db.execute(sql: change)
                let generation = try db.schemaGeneration()
                try statement.run()
                #expect(try db.schemaGeneration() != generation)
                return .commit
            }
        }
    }

    @Test(arguments: ["DROP TRIGGER IF EXISTS u", "CREATE TRIGGER IF NOT EXISTS v AFTER INSERT ON t BEGIN SELECT 1; END"])
    func `A statement that may change the schema is refused in reads`(_ sql: String) throws {
        try queue.write { try $0.execute(sql: "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1; END") }
        try queue.read { (db) throws -> Void in
            expectError(.SQLITE_READONLY) { try db.execute(sql: sql) }
        }
    }
}
