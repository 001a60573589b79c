import QueryInterface

// Three forms of each method, as for `update`: see MutablePersistableRecord+Update.swift.

extension MutablePersistableRecord {
    /// Updates the columns in which the record differs from another one, if there are any.
    ///
    /// ```swift
    /// if let oldPlayer = try Player.fetchOne(db, id: 1) {
    ///     var newPlayer = oldPlayer
    ///     newPlayer.score = 200
    ///     try newPlayer.updateChanges(db, from: oldPlayer)
    /// }
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`. Without a difference there is none, and no callback is called.
    ///
    /// What ``willUpdate(_:columns:)`` changes is a difference, too, and is written.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - record: what the row is believed to hold; it may be of another type.
    /// - Returns: whether there was a difference.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of a record's encoding.
    @discardableResult
    @inlinable
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: some EncodableRecord
    ) throws -> Bool {
        try updateChanges(db, conflictResolution, from: record)
    }

    /// Changes the record, and updates the columns that are different then, if there are any.
    ///
    /// ```swift
    /// try player.updateChanges(db) {
    ///     $0.score += 10
    /// }
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 110 WHERE "id" = 1`. Without a difference there is none, and no callback is called.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - modify: changes the record. What it does to a variable stays done, whatever happens to the row.
    /// - Returns: whether there was a difference.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    @discardableResult
    @inlinable
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        try updateChanges(db, conflictResolution, modify: modify)
    }

    // MARK: - Inside

    @inlinable
    mutating func updateChanges<Original: EncodableRecord>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from record: Original
    ) throws -> Bool {
        if subclass != nil { return try updateSubclassChanges(db, conflictResolution, from: record) }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        let original = try plans.encodeOriginal(record)
        defer { plans.giveBackOriginal(original) }
        return try updateChanges(db, plans, conflictResolution, original)
    }

    @inlinable
    mutating func updateChanges(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        if subclass != nil { return try updateSubclassChanges(db, conflictResolution, nil, modify: modify, finish: {}) }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        let original = try plans.encodeOriginal(self)
        defer { plans.giveBackOriginal(original) }
        try modify(&self)
        return try updateChanges(db, plans, conflictResolution, original)
    }

    @inlinable
    mutating func updateChanges(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, _ original: PersistenceContainer
    ) throws -> Bool {
        if let subclass {
            return try updateChanges(as: subclass, db, conflictResolution, original, nil, finish: {})
        }
        // Outside a transaction, the schema may change between the comparison and the update.
        guard db.isInsideTransaction, plans.leavesOut([.willSave, .aroundSave, .willUpdate, .aroundUpdate]) else {
            return try updateChangesWithCallbacks(db, plans, conflictResolution, original)
        }
        let resolution = conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        guard let saved = try plans.updateChanges(of: self, from: original, and: ColumnSet([]), db, resolution) else { return false }
        didUpdate(saved)
        didSave(saved)
        return true
    }

    /// - Parameters:
    ///   - original: what the row is believed to hold: what callbacks change of it is updated, too.
    ///   - details: what to read back.
    ///   - finish: called after an update, before the end of the transaction.
    @inline(never)
    @inlinable
    mutating func updateChangesWithCallbacks(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, _ original: PersistenceContainer,
        _ details: WriteDetails? = nil, finish: () throws -> Void = {}
    ) throws -> Bool {
        if let subclass {
            return try updateChanges(as: subclass, db, conflictResolution, original, details, finish: finish)
        }
        var columns = try plans.changedColumns(of: self, from: original, in: db)
        if columns.names.isEmpty { return false }
        let resolution = conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        try unchangedByErrors { record in
            try record.inPersistenceTransaction(db) { record in
                try record.savingWithCallbacks(db, plans) { record in
                    try record.willUpdate(db, columns: columns.names)
                    if details == nil, plans.leavesOut(.aroundUpdate),
                        let saved = try plans.updateChanges(of: record, from: original, and: columns, db, resolution)
                    {
                        record.didUpdate(saved)
                        return saved
                    }
                    try plans.add(to: &columns, changesOf: record, from: original, in: db)
                    let saved = try record.updateAround(db, plans, resolution, columns: columns, names: columns.names, details)
                    record.didUpdate(saved)
                    return saved
                }
                try finish()
            }
        }
        return true
    }
}

extension EncodableRecord where Self: MutablePersistableRecord {
    /// Updates the columns in which the record differs from another one, if there are any.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`. Without a difference there is none, and no callback is called.
    ///
    /// - Returns: whether there was a difference.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of a record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: some EncodableRecord
    ) throws -> Bool {
        var copy = self
        return try copy.updateChanges(db, conflictResolution, from: record)
    }

    /// Changes a copy of the record, and updates the columns that are different then, if there are any.
    ///
    /// - Returns: whether there was a difference.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        var copy = self
        return try copy.updateChanges(db, conflictResolution, modify: modify)
    }
}

extension PersistableRecord {
    /// Updates the columns in which the record differs from another one, if there are any.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`. Without a difference there is none, and no callback is called.
    ///
    /// - Returns: whether there was a difference.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of a record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: some EncodableRecord
    ) throws -> Bool {
        var copy = self
        return try copy.updateChanges(db, conflictResolution, from: record)
    }

    /// Changes the object, or a copy of the struct, and updates the columns that are different then, if there are any.
    ///
    /// - Returns: whether there was a difference.
    /// - Throws: the error of the closure, ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row,
    ///   ``DatabaseError``, or the error of a callback or of the record's encoding.
    @discardableResult
    @inlinable
    public func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (inout Self) throws -> Void
    ) throws -> Bool {
        var copy = self
        return try copy.updateChanges(db, conflictResolution, modify: modify)
    }
}
