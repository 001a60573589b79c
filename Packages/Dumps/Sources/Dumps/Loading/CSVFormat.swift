/// How the fields of a CSV file are written.
///
/// ```swift
/// try db.load(
///     csv: .file(url), into: "player",
///     format: CSVFormat(separator: ";", nullValue: "NULL"))
/// ```
public struct CSVFormat: Sendable {
    /// How blobs are written.
    public enum BlobEncoding: Sendable {
        /// In a form that no string has, which distinguishes the blobs and strings of a column: in CSV as `X'00FF'` without quotes, in JSON
        /// as `{"$base64":"AP8="}`. Dumps write blobs in this form.
        case marked

        /// As base64.
        case base64

        /// As hexadecimal digits.
        case hexadecimal

        /// As UTF-8: the bytes of the field are the blob.
        case bytes
    }

    /// The character between two fields.
    public var separator: Character

    /// The field that stands for NULL, unless it is quoted.
    public var nullValue: String

    /// How blobs are written. With an encoding other than ``BlobEncoding/marked``, all values of columns with the declared type `BLOB` are
    /// blobs.
    public var blobs: BlobEncoding

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - separator: the ASCII character between two fields, other than a quote or a line break.
    ///   - nullValue: the field that stands for NULL, unless it is quoted.
    ///   - blobs: how blobs are written. With an encoding other than ``BlobEncoding/marked``, all values of columns with the declared type
    ///     `BLOB` are blobs.
    public init(separator: Character = ",", nullValue: String = "", blobs: BlobEncoding = .marked) {
        self.separator = separator
        self.nullValue = nullValue
        self.blobs = blobs
    }

    /// Checks the separator.
    func check() throws {
        guard let byte = separator.asciiValue, byte != 0, !["\"", "\r", "\n", "\r\n"].contains(separator) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "CSV fields can't be separated by \(separator.debugDescription)",
                advice: "Use an ASCII character other than a quote or a line break.")
        }
    }
}

/// Reads records from CSV.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>. Beyond it, lines may end with LF or CR alone, quotes inside a field that does not begin
/// with one stand for themselves, and the last line needs no end.
struct CSVReader {
    /// A field of a record.
    struct Field: Equatable {
        var text: String
        var isQuoted: Bool
    }

    private var bytes: ByteReader
    private let separator: UInt8

    /// The number of the line in which the last record begins, from 1.
    private(set) var line = 1

    var byteCount: Int { bytes.byteCount }

    init(_ source: TextSource, _ format: CSVFormat) throws {
        try format.check()
        separator = format.separator.asciiValue ?? UInt8(ascii: ",")
        bytes = try ByteReader(source)
    }

    /// Returns the next record, or nil at the end.
    mutating func next() throws -> [Field]? {
        line = bytes.line
        guard try bytes.peek() != nil else { return nil }
        var fields: [Field] = []
        while true {
            fields.append(try nextField())
            guard let byte = try bytes.read() else { return fields }
            if byte == separator { continue }
            if byte == UInt8(ascii: "\r"), try bytes.peek() == UInt8(ascii: "\n") { _ = try bytes.read() }
            return fields
        }
    }

    private mutating func nextField() throws -> Field {
        var text: [UInt8] = []
        let isQuoted = try bytes.peek() == UInt8(ascii: "\"")
        if isQuoted {
            let start = bytes.line
            _ = try bytes.read()
            while true {
                guard let byte = try bytes.read() else {
                    throw LoadError(line: start, column: nil, message: "the quoted field has no closing quote")
                }
                if byte != UInt8(ascii: "\"") {
                    text.append(byte)
                } else if try bytes.peek() == UInt8(ascii: "\"") {
                    text.append(byte)
                    _ = try bytes.read()
                } else {
                    break
                }
            }
            if let byte = try bytes.peek(), !endsField(byte) {
                throw LoadError(
                    line: bytes.line, column: nil,
                    message: "a quoted field must end at its closing quote", advice: "Double the quotes inside the field.")
            }
        } else {
            while let byte = try bytes.peek(), !endsField(byte) {
                text.append(byte)
                _ = try bytes.read()
            }
        }
        guard let text = String(validUTF8: text) else {
            throw LoadError(line: bytes.line, column: nil, message: "the field is not valid UTF-8")
        }
        return Field(text: text, isQuoted: isQuoted)
    }

    private func endsField(_ byte: UInt8) -> Bool {
        byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
