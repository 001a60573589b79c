import RowDecoding

/// What changes in a table that is altered.
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
/// The changes are made in the order in which they are given. SQLite can't do more than this to a table: for other changes, create
/// another one, copy the rows, and put it in the place of the first (<https://www.sqlite.org/lang_altertable.html#otheralter>).
public final class TableAlteration {
    private enum Change {
        case addColumn(ColumnDefinition)
        case addSQL(SQL)
        case renameColumn(String, String)
        case dropColumn(String)
    }

    private var changes: [Change] = []

    init() {}

    /// Adds a column at the end.
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN "score" INTEGER NOT NULL DEFAULT 0
    /// t.add(column: "score", .integer).notNull().defaults(to: 0)
    /// ```
    ///
    /// SQLite adds no column that is a primary key, that is unique, that is stored and generated, that is `NOT NULL` without a
    /// default value, or whose default value is not constant; and none that refers to a table unless its default is NULL. A unique
    /// index can be created afterwards.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#altertabaddcol>
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - type: the type, if any; ``TableDefinition/column(_:_:)`` has more about types.
    @discardableResult
    public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.addColumn(column))
        return column
    }

    /// Adds a column that is defined by SQL: `t.addColumn(sql: "url TEXT")`.
    ///
    /// - Parameter sql: the definition of a column, without parameters.
    public func addColumn(sql: String) {
        changes.append(.addSQL(SQL(sql: sql)))
    }

    /// Adds a column that is defined by SQL with values: `t.addColumn(literal: "name TEXT DEFAULT \(name)")`.
    ///
    /// - Parameter literal: the definition of a column. Values are written into the SQL.
    public func addColumn(literal: SQL) {
        changes.append(.addSQL(literal))
    }

    /// Renames a column, also in indexes, triggers, views and foreign keys.
    ///
    /// The SQL is `ALTER TABLE "player" RENAME COLUMN "score" TO "points"`.
    ///
    /// - Parameters:
    ///   - name: the name of a column.
    ///   - newName: its new name.
    public func rename(column name: String, to newName: String) {
        changes.append(.renameColumn(name, newName))
    }

    /// Removes a column with its values.
    ///
    /// The SQL is `ALTER TABLE "player" DROP COLUMN "score"`.
    ///
    /// SQLite removes no column of a primary key, of a foreign key or of a constraint, none that is indexed, and none that a view, a
    /// trigger or a generated column uses. It can since 3.35.
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

    /// Makes the changes, all of them or none.
    func run(_ db: Database, table: TableReference) throws {
        // One statement needs no savepoint: SQLite undoes it when it fails.
        guard statementCount != 1 else { return try runChanges(db, table: table) }
        try db.inSavepoint {
            try runChanges(db, table: table)
            return .commit
        }
    }

    /// Makes the changes one by one: what a change means can depend on those before it.
    private func runChanges(_ db: Database, table: TableReference) throws {
        // Where SQLite finds the table, and so those that it refers to.
        let schema = try table.schema ?? ["temp", "main"].first { try db.tableExists(table.name, in: $0) }
        let context = DefinitionContext(database: db, tableName: table.name, schema: schema)
        for change in changes {
            let sql = try context.sql { renderer in
                renderer.append("ALTER TABLE \(table.sql)")
                try render(change, to: &renderer, in: context)
            }
            try db.run(definition: sql)
            if case .addColumn(let column) = change, column.isIndexed {
                let index = IndexDefinition(
                    name: column.indexName(onTable: table.name), table: table.name, terms: [.column(column.name)], options: [],
                    schema: table.schema)
                try db.run(definition: context.sql { try index.render(to: &$0) })
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
            renderer.append(" RENAME COLUMN ")
            renderer.append(identifier: name)
            renderer.append(" TO ")
            renderer.append(identifier: newName)
        case .dropColumn(let name):
            renderer.append(" DROP COLUMN ")
            renderer.append(identifier: name)
        }
    }
}
