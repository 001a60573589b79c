/// A number in a file that is being loaded, as it is written: `-12.50e3`.
///
/// Source: <https://www.sqlite.org/syntax/numeric-literal.html>
struct DecimalNumber: CustomStringConvertible {
    /// A number that a column can't hold.
    struct RangeError: Error, CustomStringConvertible {
        let description: String

        static let integer = RangeError(description: "the integer has more than 64 bits")
        static let real = RangeError(description: "the number is too large for a REAL")
    }

    /// The number without white space around it.
    private let text: Substring

    var description: String { String(text) }

    /// Whether the number has neither a point nor an exponent.
    private let isIntegerLiteral: Bool

    /// Reads a string that SQLite reads as a number; nil for other strings.
    init?(_ text: String) {
        var rest = text.utf8.drop(while: \.isSQLSpace)
        // Most strings begin with another character.
        guard let first = rest.first, first.isDigit || first.isSign || first == UInt8(ascii: ".") else { return nil }
        while rest.last?.isSQLSpace == true { rest.removeLast() }
        self.text = Substring(rest)

        if first.isSign { rest.removeFirst() }
        var digitCount = rest.removeDigits()
        isIntegerLiteral = rest.isEmpty
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            digitCount += rest.removeDigits()
        }
        if digitCount == 0 { return nil }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first?.isSign == true { rest.removeFirst() }
            if rest.removeDigits() == 0 { return nil }
        }
        if !rest.isEmpty { return nil }
    }

    /// The number, if it is an integer of 64 bits. Its notation does not matter: `1.5e1` is 15.
    private var integer: Int64? {
        if isIntegerLiteral { return Int64(text) }
        let parts = text.utf8.split(omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        let significand = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let fractionCount = significand.count > 1 ? significand[1].count : 0
        var digits = parts[0].filter(\.isDigit).drop { $0 == UInt8(ascii: "0") }
        if digits.isEmpty { return 0 }
        // An exponent that is not an Int32 is far beyond the exponents of integers.
        guard let power = parts.count > 1 ? Int32(Substring(parts[1])) : 0 else { return nil }
        let exponent = Int(power) - fractionCount
        for _ in exponent..<max(exponent, 0) where digits.popLast() != UInt8(ascii: "0") { return nil }
        guard digits.count + max(exponent, 0) <= 19 else { return nil }
        digits += Array(repeating: UInt8(ascii: "0"), count: max(exponent, 0))
        return Int64((text.first == "-" ? "-" : "") + String(decoding: digits, as: UTF8.self))
    }

    /// Returns the value that stands for the number in a column.
    ///
    /// A column of REAL affinity holds the nearest real number. A column of INTEGER or NUMERIC affinity holds integers exactly. In columns
    /// without a type, the notation decides, as in SQL.
    ///
    /// - Throws: ``RangeError``.
    func value(for affinity: ColumnAffinity) throws(RangeError) -> DatabaseValue {
        switch affinity {
        case .text: return DatabaseValue(storage: .string(String(text)))
        case .real: break
        case .integer, .numeric, .blob:
            if isIntegerLiteral || affinity != .blob, let integer { return DatabaseValue(storage: .int64(integer)) }
            if isIntegerLiteral { throw .integer }
        }
        // SQLite does not convert the string, because older versions read some digits as a neighbouring number.
        guard let real = Double(text), real.isFinite else { throw .real }
        return DatabaseValue(storage: .double(real))
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isSign: Bool { self == UInt8(ascii: "+") || self == UInt8(ascii: "-") }
    fileprivate var isSQLSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0D).contains(self) }
}

extension Substring.UTF8View {
    /// Removes the digits at the beginning, and returns their number.
    fileprivate mutating func removeDigits() -> Int {
        let digits = prefix(while: \.isDigit)
        self = self[digits.endIndex...]
        return digits.count
    }
}
