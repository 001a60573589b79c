import CSQLite
import Foundation

/// The yardstick's connection: SQLite's C API with nothing around it but this.
final class CConnection {
    let handle: OpaquePointer

    init(path: String = ":memory:") {
        var handle: OpaquePointer?
        // Without mutexes, as Strata opens its connections.
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            let handle
        else { fail("can't open \(path)") }
        self.handle = handle
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit {
        // FTS5 finalizes the statements that it has prepared: its tables must go before the statements below do.
        if sqlite3_db_filename(handle, "main").map({ $0.pointee == 0 }) != false { execute("DROP TABLE IF EXISTS article") }
        // Statements that a workload has prepared once, for all its rounds.
        while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    func execute(_ sql: String) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { fail(String(cString: sqlite3_errmsg(handle))) }
    }

    func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            fail(String(cString: sqlite3_errmsg(handle)))
        }
        return statement
    }

    /// Does something in a transaction.
    func inTransaction<Result>(_ begin: String = "BEGIN IMMEDIATE TRANSACTION", _ body: () throws -> Result) rethrows -> Result {
        execute(begin)
        let result = try body()
        execute("COMMIT TRANSACTION")
        return result
    }

    /// Runs a statement whose parameters are bound to its end, and makes it ready for the next run.
    @inline(__always)
    func run(_ statement: OpaquePointer) {
        guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_reset(statement) == SQLITE_OK else {
            fail(String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// The integer that a query gives.
    func number(_ sql: String) -> Int {
        let statement = prepare(sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { fail(String(cString: sqlite3_errmsg(handle))) }
        return Int(sqlite3_column_int64(statement, 0))
    }
}

// MARK: - Columns

/// The text of a column that may be NULL.
@inline(__always)
func text(_ statement: OpaquePointer, _ index: CInt) -> String? {
    guard let start = sqlite3_column_text(statement, index) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

/// The integer of a column that may be NULL.
@inline(__always)
func integer(_ statement: OpaquePointer, _ index: CInt) -> Int64? {
    sqlite3_column_type(statement, index) == SQLITE_NULL ? nil : sqlite3_column_int64(statement, index)
}

// MARK: - Parameters

/// Binds a string, which is not copied, and is not read after the body.
@inline(__always)
func withBound(_ text: inout String, _ statement: OpaquePointer, _ index: CInt, _ body: () -> Void) {
    text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
            // No destructor is SQLITE_STATIC.
            _ = sqlite3_bind_text(statement, index, $0.baseAddress, CInt($0.count), nil)
        }
        body()
    }
}

/// Binds a string or NULL.
@inline(__always)
func withBound(_ text: inout String?, _ statement: OpaquePointer, _ index: CInt, _ body: () -> Void) {
    // Where it is: a copy would be retained and released.
    if text == nil {
        sqlite3_bind_null(statement, index)
        body()
    } else {
        withBound(&text!, statement, index, body)
    }
}

/// Binds an integer or NULL.
@inline(__always)
func bind(_ integer: Int64?, _ statement: OpaquePointer, _ index: CInt) {
    if let integer { sqlite3_bind_int64(statement, index, integer) } else { sqlite3_bind_null(statement, index) }
}
