import Migrations
import Testing

// Migrations that were changed after they ran.

@Suite struct SchemaChangeTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func migrator(_ definitions: String...) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, sql) in definitions.enumerated() {
            migrator.registerMigration("v\(index + 1)") { try $0.execute(sql: sql) }
        }
        return migrator
    }

    @Test(arguments: [
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a b')",
        "create table  \"player\"(\n  [id] integer primary key, -- the key\n  `Name` text /* said */ default 'a b'\n)",
    ])
    func `White space, comments, quotes and case are not schema changes`(_ sql: String) throws {
        let queue = try DatabaseQueue()
        try migrator("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a b')").migrate(queue)
        #expect(try queue.read { try !migrator(sql).hasSchemaChanges($0) })
    }

    @Test(arguments: [
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a  b')",
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'A b')",
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'a b')",
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a b'); CREATE INDEX i ON player (name)",
        "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a b')",
        "SELECT 1",
    ])
    func `Other definitions are schema changes`(_ sql: String) throws {
        let queue = try DatabaseQueue()
        try migrator("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a b')").migrate(queue)
        #expect(try queue.read { try migrator(sql).hasSchemaChanges($0) })
    }

    @Test(arguments: [
        "CREATE TABLE t (a DEFAULT '%')", "CREATE TABLE t (\"%\")", "CREATE TABLE \"%\" (a)", "CREATE VIEW t AS SELECT '%'",
    ])
    func `A string or a name in other bytes is a schema change, even if Swift calls it equal`(_ sql: String) throws {
        let (old, new) = (sql.replacing("%", with: "caf\u{E9}"), sql.replacing("%", with: "cafe\u{301}"))
        #expect(old == new)
        let queue = try DatabaseQueue()
        var migrator = migrator(old)
        migrator.keepsDigests = true
        try migrator.migrate(queue)
        #expect(try queue.read { try self.migrator(new).hasSchemaChanges($0) })
        #expect(throws: DatabaseError.self) { try queue.read { try $0.checkSchema(new) } }
        // The differences have lines, and the definition after them.
        migrator.registerMigration("v2") {
            try $0.execute(
                sql: "DROP \(sql.contains("VIEW") ? "VIEW t" : sql.contains("TABLE t") ? "TABLE t" : "TABLE \"caf\u{E9}\""); \(new)")
        }
        let difference = try queue.read { try migrator.dryRun($0) }.difference
        #expect(difference.lines.contains { $0.kind == .removed } && difference.lines.contains { $0.kind == .added }, "\(difference)")
    }

    @Test
    func `Tables of other parts of this toolkit, such as the positions of loads, are no schema changes`() throws {
        let queue = try DatabaseQueue()
        let migrator = migrator("CREATE TABLE player (id INTEGER PRIMARY KEY)")
        try migrator.migrate(queue)
        try queue.write { try $0.execute(sql: "CREATE TABLE strata_loads (name TEXT); CREATE INDEX i ON strata_loads (name)") }
        #expect(try queue.read { try !migrator.hasSchemaChanges($0) })
    }

    @Test
    func `Migrations that are renamed or removed are schema changes; those that did not run are none`() throws {
        let queue = try DatabaseQueue()
        let old = migrator("CREATE TABLE t (a)", "CREATE TABLE u (a)")
        #expect(try queue.read { try !old.hasSchemaChanges($0) })
        try old.migrate(queue, upTo: "v1")
        #expect(try queue.read { try !old.hasSchemaChanges($0) })
        try old.migrate(queue)
        #expect(try queue.read { try migrator("CREATE TABLE t (a)").hasSchemaChanges($0) })
    }

    @Test(arguments: Kind.allCases)
    func `eraseDatabaseOnSchemaChange erases the database after a schema change, and only then`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        try migrator("CREATE TABLE t (a)").migrate(writer)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }

        var same = migrator("CREATE TABLE \"t\" ( a )", "CREATE TABLE u (a)")
        same.eraseDatabaseOnSchemaChange = true
        try same.migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM t") == 1)

        var other = migrator("CREATE TABLE t (a, b)", "CREATE TABLE u (a)")
        try other.migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM t") == 1)
        other.eraseDatabaseOnSchemaChange = true
        #expect(try writer.read { try other.plan($0) }.erasesDatabase)
        try other.migrate(writer)
        #expect(try writer.integer("SELECT count(b) FROM t") == 0)
        #expect(try writer.read { try other.appliedMigrations($0) } == ["v1", "v2"])
    }

    /// A synchronized full-text table, as two versions may write it.
    private static func synchronizedTable(on table: String = "doc", version: Int) -> String {
        """
        CREATE VIRTUAL TABLE "ft" USING fts5("title", content='__ft_content', content_rowid='rowid');
        CREATE VIEW "__ft_content" AS SELECT "id" AS "rowid", "title" AS "title" FROM "\(table)";
        CREATE TABLE "__ft_replaced" ("id" INTEGER PRIMARY KEY, "c0"\(version > 1 ? ", \"version\"" : ""));
        CREATE TRIGGER "__ft_ai" AFTER INSERT ON "\(table)" BEGIN SELECT \(version); END;
        \(version > 1 ? "CREATE TRIGGER \"__ft_ar\" AFTER INSERT ON \"\(table)\" BEGIN SELECT 1; END" : "")
        """
    }

    @Test(arguments: Kind.allCases)
    func `Triggers of synchronized full-text tables that another version wrote are no change`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        let tables = "CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE other (id INTEGER PRIMARY KEY, title TEXT)"
        var old = migrator(tables, Self.synchronizedTable(version: 1), "INSERT INTO doc VALUES (1, 'a')")
        old.keepsDigests = true
        try old.migrate(writer)
        var new = migrator(tables, Self.synchronizedTable(version: 2), "INSERT INTO doc VALUES (1, 'a')")
        new.eraseDatabaseOnSchemaChange = true
        #expect(try writer.read { try !new.hasSchemaChanges($0) && new.editedMigrations($0) == [] })
        #expect(try writer.verify([.migrations(new)]) == [])
        try writer.read { db in
            let schema = tables + ";" + Self.synchronizedTable(version: 2)
            #expect(try SchemaDifference(from: schema, to: db).description == "")
            try db.checkSchema(schema)
        }
        try new.migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM doc") == 1)

        // A digest that has the SQL of the triggers is of an earlier version.
        let ownDigest = try writer.texts("SELECT digest FROM strata_migrations WHERE identifier = 'v2'")
        try writer.write { try $0.execute(sql: "UPDATE strata_migrations SET digest = '0123456789abcdef' WHERE identifier = 'v2'") }
        #expect(try writer.read { try new.editedMigrations($0) } == [])
        try writer.write { try $0.execute(sql: "UPDATE strata_migrations SET digest = '\(ownDigest[0])' WHERE identifier = 'v2'") }

        // Another content is a change, and so are the triggers of a full-text table whose content is the table itself.
        let other = migrator(tables, Self.synchronizedTable(on: "other", version: 1), "")
        #expect(try writer.read { try other.hasSchemaChanges($0) && other.editedMigrations($0) == ["v2"] })
        let direct = Self.synchronizedTable(version: 1).replacing("'__ft_content'", with: "'doc'")
        try writer.erase()
        try migrator(tables, direct).migrate(writer)
        #expect(try writer.read { try migrator(tables, direct.replacing("SELECT 1", with: "SELECT 2")).hasSchemaChanges($0) })
    }

    @Test(arguments: Kind.allCases)
    func `An edited migration is found by its digest`(_ kind: Kind) throws {
        let writer = try kind.open(path)
        var old = migrator("CREATE TABLE t (a)", "CREATE TABLE u (a); INSERT INTO t VALUES (1)", "CREATE INDEX i ON t (a)")
        old.keepsDigests = true
        // Other content of the database has no effect on the digests.
        try writer.write { try $0.execute(sql: "CREATE TABLE other (a)") }
        try old.migrate(writer)
        #expect(try writer.read { try old.editedMigrations($0) } == [])
        let edited = migrator("CREATE TABLE t (  \"a\")", "CREATE TABLE u (a, b)", "CREATE INDEX i ON t (a)")
        #expect(try writer.read { try edited.editedMigrations($0) } == ["v2"])
        #expect(try writer.read { try edited.plan($0) }.description == "leave \"v2\", which was edited after it ran")
        // GRDB's table has no column of ours.
        #expect(try writer.texts("SELECT name FROM pragma_table_info('grdb_migrations')") == ["identifier"])
    }
}

