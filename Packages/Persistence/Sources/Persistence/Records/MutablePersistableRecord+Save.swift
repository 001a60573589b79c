import QueryInterface

extension MutablePersistableRecord {
    /// Updates the row of the record's primary key, or inserts the record when it has no primary key or there is no such row.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.save(db)  // inserts
    /// player.score = 200
    /// try player.save(db)  // updates
    /// ```
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, and then that of ``update(_:onConflict:)`` or of ``insert(_:onConflict:)``.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public mutating func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try inPersistenceTransaction(db) { try $0.saveWithCallbacks(db, conflictResolution) }
    }

    /// Saves the record, and returns what it has become.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func saved(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws -> Self {
        var record = self
        try record.save(db, onConflict: conflictResolution)
        return record
    }

    @inlinable
    mutating func saveWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails? = nil
    ) throws {
        if let subclass { return try save(as: subclass, db, conflictResolution, details) }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        // Others may fail when the record has changed already.
        guard plans.leavesOut([.willInsert, .willUpdate, .aroundSave]) else {
            return try saveOrStayUnchanged(db, plans, conflictResolution, details)
        }
        try savingWithCallbacks(db, plans) { try $0.updateOrInsert(db, plans, conflictResolution, details) }
    }

    @inline(never)
    @inlinable
    mutating func saveOrStayUnchanged(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails?
    ) throws {
        try unchangedByErrors { record in
            try record.savingWithCallbacks(db, plans) { try $0.updateOrInsert(db, plans, conflictResolution, details) }
        }
    }

    @inlinable
    mutating func updateOrInsert(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        // Whether the row is there is asked first: the callbacks of an update that finds no row must not be called.
        let isNew: Bool
        if details == nil {
            let policy = Self.persistenceConflictPolicy
            let outcome = try plans.save(
                self, db, insert: conflictResolution ?? policy.conflictResolutionForInsert,
                update: conflictResolution ?? policy.conflictResolutionForUpdate)
            switch outcome.kind {
            case .inserted:
                didInsert(InsertionSuccess(outcome.written))
                return PersistenceSuccess(outcome.written)
            case .updated:
                didUpdate(PersistenceSuccess(outcome.written))
                return PersistenceSuccess(outcome.written)
            case .ignored:
                return PersistenceSuccess(outcome.written)
            case .undecidedInsertion:
                isNew = true
            case .undecidedUpdate:
                isNew = false
            }
        } else {
            isNew = try !plans.exists(self, db)
        }
        return try isNew
            ? insertWithoutSaveCallbacks(db, plans, conflictResolution, details)
            : updateWithoutSaveCallbacks(db, plans, conflictResolution, columns: nil, details)
    }
}

extension PersistableRecord {
    /// Updates the row of the record's primary key, or inserts the record when it has no primary key or there is no such row.
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, and then that of ``update(_:onConflict:)`` or of ``insert(_:onConflict:)``.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.inPersistenceTransaction(db) { try $0.saveWithCallbacks(db, conflictResolution) }
    }
}
