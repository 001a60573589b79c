import Testing

@testable import DqliteCluster

@Suite struct SQLTokensTests {
    @Test
    func `Comments and white space are not tokens`() {
        let tokens = SQLTokens("-- first\nSELECT/* a; */'it''s -- no comment' /**/ -- last")
        #expect(tokens.tokens.indices.map { tokens.text($0) } == ["SELECT", "'it''s -- no comment'"])
        #expect(tokens.trimmedSQL.hasSuffix("comment'"))
    }

    @Test
    func `A comment without an end is removed`() {
        #expect(SQLTokens("SELECT 1 /* open").trimmedSQL == "SELECT 1")
        #expect(SQLTokens("SELECT 1 /*/ open").trimmedSQL == "SELECT 1")
    }

    @Test(arguments: [
        ("INSERT INTO t VALUES (1) RETURNING id", ["id"], "INSERT INTO t VALUES (1) RETURNING +id"),
        ("DELETE FROM t RETURNING *", ["a", "b"], "DELETE FROM t RETURNING +\"a\", +\"b\""),
        (
            "UPDATE t SET a = 'RETURNING' RETURNING id, *, max(a, b) AS \"x, y\"", ["id", "a", "b", "x, y"],
            "UPDATE t SET a = 'RETURNING' RETURNING +id, +\"a\", +\"b\", +max(a, b) AS \"x, y\""
        ),
    ])
    func `Returned items get a plus`(sql: String, columnNames: [String], expected: String) {
        #expect(SQLTokens(sql).withoutReturnedTypes(columnNames: columnNames) == expected)
    }

    @Test
    func `A statement without RETURNING has nothing to change`() {
        #expect(SQLTokens("SELECT (1)").withoutReturnedTypes(columnNames: ["a"]) == nil)
    }

    @Test(arguments: [
        "SELECT * FROM t WHERE a = 1", "SELECT * FROM t ORDER BY a LIMIT 5", "SELECT b FROM t WHERE a > 1 ORDER BY b",
        "SELECT t.a, o.b FROM t JOIN t AS o ON o.a = t.b WHERE t.a < 3", "SELECT count(*), max(a) FROM t",
        "SELECT b, count(*) FROM t GROUP BY b HAVING count(*) > 1 ORDER BY 2", "SELECT a FROM t UNION ALL SELECT b FROM t",
    ])
    func `A query without declared types has the plan of the query`(sql: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); CREATE INDEX i ON t (a)")
            func accesses(_ sql: String) throws -> [String] {
                let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
                var details: [String] = []
                while try statement.step() { details.append(statement.string(at: 3) ?? "") }
                // A query that SQLite computes before the outer one appears as a table.
                return details.filter { !$0.contains("strata_t") && !$0.contains("CO-ROUTINE") }
            }
            let count = try db.makeStatement(sql: sql).columnCount
            let cured = RemotePlan.cured(sql, columnCount: count, guardsNUL: nil, computesOnce: false)
            #expect(try accesses(cured) == accesses(sql))
        }
    }

    @Test(arguments: [true, false])
    func `SQL that keeps strings whole mentions columns several times, but computes expensive columns once`(computesOnce: Bool) throws {
        let queue = try DatabaseQueue()
        let callCount = Mutex(0)
        try queue.write { db in
            db.add(
                function: DatabaseFunction("counted", argumentCount: 1) { values in
                    callCount.withLock { $0 += 1 }
                    return values[0]
                })
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('b'), ('a'), ('c')")
            let sql = RemotePlan.cured(
                "SELECT counted(a) FROM t", columnCount: 1, guardsNUL: NULGuard(), computesOnce: computesOnce)
            let statement = try db.makeStatement(sql: sql)
            var values: [String?] = []
            while try statement.step() { values.append(statement.string(at: 0)) }
            #expect(values == ["b", "a", "c"])
            let count = callCount.withLock { $0 }
            #expect(computesOnce ? count == 3 : count > 3)
        }
    }

    @Test
    func `Each parameter appears once, in order, in calls of up to 120 arguments`() {
        #expect(
            RemotePlan.proxySQL(.query, id: 7, parameterNames: [":id", nil, "?3"])
                == "SELECT * FROM strata_rows_7(strata_args(7, 0, :id, ?, ?3))")
        let many = RemotePlan.proxySQL(.change, id: 1, parameterNames: Array(repeating: nil, count: 121))
        #expect(many.hasSuffix(" + strata_args(1, 120, ?))"))
    }

    @Test(arguments: [
        ("SELECT ?, '?', \"?\" -- ?", ["1"], "SELECT 1, '?', \"?\" -- ?"),
        ("SELECT :a + :b - :a, @c, $d", ["1", "2", "3", "'4'"], "SELECT 1 + 2 - 1, 3, '4'"),
        ("SELECT ?2, ?, ?1, ?", ["1", "2", "3", "x'04'"], "SELECT 2, 3, 1, x'04'"),
        ("SELECT a$b FROM t WHERE c=:c", ["-1.5"], "SELECT a$b FROM t WHERE c=-1.5"),
        ("SELECT ?, ?", ["1"], nil),
    ])
    func `Parameters are replaced by their values`(sql: String, literals: [String], expected: String?) {
        #expect(SQLTokens(sql).replacingParameters(with: literals) == expected)
    }

    @Test
    func `The values of a statement are those in the calls that collect them`() {
        let sql =
            "SELECT * FROM strata_rows_1(strata_args(1, 0, -1.5, 'it''s, (x)', x'00', NULL) + strata_args(1, 120, 7))"
        #expect(SQLTokens(sql).literals(inCallsOf: "strata_args") == ["-1.5", "'it''s, (x)'", "x'00'", "NULL", "7"])
        #expect(SQLTokens("INSERT INTO strata_sink (c0) SELECT c0 FROM strata_remote(7)").literals(inCallsOf: "strata_args") == [])
    }

    @Test(arguments: ["127.0.0.1:9001", "1.2.3.4:1"])
    func `Addresses are numbers`(text: String) throws {
        #expect(try NodeAddress(text).description == text)
    }

    @Test(arguments: [
        "", "localhost:9001", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "::1:9001", "1.2.3:4", "256.0.0.1:1", "1.2.3.4:70000",
        "1.2.3.4:+5",
    ])
    func `Other addresses are refused`(text: String) {
        #expect(throws: ClusterError.invalidAddress(text)) { try NodeAddress(text) }
    }
}
