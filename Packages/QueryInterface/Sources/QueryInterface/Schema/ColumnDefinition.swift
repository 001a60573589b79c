import RowDecoding

/// A column of a table that is created or altered: what it is declared with besides its name and its type.
///
/// ```swift
/// // CREATE TABLE "player" (
/// //   "name" TEXT NOT NULL UNIQUE CHECK ("name" <> '') COLLATE NOCASE,
/// //   "score" INTEGER NOT NULL DEFAULT 0,
/// //   "teamId" INTEGER REFERENCES "team" ("id") ON DELETE SET NULL)
/// try db.create(table: "player") { t in
///     t.column("name", .text).notNull().unique().check { $0 != "" }.collate(.nocase)
///     t.column("score", .integer).notNull().defaults(to: 0)
///     t.column("teamId", .integer).references("team", onDelete: .setNull)
/// }
/// ```
///
/// Methods that are called twice replace what they said before, except ``check(_:)`` and
/// ``references(_:column:onDelete:onUpdate:deferred:)``, of which a column can have several.
///
/// Source: <https://www.sqlite.org/lang_createtable.html>
public final class ColumnDefinition {
    /// Whether a generated column is stored.
    ///
    /// Source: <https://www.sqlite.org/gencol.html>
    public enum GeneratedColumnQualification: Sendable {
        /// The value is computed each time it is read.
        case virtual
        /// The value is computed when the row is written, and stored in it. Such columns can't be added to a table that exists.
        case stored
    }

    /// A constraint, and what happens when it is violated.
    struct Constraint {
        var onConflict: Database.ConflictResolution?
    }

    let name: String
    let type: Database.ColumnType?

    private(set) var primaryKey: (onConflict: Database.ConflictResolution?, autoincrement: Bool)?
    private(set) var notNull: Constraint?
    private(set) var unique: Constraint?
    private(set) var isIndexed = false
    private var checks: [SQLExpression] = []
    private var defaultValue: DefaultValue?
    private var collation: Database.CollationName?
    private var references: [ForeignKeyReference] = []
    private var generated: (expression: SQLExpression, qualification: GeneratedColumnQualification)?

    init(name: String, type: Database.ColumnType?) {
        self.name = name
        self.type = type
    }

    // MARK: - Keys and indexes

    /// Makes the column the primary key.
    ///
    /// ```swift
    /// // "id" INTEGER PRIMARY KEY AUTOINCREMENT
    /// t.column("id", .integer).primaryKey(autoincrement: true)
    /// ```
    ///
    /// SQLite lets a primary key be NULL unless the column is also ``notNull(onConflict:)``, is an `INTEGER`, or the table is
    /// `WITHOUT ROWID`. ``TableDefinition/primaryKey(_:_:onConflict:)`` sees to that.
    ///
    /// - Parameters:
    ///   - onConflict: what happens to a row with the key of another one.
    ///   - autoincrement: whether SQLite gives no row the key of one that was deleted. It is for `INTEGER` columns only, and
    ///     <https://www.sqlite.org/autoinc.html> says when it is worth its time.
    @discardableResult
    public func primaryKey(onConflict: Database.ConflictResolution? = nil, autoincrement: Bool = false) -> Self {
        primaryKey = (onConflict, autoincrement)
        return self
    }

    /// Allows no two rows with the same value: `UNIQUE`. NULL is never the same as another NULL.
    ///
    /// A column that is added to a table can't have this constraint: create a unique index instead.
    ///
    /// - Parameter onConflict: what happens to a row with the value of another one.
    @discardableResult
    public func unique(onConflict: Database.ConflictResolution? = nil) -> Self {
        unique = Constraint(onConflict: onConflict)
        return self
    }

    /// Creates an index on the column, once the table is created.
    ///
    /// The SQL is `CREATE INDEX "player_on_name" ON "player" ("name")`.
    ///
    /// The index's name is made of those of the table and of the column; `drop(indexOn:columns:)` needs none.
    @discardableResult
    public func indexed() -> Self {
        isIndexed = true
        return self
    }

