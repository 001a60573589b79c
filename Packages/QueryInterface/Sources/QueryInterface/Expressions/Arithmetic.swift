import RowDecoding

// The operators on numbers and bits. SQLite defines their results for texts, overflows and division by zero:
// <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>.

private func binary(
    _ left: any SQLExpressible, _ operation: String, _ right: any SQLExpressible, _ precedence: SQLPrecedence
) -> SQLExpression {
    SQLExpression(
        BinaryNode(left: left.sqlExpression, operation: operation, right: right.sqlExpression, precedence: precedence))
}

// Most operators exist for two expressions, and for an expression and a value. With one overload for values and expressions alike, the
// compiler would try each operator of a long formula in three ways.

// MARK: - Arithmetic

// Additions with a value are disfavored, so that `sql + " LIMIT 1"` concatenates two SQL fragments, and does not add a text.

/// Adds two values: `"score" + 10`.
@_disfavoredOverload
public func + (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    binary(lhs, " + ", rhs, .addition)
}

/// Adds two values: `10 + "score"`.
@_disfavoredOverload
public func + (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " + ", rhs, .addition)
}

/// Adds two values: `"score" + "bonus"`.
public func + (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " + ", rhs, .addition)
}

/// Subtracts two values: `"score" - 10`.
public func - (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    binary(lhs, " - ", rhs, .addition)
}

/// Subtracts two values: `10 - "score"`.
public func - (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " - ", rhs, .addition)
}

/// Subtracts two values: `"score" - "bonus"`.
public func - (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " - ", rhs, .addition)
}

/// Multiplies two values: `"score" * 10`.
public func * (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    binary(lhs, " * ", rhs, .multiplication)
}

/// Multiplies two values: `10 * "score"`.
public func * (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " * ", rhs, .multiplication)
}

/// Multiplies two values: `"score" * "bonus"`.
public func * (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " * ", rhs, .multiplication)
}

/// Divides two values: `"score" / 10`. Dividing integers gives an integer, and dividing by 0 gives NULL.
public func / (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    binary(lhs, " / ", rhs, .multiplication)
}

/// Divides two values: `10 / "score"`. Dividing integers gives an integer, and dividing by 0 gives NULL.
public func / (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " / ", rhs, .multiplication)
}

/// Divides two values: `"score" / "bonus"`. Dividing integers gives an integer, and dividing by 0 gives NULL.
public func / (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " / ", rhs, .multiplication)
}

/// Returns the remainder of two integers: `"score" % 10`. SQLite converts operands to integers; a divisor of 0 gives NULL.
public func % (lhs: any SQLOperand, rhs: any DatabaseValueConvertible) -> SQLExpression {
    binary(lhs, " % ", rhs, .multiplication)
}

/// Returns the remainder of two integers: `10 % "score"`. SQLite converts operands to integers; a divisor of 0 gives NULL.
public func % (lhs: any DatabaseValueConvertible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " % ", rhs, .multiplication)
}

/// Returns the remainder of two integers: `"score" % "bonus"`. SQLite converts operands to integers; a divisor of 0 gives NULL.
public func % (lhs: any SQLOperand, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " % ", rhs, .multiplication)
}

/// Negates a number: `-"score"`.
public prefix func - (operand: any SQLOperand) -> SQLExpression {
    SQLExpression(PrefixNode(operation: "-", operand: operand.sqlExpression, precedence: .prefix))
}

// MARK: - Bits

/// Combines the bits of two integers by AND: `"score" & 10`.
public func & (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    binary(lhs, " & ", rhs, .bitwise)
}

/// Combines the bits of two integers by AND: `10 & "score"`.
@_disfavoredOverload
public func & (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " & ", rhs, .bitwise)
}

/// Combines the bits of two integers by OR: `"score" | 10`.
public func | (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    binary(lhs, " | ", rhs, .bitwise)
}

/// Combines the bits of two integers by OR: `10 | "score"`.
@_disfavoredOverload
public func | (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " | ", rhs, .bitwise)
}

/// Shifts the bits of an integer to the left: `"score" << 10`.
public func << (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    binary(lhs, " << ", rhs, .bitwise)
}

/// Shifts the bits of an integer to the left: `10 << "score"`.
@_disfavoredOverload
public func << (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " << ", rhs, .bitwise)
}

/// Shifts the bits of an integer to the right: `"score" >> 10`. Keeps the sign.
public func >> (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    binary(lhs, " >> ", rhs, .bitwise)
}

/// Shifts the bits of an integer to the right: `10 >> "score"`. Keeps the sign.
@_disfavoredOverload
public func >> (lhs: any SQLExpressible, rhs: any SQLOperand) -> SQLExpression {
    binary(lhs, " >> ", rhs, .bitwise)
}

/// Inverts the bits of an integer: `~"flags"`.
public prefix func ~ (operand: any SQLOperand) -> SQLExpression {
    SQLExpression(PrefixNode(operation: "~", operand: operand.sqlExpression, precedence: .prefix))
}

// MARK: - NULL

/// Returns the first value that is not NULL: `ifnull("score", 0)`, or `coalesce("score", "best", 0)` for a chain of `??`.
public func ?? (lhs: any SQLOperand, rhs: any SQLExpressible) -> SQLExpression {
    SQLExpression(CoalesceNode(operands: [lhs.sqlExpression, rhs.sqlExpression], isOperator: true))
}
