import RowDecoding

/// The query that fetches the rows of an association for many rows.
///
/// It selects from the destination table, joins the tables back to the association's first one, and filters by the keys:
/// `Author.including(all: Author.books)` runs `SELECT * FROM "book" WHERE "authorId" IN (1, 2, 3)`.
struct PrefetchQuery {
    let relation: Relation

    /// The columns of the association's first table that contain the key.
    private let referencingColumns: [String]

    /// The association's first table.
    private let firstSource: Relation.Source

    /// The number of joins from the destination to the first table.
    private let distance: Int

    /// - Parameters:
    ///   - prefetch: the association.
    ///   - origin: the query of the rows that have it.
    ///   - keys: the keys of these rows.
    ///   - db: a connection.
    init(_ prefetch: Prefetch, of origin: Relation, keys: [PrefetchKey], db: Database) throws {
        firstSource = prefetch.path.steps[0].relation.source
        distance = prefetch.path.steps.count - 1
        referencingColumns = try prefetch.path.originColumns(db).map(\.right)
        var relation = prefetch.path.seenFromDestination { columns in
            let columns = columns.map { Column($0.right).sqlExpression }
            guard columns.count == 1 else {
                return SQLExpression(.rowMembership(SQLNode.RowMembership(columns: columns, rows: keys.map(\.values))))
            }
            return SQLExpression(.membership(columns[0], in: keys.map { $0.values[0].sqlExpression }, isNegated: false))
        }
        let others = origin.absentTables + ([origin.source.name] + origin.joinedTableNames).map(AbsentTable.init(ofRowsWithAssociation:))
        relation.absentTables += others.filter { other in !relation.absentTables.contains { $0.name == other.name } }
        if origin.hasRareClauses, !origin.places.isEmpty { relation.places = origin.places }
        self.relation = relation
    }

    /// Returns whether SQLite considers a requested key and the key of a fetched row equal.
    func areEqual(_ db: Database, _ asked: PrefetchKey, _ key: PrefetchKey) throws -> Bool {
        let (asked, key) = (asked.values, key.values)
        var rows = Relation(source: firstSource, recordType: nil, selection: .all)
        for (index, name) in referencingColumns.enumerated() {
            let column = Column(name)
            rows = rows.filtered(by: column == asked[index]).filtered(by: column.collating(.binary) == key[index])
        }
        return try !rows.fetchIsEmpty(db)
    }

    /// Fetches the rows. Returns them with the indexes of their key columns, and the associations to prefetch for them.
    func fetch(_ db: Database) throws -> (rows: [Row], keyIndexes: [Int], prefetches: [PrefetchTarget]) {
        let key = HiddenKey.joined(distance: distance, columns: referencingColumns)
        let query = try relation.prepare(db, for: .rows, returning: key)
        let rows = try Row.fetchAll(query.statement, adapter: query.columns?.adapter)
        return (rows, query.columns?.extraIndexes ?? [], query.columns?.prefetches ?? [])
    }
}

extension [PrefetchTarget] {
    /// Fetches the rows of all associations, and attaches them to the rows that have the associations.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - rows: the rows.
    ///   - origin: their query.
    func fetch(_ db: Database, for rows: [Row], of origin: Relation) throws {
        // A stack, with the next association at the end: nested associations are fetched after the one that contains them.
        var remaining: [(target: PrefetchTarget, rows: [Row], origin: Relation)] = reversed().map { ($0, rows, origin) }
        while let (target, rows, origin) = remaining.popLast() {
            let found = try target.fetch(db, for: rows, of: origin)
            remaining += found.prefetches.reversed().map { ($0, found.rows, found.query) }
        }
    }
}

extension PrefetchTarget {
    /// Fetches the rows of the association, and attaches them to the rows that have the association.
    ///
    /// - Returns: the fetched rows, their query, and the associations to prefetch for them.
    fileprivate func fetch(
        _ db: Database, for rows: [Row], of origin: Relation
    ) throws -> (rows: [Row], query: Relation, prefetches: [PrefetchTarget]) {
        var keys = PrefetchKeys(rows.lazy.map { PrefetchKey($0, at: place.keyIndexes) })
        var groups: [[Row]] = Array(repeating: [], count: keys.keys.count)
        var fetched: (rows: [Row], query: Relation, prefetches: [PrefetchTarget]) = ([], origin, [])
        // A recorded region does not depend on the rows: without keys, the query still runs, and finds nothing.
        if !keys.keys.isEmpty || db.isRecordingAccesses {
            let query = try PrefetchQuery(prefetch, of: origin, keys: keys.keys, db: db)
            let (found, indexes, prefetches) = try query.fetch(db)
            fetched = (found, query.relation, prefetches)
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
            row.setPrefetchedRows(index.map { groups[$0] } ?? [], forKey: prefetch.key, inScope: place.scopes)
        }
        return fetched
    }
}
