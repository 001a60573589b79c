import RowDecoding

// Determines which rows of its table a query reads, for the recording of accesses. A query that selects rows by the row ID depends only on
// those rows: its result does not change with other rows, as long as the query reads the table only once.

/// An expression that may be true for some rows only, which it knows by their row IDs.
protocol RowSelectingNode: SQLExpressionNode {
    /// Returns row IDs that contain those of all rows for which the expression is true; nil if they are unknown.
    ///
    /// - Parameters:
    ///   - source: the table of the rows.
    ///   - depth: the number of expressions around this one.
    func rowIDs(in source: RowIDSource, depth: Int) -> Set<Int64>?
}

/// A table with row IDs, and their names in it.
struct RowIDSource {
    let table: TableReference
    let primaryKey: PrimaryKeyInfo
    let columns: [ColumnInfo]

    /// Returns whether a column is the row ID.
    func isRowID(_ column: String) -> Bool {
        if primaryKey.rowIDColumn?.isEqualIgnoringASCIICase(to: column) == true { return true }
        return ["rowid", "oid", "_rowid_"].contains { $0.isEqualIgnoringASCIICase(to: column) }
            && !columns.contains { $0.name.isEqualIgnoringASCIICase(to: column) }
    }

    /// Returns the rows in which an expression equals one of some values; nil if they are unknown.
    func rowIDs(where expression: SQLExpression, equalsOneOf values: [SQLExpression]) -> Set<Int64>? {
        guard let column = expression.node as? ColumnNode, isRowID(column.name) else { return nil }
        var rowIDs: Set<Int64> = []
        for value in values {
            guard let rowID = value.value?.rowIDs else { return nil }
            rowIDs.formUnion(rowID)
        }
        return rowIDs
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
    /// Returns row IDs that contain those of all rows for which the expression is true; nil if they are unknown.
    func rowIDs(in source: RowIDSource, depth: Int = 0) -> Set<Int64>? {
        depth < 100 ? (node as? any RowSelectingNode)?.rowIDs(in: source, depth: depth + 1) : nil
    }

    /// Whether the expression consists of expressions that this layer knows. Handwritten SQL could end the condition that contains it.
    fileprivate var isKnown: Bool {
        var remaining = [self]
        while let expression = remaining.popLast() {
            let node = expression.node
            if node is ColumnNode || node is any KeyNode || node.value != nil { continue }
            guard let node = node as? any CompositeNode else { return false }
            remaining += node.operands
        }
        return true
    }
}

/// A condition on the keys of a table.
protocol KeyNode {}

extension BinaryNode: RowSelectingNode {
    func rowIDs(in source: RowIDSource, depth: Int) -> Set<Int64>? {
        guard operation == " = " else { return nil }
        return source.rowIDs(where: left, equalsOneOf: [right]) ?? source.rowIDs(where: right, equalsOneOf: [left])
    }
}

extension MembershipNode: RowSelectingNode {
    func rowIDs(in source: RowIDSource, depth: Int) -> Set<Int64>? {
        isNegated ? nil : source.rowIDs(where: operand, equalsOneOf: values)
    }
}

extension AssociativeNode: RowSelectingNode {
    func rowIDs(in source: RowIDSource, depth: Int) -> Set<Int64>? {
        var rowIDs: Set<Int64>?
        switch operation.sql {
        case SQLExpression.AssociativeBinaryOperator.and.sql:
            for operand in operands {
                if let others = operand.rowIDs(in: source, depth: depth) { rowIDs = rowIDs?.intersection(others) ?? others }
            }
        case SQLExpression.AssociativeBinaryOperator.or.sql:
            for operand in operands {
                guard let others = operand.rowIDs(in: source, depth: depth) else { return nil }
                rowIDs = rowIDs?.union(others) ?? others
            }
        default:
            break
        }
        return rowIDs
    }
}

// MARK: - Queries

extension Relation {
    /// Declares for a recording which rows the next run of a statement reads, if they are known.
    ///
    /// - Parameter selectCount: the number of SELECT keywords of a statement that reads the table once.
    @inline(never)
    func narrow(_ statement: Statement, _ db: Database, selectCount: Int = 1) {
        guard let source = rowIDSource(db, sql: statement.sql, selectCount: selectCount), let rows = rowIDs(in: source, db) else { return }
        statement.narrowNextRun(toRows: rows, ofTable: source.table.name)
    }

    /// Returns the region of a statement that runs the query, narrowed to the rows that it reads.
    func narrowedRegion(of statement: Statement, _ db: Database) -> DatabaseRegion {
        let region = statement.databaseRegion
        guard let source = rowIDSource(db, sql: statement.sql, selectCount: 1), let rows = rowIDs(in: source, db) else { return region }
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
    func rowIDSource(_ db: Database, sql: String, selectCount: Int) -> RowIDSource? {
        do {
            guard case .table(let name) = source, commonTables.isEmpty, sql.reads(selectCount: selectCount) else { return nil }
            let table = try TableReference(name, in: db)
            let primaryKey = try table.primaryKey(db)
            guard primaryKey.tableHasRowID else { return nil }
            var remaining = joins
            while let join = remaining.popLast() {
                // A joined view may read the table. Views have no row IDs.
                guard case .table(let name) = join.relation.source, join.relation.commonTables.isEmpty else { return nil }
                let joined = try TableReference(name, in: db)
                guard !joined.name.isEqualIgnoringASCIICase(to: table.name), try joined.primaryKey(db).tableHasRowID else { return nil }
                remaining += join.relation.joins
            }
            return RowIDSource(table: table, primaryKey: primaryKey, columns: try table.columns(db))
        } catch {
            return nil
        }
    }
}

extension String {
    /// Returns whether SQL has a number of SELECT keywords, and no other way to read a table than their FROM clauses: no operator IN
    /// with the name of a table, and no comment that could hide something.
    fileprivate func reads(selectCount: Int) -> Bool {
        let tokens = SQLTokens(self)
        return tokens.comments.isEmpty && tokens.tokens.indices.count { tokens.keyword($0) == "SELECT" } == selectCount
            && !tokens.tokens.indices.contains { tokens.keyword($0) == "IN" && tokens.text($0 + 1) != "(" }
    }
}