@Suite struct PlanTests {
    @Test(arguments: Kind.allCases)
    func `A plan lists what would run, and runs nothing`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("database.sqlite"))
        var migrator = DatabaseMigrator.players
        migrator.registerMigration("immediate", foreignKeyChecks: .immediate) { _ in throw TestError() }
        try migrator.migrate(writer, upTo: "createPlayer")
        try writer.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('other')") }
        let before = try writer.dump()
        let plan = try writer.read { try migrator.plan($0) }
        #expect(plan.steps.map(\.identifier) == ["addScore", "immediate"])
        #expect(plan.steps.map(\.foreignKeyChecks) == [.deferred, .immediate])
        #expect(plan.unknownIdentifiers == ["other"])
        #expect(plan.description == "run \"addScore\"\nrun \"immediate\"\nleave \"other\", which this program does not know")
        #expect(try writer.read { try migrator.plan($0, upTo: "addScore") }.steps.map(\.identifier) == ["addScore"])
        #expect(try writer.read { try migrator.plan($0, upTo: "createPlayer") }.isEmpty)
        #expect(try writer.dump() == before)
    }

    @Test(arguments: Kind.allCases)
    func `A dry run shows the difference between the schemas, and changes nothing`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("database.sqlite"))
        var migrator = DatabaseMigrator.players
        try migrator.migrate(writer, upTo: "createPlayer")
        migrator.registerMigration("addTeam") { db in
            #expect(try db.texts("SELECT name FROM player") == ["Arthur", "Barbara"])
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT CHECK (name <> ''))")
            try db.execute(sql: "CREATE INDEX player_by_name ON player (name)")
        }
        let before = try writer.dump()
        let dryRun = try writer.read { try migrator.dryRun($0) }
        #expect(try writer.dump() == before)
        #expect(dryRun.steps.map(\.identifier) == ["addScore", "addTeam"])
        #expect(
            dryRun.steps[0].difference.description == """
                  CREATE TABLE player (
                      id INTEGER PRIMARY KEY,
                      name TEXT NOT NULL,
                +     score INTEGER NOT NULL DEFAULT 0
                  );
                """)
        #expect(
            dryRun.steps[1].difference.description == """
                + CREATE INDEX player_by_name ON player (name);
                + CREATE TABLE team (
                +     id INTEGER PRIMARY KEY,
                +     name TEXT CHECK (name <> '')
                + );
                """)
        #expect(dryRun.schemaBefore == "CREATE TABLE player (\n    id INTEGER PRIMARY KEY,\n    name TEXT NOT NULL\n);")
        #expect(dryRun.difference.lines.count { $0.kind == .added } == 6)
        #expect(try writer.read { try migrator.dryRun($0, upTo: "addScore") }.steps.count == 1)
    }

    @Test
    func `A dry run fails as the migrations would`() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator.players
        try migrator.migrate(queue)
        migrator.registerMigration("unique") { try $0.execute(sql: "CREATE UNIQUE INDEX i ON player (score)") }
        expectFailure("unique", .SQLITE_CONSTRAINT_UNIQUE) { try queue.read { _ = try migrator.dryRun($0) } }
    }

    @Test(arguments: Kind.allCases)
    func `Migrators of two namespaces and one of none share a database`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("database.sqlite"))
        func migrator(_ table: String, _ migrator: DatabaseMigrator) -> DatabaseMigrator {
            var migrator = migrator
            migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE \(table) (a)") }
            migrator.refusesNewerDatabases = true
            return migrator
        }
        let host = migrator("host", DatabaseMigrator())
        let library = migrator("library", DatabaseMigrator(namespace: "library"))
        let other = migrator("other", DatabaseMigrator(namespace: "other"))
        for each in [library, host, other] { try each.migrate(writer) }
        for each in [library, host, other] {
            try each.migrate(writer)
            #expect(try writer.read { try each.appliedIdentifiers($0) } == ["v1"])
            #expect(try writer.read { try each.hasSchemaChanges($0) } == (each.namespace == nil))
        }
        #expect(try writer.texts("SELECT identifier FROM grdb_migrations") == ["v1"])
        #expect(try writer.texts("SELECT namespace FROM strata_migrations ORDER BY 1") == ["library", "other"])

        var erasing = library
        erasing.eraseDatabaseOnSchemaChange = true
        #expect(throws: MigrationError.self) { try erasing.migrate(writer) }
        #expect(throws: MigrationError.self) { try DatabaseMigrator(namespace: "").migrate(writer) }
    }
}
