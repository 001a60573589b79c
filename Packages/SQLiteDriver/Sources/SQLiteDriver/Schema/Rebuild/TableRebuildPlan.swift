/// A new definition of a table, for ``Database/rebuild(table:in:with:progress:)``.
///
/// ```swift
/// var plan = TableRebuildPlan(
///     definition: "(id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL) STRICT")
/// plan.expressions["score"] = "ifnull(score, 0)"
/// plan.droppedColumns = ["nickname"]
/// try db.rebuild(table: "player", with: plan)
/// ```
public struct TableRebuildPlan: Sendable {
    /// The SQL after the name of the table in `CREATE TABLE`: columns and constraints in parentheses, and options.
    public var definition: String

    /// Columns to rename, with their new names, in this order. Indexes, triggers, views and foreign keys follow, as with `ALTER
    /// TABLE … RENAME COLUMN`. The other properties of the plan use the new names.
    public var renamedColumns: [(name: String, newName: String)] = []

    /// The SQL expressions of column values, by the name of the new column. They may use the columns of the old table. A column
    /// without an expression takes the values of the old column with its name, or its default value if there is none.
    public var expressions: [String: String] = [:]

    /// Old columns that the new definition does not have, and whose values may be lost.
    public var droppedColumns: Set<String> = []

    /// Indexes that are not created again.
    public var droppedIndexes: Set<String> = []

    /// Triggers that are not created again.
    public var droppedTriggers: Set<String> = []

    /// Indexes to create at the end. An index with the name of an existing one replaces it.
    public var indexes: [(name: String, sql: String)] = []

    /// The beginning of the name of a new table, until it replaces the old one.
    static let temporaryName = "strata_rebuild"

    /// Returns whether a table is the new one of a rebuild.
    package static func isTemporaryName(_ name: String) -> Bool { name.hasPrefix(temporaryName) }

    /// Creates a plan.
    ///
    /// - Parameter definition: the SQL after the name of the table in `CREATE TABLE`.
    public init(definition: String) {
        self.definition = definition
    }
}

/// The progress of the copy of a table.
public struct TableRebuildProgress: Hashable, Sendable {
    /// The number of rows that were copied.
    public let copiedRowCount: Int

    /// The number of rows of the table.
    public let totalRowCount: Int

    /// The fraction of the rows that was copied, from 0 to 1.
    public var fractionCompleted: Double {
        totalRowCount == 0 ? 1 : Double(copiedRowCount) / Double(totalRowCount)
    }
}

extension Database {
    /// Gives a table a new definition, and keeps its rows.
    ///
    /// ```swift
    /// let plan = TableRebuildPlan(
    ///     definition: "(id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> ''))")
    /// try db.rebuild(table: "player", with: plan)
    /// ```
    ///
    /// `ALTER TABLE` can't add constraints, change types, or reorder columns. This method runs the procedure that SQLite recommends
    /// instead, in one transaction: it creates a table with another name, copies the rows, drops the old table, renames the new
    /// one, and creates the indexes and the triggers again. It keeps row IDs, the state of `AUTOINCREMENT`, and the statistics of
    /// `ANALYZE`. Views, triggers of other tables and foreign keys continue to refer to the table.
    ///
    /// It throws before data is lost, unless the plan allows the loss: for a column that the new definition does not have, for a
    /// value that the type of the new column would change irreversibly, and for a view or a trigger that would no longer work.
    ///
    /// Foreign keys must not be enforced meanwhile: `DROP TABLE` first deletes the rows, and `ON DELETE CASCADE` would delete the
    /// rows that refer to them. Outside a transaction, the method stops enforcing foreign keys, and checks them before the commit.
    /// Inside a transaction this is not possible: if foreign keys are enforced, and one of them refers to the table, the method
    /// throws.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#otheralter>
    ///
    /// - Parameters:
    ///   - table: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    ///   - plan: the new definition, and the values of its columns.
    ///   - progress: called after every few thousand rows. An error that it throws undoes all changes. To report the progress, the
    ///     method first counts the rows, which takes some time.
    /// - Throws: ``DatabaseError``, or the error of `progress`. After an error, nothing has changed.
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
