import RowDecoding

extension ClosedRange where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" BETWEEN 500 AND 1000`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "score" BETWEEN 500 AND 1000
    /// Player.filter((500...1000).contains(Column("score")))
    /// ```
    ///
    /// SQLite compares the values, not Swift: strings are compared by their bytes, unless the expression has another collation.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(.between(expression.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression, isNegated: false))
    }
}

extension Range where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" >= 500 AND "score" < 1000`.
    ///
    /// SQLite evaluates the expression twice, and compares the values by its own order, not by the order of the Swift type.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        .binary(SQLExpression.binary(expression, .greaterOrEqual, lowerBound), .and, SQLExpression.binary(expression, .less, upperBound))
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" >= 500` for `(500...).contains(Column("score"))`.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        .binary(expression, .greaterOrEqual, lowerBound)
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" <= 500` for `(...500).contains(Column("score"))`.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        .binary(expression, .lessOrEqual, upperBound)
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// Returns whether the range contains the value of an expression: `"score" < 500` for `(..<500).contains(Column("score"))`.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        .binary(expression, .less, upperBound)
    }
}
