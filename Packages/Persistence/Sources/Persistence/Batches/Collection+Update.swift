import QueryInterface

// Two forms of each method: the one of mutable collections lets `willUpdate` change the records, and that of sequences serves
// constants.

extension MutableCollection where Element: MutablePersistableRecord {
    /// Updates the rows of the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db)
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/update(_:onConflict:)``, once for each record, from one prepared statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays. The collection is as it was then.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution), progress: progress)
    }

    /// Updates some columns of the rows of the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db, columns: ["score"])
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/update(_:onConflict:columns:)``, once for each record, from one prepared statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays. The collection is as it was then.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - columns: the names of the columns, which the records encode.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution, columns, \.self), progress: progress)
    }

    /// Updates some columns of the rows of the records' primary keys.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>, progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution, columns, \.name), progress: progress)
    }

    /// Updates some columns of the rows of the records' primary keys.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution, columns, \.name), progress: progress)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Updates the rows of the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db)
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/update(_:onConflict:)``, once for each record, from one prepared statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution), progress: progress)
    }

    /// Updates some columns of the rows of the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db, columns: ["score"])
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/update(_:onConflict:columns:)``, once for each record, from one prepared statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about rows that violate a constraint; the record type's policy when nil.
    ///   - columns: the names of the columns, which the records encode.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution, columns, \.self), progress: progress)
    }

    /// Updates some columns of the rows of the records' primary keys.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<any ColumnExpression>, progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution, columns, \.name), progress: progress)
    }

    /// Updates some columns of the rows of the records' primary keys.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution, columns, \.name), progress: progress)
    }
}
