import RowDecoding

/// The new definition of a table that is rebuilt, and the values of its columns.
///
/// ```swift
/// try db.rebuild(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull().unique()
///     t.column("score", .integer).notNull()
///     t.fill("score", with: Column("score") ?? 0)
///     t.drop(column: "nickname")
/// }
/// ```
///
/// It is a ``TableDefinition`` of the whole table: columns that are not in it must be dropped or renamed. A column keeps the values of the
/// old column with its name. A new column has its default value, unless ``fill(_:with:)`` gives it other values. A new column that is
/// `NOT NULL` needs one of the two.
public final class TableRebuild: TableDefinition {
    private var values: [(column: String, value: SQLExpression)] = []

    /// The columns, indexes and triggers to rename or to drop. The rest of the plan is known when the definition is complete.
    private var changes = TableRebuildPlan(definition: "")

    /// Gives a column the values of an expression over the columns of the old table.
    ///
    /// ```swift
    /// try db.rebuild(table: "player") { t in
    ///     t.column("score", .integer).notNull()
    ///     t.fill("score", with: Column("score") ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - column: the name of a column of the new definition.
    ///   - value: an expression. Columns that are renamed have their new names in it.
    public func fill(_ column: String, with value: some SQLExpressible) {
        values.append((column, value.sqlExpression))
    }

    /// Gives a column the values of some SQL: `t.fill("score", sql: "ifnull(score, 0)")`.
    ///
    /// - Parameters:
    ///   - column: the name of a column of the new definition.
    ///   - sql: an expression over the columns of the old table, without parameters.
    public func fill(_ column: String, sql: String) {
        values.append((column, SQL(sql: sql).sqlExpression))
    }

    /// Renames a column, and the references to it in indexes, triggers, views and foreign keys. The new definition has the new name.
    ///
    /// The SQL is `ALTER TABLE "player" RENAME COLUMN "score" TO "points"`, which SQLite 3.54 and later refuse for a column `rowid`, `oid` or
    /// `_rowid_` of a table with row IDs: define another column instead, give it the old column's values by ``fill(_:with:)``, and drop that.
    public func rename(column name: String, to newName: String) {
        changes.renamedColumns.append((name, newName))
    }

    /// Drops a column: it is not in the new definition, and its values are lost.
    public func drop(column name: String) {
        changes.droppedColumns.insert(name)
    }

    /// Drops an index: it is not created again.
    public func drop(index name: String) {
        changes.droppedIndexes.insert(name)
    }

    /// Drops a trigger: it is not created again.
    public func drop(trigger name: String) {
        changes.droppedTriggers.insert(name)
    }

    func plan(_ db: Database, table: TableReference, options: TableOptions) throws -> TableRebuildPlan {
        let parts = try rebuildParts(db, table: table, options: options, droppingIndexes: changes.droppedIndexes)
        var plan = changes
        plan.definition = parts.definition
        plan.indexes = parts.indexes
        for (column, value) in values {
            plan.expressions[column] = try db.definitionSQL { try $0.append(value) }
        }
        return plan
    }
}

extension Database {
    /// Rebuilds a table with another definition, and keeps its rows.
    ///
    /// ```swift
    /// // All of these need a new table: SQLite's ALTER TABLE can't add constraints, change
    /// // types, or reorder columns.
    /// try db.rebuild(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull().unique()
    ///     t.column("score", .integer).notNull().check { $0 >= 0 }
    ///     t.fill("score", with: Column("score") ?? 0)
    ///     t.belongsTo("team", onDelete: .cascade)
    /// }
    /// ```
    ///
    /// The closure defines the whole table. Its rows, row IDs, indexes and triggers are kept, as are the views, triggers and foreign keys
    /// that refer to it. An index in the definition replaces an index with the same name.
    ///
    /// The method refuses to lose data that the closure does not drop, and runs in one transaction. Where foreign keys
    /// are enforced, call it in `writeWithoutTransaction`, or in a migration with deferred foreign key checks:
    /// ``Database/rebuild(table:in:with:progress:)`` explains why.
    ///
    /// - Parameters:
    ///   - name: the name of a table. It may begin with the name of an attached database and a dot.
    ///   - options: ``TableOptions/withoutRowID`` and ``TableOptions/strict`` of the new table, or nil to keep the options of the old
    ///     table.
    ///   - progress: receives the progress every few thousand rows. An error that it throws undoes all changes.
    ///   - body: defines the columns and the constraints.
    /// - Throws: the error of `body`, before anything runs; the error of `progress`; the error of a value that can't be stored; or
    ///   ``DatabaseError``. After an error, the table is unchanged.
    /// - Complexity: O(n) in the size of the table and its indexes.
    public func rebuild(
        table name: String, options: TableOptions? = nil, progress: ((TableRebuildProgress) throws -> Void)? = nil,
        body: (TableRebuild) throws -> Void
    ) throws {
        let definition = TableRebuild()
        try body(definition)
        let table = try existingTable(name)
        let kept = (options ?? table.options).intersection([.withoutRowID, .strict])
        let plan = try definition.plan(self, table: table.reference, options: kept)
        try rebuild(table: table.reference.name, in: table.reference.schema, with: plan, progress: progress)
    }

    /// A table, with the name of its database, and its options.
    private func existingTable(_ name: String) throws -> (reference: TableReference, options: TableOptions) {
        let table = try TableReference(name, in: self)
        // SQLite lists tables in the order of its search. Before 3.37, it has no such list, and no strict tables.
        let schemas = table.schema.map { "\($0.quotedDatabaseIdentifier)." } ?? ""
        let rows = try Row.fetchAll(self, sql: "PRAGMA \(schemas)table_list(\(table.name.quotedDatabaseIdentifier))")
        let schema = try table.schema ?? (tableExists(table.name, in: "temp") ? "temp" : nil)
        let row = rows.first { row in
            guard let schema, let name = row["schema"] as String? else { return true }
            return name.isEqualIgnoringASCIICase(to: schema)
        }
        var options: TableOptions = []
        if let row, row["wr"] == 1 { options.insert(.withoutRowID) }
        if let row, row["strict"] == 1 { options.insert(.strict) }
        return (TableReference(schema: schema ?? row?["schema"], name: table.name), options)
    }
}
