extension Database {
    /// Runs a closure in a transaction that the closure can't end.
    ///
    /// ```swift
    /// try db.inGuardedTransaction {
    ///     try script.run(db)  // SQL of someone else: its COMMIT would throw SQLITE_MISUSE
    ///     return .commit
    /// }
    /// ```
    ///
    /// Statements that begin, commit or roll back a transaction throw before they run. The closure may use savepoints. If it leaves
    /// a savepoint open, the transaction is rolled back, and the method throws.
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction; nil for that of the configuration.
    ///   - isInterrupted: called before each statement. If it returns true, the statement throws `SQLITE_INTERRUPT`.
    ///   - operations: performs the changes, and returns how the transaction ends.
    /// - Throws: the closure's error, after rolling back, or ``DatabaseError``: `SQLITE_MISUSE` for a statement that must not run,
    ///   and for a savepoint that was left open.
    public func inGuardedTransaction(
        _ kind: TransactionKind? = nil, isInterrupted: @escaping () -> Bool = { false }, _ operations: () throws -> TransactionCompletion
    ) throws {
        try inTransaction(kind) {
            transaction.scope = .guarded(isInterrupted: isInterrupted)
            updateParticipants()
            defer {
                transaction.scope = .closure
                updateParticipants()
            }
            let completion = try operations()
            if completion == .commit, let failure = transaction.failure { throw failure.abortError(sql: nil) }
            if let savepoint = transaction.savepoints.last {
                throw DatabaseError(
                    code: .SQLITE_MISUSE, message: "the savepoint \(savepoint.name) was left open at the end of the transaction",
                    advice: "Release it, or use inSavepoint, which releases it.")
            }
            return completion
        }
    }
}
