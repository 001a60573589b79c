/// The line format of SQLite's shell: one line for each value.
///
/// ```swift
/// //    id = 1
/// //  name = Arthur
/// // score = 500
/// try db.dumpSQL("SELECT * FROM player", format: .line())
/// ```
///
/// Rows are separated by an empty line.
///
/// Source: <https://www.sqlite.org/cli.html#changing_output_formats>
public struct LineDumpFormat: DumpFormat, Sendable {
    /// The text that is printed for NULL.
    public var nullValue: String

    private var names: [String]?

    /// Creates a format.
    ///
    /// - Parameter nullValue: the text that is printed for NULL.
    public init(nullValue: String = "") {
        self.nullValue = nullValue
    }

    /// Writes a row.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let isFirstRow = names == nil
        let names = self.names ?? alignedNames(of: statement)
        self.names = names
        if !isFirstRow { stream.write("\n") }
        for (name, value) in zip(names, statement.values) {
            stream.write("\(name) = \(value.plainText(nullValue: nullValue))\n")
        }
    }

    /// Ends the rows of a statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        names = nil
    }

    private func alignedNames(of statement: Statement) -> [String] {
        let names = statement.columnNames
        // SQLite's shell reserves at least five columns.
        let width = max(5, names.map(\.displayWidth).max() ?? 0)
        return names.map { String(repeating: " ", count: width - $0.displayWidth) + $0 }
    }
}

extension DumpFormat where Self == LineDumpFormat {
    /// The line format of SQLite's shell: one line for each value. See ``LineDumpFormat``.
    ///
    /// - Parameter nullValue: the text that is printed for NULL.
    public static func line(nullValue: String = "") -> Self {
        LineDumpFormat(nullValue: nullValue)
    }
}
