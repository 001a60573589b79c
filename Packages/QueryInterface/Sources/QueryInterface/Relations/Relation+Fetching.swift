import RowDecoding

extension Relation {
    /// Writes the SELECT statement.
    func render(to renderer: inout SQLRenderer) throws {
        try ResolvedQuery(self, in: renderer).render(to: &renderer)
    }

    /// Prepares the query, and the queries of its prefetched associations.
    func prepare(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        if isPlainQuery {
            let statement = try preparePlainQuery(db, forSingleResult: forSingleResult)
            if db.isRecordingAccesses { narrow(statement, db) }
            return PreparedRequest(statement: statement)
        }
        var relation = self
        if forSingleResult { relation.limit = limit ?? .one }
        let query = try ResolvedQuery(relation, in: SQLRenderer(database: db))
        let (statement, columns) = try query.prepareStatement()
        if db.isRecordingAccesses { narrow(statement, db) }
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
            let (statement, columns) = try ResolvedQuery(relation, in: SQLRenderer(database: db)).prepareStatement()
            // The rows of prefetched associations depend on the rows of the query.
            region.formUnion(isFirst ? relation.narrowedRegion(of: statement, db) : statement.databaseRegion)
            isFirst = false
            remaining += try columns.prefetches.map { try PrefetchQuery($0.prefetch, keys: [], db: db).relation }
        }
        return region
    }

    /// Returns the number of rows of the query.
    func fetchCount(_ db: Database) throws -> Int {
        let query = try ResolvedQuery(self, in: SQLRenderer(database: db))
        let isPlain =
            try !isDistinct && limit == nil && havings.isEmpty && groups.resolve(db).isEmpty
            && selection.resolve(db).allSatisfy(\.isPlain) && !query.filtersByAliases() && !query.groupsRows
        let statement = try db.cachedStatement { renderer in
            if isPlain {
                // Each row of the table yields one row of the query, regardless of the selection and the order.
                try query.render(to: &renderer, isOrdered: false) { $0.append("count(*)") }
            } else {
                renderer.append("SELECT count(*) FROM (")
                try query.render(to: &renderer)
                renderer.append(")")
            }
        }
        if db.isRecordingAccesses { narrow(statement, db, selectCount: isPlain ? 1 : 2) }
        return try Int.fetchOne(statement) ?? 0
    }

    /// Returns whether the query has no rows.
    func fetchIsEmpty(_ db: Database) throws -> Bool {
        let statement = try db.cachedStatement { renderer in
            renderer.append("SELECT NOT EXISTS (")
            try render(to: &renderer)
            renderer.append(")")
        }
        if db.isRecordingAccesses { narrow(statement, db, selectCount: 2) }
        return try Bool.fetchOne(statement) ?? true
    }
}

extension SQLSelection {
    /// Whether each row of the table yields one row of the query, so that counting rows can ignore the selection.
    var isPlain: Bool {
        if node is AllColumnsNode || node is AllColumnsExcludingNode { return true }
        return expression.map { !$0.containsAggregate } ?? (node as? AliasedSelectionNode).map { !$0.expression.containsAggregate } ?? false
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
        var renderer = SQLRenderer(database: self)
        try write(&renderer)
        if renderer.parameterCount > 200, renderer.parameterCount > maximumStatementArgumentCount {
            renderer = SQLRenderer(database: self)
            renderer.packsLists = true
            try write(&renderer)
        }
        try renderer.checkLimits()
        let statement = try cachedStatement(of: renderer)
        try statement.setArguments(renderer.arguments)
        return statement
    }

    /// Returns a prepared statement without its arguments. Not inlined, so that its caller is.
    @inline(never)
    private func cachedStatement(of renderer: borrowing SQLRenderer) throws -> Statement {
        do {
            return try cachedStatement(sql: renderer.sql)
        } catch let error as DatabaseError {
            let advice = adviceAboutColumn(of: error, in: renderer.joinedQueries) ?? adviceAboutCondition(of: error)
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
    private func adviceAboutColumn(of error: DatabaseError, in queries: [AnyObject]) -> String? {
        let prefix = "no such column: "
        // Later releases of SQLite put the name in quotes, and add advice of their own.
        guard let message = error.message?.filter({ $0 != "\"" }), message.hasPrefix(prefix) else { return nil }
        for case let root as ResolvedTable in queries {
            let tables = root.tables
            guard let table = tables.first(where: { message.hasPrefix("\(prefix)\($0.name).") }) else { continue }
            let column = String(message.dropFirst("\(prefix)\(table.name).".count).prefix { $0 != " " })
            let owners = tables.filter { other in
                // The advice must not replace the error by another one.
                (try? other.columnNames(self).contains { $0.isEqualIgnoringASCIICase(to: column) }) ?? false
            }
            guard let owner = owners.first else { continue }
            let alias = owner.relation.recordType.map { "TableAlias<\($0)>()" } ?? "TableAlias()"
            return "\(owners.map(\.name).joined(separator: " and ")), not \(table.name), has the column \(column). "
                + "Write it with the association that joins its table, as in association.columns[\"\(column)\"], or give that one an "
                + "alias: let alias = \(alias), association.aliased(alias), alias[\"\(column)\"]."
        }
        return nil
    }
}
