import QueryInterface

extension MutablePersistableRecord {
    /// Runs a persistence method: in the transaction that is open, or in one of its own.
    ///
    /// A savepoint for each record would nearly double the price of an insertion, and gain nothing: an error that leaves the
    /// transaction undoes all of it.
    @inlinable
    @inline(__always)
    mutating func inPersistenceTransaction(_ db: Database, _ body: (inout Self) throws -> Void) throws {
        if db.isInsideTransaction { return try body(&self) }
        try inOwnTransaction(db, body)
    }

    /// The record keeps what has become of it once that is committed: a deferred foreign key may fail at the end.
    @inline(never)
    @inlinable
    mutating func inOwnTransaction(_ db: Database, _ body: (inout Self) throws -> Void) throws {
        try unchangedByErrors { record in
            try db.inTransaction {
                try body(&record)
                return .commit
            }
        }
    }

    /// Does something that changes the record if it succeeds. Batches do the same with whole collections.
    @inlinable
    @inline(__always)
    mutating func unchangedByErrors(_ body: (inout Self) throws -> Void) throws {
        var record = self
        try body(&record)
        self = record
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
