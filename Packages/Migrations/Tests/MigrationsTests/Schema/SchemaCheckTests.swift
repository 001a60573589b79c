import CSQLiteShims
import Migrations
import Testing

/// Migrations that leave parts of the schema unusable.
@Suite struct SchemaCheckTests {
    private static let creation = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, email TEXT, name TEXT);
        CREATE UNIQUE INDEX author_by_email ON author (email);
        CREATE INDEX author_by_upper ON author (upper(name));
        CREATE TABLE book (id INTEGER PRIMARY KEY, email TEXT REFERENCES author (email), title TEXT, short AS (substr(title, 1, 5)));
        CREATE TABLE log (text TEXT);
        CREATE VIEW best AS SELECT name, email FROM author;
        CREATE VIEW better AS SELECT name FROM best;
        CREATE TRIGGER logging AFTER INSERT ON author BEGIN INSERT INTO log VALUES (NEW.name); END;
        CREATE TRIGGER renaming INSTEAD OF UPDATE ON best BEGIN UPDATE author SET name = NEW.name WHERE name = OLD.name; END;
        INSERT INTO author VALUES (1, 'a@b.c', 'Arthur');
        """

    struct Case: Sendable, CustomTestStringConvertible {
        let sql: String
        /// What the error contains; none for a migration that succeeds.
        let messages: [String]
        var checks = DatabaseMigrator.ForeignKeyChecks.deferred
        var testDescription: String { sql }
    }

    private static let mismatch = "the foreign keys of book would no longer work: foreign key mismatch - \"book\" referencing \"author\""

    static let brokenCases = [
        // Foreign keys
        Case(sql: "DROP INDEX author_by_email", messages: [mismatch]),
        Case(sql: "DROP INDEX author_by_email", messages: [mismatch], checks: .immediate),
        Case(sql: "DROP INDEX author_by_email; CREATE INDEX author_by_email ON author (email)", messages: [mismatch]),
        Case(sql: "DROP INDEX author_by_email; CREATE UNIQUE INDEX i ON author (email) WHERE email > ''", messages: [mismatch]),
        Case(sql: "DROP INDEX author_by_email; CREATE UNIQUE INDEX i ON author (email COLLATE NOCASE)", messages: [mismatch]),
        Case(sql: "DROP INDEX author_by_email; CREATE UNIQUE INDEX i ON author (email, name)", messages: [mismatch]),
        Case(
            sql: "DROP VIEW better; DROP VIEW best; DROP TABLE author",
            messages: ["the foreign keys of book would no longer work: no such table: author"]),
        Case(
            sql: """
                DROP VIEW better; DROP VIEW best; PRAGMA legacy_alter_table = ON; ALTER TABLE author RENAME TO writer;
                PRAGMA legacy_alter_table = OFF
                """, messages: ["the foreign keys of book would no longer work: no such table: author"]),
        Case(
            sql: """
                DROP TABLE author; CREATE TABLE author (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT); DROP VIEW better;
                DROP VIEW best
                """, messages: [mismatch]),
        // Views
        Case(
            sql: "DROP VIEW best",
            messages: ["the view better would no longer work: no such table: main.best"]),
        Case(
            sql: "DROP TABLE author; CREATE TABLE author (id INTEGER PRIMARY KEY, email TEXT UNIQUE)",
            messages: ["the view best would no longer work: no such column: name", "the view better would no longer work"]),
        // Triggers
        Case(sql: "DROP TABLE log", messages: ["the trigger logging of author would no longer work: no such table: main.log"]),
        Case(
            sql: "DROP TABLE log; CREATE TABLE log (a, b)",
            messages: ["the trigger logging of author would no longer work: table log has 2 columns but 1 values were supplied"]),
        Case(
            sql: "DROP VIEW better; DROP VIEW best; CREATE VIEW best AS SELECT email FROM author; "
                + "CREATE TRIGGER renaming INSTEAD OF UPDATE ON best BEGIN UPDATE author SET name = NEW.name; END",
            messages: ["the trigger renaming of best would no longer work: no such column: NEW.name"]),
    ]

    static let harmlessCases = [
        Case(sql: "SELECT 1", messages: []),
        Case(sql: "INSERT INTO author VALUES (2, 'd', 'e')", messages: []),
        Case(sql: "DROP INDEX author_by_email; CREATE UNIQUE INDEX i ON author (email)", messages: []),
        Case(sql: "ALTER TABLE author RENAME TO writer", messages: []),
        Case(sql: "ALTER TABLE author RENAME COLUMN email TO mail", messages: []),
        Case(sql: "ALTER TABLE book RENAME COLUMN email TO mail", messages: []),
        Case(sql: "DROP TABLE book; DROP INDEX author_by_email", messages: []),
        Case(sql: "DROP TRIGGER renaming", messages: []),
        Case(sql: "DROP TRIGGER logging; DROP TABLE log", messages: []),
        Case(sql: "DROP VIEW better; DROP VIEW best", messages: []),
        // New parts may refer to tables of later migrations.
        Case(sql: "CREATE VIEW v AS SELECT * FROM later", messages: []),
        Case(sql: "CREATE TABLE page (bookId INTEGER REFERENCES later (id))", messages: []),
        Case(sql: "CREATE TRIGGER t AFTER DELETE ON author BEGIN DELETE FROM later; END", messages: []),
        // SQLite lets it go, without rows that refer to it.
        Case(sql: "DROP VIEW better; DROP VIEW best; DROP TABLE author", messages: [], checks: .immediate),
    ]

    private func migrator(_ test: Case, _ migrator: DatabaseMigrator = DatabaseMigrator()) -> DatabaseMigrator {
        var migrator = migrator
        migrator.registerMigration("create") { try $0.execute(sql: Self.creation) }
        migrator.registerMigration("m", foreignKeyChecks: test.checks) { try $0.execute(sql: test.sql) }
        return migrator
    }

    @Test(arguments: brokenCases, Kind.allCases)
    func `A migration that breaks a part of the schema fails, names the part, and is undone`(_ test: Case, _ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("a.sqlite"))
        var migrator = migrator(test)
        try migrator.migrate(writer, upTo: "create")
        let before = try writer.dump()
        for _ in 0..<2 {
            let error = expectFailure("m", .SQLITE_ERROR) { try migrator.migrate(writer) }
            for message in test.messages { #expect(error?.description.contains(message) == true, "\(error?.description ?? "")") }
            #expect(try writer.dump() == before)
        }
        expectFailure("m", .SQLITE_ERROR) { _ = try writer.read { try migrator.dryRun($0) } }
        #expect(try writer.writeWithoutTransaction { $0.enforcesForeignKeys })
        // Checks of rows are another matter.
        migrator = self.migrator(test, DatabaseMigrator().disablingDeferredForeignKeyChecks())
        expectFailure("m", .SQLITE_ERROR) { try migrator.migrate(writer) }
        migrator.checksSchema = false
        try migrator.migrate(writer)
    }

    @Test(arguments: brokenCases)
    func `A migration is checked, too, in the same run as the migration that has created the schema`(_ test: Case) throws {
        let queue = try DatabaseQueue()
        let error = expectFailure("m", .SQLITE_ERROR) { try migrator(test).migrate(queue) }
        for message in test.messages { #expect(error?.description.contains(message) == true, "\(error?.description ?? "")") }
        #expect(try queue.read { try migrator(test).appliedMigrations($0) } == ["create"])
    }

    @Test(arguments: harmlessCases, Kind.allCases)
    func `Migrations that break nothing succeed`(_ test: Case, _ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("a.sqlite"))
        try migrator(test).migrate(writer)
    }

    @Test
    func `Parts that did not work before are ignored`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: Self.creation + """
                    DROP INDEX author_by_email; DROP TABLE log; CREATE VIEW v AS SELECT missing FROM author
                    """)
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { try $0.execute(sql: "CREATE TABLE other (a)") }
        migrator.registerMigration("b") { try $0.execute(sql: "CREATE TABLE another (a); DROP INDEX author_by_upper") }
        migrator.registerMigration("c") { try $0.execute(sql: "CREATE TABLE log (a); CREATE UNIQUE INDEX i ON author (email)") }
        try migrator.migrate(queue)
        // From now on, it does.
        migrator.registerMigration("d") { try $0.execute(sql: "DROP INDEX i") }
        let error = expectFailure("d", .SQLITE_ERROR) { try migrator.migrate(queue) }
        #expect(error?.description.contains(Self.mismatch) == true)
    }

    @Test(arguments: [
        ("DROP TABLE log", "the trigger g of author would no longer work"),
        ("DROP TABLE author; CREATE TABLE author (id, email UNIQUE)", "the view v would no longer work: no such column: name"),
        ("DROP INDEX other.i", "the foreign keys of child would no longer work"),
    ])
    func `Temporary views and triggers count, and so do attached databases`(_ sql: String, _ message: String) throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE); CREATE TABLE log (a);
                    CREATE TEMP VIEW v AS SELECT name FROM main.author;
                    CREATE TEMP TRIGGER g AFTER INSERT ON main.author BEGIN INSERT INTO log VALUES (1); END;
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.parent (a); CREATE UNIQUE INDEX other.i ON parent (a);
                    CREATE TABLE other.child (a REFERENCES parent (a));
                    """)
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("m") { try $0.execute(sql: sql) }
        let error = expectFailure("m", .SQLITE_ERROR) { try migrator.migrate(queue) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["an observer", "an observer, by the C API", "another connection", "another connection, in an attached file"])
    func `Changes that others make between two migrations are known`(_ changer: String) throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        let isAttached = changer.hasSuffix("file")
        let other = try DatabaseQueue(path: folder.path(isAttached ? "b.sqlite" : "a.sqlite"))
        try other.write { try $0.execute(sql: Self.creation) }
        if isAttached { try queue.writeWithoutTransaction { try $0.execute(sql: "ATTACH '\(folder.path("b.sqlite"))' AS b") } }
        let change = "DROP INDEX author_by_email"
        var migrator = DatabaseMigrator()
        for table in ["first", "second", "third"] {
            migrator.registerMigration(table) { db in
                try db.execute(sql: "CREATE TABLE \(table) (a)")
                guard table == "second", changer.hasPrefix("an observer") else { return }
                db.afterNextTransaction { db in
                    if changer.hasSuffix("API") {
                        sqlite3_exec(db.sqliteConnection, change, nil, nil, nil)
                    } else {
                        #expect(throws: Never.self) { try db.execute(sql: change) }
                    }
                }
            }
        }
        // The foreign keys of the table "book" don't work any more, for which this migration is not to blame.
        migrator.registerMigration("fourth") { try $0.execute(sql: "CREATE TABLE fourth (a); DROP TABLE first") }
        try migrator.migrate(
            queue,
            monitor: MigrationMonitor(queue) { progress in
                guard progress.identifier == "second", progress.phase == .ended, changer.hasPrefix("another") else { return }
                #expect(throws: Never.self) { try other.write { try $0.execute(sql: change) } }
            })
        #expect(try other.texts("SELECT name FROM sqlite_master WHERE name = 'author_by_email'") == [])
    }

    @Test(arguments: ["json_each", "JSON_EACH", "pragma_table_info"])
    func `A table that takes the place of a table-valued function breaks the views and triggers that use the function`(
        _ name: String
    ) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("none") { try $0.execute(sql: "CREATE TABLE a (b)") }
        migrator.registerMigration("view") { try $0.execute(sql: "CREATE VIEW v AS SELECT 1 AS c FROM \(name)('a')") }
        migrator.registerMigration("other") { try $0.execute(sql: "CREATE TABLE c (d)") }
        migrator.registerMigration("function") { try $0.execute(sql: "CREATE TABLE \(name) (a)") }
        let error = expectFailure("function", .SQLITE_ERROR) { try migrator.migrate(DatabaseQueue()) }
        #expect(error?.description.contains("the view v would no longer work: '\(name)' is not a function") == true)
    }

    @Test
    func `A table takes the place of a function that a migration has registered by the C API`() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("view") { try $0.execute(sql: "CREATE VIEW w AS SELECT 1") }
        migrator.registerMigration("table") { try $0.execute(sql: "CREATE TABLE a (b)") }
        migrator.registerMigration("module") { db in
            sqlite3_create_module(db.sqliteConnection, "own", ownModule, nil)
            try db.execute(sql: "CREATE VIEW v AS SELECT c FROM own")
        }
        migrator.registerMigration("function") { try $0.execute(sql: "CREATE TABLE own (a)") }
        let error = expectFailure("function", .SQLITE_ERROR) { try migrator.migrate(DatabaseQueue()) }
        #expect(error?.description.contains("the view v would no longer work: no such column: c") == true)
    }

    @Test
    func `Where no foreign keys are enforced, a mismatch does not count`() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        try migrator(Case(sql: "DROP INDEX author_by_email", messages: [])).migrate(queue)
    }

    @Test
    func `A released migration that leaves the schema unusable until a later one can run without the check`() throws {
        var migrator = migrator(Case(sql: "DROP INDEX author_by_email", messages: []))
        migrator.registerMigration("n") { try $0.execute(sql: "CREATE UNIQUE INDEX i ON author (email)") }
        let queue = try DatabaseQueue()
        migrator.checksSchema = false
        try migrator.migrate(queue)
        migrator.checksSchema = true
        #expect(try queue.read { try migrator.hasSchemaChanges($0) } == false)
    }

    @Test(arguments: [false, true])
    func `A migration that only adds objects is checked with the same statements, however many tables there are`(_ keepsDigests: Bool)
        throws
    {
        var configuration = Configuration()
        let statementCount = Locked(0)
        configuration.prepareDatabase { db in
            db.trace(options: [.statement, .includingInternal]) { _ in statementCount.withLock { $0 += 1 } }
        }
        let queue = try DatabaseQueue(configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.keepsDigests = keepsDigests
        for index in 0..<50 {
            migrator.registerMigration("m\(index)") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t\(index) (id INTEGER PRIMARY KEY, a UNIQUE REFERENCES t\(max(0, index - 1)) (id));
                        CREATE VIEW v\(index) AS SELECT a FROM t\(index);
                        CREATE TRIGGER g\(index) AFTER INSERT ON t\(index) BEGIN DELETE FROM t0; END;
                        """)
            }
        }
        let counts = Locked([Int]())
        try migrator.migrate(
            queue,
            monitor: MigrationMonitor(queue) { progress in
                guard progress.phase == .ended else { return }
                let count = statementCount.withLock { count in
                    defer { count = 0 }
                    return count
                }
                counts.withLock { $0.append(count) }
            })
        #expect(counts.withLock { $0.count == 50 && Set($0.dropFirst(2)).count == 1 }, "\(counts.withLock { $0 })")
        #expect(try queue.read { try migrator.editedMigrations($0) } == [])
    }
}

/// A virtual table that can be compiled and not read. SQLite keeps the pointer.
private nonisolated(unsafe) let ownModule: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { connection, _, _, _, table, _ in
        table?.pointee = .allocate(capacity: 1)
        table?.pointee?.initialize(to: sqlite3_vtab())
        return sqlite3_declare_vtab(connection, "CREATE TABLE x (c)")
    }
    module.xDisconnect = { table in
        table?.deallocate()
        return SQLITE_OK
    }
    module.xBestIndex = { _, _ in SQLITE_OK }
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: module)
    return UnsafePointer(pointer)
}()
