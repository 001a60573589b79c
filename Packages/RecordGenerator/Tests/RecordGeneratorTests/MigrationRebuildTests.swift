import Testing
import Migrations

@testable import RecordGenerator

/// `-- @rebuild note` above a CREATE TABLE.
@Suite struct MigrationRebuildTests {
    private static let schema = SourceText(
        """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, rank INTEGER, teamId INTEGER REFERENCES team);
        CREATE TABLE tag (noteId INTEGER REFERENCES note ON DELETE CASCADE, name TEXT);
        CREATE TABLE change (noteId INTEGER);
        CREATE INDEX byTitle ON note (title);
        CREATE TRIGGER synced AFTER UPDATE ON note BEGIN INSERT INTO change VALUES (new.id); END;
        CREATE VIEW titles AS SELECT title FROM note;
        INSERT INTO note (id, title, rank) VALUES (7, 'Seven', 1), (9, NULL, 2);
        INSERT INTO tag VALUES (7, 'prime');
        """, file: "Migrations/1.sql")

    private static let rebuild = SourceText(
        """
        UPDATE note SET title = '' WHERE title IS NULL;
        -- Notes.
        -- @rebuild note
        -- @drops note.rank
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (length(title) < 100), teamId INTEGER REFERENCES team, place TEXT DEFAULT 'home'
        ) STRICT;
        UPDATE note SET title = 'Nine' WHERE id = 9;
        """, file: "Migrations/2.sql")

    private func folder(_ files: [SourceText], lock: String? = nil) -> MigrationFolder {
        MigrationFolder(files, lock: lock.map { SourceText($0, file: "Migrations/migrations.lock") })
    }

    /// The errors of a second migration.
    private func errors(_ sql: String) -> [String] {
        let folder = self.folder([Self.schema, SourceText(sql, file: "Migrations/2.sql")])
        do {
            _ = try QueryErrors.check(folder.changes)
            _ = try folder.schemaText(RecordSettings())
            return []
        } catch {
            return (error as? QueryErrors)?.diagnostics.map { String("\($0)".prefix { $0 != "\n" }) } ?? ["\(error)"]
        }
    }

    @Test
    func `A table gets another definition, and keeps its rows, indexes, triggers, views and references`() throws {
        let folder = self.folder([Self.schema, Self.rebuild])
        #expect(folder.changes.isEmpty)
        let (queue, warnings) = try MigrationRehearsal(folder, RecordSettings()).run()
        #expect(warnings == [])
        try queue.writeWithoutTransaction { db in
            func text(_ sql: String) throws -> String? {
                let statement = try db.makeStatement(sql: sql)
                return try statement.step() ? statement.string(at: 0) : nil
            }
            let names = try text("SELECT group_concat(name) FROM sqlite_master WHERE sql IS NOT NULL") ?? ""
            let expected = ["byTitle", "change", "grdb_migrations", "note", "synced", "tag", "team", "titles"]
            #expect(names.split(separator: ",").map(String.init).sorted() == expected)
            #expect(try text("SELECT group_concat(id || title || place) FROM note") == "7Sevenhome,9Ninehome")
            // Also the statement after the rebuild fired the trigger, and no row of another table went.
            #expect(try text("SELECT group_concat(noteId) FROM change") == "9,9")
            #expect(try text("SELECT group_concat(name) FROM tag") == "prime")
            #expect(try text("SELECT sql FROM sqlite_master WHERE name = 'tag'")?.contains("REFERENCES note ON") == true)
        }
        let schema = try folder.schemaText(RecordSettings())
        #expect(schema.contains("-- Notes.\nCREATE TABLE \"note\" (") && !schema.contains("@") && !schema.contains("rank"), "\(schema)")
    }

