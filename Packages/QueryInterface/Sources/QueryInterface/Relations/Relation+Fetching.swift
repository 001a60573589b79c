import RowDecoding

extension Relation {
    /// Writes the SELECT statement.
    func render(to renderer: inout SQLRenderer) throws {
        try ResolvedQuery(self, renderer.database, in: renderer).render(to: &renderer)
    }

    /// Prepares the query, and the queries of its prefetched associations.
    func prepare(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        PreparedRequest(try prepare(db, for: forSingleResult ? .firstRow : .rows)) { self }
    }

    /// Prepares a query.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - purpose: which query.
    ///   - key: columns to return in addition to the relation's columns, if any.
    func prepare(_ db: Database, for purpose: QueryPurpose, returning key: HiddenKey? = nil) throws -> PreparedQuery {
        // Which rows a query reads depends on its values.
        if db.isRecordingAccesses { return try prepareRecorded(db, for: purpose, returning: key) }
        return try db.requestPlans.prepare(self, for: purpose, returning: key, db)
    }

    /// Prepares a query, and records which rows it reads. Kept out of line, as few queries are recorded.
    @inline(never)
    private func prepareRecorded(_ db: Database, for purpose: QueryPurpose, returning key: HiddenKey?) throws -> PreparedQuery {
        let relation = try computed(db)
        let written = try relation.write(for: purpose, returning: key, db)
        let query = try written.prepare()
        if key == nil { relation.narrow(query.statement, db, written.renderer.counts, queries: written.queries) }
        return query
    }

    /// Writes a query.
    ///
    /// - Parameters:
    ///   - purpose: which query.
    ///   - key: columns to return in addition to the relation's columns, if any.
    ///   - tracesArguments: whether to record where the arguments come from.
    ///   - db: a connection.
    func write(
        for purpose: QueryPurpose, returning key: HiddenKey? = nil, tracesArguments: Bool = false, _ db: Database
    ) throws -> WrittenQuery {
        switch purpose {
        case .rows, .firstRow:
            let query = try ResolvedQuery(self, db)
            let columns = try key?.columns(of: query) ?? []
            if case .joined? = key, let limit {
                // The limit of a prefetched association counts the rows of each row that has the association.
                return try query.write(groupedBy: columns, limit: limit, tracesArguments: tracesArguments)
            }
            return try query.write(
                extraColumns: columns, limit: purpose == .firstRow ? limit ?? .one : nil, tracesArguments: tracesArguments)
        case .count:
            let query = try ResolvedQuery(self, db)
            let isPlain =
                try !isDistinct && limit == nil && self.havings.isEmpty && self.groups.resolve(db).isEmpty
                && selection.resolve(db).allSatisfy(\.isPlain) && !query.filtersByAliases() && !query.groupsRows
            return try db.writtenQuery(queries: isPlain ? 1 : 2, tracesArguments: tracesArguments) { renderer in
                if isPlain {
                    // Each row of the table yields one row of the query, regardless of the selection and the order.
                    try query.render(to: &renderer, isOrdered: false) { $0.append("count(*)") }
                } else {
                    renderer.append(query: "SELECT count(*) FROM (")
                    try query.render(to: &renderer)
                    renderer.append(")")
                }
            }
        case .isEmpty:
            return try db.writtenQuery(queries: 2, tracesArguments: tracesArguments) { renderer in
                renderer.append(query: "SELECT NOT EXISTS (")
                try render(to: &renderer)
                renderer.append(")")
            }
        }
    }

    /// Returns the region of the database that the query and the queries of its prefetched associations read.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        var region = DatabaseRegion()
        var remaining = [self]
        var isFirst = true
        while let relation = try remaining.popLast()?.computed(db) {
            let written = try ResolvedQuery(relation, db).write(keepsHandwrittenSQL: true)
            let statement = try written.prepare().statement
            // The rows of prefetched associations depend on the rows of the query.
            region.formUnion(isFirst ? relation.narrowedRegion(of: statement, db, written.renderer.counts) : statement.databaseRegion)
            isFirst = false
            remaining += try (written.columns?.prefetches ?? []).map {
                try PrefetchQuery($0.prefetch, of: relation, keys: [], db: db).relation
            }
        }
        return region
    }

    /// Returns the number of rows of the query.
    func fetchCount(_ db: Database) throws -> Int { try Int.fetchOne(prepare(db, for: .count).statement) ?? 0 }

    /// Returns whether the query has no rows.
    func fetchIsEmpty(_ db: Database) throws -> Bool { try Bool.fetchOne(prepare(db, for: .isEmpty).statement) ?? true }
}

extension PreparedRequest {
    /// - Parameters:
    ///   - query: a query.
    ///   - relation: returns its relation, for prefetched associations.
    @inline(__always)
    init(_ query: PreparedQuery, of relation: () -> Relation) {
        self.init(statement: query.statement, adapter: query.columns?.adapter)
        if let columns = query.columns, !columns.prefetches.isEmpty {
            let relation = relation()
            supplementaryFetch = { db, rows in try columns.prefetches.fetch(db, for: rows, of: relation) }
        }
    }
}

