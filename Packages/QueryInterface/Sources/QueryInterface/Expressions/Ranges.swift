import RowDecoding

private func comparison(_ expression: any SQLExpressible, _ operation: String, _ bound: any SQLExpressible) -> SQLExpression {
    SQLExpression(
        BinaryNode(
            left: expression.sqlExpression, operation: operation, right: bound.sqlExpression, precedence: .comparison))
}

extension ClosedRange where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" BETWEEN 500 AND 1000`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "score" BETWEEN 500 AND 1000
    /// Player.filter((500...1000).contains(Column("score")))
    /// ```
    ///
    /// SQLite compares the values, not Swift: texts are compared by their bytes, unless the expression has another collation.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            BetweenNode(
                operand: expression.sqlExpression, lower: lowerBound.sqlExpression, upper: upperBound.sqlExpression,
                isNegated: false))
    }
}

extension Range where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" >= 500 AND "score" < 1000`.
    ///
    /// SQLite evaluates the expression twice, and compares the values by its own order, not by that of the Swift type.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        AssociativeNode.expression(.and, [comparison(expression, " >= ", lowerBound), comparison(expression, " < ", upperBound)])
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" >= 500` for `(500...).contains(Column("score"))`.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        comparison(expression, " >= ", lowerBound)
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" <= 500` for `(...500).contains(Column("score"))`.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        comparison(expression, " <= ", upperBound)
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" < 500` for `(..<500).contains(Column("score"))`.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        comparison(expression, " < ", upperBound)
    }
}
