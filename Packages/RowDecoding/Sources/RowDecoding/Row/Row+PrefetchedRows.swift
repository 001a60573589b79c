import ValueConversion

/// The rows that requests with associations prefetch for one row of a query and for its scopes, by the key of the association.
///
/// Each row with associations has such an object, and a request has few associations: small arrays are faster to make and to search than
/// dictionaries.
final class PrefetchedRowsStorage {
    /// The prefetched rows of each association of the row itself.
    private(set) var associations: [(key: String, rows: [Row])] = []

    /// The prefetched rows of the row's scopes.
    private(set) var scopes: [(name: String, storage: PrefetchedRowsStorage)] = []

    /// Returns the rows of an association of the row itself, or nil when the association was not fetched.
    func rows(forKey key: String) -> [Row]? {
        for association in associations where association.key == key { return association.rows }
        return nil
    }

    func setRows(_ rows: [Row], forKey key: String) {
        if let index = associations.firstIndex(where: { $0.key == key }) {
            associations[index].rows = rows
        } else {
            associations.append((key, rows))
        }
    }

    /// Returns the prefetched rows of a scope, or nil when it has none.
    func scope(named name: String) -> PrefetchedRowsStorage? {
        for scope in scopes where scope.name == name { return scope.storage }
        return nil
    }

    func makeScope(named name: String) -> PrefetchedRowsStorage {
        if let storage = scope(named: name) { return storage }
        let storage = PrefetchedRowsStorage()
        scopes.append((name, storage))
        return storage
    }

    /// The prefetched rows of the row itself, of its scopes, of their scopes and so on, in breadth-first order.
    var levels: [PrefetchedRowsStorage] {
        var levels = [self]
        var index = 0
        while index < levels.count {
            levels += levels[index].scopes.sorted { $0.name < $1.name }.map(\.storage)
            index += 1
        }
        return levels
    }
}

extension Row {
    /// The rows that a request with associations has prefetched for this row, by the key of the association.
    ///
    /// ```swift
    /// let books = try row.prefetchedRows["books"]?.map { row in try Book(row: row) }
    /// ```
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(storage: prefetched) }

    /// The prefetched rows of a row and of its scopes.
    public struct PrefetchedRowsView {
        let storage: PrefetchedRowsStorage?

        /// Whether there are no associations with prefetched rows.
        ///
        /// An association that was fetched without finding rows counts as prefetched.
        public var isEmpty: Bool { keys.isEmpty }

        /// The keys of the associations.
        public var keys: Set<String> {
            Set((storage?.levels ?? []).flatMap { $0.associations.map(\.key) })
        }

        /// The rows of an association, or nil when the association was not fetched.
        ///
        /// When several associations share the key, the one nearest to the row is returned: the search is breadth-first.
        public subscript(_ key: String) -> [Row]? {
            guard let storage else { return nil }
            return storage.rows(forKey: key) ?? storage.levels.lazy.compactMap { $0.rows(forKey: key) }.first
        }
    }

    /// Sets the prefetched rows of an association. It serves layers that fetch associations: see ``PreparedRequest/supplementaryFetch``.
    ///
    /// - Parameters:
    ///   - rows: copied rows, which replace the current rows of the association.
    ///   - key: the key of the association.
    ///   - scopes: the path of scopes that leads to the row with the association; empty for this row itself.
    /// - Precondition: the row is a copy. A cursor reuses its row, which could not keep them.
    package func setPrefetchedRows(_ rows: [Row], forKey key: String, inScope scopes: [String] = []) {
        if values == nil {
            fatalError("Prefetched rows were given to a row that is not a copy: \(errorDescription)")
        }
        var storage = prefetched ?? PrefetchedRowsStorage()
        prefetched = storage
        for scope in scopes { storage = storage.makeScope(named: scope) }
        storage.setRows(rows, forKey: key)
        // The rows of an association share their columns.
        if let columns = rows.first?.columns, columns.path.isEmpty { columns.path = path + scopes + [key] }
    }
}
