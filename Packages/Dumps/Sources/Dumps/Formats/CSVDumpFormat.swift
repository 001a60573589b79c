import Foundation

/// Comma-separated values.
///
/// ```swift
/// // id,name,score
/// // 1,"O'Brien, Arthur",500
/// try db.dumpSQL("SELECT * FROM player", format: .csv())
/// ```
///
/// Lines end with CR LF. A field is quoted if it contains a separator, a quote, a line break, or white space at one of its ends, or is a
/// string that looks like a number or a blob. NULL is an empty field without quotes, an empty string is `""`. Blobs are written as
/// `X'00FF'`, infinity as `9e999`. ``LoadedFile/csv(_:format:columns:)`` reads these files, and restores all
/// values exactly.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>
public struct CSVDumpFormat: DumpFormat, Sendable {
    /// Whether the first line contains the column names.
    public var header: Bool

    /// The character between two fields.
    public var separator: Character

    /// The field that stands for NULL, without quotes. Equal strings are quoted.
    public var nullValue: String

    /// How blobs are written.
    public var blobs: CSVFormat.BlobEncoding

    /// The columns that are written as text, by their names, regardless of case. Each dumped table or query must have them.
    public var columns: [String: DumpedColumn]

    private var texts: DumpedColumns?

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - header: whether the first line contains the column names.
    ///   - separator: the ASCII character between two fields, other than a quote or a line break.
    ///   - nullValue: the field that stands for NULL, without quotes.
    ///   - blobs: how blobs are written, for other programs. Without a mark, a blob looks like a string.
    ///   - columns: the columns that are written as text, such as UUIDs, dates and amounts.
    public init(
        header: Bool = true, separator: Character = ",", nullValue: String = "", blobs: CSVFormat.BlobEncoding = .marked,
        columns: [String: DumpedColumn] = [:]
    ) {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
        self.blobs = blobs
        self.columns = columns
    }

    /// Writes the column names.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISUSE` if the separator is not an ASCII character, is a quote or a line break, or
    ///   can occur in a number or a blob; if the null value needs quotes, or looks like a number or a blob; and if a column is missing.
    public mutating func prepare(_ db: Database, statement: Statement, table: String?, to stream: inout DumpStream) throws {
        try CSVFormat(separator: separator, nullValue: nullValue).check()
        guard !separator.isLetter, !separator.isNumber, !"+-.'".contains(separator) else {
            throw DatabaseError.misuse(
                "CSV fields can't be separated by \(separator.debugDescription), which can occur in a number or a blob")
        }
        guard DatabaseValue(number: nullValue) == nil, !nullValue.looksLikeBlobLiteral, nullValue.isEmpty || !needsQuotes(nullValue) else {
            throw DatabaseError.misuse("NULL can't be written as \(nullValue.debugDescription), which would be read as another value")
        }
        texts = columns.isEmpty ? nil : try DumpedColumns(columns, of: statement)
        if header { write(statement.columnNames.map { quotedIfNecessary($0) }, to: &stream) }
    }

    /// Writes a row.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISMATCH` for a string that is not valid UTF-8, and for a blob that is not valid
    ///   UTF-8 if ``blobs`` is ``CSVFormat/BlobEncoding/bytes``; and for a value of a column in ``columns`` that is of another kind.
    public func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let values = try statement.validValues()
        let fields = try values.indices.map { index in
            if let text = try texts?.text(values[index], at: index) { return quotedIfNecessary(text) }
            return try field(values[index])
        }
        write(fields, to: &stream)
    }

    private func write(_ fields: [String], to stream: inout DumpStream) {
        stream.write(fields.joined(separator: String(separator)) + "\r\n")
    }

    private func field(_ value: DatabaseValue) throws -> String {
        switch value.storage {
        case .null: return nullValue
        case .int64, .double: return quotedIfNecessary(value.sqlLiteral)
        case .string(let text):
            let looksLikeOther = DatabaseValue(number: text) != nil || text.looksLikeBlobLiteral
            return looksLikeOther ? text.quoted(with: UInt8(ascii: "\"")) : quotedIfNecessary(text)
        case .blob(let data):
            switch blobs {
            case .marked: return quotedIfNecessary(data.sqlLiteral)
            case .base64: return quotedIfNecessary(data.base64EncodedString())
            case .hexadecimal: return quotedIfNecessary(data.hexadecimal)
            case .bytes:
                if let text = String(validUTF8: data) { return quotedIfNecessary(text) }
                throw DatabaseError(
                    resultCode: .SQLITE_MISMATCH,
                    message: "a blob that is not valid UTF-8 can't be written as text",
                    advice: "Choose another encoding.")
            }
        }
    }

    private func quotedIfNecessary(_ text: String) -> String {
        text.isEmpty || text == nullValue || needsQuotes(text) ? text.quoted(with: UInt8(ascii: "\"")) : text
    }

    private func needsQuotes(_ text: String) -> Bool {
        text.first?.isWhitespace == true || text.last?.isWhitespace == true
            || text.unicodeScalars.first == "\u{FEFF}"  // which readers take for a byte order mark
            || text.utf8.contains {
                $0 == separator.asciiValue || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n")
            }
    }
}

extension DumpFormat where Self == CSVDumpFormat {
    /// Comma-separated values. See ``CSVDumpFormat``.
    ///
    /// - Parameters:
    ///   - header: whether the first line contains the column names.
    ///   - separator: the ASCII character between two fields, other than a quote or a line break.
    ///   - nullValue: the field that stands for NULL, without quotes.
    ///   - blobs: how blobs are written, for other programs. Without a mark, a blob looks like a string.
    ///   - columns: the columns that are written as text, such as UUIDs, dates and amounts.
    public static func csv(
        header: Bool = true, separator: Character = ",", nullValue: String = "", blobs: CSVFormat.BlobEncoding = .marked,
        columns: [String: DumpedColumn] = [:]
    ) -> Self {
        CSVDumpFormat(header: header, separator: separator, nullValue: nullValue, blobs: blobs, columns: columns)
    }
}
