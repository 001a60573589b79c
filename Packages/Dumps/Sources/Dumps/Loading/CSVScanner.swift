/// Records of a CSV file, with the bytes of their fields one after the other.
struct CSVRecords: Sendable {
    struct Field: Sendable {
        var range: Range<Int>
        var isQuoted: Bool
    }

    struct Record: Sendable {
        var fields: Range<Int>

        /// The number of the line in which the record begins, from 1.
        var line: Int

        /// Whether the record could not be read. Its only field is its text.
        var isBroken = false
    }

    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var fields: [Field] = []
    fileprivate(set) var records: [Record] = []

    /// Why records can't be loaded, by their indexes.
    fileprivate(set) var errors: [Int: LoadError] = [:]

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
        errors.removeAll()
    }

    mutating func removeLast() {
        let record = records.removeLast()
        errors[records.count] = nil
        if let first = record.fields.first { bytes.removeSubrange(fields[first].range.lowerBound...) }
        fields.removeSubrange(record.fields)
    }

    /// Marks the last record as one that can't be loaded.
    mutating func failLast(_ error: LoadError) { errors[records.count - 1] = error }

    /// The text of a field, which is valid UTF-8 unless its record has an error.
    func text(_ field: Field) -> String { String(decoding: bytes[field.range], as: UTF8.self) }

    /// The text of a record, as it is in the file. A record that can't be read becomes one field in quotes.
    func text(ofRecord index: Int, separator: UInt8, quote: UInt8) -> String {
        let record = records[index]
        var text: [UInt8] = []
        for (position, field) in fields[record.fields].enumerated() {
            if position > 0 { text.append(separator) }
            if field.isQuoted || record.isBroken {
                text += self.text(field).quoted(with: quote).utf8
            } else {
                text += bytes[field.range]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Reads records from CSV.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>. Beyond it, lines may end with LF or CR alone, quotes inside a field that does not begin
/// with one stand for themselves, and the last line needs no end.
struct CSVScanner {
    private enum Scan {
        /// - Parameter next: the index of the next record.
        case record(next: Int)

        /// The record may continue after the bytes.
        case incomplete

        /// - Parameter end: the index after the broken text.
        case broken(end: Int, next: Int, message: String, advice: String?)

        /// The index after what is known to belong to the record.
        func end(_ bytes: [UInt8]) -> Int {
            switch self {
            case .record(let next), .broken(_, let next, _, _): next
            case .incomplete: bytes.count
            }
        }
    }

    private(set) var source: SourceBytes
    private let separator: UInt8
    private let quote: UInt8
    private let maximumRecordSize: Int

    /// The number of the line in which the next record begins, from 1.
    private(set) var line = 1

    /// Whether empty lines are skipped.
    var skipsEmptyLines = false

    init(_ source: TextSource, _ format: CSVFormat, isChecked: Bool = false) throws {
        try format.check()
        separator = format.separator.asciiValue ?? UInt8(ascii: ",")
        quote = format.quoteByte
        maximumRecordSize = format.maximumRecordSize
        self.source = try SourceBytes(source, isChecked: isChecked)
        for _ in 0..<max(0, format.skippedLineCount) { try skipLine() }
    }

    /// Whether no records follow. It may read a chunk.
    mutating func isAtEnd() throws -> Bool { try source.isAtEnd() }

    /// Continues at a record: see ``SourceBytes/skip(to:)``.
    mutating func skip(to offset: Int, line: Int) throws -> Bool {
        self.line = line
        return try source.skip(to: offset)
    }

    mutating func checksumOfUsedBytes() -> Int64 { source.checksumOfUsedBytes() }

    /// Adds the next record, which may have an error.
    ///
    /// - Returns: false at the end.
    /// - Throws: ``LoadError`` if the record has more bytes than the maximum; the error of the source.
    mutating func read(into records: inout CSVRecords) throws -> Bool {
        while try !source.isAtEnd() {
            if skipsEmptyLines, try skipEmptyLine() { continue }
            var lineBreaks = 0
            var nonASCII: UInt8 = 0
            let firstField = records.fields.count
            let shift = records.bytes.count - source.position
            let scan = Self.scan(
                source.bytes, from: source.position, isRead: source.isRead, separator: separator, quote: quote, shift: shift,
                fields: &records.fields, lineBreaks: &lineBreaks, nonASCII: &nonASCII)
            guard scan.end(source.bytes) - source.position <= maximumRecordSize else {
                throw LoadError(
                    line: line, column: nil, message: "the record has more than \(maximumRecordSize.counted("byte"))",
                    advice: "A quote may have no closing quote.")
            }
            switch scan {
            case .incomplete:
                records.fields.removeSubrange(firstField...)
                try source.fill()
                continue
            case .record(let next):
                records.append(source.bytes[source.position..<next], line: line, firstField: firstField, quote: quote)
                if nonASCII >= 0x80, String(validUTF8: source.bytes[source.position..<next]) == nil { records.failLastAsInvalid() }
                source.position = next
            case .broken(let end, let next, let message, let advice):
                records.append(broken: source.bytes[source.position..<end], line: line, firstField: firstField, message, advice: advice)
                source.position = next
            }
            line += lineBreaks
            return true
        }
        return false
    }

    /// Skips a line, whatever it contains.
    private mutating func skipLine() throws {
        let end = try source.endOfLine()
        source.position = end
        if end < source.bytes.count { _ = try skipEmptyLine() }
    }

    private mutating func skipEmptyLine() throws -> Bool {
        let first = source.bytes[source.position]
        guard first == UInt8(ascii: "\n") || first == UInt8(ascii: "\r") else { return false }
        if first == UInt8(ascii: "\r"), source.position + 1 == source.bytes.count { try source.fill() }
        let isPair = first == UInt8(ascii: "\r") && source.position + 1 < source.bytes.count
        source.position += isPair && source.bytes[source.position + 1] == UInt8(ascii: "\n") ? 2 : 1
        line += 1
        return true
    }

    /// Finds the fields of a record.
    ///
    /// The functions that it calls are inlined, so that the bytes are read in one loop without calls.
    ///
    /// - Parameters:
    ///   - isRead: whether no bytes follow.
    ///   - shift: what to add to the indexes of fields.
    ///   - lineBreaks: the number of line breaks up to the next record.
    ///   - nonASCII: at least 0x80 if a byte is.
    private static func scan(
        _ bytes: [UInt8], from start: Int, isRead: Bool, separator: UInt8, quote: UInt8, shift: Int, fields: inout [CSVRecords.Field],
        lineBreaks: inout Int, nonASCII: inout UInt8
    ) -> Scan {
        let count = bytes.count
        var index = start
        while true {
            if index < count, bytes[index] == quote {
                index += 1
                let fieldStart = index
                let isClosed = skipQuoted(bytes, &index, quote, isRead: isRead, &lineBreaks, &nonASCII)
                if !isClosed, !isRead { return .incomplete }
                fields.append(CSVRecords.Field(range: (fieldStart + shift)..<(index + shift), isQuoted: true))
                if !isClosed { return .broken(end: count, next: count, message: "has no closing quote", advice: adviceAboutQuotes) }
                index += 1
            } else {
                let fieldStart = index
                skipPlain(bytes, &index, upTo: separator, &nonASCII)
                fields.append(CSVRecords.Field(range: (fieldStart + shift)..<(index + shift), isQuoted: false))
            }
            guard index < count else { return isRead ? .record(next: count) : .incomplete }
            guard bytes[index] == separator else { return endOfRecord(bytes, index, isRead: isRead, &lineBreaks, &nonASCII) }
            index += 1
            // An empty field at the end of the source.
            if index == count, !isRead { return .incomplete }
        }
    }

    /// Moves to the quote at the end of a field, past doubled quotes.
    ///
    /// - Returns: false if the bytes end first, or if the bytes that follow may double the quote.
    @inline(__always)
    private static func skipQuoted(
        _ bytes: [UInt8], _ index: inout Int, _ quote: UInt8, isRead: Bool, _ lineBreaks: inout Int, _ nonASCII: inout UInt8
    ) -> Bool {
        var isAfterReturn = false
        while index < bytes.count {
            let byte = bytes[index]
            nonASCII |= byte
            if byte == quote {
                guard index + 1 < bytes.count else { return isRead }
                if bytes[index + 1] != quote { return true }
                index += 1
            } else if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n"), !(byte == UInt8(ascii: "\n") && isAfterReturn) {
                lineBreaks += 1
            }
            isAfterReturn = byte == UInt8(ascii: "\r")
            index += 1
        }
        return false
    }

    /// Moves to the end of a field without quotes, or of a line.
    @inline(__always)
    private static func skipPlain(_ bytes: [UInt8], _ index: inout Int, upTo separator: UInt8, _ nonASCII: inout UInt8) {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return }
            nonASCII |= byte
            index += 1
        }
    }

    /// The end of a record, whose last field ends at an index. If it does not end its line, the next record begins in the next line.
    @inline(__always)
    private static func endOfRecord(
        _ bytes: [UInt8], _ start: Int, isRead: Bool, _ lineBreaks: inout Int, _ nonASCII: inout UInt8
    ) -> Scan {
        var index = start
        skipPlain(bytes, &index, upTo: UInt8(ascii: "\n"), &nonASCII)
        let end = index
        if index < bytes.count {
            lineBreaks += 1
            if bytes[index] == UInt8(ascii: "\r") {
                if index + 1 == bytes.count, !isRead { return .incomplete }
                if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") { index += 1 }
            }
            index += 1
        } else if !isRead {
            return .incomplete
        }
        if end == start { return .record(next: index) }
        return .broken(end: end, next: index, message: "must end at its closing quote", advice: adviceAboutQuotes)
    }

    private static let adviceAboutQuotes = "Double the quotes inside the field, or set another quote character."
}

