import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

@Suite struct MigrationFolderTests {
    private static let first = SourceText(
        "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);", file: "Migrations/0001-authors.sql")
    private static let second = SourceText(
        "ALTER TABLE author ADD COLUMN born INTEGER;\nCREATE INDEX byName ON author (name);", file: "Migrations/0002-born.sql")

    private func make(_ schema: String, _ folder: MigrationFolder) throws -> QuerySet {
        let file = SourceText("-- name: authors\nSELECT * FROM author", file: "Queries.sql")
        let script = SourceText(schema, file: "schema.sql")
        let set = try QuerySet([file], schema: script, settings: RecordSettings(), migrations: folder)
        GeneratedLiterals.check(set, [file], schema: script, migrations: folder)
        return set
    }

    private func message(_ body: () throws -> some Any) -> String {
        do { return "\(try body())" } catch { return "\(error)" }
    }

    @Test
    func `A folder that can't be read is an error, and a missing folder is none`() throws {
        let folder = try TemporaryFolder()
        try #expect(MigrationFolder(path: folder.path("Migrations")) == nil)
        try Data().write(to: folder.file("Migrations"))
        #expect(throws: (any Error).self) { try MigrationFolder(path: folder.path("Migrations")) }
    }

    @Test
    func `Migrations lead to a schema, and become a migrator`() throws {
        let folder = MigrationFolder([Self.first, Self.second], lock: nil)
        let schema = try folder.schemaText(RecordSettings())
        #expect(
            schema == """
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);

                CREATE INDEX byName ON author (name);

                """)
        let set = try make(schema, folder)
        #expect(
            set.outputs[0].code.contains(
                """
                    static var migrator: DatabaseMigrator {
                        var migrator = DatabaseMigrator()
                        migrator.registerMigration("0001-authors") { db in
                            try db.execute(
                                sql: \"""
                                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                                    \""")
                        }
                """), "\(set.outputs[0].code)")
        #expect(set.outputs[0].code.contains("try db.checkSchema(schema)"))
        #expect(
            message { try make("CREATE TABLE author (id INTEGER PRIMARY KEY);", folder) }
                .hasPrefix("schema.sql:1:1: error: the migrations make another table author. Write this file again"))
        #expect(message { try make(schema + "CREATE TABLE book (id);", folder) }.contains("the migrations don't make table book"))
    }

    @Test
    func `The triggers of views come after the views in the schema`() throws {
        let migration = SourceText(
            """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE VIEW names AS SELECT name FROM author;
            CREATE TRIGGER added INSTEAD OF INSERT ON NAMES BEGIN INSERT INTO author (name) VALUES (new.name); END;
            CREATE TRIGGER checked BEFORE INSERT ON author BEGIN SELECT 1; END;
            """, file: "Migrations/1.sql")
        let folder = MigrationFolder([migration], lock: nil)
        let schema = try folder.schemaText(RecordSettings())
        #expect(
            schema.split(separator: "\n\n").map { $0.prefix(14) } == [
                "CREATE TABLE a", "CREATE TRIGGER", "CREATE VIEW na", "CREATE TRIGGER",
            ])
        #expect(throws: Never.self) { try make(schema, folder) }
    }

    @Test
    func `Triggers of a synchronized full-text table are compared by its declaration`() throws {
        func table(_ version: Int, title: String = "name") -> String {
            """
            CREATE VIRTUAL TABLE "ft" USING fts5("name", content='__ft_content', content_rowid='rowid');
            CREATE VIEW "__ft_content" AS SELECT "id" AS "rowid", "\(title)" AS "name" FROM "author";
            CREATE TABLE "__ft_replaced" ("id" INTEGER PRIMARY KEY, "c0");
            CREATE TRIGGER "__ft_ai" AFTER INSERT ON "author" BEGIN SELECT \(version); END;
            CREATE TRIGGER "own" AFTER INSERT ON "author" BEGIN SELECT 0; END;
            """
        }
        let folder = MigrationFolder([Self.first, SourceText(table(1), file: "Migrations/0002-ft.sql")], lock: nil)
        let schema = try folder.schemaText(RecordSettings())
        #expect(schema.contains("__ft_content") && schema.contains("own"))
        #expect(!schema.contains("__ft_ai") && !schema.contains("__ft_replaced"))
        #expect(try make(Self.first.text + table(2), folder).count == 1)
        #expect(message { try make(Self.first.text + table(1, title: "id"), folder) }.contains("another view __ft_content"))
        let other = table(1).replacing("SELECT 0", with: "SELECT 3")
        #expect(message { try make(Self.first.text + other, folder) }.contains("another trigger own"))
    }

    @Test
    func `Comments before tables and views document their records`() throws {
        let files = [
            """
            /* The people who write books.
             * And their names. */
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL); -- not about book
            -- An index.
            CREATE INDEX byName ON author (name);
            CREATE TABLE book (id INTEGER PRIMARY KEY -- the key
            );
            -- Gone later.
            CREATE TABLE old (id INTEGER PRIMARY KEY);
            """,
            """
            DROP TABLE old;
            -- Names only.
            CREATE VIEW names AS SELECT name FROM author;
            DROP TABLE book;
            -- More books.
            CREATE TABLE book (id INTEGER PRIMARY KEY);
            """,
        ]
        let folder = MigrationFolder(files.enumerated().map { SourceText($1, file: "Migrations/\($0).sql") }, lock: nil)
        let schema = try folder.schemaText(RecordSettings())
        #expect(
            schema == """
                -- The people who write books.
                -- And their names.
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

                CREATE INDEX byName ON author (name);

                -- More books.
                CREATE TABLE book (id INTEGER PRIMARY KEY);

                -- Names only.
                CREATE VIEW names AS SELECT name FROM author;

                """)
        // The generator reads this file.
        let model = try SchemaScript(SourceText(schema, file: "schema.sql")).makeDatabase(RecordSettings()).writeWithoutTransaction { db in
            try SchemaModel(db, source: "schema.sql", script: schema)
        }
        #expect(
            model.tables.map { $0.comment.joined(separator: " ") } == [
                "The people who write books. And their names.", "More books.", "Names only.",
            ])
    }

    @Test
    func `A released migration must stay as it is`() throws {
        let lockText = MigrationFolder([Self.first, Self.second], lock: nil).lockText
        let lock = SourceText(lockText, file: "Migrations/migrations.lock")
        #expect(lockText.split(separator: "\n").map { $0.split(separator: " ")[0] } == ["0001-authors", "0002-born"])
        let schema = try MigrationFolder([Self.first, Self.second], lock: lock).schemaText(RecordSettings())
        #expect(try make(schema, MigrationFolder([Self.first, Self.second], lock: lock)).count == 1)
        let edited = SourceText(Self.second.text.replacing("INTEGER", with: "TEXT"), file: Self.second.file)
        let changed = MigrationFolder([Self.first, edited], lock: lock)
        #expect(message { try make(schema, changed) }.hasPrefix("Migrations/0002-born.sql:1:1: error: this migration has changed since"))
        // Its checksum stays, and new migrations are added.
        let third = SourceText("CREATE TABLE book (id);", file: "Migrations/0003-books.sql")
        let added = MigrationFolder([Self.first, edited, third], lock: lock).lockText
        #expect(added.hasPrefix(lockText) && added.contains("0003-books "))
        #expect(
            message { try make(schema, MigrationFolder([Self.first], lock: lock)) }
                .hasPrefix("Migrations/migrations.lock:2:1: error: the released migration 0002-born is missing"))
        // Ends of lines don't count.
        let windows = SourceText(Self.second.text.replacing("\n", with: "\r\n"), file: Self.second.file)
        #expect(MigrationFolder([Self.first, windows], lock: lock).changes.isEmpty)
    }

    @Test
    func `A mistake in a migration has its place`() throws {
        let wrong = SourceText("CREATE INDEX byName\nON author (nam);", file: "Migrations/0002-index.sql")
        let folder = MigrationFolder([Self.first, wrong], lock: nil)
        #expect(message { try folder.schemaText(RecordSettings()) }.hasPrefix("Migrations/0002-index.sql:"))
        #expect(
            message { try folder.schemaText(RecordSettings()) }.contains("no such column: nam")
                || message { try folder.schemaText(RecordSettings()) }.contains("has no column named nam"))
    }
}
