import RowDecoding

// The operators on numbers and bits. SQLite defines their results for strings, overflows and division by zero:
// <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>.

// Most operators exist for two expressions, and for an expression and a value. With one overload for values and expressions alike, the
// compiler would try each operator of a long formula in three ways.

// MARK: - Arithmetic

// Additions with a value are disfavored, so that `sql + " LIMIT 1"` concatenates two SQL fragments, and does not add a string.

/// Adds two values: `"score" + 10`.
@_disfavoredOverload
public func + (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .add, rhs)
}

/// Adds two values: `10 + "score"`.
@_disfavoredOverload
public func + (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .add, rhs)
}

/// Adds two values: `"score" + "bonus"`.
public func + (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .add, rhs)
}

/// Subtracts two values: `"score" - 10`.
public func - (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    .binary(lhs, .subtract, rhs)
}

/// Subtracts two values: `10 - "score"`.
public func - (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .subtract, rhs)
}

/// Subtracts two values: `"score" - "bonus"`.
public func - (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .subtract, rhs)
}

/// Multiplies two values: `"score" * 10`.
public func * (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    .binary(lhs, .multiply, rhs)
}

/// Multiplies two values: `10 * "score"`.
public func * (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .multiply, rhs)
}

/// Multiplies two values: `"score" * "bonus"`.
public func * (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .multiply, rhs)
}

/// Divides two values: `"score" / 10`. Dividing integers gives an integer, and dividing by 0 gives NULL.
public func / (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    .binary(lhs, .divide, rhs)
}

/// Divides two values: `10 / "score"`. Dividing integers gives an integer, and dividing by 0 gives NULL.
public func / (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .divide, rhs)
}

/// Divides two values: `"score" / "bonus"`. Dividing integers gives an integer, and dividing by 0 gives NULL.
public func / (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .divide, rhs)
}

/// Returns the remainder of two integers: `"score" % 10`. SQLite converts operands to integers; a divisor of 0 gives NULL.
public func % (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    .binary(lhs, .remainder, rhs)
}

/// Returns the remainder of two integers: `10 % "score"`. SQLite converts operands to integers; a divisor of 0 gives NULL.
public func % (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .remainder, rhs)
}

/// Returns the remainder of two integers: `"score" % "bonus"`. SQLite converts operands to integers; a divisor of 0 gives NULL.
public func % (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .remainder, rhs)
}

/// Negates a number: `-"score"`.
public prefix func - (operand: any SQLOperand) -> SQLExpression {
    SQLExpression(.prefix(.minus, operand.sqlExpression))
}

// MARK: - Bits

/// Combines the bits of two integers by AND: `"score" & 10`.
public func & (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .bitAnd, rhs)
}

/// Combines the bits of two integers by AND: `10 & "score"`.
@_disfavoredOverload
public func & (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .bitAnd, rhs)
}

/// Combines the bits of two integers by OR: `"score" | 10`.
public func | (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .bitOr, rhs)
}

/// Combines the bits of two integers by OR: `10 | "score"`.
@_disfavoredOverload
public func | (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .bitOr, rhs)
}

/// Shifts the bits of an integer to the left: `"score" << 10`.
public func << (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .shiftLeft, rhs)
}

/// Shifts the bits of an integer to the left: `10 << "score"`.
@_disfavoredOverload
public func << (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .shiftLeft, rhs)
}

/// Shifts the bits of an integer to the right: `"score" >> 10`. Keeps the sign.
public func >> (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    .binary(lhs, .shiftRight, rhs)
}

/// Shifts the bits of an integer to the right: `10 >> "score"`. Keeps the sign.
@_disfavoredOverload
public func >> (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    .binary(lhs, .shiftRight, rhs)
}

/// Inverts the bits of an integer: `~"flags"`.
public prefix func ~ (operand: any SQLOperand) -> SQLExpression {
    SQLExpression(.prefix(.flip, operand.sqlExpression))
}

// MARK: - NULL

/// Returns the first value that is not NULL: `ifnull("score", 0)`, or `coalesce("score", "best", 0)` for a chain of `??`.
public func ?? (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    .coalesce(lhs.sqlExpression, rhs.sqlExpression)
}
