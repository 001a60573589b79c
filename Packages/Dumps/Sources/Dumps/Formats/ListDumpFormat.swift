import Foundation

/// The list format of SQLite's shell: one line for each row.
///
/// ```swift
/// // id|name|score
/// // 1|Arthur|500
/// try db.dumpSQL("SELECT * FROM player", format: .list(header: true))
/// ```
///
/// The bytes of blobs are printed as UTF-8.
///
/// Source: <https://www.sqlite.org/cli.html#changing_output_formats>
public struct ListDumpFormat: DumpFormat, Sendable {
    /// Whether the column names are printed above the rows.
    public var header: Bool

    /// The text between two values.
    public var separator: String

    /// The text that is printed for NULL.
    public var nullValue: String

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - header: whether the column names are printed above the rows.
    ///   - separator: the text between two values.
    ///   - nullValue: the text that is printed for NULL.
    public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
    }

    /// Writes a row.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if header, isFirstRow { stream.write(statement.columnNames.joined(separator: separator) + "\n") }
        isFirstRow = false
        stream.write(statement.values.map { $0.plainText(nullValue: nullValue) }.joined(separator: separator) + "\n")
    }

    /// Ends the rows of a statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        isFirstRow = true
    }
}

extension DumpFormat where Self == ListDumpFormat {
    /// The list format of SQLite's shell: one line for each row. See ``ListDumpFormat``.
    ///
    /// - Parameters:
    ///   - header: whether the column names are printed above the rows.
    ///   - separator: the text between two values.
    ///   - nullValue: the text that is printed for NULL.
    public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// The value as a string without quotes, as SQLite's shell prints it.
    func plainText(nullValue: String) -> String {
        switch storage {
        case .null: nullValue
        case .int64(let integer): "\(integer)"
        case .double(let real): real.plainText
        case .string(let text): text
        case .blob(let data): String(decoding: data, as: UTF8.self)
        }
    }
}

extension Double {
    /// The number's shortest digits, or "Inf" and "-Inf", as SQLite's shell prints the infinities.
    var plainText: String { isFinite ? description : self < 0 ? "-Inf" : "Inf" }
}
