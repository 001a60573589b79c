import ValueConversion

// Fetching methods of requests. Each one calls the method of the request's `RowDecoder`.

// MARK: - Records

extension FetchRequest where RowDecoder: FetchableRecord {
    /// Returns a cursor over the records of the request.
    ///
    /// ```swift
    /// let players = try request.fetchCursor(db)
    /// while let player = try players.next() {
    ///     print(player.name)
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError``, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all records of the request.
    ///
    /// ```swift
    /// let players = try request.fetchAll(db)
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Fetches the first record of the request, or returns nil when there is none.
    ///
    /// ```swift
    /// if let player = try request.fetchOne(db) {
    ///     print(player.name)
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RowDecoder.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the records of the request as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}

// MARK: - Values

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values of the request.
    ///
    /// - Throws: ``DatabaseError``, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all values of the request.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or when the request can't be turned into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Fetches the first value of the request, or returns nil when there is none, or when it is NULL.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or when the request can't be turned into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RowDecoder.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the values of the request as a set.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or when the request can't be turned into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}

// MARK: - Rows

extension FetchRequest where RowDecoder == Row {
    /// Returns a cursor over the rows of the request.
    ///
    /// - Throws: ``DatabaseError``, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> RowCursor {
        try Row.fetchCursor(db, self)
    }

    /// Fetches all rows of the request.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, self)
    }

    /// Fetches the first row of the request, or returns nil when there is none.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> Row? {
        try Row.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder == Row {
    /// Fetches the rows of the request as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the request can't be turned into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try Row.fetchSet(db, self)
    }
}
