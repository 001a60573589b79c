import RowDecoding

// Functions that make one value of many rows. Each takes a filter for the rows that it looks at, and each can be made a window
// function by `over`. Source: <https://www.sqlite.org/lang_aggfunc.html>

/// The call of an aggregate function.
struct AggregateNode: CompositeNode {
    let name: String
    /// The arguments; none is `*`.
    var arguments: [SQLExpression] = []
    var isDistinct = false
    var filter: SQLExpression?

    var isAggregate: Bool { true }
    var levelCount: Int { arguments.isEmpty ? 0 : 1 }
    var operands: [SQLExpression] { arguments + (filter.map { [$0] } ?? []) }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(isDistinct ? "\(name)(DISTINCT " : "\(name)(")
        if arguments.isEmpty { renderer.append("*") }
        try renderer.append(arguments, separator: ", ") { try $0.append($1) }
        renderer.append(")")
        if let filter {
            renderer.append(" FILTER (WHERE ")
            try renderer.append(filter)
            renderer.append(")")
        }
    }
}

/// The call of an aggregate function.
func aggregate(
    _ name: String, _ arguments: [any SQLExpressible], isDistinct: Bool = false, filter: (any SQLSpecificExpressible)?
) -> SQLExpression {
    SQLExpression(
        AggregateNode(
            name: name, arguments: arguments.map(\.sqlExpression), isDistinct: isDistinct, filter: filter?.sqlExpression))
}

// MARK: - Count

/// The number of rows in which an expression is not NULL: `count("score")`.
///
/// The SQL of `count(Column("score"), filter: Column("team") == "Reds")` is `count("score") FILTER (WHERE "team" = 'Reds')`.
public func count(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("count", [value], filter: filter)
}

/// The number of rows: `count(*)`.
///
/// ```swift
/// // SELECT "team", count(*) FROM "player" GROUP BY "team"
/// Player.select(Column("team"), count(AllColumns())).group(Column("team"))
/// ```
public func count(_ all: AllColumns, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("count", [], filter: filter)
}

/// The number of different values that are not NULL: `count(DISTINCT "score")`.
public func count(
    distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("count", [value], isDistinct: true, filter: filter)
}

// MARK: - Sums

/// The sum of the values that are not NULL: `sum("score")`, which is NULL without any.
///
/// The sum of integers is an integer, and one that is out of range fails the statement; see ``total(_:filter:)``.
///
/// The SQL of `sum(Column("score"), filter: Column("team") == "Reds")` is `sum("score") FILTER (WHERE "team" = 'Reds')`.
public func sum(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("sum", [value], filter: filter)
}

/// The sum of the different values that are not NULL: `sum(DISTINCT "score")`, which is NULL without any.
public func sum(
    distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("sum", [value], isDistinct: true, filter: filter)
}

/// The sum of the values that are not NULL as a REAL: `total("score")`, which is 0.0 without any.
public func total(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("total", [value], filter: filter)
}

/// The sum of the different values that are not NULL as a REAL: `total(DISTINCT "score")`, which is 0.0 without any.
public func total(
    distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("total", [value], isDistinct: true, filter: filter)
}

/// The mean of the values that are not NULL, a REAL: `avg("score")`, which is NULL without any.
public func average(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("avg", [value], filter: filter)
}

/// The mean of the different values that are not NULL, a REAL: `avg(DISTINCT "score")`, which is NULL without any.
public func average(
    distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("avg", [value], isDistinct: true, filter: filter)
}

// MARK: - Extremes

/// The greatest value that is not NULL: `max("score")`, which is NULL without any.
public func max(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("max", [value], filter: filter)
}

/// The least value that is not NULL: `min("score")`, which is NULL without any.
public func min(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil) -> SQLExpression {
    aggregate("min", [value], filter: filter)
}

// MARK: - Texts

/// The texts that are not NULL, put together in no particular order: `group_concat("name", ', ')`, which is NULL without any.
///
/// - Parameters:
///   - value: the texts.
///   - separator: stands between each two of them.
///   - filter: what must be true for a row to be looked at.
public func groupConcat(
    _ value: some SQLSpecificExpressible, separator: any SQLExpressible = ",",
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("group_concat", [value, separator], filter: filter)
}

/// The different texts that are not NULL, with commas between them, in no particular order: `group_concat(DISTINCT "name")`.
///
/// SQLite knows no other separator here.
public func groupConcat(
    distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("group_concat", [value], isDistinct: true, filter: filter)
}
