import RowDecoding

// MARK: - Comparison

private func compare(
    _ left: any SQLExpressible, _ operation: String, _ right: any SQLExpressible, precedence: SQLPrecedence
) -> SQLExpression {
    SQLExpression(
        BinaryNode(left: left.sqlExpression, operation: operation, right: right.sqlExpression, precedence: precedence))
}

/// The operator `=` or `<>`, or a test for NULL if one side is NULL.
private func equal(_ left: (any SQLExpressible)?, _ right: (any SQLExpressible)?, isEqual: Bool) -> SQLExpression {
    compareOrTestNull(left, isEqual ? " = " : " <> ", right, isNull: isEqual)
}

/// The operator `IS` or `IS NOT`, or a test for NULL if one side is NULL.
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

// The values are `any`, and not `some`: the literal nil has no type for a generic parameter. With `some`, `column == nil` would be
// Swift's own comparison with nil, which is always false.

/// Compares two values: `"score" = 1000`, or `"score" IS NULL` if one side is nil.
public func == (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    equal(lhs, rhs, isEqual: true)
}

/// Compares two values: `1000 = "score"`, or `"score" IS NULL` if one side is nil.
public func == (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: true)
}

/// Compares two expressions: `"score" = "best"`.
public func == (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: true)
}

/// Compares two values: `"score" <> 1000`, or `"score" IS NOT NULL` if one side is nil.
public func != (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    equal(lhs, rhs, isEqual: false)
}

/// Compares two values: `1000 <> "score"`, or `"score" IS NOT NULL` if one side is nil.
public func != (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: false)
}

/// Compares two expressions: `"score" <> "best"`.
public func != (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    equal(lhs, rhs, isEqual: false)
}

/// Compares two values, and treats NULLs as equal: `"score" IS 1000`, or `"score" IS NULL` if one side is nil.
///
/// Unlike `=`, `IS` never returns NULL: `"score" IS "best"` is true if both are NULL, and false if only one is.
public func === (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    identical(lhs, rhs, isIdentical: true)
}

/// Compares two values, and treats NULLs as equal: `1000 IS "score"`, or `"score" IS NULL` if one side is nil.
public func === (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: true)
}

/// Compares two values, and treats NULLs as equal: `"score" IS "best"`.
public func === (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: true)
}

/// Compares two values, and treats NULLs as equal: `"score" IS NOT 1000`, or `"score" IS NOT NULL` if one side is nil.
public func !== (lhs: some SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    identical(lhs, rhs, isIdentical: false)
}

/// Compares two values, and treats NULLs as equal: `1000 IS NOT "score"`, or `"score" IS NOT NULL` if one side is nil.
public func !== (lhs: (any SQLExpressible)?, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: false)
}

/// Compares two values, and treats NULLs as equal: `"score" IS NOT "best"`.
public func !== (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    identical(lhs, rhs, isIdentical: false)
}

/// Compares two values: `"score" < 1000`.
public func < (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " < ", rhs, precedence: .comparison)
}

/// Compares two values: `1000 < "score"`.
public func < (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " < ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" < "best"`.
public func < (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " < ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" <= 1000`.
public func <= (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " <= ", rhs, precedence: .comparison)
}

/// Compares two values: `1000 <= "score"`.
public func <= (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " <= ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" <= "best"`.
public func <= (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " <= ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" > 1000`.
public func > (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " > ", rhs, precedence: .comparison)
}

/// Compares two values: `1000 > "score"`.
public func > (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " > ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" > "best"`.
public func > (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " > ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" >= 1000`.
public func >= (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    compare(lhs, " >= ", rhs, precedence: .comparison)
}

/// Compares two values: `1000 >= "score"`.
public func >= (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " >= ", rhs, precedence: .comparison)
}

/// Compares two values: `"score" >= "best"`.
public func >= (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, " >= ", rhs, precedence: .comparison)
}

// MARK: - Logic

// Both sides are SQL expressions, and never a Swift `Bool`: otherwise Swift could read `name == nil && score > 1000` as a conjunction
// with its own comparison with nil, which is always false.

/// Combines two conditions: `"score" > 1000 AND "name" = 'Arthur'`.
public func && (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    AssociativeNode.expression(.and, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Combines two conditions: `"score" > 1000 OR "name" = 'Arthur'`.
public func || (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    AssociativeNode.expression(.or, [lhs.sqlExpression, rhs.sqlExpression])
}

/// Negates a condition: `NOT "score" > 1000`. Operators such as `==`, `contains` and `like` become their opposites, such as `<>`.
public prefix func ! (operand: some SQLSpecificExpressible) -> SQLExpression {
    !operand.sqlExpression
}

/// Negates a condition: `NOT "score" > 1000`. Operators such as `==`, `contains` and `like` become their opposites, such as `<>`.
///
/// This overload is not generic, so that Swift prefers it: otherwise `!(column == nil)` would negate a `Bool`.
public prefix func ! (operand: SQLExpression) -> SQLExpression {
    if let negation = (operand.node as? any NegatableNode)?.negation { return negation }
    return SQLExpression(PrefixNode(operation: "NOT ", operand: operand, precedence: .not))
}
