import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur")
    /// try player.insert(db)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur')`. Generated columns are left out: SQLite computes them.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil. With
    ///     `.ignore`, ``didInsert(_:)`` is not called for a row that was left out.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public mutating func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try inPersistenceTransaction(db) { try $0.insertWithCallbacks(db, conflictResolution) }
    }

    /// Inserts the record, and returns what it has become.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Arthur").inserted(db)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func inserted(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws -> Self {
        var record = self
        try record.insert(db, onConflict: conflictResolution)
        return record
    }

    @inlinable
    mutating func insertWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails? = nil
    ) throws {
        if let subclass { return try insert(as: subclass, db, conflictResolution, details) }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        // Others may fail when the record has changed already.
        guard plans.leavesOut([.willInsert, .aroundSave]) else {
            return try insertOrStayUnchanged(db, plans, conflictResolution, details)
        }
        try savingWithCallbacks(db, plans) {
            try $0.insertWithoutSaveCallbacks(db, plans, conflictResolution, details)
        }
    }

    @inline(never)
    @inlinable
    mutating func insertOrStayUnchanged(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails?
    ) throws {
        try unchangedByErrors { record in
            try record.savingWithCallbacks(db, plans) {
                try $0.insertWithoutSaveCallbacks(db, plans, conflictResolution, details)
            }
        }
    }

    @inlinable
    mutating func insertWithoutSaveCallbacks(
        _ db: Database, _ plans: RecordPlans, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let resolution = conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForInsert
        if !plans.leavesOut(.willInsert) { try willInsert(db) }
        let (success, isInserted) = try insertAround(db, plans, resolution, details)
        if isInserted { didInsert(success) }
        return PersistenceSuccess(success.written)
    }
}

extension PersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// let player = Player(id: nil, name: "Arthur")
    /// try player.insert(db)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur')`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil. With
    ///     `.ignore`, ``didInsert(_:)`` is not called for a row that was left out.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        // The callbacks of such a record do not change it.
        var record = self
        try record.inPersistenceTransaction(db) { try $0.insertWithCallbacks(db, conflictResolution) }
    }
}
