import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// Statements with `*`, whose columns the generated SQL lists.
@Suite struct StarTests {
    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT) STRICT;
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, "order" INTEGER, "two words" TEXT, double INTEGER AS (id * 2), teamId INTEGER
        );
        CREATE TABLE tag (name TEXT, "a ""x"" b" TEXT);
        CREATE VIEW pair AS SELECT a.id, b.id, count(*) FROM team a, team b GROUP BY 1, 2;
        CREATE VIRTUAL TABLE note USING fts5(body);
        """

    /// The SQL that the function of a statement runs, in one line.
    private static func sql(_ sql: String, header: String = "") throws -> String {
        let code = try QuerySample.code("-- name: query\n\(header)\(sql)", schema: schema)
        let parts = code.components(separatedBy: "\"\"\"")
        try #require(parts.count == 3, "\(code)")
        return parts[1].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static let player = "p.id, p.name, p.\"order\", p.\"two words\", p.double, p.teamId"

    @Test(arguments: [
        // Generated columns are listed, and names are in quotes where they need them.
        ("SELECT p.*, team.* FROM player p JOIN team ON 1", "SELECT \(player), team.id, team.name, team.city FROM player p JOIN team ON 1"),
        ("SELECT * FROM player p, team", "SELECT \(player), team.id, team.name, team.city FROM player p, team"),
        ("SELECT p.*, 1 AS one FROM player p", "SELECT \(player), 1 AS one FROM player p"),
        ("SELECT *, id FROM player AS \"the best\"", nil),
        // The columns of one table are read by their names.
        ("SELECT * FROM player p", "SELECT * FROM player p"), ("SELECT p.* FROM player p LIMIT 1", "SELECT p.* FROM player p LIMIT 1"),
        ("SELECT DISTINCT * FROM player p", "SELECT DISTINCT \(player) FROM player p"),
        ("SELECT * FROM tag ORDER BY 2", "SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag ORDER BY 2"),
        // Hidden columns are no columns of a star.
        ("SELECT note.*, 1 FROM note", "SELECT note.body, 1 FROM note"), ("SELECT * FROM note, tag t", nil),
        // Columns of USING and NATURAL are shown once, and in a RIGHT or FULL JOIN by the table that has a row.
        (
            "SELECT * FROM team t LEFT JOIN tag USING (name)",
            "SELECT t.id, t.name, t.city, tag.\"a \"\"x\"\" b\" FROM team t LEFT JOIN tag USING (name)"
        ),
        (
            "SELECT * FROM tag NATURAL FULL JOIN team",
            "SELECT name, tag.\"a \"\"x\"\" b\", team.id, team.city FROM tag NATURAL FULL JOIN team"
        ),
        (
            "SELECT * FROM tag a RIGHT JOIN tag b USING (\"a \"\"x\"\" b\")",
            "SELECT a.name, \"a \"\"x\"\" b\" AS \"a \"\"x\"\" b\", b.name FROM tag a RIGHT JOIN tag b USING (\"a \"\"x\"\" b\")"
        ),
        (
            "SELECT team.*, tag.* FROM team FULL JOIN tag USING (name)",
            "SELECT team.id, name, team.city, tag.name, tag.\"a \"\"x\"\" b\" FROM team FULL JOIN tag USING (name)"
        ),
        // Views have the names of their columns.
        ("SELECT pair.*, 1 FROM pair", "SELECT pair.id, pair.\"id:1\", pair.\"count(*)\", 1 FROM pair"),
        // Subqueries, common tables, and compound queries.
        (
            "SELECT s.*, 1 FROM (SELECT * FROM tag) AS s",
            "SELECT s.*, 1 FROM (SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag) AS s"
        ),
        (
            "SELECT * FROM (SELECT * FROM tag), team subquery1",
            "SELECT subquery2.*, subquery1.id, subquery1.name, subquery1.city "
                + "FROM (SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag) AS subquery2, team subquery1"
        ),
        (
            "WITH x AS (SELECT * FROM tag), y (a, b) AS (SELECT * FROM x) SELECT *, 1 FROM y JOIN x",
            "WITH x AS (SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag), y (a, b) AS (SELECT * FROM x) SELECT *, 1 FROM y JOIN x"
        ),
        (
            "SELECT * FROM tag UNION ALL SELECT * FROM tag AS b",
            "SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag UNION ALL SELECT b.name, b.\"a \"\"x\"\" b\" FROM tag AS b"
        ),
        (
            "SELECT 1 FROM team WHERE (name, city) IN (SELECT * FROM tag) AND EXISTS (SELECT * FROM tag)",
            "SELECT 1 FROM team WHERE (name, city) IN (SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag) AND EXISTS (SELECT * FROM tag)"
        ),
        // In ORDER BY, the columns of a star have precedence over those of tables, and over aliases behind them.
        (
            "SELECT a.*, b.*, 1 FROM tag a, tag b ORDER BY name COLLATE NOCASE, a.name || ''",
            "SELECT a.name AS name, a.\"a \"\"x\"\" b\", b.name AS name, b.\"a \"\"x\"\" b\", 1 FROM tag a, tag b "
                + "ORDER BY name COLLATE NOCASE, a.name || ''"
        ),
        (
            "SELECT tag.*, -length(name) AS name FROM tag ORDER BY name DESC",
            "SELECT tag.name AS name, tag.\"a \"\"x\"\" b\", -length(name) AS name FROM tag ORDER BY name DESC"
        ),
        (
            "SELECT * FROM tag UNION SELECT * FROM tag ORDER BY name",
            "SELECT tag.name AS name, tag.\"a \"\"x\"\" b\" FROM tag UNION SELECT tag.name AS name, tag.\"a \"\"x\"\" b\" FROM tag ORDER BY name"
        ),
        // Changes.
        ("DELETE FROM team AS t RETURNING *", "DELETE FROM team AS t RETURNING *"),
        ("UPDATE team AS t SET id = 1 RETURNING *, 1", "UPDATE team AS t SET id = 1 RETURNING team.id, team.name, team.city, 1"),
        ("INSERT INTO tag SELECT * FROM tag", "INSERT INTO tag SELECT * FROM tag"),
        ("INSERT INTO tag (name) SELECT * FROM (SELECT name FROM tag)", "INSERT INTO tag (name) SELECT * FROM (SELECT name FROM tag)"),
        (
            "INSERT INTO team (name, city) SELECT * FROM tag WHERE name = :x",
            "INSERT INTO team (name, city) SELECT tag.name, tag.\"a \"\"x\"\" b\" FROM tag WHERE name = :x"
        ),
        ("SELECT tag.*, 2 * 3 FROM tag -- all.*\n", "SELECT tag.name, tag.\"a \"\"x\"\" b\", 2 * 3 FROM tag"),
    ])
    func `The SQL lists the columns that a star means`(_ sql: String, _ expected: String?) throws {
        let whole = try Self.sql(sql)
        switch sql {
        case "SELECT *, id FROM player AS \"the best\"":
            #expect(whole.hasPrefix("SELECT \"the best\".id, \"the best\".name, \"the best\".\"order\","), "\(whole)")
        case "SELECT * FROM note, tag t": #expect(whole == "SELECT note.body, t.name, t.\"a \"\"x\"\" b\" FROM note, tag t")
        default: #expect(whole == expected)
        }
    }

    @Test
    func `Rows that nest both sides of USING are ordered by the column of the side that has a row`() throws {
        let nested = try Self.sql("SELECT * FROM tag FULL JOIN team USING (name) ORDER BY name, city", header: "-- @nest tag, team\n")
        #expect(
            nested == "SELECT tag.name, tag.\"a \"\"x\"\" b\", team.id, team.name, team.city "
                + "FROM tag FULL JOIN team USING (name) ORDER BY name, city")
    }

    @Test
    func `Long lists are broken into lines, and what follows them begins a line`() throws {
        let columns = (1...20).map { "columnNumber\($0) TEXT" }.joined(separator: ", ")
        let code = try QuerySample.code(
            "-- name: query\nSELECT long.*, 1 AS one FROM long WHERE columnNumber1 = :first AND columnNumber2 = :second LIMIT 10",
            schema: "CREATE TABLE long (\(columns));")
        #expect(
            code.contains(
                """
                            SELECT long.columnNumber1, long.columnNumber2, long.columnNumber3, long.columnNumber4, long.columnNumber5,
                                long.columnNumber6, long.columnNumber7, long.columnNumber8, long.columnNumber9, long.columnNumber10,
                                long.columnNumber11, long.columnNumber12, long.columnNumber13, long.columnNumber14, long.columnNumber15,
                                long.columnNumber16, long.columnNumber17, long.columnNumber18, long.columnNumber19, long.columnNumber20,
                                1 AS one FROM long WHERE columnNumber1 = :first AND columnNumber2 = :second LIMIT 10

                """), "\(code)")
    }

    @Test
    func `Behind a star, mistakes keep their places, and parameters their types`() throws {
        let diagnostics = QuerySample.diagnostics(
            """
            -- name: query
            SELECT player.*, team.*, :x AS y, team.city ->> 'z' AS z
            FROM player JOIN team ON team.id = :id;
            -- name: other
            SELECT player.*,
                team.* FROM player, team WHERE team.id = :id OR team.name = :id
            """, schema: Self.schema)
        #expect(
            diagnostics == [
                "Queries.sql:2:8: warning: the columns of player, team are side by side in a row: "
                    + "a line -- @nest player, team makes each table a property",
                "Queries.sql:2:26: warning: the type of the parameter x is not known: declare it with -- @param x TYPE",
                "Queries.sql:2:35: warning: the type of the column z is not known: declare it with -- @column z TYPE",
                "Queries.sql:5:8: warning: the columns of player, team are side by side in a row: "
                    + "a line -- @nest player, team makes each table a property",
                "Queries.sql:6:65: error: the parameter id could be Int64 like team.id, or String like team.name: "
                    + "declare it with -- @param id TYPE",
            ])
        // A list and a parameter without a name, both behind stars.
        let code = try QuerySample.code(
            "-- name: query\nSELECT p.*, t.* FROM team t JOIN tag p ON t.id IN (:ids) AND t.name = ?", schema: Self.schema)
        #expect(code.contains(#"t.id, t.name, t.city FROM team t JOIN tag p ON t.id IN \(ids) AND t.name = :name"#), "\(code)")
        // The type of a column behind a star is asked for at the star.
        let untyped = QuerySample.diagnostics(
            "-- name: query\nSELECT team.id,\n\tpair.*, team.city FROM pair, team", schema: Self.schema)
        #expect(untyped.allSatisfy { $0.hasPrefix("Queries.sql:3:2: ") }, "\(untyped)")
    }

    @Test
    func `Tables that can't be told apart keep their star, and a warning says so`() throws {
        let sql = "SELECT *, 1 AS one FROM (SELECT 1 AS a) AS x, (SELECT 2 AS b) AS x, team"
        #expect(
            QuerySample.diagnostics("-- name: query\n\(sql)", schema: Self.schema) == [
                "Queries.sql:2:8: warning: the columns of * can't be listed: columns that are added to the table later would move those behind it"
            ])
    }

    // MARK: - Random statements

    private static let environment = ProcessInfo.processInfo.environment

    /// `STRATA_STARS` sets the number of schemas, each with 20 statements, and `STRATA_SEED` the first seed.
    @Test
    func `Values are right in a database whose tables have more columns than the schema`() throws {
        let count = Self.environment["STRATA_STARS"].flatMap { Int($0) } ?? 25
        let first = Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        var (compared, rows) = (0, 0)
        for seed in first..<(first + UInt64(count)) {
            var random = StarRandom(seed: seed)
            let schema = random.schema()
            try QuerySample.withCompiler(schema: schema) { compiler, _ in
                let db = compiler.db
                try random.fill(db)
                var statements: [(sql: String, query: CompiledQuery, values: [String])] = []
                for _ in 0..<20 {
                    let sql = random.query()
                    guard case .statement = try db.compile(sql) else { continue }
                    let result = try compiler.compile(QueryFile(SourceText("-- name: query\n\(sql)", file: "a.sql")))
                    let query = try #require(result.queries.first, "\(sql): \(result.diagnostics)")
                    statements.append((sql, query, try Self.values(of: sql, db) { row, index in row.databaseValue(at: index).sqlLiteral }))
                }
                try random.addColumns(db)
                for (sql, query, expected) in statements {
                    let generated = query.fragments.map { if case .sql(let text) = $0 { text } else { "" } }.joined()
                    let values = try Self.values(of: generated, db, columns: query.columns.map { ($0.index, $0.column) })
                    let different = zip(values, expected).first { $0 != $1 }
                    let isSame = values == expected
                    #expect(isSame, "\(seed): \(different as Any)\n\(sql)\n\(generated)\n\(schema)")
                    (compared, rows) = (compared + 1, rows + expected.count)
                }
            }
        }
        if Self.environment["STRATA_STARS"] != nil { print("\(compared) statements with \(rows) rows") }
        #expect(compared > count * 12 && rows > compared, "\(compared) statements with \(rows) rows")
    }

    /// The rows of a statement, each as a string, in order.
    private static func values(of sql: String, _ db: Database, _ value: (Statement, Int) -> String) throws -> [String] {
        let statement = try db.makeStatement(sql: sql)
        var rows: [String] = []
        while try statement.step() { rows.append((0..<statement.columnCount).map { value(statement, $0) }.joined(separator: ", ")) }
        return rows.sorted()
    }

    /// The rows of a statement as the generated code reads them: by positions, or by names. A record reads its columns by name.
    private static func values(of sql: String, _ db: Database, columns: [(index: Int?, name: String)]) throws -> [String] {
        let statement = try db.makeStatement(sql: sql)
        var rows: [String] = []
        while try statement.step() {
            let names = statement.columnNames.map(\.foldingASCIICase)
            let indexes =
                columns.isEmpty
                ? names.indices.filter { !names[$0].hasPrefix("added") && names[$0] != "k" }
                : columns.map { $0.index ?? names.firstIndex(of: $0.name.foldingASCIICase) ?? -1 }
            rows.append(indexes.map { $0 < 0 ? "missing" : statement.databaseValue(at: $0).sqlLiteral }.joined(separator: ", "))
        }
        return rows.sorted()
    }
}

/// Makes random schemas, and statements with stars over several tables.
struct StarRandom {
    private var random: QueryRandom
    private var tables: [[String]] = []

    init(seed: UInt64) { random = QueryRandom(seed: seed) }

    mutating func schema() -> String {
        tables = []
        var sql = ""
        for number in 0..<3 {
            var columns = ["id", "a", "b", "order", "two words", "a \"x\" b"].filter { _ in random.chance(70) }
            if columns.isEmpty { columns = ["id"] }
            let definitions = columns.map { column in
                let key = column == "id" && random.chance(70) ? " INTEGER PRIMARY KEY" : ""
                return "\(column.quotedDatabaseIdentifier)\(key)\(key.isEmpty && random.chance(30) ? " NOT NULL" : "")"
            }
            let generated = random.chance(30) ? ", g AS (1 + \(columns[0].quotedDatabaseIdentifier))" : ""
            sql += "CREATE TABLE t\(number) (\(definitions.joined(separator: ", "))\(generated));\n"
            tables.append(columns + (generated.isEmpty ? [] : ["g"]))
        }
        return sql + "CREATE VIEW v AS SELECT \(random.pick(["*", "t0.*, 1 + 1"])) FROM t0;\n"
    }

    mutating func fill(_ db: Database) throws {
        for (number, columns) in tables.enumerated() {
            for row in 0..<4 {
                let columns = columns.filter { $0 != "g" }
                let values = columns.map { random.chance(20) ? "NULL" : $0 == "id" ? "\(row + 1)" : "\(random.below(4))" }
                let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
                try db.execute(sql: "INSERT OR IGNORE INTO t\(number) (\(names)) VALUES (\(values.joined(separator: ", ")))")
            }
        }
    }

    /// Adds columns to all tables, with values of their own: new names, and the alias that statements have.
    mutating func addColumns(_ db: Database) throws {
        for number in tables.indices {
            try db.execute(sql: "ALTER TABLE t\(number) ADD COLUMN added\(number) DEFAULT 99")
            if number == 0 { try db.execute(sql: "ALTER TABLE t0 ADD COLUMN k DEFAULT 98") }
        }
    }

    mutating func query() -> String {
        switch random.below(8) {
        case 0: return "SELECT \(random.pick(["s.*", "*"])), 7 AS k FROM (\(select())) AS s JOIN t\(random.below(3)) AS z"
        case 1: return "WITH c AS (\(select())) SELECT \(random.pick(["*", "c.*, z.*", "z.*, 7 AS k, c.*"])) FROM t1 AS z LEFT JOIN c"
        case 2:
            let table = random.below(3)
            return "SELECT *, 7 AS k FROM t\(table) \(random.pick(["UNION", "UNION ALL", "EXCEPT"])) SELECT s.*, 8 FROM t\(table) AS s"
        case 3: return "SELECT * FROM \(random.pick(["v", "t0", "t1", "(SELECT * FROM t2)", "(SELECT * FROM t1, t2)"]))"
        default: return select()
        }
    }

    private mutating func select() -> String {
        let from = join(of: ["t0", "t1", "t2", "v"]).sql
        let items = (0..<(1 + random.below(3))).map { _ in random.pick(["*", "s0.*", "s1.*", "7 AS k", "s0.*, s1.*"]) }
        let results = items.contains { $0.contains("*") } ? items : items + ["*"]
        // A name that all of them have, also as the name of a star's column.
        let order = random.chance(15) ? " ORDER BY \(random.pick(["id", "a", "b"])), s0.rowid, s1.rowid" : ""
        return "SELECT \(results.joined(separator: ", ")) FROM \(from)\(order)"
    }

    /// A FROM clause with several tables, and their aliases.
    mutating func join(of tables: [String] = ["t0", "t1", "t2"]) -> (sql: String, names: [String]) {
        let names = tables.shuffled(using: &random).prefix(2 + random.below(2))
        var from = ""
        for (index, name) in names.enumerated() {
            let alias = "s\(index)"
            if index > 0 {
                from += random.pick([" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " NATURAL JOIN ", " NATURAL FULL JOIN ", ", "])
            }
            let hasJoin = from.hasSuffix("JOIN ") && !from.contains("NATURAL")
            from += "\(name) AS \(alias)"
            if index > 0, hasJoin { from += random.pick([" USING (id)", " ON s0.rowid = \(alias).rowid", " ON 1"]) }
        }
        return (from, names.indices.map { "s\($0)" })
    }

    /// The columns of the table with an alias.
    func columns(of alias: String, in from: String) -> [String] {
        tables.indices.first { from.contains("t\($0) AS \(alias)") }.map { tables[$0] } ?? []
    }

    mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }
}

extension QueryRandom: RandomNumberGenerator {}