/// Columns that a query returns in addition to its relation's columns.
enum HiddenKey {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a case or a value.
    /// The key of a prefetched association, in the table that is reached by a number of joins. The rows of each key are the rows of a query:
    /// they are limited and distinct on their own.
    case joined(distance: Int, columns: [String])
    /// Columns of the order, which must not change the rows.
    case ordered(by: [SQLExpression])

    fileprivate func columns(of query: ResolvedQuery) throws -> [ExtraColumn] {
        switch self {
        case .joined(let distance, let columns):
            var table = query.root
            for _ in 0..<distance { table = table.joins[0] }
            return columns.map { ExtraColumn(table: table, name: $0, changesRows: true) }
        case .ordered(let columns):
            return try columns.map { column in
                ExtraColumn(table: try query.table(of: column.columnTable), name: column.columnName ?? "", changesRows: false)
            }
        }
    }
}

/// A column that a query returns in addition to its relation's columns.
struct ExtraColumn {
    let table: ResolvedTable
    let name: String
    /// Whether the values may count for the rows of a distinct or grouped query.
    let changesRows: Bool
}

/// A query that was written.
struct WrittenQuery {
    /// The SQL, with its arguments and the facts about it. The SQL of its statement ends with its semicolon.
    let renderer: SQLRenderer

    /// The layout of the rows, if they need one.
    let columns: RelationColumns?

    /// The number of queries, if the SQL reads the first table only once.
    let queries: Int

    /// Prepares the query, with its arguments.
    func prepare() throws -> PreparedQuery {
        let statement = try renderer.database.cachedStatement(of: renderer)
        try statement.setArguments(renderer.arguments)
        return PreparedQuery(statement: statement, columns: columns)
    }
}

extension Database {
    /// The statements that the connection keeps for requests.
    package var requestPlans: RequestPlans { attachments.value(for: RequestPlans.self) { RequestPlans() } }

    /// Returns a prepared statement from the connection's cache, with its arguments.
    ///
    /// - Parameter write: writes the SQL. It is called again, to pack long lists of values into single arguments, if the statement has
    ///   more arguments than SQLite allows.
    /// - Throws: ``DatabaseError``, with advice if a joined table has the column that another table lacks, or the error of a value that
    ///   can't be stored.
    func cachedStatement(_ write: (inout SQLRenderer) throws -> Void) throws -> Statement {
        try writtenQuery(write).prepare().statement
    }

    /// Returns the names of the columns of a query, which is prepared, and not run.
    func columnNames(of write: (inout SQLRenderer) throws -> Void) throws -> [String] {
        try KeptPlanCheck.stop(at: self)
        return try cachedStatement(write).columnNames
    }

    /// Writes a query.
    ///
    /// - Parameters:
    ///   - columns: the layout of the rows, if they need one.
    ///   - keepsHandwrittenSQL: whether to keep handwritten SQL. By default, this is true while accesses are being recorded.
    ///   - queries: the number of queries, if the SQL reads the first table only once.
    ///   - tracesArguments: whether to record where the arguments come from.
    ///   - write: writes the SQL.
    func writtenQuery(
        columns: RelationColumns? = nil, keepsHandwrittenSQL: Bool? = nil, queries: Int = 1, tracesArguments: Bool = false,
        _ write: (inout SQLRenderer) throws -> Void
    ) throws -> WrittenQuery {
        func makeRenderer() -> SQLRenderer {
            var renderer = SQLRenderer(database: self)
            if let keepsHandwrittenSQL { renderer.keepsHandwrittenSQL = keepsHandwrittenSQL }
            if tracesArguments { renderer.origins = [] }
            return renderer
        }
        var renderer = makeRenderer()
        try write(&renderer)
        if renderer.counts.parameters > 200, renderer.counts.parameters > maximumStatementArgumentCount {
            renderer = makeRenderer()
            renderer.packsLists = true
            try write(&renderer)
        }
        try renderer.checkLimits()
        return WrittenQuery(renderer: renderer, columns: columns, queries: queries)
    }

    /// Returns a prepared statement without its arguments. It is kept out of line so that the caller stays small enough to inline.
    @inline(never)
    fileprivate func cachedStatement(of renderer: borrowing SQLRenderer) throws -> Statement {
        do {
            return try reusedStatement(sql: renderer.sql)
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
            let alias = owner.recordType.map { "TableAlias<\($0)>()" } ?? "TableAlias()"
            return "\(owners.map(\.name).joined(separator: " and ")), not \(table.name), has the column \(column). "
                + "Write it with the association that joins its table, as in association.columns[\"\(column)\"], or give that one an "
                + "alias: let alias = \(alias), association.aliased(alias), alias[\"\(column)\"]."
        }
        return nil
    }
}
