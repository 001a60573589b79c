import RowDecoding

/// A condition that selects rows by their keys. The schema says which columns are the primary key, and whether a key is unique.
enum KeyCondition: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a case or a value.
    /// The primary key, which has one column, has one of some values.
    case primaryKey([SQLExpression], table: String)
    /// The row has one of some keys, which are given by their columns.
    case uniqueKey([Key], table: String)

    /// The columns of a key with their values.
    typealias Key = [(column: String, value: SQLExpression)]

    /// Returns the condition on a primary key of one column. Nil matches no row.
    static func value(_ key: (any DatabaseValueConvertible)?, table: String) -> SQLExpression {
        SQLExpression(.key(.primaryKey([key?.sqlExpression ?? .null], table: table)))
    }

    /// Returns the condition that a primary key of one column has one of some values.
    static func values<Keys: Sequence>(_ keys: Keys, table: String) -> SQLExpression where Keys.Element: DatabaseValueConvertible {
        SQLExpression(.key(.primaryKey(keys.map(\.sqlExpression), table: table)))
    }

    /// Returns the condition on some primary or unique keys, each given by its columns. A key that contains NULL matches no row.
    static func columns(_ keys: [[String: (any DatabaseValueConvertible)?]], table: String) -> SQLExpression {
        let keys = keys.map { key in
            key.map { (column: $0.key, value: $0.value?.sqlExpression ?? .null) }.sorted { $0.column < $1.column }
        }
        return SQLExpression(.key(.uniqueKey(keys, table: table)))
    }

    /// The values.
    private var values: [SQLExpression] {
        switch self {
        case .primaryKey(let values, table: _): values
        case .uniqueKey(let keys, table: _): keys.flatMap { $0.map(\.value) }
        }
    }

    var depth: SQLDepth { SQLDepth(of: values) }

    var precedence: SQLPrecedence {
        switch self {
        case .primaryKey: .equality
        case .uniqueKey(let keys, table: _):
            switch keys.count {
            case 0: .primary
            case 1: keys[0].count == 1 ? .equality : .and
            default: .or
            }
        }
    }

    // MARK: - The expression

    /// Returns the condition on columns.
    ///
    /// - Throws: ``DatabaseError`` when the table does not have the key.
    func expression(in renderer: SQLRenderer) throws -> SQLExpression {
        switch self {
        case .primaryKey(let values, let table):
            let name = try PrimaryKeyPlan.column(of: table, in: renderer.database)
            let column = Column(name).sqlExpression
            for value in values { try Self.checkStorageClass(of: value, inColumn: name, of: table, renderer) }
            return values.count == 1 ? Self.equality(column, values[0]) : SQLExpression(.membership(column, in: values, isNegated: false))
        case .uniqueKey(let keys, let table):
            guard !keys.isEmpty else { return SQL(sql: "0").sqlExpression }
            let groups = Self.grouped(keys)
            let reference = try TableReference(table, in: renderer.database)
            for group in groups { try Self.check(group[0].map(\.column), of: reference, in: renderer.database) }
            for (column, value) in keys.joined() { try Self.checkStorageClass(of: value, inColumn: column, of: table, renderer) }
            let isShort = keys.count <= Self.maximumConditionCount
            return .chain(.or, isShort ? keys.map(Self.condition) : try groups.flatMap { try Self.conditions($0, in: renderer) })
        }
    }

    /// Returns the condition that a column of a key equals a value.
    ///
    /// A key that contains NULL identifies no row: a unique index, and a primary key that is not the row ID, can hold NULL many times
    /// (<https://www.sqlite.org/lang_createtable.html#unique_constraints>). The operator is therefore always `=`, which is never true
    /// for NULL, and never becomes IS NULL.
    private static func equality(_ column: SQLExpression, _ value: SQLExpression) -> SQLExpression { .binary(column, .equal, value) }

    /// The number of keys up to which each key has a separate condition. Beyond it, keys of one column become an IN list.
    private static let maximumConditionCount = 40

    /// The number of keys up to which each key of several columns has a separate condition. Beyond it, the keys become a list of rows.
    private static let maximumKeyCountOfConditions = 1_000

    /// Returns the condition that a row has a key: `"a" = 1 AND "b" = 2`.
    private static func condition(_ key: Key) -> SQLExpression {
        .chain(.and, key.map { equality(Column($0.column).sqlExpression, $0.value) })
    }

    /// Returns conditions that match some keys with the same columns: a row has one of the keys if one of the conditions is true.
    private static func conditions(_ keys: [Key], in renderer: SQLRenderer) throws -> [SQLExpression] {
        let columns = keys[0].map { Column($0.column).sqlExpression }
        if columns.count == 1 {
            return [SQLExpression(.membership(columns[0], in: keys.map { $0[0].value }, isNegated: false))]
        }
        // For single conditions, SQLite searches an index by all its columns; for a list of rows, by the first column only. But with
        // thousands of conditions, SQLite plans a scan of the table instead, and compares each row with all of them.
        let isList = keys.count > maximumKeyCountOfConditions || renderer.packsLists
        guard isList, !renderer.writesLiterals else { return keys.map { condition($0) } }
        let values = try columns.indices.map { index in
            try renderer.operands(keys.map { $0[index].value }, comparedWith: columns[index])
        }
        let rows = try keys.indices.map { row in try values.map { try $0[row].knownValue(in: renderer) } }
        return [SQLExpression(.rowMembership(SQLNode.RowMembership(columns: columns, rows: rows, isPacked: true)))]
    }

    /// The keys, grouped by their columns, in the order in which each set of columns first appears.
    private static func grouped(_ keys: [Key]) -> [[Key]] {
        var groups: [[Key]] = []
        var indexes: [[SchemaName]: Int] = [:]
        for key in keys {
            let columns = key.map { SchemaName($0.column) }
            if let index = indexes[columns] {
                groups[index].append(key)
            } else {
                indexes[columns] = groups.count
                groups.append([key])
            }
        }
        return groups
    }

    /// Checks in debug builds that a column can have a value.
    private static func checkStorageClass(
        of value: SQLExpression, inColumn column: String, of table: String, _ renderer: SQLRenderer
    ) throws {
        #if DEBUG
            let value = try renderer.operand(value, comparedWith: Column(column).sqlExpression).value
            try KeyCheck(recordType: renderer.scope.table?.recordType, table: table).check(value, inColumn: column, renderer.database)
        #endif
    }

    /// Checks that a key identifies at most one row, so that `fetchOne` and `delete` can't select the wrong row.
    private static func check(_ columns: [String], of table: TableReference, in db: Database) throws {
        let names = Set(columns.map(SchemaName.init))
        if names.isEmpty { throw DatabaseError.misuse("the key passed for table \(table.name) names no columns") }
        let primaryKey = try table.primaryKey(db)
        if Set(primaryKey.columns.map(SchemaName.init)).isSubset(of: names) { return }
        if names == [.rowID] && primaryKey.tableHasRowID { return }
        let isUnique = try db.indexes(on: table.name, in: table.schema).contains { index in
            index.isUnique && !index.isPartial && !index.hasExpressions
                && Set(index.columns.map(SchemaName.init)).isSubset(of: names)
        }
        guard isUnique else {
            throw DatabaseError.misuse(
                "the table \(table.name) has no unique index on \(columns.joined(separator: ", ")): several rows could have this key",
                advice: "Use filter instead.")
        }
    }
}

