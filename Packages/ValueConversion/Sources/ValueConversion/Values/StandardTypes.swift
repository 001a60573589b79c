import Foundation
import SQLiteDriver

// The standard library's types, and `Data`. The driver binds them. This file selects the conversion that reads each type.

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as the INTEGER 1 or 0.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

    /// Returns whether an INTEGER or a REAL is not zero, or nil for other storage classes.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        dbValue.double.map { $0 != 0 }
    }

    /// Returns whether an INTEGER or a REAL is not zero, or nil for other storage classes.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Bool? {
        statement.double(atUnchecked: index).map { $0 != 0 }
    }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a REAL. SQLite stores NaN as NULL.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

    /// Reads a REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? { dbValue.double }

    /// Reads a REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Double? {
        statement.double(atUnchecked: index)
    }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a REAL. SQLite stores NaN as NULL.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

    /// Reads the number nearest to a REAL or an INTEGER.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        // Integers are not converted to `Double` first: rounding twice may not give the nearest number.
        switch dbValue.storage {
        case .int64(let value): Float(value)
        case .double(let value): Float(value)
        case .null, .string, .blob: nil
        }
    }

    /// Reads the number nearest to a REAL or an INTEGER.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Float? {
        let value = statement.unprotectedValue(atUnchecked: index)
        return switch value.storage {
        case .integer: value.int64.map { Float($0) }
        case .real: value.double.map { Float($0) }
        case .null, .text, .blob: nil
        }
    }
}

extension String: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a TEXT.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// Reads a TEXT, or a BLOB that is valid UTF-8.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? { dbValue.string }

    /// Reads a TEXT, or a BLOB that is valid UTF-8.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> String? {
        statement.string(atUnchecked: index)
    }
}

extension Substring: DatabaseValueConvertible {
    /// The value as a TEXT.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(String(self))) }

    /// Reads a TEXT, or a BLOB that is valid UTF-8.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Substring? { dbValue.string.map { $0[...] } }
}

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a BLOB.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    /// The data, for which record types may have an encoding strategy.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self }

    /// Reads a BLOB, or the UTF-8 bytes of a TEXT.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? { dbValue.data }

    /// Reads a BLOB, or the UTF-8 bytes of a TEXT.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Data? {
        statement.data(atUnchecked: index)
    }
}

// MARK: - Integers

// The constraint to `Codable` makes these methods more specific than CodableSupport's methods of other `Codable` types.

extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable {
    /// The value as an INTEGER.
    ///
    /// - Precondition: the value is at most `Int64.max`. ``StatementBinding/bindingValue()``, which all writes call, throws for larger
    ///   values.
    @inlinable
    public var databaseValue: DatabaseValue {
        guard let value = Int64(exactly: self) else { stopForOverflow() }
        return DatabaseValue(storage: .int64(value))
    }

    /// Returns an INTEGER.
    ///
    /// - Throws: a ``DatabaseError`` if the value does not fit into 64 signed bits: a `UInt` or `UInt64` over `Int64.max`.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { try integerBindingValue() }

    /// Reads an INTEGER, or a REAL without its fraction. Returns nil when the number is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { dbValue.int64.flatMap { Self(exactly: $0) } }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible & FixedWidthInteger {
    /// Reads an INTEGER, or a REAL without its fraction. Returns nil when the number is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        statement.int64(atUnchecked: index).flatMap { Self(exactly: $0) }
    }
}

@inline(never)
@usableFromInline
func stopForOverflow() -> Never {
    fatalError(
        "a value does not fit SQLite's 64-bit signed integers, whose maximum is \(Int64.max). "
            + "Writing it to the database throws an error; bindingValue() throws it, too.")
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int8: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int16: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int32: DatabaseValueConvertible, StatementColumnConvertible {}
extension Int64: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {}
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {}
