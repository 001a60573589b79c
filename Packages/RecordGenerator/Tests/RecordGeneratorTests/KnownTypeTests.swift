import Foundation
import SQLiteDriver
import StrataCommandSupport
import Testing

@testable import RecordGenerator

/// Types that the statement or the schema determines, so that nobody is asked for them.
@Suite struct KnownTypeTests {
    @Test(arguments: [
        // The other arguments determine the type of a parameter.
        ("SELECT coalesce(t.city, :x) AS a FROM player p LEFT JOIN team t ON t.id = p.teamId", "x: String", "String"),
        (
            "SELECT ifnull(t.id, :x) AS a, max(score, :y) AS b FROM player p LEFT JOIN team t ON t.id = p.teamId", "x: Int64, y: Int64",
            "Int64 Int64"
        ),
        ("SELECT CASE WHEN score > 1 THEN city ELSE :x END AS a FROM player JOIN team USING (name)", "x: String", "String?"),
        ("SELECT iif(score > 1, name, :x) AS a FROM player WHERE coalesce(teamId, :y) = :z", "x: String, y: Int64, z: Int64", "String"),
        ("SELECT coalesce(:x, :y, state) AS a FROM player", "x: Player.State?, y: Player.State?", "Player.State"),
        // The right operand of IN is a table.
        ("SELECT id, score IN one AS a FROM player WHERE score IN main.one AND teamId NOT IN one AND name = :x", "x: String", "Int64 Bool"),
        ("SELECT id FROM player WHERE name IN pragma_quick_check(:x) OR score IN pragma_page_count()", "x: String", "Int64"),
        ("SELECT id FROM player WHERE (id, name) IN pair AND :x IN one", "x: Int64", "Int64"),
        // Row values.
        ("SELECT id FROM player WHERE (score, name) IN (VALUES (:a, :b), (:c, :d))", "a: Int64, b: String, c: Int64, d: String", "Int64"),
        ("SELECT id FROM player WHERE (:a, :b) IN (SELECT id, name FROM team)", "a: Int64, b: String", "Int64"),
        ("SELECT id FROM player WHERE (score, name) = (SELECT :a, name FROM team WHERE id = :b)", "a: Int64, b: Int64", "Int64"),
        ("SELECT id FROM player WHERE (SELECT id, :a FROM team) < (:b, name)", "a: String, b: Int64", "Int64"),
        ("SELECT (teamId, name) IS (:a, :b) AS x FROM player", "a: Int64?, b: String", "Bool"),
        (
            "SELECT id FROM player WHERE score IN (SELECT :a UNION VALUES (:b)) AND name = (SELECT :c)", "a: Int64, b: Int64, c: String",
            "Int64"
        ),
        ("UPDATE team SET (name, city) = (SELECT name, :a FROM player WHERE id = :b) RETURNING city", "a: String?, b: Int64", "String?"),
        ("UPDATE team SET city = (SELECT :a) WHERE (id, name) = (:b, :c) RETURNING id", "a: String?, b: Int64, c: String", "Int64"),
        ("INSERT INTO team (name, city) VALUES (:a, (SELECT :b)) RETURNING name", "a: String, b: String?", "String"),
        // A cast to a truth value.
        ("SELECT CAST(:x AS BOOLEAN) AS a, CAST(score AS bool) AS b, CAST(name AS BOOLEAN) AS c FROM player", "x: Bool", "Bool Bool Bool"),
        ("SELECT CAST(score AS BOOLEAN) + 1 AS a, coalesce(CAST(name AS BOOLEAN), 2) AS b FROM player", "", "Int64 Double"),
        ("SELECT CAST(score AS NUMERIC) AS a, CAST(name AS DATE) AS b FROM player", "", "Double Double"),
    ])
    func `Parameters and columns have the types of what they meet`(_ sql: String, _ parameters: String, _ types: String) throws {
        let schema =
            QuerySample.schema
            + "CREATE TABLE one (x INTEGER NOT NULL) STRICT; CREATE TABLE pair (x INTEGER NOT NULL, y TEXT NOT NULL) STRICT;"
        #expect(QuerySample.diagnostics("-- name: query\n\(sql)", schema: schema) == [])
        #expect(try QuerySample.function(sql, schema: schema).hasPrefix("(\(parameters)) -> "))
        #expect(try QuerySample.types(sql, schema: schema).joined(separator: " ") == types)
    }

