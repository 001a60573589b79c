import ValueConversion

/// A query that is ready to run with the current schema.
///
/// Requests are prepared for each fetch, because an adapter that was created for one schema may not fit a changed schema.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement

    /// The row adapter, if any.
    public var adapter: (any RowAdapter)?

    /// Runs the additional queries of the request, such as the queries that prefetch associations, and stores their rows with
    /// ``Row/setPrefetchedRows(_:forKey:inScope:)`` in the rows of the request, which are copies.
    @usableFromInline package var supplementaryFetch: ((Database, [Row]) throws -> Void)?

    /// Creates a prepared request.
    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }
}

extension PreparedRequest {
    /// Fetches the rows of a request that has a ``supplementaryFetch``. They are copies, which can store prefetched rows.
    ///
    /// - Parameter onlyFirst: whether the caller needs only the first row.
    /// - Returns: the rows, or nil when the request has no ``supplementaryFetch``.
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

    /// Creates a cursor over the results of the request.
    ///
    /// - Parameter make: the initializer of the cursor.
    /// - Throws: ``DatabaseError``, also when the request has a ``supplementaryFetch``, which needs all rows together.
    @inlinable
    func cursor<Results: Cursor>(
        _ make: (Statement, StatementArguments?, (any RowAdapter)?) throws -> Results
    ) throws -> Results {
        if supplementaryFetch != nil { try refuseCursor() }
        return try make(statement, nil, adapter)
    }

    @inline(never)
    @usableFromInline
    func refuseCursor() throws {
        throw DatabaseError.misuse(
            "a request that prefetches the rows of associations can't be fetched by a cursor", sql: statement.sql, advice: "Use fetchAll.")
    }
}
