import Testing
import Migrations

@testable import RecordGenerator

/// `-- @index note_ft ON note (title, body)` and `-- @drop-index note_ft` between the statements of a migration.
@Suite struct MigrationIndexTests {
    private static let schema = """
        CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, slug TEXT);
        INSERT INTO note (id, title, body) VALUES (7, 'Seven samurai', 'A film'), (9, 'Nine', 'lives');
        """

    private static let index = """
        -- Search.
        -- @index note_ft ON note (title, body UNINDEXED, tokenize = 'porter unicode61', prefix='2 3')
        INSERT INTO note (id, title) VALUES (11, 'Swimming');
        """

    private func folder(_ scripts: [String], lock: String? = nil) -> MigrationFolder {
        let files = scripts.enumerated().map { SourceText($1, file: "Migrations/\($0 + 1).sql") }
        return MigrationFolder(files, lock: lock.map { SourceText($0, file: "Migrations/migrations.lock") })
    }

    /// The database after some migrations, without warnings.
    private func migrated(_ scripts: [String]) throws -> DatabaseQueue {
        let folder = folder(scripts)
        #expect(folder.changes == [])
        let (queue, warnings) = try MigrationRehearsal(folder, RecordSettings()).run()
        #expect(warnings == [])
        return queue
    }

    /// The errors and warnings of the last migration.
    private func diagnostics(_ scripts: [String]) -> [String] {
        let folder = folder(scripts)
        do {
            let changes = try QueryErrors.check(folder.changes)
            return try (changes + MigrationRehearsal(folder, RecordSettings()).run().warnings).map { String("\($0)".prefix { $0 != "\n" }) }
        } catch {
            return (error as? QueryErrors)?.diagnostics.map { String("\($0)".prefix { $0 != "\n" }) } ?? ["\(error)"]
        }
    }

