import RowDecoding

// Lists and ranges of values, which contain the value of a column of their type.

extension Sequence where Element: DatabaseValueConvertible {
    /// Returns whether the sequence contains the value of a column: `"state" IN ('queued', 'failed')`.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ column: TypedColumn<Element>) -> SQLExpression { contains(column.sqlExpression) }
}

extension Sequence where Element: SQLSpecificExpressible {
    /// Returns whether the sequence contains the value of a column: `"score" IN ("best" + 1, "bonus")`.
    ///
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func contains(_ column: TypedColumn<some Any>) -> SQLExpression { contains(column.sqlExpression) }
}

extension Sequence<any SQLOperand> {
    /// Returns whether the sequence contains the value of a column: `"score" IN ("best", "bonus" * 2)`.
    ///
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func contains(_ column: TypedColumn<some Any>) -> SQLExpression { map(\.sqlExpression).contains(column.sqlExpression) }
}

extension Sequence {
    /// Returns whether the sequence contains the value of a column of the same type: `"score" IN ("best", "bonus")`.
    ///
    /// - Complexity: O(*n*), where *n* is the number of columns.
    public func contains<Value>(_ column: TypedColumn<Value>) -> SQLExpression where Element == TypedColumn<Value> {
        map(\.sqlExpression).contains(column.sqlExpression)
    }
}

extension ClosedRange where Bound: DatabaseValueConvertible {
    /// Returns whether the range contains the value of a column: `"score" BETWEEN 500 AND 1000`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { contains(column.sqlExpression) }
}

extension Range where Bound: DatabaseValueConvertible {
    /// Returns whether the range contains the value of a column: `"score" >= 500 AND "score" < 1000`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { contains(column.sqlExpression) }
}

extension PartialRangeFrom where Bound: DatabaseValueConvertible {
    /// Returns whether the range contains the value of a column: `"score" >= 500`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { contains(column.sqlExpression) }
}

extension PartialRangeThrough where Bound: DatabaseValueConvertible {
    /// Returns whether the range contains the value of a column: `"score" <= 500`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { contains(column.sqlExpression) }
}

extension PartialRangeUpTo where Bound: DatabaseValueConvertible {
    /// Returns whether the range contains the value of a column: `"score" < 500`.
    public func contains(_ column: TypedColumn<Bound>) -> SQLExpression { contains(column.sqlExpression) }
}

// MARK: - Integers

// An `Int` and a column of `Int64`, as in comparisons.

extension Sequence<Int> {
    /// Returns whether the sequence contains the value of a column: `"score" IN (500, 1000)`.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ column: TypedColumn<Int64>) -> SQLExpression { contains(column.sqlExpression) }
}

extension ClosedRange<Int> {
    /// Returns whether the range contains the value of a column: `"score" BETWEEN 500 AND 1000`.
    public func contains(_ column: TypedColumn<Int64>) -> SQLExpression { contains(column.sqlExpression) }
}

extension Range<Int> {
    /// Returns whether the range contains the value of a column: `"score" >= 500 AND "score" < 1000`.
    public func contains(_ column: TypedColumn<Int64>) -> SQLExpression { contains(column.sqlExpression) }
}

extension PartialRangeFrom<Int> {
    /// Returns whether the range contains the value of a column: `"score" >= 500`.
    public func contains(_ column: TypedColumn<Int64>) -> SQLExpression { contains(column.sqlExpression) }
}

extension PartialRangeThrough<Int> {
    /// Returns whether the range contains the value of a column: `"score" <= 500`.
    public func contains(_ column: TypedColumn<Int64>) -> SQLExpression { contains(column.sqlExpression) }
}

extension PartialRangeUpTo<Int> {
    /// Returns whether the range contains the value of a column: `"score" < 500`.
    public func contains(_ column: TypedColumn<Int64>) -> SQLExpression { contains(column.sqlExpression) }
}
