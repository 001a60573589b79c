import RowDecoding

// Changing rows of a record type's table, all of them or by their keys.

extension TableRecord {
    /// Deletes all rows of the table: `DELETE FROM "player"`.
    ///
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int {
        try all().deleteAll(db)
    }

    /// Updates all rows of the table: `UPDATE "player" SET "score" = 0`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored. Nothing runs when there are none.
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
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored. Nothing runs when there are none.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Deletes the row of a primary key: `DELETE FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which is one column; nil deletes nothing.
    /// - Returns: whether there was such a row.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        try all().filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row of a primary or unique key: `deleteOne(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values; nil deletes nothing, and nor does a key with NULL, which
    ///     several rows may have: `filter(Column("name") == nil)` finds those.
    /// - Returns: whether there was such a row.
    /// - Throws: ``DatabaseError``, also when several rows could have the key, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]?) throws -> Bool {
        try all().filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row of an id: `deleteOne(_:key:)` by another name.
    @_disfavoredOverload
    @discardableResult
    public static func deleteOne(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the rows of some primary keys: `DELETE FROM "player" WHERE "id" IN (1, 2)`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - keys: values of the primary key, which is one column.
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteAll<Keys: Sequence>(_ db: Database, keys: Keys) throws -> Int
    where Keys.Element: DatabaseValueConvertible {
        try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows of some primary or unique keys, given by their columns.
    ///
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, also when several rows could have a key, or the error of a value that can't be stored.
    @discardableResult
    public static func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        try all().filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows of some ids: `deleteAll(_:keys:)` by another name.
    @_disfavoredOverload
    @discardableResult
    public static func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element: DatabaseValueConvertible {
        try deleteAll(db, keys: ids)
    }

    /// Whether there is a row of a primary key.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the value of the primary key, which is one column; nil is no row's.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        try !all().filter(key: key).isEmpty(db)
    }

    /// Whether there is a row of a primary or unique key: `exists(db, key: ["name": "Arthur"])`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - key: the columns of a primary key or of a unique index, and their values. A key with NULL is no row's.
    /// - Throws: ``DatabaseError``, also when several rows could have the key, or the error of a value that can't be stored.
    public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !all().filter(key: key).isEmpty(db)
    }

    /// Whether there is a row of an id: `exists(_:key:)` by another name.
    @_disfavoredOverload
    public static func exists(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try exists(db, key: id)
    }
}

extension TableRecord {
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
    /// Deletes the row of an id: `deleteOne(_:key:)` by another name.
    @discardableResult
    public static func deleteOne(_ db: Database, id: ID) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the rows of some ids: `deleteAll(_:keys:)` by another name.
    @discardableResult
    public static func deleteAll<IDs: Sequence>(_ db: Database, ids: IDs) throws -> Int where IDs.Element == ID {
        try deleteAll(db, keys: ids)
    }

    /// Whether there is a row of an id: `exists(_:key:)` by another name.
    public static func exists(_ db: Database, id: ID) throws -> Bool {
        try exists(db, key: id)
    }
}

extension TableRecord {
    /// Deletes the row of an id: ``deleteOne(_:id:)`` by another name.
    ///
    /// ```swift
    /// try Place.delete(db, id: 1)
    /// ```
    ///
    /// - Returns: whether there was such a row.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func delete(_ db: Database, id: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Deletes the row of a primary key: ``deleteOne(_:key:)`` by another name.
    ///
    /// - Returns: whether there was such a row.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public static func delete(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        try deleteOne(db, key: key)
    }
}
