import Foundation
import SQLiteDriver

/// Numbers are stored as INTEGER or REAL, depending on their kind. Decimal numbers are stored as INTEGER if that is exact, otherwise as
/// REAL. Use `Decimal` to store all digits.
///
/// ```swift
/// NSNumber(value: 10).databaseValue               // 10
/// NSNumber(value: 10.5).databaseValue             // 10.5
/// NSDecimalNumber(string: "10.0").databaseValue   // 10
/// NSDecimalNumber(string: "10.5").databaseValue   // 10.5
/// ```
extension NSNumber: DatabaseValueConvertible {
    /// The value as an INTEGER or a REAL. Booleans are 1 and 0; SQLite stores NaN as NULL.
    ///
    /// - Precondition: the number is neither an integer over `Int64.max` nor `NSDecimalNumber.notANumber`. ``bindingValue()``, which all
    ///   writes call, throws for such numbers.
    public var databaseValue: DatabaseValue { bindingValueOrStop() }

    /// Returns the value as an INTEGER or a REAL.
    ///
    /// - Throws: a `DatabaseError` when the number is an integer over `Int64.max`, or
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

    /// Reads an INTEGER or a REAL. An `NSDecimalNumber` is read like `Decimal`, from a TEXT, too.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        // Methods of extensions can't be overridden, so this method handles the subclass.
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
    /// Returns the equal INTEGER if there is one, otherwise the nearest REAL.
    fileprivate func numericBindingValue() throws -> DatabaseValue {
        let text = description
        if let integer = Int64(text) {
            return DatabaseValue(storage: .int64(integer))
        }
        // Parsing the description rounds correctly. `doubleValue` does not, because it adds up the parts of the significand.
        guard !isNaN, let real = Double(text) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "NSDecimalNumber.notANumber can't be stored as a number")
        }
        return DatabaseValue(storage: .double(real))
    }
}
