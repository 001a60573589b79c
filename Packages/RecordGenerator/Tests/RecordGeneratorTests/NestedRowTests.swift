import Foundation
import Testing
import SQLiteDriver

@testable import RecordGenerator

/// Queries whose rows nest the rows of tables.
@Suite struct NestedRowTests {
    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT) STRICT;
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, teamId INTEGER REFERENCES team, state TEXT NOT NULL CHECK (state IN ('on', 'off')),
            tags JSON
        );
        CREATE TABLE loose (id INT, name TEXT);
        CREATE TABLE code (code TEXT NOT NULL, twice AS (code || code) NOT NULL);
        CREATE TABLE hidden_teams (id INTEGER PRIMARY KEY, note TEXT);
        CREATE VIEW overview AS SELECT player.id, team.city FROM player LEFT JOIN team ON team.id = teamId;
        CREATE VIEW cities AS SELECT city, name FROM team LEFT JOIN loose USING (name);
        """
    private static let settings = "column player.tags json [String]\nskip hidden_teams\n"

    private static func code(_ sql: String, settings: String = "") throws -> String {
        try QuerySample.code("-- name: query\n\(sql)", schema: schema, settings: Self.settings + settings)
    }

    /// The properties of the row, then the conditions for rows that may be missing.
    private static func summary(_ code: String) -> String {
        let lines = code.replacing("public ", with: "").split(separator: "\n").map { $0.drop { $0 == " " } }
        let properties = lines.prefix { !$0.hasSuffix(": FetchableRecord {") }.filter { $0.hasPrefix("var ") }.map { $0.dropFirst(4) }
        let conditions = lines.filter { $0.hasPrefix("if try ") }.map { line in
            line.replacing("$0", with: "").split { !$0.isNumber }.joined(separator: "|")
        }
        return properties.joined(separator: ", ") + (conditions.isEmpty ? "" : "; " + conditions.joined(separator: " "))
    }

    @Test
    func `A joined table becomes a property that holds its record, or nil`() throws {
        let code = try Self.code(
            """
            -- @nest player, team
            SELECT player.*, team.*, 7 AS seven FROM player LEFT JOIN team ON team.id = player.teamId
            """)
        let body = try #require(code.range(of: "nonisolated extension Queries {\n    /// A row").map { String(code[$0.lowerBound...]) })
        #expect(
            body == """
                nonisolated extension Queries {
                    /// A row of `query`.
                    struct QueryRow: Codable, Hashable, Sendable {
                        var player: Player
                        var team: Team?
                        var seven: Int64
                    }
                }

                nonisolated extension Queries.QueryRow: FetchableRecord {
                    init(row: borrowing Row) throws {
                        let player = try Player(
                            id: row.decode(Int64?.self, atIndex: 0), name: row.decode(String.self, atIndex: 1), teamId: row.decode(Int64?.self, atIndex: 2),
                            state: row.decode(Player.State.self, atIndex: 3), tags: row.decode(DatabaseJSON<[String]>?.self, atIndex: 4)?.value)
                        var team: Team?
                        if try !row.decode(DatabaseValue.self, atIndex: 5).isNull {
                            team = try Team(
                                id: row.decode(Int64?.self, atIndex: 5), name: row.decode(String.self, atIndex: 6),
                                city: row.decode(String?.self, atIndex: 7))
                        }
                        try self.init(player: player, team: team, seven: row.decode(Int64.self, atIndex: 8))
                    }
                }

                """)
        #expect(
            code.contains(
                """
                            SELECT player.id, player.name, player.teamId, player.state, player.tags,
                                team.id, team.name, team.city, 7 AS seven FROM player LEFT JOIN team ON team.id = player.teamId

                """), "\(code)")
    }

    @Test(arguments: [
        // One table twice.
        ("a, b", "SELECT a.*, b.* FROM team a JOIN team b ON a.id < b.id", "a: Team, b: Team"),
        ("b", "SELECT a.name, b.* FROM team a LEFT JOIN team b ON a.id < b.id", "name: String, b: Team?; 1"),
        // Each side of a RIGHT and FULL JOIN.
        ("p, t", "SELECT p.*, t.* FROM player p RIGHT JOIN team t ON t.id = teamId", "p: Player?, t: Team; 0"),
        ("p, t", "SELECT t.*, p.* FROM player p FULL JOIN team t ON t.id = teamId", "t: Team?, p: Player?; 0 3"),
        ("p, t", "SELECT * FROM player p FULL JOIN team t ON t.id = teamId WHERE t.name > 'a'", "p: Player?, t: Team; 0"),
        // A column of USING and NATURAL belongs to both rows.
        ("p, t", "SELECT * FROM player p LEFT JOIN team t USING (name)", "p: Player, t: Team?; 5"),
        ("p, t", "SELECT p.*, t.* FROM player p FULL JOIN team t USING (name)", "p: Player?, t: Team?; 0 5"),
        ("loose, team", "SELECT * FROM loose NATURAL FULL JOIN team", "loose: Loose?, team: Team?; 0|1 2"),
        ("team", "SELECT * FROM loose NATURAL LEFT JOIN team", "id: Int64?, name: String?, team: Team?; 2"),
        // The row that is not nested then shows it itself.
        ("team", "SELECT * FROM team FULL JOIN loose USING (name)", "team: Team?, id: Int64?, name: String?; 0"),
        // A row is present if its row ID is not NULL, another column that can't be NULL, or any column. Generated columns don't count.
        ("code", "SELECT code.* FROM team LEFT JOIN code ON code = name", "code: Code?; 0"),
        ("code", "SELECT twice, code.code FROM team LEFT JOIN code ON code = name", "code: Code?; 1"),
        (
            "code", "SELECT code.twice, 1 AS one FROM team LEFT JOIN code ON code = name",
            "code: CodeRow?, one: Int64, twice: DatabaseValue; 0"
        ),
        ("loose", "SELECT loose.* FROM team LEFT JOIN loose USING (id)", "loose: Loose?; 0|1"),
        // Views, common tables and subqueries have structs of their own, unless their rows are those of a record.
        (
            "overview", "SELECT * FROM loose LEFT JOIN overview USING (id)",
            "id: Int64?, name: String?, overview: OverviewRow?, id: Int64, city: String?; 2"
        ),
        (
            "cities", "SELECT team.id, cities.* FROM team LEFT JOIN cities USING (name)",
            "id: Int64, cities: CitiesRow?, city: String?, name: String; 2"
        ),
        (
            "b", "WITH b AS (SELECT * FROM player WHERE id > 1) SELECT b.*, team.name FROM team LEFT JOIN b ON 1",
            "b: Player?, name: String; 0"
        ),
        (
            "t", "WITH t (n, c) AS (SELECT name, count(*) FROM player GROUP BY name) SELECT t.*, id FROM team LEFT JOIN t ON n = name",
            "t: T?, id: Int64, n: String, c: Int64; 0"
        ),
        (
            "x", "SELECT x.*, team.* FROM (SELECT max(id) AS top, NULL AS y FROM team) AS x JOIN team ON id = top",
            "x: X, id: Int64, name: String, city: String?, top: Int64, y: DatabaseValue"
        ),
        // A skipped table has no record.
        ("h", "SELECT h.* FROM team LEFT JOIN hidden_teams h USING (id)", "h: H?, id: Int64, note: String?; 0"),
        // Columns that are listed, some of them, and one twice.
        ("team", "SELECT 1 AS one, team.name, team.id, team.city FROM team", "one: Int64, team: Team"),
        ("team", "SELECT team.id, team.name FROM player LEFT JOIN team ON 1", "team: TeamRow?, id: Int64, name: String; 0"),
        ("team", "SELECT team.*, team.name AS label, team.city FROM team", "team: Team, label: String, city: String?"),
        ("team", "SELECT team.id, upper(name) AS loud FROM team", "team: TeamRow, loud: String, id: Int64"),
        // An aggregate of no rows has no row.
        ("team", "SELECT team.*, count(*) FROM team", "team: Team?, count: Int64; 0"),
        // Names.
        ("\"the team\" team", "SELECT * FROM team \"the team\", team", "theTeam: Team, team: Team"),
        ("team", "SELECT 1 AS team, team.* FROM team", "team2: Int64, team: Team"),
    ])
    func `Rows are nested by the names of their tables`(_ names: String, _ sql: String, _ expected: String) throws {
        #expect(try Self.summary(Self.code("-- @nest \(names)\n\(sql)")) == expected)
    }

    @Test
    func `A column with a declared type makes a struct of the row that has it`() throws {
        let code = try Self.code("-- @nest player\n-- @column tags json Tags?\nSELECT player.*, 1 AS one FROM player")
        #expect(
            Self.summary(code) == "player: PlayerRow, one: Int64, id: Int64, name: String, teamId: Int64?, state: Player.State, tags: Tags?"
        )
        #expect(code.contains("        /// A row of `player`.\n        struct PlayerRow: Codable, Hashable, Sendable {\n"))
    }

    @Test
    func `A nested row named like the parameter does not hide it`() throws {
        let code = try Self.code("-- @nest row\nSELECT row.* FROM loose LEFT JOIN team AS row ON 1")
        #expect(
            code.contains("        if try !row.decode(DatabaseValue.self, atIndex: 0).isNull {\n            row2 = try Team("), "\(code)")
        #expect(code.contains("        self.init(row: row2)\n"))
    }

    @Test
    func `A line of the settings nests the rows of all queries with the stars of several tables`() throws {
        func row(_ sql: String, _ settings: String = "nest\n") throws -> String { try Self.summary(Self.code(sql, settings: settings)) }
        #expect(try row("SELECT * FROM player JOIN team ON team.id = teamId") == "player: Player, team: Team")
        #expect(try row("SELECT t.*, p.*, 1 AS one FROM player p JOIN team t ON 1") == "t: Team, p: Player, one: Int64")
        // One star, or a list that says something else.
        #expect(try row("SELECT loose.*, team.city FROM loose JOIN team ON 1") == "id: Int64?, name: String?, city: String?")
        #expect(try row("-- @nest team\nSELECT team.*, loose.* FROM loose JOIN team ON 1") == "team: Team, id: Int64?, name: String?")
        #expect(try row("-- @struct A\nSELECT * FROM loose, code", "nest\nsingular\npublic\n").hasPrefix("loose: Loose, code: Code"))
        // What is not understood has a row in any case.
        let odd = "SELECT player.*, team.* FROM player, team WHERE (SELECT overview.rowid FROM overview) IS NULL"
        #expect(try ["id: Int64?, name: String?, teamId", "player: Player"].contains { try row(odd).hasPrefix($0) })
        // Tables in the plural are rows in the singular, like records.
        #expect(
            try row("-- @nest hidden_teams\nSELECT hidden_teams.* FROM hidden_teams", "singular\n")
                == "hiddenTeam: HiddenTeam, id: Int64, note: String?")
    }

    @Test(arguments: [
        ("teem", "SELECT * FROM team", "2:10: error: the statement selects from no table teem. Did you mean team?"),
        ("team, team", "SELECT * FROM team", "2:16: error: team is nested already"),
        ("", "SELECT * FROM team", "2:4: error: @nest needs names of tables: @nest player, team"),
        ("team", "SELECT player.* FROM player, team", "2:10: error: no column of team is selected: write team.*"),
        (
            "team", "SELECT * FROM team UNION SELECT * FROM team",
            "2:10: error: rows can't be nested: they are those of a SELECT from tables, without UNION, EXCEPT and INTERSECT"
        ),
        (
            "team", "DELETE FROM team RETURNING *",
            "2:10: error: rows can't be nested: they are those of a SELECT from tables, without UNION, EXCEPT and INTERSECT"
        ),
        (
            "x", "SELECT 1 FROM (SELECT 1) AS x, (SELECT 2) AS x",
            "2:10: error: several tables are named x: give each a name of its own, with AS"
        ),
    ])
    func `Names that can't be nested are errors at their place`(_ names: String, _ sql: String, _ message: String) {
        #expect(
            QuerySample.diagnostics("-- name: query\n-- @nest \(names)\n\(sql)", schema: Self.schema, settings: Self.settings) == [
                "Queries.sql:\(message)"
            ])
    }

    @Test
    func `A hint names the tables whose columns are side by side`() {
        func hint(_ sql: String) -> [String] {
            QuerySample.diagnostics("-- name: query\n\(sql)", schema: Self.schema, settings: Self.settings)
        }
        func expected(_ tables: String, _ column: Int) -> [String] {
            [
                "Queries.sql:2:\(column): warning: the columns of \(tables) are side by side in a row: "
                    + "a line -- @nest \(tables) makes each table a property"
            ]
        }
        #expect(hint("SELECT player.*, team.* FROM player LEFT JOIN team ON team.id = teamId") == expected("player, team", 8))
        #expect(hint("SELECT 1 AS one, * FROM team AS \"the team\" JOIN loose ON 1") == expected("\"the team\", loose", 18))
        #expect(hint("SELECT code.*, c.* FROM code LEFT JOIN (SELECT 1 AS one) AS c ON 1") == expected("code, c", 8))
        // Different names, and no row that may be missing; one star; names of their own.
        #expect(hint("SELECT code.*, c.* FROM code JOIN (SELECT 1 AS one) AS c ON 1").isEmpty)
        #expect(hint("SELECT player.*, team.name AS teamName FROM player LEFT JOIN team ON 1").isEmpty)
    }

    @Test
    func `Queries share a struct whose columns they all have at the same positions`() throws {
        let first = """
            -- name: a
            -- @struct Squad
            -- @nest team
            SELECT team.*, player.name FROM team LEFT JOIN player ON teamId = team.id;

            """
        let second = first.replacing("a\n-- @struct", with: "b :one\n-- @struct").replacing(";", with: " WHERE team.id = :id;")
        let codes = try QuerySample.code([("x.sql", first), ("y.sql", second)], schema: Self.schema)
        #expect(codes.map { $0.components(separatedBy: "struct Squad: ").count } == [2, 1])
        #expect(codes.map { $0.components(separatedBy: "Queries.Squad: FetchableRecord").count } == [2, 1])
        #expect(codes[1].contains("static func b(id: Int64) -> SQLQuery<Squad, Squad> {"), "\(codes[1])")
        // Another nested row, another column, and another order.
        for (change, other) in [
            ("-- @nest team\n", ""), ("-- @nest team\n", "-- @nest player\n"), ("player.name", "player.id"),
            ("team.*, player.name", "player.name, team.*"), ("LEFT JOIN", "JOIN"),
        ] {
            var changed = second.replacing(change, with: other)
            if change.hasPrefix("--") { changed = changed.replacing("player.name FROM", with: "player.* FROM") }
            let diagnostics = QuerySample.diagnostics(first + changed, schema: Self.schema).filter { $0.contains("error") }
            let expected = "Queries.sql:6:12: error: Squad is already the name of the struct in line 2, with other columns"
            #expect(diagnostics == [expected], "\(changed)")
        }
    }

    // MARK: - Random statements

    private static let environment = ProcessInfo.processInfo.environment

    /// `STRATA_STARS` sets the number of schemas, each with 20 statements, and `STRATA_SEED` the first seed.
    @Test
    func `A nested row has the values of its table, and is nil if the table has no row`() throws {
        let count = Self.environment["STRATA_STARS"].flatMap { Int($0) } ?? 20
        let first = Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        var (rows, missing) = (0, 0)
        for seed in first..<(first + UInt64(count)) {
            var random = StarRandom(seed: seed)
            let schema = random.schema()
            try QuerySample.withCompiler(schema: schema) { compiler, _ in
                let db = compiler.db
                try random.fill(db)
                var queries: [(sql: String, query: CompiledQuery, expected: [String])] = []
                for _ in 0..<20 {
                    let join = random.join()
                    let results = join.names.map { "\($0).*" }.joined(separator: ", ")
                    let sql = "SELECT \(random.chance(50) ? "*" : results) FROM \(join.sql)"
                    guard case .statement = try db.compile(sql) else { continue }
                    let file = QueryFile(
                        SourceText("-- name: query\n-- @nest \(join.names.joined(separator: ", "))\n\(sql)", file: "a.sql"))
                    let result = try compiler.compile(file)
                    let query = try #require(result.queries.first, "\(sql): \(result.diagnostics)")
                    #expect(query.columns.map(\.column) == join.names && query.columns.allSatisfy { $0.row != nil })
                    queries.append((sql, query, try Self.expected(join, query, random, db)))
                }
                try random.addColumns(db)
                for (sql, query, expected) in queries {
                    let found = try Self.rows(of: query, db)
                    let isSame = found == expected
                    #expect(isSame, "\(seed): \(sql)\n\(zip(found, expected).first { $0 != $1 } as Any)\n\(schema)")
                    rows += expected.count
                    missing += expected.count { $0.contains("nil") }
                }
            }
        }
        #expect(rows > count * 50 && missing > count * 10 && missing < rows, "\(rows), \(missing)")
    }

    /// The rows as SQL tells them: the values of each table, with its row ID to see whether it has a row.
    private static func expected(
        _ join: (sql: String, names: [String]), _ query: CompiledQuery, _ random: StarRandom, _ db: Database
    ) throws -> [String] {
        let columns = join.names.map { name in random.columns(of: name, in: join.sql) }
        let list = zip(join.names, columns).map { name, columns in
            (["\(name).rowid IS NOT NULL"] + columns.map { "\(name).\($0.quotedDatabaseIdentifier)" }).joined(separator: ", ")
        }
        let statement = try db.makeStatement(sql: "SELECT \(list.joined(separator: ", ")) FROM \(join.sql)")
        var rows: [String] = []
        while try statement.step() {
            var index = 0
            var row: [String] = []
            for (property, columns) in zip(query.columns, columns) {
                let values = (0..<columns.count).map { statement.databaseValue(at: index + 1 + $0) }
                // A row of a join that has nothing but NULL is a missing one.
                let isEmpty = property.isOptional && values.allSatisfy(\.isNull)
                let exists = statement.int64(at: index) == 1 && !isEmpty
                #expect(exists || property.isOptional)
                row.append(exists ? values.map(\.sqlLiteral).joined(separator: ", ") : "nil")
                index += columns.count + 1
            }
            rows.append(row.joined(separator: "; "))
        }
        return rows.sorted()
    }

    /// The rows as the generated code reads them.
    private static func rows(of query: CompiledQuery, _ db: Database) throws -> [String] {
        let sql = query.fragments.map { if case .sql(let text) = $0 { text } else { "" } }.joined()
        let statement = try db.makeStatement(sql: sql)
        var rows: [String] = []
        while try statement.step() {
            let row = query.columns.map { property in
                let row = property.row!
                if !row.presence.isEmpty, row.presence.allSatisfy({ statement.databaseValue(at: $0).isNull }) { return "nil" }
                return row.properties.map { statement.databaseValue(at: $0.index!).sqlLiteral }.joined(separator: ", ")
            }
            rows.append(row.joined(separator: "; "))
        }
        return rows.sorted()
    }
}
