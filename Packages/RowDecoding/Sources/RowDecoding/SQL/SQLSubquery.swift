import ValueConversion

/// A type whose values are queries that can stand inside others.
///
/// In an expression, such a query is `(SELECT …)`.
public protocol SQLSubqueryable: SQLExpressible {
    /// The query.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The query in parentheses.
    public var sqlExpression: SQLExpression { SQLExpression(SubqueryNode(subquery: sqlSubquery)) }
}

/// A query that can stand inside another one.
public struct SQLSubquery: SQLSubqueryable, Sendable {
    /// What writes the query. As an expression, it is written and freed without recursion where queries are deep in each other.
    private let query: SQLExpression

    /// Makes a query of what writes it.
    ///
    /// - Parameter render: writes a SELECT statement, without parentheses and without a semicolon.
    public init(rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void) {
        query = SQLExpression(WrittenNode(write: render))
    }

    /// Itself.
    public var sqlSubquery: SQLSubquery { self }

    /// Writes the query, without parentheses.
    ///
    /// - Throws: the error of a value that can't be stored, or one that depends on the schema.
    public func render(to renderer: inout SQLRenderer) throws {
        // Columns in the query are those of its own tables, and so is `*`. Which ones, a request says itself.
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
    /// The query in parentheses, selected.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// The query in parentheses, to order by.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

extension SQLRequest: SQLSelectable, SQLOrderingTerm {
    /// The query in parentheses, selected.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// The query in parentheses, to order by.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

/// A query in an expression.
private struct SubqueryNode: SQLExpressionNode {
    let subquery: SQLSubquery

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append("(")
        try subquery.render(to: &renderer)
        renderer.append(")")
    }
}
