import ValueConversion

/// A type-erased request.
///
/// ```swift
/// func players(named name: String?) -> AnyFetchRequest<Player> {
///     if let name {
///         return AnyFetchRequest(
///             SQLRequest<Player>(literal: "SELECT * FROM player WHERE name = \(name)"))
///     } else {
///         return AnyFetchRequest(Player.all())
///     }
/// }
/// ```
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    private let base: any FetchRequest

    /// Creates a request that wraps another request.
    public init(_ request: some FetchRequest<RowDecoder>) {
        self = request as? AnyFetchRequest ?? AnyFetchRequest(erasing: request)
    }

    private init(erasing request: any FetchRequest) {
        base = request
    }

    /// Returns the same query with results of another type.
    public func asRequest<Other>(of type: Other.Type) -> AnyFetchRequest<Other> {
        AnyFetchRequest<Other>(erasing: base)
    }

    /// Prepares the query.
    ///
    /// - Throws: the error of the request.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        try base.makePreparedRequest(db, forSingleResult: forSingleResult)
    }

    /// Fetches the number of results.
    ///
    /// - Throws: the error of the request.
    public func fetchCount(_ db: Database) throws -> Int {
        try base.fetchCount(db)
    }

    /// The query.
    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    /// Returns the part of the database that the query reads.
    ///
    /// - Throws: the error of the request.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try base.databaseRegion(db)
    }
}

/// A request whose rows are presented by an adapter. ``FetchRequest/adapted(_:)`` returns it.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    /// The type of the results.
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    /// Prepares the query.
    ///
    /// - Throws: the error of the request, or the error of the adapter.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        var prepared = try base.makePreparedRequest(db, forSingleResult: forSingleResult)
        let adapter = try adapter(db)
        prepared.adapter = prepared.adapter.map { ChainedRowAdapter(first: $0, second: adapter) } ?? adapter
        return prepared
    }

    /// Fetches the number of results.
    ///
    /// - Throws: the error of the request.
    public func fetchCount(_ db: Database) throws -> Int {
        try base.fetchCount(db)
    }

    /// The query.
    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    /// Returns the part of the database that the query reads.
    ///
    /// - Throws: the error of the request.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try base.databaseRegion(db)
    }
}

extension FetchRequest {
    /// Returns the same request with a row adapter, which changes the columns of the rows, or adds scopes.
    ///
    /// ```swift
    /// let request = SQLRequest<Row>(sql: "SELECT player.*, team.* FROM player JOIN team …")
    ///     .adapted { db in
    ///         let adapters = splittingRowAdapters(columnCounts: [
    ///             try db.columns(in: "player").count
    ///         ])
    ///         return ScopeAdapter(["player": adapters[0], "team": adapters[1]])
    ///     }
    /// ```
    ///
    /// - Parameter adapter: creates the adapter when the request is fetched. The adapter is applied to the columns that the request's own
    ///   adapter presents, if there is one.
    public func adapted(_ adapter: @escaping @Sendable (Database) throws -> any RowAdapter) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}
