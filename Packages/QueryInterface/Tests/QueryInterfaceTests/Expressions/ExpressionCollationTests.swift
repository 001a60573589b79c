import Foundation
import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name

/// Collations of conditions, which belong to the operands: a collation of the result has no effect.
@Suite struct ExpressionCollationTests {
    @Test(arguments: [
        ExpressionSample((name == "arthur").collating(.nocase), #""name" COLLATE NOCASE = 'arthur'"#, [1, 0, 0, 0]),
        ExpressionSample((name != "arthur").collating(.nocase), #""name" COLLATE NOCASE <> 'arthur'"#, [0, 1, 1, 1]),
        ExpressionSample((name === "arthur").collating(.nocase), #""name" COLLATE NOCASE IS 'arthur'"#, [1, 0, 0, 0]),
        ExpressionSample((name < "b").collating(.nocase), #""name" COLLATE NOCASE < 'b'"#, [1, 0, 0, 0]),
        ExpressionSample(("b" <= name).collating(.nocase), #"'b' <= "name" COLLATE NOCASE"#, [0, 1, 1, 1]),
        ExpressionSample(
            (name == "arthur").collating(.caseInsensitiveCompare), #""name" COLLATE "swiftCaseInsensitiveCompare" = 'arthur'"#,
            [1, 0, 0, 0]),
        ExpressionSample(
            (name.collating(.binary) == "arthur").collating(.nocase), #""name" COLLATE BINARY COLLATE NOCASE = 'arthur'"#, [1, 0, 0, 0]),
        ExpressionSample(
            (rowValue(name, id) == rowValue("arthur", 1)).collating(.nocase),
            #"("name" COLLATE NOCASE, "id" COLLATE NOCASE) = ('arthur', 1)"#, [1, 0, 0, 0]),
    ])
    func `The collation of a comparison is that of its left operand`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(("b"..."cz").contains(name).collating(.nocase), #""name" COLLATE NOCASE BETWEEN 'b' AND 'cz'"#, [0, 1, 1, 0]),
        ExpressionSample(
            ("b"..<"d").contains(name).collating(.nocase), #""name" COLLATE NOCASE >= 'b' AND "name" COLLATE NOCASE < 'd'"#,
            [0, 1, 1, 0]),
        ExpressionSample(("b"...).contains(name).collating(.nocase), #""name" COLLATE NOCASE >= 'b'"#, [0, 1, 1, 1]),
        ExpressionSample((..."b").contains(name).collating(.nocase), #""name" COLLATE NOCASE <= 'b'"#, [1, 0, 0, 0]),
        ExpressionSample((..<"b").contains(name).collating(.nocase), #""name" COLLATE NOCASE < 'b'"#, [1, 0, 0, 0]),
    ])
    func `The collation of a range is that of the value in it`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(
            ["arthur", "CRAIG"].contains(name).collating(.nocase), #""name" COLLATE NOCASE IN ('arthur', 'CRAIG')"#, [1, 0, 1, 0]),
        ExpressionSample((!["arthur"].contains(name)).collating(.nocase), #""name" COLLATE NOCASE NOT IN ('arthur')"#, [0, 1, 1, 1]),
        ExpressionSample(!["arthur"].contains(name).collating(.nocase), #""name" COLLATE NOCASE NOT IN ('arthur')"#, [0, 1, 1, 1]),
        ExpressionSample(
            SQLRequest<String>("SELECT 'arthur'").contains(name).collating(.nocase), #""name" COLLATE NOCASE IN (SELECT 'arthur')"#,
            [1, 0, 0, 0]),
    ])
    func `The collation of IN is that of the value in the list`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A membership in a common table expression has the collation of the value`() throws {
        try withDatabase(Player.createTable) { db throws in
            let names = CommonTableExpression<String>(named: "names", sql: "SELECT 'arthur'")
            let request = Player.with(names).filter(names.contains(name).collating(.nocase))
            #expect(try request.fetchAll(db).map(\.name) == ["Arthur"])
        }
    }

    @Test(arguments: [
        ExpressionSample(
            (name == "arthur" || name == "craig" && id > 0).collating(.nocase),
            #""name" COLLATE NOCASE = 'arthur' OR "name" COLLATE NOCASE = 'craig' AND "id" COLLATE NOCASE > 0"#, [1, 0, 1, 0]),
        ExpressionSample(
            (!(name == "arthur" && id == 1)).collating(.nocase),
            #"NOT ("name" COLLATE NOCASE = 'arthur' AND "id" COLLATE NOCASE = 1)"#, [0, 1, 1, 1]),
        ExpressionSample(
            (name == "arthur" && name.like("A%") && SQL("id = 1")).collating(.nocase),
            #""name" COLLATE NOCASE = 'arthur' AND "name" LIKE 'A%' AND (id = 1)"#, [1, 0, 0, 0]),
    ])
    func `The collation of combined conditions is that of each comparison`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(SQL("name").collating(.nocase) == "arthur", "(name) COLLATE NOCASE = 'arthur'", [1, 0, 0, 0]),
        ExpressionSample(
            [name, "!"].joined(operator: .concat).collating(.nocase), #"("name" || '!') COLLATE NOCASE"#,
            ["Arthur!", "Barbara!", "Craig!", "David!"]),
        ExpressionSample(
            Case(when: name == "Arthur", then: "a").else("b").collating(.nocase) == "A",
            #"CASE WHEN "name" = 'Arthur' THEN 'a' ELSE 'b' END COLLATE NOCASE = 'A'"#, [1, 0, 0, 0]),
    ])
    func `Expressions that compare nothing have a collation of their own`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A condition on the columns of an alias keeps its table`() throws {
        try withDatabase(Player.createTable) { db throws in
            let alias = TableAlias(name: "p")
            let request = Player.all().aliased(alias).filter(alias[name == "arthur" && id == 1].collating(.nocase))
            #expect(
                try request.sql(db)
                    == #"SELECT "p".* FROM "player" AS "p" WHERE "p"."name" COLLATE NOCASE = 'arthur' AND "p"."id" COLLATE NOCASE = 1"#)
            #expect(try request.fetchCount(db) == 1)
        }
    }

    @Test
    func `A deep condition has the collation of its comparisons`() throws {
        try withDatabase(Player.createTable) { db throws in
            var condition = name == "arthur"
            for _ in 1...20_000 { condition = condition || name == "craig" }
            let sql = try SQL(condition.collating(.nocase)).build(db).sql
            #expect(sql.components(separatedBy: "COLLATE NOCASE = ").count == 20_002)
        }
    }
}
