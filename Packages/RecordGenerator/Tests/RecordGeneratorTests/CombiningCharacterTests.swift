import Testing
import Migrations

@testable import RecordGenerator

/// Text that `Character`s would damage: a combining character and the quote before it are one of them.
@Suite struct CombiningCharacterTests {
    static let texts = [
        "हिन्दी", "❤️", "👍🏽", "שָׁלוֹם", "cafe\u{301}", "\u{301}", "\u{200D}x", "\u{FE0F}", "\u{0D4E}", "👩‍👩‍👧", "ক্ষ", "นี่", "e\u{301}\u{323}",
        "\r\n\u{301}",
        "\"\"\"\u{301}", "\"\u{301}\"\"\"\"", "\\\u{301}", "\\(\u{301})", "a\r\nb", "\u{200C}", "가", "ᄀ\u{1161}", "\u{1F1E9}\u{1F1EA}",
    ]

    private static let queries = "-- name: words\n-- Of \u{301}: cafe\u{301}.\n"

    /// A query, a schema and migrations that have a text wherever SQL may have text.
    private static func generate(_ text: String, isChecked: Bool = true) throws -> QuerySet {
        let literal = DatabaseValue(storage: .string(text)).sqlLiteral
        let name = text.quotedDatabaseIdentifier
        let comment = "\u{301}\(forLine(text))"
        let schema = "CREATE TABLE word (id INTEGER PRIMARY KEY, \(name) TEXT DEFAULT \(literal), \"\"\"\u{301}\" --\(comment)\n);"
        let migration = SourceText(
            "\(schema)\n/*\(comment)*/ INSERT INTO word (\(name)) VALUES (\(literal)), ('\"\"\"\u{301}');",
            file: "Migrations/0001-\(forLine(text)).sql")
        let folder = MigrationFolder([migration], lock: nil)
        let file = SourceText(
            queries + "SELECT \(literal) AS \(name), '\u{301}' AS \"\u{301}\" FROM word "
                + "WHERE \(name) = \(literal) OR \(name) IN (:ids) AND 1",
            file: "Queries.sql")
        let script = SourceText(schema, file: "schema.sql")
        let set = try QuerySet([file], schema: script, settings: RecordSettings(), migrations: folder)
        GeneratedLiterals.check(set, [file], schema: script, migrations: folder)
        return set
    }

