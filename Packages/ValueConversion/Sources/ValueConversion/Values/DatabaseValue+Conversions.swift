import Foundation
import SQLiteDriver

// What `Statement` has for columns, `DatabaseValue` has here for values that were copied: the same conversions, of which all
// types make use.

extension DatabaseValue {
    /// An INTEGER, or a REAL without its fraction, or nil for NULL, another storage class, and a REAL out of range.
    @inlinable
    public var int64: Int64? {
        switch storage {
        case .int64(let value): value
        case .double(let value): Int64(_truncating: value)
        case .null, .string, .blob: nil
        }
    }

    /// A REAL, or the `Double` nearest to an INTEGER, or nil for NULL and other storage classes.
    @inlinable
    public var double: Double? {
        switch storage {
        case .int64(let value): Double(value)
        case .double(let value): value
        case .null, .string, .blob: nil
        }
    }

    /// A TEXT, or a BLOB that is valid UTF-8, or nil for NULL and other storage classes.
    @inlinable
    public var string: String? {
        switch storage {
        case .string(let value): value
        case .blob(let value): String(_validUTF8: value)
        case .null, .int64, .double: nil
        }
    }

    /// A BLOB, or the UTF-8 bytes of a TEXT, or nil for NULL and other storage classes.
    @inlinable
    public var data: Data? {
        switch storage {
        case .blob(let value): value
        case .string(let value): Data(value.utf8)
        case .null, .int64, .double: nil
        }
    }
}

extension DatabaseValue: DatabaseValueConvertible {
    /// Itself.
    @inlinable
    public var databaseValue: DatabaseValue { self }

    /// The value itself, whatever it is.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }
}

extension DatabaseValue: StatementColumnConvertible {
    /// The value of a column, copied.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> DatabaseValue? {
        DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt(truncatingIfNeeded: index))
    }
}
