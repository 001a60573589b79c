import RowDecoding

// The operands are `any`, and not `some`: the compiler tries operators that are not generic first, and needs milliseconds for conditions
// that took it seconds with generic operators. The tests of the time it takes are in `Tests/CompatibilityTests`.
//
// As few overloads as possible match the same operands: around a mistake, which has no type, the compiler tries all combinations. So the
// overload with a value on the left is disfavored, and two expressions have a single best one.

// MARK: - Comparison

extension SQLExpression {
    /// Compares two expressions by `=`, `<>`, `IS` or `IS NOT`. If one of them is NULL, tests whether the other one is. If one of them may be
    /// NULL in some runs of a statement, compares by `IS` or `IS NOT`, which then do the same.
    static func comparison(_ left: SQLExpression, _ operation: SQLOperator, _ right: SQLExpression) -> SQLExpression {
        if right.tree.isNull { return nullTest(left, operation) }
        if left.tree.isNull { return nullTest(right, operation) }
        if left.tree.isNullable || right.tree.isNullable {
            return binary(left, operation == .equal ? .identical : operation == .notEqual ? .notIdentical : operation, right)
        }
        return binary(left, operation, right)
    }

    private static func nullTest(_ operand: SQLExpression, _ operation: SQLOperator) -> SQLExpression {
        SQLExpression(.nullTest(operand, isNull: operation == .equal || operation == .identical))
    }
}

private func compare(_ left: (any SQLExpressible)?, _ operation: SQLOperator, _ right: (any SQLExpressible)?) -> SQLExpression {
    .comparison(left?.sqlExpression ?? .null, operation, right?.sqlExpression ?? .null)
}

// With `some`, `column == nil` would be Swift's own comparison with nil, which is always false: the literal nil has no type for a generic
// parameter. If they were disfavored, Swift's own would win, too.

/// Compares two values: `"score" = 1000`, or `"score" IS NULL` if one side is nil.
public func == (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compare(lhs, .equal, rhs)
}

/// Compares two values: `1000 = "score"`, or `"score" IS NULL` if one side is nil.
public func == (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, .equal, rhs)
}

/// Compares two expressions: `"score" = "best"`.
public func == (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, .equal, rhs)
}

/// Compares two values: `"score" <> 1000`, or `"score" IS NOT NULL` if one side is nil.
public func != (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compare(lhs, .notEqual, rhs)
}

/// Compares two values: `1000 <> "score"`, or `"score" IS NOT NULL` if one side is nil.
public func != (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, .notEqual, rhs)
}

/// Compares two expressions: `"score" <> "best"`.
public func != (lhs: any SQLSpecificExpressible, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, .notEqual, rhs)
}

/// Compares two values, and treats NULLs as equal: `"score" IS 1000`, or `"score" IS NULL` if one side is nil.
///
/// Unlike `=`, `IS` never returns NULL: `"score" IS "best"` is true if both are NULL, and false if only one is.
public func === (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compare(lhs, .identical, rhs)
}

/// Compares two values, and treats NULLs as equal: `1000 IS "score"`, or `"score" IS NULL` if one side is nil.
@_disfavoredOverload
public func === (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, .identical, rhs)
}

/// Compares two values, and treats NULLs as equal: `"score" IS NOT 1000`, or `"score" IS NOT NULL` if one side is nil.
public func !== (lhs: any SQLSpecificExpressible, rhs: (any SQLExpressible)?) -> SQLExpression {
    compare(lhs, .notIdentical, rhs)
}

/// Compares two values, and treats NULLs as equal: `1000 IS NOT "score"`, or `"score" IS NOT NULL` if one side is nil.
@_disfavoredOverload
public func !== (lhs: (any SQLExpressible)?, rhs: any SQLSpecificExpressible) -> SQLExpression {
    compare(lhs, .notIdentical, rhs)
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
