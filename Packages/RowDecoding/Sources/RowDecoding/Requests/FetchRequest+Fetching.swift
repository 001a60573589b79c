import ValueConversion

// Fetching from a request itself: each method is that of the type of its results.

// MARK: - Records

extension FetchRequest where RowDecoder: FetchableRecord {
    /// A cursor over the records of the request.
    ///
    /// - Throws: ``DatabaseError``, or the error of a request that can't be made into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// All records of the request.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// The first record of the request, or nil when it has none.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RowDecoder.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// The records of the request, as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the record's initializer, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}

// MARK: - Values

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// A cursor over the values of the request.
    ///
    /// - Throws: ``DatabaseError``, or the error of a request that can't be made into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// All values of the request.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that has no conversion, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// The first value of the request, or nil when it has none, or NULL.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that has no conversion, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> RowDecoder? {
        try RowDecoder.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
    /// The values of the request, as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that has no conversion, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}

// MARK: - Rows

extension FetchRequest where RowDecoder == Row {
    /// A cursor over the rows of the request.
    ///
    /// - Throws: ``DatabaseError``, or the error of a request that can't be made into SQL.
    @inlinable
    public func fetchCursor(_ db: Database) throws -> RowCursor {
        try Row.fetchCursor(db, self)
    }

    /// All rows of the request.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchAll(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, self)
    }

    /// The first row of the request, or nil when it has none.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchOne(_ db: Database) throws -> Row? {
        try Row.fetchOne(db, self)
    }
}

extension FetchRequest where RowDecoder == Row {
    /// The rows of the request, as a set.
    ///
    /// - Throws: ``DatabaseError``, the error of the adapter, or that of a request that can't be made into SQL.
    @inlinable
    public func fetchSet(_ db: Database) throws -> Set<Row> {
        try Row.fetchSet(db, self)
    }
}
