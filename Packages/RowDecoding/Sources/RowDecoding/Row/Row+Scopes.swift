import ValueConversion

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
        public var names: [String] { row.columns.scopeNames }

        /// The row of a scope, or nil when no scope has that name.
        public subscript(_ name: String) -> Row? { row.scopeRow(named: name) }
    }

    /// The rows of the scopes of this row, of their own scopes, and so on.
    ///
    /// ```swift
    /// // Finds the scope "country" of the scope "author".
    /// let country = row.scopesTree["country"]
    /// ```
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The scopes of a row, their own scopes, and so on, by name.
    public struct ScopesTreeView {
        let row: Row

        /// The names of all scopes.
        public var names: Set<String> {
            var names: Set<String> = []
            var layouts = row.layout.map { [$0] } ?? []
            while let layout = layouts.popLast() {
                names.formUnion(layout.scopes.map(\.name))
                layouts += layout.scopes.map(\.layout)
            }
            return names
        }

        /// The row of a scope, or nil when no scope has that name.
        ///
        /// When several scopes share the name, the one nearest to the row is returned: the search is breadth-first.
        public subscript(_ name: String) -> Row? {
            row.nearestScopeRow(named: name)
        }
    }

    /// The columns of this row alone, without scopes and prefetched rows.
    ///
    /// - Returns: this row itself when it has neither, otherwise a copy.
    public var unscoped: Row {
        guard let layout, !layout.scopes.isEmpty else {
            guard prefetched != nil, let values else { return self }
            return Row(values: values, columns: columns)
        }
        return copy(layout: RowLayout(columns: layout.columns))
    }

    /// The row as the query returned it, without adapters, scopes and prefetched rows.
    ///
    /// - Returns: this row itself when it has none of them, otherwise a copy.
    public var unadapted: Row {
        guard layout != nil || prefetched != nil else { return self }
        return copy(layout: nil)
    }

    /// Returns the row of a scope of this row, of its scopes, and so on, or nil when no scope has that name.
    @usableFromInline
    func nearestScopeRow(named name: String) -> Row? {
        if let row = scopeRow(named: name) { return row }
        return columns.hasScopesInScopes ? nearestScopeRowInScopes(named: name) : nil
    }

    @inline(never)
    private func nearestScopeRowInScopes(named name: String) -> Row? {
        var rows = scopes.map(\.row)
        while !rows.isEmpty {
            if let found = rows.lazy.compactMap({ $0.scopeRow(named: name) }).first { return found }
            rows = rows.flatMap { $0.scopes.map(\.row) }
        }
        return nil
    }
}

extension Row.ScopesView: Collection {
    /// The position of a scope.
    public typealias Index = Int

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last scope.
    public var endIndex: Int { row.columns.scopeNames.count }

    /// Whether there are no scopes.
    public var isEmpty: Bool { row.columns.scopeNames.isEmpty }

    /// Returns the position after another position.
    public func index(after index: Int) -> Int { index + 1 }

    /// The scope at a position, with its name.
    public subscript(position: Int) -> (name: String, row: Row) {
        (names[position], row.scopeRow(at: position))
    }
}

extension Row {
    /// Returns the value of a column of the query, even when an adapter hides the column.
    ///
    /// It serves layers whose queries select extra columns for their own use, and hide them with an adapter.
    ///
    /// - Parameter index: the index of the column in the query's results, from 0.
    /// - Returns: the value, or nil when the query has no such column.
    package func unadaptedValue(atIndex index: Int) -> DatabaseValue? {
        if let values { return index >= 0 && index < values.count ? values[index] : nil }
        let statement = liveStatement
        guard index >= 0, index < statement.columnCount else { return nil }
        return DatabaseValue(sqliteStatement: statement.handle, index: CInt(truncatingIfNeeded: index))
    }
}
