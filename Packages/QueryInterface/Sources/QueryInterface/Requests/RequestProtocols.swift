import RowDecoding

// Requests and associations share these protocols, one for each clause. The methods of each clause are in an extension of `RequestSource`, for
// sources whose request has the clause, in a separate file.

/// A request, an association or a table that knows the type of its rows.
public protocol TypedRequest<RowDecoder> {
    /// The type of the rows.
    associatedtype RowDecoder
}

/// A request, or a ``Table``, from which a request begins.
///
/// All clauses are methods of this protocol. Each one returns a request with the clause added:
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000
/// Table<Player>("player").filter { $0.score > 1000 }
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name"
/// Player.filter { $0.score > 1000 }.order { $0.name }
/// ```
///
/// The static methods of ``TableRecord`` begin requests in the same way.
public protocol RequestSource {
    /// The request to which the clauses are added: `Self` for requests and associations.
    associatedtype DerivedRequest: ChangeableRequest

    /// Returns the request to which the clauses are added.
    ///
    /// A request returns itself. A table returns the request for all its rows.
    func all() -> DerivedRequest

    /// Returns the request with a clause or a joined table added.
    ///
    /// All clauses call this method. A type that wraps a request forwards the change to that request.
    func applying(_ change: RequestChange) -> DerivedRequest
}

/// A request or an association that is built step by step.
///
/// ```swift
/// extension OrderedRequest {
///     func latestFirst() -> Self { order(Column("date").desc) }
/// }
/// ```
public protocol ChangeableRequest: RequestSource where DerivedRequest == Self {}

extension ChangeableRequest {
    /// Returns the request itself.
    public func all() -> Self { self }
}

extension RequestSource where Self: TypedRequest, RowDecoder: TableRecord {
    /// The columns of the record type, which closures get as `$0`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents
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

/// A request that can join associations.
public protocol JoinableRequest<RowDecoder>: ChangeableRequest, TypedRequest {}

/// The ways to add an association to a request.
package enum AssociationJoinKind: Sendable {
    /// Fetches the rows with a separate query, one for all rows of the request.
    case prefetched
    /// Joins the tables. Skips rows without a match.
    case required
    /// Joins the tables. Keeps rows without a match.
    case optional
    /// Joins the tables and selects their columns. Skips rows without a match.
    case includedRequired
    /// Joins the tables and selects their columns. Keeps rows without a match.
    case includedOptional

    /// Whether rows without a match are skipped.
    var isRequired: Bool { self == .required || self == .includedRequired }

    /// Whether the columns of the joined table are selected.
    var isIncluded: Bool { self == .includedRequired || self == .includedOptional }
}

/// A request or an association, with all clauses.
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest, OrderedRequest,
    SelectionRequest, TableRequest, TypedRequest
{}

extension RequestSource where DerivedRequest: DerivableRequest {
    /// Removes duplicate rows.
    ///
    /// The SQL of `Player.select(Column("name")).distinct()` is `SELECT DISTINCT "name" FROM "player"`. In an association, this
    /// applies to the rows that `including(all:)` fetches.
    public func distinct() -> DerivedRequest { applying(RequestChange(kind: .removeDuplicates)) }

    /// Defines a common table expression for the request and its subqueries.
    ///
    /// The SQL of `Player.all().with(cte)` is `WITH "cte" AS (…) SELECT * FROM "player"`. An association passes the definition to the
    /// request that joins it.
    public func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> DerivedRequest {
        applying(RequestChange(kind: .define(commonTableExpression.table)))
    }
}
