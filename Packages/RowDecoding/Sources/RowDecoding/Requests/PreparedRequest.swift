import ValueConversion

/// A query that is ready to run, in the schema that it was prepared for.
///
/// Requests are prepared for each fetch: what an adapter makes of the columns may not fit a schema that has changed since.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement

    /// The adapter of its rows, if any.
    public var adapter: (any RowAdapter)?

    /// Fetches what belongs to the results and comes from queries of its own, and gives it to the rows, which are copied, by
    /// ``Row/setPrefetchedRows(_:forKey:inScope:)``.
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

extension PreparedRequest {
    /// The rows of a request that fetches more than its own query gives: copied, so that they can hold it.
    ///
    /// - Parameter onlyFirst: whether the first row is all that is wanted.
    /// - Returns: nil for a request that its own query answers.
    @inlinable
    func completeRows(_ db: Database, onlyFirst: Bool = false) throws -> [Row]? {
        supplementaryFetch == nil ? nil : try fetchCompleteRows(db, onlyFirst: onlyFirst)
    }

    @inline(never)
    @usableFromInline
    func fetchCompleteRows(_ db: Database, onlyFirst: Bool) throws -> [Row] {
        let rows: [Row]
        if onlyFirst {
            rows = try Row.fetchOne(statement, adapter: adapter).map { [$0] } ?? []
        } else {
            rows = try Row.fetchAll(statement, adapter: adapter)
        }
        try supplementaryFetch?(db, rows)
        return rows
    }

    /// Makes sure that a cursor gives all that the request asks for.
    ///
    /// - Throws: ``DatabaseError`` for a request that fetches more than its own query gives, for all rows at once.
    @inlinable
    func checkForCursor() throws {
        if supplementaryFetch != nil { try refuseCursor() }
    }

    @inline(never)
    @usableFromInline
    func refuseCursor() throws {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a request that prefetches the rows of associations can't be fetched by a cursor: use fetchAll",
            sql: statement.sql)
    }
}
