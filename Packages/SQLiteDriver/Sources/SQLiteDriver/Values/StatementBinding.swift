import CSQLiteShims

/// A connection of the C API: a `sqlite3 *`.
public typealias SQLiteConnection = OpaquePointer

/// A statement of the C API: a `sqlite3_stmt *`.
public typealias SQLiteStatement = OpaquePointer

/// A type whose values can be arguments of statements, and results of SQL functions.
///
/// ```swift
/// try db.execute(
///     sql: "INSERT INTO player (name, score) VALUES (?, ?)",
///     arguments: ["Arthur", 1000])
/// ```
///
/// The driver makes the standard library's booleans, numbers, strings and optionals conform, as well as `Data` and
/// ``DatabaseValue``; the layers above add more. A type of your own needs one method that binds it.
public protocol StatementBinding {
    /// Binds the value to a parameter of a statement.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite, `SQLITE_OK` for success.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt

    /// The value to store, or an error when SQLite has none for it: every path that writes asks for it here.
    ///
    /// By default it is what ``bind(to:at:)`` binds, seen through a scratch statement; types that know their value
    /// implement it.
    ///
    /// - Throws: an error that names the value, such as a `UInt64` over `Int64.max`.
    func bindingValue() throws -> DatabaseValue

    /// Writes the value's bytes, for types whose values are texts or blobs of a few bytes.
    ///
    /// A type that implements it has the same bytes for ``bindingValue()``. By default it is nil.
    ///
    /// - Parameter room: memory for ``ShortBinding/capacity`` bytes.
    /// - Returns: what was written, or nil when the value is to be had from ``bindingValue()``.
    func shortBinding(in room: UnsafeMutableRawPointer) -> ShortBinding?
}

extension StatementBinding {
    /// nil: the value is no text or blob of a few bytes.
    @inlinable
    public func shortBinding(in room: UnsafeMutableRawPointer) -> ShortBinding? { nil }

    /// The value that ``bind(to:at:)`` binds.
    public func bindingValue() throws -> DatabaseValue {
        try ScratchConnection.value(boundBy: bind(to:at:))
    }
}

/// Reads back what a value binds, by `SELECT ?` on a connection that holds no data.
private enum ScratchConnection {
    static func value(boundBy bind: (SQLiteStatement, CInt) -> CInt) throws -> DatabaseValue {
        var connection: SQLiteConnection?
        var statement: SQLiteStatement?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        ErrorLog.shared.initializeSQLite()
        try check(sqlite3_open(":memory:", &connection))
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
