import ValueConversion

extension FetchableRecord {
    // MARK: From SQL

    /// A cursor over the records that a query gives.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
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
    ) throws -> RecordCursor<Self> {
        try RecordCursor<Self>(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// All records that a query gives.
    ///
    /// ```swift
    /// let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// The first of the records that a query gives, or nil when it gives none.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query, of which one row is looked at: `LIMIT 1` may help SQLite.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    // MARK: From statements

    /// A cursor over the records that a statement gives.
    ///
    /// - Parameters:
    ///   - statement: a query, which can serve one cursor at a time.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor<Self>(statement, arguments: arguments, adapter: adapter)
    }

    /// All records that a statement gives.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try RowDecoding.fetchAll(statement, arguments, adapter) { try Self(row: $0) }
    }

    /// The first of the records that a statement gives, or nil when it gives none.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RowDecoding.fetchOne(statement, arguments, adapter) { try Self(row: $0) }
    }

    // MARK: From requests

    /// A cursor over the records that a request gives.
    ///
    /// - Throws: ``DatabaseError``, or the error of a request that can't be made into SQL, or that prefetches associations.
    @inlinable
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RecordCursor<Self> {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        try prepared.checkForCursor()
        return try RecordCursor<Self>(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }

    /// All records that a request gives.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) {
            return try rows.map { try Self(row: $0) }
        }
        return try fetchAll(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }

    /// The first of the records that a request gives, or nil when it gives none.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let prepared = try request.makePreparedRequest(db, forSingleResult: true)
        if let rows = try prepared.completeRows(db, onlyFirst: true) {
            return try rows.first.flatMap { try Self(row: $0) }
        }
        return try fetchOne(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }
}

extension FetchableRecord where Self: Hashable {
    /// The records that a query gives, as a set.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql), arguments: arguments, adapter: adapter)
    }

    /// The records that a statement gives, as a set.
    ///
    /// - Parameters:
    ///   - statement: a query.
    ///   - arguments: its arguments; those that it has when nil.
    ///   - adapter: presents the rows with other columns, or in scopes.
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try RowDecoding.fetchSet(statement, arguments, adapter) { try Self(row: $0) }
    }

    /// The records that a request gives, as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or that of a request that can't be made into SQL.
    @inlinable
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) {
            return try Set(rows.map { try Self(row: $0) })
        }
        return try fetchSet(prepared.statement, arguments: nil, adapter: prepared.adapter)
    }
}
