import ValueConversion

/// Presents the rows of a query with other columns, or in scopes.
///
/// ```swift
/// let adapter = ScopeAdapter([
///     "player": RangeRowAdapter(0..<3),
///     "team": SuffixRowAdapter(fromIndex: 3),
/// ])
/// let row = try Row.fetchOne(db, sql: "SELECT player.*, team.* FROM player JOIN team …", adapter: adapter)!
/// let team = try Team(row: row.scopes["team"]!)
/// ```
///
/// An adapter is asked once for each run of a query, when its columns are known. Adapters that don't fit the columns make the
/// fetch throw a ``DatabaseError`` with `SQLITE_MISUSE`.
public protocol RowAdapter: Sendable {
    /// Makes the layout that the rows of a query are presented with.
    ///
    /// - Parameter base: the layout of the rows as they would be without this adapter.
    /// - Throws: an error when the query lacks columns that the adapter needs.
    func layout(from base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// An adapter that presents the same columns, with more scopes.
    ///
    /// ```swift
    /// let adapter = RangeRowAdapter(0..<3).addingScopes(["team": SuffixRowAdapter(fromIndex: 3)])
    /// ```
    ///
    /// - Parameter scopes: adapters by the names of their scopes, made of the columns that this adapter is made of. They replace
    ///   scopes of the same names.
    /// - Returns: this adapter itself when there are no scopes to add.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// Presents the columns of one adapter by way of another one.
struct ChainedRowAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func layout(from base: RowLayout) throws -> RowLayout {
        try second.layout(from: first.layout(from: base))
    }
}

extension RowLayout {
    /// The error of an adapter that the columns of this layout don't fit.
    func misfit(_ message: String) -> DatabaseError {
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: message + (columns.isEmpty ? "; there are no columns" : "; the columns are \(names)"))
    }
}
