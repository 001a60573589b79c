/// A table of strings with aligned columns, for a terminal.
///
/// ```swift
/// var table = TextTable("Mission", .right("Samples (kg)"))
/// table.add("Apollo 11", "21.6")
/// table.add("Apollo 17", "110.5")
/// print(table)
/// // Mission     Samples (kg)
/// // ─────────   ────────────
/// // Apollo 11           21.6
/// // Apollo 17          110.5
/// ```
///
/// It is for strings that a program generates. The formats ``DumpFormat/table(maximumColumnWidth:nullValue:)`` and
/// ``DumpFormat/box(maximumColumnWidth:nullValue:)`` print the rows of a statement. Wide characters, combining marks and emoji are counted
/// as a terminal shows them, and control characters are shown as symbols.
public struct TextTable: CustomStringConvertible, Sendable {
    /// The title and the alignment of a column.
    public struct Column: ExpressibleByStringLiteral, Sendable {
        /// The text above the column.
        public var title: String

        /// Whether the cells are aligned to the right.
        public var isRightAligned: Bool

        /// Creates a column that is aligned to the left, for strings.
        public init(stringLiteral title: String) {
            self.init(title)
        }

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - title: the text above the column.
        ///   - isRightAligned: whether the cells are aligned to the right, as numbers are.
        public init(_ title: String, isRightAligned: Bool = false) {
            self.title = title
            self.isRightAligned = isRightAligned
        }

        /// Returns a column that is aligned to the right, for numbers.
        public static func right(_ title: String) -> Column {
            Column(title, isRightAligned: true)
        }
    }

    /// A cell, whose alignment may differ from the alignment of its column.
    public struct Cell: Sendable {
        /// The text of the cell.
        public var text: String

        /// Whether the cell is aligned to the right; nil for the alignment of its column.
        public var isRightAligned: Bool?

        /// Creates a cell.
        ///
        /// - Parameters:
        ///   - text: the text of the cell.
        ///   - isRightAligned: whether it is aligned to the right; nil for the alignment of its column.
        public init(_ text: String, isRightAligned: Bool? = nil) {
            self.text = text
            self.isRightAligned = isRightAligned
        }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// Creates a table without rows.
    public init(_ columns: Column...) {
        self.init(columns: columns)
    }

    /// Creates a table without rows.
    public init(columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row, with a string for each column: missing strings are empty, and strings beyond the last column are ignored.
    public mutating func add(_ texts: String...) {
        add(texts.map { Cell($0) })
    }

    /// Adds a row, with a cell for each column: missing cells are empty, and cells beyond the last column are ignored.
    public mutating func add(_ cells: [Cell]) {
        rows.append(columns.indices.map { $0 < cells.count ? cells[$0] : Cell("") })
    }

    /// The lines of the table, without a newline after the last one.
    public var description: String { lines.joined(separator: "\n") }

    /// The width of the table in columns of a terminal.
    public var width: Int { lines.map(\.displayWidth).max() ?? 0 }

    private var lines: [String] {
        let titles = columns.map(\.title.withVisibleControls)
        let rows = rows.map { row in row.map { Cell($0.text.withVisibleControls, isRightAligned: $0.isRightAligned) } }
        let widths = columns.indices.map { index in rows.reduce(titles[index].displayWidth) { max($0, $1[index].text.displayWidth) } }
        func line(_ cells: [Cell]) -> String {
            let padded = cells.indices.map { index in
                let text = cells[index].text
                let space = String(repeating: " ", count: widths[index] - text.displayWidth)
                return cells[index].isRightAligned ?? columns[index].isRightAligned ? space + text : text + space
            }
            return String(padded.joined(separator: "   ").withoutSpacesAtEnd)
        }
        return [line(titles.map { Cell($0) }), line(widths.map { Cell(String(repeating: "─", count: $0)) })] + rows.map(line)
    }
}
