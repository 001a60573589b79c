import Foundation

/// A format for debugging: one line for each row.
///
/// ```swift
/// // 1|Arthur|500
/// // 2|Barbara|
/// try db.dumpSQL("SELECT * FROM player", format: .debug())
/// ```
///
/// Strings are printed as they are. Blobs that contain UTF-8 are printed as strings, other blobs as SQL literals. This is the default
/// format. It may change, so don't parse it.
public struct DebugDumpFormat: DumpFormat, Sendable {
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
        stream.write(statement.values.map(text).joined(separator: separator) + "\n")
    }

    /// Ends the rows of a statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        isFirstRow = true
    }

    private func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: nullValue
        case .int64, .double: value.sqlLiteral
        case .string(let text): text
        case .blob(let data): data.isEmpty ? data.sqlLiteral : String(data: data, encoding: .utf8) ?? data.sqlLiteral
        }
    }
}

extension DumpFormat where Self == DebugDumpFormat {
    /// A format for debugging: one line for each row, with values separated by `|`. See ``DebugDumpFormat``.
    ///
    /// - Parameters:
    ///   - header: whether the column names are printed above the rows.
    ///   - separator: the text between two values.
    ///   - nullValue: the text that is printed for NULL.
    public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension Statement {
    /// The values of the current row.
    var values: [DatabaseValue] { (0..<columnCount).map(databaseValue(at:)) }
}
