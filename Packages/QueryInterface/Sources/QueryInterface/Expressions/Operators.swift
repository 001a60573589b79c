import RowDecoding

// The operands are `any`, and not `some`: the compiler tries operators that are not generic first, and needs milliseconds for conditions
// that took it seconds with generic operators. The tests of the time it takes are in `Tests/CompatibilityTests`.
//
// As few overloads as possible match the same operands: around a mistake, which has no type, the compiler tries all combinations. So the
// overload with a value on the left is disfavored, and two expressions have a single best one.

// MARK: - Comparison

private func compareOrTestNull(
    _ left: (any SQLExpressible)?, _ operation: SQLOperator, _ right: (any SQLExpressible)?, isNull: Bool
) -> SQLExpression {
    let left = left?.sqlExpression ?? .null
    let right = right?.sqlExpression ?? .null
    if right.value?.isNull == true { return SQLExpression(.nullTest(left, isNull: isNull)) }
    if left.value?.isNull == true { return SQLExpression(.nullTest(right, isNull: isNull)) }
    return .binary(left, operation, right)
}

// With `some`, `column == nil` would be Swift's own comparison with nil, which is always false: the literal nil has no type for a generic
// parameter. If they were disfavored, Swift's own would win, too.

/// Compares two values: `"score" = 1000`, or `"score" IS NULL` if one side is nil.
public func == (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compareOrTestNull(lhs, .equal, rhs, isNull: true)
}

/// Compares two values: `1000 = "score"`, or `"score" IS NULL` if one side is nil.
public func == (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compareOrTestNull(lhs, .equal, rhs, isNull: true)
}

/// Compares two expressions: `"score" = "best"`.
public func == (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compareOrTestNull(lhs, .equal, rhs, isNull: true)
}

/// Compares two values: `"score" <> 1000`, or `"score" IS NOT NULL` if one side is nil.
public func != (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compareOrTestNull(lhs, .notEqual, rhs, isNull: false)
}

/// Compares two values: `1000 <> "score"`, or `"score" IS NOT NULL` if one side is nil.
public func != (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compareOrTestNull(lhs, .notEqual, rhs, isNull: false)
}

/// Compares two expressions: `"score" <> "best"`.
public func != (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compareOrTestNull(lhs, .notEqual, rhs, isNull: false)
}

/// Compares two values, and treats NULLs as equal: `"score" IS 1000`, or `"score" IS NULL` if one side is nil.
///
/// Unlike `=`, `IS` never returns NULL: `"score" IS "best"` is true if both are NULL, and false if only one is.
public func === (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compareOrTestNull(lhs, .identical, rhs, isNull: true)
}

/// Compares two values, and treats NULLs as equal: `1000 IS "score"`, or `"score" IS NULL` if one side is nil.
@_disfavoredOverload
public func === (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compareOrTestNull(lhs, .identical, rhs, isNull: true)
}

/// Compares two values, and treats NULLs as equal: `"score" IS NOT 1000`, or `"score" IS NOT NULL` if one side is nil.
public func !== (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compareOrTestNull(lhs, .notIdentical, rhs, isNull: false)
}

/// Compares two values, and treats NULLs as equal: `1000 IS NOT "score"`, or `"score" IS NOT NULL` if one side is nil.
@_disfavoredOverload
public func !== (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compareOrTestNull(lhs, .notIdentical, rhs, isNull: false)
}

/// Compares two values: `"score" < 1000`.
public func < (lhs: any SQLSpecificExpressible, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .less, rhs)
}

/// Compares two values: `1000 < "score"`.
@_disfavoredOverload
public func < (lhs: any SQLExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .binary(lhs, .less, rhs)
}

/// Compares two values: `"score" <= 1000`.
public func <= (lhs: any SQLSpecificExpressible, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .lessOrEqual, rhs)
}

/// Compares two values: `1000 <= "score"`.
@_disfavoredOverload
public func <= (lhs: any SQLExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .binary(lhs, .lessOrEqual, rhs)
}

/// Compares two values: `"score" > 1000`.
public func > (lhs: any SQLSpecificExpressible, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .greater, rhs)
}

/// Compares two values: `1000 > "score"`.
@_disfavoredOverload
public func > (lhs: any SQLExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .binary(lhs, .greater, rhs)
}

/// Compares two values: `"score" >= 1000`.
public func >= (lhs: any SQLSpecificExpressible, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .greaterOrEqual, rhs)
}

/// Compares two values: `1000 >= "score"`.
@_disfavoredOverload
public func >= (lhs: any SQLExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    .binary(lhs, .greaterOrEqual, rhs)
}

// MARK: - Logic

// The overloads with a value accept a Swift `Bool`: `Column("score") > 1000 && isActive`. Swift's own operators combine two `Bool`s.
// The values are `some`, so that the compiler only considers them when there is a value: otherwise it would look for `Bool`s, such as the
// results of Swift's own comparisons, in the operands of each AND and OR. They are not `some SQLExpressible`, as conditions would then
// match all three overloads.

/// Combines a condition with a value: `"score" > 1000 AND 1`.
public func && (lhs: any SQLOperand, rhs: some DatabaseValueConvertible) -> SQLExpression {
    .binary(lhs, .and, rhs)
}

/// Combines a value with a condition: `1 AND "score" > 1000`.
public func && (lhs: some DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .and, rhs)
}

/// Combines two conditions: `"score" > 1000 AND "name" = 'Arthur'`.
public func && (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .and, rhs)
}

/// Combines a condition with a value: `"score" > 1000 OR 1`.
public func || (lhs: any SQLOperand, rhs: some DatabaseValueConvertible) -> SQLExpression {
    .binary(lhs, .or, rhs)
}

/// Combines a value with a condition: `1 OR "score" > 1000`.
public func || (lhs: some DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .or, rhs)
}

/// Combines two conditions: `"score" > 1000 OR "name" = 'Arthur'`.
public func || (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .or, rhs)
}

/// Negates a condition: `NOT "score" > 1000`. Operators such as `==`, `contains` and `like` become their opposites, such as `<>`.
public prefix func ! (operand: any SQLOperand) -> SQLExpression {
    let operand = operand.sqlExpression
    return operand.negation ?? SQLExpression(.prefix(.not, operand))
}
