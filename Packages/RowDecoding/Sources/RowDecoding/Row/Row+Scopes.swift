extension Row {
    /// The rows of the scopes that adapters and associations define.
    ///
    /// ```swift
    /// let team = try Team(row: row.scopes["team"]!)
    /// ```
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes of a row, by name.
    public struct ScopesView {
        let row: Row

        /// The names of the scopes.
        public var names: [String] { row.layout?.scopes.map(\.name) ?? [] }

        /// The row of a scope, nil when there is no scope of that name.
        public subscript(_ name: String) -> Row? { row.scopeRow(named: name) }
    }
}

extension Row.ScopesView: Collection {
    /// The position of a scope.
    public typealias Index = Int

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last scope.
    public var endIndex: Int { row.layout?.scopes.count ?? 0 }

    /// The position after another one.
    public func index(after index: Int) -> Int { index + 1 }

    /// The scope at a position, with its name.
    public subscript(position: Int) -> (name: String, row: Row) {
        let name = names[position]
        guard let row = row.scopeRow(named: name) else { fatalError("The row has no scope \(name).") }
        return (name, row)
    }
}
