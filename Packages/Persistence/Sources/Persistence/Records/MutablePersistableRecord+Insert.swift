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
        try write(db, Insertion(conflictResolution))
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
        try record.write(db, Insertion(conflictResolution))
        return record
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
        try onCopy { try $0.write(db, Insertion(conflictResolution)) }
    }
}
