import RowDecoding

extension Relation {
    /// Writes the SELECT statement.
    func render(to renderer: inout SQLRenderer) throws {
        try ResolvedQuery(self, renderer.database, in: renderer).render(to: &renderer)
    }

    /// Prepares the query, and the queries of its prefetched associations.
    func prepare(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        let query = try ResolvedQuery(self, db)
        let (statement, columns, counts) = try query.prepareStatement(limit: forSingleResult ? limit ?? .one : nil)
        if db.isRecordingAccesses { narrow(statement, db, counts) }
        var request = PreparedRequest(statement: statement, adapter: columns.layout)
        if !columns.prefetches.isEmpty {
            request.supplementaryFetch = { db, rows in try columns.prefetches.fetch(db, for: rows) }
        }
        return request
    }

    /// Returns the region of the database that the query and those of its prefetched associations read.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        var region = DatabaseRegion()
        var remaining = [self]
        var isFirst = true
        while let relation = remaining.popLast() {
            let (statement, columns, counts) = try ResolvedQuery(relation, db).prepareStatement(
                keepsHandwrittenSQL: true)
            // The rows of prefetched associations depend on the rows of the query.
            region.formUnion(isFirst ? relation.narrowedRegion(of: statement, db, counts) : statement.databaseRegion)
            isFirst = false
            remaining += try columns.prefetches.map { try PrefetchQuery($0.prefetch, keys: [], db: db).relation }
        }
        return region
    }

    /// Returns the number of rows of the query.
    func fetchCount(_ db: Database) throws -> Int {
        let query = try ResolvedQuery(self, db)
        let isPlain =
            try !isDistinct && limit == nil && havings.isEmpty && groups.resolve(db).isEmpty
            && selection.resolve(db).allSatisfy(\.isPlain) && !query.filtersByAliases() && !query.groupsRows
        let (statement, counts) = try db.countedStatement { renderer in
            if isPlain {
                // Each row of the table yields one row of the query, regardless of the selection and the order.
                try query.render(to: &renderer, isOrdered: false) { $0.append("count(*)") }
            } else {
                renderer.append(query: "SELECT count(*) FROM (")
                try query.render(to: &renderer)
                renderer.append(")")
            }
        }
        if db.isRecordingAccesses { narrow(statement, db, counts, queries: isPlain ? 1 : 2) }
        return try Int.fetchOne(statement) ?? 0
    }

    /// Returns whether the query has no rows.
    func fetchIsEmpty(_ db: Database) throws -> Bool {
        let (statement, counts) = try db.countedStatement { renderer in
            renderer.append(query: "SELECT NOT EXISTS (")
            try render(to: &renderer)
            renderer.append(")")
        }
        if db.isRecordingAccesses { narrow(statement, db, counts, queries: 2) }
        return try Bool.fetchOne(statement) ?? true
    }
}

extension Database {
    /// Returns a prepared statement from the connection's cache, with its arguments.
    ///
    /// - Parameter write: writes the SQL. It is called again, to pack long lists of values into single arguments, if the statement has
    ///   more arguments than SQLite allows.
    /// - Throws: ``DatabaseError``, with advice if a joined table has the column that another one lacks, or the error of a value that can't
    ///   be stored.
    func cachedStatement(_ write: (inout SQLRenderer) throws -> Void) throws -> Statement {
        try countedStatement(write).statement
    }

    /// Does the same, and returns what the SQL contains.
    ///
    /// - Parameter keepsHandwrittenSQL: whether it is asked for handwritten SQL. By default if accesses are being recorded.
    func countedStatement(
        keepsHandwrittenSQL: Bool? = nil, _ write: (inout SQLRenderer) throws -> Void
    ) throws -> (statement: Statement, counts: SQLRenderer.Counts) {
        var renderer = SQLRenderer(database: self)
        if let keepsHandwrittenSQL { renderer.keepsHandwrittenSQL = keepsHandwrittenSQL }
        try write(&renderer)
        if renderer.counts.parameters > 200, renderer.counts.parameters > maximumStatementArgumentCount {
            renderer = SQLRenderer(database: self)
            if let keepsHandwrittenSQL { renderer.keepsHandwrittenSQL = keepsHandwrittenSQL }
            renderer.packsLists = true
            try write(&renderer)
        }
        try renderer.checkLimits()
        let statement = try cachedStatement(of: renderer)
        try statement.setArguments(renderer.arguments)
        return (statement, renderer.counts)
    }

    /// Returns a prepared statement without its arguments. Not inlined, so that its caller is.
    @inline(never)
    private func cachedStatement(of renderer: borrowing SQLRenderer) throws -> Statement {
        do {
            return try cachedStatement(sql: renderer.sql)
        } catch let error as DatabaseError {
            let advice = adviceAboutColumn(of: error, in: renderer.counts.joins) ?? adviceAboutCondition(of: error)
            throw advice.map(error.advising) ?? error
        }
    }

    /// Returns advice about the error of SQLite for SQL in a filter of an optional association.
    private func adviceAboutCondition(of error: DatabaseError) -> String? {
        guard error.message == "ON clause references tables to its right" else { return nil }
        return "A filter of an optional association refers by SQL to a table that is joined after it. Take the column from the "
            + "association of that table, as in \\(Author.country.columns.name), or filter the request."
    }

    /// Returns advice about the error of SQLite for a column that is not in its table, but in another table of the same query.
    private func adviceAboutColumn(of error: DatabaseError, in queries: [[any SQLScopeTable]]) -> String? {
        let prefix = "no such column: "
        // Later releases of SQLite put the name in quotes, and add advice of their own.
        guard let message = error.message?.filter({ $0 != "\"" }), message.hasPrefix(prefix) else { return nil }
        for tables in queries {
            guard let table = tables.first(where: { message.hasPrefix("\(prefix)\($0.name).") }) else { continue }
            let column = String(message.dropFirst("\(prefix)\(table.name).".count).prefix { $0 != " " })
            let owners = tables.filter { other in
                // The advice must not replace the error by another one.
                (try? other.columnNames(self).contains { $0.isEqualIgnoringASCIICase(to: column) }) ?? false
            }
            guard let owner = owners.first else { continue }
            let alias = owner.recordTypeName.map { "TableAlias<\($0)>()" } ?? "TableAlias()"
            return "\(owners.map(\.name).joined(separator: " and ")), not \(table.name), has the column \(column). "
                + "Write it with the association that joins its table, as in association.columns[\"\(column)\"], or give that one an "
                + "alias: let alias = \(alias), association.aliased(alias), alias[\"\(column)\"]."
        }
        return nil
    }
}
