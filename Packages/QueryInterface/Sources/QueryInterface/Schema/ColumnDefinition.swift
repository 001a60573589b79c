import RowDecoding

/// The definition of a column in a table that is created or altered: its constraints and its default value.
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
/// Calling a method again replaces its previous effect, except for ``check(_:)`` and
/// ``references(_:column:onDelete:onUpdate:deferred:)``, which add another constraint each time.
///
/// Source: <https://www.sqlite.org/lang_createtable.html>
public final class ColumnDefinition {
    /// The storage of a generated column.
    ///
    /// Source: <https://www.sqlite.org/gencol.html>
    public enum GeneratedColumnQualification: Sendable {
        /// SQLite computes the value each time it is read.
        case virtual
        /// SQLite computes the value when the row is written, and stores it. Such a column can't be added to an existing table.
        case stored
    }

    /// A constraint with its conflict resolution.
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
    /// SQLite allows NULL in a primary key, unless the column is also ``notNull(onConflict:)``, is an `INTEGER`, or the table is
    /// `WITHOUT ROWID`. ``TableDefinition/primaryKey(_:_:onConflict:)`` makes the column `NOT NULL`.
    ///
    /// - Parameters:
    ///   - onConflict: the conflict resolution for a row with the key of another row.
    ///   - autoincrement: whether SQLite never reuses the key of a deleted row. This is possible for `INTEGER` columns only, and has a
    ///     cost: see <https://www.sqlite.org/autoinc.html>.
    @discardableResult
    public func primaryKey(onConflict: Database.ConflictResolution? = nil, autoincrement: Bool = false) -> Self {
        primaryKey = (onConflict, autoincrement)
        return self
    }

    /// Requires unique values: `UNIQUE`. NULLs are always distinct from each other.
    ///
    /// A column added to an existing table can't have this constraint: create a unique index instead.
    ///
    /// - Parameter onConflict: the conflict resolution for a row with the value of another row.
    @discardableResult
    public func unique(onConflict: Database.ConflictResolution? = nil) -> Self {
        unique = Constraint(onConflict: onConflict)
        return self
    }

    /// Creates an index on the column, after the table is created.
    ///
    /// The SQL is `CREATE INDEX "player_on_name" ON "player" ("name")`.
    ///
    /// The index is named after the table and the column. `drop(indexOn:columns:)` drops it without its name.
    @discardableResult
    public func indexed() -> Self {
        isIndexed = true
        return self
    }

    /// Makes the column refer to a column of another table, or of the same table: `REFERENCES "team" ("id")`.
    ///
    /// ```swift
    /// // "teamId" INTEGER REFERENCES "team" ("id") ON DELETE CASCADE
    /// t.column("teamId", .integer).references("team", onDelete: .cascade)
    /// ```
    ///
    /// The other table may be created later. ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` derives the
    /// name and the type of the column, and creates an index.
    ///
    /// Source: <https://www.sqlite.org/foreignkeys.html>
    ///
    /// - Parameters:
    ///   - table: the table to refer to.
    ///   - column: a unique column of that table, or nil for its primary key.
    ///   - onDelete: the action on this row when the row that it refers to is deleted; nil prevents that deletion.
    ///   - onUpdate: the action on this row when the key that it refers to changes; nil prevents that change.
    ///   - deferred: whether SQLite checks the foreign key at the end of the transaction, and not after each statement.
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

    /// Forbids NULL: `NOT NULL`.
    ///
    /// A column added to an existing table also needs a default value.
    ///
    /// - Parameter onConflict: the conflict resolution for a row with NULL in the column. `replace` stores the default value instead.
    @discardableResult
    public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
        notNull = Constraint(onConflict: onConflict)
        return self
    }

    /// Rejects values for which an expression is false: `CHECK ("score" >= 0)`.
    ///
    /// ```swift
    /// t.column("score", .integer).check { $0 >= 0 }
    /// ```
    ///
    /// - Parameter condition: returns the expression, given the column. NULL allows the value. The expression can't contain subqueries.
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        checks.append(condition(Column(name)).sqlExpression)
        return self
    }

    /// Rejects values for which SQL is false: `CHECK (length(name) > 0)`.
    ///
    /// - Parameter sql: an expression without parameters.
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql).sqlExpression)
        return self
    }

    /// Sets the value of the column in rows inserted without one: `DEFAULT 'Anonymous'`.
    ///
    /// A definition does not know the record type: if the record type stores values in another form, pass a value in that form.
    ///
    /// - Parameter value: the default value, or nil for NULL, which is also the default without this method. If SQLite can't store the
    ///   value, creating the table throws the value's error.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultValue = .value(Result { try value.bindingValue() })
        return self
    }

    /// Sets the value of the column in rows inserted without one, as SQL: `DEFAULT CURRENT_TIMESTAMP`.
    ///
    /// ```swift
    /// // "createdAt" DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
    /// t.column("createdAt", .datetime)
    ///     .defaults(sql: "strftime('%Y-%m-%d %H:%M:%f', 'now')")
    /// ```
    ///
    /// This date has the form in which a `Date` is stored. `CURRENT_TIMESTAMP` is a string without milliseconds, which does not equal it:
    /// see `DatabaseTimestamp`.
    ///
    /// - Parameter sql: an expression without columns and parameters. Parentheses are added where SQLite requires them. The default of a
    ///   column added to an existing table must be constant.
    @discardableResult
    public func defaults(sql: String) -> Self {
        defaultValue = .sql(sql)
        return self
    }

    /// Sets the collation for comparing and ordering strings of the column: `COLLATE NOCASE`.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        self.collation = collation
        return self
    }

    /// Sets a Swift collation for comparing and ordering strings of the column.
    ///
    /// - Parameter collation: a collation. Every connection that uses the table must have it.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        collate(Database.CollationName(rawValue: collation.name))
    }

    /// Computes the value of the column from other columns of the row: `GENERATED ALWAYS AS ("price" * "count") VIRTUAL`.
    ///
    /// ```swift
    /// t.column("total", .double).generatedAs(Column("price") * Column("count"))
    /// ```
    ///
    /// Source: <https://www.sqlite.org/gencol.html>
    ///
    /// - Parameters:
    ///   - expression: an expression without subqueries and without nondeterministic functions.
    ///   - qualification: whether to store the value.
    @discardableResult
    public func generatedAs(_ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generated = (expression.sqlExpression, qualification)
        return self
    }

    /// Computes the value of the column from other columns of the row: `GENERATED ALWAYS AS (price * count) VIRTUAL`.
    ///
    /// - Parameters:
    ///   - sql: an expression without parameters.
    ///   - qualification: whether to store the value.
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generatedAs(SQL(sql: sql), qualification)
    }

    // MARK: - SQL

    /// Writes the definition: `"name" TEXT NOT NULL`.
    func render(to renderer: inout SQLRenderer, in context: DefinitionContext) throws {
        renderer.append(identifier: name)
        if let type, !type.rawValue.isEmpty { renderer.append(" \(try context.storedType(of: type).rawValue)") }
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
    /// The name as SQL. SQLite's own collations are keywords, which don't need quotes.
    var sqlName: String {
        [.binary, .nocase, .rtrim].contains(self) ? rawValue : rawValue.quotedDatabaseIdentifier
    }
}
