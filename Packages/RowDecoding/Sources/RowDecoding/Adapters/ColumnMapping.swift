import ValueConversion

/// Presents some columns under other names, and hides the rest.
///
/// ```swift
/// let adapter = ColumnMapping(["bar": "foo"])
/// let sql = "SELECT 'Foo' AS foo, 'Baz' AS baz"
///
/// // [bar:'Foo']
/// try Row.fetchOne(db, sql: sql, adapter: adapter)
/// ```
public struct ColumnMapping: RowAdapter {
    private let mapping: [String: String]

    /// Creates a mapping.
    ///
    /// - Parameter mapping: a dictionary from the presented names to the names of the query's columns. When several columns share a name,
    ///   the leftmost one is presented.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    /// Returns the mapped columns, in the order of the query's columns.
    ///
    /// - Throws: ``DatabaseError`` when the query lacks a mapped column.
    public func layout(from base: RowLayout) throws -> RowLayout {
        var columns: [(index: Int, column: RowLayout.Column)] = []
        for (name, baseName) in mapping {
            guard let index = base.columns.firstIndex(where: { $0.name.isEqualIgnoringASCIICase(to: baseName) }) else {
                throw base.misfit("the column mapping presents \"\(baseName)\" as \"\(name)\", but there is no such column")
            }
            columns.append((index, RowLayout.Column(name: name, baseIndex: base.columns[index].baseIndex)))
        }
        // A dictionary has no order. A column that is presented twice is ordered by the presented names.
        columns.sort { ($0.index, $0.column.name) < ($1.index, $1.column.name) }
        return RowLayout(columns: columns.map(\.column))
    }
}
