import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// A claimed type is the type of each row that the schema allows. Otherwise the author of the statement is asked.
@Suite struct QueryTypeTests {
    private static let schema = """
        CREATE TABLE job (
            id INTEGER PRIMARY KEY, n INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('queued', 'done')),
            level INTEGER NOT NULL CHECK (level IN (1, 2)), created DATETIME NOT NULL, changed DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
            token UUID NOT NULL, price TEXT NOT NULL, mood TEXT NOT NULL CHECK (mood IN ('good', 'bad')), small INTEGER NOT NULL,
            amount INTEGER NOT NULL, tags TEXT NOT NULL, isDone BOOLEAN NOT NULL, ratio REAL NOT NULL
        );
        CREATE TABLE exact (id INTEGER PRIMARY KEY, name TEXT NOT NULL, raw BLOB NOT NULL, count INTEGER NOT NULL) STRICT;
        CREATE TABLE loose (name TEXT NOT NULL, raw BLOB NOT NULL, token UUID NOT NULL);
        CREATE TABLE one (x INTEGER, y TEXT); CREATE TABLE two (x TEXT); CREATE TABLE three (x INTEGER);
        CREATE TABLE computed (
            n INTEGER NOT NULL, total INTEGER NOT NULL AS (n * 2), text INTEGER NOT NULL AS ('#' || n), later REAL NOT NULL AS (half + 1),
            half REAL NOT NULL AS (n / 2.0), label TEXT NOT NULL AS (n), broken INTEGER NOT NULL AS (half), raw TEXT NOT NULL AS (x'ff'),
            mixed INTEGER AS (coalesce(n, label)), parsed INTEGER AS (json_extract(label, '$')), word TEXT AS (label ->> '$.word'),
            settled INTEGER AS (json_extract(label, '$'))
        ) STRICT;
        CREATE VIEW mixed AS SELECT n FROM job UNION ALL SELECT state FROM job;
        CREATE VIEW states AS SELECT state FROM job UNION ALL SELECT 'none';
        CREATE VIEW shown AS SELECT n, state FROM job;
        CREATE TRIGGER show INSTEAD OF INSERT ON shown BEGIN SELECT 1; END;
        """

    private static let settings = """
        column job.price Decimal
        column computed.settled Int64
        column job.mood Mood
        column job.small UInt8
        column job.amount Amount
        column job.tags json [String]
        """

    private static func types(_ sql: String) throws -> String {
        try QuerySample.types(sql, schema: schema, settings: settings).joined(separator: " ")
    }

    private static func diagnostics(_ sql: String) -> [String] {
        QuerySample.diagnostics("-- name: query :many\n\(sql)", schema: schema, settings: settings)
    }