    /// Makes the column refer to one of another table, or of the same one: `REFERENCES "team" ("id")`.
    ///
    /// ```swift
    /// // "teamId" INTEGER REFERENCES "team" ("id") ON DELETE CASCADE
    /// t.column("teamId", .integer).references("team", onDelete: .cascade)
    /// ```
    ///
    /// The table may be created later. ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` also finds the
    /// name and the type of the column, and has it indexed.
    ///
    /// Source: <https://www.sqlite.org/foreignkeys.html>
    ///
    /// - Parameters:
    ///   - table: the table.
    ///   - column: a column of it that is unique; nil for its primary key.
    ///   - onDelete: what happens to this row when the other one is deleted; it keeps it from being deleted when nil.
    ///   - onUpdate: what happens to this row when the key of the other one changes; it keeps it from changing when nil.
    ///   - deferred: whether the foreign key is checked at the end of the transaction.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete: Database.ForeignKeyAction? = nil,
        onUpdate: Database.ForeignKeyAction? = nil, deferred: Bool = false
    ) -> Self {
        addReference(
            ForeignKeyReference(
                table: table, columns: column.map { [$0] }, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred))
        return self
    }

    func requireNotNull() {
        if notNull == nil { notNull() }
    }

    func addReference(_ reference: ForeignKeyReference) {
        references.append(reference)
    }

    // MARK: - Values

    /// Allows no NULL: `NOT NULL`.
    ///
    /// A column that is added to a table also needs a default value.
    ///
    /// - Parameter onConflict: what happens to a row with NULL in the column. With `replace`, the default value takes its place.
    @discardableResult
    public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
        notNull = Constraint(onConflict: onConflict)
        return self
    }

    /// Allows only values for which an expression is not false: `CHECK ("score" >= 0)`.
    ///
    /// ```swift
    /// t.column("score", .integer).check { $0 >= 0 }
    /// ```
    ///
    /// - Parameter condition: makes the expression of the column. NULL lets a value in; the expression can't have subqueries.
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        checks.append(condition(Column(name)).sqlExpression)
        return self
    }

    /// Allows only values for which some SQL is not false: `CHECK (length(name) > 0)`.
    ///
    /// - Parameter sql: an expression without parameters.
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql).sqlExpression)
        return self
    }

    /// Gives the column a value in rows that are inserted without one: `DEFAULT 'Anonymous'`.
    ///
    /// A definition knows no record type: give the value that the records of the table store, where that is not the value's own form.
    ///
    /// - Parameter value: a value, or nil for NULL, which is what columns have by default. When SQLite can't hold it, the column is
    ///   not created, and the value's error is thrown.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultValue = .value(Result { try value.bindingValue() })
        return self
    }

    /// Gives the column the value of some SQL in rows that are inserted without one: `DEFAULT CURRENT_TIMESTAMP`.
    ///
    /// ```swift
    /// // "createdAt" DATETIME DEFAULT (strftime('%s', 'now'))
    /// t.column("createdAt", .datetime).defaults(sql: "strftime('%s', 'now')")
    /// ```
    ///
    /// - Parameter sql: an expression without columns and parameters. It gets parentheses where SQLite wants them. A column that is
    ///   added to a table can only have a constant.
    @discardableResult
    public func defaults(sql: String) -> Self {
        defaultValue = .sql(sql)
        return self
    }

    /// Makes comparisons, orders and indexes of the column compare texts in a certain way: `COLLATE NOCASE`.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        self.collation = collation
        return self
    }

    /// Makes comparisons, orders and indexes of the column compare texts in a way that is written in Swift.
    ///
    /// - Parameter collation: a collation that each connection which uses the table must know.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        collate(Database.CollationName(rawValue: collation.name))
    }

    /// Makes the value of the column follow from others of the row: `GENERATED ALWAYS AS ("price" * "count") VIRTUAL`.
    ///
    /// ```swift
    /// t.column("total", .double).generatedAs(Column("price") * Column("count"))
    /// ```
    ///
    /// Source: <https://www.sqlite.org/gencol.html>
    ///
    /// - Parameters:
    ///   - expression: an expression without subqueries and without functions that don't always give the same.
    ///   - qualification: whether the value is stored.
    @discardableResult
    public func generatedAs(_ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generated = (expression.sqlExpression, qualification)
        return self
    }

    /// Makes the value of the column follow from others of the row: `GENERATED ALWAYS AS (price * count) VIRTUAL`.
    ///
    /// - Parameters:
    ///   - sql: an expression without parameters.
    ///   - qualification: whether the value is stored.
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generatedAs(SQL(sql: sql), qualification)
    }

    // MARK: - SQL

    /// Writes the definition: `"name" TEXT NOT NULL`.
    func render(to renderer: inout SQLRenderer, in context: DefinitionContext) throws {
        renderer.append(identifier: name)
        if let type, !type.rawValue.isEmpty { renderer.append(" \(type.rawValue)") }
        if let primaryKey {
            renderer.append(" PRIMARY KEY")
            renderer.append(onConflict: primaryKey.onConflict)
            if primaryKey.autoincrement { renderer.append(" AUTOINCREMENT") }
        }
        if let notNull {
            renderer.append(" NOT NULL")
            renderer.append(onConflict: notNull.onConflict)
        }
        if let unique {
            renderer.append(" UNIQUE")
            renderer.append(onConflict: unique.onConflict)
        }
        for check in checks {
            renderer.append(" CHECK ")
            try renderer.append(parenthesized: check)
        }
        if let defaultValue {
            renderer.append(" DEFAULT ")
            try defaultValue.render(to: &renderer)
        }
        if let collation {
            renderer.append(" COLLATE \(collation.sqlName)")
        }
        for reference in references {
            renderer.append(" ")
            try reference.render(to: &renderer, columnCount: 1, in: context)
        }
        if let generated {
            renderer.append(" GENERATED ALWAYS AS ")
            try renderer.append(parenthesized: generated.expression)
            renderer.append(generated.qualification == .stored ? " STORED" : " VIRTUAL")
        }
    }
}

extension Database.CollationName {
    /// The name as it stands in SQL. SQLite's own are words that need no quotes.
    var sqlName: String {
        [.binary, .nocase, .rtrim].contains(self) ? rawValue : rawValue.quotedDatabaseIdentifier
    }
}
