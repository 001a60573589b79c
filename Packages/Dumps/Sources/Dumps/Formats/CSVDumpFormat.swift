import Foundation

/// Comma-separated values.
///
/// ```swift
/// // id,name,score
/// // 1,"O'Brien, Arthur",500
/// try db.dumpSQL("SELECT * FROM player", format: .csv())
/// ```
///
/// Lines end with CR LF. A field is quoted if it contains a separator, a quote, a line break, or white space at one of its ends. NULL is an
/// empty field without quotes, an empty text is `""`. Blobs are written as base64. ``Database/load(csv:into:format:columns:onConflict:progress:)``
/// reads these files.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>
public struct CSVDumpFormat: DumpFormat, Sendable {
    /// Whether the first line contains the column names.
    public var header: Bool

    /// The character between two fields.
    public var separator: Character

    /// The field that stands for NULL, without quotes. Equal texts are quoted.
    public var nullValue: String

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - header: whether the first line contains the column names.
    ///   - separator: the ASCII character between two fields, other than a quote or a line break.
    ///   - nullValue: the field that stands for NULL, without quotes.
    public init(header: Bool = true, separator: Character = ",", nullValue: String = "") {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
    }

    /// Writes the column names.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISUSE` if the separator is no ASCII character, a quote or a line break.
    public func prepare(_ db: Database, statement: Statement, table: String?, to stream: inout DumpStream) throws {
        try CSVFormat(separator: separator, nullValue: nullValue).check()
        if header { write(statement.columnNames.map { quotedIfNecessary($0) }, to: &stream) }
    }

    /// Writes a row.
    public func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        write(statement.values.map(field), to: &stream)
    }

    /// Does nothing.
    public func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}

    private func write(_ fields: [String], to stream: inout DumpStream) {
        stream.write(fields.joined(separator: String(separator)) + "\r\n")
    }

    private func field(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: nullValue
        case .int64(let integer): quotedIfNecessary("\(integer)")
        case .double(let real): quotedIfNecessary(real.plainText)
        case .string(let text): quotedIfNecessary(text)
        case .blob(let data): quotedIfNecessary(data.base64EncodedString())
        }
    }

    private func quotedIfNecessary(_ text: String) -> String {
        let needsQuotes =
            text.isEmpty || text == nullValue || text.first!.isWhitespace || text.last!.isWhitespace
            || text.unicodeScalars.first == "\u{FEFF}"  // which readers take for a byte order mark
            || text.utf8.contains {
                $0 == separator.asciiValue || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n")
            }
        return needsQuotes ? text.quoted(with: UInt8(ascii: "\"")) : text
    }
}

extension DumpFormat where Self == CSVDumpFormat {
    /// Comma-separated values. See ``CSVDumpFormat``.
    ///
    /// - Parameters:
    ///   - header: whether the first line contains the column names.
    ///   - separator: the ASCII character between two fields, other than a quote or a line break.
    ///   - nullValue: the field that stands for NULL, without quotes.
    public static func csv(header: Bool = true, separator: Character = ",", nullValue: String = "") -> Self {
        CSVDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}
