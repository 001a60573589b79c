import QueryInterface

// Each method has two forms, as `updateChanges` does: see MutablePersistableRecord+UpdateChanges.swift.

extension MutablePersistableRecord {
    /// Changes the record, updates the columns that changed, if any, and fetches the row.
    ///
    /// ```swift
    /// let updated = try player.updateChangesAndFetch(db) { $0.score += 10 }
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1 RETURNING *`. If nothing changed, no statement runs, and no
    /// callback is called.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - modify: changes the record.
    /// - Returns: nil if nothing changed, or when `.ignore` prevented the update.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public mutating func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try writeChanges(db, conflictResolution, as: type(of: self), modify: modify)
    }

    /// Changes the record, updates the columns that changed, if any, and fetches the row as a record of another type.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1 RETURNING *`. If nothing changed, no statement runs, and no
    /// callback is called.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    ///   - modify: changes the record.
    /// - Returns: nil if nothing changed, or when `.ignore` prevented the update.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public mutating func updateChangesAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type, modify: (inout Self) throws -> Void
    ) throws -> Fetched? {
        try writeChanges(db, conflictResolution, as: type, modify: modify)
    }

    /// Changes the record, updates the columns that changed, if any, and fetches some columns of the row.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1 RETURNING "score"`. If nothing changed, no statement runs,
    /// and no callback is called.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - selection: the columns or expressions to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the update.
    ///   - modify: changes the record.
    /// - Returns: nil if nothing changed.
    /// - Throws: the error of a closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    public mutating func updateChangesAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value?, modify: (inout Self) throws -> Void
    ) throws -> Value? {
        try writeChanges(db, conflictResolution, selection: selection, fetch: fetch, modify: modify)
    }
}

extension EncodableRecord where Self: MutablePersistableRecord {
    /// Changes a copy of the record, updates the columns that changed, if any, and fetches the row.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1 RETURNING *`. If nothing changed, no statement runs, and no
    /// callback is called.
    ///
    /// - Returns: nil if nothing changed, or when `.ignore` prevented the update.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try onCopy { try $0.writeChanges(db, conflictResolution, as: type(of: self), modify: modify) }
    }

    /// Changes a copy of the record, updates the columns that changed, if any, and fetches the row as a record of another type.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1 RETURNING *`. If nothing changed, no statement runs, and no
    /// callback is called.
    ///
    /// - Returns: nil if nothing changed, or when `.ignore` prevented the update.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public func updateChangesAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type, modify: (inout Self) throws -> Void
    ) throws -> Fetched? {
        try onCopy { try $0.writeChanges(db, conflictResolution, as: type, modify: modify) }
    }

    /// Changes a copy of the record, updates the columns that changed, if any, and fetches some columns of the row.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1 RETURNING "score"`. If nothing changed, no statement runs,
    /// and no callback is called.
    ///
    /// - Returns: nil if nothing changed.
    /// - Throws: the error of a closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    public func updateChangesAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value?, modify: (inout Self) throws -> Void
    ) throws -> Value? {
        try onCopy { try $0.writeChanges(db, conflictResolution, selection: selection, fetch: fetch, modify: modify) }
    }
}
