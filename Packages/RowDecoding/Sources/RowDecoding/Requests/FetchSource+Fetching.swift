import ValueConversion

// Fetching methods of requests and tables.

// MARK: - Records

extension FetchSource where RowDecoder: FetchableRecord {
    /// Returns a cursor over the records.
    ///
    /// ```swift
    /// let players = try request.fetchCursor(db)
    /// while let player = try players.next() {
    ///     print(player.name)
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError``, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try makePreparedRequest(db, forSingleResult: false).cursor { try RecordCursor<RowDecoder>($0, arguments: $1, adapter: $2) }
    }

    /// Fetches all records.
    ///
    /// ```swift
    /// let players = try request.fetchAll(db)
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RecordDecoding<RowDecoder>.fetchAll(db, self)
    }

    /// Fetches the first record, or returns nil when there is none.
    ///
    /// ```swift
    /// if let player = try request.fetchOne(db) {
    ///     print(player.name)
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RecordDecoding<RowDecoder>.fetchOne(db, self)
    }
}

extension FetchSource where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the records as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RecordDecoding<RowDecoder>.fetchSet(db, self)
    }
}

// MARK: - Values

extension FetchSource where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values.
    ///
    /// - Throws: ``DatabaseError``, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try makePreparedRequest(db, forSingleResult: false).cursor { try DatabaseValueCursor<RowDecoder>($0, arguments: $1, adapter: $2) }
    }

    /// Fetches all values.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or when the query can't be turned into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try ValueDecoding<RowDecoder>.fetchAll(db, self)
    }

    /// Fetches the first value, or returns nil when there is none, or when it is NULL.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or when the query can't be turned into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try ValueDecoding<RowDecoder>.fetchOne(db, self)
    }
}

extension FetchSource where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the values as a set.
    ///
    /// - Throws: ``DatabaseError``, an error when a value can't be converted, or when the query can't be turned into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try ValueDecoding<RowDecoder>.fetchSet(db, self)
    }
}

// MARK: - Rows

extension FetchSource where RowDecoder == Row {
    /// Returns a cursor over the rows.
    ///
    /// - Throws: ``DatabaseError``, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> RowCursor {
        try makePreparedRequest(db, forSingleResult: false).cursor { try RowCursor($0, arguments: $1, adapter: $2) }
    }

    /// Fetches all rows.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [Row] {
        try RowCopying.fetchAll(db, self)
    }

    /// Fetches the first row, or returns nil when there is none.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> Row? {
        try RowCopying.fetchOne(db, self)
    }

    /// Fetches the rows as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or an error when the query can't be turned into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try RowCopying.fetchSet(db, self)
    }
}
