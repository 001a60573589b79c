import CSQLiteShims

// The kinds of accesses that queues, pools and snapshots are built from.

extension Database {
    /// Runs a read in a read-only transaction.
    func readAccess<T>(_ value: (Database) throws -> T) throws -> T {
        try readOnly {
            var result: T?
            try inTransaction(.deferred, commit: { try withoutCancellation { try commit() } }) {
                result = try value(self)
                endAllRuns()
                return .commit
            }
            return result!
        }
    }

    /// Runs a write in a transaction of the configured kind.
    ///
    /// - Parameter commit: ends the transaction, or leaves it to the accesses that share it.
    package func writeAccess<T>(
        commit: (Database) throws -> Void = { try $0.commit() }, _ updates: (Database) throws -> T
    ) throws -> T {
        accessMeasures?.isInTransaction()
        var result: T?
        try inTransaction(nil, commit: { try commit(self) }) {
            result = try updates(self)
            // SQLite does not commit while a writing statement is still running.
            endAllRuns()
            return .commit
        }
        return result!
    }

    /// Runs a closure without a transaction. The closure may begin and end its own.
    func unsafeAccess<T>(_ updates: (Database) throws -> T) throws -> T {
        _ = try openHandle()
        try rollBackFailedTransaction()
        let result = Result { try updates(self) }
        endAllRuns()
        if sharedTransaction != nil { return try result.get() }
        if !configuration.allowsUnsafeTransactions {
            try endLeftOpenTransaction(throwing: result)
        } else if let failure = transaction.failure, !failure.isReported, case .success = result {
            transaction.takeFailure()
            throw failure.error
        }
        return try result.get()
    }

    /// Makes the current transaction take its snapshots of the main and of the attached databases.
    ///
    /// SQLite takes the snapshot of a database when the transaction first reads its file: here, the schema version.
    package func takeSnapshot() throws {
        _ = try schemaGeneration()
    }
}
