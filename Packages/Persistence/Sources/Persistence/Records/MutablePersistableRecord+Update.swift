import QueryInterface

// Three forms of each method: the mutating one lets `willUpdate` change the record; the one of `EncodableRecord` serves
// constants, and works on a copy; and the one of `PersistableRecord` serves records that do not change. Swift takes the first
// that fits, in the order in which protocols refine one another.

extension MutablePersistableRecord {
    /// Updates the row of the record's primary key.
    ///
    /// ```swift
    /// player.score = 200
    /// try player.update(db)
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil. With
    ///     `.ignore`, a row that stays as it is because of a conflict is no error.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public mutating func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try db.inPersistenceTransaction { try updateWithCallbacks(db, conflictResolution, columns: nil) }
    }

    /// Updates some columns of the row of the record's primary key.
    ///
    /// ```swift
    /// try player.update(db, columns: ["score"])
    /// try player.update(db, columns: [Column("score")])
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil. With
    ///     `.ignore`, a row that stays as it is because of a conflict is no error.
    ///   - columns: the names of the columns, which the record encodes.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        try db.inPersistenceTransaction { try updateWithCallbacks(db, conflictResolution, columns: Set(columns)) }
    }

    /// Updates some columns of the row of the record's primary key.
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row of the record's primary key.
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// - Parameters:
    ///   - columns: the columns to update; all but the primary key when nil.
    ///   - original: what the row is believed to hold: what `willUpdate` changes of it is updated, too.
    ///   - details: what to read back.
    @inlinable
    mutating func updateWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?,
        original: PersistenceContainer? = nil, details: WriteDetails? = nil
    ) throws {
        try willSave(db)
        var saved: PersistenceSuccess?
        let record = self
        try record.aroundSave(db) {
            guard saved == nil else { throw aroundCallbackError("aroundSave", Self.self, count: 2) }
            let success = try updateWithoutSaveCallbacks(
                db, conflictResolution, columns: columns, original: original, details: details)
            saved = success
            return success
        }
        guard let saved else { throw aroundCallbackError("aroundSave", Self.self, count: 0) }
        didSave(saved)
    }

    @inlinable
    mutating func updateWithoutSaveCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?,
        original: PersistenceContainer? = nil, details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let plans = RecordPlans.plans(for: Self.self, in: db)
        var columns = columns
        var names = try columns ?? plans.updatedColumns(of: self, in: db)
        try willUpdate(db, columns: names)
        if let original {
            let changed = try plans.changedColumns(of: self, from: original, in: db)
            if changed != names { names.formUnion(changed) }
            columns = names
        }
        let saved = try updateAround(db, plans, conflictResolution, columns: columns, names: names, details)
        didUpdate(saved)
        return saved
    }

    @inlinable
    func updateAround(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?,
        names: Set<String>, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let resolution = conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        var saved: PersistenceSuccess?
        try aroundUpdate(db, columns: names) {
            guard saved == nil else { throw aroundCallbackError("aroundUpdate", Self.self, count: 2) }
            let success = try plans.update(self, db, resolution, columns: columns, details)
            saved = success
            return success
        }
        guard let saved else { throw aroundCallbackError("aroundUpdate", Self.self, count: 0) }
        return saved
    }
}

extension EncodableRecord where Self: MutablePersistableRecord {
    /// Updates the row of the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.update(db, onConflict: conflictResolution)
    }

    /// Updates some columns of the row of the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        var record = self
        try record.update(db, onConflict: conflictResolution, columns: columns)
    }

    /// Updates some columns of the row of the record's primary key.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        var record = self
        try record.update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row of the record's primary key.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        var record = self
        try record.update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }
}

extension PersistableRecord {
    /// Updates the row of the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try db.inPersistenceTransaction { try record.updateWithCallbacks(db, conflictResolution, columns: nil) }
    }

    /// Updates some columns of the row of the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        var record = self
        try db.inPersistenceTransaction { try record.updateWithCallbacks(db, conflictResolution, columns: Set(columns)) }
    }

    /// Updates some columns of the row of the record's primary key.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row of the record's primary key.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }
}
