import RowDecoding

/// The conditions that pick rows by their keys.
enum KeyCondition {
    /// Picks the row of a value of a primary key that is one column; none for nil.
    static func value(_ key: (any DatabaseValueConvertible)?, table: String) -> SQLExpression {
        SQLExpression(PrimaryKeyNode(table: table, values: [key?.sqlExpression ?? .null]))
    }

    /// Picks the rows of some values of a primary key that is one column.
    static func values<Keys: Sequence>(_ keys: Keys, table: String) -> SQLExpression where Keys.Element: DatabaseValueConvertible {
        let values = keys.map(\.sqlExpression)
        return SQLExpression(PrimaryKeyNode(table: table, values: values))
    }

    /// Picks the rows in which a column of a key has a value.
    ///
    /// A key with NULL is no row's: a unique index, and a primary key that is not the row id, can hold NULL many times
    /// (<https://www.sqlite.org/lang_createtable.html#unique_constraints>). So the operator must not become IS NULL; `=` keeps no row.
    fileprivate static func equality(_ column: Column, _ value: SQLExpression) -> BinaryNode {
        BinaryNode(left: column.sqlExpression, operation: " = ", right: value, precedence: .equality)
    }

    /// Picks the rows of some primary or unique keys, each given by its columns; none for a key with NULL.
    static func columns(_ keys: [[String: (any DatabaseValueConvertible)?]], table: String) -> SQLExpression {
        let keys = keys.map { key in
            key.map { ($0.key, $0.value?.sqlExpression ?? .null) }.sorted { $0.0 < $1.0 }
        }
        return SQLExpression(UniqueKeyNode(table: table, keys: keys))
    }
}

/// A primary key of one column that has one of some values.
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

/// Keys that are given by their columns.
private struct UniqueKeyNode: SQLExpressionNode {
    let table: String
    let keys: [[(String, SQLExpression)]]

    /// How many keys have a condition each. Where there are more, those of one column become a list.
    private static let maximumConditionCount = 40

    /// How many keys of several columns have a condition each. Where there are more, they become a list of rows.
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

    /// The condition that a row has a key: `"a" = 1 AND "b" = 2`.
    private static func condition(_ key: [(String, SQLExpression)]) -> SQLExpression {
        AssociativeNode.expression(.and, key.map { column, value in SQLExpression(KeyCondition.equality(Column(column), value)) })
    }

    /// The conditions of which one is true where a row has one of some keys, all of the same columns.
    private static func conditions(_ keys: [[(String, SQLExpression)]], in renderer: SQLRenderer) throws -> [SQLExpression] {
        let columns = keys[0].map { Column($0.0).sqlExpression }
        if columns.count == 1 {
            return [SQLExpression(MembershipNode(operand: columns[0], values: keys.map { $0[0].1 }, isNegated: false))]
        }
        // SQLite finds rows by all columns of an index for conditions, and for a list of rows by its first column only. But with
        // thousands of conditions it thinks a scan of the table cheaper, and compares each row with all of them.
        let isList = keys.count > maximumKeyCountOfConditions || renderer.packsLists
        guard isList, !renderer.writesLiterals else { return keys.map { condition($0) } }
        let values = try columns.indices.map { index in
            try renderer.operands(keys.map { $0[index].1 }, comparedWith: columns[index])
        }
        let rows = try keys.indices.map { row in try values.map { try $0[row].knownValue(in: renderer) } }
        return [SQLExpression(RowMembershipNode(columns: columns, rows: rows, isPacked: true))]
    }

    /// The keys, those of the same columns together, in the order in which the columns first come.
    private var groupedKeys: [[[(String, SQLExpression)]]] {
        var groups: [[[(String, SQLExpression)]]] = []
        var indexes: [[String]: Int] = [:]
        for key in keys {
            let columns = key.map { $0.0.lowercased() }
            if let index = indexes[columns] {
                groups[index].append(key)
            } else {
                indexes[columns] = groups.count
                groups.append([key])
            }
        }
        return groups
    }

    /// Checks that at most one row can have a key, so that `fetchOne` and `delete` mean the row that was meant.
    private static func check(_ columns: [String], of table: TableReference, in db: Database) throws {
        let names = Set(columns.map { $0.lowercased() })
        if names.isEmpty {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a key of the table \(table.name) has no columns")
        }
        let primaryKey = try table.primaryKey(db)
        if Set(primaryKey.columns.map { $0.lowercased() }).isSubset(of: names) { return }
        if names == ["rowid"] && primaryKey.tableHasRowID { return }
        let isUnique = try db.indexes(on: table.name, in: table.schema).contains { index in
            index.isUnique && !index.isPartial && !index.hasExpressions
                && Set(index.columns.map { $0.lowercased() }).isSubset(of: names)
        }
        guard isUnique else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the table \(table.name) has no unique index on \(columns.joined(separator: ", ")): "
                    + "several rows could have this key; use filter instead")
        }
    }
}

extension SQLExpression {
    /// The value that the expression is.
    ///
    /// - Throws: the error of a value that can't be stored.
    fileprivate func knownValue(in renderer: SQLRenderer) throws -> DatabaseValue {
        if let value { return value }
        var nested = renderer.nested()
        try nested.append(self)
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the value of a key is an expression: use filter instead", sql: nested.sql)
    }
}
