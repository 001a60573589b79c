import QueryInterface

extension MutableCollection where Element: MutablePersistableRecord {
    /// Inserts the records, or updates the rows that have one of their unique keys, in place: they keep the row ids that they are
    /// given.
    ///
    /// ```swift
    /// try words.upsertAll(db, onConflict: ["text"], doUpdate: { _ in [Column("count") += 1] })
    /// ```
    ///
    /// The SQL is that of ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)``, once for each record, from one prepared
    /// statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays. The collection is as it was then.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the values of the records, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)``. It is called once.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
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
    /// Inserts the records, or updates the rows that have one of their unique keys.
    ///
    /// The SQL is that of ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)``, once for each record, from one prepared
    /// statement.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the values of the records, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:doUpdate:)``. It is called once.
    ///   - progress: is called after each record with the number of those that are done. To cancel, it throws.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    /// - Complexity: the records are taken from the sequence one by one, and none is kept.
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
    /// Inserts the records, or updates the rows that have one of their unique keys.
    ///
    /// All of it happens in one transaction, or in a savepoint of the one that is open: when a record can't be written, or a callback
    /// or `progress` throws, nothing of it stays.
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
