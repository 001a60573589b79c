import RowDecoding

// MARK: - Kinds of operators

/// An operator between two operands.
struct BinaryNode: SQLExpressionNode {
    let left: SQLExpression
    let operation: String
    let right: SQLExpression
    let precedence: SQLPrecedence
    /// Whether `(a op b) op c` and `a op (b op c)` are the same.
    var isAssociative = false

    func render(to renderer: inout SQLRenderer) throws {
        // Operators of one precedence group to the left: a right operand of the same precedence needs parentheses.
        let above = SQLPrecedence(rawValue: precedence.rawValue + 1)
        try renderer.append(left, atLeast: precedence == .equality || precedence == .comparison ? above : precedence)
        renderer.append(operation)
        try renderer.append(right, atLeast: isAssociative ? precedence : above)
    }
}

/// An operator before its operand.
struct PrefixNode: SQLExpressionNode {
    let operation: String
    let operand: SQLExpression
    let precedence: SQLPrecedence

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(operation)
        try renderer.append(operand, atLeast: SQLPrecedence(rawValue: precedence.rawValue + 1))
    }
}

/// `IS NULL` and `IS NOT NULL`.
struct NullTestNode: SQLExpressionNode {
    let operand: SQLExpression
    let isNull: Bool

    var precedence: SQLPrecedence { .equality }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNull ? " IS NULL" : " IS NOT NULL")
    }
}

/// `IN` with a list of values.
struct MembershipNode: SQLExpressionNode {
    let operand: SQLExpression
    let values: [SQLExpression]
    let isNegated: Bool

    var precedence: SQLPrecedence { .equality }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNegated ? " NOT IN (" : " IN (")
        try renderer.append(values, separator: ", ") { try $0.append($1) }
        renderer.append(")")
    }
}

// MARK: - Comparison

private func compare(
    _ left: any SQLExpressible, _ operation: String, _ right: any SQLExpressible, precedence: SQLPrecedence
) -> SQLExpression {
    SQLExpression(
        BinaryNode(left: left.sqlExpression, operation: operation, right: right.sqlExpression, precedence: precedence))
}

/// `=` or `<>`, or the test that does what is meant where one side is NULL.
private func equal(_ left: (any SQLExpressible)?, _ right: (any SQLExpressible)?, isEqual: Bool) -> SQLExpression {
    let left = left?.sqlExpression ?? DatabaseValue.null.sqlExpression
    let right = right?.sqlExpression ?? DatabaseValue.null.sqlExpression
    if right.node.value?.isNull == true { return SQLExpression(NullTestNode(operand: left, isNull: isEqual)) }
    if left.node.value?.isNull == true { return SQLExpression(NullTestNode(operand: right, isNull: isEqual)) }
    return compare(left, isEqual ? " = " : " <> ", right, precedence: .equality)
}

// The values are `any`, and not `some`: the literal nil has no type that a generic parameter could stand for, and `column == nil`
// would be Swift's own comparison, which is false.

/// Equality: `"score" = 1000`, or `"score" IS NULL` when one side is nil.
public func == (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    equal(lhs, rhs, isEqual: true)
}

/// Equality: `1000 = "score"`, or `"score" IS NULL` when one side is nil.
public func == (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: true)
}

/// Equality: `"score" = "best"`.
public func == (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: true)
}

/// Inequality: `"score" <> 1000`, or `"score" IS NOT NULL` when one side is nil.
public func != (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    equal(lhs, rhs, isEqual: false)
}

/// Inequality: `1000 <> "score"`, or `"score" IS NOT NULL` when one side is nil.
public func != (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: false)
}

/// Inequality: `"score" <> "best"`.
public func != (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: false)
}

/// Less than: `"score" < 1000`.
public func < (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " < ", rhs, precedence: .comparison)
}

/// Less than: `1000 < "score"`.
public func < (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " < ", rhs, precedence: .comparison)
}

/// Less than: `"score" < "best"`.
public func < (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " < ", rhs, precedence: .comparison)
}

/// Less than or equal: `"score" <= 1000`.
public func <= (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " <= ", rhs, precedence: .comparison)
}

/// Less than or equal: `1000 <= "score"`.
public func <= (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " <= ", rhs, precedence: .comparison)
}

/// Less than or equal: `"score" <= "best"`.
public func <= (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " <= ", rhs, precedence: .comparison)
}

/// Greater than: `"score" > 1000`.
public func > (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " > ", rhs, precedence: .comparison)
}

/// Greater than: `1000 > "score"`.
public func > (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " > ", rhs, precedence: .comparison)
}

/// Greater than: `"score" > "best"`.
public func > (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " > ", rhs, precedence: .comparison)
}

/// Greater than or equal: `"score" >= 1000`.
public func >= (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " >= ", rhs, precedence: .comparison)
}

/// Greater than or equal: `1000 >= "score"`.
public func >= (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " >= ", rhs, precedence: .comparison)
}

/// Greater than or equal: `"score" >= "best"`.
public func >= (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " >= ", rhs, precedence: .comparison)
}

// MARK: - Logic

/// Conjunction: `"score" > 1000 AND "name" = 'Arthur'`.
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(
        BinaryNode(
            left: lhs.sqlExpression, operation: " AND ", right: rhs.sqlExpression, precedence: .and, isAssociative: true))
}

/// Disjunction: `"score" > 1000 OR "name" = 'Arthur'`.
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(
        BinaryNode(left: lhs.sqlExpression, operation: " OR ", right: rhs.sqlExpression, precedence: .or, isAssociative: true))
}

/// Negation: `NOT "score" > 1000`, and for `==` and its like the opposite operator.
public prefix func ! (operand: some SQLSpecificExpressible) -> SQLExpression {
    !operand.sqlExpression
}

/// Negation: `NOT "score" > 1000`, and for `==` and its like the opposite operator.
///
/// This one is not generic because Swift prefers what is not: it would take `!(column == nil)` for the negation of a `Bool`.
public prefix func ! (operand: SQLExpression) -> SQLExpression {
    switch operand.node {
    case let node as NullTestNode:
        return SQLExpression(NullTestNode(operand: node.operand, isNull: !node.isNull))
    case let node as MembershipNode:
        return SQLExpression(MembershipNode(operand: node.operand, values: node.values, isNegated: !node.isNegated))
    case let node as BinaryNode where node.operation == " = ":
        return compare(node.left, " <> ", node.right, precedence: .equality)
    case let node as BinaryNode where node.operation == " <> ":
        return compare(node.left, " = ", node.right, precedence: .equality)
    default:
        return SQLExpression(PrefixNode(operation: "NOT ", operand: operand, precedence: .not))
    }
}

// MARK: - Membership

extension Sequence where Element: SQLExpressible {
    /// Whether an expression has one of these values: `"id" IN (1, 2, 3)`.
    public func contains(_ expression: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            MembershipNode(operand: expression.sqlExpression, values: map(\.sqlExpression), isNegated: false))
    }
}
