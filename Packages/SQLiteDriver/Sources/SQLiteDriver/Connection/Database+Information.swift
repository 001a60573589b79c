import CSQLiteShims

// Information about SQLite, and about the connection.

extension Database {
    /// The version of the SQLite library as a number: 3040001 for 3.40.1.
    ///
    /// Source: <https://www.sqlite.org/c3ref/libversion.html>
    public static var sqliteLibVersionNumber: CInt { sqlite3_libversion_number() }

    /// The maximum number of parameters of a statement. It depends on the build of SQLite.
    ///
    /// Source: <https://www.sqlite.org/limits.html#max_variable_number>
    public var maximumStatementArgumentCount: Int { limit(.parameterCount) }

    /// The extended result code of the connection's last call to SQLite, even if the call has succeeded.
    ///
    /// Use it with ``sqliteConnection``: all other methods throw errors.
    ///
    /// Source: <https://www.sqlite.org/c3ref/errcode.html>
    public var lastErrorCode: ResultCode {
        accessedConnection.map { ResultCode(rawValue: sqlite3_extended_errcode($0)) } ?? .SQLITE_MISUSE
    }

    /// SQLite's message about ``lastErrorCode``.
    public var lastErrorMessage: String? {
        accessedConnection.map { String(cString: sqlite3_errmsg($0)) } ?? "the database is closed"
    }

    /// The connection of the C API, after a check that this thread may use it, or nil once the database is closed.
    var accessedConnection: SQLiteConnection? {
        guard let handle = sqliteConnection else { return nil }
        checkAccess()
        return handle
    }
}

extension Database: CustomDebugStringConvertible {
    /// The type, and the configuration's label or the path: `<Database: /path/to/database.sqlite>`.
    public var debugDescription: String { "<Database: \(description)>" }
}
