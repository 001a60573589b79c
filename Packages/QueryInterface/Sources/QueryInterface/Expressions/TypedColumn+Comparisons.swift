import RowDecoding

// Comparisons of a column with values and columns of its type. The untyped operators compare it with expressions: as the column is no
// `SQLSpecificExpressible`, they require that the other operand is one.

/// Compares two values: `"score" = 1000`, or `"score" IS NULL` for nil.
public func == <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression == rhs.sqlExpression
}

/// Compares two values: `1000 = "score"`, or `"score" IS NULL` for nil.
public func == <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression == rhs.sqlExpression
}

/// Compares two columns of the same type: `"score" = "best"`.
public func == <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression == rhs.sqlExpression
}

/// Compares two values: `"score" <> 1000`, or `"score" IS NOT NULL` for nil.
public func != <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression != rhs.sqlExpression
}

/// Compares two values: `1000 <> "score"`, or `"score" IS NOT NULL` for nil.
public func != <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression != rhs.sqlExpression
}

/// Compares two columns of the same type: `"score" <> "best"`.
public func != <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression != rhs.sqlExpression
}

/// Compares two values, and treats NULLs as equal: `"score" IS 1000`, or `"score" IS NULL` for nil.
public func === <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression === rhs.sqlExpression
}

/// Compares two values, and treats NULLs as equal: `1000 IS "score"`, or `"score" IS NULL` for nil.
public func === <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression === rhs.sqlExpression
}

/// Compares two columns of the same type, and treats NULLs as equal: `"score" IS "best"`.
public func === <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression === rhs.sqlExpression
}

/// Compares two values, and treats NULLs as equal: `"score" IS NOT 1000`, or `"score" IS NOT NULL` for nil.
public func !== <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression !== rhs.sqlExpression
}

/// Compares two values, and treats NULLs as equal: `1000 IS NOT "score"`, or `"score" IS NOT NULL` for nil.
public func !== <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression !== rhs.sqlExpression
}

/// Compares two columns of the same type, and treats NULLs as equal: `"score" IS NOT "best"`.
public func !== <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression !== rhs.sqlExpression
}

/// Compares two values: `"score" < 1000`.
public func < <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression < rhs.sqlExpression
}

/// Compares two values: `1000 < "score"`.
public func < <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression < rhs.sqlExpression
}

/// Compares two columns of the same type: `"score" < "best"`.
public func < <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression < rhs.sqlExpression
}

/// Compares two values: `"score" <= 1000`.
public func <= <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression <= rhs.sqlExpression
}

/// Compares two values: `1000 <= "score"`.
public func <= <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression <= rhs.sqlExpression
}

/// Compares two columns of the same type: `"score" <= "best"`.
public func <= <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression <= rhs.sqlExpression
}

/// Compares two values: `"score" > 1000`.
public func > <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression > rhs.sqlExpression
}

/// Compares two values: `1000 > "score"`.
public func > <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression > rhs.sqlExpression
}

/// Compares two columns of the same type: `"score" > "best"`.
public func > <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression > rhs.sqlExpression
}

/// Compares two values: `"score" >= 1000`.
public func >= <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    lhs.sqlExpression >= rhs.sqlExpression
}

/// Compares two values: `1000 >= "score"`.
public func >= <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression >= rhs.sqlExpression
}

/// Compares two columns of the same type: `"score" >= "best"`.
public func >= <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    lhs.sqlExpression >= rhs.sqlExpression
}

// MARK: - Integers

// SQLite has one type of integers, and Swift compares an `Int64` with an `Int`. The operands are not optional, so that nil has one operator.

/// Compares two integers: `"score" = 1000`.
public func == (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    lhs.sqlExpression == rhs.sqlExpression
}

/// Compares two integers: `1000 = "score"`.
public func == (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    lhs.sqlExpression == rhs.sqlExpression
}

/// Compares two integers: `"score" <> 1000`.
public func != (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    lhs.sqlExpression != rhs.sqlExpression
}

/// Compares two integers: `1000 <> "score"`.
public func != (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    lhs.sqlExpression != rhs.sqlExpression
}

/// Compares two integers: `"score" < 1000`.
public func < (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    lhs.sqlExpression < rhs.sqlExpression
}

/// Compares two integers: `1000 < "score"`.
public func < (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    lhs.sqlExpression < rhs.sqlExpression
}

/// Compares two integers: `"score" <= 1000`.
public func <= (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    lhs.sqlExpression <= rhs.sqlExpression
}

/// Compares two integers: `1000 <= "score"`.
public func <= (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    lhs.sqlExpression <= rhs.sqlExpression
}

/// Compares two integers: `"score" > 1000`.
public func > (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    lhs.sqlExpression > rhs.sqlExpression
}

/// Compares two integers: `1000 > "score"`.
public func > (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    lhs.sqlExpression > rhs.sqlExpression
}

/// Compares two integers: `"score" >= 1000`.
public func >= (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    lhs.sqlExpression >= rhs.sqlExpression
}

/// Compares two integers: `1000 >= "score"`.
public func >= (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    lhs.sqlExpression >= rhs.sqlExpression
}

// MARK: - Values of another type

// Without these operators, the compiler would try those of the standard library, and report one of them. They also let it find a misspelt
// case, as in `$0.state == .queud`, in conditions of several terms in which it would give up. The second operands are optional where the first
// ones are not, so that two columns of different types have one best operator.

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func == (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func == (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func != (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func != (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func === (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func === (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func !== (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func !== (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func < (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func < (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func <= (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func <= (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func > (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func > (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func >= (lhs: TypedColumn<some Any>, rhs: some Any) -> SQLExpression { fatalError() }

/// Unavailable: the column has values of another type.
@available(*, unavailable, message: "the column has values of another type: convert the operand, or use the column's sqlExpression")
public func >= (lhs: (any SQLExpressible)?, rhs: TypedColumn<some Any>) -> SQLExpression { fatalError() }

// MARK: - Lists and ranges

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

// The same for an `Int` and a column of `Int64`.

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
