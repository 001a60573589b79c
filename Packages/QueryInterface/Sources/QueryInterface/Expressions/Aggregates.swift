import RowDecoding

// Functions that compute one value from many rows. Each accepts a filter on those rows, and becomes a window function with `over`.
// Source: <https://www.sqlite.org/lang_aggfunc.html>

/// Returns a call of an aggregate function.
func aggregate(
    _ name: String, _ arguments: [any SQLExpressible], isDistinct: Bool = false, filter: (any SQLOperand)?
) -> SQLExpression {
    SQLExpression(
        .aggregate(
            SQLNode.Aggregate(
                name: name, arguments: arguments.map(\.sqlExpression), isDistinct: isDistinct, filter: filter?.sqlExpression)))
}

// MARK: - Count

/// Returns the number of rows where an expression is not NULL: `count("score")`.
///
/// The SQL of `count(Column("score"), filter: Column("team") == "Reds")` is `count("score") FILTER (WHERE "team" = 'Reds')`.
public func count(_ value: any SQLExpressible, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("count", [value], filter: filter)
}

/// Returns the number of rows: `count(*)`.
///
/// ```swift
/// // SELECT "team", count(*) FROM "player" GROUP BY "team"
/// Player.select(Column("team"), count(AllColumns())).group(Column("team"))
/// ```
public func count(_ all: AllColumns, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("count", [], filter: filter)
}

/// Returns the number of distinct values that are not NULL: `count(DISTINCT "score")`.
public func count(
    distinct value: any SQLExpressible, filter: (any SQLOperand)? = nil
) -> SQLExpression {
    aggregate("count", [value], isDistinct: true, filter: filter)
}

// MARK: - Sums

/// Returns the sum of the values that are not NULL: `sum("score")`, or NULL if there are none.
///
/// The sum of integers is an integer. If it overflows, the statement fails; ``total(_:filter:)`` can't overflow.
///
/// The SQL of `sum(Column("score"), filter: Column("team") == "Reds")` is `sum("score") FILTER (WHERE "team" = 'Reds')`.
public func sum(_ value: any SQLOperand, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("sum", [value], filter: filter)
}

/// Returns the sum of the distinct values that are not NULL: `sum(DISTINCT "score")`, or NULL if there are none.
public func sum(
    distinct value: any SQLOperand, filter: (any SQLOperand)? = nil
) -> SQLExpression {
    aggregate("sum", [value], isDistinct: true, filter: filter)
}

/// Returns the sum of the values that are not NULL as a REAL: `total("score")`, or 0.0 if there are none.
public func total(_ value: any SQLOperand, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("total", [value], filter: filter)
}

/// Returns the sum of the distinct values that are not NULL as a REAL: `total(DISTINCT "score")`, or 0.0 if there are none.
public func total(
    distinct value: any SQLOperand, filter: (any SQLOperand)? = nil
) -> SQLExpression {
    aggregate("total", [value], isDistinct: true, filter: filter)
}

/// Returns the average of the values that are not NULL, as a REAL: `avg("score")`, or NULL if there are none.
public func average(_ value: any SQLOperand, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("avg", [value], filter: filter)
}

/// Returns the average of the distinct values that are not NULL, as a REAL: `avg(DISTINCT "score")`, or NULL if there are none.
public func average(
    distinct value: any SQLOperand, filter: (any SQLOperand)? = nil
) -> SQLExpression {
    aggregate("avg", [value], isDistinct: true, filter: filter)
}

// MARK: - Extremes

/// Returns the greatest value that is not NULL: `max("score")`, or NULL if there are none.
public func max(_ value: any SQLOperand, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("max", [value], filter: filter)
}

/// Returns the least value that is not NULL: `min("score")`, or NULL if there are none.
public func min(_ value: any SQLOperand, filter: (any SQLOperand)? = nil) -> SQLExpression {
    aggregate("min", [value], filter: filter)
}

// MARK: - Strings

/// Concatenates the strings that are not NULL, in no particular order: `group_concat("name", ', ')`, or NULL if there are none.
///
/// - Parameters:
///   - value: the strings.
///   - separator: the string to insert between two strings.
///   - filter: the condition on the rows that are aggregated.
public func groupConcat(
    _ value: any SQLOperand, separator: any SQLExpressible = ",",
    filter: (any SQLOperand)? = nil
) -> SQLExpression {
    aggregate("group_concat", [value, separator], filter: filter)
}

/// Concatenates the distinct strings that are not NULL, with commas, in no particular order: `group_concat(DISTINCT "name")`.
///
/// SQLite supports no other separator with DISTINCT.
public func groupConcat(
    distinct value: any SQLOperand, filter: (any SQLOperand)? = nil
) -> SQLExpression {
    aggregate("group_concat", [value], isDistinct: true, filter: filter)
}
