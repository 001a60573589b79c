extension Database {
    /// Whether the values of some columns are enough to tell a table's rows apart.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT UNIQUE, team TEXT, number INTEGER);
    /// // CREATE UNIQUE INDEX jersey ON player (team, number);
    /// try db.table("player", hasUniqueKey: ["id"])              // true
    /// try db.table("player", hasUniqueKey: ["number", "team"])  // true
    /// try db.table("player", hasUniqueKey: ["id", "team"])      // true
    /// try db.table("player", hasUniqueKey: ["team"])            // false
    /// ```
    ///
    /// They are when the columns of the primary key are among them, or those of a unique index, or the row id. An index on
    /// expressions, or one with a `WHERE` clause, says nothing about all rows and is not looked at. Rows that have NULL in a
    /// unique index may still be many: in SQL, no NULL equals another.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, whatever its case.
    ///   - columns: names of columns, whatever their case and order.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    /// - Complexity: O(n) in the number of indexes, once the schema was read.
    public func table(_ tableName: String, hasUniqueKey columns: some Sequence<String>) throws -> Bool {
        let given = Set(columns.map { SchemaName($0) })
        func areGiven(_ names: [String]) -> Bool {
            !names.isEmpty && names.allSatisfy { given.contains(SchemaName($0)) }
        }

        let primaryKey = try primaryKey(tableName)
        // A view has no key, though it may look as if it had a row id.
        if primaryKey.tableHasRowID || !primaryKey.isRowID, areGiven(primaryKey.columns) { return true }
        // The row id has three names, each of which a column may take.
        let rowIDNames = primaryKey.tableHasRowID ? ["rowid", "oid", "_rowid_"].filter { given.contains(SchemaName($0)) } : []
        if !rowIDNames.isEmpty {
            let columnNames = Set(try self.columns(in: tableName).map { SchemaName($0.name) })
            if rowIDNames.contains(where: { !columnNames.contains(SchemaName($0)) }) { return true }
        }
        return try indexes(on: tableName).contains { index in
            index.isUnique && !index.isPartial && !index.hasExpressions && areGiven(index.columns)
        }
    }

    /// Whether the values of some columns are enough to tell a table's rows apart: another name of ``table(_:hasUniqueKey:)``.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, whatever its case.
    ///   - columns: names of columns, whatever their case and order.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    public func isTable(_ tableName: String, hasUniqueKeys columns: some Sequence<String>) throws -> Bool {
        try table(tableName, hasUniqueKey: columns)
    }
}
