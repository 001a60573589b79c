import RowDecoding

/// The row adapter of a query with joins: puts the columns of joined tables into scopes, and hides columns selected for prefetching.
struct RelationLayout: RowAdapter {
    let columns: Range<Int>
    let scopes: [(name: String, layout: RelationLayout)]

    /// The number of columns that the query had when its SQL was generated, if known.
    var columnCount: Int?

    func layout(from base: RowLayout) throws -> RowLayout {
        if let columnCount, base.columns.count != columnCount {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: "a request has \(base.columns.count.counted("column")), but had \(columnCount) when its SQL was generated: "
                    + "the schema has changed since", advice: "Fetch the request again.")
        }
        return RowLayout(
            columns: Array(base.columns[columns]),
            scopes: try scopes.map { (name: $0.name, layout: try $0.layout.layout(from: base)) })
    }
}

/// A prefetched association in a query: the place of its rows, and the columns of its key.
struct PrefetchTarget {
    let prefetch: Prefetch
    let place: Place

    struct Place {
        /// The path of scopes to the row that has the association.
        let scopes: [String]
        /// The indexes of the key's columns in the query.
        let keyIndexes: [Int]
    }
}

/// The layout of a query's rows, with hidden columns for prefetching and for callers that need more columns.
final class RelationColumns {
    /// The row adapter, or nil if rows need none.
    let adapter: (any RowAdapter)?
    let hiddenColumns: [HiddenColumn]
    let prefetches: [PrefetchTarget]
    /// The indexes of the extra columns.
    let extraIndexes: [Int]

    private init(_ adapter: (any RowAdapter)?, _ prefetches: [PrefetchTarget], _ extraIndexes: [Int]) {
        (self.adapter, self.prefetches, self.extraIndexes, hiddenColumns) = (adapter, prefetches, extraIndexes, [])
    }

    /// Returns the layout of a query that is already written, with other prefetched associations.
    func withPrefetches(_ prefetches: [PrefetchTarget]) -> RelationColumns { RelationColumns(adapter, prefetches, extraIndexes) }

    /// - Parameters:
    ///   - query: the query.
    ///   - extraColumns: columns that the caller needs in addition to the relation's columns.
    ///   - db: a connection.
    /// - Returns: nil if the rows are those of the statement, and nothing is prefetched for them.
    init?(_ query: ResolvedQuery, extraColumns: [ExtraColumn] = [], db: Database) throws {
        let needsLayout =
            query.root.relation.hasRareClauses && query.tables.contains { $0.join?.isIncluded == true || !$0.relation.prefetches.isEmpty }
        guard needsLayout || !extraColumns.isEmpty else { return nil }
        var places = ColumnPlaces(query, try query.columnRanges(), db)
        var targets: [PrefetchTarget] = []
        try places.addTargets(of: query.root, scopes: [], to: &targets)
        let dependsOnSelection = try extraColumns.contains { !$0.changesRows } && query.dependsOnSelection()
        extraIndexes = try extraColumns.map {
            try places.index(of: $0.name, in: $0.table, mayHide: $0.changesRows || !dependsOnSelection)
        }
        var layout = places.layout(of: query.root)
        layout.columnCount = places.count
        // Without scopes and hidden columns, rows need no adapter.
        adapter = layout.scopes.isEmpty && places.hidden.isEmpty ? nil : layout
        hiddenColumns = places.hidden
        prefetches = targets
    }
}

extension ResolvedQuery {
    /// The columns of each included table, in the order of the query.
    fileprivate func columnRanges() throws -> [ObjectIdentifier: Range<Int>] {
        var ranges: [ObjectIdentifier: Range<Int>] = [:]
        var count = 0
        for table in tables where table.join?.isIncluded ?? true {
            let columns = try columnCount(of: table)
            ranges[ObjectIdentifier(table)] = count..<count + columns
            count += columns
        }
        return ranges
    }
}

