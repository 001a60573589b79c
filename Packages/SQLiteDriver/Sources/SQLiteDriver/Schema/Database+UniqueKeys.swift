extension Database {
    /// Returns whether the values of some columns identify at most one row of a table.
    ///
    /// ```swift
    /// // CREATE TABLE player
    /// //   (id INTEGER PRIMARY KEY, email TEXT UNIQUE, team TEXT, number INTEGER);
    /// // CREATE UNIQUE INDEX jersey ON player (team, number);
    /// try db.table("player", hasUniqueKey: ["id"])              // true
    /// try db.table("player", hasUniqueKey: ["number", "team"])  // true
    /// try db.table("player", hasUniqueKey: ["id", "team"])      // true
    /// try db.table("player", hasUniqueKey: ["team"])            // false
    /// ```
    ///
    /// They do if they include the columns of the primary key, the columns of a unique index, or the row ID. Indexes on expressions and
    /// partial indexes don't count, because they don't cover all rows. Several rows may have NULL in a unique index: in SQL, no NULL equals
    /// another.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, regardless of case.
    ///   - columns: column names, in any order and regardless of case.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist.
    /// - Complexity: O(n) in the number of indexes, once the schema was read.
    public func table(_ tableName: String, hasUniqueKey columns: some Sequence<String>) throws -> Bool {
        let given = Set(columns.map { SchemaName($0) })
        func areGiven(_ names: [String]) -> Bool {
            !names.isEmpty && names.allSatisfy { given.contains(SchemaName($0)) }
        }

        let primaryKey = try primaryKeyIfKnown(tableName)
        // A column "rowid" of a view may contain a value several times.
        if let primaryKey, primaryKey.tableHasRowID || !primaryKey.isRowID, areGiven(primaryKey.columns) { return true }
        // The row ID has three names. A column may take each of them.
        let rowIDNames = primaryKey?.tableHasRowID == true ? ["rowid", "oid", "_rowid_"].filter { given.contains(SchemaName($0)) } : []
        if !rowIDNames.isEmpty {
            let columnNames = Set(try self.columns(in: tableName).map { SchemaName($0.name) })
            if rowIDNames.contains(where: { !columnNames.contains(SchemaName($0)) }) { return true }
        }
        return try indexes(on: tableName).contains { index in
            index.isUnique && !index.isPartial && !index.hasExpressions && areGiven(index.columns)
        }
    }

    /// Returns whether the values of some columns identify at most one row of a table. It is an alias of
    /// ``table(_:hasUniqueKey:)``.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, regardless of case.
    ///   - columns: column names, in any order and regardless of case.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist.
    public func isTable(_ tableName: String, hasUniqueKeys columns: some Sequence<String>) throws -> Bool {
        try table(tableName, hasUniqueKey: columns)
    }
}
