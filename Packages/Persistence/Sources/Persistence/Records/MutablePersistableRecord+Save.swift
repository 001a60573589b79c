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
        try write(db, Save(conflictResolution))
    }

    /// Saves the record, and returns what it has become.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func saved(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws -> Self {
        var record = self
        try record.write(db, Save(conflictResolution))
        return record
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
        try onCopy { try $0.write(db, Save(conflictResolution)) }
    }
}
