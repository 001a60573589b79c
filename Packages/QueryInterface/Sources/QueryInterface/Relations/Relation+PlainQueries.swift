import RowDecoding

// The queries that programs run most often: some rows of one table.
//
// What makes other queries costly is not their SQL, but what must be known before it can be written: names for the tables, the
// columns of each, where its scopes lie. It took ten times as long as SQLite needs to find a row by its key. A query that has one
// table, no alias and no association needs nothing of that, and is written in one go.

extension Relation {
    /// Whether the query can be written by ``preparePlainQuery(_:forSingleResult:)``, to the same effect as by ``ResolvedQuery``.
    var isPlainQuery: Bool {
        guard case .table(let name) = source, !name.utf8.contains(UInt8(ascii: ".")) else { return false }
        if rareClauses == nil { return true }
        return joins.isEmpty && prefetches.isEmpty && aliases.isEmpty && commonTables.isEmpty && windows.isEmpty
            && havings.isEmpty && ordering.terms.isEmpty && !ordering.isStable && groups.isConstantlyEmpty && misuse == nil
    }

    /// Prepares a query of one table.
    func preparePlainQuery(_ db: Database, forSingleResult: Bool) throws -> Statement {
        try db.cachedStatement { renderer in
            renderer.sourceName = source.name
            renderer.sourceColumns = source.columnNames()
            renderer.sourceRecordType = recordType
            renderer.append(isDistinct ? "SELECT DISTINCT " : "SELECT ")
            let selection = try selection.resolve(db)
            if selection.isEmpty {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a request of \(source.name) selects nothing")
            }
            try renderer.checkColumnCount(selection.count, of: source.name)
            try renderer.append(selection, separator: ", ") { try $0.append($1) }
            renderer.append(" FROM ")
            renderer.append(identifier: source.name)
            if let filter = filters.only {
                renderer.append(" WHERE ")
                try renderer.append(filter.resolve(db))
            } else {
                try renderer.append(filters.map { try $0.resolve(db) }, keyword: " WHERE ")
            }
            (forSingleResult ? limit ?? .one : limit)?.render(to: &renderer)
        }
    }
}
