import RowDecoding

// MARK: - Comparison

private func compare(
    _ left: any SQLExpressible, _ operation: String, _ right: any SQLExpressible, precedence: SQLPrecedence
) -> SQLExpression {
    SQLExpression(
        BinaryNode(left: left.sqlExpression, operation: operation, right: right.sqlExpression, precedence: precedence))
}

/// `=` or `<>`, or the test that does what is meant where one side is NULL.
private func equal(_ left: (any SQLExpressible)?, _ right: (any SQLExpressible)?, isEqual: Bool) -> SQLExpression {
    compareOrTestNull(left, isEqual ? " = " : " <> ", right, isNull: isEqual)
}

/// `IS` or `IS NOT`.
private func identical(_ left: (any SQLExpressible)?, _ right: (any SQLExpressible)?, isIdentical: Bool) -> SQLExpression {
    compareOrTestNull(left, isIdentical ? " IS " : " IS NOT ", right, isNull: isIdentical)
}

private func compareOrTestNull(
    _ left: (any SQLExpressible)?, _ operation: String, _ right: (any SQLExpressible)?, isNull: Bool
) -> SQLExpression {
    let left = left?.sqlExpression ?? .null
    let right = right?.sqlExpression ?? .null
    if right.value?.isNull == true { return SQLExpression(NullTestNode(operand: left, isNull: isNull)) }
    if left.value?.isNull == true { return SQLExpression(NullTestNode(operand: right, isNull: isNull)) }
    return compare(left, operation, right, precedence: .equality)
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

/// Equality for which NULL is a value like others: `"score" IS 1000`, or `"score" IS NULL` when one side is nil.
///
/// Unlike `=`, it is never NULL itself: `"score" IS "best"` is true when both are NULL, and false when one is.
public func === (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    identical(lhs, rhs, isIdentical: true)
}

/// Equality for which NULL is a value like others: `1000 IS "score"`, or `"score" IS NULL` when one side is nil.
public func === (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: true)
}

/// Equality for which NULL is a value like others: `"score" IS "best"`.
public func === (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: true)
}

/// Inequality for which NULL is a value like others: `"score" IS NOT 1000`, or `"score" IS NOT NULL` when one side is nil.
public func !== (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    identical(lhs, rhs, isIdentical: false)
}

/// Inequality for which NULL is a value like others: `1000 IS NOT "score"`, or `"score" IS NOT NULL` when one side is nil.
public func !== (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: false)
}

/// Inequality for which NULL is a value like others: `"score" IS NOT "best"`.
public func !== (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: false)
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

// Both sides are expressions of SQL, and never a Bool of Swift: with one, `name == nil && score > 1000` could be read as Swift's
// own comparison with nil, which is false, and a conjunction with its result.

/// Conjunction: `"score" > 1000 AND "name" = 'Arthur'`.
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    AssociativeNode.expression(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Disjunction: `"score" > 1000 OR "name" = 'Arthur'`.
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    AssociativeNode.expression(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Negation: `NOT "score" > 1000`, and for `==`, `contains`, `like` and others that have one the opposite operator.
public prefix func ! (operand: some SQLSpecificExpressible) -> SQLExpression {
    !operand.sqlExpression
}

/// Negation: `NOT "score" > 1000`, and for `==`, `contains`, `like` and others that have one the opposite operator.
///
/// This one is not generic because Swift prefers what is not: it would take `!(column == nil)` for the negation of a `Bool`.
public prefix func ! (operand: SQLExpression) -> SQLExpression {
    if let negation = (operand.node as? any NegatableNode)?.negation { return negation }
    return SQLExpression(PrefixNode(operation: "NOT ", operand: operand, precedence: .not))
}
