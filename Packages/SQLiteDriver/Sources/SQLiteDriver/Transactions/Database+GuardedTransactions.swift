import CSQLiteShims

/// Prevents code from ending the transaction that it runs in.
final class TransactionGuard {
    private var savepoints: [String] = []
    private let isInterrupted: () -> Bool

    init(isInterrupted: @escaping () -> Bool) {
        self.isInterrupted = isInterrupted
    }

    /// Throws for a statement that begins or ends a transaction, and for a statement that would run after SQLite has rolled back.
    func check(_ statement: Statement, in db: Database) throws {
        let effects = statement.effects
        if effects.controlsTransaction, effects.savepoint == nil {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "the transaction must not be begun, committed or rolled back here", sql: statement.sql,
                advice:
                    "Return, or throw an error: the transaction is ended by the one who has begun it. Use inSavepoint for what may fail.")
        }
        if effects.endsTransaction { return }
        try checkOpen(db)
        if isInterrupted() {
            throw DatabaseError(code: .SQLITE_INTERRUPT, message: "interrupted", sql: statement.sql, advice: nil)
        }
    }

    /// Updates the list of open savepoints after a statement.
    func apply(_ operation: StatementEffects.SavepointOperation, _ name: String) {
        switch operation {
        case .begin:
            savepoints.append(name)
        case .release:
            // RELEASE applies to the innermost savepoint of the name, and to all savepoints inside it.
            if let index = savepoints.lastIndex(where: { $0._isEqualIgnoringASCIICase(to: name) }) { savepoints.removeSubrange(index...) }
        case .rollback:
            if let index = savepoints.lastIndex(where: { $0._isEqualIgnoringASCIICase(to: name) }) {
                savepoints.removeSubrange((index + 1)...)
            }
        }
    }

    /// Throws if the transaction can't be committed, as a savepoint is open or SQLite has rolled back.
    func checkEnd(_ db: Database) throws {
        try checkOpen(db)
        if let name = savepoints.last {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "the savepoint \(name) was left open at the end of the transaction",
                advice: "Release it, or use inSavepoint, which does.")
        }
    }

    private func checkOpen(_ db: Database) throws {
        guard db.isInsideTransaction else {
            throw DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction was rolled back by an earlier error",
                advice: "Let that error leave the transaction, and run it again.")
        }
    }
}

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
            let transactionGuard = TransactionGuard(isInterrupted: isInterrupted)
            self.transactionGuard = transactionGuard
            updateNeedsAttention()
            defer {
                self.transactionGuard = nil
                updateNeedsAttention()
            }
            let completion = try operations()
            try transactionGuard.checkEnd(self)
            return completion
        }
    }
}
