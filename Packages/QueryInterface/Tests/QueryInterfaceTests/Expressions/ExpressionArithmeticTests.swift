import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score
private let best = Player.Columns.best
private let five = 5

@Suite struct ExpressionArithmeticTests {
    @Test(arguments: [
        ExpressionSample(score + 10, #""score" + 10"#, [1010, 760, nil, 10]),
        ExpressionSample(10 + score, #"10 + "score""#, [1010, 760, nil, 10]),
        ExpressionSample(score + best, #""score" + "best""#, [2000, 1950, nil, nil]),
        ExpressionSample(score - 10, #""score" - 10"#, [990, 740, nil, -10]),
        ExpressionSample(10 - score, #"10 - "score""#, [-990, -740, nil, 10]),
        ExpressionSample(score - best, #""score" - "best""#, [0, -450, nil, nil]),
        ExpressionSample(score * 2, #""score" * 2"#, [2000, 1500, nil, 0]),
        ExpressionSample(2 * score, #"2 * "score""#, [2000, 1500, nil, 0]),
        ExpressionSample(score * id, #""score" * "id""#, [1000, 1500, nil, 0]),
        ExpressionSample(score / 300, #""score" / 300"#, [3, 2, nil, 0]),
        ExpressionSample(3000 / score, #"3000 / "score""#, [3, 4, nil, nil]),
        ExpressionSample(best / id, #""best" / "id""#, [1000, 600, 100, nil]),
        ExpressionSample(score % 300, #""score" % 300"#, [100, 150, nil, 0]),
        ExpressionSample(1700 % score, #"1700 % "score""#, [700, 200, nil, nil]),
        ExpressionSample(best % id, #""best" % "id""#, [0, 0, 0, nil]),
        ExpressionSample(id + 0.5, #""id" + 0.5"#, [1.5, 2.5, 3.5, 4.5]),
        ExpressionSample(id + five, #""id" + 5"#, [6, 7, 8, 9]),
        ExpressionSample(id + Int?.none, #""id" + NULL"#, [nil, nil, nil, nil]),
        ExpressionSample(-id, #"-"id""#, [-1, -2, -3, -4]),
    ])
    func `Arithmetic, with a column on either side or on both`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(id & 1, #""id" & 1"#, [1, 0, 1, 0]),
        ExpressionSample(1 & id, #"1 & "id""#, [1, 0, 1, 0]),
        ExpressionSample(id & id, #""id" & "id""#, [1, 2, 3, 4]),
        ExpressionSample(id | 1, #""id" | 1"#, [1, 3, 3, 5]),
        ExpressionSample(1 | id, #"1 | "id""#, [1, 3, 3, 5]),
        ExpressionSample(id | score, #""id" | "score""#, [1001, 750, nil, 4]),
        ExpressionSample(id << 2, #""id" << 2"#, [4, 8, 12, 16]),
        ExpressionSample(1 << id, #"1 << "id""#, [2, 4, 8, 16]),
        ExpressionSample(id << id, #""id" << "id""#, [2, 8, 24, 64]),
        ExpressionSample(id >> 1, #""id" >> 1"#, [0, 1, 1, 2]),
        ExpressionSample(256 >> id, #"256 >> "id""#, [128, 64, 32, 16]),
        ExpressionSample(score >> id, #""score" >> "id""#, [500, 187, nil, 0]),
        ExpressionSample(~id, #"~"id""#, [-2, -3, -4, -5]),
        ExpressionSample((id & 2) != 0, #""id" & 2 <> 0"#, [0, 1, 1, 0]),
    ])
    func `The SQL of operators on bits`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(id + score * 2, #""id" + "score" * 2"#, [2001, 1502, nil, 4]),
        ExpressionSample((id + score) * 2, #"("id" + "score") * 2"#, [2002, 1504, nil, 8]),
        ExpressionSample(id - (score - 1), #""id" - ("score" - 1)"#, [-998, -747, nil, 5]),
        ExpressionSample(id - score - 1, #""id" - "score" - 1"#, [-1000, -749, nil, 3]),
        ExpressionSample(100 / (id / 1), #"100 / ("id" / 1)"#, [100, 50, 33, 25]),
        ExpressionSample(id * 7 % 5, #""id" * 7 % 5"#, [2, 4, 1, 3]),
        ExpressionSample(id * (7 % id), #""id" * (7 % "id")"#, [0, 2, 3, 12]),
        ExpressionSample(id << 1 + id, #"("id" << 1) + "id""#, [3, 6, 9, 12]),
        ExpressionSample(id & (id | 1), #""id" & ("id" | 1)"#, [1, 2, 3, 4]),
        ExpressionSample((id & 3) | 1, #""id" & 3 | 1"#, [1, 3, 3, 1]),
        ExpressionSample(id + 1 > score - 1, #""id" + 1 > "score" - 1"#, [0, 0, nil, 1]),
        ExpressionSample((id > 1) + 1, #"("id" > 1) + 1"#, [1, 2, 2, 2]),
        ExpressionSample(-(id + 1), #"-("id" + 1)"#, [-2, -3, -4, -5]),
        ExpressionSample(-id + 1, #"-"id" + 1"#, [0, -1, -2, -3]),
        ExpressionSample(-(-id), #"-(-"id")"#, [1, 2, 3, 4]),
        ExpressionSample(~(-id), #"~(-"id")"#, [0, 1, 2, 3]),
        ExpressionSample(-(~id), #"-(~"id")"#, [2, 3, 4, 5]),
        ExpressionSample(1 - (-id), #"1 - -"id""#, [2, 3, 4, 5]),
        ExpressionSample(id - -5, #""id" - -5"#, [6, 7, 8, 9]),
        ExpressionSample(-(-5).sqlExpression + id, #"- -5 + "id""#, [6, 7, 8, 9]),
        ExpressionSample(-(-0.5).sqlExpression + id, #"- -0.5 + "id""#, [1.5, 2.5, 3.5, 4.5]),
        ExpressionSample(~(-5).sqlExpression + id, #"~-5 + "id""#, [5, 6, 7, 8]),
        ExpressionSample((!(id == 1)) == (!(score > 500)), #"("id" <> 1) = (NOT "score" > 500)"#, [1, 0, nil, 1]),
        ExpressionSample(-SQL("id + 1"), "-(id + 1)", [-2, -3, -4, -5]),
        ExpressionSample(-SQL("-5") + id, #"-(-5) + "id""#, [6, 7, 8, 9]),
    ])
    func `Operators have parentheses only where necessary`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A negative literal after a minus sign does not begin a comment`() throws {
        struct Wrapper: SQLExpressionNode {
            func render(to renderer: inout SQLRenderer) throws { renderer.append(argument: (-5).databaseValue) }
        }
        try withDatabase(Player.createTable) { db throws in
            let literals = try evaluate(-SQLExpression(Wrapper()) + id, db) { $0.writesLiterals = true }
            #expect(literals.sql == #"- -5 + "id""#)
            #expect(literals.values == [6, 7, 8, 9].map(\.databaseValue))
        }
    }

    @Test(arguments: [
        ExpressionSample(score === 750, #""score" IS 750"#, [0, 1, 0, 0]),
        ExpressionSample(750 === score, #"750 IS "score""#, [0, 1, 0, 0]),
        ExpressionSample(score === best, #""score" IS "best""#, [1, 0, 0, 0]),
        ExpressionSample(score !== 750, #""score" IS NOT 750"#, [1, 0, 1, 1]),
        ExpressionSample(750 !== score, #"750 IS NOT "score""#, [1, 0, 1, 1]),
        ExpressionSample(score !== best, #""score" IS NOT "best""#, [0, 1, 1, 1]),
        ExpressionSample(score === nil, #""score" IS NULL"#, [0, 0, 1, 0]),
        ExpressionSample(nil === score, #""score" IS NULL"#, [0, 0, 1, 0]),
        ExpressionSample(score !== Int?.none, #""score" IS NOT NULL"#, [1, 1, 0, 1]),
        ExpressionSample(score === Int?(0), #""score" IS 0"#, [0, 0, 0, 1]),
        ExpressionSample(!(score === best), #""score" IS NOT "best""#, [0, 1, 1, 1]),
        ExpressionSample(!(score !== best), #""score" IS "best""#, [1, 0, 0, 0]),
        ExpressionSample((score === best) === (id == 1), #"("score" IS "best") IS ("id" = 1)"#, [1, 1, 1, 1]),
        ExpressionSample(score === (!id), #""score" IS (NOT "id")"#, [0, 0, 0, 1]),
    ])
    func `IS and IS NOT treat NULLs as equal`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(score ?? 0, #"ifnull("score", 0)"#, [1000, 750, 0, 0]),
        ExpressionSample(score ?? best, #"ifnull("score", "best")"#, [1000, 750, 300, 0]),
        ExpressionSample((score ?? 0) + 1, #"ifnull("score", 0) + 1"#, [1001, 751, 1, 1]),
        ExpressionSample(best ?? score ?? id, #"coalesce("best", "score", "id")"#, [1000, 1200, 300, 0]),
        ExpressionSample((best ?? score) ?? 1, #"coalesce("best", "score", 1)"#, [1000, 1200, 300, 0]),
        ExpressionSample(abs(best ?? score) ?? 1, #"ifnull(abs(ifnull("best", "score")), 1)"#, [1000, 1200, 300, 0]),
        ExpressionSample(coalesce([score, best]), #"coalesce("score", "best")"#, [1000, 750, 300, 0]),
        ExpressionSample(coalesce([score, best, 0]), #"coalesce("score", "best", 0)"#, [1000, 750, 300, 0]),
        ExpressionSample(coalesce([score]), #""score""#, [1000, 750, nil, 0]),
        ExpressionSample(coalesce([Column]()), "NULL", [nil, nil, nil, nil]),
        ExpressionSample(score.nullIf(0), #"nullif("score", 0)"#, [1000, 750, nil, nil]),
    ])
    func `?? replaces NULL`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A long chain of ??`() throws {
        try withDatabase(Player.createTable) { db throws in
            let chain = (1...100).reduce(id.sqlExpression) { chain, _ in SQLExpression.null ?? chain }
            #expect(try evaluate(chain, db).values == [1, 2, 3, 4].map(\.databaseValue))
        }
    }

    @Test
    func `Plain Swift values keep their own operators`() {
        final class Object {}
        let object = Object()
        let number: Int = 5 % 3 + 7 / 2 - 1 & 6 | (1 << 3) >> 1
        let text: String = "a" + "b"
        let isIdentical: Bool = object === object
        let optional: Int = Int?.none ?? 5
        let list: [Int] = [1] + [2]
        let extremes: [Int] = [max(1, 2), min(1, 2), max(1, 2, 3), abs(-4), [3, 4].max() ?? 0]
        let contains: [Bool] = [(1...3).contains(2), (1..<3).contains(3), (1...).contains(0), (..<3).contains(1)]
        #expect(number == (5 % 3 + 7 / 2 - 1 & 6 | (1 << 3) >> 1) && text == "ab" && isIdentical && optional == 5)
        #expect(list == [1, 2] && extremes == [2, 1, 3, 4, 4] && contains == [true, false, false, true])
        #expect(["a", "b"].joined() == "ab" && ~5 == -6 && -number < 0)
    }

    @Test
    func `Concatenating SQL and a literal makes SQL`() throws {
        let sql: SQL = "SELECT 1"
        let longer = sql + " LIMIT 1"
        try withDatabase("") { db throws in
            #expect(try longer.build(db).sql == "SELECT 1 LIMIT 1")
            #expect(try (sql + sql).build(db).sql == "SELECT 1SELECT 1")
        }
    }
}