/// The places of columns in the rows of a query, which gets hidden columns for those that it does not select.
private struct ColumnPlaces {
    private let query: ResolvedQuery
    private let ranges: [ObjectIdentifier: Range<Int>]
    private let db: Database
    /// The number of selected columns.
    private let selectedCount: Int
    private(set) var hidden: [HiddenColumn] = []

    init(_ query: ResolvedQuery, _ ranges: [ObjectIdentifier: Range<Int>], _ db: Database) {
        (self.query, self.ranges, self.db) = (query, ranges, db)
        selectedCount = ranges.values.map(\.upperBound).max() ?? 0
    }

    /// The number of columns, with hidden ones.
    var count: Int { selectedCount + hidden.count }

    /// Returns the index of a column.
    ///
    /// - Parameter mayHide: whether a column that is not selected may become a hidden one, which adds rows to a distinct query.
    mutating func index(of name: String, in table: ResolvedTable, mayHide: Bool) throws -> Int {
        if let range = ranges[ObjectIdentifier(table)], try table.selectsAllColumnsFirst(db),
            let position = try table.columnNames(db).firstIndex(where: { $0.isEqualIgnoringASCIICase(to: name) })
        {
            return range.lowerBound + position
        }
        if !mayHide {
            guard let position = try query.position(of: name, in: table), let range = ranges[ObjectIdentifier(table)] else {
                throw DatabaseError.misuse(
                    "a distinct, grouped or aggregated request of \(query.root.name) does not select the column \(name), "
                        + "which its pages or its associations need", advice: "Select the column: select(…, Column(\"\(name)\")).")
            }
            return range.lowerBound + position
        }
        if let position = hidden.firstIndex(where: { $0.table === table && $0.name == name }) { return selectedCount + position }
        hidden.append(HiddenColumn(table: table, name: name))
        return count - 1
    }

    /// Adds the prefetched associations of a table, and of those that are joined to it.
    ///
    /// - Parameter scopes: the path of scopes to the table's rows.
    mutating func addTargets(of table: ResolvedTable, scopes: [String], to targets: inout [PrefetchTarget]) throws {
        for prefetch in table.relation.prefetches {
            if targets.contains(where: { $0.prefetch.key == prefetch.key && $0.place.scopes == scopes }) {
                throw DatabaseError.misuse(
                    "two associations have the same key \(prefetch.key) for the rows that are prefetched for \(query.root.name)",
                    advice: DatabaseError.adviceAboutKeys)
            }
            let keyIndexes = try prefetch.path.originColumns(db).map {
                try index(of: $0.left, in: table, mayHide: !query.root.relation.isDistinct)
            }
            targets.append(
                PrefetchTarget(prefetch: prefetch, place: PrefetchTarget.Place(scopes: scopes, keyIndexes: keyIndexes)))
        }
        // A table that is joined but not included has no scope: its prefetched rows belong to the row that it is joined to.
        for joined in table.joins {
            try addTargets(of: joined, scopes: joined.isIncluded ? scopes + [joined.join?.key ?? ""] : scopes, to: &targets)
        }
    }

    func layout(of table: ResolvedTable) -> RelationLayout {
        RelationLayout(
            columns: ranges[ObjectIdentifier(table)] ?? 0..<0,
            scopes: table.joins.filter(\.isIncluded).map { (name: $0.join?.key ?? "", layout: layout(of: $0)) })
    }
}

extension Relation {
    /// The prefetched associations of the tables, in the order of ``RelationColumns/prefetches``.
    var allPrefetches: [Prefetch] { self.prefetches + self.joins.flatMap(\.relation.allPrefetches) }
}

extension ResolvedTable {
    /// Returns whether the selection of the table begins with all its columns, in order.
    func selectsAllColumnsFirst(_ db: Database) throws -> Bool {
        try relation.selection.resolve(db).first?.isAllColumns == true
    }
}
