import Foundation

/// Binds the fields of a column as values.
///
/// It is a class because a structure with these properties would be copied for each field.
final class FieldConversion {
    private enum Kind {
        /// TEXT, where blobs are marked.
        case text
        /// INTEGER or NUMERIC affinity, where blobs are marked.
        case integer
        /// REAL affinity, where blobs are marked.
        case real
        /// A type that was found in the file.
        case foundInteger, foundReal
        /// Anything else.
        case other
    }

    let column: String
    private let target: LoadTargets.Target
    private let nullBytes: [UInt8]
    private let blobs: CSVFormat.BlobEncoding
    private let conversion: LoadedColumn?

    /// Whether the type of the column was found in the file: other fields don't fit, as SQLite would change their digits.
    private let isTypeFound: Bool

    private let kind: Kind

    init(_ column: String, format: CSVFormat, target: LoadTargets.Target, conversion: LoadedColumn?, isTypeFound: Bool) {
        self.column = column
        self.target = target
        self.conversion = conversion
        self.isTypeFound = isTypeFound && conversion?.isAutomatic != false
        nullBytes = Array(format.nullValue.utf8)
        blobs = format.blobs
        guard conversion == nil, blobs == .marked else {
            kind = .other
            return
        }
        switch target.affinity {
        case .text: kind = .text
        case .integer: kind = self.isTypeFound ? .foundInteger : .integer
        case .numeric: kind = self.isTypeFound ? .other : .integer
        case .real: kind = self.isTypeFound ? .foundReal : .real
        case .blob: kind = .other
        }
    }

    /// Binds a field to a parameter.
    ///
    /// The usual fields are bound without a `String`.
    func bind(_ records: CSVRecords, _ field: CSVRecords.Field, to statement: Statement, at index: Int, line: Int) throws {
        let range = field.range
        if records.bytes.isNull(field, nullBytes) { return try statement.bind(.null, at: index) }
        switch kind {
        case .text:
            if !records.bytes.mayBeBlob(field) { return try statement.bind(text: records.bytes, range, at: index) }
        case .integer:
            if let integer = records.bytes.integer(range) { return try statement.bind(DatabaseValue(storage: .int64(integer)), at: index) }
        case .foundInteger:
            if !field.isQuoted, let integer = records.bytes.canonicalInteger(range) {
                return try statement.bind(DatabaseValue(storage: .int64(integer)), at: index)
            }
        case .foundReal:
            if !field.isQuoted, let real = records.bytes.canonicalReal(range) {
                return try statement.bind(DatabaseValue(storage: .double(real)), at: index)
            }
        case .real:
            if let real = records.bytes.real(range) { return try statement.bind(DatabaseValue(storage: .double(real)), at: index) }
        case .other: break
        }
        try statement.bind(value(records.text(field), isQuoted: field.isQuoted, line: line), at: index)
    }

    /// Returns the value of a field that is not NULL.
    private func value(_ text: String, isQuoted: Bool, line: Int) throws -> DatabaseValue {
        if let value = try conversion?.value(text, line: line, column: column) { return value }
        if blobs == .marked {
            if !isQuoted, let data = Data(blobLiteral: text) { return DatabaseValue(storage: .blob(data)) }
        } else if target.isBlob {
            return DatabaseValue(storage: .blob(try blobs.decode(text, line: line, column: column)))
        }
        if isTypeFound, target.affinity != .text, target.affinity != .blob {
            if !isQuoted, let number = DatabaseValue(number: text), number.fits(target.affinity) { return number }
            throw LoadError(
                line: line, column: column, message: "the field does not fit the type that was found for the new column",
                advice: "Give the type of the column.")
        }
        switch target.affinity {
        case .text: break
        case .blob:
            if !isQuoted, let number = DatabaseValue(number: text) { return number }
        case .integer, .real, .numeric:
            if let infinity = DatabaseValue(infinity: text) { return infinity }
            do {
                if let number = try DecimalNumber(text)?.value(for: target.affinity) { return number }
            } catch {
                throw LoadError(line: line, column: column, message: "\(error)")
            }
        }
        return DatabaseValue(storage: .string(text))
    }
}

extension [UInt8] {
    /// Whether a field stands for NULL.
    ///
    /// - Parameter nullBytes: the bytes of the format's null value.
    @inline(__always)
    func isNull(_ field: CSVRecords.Field, _ nullBytes: [UInt8]) -> Bool {
        guard !field.isQuoted, field.range.count == nullBytes.count else { return false }
        return nullBytes.isEmpty || self[field.range].elementsEqual(nullBytes)
    }

    /// Whether a field begins like a marked blob: `X'00FF'`.
    @inline(__always)
    func mayBeBlob(_ field: CSVRecords.Field) -> Bool {
        !field.isQuoted && self[field.range].first.map { $0 | 0x20 } == UInt8(ascii: "x")
    }

