import Foundation
import SQLiteDriver

/// Decimals are stored as TEXT, with all their digits.
///
/// ```swift
/// // Stores '10.5'
/// try db.execute(
///     sql: "INSERT INTO transfer VALUES (?)", arguments: [Decimal(string: "10.5")!])
/// ```
///
/// The column should have TEXT or BLOB affinity. In columns with NUMERIC, INTEGER or REAL affinity (`DECIMAL(10, 5)` has NUMERIC affinity),
/// SQLite converts TEXT that looks like a number to a number, which may have fewer digits. TEXT is compared as text: `ORDER BY` puts '10.5'
/// before '9'.
///
/// Source: <https://www.sqlite.org/datatype3.html#type_affinity>
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a TEXT: digits, with a `-` before them and a `.` between them if needed, independent of the locale.
    ///
    /// - Precondition: the decimal is not NaN. ``bindingValue()``, which all writes call, throws for NaN.
    public var databaseValue: DatabaseValue { bindingValueOrStop() }

    /// Returns the value as a TEXT: digits, with a `-` before them and a `.` between them if needed, independent of the locale.
    ///
    /// - Throws: a `DatabaseError` for NaN.
    public func bindingValue() throws -> DatabaseValue {
        if isNaN {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "Decimal.nan is not a number, and can't be stored")
        }
        return DatabaseValue(storage: .string(description))
    }

    /// Reads an INTEGER, the shortest decimal that represents a REAL, or a TEXT that is a number from its first to its last byte: `10`,
    /// `-10.5`, `.5`, `1e3`.
    ///
    /// Returns nil when a decimal can't store all digits of the number. It can store 38 digits, with exponents from -128 to 127.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let value): Decimal(value)
        case .double(let value): Decimal(databaseReal: value)
        case .string(var text): text.withUTF8 { Decimal(databaseText: UnsafeRawBufferPointer($0)) }
        case .null, .blob: nil
        }
    }

    /// Reads an INTEGER, a REAL, or a TEXT like ``fromDatabaseValue(_:)``.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Decimal? {
        let value = statement.unprotectedValue(atUnchecked: index)
        return switch value.storage {
        case .integer: value.int64.map { Decimal($0) }
        case .real: value.double.flatMap { Decimal(databaseReal: $0) }
        case .text: value.withUnsafeText { Decimal(databaseText: $0) }
        case .null, .blob: nil
        }
    }
}

// MARK: - Strings

extension Decimal {
    private init?(databaseReal real: Double) {
        // The other initializer does not accept "inf".
        var text = real.description
        guard let value = text.withUTF8({ Decimal(databaseText: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = value
    }

    /// Reads a number.
    ///
    /// `Decimal(string:)` is not used, because it ignores text after the number, and excess digits.
    private init?(databaseText bytes: UnsafeRawBufferPointer) {
        guard let number = DecimalText(bytes) else { return nil }
        if number.significand == .zero {
            self = 0
        } else if number.exponent >= -128, number.exponent <= 127 {
            let sign: FloatingPointSign = number.isNegative ? .minus : .plus
            self.init(sign: sign, exponent: Int(number.exponent), significand: number.significand.decimal)
        } else if number.exponent > 127, number.exponent <= 127 + 38 {
            // Moving zeros from the exponent to the significand allows a few more numbers. Foundation's arithmetic does not make such
            // decimals, but its initializer for strings does.
            let zeros = String(repeating: "0", count: Int(number.exponent))
            let text = (number.isNegative ? "-" : "") + number.significand.decimal.description + zeros
            guard let value = Decimal(string: text), value.description == text else { return nil }
            self = value
        } else {
            return nil
        }
    }
}

/// The parts of a number in SQL syntax.
///
/// Source: <https://www.sqlite.org/syntax/numeric-literal.html>
private struct DecimalText {
    var isNegative = false

    /// The digits, without the zeros at either end.
    var significand = Significand.zero

    /// The exponent of the power of ten by which the significand is multiplied.
    var exponent: Int64 = 0

    /// Reads a whole string.
    ///
    /// - Returns: nil when the string is not a number, or has more digits than a significand can hold.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        isNegative = rest.skip("-")
        if !isNegative { _ = rest.skip("+") }
        guard readSignificand(&rest) else { return nil }
        if rest.skip("e") || rest.skip("E") {
            guard let power = Self.power(&rest) else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
    }

    /// Reads the digits before the exponent.
    ///
    /// - Returns: false if there are none, or more than a significand can hold.
    private mutating func readSignificand(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        // Zeros are added to the significand only when another digit follows, so that it never has zeros at its end.
        var waitingZeros: Int64 = 0
        var hasDigits = false
        var isFraction = false
        while true {
            if let digit = rest.readDigit() {
                hasDigits = true
                if isFraction { exponent -= 1 }
                if digit == 0 {
                    waitingZeros += 1
                    continue
                }
                if significand != .zero {
                    for _ in 0..<waitingZeros {
                        guard significand.append(0) else { return false }
                    }
                }
                waitingZeros = 0
                guard significand.append(digit) else { return false }
            } else if !isFraction, rest.skip(".") {
                isFraction = true
            } else {
                exponent += waitingZeros
                return hasDigits
            }
        }
    }

    /// Reads the number behind the "e".
    private static func power(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int64? {
        let isDivisor = rest.skip("-")
        if !isDivisor { _ = rest.skip("+") }
        guard let first = rest.readDigit() else { return nil }
        var power = Int64(first)
        while let digit = rest.readDigit() {
            // A string in SQLite has at most 2^31 bytes: its digits can't offset a larger power.
            if power < 1 << 32 { power = power * 10 + Int64(digit) }
        }
        return isDivisor ? -power : power
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func readDigit() -> UInt8? {
        guard let digit = first.map({ $0 &- UInt8(ascii: "0") }), digit < 10 else { return nil }
        removeFirst()
        return digit
    }
}

/// The digits of a decimal: an integer of 128 bits.
private struct Significand: Equatable {
    var high: UInt64
    var low: UInt64

    static let zero = Significand(high: 0, low: 0)

    /// Appends a digit.
    ///
    /// - Returns: false when the significand would exceed 128 bits.
    mutating func append(_ digit: UInt8) -> Bool {
        let low = low.multipliedFullWidth(by: 10)
        let (newLow, carry) = low.low.addingReportingOverflow(UInt64(digit))
        let high = high.multipliedReportingOverflow(by: 10)
        let (newHigh, overflow) = high.partialValue.addingReportingOverflow(low.high + (carry ? 1 : 0))
        if high.overflow || overflow { return false }
        self = Significand(high: newHigh, low: newLow)
        return true
    }

    /// The significand as a decimal. Products and sums of decimals are exact up to 128 bits.
    var decimal: Decimal {
        if high == 0 { return Decimal(low) }
        return Decimal(high) * (Decimal(UInt64.max) + 1) + Decimal(low)
    }
}