    @Test(arguments: [
        // Queries whose parts have different types.
        "SELECT n AS x FROM job UNION ALL SELECT state FROM job",
        "SELECT state AS x FROM job UNION SELECT n FROM job",
        "SELECT n AS x FROM job UNION ALL SELECT name FROM exact UNION ALL SELECT n FROM job",
        "SELECT n AS x FROM job UNION ALL SELECT 'none'",
        "SELECT n AS x FROM job UNION ALL VALUES (1), ('none')",
        "SELECT x FROM (SELECT n AS x FROM job UNION ALL SELECT state FROM job)",
        "WITH c (x) AS (SELECT n FROM job UNION ALL SELECT state FROM job) SELECT x FROM c",
        "SELECT column1 AS x FROM (VALUES (1), ('none'))",
        "SELECT n AS x FROM mixed",
        "SELECT (SELECT n FROM mixed LIMIT 1) AS x",
        "SELECT max(n) AS x FROM mixed",
        // Choices between types, and literals of a third one.
        "SELECT CASE id WHEN 1 THEN n WHEN 2 THEN ratio ELSE 'none' END AS x FROM job",
        "SELECT CASE id WHEN 1 THEN n WHEN 2 THEN isDone ELSE 'none' END AS x FROM job",
        "SELECT coalesce(nullif(n, 1), 'none') AS x FROM job",
        "SELECT iif(id > 1, isDone, 0.5) AS x FROM job",
        // Literals that only the program can judge.
        "SELECT coalesce(nullif(mood, 'bad'), 'odd') AS x FROM job",
        "SELECT coalesce(nullif(amount, 0), 5) AS x FROM job",
        "SELECT coalesce(nullif(tags, ''), '[]') AS x FROM job",
        "SELECT state AS x FROM states",
        // Parts of blobs, and of values that may be blobs.
        "SELECT substr(token, 1, 2) AS x FROM loose",
        "SELECT replace(n, '', 'x') AS x FROM job",
        // Columns that FULL JOIN merges.
        "SELECT x FROM one FULL JOIN two USING (x) FULL JOIN three USING (x)",
        "SELECT x FROM one FULL JOIN two USING (x)",
        "SELECT x FROM one RIGHT JOIN two USING (x)",
        // Computed columns.
        "SELECT text AS x FROM computed", "SELECT broken AS x FROM computed", "SELECT raw AS x FROM computed",
        "SELECT mixed AS x FROM computed", "SELECT parsed AS x FROM computed",
        // What RETURNING has of a view is not stored anywhere.
        "INSERT INTO shown VALUES ('a', 5) RETURNING n AS x",
    ])
    func `A type that some rows don't have is asked for`(_ sql: String) {
        let diagnostics = Self.diagnostics(sql)
        #expect(
            diagnostics.map { $0.contains("warning: the type of the column x is not known: declare it with -- @column x TYPE") } == [true],
            "\(diagnostics)")
    }

    @Test(arguments: [
        ("SELECT n FROM job UNION ALL SELECT count FROM exact", "Int64"),
        ("SELECT n FROM job UNION ALL SELECT ratio FROM job", "Double"),
        ("SELECT 'queued' AS x UNION ALL SELECT state FROM job", "Job.State"),
        ("SELECT state FROM job UNION ALL VALUES ('done'), ('queued')", "Job.State"),
        ("SELECT coalesce(state, 'done'), CASE WHEN id > 1 THEN state ELSE 'done' END FROM job", "Job.State Job.State"),
        ("SELECT coalesce(nullif(level, 2), 1), coalesce(nullif(small, 2), 255) FROM job", "Job.Level UInt8"),
        ("SELECT coalesce(nullif(mood, 'bad'), 'good'), coalesce(nullif(amount, 5), 0) FROM job", "Mood Amount"),
        ("SELECT coalesce(nullif(created, ''), '2024-02-29 10:00'), coalesce(created, changed, '2024-01-01') FROM job", "Date Date"),
        (
            "SELECT coalesce(nullif(token, ''), 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'), coalesce(nullif(price, ''), '-1.50') FROM job",
            "UUID Decimal"
        ),
        ("SELECT coalesce(nullif(n, 1), 0.5), coalesce(nullif(isDone, 1), TRUE), n + 1 FROM job", "Double Bool Int64"),
        // What is compared or computed claims nothing about its operands.
        ("SELECT coalesce(state, 'none') = 'none', coalesce(state, 'none') || '!' FROM job", "Bool String"),
        ("SELECT lag(state, 1, 'done') OVER (ORDER BY id) FROM job", "Job.State"),
        ("SELECT substr(raw, 1, 2), substr(name, 1, 2), substr(count, 1, 1) FROM exact", "Data? String String"),
        ("SELECT substr(raw, 1), substr(name, 1), replace(name, '', 'x') FROM loose", "Data? String? String"),
        ("SELECT substr(state, 1, 1), replace(n, '1', 'x') FROM job", "String? String"),
        // The concatenation of empty strings is NULL in a window.
        ("SELECT group_concat(name) OVER (), group_concat(name) FROM exact GROUP BY name", "String? String"),
        ("SELECT group_concat(name, '') OVER (ORDER BY id) FROM exact", "String?"),
        // Since SQLite 3.42, unixepoch may have a fraction.
        ("SELECT unixepoch(created), unixepoch(created, '+1 day'), unixepoch('now', 'subsec') FROM job", "Int64? Int64? Double?"),
        // Merged columns of one type.
        ("SELECT x FROM one FULL JOIN three USING (x)", "Int64?"),
        ("SELECT x FROM one FULL JOIN (SELECT 1 AS x) USING (x) FULL JOIN three USING (x)", "Int64?"),
        // Computed columns whose expressions prove their types, or nothing else.
        ("SELECT total, label, half, later FROM computed", "Int64 String Double Double"),
        ("SELECT word, settled FROM computed", "String? Int64?"),
        ("SELECT sum(total), sum(later) FROM computed GROUP BY n", "Int64 Double?"),
    ])
    func `A type that all rows have is claimed`(_ sql: String, _ expected: String) throws {
        #expect(try Self.types(sql) == expected)
        #expect(Self.diagnostics(sql) == [])
    }

    @Test(arguments: [
        ("SELECT coalesce(state, 'none') AS x FROM job", "2:24", "'none'", "Job.State"),
        ("SELECT CASE WHEN id > 1 THEN state ELSE 'none' END AS x FROM job", "2:41", "'none'", "Job.State"),
        ("SELECT iif(id > 1, 'none', state) AS x FROM job", "2:20", "'none'", "Job.State"),
        ("SELECT 'all' AS x UNION ALL SELECT state FROM job", "2:8", "'all'", "Job.State"),
        ("SELECT state AS x FROM job UNION ALL VALUES ('done'), ('none')", "2:56", "'none'", "Job.State"),
        ("WITH c (x) AS (SELECT 'none') SELECT x FROM c UNION SELECT state FROM job", "2:23", "'none'", "Job.State"),
        ("SELECT x FROM (SELECT max(state, 'none') AS x FROM job)", "2:34", "'none'", "Job.State"),
        ("SELECT max(coalesce(state, 'none')) AS x FROM job GROUP BY n", "2:28", "'none'", "Job.State"),
        ("SELECT coalesce(state, 5) AS x FROM job", "2:24", "5", "Job.State"),
        ("SELECT coalesce(nullif(level, 1), 3) AS x FROM job", "2:35", "3", "Job.Level"),
        ("SELECT coalesce(nullif(level, 1), -1) AS x FROM job", "2:35", "-1", "Job.Level"),
        ("SELECT coalesce(nullif(small, 1), 256) AS x FROM job", "2:35", "256", "UInt8"),
        ("SELECT coalesce(nullif(created, 1), 'never') AS x FROM job", "2:37", "'never'", "Date"),
        ("SELECT coalesce(created, changed, '2023-02-29') AS x FROM job", "2:35", "'2023-02-29'", "Date"),
        ("SELECT coalesce(created, '2023-02-28 24:00') AS x FROM job", "2:26", "'2023-02-28 24:00'", "Date"),
        ("SELECT coalesce(token, '') AS x FROM job", "2:24", "''", "UUID"),
        ("SELECT coalesce(price, 'free') AS x FROM job", "2:24", "'free'", "Decimal"),
        ("SELECT x FROM (SELECT 'none' AS x) FULL JOIN (SELECT state AS x FROM job) USING (x)", "2:23", "'none'", "Job.State"),
    ])
    func `A literal that the type of its column lacks is an error with its place`(
        _ sql: String, _ place: String, _ literal: String, _ type: String
    ) {
        #expect(
            Self.diagnostics(sql) == [
                "Queries.sql:\(place): error: \(literal) is not a value of \(type), the type of the column x: declare another type with "
                    + "-- @column x TYPE"
            ])
        // The author can declare a type that has both.
        #expect(Self.diagnostics("-- @column x String\n\(sql)") == [])
    }

    @Test(arguments: [
        // All tables of a WITH clause see each other, and hide those of the schema.
        ("WITH a AS (SELECT * FROM one), one (x, y) AS (SELECT 'text', 5) SELECT * FROM a", "String Int64"),
        ("WITH a AS (SELECT x FROM b), b AS (SELECT y AS x FROM c), c AS (SELECT 1.5 AS y) SELECT x FROM a", "Double"),
        ("WITH one (x, y) AS (SELECT 'text', 5) SELECT * FROM (WITH a AS (SELECT * FROM one) SELECT * FROM a)", "String Int64"),
        ("WITH a AS (SELECT 1 AS x) SELECT * FROM (WITH b AS (SELECT x FROM a), a AS (SELECT 'q' AS x) SELECT * FROM b)", "String"),
        ("WITH one AS (SELECT 1.5 AS x) SELECT one.x, o.x FROM one, main.one AS o", "Double Int64?"),
        ("WITH c AS (SELECT * FROM (WITH c AS (SELECT 'a' AS x) SELECT * FROM c)) SELECT * FROM c", "String"),
        ("WITH one (x, y) AS (SELECT 'text', 5) DELETE FROM one RETURNING x, (SELECT y FROM one)", "Int64? Int64?"),
        // Those that the statement does not use need not be right.
        ("WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT 1", "Int64"),
        ("WITH k AS (SELECT y + 1 AS y) SELECT 1", "Int64"),
    ])
    func `Common tables see each other, and hide the tables of the schema`(_ sql: String, _ expected: String) throws {
        #expect(try Self.types(sql) == expected)
        let function = try QuerySample.function(sql, schema: Self.schema, settings: Self.settings)
        #expect(!function.contains("One>"), "\(function)")
    }

    @Test
    func `A parameter in a common table has the type that it meets, whatever the order of the tables`() throws {
        #expect(
            try QuerySample.function(
                "WITH a AS (SELECT y FROM b WHERE y > :min), b AS (SELECT n AS y FROM job WHERE state = :state), unused AS "
                    + "(SELECT * FROM job WHERE ratio = :ratio) SELECT y FROM a", schema: Self.schema)
                == "(min: Int64, state: Job.State, ratio: Double) -> SQLQuery<Int64, [Int64]>")
    }

    // MARK: - Names

    @Test(arguments: [
        // The row IDs of what is no table.
        ("SELECT rowid AS rowid FROM shown", "DatabaseValue"),
        ("SELECT rowid AS rowid FROM (SELECT n FROM job)", "DatabaseValue"),
        ("SELECT rowid AS rowid FROM sqlite_schema", "Int64?"),
        ("SELECT rowid AS rowid FROM json_each('[1]')", "Int64?"),
        ("SELECT job.rowid AS rowid FROM job, one WHERE rowid = 1", "Int64"),
        // Aliases are no names for each other.
        ("SELECT x AS y, y AS x FROM one", "Int64? String?"),
        ("SELECT n + 1 AS n, n AS m FROM job WHERE m > 1 GROUP BY m HAVING m < 5 ORDER BY m", "Int64 Int64"),
        ("SELECT x || 'a' AS q FROM one WHERE EXISTS (SELECT 1 WHERE q = 'b')", "String?"),
        // The names of a query hide those of the queries around it, and its aliases, too.
        ("SELECT (SELECT count(*) AS n FROM two GROUP BY x HAVING n > 1) FROM job", "Int64?"),
    ])
    func `Names that mean themselves or each other end`(_ sql: String, _ expected: String) throws {
        #expect(try Self.types(sql) == expected)
    }

    @Test(arguments: [(350, "+"), (990, "+"), (350, "AND"), (350, "||"), (990, "OR"), (350, "=")])
    func `A chain of hundreds of operators is understood`(_ count: Int, _ sign: String) throws {
        let type = sign == "+" ? "Int64" : sign == "||" ? "String" : "Bool"
        #expect(try Self.types("SELECT \(Self.chain("count", sign, count)) AS x FROM exact") == type)
        let condition = Self.chain("y = 'a'", sign, count / 2)
        #expect(try Self.types("SELECT max(n) AS x FROM job, one WHERE \(condition) GROUP BY n HAVING \(condition)") == "Int64")
        let function = try QuerySample.function(
            "SELECT \(Self.chain("count(*)", sign, count)) AS x FROM job WHERE id = :id + \(Self.chain("1", "+", 350))", schema: Self.schema
        )
        #expect(function == "(id: Int64) -> SQLQuery<\(type), \(type)>")
    }

    private static func chain(_ operand: String, _ sign: String, _ count: Int) -> String {
        Array(repeating: operand, count: count).joined(separator: " \(sign) ")
    }

    @Test(arguments: [
        "left", "right", "full", "natural", "end", "window", "filter", "over", "like", "match", "cross", "inner", "outer", "glob", "regexp",
        "offset", "indexed", "key", "row", "groups", "replace", "if",
    ])
    func `A keyword that SQLite takes as a name is understood`(_ word: String) throws {
        let schema = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, \(word) INTEGER NOT NULL, name TEXT NOT NULL);
            CREATE TABLE u (id INTEGER NOT NULL, b INT);
            """
        func types(_ sql: String) throws -> [String] {
            #expect(QuerySample.diagnostics("-- name: q :many\n\(sql)", schema: schema) == [])
            return try QuerySample.types(sql, schema: schema)
        }
        #expect(
            try types("SELECT \(word), t.\(word), \(word) + 1, name FROM t WHERE \(word) > 1 ORDER BY \(word)") == [
                "Int64", "Int64", "Int64", "String",
            ])
        #expect(
            try types(
                "SELECT CASE \(word) WHEN 1 THEN \(word) ELSE \(word) END, CASE WHEN \(word) THEN 'a' END, count(\(word)) FROM t "
                    + "GROUP BY \(word)") == ["Int64", "String?", "Int64"])
        #expect(try types("SELECT name AS \(word) FROM t LEFT JOIN u ON u.b = t.\(word)") == ["String"])
        #expect(try types("SELECT \(word).name, \(word).\(word) FROM t AS \(word) JOIN u USING (id)") == ["String", "Int64"])
        #expect(try types("WITH \(word) AS (SELECT id FROM u) SELECT * FROM \(word)") == ["Int64"])
        #expect(
            try QuerySample.function("UPDATE t SET \(word) = :x WHERE \(word) = :y", schema: schema)
                == "(x: Int64, y: Int64) -> SQLCommand<Int>")
    }

    @Test(arguments: [
        ("SELECT count(*) over FROM t", "Int64"), ("SELECT count(*) filter FROM t", "Int64"), ("SELECT id end FROM t", "Int64"),
        ("SELECT name window FROM t", "String"), ("SELECT end.name FROM t end WHERE end.id > 1", "String"),
        ("SELECT like.id FROM t like WHERE name LIKE 'a'", "Int64"), ("SELECT match.id FROM t match", "Int64"),
        ("SELECT CASE WHEN id THEN id END end, 'x' offset FROM t LIMIT 5 OFFSET 1", "Int64? String"),
        ("SELECT sum(n) OVER w, count(*) FILTER (WHERE id > 1) OVER () FROM t WINDOW w AS (ORDER BY id)", "Int64? Int64"),
        ("SELECT \"lower\"(name), name LIKE 'x' FROM t left JOIN u ON u.id = t.id", "String Bool"),
    ])
    func `Keywords are names and aliases where SQLite takes them as such`(_ sql: String, _ expected: String) throws {
        let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, name TEXT NOT NULL) STRICT; CREATE TABLE u (id INTEGER);"
        #expect(try QuerySample.types(sql, schema: schema).joined(separator: " ") == expected)
    }

    // MARK: - Statements that are not understood

    @Test
    func `A statement that is not understood has a warning with its place`() {
        let warning =
            "warning: the statement is not understood from here on, so nothing is proven about it: declare the types of its columns and "
            + "parameters with -- @column NAME TYPE and -- @param NAME TYPE"
        let sql = "SELECT n, (SELECT count(one.x)\nFROM two WHERE two.x = one.y) AS c FROM job, one WHERE n = :n"
        let diagnostics = Self.diagnostics(sql)
        #expect(diagnostics.contains("Queries.sql:2:19: \(warning)"), "\(diagnostics)")
        // Declarations replace what would be proven.
        #expect(Self.diagnostics("-- @column n Int64\n-- @column c Int64\n-- @param n Int64\n\(sql)") == [])
        let parsed = Self.diagnostics("SELECT a.n AS n\nFROM (job AS a JOIN one ON one.x = a.id) AS b")
        #expect(parsed.contains("Queries.sql:3:45: \(warning)"), "\(parsed)")
    }

    @Test
    func `A view whose query is not understood has a warning where a statement names it`() {
        let schema = """
            CREATE TABLE t (n INTEGER, s TEXT);
            CREATE VIEW v AS SELECT a.n FROM (t AS a JOIN t ON a.n = t.n) AS b UNION ALL SELECT s FROM t;
            """
        #expect(
            QuerySample.diagnostics("-- name: q\nSELECT n FROM v", schema: schema) == [
                "Queries.sql:2:8: warning: the type of the column n is not known: declare it with -- @column n TYPE",
                "Queries.sql:2:15: warning: the query of the view v is not understood, so nothing is proven about its columns",
            ])
        #expect(QuerySample.diagnostics("-- name: q\n-- @column n String\nSELECT n FROM v", schema: schema) == [])
    }
}
