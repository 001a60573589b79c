import Foundation
import SQLiteDriver

// The standard library's types, and Data. How they are bound is the driver's; how they are read is its conversions, of which
// this file picks one for each type.

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER 1 or 0.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

    /// Whether an INTEGER or a REAL is not zero; no value for other storage classes.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        dbValue.double.map { $0 != 0 }
    }

    /// Whether an INTEGER or a REAL is not zero; no value for other storage classes.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Bool? {
        statement.double(atUnchecked: index).map { $0 != 0 }
    }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
    /// The REAL. SQLite stores NULL for a NaN.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

    /// A REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? { dbValue.double }

    /// A REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Double? {
        statement.double(atUnchecked: index)
    }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
    /// The REAL. SQLite stores NULL for a NaN.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

    /// The number nearest to a REAL or an INTEGER.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        // Not by way of a `Double` for both: rounding an integer twice can end beside the nearest number.
        switch dbValue.storage {
        case .int64(let value): Float(value)
        case .double(let value): Float(value)
        case .null, .string, .blob: nil
        }
    }

    /// The number nearest to a REAL or an INTEGER.
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
    /// The TEXT.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// A TEXT, or a BLOB that is valid UTF-8.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? { dbValue.string }

    /// A TEXT, or a BLOB that is valid UTF-8.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> String? {
        statement.string(atUnchecked: index)
    }
}

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// The BLOB.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    /// The data, which record types may store in ways of their own.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self }

    /// A BLOB, or the UTF-8 bytes of a TEXT.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? { dbValue.data }

    /// A BLOB, or the UTF-8 bytes of a TEXT.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Data? {
        statement.data(atUnchecked: index)
    }
}

// MARK: - Integers

extension FixedWidthInteger where Self: StatementBinding {
    /// The INTEGER, where the type has values that SQLite can't hold: stops the program for those.
    @inlinable
    var checkedDatabaseValue: DatabaseValue {
        guard let value = Int64(exactly: self) else { stopForOverflow(self) }
        return DatabaseValue(storage: .int64(value))
    }
}

@inline(never)
@usableFromInline
func stopForOverflow(_ value: some BinaryInteger) -> Never {
    fatalError(
        "\(value) does not fit SQLite's 64-bit signed integers, whose maximum is \(Int64.max). "
            + "Writing it to the database throws an error; bindingValue() does so too.")
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int? { dbValue.int64.flatMap { Int(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Int? {
        statement.int64(atUnchecked: index).flatMap { Int(exactly: $0) }
    }
}

extension Int8: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int8? { dbValue.int64.flatMap { Int8(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Int8? {
        statement.int64(atUnchecked: index).flatMap { Int8(exactly: $0) }
    }
}

extension Int16: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int16? { dbValue.int64.flatMap { Int16(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Int16? {
        statement.int64(atUnchecked: index).flatMap { Int16(exactly: $0) }
    }
}

extension Int32: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int32? { dbValue.int64.flatMap { Int32(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Int32? {
        statement.int64(atUnchecked: index).flatMap { Int32(exactly: $0) }
    }
}

extension Int64: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int64? { dbValue.int64.flatMap { Int64(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Int64? {
        statement.int64(atUnchecked: index).flatMap { Int64(exactly: $0) }
    }
}

extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt8? { dbValue.int64.flatMap { UInt8(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> UInt8? {
        statement.int64(atUnchecked: index).flatMap { UInt8(exactly: $0) }
    }
}

extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt16? { dbValue.int64.flatMap { UInt16(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> UInt16? {
        statement.int64(atUnchecked: index).flatMap { UInt16(exactly: $0) }
    }
}

extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(Int64(self))) }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt32? { dbValue.int64.flatMap { UInt32(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> UInt32? {
        statement.int64(atUnchecked: index).flatMap { UInt32(exactly: $0) }
    }
}

extension UInt: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    ///
    /// - Precondition: the value is at most `Int64.max`. ``StatementBinding/bindingValue()``, by which values are written,
    ///   throws for larger ones.
    @inlinable
    public var databaseValue: DatabaseValue { checkedDatabaseValue }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt? { dbValue.int64.flatMap { UInt(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> UInt? {
        statement.int64(atUnchecked: index).flatMap { UInt(exactly: $0) }
    }
}

extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {
    /// The INTEGER.
    ///
    /// - Precondition: the value is at most `Int64.max`. ``StatementBinding/bindingValue()``, by which values are written,
    ///   throws for larger ones.
    @inlinable
    public var databaseValue: DatabaseValue { checkedDatabaseValue }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt64? { dbValue.int64.flatMap { UInt64(exactly: $0) } }

    /// An INTEGER, or a REAL without its fraction; no value when it is out of range.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> UInt64? {
        statement.int64(atUnchecked: index).flatMap { UInt64(exactly: $0) }
    }
}
