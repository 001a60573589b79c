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
    public mutating func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try db.inPersistenceTransaction { try saveWithCallbacks(db, conflictResolution) }
    }

    /// Saves the record, and returns what it has become.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    public func saved(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws -> Self {
        var record = self
        try record.save(db, onConflict: conflictResolution)
        return record
    }

    @inlinable
    mutating func saveWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails? = nil
    ) throws {
        try willSave(db)
        var saved: PersistenceSuccess?
        let record = self
        try record.aroundSave(db) {
            guard saved == nil else { throw aroundCallbackError("aroundSave", Self.self, count: 2) }
            let success = try updateOrInsert(db, conflictResolution, details)
            saved = success
            return success
        }
        guard let saved else { throw aroundCallbackError("aroundSave", Self.self, count: 0) }
        didSave(saved)
    }

    @inlinable
    mutating func updateOrInsert(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        // Whether the row is there is asked first: the callbacks of an update that finds no row must not be called.
        if try exists(db) {
            return try updateWithoutSaveCallbacks(db, conflictResolution, columns: nil, details: details)
        }
        return try insertWithoutSaveCallbacks(db, conflictResolution, details)
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
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try db.inPersistenceTransaction { try record.saveWithCallbacks(db, conflictResolution) }
    }
}
