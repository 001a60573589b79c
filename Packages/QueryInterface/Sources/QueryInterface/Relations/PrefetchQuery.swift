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

    init(_ prefetch: Prefetch, keys: [PrefetchKey], db: Database) throws {
        firstSource = prefetch.path.steps[0].relation.source
        distance = prefetch.path.steps.count - 1
        keyColumns = try prefetch.path.originColumns(db).map(\.right)
        relation = prefetch.path.seenFromDestination { columns in
            SQLExpression(RowMembershipNode(columns: columns.map { Column($0.right).sqlExpression }, rows: keys.map(\.values)))
        }
    }

    /// Whether a key that was asked for is equal to that of a row, as SQLite compares them.
    func areEqual(_ db: Database, _ asked: PrefetchKey, _ key: PrefetchKey) throws -> Bool {
        let (asked, key) = (asked.values, key.values)
        var rows = Relation(source: firstSource, recordType: nil, selection: Relation.Selection([AllColumns().sqlSelection]))
        for (index, name) in keyColumns.enumerated() {
            let column = Column(name)
            rows = rows.filtered(by: Deferred(column == asked[index]))
                .filtered(by: Deferred(column.collating(.binary) == key[index]))
        }
        return try !rows.fetchIsEmpty(db)
    }

    /// Fetches the rows, and tells in which columns of the query they have their keys, and which rows are to be fetched for them.
    func fetch(_ db: Database) throws -> (rows: [Row], keyIndexes: [Int], prefetches: [PrefetchTarget]) {
        let query = try ResolvedQuery(relation, in: SQLRenderer(database: db))
        var table = query.root
        for _ in 0..<distance { table = table.joins[0] }
        let (statement, columns) = try query.prepareStatement(extraColumns: keyColumns.map { (table, $0) })
        return (try Row.fetchAll(statement, adapter: columns.layout), columns.extraIndexes, columns.prefetches)
    }
}

extension [PrefetchTarget] {
    /// Fetches the rows of all associations, and gives them to the rows that have them.
    func fetch(_ db: Database, for rows: [Row]) throws {
        // The next one is at the end: associations in associations come after those around them.
        var remaining: [(target: PrefetchTarget, rows: [Row])] = reversed().map { ($0, rows) }
        while let (target, rows) = remaining.popLast() {
            let found = try target.fetch(db, for: rows)
            remaining += found.prefetches.reversed().map { ($0, found.rows) }
        }
    }
}

extension PrefetchTarget {
    /// Fetches the rows of the association, and gives them to those that have them.
    ///
    /// - Returns: the rows that were fetched, and the associations whose rows are to be fetched for them.
    fileprivate func fetch(_ db: Database, for rows: [Row]) throws -> (rows: [Row], prefetches: [PrefetchTarget]) {
        var keys = PrefetchKeys(rows.lazy.map { PrefetchKey($0, at: keyIndexes) })
        var groups: [[Row]] = Array(repeating: [], count: keys.keys.count)
        var fetched: (rows: [Row], prefetches: [PrefetchTarget]) = ([], [])
        if !keys.keys.isEmpty {
            let query = try PrefetchQuery(prefetch, keys: keys.keys, db: db)
            let (found, indexes, prefetches) = try query.fetch(db)
            fetched = (found, prefetches)
            for row in found {
                let key = PrefetchKey(row, at: indexes)
                if let index = keys.exactIndex(of: key) {
                    groups[index].append(row)
                } else {
                    for index in try keys.indexes(equalTo: key, { try query.areEqual(db, $0, $1) }) { groups[index].append(row) }
                }
            }
        }
        for (row, index) in zip(rows, keys.indexesOfRows) {
            row.setPrefetchedRows(index.map { groups[$0] } ?? [], forKey: prefetch.key, inScope: scopes)
        }
        return fetched
    }
}
