import RowDecoding

// Deletes and finds rows of a table by their keys.

extension Table {
    /// Deletes the row with a primary key: `DELETE FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which must have one column; nil deletes nothing.
    /// - Returns: whether a row was deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.isNullKey { return false }
        return try all().filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row with a primary or unique key: `deleteOne(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values. Nil deletes nothing. A key that contains NULL deletes
    ///     nothing either, because several rows can have it: use `filter(Column("name") == nil)` for those.
    /// - Returns: whether a row was deleted.
    /// - Throws: ``DatabaseError``, also when several rows could have the key, or the error of a value that can't be stored.
    @discardableResult
    public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Bool {
        try all().filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row with an id. Same as `deleteOne(_:key:)`.
    @_disfavoredOverload
    @discardableResult
    public func deleteOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the rows with some primary keys: `DELETE FROM "player" WHERE "id" IN (1, 2)`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - keys: values of the primary key, which must have one column.
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func deleteAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Int
    where Keys.Element: DatabaseValueConvertible {
        try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with some primary or unique keys, given by their columns.
    ///
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of a value that can't be stored.
    @discardableResult
    public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with some ids. Same as `deleteAll(_:keys:)`.
    @_disfavoredOverload
    @discardableResult
    public func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element: DatabaseValueConvertible {
        try deleteAll(db, keys: ids)
    }

    /// Returns whether a row has a primary key.
    ///
    /// The SQL is `SELECT NOT EXISTS (SELECT * FROM "player" WHERE "id" = 42)`; the method returns the opposite.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which must have one column; for nil the result is false.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.isNullKey { return false }
        return try !all().filter(key: key).isEmpty(db)
    }

    /// Returns whether a row has a primary or unique key: `exists(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values. If it contains NULL, the result is false.
    /// - Throws: ``DatabaseError``, also when several rows could have the key, or the error of a value that can't be stored.
    public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !all().filter(key: key).isEmpty(db)
    }

    /// Returns whether a row has an id. Same as `exists(_:key:)`.
    @_disfavoredOverload
    public func exists(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try exists(db, key: id)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Deletes the row with an id. Same as `deleteOne(_:key:)`.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the rows with some ids. Same as `deleteAll(_:keys:)`.
    @discardableResult
    public func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element == RowDecoder.ID {
        try deleteAll(db, keys: ids)
    }

    /// Returns whether a row has an id. Same as `exists(_:key:)`.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool {
        try exists(db, key: id)
    }
}
