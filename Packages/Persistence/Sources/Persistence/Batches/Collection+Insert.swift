import QueryInterface

extension MutableCollection where Element: MutablePersistableRecord {
    /// Inserts the records, in place: they keep the row IDs that SQLite assigns.
    ///
    /// ```swift
    /// var players = [Player(id: nil, name: "Arthur"), Player(id: nil, name: "Barbara")]
    /// try players.insertAll(db)
    /// players.map(\.id)  // [1, 2]
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/insert(_:onConflict:)`` for each record, with one prepared statement, or for several
    /// records at once: see "Batches" on the page of the package.
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
    public mutating func insertAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try insertAll(db, Insertion(conflictResolution), progress: progress)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Inserts the records, and returns the written copies.
    ///
    /// ```swift
    /// let players = try names.map { Player(id: nil, name: $0) }.insertedAll(db)
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/insert(_:onConflict:)`` for each record, with one prepared statement, or for several
    /// records at once: see "Batches" on the page of the package.
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
    public func insertedAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws -> [Element] {
        var records: [Element] = []
        records.reserveCapacity(underestimatedCount)
        try insertEach(db, Insertion(conflictResolution), progress: progress) { records.append($0) }
        return records
    }
}

extension Sequence where Element: PersistableRecord {
    /// Inserts the records.
    ///
    /// ```swift
    /// try lines.lazy.map { Word(text: $0) }.insertAll(db) { completed in
    ///     if completed.isMultiple(of: 10_000) { print(completed) }
    /// }
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/insert(_:onConflict:)`` for each record, with one prepared statement, or for several
    /// records at once: see "Batches" on the page of the package.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    /// - Complexity: reads the records from the sequence one by one, and keeps at most 32 of them in memory.
    @inlinable
    public func insertAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try insertEach(db, Insertion(conflictResolution), progress: progress)
    }
}
