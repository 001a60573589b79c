import RowDecoding

// Updates and deletes rows of a record type's table, all of them or by their keys.

extension TableRecord {
    /// Deletes all rows of the table: `DELETE FROM "player"`.
    ///
    /// ```swift
    /// let count = try Player.deleteAll(db)
    /// ```
    ///
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int {
        try all().deleteAll(db)
    }

    /// Updates all rows of the table: `UPDATE "player" SET "score" = 0`.
    ///
    /// ```swift
    /// try Player.updateAll(db, Column("score").set(to: 0))
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments. If there are none, no statement runs.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows of the table: `UPDATE "player" SET "score" = 0`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments. If there are none, no statement runs.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Deletes the row with a primary key: `DELETE FROM "player" WHERE "id" = 42`.
    ///
    /// ```swift
    /// let existed = try Player.deleteOne(db, key: 42)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which must have one column; nil deletes nothing.
    /// - Returns: whether a row was deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
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
    public static func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Bool {
        try all().filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row with an id. Same as `deleteOne(_:key:)`.
    ///
    /// ```swift
    /// let existed = try Player.deleteOne(db, id: 42)
    /// ```
    @_disfavoredOverload
    @discardableResult
    public static func deleteOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the rows with some primary keys: `DELETE FROM "player" WHERE "id" IN (1, 2)`.
    ///
    /// ```swift
    /// let count = try Player.deleteAll(db, keys: [1, 2])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - keys: values of the primary key, which must have one column.
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Int
    where Keys.Element: DatabaseValueConvertible {
        try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with some primary or unique keys, given by their columns.
    ///
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with some ids. Same as `deleteAll(_:keys:)`.
    @_disfavoredOverload
    @discardableResult
    public static func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element: DatabaseValueConvertible {
        try deleteAll(db, keys: ids)
    }

    /// Returns whether a row has a primary key.
    ///
    /// ```swift
    /// let exists = try Player.exists(db, key: 42)
    /// ```
    ///
    /// The SQL is `SELECT NOT EXISTS (SELECT * FROM "player" WHERE "id" = 42)`; the method returns the opposite.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which must have one column; for nil the result is false.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.isNullKey { return false }
        return try !all().filter(key: key).isEmpty(db)
    }

    /// Returns whether a row has a primary or unique key: `exists(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values. If it contains NULL, the result is false.
    /// - Throws: ``DatabaseError``, also when several rows could have the key, or the error of a value that can't be stored.
    public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !all().filter(key: key).isEmpty(db)
    }

    /// Returns whether a row has an id. Same as `exists(_:key:)`.
    @_disfavoredOverload
    public static func exists(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try exists(db, key: id)
    }

    /// Updates all rows of the table: `updateAll(db) { $0.score.set(to: 0) }`.
    ///
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }

    /// Updates all rows of the table: `updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }`.
    ///
    /// ```swift
    /// try Player.updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }
    /// ```
    ///
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Deletes the row with an id. Same as `deleteOne(_:key:)`.
    @discardableResult
    public static func deleteOne(_ db: Database, id: ID) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the rows with some ids. Same as `deleteAll(_:keys:)`.
    @discardableResult
    public static func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element == ID {
        try deleteAll(db, keys: ids)
    }

    /// Returns whether a row has an id. Same as `exists(_:key:)`.
    public static func exists(_ db: Database, id: ID) throws -> Bool {
        try exists(db, key: id)
    }
}

extension TableRecord {
    /// Deletes the row with an id. Same as ``deleteOne(_:id:)``.
    ///
    /// ```swift
    /// try Product.delete(db, id: 1)
    /// ```
    ///
    /// - Returns: whether a row was deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @_disfavoredOverload
    @discardableResult
    public static func delete(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the row with a primary key. Same as ``deleteOne(_:key:)``.
    ///
    /// - Returns: whether a row was deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func delete(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: key)
    }
}
