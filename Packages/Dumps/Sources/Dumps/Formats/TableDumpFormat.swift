/// A table with aligned columns, in a frame.
///
/// ```swift
/// // ┌────┬─────────┬───────┐
/// // │ id │  name   │ score │
/// // ├────┼─────────┼───────┤
/// // │  1 │ Arthur  │   500 │
/// // │  2 │ Barbara │  NULL │
/// // └────┴─────────┴───────┘
/// try db.dumpSQL("SELECT * FROM player", format: .box(nullValue: "NULL"))
/// ```
///
/// Numbers are aligned to the right. Wide characters, combining marks and emoji are counted as a terminal shows them, control characters
/// are shown as symbols, blobs as SQL literals.
///
/// The first ``measuredRowCount`` rows determine the widths of the columns, so that any number of rows can be printed in constant memory. A
/// later value that is wider is continued on the next line of its column.
public struct TableDumpFormat: DumpFormat, Sendable {
    /// The lines of a frame.
    enum Frame: Sendable { case ascii, box }

    /// The greatest width of a column; nil for any. Longer values are cut, and end with "…".
    public var maximumColumnWidth: Int?

    /// The text that is printed for NULL.
    public var nullValue: String

    /// The number of rows that are read before the first one is printed. By default, 1,000.
    public var measuredRowCount = 1000

    /// Returns the text of a value, or nil for the usual text.
    ///
    /// ```swift
    /// var format = TableDumpFormat.box()
    /// format.valueText = { value in
    ///     if case .blob(let bytes) = value.storage { "\(bytes.count) bytes" } else { nil }
    /// }
    /// try db.dumpSQL("SELECT * FROM attachment", format: format)
    /// ```
    public var valueText: (@Sendable (DatabaseValue) -> String?)?

    let frame: Frame

    private var names: [String] = []
    private var waiting: [[Cell]] = []
    /// The widths of the columns, once they are known.
    private var widths: [Int]?

    private struct Cell: Sendable {
        var text: String
        var isNumber: Bool
    }

    init(frame: Frame, maximumColumnWidth: Int?, nullValue: String) {
        self.frame = frame
        self.maximumColumnWidth = maximumColumnWidth
        self.nullValue = nullValue
    }

    /// Prepares the table.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISUSE` if ``maximumColumnWidth`` is not positive.
    public mutating func prepare(_ db: Database, statement: Statement, table: String?, to stream: inout DumpStream) throws {
        if let maximumColumnWidth, maximumColumnWidth < 1 {
            throw DatabaseError.misuse("a column of a table can't be \(maximumColumnWidth) characters wide")
        }
    }

    /// Writes a row.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let cells = statement.values.map { value in
            Cell(text: fitted(text(value)), isNumber: value.isNumber)
        }
        if let widths { return write(cells, widths, to: &stream) }
        // The statement may have other columns if the schema changed before its first step.
        if waiting.isEmpty { names = statement.columnNames.map(fitted) }
        waiting.append(cells)
        if waiting.count >= measuredRowCount { begin(to: &stream) }
    }

    /// Writes the end of the frame.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        guard statement.columnCount > 0 else { return }
        if waiting.isEmpty, widths == nil { names = statement.columnNames.map(fitted) }
        if widths == nil { begin(to: &stream) }
        if let widths { writeLine(widths, frame == .ascii ? ("+", "+", "+") : ("└", "┴", "┘"), to: &stream) }
        names = []
        widths = nil
    }

    private func text(_ value: DatabaseValue) -> String {
        valueText?(value) ?? (value.isNull ? nullValue : value.displayText)
    }

    private func fitted(_ text: String) -> String {
        let text = text.withVisibleControls
        return maximumColumnWidth.map(text.truncated(toWidth:)) ?? text
    }

    /// Measures the rows that wait, and writes them.
    private mutating func begin(to stream: inout DumpStream) {
        var widths = names.map { max(1, $0.displayWidth) }
        for row in waiting {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.text.displayWidth) }
        }
        self.widths = widths
        writeLine(widths, frame == .ascii ? ("+", "+", "+") : ("┌", "┬", "┐"), to: &stream)
        let titles = zip(names, widths).map { name, width in
            let space = width - name.displayWidth
            return spaces(space / 2) + name + spaces(space - space / 2)
        }
        writeCells(titles, to: &stream)
        writeLine(widths, frame == .ascii ? ("+", "+", "+") : ("├", "┼", "┤"), to: &stream)
        for row in waiting { write(row, widths, to: &stream) }
        waiting = []
    }

    private func write(_ cells: [Cell], _ widths: [Int], to stream: inout DumpStream) {
        let lines = zip(cells, widths).map { $0.text.lines(ofWidth: $1) }
        for line in 0..<max(1, lines.map(\.count).max() ?? 0) {
            let texts = cells.indices.map { column in
                let text = line < lines[column].count ? String(lines[column][line]) : ""
                let space = spaces(widths[column] - text.displayWidth)
                return cells[column].isNumber ? space + text : text + space
            }
            writeCells(texts, to: &stream)
        }
    }

    private func writeCells(_ texts: [String], to stream: inout DumpStream) {
        let bar = frame == .ascii ? "|" : "│"
        stream.write("\(bar) " + texts.joined(separator: " \(bar) ") + " \(bar)\n")
    }

    private func writeLine(_ widths: [Int], _ corners: (String, String, String), to stream: inout DumpStream) {
        let bars = widths.map { String(repeating: frame == .ascii ? "-" : "─", count: $0 + 2) }
        stream.write(corners.0 + bars.joined(separator: corners.1) + corners.2 + "\n")
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

extension DumpFormat where Self == TableDumpFormat {
    /// A table with aligned columns, in a frame of ASCII characters. See ``TableDumpFormat``.
    ///
    /// - Parameters:
    ///   - maximumColumnWidth: the greatest width of a column, at least 1; nil for any.
    ///   - nullValue: the text that is printed for NULL.
    public static func table(maximumColumnWidth: Int? = nil, nullValue: String = "") -> Self {
        TableDumpFormat(frame: .ascii, maximumColumnWidth: maximumColumnWidth, nullValue: nullValue)
    }

    /// A table with aligned columns, in a frame of lines. See ``TableDumpFormat``.
    ///
    /// - Parameters:
    ///   - maximumColumnWidth: the greatest width of a column, at least 1; nil for any.
    ///   - nullValue: the text that is printed for NULL.
    public static func box(maximumColumnWidth: Int? = nil, nullValue: String = "") -> Self {
        TableDumpFormat(frame: .box, maximumColumnWidth: maximumColumnWidth, nullValue: nullValue)
    }
}
