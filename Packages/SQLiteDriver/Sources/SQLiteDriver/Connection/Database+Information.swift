import CSQLiteShims

// What SQLite says of itself, and of the connection.

extension Database {
    /// The version of the SQLite library as a number: 3040001 for 3.40.1.
    ///
    /// Source: <https://www.sqlite.org/c3ref/libversion.html>
    public static var sqliteLibVersionNumber: CInt { sqlite3_libversion_number() }

    /// The greatest number of parameters that a statement may have. It differs from one build of SQLite to another.
    ///
    /// Source: <https://www.sqlite.org/limits.html#max_variable_number>
    public var maximumStatementArgumentCount: Int { limit(.parameterCount) }

    /// The extended result code of the connection's last call to SQLite, which may have been a success.
    ///
    /// It is there for code that uses ``sqliteConnection``: all else throws errors.
    ///
    /// Source: <https://www.sqlite.org/c3ref/errcode.html>
    public var lastErrorCode: ResultCode {
        accessedConnection.map { ResultCode(rawValue: sqlite3_extended_errcode($0)) } ?? .SQLITE_MISUSE
    }

    /// SQLite's message about ``lastErrorCode``.
    public var lastErrorMessage: String? {
        accessedConnection.map { String(cString: sqlite3_errmsg($0)) } ?? "the database is closed"
    }

    /// The connection, which is in use by an access of this thread, or nil once it is closed.
    var accessedConnection: SQLiteConnection? {
        guard let handle = sqliteConnection else { return nil }
        checkAccess()
        return handle
    }
}

extension Database: CustomDebugStringConvertible {
    /// The type with the label of the configuration or the path: `<Database: /path/to/database.sqlite>`.
    public var debugDescription: String { "<Database: \(description)>" }
}
