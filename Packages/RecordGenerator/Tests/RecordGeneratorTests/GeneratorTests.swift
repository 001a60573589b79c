import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// The code for a script, as the command makes it.
func code(for script: String, rows: String = "", readsValues: Bool = true, settings: String = "") throws -> String {
    let queue = try DatabaseQueue()
    return try queue.writeWithoutTransaction { db in
        try db.execute(sql: script + rows)
        let model = try SchemaModel(db, source: "schema.sql", readsValues: readsValues, script: script)
        return try RecordGenerator(model, settings: RecordSettings(settings, file: "schema.records")).code
    }
}

@Suite struct GeneratorTests {
    /// The type of a column `x`.
    private func type(_ declared: String, _ values: String..., strict: Bool = false) throws -> String {
        let rows = values.map { "INSERT INTO t VALUES (\($0));" }.joined()
        let text = try code(for: "CREATE TABLE t (x \(declared) NOT NULL)\(strict ? " STRICT" : "");", rows: rows)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("    var x: ") })
        return String(line.dropFirst(11))
    }

    // MARK: - Tables

    @Test
    func `The tables that are asked for have records, also those that are left out otherwise`() throws {
        let queue = try DatabaseQueue()
        let schema = """
            CREATE TABLE text (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE other (a);
            CREATE VIRTUAL TABLE text_ft USING fts5(body, content='__text_ft_content', content_rowid='id');
            CREATE VIEW __text_ft_content AS SELECT id, body FROM text; CREATE TABLE __text_ft_replaced (id);
            CREATE TABLE __other_content (a); CREATE TABLE grdb_migrations (identifier TEXT);
            """
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: schema)
            func names(_ asked: [String]? = nil) throws -> [String] { try SchemaModel(db, source: "", only: asked).tables.map(\.name) }
            #expect(try names() == ["__other_content", "other", "text", "text_ft"])
            #expect(try names(["TEXT", "__text_ft_content", "missing"]) == ["__text_ft_content", "text"])
            #expect(try names(["text_ft_data", "grdb_migrations"]) == ["grdb_migrations", "text_ft_data"])
        }
    }

    @Test
    func `The conditions of CHECK constraints are found with their names`() {
        let sql = """
            CREATE TABLE "check" (a INTEGER CHECK (a > (1 + 2)), b CONSTRAINT "is short" CHECK(length(b) < 10) CHECK ( b <> 'CHECK (x)' ),
                c DEFAULT (1), -- CHECK (c)
                CONSTRAINT either CHECK (
                    a IS NULL
                    OR b IS NULL))
            """
        let checks = CommentedSQL.checks(sql)
        #expect(checks.map(\.condition) == ["a > (1 + 2)", "length(b) < 10", "b <> 'CHECK (x)'", "a IS NULL OR b IS NULL"])
        #expect(checks.map(\.name) == [nil, "is short", nil, "either"])
        for other in ["CREATE TABLE t AS SELECT 1", "CREATE VIEW v AS SELECT (1)", "CREATE VIRTUAL TABLE f USING fts5(check)", ""] {
            #expect(CommentedSQL.checks(other).isEmpty)
        }
    }

    // MARK: - Types

    @Test(arguments: [
        ("INTEGER", "Int64"), ("UNSIGNED BIG INT", "Int64"), ("BOOLEAN", "Bool"), ("bool", "Bool"), ("VARCHAR(40)", "String"),
        ("text", "String"), ("CLOB", "String"), ("DATE", "String"), ("TIME", "String"), ("DATETIME", "Date"), ("timestamp", "Date"),
        ("REAL", "Double"), ("double precision", "Double"), ("FLOAT", "Double"), ("NUMERIC(10, 2)", "Double"), ("DECIMAL", "Double"),
        ("BLOB", "Data"), ("JSON", "String"), ("JSONB", "Data"), ("", "DatabaseValue"), ("ANY", "DatabaseValue"),
        ("GEOMETRY", "DatabaseValue"), ("UUID", "UUID"), ("guid", "UUID"),
    ])
    func `The declared type decides where no values are stored`(_ declared: String, _ swift: String) throws {
        #expect(try type(declared) == swift)
    }

    @Test
    func `Stored values decide where the declared type does not read them, or would change them`() throws {
        #expect(try type("INTEGER", "1", "2") == "Int64")
        #expect(try type("INTEGER", "'a'") == "String")
        #expect(try type("INTEGER", "1", "'a'") == "DatabaseValue")
        #expect(try type("INTEGER", "1", "1.5") == "DatabaseValue")
        #expect(try type("TEXT", "x'00'") == "Data")
        #expect(try type("BOOLEAN", "0", "1") == "Bool")
        #expect(try type("BOOLEAN", "0", "2") == "Int64")
        #expect(try type("NUMERIC", "1", "1.5") == "Double")
        // Double has not each integer above 2⁵³.
        #expect(try type("NUMERIC", "9007199254740993") == "Int64")
        #expect(try type("NUMERIC", "9007199254740993", "1.5") == "DatabaseValue")
        #expect(try type("", "1.5") == "Double")
        #expect(try type("ANY", "1", "'1'", strict: true) == "DatabaseValue")
    }

    @Test
    func `A DATETIME is a Date only if each value is written again as the same bytes`() throws {
        #expect(try type("DATETIME", "'2024-02-29 12:30:00.000'", "'1969-07-20 20:17:40.125'") == "Date")
        #expect(try type("DATETIME", "'2024-02-29 12:30:00.000'", "'2024-02-29 12:30:00'") == "String")
        #expect(try type("DATETIME", "'2024-02-29T12:30:00.000'") == "String")
        #expect(try type("DATETIME", "'2024-02-30 12:30:00.000'") == "String")
        #expect(try type("DATETIME", "'2024-02-29'") == "String")
        #expect(try type("DATETIME", "'2023-12-31 24:00:00.000'") == "String")
        #expect(try type("DATETIME", "'0000-01-01 00:00:00.000'", "'9999-12-31 23:59:59.999'") == "Date")
        #expect(try type("DATETIME", "'now'") == "String")
        #expect(try type("DATETIME", "'2024-02-29 12:30:00.000Z'") == "String")
        #expect(try type("DATETIME", "1700000000") == "Int64")
        #expect(try type("DATETIME", "1700000000", "'2024-02-29 12:30:00.000'") == "DatabaseValue")
    }

    /// The form in which a record writes its column `x`, a Date, in its encoding and in requests: "timestamp" or "milliseconds"; nil if the
    /// column is not a Date, "both" if they differ.
    private func dateForm(_ column: String, rows: String = "", settings: String = "", readsValues: Bool = true) throws -> String? {
        let text = try code(for: "CREATE TABLE t (x \(column));", rows: rows, readsValues: readsValues, settings: settings)
        guard text.contains("var x: Date\n") || text.contains("var x: Date?\n") else { return nil }
        let isOptional = text.contains("var x: Date?\n")
        let isEncoded = text.contains("container[\"x\"] = \(isOptional ? "x.map { DatabaseTimestamp($0) }" : "DatabaseTimestamp(x)")\n")
        let isPlain = text.contains("container[\"x\"] = x\n")
        let isRequested = text.contains("-> DatabaseDateEncodingStrategy {\n        .databaseTimestamp\n")
        let isDeferred = text.contains("-> DatabaseDateEncodingStrategy {\n        .deferredToDate\n")
        return isEncoded && isRequested ? "timestamp" : isPlain && isDeferred ? "milliseconds" : "both"
    }

    @Test(arguments: [
        ("CURRENT_TIMESTAMP", true), ("current_timestamp", true), ("(CURRENT_TIMESTAMP)", true),
        ("(( /* now */ CURRENT_TIMESTAMP ))", true),
        ("(datetime('now'))", true), ("(datetime())", true), ("(DATETIME('now', 'localtime'))", true),
        ("(datetime('now', '+' || 7 || ' days'))", true), ("(\"datetime\"('now'))", true), ("(datetime(1700000000, 'unixepoch'))", true),
        ("(strftime('%Y-%m-%d %H:%M:%S', 'now'))", true), ("(strftime('%Y-%m-%d %H:%M:00', 'now'))", true),
        ("'2000-01-01 00:00:00'", true), ("(strftime('%Y-%m-%d %H:%M:%f', 'now'))", false),
        ("(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", false), ("(strftime('%s', 'now'))", false), ("(date('now'))", false),
        ("CURRENT_DATE", false), ("'CURRENT_TIMESTAMP'", false), ("\"CURRENT_TIMESTAMP\"", false), ("NULL", false), ("0", false),
        ("'2000-01-01 00:00:00.000'", false), ("(datetime('now', 'no modifier'))", false), ("(datetime(missing('now')))", false),
        ("(lower(datetime('now')))", false), ("(datetime('now') || 'Z')", false), ("(datetime('now', zeroblob(1000000000)))", false),
    ])
    func `A Date has the form of the default value that SQLite writes`(_ value: String, _ isTimestamp: Bool) throws {
        let form = isTimestamp ? "timestamp" : "milliseconds"
        #expect(try dateForm("DATETIME NOT NULL DEFAULT \(value)", readsValues: false) == form)
        #expect(try dateForm("TIMESTAMP DEFAULT \(value)") == form)
        #expect(try dateForm("TEXT DEFAULT \(value)", settings: "column t.x Date") == form)
        #expect(try dateForm("TEXT NOT NULL DEFAULT \(value)", settings: "type TEXT Date") == form)
        #expect(try dateForm("DATETIME DEFAULT \(value)", settings: "column *.x milliseconds Date") == "milliseconds")
        #expect(try dateForm("DATETIME DEFAULT \(value)", settings: "column t.x timestamp Date") == "timestamp")
        #expect(try dateForm("TEXT DEFAULT \(value)") == nil)
    }

    @Test
    func `A column with a default timestamp is a Date if its values are written again as the same bytes`() throws {
        func form(_ values: String..., default value: String = " DEFAULT CURRENT_TIMESTAMP", settings: String = "") throws -> String? {
            try dateForm(
                "DATETIME\(value)", rows: values.map { "INSERT INTO t VALUES (\($0));" }.joined(), settings: settings)
        }
        let (second, zero, fraction) = ("'2024-02-29 12:30:00'", "'2024-02-29 12:30:00.000'", "'2024-02-29 12:30:00.001'")
        #expect(try form(second) == "timestamp")
        #expect(try form(second, fraction, "NULL") == "timestamp")
        #expect(try form(fraction) == "timestamp")
        #expect(try form("NULL") == "timestamp")
        // All rows are of programs that write milliseconds.
        #expect(try form(zero) == "milliseconds")
        #expect(try form(zero, fraction) == "milliseconds")
        // Neither form writes all of them as they are.
        #expect(try form(second, zero) == nil)
        #expect(try form(second, "'2024-02-29'") == nil)
        #expect(try form("'2024-02-30 12:30:00'") == nil)
        #expect(try form("'2024-02-29 12:30:00Z'") == nil)
        #expect(try form("'2024-02-29 12:30:00.0010'") == nil)
        #expect(try form(second, "1700000000") == nil)
        #expect(try form(second, default: "") == nil)
        #expect(try form(zero, default: "") == "milliseconds")
        // A line gives the type, and the values the form.
        #expect(try form(second, zero, settings: "column t.x Date") == "timestamp")
        #expect(try form(zero, settings: "column t.x Date") == "milliseconds")
        #expect(try form(second, default: "", settings: "column t.x timestamp Date") == "timestamp")
    }

    @Test
    func `Columns of one record have their own forms`() throws {
        let text = try code(
            for:
                "CREATE TABLE t (a DATETIME DEFAULT CURRENT_TIMESTAMP, b DATETIME, \"c \"\"d\" TEXT NOT NULL DEFAULT (datetime()), e INT);",
            settings: "type TEXT Date")
        #expect(
            text.contains(
                """
                    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
                        switch column {
                        case "a": .databaseTimestamp
                        case "c \\"d": .databaseTimestamp
                        default: .deferredToDate
                        }
                    }

                """), "\(text)")
        #expect(text.contains("container[\"a\"] = a.map { DatabaseTimestamp($0) }\n        container[\"b\"] = b\n"), "\(text)")
        #expect(text.contains("container[\"c \\\"d\"] = DatabaseTimestamp(cD)\n"), "\(text)")
    }

    @Test
    func `The record of a view compares values in the form of the columns that the view shows`() throws {
        let schema = """
            CREATE TABLE t (a DATETIME DEFAULT CURRENT_TIMESTAMP, b DATETIME, c UUID);
            CREATE VIEW v AS SELECT a AS "made ""on", b, c, max(a, b) AS d FROM t;
            CREATE VIEW w AS SELECT "made ""on" AS x, b AS y FROM v;
            """
        let text = try code(for: schema, settings: "column v.c lowercase UUID")
        #expect(text.contains("extension V: FetchableRecord, TableRecord, ColumnValueEncoding {"), "\(text)")
        #expect(
            text.contains(
                """
                    static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) throws -> DatabaseValue? {
                        switch (column, value) {
                        case ("made \\"on", let value as Date): try DatabaseTimestamp(value).bindingValue()
                        case ("c", let value as UUID): DatabaseUUIDEncodingStrategy.lowercaseString.databaseValue(for: value)
                        default: nil
                        }
                    }

                """), "\(text)")
        #expect(text.contains("        case (\"x\", let value as Date): try DatabaseTimestamp(value).bindingValue()\n        default: nil"))
        // A view alone shows the same columns, and a view of other columns has no code for their values.
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: schema)
            let model = try SchemaModel(db, source: "schema.sql", only: ["W"])
            #expect(model.tables.map { $0.columns.map(\.hasTimestampDefault) } == [[true, false]])
        }
        // A virtual table whose module is missing.
        let broken = """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_master VALUES ('table', 'broken', 'broken', 0, 'CREATE VIRTUAL TABLE broken USING missing(a)');
            PRAGMA writable_schema = RESET;
            """
        let rest = try code(for: schema, rows: broken)
        #expect(rest.contains("ColumnValueEncoding") && rest.contains("`broken` has no record"), "\(rest)")
        let plain = try code(
            for: "CREATE TABLE t (a DATETIME, c UUID); CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT * FROM missing;")
        #expect(!plain.contains("ColumnValueEncoding"), "\(plain)")
    }

    @Test
    func `Values make no difference where they are not read`() throws {
        let text = try code(for: "CREATE TABLE t (x DATETIME);", rows: "INSERT INTO t VALUES ('soon')", readsValues: false)
        #expect(text.contains("var x: Date?"))
    }

    // MARK: - Optionals and keys

    @Test
    func `Optionals come from NOT NULL and from keys that can't be NULL`() throws {
        let text = try code(
            for: """
                CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT NOT NULL, y TEXT);
                CREATE TABLE b (name TEXT PRIMARY KEY);
                CREATE TABLE c (name TEXT PRIMARY KEY) WITHOUT ROWID;
                CREATE TABLE d (id INTEGER PRIMARY KEY DESC);
                """)
        func record(_ name: String) -> Substring {
            let start = text.range(of: "struct \(name):")!.upperBound
            return text[start..<text.range(of: "\n}\n", range: start..<text.endIndex)!.lowerBound]
        }
        #expect(record("A").contains("var id: Int64?\n    var x: String\n    var y: String?\n"))
        #expect(text.contains("struct A: Codable, Hashable, Identifiable, Sendable"))
        #expect(text.contains("extension A: FetchableRecord, MutablePersistableRecord"))
        // The primary key of a table with row IDs can be NULL.
        #expect(record("B").contains("var name: String?\n"))
        #expect(record("B").contains("var id: String? { self.name }"))
        #expect(record("C").contains("var name: String\n"))
        // This is not the row ID: SQLite keeps an old mistake for compatibility.
        #expect(text.contains("extension D: FetchableRecord, PersistableRecord"))
    }

    // MARK: - Golden files

    @Test
    func `The code for a schema is kept in a file`() throws {
        try Golden.expect(try code(for: Self.library, readsValues: false), "library.swift.txt")
        try Golden.expect(try code(for: Self.names, readsValues: false), "names.swift.txt")
        try Golden.expect(try code(for: Self.work, readsValues: false, settings: Self.workSettings), "settings.swift.txt")
    }

    @Test
    func `The records of the benchmarks match their schema`() throws {
        let repository = "../../../../.."
        let folder = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            .appendingPathComponent("Tests/Sources/Bench/Generated")
        func text(_ name: String) throws -> String { try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) }
        let code = try code(for: text("schema.sql"), readsValues: false, settings: text("schema.records"))
        try Golden.expect(code, "\(repository)/Tests/Sources/Bench/Generated/Records.swift")
    }

    @Test
    func `The same schema gives the same code`() throws {
        let first = try code(for: Self.library)
        for _ in 0..<3 { #expect(try code(for: Self.library) == first) }
        // Also in another order.
        let statements = Self.library.components(separatedBy: ";\n").filter { $0.contains("CREATE TABLE") }.map { $0 + ";\n" }
        #expect(
            try code(for: statements.reversed().joined()).split(separator: "\n").filter { $0.hasPrefix("nonisolated struct") }
                == first.split(separator: "\n").filter { $0.hasPrefix("nonisolated struct") && !$0.contains("Title") })
    }

    static let library = """
        -- People who write.
        CREATE TABLE author (
            -- The key.
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL, -- As on the cover.
            born DATE /* if known */
        );
        CREATE TABLE book ( -- What they write.
            id INTEGER PRIMARY KEY,
            author_id INTEGER NOT NULL REFERENCES author,
            editor_id INTEGER REFERENCES author (id),
            title TEXT NOT NULL,
            length INTEGER GENERATED ALWAYS AS (length(title)) VIRTUAL,
            published DATETIME
        );
        CREATE TABLE cover (book_id INTEGER NOT NULL UNIQUE REFERENCES book, image BLOB);
        CREATE TABLE tag (name TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE book_tag (
            book INTEGER NOT NULL REFERENCES book,
            tag TEXT NOT NULL REFERENCES tag,
            PRIMARY KEY (book, tag)
        ) STRICT;
        CREATE TABLE orphan (id INTEGER PRIMARY KEY, lost INTEGER REFERENCES nowhere (id));
        CREATE VIEW title AS SELECT title, name FROM book JOIN author ON author.id = author_id;
        CREATE VIEW broken AS SELECT x FROM nowhere;

        """

    static let work = """
        CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tags TEXT NOT NULL, notes TEXT, wage MONEY NOT NULL);
        -- What people do.
        CREATE TABLE jobs (
            id UUID PRIMARY KEY NOT NULL,
            token UUID,
            state TEXT NOT NULL CHECK (state IN ('queued', 'in progress', 'none', 'class', '', '1st', 'Queued!')),
            previous TEXT CHECK (previous IS NULL OR previous IN ('queued', 'it''s done')),
            priority INTEGER NOT NULL CHECK (priority IN (-1, 0, 5)),
            is_done INTEGER NOT NULL DEFAULT 0 CHECK (is_done IN (0, 1)),
            person_id INTEGER NOT NULL REFERENCES people,
            due DATETIME
        ) WITHOUT ROWID;
        CREATE TABLE addresses (person_id INTEGER UNIQUE REFERENCES people, street TEXT NOT NULL, PRIMARY KEY (person_id, street));

        """

    static let workSettings = """
        public
        singular
        import Money            # where Money is from
        table jobs              Work
        column people.id        PersonID
        column *.tags           json [String]
        column people.notes     json [String: [Int]]
        column jobs.token       lowercase UUID
        type MONEY              Money
        """

    static let names = #"""
        CREATE TABLE "Data" (id INTEGER PRIMARY KEY, "class" TEXT, "self" TEXT, "init" TEXT, "Type" TEXT, "hash value" TEXT, hashValue TEXT);
        CREATE TABLE "Column" ("1st" TEXT, "first name" TEXT, first_name TEXT, FirstName TEXT, "😀" TEXT, "🚀" TEXT, "" TEXT);
        CREATE TABLE "order lines" ("quote "" and \ and \(x)" TEXT, "URLString" TEXT, "ID" INTEGER PRIMARY KEY, "größe" REAL, "値段" REAL);
        CREATE TABLE order_lines ("new
        line" TEXT);
        CREATE TABLE "2024" (a);
        CREATE TABLE "本" (id INTEGER PRIMARY KEY, "作者" INTEGER REFERENCES "作者", "状态" TEXT CHECK ("状态" IN ('新', '旧')));
        CREATE TABLE "作者" ("set" INTEGER PRIMARY KEY, "本" INTEGER REFERENCES "本");
        CREATE TABLE "table" ("get" TEXT PRIMARY KEY);
        CREATE TABLE databaseComponents ("é" INTEGER PRIMARY KEY, "É" INTEGER CHECK ("É" IN (5, 6)));
        CREATE TABLE "Row" (id TEXT, key INTEGER PRIMARY KEY);
        CREATE TABLE columns (columns TEXT, codingKeys TEXT, "ID" TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE "limit" (a INTEGER PRIMARY KEY, limit_id INTEGER REFERENCES "limit" (a), filter TEXT REFERENCES "Row" (id));
        """#
}

@Suite struct SwiftNameTests {
    @Test(arguments: [
        ("id", "id"), ("ID", "id"), ("author_id", "authorId"), ("AuthorId", "authorId"), ("URLString", "urlString"),
        ("first name", "firstName"), ("1st", "_1st"), ("", "unnamed"), ("😀", "unnamed"), ("self", "selfColumn"), ("größe", "größe"),
        ("_private", "private"), ("a-b.c", "aBC"), ("Type", "type"), ("X", "x"), ("HTTP_STATUS", "httpSTATUS"),
    ])
    func `Names of columns become names of properties`(_ text: String, _ name: String) {
        #expect(SwiftName.member(text) == name)
    }

    @Test(arguments: [
        ("player", "Player"), ("order_lines", "OrderLines"), ("Data", "DataRecord"), ("data", "DataRecord"), ("2024", "_2024Record"),
        ("Column", "ColumnRecord"), ("😀", "Unnamed"),
    ])
    func `Names of tables become names of types`(_ text: String, _ name: String) {
        #expect(SwiftName.type(text) == name)
    }

    @Test(arguments: [
        ("books", "Book"), ("order_lines", "OrderLine"), ("orderLines", "OrderLine"), ("ORDERS", "ORDER"), ("people", "Person"),
        ("sales_people", "SalesPerson"), ("salesPeople", "SalesPerson"), ("PEOPLE", "PERSON"), ("categories", "Category"),
        ("movies", "Movie"), ("boxes", "Box"), ("addresses", "Address"), ("houses", "House"), ("statuses", "Status"),
        ("status", "Status"),
        ("databases", "DatabaseRecord"), ("heroes", "Hero"), ("shoes", "Shoe"), ("wolves", "Wolf"), ("indices", "Index"),
        ("indexes", "Index"), ("series", "Series"), ("news", "News"), ("sheep", "Sheep"), ("analysis", "Analysis"), ("glass", "Glass"),
        ("bus", "Bus"), ("data", "DataRecord"), ("book", "Book"), ("s", "S"), ("ties", "Tie"), ("queries", "Query"),
        ("caches", "Cache"),
        ("branches", "Branch"), ("quizzes", "Quiz"), ("orders2024", "Orders2024"),
    ])
    func `The last word of a table's name becomes singular`(_ table: String, _ name: String) {
        #expect(SwiftName.type(table, isSingular: true) == name)
    }

    @Test(arguments: [
        ("queued", "queued"), ("in progress", "inProgress"), ("", "empty"), ("none", "noneValue"), ("self", "selfValue"),
        ("N/A", "nA"), ("1st", "_1st"), ("class", "class"), ("URL", "url"), ("😀", "unnamed"),
    ])
    func `Values become names of cases`(_ value: String, _ name: String) {
        #expect(SwiftName.enumCase(value) == name)
    }
}

@Suite struct SQLTokensTests {
    @Test
    func `Comments and white space are left out, except in strings and names`() {
        #expect(CommentedSQL("SELECT  'a -- b', \"c /* d\" -- e\n, [f g]/* h */;").normalized == "SELECT 'a -- b' , \"c /* d\" , [f g] ;")
        #expect(CommentedSQL("'it''s' `a``b` 1.5").tokens.map(\.name) == ["it's", "a`b", "1.5"])
        // Incomplete strings and comments give tokens, too.
        #expect(CommentedSQL("'a /* b").normalized == "'a /* b")
        #expect(CommentedSQL("a /* b").normalized == "a")
        #expect(CommentedSQL("[").normalized == "[")
    }

    @Test
    func `A table is taken apart into its columns and constraints`() {
        #expect(
            CommentedSQL("CREATE TABLE t (a DECIMAL(10, 2), b CHECK (b IN (1, 2)), PRIMARY KEY (a, b)) WITHOUT ROWID").definitionLines
                == [
                    "CREATE TABLE t", "a DECIMAL ( 10 , 2 )", "b CHECK ( b IN ( 1 , 2 ) )", "PRIMARY KEY ( a , b )", "WITHOUT ROWID",
                ])
        #expect(CommentedSQL("CREATE VIEW v AS SELECT (1)").definitionLines.count == 1)
    }
}
