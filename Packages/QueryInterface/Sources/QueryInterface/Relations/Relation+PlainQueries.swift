import RowDecoding

// The most frequent queries: some rows of one table.
//
// Generating the SQL of other queries is costly, because the names of the tables, their columns, and the positions of scopes must
// be resolved first. That took ten times as long as SQLite needs to find a row by its key. A query of a single table, without
// aliases and associations, needs none of it, and is written in one pass.

extension Relation {
    /// Whether ``preparePlainQuery(_:forSingleResult:)`` can write the query, with the same result as ``ResolvedQuery``.
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
