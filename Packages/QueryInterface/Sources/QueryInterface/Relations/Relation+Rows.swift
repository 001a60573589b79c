import RowDecoding

// Determines which rows of its table a query reads, for the recording of accesses. A query that selects rows by the row ID depends only on
// those rows: its result does not change with other rows, as long as the query reads the table only once.

/// A table with row IDs, and their names in it.
struct RowIDSource {
    let table: TableReference
    let primaryKey: PrimaryKeyInfo
    let columns: [ColumnInfo]

    /// The name of the table in the request.
    fileprivate let name: String

    /// Whether the request joins other tables, to which columns can belong.
    fileprivate let hasJoins: Bool

    /// The values of places.
    fileprivate let places: [PlaceValues]

    /// Returns whether a column is the row ID.
    func isRowID(_ column: String) -> Bool {
        if primaryKey.rowIDColumn?.isEqualIgnoringASCIICase(to: column) == true { return true }
        return ["rowid", "oid", "_rowid_"].contains { $0.isEqualIgnoringASCIICase(to: column) }
            && !columns.contains { $0.name.isEqualIgnoringASCIICase(to: column) }
    }

    /// Returns the rows in which an expression equals one of some values; nil if they are unknown.
    func rowIDs(where expression: SQLExpression, equalsOneOf values: [SQLExpression]) -> Set<Int64>? {
        guard let column = expression.columnName, isRowID(column) else { return nil }
        if hasJoins, let table = expression.columnTable, !table.name.isEqualIgnoringASCIICase(to: name) { return nil }
        var rowIDs: Set<Int64> = []
        for value in values {
            guard let rowID = databaseValue(of: value)?.rowIDs else { return nil }
            rowIDs.formUnion(rowID)
        }
        return rowIDs
    }

    private func databaseValue(of value: SQLExpression) -> DatabaseValue? {
        if case .place(let place)? = value.node?.kind { place.tree(in: places)?.value } else { value.value }
    }
}

extension DatabaseValue {
    /// The row IDs that equal the value; nil if they are unknown. NULL does not equal any value.
    var rowIDs: Set<Int64>? {
        switch storage {
        case .int64(let value): [value]
        case .null: []
        // SQLite converts these values before it compares them.
        case .double, .string, .blob: nil
        }
    }
}

// MARK: - Expressions

extension SQLExpression {
    /// Returns the row IDs of the only rows for which the expression can be true, or nil if they are unknown.
    func rowIDs(in source: RowIDSource) -> Set<Int64>? {
        switch node?.kind {
        case .comparison(let left, .equal, let right), .comparison(let left, .identical, let right):
            return source.rowIDs(where: left, equalsOneOf: [right]) ?? source.rowIDs(where: right, equalsOneOf: [left])
        case .membership(let operand, in: let values, isNegated: false): return source.rowIDs(where: operand, equalsOneOf: values)
        case .key(let condition): return condition.rowIDs(in: source)
        case .chain(.and, let operands):
            return SQLOperator.and.flattened(operands).reduce(nil) { rowIDs, operand in
                guard let others = operand.rowIDs(in: source) else { return rowIDs }
                return rowIDs?.intersection(others) ?? others
            }
        case .chain(.or, let operands):
            var rowIDs: Set<Int64> = []
            for operand in SQLOperator.or.flattened(operands) {
                guard let others = operand.rowIDs(in: source) else { return nil }
                rowIDs.formUnion(others)
            }
            return rowIDs
        default: return nil
        }
    }
}

// MARK: - Queries

extension Relation {
    /// Records which rows the next run of a statement reads, if they are known.
    ///
    /// - Parameters:
    ///   - counts: the facts about the statement's SQL.
    ///   - queries: the number of queries of a statement that reads the table once.
    @inline(never)
    func narrow(_ statement: Statement, _ db: Database, _ counts: SQLRenderer.Counts, queries: Int = 1) {
        guard let source = rowIDSource(db, counts, queries: queries), let rows = rowIDs(in: source, db) else { return }
        statement.narrowNextRun(toRows: rows, ofTable: source.table.name)
    }

    /// Returns the region of a statement that runs the query, narrowed to the rows that it reads.
    func narrowedRegion(of statement: Statement, _ db: Database, _ counts: SQLRenderer.Counts) -> DatabaseRegion {
        let region = statement.databaseRegion
        guard let source = rowIDSource(db, counts), let rows = rowIDs(in: source, db) else { return region }
        return region.narrowed(toRows: rows, ofTable: source.table.name)
    }

    /// Returns the rows that pass all filters; nil if they are unknown.
    private func rowIDs(in source: RowIDSource, _ db: Database) -> Set<Int64>? {
        var rowIDs: Set<Int64>?
        for filter in filters {
            guard let filter = try? filter.resolve(db), filter.isKnown else { return nil }
            if let others = filter.rowIDs(in: source) { rowIDs = rowIDs?.intersection(others) ?? others }
        }
        return rowIDs
    }

    /// Returns the table of the query if it has row IDs, and if the query reads it only once; nil otherwise, and if that is unknown.
    func rowIDSource(_ db: Database, _ counts: SQLRenderer.Counts, queries: Int = 1) -> RowIDSource? {
        do {
            guard case .table(let name) = source, self.commonTables.isEmpty, counts.reads(queries: queries) else { return nil }
            let table = try TableReference(name, in: db)
            let primaryKey = try table.primaryKey(db)
            guard primaryKey.tableHasRowID else { return nil }
            var remaining = self.joins
            while let join = remaining.popLast() {
                // A joined view may read the table. Views have no row IDs.
                guard case .table(let name) = join.relation.source, join.relation.commonTables.isEmpty else { return nil }
                let joined = try TableReference(name, in: db)
                guard !joined.name.isEqualIgnoringASCIICase(to: table.name), try joined.primaryKey(db).tableHasRowID else { return nil }
                remaining += join.relation.joins
            }
            return RowIDSource(
                table: table, primaryKey: primaryKey, columns: try table.columns(db), name: name, hasJoins: !self.joins.isEmpty,
                places: self.places)
        } catch {
            return nil
        }
    }
}
