/// A table in Markdown.
///
/// ```swift
/// // | id | name |
/// // | ---: | --- |
/// // | 1 | Arthur |
/// try db.dumpSQL("SELECT id, name FROM player", format: .markdown())
/// ```
///
/// A column whose first value is a number is aligned to the right. Line breaks are written as `<br>`, and special characters of Markdown
/// are escaped. Blobs are printed as SQL literals.
///
/// Source: <https://github.github.com/gfm/#tables-extension->
public struct MarkdownDumpFormat: DumpFormat, Sendable {
    /// The text that is printed for NULL.
    public var nullValue: String

    private var hasHeader = false

    /// Creates a format.
    ///
    /// - Parameter nullValue: the text that is printed for NULL.
    public init(nullValue: String = "") {
        self.nullValue = nullValue
    }

    /// Writes a row.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let values = statement.values
        writeHeader(statement, alignments: values.map { $0.isNumber ? "---:" : "---" }, to: &stream)
        write(values.map { ($0.isNull ? nullValue : $0.displayText).escapedForMarkdown }, to: &stream)
    }

    /// Writes the header of a table without rows.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if statement.columnCount > 0 {
            writeHeader(statement, alignments: statement.columnNames.map { _ in "---" }, to: &stream)
        }
        hasHeader = false
    }

    private mutating func writeHeader(_ statement: Statement, alignments: [String], to stream: inout DumpStream) {
        if hasHeader { return }
        hasHeader = true
        write(statement.columnNames.map(\.escapedForMarkdown), to: &stream)
        write(alignments, to: &stream)
    }

    private func write(_ cells: [String], to stream: inout DumpStream) {
        stream.write("| " + cells.joined(separator: " | ") + " |\n")
    }
}

extension DumpFormat where Self == MarkdownDumpFormat {
    /// A table in Markdown. See ``MarkdownDumpFormat``.
    ///
    /// - Parameter nullValue: the text that is printed for NULL.
    public static func markdown(nullValue: String = "") -> Self {
        MarkdownDumpFormat(nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// Whether the value is an integer or a real number.
    var isNumber: Bool {
        switch storage {
        case .int64, .double: true
        case .null, .string, .blob: false
        }
    }

    /// The value in the cell of a table: strings as they are, blobs as SQL literals, NULL as an empty string.
    var displayText: String {
        if case .blob = storage { sqlLiteral } else { plainText(nullValue: "") }
    }
}

extension String {
    fileprivate var escapedForMarkdown: String {
        var text = ""
        var follows: Unicode.Scalar?
        for scalar in unicodeScalars {
            switch scalar {
            case "\n" where follows == "\r": break
            case "\n", "\r": text += "<br>"
            case "\\", "|", "`", "*", "_", "[", "]", "~", "#": text += "\\\(scalar)"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "&": text += "&amp;"
            default: text += String(scalar).withVisibleControls
            }
            follows = scalar
        }
        return text
    }
}
