/// How a table is built again with another definition, for ``Database/rebuild(table:in:with:progress:)``.
///
/// ```swift
/// var plan = TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL) STRICT")
/// plan.expressions["score"] = "ifnull(score, 0)"
/// plan.droppedColumns = ["nickname"]
/// try db.rebuild(table: "player", with: plan)
/// ```
public struct TableRebuildPlan: Sendable {
    /// The SQL that follows the name of the table in `CREATE TABLE`: columns and constraints in parentheses, and options.
    public var definition: String

    /// Columns that get another name, with the new one, in this order. Indexes, triggers, views and foreign keys follow, as with
    /// `ALTER TABLE … RENAME COLUMN`. What else the plan says uses the new names.
    public var renamedColumns: [(name: String, newName: String)] = []

    /// The SQL of the values of columns, over the columns of the table as it was; by the name of the new column. A column that is not
    /// here takes the values of the column of its name, or its default if there was none.
    public var expressions: [String: String] = [:]

    /// Columns whose values may be lost: they are in the table as it was, and not in the new definition.
    public var droppedColumns: Set<String> = []

    /// Indexes that are not created again.
    public var droppedIndexes: Set<String> = []

    /// Triggers that are not created again.
    public var droppedTriggers: Set<String> = []

    /// Indexes that are created at the end. One that has the name of an index of the table takes its place.
    public var indexes: [(name: String, sql: String)] = []

    /// Makes a plan.
    ///
    /// - Parameter definition: the SQL that follows the name of the table in `CREATE TABLE`.
    public init(definition: String) {
        self.definition = definition
    }
}

/// How far the copy of a table is.
public struct TableRebuildProgress: Hashable, Sendable {
    /// The number of rows that are copied.
    public let copiedRowCount: Int

    /// The number of rows of the table.
    public let totalRowCount: Int

    /// The part of the rows that is copied, from 0 to 1.
    public var fractionCompleted: Double {
        totalRowCount == 0 ? 1 : Double(copiedRowCount) / Double(totalRowCount)
    }
}

extension Database {
    /// Builds a table again with another definition, and keeps its rows.
    ///
    /// ```swift
    /// let plan = TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> ''))")
    /// try db.rebuild(table: "player", with: plan)
    /// ```
    ///
    /// `ALTER TABLE` can't add constraints, change types, or reorder columns. This runs the procedure that SQLite recommends instead, in
    /// one transaction: it creates a table under another name, copies the rows, drops the old table, renames the new one, and creates
    /// the indexes and the triggers again. Row ids, the state of `AUTOINCREMENT`, and the statistics of `ANALYZE` are kept; views,
    /// triggers of other tables and foreign keys that refer to the table go on to do so.
    ///
    /// It refuses what would lose data unless the plan says so: a column that is missing in the new definition, a value that the type
    /// of the new column would change into one that can't be turned back, a view or a trigger that would no longer work.
    ///
    /// Foreign keys must not be enforced meanwhile, as `DROP TABLE` deletes the rows first, with those that refer to them by
    /// `ON DELETE CASCADE`. Outside a transaction they are switched off, and checked before the commit. Inside a transaction that is
    /// not possible: where they are enforced, and a foreign key refers to the table, it throws.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#otheralter>
    ///
    /// - Parameters:
    ///   - table: the name of a table.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    ///   - plan: the new definition, and what becomes of the columns.
    ///   - progress: is told how far the copy is, each few thousand rows. An error that it throws undoes all. The rows are counted
    ///     first, which takes a while.
    /// - Throws: ``DatabaseError``, or the error of `progress`. Nothing has changed then.
    public func rebuild(
        table: String, in schema: String? = nil, with plan: TableRebuildPlan, progress: ((TableRebuildProgress) throws -> Void)? = nil
    ) throws {
        guard let (id, isView) = try locateTable(table, in: schema) else { throw noSuchTable(table, in: schema) }
        let rebuilder = try TableRebuilder(self, table: id, isView: isView, plan: plan, progress: progress)
        guard !isInsideTransaction else {
            try rebuilder.checkEnforcement()
            return try rebuilder.run(checksForeignKeys: false)
        }
        let checksForeignKeys = enforcesForeignKeys
        try withoutForeignKeys { try rebuilder.run(checksForeignKeys: checksForeignKeys) }
    }
}
