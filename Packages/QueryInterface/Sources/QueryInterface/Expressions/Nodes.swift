import RowDecoding

// The kinds of expressions that operators make. Those that only one operator or function makes are beside it.

/// An expression that is made of others, which can be asked what is in it.
protocol CompositeNode: SQLExpressionNode {
    /// The expressions that this one is made of, those inside its subqueries left out.
    var operands: [SQLExpression] { get }

    /// Whether the expression is the call of an aggregate function, which makes one row of many. False by default.
    var isAggregate: Bool { get }
}

extension CompositeNode {
    var isAggregate: Bool { false }

    /// One, as of an operator.
    var levelCount: Int { 1 }
}

/// An expression that has a better negation than `NOT (…)`.
protocol NegatableNode: SQLExpressionNode {
    /// The negation, or nil when it is `NOT (…)` after all.
    var negation: SQLExpression? { get }
}

extension SQLPrecedence {
    /// What an operand must have where one of this precedence needs parentheses.
    var next: SQLPrecedence { SQLPrecedence(rawValue: rawValue + 1) }
}

/// An operator between two operands.
struct BinaryNode: CompositeNode, NegatableNode {
    let left: SQLExpression
    let operation: String
    let right: SQLExpression
    let precedence: SQLPrecedence

    var operands: [SQLExpression] { [left, right] }

    func render(to renderer: inout SQLRenderer) throws {
        if let row = try row(in: renderer) { return try renderer.append(row: row, operation: operation, precedence: precedence) }
        let right = try encoded(self.right, comparedWith: self.left, in: renderer) ?? self.right
        let left = try encoded(self.left, comparedWith: self.right, in: renderer) ?? self.left
        // Operators of one precedence group to the left: a right operand of the same precedence needs parentheses. So does a
        // left one when it is a comparison: a = b = c is no way to write (a = b) = c.
        try renderer.append(left, atLeast: precedence == .equality || precedence == .comparison ? precedence.next : precedence)
        renderer.append(operation)
        try renderer.append(right, atLeast: precedence.next)
    }

    /// An operand with its values in the form in which the column on the other side stores them; nil when it has none.
    private func encoded(_ operand: SQLExpression, comparedWith other: SQLExpression, in renderer: SQLRenderer) throws -> SQLExpression? {
        // What stands beside -> and ->> is a place in a JSON.
        precedence == .concatenation ? nil : try renderer.encodedOperand(operand, comparedWith: other)
    }

    /// The operands of `a + b + c`, and of other operators that can be grouped in another way where there are too many operands for
    /// SQLite; nil for other operators, and for two operands.
    private func row(in renderer: SQLRenderer) throws -> [SQLExpression]? {
        switch precedence {
        case .addition, .multiplication, .bitwise: guard Self.groupableOperations.contains(operation) else { return nil }
        default: return nil
        }
        var operands: [SQLExpression] = []
        var first = self
        while let node = first.left.node as? BinaryNode, node.operation == operation {
            operands.append(first.right)
            first = node
        }
        if operands.isEmpty { return nil }
        operands.append(try first.encoded(first.right, comparedWith: first.left, in: renderer) ?? first.right)
        operands.append(try first.encoded(first.left, comparedWith: first.right, in: renderer) ?? first.left)
        operands.reverse()
        return operands
    }

    private static let groupableOperations = [" + ", " * ", " & ", " | "]

    var negation: SQLExpression? {
        let opposite: String
        switch operation {
        case " = ": opposite = " <> "
        case " <> ": opposite = " = "
        case " IS ": opposite = " IS NOT "
        case " IS NOT ": opposite = " IS "
        default: return nil
        }
        return SQLExpression(BinaryNode(left: left, operation: opposite, right: right, precedence: precedence))
    }
}

/// An operator before its operand.
struct PrefixNode: CompositeNode {
    let operation: String
    let operand: SQLExpression
    let precedence: SQLPrecedence

    var operands: [SQLExpression] { [operand] }

