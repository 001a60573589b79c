import QueryInterface

// Each method has two forms. The form of mutable collections lets `willUpdate` change the records. The form of sequences serves
// constants.

extension MutableCollection where Element: MutablePersistableRecord {
    /// Updates the rows that have the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db)
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/update(_:onConflict:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back. The collection then keeps its previous values.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution), progress: progress)
    }

    /// Updates some columns of the rows that have the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db, columns: ["score"])
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/update(_:onConflict:columns:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back. The collection then keeps its previous values.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - columns: the names of the columns, which the records encode.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution, columns, \.self), progress: progress)
    }

    /// Updates some columns of the rows that have the records' primary keys.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn], progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeAll(db, Update(conflictResolution, columns, \.name), progress: progress)
    }

    /// Updates some columns of the rows that have the records' primary keys.
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
    /// Updates the rows that have the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db)
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/update(_:onConflict:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution), progress: progress)
    }

    /// Updates some columns of the rows that have the records' primary keys.
    ///
    /// ```swift
    /// try players.updateAll(db, columns: ["score"])
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/update(_:onConflict:columns:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - columns: the names of the columns, which the records encode.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution, columns, \.self), progress: progress)
    }

    /// Updates some columns of the rows that have the records' primary keys.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when a record has no row, ``DatabaseError``, or the error of a
    ///   callback, of a record's encoding, or of `progress`.
    @inlinable
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn], progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        try writeEach(db, Update(conflictResolution, columns, \.name), progress: progress)
    }

    /// Updates some columns of the rows that have the records' primary keys.
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
