import Testing

@testable import DqliteCluster

@Suite struct SQLTokensTests {
    @Test("Comments and white space are no tokens")
    func skipsComments() {
        let tokens = SQLTokens("-- first\nSELECT/* a; */'it''s -- no comment' /**/ -- last")
        #expect(tokens.tokens.indices.map { tokens.text($0) } == ["SELECT", "'it''s -- no comment'"])
        #expect(tokens.trimmedSQL.hasSuffix("comment'"))
    }

    @Test("A comment without an end is removed")
    func removesOpenComment() {
        #expect(SQLTokens("SELECT 1 /* open").trimmedSQL == "SELECT 1")
        #expect(SQLTokens("SELECT 1 /*/ open").trimmedSQL == "SELECT 1")
    }

    @Test(
        "Returned items get a plus",
        arguments: [
            ("INSERT INTO t VALUES (1) RETURNING id", ["id"], "INSERT INTO t VALUES (1) RETURNING +id"),
            ("DELETE FROM t RETURNING *", ["a", "b"], "DELETE FROM t RETURNING +\"a\", +\"b\""),
            (
                "UPDATE t SET a = 'RETURNING' RETURNING id, *, max(a, b) AS \"x, y\"", ["id", "a", "b", "x, y"],
                "UPDATE t SET a = 'RETURNING' RETURNING +id, +\"a\", +\"b\", +max(a, b) AS \"x, y\""
            ),
        ])
    func addsPlus(sql: String, columnNames: [String], expected: String) {
        #expect(SQLTokens(sql).withoutReturnedTypes(columnNames: columnNames) == expected)
    }

    @Test("A statement without RETURNING has nothing to change")
    func findsNoClause() {
        #expect(SQLTokens("SELECT (1)").withoutReturnedTypes(columnNames: ["a"]) == nil)
    }

    @Test("What keeps texts whole mentions columns several times, but computes expensive ones once", arguments: [true, false])
    func computesColumnsOnce(computesOnce: Bool) throws {
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

    @Test("Each parameter appears once, in order, in calls of up to 120 arguments")
    func passesArguments() {
        #expect(
            RemotePlan.proxySQL(.query, id: 7, columnNames: ["id", "a\"b"], parameterNames: [":id", nil, "?3"])
                == "SELECT c0 AS \"id\", c1 AS \"a\"\"b\" FROM strata_remote(7, strata_args(7, 0, :id, ?, ?3))")
        let many = RemotePlan.proxySQL(.change, id: 1, columnNames: [], parameterNames: Array(repeating: nil, count: 121))
        #expect(many.hasSuffix(" + strata_args(1, 120, ?))"))
    }

    @Test("Addresses are numbers", arguments: ["127.0.0.1:9001", "1.2.3.4:1"])
    func readsAddress(text: String) throws {
        #expect(try NodeAddress(text).description == text)
    }

    @Test(
        "Other addresses are refused",
        arguments: [
            "", "localhost:9001", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "::1:9001", "1.2.3:4", "256.0.0.1:1", "1.2.3.4:70000",
            "1.2.3.4:+5",
        ])
    func refusesAddress(text: String) {
        #expect(throws: ClusterError.invalidAddress(text)) { try NodeAddress(text) }
    }
}