    func render(to renderer: inout SQLRenderer) throws {
        guard operation == "-" else {
            renderer.append(operation)
            return try renderer.append(operand, atLeast: precedence.next)
        }
        // Two minus signs begin a comment, which would hide the rest of the SQL. The value of a parameter can't do that, but
        // it would in a trace, where values stand in the place of their parameters.
        if operand.value?.isNegative == true {
            renderer.append("- ")
        } else {
            renderer.appendMinusSign()
        }
        try renderer.append(operand, atLeast: precedence.next)
    }
}

extension DatabaseValue {
    /// Whether the value, written as SQL, begins with a minus sign.
    fileprivate var isNegative: Bool {
        switch storage {
        case .int64(let value): value < 0
        case .double(let value): value.sign == .minus && !value.isNaN
        case .null, .string, .blob: false
        }
    }
}

/// `IS NULL` and `IS NOT NULL`.
struct NullTestNode: CompositeNode, NegatableNode {
    let operand: SQLExpression
    let isNull: Bool

    var precedence: SQLPrecedence { .equality }
    var operands: [SQLExpression] { [operand] }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNull ? " IS NULL" : " IS NOT NULL")
    }

    var negation: SQLExpression? { SQLExpression(NullTestNode(operand: operand, isNull: !isNull)) }
}

/// `BETWEEN` and `NOT BETWEEN`.
struct BetweenNode: CompositeNode, NegatableNode {
    let operand: SQLExpression
    let lower: SQLExpression
    let upper: SQLExpression
    let isNegated: Bool

    var precedence: SQLPrecedence { .equality }
    var operands: [SQLExpression] { [operand, lower, upper] }

    func render(to renderer: inout SQLRenderer) throws {
        let operands = try renderer.operandsComparedWithOneAnother([operand, lower, upper])
        try renderer.append(operands[0], atLeast: .comparison)
        renderer.append(isNegated ? " NOT BETWEEN " : " BETWEEN ")
        // The AND between the bounds binds tighter than any other: all that is looser than it must be in parentheses.
        try renderer.append(operands[1], atLeast: .comparison)
        renderer.append(" AND ")
        try renderer.append(operands[2], atLeast: .comparison)
    }

    var negation: SQLExpression? {
        SQLExpression(BetweenNode(operand: operand, lower: lower, upper: upper, isNegated: !isNegated))
    }
}

/// The call of a function that is no aggregate.
struct FunctionNode: CompositeNode {
    /// The name as SQL, in quotes where it needs them.
    let name: String
    let arguments: [SQLExpression]
    /// Whether SQLite knows the result to be JSON, and not a text that looks like it.
    var returnsJSON = false

    var operands: [SQLExpression] { arguments }
    var levelCount: Int { arguments.isEmpty ? 0 : 1 }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.checkArgumentCount(arguments.count, of: name)
        let arguments = comparesArguments ? try renderer.operandsComparedWithOneAnother(arguments) : arguments
        renderer.append(name)
        renderer.append("(")
        try renderer.append(arguments, separator: ", ") { try $0.append($1) }
        renderer.append(")")
    }
}

extension SQLRenderer {
    /// Checks that a function may have a number of arguments.
    func checkArgumentCount(_ count: Int, of function: String) throws {
        if count < 8 { return }
        try check(count, atMost: .functionArgumentCount) {
            "the function \(function) is called with \($0) arguments, and the connection's limit is \($1)"
        }
    }
}

/// The call of a function.
func call(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
    SQLExpression(FunctionNode(name: name, arguments: arguments.map(\.sqlExpression)))
}

// MARK: - What is in an expression

extension SQLExpression {
    /// Whether the expression has an aggregate function, outside of subqueries and without an OVER clause, that makes one row
    /// of many. True for what can't be looked into: SQL that was written by hand, and nodes of other layers.
    var containsAggregate: Bool {
        var remaining = [self]
        while let expression = remaining.popLast() {
            let node = expression.node
            if node is ColumnNode || node.value != nil { continue }
            guard let node = node as? any CompositeNode, !node.isAggregate else { return true }
            remaining += node.operands
        }
        return false
    }
}
