import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// Queries of a file for a schema.
struct QuerySample {
    static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT) STRICT;
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL, weight REAL, born DATETIME,
            teamId INTEGER REFERENCES team, state TEXT NOT NULL CHECK (state IN ('active', 'retired')), isCaptain BOOLEAN NOT NULL
        );
        CREATE TABLE loose (a, b ANY, c NUMERIC NOT NULL);
        CREATE TABLE exact (id INTEGER NOT NULL, amount INTEGER NOT NULL, rate REAL NOT NULL, label TEXT NOT NULL, raw BLOB) STRICT;
        CREATE VIEW overview AS SELECT player.id, player.name, team.name AS teamName FROM player LEFT JOIN team ON team.id = teamId;
        CREATE VIEW teams AS SELECT name, count(*) AS number FROM team GROUP BY name;
        """

    /// The generated code of a file's queries.
    static func code(_ sql: String, schema: String = schema, settings: String = "", file: String = "Queries.sql") throws -> String {
        try code([(file, sql)], schema: schema, settings: settings)[0]
    }

    static func code(_ files: [(String, String)], schema: String = schema, settings: String = "") throws -> [String] {
        let set = try make(files, schema: schema, settings: settings)
        return set.outputs.dropFirst().map(\.code)
    }

    static func make(
        _ files: [(String, String)], schema: String = schema, settings: String = "", prefix: String = ""
    ) throws -> QuerySet {
        let (files, script) = (files.map { SourceText($0.1, file: $0.0) }, SourceText(schema, file: "schema.sql"))
        let set = try QuerySet(files, schema: script, settings: RecordSettings(settings, file: "schema.records"), prefix: prefix)
        GeneratedLiterals.check(set, files, schema: script)
        return set
    }

    /// Calls a closure with a compiler for a schema, in a database that has it, and with the records of its tables.
    static func withCompiler(schema script: String, _ body: (QueryCompiler, [RecordGenerator.Record]) throws -> Void) throws {
        let queue = try SchemaScript(SourceText(script, file: "schema.sql")).makeDatabase(RecordSettings())
        try queue.writeWithoutTransaction { db in
            let model = try SchemaModel(db, source: "schema.sql", readsValues: false, script: script)
            let records = RecordGenerator(model).records
            let schema = try QuerySchema(db, model, records, RecordSettings())
            try body(QueryCompiler(db: db, schema: schema, typeNames: Set(records.map(\.typeName))), records)
        }
    }

    /// The errors and warnings of a file, without its lines.
    static func diagnostics(_ sql: String, schema: String = schema, settings: String = "") -> [String] {
        do {
            return try make([("Queries.sql", sql)], schema: schema, settings: settings).warnings.map(firstLine)
        } catch let error as QueryErrors {
            return error.diagnostics.map(firstLine)
        } catch {
            return ["\(error)"]
        }
    }

    private static func firstLine(_ diagnostic: QueryDiagnostic) -> String {
        String(diagnostic.description.prefix { $0 != "\n" })
    }

    /// The types of the columns of a query, such as `Int64` or `String?`.
    static func types(_ sql: String, schema: String = schema, settings: String = "") throws -> [String] {
        let code = try code("-- name: query :many\n-- @struct Rows\n\(sql)", schema: schema, settings: settings)
        return code.split(separator: "\n").filter { $0.hasPrefix("        var ") }.map { line in
            String(line.split(separator: ": ", maxSplits: 1)[1])
        }
    }

    /// The declaration of the function.
    static func function(_ sql: String, schema: String = schema, settings: String = "") throws -> String {
        let code = try code("-- name: query\n\(sql)", schema: schema, settings: settings)
        let line = try #require(code.split(separator: "\n").first { $0.contains("static func ") })
        return String(line.drop { $0 == " " }.dropFirst("static func query".count).dropLast(2))
    }
}

@Suite struct QueryTests {
    // MARK: - Code

    @Test
    func `A query becomes a documented function and a struct of its columns`() throws {
        let code = try QuerySample.code(
            """
            -- name: bestPlayers
            -- Players above a score, best first.
            SELECT player.*, team.name AS teamName FROM player LEFT JOIN team ON team.id = player.teamId
            WHERE score > :score ORDER BY score DESC LIMIT :limit;
            """)
        #expect(
            code == """
                // Queries of Queries.sql.
                //
                // Written by `strata queries`. Don't edit: the next run replaces this file.

                import Foundation
                \("import") Strata

                nonisolated extension Queries {
                    /// Players above a score, best first.
                    static func bestPlayers(score: Int64, limit: Int64) -> SQLQuery<BestPlayersRow, [BestPlayersRow]> {
                        SQLQuery<BestPlayersRow, [BestPlayersRow]>(
                            \"""
                            SELECT player.id, player.name, player.score, player.weight, player.born, player.teamId, player.state, player.isCaptain,
                                team.name AS teamName FROM player LEFT JOIN team ON team.id = player.teamId
                            WHERE score > :score ORDER BY score DESC LIMIT :limit
                            \""",
                            arguments: ["score": score, "limit": limit])
                    }
                }

                nonisolated extension Queries {
                    /// A row of `bestPlayers`.
                    struct BestPlayersRow: Codable, Hashable, Sendable {
                        var id: Int64
                        var name: String
                        var score: Int64
                        var weight: Double?
                        var born: Date?
                        var teamId: Int64?
                        var state: Player.State
                        var isCaptain: Bool
                        var teamName: String?
                    }
                }

                nonisolated extension Queries.BestPlayersRow: FetchableRecord {
                    init(row: borrowing Row) throws {
                        try self.init(
                            id: row.decode(Int64.self, atIndex: 0), name: row.decode(String.self, atIndex: 1), score: row.decode(Int64.self, atIndex: 2),
                            weight: row.decode(Double?.self, atIndex: 3), born: row.decode(Date?.self, atIndex: 4),
                            teamId: row.decode(Int64?.self, atIndex: 5), state: row.decode(Player.State.self, atIndex: 6),
                            isCaptain: row.decode(Bool.self, atIndex: 7), teamName: row.decode(String?.self, atIndex: 8))
                    }
                }

                """)
    }

    @Test(arguments: [
        ("SELECT * FROM player", "() -> SQLQuery<Player, [Player]>"),
        ("SELECT p.* FROM player AS p JOIN team ON team.id = teamId", "() -> SQLQuery<Player, [Player]>"),
        ("SELECT * FROM (SELECT * FROM player WHERE score > 1) ORDER BY name", "() -> SQLQuery<Player, [Player]>"),
        ("SELECT * FROM player WHERE id = :id", "(id: Int64) -> SQLQuery<Player, Player?>"),
        ("SELECT * FROM player WHERE :name = name", "(name: String) -> SQLQuery<Player, Player?>"),
        ("SELECT * FROM player LIMIT 1", "() -> SQLQuery<Player, Player?>"),
        ("SELECT * FROM player WHERE id IN (:ids)", "(ids: [Int64]) -> SQLQuery<Player, [Player]>"),
        ("SELECT name FROM player", "() -> SQLQuery<String, [String]>"),
        ("SELECT city FROM team", "() -> SQLQuery<String?, [String?]>"),
        ("SELECT city FROM team WHERE id = 1", "() -> SQLQuery<String, String?>"),
        ("SELECT count(*) FROM player", "() -> SQLQuery<Int64, Int64>"),
        ("SELECT max(score) FROM player", "() -> SQLQuery<Int64?, Int64?>"),
        ("SELECT count(*) FROM player LIMIT :n", "(n: Int64) -> SQLQuery<Int64, Int64?>"),
        ("SELECT count(*) FROM player GROUP BY teamId", "() -> SQLQuery<Int64, [Int64]>"),
        ("DELETE FROM player WHERE id = ?", "(id: Int64) -> SQLCommand<Int>"),
        (
            "UPDATE player SET teamId = :teamId, score = score + :points WHERE id = :id",
            "(teamId: Int64?, points: Int64, id: Int64) -> SQLCommand<Int>"
        ),
        ("INSERT INTO team (name, city) VALUES (:name, :city)", "(name: String, city: String?) -> SQLCommand<Int>"),
        ("INSERT INTO team VALUES (:id, :name, :city) RETURNING *", "(id: Int64?, name: String, city: String?) -> SQLCommand<Team>"),
        ("INSERT OR IGNORE INTO team (name) VALUES (:name) RETURNING id", "(name: String) -> SQLCommand<Int64?>"),
        ("DELETE FROM team RETURNING id", "() -> SQLCommand<[Int64]>"),
        ("SELECT id FROM team WHERE city IS :city", "(city: String?) -> SQLQuery<Int64, [Int64]>"),
        ("SELECT id FROM team WHERE :city IS NULL OR city = :city", "(city: String? = nil) -> SQLQuery<Int64, [Int64]>"),
        ("UPDATE team SET name = coalesce(:name, name)", "(name: String?) -> SQLCommand<Int>"),
        ("SELECT id FROM player WHERE state = :state AND born < :born", "(state: Player.State, born: Date) -> SQLQuery<Int64, [Int64]>"),
        ("SELECT id FROM team WHERE name LIKE '%' || :text || '%'", "(text: String) -> SQLQuery<Int64, [Int64]>"),
        ("SELECT id FROM player WHERE (score, id) > (:score, :id)", "(score: Int64, id: Int64) -> SQLQuery<Int64, [Int64]>"),
        (
            "SELECT id FROM player WHERE score BETWEEN ?1 AND ?2 AND id <> :in",
            "(score: Int64, score2: Int64, in: Int64) -> SQLQuery<Int64, [Int64]>"
        ),
        ("SELECT id FROM player WHERE isCaptain = :flag OR :all", "(flag: Bool, all: Bool) -> SQLQuery<Int64, [Int64]>"),
        (
            "INSERT INTO team (id, name) VALUES (:id, :name) ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE city = :city",
            "(id: Int64?, name: String, city: String) -> SQLCommand<Int>"
        ),
    ])
    func `Functions have typed parameters, and say how many rows there are`(_ sql: String, _ expected: String) throws {
        #expect(try QuerySample.function(sql) == expected)
    }

    @Test(arguments: [
        // Columns.
        ("SELECT id, name, city FROM team", "Int64 String String?"),
        ("SELECT rowid FROM player", "Int64"),
        ("SELECT a, b, c FROM loose", "DatabaseValue DatabaseValue Double"),
        ("SELECT id, name, teamName FROM overview", "Int64 String String?"),
        ("SELECT * FROM teams", "String Int64"),
        // Joins.
        ("SELECT p.id, t.id FROM player p LEFT JOIN team t ON t.id = p.teamId", "Int64 Int64?"),
        ("SELECT p.id, t.id FROM player p RIGHT JOIN team t ON t.id = p.teamId", "Int64? Int64"),
        ("SELECT p.id, t.id FROM player p FULL JOIN team t ON t.id = p.teamId", "Int64? Int64?"),
        ("SELECT p.id, t.id FROM player p JOIN team t ON t.id = p.teamId", "Int64 Int64"),
        ("SELECT p.id, t.name FROM player p LEFT JOIN team t ON t.id = p.teamId WHERE t.city = 'x'", "Int64 String"),
        ("SELECT id, name FROM team JOIN (SELECT id FROM player) USING (id)", "Int64 String"),
        ("SELECT teamId FROM player WHERE teamId IS NOT NULL", "Int64"),
        ("SELECT teamId FROM player WHERE NOT NOT teamId > 3", "Int64"),
        ("SELECT teamId FROM player WHERE NOT NOT teamId IS NULL", "Int64?"),
        ("SELECT teamId FROM player WHERE teamId > 3 OR score > 1", "Int64?"),
        ("SELECT t.id FROM player p LEFT JOIN (team t JOIN exact e ON e.id = t.id) ON t.id = p.teamId", "Int64?"),
        // Expressions.
        ("SELECT score + 1, score * 2.5, score / 2, score / id, score % 0 FROM player", "Int64 Double Int64 Int64? Int64?"),
        ("SELECT amount + id, amount * id, rate + amount, rate + rate, rate * amount FROM exact", "Int64 Int64 Double Double? Double?"),
        ("SELECT score > 1, name = city, city IS NULL, NOT score FROM player JOIN team USING (name)", "Bool Bool? Bool Bool"),
        ("SELECT name || 'x', city || 'x', lower(name), length(city), coalesce(city, '') FROM team", "String String? String Int64? String"),
        ("SELECT CASE WHEN city IS NULL THEN 1 ELSE 2 END, CASE city WHEN 'a' THEN 1 END FROM team", "Int64 Int64?"),
        (
            "SELECT CAST(city AS INTEGER), CAST(name AS BLOB), nullif(name, 'x'), iif(id > 1, name, city) FROM team",
            "Int64? Data String? String?"
        ),
        ("SELECT coalesce(state, 'active'), coalesce(isCaptain, 0), coalesce(teamId, 0.5) FROM player", "Player.State Int64 Double"),
        ("SELECT EXISTS (SELECT 1), id IN (1, 2), id IN (SELECT teamId FROM player), city LIKE 'a' FROM team", "Bool Bool Bool? Bool?"),
        ("SELECT (SELECT name FROM team WHERE id = 1), (SELECT count(*) FROM team)", "String? Int64"),
        ("SELECT substr(label, 1, 2), substr(name, 1, 2) FROM exact JOIN team USING (id)", "String String"),
        ("SELECT substr(name, 1, 2), round(weight), abs(score) FROM player", "String? Double? Int64"),
        ("SELECT date('now'), date(born), CURRENT_TIMESTAMP, strftime('%s', 'now') FROM player", "String String? String String"),
        // Aggregates and windows.
        ("SELECT count(*), sum(score), max(name), group_concat(name) FROM player", "Int64 Int64? String? String?"),
        ("SELECT teamId, count(*), sum(amount), max(name) FROM player JOIN exact USING (id) GROUP BY teamId", "Int64? Int64 Int64 String"),
        ("SELECT sum(score), avg(score) FROM player GROUP BY teamId", "Int64? Double?"),
        ("SELECT sum(amount), avg(amount), total(amount) FROM exact GROUP BY id", "Int64 Double Double"),
        ("SELECT name, max(score) FROM player", "String? Int64?"),
        ("SELECT sum(amount) FILTER (WHERE id > 1) FROM exact GROUP BY id", "Int64?"),
        ("SELECT row_number() OVER (), sum(amount) OVER (ORDER BY id), lag(amount) OVER (ORDER BY id) FROM exact", "Int64 Int64 Int64?"),
        ("SELECT sum(amount) OVER (ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM exact", "Int64?"),
        // Compound queries and common table expressions.
        ("SELECT name FROM team UNION SELECT city FROM team", "String?"),
        ("SELECT name FROM team EXCEPT SELECT city FROM team", "String"),
        ("SELECT city FROM team INTERSECT SELECT name FROM team", "String"),
        ("WITH a (x, y) AS (SELECT id, city FROM team) SELECT y, x FROM a", "String? Int64"),
        ("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n", "Int64"),
        ("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT nullif(i + 1, 5) FROM n WHERE i < 9) SELECT i FROM n", "Int64?"),
        ("VALUES (1, 'a'), (2, NULL)", "Int64 String?"),
        // RETURNING.
        ("UPDATE player SET teamId = 1 WHERE teamId IS NOT NULL RETURNING teamId, score", "Int64? Int64"),
        ("DELETE FROM player WHERE teamId IS NOT NULL RETURNING teamId", "Int64"),
    ])
    func `Columns have proven types, and are optional where a row can make them NULL`(_ sql: String, _ expected: String) throws {
        #expect(try QuerySample.types(sql).joined(separator: " ") == expected)
    }

    @Test(arguments: [
        ("id INTEGER PRIMARY KEY CHECK (id = 1), theme TEXT", "Settings?"),
        ("id INTEGER PRIMARY KEY, theme TEXT, CHECK (1 == id)", "Settings?"),
        ("id INTEGER PRIMARY KEY CHECK (id = -- one row\n1), theme TEXT", "Settings?"),
        ("id INTEGER PRIMARY KEY CHECK (id IN (1)) CHECK (theme <> ''), theme TEXT", "Settings?"),
        ("id INTEGER PRIMARY KEY CHECK ((id IS -1) AND theme <> ''), theme TEXT", "Settings?"),
        ("kind TEXT NOT NULL PRIMARY KEY CHECK (kind = 'main'), theme TEXT", "Settings?"),
        ("kind TEXT NOT NULL UNIQUE CHECK (\"kind\" = 'main'), theme TEXT", "Settings?"),
        // The key has other values.
        ("id INTEGER PRIMARY KEY CHECK (id > 0), theme TEXT", "[Settings]"),
        ("id INTEGER PRIMARY KEY CHECK (id IN (1, 2)), theme TEXT", "[Settings]"),
        ("id INTEGER PRIMARY KEY CHECK (id = 1 OR theme = ''), theme TEXT", "[Settings]"),
        ("id INTEGER PRIMARY KEY CHECK (NOT id = 1), theme TEXT", "[Settings]"),
        ("id INTEGER PRIMARY KEY, n INT CHECK (n = 1)", "[Settings]"),
        ("id INTEGER PRIMARY KEY CHECK (id + 0 = 1), theme TEXT", "[Settings]"),
        ("id INTEGER PRIMARY KEY DEFAULT 1, \"id = 1\" TEXT", "[Settings]"),
        // NULL passes a CHECK, and many rows can have it.
        ("kind TEXT UNIQUE CHECK (kind = 'main'), theme TEXT", "[Settings]"), ("kind TEXT PRIMARY KEY CHECK (kind = 'main')", "[Settings]"),
        // Values that are equal in the CHECK are several keys.
        ("kind TEXT NOT NULL UNIQUE CHECK (kind COLLATE NOCASE = 'main'), theme TEXT", "[Settings]"),
        ("kind TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (kind = 'main'), theme TEXT", "[Settings]"),
    ])
    func `A table whose key a CHECK limits to one value has at most one row`(_ columns: String, _ result: String) throws {
        let schema = "CREATE TABLE settings (\(columns));"
        let function = try QuerySample.function("SELECT * FROM settings", schema: schema)
        #expect(function.hasSuffix("SQLQuery<Settings, \(result)>"), "\(function)")
    }

    @Test
    func `A key with a column that a CHECK limits to one value needs only the others`() throws {
        let schema = "CREATE TABLE option (owner INTEGER NOT NULL CHECK (owner = 7), name TEXT NOT NULL, UNIQUE (owner, name));"
        try #expect(QuerySample.function("SELECT * FROM option WHERE name = :name", schema: schema).contains("Option?>"))
        try #expect(QuerySample.function("SELECT * FROM option WHERE owner = :owner", schema: schema).contains("[Option]>"))
        // The row may be missing: the author of the statement may know better.
        let one = "CREATE TABLE settings (id INTEGER PRIMARY KEY CHECK (id = 1), theme TEXT NOT NULL);"
        #expect(QuerySample.diagnostics("-- name: settings :one\nSELECT * FROM settings", schema: one) == [])
        #expect(QuerySample.diagnostics("-- name: theme :one\nSELECT theme FROM settings WHERE id = 1", schema: one) == [])
    }

    private static let moneySchema = """
        CREATE TABLE line (
            id INTEGER PRIMARY KEY, price INTEGER NOT NULL, discount INTEGER, quantity INTEGER NOT NULL, factor REAL NOT NULL,
            weight REAL NOT NULL, code TEXT NOT NULL, due TEXT NOT NULL, score INTEGER NOT NULL
        ) STRICT;
        """
    private static let moneySettings = """
        column line.price Amount
        column line.discount Amount
        column line.weight Weight
        column line.code Code
        column line.due Date
        column line.score Int
        """

    @Test(arguments: [
        // Sums and whole multiples of amounts are amounts.
        ("SELECT sum(price), min(price), max(price), abs(price), -price FROM line GROUP BY id", "Amount Amount Amount Amount Amount"),
        ("SELECT sum(price), sum(discount) FROM line", "Amount? Amount?"),
        ("SELECT price + price, price - discount, price - coalesce(discount, 0) FROM line", "Amount Amount? Amount"),
        (
            "SELECT price * quantity, quantity * price, 2 * price, sum(price * quantity) FROM line GROUP BY id",
            "Amount Amount Amount Amount"
        ),
        ("SELECT coalesce(sum(price), 0), iif(id > 1, price, -price) FROM line GROUP BY id", "Amount Amount"),
        ("SELECT (SELECT sum(price) FROM line), sum(price) OVER (ORDER BY id) FROM line", "Amount? Amount"),
        (
            "WITH a (total) AS (SELECT sum(price) FROM line GROUP BY quantity) SELECT total, -total, sum(total) FROM a GROUP BY 1",
            "Amount Amount Amount"
        ),
        ("SELECT sum(weight), weight + weight FROM line GROUP BY id", "Weight? Weight?"),
        // Numbers of Swift's types are numbers.
        (
            "SELECT sum(score), score + 1, -score, score * 2, avg(score), score / 2.0 FROM line GROUP BY id",
            "Int64 Int64 Int64 Int64 Double Double"
        ),
        ("SELECT CAST(price AS INTEGER) / 100.0, count(price) FROM line GROUP BY id", "Double Int64"),
    ])
    func `Sums and whole multiples of a type of the program have that type`(_ sql: String, _ expected: String) throws {
        let types = try QuerySample.types(sql, schema: Self.moneySchema, settings: Self.moneySettings)
        #expect(types.joined(separator: " ") == expected)
    }

    /// SQL computes cents where the type means euros: a number would be a hundred times too large, and no one would be told.
    @Test(arguments: [
        "avg(price)", "total(price)", "round(price, 1)", "price * price", "price / 2", "price / 100.0", "price * factor", "price % 10",
        "price + 1",
        "price + quantity", "price + weight", "sum(price * price)", "sum(price / 2) + 1", "sum(code)", "code + 1", "-code", "abs(due)",
        "due - due",
        "coalesce(avg(price), 0)", "(SELECT avg(price) FROM line)", "avg(price) / 2",
    ])
    func `The type of other numbers that are computed from a type of the program is asked for`(_ expression: String) {
        let diagnostics = QuerySample.diagnostics(
            "-- name: query :many\nSELECT id, \(expression) AS number FROM line GROUP BY id", schema: Self.moneySchema,
            settings: Self.moneySettings)
        #expect(
            diagnostics.map { $0.contains("the type of the column number is not known: declare it with -- @column number TYPE") } == [true],
            "\(diagnostics)")
    }

    @Test
    func `A parameter that is added to an amount is an amount`() throws {
        let function = try QuerySample.function(
            "UPDATE line SET price = price + :more, discount = :factor * discount WHERE price - :less > 0", schema: Self.moneySchema,
            settings: Self.moneySettings)
        #expect(function == "(more: Amount, factor: DatabaseValue, less: Amount) -> SQLCommand<Int>")
    }

    @Test
    func `Annotations declare types, optionality, structs and the number of rows`() throws {
        let code = try QuerySample.code(
            """
            -- name: totals :optional
            -- @struct Totals
            -- @param since Date?
            -- @param ids [UserID]
            -- @column total Money
            -- @column name !
            -- @column tags json [String]
            SELECT sum(score) AS total, max(name) AS name, max(state) AS tags FROM player
            WHERE born > :since AND id IN (:ids) AND id <> :other;
            """)
        #expect(code.contains("static func totals(since: Date?, ids: [UserID], other: Int64) -> SQLQuery<Totals, Totals?> {"))
        for line in ["var total: Money", "var name: String", "var tags: [String]"] {
            #expect(code.contains("        \(line)\n"), "\(code)")
        }
        #expect(code.contains("row.decode(DatabaseJSON<[String]>.self, atIndex: 2).value"))
        #expect(code.contains(#"WHERE born > :since AND id IN \(ids) AND id <> :other"#))
        #expect(code.contains(#"arguments: ["since": since, "other": other], isCached: false)"#))
    }

    // MARK: - Identity

    private static let identifiable = "-- name: teams\n-- @struct TeamName: Identifiable\nSELECT id, name AS team FROM team;"

    @Test
    func `A comment makes the struct of the rows Identifiable`() throws {
        let code = try QuerySample.code(Self.identifiable)
        #expect(code.contains("    struct TeamName: Codable, Hashable, Identifiable, Sendable {\n        var id: Int64\n"))
        for line in ["@struct TeamName", "@struct  TeamName :Identifiable", "@struct TeamName:Identifiable"] {
            let code = try QuerySample.code(Self.identifiable.replacing("@struct TeamName: Identifiable", with: line))
            #expect(code.contains("Hashable, Identifiable, Sendable") == line.hasSuffix("Identifiable"), "\(code)")
        }
        // Any name, and any type that is Hashable, which records and enums are.
        let other = try QuerySample.code(
            "-- name: a\n-- @struct A: Identifiable\nSELECT state AS id, count(*) AS number FROM player GROUP BY state")
        #expect(other.contains("struct A: Codable, Hashable, Identifiable, Sendable {\n        var id: Player.State\n"))
    }

    @Test
    func `A struct that queries share is Identifiable if one of them says so`() throws {
        let plain = Self.identifiable.replacing("name: teams", with: "name: others").replacing(": Identifiable", with: "")
        for files in [[("a.sql", plain), ("b.sql", Self.identifiable)], [("a.sql", Self.identifiable), ("b.sql", plain)]] {
            let code = try QuerySample.code(files)
            #expect(code.joined().components(separatedBy: "struct TeamName: Codable, Hashable, Identifiable, Sendable {").count == 2)
        }
    }

    @Test(arguments: [
        (
            "SELECT name, city FROM team",
            "2:12: error: Row can't be Identifiable: no column is named id. Write AS id after what identifies a row"
        ),
        ("UPDATE team SET name = 'x'", "2:12: error: the statement returns no rows, and has no struct"),
    ])
    func `An Identifiable struct needs an id`(_ sql: String, _ message: String) {
        #expect(QuerySample.diagnostics("-- name: a\n-- @struct Row: Identifiable\n\(sql)") == ["Queries.sql:\(message)"])
    }

    @Test(arguments: [": Equatable", " Identifiable", ": Identifiable, Equatable", ":", ": Identifiable x"])
    func `Other words behind the name of a struct are errors`(_ rest: String) {
        let lines = QuerySample.diagnostics("-- name: a\n-- @struct Row\(rest)\nSELECT 1 AS id")
        #expect(lines.count == 1 && lines[0].contains("error: only Identifiable can follow the name of the struct"), "\(lines)")
    }

    // MARK: - Columns of any type

    @Test
    func `A parameter that meets an ANY column is a DatabaseValue, without a warning`() throws {
        for sql in [
            "SELECT b FROM loose WHERE b = :x", "INSERT INTO loose (b) VALUES (:x)", "UPDATE loose SET b = :x",
            "SELECT b FROM loose WHERE b IN (:x)",
            "SELECT c FROM (SELECT b AS c FROM loose) WHERE c > :x",
        ] {
            #expect(QuerySample.diagnostics("-- name: a\n\(sql)") == [], "\(sql)")
            #expect(try QuerySample.function(sql).contains("DatabaseValue"), "\(sql)")
        }
        // A column without a declared type was not meant for all types.
        #expect(QuerySample.diagnostics("-- name: a\nSELECT c FROM loose WHERE a = :x").count == 1)
        // What else the parameter meets decides.
        #expect(try QuerySample.function("SELECT c FROM loose, team WHERE b = :x AND name = :x").hasPrefix("(x: String)"))
    }

    @Test
    func `Quotes, backslashes, keywords, equal names and odd parameters work`() throws {
        let code = try QuerySample.code(
            #"""
            -- name: switch
            SELECT a.id, b.id, '\n """' AS "class", :in + $for + @in_put AS x FROM team a, team b WHERE a.id = :in AND b.id = $for AND a.id < @in_put
            """#)
        #expect(code.contains("static func `switch`(in: Int64, for: Int64, inPut: Int64)"), "\(code)")
        #expect(code.contains(#"'\\n \"\"\"' AS "class", :in + $for"#), "\(code)")
        #expect(code.contains(#"arguments: ["in": `in`, "for": `for`, "in_put": inPut])"#), "\(code)")
        for line in ["var id: Int64", "var id2: Int64", "var `class`: String", "id2: row.decode(Int64.self, atIndex: 1)"] {
            #expect(code.contains(line), "\(code)")
        }
    }

    @Test
    func `Files with a byte order mark and with carriage returns work`() throws {
        let code = try QuerySample.code("\u{FEFF}-- name: names\r\n-- All names.\r\nSELECT name\r\nFROM team;\r\n")
        #expect(code.contains("    /// All names.\n    static func names() -> SQLQuery<String, [String]> {"))
        #expect(code.contains("            SELECT name\n            FROM team\n"))
    }

    @Test
    func `Queries of several files share a namespace, which has a file of its own`() throws {
        let set = try QuerySample.make(
            [("b.sql", "-- name: two\nSELECT 2"), ("a.sql", "-- name: one\nSELECT 1")], settings: "queries Library\npublic")
        #expect(set.outputs.map(\.name) == ["Queries+Schema.swift", "a.sql.swift", "b.sql.swift"])
        #expect(set.outputs[0].code.contains("public nonisolated enum Library {\n"))
        #expect(set.outputs[1].code.contains("public static func one() -> SQLQuery<Int64, Int64> {"))
        #expect(set.count == 2)
    }

    @Test
    func `The code of files with one name is named after their folders, too`() throws {
        func names(_ paths: String..., prefix: String = "") throws -> [String] {
            try QuerySample.make(paths.map { ($0, "") }, schema: "", prefix: prefix).outputs.map(\.name)
        }
        #expect(try names("a/x.sql", "b/y.sql") == ["Queries+Schema.swift", "x.sql.swift", "y.sql.swift"])
        #expect(try names("/a/q.sql", "/b/q.sql", "/b/r.sql").dropFirst() == ["aq.sql.swift", "bq.sql.swift", "r.sql.swift"])
        #expect(try names("/x/a/q.sql", "/y/a/q.sql").dropFirst() == ["xaq.sql.swift", "yaq.sql.swift"])
        #expect(try names("/x/a/q.sql", "/x/aq.sql", "/x/b/Q.sql").dropFirst() == ["xaq.sql.swift", "aq.sql.swift", "bQ.sql.swift"])
        #expect(try names("a/q.sql", prefix: "Billing") == ["Queries+Schema.swift", "Billingq.sql.swift"])
    }

    @Test
    func `No file of code replaces another, whatever the folders are named`() throws {
        var random = SeededGenerator(seed: 63)
        for round in 0..<100 {
            let paths = Set(
                (0..<Int.random(in: 2...8, using: &random)).map { _ in
                    let folders = (0..<Int.random(in: 0...3, using: &random)).map { _ in ["a", "ab", "B"].randomElement(using: &random)! }
                    return (["/"] + folders).joined(separator: "/") + "/" + ["q", "bq", "Q", "r"].randomElement(using: &random)! + ".sql"
                })
            let set = try QuerySample.make(paths.map { ($0, "") }, schema: "")
            // Names are joined without a separator: only "/a/bq.sql" and "/ab/q.sql" can have the same name in the end.
            let whole = Set(paths.map { $0.filter { $0 != "/" }.lowercased() })
            let names = Set(set.outputs.map { $0.name.lowercased() })
            #expect(names.count > whole.count, "\(round): \(paths.sorted()) \(set.outputs.map(\.name))")
        }
    }

    // MARK: - Dates

    /// Dates in the form of CURRENT_TIMESTAMP, and one with milliseconds.
    private static let dates = """
        CREATE TABLE event (
            id INTEGER PRIMARY KEY, created DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, changed DATETIME DEFAULT (datetime('now')),
            due DATETIME, token UUID
        );
        CREATE VIEW recent AS SELECT id, created FROM event;
        """

    @Test(arguments: [
        ("SELECT id FROM event WHERE created > :x", #"arguments: ["x": DatabaseTimestamp(x)]"#),
        ("SELECT id FROM recent WHERE created = :x", #"arguments: ["x": DatabaseTimestamp(x)]"#),
        (
            "SELECT id FROM (SELECT * FROM recent) AS r WHERE r.created BETWEEN :x AND :y",
            #"arguments: ["x": DatabaseTimestamp(x), "y": DatabaseTimestamp(y)]"#
        ),
        ("SELECT id FROM event WHERE due = :x", #"arguments: ["x": x]"#),
        ("SELECT id FROM event WHERE (:x IS NULL OR created >= :x)", #"arguments: ["x": x.map { DatabaseTimestamp($0) }]"#),
        ("SELECT id FROM event WHERE changed IS :x", #"arguments: ["x": x.map { DatabaseTimestamp($0) }]"#),
        ("SELECT id FROM event WHERE created IN (:x)", #"WHERE created IN \(x.map { DatabaseTimestamp($0) })"#),
        ("SELECT id FROM event WHERE due IN (:x)", #"WHERE due IN \(x)"#),
        ("SELECT id FROM event GROUP BY id HAVING max(created) < :x", #"arguments: ["x": DatabaseTimestamp(x)]"#),
        ("INSERT INTO event (created, due) VALUES (:x, :y)", #"arguments: ["x": DatabaseTimestamp(x), "y": y]"#),
        ("UPDATE event SET changed = :x WHERE created = :y", #"["x": x.map { DatabaseTimestamp($0) }, "y": DatabaseTimestamp(y)]"#),
        ("DELETE FROM event WHERE coalesce(changed, created) <= :x", #"arguments: ["x": DatabaseTimestamp(x)]"#),
        ("DELETE FROM event WHERE coalesce(due, created) <= :x", #"arguments: ["x": x]"#),
        // An annotation that gives only the type, or optionality, leaves the form to the column.
        ("-- @param x Date?\nSELECT id FROM event WHERE created > :x", #"arguments: ["x": x.map { DatabaseTimestamp($0) }]"#),
        ("-- @param x [Date]\nSELECT id FROM event WHERE created IN (:x)", #"IN \(x.map { DatabaseTimestamp($0) })"#),
        ("-- @param x milliseconds Date\nSELECT id FROM event WHERE created > :x", #"arguments: ["x": x]"#),
        ("-- @param x timestamp Date\nSELECT id FROM event WHERE due > :x", #"arguments: ["x": DatabaseTimestamp(x)]"#),
        ("-- @param x timestamp Date\nDELETE FROM event WHERE due > :x AND created < :x", #"arguments: ["x": DatabaseTimestamp(x)]"#),
        (
            "-- @param x UUID?\nSELECT id FROM event WHERE token = :x",
            #"arguments: ["x": x.map { DatabaseUUIDEncodingStrategy.lowercaseString.databaseValue(for: $0) }]"#
        ),
    ])
    func `A parameter has the form of the dates that it meets`(_ sql: String, _ argument: String) throws {
        let code = try QuerySample.code("-- name: query\n\(sql)", schema: Self.dates, settings: "column event.token lowercase UUID")
        #expect(code.contains(argument), "\(code)")
    }

    @Test
    func `Dates in two forms are read as dates, and a parameter that meets both must be declared`() throws {
        #expect(
            try QuerySample.types("SELECT coalesce(changed, due) AS a, min(due, changed) AS b FROM event", schema: Self.dates) == [
                "Date?", "Date?",
            ])
        #expect(try QuerySample.types("SELECT created FROM event UNION SELECT due FROM event", schema: Self.dates) == ["Date?"])
        #expect(
            QuerySample.diagnostics("-- name: query\nDELETE FROM event WHERE created > :x AND due > :x", schema: Self.dates) == [
                "Queries.sql:2:48: error: the parameter x could be timestamp Date like created, or milliseconds Date like due: "
                    + "declare it with -- @param x TYPE"
            ])
        #expect(
            QuerySample.diagnostics("-- name: query\n-- @param x timestamp UUID\nSELECT id FROM event WHERE token = :x", schema: Self.dates)
                == ["Queries.sql:2:13: error: timestamp is for Date"])
    }

    // MARK: - Errors

    @Test(arguments: [
        ("SELECT scor FROM player", "2:8: error: no such column: scor. Did you mean score?"),
        ("SELECT player.scor FROM player", "2:8: error: no such column: player.scor. Did you mean score?"),
        ("SELECT 1 FROM playr", "2:15: error: no such table: playr. Did you mean player?"),
        ("SELECT lenght(name) FROM player", "2:8: error: no such function: lenght. Did you mean length?"),
        ("SELECT name FRM player", "2:17: error: near \"player\": syntax error. Did you mean FROM instead of FRM?"),
        ("SELCT 1", "2:1: error: SELCT is not a statement. Did you mean SELECT?"),
        ("INSERT INTO team (nam) VALUES (1)", "2:19: error: table team has no column named nam. Did you mean name?"),
        ("INSERT INTO team (name) VALUES (1, 2)", "2:1: error: 2 values for 1 columns"),
        ("SELECT id FROM player, team", "2:8: error: ambiguous column name: id. Write player.id or team.id"),
        ("SELECT upper(name, 1) FROM team", "2:8: error: wrong number of arguments to function upper()"),
        (
            "SELECT name FROM team ORDER BY name COLLATE german",
            "2:45: error: no such collation sequence: german. Declare a collation of the program in schema.records: collation german"
        ),
        ("ATTACH 'x' AS y", "2:1: error: ATTACH is not allowed here: a query is a SELECT, INSERT, UPDATE or DELETE"),
        ("PRAGMA user_version = 1", "2:1: error: PRAGMA is not allowed here: a query is a SELECT, INSERT, UPDATE or DELETE"),
        (
            "SELECT id FROM player WHERE score = :x OR name = :x",
            "2:50: error: the parameter x could be Int64 like score, or String like name: declare it with -- @param x TYPE"
        ),
        (
            "SELECT id FROM player WHERE score = ?2",
            "2:37: error: parameter ?1 is missing: SQLite counts it, because a higher number is used"
        ),
        (
            "SELECT id FROM player WHERE score = :x OR id = $x",
            "2:48: error: two parameters are named x, with different signs: begin both with a colon"
        ),
        (
            "SELECT id FROM player WHERE score IN (:x) OR id = :x",
            "2:51: error: the parameter x is a list in IN (…), and can't be used elsewhere"
        ),
        ("SELECT :x", "2:8: warning: the type of the parameter x is not known: declare it with -- @param x TYPE"),
        ("SELECT b ->> 'x' AS y FROM loose", "2:8: warning: the type of the column y is not known: declare it with -- @column y TYPE"),
        ("-- @column nam String\nSELECT name FROM team", "2:12: error: the statement has no column nam. Did you mean name?"),
        (
            "-- @param nam String\nSELECT name FROM team WHERE name = :name",
            "2:11: error: the statement has no parameter nam. Did you mean name?"
        ),
        ("-- @parm name String\nSELECT name FROM team", "2:4: error: @parm is not known: the words are @param, @column, @struct and @nest"),
        ("SELECT 1; SELECT 2", "2:11: error: the statement has no name: write a line \"-- name: …\" above it"),
        ("-- name: other\nSELECT 1", "1:10: error: query has no statement: another name follows"),
        ("SELECT 1;\n-- name: other", "3:10: error: the name other has no statement"),
        ("SELECT 1;\n-- name: query\nSELECT 2", "3:10: error: query is already the name of the query in line 1"),
        ("SELECT 1;\n-- name: 1a\nSELECT 2", "3:10: error: 1a can't be the name of a function: use letters, digits and _"),
        ("SELECT 1;\n-- name: a :few\nSELECT 2", "3:12: error: :few is not a number of rows: the numbers are :one, :optional and :many"),
        (
            "DELETE FROM team;\n-- name: a :one\nDELETE FROM team",
            "3:10: error: the statement returns no rows: :one needs a SELECT, or RETURNING"
        ),
    ])
    func `Mistakes are reported at their place`(_ sql: String, _ expected: String) {
        let diagnostics = QuerySample.diagnostics("-- name: query\n\(sql)")
        #expect(diagnostics == ["Queries.sql:\(expected)"])
    }

    @Test
    func `Several mistakes are reported together, with the fragment`() throws {
        let error = try #require(throws: QueryErrors.self) {
            try QuerySample.make([
                ("a.sql", "-- name: one\nSELECT scor\nFROM player;\n-- name: two\n\tSELECT id FROM\tteem;"),
                ("b.sql", "-- name: three\nSELECT 1 1"),
            ])
        }
        #expect(
            error.description == """
                a.sql:2:8: error: no such column: scor. Did you mean score?
                SELECT scor
                       ^~~~
                a.sql:5:17: error: no such table: teem. Did you mean team?
                \tSELECT id FROM\tteem;
                \t              \t^~~~
                b.sql:2:10: error: near "1": syntax error
                SELECT 1 1
                         ^
                """)
    }

    @Test
    func `A file without names gives a warning, and no queries`() throws {
        #expect(
            QuerySample.diagnostics("INSERT INTO team VALUES (1, 'a', 'b');") == [
                "Queries.sql:1:1: warning: no statement of this file has a name, so it gives no queries: write a line \"-- name: …\" above each"
            ])
        #expect(try QuerySample.make([("Empty.sql", "-- nothing\n")]).warnings.isEmpty)
    }

    @Test
    func `A schema's mistakes have places, and a schema can't touch files`() {
        func first(_ schema: String) -> String { QuerySample.diagnostics("-- name: a\nSELECT 1", schema: schema).first ?? "" }
        #expect(first("CREATE TABLE a (x);\nCREATE TABLE b (x y z,);") == "schema.sql:2:23: error: near \")\": syntax error")
        #expect(
            first("ATTACH 'x.sqlite' AS x;") == "schema.sql:1:1: error: ATTACH is not allowed here: this SQL runs in a database in memory")
        #expect(first("VACUUM INTO 'x';") == "schema.sql:1:1: error: VACUUM is not allowed here: this SQL runs in a database in memory")
        #expect(
            first("PRAGMA temp_store_directory = '/tmp';") == "schema.sql:1:1: error: the pragma temp_store_directory is not allowed here")
        #expect(first("SELECT load_extension('x');").hasPrefix("schema.sql:1:"))
        #expect(first("PRAGMA foreign_keys = ON; CREATE TABLE a (x DEFAULT \"y\");") == "")
        #expect(first("CREATE TABLE a (x); CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END; CREATE TABLE b (y);") == "")
    }

    @Test
    func `Declared functions and collations are known`() throws {
        let settings = """
            function distance 4 Double?
            function label * Label
            aggregate median 1 Double?
            collation german
            """
        let sql = "SELECT distance(1, 2, 3, 4) AS a, label(1) AS b, median(score) AS c, count(*) FROM player ORDER BY name COLLATE german"
        #expect(try QuerySample.types(sql, settings: settings) == ["Double?", "Label", "Double?", "Int64"])
    }
}
