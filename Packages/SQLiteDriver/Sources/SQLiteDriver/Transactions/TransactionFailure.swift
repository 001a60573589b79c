/// The end of a transaction before its time, after which its statements must not run: they would take effect outside of it.
enum TransactionFailure {
    /// SQLite has rolled back the transaction by itself.
    ///
    /// - Parameter isReported: whether a statement of the program has thrown the error. If not, it is thrown when the transaction or the
    ///   access ends.
    case rolledBack(by: DatabaseError, isReported: Bool)

    /// The program has ended the transaction inside the closure that runs in it.
    case ended(by: String)

    var isReported: Bool {
        switch self {
        case .rolledBack(_, let isReported): isReported
        case .ended: true
        }
    }

    /// Why the transaction can't be committed.
    var error: DatabaseError {
        switch self {
        case .rolledBack(let error, _): error
        case .ended: abortError(sql: nil)
        }
    }

    /// The error of a statement that must not run.
    func abortError(sql: String?) -> DatabaseError {
        switch self {
        case .rolledBack(let error, _):
            DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction was rolled back by an earlier error: \(error.message ?? "")",
                sql: sql, advice: "Let that error leave the transaction, and run it again.")
        case .ended(let end):
            DatabaseError(
                code: .SQLITE_ABORT, message: "the transaction was ended by \(end) inside its closure", sql: sql,
                advice: "Return .commit or .rollback to end it, or use savepoints for what may be undone.")
        }
    }
}
