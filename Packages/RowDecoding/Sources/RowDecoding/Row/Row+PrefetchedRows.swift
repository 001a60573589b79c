import ValueConversion

/// Rows that requests with associations fetch for each row of a query: by the key of the association, for the row and for its
/// scopes.
///
/// There is one for each row that has associations, and few associations: lists of them are made and searched faster than
/// dictionaries.
final class PrefetchedRowsStorage {
    /// The rows of each association of the row itself.
    private(set) var associations: [(key: String, rows: [Row])] = []

    /// The same for the row's scopes.
    private(set) var scopes: [(name: String, storage: PrefetchedRowsStorage)] = []

    /// The rows of an association of the row itself, nil when none were fetched for it.
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

    /// What is stored for a scope of the row, nil when nothing is.
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

    /// What is stored for the row and for its scopes, nearest first.
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
    /// The rows that a request with associations has fetched for this one, by the key of the association.
    ///
    /// ```swift
    /// let books = row.prefetchedRows["books"]?.map { row in ... }
    /// ```
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(storage: prefetched) }

    /// Rows that were fetched for another one, and for its scopes.
    public struct PrefetchedRowsView {
        let storage: PrefetchedRowsStorage?

        /// Whether there are no associations with prefetched rows.
        ///
        /// An association whose rows were fetched, and that has none, counts.
        public var isEmpty: Bool { keys.isEmpty }

        /// The keys of the associations.
        public var keys: Set<String> {
            Set((storage?.levels ?? []).flatMap { $0.associations.map(\.key) })
        }

        /// The rows of an association, nil when none were fetched for it.
        ///
        /// Of several that share the key, it is the one that is nearest to the row: the search is breadth-first.
        public subscript(_ key: String) -> [Row]? {
            guard let storage else { return nil }
            return storage.rows(forKey: key) ?? storage.levels.lazy.compactMap { $0.rows(forKey: key) }.first
        }
    }

    /// Gives a row the rows of an association. It serves layers that fetch associations: see
    /// ``PreparedRequest/supplementaryFetch``.
    ///
    /// - Parameters:
    ///   - rows: copied rows, which replace those that the association has.
    ///   - key: the key of the association.
    ///   - scopes: the names of the scopes that lead to the row that has the association, empty for this row itself.
    /// - Precondition: the row is a copy, as one that a cursor uses again could not keep them.
    public func setPrefetchedRows(_ rows: [Row], forKey key: String, inScope scopes: [String] = []) {
        if values == nil {
            fatalError("Prefetched rows were given to a row that is not a copy: \(self)")
        }
        var storage = prefetched ?? PrefetchedRowsStorage()
        prefetched = storage
        for scope in scopes { storage = storage.makeScope(named: scope) }
        storage.setRows(rows, forKey: key)
    }
}
