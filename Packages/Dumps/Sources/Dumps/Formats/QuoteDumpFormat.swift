/// The quote format of SQLite's shell: one line for each row, with values as SQL literals.
///
/// ```swift
/// // 1,'Arthur',500
/// // 2,'Barbara',NULL
/// try db.dumpSQL("SELECT * FROM player", format: .quote())
/// ```
///
/// Source: <https://www.sqlite.org/cli.html#changing_output_formats>
public struct QuoteDumpFormat: DumpFormat, Sendable {
    /// Whether the column names are printed above the rows.
    public var header: Bool

    /// The text between two values.
    public var separator: String

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - header: whether the column names are printed above the rows.
    ///   - separator: the text between two values.
    public init(header: Bool = false, separator: String = ",") {
        self.header = header
        self.separator = separator
    }

    /// Writes a row.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if header, isFirstRow {
            stream.write(statement.columnNames.map(\.sqlLiteral).joined(separator: separator) + "\n")
        }
        isFirstRow = false
        stream.write(statement.values.map(\.sqlLiteral).joined(separator: separator) + "\n")
    }

    /// Ends the rows of a statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        isFirstRow = true
    }
}

extension DumpFormat where Self == QuoteDumpFormat {
    /// The quote format of SQLite's shell: one line for each row, with values as SQL literals. See ``QuoteDumpFormat``.
    ///
    /// - Parameters:
    ///   - header: whether the column names are printed above the rows.
    ///   - separator: the text between two values.
    public static func quote(header: Bool = false, separator: String = ",") -> Self {
        QuoteDumpFormat(header: header, separator: separator)
    }
}
