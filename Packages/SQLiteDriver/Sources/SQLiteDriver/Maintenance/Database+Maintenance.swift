import CSQLiteShims

extension Database {
    /// Frees the memory that the connection can do without: its cached pages, statements and schema.
    ///
    /// Source: <https://www.sqlite.org/c3ref/db_release_memory.html>
    public func releaseMemory() {
        checkAccess()
        statementCache.removeAll()
        clearSchemaCache()
        if let handle = sqliteConnection { sqlite3_db_release_memory(handle) }
    }

    /// Rewrites the database file, so that it takes no more space than it needs.
    ///
    /// The SQL is `VACUUM`.
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html>
    ///
    /// - Throws: ``DatabaseError``, among others inside a transaction, and while another statement of the connection is running.
    public func vacuum() throws {
        try execute(sql: "VACUUM")
    }

    /// Writes a copy of the database that takes no more space than it needs.
    ///
    /// The SQL is `VACUUM INTO 'path'`.
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
    ///
    /// - Parameter path: the path of a file that does not exist, or is empty.
    /// - Throws: ``DatabaseError``, among others when the file has a content, inside a transaction, and while another statement
    ///   of the connection is running.
    public func vacuum(into path: String) throws {
        try execute(sql: "VACUUM INTO ?", arguments: [path])
    }

    /// Empties the main database: no table, view, index or trigger is left, and the user version and the application id are 0.
    ///
    /// Temporary tables and attached databases stay.
    ///
    /// - Throws: ``DatabaseError``, among others inside a transaction, and while another statement of the connection is running.
    ///   When the file can't be made smaller, as another connection holds a lock, the database is empty nevertheless.
    public func erase() throws {
        checkAccess()
        let handle = try openHandle()
        guard !isInsideTransaction, runningStatements.isEmpty else {
            throw DatabaseError(
                code: .SQLITE_MISUSE,
                message: "can't erase the database inside a transaction, or while a statement is running",
                advice: "Use writeWithoutTransaction, and end the statements that are not at their last row.")
        }
        statementCache.removeAll()
        // SQLite's own way, SQLITE_DBCONFIG_RESET_DATABASE with VACUUM, sets the schema's version back to 1. A connection that
        // has seen another schema of that version would go on with it, and find the database corrupt. Here the version goes up
        // with the transaction that removes everything, and VACUUM takes the pages that belong to no table any more.
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
        try vacuum()
    }

    /// Lets a closure write to `sqlite_master`.
    ///
    /// Source: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
    private func withWritableSchema(_ handle: SQLiteConnection, _ body: () throws -> Void) throws {
        var wasDefensive: CInt = 0
        var wasWritable: CInt = 0
        // Defensive connections, which are the rule on Apple platforms, would refuse.
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, -1, &wasDefensive)
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, -1, &wasWritable)
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nil)
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nil)
        defer {
            strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, wasWritable, nil)
            strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, wasDefensive, nil)
        }
        try body()
    }
}
