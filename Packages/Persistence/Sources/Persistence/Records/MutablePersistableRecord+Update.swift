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
        try inPersistenceTransaction(db) { try $0.updateWithCallbacks(db, conflictResolution, columns: nil) }
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
    @inlinable
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        try inPersistenceTransaction(db) { try $0.updateWithCallbacks(db, conflictResolution, columns: Set(columns)) }
    }

    /// Updates some columns of the row of the record's primary key.
    @inlinable
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row of the record's primary key.
    @inlinable
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// - Parameters:
    ///   - columns: the columns to update; all but the primary key when nil.
    ///   - details: what to read back.
    @inlinable
    mutating func updateWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?, details: WriteDetails? = nil
    ) throws {
        if let subclass { return try update(as: subclass, db, conflictResolution, columns: columns, details) }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        // Others may fail when the record has changed already.
        guard plans.leavesOut(.willUpdate) else {
            return try updateOrStayUnchanged(db, plans, conflictResolution, columns: columns, details)
        }
        try savingWithCallbacks(db, plans) {
            try $0.updateWithoutSaveCallbacks(db, plans, conflictResolution, columns: columns, details)
        }
    }

    @inline(never)
    @inlinable
    mutating func updateOrStayUnchanged(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?,
        _ details: WriteDetails?
    ) throws {
        try unchangedByErrors { record in
            try record.savingWithCallbacks(db, plans) {
                try $0.updateWithoutSaveCallbacks(db, plans, conflictResolution, columns: columns, details)
            }
        }
    }

    @inlinable
    mutating func updateWithoutSaveCallbacks(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?,
        _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let resolution = conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        let saved: PersistenceSuccess
        if plans.leavesOut(.ofUpdates) {
            saved = try plans.update(self, db, resolution, columns: columns.map { ColumnSet($0) }, details)
        } else {
            let names = try columns ?? plans.updatedColumns(of: self, in: db)
            try willUpdate(db, columns: names)
            saved = try updateAround(db, plans, resolution, columns: columns.map { ColumnSet($0) }, names: names, details)
        }
        didUpdate(saved)
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
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        var record = self
        try record.update(db, onConflict: conflictResolution, columns: columns)
    }

    /// Updates some columns of the row of the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        var record = self
        try record.update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row of the record's primary key.
    @inlinable
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
        try record.inPersistenceTransaction(db) { try $0.updateWithCallbacks(db, conflictResolution, columns: nil) }
    }

    /// Updates some columns of the row of the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        var record = self
        try record.inPersistenceTransaction(db) { try $0.updateWithCallbacks(db, conflictResolution, columns: Set(columns)) }
    }

    /// Updates some columns of the row of the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row of the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }
}
