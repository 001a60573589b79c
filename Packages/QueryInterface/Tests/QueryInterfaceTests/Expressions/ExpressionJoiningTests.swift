import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score
private let best = Player.Columns.best

@Suite struct ExpressionJoiningTests {
    @Test(arguments: [
        ExpressionSample([id, score].joined(operator: .add), #""id" + "score""#, [1001, 752, nil, 4]),
        ExpressionSample([id, id, id].joined(operator: .multiply), #""id" * "id" * "id""#, [1, 8, 27, 64]),
        ExpressionSample([id > 1, id < 4].joined(operator: .and), #""id" > 1 AND "id" < 4"#, [0, 1, 1, 0]),
        ExpressionSample([id < 2, id > 3].joined(operator: .or), #""id" < 2 OR "id" > 3"#, [1, 0, 0, 1]),
        ExpressionSample(
            [name, name].joined(operator: .concat), #""name" || "name""#,
            ["ArthurArthur", "BarbaraBarbara", "CraigCraig", "DavidDavid"]),
        ExpressionSample(
            [id, " ", name].joined(operator: .concat), #""id" || ' ' || "name""#, ["1 Arthur", "2 Barbara", "3 Craig", "4 David"]),
        ExpressionSample([id, 6].joined(operator: .bitwiseAnd), #""id" & 6"#, [0, 2, 2, 4]),
        ExpressionSample([id, 8].joined(operator: .bitwiseOr), #""id" | 8"#, [9, 10, 11, 12]),
        ExpressionSample([id].joined(operator: .add), #""id""#, [1, 2, 3, 4]),
    ])
    func `Expressions joined by an operator`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample([Column]().joined(operator: .add) + id, #"0 + "id""#, [1, 2, 3, 4]),
        ExpressionSample([Column]().joined(operator: .multiply) * id, #"1 * "id""#, [1, 2, 3, 4]),
        ExpressionSample([SQLExpression]().joined(operator: .and), "1", [1, 1, 1, 1]),
        ExpressionSample([SQLExpression]().joined(operator: .or), "0", [0, 0, 0, 0]),
        ExpressionSample([any SQLExpressible]().joined(operator: .concat), "''", ["", "", "", ""]),
        ExpressionSample([Column]().joined(operator: .bitwiseAnd) & id, #"-1 & "id""#, [1, 2, 3, 4]),
        ExpressionSample([any SQLSpecificExpressible]().joined(operator: .bitwiseOr) | id, #"0 | "id""#, [1, 2, 3, 4]),
    ])
    func `Joining no expressions gives the neutral value`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(
            [id > 1 && id > 2, id < 4].joined(operator: .and), #""id" > 1 AND "id" > 2 AND "id" < 4"#, [0, 0, 1, 0]),
        ExpressionSample(
            [id == 1, id == 2 && score > 0].joined(operator: .or), #""id" = 1 OR "id" = 2 AND "score" > 0"#, [1, 1, 0, 0]),
        ExpressionSample(
            [id == 1 || id == 2, score > 0].joined(operator: .and), #"("id" = 1 OR "id" = 2) AND "score" > 0"#, [1, 1, 0, 0]),
        ExpressionSample([id + 1, id + 2].joined(operator: .add), #""id" + 1 + ("id" + 2)"#, [5, 7, 9, 11]),
        ExpressionSample([id + 1, id + 2].joined(operator: .multiply), #"("id" + 1) * ("id" + 2)"#, [6, 12, 20, 30]),
        ExpressionSample([id / 2, id].joined(operator: .multiply), #""id" / 2 * "id""#, [0, 2, 3, 8]),
        ExpressionSample([id, id / 2].joined(operator: .multiply), #""id" * ("id" / 2)"#, [0, 2, 3, 8]),
        ExpressionSample(
            [[name, "!"].joined(operator: .concat), "?"].joined(operator: .concat), #""name" || '!' || '?'"#,
            ["Arthur!?", "Barbara!?", "Craig!?", "David!?"]),
        ExpressionSample(
            [id + 1, name].joined(operator: .concat), #"("id" + 1) || "name""#, ["2Arthur", "3Barbara", "4Craig", "5David"]),
    ])
    func `Operands of the same operator need parentheses only where rounding makes a difference`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [401, 5000])
    func `A chain can have more operands than SQLite's maximum expression depth`(count: Int) throws {
        let numbers = (1...count).map { id == $0 }
        try ExpressionSample([id, count].joined(operator: .add), #""id" + \#(count)"#, (1...4).map { $0 + count }).check()
        try withDatabase(Player.createTable) { db throws in
            #expect(try evaluate(numbers.joined(operator: .or), db).values == [1, 1, 1, 1].map(\.databaseValue))
            #expect(try evaluate(numbers.dropFirst().joined(operator: .or), db).values == [0, 1, 1, 1].map(\.databaseValue))
            let chain = numbers.dropFirst().reduce(numbers[0]) { $0 || $1 }
            #expect(try evaluate(!chain, db).values == [0, 0, 0, 0].map(\.databaseValue))
            let sum = Array(repeating: id, count: count).joined(operator: .add)
            #expect(try evaluate(sum, db).values == (1...4).map { ($0 * count).databaseValue })
        }
    }
}
