import ValueConversion

/// A row adapter changes how the rows of a query present their columns, or adds scopes.
///
/// ```swift
/// let adapter = ScopeAdapter([
///     "player": RangeRowAdapter(0..<3),
///     "team": SuffixRowAdapter(fromIndex: 3),
/// ])
/// let row = try Row.fetchOne(
///     db, sql: "SELECT player.*, team.* FROM player JOIN team …", adapter: adapter)!
/// let team = try Team(row: row.scopes["team"]!)
/// ```
///
/// The adapter creates a layout once for each run of a query, when the columns are known. When the adapter does not fit the columns, the
/// fetch throws a ``DatabaseError`` with `SQLITE_MISUSE`.
public protocol RowAdapter: Sendable {
    /// Creates the layout of the rows of a query.
    ///
    /// - Parameter base: the layout of the rows without this adapter.
    /// - Throws: an error when the query lacks a column that the adapter needs.
    func layout(from base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// Returns an adapter that presents the same columns, with more scopes.
    ///
    /// ```swift
    /// let adapter = RangeRowAdapter(0..<3).addingScopes([
    ///     "team": SuffixRowAdapter(fromIndex: 3)
    /// ])
    /// ```
    ///
    /// - Parameter scopes: adapters by the names of their scopes. They apply to the same base columns as this adapter, and replace its
    ///   scopes of the same names.
    /// - Returns: this adapter itself when there are no scopes to add.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// Applies an adapter to the columns that another adapter presents.
struct ChainedRowAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func layout(from base: RowLayout) throws -> RowLayout {
        try second.layout(from: first.layout(from: base))
    }
}

extension RowLayout {
    /// Returns the error for an adapter that does not fit the columns of this layout.
    func misfit(_ message: String) -> DatabaseError {
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        return .misuse(message + (columns.isEmpty ? "; there are no columns" : "; the columns are \(names)"))
    }
}
