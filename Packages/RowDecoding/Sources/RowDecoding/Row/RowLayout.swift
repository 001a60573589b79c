import ValueConversion

/// The columns of a row as an adapter presents them, and its scopes.
public struct RowLayout: Sendable {
    /// A column: its name, and the index of its value in the query's results.
    public struct Column: Sendable {
        /// The name under which the column can be read.
        public var name: String

        /// The index of the column in the query's results, from 0.
        public var baseIndex: Int

        /// Creates a column.
        public init(name: String, baseIndex: Int) {
            self.name = name
            self.baseIndex = baseIndex
        }
    }

    /// The columns, in order.
    public var columns: [Column]

    /// The scopes. Each one is a row with columns of the same query.
    public var scopes: [(name: String, layout: RowLayout)]

    /// Creates a layout.
    public init(columns: [Column], scopes: [(name: String, layout: RowLayout)] = []) {
        self.columns = columns
        self.scopes = scopes
    }

    /// Creates the layout of a query's results without an adapter.
    public init(columnNames: [String]) {
        self.init(columns: columnNames.enumerated().map { Column(name: $1, baseIndex: $0) })
    }

    /// Checks a layout that an adapter has created.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_MISUSE` when a column's index is outside the query's results.
    func check(baseColumnCount: Int) throws {
        for column in columns where column.baseIndex < 0 || column.baseIndex >= baseColumnCount {
            throw DatabaseError.misuse(
                "a row adapter maps column \(column.baseIndex) of the query as \"\(column.name)\", "
                    + "but the query has \(baseColumnCount.counted("column"))")
        }
        for scope in scopes {
            try scope.layout.check(baseColumnCount: baseColumnCount)
        }
    }
}
