import Foundation
import SQLiteDriver

/// Decimals are stored as texts, with all their digits.
///
/// ```swift
/// // Stores '10.5'
/// try db.execute(sql: "INSERT INTO transfer VALUES (?)", arguments: [Decimal(string: "10.5")!])
/// ```
///
/// Their column should have the TEXT affinity, or none. SQLite turns texts that look like numbers into numbers in columns of
/// NUMERIC, INTEGER or REAL affinity (`DECIMAL(10, 5)` is of NUMERIC affinity), which may have fewer digits. Texts compare as
/// texts: `ORDER BY` puts '10.5' before '9'.
///
/// Source: <https://www.sqlite.org/datatype3.html#type_affinity>
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// The TEXT: digits, with a `-` before and a `.` between them if need be, in any locale.
    ///
    /// - Precondition: the decimal is not NaN. ``bindingValue()``, by which values are written, throws for it.
    public var databaseValue: DatabaseValue {
        if isNaN {
            fatalError("\(Self.notANumberMessage). Writing it to the database throws an error; bindingValue() does so too.")
        }
        return DatabaseValue(storage: .string(description))
    }

    /// The TEXT: digits, with a `-` before and a `.` between them if need be, in any locale.
    ///
    /// - Throws: a `DatabaseError` for NaN.
    public func bindingValue() throws -> DatabaseValue {
        if isNaN {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: Self.notANumberMessage)
        }
        return DatabaseValue(storage: .string(description))
    }

    private static var notANumberMessage: String { "Decimal.nan is not a number, and has no text in the database" }

    /// An INTEGER, the shortest decimal that stands for a REAL, or a TEXT that is a number from its first to its last byte:
    /// `10`, `-10.5`, `.5`, `1e3`.
    ///
    /// There is no value when a decimal can't hold all the digits of the number, which it does for 38 of them, and for
    /// exponents from -128 to 127.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let value): Decimal(value)
        case .double(let value): Decimal(databaseReal: value)
        case .string(var text): text.withUTF8 { Decimal(databaseText: UnsafeRawBufferPointer($0)) }
        case .null, .blob: nil
        }
    }

    /// An INTEGER, a REAL, or a TEXT, as ``fromDatabaseValue(_:)`` reads them.
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

// MARK: - Texts

extension Decimal {
    private init?(databaseReal real: Double) {
        // "inf" is no number for the other initializer.
        var text = real.description
        guard let value = text.withUTF8({ Decimal(databaseText: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = value
    }

    /// Reads a number.
    ///
    /// `Decimal(string:)` would do, if it did not ignore what follows the number, and the digits in excess.
    private init?(databaseText bytes: UnsafeRawBufferPointer) {
        guard let number = DecimalText(bytes) else { return nil }
        if number.significand == .zero {
            self = 0
        } else if number.exponent >= -128, number.exponent <= 127 {
            let sign: FloatingPointSign = number.isNegative ? .minus : .plus
            self.init(sign: sign, exponent: Int(number.exponent), significand: number.significand.decimal)
        } else if number.exponent > 127, number.exponent <= 127 + 38 {
            // A significand that takes up zeros holds a few numbers more: Foundation's arithmetic does not make such
            // decimals, but its initializer for texts does.
            let zeros = String(repeating: "0", count: Int(number.exponent))
            let text = (number.isNegative ? "-" : "") + number.significand.decimal.description + zeros
            guard let value = Decimal(string: text), value.description == text else { return nil }
            self = value
        } else {
            return nil
        }
    }
}

/// A number as SQL writes it, taken to pieces.
///
/// Source: <https://www.sqlite.org/syntax/numeric-literal.html>
private struct DecimalText {
    var isNegative = false

    /// The digits, without the zeros at either end.
    var significand = Significand.zero

    /// The power of ten that the significand is multiplied by.
    var exponent: Int64 = 0

    /// Reads a text to its last byte.
    ///
    /// - Returns: nil when it is no number, and when it has more digits than a significand holds.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        func skip(_ character: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == character else { return false }
            position += 1
            return true
        }
        func readDigit() -> UInt8? {
            guard position < bytes.count else { return nil }
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            position += 1
            return digit
        }

        isNegative = skip(UInt8(ascii: "-"))
        if !isNegative { _ = skip(UInt8(ascii: "+")) }

        // Zeros wait until another digit follows: those at the end never enter the significand.
        var waitingZeros: Int64 = 0
        var hasDigits = false
        var isFraction = false
        while true {
            if let digit = readDigit() {
                hasDigits = true
                if isFraction { exponent -= 1 }
                if digit == 0 {
                    waitingZeros += 1
                    continue
                }
                if significand != .zero {
                    for _ in 0..<waitingZeros {
                        guard significand.append(0) else { return nil }
                    }
                }
                waitingZeros = 0
                guard significand.append(digit) else { return nil }
            } else if !isFraction, skip(UInt8(ascii: ".")) {
                isFraction = true
            } else {
                break
            }
        }
        guard hasDigits else { return nil }
        exponent += waitingZeros

        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            let isDivisor = skip(UInt8(ascii: "-"))
            if !isDivisor { _ = skip(UInt8(ascii: "+")) }
            guard let first = readDigit() else { return nil }
            var power = Int64(first)
            while let digit = readDigit() {
                // SQLite's texts have at most 2^31 bytes: their digits can't make up for a power beyond that.
                if power < 1 << 32 { power = power * 10 + Int64(digit) }
            }
            exponent += isDivisor ? -power : power
        }
        guard position == bytes.count else { return nil }
    }
}

/// The digits of a decimal: an integer of 128 bits.
private struct Significand: Equatable {
    var high: UInt64
    var low: UInt64

    static let zero = Significand(high: 0, low: 0)

    /// Puts a digit after the others.
    ///
    /// - Returns: false when there is no room for it.
    mutating func append(_ digit: UInt8) -> Bool {
        let low = low.multipliedFullWidth(by: 10)
        let (newLow, carry) = low.low.addingReportingOverflow(UInt64(digit))
        let high = high.multipliedReportingOverflow(by: 10)
        let (newHigh, overflow) = high.partialValue.addingReportingOverflow(low.high + (carry ? 1 : 0))
        if high.overflow || overflow { return false }
        self = Significand(high: newHigh, low: newLow)
        return true
    }

    /// The same integer. Products and sums of decimals are exact up to 128 bits.
    var decimal: Decimal {
        if high == 0 { return Decimal(low) }
        return Decimal(high) * (Decimal(UInt64.max) + 1) + Decimal(low)
    }
}
