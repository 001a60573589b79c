import Foundation
import SQLiteDriver

/// Numbers are stored as INTEGER or REAL, whichever kind they are; decimal numbers as INTEGER if that is exact, and as REAL
/// otherwise. `Decimal` is the type whose digits are all stored.
///
/// ```swift
/// NSNumber(value: 10).databaseValue               // 10
/// NSNumber(value: 10.5).databaseValue             // 10.5
/// NSDecimalNumber(string: "10.0").databaseValue   // 10
/// NSDecimalNumber(string: "10.5").databaseValue   // 10.5
/// ```
extension NSNumber: DatabaseValueConvertible {
    /// The INTEGER or the REAL. Booleans are 1 and 0; SQLite stores NULL for a `Double` that is NaN.
    ///
    /// - Precondition: the number is no integer over `Int64.max`, nor `NSDecimalNumber.notANumber`. ``bindingValue()``, by which
    ///   values are written, throws for them.
    public var databaseValue: DatabaseValue {
        do {
            return try bindingValue()
        } catch {
            fatalError("\(error). Writing it to the database throws this error; bindingValue() does so too.")
        }
    }

    /// The INTEGER or the REAL.
    ///
    /// - Throws: a `DatabaseError` that names the number, when it is an integer over `Int64.max`, or
    ///   `NSDecimalNumber.notANumber`.
    public func bindingValue() throws -> DatabaseValue {
        if let number = self as? NSDecimalNumber {
            return try number.decimalValue.numericBindingValue()
        }
        // The type encodings of Objective-C: https://developer.apple.com/documentation/foundation/nsnumber/1412576-objctype
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"):
            return DatabaseValue(storage: .double(doubleValue))
        case UInt8(ascii: "Q"):
            return try uint64Value.bindingValue()
        default:
            return DatabaseValue(storage: .int64(int64Value))
        }
    }

    /// An INTEGER or a REAL. An `NSDecimalNumber` is read as `Decimal` is, from a TEXT too.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        // An extension's methods can't be overridden: the subclass is served here.
        if self is NSDecimalNumber.Type {
            return Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
        }
        return switch dbValue.storage {
        case .int64(let value): NSNumber(value: value) as? Self
        case .double(let value): NSNumber(value: value) as? Self
        case .null, .string, .blob: nil
        }
    }
}

extension Decimal {
    /// The INTEGER, if there is one, or else the nearest REAL.
    fileprivate func numericBindingValue() throws -> DatabaseValue {
        let text = description
        if let integer = Int64(text) {
            return DatabaseValue(storage: .int64(integer))
        }
        // The description is the one of a number that rounds correctly: `doubleValue` adds up the parts of the significand.
        guard !isNaN, let real = Double(text) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "NSDecimalNumber.notANumber is not a number, and can't be stored as one")
        }
        return DatabaseValue(storage: .double(real))
    }
}
