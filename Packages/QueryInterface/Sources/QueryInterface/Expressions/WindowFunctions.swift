import RowDecoding

/// A function that only makes sense over a window, and becomes an expression by one of the `over` methods.
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
/// The results can be selected and can order. To filter by them, SQL wants a query around the one that has them.
///
/// Source: <https://www.sqlite.org/windowfunctions.html#built_in_window_functions>
public struct WindowFunction: Sendable {
    fileprivate let call: SQLExpression

    fileprivate init(_ name: String, _ arguments: any SQLExpressible...) {
        call = SQLExpression(FunctionNode(name: name, arguments: arguments.map(\.sqlExpression)))
    }

    /// The function over a window: `rank() OVER (PARTITION BY "team" ORDER BY "score" DESC)`.
    ///
    /// The parameters are those of ``WindowDefinition``.
    public func over(
        partitionBy partition: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// The function over a window: `rank() OVER (PARTITION BY "team" ORDER BY "score" DESC)`.
    public func over(_ window: WindowDefinition) -> SQLExpression {
        SQLExpression(WindowNode(function: call, window: .definition(window)))
    }

    /// The function over a window that the request defines: `rank() OVER "w"`.
    public func over(windowNamed name: String) -> SQLExpression {
        SQLExpression(WindowNode(function: call, window: .name(name)))
    }
}

extension SQLExpression {
    /// An aggregate function over a window: `sum("score") OVER (PARTITION BY "team" ORDER BY "date")`.
    ///
    /// The parameters are those of ``WindowDefinition``. The SQL can't be written, and the request throws a ``DatabaseError``, when the
    /// expression is no aggregate function, or one of different values, which SQLite has no windows for.
    public func over(
        partitionBy partition: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) -> SQLExpression {
        over(WindowDefinition(baseName: nil, partition: partition, orderings: orderings, frame: frame))
    }

    /// An aggregate function over a window: `sum("score") OVER (PARTITION BY "team" ORDER BY "date")`.
    ///
    /// The request throws a ``DatabaseError`` when the expression is no aggregate function, or one of different values.
    public func over(_ window: WindowDefinition) -> SQLExpression {
        SQLExpression(WindowNode(function: self, window: .definition(window)))
    }

    /// An aggregate function over a window that the request defines: `sum("score") OVER "w"`.
    ///
    /// The request throws a ``DatabaseError`` when the expression is no aggregate function, or one of different values.
    public func over(windowNamed name: String) -> SQLExpression {
        SQLExpression(WindowNode(function: self, window: .name(name)))
    }
}

// MARK: - Functions

/// The number of the row in its partition, from 1.
public func rowNumber() -> WindowFunction { WindowFunction("row_number") }

/// The number of the row in its partition, the same for peers: 1, 2, 2, 4.
public func rank() -> WindowFunction { WindowFunction("rank") }

/// The number of the row's group of peers in the partition: 1, 2, 2, 3.
public func denseRank() -> WindowFunction { WindowFunction("dense_rank") }

/// The rank as a part of the partition, from 0.0 to 1.0.
public func percentRank() -> WindowFunction { WindowFunction("percent_rank") }

/// Which part of the partition comes before the row or is a peer of it, above 0.0 and up to 1.0.
public func cumeDist() -> WindowFunction { WindowFunction("cume_dist") }

/// The number of the row's part, from 1, when the partition is divided into some that are as equal as can be.
///
/// - Parameter count: how many parts there are, at least one: SQLite fails the statement otherwise.
public func ntile(_ count: some SQLExpressible) -> WindowFunction { WindowFunction("ntile", count) }

/// The value of an expression in an earlier row of the partition: `lag("score", 1, 0)`.
///
/// - Parameters:
///   - value: the expression.
///   - offset: how many rows earlier.
///   - standIn: the value where there is no such row; NULL by default.
public func lag(
    _ value: some SQLSpecificExpressible, by offset: some SQLExpressible = 1, default standIn: (any SQLExpressible)? = nil
) -> WindowFunction {
    standIn.map { WindowFunction("lag", value, offset, $0) } ?? WindowFunction("lag", value, offset)
}

/// The value of an expression in a later row of the partition: `lead("score", 1, 0)`.
///
/// - Parameters:
///   - value: the expression.
///   - offset: how many rows later.
///   - standIn: the value where there is no such row; NULL by default.
public func lead(
    _ value: some SQLSpecificExpressible, by offset: some SQLExpressible = 1, default standIn: (any SQLExpressible)? = nil
) -> WindowFunction {
    standIn.map { WindowFunction("lead", value, offset, $0) } ?? WindowFunction("lead", value, offset)
}

/// The value of an expression in the first row of the frame.
public func firstValue(_ value: some SQLSpecificExpressible) -> WindowFunction { WindowFunction("first_value", value) }

/// The value of an expression in the last row of the frame, which by default ends with the current row and its peers.
public func lastValue(_ value: some SQLSpecificExpressible) -> WindowFunction { WindowFunction("last_value", value) }

/// The value of an expression in a row of the frame, or NULL when the frame has no such row.
///
/// - Parameters:
///   - value: the expression.
///   - position: the number of the row, from 1: SQLite fails the statement for less.
public func nthValue(_ value: some SQLSpecificExpressible, _ position: some SQLExpressible) -> WindowFunction {
    WindowFunction("nth_value", value, position)
}

// MARK: - Nodes

/// A function with its OVER clause.
struct WindowNode: CompositeNode {
    enum Window: Sendable {
        case definition(WindowDefinition)
        case name(String)
    }

    let function: SQLExpression
    let window: Window

    var operands: [SQLExpression] {
        // Not the function itself: with a window, it is no aggregate. Its arguments may have aggregates all the same.
        var operands = (function.node as? any CompositeNode)?.operands ?? []
        if case .definition(let window) = window { operands += window.operands }
        return operands
    }

    /// The function counts for itself.
    var levelCount: Int { 0 }

    /// An aggregate may hide in what is not known.
    var isAggregate: Bool {
        if function.node is CustomFunctionNode { return true }
        if case .definition(let window) = window { return !window.isTransparent }
        return false
    }

    func render(to renderer: inout SQLRenderer) throws {
        switch function.node {
        case let node as AggregateNode where node.isDistinct:
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "\(node.name)(DISTINCT …) can't have an OVER clause", sql: renderer.sql)
        case is AggregateNode, is FunctionNode, is CustomFunctionNode:
            try renderer.append(function)
        default:
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "only an aggregate function or a window function can have an OVER clause", sql: renderer.sql)
        }
        renderer.append(" OVER ")
        switch window {
        case .definition(let window): try window.render(to: &renderer)
        case .name(let name): renderer.append(identifier: name)
        }
    }
}
