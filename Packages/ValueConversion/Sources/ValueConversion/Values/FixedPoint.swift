import Foundation
import SQLiteDriver

/// The number of digits after the decimal point of a ``FixedPoint`` number.
///
/// ```swift
/// enum Millionths: FixedPointScale {
///     static let digits = 6
/// }
/// ```
public protocol FixedPointScale: Sendable {
    /// The number of digits, from 0 to 18: with more, not even 1 fits into 64 bits.
    static var digits: Int { get }
}

/// Two digits after the decimal point, as most currencies have.
public enum Hundredths: FixedPointScale {
    /// 2.
    public static var digits: Int { 2 }
}

/// Three digits after the decimal point.
public enum Thousandths: FixedPointScale {
    /// 3.
    public static var digits: Int { 3 }
}

/// Four digits after the decimal point, for rates and unit prices.
public enum TenThousandths: FixedPointScale {
    /// 4.
    public static var digits: Int { 4 }
}

/// An exact decimal number, stored as an INTEGER, with which SQL computes exactly: an amount of money in cents.
///
/// ```swift
/// typealias Amount = FixedPoint<Hundredths>
///
/// let price: Amount = "12.50"
/// let total = price * 3 - "0.10"  // 37.40
/// // Stores 3740
/// try db.execute(sql: "INSERT INTO payment (amount) VALUES (?)", arguments: [total])
/// let sum = try Amount.fetchOne(db, sql: "SELECT sum(amount) FROM payment")
/// ```
///
/// Comparisons, orders, `min`, `max` and `sum` of SQL are exact, and use indexes. `sum` throws an error when it exceeds 64 bits. `avg` is a
/// REAL number of units: see ``init(roundingUnits:)``. A column of the type INTEGER, also in a `STRICT` table, contains the units: 1250 for
/// 12.50. In JSON, and for `Codable`, the number is a string such as `"12.50"`.
///
/// `+`, `-` and `*` stop the program on overflow, as they do for integers. With two digits, amounts up to 92 quadrillion fit.
public struct FixedPoint<Scale: FixedPointScale>: Hashable, Sendable {
    /// The number of the smallest units: 1250 for 12.50.
    public var units: Int64

    /// Creates a number of the smallest units.
    public init(units: Int64) {
        self.units = units
    }

    /// Creates the number of units nearest to a real number, such as an average in SQL; ties go away from zero.
    ///
    /// ```swift
    /// let average = try Double.fetchOne(db, sql: "SELECT avg(amount) FROM payment")
    /// let amount = average.flatMap { FixedPoint<Hundredths>(roundingUnits: $0) }
    /// ```
    ///
    /// - Returns: nil for a number that is not finite, or that exceeds 64 bits.
    public init?(roundingUnits units: Double) {
        guard let units = Int64(exactly: units.rounded()) else { return nil }
        self.units = units
    }

    /// Creates the number that is nearest to a decimal.
    ///
    /// - Parameters:
    ///   - decimal: a decimal.
    ///   - mode: how to round; by default, ties go away from zero.
    /// - Returns: nil for NaN, and for a decimal that is too large.
    public init?(rounding decimal: Decimal, _ mode: Decimal.RoundingMode = .plain) {
        var (value, rounded) = (decimal, Decimal())
        NSDecimalRound(&rounded, &value, Scale.digits, mode)
        self.init(exactly: rounded)
    }

    /// Creates the number that equals a decimal.
    ///
    /// - Returns: nil if the decimal has more digits after the point, is NaN, or is too large.
    public init?(exactly decimal: Decimal) {
        guard !decimal.isNaN else { return nil }
        self.init("\(decimal)")
    }

    /// The number as a decimal.
    public var decimal: Decimal { Decimal(string: description) ?? 0 }
}

extension FixedPoint: LosslessStringConvertible, CustomDebugStringConvertible {
    /// Reads a number: an optional sign, digits, and a `.` with digits if needed, independent of the locale.
    ///
    /// - Returns: nil for other strings, for more digits after the point than the type has, unless they are 0, and for numbers that are too
    ///   large.
    public init?(_ text: String) {
        var digits = Substring(text)
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.count == 1 || !parts[1].isEmpty else { return nil }
        var fraction = parts.count == 2 ? parts[1] : ""
        guard (whole + fraction).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        while fraction.count > Scale.digits {
            guard fraction.removeLast() == "0" else { return nil }
        }
        let padding = String(repeating: "0", count: Scale.digits - fraction.count)
        guard let units = Int64((isNegative ? "-" : "") + whole + fraction + padding) else { return nil }
        self.units = units
    }

    /// The number with all its digits after the point: `12.50`.
    public var description: String { units.fixedPointText(digits: Scale.digits) }

    /// The number with all its digits after the point: `12.50`.
    public var debugDescription: String { description }
}

extension Int64 {
    /// The number of units as a fixed-point number: 1250 as `12.50` for two digits.
    package func fixedPointText(digits: Int) -> String {
        var text = "\(magnitude)"
        if text.utf8.count <= digits { text = String(repeating: "0", count: digits + 1 - text.utf8.count) + text }
        if digits > 0 { text.insert(".", at: text.index(text.endIndex, offsetBy: -digits)) }
        return self < 0 ? "-" + text : text
    }
}

extension FixedPoint: ExpressibleByStringLiteral {
    /// Creates a number from a literal: `"12.50"`. The program stops if the literal is not such a number.
    public init(stringLiteral text: String) {
        guard let number = Self(text) else {
            fatalError("\(text.debugDescription) is not a number with \(Scale.digits) digits after the point")
        }
        self = number
    }
}

extension FixedPoint: Comparable, AdditiveArithmetic {
    /// 0.
    public static var zero: Self { Self(units: 0) }

    /// Returns whether a number is less than another one.
    public static func < (left: Self, right: Self) -> Bool { left.units < right.units }

    /// Returns the sum. The program stops on overflow.
    public static func + (left: Self, right: Self) -> Self { Self(units: left.units + right.units) }

    /// Returns the difference. The program stops on overflow.
    public static func - (left: Self, right: Self) -> Self { Self(units: left.units - right.units) }

    /// Returns the number with the opposite sign. The program stops on overflow.
    public static prefix func - (number: Self) -> Self { Self(units: -number.units) }

    /// Returns the number multiplied by an integer. The program stops on overflow.
    public static func * (left: Self, right: Int) -> Self { Self(units: left.units * Int64(right)) }
}

extension FixedPoint: Codable {
    /// Decodes a string such as `"12.50"`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = try Self(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The string is not a number with \(Scale.digits) digits after the point")
        }
        self = number
    }

    /// Encodes a string such as `"12.50"`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension FixedPoint: DatabaseValueConvertible, StatementColumnConvertible {
    /// The units as an INTEGER.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(units)) }

    /// Reads the units from an INTEGER.
    ///
    /// It reads nothing else: a REAL and a TEXT could be units as well as whole numbers.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard case .int64(let units) = dbValue.storage else { return nil }
        return Self(units: units)
    }

    /// Reads the units from an INTEGER.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        fromDatabaseValue(statement.databaseValue(at: index))
    }
}
