import RowDecoding

// Comparisons of a column with values and columns of its type. The untyped operators compare it with expressions: as the column is not an
// `SQLSpecificExpressible`, they require that the other operand is one.

/// Compares two values: `"score" = 1000`, or `"score" IS NULL` for nil.
public func == <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two values: `1000 = "score"`, or `"score" IS NULL` for nil.
public func == <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two columns of the same type: `"score" = "best"`.
public func == <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two values: `"score" <> 1000`, or `"score" IS NOT NULL` for nil.
public func != <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two values: `1000 <> "score"`, or `"score" IS NOT NULL` for nil.
public func != <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two columns of the same type: `"score" <> "best"`.
public func != <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two values, and treats NULLs as equal: `"score" IS 1000`, or `"score" IS NULL` for nil.
public func === <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .comparison(lhs.sqlExpression, .identical, rhs.sqlExpression)
}

/// Compares two values, and treats NULLs as equal: `1000 IS "score"`, or `"score" IS NULL` for nil.
public func === <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .identical, rhs.sqlExpression)
}

/// Compares two columns of the same type, and treats NULLs as equal: `"score" IS "best"`.
public func === <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .identical, rhs.sqlExpression)
}

/// Compares two values, and treats NULLs as equal: `"score" IS NOT 1000`, or `"score" IS NOT NULL` for nil.
public func !== <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notIdentical, rhs.sqlExpression)
}

/// Compares two values, and treats NULLs as equal: `1000 IS NOT "score"`, or `"score" IS NOT NULL` for nil.
public func !== <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notIdentical, rhs.sqlExpression)
}

/// Compares two columns of the same type, and treats NULLs as equal: `"score" IS NOT "best"`.
public func !== <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notIdentical, rhs.sqlExpression)
}

/// Compares two values: `"score" < 1000`.
public func < <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .binary(lhs.sqlExpression, .less, rhs.sqlExpression)
}

/// Compares two values: `1000 < "score"`.
public func < <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .less, rhs.sqlExpression)
}

/// Compares two columns of the same type: `"score" < "best"`.
public func < <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .less, rhs.sqlExpression)
}

/// Compares two values: `"score" <= 1000`.
public func <= <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .binary(lhs.sqlExpression, .lessOrEqual, rhs.sqlExpression)
}

/// Compares two values: `1000 <= "score"`.
public func <= <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .lessOrEqual, rhs.sqlExpression)
}

/// Compares two columns of the same type: `"score" <= "best"`.
public func <= <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .lessOrEqual, rhs.sqlExpression)
}

/// Compares two values: `"score" > 1000`.
public func > <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .binary(lhs.sqlExpression, .greater, rhs.sqlExpression)
}

/// Compares two values: `1000 > "score"`.
public func > <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greater, rhs.sqlExpression)
}

/// Compares two columns of the same type: `"score" > "best"`.
public func > <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greater, rhs.sqlExpression)
}

/// Compares two values: `"score" >= 1000`.
public func >= <Value>(lhs: TypedColumn<Value>, rhs: Value?) -> SQLExpression {
    .binary(lhs.sqlExpression, .greaterOrEqual, rhs.sqlExpression)
}

/// Compares two values: `1000 >= "score"`.
public func >= <Value>(lhs: Value?, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greaterOrEqual, rhs.sqlExpression)
}

/// Compares two columns of the same type: `"score" >= "best"`.
public func >= <Value>(lhs: TypedColumn<Value>, rhs: TypedColumn<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greaterOrEqual, rhs.sqlExpression)
}

// MARK: - Integers

// SQLite has one type of integers, and Swift compares an `Int64` with an `Int`. The operands are not optional, so that nil has one operator.

/// Compares two integers: `"score" = 1000`.
public func == (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two integers: `1000 = "score"`.
public func == (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two integers: `"score" <> 1000`.
public func != (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two integers: `1000 <> "score"`.
public func != (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two integers: `"score" < 1000`.
public func < (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    .binary(lhs.sqlExpression, .less, rhs.sqlExpression)
}

/// Compares two integers: `1000 < "score"`.
public func < (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    .binary(lhs.sqlExpression, .less, rhs.sqlExpression)
}

/// Compares two integers: `"score" <= 1000`.
public func <= (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    .binary(lhs.sqlExpression, .lessOrEqual, rhs.sqlExpression)
}

/// Compares two integers: `1000 <= "score"`.
public func <= (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    .binary(lhs.sqlExpression, .lessOrEqual, rhs.sqlExpression)
}

/// Compares two integers: `"score" > 1000`.
public func > (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    .binary(lhs.sqlExpression, .greater, rhs.sqlExpression)
}

/// Compares two integers: `1000 > "score"`.
public func > (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greater, rhs.sqlExpression)
}

/// Compares two integers: `"score" >= 1000`.
public func >= (lhs: TypedColumn<Int64>, rhs: Int) -> SQLExpression {
    .binary(lhs.sqlExpression, .greaterOrEqual, rhs.sqlExpression)
}

/// Compares two integers: `1000 >= "score"`.
public func >= (lhs: Int, rhs: TypedColumn<Int64>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greaterOrEqual, rhs.sqlExpression)
}

// MARK: - Values of another type

// Without these operators, the compiler would try the standard library's operators, and report one of them. They also let it find a
// misspelt case, as in `$0.state == .queud`, in conditions of several terms in which it would give up. The second operands are optional
// where the first ones are not, so that two columns of different types have one best operator.

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