extension CSVRecords {
    /// Adds a record, whose fields are known.
    @inline(__always)
    fileprivate mutating func append(_ text: ArraySlice<UInt8>, line: Int, firstField: Int, quote: UInt8) {
        bytes.append(contentsOf: text)
        records.append(Record(fields: firstField..<fields.count, line: line))
        removeEscapes(ofFields: firstField..., quote: quote)
    }

    /// Adds a record that could not be read: its text becomes its only field.
    fileprivate mutating func append(broken text: ArraySlice<UInt8>, line: Int, firstField: Int, _ message: String, advice: String?) {
        let field = fields.count - firstField
        let start = bytes.count
        fields.removeSubrange(firstField...)
        bytes.append(contentsOf: text)
        fields.append(Field(range: start..<bytes.count, isQuoted: false))
        records.append(Record(fields: firstField..<(firstField + 1), line: line, isBroken: true))
        failLast(LoadError(line: line, column: nil, message: "field \(field) \(message)", advice: advice))
    }

    /// Marks the last record, of which a field is not valid UTF-8.
    fileprivate mutating func failLastAsInvalid() {
        let record = records[records.count - 1]
        let invalid = fields[record.fields].firstIndex { String(validUTF8: bytes[$0.range]) == nil } ?? record.fields.lowerBound
        failLast(
            LoadError(
                line: record.line, column: nil, message: "field \(invalid - record.fields.lowerBound + 1) is not valid UTF-8",
                advice: "If the file has another encoding, give it: TextSource.decoding(_:), --encoding latin1."))
    }

    /// Makes doubled quotes in quoted fields single ones.
    fileprivate mutating func removeEscapes(ofFields indexes: PartialRangeFrom<Int>, quote: UInt8) {
        for index in indexes.relative(to: fields) where fields[index].isQuoted {
            let range = fields[index].range
            guard let first = bytes[range].firstIndex(of: quote) else { continue }
            var end = first
            var next = first
            while next < range.upperBound {
                bytes[end] = bytes[next]
                // A quote is followed by another one.
                next += bytes[next] == quote ? 2 : 1
                end += 1
            }
            fields[index].range = range.lowerBound..<end
        }
    }
}
