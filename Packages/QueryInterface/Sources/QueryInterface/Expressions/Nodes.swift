import RowDecoding

// The expressions that operators make. Expressions of a single operator or function are defined next to it.

/// An expression that consists of others, and gives access to them.
protocol CompositeNode: SQLExpressionNode {
    /// The expressions that this one consists of, without those inside its subqueries.
    var operands: [SQLExpression] { get }

    /// Whether the expression is a call of an aggregate function, which turns many rows into one. By default false.
    var isAggregate: Bool { get }
}

extension CompositeNode {
    var isAggregate: Bool { false }

    /// One level, for an operator.
    var levelCount: Int { 1 }
}

/// An expression with a negation other than `NOT (…)`.
protocol NegatableNode: SQLExpressionNode {
    /// The negation, or nil to use `NOT (…)`.
    var negation: SQLExpression? { get }
}

extension SQLPrecedence {
    /// The precedence that an operand needs where one of this precedence would need parentheses.
    var next: SQLPrecedence { SQLPrecedence(rawValue: rawValue + 1) }
}

/// A binary operator with its operands.
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
        // Operators are left-associative, so a right operand of the same precedence needs parentheses. A left comparison gets them too,
        // because `a = b = c` is hard to read as `(a = b) = c`.
        try renderer.append(left, atLeast: precedence == .equality || precedence == .comparison ? precedence.next : precedence)
        renderer.append(operation)
        try renderer.append(right, atLeast: precedence.next)
    }

    /// Returns an operand encoded for the column on the other side, or nil if encoding does not change it.
    private func encoded(_ operand: SQLExpression, comparedWith other: SQLExpression, in renderer: SQLRenderer) throws -> SQLExpression? {
        // The right operand of -> and ->> is a path into the JSON, not a value of the column.
        precedence == .concatenation ? nil : try renderer.encodedOperand(operand, comparedWith: other)
    }

    /// Returns the operands of `a + b + c`, and of other operators that can be regrouped if SQLite does not allow so many operands.
    /// Returns nil for other operators, and for two operands.
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

/// A prefix operator with its operand.
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
        // Two minus signs begin a comment, which would hide the rest of the SQL. That also concerns parameters: a trace shows their
        // values in place of them.
        if operand.value?.isNegative == true {
            renderer.append("- ")
        } else {
            renderer.appendMinusSign()
        }
        try renderer.append(operand, atLeast: precedence.next)
    }
}

extension DatabaseValue {
    /// Whether the value begins with a minus sign when it is written as SQL.
    fileprivate var isNegative: Bool {
        switch storage {
        case .int64(let value): value < 0
        case .double(let value): value.sign == .minus && !value.isNaN
        case .null, .string, .blob: false
        }
    }
}

/// The operators `IS NULL` and `IS NOT NULL`.
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

/// The operators `BETWEEN` and `NOT BETWEEN`.
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
        // The AND of BETWEEN has a higher precedence than the logical AND: operands with a lower precedence need parentheses.
        try renderer.append(operands[1], atLeast: .comparison)
        renderer.append(" AND ")
        try renderer.append(operands[2], atLeast: .comparison)
    }

    var negation: SQLExpression? {
        SQLExpression(BetweenNode(operand: operand, lower: lower, upper: upper, isNegated: !isNegated))
    }
}

/// A call of a function that is not an aggregate function.
struct FunctionNode: CompositeNode {
    /// The name as SQL, quoted if necessary.
    let name: String
    let arguments: [SQLExpression]
    /// Whether SQLite recognizes the result as JSON. Otherwise functions that build JSON make a string of it.
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
    /// Checks the connection's limit on the number of arguments of a function.
    func checkArgumentCount(_ count: Int, of function: String) throws {
        if count < 8 { return }
        try check(count, atMost: .functionArgumentCount) {
            "the function \(function) is called with \($0) arguments, and the connection's limit is \($1)"
        }
    }
}

/// Returns a call of a function.
func call(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
    SQLExpression(FunctionNode(name: name, arguments: arguments.map(\.sqlExpression)))
}

// MARK: - The content of an expression

extension SQLExpression {
    /// Whether the expression contains an aggregate function that turns many rows into one, outside of subqueries and without an
    /// OVER clause. True for opaque expressions: SQL written by hand, and nodes of other layers.
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

    /// Returns whether the expression may refer to a joined table.
    func mayRefer(to table: ResolvedTable) -> Bool {
        var remaining = [self]
        while let expression = remaining.popLast() {
            switch expression.node {
            case let node as QualifiedNode:
                let innermost = node.innermost
                if table.mayHave(innermost.alias) { return true }
                remaining.append(innermost.content)
            case is ColumnNode: continue
            case let node as any CompositeNode: remaining += node.operands
            // The content of SQL is unknown, but it can't refer to a table without aliases.
            case let node: if node.value == nil, !table.relation.aliases.isEmpty { return true }
            }
        }
        return false
    }

    /// Returns whether the expression may refer to a selected expression by its alias.
    ///
    /// - Parameter names: the aliases.
    func mayRefer(to names: Set<SchemaName>) -> Bool {
        var remaining = [self]
        while let expression = remaining.popLast() {
            switch expression.node {
            case let node as ColumnNode:
                if names.contains(SchemaName(node.name)) { return true }
            case let node as DetachedColumnNode:
                if names.contains(SchemaName(node.name)) { return true }
            case let node as any CompositeNode:
                remaining += node.operands
            case let node:
                // The content of SQL is unknown.
                if node.value == nil { return true }
            }
        }
        return false
    }
}
