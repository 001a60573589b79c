import RowDecoding

/// A function that requires a window. One of the `over` methods makes it an expression.
///
/// ```swift
/// // row_number() OVER (PARTITION BY "team" ORDER BY "score" DESC)
/// rowNumber().over(partitionBy: Column("team"), orderBy: Column("score").desc)
/// ```
///
/// Aggregate functions have the same methods:
///
/// ```swift
/// // sum("amount") OVER (ORDER BY "date")
/// sum(Column("amount")).over(orderBy: Column("date"))
/// ```
///
/// The results can be selected and ordered by. To filter by them, SQL requires an outer query.
///
/// Source: <https://www.sqlite.org/windowfunctions.html#built_in_window_functions>
public struct WindowFunction: Sendable {
    fileprivate let call: SQLExpression

    fileprivate init(_ name: String, _ arguments: any SQLExpressible...) {
        call = .call(name, arguments.map(\.sqlExpression))
    }

    /// Returns the function over a window: `rank() OVER (PARTITION BY "team" ORDER BY "score" DESC)`.
    ///
    /// ``WindowDefinition`` describes the parameters.
    public func over(
        partitionBy partition: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns the function over a window, with a list of columns: `over(orderBy: [Column("score").desc, Column("id")])`.
    public func over(
        partitionBy partition: [any SQLExpressible], orderBy orderings: [any SQLOrderingTerm], frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns the function over a window, with a list of columns: `over(orderBy: [Column("score").desc, Column("id")])`.
    public func over(
        partitionBy partition: [any SQLExpressible], orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns the function over a window, with a list of columns: `over(orderBy: [Column("score").desc, Column("id")])`.
    public func over(
        partitionBy partition: any SQLExpressible..., orderBy orderings: [any SQLOrderingTerm], frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns the function over a window: `rank() OVER (PARTITION BY "team" ORDER BY "score" DESC)`.
    public func over(_ window: WindowDefinition) -> SQLExpression {
        SQLExpression(.windowed(call, .definition(window)))
    }

    /// Returns the function over a window that the request defines: `rank() OVER "w"`.
    public func over(windowNamed name: String) -> SQLExpression {
        SQLExpression(.windowed(call, .name(name)))
    }
}

extension SQLExpression {
    /// Returns an aggregate function over a window: `sum("score") OVER (PARTITION BY "team" ORDER BY "date")`.
    ///
    /// ``WindowDefinition`` describes the parameters. The request throws a ``DatabaseError`` if the expression is not an aggregate
    /// function, or is one of distinct values, for which SQLite has no windows.
    public func over(
        partitionBy partition: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns an aggregate function over a window, with a list of columns: `over(orderBy: [Column("score").desc, Column("id")])`.
    public func over(
        partitionBy partition: [any SQLExpressible], orderBy orderings: [any SQLOrderingTerm], frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns an aggregate function over a window, with a list of columns: `over(orderBy: [Column("score").desc, Column("id")])`.
    public func over(
        partitionBy partition: [any SQLExpressible], orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns an aggregate function over a window, with a list of columns: `over(orderBy: [Column("score").desc, Column("id")])`.
    public func over(
        partitionBy partition: any SQLExpressible..., orderBy orderings: [any SQLOrderingTerm], frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// Returns an aggregate function over a window: `sum("score") OVER (PARTITION BY "team" ORDER BY "date")`.
    ///
    /// The request throws a ``DatabaseError`` if the expression is not an aggregate function, or is one of distinct values.
    public func over(_ window: WindowDefinition) -> SQLExpression {
        SQLExpression(.windowed(self, .definition(window)))
    }

    /// Returns an aggregate function over a window that the request defines: `sum("score") OVER "w"`.
    ///
    /// The request throws a ``DatabaseError`` if the expression is not an aggregate function, or is one of distinct values.
    public func over(windowNamed name: String) -> SQLExpression {
        SQLExpression(.windowed(self, .name(name)))
    }
}

// MARK: - Functions

/// Returns the number of the row in its partition, from 1: 1, 2, 3, 4.
public func rowNumber() -> WindowFunction { WindowFunction("row_number") }

/// Returns the rank of the row in its partition, the same for peers: 1, 2, 2, 4.
public func rank() -> WindowFunction { WindowFunction("rank") }

/// Returns the rank of the row in its partition without gaps: 1, 2, 2, 3.
public func denseRank() -> WindowFunction { WindowFunction("dense_rank") }

/// Returns the relative rank of the row in its partition, from 0.0 to 1.0.
public func percentRank() -> WindowFunction { WindowFunction("percent_rank") }

/// Returns the share of the partition that precedes the row or is its peer, greater than 0.0 and at most 1.0.
public func cumeDist() -> WindowFunction { WindowFunction("cume_dist") }

/// Divides the partition into groups of nearly equal size, and returns the number of the row's group, from 1.
///
/// - Parameter count: the number of groups. The statement fails if it is less than 1.
public func ntile(_ count: any SQLExpressible) -> WindowFunction { WindowFunction("ntile", count) }

/// Returns the value of an expression in an earlier row of the partition: `lag("score", 1, 0)`.
///
/// - Parameters:
///   - value: the expression.
///   - offset: the number of rows to go back.
///   - standIn: the value if there is no such row; by default NULL.
public func lag(
    _ value: any SQLOperand, by offset: any SQLExpressible = 1, default standIn: (any SQLExpressible)? = nil
) -> WindowFunction {
    standIn.map { WindowFunction("lag", value, offset, $0) } ?? WindowFunction("lag", value, offset)
}

/// Returns the value of an expression in a later row of the partition: `lead("score", 1, 0)`.
///
/// - Parameters:
///   - value: the expression.
///   - offset: the number of rows to go forward.
///   - standIn: the value if there is no such row; by default NULL.
public func lead(
    _ value: any SQLOperand, by offset: any SQLExpressible = 1, default standIn: (any SQLExpressible)? = nil
) -> WindowFunction {
    standIn.map { WindowFunction("lead", value, offset, $0) } ?? WindowFunction("lead", value, offset)
}

/// Returns the value of an expression in the first row of the frame.
public func firstValue(_ value: any SQLOperand) -> WindowFunction { WindowFunction("first_value", value) }

/// Returns the value of an expression in the last row of the frame. By default, that is the last peer of the current row.
public func lastValue(_ value: any SQLOperand) -> WindowFunction { WindowFunction("last_value", value) }

/// Returns the value of an expression in a row of the frame, or NULL if the frame has no such row.
///
/// - Parameters:
///   - value: the expression.
///   - position: the number of the row, from 1. The statement fails if it is less.
public func nthValue(_ value: any SQLOperand, _ position: any SQLExpressible) -> WindowFunction {
    WindowFunction("nth_value", value, position)
}
