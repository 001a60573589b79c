import ValueConversion

/// A source of rows to fetch: a request, or all rows of a table.
public protocol FetchSource<RowDecoder>: DatabaseRegionConvertible, Sendable {
    /// The type of the results: a record, a value, or `Row`.
    associatedtype RowDecoder

    /// Prepares the query.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - forSingleResult: whether the caller needs only the first result. The request can then add `LIMIT 1` to help SQLite.
    /// - Throws: an error when the query can't be turned into SQL, or when the SQL does not compile.
    func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest

    /// Fetches the number of results.
    ///
    /// - Throws: ``DatabaseError``.
    func fetchCount(_ db: Database) throws -> Int
}

/// A query, and the type of its results.
///
/// ```swift
/// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score > \(1000)"
/// let players = try request.fetchAll(db)
/// let count = try request.fetchCount(db)
/// ```
///
/// To define your own request, implement ``SQLSubqueryable/sqlSubquery``. The other requirements have default implementations:
///
/// ```swift
/// struct BestPlayers: FetchRequest {
///     typealias RowDecoder = Player
///     var minimum: Int
///
///     var sqlSubquery: SQLSubquery {
///         SQLRequest<Player>(literal: "SELECT * FROM player WHERE score > \(minimum)")
///             .sqlSubquery
///     }
/// }
/// ```
public protocol FetchRequest<RowDecoder>: FetchSource, SQLSubqueryable {}

extension FetchRequest {
    /// Prepares the query of ``SQLSubqueryable/sqlSubquery``.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        var renderer = SQLRenderer(database: db)
        try sqlSubquery.render(to: &renderer)
        try renderer.checkLimits()
        let statement = try db.reusedStatement(sql: renderer.sql)
        try statement.setArguments(renderer.arguments)
        return PreparedRequest(statement: statement)
    }

    /// Prepares the query for fetching all its results.
    ///
    /// - Throws: an error when the query can't be turned into SQL, or when the SQL does not compile.
    public func makePreparedRequest(_ db: Database) throws -> PreparedRequest {
        try makePreparedRequest(db, forSingleResult: false)
    }

    /// Fetches the number of results.
    ///
    /// The SQL is `SELECT count(*) FROM (SELECT …)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        try sqlSubquery.fetchCount(db)
    }

    /// Returns the part of the database that the query reads.
    ///
    /// - Throws: an error when the query can't be turned into SQL, or when the SQL does not compile.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db).statement.databaseRegion
    }
}
