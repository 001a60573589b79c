/// The early end of a transaction, after which its statements must not run.
enum TransactionFailure {
    /// SQLite has rolled back the transaction by itself.
    ///
    /// - Parameter isReported: whether a statement of the program has thrown the error. If not, it is thrown when the transaction or the
    ///   access ends.
    case rolledBack(by: any Error, isReported: Bool)

    /// The program has ended the transaction inside the closure that runs in it.
    case ended(by: String)

    /// The transaction is over for the program, but could not be rolled back, for example because memory ran out.
    case notRolledBack(any Error)

    var isReported: Bool {
        if case .rolledBack(_, let isReported) = self { isReported } else { true }
    }

    /// Why the transaction can't be committed.
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
