import CSQLiteShims
import Migrations
import Testing

@Suite struct ForeignKeyTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    /// Teams with players, who go with their team.
    private static let creation = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team (id) ON DELETE CASCADE);
        CREATE TABLE other (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team (id));
        CREATE TABLE unrelated (id INTEGER PRIMARY KEY, otherId INTEGER REFERENCES other (id));
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO player VALUES (1, 1), (2, 2);
        """

    private func open(_ kind: Kind) throws -> any DatabaseWriter {
        let writer = try kind.open(path)
        try writer.write { try $0.execute(sql: Self.creation) }
        return writer
    }

    private func migrator(
        _ checks: DatabaseMigrator.ForeignKeyChecks, _ sql: String, _ migrator: DatabaseMigrator = DatabaseMigrator()
    ) -> DatabaseMigrator {
        var migrator = migrator
        migrator.registerMigration("m", foreignKeyChecks: checks) { db in
            // In defensive mode, SQL can't write the schema.
            try db.withoutDefensiveMode { try db.execute(sql: sql) }
        }
        return migrator
    }

    @Test func `Foreign keys are switched off once for all migrations, as each switch makes SQLite compile all statements again`() throws {
        let counts = Guarded<[Int]>([])
        var migrator = DatabaseMigrator()
        for number in 1...5 {
            migrator.registerMigration("\(number)") { db in
                let statement = try db.cachedStatement(sql: "SELECT 1")
                defer { statement.reset() }
                _ = try statement.step()
                counts.withLock { $0.append(statement.repreparationCount) }
                #expect(!db.enforcesForeignKeys)
            }
        }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        #expect(counts.withLock { $0 } == [0, 0, 0, 0, 0])
        #expect(try queue.read { $0.enforcesForeignKeys })
    }

    @Test func `Among others, migrations with immediate checks run with foreign keys, and those with deferred checks without`() throws {
        let enforcements = Guarded<[Bool]>([])
        var migrator = DatabaseMigrator()
        for (number, checks) in [DatabaseMigrator.ForeignKeyChecks.deferred, .immediate, .immediate, .deferred].enumerated() {
            migrator.registerMigration("\(number)", foreignKeyChecks: checks) { db in
                enforcements.withLock { $0.append(db.enforcesForeignKeys) }
            }
        }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        #expect(enforcements.withLock { $0 } == [false, true, true, false])
        #expect(try queue.read { $0.enforcesForeignKeys })
    }

    @Test(arguments: Kind.allCases)
    func `Deferred checks let a migration break foreign keys that hold again at its end`(_ kind: Kind) throws {
        let writer = try open(kind)
        let sql = "DROP TABLE team; CREATE TABLE team (id INTEGER PRIMARY KEY); INSERT INTO team VALUES (1), (2)"
        try migrator(.deferred, sql).migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM player") == 2)
        #expect(try writer.writeWithoutTransaction { $0.enforcesForeignKeys })
    }

    @Test(arguments: Kind.allCases)
    func `Deferred checks name table, row, column and parent of the violated foreign key`(_ kind: Kind) throws {
        let writer = try open(kind)
        let before = try writer.dump()
        let error = expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator(.deferred, "DELETE FROM team WHERE id = 2").migrate(writer)
        }
        #expect(
            error?.description.hasSuffix("FOREIGN KEY constraint violation - from player(teamId) to team(id)") == true)
        #expect(try writer.dump() == before)
        #expect(try writer.writeWithoutTransaction { $0.enforcesForeignKeys })
    }

    @Test(arguments: Kind.allCases)
    func `Immediate checks are SQLite's own`(_ kind: Kind) throws {
        let writer = try open(kind)
        expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator(.immediate, "INSERT INTO player VALUES (3, 3); INSERT INTO team VALUES (3, '')").migrate(writer)
        }
        // Dropping a table deletes its rows, and those that refer to them.
        try migrator(.immediate, "DROP TABLE team").migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM player") == 0)
    }

    @Test(arguments: Kind.allCases)
    func `disablingDeferredForeignKeyChecks keeps the checks of migrations that are registered`(_ kind: Kind) throws {
        let writer = try open(kind)
        var migrator = migrator(.deferred, "DELETE FROM team WHERE id = 2").disablingDeferredForeignKeyChecks()
        migrator.registerMigration("later") { _ in }
        expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator.migrate(writer) }
        #expect(try writer.integer("SELECT count(*) FROM team") == 2)
    }

    @Test(arguments: Kind.allCases)
    func `disablingDeferredForeignKeyChecks leaves violations alone`(_ kind: Kind) throws {
        let writer = try open(kind)
        try migrator(.deferred, "DELETE FROM team", DatabaseMigrator().disablingDeferredForeignKeyChecks()).migrate(writer)
        #expect(try writer.integer("SELECT count(*) FROM player") == 2)
        #expect(try writer.writeWithoutTransaction { $0.enforcesForeignKeys })
    }

    @Test
    func `Foreign keys are not checked if the configuration does not enforce them`() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: Self.creation) }
        try migrator(.deferred, "DELETE FROM team").migrate(queue)
        #expect(try queue.writeWithoutTransaction { !$0.enforcesForeignKeys })
    }

    @Test
    func `The check covers what the migration has touched, and what refers to it, and nothing else`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: Self.creation)
            // An earlier violation, in a table that no migration touches.
            try db.withoutForeignKeys { try db.execute(sql: "INSERT INTO unrelated VALUES (1, 42)") }
        }
        try migrator(.deferred, "INSERT INTO team VALUES (3, '')").migrate(queue)
        #expect(try queue.integer("SELECT count(*) FROM unrelated") == 1)
        var next = migrator(.deferred, "SELECT 1")
        next.registerMigration("touch") { try $0.execute(sql: "UPDATE unrelated SET otherId = 43") }
        expectFailure("touch", .SQLITE_CONSTRAINT_FOREIGNKEY) { try next.migrate(queue) }
    }

    @Test(arguments: [
        "INSERT INTO player VALUES (3, 42)",
        "UPDATE player SET teamId = 42 WHERE id = 1",
        "DELETE FROM team WHERE id = 1",
        "DELETE FROM team",
        "UPDATE team SET id = 42 WHERE id = 1",
        "REPLACE INTO player VALUES (1, 42)",
        "DROP TABLE team",
        "ALTER TABLE team RENAME TO club; CREATE TABLE team (id INTEGER PRIMARY KEY); UPDATE club SET id = 7 WHERE id = 1",
        "CREATE TABLE new (id INTEGER PRIMARY KEY, t INTEGER REFERENCES team (id)); INSERT INTO new VALUES (1, 42); "
            + "ALTER TABLE new RENAME TO renamed",
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN UPDATE player SET teamId = 42; END; INSERT INTO other VALUES (1, 1)",
        "WITH x AS (SELECT 42 AS id) INSERT INTO player SELECT 5, id FROM x",
        "INSERT INTO team VALUES (1, '') ON CONFLICT (id) DO UPDATE SET id = 42",
        "ALTER TABLE player ADD COLUMN captain INTEGER DEFAULT 42 REFERENCES player (id)",
        "CREATE TABLE c AS SELECT * FROM player; DROP TABLE player; "
            + "CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team (id)); INSERT INTO player SELECT id, 42 FROM c",
        "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE other (id INTEGER PRIMARY KEY, "
            + "teamId INTEGER REFERENCES player (id))' WHERE name = 'other'; PRAGMA writable_schema = 0; "
            + "PRAGMA schema_version = 1000; INSERT INTO other VALUES (1, 42)",
    ])
    func `Whatever way a migration takes to violate a foreign key, it is found`(_ sql: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.creation) }
        let before = try queue.dump()
        expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator(.deferred, sql).migrate(queue) }
        #expect(try queue.dump() == before)
    }

    @Test
    func `Statements that were prepared before the migration count too`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.creation) }
        let sql = "UPDATE player SET teamId = ? WHERE id = 1"
        try queue.write { try $0.cachedStatement(sql: sql).execute(arguments: [2]) }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("m") { try $0.cachedStatement(sql: sql).execute(arguments: [42]) }
        expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator.migrate(queue) }
    }

    @Test(arguments: [false, true])
    func `Statements that another migration has prepared count too`(_ isOfCAPI: Bool) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.creation) }
        let sql = "UPDATE player SET teamId = 3 - teamId WHERE id = 1"
        let handle = Box<SQLiteStatement?>(nil)
        var migrator = DatabaseMigrator()
        // The first migration creates the table of the migrations. No later one changes the schema, so SQLite compiles nothing again.
        migrator.registerMigration("first") { _ in }
        for identifier in ["second", "third"] {
            migrator.registerMigration(identifier) { db in
                if identifier == "third" { try db.execute(sql: "UPDATE unrelated SET id = 7; UPDATE other SET id = 7") }
                if !isOfCAPI { return try db.cachedStatement(sql: sql).execute() }
                if handle.value == nil { sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &handle.value, nil) }
                sqlite3_step(handle.value)
                sqlite3_reset(handle.value)
            }
        }
        try migrator.migrate(queue)
        migrator.registerMigration("fourth") { try $0.execute(sql: "DELETE FROM team WHERE id = 2; UPDATE player SET teamId = 1") }
        migrator.registerMigration("fifth") { db in
            if !isOfCAPI { return try db.cachedStatement(sql: sql).execute() }
            sqlite3_step(handle.value)
            sqlite3_reset(handle.value)
        }
        expectFailure("fifth", .SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator.migrate(queue) }
        _ = try queue.writeWithoutTransaction { _ in sqlite3_finalize(handle.value) }
    }

    @Test(arguments: ["references", "REFERENCES", "References"])
    func `Foreign keys are found in any spelling, whatever LIKE does`(_ keyword: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("like", argumentCount: 2) { _ in false })
            try db.execute(sql: "PRAGMA case_sensitive_like = ON")
        }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: Self.creation) }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") { try $0.execute(sql: "CREATE TABLE new (id INTEGER PRIMARY KEY, t \(keyword) team)") }
        migrator.registerMigration("m") { try $0.execute(sql: "INSERT INTO new VALUES (1, 42)") }
        expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator.migrate(queue) }
    }

    @Test(arguments: [false, true])
    func `Many violations are cut short, and name their rows only if arguments are public`(isPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: Self.creation) }
        let sql = "INSERT INTO player WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT i, 42 FROM n"
        let error = expectFailure("m", .SQLITE_CONSTRAINT_FOREIGNKEY) { try migrator(.deferred, sql).migrate(queue) }
        let sentence = "FOREIGN KEY constraint violation - from player(teamId) to team(id)"
        #expect(error?.description.components(separatedBy: sentence).count == (isPublic ? 11 : 2))
        #expect(error?.description.contains(", in the row with id 19") == isPublic)
        #expect(error?.description.hasSuffix("; and more") == true)
    }
}
