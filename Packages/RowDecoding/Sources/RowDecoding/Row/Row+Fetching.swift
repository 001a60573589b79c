import ValueConversion

extension Row {
    // MARK: From SQL

    /// A cursor over the rows that a query gives.
    ///
    /// ```swift
    /// let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
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
    ) throws -> RowCursor {
        try RowCursor(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// All rows that a query gives.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// The first of the rows that a query gives, or nil when it gives none.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query, of which one row is looked at: `LIMIT 1` may help SQLite.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From statements

    /// A cursor over the rows that a statement gives.
    ///
    /// - Parameters:
    ///   - statement: a query, which can serve one cursor at a time.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// All rows that a statement gives.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try RowDecoding.fetchAll(statement, arguments, adapter) { $0.copy() }
    }

    /// The first of the rows that a statement gives, or nil when it gives none.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try RowDecoding.fetchOne(statement, arguments, adapter) { $0.copy() }
    }

    // MARK: From requests

    /// A cursor over the rows that a request gives.
    ///
    /// - Throws: ``DatabaseError``, or the error of a request that can't be made into SQL, or that prefetches associations.
    @inlinable
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        try prepared.checkForCursor()
        return try RowCursor(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }

    /// All rows that a request gives.
    ///
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, the error of the adapter, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) {
            return rows
        }
        return try fetchAll(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }

    /// The first of the rows that a request gives, or nil when it gives none.
    ///
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, the error of the adapter, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        let prepared = try request.makePreparedRequest(db, forSingleResult: true)
        if let rows = try prepared.completeRows(db, onlyFirst: true) {
            return rows.first
        }
        return try fetchOne(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }
}

extension Row {
    /// The rows that a query gives, as a set.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// The rows that a statement gives, as a set.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, or the error of the adapter.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try RowDecoding.fetchSet(statement, arguments, adapter) { $0.copy() }
    }

    /// The rows that a request gives, as a set.
    ///
    /// - Returns: copies, which can be kept.
    /// - Throws: ``DatabaseError``, the error of the adapter, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) {
            return Set(rows)
        }
        return try fetchSet(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }
}
