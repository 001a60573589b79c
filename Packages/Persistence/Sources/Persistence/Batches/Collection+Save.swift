import QueryInterface

extension MutableCollection where Element: MutablePersistableRecord {
    /// Updates the rows that have the records' primary keys, and inserts the records that have no row, in place: they keep the row
    /// IDs that SQLite assigns.
    ///
    /// ```swift
    /// try players.saveAll(db)
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/save(_:onConflict:)`` for each record, with prepared statements.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back. The collection then keeps its previous values.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @_disfavoredOverload
    @inlinable
    public mutating func saveAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Save(conflictResolution), progress: progress)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Updates the rows that have the records' primary keys, and inserts the records that have no row, and returns the written
    /// copies.
    ///
    /// ```swift
    /// let players = try names.map { Player(id: nil, name: $0) }.savedAll(db)
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/save(_:onConflict:)`` for each record, with prepared statements.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
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
    /// Updates the rows that have the records' primary keys, and inserts the records that have no row.
    ///
    /// Runs the SQL of ``MutablePersistableRecord/save(_:onConflict:)`` for each record, with prepared statements.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    /// - Complexity: reads the records from the sequence one by one, and keeps none in memory.
    @inlinable
    public func saveAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Save(conflictResolution), progress: progress)
    }
}
