/// The reason why the statements of a transaction must not run: it has ended early, or could not be rolled back.
enum TransactionFailure {
    /// SQLite has rolled back the transaction on its own.
    ///
    /// - Parameter isReported: whether a statement of the program has thrown the error. If not, the next statement throws it, or else the
    ///   end of the transaction or of the access.
    case rolledBack(by: any Error, isReported: Bool)

    /// The program has ended the transaction inside the closure that runs in it.
    case ended(by: String)

    /// The transaction is over for the program, but could not be rolled back, for example because memory ran out.
    case notRolledBack(any Error)

    var isReported: Bool {
        if case .rolledBack(_, let isReported) = self { isReported } else { true }
    }

    /// The error to throw because the transaction can't be committed.
    var error: any Error {
        switch self {
        case .rolledBack(let error, _): error
        case .ended: abortError(sql: nil)
        case .notRolledBack(let error): error
        }
    }

    private func reason(_ error: any Error) -> String { (error as? DatabaseError).map { $0.message ?? "" } ?? "\(error)" }

    /// The error of a statement that must not run.
    func abortError(sql: String?) -> DatabaseError {
        switch self {
        case .rolledBack(let error, _):
            DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction was rolled back by an earlier error: \(reason(error))",
                sql: sql, advice: "Let that error propagate out of the transaction, and run the transaction again.")
        case .ended(let end):
            DatabaseError(
                code: .SQLITE_ABORT, message: "the transaction was ended by \(end) inside its closure", sql: sql,
                advice: "Return .commit or .rollback to end it, or use savepoints for changes that may be undone.")
        case .notRolledBack(let error):
            DatabaseError(
                code: .SQLITE_ABORT, message: "the transaction could not be rolled back: \(error)", sql: sql,
                advice: "Roll back again, or end the access, which rolls back.")
        }
    }
}

/// Refuses statements after their transaction has failed, except a rollback: their changes would take effect outside of the transaction.
struct FailedTransactionCheck: StatementParticipant {
    var need: StatementNeeds.Need { .failedTransaction }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        if !statement.effects.rollsBack { try db.checkTransactionFailure(sql: statement.sql) }
    }
}

/// Marks a transaction as failed if it has ended before its closure, or if SQLite has rolled it back.
///
/// Source: <https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>
struct EarlyEnd: StatementParticipant {
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {
        if end.endsTransaction { db.transaction.didEndInsideClosure(by: end.statement.sql) }
    }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        db.endRolledBackTransaction()
        // A refused commit ends the transaction as intended, so later statements need no protection, unless the transaction belongs to a
        // closure: they would take effect outside of it.
        if failure.hasRolledBack, !failure.isRefused || db.transaction.isScoped {
            db.transaction.fail(.rolledBack(by: failure.error, isReported: true))
        }
    }
}

extension Database {
    /// Throws inside a transaction that SQLite has rolled back on its own, or that the program has ended early: the error itself, if the
    /// program has not seen it.
    func checkTransactionFailure(sql: String) throws {
        guard let failure = transaction.failure else { return }
        if failure.isReported { throw failure.abortError(sql: sql) }
        transaction.fail(.rolledBack(by: failure.error, isReported: true))
        throw failure.error
    }

    /// Records an error that a caller has not seen. The next statement throws it, or else the end of the transaction or of the access.
    func noteUnreportedFailure(_ error: any Error) {
        if transaction.failure == nil { transaction.fail(.rolledBack(by: error, isReported: false)) }
        endRolledBackTransaction()
    }

    /// Records the error of a call that does not belong to a statement of the caller, if it made SQLite roll back the transaction: reading
    /// the schema may run out of memory, for example.
    ///
    /// - Returns: whether the transaction was rolled back.
    @discardableResult
    func noteRollback(by error: any Error) -> Bool {
        guard transaction.isOpen, !isInsideTransaction else { return false }
        noteUnreportedFailure(error)
        return true
    }

    /// Updates the state if SQLite has rolled back the transaction.
    func endRolledBackTransaction() {
        guard transaction.isOpen, !isInsideTransaction else { return }
        transaction.didRollBack()
        forgetUndoneSchema()
        schemaDidChange()
    }
}
