import QueryInterface

extension Database {
    /// Runs a persistence method: in the transaction that is open, or in one of its own.
    ///
    /// A savepoint for each record would nearly double the price of an insertion, and gain nothing: an error that leaves the
    /// transaction undoes all of it.
    @inlinable
    func inPersistenceTransaction(_ body: () throws -> Void) throws {
        if isInsideTransaction { return try body() }
        try inTransaction {
            try body()
            return .commit
        }
    }
}

/// The error of an around callback whose closure has not succeeded once: it may have caught what the closure has thrown.
@usableFromInline
func aroundCallbackError(_ name: String, _ type: Any.Type, count: Int) -> DatabaseError {
    DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "\(name) of \(type) "
            + (count == 0 ? "has not called its closure, or has caught its error" : "has called its closure more than once"))
}
