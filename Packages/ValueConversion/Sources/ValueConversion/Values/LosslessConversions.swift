import Foundation
import SQLiteDriver

// The conversions of values of another storage class, which only decoding uses: see `DatabaseValueConvertible.fromOtherStorageClass(_:)`.

extension DatabaseValueConvertible {
    /// Returns nil: by default, a type has no values of other storage classes.
    @inlinable
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension Optional where Wrapped: DatabaseValueConvertible {
    /// Returns the wrapped type's value.
    @inlinable
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Self? {
        Wrapped.fromOtherStorageClass(dbValue).map { .some($0) }
    }
}

extension Bool {
    /// Reads the TEXT '0' or '1'.
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Bool? {
        switch dbValue.storage {
        case .string("0"): false
        case .string("1"): true
        default: nil
        }
    }
}

extension DatabaseValueConvertible where Self: FixedWidthInteger & Codable {
    /// Reads a TEXT that is an integer in decimal digits: '12', but not '012', ' 12', '+12' or '1e3'.
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Self? {
        guard case .string(let text) = dbValue.storage, let value = Self(text), String(value) == text else { return nil }
        return value
    }
}

extension DatabaseValueConvertible where Self: BinaryFloatingPoint & LosslessStringConvertible {
    /// Reads a TEXT that is a decimal literal as a whole, if the number is finite: '2.5', '-1e3'; not ' 2.5', '0x10', 'inf', '1e999'.
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Self? {
        guard case .string(let text) = dbValue.storage, text.isDecimalLiteral, let value = Self(text), value.isFinite else { return nil }
        return value
    }
}

extension CGFloat {
    /// Reads a TEXT that is a decimal literal as a whole, if the number is finite.
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> CGFloat? {
        Double.fromOtherStorageClass(dbValue).map { CGFloat($0) }
    }
}

extension String {
    /// Reads the decimal text of an INTEGER, and the text of a REAL with 15 digits, as SQLite's `printf('%!.15g', x)` writes it, or the
    /// shortest text that reads as the same number if these digits are too few.
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storage {
        case .int64(let value): String(value)
        case .double(let value): value.sqliteText
        case .null, .string, .blob: nil
        }
    }
}

extension Substring {
    /// Reads a number like `String`.
    public static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Substring? {
        String.fromOtherStorageClass(dbValue).map { $0[...] }
    }
}

extension Double {
    /// SQLite's text of the number with 15 digits, or the shortest that reads as the same number if that differs.
    ///
    /// SQLite converts reals to these strings before 3.52. Later versions write up to 17 digits.
    ///
    /// Source: <https://www.sqlite.org/printf.html>: `%!.15g`
    fileprivate var sqliteText: String {
        if !isFinite { return self < 0 ? "-Inf" : "Inf" }
        let text = String(format: "%.15g", self)
        // SQLite writes a digit after the decimal point, even if it is zero.
        let exponent = text.firstIndex(of: "e") ?? text.endIndex
        let hasPoint = text[..<exponent].contains(".")
        let sqliteText = hasPoint ? text : text[..<exponent] + ".0" + text[exponent...]
        return Double(sqliteText) == self ? sqliteText : description
    }
}

extension String {
    /// Whether the whole text is a decimal number: digits with a point among them or at either end, and perhaps a sign and an exponent.
    ///
    /// Source: <https://www.sqlite.org/syntax/numeric-literal.html>
    fileprivate var isDecimalLiteral: Bool {
        var rest = utf8[...]
        func skip(_ bytes: UInt8...) -> Bool {
            guard let first = rest.first, bytes.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func skipDigits() -> Int {
            let digits = rest.prefix { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
            rest = rest[digits.endIndex...]
            return digits.count
        }
        _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
        var digitCount = skipDigits()
        if skip(UInt8(ascii: ".")) { digitCount += skipDigits() }
        if digitCount == 0 { return false }
        if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
            if skipDigits() == 0 { return false }
        }
        return rest.isEmpty
    }
}
