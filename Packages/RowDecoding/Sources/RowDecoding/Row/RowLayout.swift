/// The columns of a row as an adapter presents them, and its scopes.
public struct RowLayout: Sendable {
    /// A column: its name, and where its value is.
    public struct Column: Sendable {
        /// The name under which the column can be read.
        public var name: String

        /// The index of the column in the query's results, from 0.
        public var baseIndex: Int

        /// Makes a column.
        public init(name: String, baseIndex: Int) {
            self.name = name
            self.baseIndex = baseIndex
        }
    }

    /// The columns, in order.
    public var columns: [Column]

    /// The scopes, each a row made of columns of the same query.
    public var scopes: [(name: String, layout: RowLayout)]

    /// Makes a layout.
    public init(columns: [Column], scopes: [(name: String, layout: RowLayout)] = []) {
        self.columns = columns
        self.scopes = scopes
    }

    /// Makes the layout of a query's results as they are.
    public init(columnNames: [String]) {
        self.init(columns: columnNames.enumerated().map { Column(name: $1, baseIndex: $0) })
    }
}

/// Presents the rows of a query with other columns, or in scopes.
///
/// ```swift
/// let adapter = ScopeAdapter([
///     "player": RangeRowAdapter(0..<3),
///     "team": RangeRowAdapter(3..<5),
/// ])
/// ```
public protocol RowAdapter: Sendable {
    /// Makes the layout that the rows of a query are presented with.
    ///
    /// - Parameter base: the layout of the rows as they would be without this adapter.
    /// - Throws: an error when the query lacks columns that the adapter needs.
    func layout(from base: RowLayout) throws -> RowLayout
}
