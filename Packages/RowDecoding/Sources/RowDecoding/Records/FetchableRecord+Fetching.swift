import ValueConversion

extension FetchableRecord {
    // MARK: From SQL

    /// Returns a cursor over the records of a query.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(
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
    ) throws -> RecordCursor<Self> {
        try RecordCursor<Self>(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a query.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(
    ///     db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first record of a query, or returns nil when the query returns no rows.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(
    ///     db, sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query. Only its first row is read; adding `LIMIT 1` may help SQLite.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From statements

    /// Returns a cursor over the records of a statement.
    ///
    /// - Parameters:
    ///   - statement: a query. A statement can serve only one cursor at a time.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor<Self>(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a statement.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let players = try Player.fetchAll(statement, arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try RecordDecoding<Self>.fetchAll(statement, arguments, adapter)
    }

    /// Fetches the first record of a statement, or returns nil when the statement returns no rows.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RecordDecoding<Self>.fetchOne(statement, arguments, adapter)
    }

    // MARK: From requests

    /// Returns a cursor over the records of a request.
    ///
    /// - Throws: ``DatabaseError``, or an error when the request can't be turned into SQL, or when it prefetches associations.
    @inlinable
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RecordCursor<Self> {
        try request.makePreparedRequest(db, forSingleResult: false).cursor { try RecordCursor<Self>($0, arguments: $1, adapter: $2) }
    }

    /// Fetches all records of a request.
    ///
    /// ```swift
    /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE name = \(name)"
    /// let players = try Player.fetchAll(db, request)
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try RecordDecoding<Self>.fetchAll(db, request)
    }

    /// Fetches the first record of a request, or returns nil when the request returns no rows.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try RecordDecoding<Self>.fetchOne(db, request)
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the records of a query as a set.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the records of a statement as a set.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try RecordDecoding<Self>.fetchSet(statement, arguments, adapter)
    }

    /// Fetches the records of a request as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try RecordDecoding<Self>.fetchSet(db, request)
    }
}
