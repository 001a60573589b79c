import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur")
    /// try player.insert(db)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur')`. The statement omits generated columns, which
    /// SQLite computes.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides. With `.ignore`,
    ///     ``didInsert(_:)`` is not called when the row was not inserted.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public mutating func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try write(db, Insertion(conflictResolution))
    }

    /// Inserts a copy of the record, and returns the copy as its callbacks left it.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Arthur").inserted(db)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
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
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides. With `.ignore`,
    ///     ``didInsert(_:)`` is not called when the row was not inserted.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @inlinable
    public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        // The callbacks of a PersistableRecord can't mutate it.
        try onCopy { try $0.write(db, Insertion(conflictResolution)) }
    }
}