    /// Reads an integer of up to 18 digits; nil for other bytes.
    func integer(_ range: Range<Int>) -> Int64? {
        var index = range.lowerBound
        let isNegative = index < range.upperBound && self[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        guard (1...18).contains(range.upperBound - index) else { return nil }
        var integer: Int64 = 0
        while index < range.upperBound {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            integer = 10 * integer + Int64(digit)
            index += 1
        }
        return isNegative ? -integer : integer
    }

    /// Reads an integer of up to 18 digits in the form in which it is written again; nil for other bytes, such as `007`.
    func canonicalInteger(_ range: Range<Int>) -> Int64? {
        guard let integer = integer(range) else { return nil }
        let digits = self[range].drop { $0 == UInt8(ascii: "-") }
        return digits.first != UInt8(ascii: "0") || range.count == 1 ? integer : nil
    }

    /// Reads a decimal number of up to 15 digits without an exponent; nil for other bytes.
    ///
    /// The digits are an integer below 2⁵³, and the power of ten is exact, too: so the quotient is the nearest real number.
    func real(_ range: Range<Int>) -> Double? {
        var index = range.lowerBound
        let isNegative = index < range.upperBound && self[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        guard (1...16).contains(range.upperBound - index) else { return nil }
        var digits: Int64 = 0
        var digitCount = 0
        var point: Int?
        while index < range.upperBound {
            let byte = self[index]
            index += 1
            if byte == UInt8(ascii: "."), point == nil, digitCount > 0 {
                point = digitCount
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            digits = 10 * digits + Int64(digit)
            digitCount += 1
        }
        guard (1...15).contains(digitCount), point != digitCount else { return nil }
        let real = Double(digits) / Self.powersOfTen[digitCount - (point ?? digitCount)]
        return isNegative ? -real : real
    }

    /// Reads a number with a fraction, of up to 15 digits, in the form in which it is written again; nil for other bytes, such as `1.10`.
    ///
    /// Up to 15 digits are those of the nearest real number: <https://www.sqlite.org/floatingpoint.html>
    func canonicalReal(_ range: Range<Int>) -> Double? {
        guard let real = real(range), let point = self[range].firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let whole = self[range.lowerBound..<point].drop { $0 == UInt8(ascii: "-") }
        let isShortest = self[range.upperBound - 1] != UInt8(ascii: "0") || range.upperBound - point == 2
        // Smaller numbers are written with an exponent.
        guard isShortest, whole.first != UInt8(ascii: "0") || whole.count == 1, real == 0 || abs(real) >= 1e-4 else { return nil }
        return real
    }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]
}

extension CSVFormat.BlobEncoding {
    /// Reads a blob that is not marked.
    func decode(_ text: String, line: Int, column: String) throws -> Data {
        switch self {
        case .marked, .bytes: return Data(text.utf8)
        case .base64:
            if let data = Data(base64Encoded: text) { return data }
            throw LoadError(line: line, column: column, message: "the blob is not valid base64")
        case .hexadecimal:
            if let data = Data(hexadecimal: text.utf8[...]) { return data }
            throw LoadError(line: line, column: column, message: "the blob is not valid hexadecimal")
        }
    }
}

extension DatabaseValue {
    /// Reads a number in the form in which ``DatabaseValue/csvNumber`` writes it; nil for other strings, such as `007` and `1.10`.
    init?(number text: String) {
        // Most strings begin with another character.
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return nil
        }
        guard let value = Self(infinity: text) ?? (try? DecimalNumber(text)?.value(for: .blob)), value.csvNumber == text else { return nil }
        self = value
    }

    /// Reads an infinity in the form in which ``DatabaseValue/csvNumber`` writes it; nil for other strings.
    fileprivate init?(infinity text: String) {
        guard let infinity = [Double.infinity, -.infinity].first(where: { $0.sqlLiteral == text }) else { return nil }
        self.init(storage: .double(infinity))
    }

    /// The number in CSV; nil for values that are not numbers. SQLite also reads 9e999 as infinity.
    var csvNumber: String? { isNumber ? sqlLiteral : nil }

    /// Whether a column of an affinity stores a number as it is.
    fileprivate func fits(_ affinity: ColumnAffinity) -> Bool {
        switch (storage, affinity) {
        case (.int64, .integer), (.int64, .numeric), (.double, .real): true
        case (.double(let real), .numeric): real != real.rounded()
        default: false
        }
    }
}

extension Data {
    /// Reads a blob that is written as `X'00FF'`; nil for other strings.
    init?(blobLiteral text: String) {
        let bytes = text.utf8
        guard text.looksLikeBlobLiteral, bytes.count >= 3, bytes.last == UInt8(ascii: "'") else { return nil }
        self.init(hexadecimal: bytes.dropFirst(2).dropLast())
    }

    /// Reads hexadecimal digits; nil for other strings.
    fileprivate init?(hexadecimal digits: Substring.UTF8View) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for byte in digits {
            guard let digit = byte.hexadecimalDigit else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.init(bytes)
    }
}

extension String {
    /// Whether the string begins like `X'00FF'`.
    var looksLikeBlobLiteral: Bool { utf8.starts(with: "X'".utf8) || utf8.starts(with: "x'".utf8) }
}

extension UInt8 {
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
