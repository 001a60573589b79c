import RowDecoding

/// The new definition of a table that is built again, and what becomes of its columns.
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
/// It is a ``TableDefinition`` of the whole table: columns that are not in it must be dropped or renamed. A column takes the values that
/// the column of its name had; a new one has its default, unless ``fill(_:with:)`` says otherwise.
public final class TableRebuild: TableDefinition {
    private var renamedColumns: [(name: String, newName: String)] = []
    private var values: [(column: String, value: SQLExpression)] = []
    private var droppedColumns: Set<String> = []
    private var droppedIndexes: Set<String> = []
    private var droppedTriggers: Set<String> = []

    /// Gives a column the values of an expression over the columns of the table as it was.
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
    ///   - sql: an expression over the columns of the table as it was, without parameters.
    public func fill(_ column: String, sql: String) {
        values.append((column, SQL(sql: sql).sqlExpression))
    }

    /// Gives a column another name: also in indexes, triggers, views and foreign keys. The new definition has the new name.
    ///
    /// The SQL is `ALTER TABLE "player" RENAME COLUMN "score" TO "points"`.
    public func rename(column name: String, to newName: String) {
        renamedColumns.append((name, newName))
    }

    /// Says that a column is not in the new definition, and that its values are lost.
    public func drop(column name: String) {
        droppedColumns.insert(name)
    }

    /// Says that an index is not created again.
    public func drop(index name: String) {
        droppedIndexes.insert(name)
    }

    /// Says that a trigger is not created again.
    public func drop(trigger name: String) {
        droppedTriggers.insert(name)
    }

    func plan(_ db: Database, table: TableReference, options: TableOptions) throws -> TableRebuildPlan {
        let parts = try rebuildParts(db, table: table, options: options, droppingIndexes: droppedIndexes)
        var plan = TableRebuildPlan(definition: parts.definition)
        plan.indexes = parts.indexes
        plan.renamedColumns = renamedColumns
        plan.droppedColumns = droppedColumns
        plan.droppedIndexes = droppedIndexes
        plan.droppedTriggers = droppedTriggers
        for (column, value) in values {
            plan.expressions[column] = try db.definitionSQL { try $0.append(value) }
        }
        return plan
    }
}

extension Database {
    /// Builds a table again with another definition, and keeps its rows.
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
    /// The closure defines the whole table. Its rows, row ids, indexes and triggers are kept, and so are the views, the triggers and the
    /// foreign keys that refer to it. An index that the definition asks for takes the place of one of the same name.
    ///
    /// It refuses what would lose data unless the closure says so, and runs in one transaction:
    /// ``Database/rebuild(table:in:with:progress:)``, which says more about foreign keys. Where they are enforced, call
    /// it in `writeWithoutTransaction`, or in a migration with deferred foreign key checks.
    ///
    /// - Parameters:
    ///   - name: the name of a table. It may begin with the name of an attached database and a dot.
    ///   - options: ``TableOptions/withoutRowID`` and ``TableOptions/strict`` of the new table; those of the old one when nil.
    ///   - progress: receives the progress every few thousand rows. An error that it throws undoes all.
    ///   - body: defines the columns and the constraints.
    /// - Throws: the error of `body`, before anything runs; the error of `progress`; the error of a value that can't be stored; or
    ///   ``DatabaseError``. The table is as it was then.
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
        // SQLite lists them in the order in which it looks for them; before 3.37 it has no such list, and no strict tables.
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
