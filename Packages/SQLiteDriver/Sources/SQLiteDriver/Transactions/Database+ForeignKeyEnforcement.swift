import CSQLiteShims

extension Database {
    /// Whether the connection currently enforces foreign keys, as `PRAGMA foreign_keys` returns.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_foreign_keys>
    package var enforcesForeignKeys: Bool {
        checkAccess()
        guard let handle = sqliteConnection else { return false }
        var isEnabled: CInt = 0
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &isEnabled)
        return isEnabled != 0
    }

    /// Runs a closure while the connection does not enforce foreign keys.
    ///
    /// ```swift
    /// try db.withoutForeignKeys {
    ///     try db.inTransaction {
    ///         try db.execute(sql: "DROP TABLE team")  // deletes no player
    ///         try db.checkForeignKeys()
    ///         return .commit
    ///     }
    /// }
    /// ```
    ///
    /// It does not report rows that refer to missing rows: call ``checkForeignKeys()`` for that.
    ///
    /// - Parameter body: the closure. It may begin transactions, and must end them.
    /// - Throws: the closure's error, or ``DatabaseError`` with `SQLITE_MISUSE` inside a transaction, where SQLite can't stop
    ///   enforcing foreign keys.
    public func withoutForeignKeys<T>(_ body: () throws -> T) throws -> T {
        guard enforcesForeignKeys else { return try body() }
        guard !isInsideTransaction else {
            throw DatabaseError.misuse("foreign keys can't be switched off inside a transaction", advice: "Use writeWithoutTransaction.")
        }
        // This does not use the pragma: if the task of the access is cancelled, no statement could enable the enforcement again.
        let handle = try openHandle()
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nil)
        defer { strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nil) }
        return try body()
    }
}
