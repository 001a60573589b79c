import RowDecoding

/// The conditions that select rows by their keys.
enum KeyCondition {
    /// Returns the condition on a primary key of one column. Nil matches no row.
    static func value(_ key: (any DatabaseValueConvertible)?, table: String) -> SQLExpression {
        SQLExpression(PrimaryKeyNode(table: table, values: [key?.sqlExpression ?? .null]))
    }

    /// Returns the condition that a primary key of one column has one of some values.
    static func values<Keys: Sequence>(_ keys: Keys, table: String) -> SQLExpression where Keys.Element: DatabaseValueConvertible {
        let values = keys.map(\.sqlExpression)
        return SQLExpression(PrimaryKeyNode(table: table, values: values))
    }

    /// Returns the condition that a column of a key equals a value.
    ///
    /// A key that contains NULL identifies no row: a unique index, and a primary key that is not the row ID, can hold NULL many times
    /// (<https://www.sqlite.org/lang_createtable.html#unique_constraints>). The operator is therefore always `=`, which is never true
    /// for NULL, and never becomes IS NULL.
    fileprivate static func equality(_ column: Column, _ value: SQLExpression) -> BinaryNode {
        BinaryNode(left: column.sqlExpression, operation: " = ", right: value, precedence: .equality)
    }

    /// Returns the condition on some primary or unique keys, each given by its columns. A key that contains NULL matches no row.
    static func columns(_ keys: [[String: (any DatabaseValueConvertible)?]], table: String) -> SQLExpression {
        let keys = keys.map { key in
            key.map { ($0.key, $0.value?.sqlExpression ?? .null) }.sorted { $0.0 < $1.0 }
        }
        return SQLExpression(UniqueKeyNode(table: table, keys: keys))
    }
}

/// The condition that a primary key of one column has one of some values.
private struct PrimaryKeyNode: SQLExpressionNode {
    let table: String
    let values: [SQLExpression]

    var precedence: SQLPrecedence { .equality }

    func render(to renderer: inout SQLRenderer) throws {
        let column = Column(try PrimaryKeyPlan.column(of: table, in: renderer.database))
        if values.count == 1 {
            try KeyCondition.equality(column, values[0]).render(to: &renderer)
        } else {
            try MembershipNode(operand: column.sqlExpression, values: values, isNegated: false).render(to: &renderer)
        }
    }
}

extension PrimaryKeyNode: RowSelectingNode, KeyNode {
    func rowIDs(in source: RowIDSource, depth: Int) -> Set<Int64>? {
        guard source.primaryKey.isRowID, table == source.table.name || source.table.schema != nil else { return nil }
        return source.rowIDs(where: Column(source.primaryKey.columns[0]).sqlExpression, equalsOneOf: values)
    }
}

/// The condition that a row has one of some keys, which are given by their columns.
private struct UniqueKeyNode: SQLExpressionNode {
    let table: String
    let keys: [[(String, SQLExpression)]]

    /// The number of keys up to which each key has a separate condition. Beyond it, keys of one column become an IN list.
    private static let maximumConditionCount = 40

    /// The number of keys up to which each key of several columns has a separate condition. Beyond it, the keys become a list of rows.
    private static let maximumKeyCountOfConditions = 1_000

    var precedence: SQLPrecedence {
        switch keys.count {
        case 0: .primary
        case 1: keys[0].count == 1 ? .equality : .and
        default: .or
        }
    }

    func render(to renderer: inout SQLRenderer) throws {
        if keys.isEmpty {
            renderer.append("0")
            return
        }
        let groups = groupedKeys
        let table = try TableReference(table, in: renderer.database)
        for group in groups { try Self.check(group[0].map(\.0), of: table, in: renderer.database) }
        if keys.count <= Self.maximumConditionCount {
            try renderer.append(keys, separator: " OR ") { try $0.append(Self.condition($1)) }
        } else {
            try renderer.append(AssociativeNode.expression(.or, try groups.flatMap { try Self.conditions($0, in: renderer) }))
        }
    }

