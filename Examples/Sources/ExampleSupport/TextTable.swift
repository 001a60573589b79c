/// A table that is printed with its columns aligned.
///
///     Mission     Samples (kg)
///     ─────────   ────────────
///     Apollo 11           21.6
///     Apollo 17          110.5
public struct TextTable: CustomStringConvertible {
    /// The title of a column, and the side to which its cells are aligned.
    public struct Column: ExpressibleByStringLiteral {
        var title: String
        var isRightAligned: Bool

        /// A column aligned to the left, as texts are.
        public init(stringLiteral title: String) {
            self.init(title, isRightAligned: false)
        }

        /// A column.
        public init(_ title: String, isRightAligned: Bool) {
            self.title = title
            self.isRightAligned = isRightAligned
        }

        /// A column aligned to the right, as numbers are.
        public static func right(_ title: String) -> Column {
            Column(title, isRightAligned: true)
        }
    }

    /// A cell, which can be aligned otherwise than its column.
    public struct Cell {
        /// The text.
        public var text: String
        /// Whether the cell is aligned to the right; as its column is when nil.
        public var isRightAligned: Bool?

        /// A cell.
        public init(_ text: String, isRightAligned: Bool? = nil) {
            self.text = text
            self.isRightAligned = isRightAligned
        }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// Makes a table without rows.
    public init(_ columns: Column...) {
        self.columns = columns
    }

    /// Makes a table without rows.
    public init(columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a cell for each column.
    public mutating func add(_ cells: String...) {
        add(cells.map { Cell($0) })
    }

    /// Adds a row with a cell for each column.
    public mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "A row has \(columns.count) cells, and not \(cells.count).")
        rows.append(cells)
    }

    /// The lines of the table, without a line end after the last one.
    public var description: String {
        let widths = columns.indices.map { index in
            rows.reduce(columns[index].title.displayWidth) { max($0, $1[index].text.displayWidth) }
        }
        func line(_ cells: [Cell]) -> String {
            let padded = cells.indices.map { index in
                let padding = String(repeating: " ", count: widths[index] - cells[index].text.displayWidth)
                let isRightAligned = cells[index].isRightAligned ?? columns[index].isRightAligned
                return isRightAligned ? padding + cells[index].text : cells[index].text + padding
            }
            return padded.joined(separator: "   ").withoutSpacesAtEnd
        }
        let head = [line(columns.map { Cell($0.title) }), line(widths.map { Cell(String(repeating: "─", count: $0)) })]
        return (head + rows.map(line)).joined(separator: "\n")
    }

    /// How many characters of a terminal the table is wide.
    public var displayWidth: Int {
        description.split(separator: "\n").map { String($0).displayWidth }.max() ?? 0
    }
}

/// Prints a heading, and a table below it.
public func show(_ title: String, _ table: TextTable) {
    print("\(title)\n\n\(table)\n")
}
