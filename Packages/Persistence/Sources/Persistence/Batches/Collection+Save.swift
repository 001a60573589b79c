import QueryInterface

extension MutableCollection where Element: MutablePersistableRecord {
    /// Updates the rows of the records' primary keys, and inserts the records that have none, in place: they keep the row ids that they are given.
    ///
    /// ```swift
    /// try players.saveAll(db)
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/save(_:onConflict:)``, once for each record, from prepared statements.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays. The collection is as it was then.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func saveAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Save(conflictResolution), progress: progress)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Updates the rows of the records' primary keys, and inserts the records that have none, and returns what they have become.
    ///
    /// ```swift
    /// let players = try names.map { Player(id: nil, name: $0) }.savedAll(db)
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/save(_:onConflict:)``, once for each record, from prepared statements.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Returns: the records, in their order.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @inlinable
    public func savedAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws -> [Element] {
        try writtenAll(db, Save(conflictResolution), progress: progress)
    }
}

extension Sequence where Element: PersistableRecord {
    /// Updates the rows of the records' primary keys, and inserts the records that have none.
    ///
    /// The SQL is that of ``MutablePersistableRecord/save(_:onConflict:)``, once for each record, from prepared statements.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    /// - Complexity: the records are taken from the sequence one by one, and none is kept.
    @inlinable
    public func saveAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Save(conflictResolution), progress: progress)
    }
}

extension MutableCollection where Element: PersistableRecord {
    /// Updates the rows of the records' primary keys, and inserts the records that have none.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @inlinable
    public func saveAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Save(conflictResolution), progress: progress)
    }
}
