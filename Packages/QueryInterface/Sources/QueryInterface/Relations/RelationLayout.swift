import RowDecoding

/// Which columns of a query belong to which table: presents the rows of joined tables in scopes, and leaves out hidden columns.
struct RelationLayout: RowAdapter {
    let columns: Range<Int>
    let scopes: [(name: String, layout: RelationLayout)]

    /// The number of columns that the query must have, where it is known.
    var columnCount: Int?

    func layout(from base: RowLayout) throws -> RowLayout {
        if let columnCount, base.columns.count != columnCount {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: "a request has \(base.columns.count) columns, but \(columnCount) when it was written: "
                    + "the schema has changed in between; fetch it again")
        }
        return RowLayout(
            columns: Array(base.columns[columns]),
            scopes: try scopes.map { (name: $0.name, layout: try $0.layout.layout(from: base)) })
    }
}

/// Where the rows of an association are fetched to, and the columns that they are found by.
struct PrefetchTarget {
    let prefetch: Prefetch
    /// The scopes that lead to the row that has the association.
    let scopes: [String]
    /// The indexes of the query's columns that hold the key.
    let keyIndexes: [Int]
}

/// The layout of a query's rows, with the columns that it takes for prefetches and for the one who asks.
struct RelationColumns {
    /// The adapter, nil where the rows are presented as they are.
    let layout: RelationLayout?
    let hiddenColumns: [HiddenColumn]
    let prefetches: [PrefetchTarget]
    /// The indexes of the columns that were asked for.
    let extraIndexes: [Int]

    /// - Parameters:
    ///   - query: the query.
    ///   - extraColumns: columns whose values are needed beside those of the relation.
    ///   - db: a connection.
    init(_ query: ResolvedQuery, extraColumns: [(table: ResolvedTable, name: String)] = [], db: Database) throws {
        let tables = query.root.tables
        let needsLayout = tables.contains { $0.join?.isIncluded == true || !$0.relation.prefetches.isEmpty }
        guard needsLayout || !extraColumns.isEmpty else {
            (layout, hiddenColumns, prefetches, extraIndexes) = (nil, [], [], [])
            return
        }
        // The columns of each table that is selected, in the order of the query.
        var ranges: [ObjectIdentifier: Range<Int>] = [:]
        var count = 0
        for table in tables where table.join?.isIncluded ?? true {
            let columns = try query.columnCount(of: table)
            ranges[ObjectIdentifier(table)] = count..<count + columns
            count += columns
        }
        var hidden: [HiddenColumn] = []
        func index(of name: String, in table: ResolvedTable) throws -> Int {
            if let range = ranges[ObjectIdentifier(table)], try table.selectsAllColumnsFirst(db),
                let position = try table.columnNames(db).firstIndex(where: { $0.lowercased() == name.lowercased() })
            {
                return range.lowerBound + position
            }
            if let position = hidden.firstIndex(where: { $0.table === table && $0.name == name }) { return count + position }
            hidden.append(HiddenColumn(table: table, name: name))
            return count + hidden.count - 1
        }
        var targets: [PrefetchTarget] = []
        func addTargets(of table: ResolvedTable, scopes: [String]) throws {
            for prefetch in table.relation.prefetches {
                if targets.contains(where: { $0.prefetch.key == prefetch.key && $0.scopes == scopes }) {
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE,
                        message: "two associations have the same key \(prefetch.key) for the rows that are prefetched for "
                            + "\(query.root.name): give one of them another key with forKey(_:)")
                }
                let pairs = try prefetch.path.originColumns(db)
                targets.append(
                    PrefetchTarget(
                        prefetch: prefetch, scopes: scopes, keyIndexes: try pairs.map { try index(of: $0.left, in: table) }))
            }
            // What is prefetched for a table that is joined, and not selected, belongs to the row that it is joined to.
            for joined in table.joins {
                try addTargets(of: joined, scopes: joined.isIncluded ? scopes + [joined.join?.key ?? ""] : scopes)
            }
        }
        try addTargets(of: query.root, scopes: [])
        extraIndexes = try extraColumns.map { try index(of: $0.name, in: $0.table) }
        func makeLayout(of table: ResolvedTable) -> RelationLayout {
            RelationLayout(
                columns: ranges[ObjectIdentifier(table)] ?? 0..<0,
                scopes: table.joins.filter(\.isIncluded).map { (name: $0.join?.key ?? "", layout: makeLayout(of: $0)) })
        }
        var layout = makeLayout(of: query.root)
        layout.columnCount = count + hidden.count
        // A query whose columns are all the row's own needs no adapter.
        self.layout = layout.scopes.isEmpty && hidden.isEmpty ? nil : layout
        hiddenColumns = hidden
        prefetches = targets
    }
}

extension ResolvedTable {
    /// Whether the columns of the table are the first ones of its selection, all of them and in their order.
    func selectsAllColumnsFirst(_ db: Database) throws -> Bool {
        try relation.selection.resolve(db).first?.node is AllColumnsNode
    }
}
