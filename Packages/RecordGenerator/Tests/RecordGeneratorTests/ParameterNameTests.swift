import Testing

@testable import RecordGenerator

/// The names of parameters that have none in SQL.
@Suite struct ParameterNameTests {
    /// The parameters of the function.
    private func parameters(_ sql: String, settings: String = "") throws -> String {
        let function = try QuerySample.function(sql, settings: settings)
        return String(function.dropFirst().prefix { $0 != ")" })
    }

    @Test(arguments: [
        ("SELECT id FROM player WHERE id = ?", "id: Int64"),
        ("SELECT id FROM player WHERE ?1 = player.name", "name: String"),
        ("SELECT id FROM player WHERE name = $2 AND id = $1", "name: String, id: Int64"),
        ("SELECT id FROM player WHERE name = :2 AND id = @1", "name: String, id: Int64"),
        ("SELECT id FROM player WHERE ?1 IS NULL OR name = ?1", "name: String? = nil"),
        ("SELECT id FROM player WHERE \"teamId\" IS ?", "teamId: Int64?"),
        (
            "SELECT p.\"unit price\" AS x FROM (SELECT weight AS \"unit price\" FROM player) AS p WHERE p.\"unit price\" < ?",
            "unitPrice: Double"
        ),
        ("SELECT name FROM overview WHERE teamName = ?", "teamName: String"),
        ("SELECT a FROM loose WHERE a = ?", "a: DatabaseValue"),
        ("SELECT id FROM player WHERE name LIKE '%' || ? || '%' LIMIT ? OFFSET ?", "name: String, limit: Int64, offset: Int64"),
        ("SELECT id FROM player WHERE id IN (?)", "id: [Int64]"),
        ("SELECT id FROM player WHERE lower(name) = lower(trim(?)) COLLATE NOCASE", "name: String"),
        ("SELECT id FROM player WHERE date(born) = ? AND strftime('%Y', born) > strftime('%Y', ?)", "born: String, born2: DatabaseValue"),
        ("SELECT id FROM player WHERE score - ? > 1 AND score * 2 < ? + 1", "score: Int64, score2: Int64"),
        ("SELECT id FROM player WHERE CASE name WHEN ? THEN 1 END AND -score = -?", "name: String, score: Int64"),
        ("SELECT teamId FROM player GROUP BY 1 HAVING count(*) > ? AND sum(score) < ?", "count: Int64, sum: Int64"),
        ("SELECT id FROM player WHERE (score, name) > (?, ?)", "score: Int64, name: String"),
        ("SELECT id FROM player WHERE (score, name) IN (VALUES (?, ?))", "score: Int64, name: String"),
        ("SELECT id FROM player WHERE (?, ?) IN (SELECT id, city FROM team)", "id: Int64, city: String"),
        ("SELECT coalesce(city, ?) AS x FROM team", "city: String"),
        ("SELECT value AS x FROM json_each(?, ?)", "json: String, root: String"),
        ("INSERT INTO team (name, city) VALUES (?, nullif(?, ''))", "name: String, city: String"),
        ("INSERT INTO team SELECT ?, ?, city FROM team", "id: Int64?, name: String"),
        ("UPDATE player SET score = score + ?, teamId = CASE WHEN ? THEN ? END", "score: Int64, p2: Bool, teamId: Int64?"),
        ("UPDATE team SET (name, city) = (SELECT name, ? FROM player WHERE id = ?)", "city: String?, id: Int64"),
        // Several parameters with one name have numbers, and those that have a name keep it.
        ("SELECT id FROM player WHERE score BETWEEN ? AND ?", "score: Int64, score2: Int64"),
        ("SELECT id FROM player WHERE score BETWEEN ?1 AND ?2 OR score = ?1", "score: Int64, score2: Int64"),
        ("SELECT id FROM player WHERE id IN (?, ?, ?)", "id: Int64, id2: Int64, id3: Int64"),
        ("UPDATE team SET name = ? WHERE name = ?", "name: String, name2: String"),
        ("SELECT id FROM player WHERE id = ? AND score > :id", "id2: Int64, id: Int64"),
        ("SELECT id FROM player WHERE teamId = ? AND score > :team_id", "teamId2: Int64, teamId: Int64"),
        // What meets nothing is numbered.
        ("SELECT ? + 1 AS x, $7 AS y", "p1: Int64, p7: DatabaseValue"),
    ])
    func `Parameters without a name are named by what they meet`(_ sql: String, _ expected: String) throws {
        #expect(try parameters(sql) == expected)
    }

    @Test
    func `The SQL has the names, too`() throws {
        let code = try QuerySample.code("-- name: query\nSELECT id FROM player WHERE score > $1 AND name <> ? AND $1 < 9 AND id <> :name")
        #expect(code.contains("WHERE score > :score AND name <> :name2 AND :score < 9 AND id <> :name\n"), "\(code)")
        #expect(code.contains(#"arguments: ["score": score, "name2": name2, "name": name])"#), "\(code)")
    }

    @Test
    func `A setting keeps the numbers`() throws {
        let sql = "SELECT id FROM player WHERE id = ? AND name = ?2 AND score > $1"
        #expect(try parameters(sql) == "id: Int64, name: String, score: Int64")
        #expect(try parameters(sql, settings: "numbered") == "p1: Int64, p2: String, _1: Int64")
        let code = try QuerySample.code("-- name: query\n\(sql)", settings: "numbered")
        #expect(code.contains("WHERE id = :p1 AND name = :p2 AND score > $1\n"), "\(code)")
        #expect(code.contains(#"arguments: ["p1": p1, "p2": p2, "1": _1])"#), "\(code)")
    }

    @Test(arguments: [("p1", "?"), ("name", "?"), ("p1", "?1"), ("1", "$1"), ("$1", "$1"), ("name", "$1")])
    func `A comment declares such a parameter by its name, or by its number`(_ name: String, _ parameter: String) throws {
        for settings in ["", "numbered"] where settings.isEmpty || name != "name" {
            let parameters = try parameters("-- @param \(name) Text?\nSELECT id FROM player WHERE name = \(parameter)", settings: settings)
            #expect(parameters.hasSuffix(": Text?"))
        }
        // Another parameter has that name.
        let schema = "CREATE TABLE t (p1 INTEGER NOT NULL, x INTEGER NOT NULL) STRICT;"
        let sql = "-- @param p1 Text\nSELECT x FROM t WHERE x > ? AND p1 = ?"
        #expect(try QuerySample.function(sql, schema: schema).hasPrefix("(x: Int64, p1: Text)"))
        #expect(
            QuerySample.diagnostics("-- name: query\n-- @param p2 Text\nSELECT name FROM team WHERE name = ?")
                == ["Queries.sql:2:11: error: the statement has no parameter p2"])
    }
}
