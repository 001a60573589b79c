import QueryInterface

extension Sequence where Element: MutablePersistableRecord {
    /// Deletes the rows that have the records' primary keys.
    ///
    /// ```swift
    /// try players.deleteAll(db)
    /// ```
    ///
    /// Runs the SQL of ``MutablePersistableRecord/delete(_:)`` for each record, with one prepared statement.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Returns: the number of deleted rows.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @discardableResult
    @inlinable
    public func deleteAll(_ db: Database, progress: ((_ completed: Int) throws -> Void)? = nil) throws -> Int {
        try writeEach(db, Deletion(), progress: progress)
    }
}
