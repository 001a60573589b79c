import Foundation
import SQLiteDriver

// The conversions of `DatabaseValue`. `Statement` has the same conversions for columns. All types use them.

extension DatabaseValue {
    /// The value of an INTEGER, or of a REAL without its fraction. It is nil for NULL, for other storage classes, and for a REAL that is
    /// out of range.
    @inlinable
    package var int64: Int64? {
        switch storage {
        case .int64(let value): value
        case .double(let value): Int64(truncatingIfInRange: value)
        case .null, .string, .blob: nil
        }
    }

    /// The value of a REAL, or the `Double` nearest to an INTEGER. It is nil for NULL and other storage classes.
    @inlinable
    package var double: Double? {
        switch storage {
        case .int64(let value): Double(value)
        case .double(let value): value
        case .null, .string, .blob: nil
        }
    }

    /// The string of a TEXT, or of a BLOB that is valid UTF-8. It is nil for NULL and other storage classes.
    @inlinable
    package var string: String? {
        switch storage {
        case .string(let value): value
        case .blob(let value): String(validUTF8: value)
        case .null, .int64, .double: nil
        }
    }

    /// The data of a BLOB, or the UTF-8 bytes of a TEXT. It is nil for NULL and other storage classes.
    @inlinable
    package var data: Data? {
        switch storage {
        case .blob(let value): value
        case .string(let value): Data(value.utf8)
        case .null, .int64, .double: nil
        }
    }
}

extension DatabaseValue: DatabaseValueConvertible {
    /// The value itself.
    @inlinable
    public var databaseValue: DatabaseValue { self }

    /// Returns the value itself, of any storage class.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }
}

extension DatabaseValue: StatementColumnConvertible {
    /// Reads a copy of the value of a column.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> DatabaseValue? {
        DatabaseValue(sqliteStatement: statement.handle, index: CInt(truncatingIfNeeded: index))
    }
}
