import RowDecoding

/// The query that fetches the rows of an association for many rows at once.
///
/// It starts from the table that the association leads to, is joined to those on the way back, and takes the rows whose key is
/// one of those asked for. `Author.including(all: Author.books)` runs `SELECT * FROM "book" WHERE "authorId" IN (1, 2, 3)`.
struct PrefetchQuery {
    let relation: Relation

    /// The columns of the first table on the way that hold the key.
    private let keyColumns: [String]

    /// How many tables lie between.
    private let distance: Int

    init(_ prefetch: Prefetch, keys: [[DatabaseValue]], db: Database) throws {
        distance = prefetch.path.steps.count - 1
        keyColumns = try prefetch.path.originColumns(db).map(\.right)
        relation = prefetch.path.seenFromDestination { columns in
            SQLExpression(RowMembershipNode(columns: columns.map { Column($0.right).sqlExpression }, rows: keys))
        }
    }

    /// Fetches the rows, each with its key.
    func fetch(_ db: Database) throws -> [(key: [DatabaseValue], row: Row)] {
        let query = try ResolvedQuery(relation, in: SQLRenderer(database: db))
        var table = query.root
        for _ in 0..<distance { table = table.joins[0] }
        let columns = try RelationColumns(query, extraColumns: keyColumns.map { (table, $0) }, db: db)
        let statement = try db.makeStatement { try query.render(to: &$0, hiddenColumns: columns.hiddenColumns) }
        let rows = try Row.fetchAll(statement, adapter: columns.layout)
        try columns.prefetches.fetch(db, for: rows)
        return rows.map { row in
            (key: columns.extraIndexes.map { row.unadaptedValue(atIndex: $0) ?? .null }, row: row)
        }
    }
}

extension [PrefetchTarget] {
    /// Fetches the rows of all associations, and gives them to the rows that have them.
    func fetch(_ db: Database, for rows: [Row]) throws {
        for target in self { try target.fetch(db, for: rows) }
    }
}

extension PrefetchTarget {
    fileprivate func fetch(_ db: Database, for rows: [Row]) throws {
        let rowKeys = rows.map { row in keyIndexes.map { row.unadaptedValue(atIndex: $0) ?? .null } }
        var keys: [[DatabaseValue]] = []
        var known: Set<[DatabaseValue]> = []
        for key in rowKeys where !key.contains(where: \.isNull) && known.insert(key).inserted { keys.append(key) }
        var groups: [[DatabaseValue]: [Row]] = [:]
        if !keys.isEmpty {
            var aliases: [[DatabaseValue]: [DatabaseValue]]?
            for (key, row) in try PrefetchQuery(prefetch, keys: keys, db: db).fetch(db) {
                var key = key
                if !known.contains(key) {
                    // SQLite compares by affinity and collation: 1 and '1', or 'fr' and 'FR', may be one key.
                    let folded = aliases ?? Dictionary(keys.map { ($0.map(\.folded), $0) }, uniquingKeysWith: { first, _ in first })
                    aliases = folded
                    key = folded[key.map(\.folded)] ?? key
                }
                groups[key, default: []].append(row)
            }
        }
        for (row, key) in zip(rows, rowKeys) {
            row.setPrefetchedRows(groups[key] ?? [], forKey: prefetch.key, inScope: scopes)
        }
    }
}

extension DatabaseValue {
    /// What is the same for all values that SQLite may take for equal.
    fileprivate var folded: DatabaseValue {
        guard case .string(let text) = storage else { return self }
        if let integer = Int64(text) { return integer.databaseValue }
        if let real = Double(text) { return real.databaseValue }
        var folded = text.lowercased()
        while folded.last == " " { folded.removeLast() }
        return folded.databaseValue
    }
}