    private static func forLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !"\r\n*/".unicodeScalars.contains($0) }))
    }

    @Test(arguments: texts)
    func `Text of SQL gets into the code byte for byte`(_ text: String) throws {
        _ = try Self.generate(text)
    }

    @Test
    func `Random text gets into the code byte for byte`() throws {
        var random = QueryRandom(seed: 7)
        let pieces = ["\"", "'", "\\", " ", "x", "\u{301}", "\u{93F}", "\u{1F3FD}", "\r\n", "\n", "\t", "\"\"\""] + Self.texts
        for _ in 0..<60 {
            let text = (0..<random.below(6)).map { _ in random.pick(pieces) }.joined()
            // A name must not be empty, nor end a comment.
            _ = try Self.generate("x" + text)
        }
    }

    @Test
    func `Comments, enums, parameters and settings have their combining characters`() throws {
        let schema = """
            CREATE TABLE word ( --\u{301}about words
                id INTEGER PRIMARY KEY, "\u{301}x" TEXT NOT NULL CHECK ("\u{301}x" IN ('\u{301}a', 'b')), other TEXT
            );
            """
        let model = try SchemaScript(SourceText(schema, file: "schema.sql")).makeDatabase(RecordSettings()).writeWithoutTransaction { db in
            try SchemaModel(db, source: "schema.sql", script: schema)
        }
        #expect(model.tables[0].comment.first?.unicodeScalars.first == "\u{301}")
        let settings = try RecordSettings("column word.\"\u{301}x\" String\ncolumn \"word\".\"other\" Text", file: "schema.records")
        try settings.check(model)
        let code = try RecordGenerator(model, settings: RecordSettings()).code
        #expect(code.unicodeScalars.contains("\u{301}") && code.contains("enum X: String"), "\(code)")
        let query = try QuerySample.code("-- name: words\nSELECT id FROM word WHERE other = :\u{301}x", schema: schema)
        #expect(query.utf8.contains("\u{301}x\": ".utf8), "\(query)")
    }

    // MARK: - Databases that damaged code has migrated

    /// A string as earlier versions wrote it into code.
    private static func damaged(_ text: String) -> String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : String("\"\($0)\"".dropFirst().dropLast()) }.joined()
    }

    private static let first = """
        CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'cafe\u{301}');
        CREATE TABLE "हिन्दी" (id INTEGER PRIMARY KEY, "नि" TEXT);
        CREATE VIEW hearts AS SELECT '❤️' AS heart;
        INSERT INTO word (text) VALUES ('שָׁלוֹם'), ('plain');
        INSERT INTO "हिन्दी" VALUES (1, 'नि');
        """

    /// The repair that CHANGELOG.md shows.
    private static let repair = """
        UPDATE word SET text = 'שָׁלוֹם' WHERE text = 'שלום';
        CREATE TABLE word_new (id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'cafe\u{301}');
        INSERT INTO word_new SELECT * FROM word;
        DROP TABLE word;
        ALTER TABLE word_new RENAME TO word;
        CREATE TABLE IF NOT EXISTS "हनद" (id INTEGER PRIMARY KEY, "न" TEXT);
        CREATE TABLE IF NOT EXISTS "हिन्दी" (id INTEGER PRIMARY KEY, "नि" TEXT);
        INSERT INTO "हिन्दी" SELECT * FROM "हनद";
        DROP TABLE "हनद";
        UPDATE "हिन्दी" SET "नि" = 'नि' WHERE "नि" = 'न';
        DROP VIEW IF EXISTS hearts;
        CREATE VIEW hearts AS SELECT '❤️' AS heart;
        """

    private static func migrator(_ migrations: [String]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, sql) in migrations.enumerated() { migrator.registerMigration("\(index)") { try $0.execute(sql: sql) } }
        return migrator
    }

    @Test
    func `The check names definitions that lost combining characters, and a migration repairs them`() throws {
        #expect(Self.damaged("हिन्दी ❤️ 👍🏽 שָׁלוֹם cafe\u{301}") == "हनद ❤ 👍 שלום cafe")
        let folder = MigrationFolder([SourceText(Self.first, file: "0.sql"), SourceText(Self.repair, file: "1.sql")], lock: nil)
        let schema = try folder.schemaText(RecordSettings())
        let queue = try DatabaseQueue()
        try Self.migrator([Self.damaged(Self.first)]).migrate(queue)
        let error = #expect(throws: DatabaseError.self) { try queue.read { try $0.checkSchema(schema) } }
        let advice = try #require(error?.advice)
        #expect(advice.contains("has lost combining characters in table word, table हिन्दी, view hearts."), "\(advice)")
        // Other differences have none.
        let other = #expect(throws: DatabaseError.self) { try DatabaseQueue().read { try $0.checkSchema(schema) } }
        #expect(other?.advice == nil && other?.message?.hasPrefix("migrate the database first: it lacks the table") == true)

        let repaired = Self.migrator([Self.first, Self.repair])
        let new = try DatabaseQueue()
        for queue in [queue, new] {
            try repaired.migrate(queue)
            try queue.read { db in
                try db.checkSchema(schema)
                let statement = try db.makeStatement(sql: "SELECT group_concat(text, ' ') FROM word UNION ALL SELECT \"नि\" FROM \"हिन्दी\"")
                for text in ["שָׁלוֹם plain", "नि"] {
                    #expect(try statement.step() && statement.string(at: 0)!.utf8.elementsEqual(text.utf8))
                }
            }
        }
    }
}
