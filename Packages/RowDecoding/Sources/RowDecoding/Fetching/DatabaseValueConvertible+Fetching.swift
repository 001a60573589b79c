import ValueConversion

extension DatabaseValueConvertible {
    // MARK: From SQL

    /// Returns a cursor over the values of a query.
    ///
    /// ```swift
    /// let links = try URL.fetchCursor(
    ///     db, sql: "SELECT url FROM link WHERE rank > ?", arguments: [1000])
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
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor<Self>(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all values of a query.
    ///
    /// ```swift
    /// let links = try URL.fetchAll(
    ///     db, sql: "SELECT url FROM link WHERE rank > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or an error when a value can't be converted.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first value of a query, or returns nil when the query returns no rows, or when the value is NULL.
    ///
    /// ```swift
    /// let best = try Int.fetchOne(db, sql: "SELECT max(score) FROM player")
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query. Only its first row is read; adding `LIMIT 1` may help SQLite.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or an error when a value can't be converted.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From statements

    /// Returns a cursor over the values of a statement.
    ///
    /// - Parameters:
    ///   - statement: a query. A statement can serve only one cursor at a time.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor<Self>(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all values of a statement.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or an error when a value can't be converted.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try ValueDecoding<Self>.fetchAll(statement, arguments, adapter)
    }

    /// Fetches the first value of a statement, or returns nil when the statement returns no rows, or when the value is NULL.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or an error when a value can't be converted.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try ValueDecoding<Self>.fetchOne(statement, arguments, adapter)
    }

    // MARK: From requests

    /// Returns a cursor over the values of a request.
    ///
    /// - Throws: ``DatabaseError``, or an error when the request can't be turned into SQL, or when it prefetches associations.
    @inlinable
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> DatabaseValueCursor<Self> {
        try request.makePreparedRequest(db, forSingleResult: false).cursor { try DatabaseValueCursor<Self>($0, arguments: $1, adapter: $2) }
    }

    /// Fetches all values of a request.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        try ValueDecoding<Self>.fetchAll(db, request)
    }

    /// Fetches the first value of a request, or returns nil when the request returns no rows, or when the value is NULL.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        try ValueDecoding<Self>.fetchOne(db, request)
    }

    @inline(never)
    @usableFromInline
    static var isOptional: Bool { Self.self is any OptionalValue.Type }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Fetches the values of a query as a set.
    ///
    /// ```swift
    /// let names = try String.fetchSet(db, sql: "SELECT name FROM player")
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or an error when a value can't be converted.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the values of a statement as a set.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: the statement's arguments, or nil to keep its current arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    /// - Throws: ``DatabaseError``, or an error when a value can't be converted.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try ValueDecoding<Self>.fetchSet(statement, arguments, adapter)
    }

    /// Fetches the values of a request as a set.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or an error when the request can't be turned into SQL.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try ValueDecoding<Self>.fetchSet(db, request)
    }
}
