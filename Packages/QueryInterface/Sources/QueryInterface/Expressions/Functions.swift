import RowDecoding

// SQLite's functions on the values of one row. A function of its first argument is a property or a method, so that global names such as
// `replace` stay free. The others have their SQL names. Source: <https://www.sqlite.org/lang_corefunc.html>

/// Returns the absolute value: `abs("score")`.
public func abs(_ value: any SQLOperand) -> SQLExpression {
    call("abs", value)
}

/// Returns the number of characters of a string, or of bytes of a blob: `length("name")`.
public func length(_ value: any SQLOperand) -> SQLExpression {
    call("length", value)
}

/// Returns the first value that is not NULL: `coalesce("nickname", "name", '?')`.
///
/// - Parameter values: expressions and values. A single one is returned as it is; for none, the result is NULL.
public func coalesce(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    coalesce(values.map(\.sqlExpression))
}

/// Returns the first value that is not NULL: `coalesce("nickname", "name")`.
///
/// - Parameter values: expressions. A single one is returned as it is; for none, the result is NULL.
public func coalesce(_ values: some Collection<some SQLOperand>) -> SQLExpression {
    coalesce(values.map(\.sqlExpression))
}

private func coalesce(_ values: [SQLExpression]) -> SQLExpression {
    // SQLite requires at least two arguments.
    switch values.count {
    case 0: .null
    case 1: values[0]
    default: SQLExpression(.coalesce(values, isOperator: false))
    }
}

/// Returns the greatest of several values of a row: `max("score", "best", 0)`, or NULL if one of them is NULL.
///
/// With a single argument, `max` is the aggregate function.
public func max(
    _ first: any SQLOperand, _ second: any SQLExpressible, _ others: any SQLExpressible...
) -> SQLExpression {
    .call("max", [first.sqlExpression, second.sqlExpression] + others.map(\.sqlExpression))
}

/// Returns the least of several values of a row: `min("score", "best", 0)`, or NULL if one of them is NULL.
///
/// With a single argument, `min` is the aggregate function.
public func min(
    _ first: any SQLOperand, _ second: any SQLExpressible, _ others: any SQLExpressible...
) -> SQLExpression {
    .call("min", [first.sqlExpression, second.sqlExpression] + others.map(\.sqlExpression))
}

// MARK: - Functions as methods

extension SQLOperand {
    /// Rounds the number: `round("score", 2)`. The result is always a REAL.
    ///
    /// - Parameter digits: the number of digits after the decimal point, at most 30.
    public func rounded(toDigits digits: Int = 0) -> SQLExpression {
        digits == 0 ? call("round", self) : call("round", self, digits)
    }

    /// Returns NULL if the expression equals a value, and otherwise the expression: `nullif("score", 0)`.
    public func nullIf(_ value: any SQLExpressible) -> SQLExpression {
        call("nullif", self, value)
    }

    /// The storage class of the value: `typeof("score")`, which is one of 'null', 'integer', 'real', 'text' and 'blob'.
    public var storageClass: SQLExpression { call("typeof", self) }
}

extension SQLExpression {
    /// A random 64-bit integer, different for each row: `random()`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY random() LIMIT 1
    /// Player.order(SQLExpression.random).limit(1)
    /// ```
    public static var random: SQLExpression { .call("random", []) }
}

// MARK: - Custom functions

extension DatabaseFunction {
    /// Returns a call of the function: `"initials"("name")`.
    ///
    /// ```swift
    /// let initials = DatabaseFunction("initials", argumentCount: 1) { values in … }
    ///
    /// // SELECT * FROM "player" WHERE "initials"("name") = 'AM'
    /// Player.filter(initials(Column("name")) == "AM")
    /// ```
    ///
    /// The function must be added to the connection that runs the request: see `Database.add(function:)`.
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        SQLExpression(.function(SQLNode.Call(name: name, arguments: arguments.map(\.sqlExpression), isCustom: true)))
    }
}

// MARK: - Casts

/// Converts a value to a storage class: `CAST("score" AS REAL)`.
///
/// ```swift
/// // SELECT CAST("score" AS REAL) / "gameCount" FROM "player"
/// Player.select(cast(Column("score"), as: .real) / Column("gameCount"))
/// ```
///
/// See <https://www.sqlite.org/lang_expr.html#castexpr> for values that can't be converted: the text 'abc' becomes the INTEGER 0.
public func cast(_ value: any SQLExpressible, as storageClass: Database.StorageClass) -> SQLExpression {
    SQLExpression(.cast(value.sqlExpression, as: storageClass))
}

/// Converts a value to the affinity of a column type: `CAST("score" AS NUMERIC)`.
///
/// Most casts can use a storage class instead; the type `.numeric` has none.
///
/// Source: <https://www.sqlite.org/lang_expr.html#castexpr>
@_disfavoredOverload
public func cast(_ value: any SQLExpressible, as type: Database.ColumnType) -> SQLExpression {
    cast(value, as: Database.StorageClass(rawValue: type.rawValue))
}
