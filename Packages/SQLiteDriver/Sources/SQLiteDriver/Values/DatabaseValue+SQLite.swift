import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Passing values to and from the C API. Strings and blobs are passed with their byte count, so that NUL bytes and empty values survive.

extension DatabaseValue {
    /// Copies the value of a column of the current row.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that has produced a row. No other thread may use its connection meanwhile, because the connection's
    ///     mutex is not locked.
    ///   - index: the column's index, from 0.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(sqliteValue: sqlite3_column_value(sqliteStatement, index))
    }

    /// Copies an argument of a function, or the value of a column.
    ///
    /// `sqlite3_value_text` and `sqlite3_value_blob` never convert, because each is called only for its own storage class.
    @inlinable
    init(sqliteValue: OpaquePointer?) {
        let value = UnprotectedValue(sqliteValue: sqliteValue)
        switch sqlite3_value_type(sqliteValue) {
        case SQLITE_INTEGER: self.init(storage: .int64(sqlite3_value_int64(sqliteValue)))
        case SQLITE_FLOAT: self.init(storage: .double(sqlite3_value_double(sqliteValue)))
        case SQLITE_TEXT: self.init(storage: .string(value.stringOfText))
        case SQLITE_BLOB: self.init(storage: .blob(value.dataOfBlob))
        default: self.init(storage: .null)
        }
    }

    /// Binds the value to a parameter of a statement. SQLite copies the value.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch storage {
        case .null:
            sqlite3_bind_null(sqliteStatement, index)
        case .int64(let value):
            sqlite3_bind_int64(sqliteStatement, index, value)
        case .double(let value):
            sqlite3_bind_double(sqliteStatement, index, value)
        case .string(let value):
            value.bindText(to: sqliteStatement, at: index)
        case .blob(let value):
            value.bindBlob(to: sqliteStatement, at: index)
        }
    }

    /// Sets the value as the result of an SQL function.
    func setResult(of context: OpaquePointer?) {
        switch storage {
        case .null:
            sqlite3_result_null(context)
        case .int64(let value):
            sqlite3_result_int64(context, value)
        case .double(let value):
            sqlite3_result_double(context, value)
        case .string(var value):
            value.withUTF8 { strata_result_text_copy(context, $0.baseAddress, UInt64($0.count)) }
        case .blob(let value):
            value.withUnsafeBytes { strata_result_blob_copy(context, $0.baseAddress, UInt64($0.count)) }
        }
    }
}

extension String {
    @inlinable
    func bindText(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        var text = self
        return text.withUTF8 { bytes in
            // A null pointer would bind NULL, and not the empty string.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return strata_bind_text_copy(sqliteStatement, index, "", 0)
            }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                strata_bind_text_copy(sqliteStatement, index, $0, UInt64(bytes.count))
            }
        }
    }
}

extension [UInt8] {
    /// Binds a part of the array as a string. SQLite copies the bytes.
    func bindText(_ range: Range<Int>, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        // Slicing checks the range.
        self[range].withUnsafeBytes { bytes in
            // A null pointer would bind NULL, and not the empty string.
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return strata_bind_text_copy(sqliteStatement, index, "", 0) }
            return strata_bind_text_copy(sqliteStatement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
        }
    }
}

extension Data {
    @inlinable
    func bindBlob(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { bytes in
            // A null pointer would bind NULL, and not the empty blob.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(sqliteStatement, index, 0)
            }
            return strata_bind_blob_copy(sqliteStatement, index, start, UInt64(bytes.count))
        }
    }
}
