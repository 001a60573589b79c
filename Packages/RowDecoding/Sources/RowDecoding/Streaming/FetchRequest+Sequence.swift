import ValueConversion

extension FetchRequest where RowDecoder: FetchableRecord & Sendable {
    /// Returns the records of the request as an asynchronous sequence, which holds a bounded number of them in memory.
    ///
    /// ```swift
    /// for try await player in request.fetchSequence(pool) {
    ///     try await send(player)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - bufferSize: the maximum number of records to read ahead. Values under 2 count as 2.
    public func fetchSequence(_ reader: some DatabaseReader, bufferSize: Int = 128) -> FetchSequence<RowDecoder> {
        FetchSequence(reader: reader, bufferSize: bufferSize) { db, send in
            let records = try fetchCursor(db)
            while let record = try records.next(), send(record) {}
        }
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Sendable {
    /// Returns the values of the request as an asynchronous sequence, which holds a bounded number of them in memory.
    ///
    /// ```swift
    /// let names: SQLRequest<String> = "SELECT name FROM player"
    /// for try await name in names.fetchSequence(pool) {
    ///     print(name)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - bufferSize: the maximum number of values to read ahead. Values under 2 count as 2.
    public func fetchSequence(_ reader: some DatabaseReader, bufferSize: Int = 128) -> FetchSequence<RowDecoder> {
        FetchSequence(reader: reader, bufferSize: bufferSize) { db, send in
            let values = try fetchCursor(db)
            while let value = try values.next(), send(value) {}
        }
    }
}

extension FetchRequest where RowDecoder == Row {
    /// Returns the rows of the request as an asynchronous sequence, which holds a bounded number of them in memory.
    ///
    /// ```swift
    /// let request = SQLRequest(sql: "SELECT name, score FROM player")
    /// for try await row in request.fetchSequence(pool) {
    ///     try await send(row["name"], row["score"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - bufferSize: the maximum number of rows to read ahead. Values under 2 count as 2.
    /// - Returns: copies of the rows, which remain valid and share nothing with each other.
    public func fetchSequence(_ reader: some DatabaseReader, bufferSize: Int = 128) -> FetchSequence<Row> {
        FetchSequence(reader: reader, bufferSize: bufferSize) { db, send in
            let rows = try fetchCursor(db)
            while let row = try rows.next(), send(row.copyForTransfer()) {}
        }
    }
}

// MARK: - From SQL

extension FetchableRecord where Self: Sendable {
    /// Returns the records of a query as an asynchronous sequence, which holds a bounded number of them in memory.
    ///
    /// ```swift
    /// for try await player in Player.fetchSequence(pool, sql: "SELECT * FROM player") {
    ///     try await send(player)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    ///   - bufferSize: the maximum number of records to read ahead. Values under 2 count as 2.
    public static func fetchSequence(
        _ reader: some DatabaseReader, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil, bufferSize: Int = 128
    ) -> FetchSequence<Self> {
        SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter, cached: true)
            .fetchSequence(reader, bufferSize: bufferSize)
    }
}

extension DatabaseValueConvertible where Self: Sendable {
    /// Returns the values of a query as an asynchronous sequence, which holds a bounded number of them in memory.
    ///
    /// ```swift
    /// for try await name in String.fetchSequence(pool, sql: "SELECT name FROM player") {
    ///     print(name)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows.
    ///   - bufferSize: the maximum number of values to read ahead. Values under 2 count as 2.
    public static func fetchSequence(
        _ reader: some DatabaseReader, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil, bufferSize: Int = 128
    ) -> FetchSequence<Self> {
        SQLRequest<Self>(sql: sql, arguments: arguments, adapter: adapter, cached: true)
            .fetchSequence(reader, bufferSize: bufferSize)
    }
}

extension Row {
    /// Returns the rows of a query as an asynchronous sequence, which holds a bounded number of them in memory.
    ///
    /// ```swift
    /// for try await row in Row.fetchSequence(pool, sql: "SELECT name, score FROM player") {
    ///     try await send(row["name"], row["score"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    ///   - bufferSize: the maximum number of rows to read ahead. Values under 2 count as 2.
    /// - Returns: copies of the rows, which remain valid and share nothing with each other.
    public static func fetchSequence(
        _ reader: some DatabaseReader, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil, bufferSize: Int = 128
    ) -> FetchSequence<Row> {
        SQLRequest(sql: sql, arguments: arguments, adapter: adapter, cached: true)
            .fetchSequence(reader, bufferSize: bufferSize)
    }
}
