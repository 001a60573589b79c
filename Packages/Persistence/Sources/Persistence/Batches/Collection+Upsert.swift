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
    /// Runs the SQL of ``MutablePersistableRecord/upsert(_:onConflict:updating:doUpdate:where:)`` for each record, with one prepared
    /// statement, or for several records at once: see "Batches" on the page of the package.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back. The collection then keeps its previous values.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the records. With ``UpsertUpdateStrategy/ifChanged``, an import of the same
    ///     records changes nothing.
    ///   - doUpdate: returns assignments for the columns that should not take the values of the records, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:updating:doUpdate:where:)``. It is called once.
    ///   - condition: returns a condition for the updates, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:updating:doUpdate:where:)``. It is called once.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    @_disfavoredOverload
    @inlinable
    public mutating func upsertAll(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Element>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Element>) -> any SQLExpressible)? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        let details = WriteDetails(upsert: Element.self, target: conflictTarget, strategy, doUpdate, where: condition)
        try insertAll(db, Insertion(.abort), details, progress: progress)
    }
}

extension Sequence where Element: PersistableRecord {
    /// Inserts the records, or updates the rows that conflict with them on a unique key.
    ///
    /// Runs the SQL of ``MutablePersistableRecord/upsert(_:onConflict:updating:doUpdate:where:)`` for each record, with one prepared
    /// statement, or for several records at once: see "Batches" on the page of the package.
    ///
    /// The batch runs in one transaction, or in a savepoint of the open transaction. If a record can't be written, or a callback or
    /// `progress` throws, the whole batch is rolled back.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the records. With ``UpsertUpdateStrategy/ifChanged``, an import of the same
    ///     records changes nothing.
    ///   - doUpdate: returns assignments for the columns that should not take the values of the records, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:updating:doUpdate:where:)``. It is called once.
    ///   - condition: returns a condition for the updates, as in
    ///     ``MutablePersistableRecord/upsert(_:onConflict:updating:doUpdate:where:)``. It is called once.
    ///   - progress: called after each record with the number of completed records. Throw an error to cancel.
    /// - Throws: ``DatabaseError``, or the error of a callback, of a record's encoding, or of `progress`.
    /// - Complexity: reads the records from the sequence one by one, and keeps at most 32 of them in memory.
    @inlinable
    public func upsertAll(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Element>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Element>) -> any SQLExpressible)? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws {
        let details = WriteDetails(upsert: Element.self, target: conflictTarget, strategy, doUpdate, where: condition)
        try insertEach(db, Insertion(.abort), details, progress: progress)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Upserts copies of the records, as `upsertAll` does, and returns what each upsert did.
    ///
    /// ```swift
    /// let outcomes = try players.upsertAllWithOutcomes(
    ///     db, onConflict: ["name"], updating: .allColumns.ifChanged)
    /// let newCount = outcomes.count { $0 == .inserted }
    /// ```
    ///
    /// - Parameters: the parameters of `upsertAll`.
    /// - Returns: whether each row was inserted, updated or left alone, in the order of the records.
    /// - Throws: the errors of ``MutablePersistableRecord/upsertWithOutcome(_:onConflict:updating:doUpdate:where:)``, or the error of
    ///   `progress`.
    @inlinable
    public func upsertAllWithOutcomes(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Element>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Element>) -> any SQLExpressible)? = nil,
        progress: ((_ completed: Int) throws -> Void)? = nil
    ) throws -> [UpsertOutcome] {
        let details = WriteDetails(
            upsert: Element.self, target: conflictTarget, strategy, doUpdate, where: condition, notesOutcome: true)
        var outcomes: [UpsertOutcome] = []
        try writeEach(db, Insertion(.abort), details, progress: progress) { _ in outcomes.append(details.outcome) }
        return outcomes
    }
}
