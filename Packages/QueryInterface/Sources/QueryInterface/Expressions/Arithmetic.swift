import RowDecoding

// The operators of numbers and bits. What they do with texts, overflows and division by zero is SQLite's affair:
// <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>.

private func binary(
    _ left: any SQLExpressible, _ operation: String, _ right: any SQLExpressible, _ precedence: SQLPrecedence
) -> SQLExpression {
    SQLExpression(
        BinaryNode(left: left.sqlExpression, operation: operation, right: right.sqlExpression, precedence: precedence))
}

// MARK: - Arithmetic

// Additions of a value are disfavoured so that `sql + " LIMIT 1"` still is SQL put together: the literal would otherwise be taken for a
// text to add.

/// Addition: `"score" + 10`.
@_disfavoredOverload
public func + (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " + ", rhs, .addition)
}

/// Addition: `10 + "score"`.
@_disfavoredOverload
public func + (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " + ", rhs, .addition)
}

/// Addition: `"score" + "bonus"`.
public func + (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " + ", rhs, .addition)
}

/// Subtraction: `"score" - 10`.
public func - (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " - ", rhs, .addition)
}

/// Subtraction: `10 - "score"`.
public func - (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " - ", rhs, .addition)
}

/// Subtraction: `"score" - "bonus"`.
public func - (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " - ", rhs, .addition)
}

/// Multiplication: `"score" * 10`.
public func * (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " * ", rhs, .multiplication)
}

/// Multiplication: `10 * "score"`.
public func * (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " * ", rhs, .multiplication)
}

/// Multiplication: `"score" * "bonus"`.
public func * (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " * ", rhs, .multiplication)
}

/// Division: `"score" / 10`, which of two integers is an integer, and NULL for a divisor of 0.
public func / (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " / ", rhs, .multiplication)
}

/// Division: `10 / "score"`, which of two integers is an integer, and NULL for a divisor of 0.
public func / (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " / ", rhs, .multiplication)
}

/// Division: `"score" / "bonus"`, which of two integers is an integer, and NULL for a divisor of 0.
public func / (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " / ", rhs, .multiplication)
}

/// Remainder: `"score" % 10` of the operands made integers, and NULL for a divisor of 0.
public func % (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " % ", rhs, .multiplication)
}

/// Remainder: `10 % "score"` of the operands made integers, and NULL for a divisor of 0.
public func % (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " % ", rhs, .multiplication)
}

/// Remainder: `"score" % "bonus"` of the operands made integers, and NULL for a divisor of 0.
public func % (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " % ", rhs, .multiplication)
}

/// The opposite number: `-"score"`.
public prefix func - (operand: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(PrefixNode(operation: "-", operand: operand.sqlExpression, precedence: .prefix))
}

// MARK: - Bits

/// Bitwise and: `"score" & 10`.
public func & (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " & ", rhs, .bitwise)
}

/// Bitwise and: `10 & "score"`.
public func & (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " & ", rhs, .bitwise)
}

/// Bitwise and: `"score" & "bonus"`.
public func & (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " & ", rhs, .bitwise)
}

/// Bitwise or: `"score" | 10`.
public func | (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " | ", rhs, .bitwise)
}

/// Bitwise or: `10 | "score"`.
public func | (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " | ", rhs, .bitwise)
}

/// Bitwise or: `"score" | "bonus"`.
public func | (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " | ", rhs, .bitwise)
}

/// Shift to the left: `"score" << 10`.
public func << (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " << ", rhs, .bitwise)
}

/// Shift to the left: `10 << "score"`.
public func << (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " << ", rhs, .bitwise)
}

/// Shift to the left: `"score" << "bonus"`.
public func << (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " << ", rhs, .bitwise)
}

/// Shift to the right: `"score" >> 10`, which keeps the sign.
public func >> (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    binary(lhs, " >> ", rhs, .bitwise)
}

/// Shift to the right: `10 >> "score"`, which keeps the sign.
public func >> (lhs: some SQLExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " >> ", rhs, .bitwise)
}

/// Shift to the right: `"score" >> "bonus"`, which keeps the sign.
public func >> (lhs: some SQLSpecificExpressible, rhs: some SQLSpecificExpressible) -> SQLExpression {
    binary(lhs, " >> ", rhs, .bitwise)
}

/// The integer with all bits flipped: `~"flags"`.
public prefix func ~ (operand: some SQLSpecificExpressible) -> SQLExpression {
    SQLExpression(PrefixNode(operation: "~", operand: operand.sqlExpression, precedence: .prefix))
}

// MARK: - NULL

/// The first of two values that is not NULL: `ifnull("score", 0)`. Of more than two, it is `coalesce("score", "best", 0)`.
public func ?? (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
    SQLExpression(CoalesceNode(operands: [lhs.sqlExpression, rhs.sqlExpression], isOperator: true))
}
