import CSQLite

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
    }

    deinit {
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
}

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
