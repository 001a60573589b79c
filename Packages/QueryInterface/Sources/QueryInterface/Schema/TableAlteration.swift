import RowDecoding

/// The changes of a table that is altered.
///
/// ```swift
/// // ALTER TABLE "player" ADD COLUMN "url" TEXT;
/// // ALTER TABLE "player" RENAME COLUMN "score" TO "points"
/// try db.alter(table: "player") { t in
///     t.add(column: "url", .text)
///     t.rename(column: "score", to: "points")
/// }
/// ```
///
/// The changes run in the order in which they are defined. `ALTER TABLE` supports no others: for constraints, types or the order of
/// columns, use ``Database/rebuild(table:options:progress:body:)``.
public final class TableAlteration {
    private enum Change {
        case addColumn(ColumnDefinition)
        case addSQL(SQL)
        case renameColumn(String, String)
        case dropColumn(String)
    }

    private var changes: [Change] = []

    init() {}

    /// Adds a column after the existing ones.
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN "score" INTEGER NOT NULL DEFAULT 0
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "score", .integer).notNull().defaults(to: 0)
    /// }
    /// ```
    ///
    /// SQLite can't add a column that is a primary key, unique, or generated and stored; that is `NOT NULL` without a default value;
    /// whose default value is not constant; or that refers to another table with a default other than NULL. A unique index can be
    /// created afterwards. Since 3.54, it can't add a column `rowid`, `oid` or `_rowid_` to a table with row IDs either.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#altertabaddcol>
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - type: the type, or nil for none. See ``TableDefinition/column(_:_:)`` for the types.
    @discardableResult
    public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.addColumn(column))
        return column
    }

    /// Adds a column defined by SQL: `t.addColumn(sql: "url TEXT")`.
    ///
    /// - Parameter sql: a column definition, without parameters.
    public func addColumn(sql: String) {
        changes.append(.addSQL(SQL(sql: sql)))
    }

    /// Adds a column defined by SQL with values: `t.addColumn(literal: "name TEXT DEFAULT \(name)")`.
    ///
    /// - Parameter literal: a column definition. Its values are written into the SQL.
    public func addColumn(literal: SQL) {
        changes.append(.addSQL(literal))
    }

    /// Renames a column, and the references to it in indexes, triggers, views and foreign keys.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.rename(column: "score", to: "points")
    /// }
    /// ```
    ///
    /// The SQL is `ALTER TABLE "player" RENAME COLUMN "score" TO "points"`.
    ///
    /// In a table with row IDs, SQLite 3.54 and later don't rename a column from or to `rowid`, `oid` or `_rowid_`. To replace such a column,
    /// use ``Database/rebuild(table:options:progress:body:)``: define the column with its new name, fill it from the old one, and drop that.
    ///
    /// - Parameters:
    ///   - name: the name of a column.
    ///   - newName: its new name.
    public func rename(column name: String, to newName: String) {
        changes.append(.renameColumn(name, newName))
    }

    /// Removes a column and its values.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.drop(column: "score")
    /// }
    /// ```
    ///
    /// The SQL is `ALTER TABLE "player" DROP COLUMN "score"`.
    ///
    /// SQLite can't remove a column that is part of a primary key, a foreign key or a constraint, that is indexed, or that a view, a
    /// trigger or a generated column uses. Removing columns requires SQLite 3.35.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#altertabdropcol>
    ///
    /// - Parameter name: the name of a column.
    public func drop(column name: String) {
        changes.append(.dropColumn(name))
    }

    // MARK: - SQL

    private var statementCount: Int {
        changes.reduce(0) { count, change in
            if case .addColumn(let column) = change, column.isIndexed { count + 2 } else { count + 1 }
        }
    }

    /// Runs the changes. If a change fails, the table is unchanged.
    func run(_ db: Database, table: TableReference) throws {
        // A single statement needs no savepoint: SQLite rolls it back when it fails.
        guard statementCount != 1 else { return try runChanges(db, table: table) }
        try db.inSavepoint {
            try runChanges(db, table: table)
            return .commit
        }
    }

    /// Runs the changes one by one, because the meaning of a change can depend on previous changes.
    private func runChanges(_ db: Database, table: TableReference) throws {
        // The database where SQLite finds the table, and therefore the tables that it refers to.
        let schema = try table.schema ?? ["temp", "main"].first { try db.tableExists(table.name, in: $0) }
        let context = DefinitionContext(
            database: db, tableName: table.name, schema: schema,
            isStrict: { try db.isStrictTable(table.name, in: schema ?? "main") })
        for change in changes {
            let sql = try context.database.definitionSQL { renderer in
                renderer.append("ALTER TABLE \(table.sql)")
                try render(change, to: &renderer, in: context)
            }
            do {
                try db.run(definition: sql)
            } catch let error as DatabaseError where error.message?.hasPrefix("Cannot add a") == true {
                throw error.advising(
                    "SQLite can't add such a column to a table with rows: use rebuild(table:), and give it values with fill(_:with:).")
            }
            if case .addColumn(let column) = change, column.isIndexed {
                let index = IndexDefinition(
                    name: column.indexName(onTable: table.name), table: table.name, terms: [.column(column.name)], options: [],
                    schema: table.schema)
                try db.run(definition: context.database.definitionSQL { try index.render(to: &$0) })
            }
        }
    }

    private func render(_ change: Change, to renderer: inout SQLRenderer, in context: DefinitionContext) throws {
        switch change {
        case .addColumn(let column):
            renderer.append(" ADD COLUMN ")
            try column.render(to: &renderer, in: context)
        case .addSQL(let sql):
            renderer.append(" ADD COLUMN ")
            try sql.render(to: &renderer)
        case .renameColumn(let name, let newName):
            renderer.append(" RENAME COLUMN \(name.quotedDatabaseIdentifier) TO \(newName.quotedDatabaseIdentifier)")
        case .dropColumn(let name):
            renderer.append(" DROP COLUMN \(name.quotedDatabaseIdentifier)")
        }
    }
}
