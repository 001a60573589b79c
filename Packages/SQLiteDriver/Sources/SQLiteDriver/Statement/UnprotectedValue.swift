import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Where storage classes become Swift types; `DatabaseValue` has the same conversions for values that were copied.
//
// Each of SQLite's functions for columns takes the connection's mutex, checks the index, and looks for an error of memory. A
// column's value that is asked for once tells its storage class, bytes and count for less than half of that. SQLite calls it
// unprotected, as its functions for values take no mutex: a statement is used on one thread at a time, so none is needed.

/// The value of a column in a statement's current row, where SQLite has it.
///
/// ```swift
/// let value = statement.unprotectedValue(atUnchecked: 0)
/// switch value.storage {
/// case .text: value.withUnsafeText { print($0.count) }
/// case .integer: print(value.int64 ?? 0)
/// default: break
/// }
/// ```
///
/// It serves layers and types that read columns in their own way. It is good until the statement moves on, on the thread of
/// its access.
///
/// Source: <https://www.sqlite.org/c3ref/value.html>
public struct UnprotectedValue {
    @usableFromInline let sqliteValue: OpaquePointer?

    @inlinable
    init(sqliteValue: OpaquePointer?) {
        self.sqliteValue = sqliteValue
    }

    /// The storage class.
    @inlinable
    public var storage: Statement.ColumnStorage {
        Statement.ColumnStorage(rawValue: sqlite3_value_type(sqliteValue)) ?? .null
    }

    /// The integer, see ``Statement/int64(at:)``.
    @inlinable
    public var int64: Int64? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_INTEGER { return sqlite3_value_int64(sqliteValue) }
        if type == SQLITE_FLOAT { return Int64(truncating: sqlite3_value_double(sqliteValue)) }
        return nil
    }

    /// The number, see ``Statement/double(at:)``.
    @inlinable
    public var double: Double? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_FLOAT || type == SQLITE_INTEGER { return sqlite3_value_double(sqliteValue) }
        return nil
    }

    /// The text, see ``Statement/string(at:)``.
    @inlinable
    public var string: String? {
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

    /// The bytes, see ``Statement/data(at:)``.
    @inlinable
    public var data: Data? {
        let type = sqlite3_value_type(sqliteValue)
        if type == SQLITE_BLOB { return dataOfBlob }
        // By way of the string: invalid UTF-8 is repaired, and a database in UTF-16 gives UTF-8, as for copied values.
        if type == SQLITE_TEXT { return string.map { Data($0.utf8) } }
        return nil
    }

    /// Gives access to the bytes of a text, in UTF-8 whatever the encoding of the database.
    ///
    /// - Parameter body: receives the bytes, which may be invalid UTF-8, and must not be kept after it returns.
    /// - Precondition: the storage class is TEXT. SQLite would turn a number into a text, in the row itself.
    @inlinable
    @inline(__always)
    public func withUnsafeText<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // The text comes before its length: it is the call that may convert from UTF-16.
        let start = sqlite3_value_text(sqliteValue)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Gives access to the bytes of a blob.
    ///
    /// - Parameter body: receives the bytes, which must not be kept after it returns.
    /// - Precondition: the storage class is BLOB.
    @inlinable
    @inline(__always)
    public func withUnsafeBlob<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let start = sqlite3_value_blob(sqliteValue)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

// For layers that check the index once for many reads. SQLite answers NULL for an index that is out of range.

extension Statement {
    /// The value of a column of the current row, where SQLite has it, without a check of the index.
    @inlinable
    @inline(__always)
    public func unprotectedValue(atUnchecked index: Int) -> UnprotectedValue {
        UnprotectedValue(sqliteValue: sqlite3_column_value(sqliteStatement, CInt(truncatingIfNeeded: index)))
    }

    /// The value of a column of the current row, copied: ``databaseValue(at:)`` without a check of the index.
    @inlinable
    public func databaseValue(atUnchecked index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(truncatingIfNeeded: index))
    }

    /// Whether a column of the current row is NULL.
    @inlinable
    public func isNull(atUnchecked index: Int) -> Bool {
        sqlite3_column_type(sqliteStatement, CInt(truncatingIfNeeded: index)) == SQLITE_NULL
    }

    /// The integer in a column of the current row: ``int64(at:)`` without a check of the index.
    @inlinable
    public func int64(atUnchecked index: Int) -> Int64? { unprotectedValue(atUnchecked: index).int64 }

    /// The number in a column of the current row: ``double(at:)`` without a check of the index.
    @inlinable
    public func double(atUnchecked index: Int) -> Double? { unprotectedValue(atUnchecked: index).double }

    /// The text in a column of the current row: ``string(at:)`` without a check of the index.
    @inlinable
    public func string(atUnchecked index: Int) -> String? { unprotectedValue(atUnchecked: index).string }

    /// The bytes in a column of the current row: ``data(at:)`` without a check of the index.
    @inlinable
    public func data(atUnchecked index: Int) -> Data? { unprotectedValue(atUnchecked: index).data }
}
