import ValueConversion

extension DatabaseValueConvertible {
    // MARK: From SQL

    /// A cursor over the values that a query gives.
    ///
    /// ```swift
    /// let links = try URL.fetchCursor(db, sql: "SELECT url FROM link WHERE rank > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor<Self>(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// All values that a query gives.
    ///
    /// ```swift
    /// let links = try URL.fetchAll(db, sql: "SELECT url FROM link WHERE rank > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of a value that has no conversion.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// The first of the values that a query gives, or nil when it gives none, or NULL.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query, of which one row is looked at: `LIMIT 1` may help SQLite.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of a value that has no conversion.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From statements

    /// A cursor over the values that a statement gives.
    ///
    /// - Parameters:
    ///   - statement: a query, which can serve one cursor at a time.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor<Self>(statement, arguments: arguments, adapter: adapter)
    }

    /// All values that a statement gives.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of a value that has no conversion.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try RowDecoding.fetchAll(statement, arguments, adapter) { try $0.decode(Self.self, atIndex: 0) }
    }

    /// The first of the values that a statement gives, or nil when it gives none, or NULL.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of a value that has no conversion.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RowDecoding.fetchOne(statement, arguments, adapter) { try $0.decode(Self?.self, atIndex: 0) }
    }

    // MARK: From requests

    /// A cursor over the values that a request gives.
    ///
    /// - Throws: ``DatabaseError``, or the error of a request that can't be made into SQL, or that prefetches associations.
    @inlinable
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> DatabaseValueCursor<Self> {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        try prepared.checkForCursor()
        return try DatabaseValueCursor<Self>(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }

    /// All values that a request gives.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that has no conversion, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) {
            return try rows.map { try $0.decode(Self.self, atIndex: 0) }
        }
        return try fetchAll(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }

    /// The first of the values that a request gives, or nil when it gives none, or NULL.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that has no conversion, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let prepared = try request.makePreparedRequest(db, forSingleResult: true)
        if let rows = try prepared.completeRows(db, onlyFirst: true) {
            return try rows.first.flatMap { try $0.decode(Self?.self, atIndex: 0) }
        }
        return try fetchOne(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// The values that a query gives, as a set.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of a value that has no conversion.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// The values that a statement gives, as a set.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of a value that has no conversion.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try RowDecoding.fetchSet(statement, arguments, adapter) { try $0.decode(Self.self, atIndex: 0) }
    }

    /// The values that a request gives, as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that has no conversion, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) {
            return try Set(rows.map { try $0.decode(Self.self, atIndex: 0) })
        }
        return try fetchSet(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }
}
