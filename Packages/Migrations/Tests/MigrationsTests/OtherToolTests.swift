import Foundation
import Migrations
import Testing

/// Databases that goose, dbmate, golang-migrate or sql-migrate have migrated.
@Suite struct OtherToolTests {
    /// The tables as the tools create them, after two of three migrations.
    private static let journals = [
        "goose": """
        CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL,
            tstamp TIMESTAMP DEFAULT (datetime('now')));
        INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (2, 1), (3, 1), (3, 0), (2, 0), (2, 1);
        """,
        "golang-migrate": """
        CREATE TABLE schema_migrations (version uint64, dirty bool);
        CREATE UNIQUE INDEX version_unique ON schema_migrations (version);
        INSERT INTO schema_migrations VALUES (2, 0);
        """,
        "dbmate": """
        CREATE TABLE "schema_migrations" (version varchar(128) primary key);
        INSERT INTO schema_migrations VALUES ('1'), ('0002');
        """,
        "sql-migrate": """
        CREATE TABLE "gorp_migrations" ("id" varchar(255) not null primary key, "applied_at" datetime);
        INSERT INTO gorp_migrations VALUES ('0001_author.sql', '2024-01-01'), ('2_book.sql', '2024-01-01');
        """,
    ]

    private static let schema = "CREATE TABLE author (id INTEGER PRIMARY KEY); CREATE TABLE book (id INTEGER PRIMARY KEY);"

