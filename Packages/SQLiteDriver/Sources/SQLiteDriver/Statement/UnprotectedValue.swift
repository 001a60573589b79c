import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The conversions of storage classes to Swift types. `DatabaseValue` has the same conversions for copied values.
//
// Each of SQLite's column functions locks the connection's mutex, checks the index, and checks for a memory error. Asking once for
// the column's value, and then for its storage class, bytes and count, takes less than half that time. SQLite calls such a value
// unprotected, because its value functions don't lock a mutex. A statement is used on one thread at a time, so no mutex is needed.

/// The value of a column of a statement's current row, in SQLite's memory.
///
/// It is for layers and types with their own ways to read columns. It is valid until the next step of the statement, on the thread of its
/// access.
///
/// Source: <https://www.sqlite.org/c3ref/value.html>
@usableFromInline
package struct UnprotectedValue {
    @usableFromInline let sqliteValue: OpaquePointer?

    @inlinable
    package init(sqliteValue: OpaquePointer?) {
        self.sqliteValue = sqliteValue
    }

    /// The storage class.
    @inlinable
    package var storage: Statement.ColumnStorage {
        Statement.ColumnStorage(rawValue: sqlite3_value_type(sqliteValue)) ?? .null
    }

    /// The integer: see ``Statement/int64(at:)``.
    @inlinable
    package var int64: Int64? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_INTEGER { return sqlite3_value_int64(sqliteValue) }
        if type == SQLITE_FLOAT { return Int64(truncatingIfInRange: sqlite3_value_double(sqliteValue)) }
        return nil
    }

    /// The number: see ``Statement/double(at:)``.
    @inlinable
    package var double: Double? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_FLOAT || type == SQLITE_INTEGER { return sqlite3_value_double(sqliteValue) }
        return nil
    }

    /// The string: see ``Statement/string(at:)``.
    @inlinable
    package var string: String? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_TEXT { return stringOfText }
        if type == SQLITE_BLOB { return stringOfBlob }
        return nil
    }

    @inlinable
    @inline(__always)
    var stringOfText: String { withUnsafeText { String(decoding: $0, as: UTF8.self) } }

    @usableFromInline
    var stringOfBlob: String? { withUnsafeBlob { String(validUTF8: $0) } }

    @inlinable
    @inline(__always)
    var dataOfBlob: Data { withUnsafeBlob { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data() } }

    /// The bytes: see ``Statement/data(at:)``.
    @inlinable
    package var data: Data? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_BLOB { return dataOfBlob }
        // The bytes come from the string, as for copied values: invalid UTF-8 is repaired, and a UTF-16 database gives UTF-8.
        if type == SQLITE_TEXT { return string.map { Data($0.utf8) } }
        return nil
    }

    /// Calls a closure with the bytes of a string, in UTF-8 regardless of the encoding of the database.
    ///
    /// - Parameter body: called with the bytes, which may be invalid UTF-8. They are valid only until it returns.
    /// - Precondition: the storage class is TEXT. SQLite would convert a number in the row itself.
    @inlinable
    @inline(__always)
    package func withUnsafeText<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // The string is read before its length: this call may convert it from UTF-16.
        let start = sqlite3_value_text(sqliteValue)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls a closure with the bytes of a blob.
    ///
    /// - Parameter body: called with the bytes, which are valid only until it returns.
    /// - Precondition: the storage class is BLOB.
    @inlinable
    @inline(__always)
    package func withUnsafeBlob<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let start = sqlite3_value_blob(sqliteValue)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

// For layers that check the index once for many reads. SQLite returns NULL for an index out of range.

extension Statement {
    /// Returns the value of a column of the current row, in SQLite's memory, without checking the index.
    @inlinable
    @inline(__always)
    package func unprotectedValue(atUnchecked index: Int) -> UnprotectedValue {
        UnprotectedValue(sqliteValue: sqlite3_column_value(handle, CInt(truncatingIfNeeded: index)))
    }

    /// Returns a copy of the value of a column of the current row: ``databaseValue(at:)`` without a check of the index.
    @inlinable
    package func databaseValue(atUnchecked index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: index))
    }

    /// Returns whether a column of the current row is NULL, without checking the index.
    @inlinable
    package func isNull(atUnchecked index: Int) -> Bool {
        sqlite3_column_type(handle, CInt(truncatingIfNeeded: index)) == SQLITE_NULL
    }

    /// Returns the integer in a column of the current row: ``int64(at:)`` without a check of the index.
    @inlinable
    package func int64(atUnchecked index: Int) -> Int64? { unprotectedValue(atUnchecked: index).int64 }

    /// Returns the number in a column of the current row: ``double(at:)`` without a check of the index.
    @inlinable
    package func double(atUnchecked index: Int) -> Double? { unprotectedValue(atUnchecked: index).double }

    /// Returns the string in a column of the current row: ``string(at:)`` without a check of the index.
    @inlinable
    package func string(atUnchecked index: Int) -> String? { unprotectedValue(atUnchecked: index).string }

    /// Returns the bytes in a column of the current row: ``data(at:)`` without a check of the index.
    @inlinable
    package func data(atUnchecked index: Int) -> Data? { unprotectedValue(atUnchecked: index).data }
}
