import CSQLiteShims

extension Database {
    /// Frees the memory that the connection does not need: its cached pages, statements and schema.
    ///
    /// Source: <https://www.sqlite.org/c3ref/db_release_memory.html>
    public func releaseMemory() {
        checkAccess()
        attachments.releaseMemory()
        statementCache.removeAll()
        clearSchemaCache()
        if let handle = sqliteConnection { sqlite3_db_release_memory(handle) }
    }

    /// Rewrites the database file without unused space.
    ///
    /// The SQL is `VACUUM`.
    ///
    /// SQLite may give new row IDs to the rows of a table without an `INTEGER PRIMARY KEY`. Full-text indexes that are synchronized with
    /// such a table are then rebuilt, in a second transaction. Until it ends, searches of other connections find wrong rows or no rows.
    /// Everything else that refers to these row IDs then refers to other rows: give the table an `INTEGER PRIMARY KEY`.
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html>
    ///
    /// - Throws: ``DatabaseError``, for example inside a transaction, or while another statement of the connection is running.
    public func vacuum() throws {
        let before = try hiddenRowIDs()
        try execute(sql: "VACUUM")
        // The file is rewritten: a cancelled task must not leave the indexes outdated.
        try withoutCancellation {
            let after = try hiddenRowIDs()
            let renumbered = before.keys.filter { before[$0] != after[$0] }.sorted()
            if renumbered.isEmpty { return }
            try inTransaction(.immediate) {
                for table in renumbered { try didChangeWithoutTriggers(DatabaseObjectID(name: table, schemaID: .main)) }
                return .commit
            }
        }
    }

    /// Returns the first and the last row ID of each table whose row IDs `VACUUM` may change.
    ///
    /// `VACUUM` either keeps the row IDs of a table, or numbers its rows from 1, in order. If the first and the last row ID stay the same,
    /// so do all others.
    private func hiddenRowIDs() throws -> [String: [DatabaseValue]] {
        if engine != nil { return [:] }
        let query = InternalQuery(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage <> 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        var rowIDs: [String: [DatabaseValue]] = [:]
        for table in try query.values(in: self, { $0.string(at: 0) }) {
            let key = try primaryKey(table, in: "main")
            guard key.rowIDColumn == nil, let name = key.rowIDName?.quotedDatabaseIdentifier else { continue }
            let source = "main.\(table.quotedDatabaseIdentifier)"
            let ends = InternalQuery("SELECT (SELECT min(\(name)) FROM \(source)), (SELECT max(\(name)) FROM \(source))")
            rowIDs[table] = try ends.first(in: self) { [$0.databaseValue(at: 0), $0.databaseValue(at: 1)] }
        }
        return rowIDs
    }

    /// Writes a copy of the database without unused space.
    ///
    /// The SQL is `VACUUM INTO 'path'`. Rows keep their row IDs. A new file has the permissions of the database's file, unless the path is a
    /// URI.
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
    ///
    /// - Parameter path: the path of a file that does not exist, or that is empty.
    /// - Throws: ``DatabaseError``, for example if the file is not empty, inside a transaction, or while another statement of the
    ///   connection is running.
    public func vacuum(into path: String) throws {
        checkAccess()
        // SQLite would let everyone read a new file, and accepts one that is empty.
        let isNew = try !path.hasPrefix("file:") && NewFile.create(path, like: self)
        do {
            try execute(sql: "VACUUM INTO ?", arguments: [path])
        } catch {
            if isNew { NewFile.remove(path) }
            throw error
        }
    }

    /// Removes all tables, views, indexes and triggers of the main database, and sets the user version and the application ID to 0.
    ///
    /// Temporary tables and attached databases stay.
    ///
    /// - Throws: ``DatabaseError``, for example inside a transaction, or while another statement of the connection is running. If another
    ///   connection's lock keeps the file from shrinking, the database is empty nevertheless.
    public func erase() throws {
        checkAccess()
        let handle = try openHandle()
        try checkHasNoEngine("can't be erased", advice: "Drop its tables and views.")
        guard !isInsideTransaction, !hasRunningStatements else {
            throw DatabaseError.misuse(
                "can't erase the database inside a transaction, or while a statement is running",
                advice: "Use writeWithoutTransaction, and reset statements that have rows left.")
        }
        statementCache.removeAll()
        // SQLite's own way, SQLITE_DBCONFIG_RESET_DATABASE with VACUUM, sets the schema version back to 1. A connection that has
        // seen another schema with that version would keep using it, and find the database corrupt. Here the transaction that
        // removes everything increments the version, and VACUUM then removes the unused pages.
        try withWritableSchema(handle) {
            try inTransaction(.immediate) {
                let version = try schemaVersion()
                try execute(
                    sql: """
                        DELETE FROM main.sqlite_master;
                        PRAGMA main.schema_version = \(version &+ 1);
                        PRAGMA main.user_version = 0;
                        PRAGMA main.application_id = 0;
                        """)
                return .commit
            }
        }
        clearSchemaCache()
        // The database is already empty: cancelling the task must not make this method throw.
        try withoutCancellation { try vacuum() }
    }

    /// Runs a closure in which `ALTER TABLE … RENAME` does not update references in other schema objects. Otherwise it would throw for
    /// views that refer to a table that was dropped.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_legacy_alter_table>
    package func withLegacyAlterTable(_ body: () throws -> Void) throws {
        try withOption(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 1, openHandle(), body)
    }

    /// Lets a closure write to `sqlite_master`.
    private func withWritableSchema(_ handle: SQLiteConnection, _ body: () throws -> Void) throws {
        try withoutDefensiveMode { try withOption(SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, handle, body) }
    }

    /// Lets a closure write to the shadow tables of virtual tables, and set `PRAGMA schema_version`. Defensive connections, the default on
    /// Apple platforms, refuse that otherwise.
    package func withoutDefensiveMode(_ body: () throws -> Void) throws {
        try withOption(SQLITE_DBCONFIG_DEFENSIVE, 0, openHandle(), body)
    }

    /// Makes SQLite remove the write-ahead log of the main database when the last connection is closed. Apple's SQLite keeps it otherwise.
    ///
    /// Source: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlpersistwal>
    package func removeLogWhenClosed() {
        if let handle = sqliteConnection { strata_sqlite3_set_keeps_log(handle, 0) }
    }

    /// Runs a closure while an option of the connection has another value, and restores the option.
    ///
    /// - Parameter value: 1, 0, or -1 for the current value.
    ///
    /// Source: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
    func withOption(_ option: CInt, _ value: CInt, _ handle: SQLiteConnection, _ body: () throws -> Void) rethrows {
        var earlier: CInt = 0
        strata_sqlite3_db_config_int(handle, option, -1, &earlier)
        strata_sqlite3_db_config_int(handle, option, value, nil)
        defer { strata_sqlite3_db_config_int(handle, option, earlier, nil) }
        try body()
    }
}