    private static func migrator(refuses: Bool = true) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (name, sql) in [
            ("0001_author", "CREATE TABLE author (id INTEGER PRIMARY KEY)"), ("0002_book", "CREATE TABLE book (id INTEGER PRIMARY KEY)"),
            ("0003_loan", "CREATE TABLE loan (id INTEGER PRIMARY KEY)"),
        ] {
            migrator.registerMigration(name) { db in try db.execute(sql: sql) }
        }
        migrator.refusesDatabasesOfOtherTools = refuses
        return migrator
    }

    private static func database(_ tool: String, _ sql: String = "") throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { try $0.execute(sql: schema + journals[tool]! + sql) }
        return queue
    }

    @Test(arguments: journals.keys.sorted())
    func `The first start names the tool, and one call records what it has run`(_ tool: String) throws {
        let queue = try Self.database(tool)
        let migrator = Self.migrator()
        let before = try queue.dump()
        for body in [{ try migrator.migrate(queue) }, { _ = try queue.read { try migrator.plan($0) } }] as [() throws -> Void] {
            let error = #expect(throws: MigrationError.self, performing: body)
            guard case .migratedByOtherTool(tool, ["0001_author", "0002_book"]) = error?.reason else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(
                error?.description
                    == "\(tool) has migrated the database, and its migrations are not recorded: \"0001_author\", \"0002_book\". "
                    + "Record them once: try queue.write { try migrator.adoptMigrations($0) }")
        }
        #expect(try queue.dump() == before)

        try queue.write { try migrator.adoptMigrations($0) }
        #expect(try queue.read { try migrator.appliedMigrations($0) } == ["0001_author", "0002_book"])
        try migrator.migrate(queue)
        #expect(try queue.read { try migrator.appliedMigrations($0) } == migrator.migrations)
        #expect(try queue.read { try $0.tableExists("loan") })
        // The table of the tool is not a change of the schema.
        #expect(try !queue.read { try migrator.hasSchemaChanges($0) })
        let after = try queue.dump()
        try queue.writeWithoutTransaction { try migrator.adoptMigrations($0) }
        #expect(try queue.dump() == after)
    }

    @Test
    func `If a program has registered the migrations itself, their failure names the tool`() throws {
        let queue = try Self.database("goose")
        let error = expectFailure("0001_author", .SQLITE_ERROR) { try Self.migrator(refuses: false).migrate(queue) }
        #expect(
            error?.description.hasSuffix(
                ". goose has run migrations in this database. Record them once: try queue.write { try migrator.adoptMigrations($0) }")
                == true)
        let other = try DatabaseQueue()
        try other.writeWithoutTransaction { try $0.execute(sql: Self.schema) }
        let plain = expectFailure("0001_author", .SQLITE_ERROR) { try Self.migrator().migrate(other) }
        #expect(plain?.description.contains("goose") == false)
    }

    @Test
    func `Databases without migrations of the tool are migrated`() throws {
        for sql in [
            "", "CREATE TABLE goose_db_version (x); CREATE TABLE schema_migrations (version, dirty)",
            "CREATE TABLE gorp_migrations (id, applied_at)",
        ] {
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try queue.write { try Self.migrator().adoptMigrations($0) }
            #expect(try queue.read { try Self.migrator().appliedMigrations($0) } == [])
            try Self.migrator().migrate(queue)
        }
        // The migrations of another program have other numbers.
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction {
            try $0.execute(
                sql: "CREATE TABLE schema_migrations (version varchar primary key); INSERT INTO schema_migrations VALUES ('20240101')")
        }
        try Self.migrator().migrate(queue)
        // A database that this migrator has migrated before may have both.
        try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO schema_migrations VALUES ('1')") }
        try Self.migrator().migrate(queue)
    }

    @Test
    func `A newer or unfinished database can't be recorded`() throws {
        let queue = try Self.database("goose", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (4, 1)")
        let before = try queue.dump()
        let newer = #expect(throws: MigrationError.self) { try queue.write { try Self.migrator().adoptMigrations($0) } }
        if case .newerDatabase(["4"]) = newer?.reason {} else { Issue.record("\(newer as Any)") }
        #expect(try queue.dump() == before)
        let dirty = try Self.database("golang-migrate", "UPDATE schema_migrations SET dirty = 1")
        let unfinished = #expect(throws: MigrationError.self) { try dirty.write { try Self.migrator().adoptMigrations($0) } }
        if case .unfinishedByOtherTool("golang-migrate") = unfinished?.reason {} else { Issue.record("\(unfinished as Any)") }
        let later = try Self.database("golang-migrate", "UPDATE schema_migrations SET version = 7")
        #expect(throws: MigrationError.self) { try later.write { try Self.migrator().adoptMigrations($0) } }
    }

    @Test
    func `A table with another name is given`() throws {
        let queue = try Self.database("sql-migrate", #"ALTER TABLE gorp_migrations RENAME TO "my migrations""#)
        try queue.write { try Self.migrator().adoptMigrations($0) }
        #expect(try queue.read { try Self.migrator().appliedMigrations($0) } == [])
        try queue.write { try Self.migrator().adoptMigrations($0, from: "my migrations") }
        #expect(try queue.read { try Self.migrator().appliedMigrations($0) } == ["0001_author", "0002_book"])
        try Self.migrator().migrate(queue)
    }

    @Test
    func `Down migrations that were released are recorded, too`() throws {
        var migrator = DatabaseMigrator()
        for name in ["0001.down", "0001.up"] { migrator.registerMigration(name) { _ in Issue.record("\(name) runs again") } }
        let queue = try Self.database("golang-migrate", "UPDATE schema_migrations SET version = 1")
        try queue.write { try migrator.adoptMigrations($0) }
        #expect(try queue.read { try migrator.appliedMigrations($0) } == ["0001.down", "0001.up"])
        try migrator.migrate(queue)
    }

    @Test
    func `A retired migration is not one of a newer program`() throws {
        var migrator = Self.migrator()
        let queue = try DatabaseQueue()
        var old = migrator
        old.registerMigration("0003_loan.down") { _ in }
        try old.migrate(queue)
        migrator.refusesNewerDatabases = true
        #expect(throws: MigrationError.self) { try migrator.migrate(queue) }
        #expect(try queue.read { try migrator.hasBeenSuperseded($0) })
        migrator.retiredMigrations = ["0003_loan.down"]
        try migrator.migrate(queue)
        #expect(try !queue.read { try migrator.hasBeenSuperseded($0) })
        let plan = try queue.read { try migrator.plan($0) }
        #expect(plan.isEmpty && plan.unknownIdentifiers.isEmpty)
        #expect(try !queue.read { try migrator.hasSchemaChanges($0) })
        #expect(try queue.read { try migrator.appliedIdentifiers($0) }.contains("0003_loan.down"))
    }
}
