import Foundation
import Migrations
import Testing

/// Databases that other tools have migrated.
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
        "sqlx": """
        CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
            installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
            execution_time BIGINT NOT NULL);
        INSERT INTO _sqlx_migrations VALUES (1, 'author', 0, TRUE, x'00', -1), (2, 'book', 0, TRUE, x'00', -1);
        """,
        "refinery": """
        CREATE TABLE refinery_schema_history(version INT4 PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255), checksum VARCHAR(255));
        INSERT INTO refinery_schema_history VALUES (1, 'author', '', ''), (2, 'book', '', '');
        """,
        "Flyway": """
        CREATE TABLE "flyway_schema_history" ("installed_rank" INT NOT NULL PRIMARY KEY, "version" VARCHAR(50),
            "description" VARCHAR(200) NOT NULL, "type" VARCHAR(20) NOT NULL, "script" VARCHAR(1000) NOT NULL, "checksum" INT,
            "installed_by" VARCHAR(100) NOT NULL, "installed_on" TEXT NOT NULL DEFAULT '', "execution_time" INT NOT NULL,
            "success" BOOLEAN NOT NULL);
        CREATE INDEX "flyway_schema_history_s_idx" ON "flyway_schema_history" ("success");
        INSERT INTO flyway_schema_history VALUES (1, '1', 'author', 'SQL', 'V1__author.sql', 1, '', '', 1, 1),
            (2, '2.0', 'book', 'SQL', 'V2.0__book.sql', 1, '', '', 1, 1);
        """,
        "Diesel": """
        CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL,
            run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
        INSERT INTO __diesel_schema_migrations (version) VALUES ('1'), ('0002');
        """,
        "Prisma": """
        CREATE TABLE "_prisma_migrations" ("id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME,
            "migration_name" TEXT NOT NULL, "logs" TEXT, "rolled_back_at" DATETIME, "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
            "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0);
        INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, rolled_back_at)
            VALUES ('a', '', 1, '0001_author', NULL), ('b', '', NULL, '0002_book', 1), ('c', '', 1, '0002_book', NULL);
        """,
        "Wrangler": """
        CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
            applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
        INSERT INTO d1_migrations (name) VALUES ('0001_author.sql'), ('2_book.sql');
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
        let queue = try Self.database("goose", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (5, 1), (4, 1)")
        let before = try queue.dump()
        let newer = #expect(throws: MigrationError.self) { try queue.write { try Self.migrator().adoptMigrations($0) } }
        if case .newerDatabase(["4", "5"]) = newer?.reason {} else { Issue.record("\(newer as Any)") }
        #expect(try queue.dump() == before)
        for (tool, sql) in [
            ("golang-migrate", "UPDATE schema_migrations SET dirty = 1"),
            ("sqlx", "UPDATE _sqlx_migrations SET success = 0 WHERE version = 1"),
            ("Flyway", "UPDATE flyway_schema_history SET success = 0 WHERE version = '1'"),
            ("Prisma", "UPDATE _prisma_migrations SET finished_at = NULL WHERE id = 'a'"),
        ] {
            let dirty = try Self.database(tool, sql)
            let unfinished = #expect(throws: MigrationError.self) { try dirty.write { try Self.migrator().adoptMigrations($0) } }
            if case .unfinishedByOtherTool(tool) = unfinished?.reason {} else { Issue.record("\(unfinished as Any)") }
        }
        let later = try Self.database("golang-migrate", "UPDATE schema_migrations SET version = 7")
        #expect(throws: MigrationError.self) { try later.write { try Self.migrator().adoptMigrations($0) } }
    }

    @Test
    func `The names of files and folders tell which migrations a tool has run`() throws {
        for (tool, sql, identifiers) in [
            ("Flyway", "DELETE FROM flyway_schema_history WHERE version = '1'", ["V2__book"]),
            ("Flyway", "UPDATE flyway_schema_history SET script = replace(script, 'V2.0', 'V1_10')", ["V1__author", "V1.10__book"]),
            ("refinery", "UPDATE refinery_schema_history SET version = version + 9", ["V10__author", "V11__book"]),
            (
                "Diesel",
                "UPDATE __diesel_schema_migrations SET version = iif(version = '1', '20240131120000', '20240131120001')",
                ["2024-01-31-120000_author", "2024-01-31-120001_book"]
            ),
        ] {
            let queue = try Self.database(tool, sql)
            var migrator = DatabaseMigrator()
            for identifier in identifiers + ["V3__loan", "2024-01-31-120002_loan"] { migrator.registerMigration(identifier) { _ in } }
            try queue.write { try migrator.adoptMigrations($0) }
            #expect(try queue.read { try migrator.appliedMigrations($0) } == identifiers)
        }
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
