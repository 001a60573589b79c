import QueryInterface

extension MutableCollection where Element: MutablePersistableRecord {
    /// Inserts the records, in place: they keep the row ids that they are given.
    ///
    /// ```swift
    /// var players = [Player(id: nil, name: "Arthur"), Player(id: nil, name: "Barbara")]
    /// try players.insertAll(db)
    /// players.map(\.id)  // [1, 2]
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/insert(_:onConflict:)``, once for each record, from one prepared statement.
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
    public mutating func insertAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Insertion(conflictResolution), progress: progress)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Inserts the records, and returns what they have become.
    ///
    /// ```swift
    /// let players = try names.map { Player(id: nil, name: $0) }.insertedAll(db)
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/insert(_:onConflict:)``, once for each record, from one prepared statement.
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
    public func insertedAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws -> [Element] {
        try writtenAll(db, Insertion(conflictResolution), progress: progress)
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
    /// The SQL is that of ``MutablePersistableRecord/insert(_:onConflict:)``, once for each record, from one prepared statement.
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
    public func insertAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Insertion(conflictResolution), progress: progress)
    }
}

extension MutableCollection where Element: PersistableRecord {
    /// Inserts the records.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @inlinable
    public func insertAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Insertion(conflictResolution), progress: progress)
    }
}
