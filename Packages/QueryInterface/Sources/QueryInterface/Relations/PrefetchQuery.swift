import RowDecoding

/// The query that fetches the rows of an association for many rows at once.
///
/// It starts from the table that the association leads to, is joined to those on the way back, and takes the rows whose key is
/// one of those asked for. `Author.including(all: Author.books)` runs `SELECT * FROM "book" WHERE "authorId" IN (1, 2, 3)`.
struct PrefetchQuery {
    let relation: Relation

    /// The columns of the first table on the way that hold the key.
    private let keyColumns: [String]

    /// The first table on the way.
    private let firstSource: Relation.Source

    /// How many tables lie between.
    private let distance: Int

    init(_ prefetch: Prefetch, keys: [[DatabaseValue]], db: Database) throws {
        firstSource = prefetch.path.steps[0].relation.source
        distance = prefetch.path.steps.count - 1
        keyColumns = try prefetch.path.originColumns(db).map(\.right)
        relation = prefetch.path.seenFromDestination { columns in
            SQLExpression(RowMembershipNode(columns: columns.map { Column($0.right).sqlExpression }, rows: keys))
        }
    }

    /// Whether a key that was asked for is equal to that of a row, as SQLite compares them.
    func areEqual(_ db: Database, _ asked: [DatabaseValue], _ key: [DatabaseValue]) throws -> Bool {
        var rows = Relation(source: firstSource, selection: Deferred([AllColumns().sqlSelection]))
        for (index, name) in keyColumns.enumerated() {
            let column = Column(name)
            rows = rows.filtered(by: Deferred(column == asked[index]))
                .filtered(by: Deferred(column.collating(.binary) == key[index]))
        }
        return try !rows.fetchIsEmpty(db)
    }

    /// Fetches the rows, each with its key.
    func fetch(_ db: Database) throws -> [(key: [DatabaseValue], row: Row)] {
        let query = try ResolvedQuery(relation, in: SQLRenderer(database: db))
        var table = query.root
        for _ in 0..<distance { table = table.joins[0] }
        let (statement, columns) = try query.makeStatement(extraColumns: keyColumns.map { (table, $0) })
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
        var keys = PrefetchKeys(rowKeys)
        var groups: [[DatabaseValue]: [Row]] = [:]
        if !keys.keys.isEmpty {
            let query = try PrefetchQuery(prefetch, keys: keys.keys, db: db)
            for (key, row) in try query.fetch(db) {
                for equal in try keys.equal(to: key, { try query.areEqual(db, $0, $1) }) {
                    groups[equal, default: []].append(row)
                }
            }
        }
        for (row, key) in zip(rows, rowKeys) {
            row.setPrefetchedRows(groups[key] ?? [], forKey: prefetch.key, inScope: scopes)
        }
    }
}