    private func rows(_ queue: DatabaseQueue, _ sql: String) throws -> [String] {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: sql)
            var rows: [String] = []
            while try statement.step() { rows.append(statement.string(at: 0) ?? statement.int64(at: 0).map { "\($0)" } ?? "NULL") }
            return rows
        }
    }

    // MARK: - The index

    @Test
    func `An index has the rows that the table had, and follows it`() throws {
        let queue = try migrated([Self.schema, Self.index])
        func matches(_ pattern: String) throws -> [String] { try rows(queue, "SELECT rowid FROM note_ft WHERE note_ft MATCH '\(pattern)'") }
        #expect(try matches("samurai") == ["7"])
        #expect(try matches("swim") == ["11"])
        #expect(try matches("ni*") == ["9"])
        #expect(try matches("film") == [])
        try queue.write { try $0.execute(sql: "REPLACE INTO note (id, title) VALUES (7, 'Eight'); DELETE FROM note WHERE id = 9") }
        #expect(try rows(queue, "SELECT group_concat(rowid) FROM note_ft('seven OR eight OR nine')") == ["7"])
        #expect(try matches("samurai") == [])
    }

    @Test
    func `schema sql has the index as its declaration, and not its triggers`() throws {
        let folder = folder([Self.schema, Self.index])
        let text = try folder.schemaText(RecordSettings())
        #expect(
            text == """
                CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, slug TEXT);

                CREATE VIRTUAL TABLE "note_ft" USING fts5(title, body UNINDEXED, tokenize = 'porter unicode61', prefix='2 3', \
                content='__note_ft_content', content_rowid='rowid');

                CREATE VIEW "__note_ft_content" AS SELECT "rowid" AS "rowid", "title" AS "title", "body" AS "body" FROM "note";

                """)
        let script = SourceText(text, file: "schema.sql")
        #expect(try folder.differences(from: script, RecordSettings()) == [])
        // The declaration counts, and a file of an earlier version, which has the triggers, is the same.
        let queue = try MigrationRehearsal(folder, RecordSettings()).run().queue
        let triggers = try rows(queue, "SELECT sql FROM sqlite_master WHERE type = 'trigger' OR name = '__note_ft_replaced'")
        #expect(triggers.count == 7)
        let whole = SourceText(text + triggers.map { "\($0);\n" }.joined(), file: "schema.sql")
        #expect(try folder.differences(from: whole, RecordSettings()) == [])
        let other = SourceText(text.replacing("porter unicode61", with: "porter"), file: "schema.sql")
        #expect(try folder.differences(from: other, RecordSettings()).map(\.message).first?.contains("another table note_ft") == true)
    }

    @Test
    func `The program makes the index between the statements around the line, and queries and records know it`() throws {
        let lines = "-- @drop-index note_ft\n-- @index \"my \"\"ft\" ON note (title)"
        let folder = folder([Self.schema, "UPDATE note SET body = '';\n\(Self.index)\n\(lines)"])
        #expect(folder.changes == [])
        let script = SourceText(try folder.schemaText(RecordSettings()), file: "schema.sql")
        let query = SourceText(
            """
            -- name: search
            SELECT note.* FROM "my ""ft" AS ft JOIN note ON note.id = ft.rowid WHERE ft.title MATCH :pattern ORDER BY ft.rank;
            """,
            file: "Queries.sql")
        let set = try QuerySet([query], schema: script, settings: RecordSettings(), migrations: folder)
        #expect(set.warnings == [])
        let code = set.outputs.map(\.code).joined()
        #expect(
            code.contains(
                """
                        migrator.registerMigration("2") { db in
                            try db.execute(
                                sql: \"""
                                    UPDATE note SET body = '';
                                    -- Search.
                                    -- @index note_ft ON note (title, body UNINDEXED, tokenize = 'porter unicode61', prefix='2 3')
                                    \""")
                            try db.create(
                                fullTextIndex: "note_ft", on: "note", definition: "(title, body UNINDEXED, tokenize = 'porter unicode61', prefix='2 3')")
                            try db.execute(
                                sql: \"""
                                    INSERT INTO note (id, title) VALUES (11, 'Swimming');
                                    -- @drop-index note_ft
                                    \""")
                            try db.drop(fullTextIndex: "note_ft")
                            try db.create(fullTextIndex: "my \\"ft", on: "note", definition: "(title)")
                        }
                """), "\(code)")
        #expect(code.contains("static func search(pattern: String)"), "\(code)")
        let model = try SchemaScript(script).makeDatabase(RecordSettings()).writeWithoutTransaction { db in
            try SchemaModel(db, source: "schema.sql")
        }
        #expect(model.tables.map(\.name) == ["my \"ft", "note"])
    }

    @Test
    func `A file may have nothing but the line of an index`() throws {
        let queue = try migrated([Self.schema, "-- @index note_ft ON note (title)"])
        #expect(try rows(queue, "SELECT rowid FROM note_ft('nine')") == ["9"])
    }

    @Test
    func `Names are quoted, and differ by their bytes`() throws {
        // "é" in one scalar, and in two.
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let queue = try migrated([
            """
            CREATE TABLE "my note" ("rowid" TEXT, "\(one)" TEXT, "\(two)" TEXT, "select" TEXT);
            INSERT INTO "my note" VALUES ('r', 'first', 'second', 'third');
            -- @index "\(one) ft" ON "my note" ("\(one)", "select")
            -- @index [\(two) ft] ON [my note] ("\(two)")
            """
        ])
        #expect(try rows(queue, "SELECT group_concat(rowid) FROM \"\(one) ft\"('first third')") == ["1"])
        #expect(try rows(queue, "SELECT count(*) FROM \"\(two) ft\"('first')") == ["0"])
        #expect(try rows(queue, "SELECT count(*) FROM \"\(two) ft\"('second')") == ["1"])
    }

    @Test
    func `A table has several indexes`() throws {
        let lines = "-- @index first ON note (title)\n-- @index second ON NOTE (Title, body, tokenize = trigram)"
        let queue = try migrated([Self.schema, "\(lines)\n\(Self.index)"])
        for (index, pattern) in [("first", "swimming"), ("second", "imm"), ("note_ft", "swims")] {
            #expect(try rows(queue, "SELECT rowid FROM \(index)('\(pattern)')") == ["11"], "\(index)")
        }
    }

    @Test
    func `The migrations of the program are verified with the schema of the build, also when the database is erased`() throws {
        let index = "(title, body UNINDEXED, tokenize = 'porter unicode61', prefix='2 3')"
        var migrator = DatabaseMigrator()
        migrator.eraseDatabaseOnSchemaChange = true
        migrator.registerMigration("1") { try $0.execute(sql: Self.schema) }
        migrator.registerMigration("2") { try $0.create(fullTextIndex: "note_ft", on: "note", definition: index) }
        let schema = try folder([Self.schema, Self.index]).schemaText(RecordSettings())
        let verification = try migrator.verify(schema: schema)
        #expect(verification.isValid, "\(verification)")
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        try queue.read { db throws in
            try #expect(!migrator.hasSchemaChanges(db))
            #expect(throws: Never.self) { try db.checkSchema(schema) }
            #expect(throws: (any Error).self) { try db.checkSchema(schema.replacing("porter unicode61", with: "ascii")) }
        }
    }

    // MARK: - Later migrations

    @Test
    func `A later line replaces the index, or drops it`() throws {
        let replaced = try migrated([
            Self.schema, Self.index, "-- @index Note_FT ON note (body)\nUPDATE note SET body = 'new' WHERE id = 9;",
        ])
        #expect(try rows(replaced, "SELECT rowid FROM note_ft('new')") == ["9"])
        #expect(try rows(replaced, "SELECT group_concat(name) FROM pragma_table_info('note_ft')") == ["body"])
        let dropped = try migrated([Self.schema, Self.index, "-- @drop-index note_ft\nUPDATE note SET body = 'new' WHERE id = 9;"])
        #expect(
            try rows(dropped, "SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'grdb%'") == ["note"])
        // The table can then be dropped, too.
        _ = try migrated([Self.schema, Self.index, "-- @drop-index note_ft\nDROP TABLE note;"])
        #expect(
            diagnostics([Self.schema, Self.index, "DROP TABLE note;"]).first?.contains("__note_ft_content") == true)
    }

    @Test
    func `A table that is rebuilt keeps its index, whose triggers know the new unique keys`() throws {
        let definition = "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, slug TEXT UNIQUE ON CONFLICT REPLACE);"
        let queue = try migrated([Self.schema, Self.index, "-- @rebuild note\n\(definition)"])
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO note (id, title, slug) VALUES (20, 'Twenty', 's');
                    INSERT INTO note (id, title, slug) VALUES (21, 'Replacement', 's');
                    """)
        }
        #expect(try rows(queue, "SELECT count(*) FROM note_ft('twenty')") == ["0"])
        #expect(try rows(queue, "SELECT rowid FROM note_ft('replacement')") == ["21"])
    }

    @Test
    func `A rebuild by hand that loses the index is reported, and the line makes it again`() throws {
        let rebuild = """
            PRAGMA legacy_alter_table = ON;
            CREATE TABLE note2 (id INTEGER PRIMARY KEY, title TEXT, body TEXT, slug TEXT);
            INSERT INTO note2 SELECT * FROM note;
            DROP TABLE note;
            ALTER TABLE note2 RENAME TO note;
            PRAGMA legacy_alter_table = OFF;

            """
        #expect(
            diagnostics([Self.schema, Self.index, rebuild]) == [
                "Migrations/3.sql:4:1: warning: the full-text index note_ft of note goes with this, and is not made again: make it again, "
                    + "or write a line -- @drops note_ft"
            ])
        #expect(diagnostics([Self.schema, Self.index, rebuild + "-- @index note_ft ON note (title)"]) == [])
        #expect(diagnostics([Self.schema, Self.index, rebuild + "-- @drop-index note_ft"]) == [])
    }

    // MARK: - Mistakes

    private static let form = "@index needs a name, a table, and columns in parentheses: -- @index note_ft ON note (title, body)"

    @Test(arguments: [
        ("-- @index", "1:1: error: \(form)"),
        ("-- @index note_ft ON note", "1:1: error: \(form)"),
        ("-- @index note_ft ON note ()", "1:1: error: \(form)"),
        ("-- @index note_ft (title)", "1:1: error: \(form)"),
        ("-- @index note_ft ON note (title) WHERE 1", "1:1: error: \(form)"),
        ("-- @index main.note_ft ON note (title)", "1:1: error: \(form)"),
        ("-- @drop-index", "1:1: error: @drop-index needs the name of a full-text index: -- @drop-index note_ft"),
        ("-- @indx a ON b (c)", "1:1: error: @indx is not known. Did you mean @index?"),
        ("SELECT 1\n-- @index note_ft ON note (title)\n;", "2:1: error: @index belongs between statements"),
        ("CREATE TABLE x (\n-- @drop-index note_ft\na);", "2:1: error: @drop-index belongs between statements"),
        (
            "-- @index x_ft ON x (a)\nCREATE TABLE x (a);",
            "1:1: error: @index x_ft belongs below CREATE TABLE x (…)"
        ),
        ("-- @index note_ft ON note (titel)", "1:1: error: can't synchronize note_ft with note: it has no column titel"),
        (
            "-- @index note_ft ON nothing (title)",
            "1:1: error: no such table: nothing. Check the spelling, and that the schema was created in this database file."
        ),
        (
            "-- @index note_ft ON note (title, content = 'x')",
            "1:1: error: the full-text index note_ft can't have the option content: its content is note"
        ),
        ("-- @index note_ft ON note (title, tokenize = 'nothing')", "1:1: error: no such tokenizer: nothing"),
        ("-- @index note ON note (title)", "1:1: error: table \"note\" already exists"),
        (
            "CREATE TABLE x (a); -- @index\n-- @index x_ft ON x (a)\n-- @index x_ft ON note (title)",
            "3:1: error: table \"x_ft\" already exists"
        ),
        (
            "CREATE VIEW v AS SELECT title FROM note;\n-- @index v_ft ON v (title)",
            "2:1: error: can't synchronize v_ft with v: it is a view, and only tables have triggers for all their changes"
        ),
        (
            "CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID;\n-- @index w_ft ON w (a)",
            "2:1: error: can't synchronize w_ft with w: it is a WITHOUT ROWID table, and the index refers to rows by their row IDs"
        ),
        (
            "CREATE TEMP TABLE t (a);\n-- @index t_ft ON t (a)",
            "2:1: error: no such table: t. Check the spelling, and that the schema was created in this database file."
        ),
        ("-- @drop-index note", "1:1: error: there is no full-text index note of a table"),
    ])
    func `What can't be an index is an error with its place`(_ sql: String, _ message: String) {
        #expect(diagnostics([Self.schema, sql]) == ["Migrations/2.sql:\(message)"])
    }

    // MARK: - The lock

    @Test
    func `The lock says that the lines are no comments, and lines of earlier files stay comments`() throws {
        let lock = folder([Self.schema, Self.index]).lockText
        #expect(lock.split(separator: "\n").map { $0.split(separator: " ")[0] } == ["1", "@format", "2"])
        let released = folder([Self.schema, Self.index], lock: lock)
        #expect(released.changes == [] && released.migrations[1].actions.count == 1)
        let old = lock.split(separator: "\n").filter { !$0.hasPrefix("@") }.joined(separator: "\n")
        let comment = folder([Self.schema, Self.index], lock: old)
        #expect(comment.changes == [])
        #expect(try !comment.schemaText(RecordSettings()).contains("note_ft"))
    }
}
