import RowDecoding

// What requests have in common with associations, one protocol for each clause. The methods of the protocols take what depends on
// the connection, the "…WhenConnected" ones; the others are made of them, in an extension for each clause.

/// A request, or an association, for rows of a known type.
public protocol TypedRequest<RowDecoder> {
    /// The type of the rows.
    associatedtype RowDecoder
}

/// A request with a SELECT clause.
public protocol SelectionRequest {
    /// Selects what a closure returns, which is called when the query is written. What was selected before is not any more.
    func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

    /// Selects, beside what is selected already, what a closure returns, which is called when the query is written.
    func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self
}

/// A request with a WHERE clause.
public protocol FilteredRequest {
    /// Keeps the rows for which the expression is true that a closure returns, which is called when the query is written.
    func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

/// A request with GROUP BY and HAVING clauses.
public protocol AggregatingRequest {
    /// Makes one row of those for which the expressions have the same values that a closure returns, which is called when the
    /// query is written.
    func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self

    /// Keeps the groups for which the expression is true that a closure returns, which is called when the query is written.
    func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

/// A request with an ORDER BY clause.
public protocol OrderedRequest {
    /// Orders the rows by what a closure returns, which is called when the query is written. The order that there was before is
    /// not any more.
    func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self

    /// The rows in the opposite order. Rows without an order stay so.
    func reversed() -> Self

    /// The rows in no order.
    func unordered() -> Self

    /// The rows in the same order each time: the primary key decides between rows that are otherwise equal.
    ///
    /// The SQL of `Player.order(Column("score")).withStableOrder()` is `SELECT * FROM "player" ORDER BY "score", "id"`.
    func withStableOrder() -> Self
}

/// A request for rows of a table.
public protocol TableRequest {
    /// The name of the table.
    var databaseTableName: String { get }

    /// The request with a name for its table: see ``TableAlias``.
    func aliased(_ alias: TableAliasBase) -> Self
}

/// A request to which associations can be joined.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
    /// The request with the tables of an association joined, or prefetched. It serves the methods of this protocol's extension.
    func joining(_ path: AssociationPath, as kind: AssociationJoinKind) -> Self
}

/// How the tables of an association become part of a request.
public enum AssociationJoinKind: Sendable {
    /// By a query of their own for all rows.
    case prefetched
    /// Joined; rows without a match are left out.
    case required
    /// Joined; rows without a match stay.
    case optional
    /// Joined and selected; rows without a match are left out.
    case includedRequired
    /// Joined and selected; rows without a match stay.
    case includedOptional
}

/// A request, or an association: what has all the clauses.
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest, OrderedRequest,
    SelectionRequest, TableRequest, TypedRequest
{
    /// The request without duplicates among its rows.
    ///
    /// The SQL of `Player.select(Column("name")).distinct()` is `SELECT DISTINCT "name" FROM "player"`.
    func distinct() -> Self

    /// The request with a common table expression, which it and its subqueries can use.
    func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> Self
}