    @Test
    func `A fraction that is cast to BOOLEAN is no integer`() throws {
        let db = try DatabaseQueue()
        try db.read { db in
            let statement = try db.makeStatement(sql: "SELECT CAST('1.5' AS BOOLEAN), CAST('x' AS BOOLEAN), CAST(7 AS BOOLEAN)")
            #expect(try statement.step())
            #expect((0..<3).map { statement.databaseValue(at: $0).storage } == [.double(1.5), .int64(0), .int64(7)])
        }
        let message = "2:8: warning: the type of the column a is not known: declare it with -- @column a TYPE"
        #expect(
            QuerySample.diagnostics("-- name: query\nSELECT CAST(name AS BOOLEAN) + 1 AS a FROM player") == ["Queries.sql:\(message)"])
    }

    // MARK: - Full-text tables

    private static let fullText = """
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, state TEXT CHECK (state IN ('new', 'old')), price INT);
        CREATE VIEW shelf AS SELECT title, year + 1 AS later FROM book;
        CREATE VIRTUAL TABLE note USING fts5(title, "the body", ref UNINDEXED, tokenize = 'porter ascii');
        CREATE VIRTUAL TABLE search USING fts5(title, year, state, price, content='book', content_rowid='id');
        CREATE VIRTUAL TABLE ofView USING fts5(title, later, content=shelf);
        CREATE VIRTUAL TABLE empty USING fts5(title, content='');
        CREATE VIRTUAL TABLE old USING fts4(title TEXT, year INTEGER, notindexed=year);
        """

    @Test(arguments: [
        ("SELECT * FROM note WHERE note MATCH :x", "x: String", "String? String? DatabaseValue"),
        (
            "SELECT title AS a, rank AS b, rowid AS c FROM note WHERE note = :x AND title = :y", "x: String, y: String",
            "String Double? Int64?"
        ),
        (
            "SELECT lower(title) AS a, title || 'x' AS b, length(title) AS c FROM note(:x) ORDER BY rank", "x: String",
            "String? String? Int64?"
        ),
        ("SELECT * FROM search WHERE year > :x AND state = :y", "x: Int64, y: Book.State", "String? Int64 Book.State Price?"),
        ("SELECT * FROM ofView", "", "String? Int64?"), ("SELECT * FROM empty", "", "String?"),
        ("SELECT title AS a, docid AS b FROM old WHERE docid = :x", "x: Int64", "String? Int64"),
        ("INSERT INTO note (title, \"the body\") VALUES (?, ?) RETURNING title", "title: String?, theBody: String?", "String?"),
    ])
    func `The columns of full-text tables are strings, or like the columns that they show`(
        _ sql: String, _ parameters: String, _ types: String
    ) throws {
        let settings = "column book.price Price"
        #expect(QuerySample.diagnostics("-- name: query\n\(sql)", schema: Self.fullText, settings: settings) == [])
        #expect(try QuerySample.function(sql, schema: Self.fullText, settings: settings).hasPrefix("(\(parameters)) -> "))
        #expect(try QuerySample.types(sql, schema: Self.fullText, settings: settings).joined(separator: " ") == types)
    }

    @Test
    func `The type of a column that is not indexed, and of an option, is asked for`() {
        func parameter(_ sql: String) -> [Bool] {
            QuerySample.diagnostics("-- name: query\n\(sql)", schema: Self.fullText).map {
                $0.contains("the type of the parameter x is not known")
            }
        }
        #expect(parameter("SELECT title FROM note WHERE ref = :x") == [true])
        #expect(parameter("INSERT INTO note (note, rank) VALUES ('automerge', :x)") == [true])
        #expect(parameter("SELECT title FROM old WHERE year = :x") == [true])
    }

    // MARK: - Records

    /// The declarations of the properties of a record.
    private func properties(_ record: String, _ code: String) -> [String] {
        code.split(separator: "\n").drop { !$0.hasPrefix("nonisolated struct \(record): ") }.dropFirst().filter { !$0.hasPrefix("    ///") }
            .prefix { $0.hasPrefix("    var ") }.map { String($0.dropFirst(8)) }
    }

    @Test
    func `Records of views and full-text tables have the types that queries have`() throws {
        let schema = """
            \(Self.fullText)
            CREATE VIEW stats AS SELECT
                state, count(*) AS number, avg(year) AS mean, max(title) AS last, sum(price) AS total, max(state) AS top, price IS NULL AS isFree,
                title ->> 'x' AS unknown FROM book GROUP BY state;
            CREATE VIEW more AS SELECT number + 1 AS next FROM stats;
            """
        let expected = [
            "Stats": [
                "state: String?", "number: Int64?", "mean: Double?", "last: String?", "total: Price?", "top: Book.State?", "isFree: Bool?",
                "unknown: DatabaseValue",
            ],
            "More": ["next: Int64?"], "Shelf": ["title: String?", "later: Int64?"],
            "Note": ["title: String?", "theBody: String?", "ref: DatabaseValue"],
            "Search": ["title: String?", "year: Int64?", "state: Book.State?", "price: Price?"],
            "OfView": ["title: String?", "later: Int64?"],
        ]
        let folder = try TemporaryFolder()
        try Data(schema.utf8).write(to: folder.file("schema.sql"))
        try Data("column book.price Price\ntable search Search\ntable ofView OfView".utf8).write(to: folder.file("schema.records"))
        let arguments = ["--sql", folder.path("schema.sql"), "--settings", folder.path("schema.records")]
        let code = try #require(try RecordCommand.run(ParsedArguments(arguments, options: RecordCommand.options)).code)
        for (record, properties) in expected { #expect(self.properties(record, code) == properties, "\(record)") }
        // The tables may be left out.
        let some = try RecordCommand.run(
            ParsedArguments(["--sql", folder.path("schema.sql"), "--tables", "stats"], options: RecordCommand.options))
        #expect(properties("Stats", some.code ?? "").contains("number: Int64?"))
    }

    @Test
    func `A full-text table that indexes another table has a record only if a line or an argument names it`() throws {
        let comment = "// The full-text index `search` has no record, unless schema.records has a line such as: table search Search\n"
        func code(_ settings: String = "") throws -> String { try RecordGeneratorTests.code(for: Self.fullText, settings: settings) }
        let plain = try code()
        #expect(plain.contains(comment) && plain.contains("struct Note: ") && plain.contains("struct Old: "))
        #expect(["Search", "OfView", "Empty"].allSatisfy { !plain.contains("struct \($0)") })
        for lines in ["table search Search", "table SEARCH Search"] {
            let code = try code(lines)
            #expect(code.contains("struct Search: ") && !code.contains(comment) && !code.contains("struct Empty"))
        }
        #expect(try !code("skip search").contains("`search`"))
        let folder = try TemporaryFolder()
        try Data(Self.fullText.utf8).write(to: folder.file("schema.sql"))
        let listed = try RecordCommand.run(
            ParsedArguments(["--sql", folder.path("schema.sql"), "--tables", "search"], options: RecordCommand.options))
        #expect(listed.code?.contains("struct Search: ") == true)
    }

    // MARK: - Patterns

    @Test(arguments: [
        ("SELECT title FROM note WHERE note MATCH :x", "x: FTS5Pattern"),
        ("SELECT title FROM note AS n WHERE n.title MATCH :x AND n.title LIKE :y", "x: FTS5Pattern, y: String"),
        ("SELECT title FROM note(:x)", "x: FTS5Pattern"),
        ("SELECT title FROM book WHERE id IN (SELECT rowid FROM search WHERE search MATCH :x)", "x: FTS5Pattern"),
        (
            "SELECT book.title FROM book JOIN search ON search.rowid = book.id WHERE search MATCH :x AND book.year > :y",
            "x: FTS5Pattern, y: Int64"
        ),
        ("SELECT title FROM old WHERE old MATCH :x OR title MATCH :x", "x: FTS3Pattern"),
        ("SELECT title FROM note WHERE note MATCH :x || '*'", "x: String"),
        ("SELECT title FROM note WHERE :x IS NULL OR note MATCH :x", "x: FTS5Pattern? = nil"),
    ])
    func `Parameters of MATCH are patterns where a line of the settings says so`(_ sql: String, _ parameters: String) throws {
        #expect(try QuerySample.function(sql, schema: Self.fullText, settings: "patterns").hasPrefix("(\(parameters)) -> "))
        let strings = parameters.replacing("FTS5Pattern", with: "String").replacing("FTS3Pattern", with: "String")
        #expect(try QuerySample.function(sql, schema: Self.fullText).hasPrefix("(\(strings)) -> "))
    }

    @Test
    func `Patterns need the module that has them`() throws {
        let script = SourceText(Self.fullText, file: "schema.sql")
        let file = SourceText("-- name: a\nSELECT title FROM note WHERE note MATCH :x", file: "Queries.sql")
        func code(_ settings: String, _ module: String) throws -> String {
            try QuerySet([file], schema: script, settings: RecordSettings(settings, file: "schema.records"), module: module).outputs[1].code
        }
        let error = #expect(throws: RecordSettingsError.self) { try code("# search\npatterns", "CodableSupport") }
        #expect(
            error?.description
                == "schema.records:2: error: the patterns belong to the module FullTextSearch: add a line \"import FullTextSearch\"")
        #expect(try code("patterns\nimport FullTextSearch", "CodableSupport").contains("import FullTextSearch\n"))
        #expect(try code("patterns", "FullTextSearch").contains("x: FTS5Pattern"))
    }

    @Test
    func `A view with rows has the types of its values`() throws {
        let schema = "CREATE TABLE t (a INTEGER NOT NULL, b); CREATE VIEW v AS SELECT a + 1 AS c, coalesce(b, a) AS d FROM t;"
        try #expect(properties("V", code(for: schema)) == ["c: Int64?", "d: DatabaseValue"])
        try #expect(properties("V", code(for: schema, rows: "INSERT INTO t VALUES (1, 'x');")) == ["c: Int64?", "d: String?"])
        try #expect(
            properties("V", code(for: schema, rows: "INSERT INTO t VALUES (1.5, 'x'), (2, 3);")) == [
                "c: DatabaseValue", "d: DatabaseValue",
            ])
    }

    @Test
    func `A computed column whose type nothing ensures is a DatabaseValue in a record, with a warning`() throws {
        let schema = """
            CREATE TABLE invoice (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount INTEGER NOT NULL,
                total INTEGER AS (name || '!'), extra INTEGER AS (json_extract(name, '$.x')),
                twice INTEGER AS (amount * 2), label TEXT AS (name), number INTEGER AS (CAST(name AS INTEGER)), free ANY AS (name),
                kind TEXT AS (substr(name, 2, 1)) CHECK (kind IN ('a', 'b'))
            ) STRICT;
            CREATE TABLE loose (a INTEGER, b INTEGER AS (a || 'x'), c INTEGER AS (json_extract(a, '$.x')));
            """
        let types = ["id: Int64?", "name: String", "amount: Int64", "total: DatabaseValue", "extra: DatabaseValue"]
        let others = ["twice: Int64?", "label: String?", "number: Int64?", "free: DatabaseValue", "kind: Kind?"]
        try #expect(properties("Invoice", code(for: schema)) == types + others)
        try #expect(properties("Loose", code(for: schema)) == ["a: Int64?", "b: DatabaseValue", "c: Int64?"])
        let message =
            "is computed, and nothing ensures that it is INTEGER, so that its property is a DatabaseValue: CAST the expression, or write a "
        try #expect(
            warnings(schema).map { String($0.prefix { $0 != "\n" }) } == [
                "schema.sql:3:5: warning: invoice.total \(message)line \"column invoice.total Int64\" in schema.records",
                "schema.sql:3:37: warning: invoice.extra \(message)line \"column invoice.extra Int64\" in schema.records",
                "schema.sql:7:32: warning: loose.b \(message)line \"column loose.b Int64\" in schema.records",
            ])
        try #expect(warnings(schema, settings: "type INTEGER Int64") == [])
        // The stored values prove it.
        let rows = "INSERT INTO invoice (name, amount) VALUES ('\"a\"', 1);"
        try #expect(properties("Invoice", code(for: schema, rows: rows))[3] == "total: String?")
    }

    @Test
    func `Views whose names Swift calls equal have their own types`() throws {
        let schema = """
            CREATE TABLE t (b TEXT NOT NULL) STRICT;
            CREATE VIEW "\u{E9}" AS SELECT count(*) AS x FROM t; CREATE VIEW "e\u{301}" AS SELECT max(b) AS x FROM t;
            """
        let model = try SchemaScript(SourceText(schema, file: "schema.sql")).makeDatabase(RecordSettings()).writeWithoutTransaction { db in
            try SchemaModel(db, source: "schema.sql", readsValues: false, script: schema)
        }
        #expect(model.tables.filter { $0.kind == .view }.map { $0.columns[0].inferredType } == [.string, .int64])
    }

    // MARK: - Hints

    @Test(arguments: [
        ("count(*) AS \"n!: i64\"", "n!: i64", "nI64", "n", "TYPE"), ("name AS \"name!\"", "name!", "name", "name", "!"),
        ("name AS 'name?'", "name?", "name", "name", "?"), ("name AS \"x?: Json<T>\"", "x?: Json<T>", "xJsonT", "x", "TYPE?"),
        ("name AS [x: _]", "x: _", "x", "x", "TYPE"),
    ])
    func `An alias with a type as other tools write it gives a hint`(
        _ column: String, _ alias: String, _ property: String, _ name: String, _ type: String
    ) {
        let place = column.utf8.count - alias.utf8.count + 6
        #expect(
            QuerySample.diagnostics("-- name: query\nSELECT \(column) FROM team GROUP BY id") == [
                "Queries.sql:2:\(place): warning: the alias \"\(alias)\" becomes the property \(property): write AS \(name), and if the types "
                    + "don't prove it, -- @column \(name) \(type)"
            ])
    }

    @Test
    func `A column with such a name, and other aliases, give no hint`() {
        let schema = "CREATE TABLE t (\"n!\" INTEGER NOT NULL, \"a: b\" TEXT NOT NULL) STRICT;"
        for sql in [
            "SELECT \"n!\", \"a: b\" AS x FROM t", "SELECT *, 1 AS y FROM t", "SELECT 1 AS \"a b\", 2 AS \"is it?!\", count(*) FROM t",
        ] {
            #expect(QuerySample.diagnostics("-- name: query\n\(sql)", schema: schema) == [])
        }
    }

    // MARK: - Numeric affinity

    private func warnings(_ schema: String, settings: String = "") throws -> [String] {
        let folder = try TemporaryFolder()
        try Data(schema.utf8).write(to: folder.file("schema.sql"))
        try Data(settings.utf8).write(to: folder.file("schema.records"))
        let arguments = ["--sql", folder.path("schema.sql"), "--settings", folder.path("schema.records")]
        return try RecordCommand.run(ParsedArguments(arguments, options: RecordCommand.options)).warnings.map {
            $0.replacing(folder.path + "/", with: "")
        }
    }

    @Test(arguments: ["STRING", "DATE", "TIME", "JSON", "string"])
    func `A column of strings that stores some as numbers gives a warning`(_ type: String) throws {
        let message =
            "t.zip is declared \(type), and so stores strings that look like numbers as numbers: '07867' as 7867. Declare it TEXT, or write a "
            + "line \"column t.zip String\" in schema.records if it has no such strings"
        try #expect(
            warnings("CREATE TABLE t (\n  id INTEGER PRIMARY KEY, zip \(type), name TEXT\n);") == [
                "schema.sql:2:27: warning: \(message)\n  id INTEGER PRIMARY KEY, zip \(type), name TEXT\n                          ^~~"
            ])
        try #expect(
            warnings("CREATE TABLE t (x TEXT);\nALTER TABLE t ADD COLUMN zip \(type);").first?.hasPrefix("schema.sql:2:26: ") == true)
        // What the settings say is meant.
        for settings in ["column t.zip String", "column *.zip json Zip", "type \(type) Zip"] {
            try #expect(warnings("CREATE TABLE t (zip \(type));", settings: settings) == [])
        }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (zip \(type)); INSERT INTO t VALUES ('07867')")
            let statement = try db.makeStatement(sql: "SELECT zip FROM t")
            #expect(try statement.step())
            #expect(statement.databaseValue(at: 0).storage == .int64(7867))
        }
    }

    @Test
    func `Other columns give no warning, and those of a database do`() throws {
        try #expect(
            warnings(
                """
                CREATE TABLE t (a TEXT, b VARCHAR(9), c DATETIME, d UUID, e BOOLEAN, f DECIMAL, g, h BLOB, i STRING CHECK (i IN ('x', 'y')));
                CREATE VIEW v AS SELECT a, CAST(b AS DATE) AS b FROM t;
                CREATE TABLE u (a TEXT, b ANY) STRICT;
                """) == [])
        let folder = try TemporaryFolder()
        try DatabaseQueue(path: folder.path("odd.sqlite")).write { db in
            try db.execute(sql: "CREATE TABLE \"a b\" (x DECIMAL, y DECIMAL); INSERT INTO \"a b\" VALUES ('x', 1)")
        }
        let result = try RecordCommand.run(ParsedArguments([folder.path("odd.sqlite")], options: RecordCommand.options))
        #expect(result.warnings.map { $0.prefix { $0 != "," } } == ["odd.sqlite: warning: \"a b\".x is declared DECIMAL"])
    }
}
