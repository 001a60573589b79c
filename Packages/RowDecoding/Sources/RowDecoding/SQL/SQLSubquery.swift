import ValueConversion

/// A type whose values can be used as subqueries.
///
/// In an expression, the subquery is `(SELECT …)`.
public protocol SQLSubqueryable: SQLExpressible {
    /// The query.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The query in parentheses.
    public var sqlExpression: SQLExpression { SQLExpression(SubqueryNode(subquery: sqlSubquery)) }
}

/// A subquery: a query inside another one.
public struct SQLSubquery: SQLSubqueryable, Sendable {
    /// Renders the query. It is an expression, so that deeply nested queries are rendered and freed without recursion.
    private let query: SQLExpression

    /// Creates a query from a closure that renders it.
    ///
    /// - Parameter render: renders a SELECT statement, without parentheses and without a semicolon.
    public init(rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void) {
        query = SQLExpression(WrittenNode(write: render))
    }

    /// The subquery itself.
    public var sqlSubquery: SQLSubquery { self }

    /// Writes the query, without parentheses.
    ///
    /// - Throws: the error of a value that can't be stored, or one that depends on the schema.
    public func render(to renderer: inout SQLRenderer) throws {
        // In the query, columns and `*` refer to the query's own tables, which the request sets itself.
        let outer = (renderer.expressionDepth, renderer.qualifier, renderer.sourceName, renderer.sourceColumns)
        let outerType = renderer.sourceRecordType
        renderer.sourceRecordType = nil
        (renderer.expressionDepth, renderer.qualifier, renderer.sourceName, renderer.sourceColumns) = (0, nil, nil, nil)
        try renderer.append(query)
        (renderer.expressionDepth, renderer.qualifier, renderer.sourceName, renderer.sourceColumns) = outer
        renderer.sourceRecordType = outerType
    }

    /// Counts the rows of the query.
    ///
    /// The SQL is `SELECT count(*) FROM (SELECT …)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        var renderer = SQLRenderer(database: db)
        renderer.append("SELECT count(*) FROM (")
        try render(to: &renderer)
        renderer.append(")")
        try renderer.checkLimits()
        return try Int.fetchOne(db, sql: renderer.sql, arguments: renderer.arguments) ?? 0
    }
}

extension SQLSubquery: SQLSelectable, SQLOrderingTerm {
    /// The query in parentheses, as a selection.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// The query in parentheses, as an ordering term.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

extension SQLRequest: SQLSelectable, SQLOrderingTerm {
    /// The query in parentheses, as a selection.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// The query in parentheses, as an ordering term.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

/// A query in an expression, or in SQL that writes any necessary parentheses itself.
struct SubqueryNode: SQLExpressionNode {
    let subquery: SQLSubquery
    var hasParentheses = true

    func render(to renderer: inout SQLRenderer) throws {
        if hasParentheses { renderer.append("(") }
        try subquery.render(to: &renderer)
        if hasParentheses { renderer.append(")") }
    }
}
