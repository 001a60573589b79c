import ValueConversion

extension Row {
    // MARK: From SQL

    /// Returns a cursor over the rows of a query.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(
    ///     db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all rows of a query.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(
    ///     db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first row of a query, or returns nil when the query returns no rows.
    ///
    /// ```swift
    /// let row = try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
    /// let name = try row?.decode(String.self, forKey: "name")
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query. Only its first row is read; adding `LIMIT 1` may help SQLite.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From statements

    /// Returns a cursor over the rows of a statement.
    ///
    /// - Parameters:
    ///   - statement: a query. A statement can serve only one cursor at a time.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all rows of a statement.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try RowCopying.fetchAll(statement, arguments, adapter)
    }

    /// Fetches the first row of a statement, or returns nil when the statement returns no rows.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try RowCopying.fetchOne(statement, arguments, adapter)
    }

    // MARK: From requests

    /// Returns a cursor over the rows of a request.
    ///
    /// - Throws: ``DatabaseError``, or an error when the request can't be turned into SQL, or when it prefetches associations.
    @inlinable
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        try request.makePreparedRequest(db, forSingleResult: false).cursor { try RowCursor($0, arguments: $1, adapter: $2) }
    }

    /// Fetches all rows of a request.
    ///
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        try RowCopying.fetchAll(db, request)
    }

    /// Fetches the first row of a request, or returns nil when the request returns no rows.
    ///
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        try RowCopying.fetchOne(db, request)
    }

    /// Fetches the rows of a query as a set.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the rows of a statement as a set.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try RowCopying.fetchSet(statement, arguments, adapter)
    }

    /// Fetches the rows of a request as a set.
    ///
    /// - Returns: copies of the rows, which remain valid after the fetch.
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        try RowCopying.fetchSet(db, request)
    }
}
