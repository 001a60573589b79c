import QueryInterface

// Each method has the same forms as `update`: see MutablePersistableRecord+Update.swift. A method that changes the record has no form of
// `PersistableRecord`, which would change a copy of a variable.

extension MutablePersistableRecord {
    /// Updates the columns in which the record differs from another record, if any.
    ///
    /// ```swift
    /// if let oldPlayer = try Player.fetchOne(db, id: 1) {
    ///     var newPlayer = oldPlayer
    ///     newPlayer.score = 200
    ///     try newPlayer.updateChanges(db, from: oldPlayer)
    /// }
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`. If nothing changed, no statement runs, and no callback is
    /// called.
    ///
    /// The update also writes the columns that ``willUpdate(_:columns:)`` changes. While migrations run, it leaves out columns that the table
    /// lacks. If they are the only changes, it still looks for the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - record: the expected content of the row; it may be of another type.
    /// - Returns: true if the record had changes.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of a record's encoding.
    @discardableResult
    @inlinable
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: some EncodableRecord
    ) throws -> Bool {
        try writeChanges(db, conflictResolution, from: record)
    }

    /// Changes the record, and updates the columns that changed, if any.
    ///
    /// ```swift
    /// try player.updateChanges(db) {
    ///     $0.score += 10
    /// }
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1`. If nothing changed, no statement runs, and no callback is
    /// called.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - modify: changes the record. A variable keeps these changes even if the update fails.
    /// - Returns: true if the record had changes.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    @discardableResult
    @inlinable
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        try writeChanges(db, conflictResolution, modify: modify)
    }

    // MARK: - Inside

    @inlinable
    mutating func writeChanges(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from record: some EncodableRecord
    ) throws -> Bool {
        let plans = plans(in: db)
        let original = try plans.encodeOriginal(record)
        defer { plans.giveBackOriginal(original) }
        return try writeChanges(db, plans, conflictResolution, from: original)
    }

    @inlinable
    mutating func writeChanges(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let plans = plans(in: db)
        let original = try plans.encodeOriginal(self)
        defer { plans.giveBackOriginal(original) }
        try modify(&self)
        return try writeChanges(db, plans, conflictResolution, from: original)
    }

    @inlinable
    mutating func writeChanges(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, from original: PersistenceContainer
    ) throws -> Bool {
        // Outside a transaction, the schema may change between the comparison and the update.
        guard subclass == nil, db.isInsideTransaction, plans.leavesOut([.willSave, .aroundSave, .willUpdate, .aroundUpdate]) else {
            return try writeChangesWithCallbacks(db, conflictResolution, from: original)
        }
        let resolution = conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        guard let saved = try plans.updateChanges(of: self, from: original, and: ColumnSet([]), db, resolution) else { return false }
        didUpdate(saved)
        didSave(saved)
        return true
    }

    @inline(never)
    @inlinable
    mutating func writeChangesWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from original: PersistenceContainer
    ) throws -> Bool {
        guard let update = try changesUpdate(db, conflictResolution, from: original) else { return false }
        return try write(db, update)
    }

    /// Returns the update of the columns in which the record differs from the original container, or nil when there are none.
    @inlinable
    func changesUpdate(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from original: PersistenceContainer
    ) throws -> ChangesUpdate? {
        let columns = try plans(in: db).changedColumns(of: self, from: original, in: db)
        return columns.names.isEmpty ? nil : ChangesUpdate(conflictResolution, columns, from: original)
    }
}

extension EncodableRecord where Self: MutablePersistableRecord {
    /// Updates the columns in which the record differs from another record, if any.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`. If nothing changed, no statement runs, and no callback is
    /// called.
    ///
    /// - Returns: true if the record had changes.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of a record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: some EncodableRecord
    ) throws -> Bool {
        try onCopy { try $0.writeChanges(db, conflictResolution, from: record) }
    }

    /// Changes a copy of the record, and updates the columns that changed, if any.
    ///
    /// - Returns: true if the record had changes.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        try onCopy { try $0.writeChanges(db, conflictResolution, modify: modify) }
    }
}

extension PersistableRecord {
    /// Updates the columns in which the record differs from another record, if any.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`. If nothing changed, no statement runs, and no callback is
    /// called.
    ///
    /// - Returns: true if the record had changes.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of a record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: some EncodableRecord
    ) throws -> Bool {
        try onCopy { try $0.writeChanges(db, conflictResolution, from: record) }
    }
}
