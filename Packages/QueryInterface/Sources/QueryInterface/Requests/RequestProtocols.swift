import RowDecoding

// What requests have in common with associations: one protocol for each clause. Each clause has its methods in an extension of its
// protocol, in a file of its own.

/// A request, or an association, for rows of a known type.
public protocol TypedRequest<RowDecoder> {
    /// The type of the rows.
    associatedtype RowDecoder
}

/// A request, or an association, that is made step by step.
///
/// ```swift
/// extension OrderedRequest {
///     func latestFirst() -> Self { order(Column("date").desc) }
/// }
/// ```
public protocol ChangeableRequest {
    /// The request with one more clause, or one more joined table.
    ///
    /// A type that wraps a request passes the change on to it. Each method of the protocols below calls this one.
    func applying(_ change: RequestChange) -> Self
}

/// A request with a SELECT clause.
public protocol SelectionRequest: ChangeableRequest {}

/// A request with a WHERE clause.
public protocol FilteredRequest: ChangeableRequest {}

/// A request with GROUP BY and HAVING clauses.
public protocol AggregatingRequest: ChangeableRequest {}

/// A request with an ORDER BY clause.
public protocol OrderedRequest: ChangeableRequest {}

/// A request for rows of a table.
public protocol TableRequest: ChangeableRequest {
    /// The name of the table.
    var databaseTableName: String { get }
}

/// A request to which associations can be joined.
public protocol JoinableRequest<RowDecoder>: ChangeableRequest, TypedRequest {}

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
{}

extension DerivableRequest {
    /// Removes duplicate rows.
    ///
    /// The SQL of `Player.select(Column("name")).distinct()` is `SELECT DISTINCT "name" FROM "player"`. For an association, this
    /// concerns the rows that `including(all:)` fetches.
    public func distinct() -> Self { applying(RequestChange(.removeDuplicates)) }

    /// Defines a common table expression, which the request and its subqueries can use.
    ///
    /// The SQL of `Player.all().with(cte)` is `WITH "cte" AS (…) SELECT * FROM "player"`. An association passes the definition on to
    /// the request that it is joined to.
    public func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> Self {
        applying(RequestChange(.define(commonTableExpression.table)))
    }
}
