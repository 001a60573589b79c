import Testing
import ValueConversion

/// The SQL of this layer: values in SQL, and the writing of the expressions that the layers above add.
@Suite struct SQLExpressionTests {
    /// Any SQL, of any precedence.
    private struct Text: SQLExpressionNode {
        var sql: String
        var precedence = SQLPrecedence.primary

        func render(to renderer: inout SQLRenderer) throws { renderer.append(sql) }
    }

    /// The SQL and the arguments that a closure writes.
    private func render(_ write: (inout SQLRenderer) throws -> Void) throws -> (sql: String, arguments: StatementArguments) {
        try DatabaseQueue().read { db in
            var renderer = SQLRenderer(database: db)
            try write(&renderer)
            return (renderer.sql, renderer.arguments)
        }
    }

    @Test
    func `A value is a parameter with that value`() throws {
        let (sql, arguments) = try render { renderer in
            let expressions: [any SQLExpressible] = [1, "a", Int?.none, Optional("b"), SQLExpression.null]
            try renderer.append(expressions, separator: ", ") { try $0.append($1.sqlExpression) }
        }
        #expect(sql == "?, ?, ?, ?, ?")
        #expect(arguments == [1, "a", nil, "b", nil])
        #expect(1.sqlExpression.value == .integer(1))
        #expect(SQLExpression(Text(sql: "x")).value == nil)
    }

    @Test
    func `A value that SQLite can't hold is an error when the expression is used`() throws {
        let expression = UInt64.max.sqlExpression
        let error = #expect(throws: DatabaseError.self) { try render { try $0.append(expression) } }
        #expect(error?.expandedDescription.contains("\(UInt64.max)") == true)
        #expect(throws: DatabaseError.self) { try render { try $0.append(Optional(UInt64.max).sqlExpression) } }
    }

    @Test(
        arguments: [
            (.unknown, "(x)"), (.or, "(x)"), (.bitwise, "(x)"), (.addition, "x"), (.multiplication, "x"), (.primary, "x"),
        ] as [(SQLPrecedence, String)])
    func `An operand that is looser than its operator goes into parentheses`(_ precedence: SQLPrecedence, _ expected: String) throws {
        let operand = SQLExpression(Text(sql: "x", precedence: precedence))
        #expect(try render { try $0.append(operand, atLeast: .addition) }.sql == expected)
    }

    @Test
    func `Expressions are selected, and order`() throws {
        let expression = SQLExpression(Text(sql: "x"))
        let (sql, _) = try render { renderer in
            try renderer.append(expression.sqlSelection)
            try renderer.append([nil, .ascending, .descending] as [SQLOrdering.Direction?], separator: "") { renderer, direction in
                let ordering = SQLOrdering(expression, direction)
                renderer.append("; ")
                try renderer.append(ordering)
                renderer.append(" | ")
                try renderer.append(ordering.reversed)
                renderer.append(" | ")
                try renderer.append(ordering.reversed.reversed)
            }
        }
        #expect(sql == "x; x | x DESC | x ASC; x ASC | x DESC | x ASC; x DESC | x ASC | x DESC")
    }

    @Test
    func `NULL is selected, and orders, in place of missing expressions`() throws {
        let present: SQLExpression? = SQLExpression(Text(sql: "x"))
        let missing: SQLExpression? = nil
        let (sql, arguments) = try render { renderer in
            try renderer.append(present.sqlSelection)
            try renderer.append(missing.sqlSelection)
            try renderer.append(present.sqlOrdering)
            try renderer.append(missing.sqlOrdering)
        }
        #expect(sql == "x?x?")
        #expect(arguments == [nil, nil])
    }

    @Test
    func `Identifiers are quoted`() throws {
        #expect(try render { $0.append(identifier: #"a "b""#) }.sql == #""a ""b""""#)
    }

    @Test
    func `Arguments of pieces of SQL are merged, unless one name has two values`() throws {
        let (sql, arguments) = try render { renderer in
            try renderer.append(sql: "a = ? AND b = :b", arguments: [1] + ["b": 2])
            renderer.append(" AND c = ")
            try renderer.append(3.sqlExpression)
            try renderer.append(sql: " AND d = :b", arguments: ["b": 2])
            try renderer.append(sql: " AND e", arguments: [])
        }
        #expect(sql == "a = ? AND b = :b AND c = ? AND d = :b AND e")
        #expect(arguments == [1, 3] + ["b": 2])
        let error = #expect(throws: DatabaseError.self) {
            try render { renderer in
                try renderer.append(sql: ":a", arguments: ["a": 1])
                try renderer.append(sql: ":a", arguments: ["a": 2])
            }
        }
        #expect(error?.message == "two values for the statement argument a")
    }
}
