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
    ///   - kind: the kind of the transaction; nil for ``Configuration/defaultTransactionKind``.
    ///   - isInterrupted: called before each statement. If it returns true, the statement throws `SQLITE_INTERRUPT`.
    ///   - operations: performs the changes, and returns how the transaction ends.
    /// - Throws: the closure's error, after rolling back, or ``DatabaseError``: `SQLITE_MISUSE` for a statement that must not run,
    ///   and for a savepoint that was left open.
    public func inGuardedTransaction(
        _ kind: TransactionKind? = nil, isInterrupted: @escaping () -> Bool = { false }, _ operations: () throws -> TransactionCompletion
    ) throws {
        try inTransaction(kind) {
            try transaction.within(.guarded(isInterrupted: isInterrupted)) {
                let completion = try operations()
                if completion == .commit, let failure = transaction.failure { throw failure.abortError(sql: nil) }
                try transaction.checkSavepoints()
                return completion
            }
        }
    }
}

/// Refuses statements that would end the transaction of a guarded closure, or that would run after it has ended.
struct GuardCheck: StatementParticipant {
    var need: StatementNeeds.Need { .guardedTransaction }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard case .guarded(let isInterrupted) = db.transaction.scope else { return }
        let effects = statement.effects
        let endsOuterSavepoint = effects.savepoint.map { $0.operation != .begin && db.transaction.isOuterSavepoint($0.name) }
        if effects.controlsTransaction, endsOuterSavepoint ?? true {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "the transaction must not be begun, committed or rolled back here", sql: statement.sql,
                advice:
                    "Return, or throw an error: the code that began the transaction ends it. Use inSavepoint for work that may fail.")
        }
        if effects.endsTransaction { return }
        guard db.isInsideTransaction else {
            throw DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction was rolled back by an earlier error", sql: statement.sql,
                advice: "Let that error propagate out of the transaction, and run the transaction again.")
        }
        if isInterrupted() {
            throw DatabaseError(code: .SQLITE_INTERRUPT, message: "interrupted", sql: statement.sql, advice: nil)
        }
    }
}
