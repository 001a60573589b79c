import Foundation
@testable import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score
private let best = Player.Columns.best
private let team = Column("team")

@Suite struct FunctionAggregateTests {
    static let creation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT, name TEXT, score INTEGER);
        INSERT INTO player VALUES
            (1, 'Reds', 'Arthur', 10), (2, 'Reds', 'Barbara', 10), (3, 'Blues', 'Craig', NULL), (4, 'Blues', 'David', 4)
        """

    @Test(arguments: [
        ExpressionSample(count(score), #"count("score")"#, [3]),
        ExpressionSample(count(AllColumns()), "count(*)", [4]),
        ExpressionSample(count(AllColumns(), filter: score == nil), #"count(*) FILTER (WHERE "score" IS NULL)"#, [1]),
        ExpressionSample(count(score, filter: team == "Blues"), #"count("score") FILTER (WHERE "team" = 'Blues')"#, [1]),
        ExpressionSample(count(distinct: score), #"count(DISTINCT "score")"#, [2]),
        ExpressionSample(
            count(distinct: score, filter: team == "Reds"), #"count(DISTINCT "score") FILTER (WHERE "team" = 'Reds')"#, [1]),
        ExpressionSample(sum(score), #"sum("score")"#, [24]),
        ExpressionSample(sum(score * 2), #"sum("score" * 2)"#, [48]),
        ExpressionSample(sum(score, filter: id > 2), #"sum("score") FILTER (WHERE "id" > 2)"#, [4]),
        ExpressionSample(sum(score, filter: id > 9 || id < 0), #"sum("score") FILTER (WHERE "id" > 9 OR "id" < 0)"#, [nil]),
        ExpressionSample(sum(distinct: score), #"sum(DISTINCT "score")"#, [14]),
        ExpressionSample(total(score), #"total("score")"#, [24.0]),
        ExpressionSample(total(score, filter: id > 9), #"total("score") FILTER (WHERE "id" > 9)"#, [0.0]),
        ExpressionSample(total(distinct: score), #"total(DISTINCT "score")"#, [14.0]),
        ExpressionSample(average(score), #"avg("score")"#, [8.0]),
        ExpressionSample(average(score, filter: id > 1), #"avg("score") FILTER (WHERE "id" > 1)"#, [7.0]),
        ExpressionSample(average(distinct: score), #"avg(DISTINCT "score")"#, [7.0]),
        ExpressionSample(max(score), #"max("score")"#, [10]),
        ExpressionSample(max(score, filter: id > 2), #"max("score") FILTER (WHERE "id" > 2)"#, [4]),
        ExpressionSample(min(score), #"min("score")"#, [4]),
        ExpressionSample(min(name, filter: id > 2), #"min("name") FILTER (WHERE "id" > 2)"#, ["Craig"]),
        ExpressionSample(groupConcat(name), #"group_concat("name", ',')"#, ["Arthur,Barbara,Craig,David"]),
        ExpressionSample(
            groupConcat(name, separator: " & ", filter: id > 2), #"group_concat("name", ' & ') FILTER (WHERE "id" > 2)"#,
            ["Craig & David"]),
        ExpressionSample(groupConcat(distinct: score), #"group_concat(DISTINCT "score")"#, ["10,4"]),
        ExpressionSample(max(score) - min(score) + 1, #"max("score") - min("score") + 1"#, [7]),
        ExpressionSample(sum(score) ?? 0 > 20, #"ifnull(sum("score"), 0) > 20"#, [1]),
    ])
    func `Aggregates of all values, of distinct values, and of filtered values`(sample: ExpressionSample) throws {
        try sample.check(createdBy: Self.creation)
    }

    @Test
    func `containsAggregate finds aggregate functions in expressions`() throws {
        let request = SQLRequest<Row>("SELECT max(score) FROM player")
        let without: [SQLExpression] = [
            id.sqlExpression, 1.sqlExpression, .null, id + 1, -id, id == 1 && name == nil, [1, 2].contains(id),
            (1...2).contains(id), max(id, 2), name.like("a"), name.uppercased, Case(when: id > 1, then: 2).else(3),
            cast(id, as: .text), name.collating(.nocase), request.exists(), request.contains(id), coalesce([id, score]),
            sum(score).over(), rank().over(partitionBy: id, orderBy: score, name.desc, id.ascNullsLast),
            sum(score).over(windowNamed: "w"), JSONColumn("info")["a"], JSONColumn("info").sqlExpression,
            Database.jsonArray([id]), dateTime(name, .day(1)), SQLExpression.random, [id, id].joined(operator: .add),
        ]
        for expression in without { #expect(!expression.containsAggregate) }
        let with: [SQLExpression] = [
            count(id), count(AllColumns()), sum(score) + 1, -max(id), !(min(id) == 1), [1, 2].contains(sum(id)),
            [sum(id)].contains(id), (1...2).contains(total(id)), max(sum(id), 2), groupConcat(name).like("a"),
            Case(when: id > 1, then: sum(id)).sqlExpression, Case(when: id > 1, then: 1).else(sum(id)),
            Case(sum(id), when: 1, then: 1).sqlExpression,
            cast(sum(id), as: .text), coalesce([id.sqlExpression, sum(id)]), sum(sum(score)).over(),
            rank().over(orderBy: sum(score).desc), rank().over(partitionBy: max(id)), Database.jsonGroupArray(id),
            Database.jsonArray([sum(id)]), [id.sqlExpression, sum(id)].joined(operator: .add), request.contains(sum(id)),
            sum(id, filter: id > 1) ?? 0, max(name).collating(.nocase), average(id).uppercased, count(id) === nil,
        ]
        for expression in with { #expect(expression.containsAggregate) }
        // Opaque expressions may contain an aggregate.
        let unknown: [SQLExpression] = [
            SQL("id").sqlExpression, SQL("id") + 1, DatabaseFunction("f") { _ in nil }(id),
            rank().over(orderBy: SQL("sum(score)")), rank().over(orderBy: SQL("sum(score)").sqlOrdering),
        ]
        for expression in unknown { #expect(expression.containsAggregate) }
    }

    @Test
    func `selectsAggregate finds aggregate functions in selections`() {
        #expect(!AllColumns().selectsAggregate && !id.selectsAggregate && !id.forKey("a").selectsAggregate)
        #expect(max(id).selectsAggregate && max(id).forKey("a").selectsAggregate && SQL("max(id)").selectsAggregate)
        #expect(max(id).sqlSelection.selectsAggregate)
    }

    @Test
    func `Composite keys are rows in a list, packed or not`() throws {
        let creation = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, a TEXT, b);
            INSERT INTO player VALUES (1, '1', 1), (2, 'x', 2.5), (3, 'y', NULL), (4, 'z', x'00ff'), (5, 'y', 'y')
            """
        let columns = [Column("a").sqlExpression, Column("b").sqlExpression]
        func node(_ rows: [[(any DatabaseValueConvertible)?]], isNegated: Bool = false) -> SQLExpression {
            let rows = rows.map { $0.map { $0?.databaseValue ?? .null } }
            return SQLExpression(.rowMembership(SQLNode.RowMembership(columns: columns, rows: rows, isNegated: isNegated)))
        }
        try ExpressionSample(
            node([["x", 2.5], [1, 1]]), #"("a", "b") IN (VALUES ('x', 2.5), (1, 1))"#, [1, 1, 0, 0, 0]
        ).check(createdBy: creation)
        try ExpressionSample(
            node([["1", 1], ["y", "y"]]), #"("a", "b") IN (VALUES ('1', 1), ('y', 'y'))"#, [1, 0, nil, 0, 1]
        ).check(createdBy: creation)
        try ExpressionSample(
            !node([["z", Data([0, 255])], ["y", nil]]), #"("a", "b") NOT IN (VALUES ('z', x'00ff'), ('y', NULL))"#,
            [1, 1, nil, 0, nil]
        ).check(createdBy: creation)
        try ExpressionSample(
            node([]), #"("a", "b") IN (SELECT NULL, NULL WHERE FALSE)"#, [0, 0, 0, 0, 0]
        ).check(createdBy: creation)
        try ExpressionSample(
            node([], isNegated: true), #"("a", "b") NOT IN (SELECT NULL, NULL WHERE FALSE)"#, [1, 1, 1, 1, 1]
        ).check(createdBy: creation)
        try ExpressionSample(
            SQLExpression(
                .rowMembership(SQLNode.RowMembership(columns: [id.sqlExpression], rows: [[2.databaseValue], [3.databaseValue]]))),
            #""id" IN (2, 3)"#, [0, 1, 1, 0, 0]
        ).check(createdBy: creation)
        try withDatabase(creation) { db throws in
            #expect(
                try evaluate(node([["x", 2], ["y", 3]]), db) { $0.packsLists = true }.sql
                    == #"("a", "b") IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each('[["x",2],["y",3]]'))"#
            )
            let long = (1...40_000).map { (number: Int) -> [(any DatabaseValueConvertible)?] in [String(number), number] }
            let (_, values) = try evaluate(node(long), db) { $0.packsLists = true }
            #expect(values == [1, 0, 0, 0, 0].map(\.databaseValue))
        }
    }
}
