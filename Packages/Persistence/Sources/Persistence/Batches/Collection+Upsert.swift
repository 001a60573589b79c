import QueryInterface

extension MutableCollection where Element: MutablePersistableRecord {
    /// Inserts the records, or updates the rows that conflict with them on a unique key, in place: they keep the row IDs that
    /// SQLite assigns.
    ///
    /// ```swift
    /// try words.upsertAll(
    ///     db, onConflict: ["text"], doUpdate: { _ in [Column("count") += 1] })
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back. The collection then keeps its previous values.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the values of the records, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)``. It is called once.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @inlinable
    public mutating func upsertAll(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Element>) -> [ColumnAssignment])? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        let details = WriteDetails(upsert: Element.self, target: conflictTarget, doUpdate: doUpdate)
        try writeAll(db, Insertion(.abort), details, progress: progress)
    }
}

extension Sequence where Element: PersistableRecord {
    /// Inserts the records, or updates the rows that conflict with them on a unique key.
    ///
    /// Runs the SQL of ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the values of the records, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)``. It is called once.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    /// - Complexity: reads the records from the sequence one by one, and keeps none in memory.
    @inlinable
    public func upsertAll(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Element>) -> [ColumnAssignment])? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        let details = WriteDetails(upsert: Element.self, target: conflictTarget, doUpdate: doUpdate)
        try writeEach(db, Insertion(.abort), details, progress: progress)
    }
}

extension MutableCollection where Element: PersistableRecord {
    /// Inserts the records, or updates the rows that conflict with them on a unique key.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @inlinable
    public func upsertAll(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Element>) -> [ColumnAssignment])? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        let details = WriteDetails(upsert: Element.self, target: conflictTarget, doUpdate: doUpdate)
        try writeEach(db, Insertion(.abort), details, progress: progress)
    }
}
