import Foundation
import Testing

@testable import QueryInterface

/// Expressions of any size are made, written, searched and freed on a small stack, in time proportional to their size.
@Suite(.timeLimit(.minutes(10))) struct DeepExpressionTests {
    /// A way to wrap an expression into another expression, repeatedly.
    struct Step: Sendable, CustomTestStringConvertible {
        let name: String
        let step: @Sendable (SQLExpression, Int) -> SQLExpression

        init(_ name: String, _ step: @escaping @Sendable (SQLExpression, Int) -> SQLExpression) {
            (self.name, self.step) = (name, step)
        }

        var testDescription: String { name }

        func expression(_ count: Int) -> SQLExpression {
            var expression = Column("id").sqlExpression
            for index in 0..<count { expression = step(expression, index) }
            return expression
        }
    }

    /// A user-defined node, which writes its operand like any other.
    private struct Twice: SQLExpressionNode {
        let operand: SQLExpression

        func render(to renderer: inout SQLRenderer) throws {
            renderer.append("twice(")
            try renderer.append(operand)
            renderer.append(")")
        }
    }

    private static let alias = TableAlias(name: "a")
    private static let function = DatabaseFunction("f", argumentCount: 2) { $0[0] }

    /// The left-associative operators that can be regrouped.
    static let rows: [Step] = [
        Step("and") { $0 && Column("id") > $1 },
        Step("and, to the right") { Column("id") > $1 && $0 },
        Step("or") { $0 || Column("id") == $1 },
        Step("or, to the right") { Column("id") == $1 || $0 },
        Step("plus") { expression, _ in expression + Column("id") },
        Step("times") { expression, _ in expression * Column("id") },
        Step("bits and") { expression, _ in expression & Column("id") },
        Step("bits or") { expression, _ in expression | Column("id") },
        Step("joined by plus") { expression, _ in [expression, Column("id").sqlExpression].joined(operator: .add) },
        Step("joined by ||") { expression, _ in [expression, "a".sqlExpression].joined(operator: .concat) },
        Step("??") { expression, index in expression ?? index },
        Step("??, to the right") { expression, _ in Column("id") ?? expression },
    ]

    /// The number of levels of an expression is limited to 60. Each step adds up to three.
    static let depth = 3_000

    /// The other left-associative operators.
    static let sequences: [Step] = [
        Step("minus") { expression, _ in expression - Column("id") },
        Step("plus and minus") { expression, index in index.isMultiple(of: 2) ? expression + 1 : expression - 1 },
        Step("bits") { expression, index in index.isMultiple(of: 2) ? expression & 1 : expression | 1 },
        Step("json path") { expression, _ in expression.asJSON["a"] },
    ]

    static let others: [Step] = [
        Step("minus sign") { expression, _ in -expression },
        Step("flipped bits") { expression, _ in ~expression },
        Step("not") { expression, _ in !expression },
        Step("plus, to the right") { expression, _ in Column("id") + expression },
        Step("and and or") { expression, index in index.isMultiple(of: 2) ? expression && Column("a") : expression || Column("b") },
        Step("equal") { expression, _ in expression == Column("id") },
        Step("less") { expression, _ in expression < Column("id") },
        Step("is null") { expression, _ in SQLExpression.null === expression },
        Step("in") { expression, _ in [1, 2].contains(expression) },
        Step("in a list with it") { expression, _ in [expression, 1.sqlExpression].contains(Column("id")) },
        Step("between") { expression, _ in (1...2).contains(expression) },
        Step("like") { expression, _ in expression.like("a") },
        Step("collation") { expression, _ in expression.collating(.nocase) },
        Step("cast") { expression, _ in cast(expression, as: .text) },
        Step("function") { expression, _ in abs(expression) },
        Step("function of two") { expression, _ in max(expression, 1) },
        Step("function of the user's") { expression, _ in Self.function(expression, 1) },
        Step("aggregate function") { expression, _ in max(expression) },
        Step("json") { expression, _ in Database.jsonArray([expression]) },
        Step("json text") { expression, _ in expression.asJSON.sqlExpression },
        Step("case") { expression, _ in Case(when: expression, then: 1).else(2) },
        Step("case, then") { expression, _ in Case(when: Column("id"), then: expression).else(nil) },
        Step("table alias") { expression, _ in -Self.alias[expression] },
        Step("SQL") { expression, _ in SQL("f(\(expression))").sqlExpression },
        Step("SQL that a closure writes") { expression, _ in SQL { try $0.append(expression) }.sqlExpression },
        Step("window") { expression, _ in max(Column("id")).over(partitionBy: expression) },
        Step("node of the user's") { expression, _ in SQLExpression(Twice(operand: expression)) },
        Step("subquery") { expression, _ in Player.select(expression).sqlExpression },
        Step("subquery of a table") { expression, _ in Table("player").filter(expression).select(Column("id")).contains(Column("id")) },
        Step("subquery that exists") { expression, _ in Player.filter(expression).exists() },
        Step("ordered subquery") { expression, _ in Player.order(expression).limit(1).select(Column("id")).sqlExpression },
        Step("grouped subquery") { expression, _ in Player.select(Column("id")).group(expression).having(expression).sqlExpression },
        Step("subquery by a closure") { expression, _ in Player.all().filterWhenConnected { _ in expression }.sqlExpression },
        Step("compound subquery") { expression, _ in Player.select(expression).union(Player.select(Column("id"))).sqlExpression },
        Step("request in SQL") { expression, _ in SQLRequest<Int>("SELECT \(expression); ").sqlExpression },
    ]

    /// Steps that repeat their operand are omitted: their text would grow exponentially.
    static let writable = (rows + sequences + others).filter { $0.name != "grouped subquery" }

    /// The SQL of an expression in a request for one table.
    private static func sql(_ expression: SQLExpression) throws -> String {
        try DatabaseQueue().write { db in
            try db.execute(sql: Player.createTable)
            return try SQL(expression).build(db).sql
        }
    }

    @Test(arguments: rows + sequences)
    func `A chain of any length is made, written and freed on a small stack`(_ step: Step) throws {
        let length = try onSmallStack { try Self.sql(step.expression(Self.depth)).utf8.count }
        #expect(length >= Self.depth)
    }

    @Test(arguments: [rows[0], rows[3], rows[10], sequences[0]])
    func `A very long chain is made, written and freed on a small stack`(_ step: Step) throws {
        let length = try onSmallStack { try Self.sql(step.expression(100_000)).utf8.count }
        #expect(length >= 100_000)
        // SQLite allows 250,000 parameters at most.
        let error = #expect(throws: DatabaseError.self) { try onSmallStack { try Self.sql(step.expression(250_000)) } }
        #expect(error?.resultCode == .SQLITE_TOOBIG)
    }

    @Test(arguments: others.filter { $0.name != "grouped subquery" })
    func `An expression is nested up to a limit, and never overflows a small stack`(_ step: Step) throws {
        try onSmallStack {
            try withDatabase(Player.createTable) { db throws in
                var written = 0
                for count in 1...80 {
                    do {
                        _ = try SQL(step.expression(count)).build(db)
                        written = count
                    } catch let error as DatabaseError {
                        #expect(error.resultCode == .SQLITE_TOOBIG && error.message?.contains("nested more than 60 levels deep") == true)
                    }
                }
                #expect(written >= 19 && written <= 60, "\(written) levels")
                // The depth of a closure's expression is unknown before the closure runs.
                let depth = step.name.contains("closure") ? 300 : Self.depth
                let error = #expect(throws: DatabaseError.self) { try SQL(step.expression(depth)).build(db) }
                #expect(error?.resultCode == .SQLITE_TOOBIG)
            }
        }
    }

    @Test(arguments: rows + others)
    func `Searching a large expression needs a small stack only`(_ step: Step) throws {
        try onSmallStack {
            let expression = step.expression(step.name.contains("closure") ? 300 : Self.depth)
            _ = expression.containsAggregate
            _ = (expression.precedence, expression.value, (!expression).precedence, expression.forKey("a").selectsAggregate)
        }
    }

    @Test(arguments: writable)
    func `Each level of a deep expression adds the same SQL`(_ step: Step) throws {
        // Chains take over operands in several ways, and long ones are nested. The text must grow equally at each level.
        let texts = try withDatabase(Player.createTable) { db in
            try (0...100).compactMap { count in
                do {
                    return try SQL(step.expression(count)).build(db).sql
                } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                    return nil
                }
            }
        }
        let steps = texts.indices.dropFirst(2).map { texts[$0].count - texts[$0 - 1].count }
        let isPeriodic = zip(steps, steps.dropFirst(2)).dropFirst(2).allSatisfy { $0 == $1 }
        // A call has at most 127 arguments.
        #expect(isPeriodic || step.name.hasPrefix("??"), "\(steps)")
    }

    // SQLite's limit is a depth of a thousand. It compares each constant with all others, so that ten thousand take seconds.
    @Test(arguments: rows)
    func `An expression with three thousand operands runs`(_ step: Step) throws {
        try onSmallStack {
            try withDatabase(Player.createTable) { db throws in
                _ = try Player.select(step.expression(3_000)).filter(step.expression(3_000)).asRequest(of: Row.self).fetchAll(db)
            }
        }
    }

    @Test
    func `Long chains of operators have the same values with grouping parentheses`() throws {
        try withDatabase(Player.createTable) { db throws in
            for count in [2, 10, 400, 401, 1_000, 5_000, 12_345] {
                var sum = Column("id").sqlExpression
                var any = Column("id") == -1
                var all = Column("id") > 0
                var text = "".sqlExpression
                var first = SQLExpression.null
                for index in 1...count {
                    sum = sum + index
                    any = any || Column("id") == index * 2
                    all = all && Column("id") != index * 3
                    text = [text, String(index % 10).sqlExpression].joined(operator: .concat)
                    first = first ?? (index == count ? 7.sqlExpression : .null)
                }
                let total = count * (count + 1) / 2
                #expect(try Int.fetchAll(db, Player.select(sum).order(Column("id"))) == (1...4).map { total + $0 })
                #expect(try Player.filter(any).select(Column("id"), as: Int.self).fetchAll(db) == [2, 4].filter { $0 <= count * 2 })
                #expect(try Player.filter(all).select(Column("id"), as: Int.self).fetchAll(db) == [1, 2, 4])
                let expected = (1...count).map { String($0 % 10) }.joined()
                #expect(try String.fetchOne(db, Player.select(text)) == expected)
                #expect(try Int.fetchOne(db, Player.select(first)) == 7)
            }
        }
    }

    @Test
    func `Any number of conditions on a key use its index`() throws {
        try withDatabase(Player.createTable) { db throws in
            var any = Column("id") == -1
            for index in 1...5_000 { any = any || Column("id") == index }
            let plan = try SQLRequest<Row>("EXPLAIN QUERY PLAN SELECT * FROM player WHERE \(any)").fetchAll(db)
            #expect(plan.contains { ($0["detail"] as String).contains("USING INTEGER PRIMARY KEY") }, "\(plan)")
        }
    }

    @Test(arguments: [sequences[0], sequences[1]])
    func `A sequence too deep for SQLite throws before it is prepared`(_ step: Step) throws {
        try onSmallStack {
            try withDatabase(Player.createTable) { db throws in
                for count in [2_000, 20_000] {
                    let error = #expect(throws: DatabaseError.self) { try Player.select(step.expression(count)).fetchAll(db) }
                    #expect(error?.resultCode == .SQLITE_TOOBIG && error?.message?.contains("the connection's limit is 1000") == true)
                    #expect(throws: DatabaseError.self) { try db.makeStatement(literal: "SELECT \(step.expression(count))") }
                }
                db.setLimit(.expressionDepth, to: 20)
                #expect(throws: DatabaseError.self) { try Player.select(step.expression(20)).fetchAll(db) }
            }
        }
    }

    @Test(arguments: ["minus sign", "not", "equal", "collation", "cast", "function", "case"])
    func `A nested expression that exceeds the connection's limit throws before it is prepared`(_ name: String) throws {
        let step = try #require(Self.others.first { $0.name == name })
        try withDatabase(Player.createTable) { db throws in
            db.setLimit(.expressionDepth, to: 20)
            _ = try Player.select(step.expression(18)).asRequest(of: Row.self).fetchAll(db)
            let error = #expect(throws: DatabaseError.self) { try Player.select(step.expression(20)).fetchAll(db) }
            #expect(error?.message?.contains("the connection's limit is 20") == true)
        }
    }

    @Test
    func `A sequence with SQLite's maximum depth runs`() throws {
        try withDatabase(Player.createTable) { db throws in
            for step in [Self.sequences[0], Self.sequences[1]] {
                #expect(try Player.select(step.expression(999), as: Int.self).fetchAll(db).count == 4)
                let error = #expect(throws: DatabaseError.self) { try Player.select(step.expression(1_000)).fetchAll(db) }
                #expect(error?.message?.contains("an expression is 1001 levels deep") == true)
            }
        }
    }

    @Test
    func `Exceeding SQLite's limits throws an error before the statement is prepared`() throws {
        try withDatabase(Player.createTable) { db throws in
            func message(_ body: () throws -> Void) -> String? {
                let error = #expect(throws: DatabaseError.self) { try body() }
                #expect(error?.resultCode == .SQLITE_TOOBIG)
                return error?.message
            }
            db.setLimit(.parameterCount, to: 5)
            let many = (1...6).map { Column("id") == $0 }.joined(operator: .or)
            #expect(message { _ = try Player.filter(many).fetchAll(db) }?.hasPrefix("the SQL has 6 parameters") == true)
            #expect(message { _ = try SQLRequest<Row>("SELECT \(many)").fetchAll(db) }?.hasPrefix("the SQL has 6 parameters") == true)
            #expect(try Player.filter((1...600).contains(Column("id"))).fetchCount(db) == 4)
            #expect(try Player.filter(Array(1...600).contains(Column("id"))).fetchCount(db) == 4)
            db.setLimit(.parameterCount, to: 100_000)

            let values = (0...db.limit(.functionArgumentCount)).map(\.sqlExpression)
            #expect(message { _ = try Player.select(Database.jsonArray(values)).fetchAll(db) }?.contains("json_array") == true)
            db.setLimit(.functionArgumentCount, to: 10)
            let function = DatabaseFunction("g") { _ in 1 }
            db.add(function: function)
            let call = function(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
            #expect(message { _ = try Player.select(call).fetchAll(db) }?.contains("g is called with 11 arguments") == true)
            var first = SQLExpression.null
            for _ in 1...500 { first = first ?? Column("id") }
            #expect(try Player.select(first, as: Int.self).fetchAll(db) == [1, 2, 3, 4])

            let one = Player.select(Column("id"), as: Int.self)
            var compound = one.union(one)
            for _ in 3...500 { compound = compound.union(one) }
            #expect(try compound.fetchCount(db) == 4)
            compound = compound.union(one)
            #expect(message { _ = try compound.fetchAll(db) }?.contains("a compound request has 501 parts") == true)

            db.setLimit(.sqlLength, to: 100)
            let long = Player.filter(Column(String(repeating: "x", count: 100)) == 1)
            #expect(message { _ = try long.fetchAll(db) }?.contains("the connection's limit is 100") == true)
        }
    }
}
