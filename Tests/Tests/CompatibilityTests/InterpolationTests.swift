import Strata
import Testing

@Suite("Requests in SQL as GRDB's users write them")
struct InterpolationTests {
    @Test
    func `A request in SQL has no parentheses of its own`() throws {
        try makeDatabase().read { db throws in
            func check(_ literal: SQL, _ sql: String, _ result: [Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
                #expect(try literal.build(db).sql == sql, sourceLocation: sourceLocation)
                #expect(try SQLRequest<Int>(literal: literal).fetchAll(db) == result, sourceLocation: sourceLocation)
            }
            let request = Player.filter { $0.score > 10 }.select(\.id).order(\.id)
            let sql = #"SELECT "id" FROM "player" WHERE "score" > ? ORDER BY "id""#
            try check("SELECT * FROM (\(request))", "SELECT * FROM (\(sql))", [2, 3])
            try check("SELECT id FROM player WHERE id IN (\(request))", "SELECT id FROM player WHERE id IN (\(sql))", [2, 3])
            try check("SELECT EXISTS (\(request))", "SELECT EXISTS (\(sql))", [1])
            try check("\(request)", sql, [2, 3])
            let raw: SQLRequest<Int> = "SELECT id FROM player WHERE name = \("Craig");  "
            let rawSQL = "SELECT id FROM player WHERE name = ?"
            try check("\(raw) UNION ALL \(raw)", "\(rawSQL) UNION ALL \(rawSQL)", [3, 3])
            let (a, b) = (Player.select(\.id).filter(key: 1), Player.select(\.id).filter(key: 2))
            try check(
                "\(a) UNION \(b)",
                #"SELECT "id" FROM "player" WHERE "id" = ? UNION SELECT "id" FROM "player" WHERE "id" = ?"#, [1, 2])
            let cte = CommonTableExpression<Int>(named: "best", request: request)
            try check(
                "WITH \(definitionFor: cte) \(cte.all())", #"WITH "best" AS ("# + sql + #") SELECT * FROM "best""#, [2, 3])
            let plan = try Row.fetchAll(db, SQLRequest<Row>(literal: "EXPLAIN QUERY PLAN \(request)"))
            #expect(plan.count == 1)
            // Any request, also one whose type is erased.
            try check("SELECT * FROM (\(AnyFetchRequest(request)))", "SELECT * FROM (\(sql))", [2, 3])
            let one = #"SELECT "id" FROM "player" WHERE "id" = ?"#
            try check("SELECT * FROM (\(a.union(b)))", "SELECT * FROM (\(one) UNION \(one))", [1, 2])
            try check("SELECT * FROM (\(request.sqlSubquery))", "SELECT * FROM (\(sql))", [2, 3])
            let commented: SQLRequest<Int> = "SELECT 1 -- one"
            try check("SELECT * FROM (\(commented))", "SELECT * FROM (SELECT 1 -- one\n)", [1])
        }
    }

    @Test
    func `A request in an expression keeps its parentheses`() throws {
        try makeDatabase().read { db throws in
            let best = Player.select { max($0.score) }
            #expect(try Player.filter { $0.score == best }.fetchAll(db).map(\.name) == ["Barbara"])
            #expect(try Player.filter(best.contains(Column("score"))).fetchCount(db) == 1)
            #expect(try Player.select(best.sqlExpression.forKey("best"), as: Int.self).fetchSet(db) == [30])
            let raw: SQLRequest<Int> = "SELECT max(score) FROM player"
            #expect(try Player.filter { $0.score == raw }.fetchCount(db) == 1)
            #expect(try Player.filter { $0.score + 0 == raw }.fetchCount(db) == 1)
            #expect(try SQL("SELECT \(Column("score") == best)").build(db).sql == #"SELECT "score" = (SELECT max("score") FROM "player")"#)
            let literal: SQL = "score = \(SQL(raw))"
            #expect(try Player.filter(literal: literal).fetchCount(db) == 1)
        }
    }
}
