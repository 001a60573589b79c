import Testing
import Migrations

@testable import RecordGenerator

/// The build runs migrations where and as programs run them.
@Suite struct MigrationRehearsalTests {
    private static let tables = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, teamId INTEGER REFERENCES team);
        CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT NOT NULL CHECK (length(email) > 20));
        """

    /// The first lines of the diagnostics of migrations, without the name of the folder; a schema that fits is written before.
    static func diagnostics(
        _ migrations: [String], released: Int = 0, settings: String = "", schema: String? = nil
    ) -> [String] {
        let files = migrations.enumerated().map { SourceText($1, file: "Migrations/\($0).sql") }
        let lock = MigrationFolder(Array(files.prefix(released)), lock: nil).lockText
        let folder = MigrationFolder(files, lock: SourceText(lock, file: "Migrations/migrations.lock"))
        func lines(_ diagnostics: [QueryDiagnostic]) -> [String] {
            diagnostics.map { String($0.description.prefix { $0 != "\n" }).replacing("Migrations/", with: "") }
        }
        do {
            let settings = try RecordSettings(settings, file: "schema.records")
            let script = SourceText(try schema ?? folder.schemaText(settings), file: "schema.sql")
            let file = SourceText("-- name: one\nSELECT 1", file: "Queries.sql")
            let set = try QuerySet([file], schema: script, settings: settings, migrations: folder)
            GeneratedLiterals.check(set, [file], schema: script, migrations: folder)
            return lines(set.warnings)
        } catch let error as QueryErrors {
            return lines(error.diagnostics)
        } catch {
            return ["\(error)"]
        }
    }

    // MARK: - Statements

    @Test(
        arguments: [
            ("BEGIN", "BEGIN can't run in a migration, which runs in a transaction: remove it"),
            ("COMMIT TRANSACTION", "COMMIT can't run in a migration, which runs in a transaction: remove it"),
            ("rollback", "ROLLBACK can't run in a migration, which runs in a transaction: remove it"),
            ("PRAGMA synchronous = OFF", "Safety level may not be changed inside a transaction"),
        ])
    func `A statement that fails in a transaction is an error, also in a released migration`(_ sql: String, _ message: String) {
        for released in [0, 1, 2] {
            #expect(Self.diagnostics([Self.tables, "-- First.\n\(sql);"], released: released) == ["1.sql:2:1: error: \(message)"])
        }
    }

    @Test(arguments: ["foreign_keys = OFF", "main.journal_mode = WAL", "page_size(8192)", "auto_vacuum = FULL"])
    func `A pragma that silently does nothing is an error, and a warning in a released migration`(_ pragma: String) throws {
        let name = SQLTokens(pragma.replacing("main.", with: "")).text(0)
        let message = "PRAGMA \(name) does nothing in a migration, which runs in a transaction: remove it"
        let migrations = [Self.tables, "  PRAGMA \(pragma); ALTER TABLE team ADD COLUMN city TEXT;"]
        #expect(Self.diagnostics(migrations) == ["1.sql:1:3: error: \(message)"])
        #expect(Self.diagnostics(migrations, released: 1) == ["1.sql:1:3: error: \(message)"])
        #expect(Self.diagnostics(migrations, released: 2) == ["1.sql:1:3: warning: \(message)"])
        // Reading it does no harm.
        #expect(Self.diagnostics([Self.tables, "PRAGMA \(name);"]) == [])
        // SQLite does ignore it.
        let queue = try DatabaseQueue()
        func value() throws -> DatabaseValue? {
            try queue.writeWithoutTransaction { db in
                let statement = try db.makeStatement(sql: "PRAGMA \(name)")
                return try statement.step() ? statement.databaseValue(at: 0) : nil
            }
        }
        let before = try value()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE t (a); PRAGMA \(pragma)") }
        try migrator.migrate(queue)
        #expect(try value() == before)
    }

    @Test
    func `Errors of several statements of a migration are reported together, and later migrations don't run`() {
        #expect(
            Self.diagnostics([
                Self.tables, "INSERT INTO tem VALUES (1);\nINSERT INTO team VALUES (1, 'a');\nINSERT INTO team (nam) VALUES (1);",
                "DROP TABLE x;",
            ]) == ["1.sql:1:1: error: no such table: tem", "1.sql:3:1: error: table team has no column named nam"])
    }

    // MARK: - Configuration

    @Test
    func `A string in double quotes is an error unless the program accepts it, and a warning in a released migration`() {
        let migrations = [Self.tables, "INSERT INTO team (name) VALUES\n  (\"Reds\");"]
        let message =
            "no such column: Reds. Write strings in single quotes, "
            + "or add a line \"double-quoted strings allowed\" to schema.records"
        #expect(Self.diagnostics(migrations) == ["1.sql:2:4: error: \(message)"])
        #expect(Self.diagnostics(migrations, released: 2) == ["1.sql:2:4: warning: \(message)"])
        #expect(Self.diagnostics(migrations, settings: "double-quoted strings allowed") == [])
        // The next migration finds the rows.
        let next = migrations + ["INSERT INTO player (name, teamId) SELECT name, id FROM team; INSERT INTO player (id) VALUES (1);"]
        #expect(
            Self.diagnostics(next, released: 2) == [
                "1.sql:2:4: warning: \(message)", "2.sql:1:62: error: NOT NULL constraint failed: player.name",
            ])
    }

    @Test
    func `Rows without parents are an error unless foreign keys are off, and a warning in a released migration`() {
        let rows = """
            INSERT INTO player (name, teamId) VALUES ('Arthur', 1);
            INSERT INTO team VALUES (1, 'Reds');
            INSERT INTO player (name, teamId)
            VALUES ('Barbara', 2);
            INSERT INTO team VALUES (3, 'Blues');
            INSERT INTO player (name, teamId) VALUES ('Craig', 4);
            INSERT INTO team VALUES (4, 'Greens');
            """
        let lines = Self.diagnostics([Self.tables, rows])
        #expect(lines.count == 1 && lines[0].hasPrefix("1.sql:3:1: error: ") && lines[0].contains("player"), "\(lines)")
        #expect(lines[0].hasSuffix(" does not enforce foreign keys, add a line \"foreign keys off\" to schema.records"), "\(lines)")
        #expect(Self.diagnostics([Self.tables, rows], released: 2) == lines.map { $0.replacing(": error: ", with: ": warning: ") })
        #expect(Self.diagnostics([Self.tables, rows], settings: "foreign keys off") == [])
        // Parents that the program's functions compute are not known.
        let computed = Self.tables + "INSERT INTO team SELECT number(), 'Reds'; INSERT INTO player (name, teamId) VALUES ('Arthur', 7);"
        #expect(Self.diagnostics([computed], settings: "function number 0 Int64") == [])
        let plain = Self.tables + "INSERT INTO player (name, teamId) VALUES ('Arthur', 7);"
        #expect(Self.diagnostics([plain], settings: "function number 0 Int64").count == 1)
    }

    @Test
    func `A migration that breaks the schema is an error at its statement, and a warning in a released migration`() {
        let view = Self.tables + "CREATE VIEW names AS SELECT name FROM player;"
        let change = "CREATE TABLE other (id INTEGER PRIMARY KEY);\nDROP TABLE player;\nINSERT INTO other VALUES (1);"
        let line = "1.sql:2:1: error: the view names would no longer work: no such table: main.player"
        #expect(Self.diagnostics([view, change]) == [line])
        let repaired = Self.diagnostics([view, change, "DROP VIEW names;"], released: 2)
        #expect(repaired == [line.replacing(": error: ", with: ": warning: ")])
    }

    @Test(arguments: ["double-quoted string allowed", "foreign keys on", "foreign keys off now", "double-quoted strings allowed # yes"])
    func `Lines about the configuration are whole`(_ line: String) {
        let isAccepted = (try? RecordSettings(line, file: "schema.records")) != nil
        #expect(isAccepted == line.hasSuffix("# yes"))
    }

    // MARK: - Rows

    @Test(
        arguments: [
            ("ALTER TABLE player ADD COLUMN rank INTEGER NOT NULL", "Cannot add a NOT NULL column with default value NULL"),
            ("ALTER TABLE main.\"Player\" ADD rank INTEGER NOT NULL", "Cannot add a NOT NULL column with default value NULL"),
            ("ALTER TABLE player ADD COLUMN created TEXT DEFAULT CURRENT_TIMESTAMP", "Cannot add a column with non-constant default"),
            ("ALTER TABLE account ADD COLUMN rank INTEGER NOT NULL", "Cannot add a NOT NULL column with default value NULL"),
            ("ALTER TABLE account ADD COLUMN state TEXT DEFAULT 'none' CHECK (state IN ('open', 'closed'))", "CHECK constraint failed"),
            ("ALTER TABLE team ADD COLUMN state TEXT DEFAULT 'none' CHECK (state IN ('open', 'closed'))", "CHECK constraint failed"),
        ])
    func `A column that no table with rows can have is an error in a migration that is not released`(_ sql: String, _ message: String) {
        // A row of account can't be made up with its CHECK: there, only the rules of ALTER TABLE are certain.
        let isKnown = !sql.contains("account ADD COLUMN state")
        #expect(Self.diagnostics([Self.tables, sql]) == (isKnown ? ["1.sql:1:1: error: \(message)"] : []))
        #expect(Self.diagnostics([Self.tables, sql], released: 1) == (isKnown ? ["1.sql:1:1: error: \(message)"] : []))
        #expect(Self.diagnostics([Self.tables, sql], released: 2) == [])
        // Tables that a migration creates, or has emptied, have no rows.
        #expect(Self.diagnostics([Self.tables + sql]) == [])
        #expect(Self.diagnostics([Self.tables, "DELETE FROM player; DELETE FROM team; DELETE FROM account; \(sql)"]) == [])
        // Its own rows count.
        let rows = """
            INSERT INTO team (name) VALUES ('Reds'); INSERT INTO player (name) VALUES ('Arthur');
            INSERT INTO account (email) VALUES ('arthur.dent@example.org');
            """
        #expect(Self.diagnostics([Self.tables, "\(rows)\n\(sql)"]) == ["1.sql:3:1: error: \(message)"])
        #expect(Self.diagnostics([Self.tables, "\(rows)\n\(sql)"], released: 2) == ["1.sql:3:1: error: \(message)"])
    }

    @Test
    func `A renamed table keeps its rows, and a table that was created again has those of the old one`() {
        let message = "Cannot add a NOT NULL column with default value NULL"
        let renaming = "ALTER TABLE team RENAME TO club;\nALTER TABLE club ADD COLUMN city TEXT NOT NULL;"
        #expect(Self.diagnostics([Self.tables, renaming]) == ["1.sql:2:1: error: \(message)"])
        let copying = """
            CREATE TABLE team_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO team_new SELECT * FROM team; DROP TABLE team;
            ALTER TABLE team_new RENAME TO team; ALTER TABLE team ADD COLUMN city TEXT NOT NULL;
            """
        #expect(Self.diagnostics([Self.tables, copying]) == ["1.sql:2:38: error: \(message)"])
    }

    @Test(
        arguments: [
            // Another column, or the values of rows.
            "ALTER TABLE team ADD COLUMN state TEXT DEFAULT 'none' CHECK (state <> 'none' OR name LIKE 'x%')",
            "ALTER TABLE team ADD COLUMN short TEXT NOT NULL AS (nullif(name, name))",
            "CREATE UNIQUE INDEX byName ON team (length(name)); ALTER TABLE team ADD COLUMN city TEXT NOT NULL DEFAULT ''",
            "UPDATE team SET name = json_extract(name, '$.x'); ALTER TABLE team ADD COLUMN city TEXT NOT NULL",
            // Functions of the program.
            "ALTER TABLE team ADD COLUMN slug TEXT NOT NULL AS (slugify(name))",
            "ALTER TABLE team ADD COLUMN slug TEXT DEFAULT 'x' CHECK (slugify(slug) IS NOT NULL)",
            "DELETE FROM team WHERE slugify(name) IS NULL; ALTER TABLE team ADD COLUMN city TEXT NOT NULL",
        ])
    func `Nothing is claimed where the values of rows or functions of the program decide`(_ sql: String) {
        #expect(Self.diagnostics([Self.tables, sql], settings: "function slugify 1 String?") == [])
    }

    @Test
    func `A trigger with a function of the program lets no row be made up`() {
        let trigger = "CREATE TRIGGER check_name BEFORE INSERT ON team BEGIN SELECT raise(ABORT, 'x') WHERE slugify(NEW.name) IS NULL; END;"
        let migrations = [Self.tables + trigger, "ALTER TABLE team ADD COLUMN city TEXT NOT NULL"]
        #expect(Self.diagnostics(migrations, settings: "function slugify 1 String?") == [])
        // The next statement may call it again.
        let seeded = [Self.tables + trigger, "ALTER TABLE player ADD COLUMN city TEXT; INSERT INTO team SELECT 1, slugify('x') WHERE 0;"]
        #expect(Self.diagnostics(seeded, settings: "function slugify 1 String?") == [])
    }

    // MARK: - Comparison

    @Test
    func `Literals of the schema are compared by their bytes, and names and quotes are not`() throws {
        let migration =
            "CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT DEFAULT 'new');"
            + "CREATE VIEW open AS SELECT id FROM job WHERE state = 'new';"
        func diagnostics(_ schema: String) -> [String] { Self.diagnostics([migration], schema: schema) }
        #expect(diagnostics(migration.replacing("TABLE job", with: "TABLE \"JOB\"").replacing("job WHERE", with: "Job  where")) == [])
        let table = diagnostics(migration.replacing("DEFAULT 'new'", with: "DEFAULT 'New'"))
        #expect(table.count == 1 && table[0].hasPrefix("schema.sql:1:1: error: the migrations make another table job."), "\(table)")
        let view = diagnostics(migration.replacing("state = 'new'", with: "state = 'NEW'"))
        #expect(view.count == 1 && view[0].hasPrefix("schema.sql:1:1: error: the migrations make another view open."), "\(view)")
        // To Swift, both are equal.
        let (one, other) = (migration.replacing("'new'", with: "'caf\u{E9}'"), migration.replacing("'new'", with: "'cafe\u{301}'"))
        #expect(one == other && Self.diagnostics([one], schema: other).count == 2)
    }

    @Test
    func `The schema of migrations has no table of the migrator`() throws {
        let folder = MigrationFolder([SourceText(Self.tables, file: "0.sql")], lock: nil)
        #expect(try !folder.schemaText(RecordSettings()).contains("grdb_migrations"))
    }

    // MARK: - Size

    @Test
    func `Many statements and strings get into the code, and the failing one of many is found`() {
        let rows = (0..<4000).map { "INSERT INTO team VALUES (\($0), 'team \($0)');" }
        #expect(Self.diagnostics([Self.tables, rows.joined(separator: "\n")]) == [])
        var wrong = rows
        wrong[2500] = "INSERT INTO player (name, teamId) VALUES ('Arthur', 5000);"
        let lines = Self.diagnostics([Self.tables, wrong.joined(separator: "\n")])
        #expect(lines.count == 1 && lines[0].hasPrefix("1.sql:2501:1: error: "), "\(lines)")
    }
}
