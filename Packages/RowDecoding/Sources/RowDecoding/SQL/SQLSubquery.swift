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
    public var sqlExpression: SQLExpression {
        let subquery = sqlSubquery
        return SQLExpression(SubqueryNode(subquery: subquery), depth: subquery.depth)
    }
}

/// A subquery: a query inside another query.
public struct SQLSubquery: SQLSubqueryable, Sendable {
    /// Renders the query. It is an expression, so that a query in a query counts as a level of nesting.
    private let query: SQLExpression

    /// Creates a query from a closure that renders it.
    ///
    /// - Parameter render: renders a SELECT statement, without parentheses and without a semicolon.
    public init(rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void) {
        self.init(depth: SQLDepth(), isHandwritten: true, rendering: render)
    }

    /// Creates a query from a closure that renders it.
    ///
    /// - Parameters:
    ///   - depth: the depth of the expressions that the query contains.
    ///   - isHandwritten: whether the SQL may contain anything.
    ///   - render: renders a SELECT statement, without parentheses and without a semicolon.
    package init(
        depth: SQLDepth, isHandwritten: Bool = false, rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void
    ) {
        query = SQLExpression(WrittenNode(write: render), depth: depth, isHandwritten: isHandwritten)
    }

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - node: renders a SELECT statement, without parentheses and without a semicolon.
    ///   - depth: the depth of the expressions that the query contains.
    package init(_ node: some SQLDescribedNode, depth: SQLDepth) {
        query = SQLExpression(node, depth: depth)
    }

    /// Describes the query.
    package func describe(to shape: inout SQLShape) throws { try shape.append(query) }

    /// How deeply the query is nested.
    package var depth: SQLDepth { query.tree.depth }

    /// The subquery itself.
    public var sqlSubquery: SQLSubquery { self }

    /// Writes the query, without parentheses.
    ///
    /// - Throws: the error of a value that can't be stored, or one that depends on the schema.
    public func render(to renderer: inout SQLRenderer) throws {
        // In the query, columns and `*` refer to the query's own tables, which the request sets itself.
        let query = query
        try renderer.append(in: renderer.scope.withoutTable) { renderer in
            try renderer.append(atNewRoot: { try $0.append(query) })
        }
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

/// A query in parentheses.
struct SubqueryNode: SQLDescribedNode {
    let subquery: SQLSubquery

    func describe(to shape: inout SQLShape) throws { try subquery.describe(to: &shape) }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append("(")
        try subquery.render(to: &renderer)
        renderer.append(")")
    }
}
