import QueryInterface

extension MutablePersistableRecord {
    /// Updates the row that has the record's primary key, or inserts the record when it has no primary key or the row does not
    /// exist.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.save(db)  // inserts
    /// player.score = 200
    /// try player.save(db)  // updates
    /// ```
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, followed by the `UPDATE` of ``update(_:onConflict:)`` or the `INSERT` of
    /// ``insert(_:onConflict:)``.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public mutating func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try write(db, Save(conflictResolution))
    }

    /// Saves a copy of the record, and returns the copy as its callbacks left it.
    ///
    /// ```swift
    /// let saved = try player.saved(db)
    /// ```
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
    /// Updates the row that has the record's primary key, or inserts the record when it has no primary key or the row does not
    /// exist.
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, followed by the `UPDATE` of ``update(_:onConflict:)`` or the `INSERT` of
    /// ``insert(_:onConflict:)``.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try onCopy { try $0.write(db, Save(conflictResolution)) }
    }
}