extension KeyCondition {
    /// Returns the row IDs of the rows that the condition selects, or nil if they are unknown.
    func rowIDs(in source: RowIDSource) -> Set<Int64>? {
        switch self {
        case .primaryKey(let values, let table):
            guard source.primaryKey.isRowID, table == source.table.name || source.table.schema != nil else { return nil }
            return source.rowIDs(where: Column(source.primaryKey.columns[0]).sqlExpression, equalsOneOf: values)
        case .uniqueKey(let keys, table: _):
            var rowIDs: Set<Int64> = []
            for key in keys {
                guard let (column, value) = key.first(where: { source.isRowID($0.column) }),
                    let others = source.rowIDs(where: Column(column).sqlExpression, equalsOneOf: [value])
                else { return nil }
                rowIDs.formUnion(others)
            }
            return rowIDs
        }
    }
}

extension SQLExpression {
    /// Returns the constant value of the expression.
    ///
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` if the expression is not constant.
    fileprivate func knownValue(in renderer: SQLRenderer) throws -> DatabaseValue {
        if let value { return value }
        var probe = renderer.probe
        try probe.append(self)
        throw DatabaseError.misuse("the value of a key is an expression", sql: probe.sql, advice: "Use filter instead.")
    }
}

extension DatabaseValueConvertible {
    /// Whether the value is NULL, which no row has as its key.
    var isNullKey: Bool { sqlExpression.value?.isNull == true }
}
