import CSQLiteShims

/// A connection of the C API: a `sqlite3 *`.
public typealias SQLiteConnection = OpaquePointer

/// A statement of the C API: a `sqlite3_stmt *`.
public typealias SQLiteStatement = OpaquePointer

/// A type whose values can be arguments of statements and results of SQL functions.
///
/// ```swift
/// try db.execute(
///     sql: "INSERT INTO player (name, score) VALUES (?, ?)",
///     arguments: ["Arthur", 1000])
/// ```
///
/// The driver provides conformances for the standard library's booleans, numbers, strings and optionals, for `Data` and for
/// ``DatabaseValue``. Layers above add more. Your own types need one method, which binds the value.
public protocol StatementBinding {
    /// Binds the value to a parameter of a statement.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite, `SQLITE_OK` for success.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt

    /// Returns the value to store. Every write path calls this method.
    ///
    /// The default implementation binds the value with ``bind(to:at:)`` to a scratch statement, and reads it back. Implement it in
    /// types that know their database value.
    ///
    /// - Throws: an error if SQLite can't store it, such as a `UInt64` over `Int64.max`.
    func bindingValue() throws -> DatabaseValue

    /// Returns the bytes of ``bindingValue()``, if it is a string or a blob of a few bytes.
    ///
    /// Don't implement it: only Strata's own types do. The default implementation returns nil.
    ///
    /// - Returns: the bytes, or nil if callers must use ``bindingValue()``.
    func shortBinding() -> ShortBinding?
}

extension StatementBinding {
    /// Returns nil: the value has no short binding.
    @inlinable
    public func shortBinding() -> ShortBinding? { nil }

    /// Returns the value that ``bind(to:at:)`` binds.
    public func bindingValue() throws -> DatabaseValue {
        try ScratchConnection.value(boundBy: bind(to:at:))
    }
}

/// Reads back the value that a type binds, with `SELECT ?` on a connection to an empty database.
private enum ScratchConnection {
    static func value(boundBy bind: (SQLiteStatement, CInt) -> CInt) throws -> DatabaseValue {
        var connection: SQLiteConnection?
        var statement: SQLiteStatement?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        ErrorLog.shared.initializeSQLite()
        // The connection has no mutex: only then may the value of a column be read without locking it.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        try check(sqlite3_open_v2(":memory:", &connection, flags, nil))
        try check(sqlite3_prepare_v2(connection, "SELECT ?", -1, &statement, nil))
        guard let statement else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        try check(bind(statement, 1))
        guard sqlite3_step(statement) == SQLITE_ROW else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        return DatabaseValue(sqliteStatement: statement, index: 0)
    }

    private static func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
