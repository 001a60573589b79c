import QueryInterface

extension Sequence where Element: MutablePersistableRecord {
    /// Deletes the rows of the records' primary keys.
    ///
    /// ```swift
    /// try players.deleteAll(db)
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/delete(_:)``, once for each record, from one prepared statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Returns: how many rows there were.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @discardableResult
    @inlinable
    public func deleteAll(_ db: Database, progress: ((_ completed: Int) throws -> Void)? = nil) throws -> Int {
        try writeEach(db, Deletion(), progress: progress)
    }
}
