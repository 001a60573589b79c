import Strata

/// A table that prints its columns aligned.
///
///     Mission     Samples (kg)
///     ─────────   ────────────
///     Apollo 11           21.6
///     Apollo 17          110.5
struct TextTable: CustomStringConvertible {
    /// The title and the alignment of a column.
    struct Column: ExpressibleByStringLiteral {
        var title: String
        var isRightAligned: Bool

        /// A column aligned to the left, for texts.
        init(stringLiteral title: String) {
            self.init(title, isRightAligned: false)
        }

        /// Creates a column.
        init(_ title: String, isRightAligned: Bool) {
            self.title = title
            self.isRightAligned = isRightAligned
        }

        /// Returns a column aligned to the right, for numbers.
        static func right(_ title: String) -> Column {
            Column(title, isRightAligned: true)
        }
    }

    /// A cell, which can have another alignment than its column.
    struct Cell {
        /// The text.
        var text: String
        /// Whether the cell is aligned to the right, or nil for the alignment of its column.
        var isRightAligned: Bool?

        /// Creates a cell.
        init(_ text: String, isRightAligned: Bool? = nil) {
            self.text = text
            self.isRightAligned = isRightAligned
        }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// Creates a table without rows.
    init(_ columns: Column...) {
        self.columns = columns
    }

    /// Creates a table without rows.
    init(columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: String...) {
        add(cells.map { Cell($0) })
    }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "A row has \(columns.count) cells, and not \(cells.count).")
        rows.append(cells)
    }

    /// The lines of the table, without a newline after the last one.
    var description: String {
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

    /// The width of the table in columns of a terminal.
    var displayWidth: Int {
        description.split(separator: "\n").map { String($0).displayWidth }.max() ?? 0
    }
}