    /// Returns the condition that a row has a key: `"a" = 1 AND "b" = 2`.
    private static func condition(_ key: [(String, SQLExpression)]) -> SQLExpression {
        AssociativeNode.expression(.and, key.map { column, value in SQLExpression(KeyCondition.equality(Column(column), value)) })
    }

    /// Returns conditions that match some keys with the same columns: a row has one of the keys if one of the conditions is true.
    private static func conditions(_ keys: [[(String, SQLExpression)]], in renderer: SQLRenderer) throws -> [SQLExpression] {
        let columns = keys[0].map { Column($0.0).sqlExpression }
        if columns.count == 1 {
            return [SQLExpression(MembershipNode(operand: columns[0], values: keys.map { $0[0].1 }, isNegated: false))]
        }
        // For single conditions, SQLite searches an index by all its columns; for a list of rows, by the first column only. But with
        // thousands of conditions, SQLite plans a scan of the table instead, and compares each row with all of them.
        let isList = keys.count > maximumKeyCountOfConditions || renderer.packsLists
        guard isList, !renderer.writesLiterals else { return keys.map { condition($0) } }
        let values = try columns.indices.map { index in
            try renderer.operands(keys.map { $0[index].1 }, comparedWith: columns[index])
        }
        let rows = try keys.indices.map { row in try values.map { try $0[row].knownValue(in: renderer) } }
        return [SQLExpression(RowMembershipNode(columns: columns, rows: rows, isPacked: true))]
    }

    /// The keys, grouped by their columns, in the order in which each set of columns first appears.
    private var groupedKeys: [[[(String, SQLExpression)]]] {
        var groups: [[[(String, SQLExpression)]]] = []
        var indexes: [[SchemaName]: Int] = [:]
        for key in keys {
            let columns = key.map { SchemaName($0.0) }
            if let index = indexes[columns] {
                groups[index].append(key)
            } else {
                indexes[columns] = groups.count
                groups.append([key])
            }
        }
        return groups
    }

    /// Checks that a key identifies at most one row, so that `fetchOne` and `delete` can't select the wrong row.
    private static func check(_ columns: [String], of table: TableReference, in db: Database) throws {
        let names = Set(columns.map(SchemaName.init))
        if names.isEmpty {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a key of the table \(table.name) has no columns")
        }
        let primaryKey = try table.primaryKey(db)
        if Set(primaryKey.columns.map(SchemaName.init)).isSubset(of: names) { return }
        if names == [.rowID] && primaryKey.tableHasRowID { return }
        let isUnique = try db.indexes(on: table.name, in: table.schema).contains { index in
            index.isUnique && !index.isPartial && !index.hasExpressions
                && Set(index.columns.map(SchemaName.init)).isSubset(of: names)
        }
        guard isUnique else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the table \(table.name) has no unique index on \(columns.joined(separator: ", ")): "
                    + "several rows could have this key; use filter instead")
        }
    }
}

extension UniqueKeyNode: RowSelectingNode, KeyNode {
    func rowIDs(in source: RowIDSource, depth: Int) -> Set<Int64>? {
        var rowIDs: Set<Int64> = []
        for key in keys {
            guard let (column, value) = key.first(where: { source.isRowID($0.0) }),
                let others = source.rowIDs(where: Column(column).sqlExpression, equalsOneOf: [value])
            else { return nil }
            rowIDs.formUnion(others)
        }
        return rowIDs
    }
}

extension SQLExpression {
    /// Returns the constant value of the expression.
    ///
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` if the expression is not constant.
    fileprivate func knownValue(in renderer: SQLRenderer) throws -> DatabaseValue {
        if let value { return value }
        var nested = renderer.nested()
        try nested.append(self)
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the value of a key is an expression: use filter instead", sql: nested.sql)
    }
}

extension DatabaseValueConvertible {
    /// Whether the value is NULL, which no row has as its key.
    var isNullKey: Bool { sqlExpression.value?.isNull == true }
}