    @Test
    func `The program rebuilds the table between the statements around it`() throws {
        let folder = self.folder([Self.schema, Self.rebuild])
        let script = SourceText(try folder.schemaText(RecordSettings()), file: "schema.sql")
        let set = try QuerySet([], schema: script, settings: RecordSettings(), migrations: folder)
        #expect(set.warnings == [])
        #expect(
            set.outputs[0].code.contains(
                """
                        migrator.registerMigration("2") { db in
                            try db.execute(
                                sql: \"""
                                    UPDATE note SET title = '' WHERE title IS NULL;
                                    -- Notes.
                                    -- @rebuild note
                                    -- @drops note.rank
                                    \""")
                            var plan = TableRebuildPlan(
                                definition: \"""
                                    (
                                        id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (length(title) < 100), teamId INTEGER REFERENCES team, place TEXT DEFAULT 'home'
                                    ) STRICT
                                    \""")
                            plan.droppedColumns = ["rank"]
                            try db.rebuild(table: "note", in: "main", with: plan)
                            try db.execute(
                                sql: \"""
                                    UPDATE note SET title = 'Nine' WHERE id = 9;
                                    \""")
                        }
                """), "\(set.outputs[0].code)")
    }

    @Test
    func `Several tables of a file are rebuilt, and a file may have nothing else`() throws {
        let sql = """
            -- @rebuild team
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
            -- @rebuild "tag"
            CREATE TABLE main.tag (noteId INTEGER REFERENCES note ON DELETE CASCADE, name TEXT NOT NULL)
            """
        let folder = self.folder([Self.schema, SourceText(sql, file: "Migrations/2.sql")])
        let script = SourceText(try folder.schemaText(RecordSettings()), file: "schema.sql")
        let code = try QuerySet([], schema: script, settings: RecordSettings(), migrations: folder).outputs[0].code
        #expect(
            code.contains("let plan1 = ") && code.contains("let plan2 = ") && code.contains("table: \"tag\", in: \"main\", with: plan2)"))
        #expect(code.components(separatedBy: "db.execute(").count == 2, "\(code)")
    }

    @Test(arguments: [
        (
            "-- @rebuild note\nCREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, teamId INTEGER)",
            "2:1: error: can't rebuild note: the new definition lacks the column rank, whose values would be lost. "
                + "Drop or rename them in the rebuild."
        ),
        (
            "-- @rebuild nothing\nCREATE TABLE nothing (id INTEGER PRIMARY KEY)",
            "2:1: error: no such table: main.nothing. Check the spelling, and that the schema was created in this database file."
        ),
        ("-- @rebuild\nCREATE TABLE x (a)", "1:1: error: @rebuild needs the name of a table: -- @rebuild note"),
        ("-- @rebuild a b\nCREATE TABLE x (a)", "1:1: error: @rebuild needs the name of a table: -- @rebuild note"),
        ("-- @rebuild note\nCREATE TABLE other (a)", "1:1: error: @rebuild note belongs above CREATE TABLE note (…)"),
        ("-- @rebuild note\nCREATE TABLE note AS SELECT 1", "1:1: error: @rebuild note belongs above CREATE TABLE note (…)"),
        ("CREATE TABLE x (a);\n-- @rebuild note", "2:1: error: @rebuild note belongs above CREATE TABLE note (…)"),
        ("CREATE TABLE note (\n-- @rebuild note\na)", "2:1: error: @rebuild note belongs above CREATE TABLE note (…)"),
        (
            "CREATE TABLE x (\n-- @rebuild note\na);\nCREATE TABLE note (id INTEGER PRIMARY KEY)",
            "2:1: error: @rebuild note belongs above CREATE TABLE note (…)"
        ),
    ])
    func `What can't be rebuilt is an error with its place`(_ sql: String, _ message: String) {
        #expect(errors(sql) == ["Migrations/2.sql:\(message)"])
    }

    // MARK: - The lock

    @Test
    func `The lock says from where on lines are directives, so that older versions don't take them for comments`() throws {
        let third = SourceText("CREATE TABLE x (a);", file: "Migrations/3.sql")
        let lock = folder([Self.schema, Self.rebuild, third]).lockText
        let words = lock.split(separator: "\n").map { $0.split(separator: " ")[0] }
        #expect(words == ["1", "@format", "2", "3"] && lock.contains("@format 2\n"))
        let released = folder([Self.schema, Self.rebuild, third], lock: lock)
        #expect(released.changes.isEmpty && released.lockText == lock && released.migrations.map(\.actions.count) == [0, 1, 0])
        #expect(throws: Never.self) { try released.schemaText(RecordSettings()) }
        // It is written once, and not without need.
        let fourth = SourceText(Self.rebuild.text.replacing("rank", with: "place"), file: "Migrations/4.sql")
        #expect(folder([Self.schema, Self.rebuild, third, fourth], lock: lock).lockText.components(separatedBy: "@format").count == 2)
        #expect(!folder([Self.schema, third]).lockText.contains("@"))
        let newer = folder([Self.schema], lock: "@format 3\n" + folder([Self.schema]).lockText)
        #expect(newer.changes.map(\.message) == ["a newer version of Strata has written this file: use that version"])
    }

    @Test
    func `A line of a file that an earlier version has released stays a comment`() throws {
        let comment = SourceText("-- @rebuild x\nCREATE TABLE x (a);", file: "Migrations/2.sql")
        let lock = [Self.schema, comment].map { self.folder([$0]).lockText.split(separator: "\n").filter { !$0.hasPrefix("@") }.joined() }
        let folder = self.folder([Self.schema, comment], lock: lock.joined(separator: "\n"))
        #expect(folder.changes.isEmpty && folder.migrations.map(\.isReleased) == [true, true])
        let schema = try folder.schemaText(RecordSettings())
        #expect(schema.contains("CREATE TABLE x (a);"))
    }
}
