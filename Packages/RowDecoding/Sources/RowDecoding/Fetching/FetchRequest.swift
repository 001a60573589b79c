import ValueConversion

/// A query, and the type of its results.
///
/// ```swift
/// let request = Player.filter(Column("score") > 1000)
/// let players = try request.fetchAll(db)
/// ```
public protocol FetchRequest<RowDecoder> {
    /// The type of the results: a record, a value, or `Row`.
    associatedtype RowDecoder

    /// Prepares the query.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - forSingleResult: whether only the first result is wanted.
    /// - Throws: an error when the query can't be made into SQL that compiles.
    func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest

    /// The number of results.
    ///
    /// - Throws: ``DatabaseError``.
    func fetchCount(_ db: Database) throws -> Int
}

/// A query that is ready to run.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement

    /// The adapter of its rows, if any.
    public var adapter: (any RowAdapter)?

    /// Fetches what belongs to the results and comes from queries of its own, and gives it to the rows, which are copied.
    public var supplementaryFetch: ((Database, [Row]) throws -> Void)?

    /// Makes a prepared request.
    public init(
        statement: Statement, adapter: (any RowAdapter)? = nil,
        supplementaryFetch: ((Database, [Row]) throws -> Void)? = nil
    ) {
        self.statement = statement
        self.adapter = adapter
        self.supplementaryFetch = supplementaryFetch
    }
}
