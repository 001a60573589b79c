import CSQLiteShims

// The kinds of accesses that queues, pools and snapshots are made of.

extension Database {
    /// Reads in a transaction, where nothing can be written.
    func readAccess<T>(_ value: (Database) throws -> T) throws -> T {
        try readOnly {
            var result: T?
            try inTransaction(.deferred, commit: { try withoutCancellation { try commit() } }) {
                result = try value(self)
                return .commit
            }
            return result!
        }
    }

    /// Writes in a transaction of the configured kind.
    func writeAccess<T>(_ updates: (Database) throws -> T) throws -> T {
        var result: T?
        try inTransaction {
            result = try updates(self)
            // SQLite does not commit while a statement that writes has rows left to give.
            endAllRuns()
            return .commit
        }
        return result!
    }

    /// Writes without a transaction, but for those that the closure begins and ends.
    func unsafeAccess<T>(_ updates: (Database) throws -> T) throws -> T {
        _ = try openHandle()
        let result = Result { try updates(self) }
        if !configuration.allowsUnsafeTransactions {
            try endLeftOpenTransaction(throwing: result)
        }
        return try result.get()
    }

    /// Hands the connection to a callback, in a transaction where nothing can be written; or the error that keeps it from
    /// being opened.
    func readCallback(_ value: (Result<Database, any Error>) -> Void) {
        var isCalled = false
        do {
            try readAccess { db in
                isCalled = true
                value(.success(db))
            }
        } catch {
            // An error at the end of the transaction has nobody to go to: a read has nothing to lose.
            if !isCalled { value(.failure(error)) }
        }
    }

    /// Hands the connection to a callback, without a transaction, or the error that it is closed. A transaction that is left
    /// open is rolled back.
    func unsafeCallback(_ updates: (Result<Database, any Error>) -> Void) {
        do {
            _ = try openHandle()
        } catch {
            return updates(.failure(error))
        }
        try? unsafeAccess { updates(.success($0)) }
    }

    /// Takes the snapshot that the transaction reads from now on: SQLite does so with the first row that is read.
    func takeSnapshot() throws {
        let statement = try cachedStatement(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
        defer { statement.reset() }
        _ = try statement.step()
    }
}
