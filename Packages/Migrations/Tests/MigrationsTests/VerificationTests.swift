import Migrations
import Testing

@Suite struct VerificationTests {
    private func migrator(_ migrations: (String, String)...) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (identifier, sql) in migrations { migrator.registerMigration(identifier) { try $0.execute(sql: sql) } }
        return migrator
    }

    private static let tables = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL CHECK (state IN ('open', 'closed')));
        CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team, score INTEGER, CHECK (score < 2000));
        """

    @Test
    func `Migrations that keep rows are valid, and lead to a schema`() throws {
        let migrator = migrator(
            ("tables", Self.tables),
            ("rank", "ALTER TABLE player ADD COLUMN rank INTEGER NOT NULL DEFAULT 0; UPDATE player SET rank = coalesce(score, 0) / 10"),
            ("index", "CREATE INDEX byTeam ON player (teamId)"))
        let schema = Self.tables.replacing(", CHECK (score < 2000)", with: ", rank INTEGER NOT NULL DEFAULT 0, CHECK (score < 2000)")
        let verification = try migrator.verify()
        #expect(verification.isValid && "\(verification)" == "valid", "\(verification)")
        #expect(try migrator.verify(schema: schema + "CREATE INDEX byTeam ON player (teamId);").isValid)
        let wrong = try migrator.verify(schema: schema)
        #expect(wrong.difference?.isMeaningful == true && wrong.problems.isEmpty)
        #expect("\(wrong)".hasPrefix("the migrations don't lead to the schema:\n"))
    }

    @Test
    func `A migration that loses rows is found, with the rows that it loses`() throws {
        let migrator = migrator(
            ("tables", Self.tables),
            ("copy", "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO new SELECT id, name FROM team WHERE id > 2"),
            ("loss", "DELETE FROM new WHERE id = (SELECT max(id) FROM new)"))
        let verification = try migrator.verify()
        #expect(verification.problems.allSatisfy { $0.migration == "loss" && $0.message.hasPrefix("new lost 1 of ") }, "\(verification)")
        #expect(verification.problems.map(\.rowsSince) == ["tables", "copy"])
    }

    @Test
    func `What a migration drops without naming it is listed, and leaves the result valid`() throws {
        let rebuild =
            "CREATE TABLE new (id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team); "
            + "INSERT INTO new SELECT id, teamId FROM player; DROP TABLE player; ALTER TABLE new RENAME TO player"
        let index = ("index", "CREATE INDEX byTeam ON player (teamId)")
        let verification = try migrator(("tables", Self.tables), index, ("rebuild", rebuild)).verify()
        #expect(verification.isValid && verification.drops.map(\.migration) == ["rebuild", "rebuild", "rebuild"])
        #expect(
            verification.description == """
                valid
                rebuild: the column player.score goes with this, and is not made again: make it again, or write a line -- @drops player.score
                rebuild: CHECK (score < 2000) of player goes with this, and is not made again: make it again, or write a line -- @drops \
                CHECK (score < 2000)
                rebuild: the index byTeam of player goes with this, and is not made again: make it again, or write a line -- @drops byTeam
                """)
        let lines = "-- @drops score, byTeam\n-- @drops (score < 2000)\n"
        #expect(try migrator(("tables", Self.tables), index, ("rebuild", lines + rebuild)).verify().description == "valid")
        // A rebuild by the driver keeps what its plan does not drop.
        var other = migrator(("tables", Self.tables), index)
        other.registerMigration("plan") { db in
            var plan = TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team)")
            plan.droppedColumns = ["score"]
            try db.rebuild(table: "player", with: plan)
        }
        #expect(try other.verify().description == "valid")
    }

    @Test
    func `A migration that fails on rows, or breaks keys and checks, is found`() throws {
        let failing = try migrator(("tables", Self.tables), ("unique", "CREATE UNIQUE INDEX one ON player (score > 0)")).verify()
        #expect(failing.problems.map(\.migration) == ["unique"], "\(failing)")
        #expect(failing.problems.first?.message.contains("UNIQUE") == true)

        var keys = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        keys.registerMigration("tables") { try $0.execute(sql: Self.tables) }
        keys.registerMigration("keys") { try $0.execute(sql: "UPDATE player SET teamId = 100000") }
        let broken = try keys.verify()
        #expect(broken.problems.first?.message == "5 rows of player refer to missing rows of team", "\(broken)")

        let checks = try migrator(
            ("tables", Self.tables),
            ("checks", "PRAGMA ignore_check_constraints = ON; UPDATE team SET state = 'half'; PRAGMA ignore_check_constraints = OFF")
        ).verify()
        #expect(checks.problems.first?.message == "CHECK constraint failed in team", "\(checks)")
    }

    @Test
    func `A database is compared with the schema of a program`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            #expect(throws: DatabaseError.self) { try db.checkSchema(Self.tables) }
            try db.execute(sql: Self.tables.replacing("\n", with: "\n  "))
            try db.execute(sql: "CREATE TABLE other (a)")
            try db.checkSchema(Self.tables)
            try db.execute(sql: "ALTER TABLE player ADD COLUMN name TEXT")
            let error = try #require(throws: DatabaseError.self) { try db.checkSchema(Self.tables) }
            #expect(error.resultCode == .SQLITE_SCHEMA && error.message?.contains("+     name TEXT") == true, "\(error)")
            #expect(error.message?.hasPrefix("migrate the database first: its schema is not the expected one\n") == true, "\(error)")
        }
    }

    @Test
    func `The error of a database that was not migrated begins with what it lacks`() throws {
        let tables = (1...60).map { "CREATE TABLE t\($0) (\n a,\n b,\n c)" }.joined(separator: ";\n")
        let schema = tables + "; CREATE INDEX i ON t1 (a); CREATE VIEW v AS SELECT 1; CREATE VIEW w AS SELECT 2"
        try DatabaseQueue().write { db in
            let error = try #require(throws: DatabaseError.self) { try db.checkSchema(schema) }
            #expect(
                error.message == "migrate the database first: it lacks the tables t1, t10, t11, t12, t13 and 55 other tables, "
                    + "the views v and w, the index i")
            #expect(error.advice == nil)

            try db.execute(sql: tables.replacing("c)", with: "d)") + "; CREATE INDEX other ON t1 (a); CREATE VIEW v AS SELECT 1")
            let second = try #require(throws: DatabaseError.self) { try db.checkSchema(schema) }
            let lines = second.message?.split(separator: "\n") ?? []
            #expect(lines.first == "migrate the database first: it lacks the view w, the index i", "\(second)")
            let last = try #require(lines.last)
            #expect(lines.count == 22 && last.hasPrefix("… and ") && last.hasSuffix(" more lines"), "\(second)")
        }
    }
}
