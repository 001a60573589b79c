import RowDecoding

/// The columns and the constraints of a table that is created.
///
/// ```swift
/// // CREATE TABLE "player" (
/// //   "id" INTEGER PRIMARY KEY AUTOINCREMENT,
/// //   "name" TEXT NOT NULL,
/// //   "teamId" INTEGER REFERENCES "team" ("id") ON DELETE SET NULL)
/// try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///     t.belongsTo("team", onDelete: .setNull)
/// }
/// ```
///
/// Names need no quotes. Columns and constraints keep the order in which they are given, the columns first, as SQLite wants it.
///
/// Source: <https://www.sqlite.org/lang_createtable.html>
public final class TableDefinition {
    /// Something that is written among the columns.
    enum Item {
        case column(ColumnDefinition)
        case foreignKey(ForeignKeyDefinition)
        case sql(SQL)
    }

    /// Something that is written after the columns.
    enum Constraint {
        case primaryKey([KeyPart], Database.ConflictResolution?)
        case uniqueKey([String], Database.ConflictResolution?)
        case foreignKey([String], ForeignKeyReference)
        case check(SQLExpression)
        case sql(SQL)
    }

    /// A part of a primary key: a column, or those of a foreign key, whose names are found late.
    enum KeyPart {
        case column(String)
        case foreignKey(ForeignKeyDefinition)
        /// A column of which nothing is known: an error.
        case sql
    }

    private(set) var items: [Item] = []
    private(set) var constraints: [Constraint] = []

    init() {}

    // MARK: - Columns

    /// Adds a column.
    ///
    /// ```swift
    /// // "name" TEXT NOT NULL
    /// t.column("name", .text).notNull()
    /// ```
    ///
    /// A column's type does not restrict its values, unless the table is ``TableOptions/strict``. It says what SQLite would like
    /// the values to be:
    ///
    /// | type | for | what SQLite makes of other values |
    /// |---|---|---|
    /// | `text`, `jsonText` | texts, JSON, decimals | texts of numbers |
    /// | `integer` | integers | numbers of texts that look like one; integers of reals without a fraction |
    /// | `double`, `real` | floating point numbers | reals of integers, and of texts that look like a number |
    /// | `boolean` | booleans | as `numeric` |
    /// | `date`, `datetime` | dates as texts | as `numeric`, which leaves the texts of dates alone |
    /// | `numeric` | numbers of both kinds | numbers of texts that look like one |
    /// | `blob`, `jsonb`, none | bytes, UUIDs, values of any type | nothing |
    /// | `any` | values of any type, in strict tables | in other tables, as `numeric` |
    ///
    /// A `Decimal` is stored as a text, with all its digits. In columns of the types `numeric`, `integer`, `double` and `real` SQLite
    /// turns it into a number of 64 bits, which may have fewer: declare columns for decimals as `text`.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#type_affinity>
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - type: the type, if any.
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        items.append(.column(column))
        return column
    }

    /// Adds a column that is defined by SQL: `t.column(sql: "name TEXT NOT NULL")`.
    ///
    /// Nothing is known of such a column: it can't stand in ``primaryKey(onConflict:body:)``, and foreign keys of the table to itself
    /// don't find a primary key in it.
    ///
    /// - Parameter sql: the definition of a column, without parameters.
    public func column(sql: String) {
        items.append(.sql(SQL(sql: sql)))
    }

    /// Adds a column that is defined by SQL with values: `t.column(literal: "name TEXT DEFAULT \(name)")`.
    ///
    /// - Parameter literal: the definition of a column. Values are written into the SQL.
    public func column(literal: SQL) {
        items.append(.sql(literal))
    }

    // MARK: - Primary keys

    /// Adds an integer primary key, which SQLite chooses for rows that are inserted without one, and never gives again.
    ///
    /// The SQL is `"id" INTEGER PRIMARY KEY AUTOINCREMENT`.
    ///
    /// Source: <https://www.sqlite.org/autoinc.html>
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - onConflict: what happens to a row with the key of another one.
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: onConflict, autoincrement: true)
    }

    /// Adds a primary key of one column.
    ///
    /// ```swift
    /// // "code" TEXT PRIMARY KEY NOT NULL
    /// t.primaryKey("code", .text)
    /// ```
    ///
    /// An `integer` key stands for the row id, and SQLite chooses it for rows that are inserted without one. All others are
    /// `NOT NULL`: SQLite would let them be NULL in as many rows as there are, for compatibility with an early error of its own
    /// (<https://www.sqlite.org/lang_createtable.html#the_primary_key>).
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - type: its type.
    ///   - onConflict: what happens to a row with the key of another one.
    @discardableResult
    public func primaryKey(
        _ name: String, _ type: Database.ColumnType, onConflict: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: onConflict)
        let isRowID = type.rawValue.isEqualIgnoringASCIICase(to: Database.ColumnType.integer.rawValue)
        return isRowID ? column : column.notNull()
    }

    /// Makes columns that are defined elsewhere the primary key: `PRIMARY KEY ("countryCode", "citizenId")`.
    ///
    /// SQLite lets the columns be NULL unless they are declared `NOT NULL`, or the table is `WITHOUT ROWID`.
    /// ``primaryKey(onConflict:body:)`` sees to that.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - onConflict: what happens to a row with the key of another one.
    public func primaryKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
        constraints.append(.primaryKey(columns.map { .column($0) }, onConflict))
    }

    /// Adds columns that are together the primary key.
    ///
    /// ```swift
    /// // CREATE TABLE "passport" (
    /// //   "citizenId" INTEGER NOT NULL REFERENCES "citizen" ("id"),
    /// //   "number" INTEGER NOT NULL,
    /// //   PRIMARY KEY ("citizenId", "number"))
    /// try db.create(table: "passport") { t in
    ///     t.primaryKey {
    ///         t.belongsTo("citizen")
    ///         t.column("number", .integer)
    ///     }
    /// }
    /// ```
    ///
    /// The columns are `NOT NULL`, as SQLite would let them be NULL.
    ///
    /// - Parameters:
    ///   - onConflict: what happens to a row with the key of another one.
    ///   - body: adds the columns, by ``column(_:_:)`` and ``belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
    /// - Throws: the error of `body`.
    public func primaryKey(onConflict: Database.ConflictResolution? = nil, body: () throws -> Void) rethrows {
        let start = items.count
        try body()
        let parts = items[start...].map { item -> KeyPart in
            switch item {
            case .column(let column):
                column.requireNotNull()
                return .column(column.name)
            case .foreignKey(let foreignKey):
                foreignKey.requireNotNull()
                return .foreignKey(foreignKey)
            case .sql:
                return .sql
            }
        }
        constraints.append(.primaryKey(parts, onConflict))
    }

    // MARK: - Foreign keys

    /// Adds the columns by which rows of this table belong to rows of another one, or of the same one.
    ///
    /// ```swift
    /// // CREATE TABLE "player" (..., "teamId" INTEGER REFERENCES "team" ("id") ON DELETE CASCADE);
    /// // CREATE INDEX "index_player_on_teamId" ON "player" ("teamId")
    /// t.belongsTo("team", onDelete: .cascade)
    /// ```
    ///
    /// There is a column for each one of the other table's primary key, with the type of that one and a name made of `name` and
    /// that one's name: "teamId" for the key "id" of "team". The other table must exist, or be the table that is created.
    ///
    /// - Parameters:
    ///   - name: what the names of the columns begin with.
    ///   - table: the name of the other table; `name` when nil.
    ///   - onDelete: what happens to this row when the other one is deleted; it keeps it from being deleted when nil.
    ///   - onUpdate: what happens to this row when the key of the other one changes; it keeps it from changing when nil.
    ///   - deferred: whether the foreign key is checked at the end of the transaction.
    ///   - indexed: whether an index is created on the columns. It is not when they are ``ForeignKeyDefinition/unique()`` or come
    ///     first in the primary key, as they are indexed then. Without an index, SQLite reads the whole table when a row of
    ///     the other one is deleted.
    @discardableResult
    public func belongsTo(
        _ name: String, inTable table: String? = nil, onDelete: Database.ForeignKeyAction? = nil,
        onUpdate: Database.ForeignKeyAction? = nil, deferred: Bool = false, indexed: Bool = true
    ) -> ForeignKeyDefinition {
        let foreignKey = ForeignKeyDefinition(
            name: name, table: table ?? name, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred, isIndexed: indexed)
        items.append(.foreignKey(foreignKey))
        return foreignKey
    }

    /// Makes columns that are defined elsewhere a foreign key:
    /// `FOREIGN KEY ("row", "seat") REFERENCES "seat" ("row", "number")`.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - table: the table that they refer to, which may be created later.
    ///   - destinationColumns: the columns of that table, which are unique; nil for its primary key.
    ///   - onDelete: what happens to this row when the other one is deleted; it keeps it from being deleted when nil.
    ///   - onUpdate: what happens to this row when the key of the other one changes; it keeps it from changing when nil.
    ///   - deferred: whether the foreign key is checked at the end of the transaction.
    public func foreignKey(
        _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
        onDelete: Database.ForeignKeyAction? = nil, onUpdate: Database.ForeignKeyAction? = nil, deferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table, columns: destinationColumns, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred)
        constraints.append(.foreignKey(columns, reference))
    }

    // MARK: - Other constraints

    /// Allows no two rows with the same values in some columns: `UNIQUE ("name", "teamId")`.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - onConflict: what happens to a row with the values of another one.
    public func uniqueKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
        constraints.append(.uniqueKey(columns, onConflict))
    }

    /// Allows only rows for which an expression is not false: `CHECK ("begin" < "end")`.
    ///
    /// ```swift
    /// t.check(Column("begin") < Column("end"))
    /// ```
    ///
    /// - Parameter condition: an expression without subqueries. NULL lets a row in.
    public func check(_ condition: some SQLExpressible) {
        constraints.append(.check(condition.sqlExpression))
    }

    /// Allows only rows for which some SQL is not false: `CHECK (begin < end)`.
    ///
    /// - Parameter sql: an expression without parameters.
    public func check(sql: String) {
        check(SQL(sql: sql))
    }

    /// Adds a constraint that is written in SQL: `t.constraint(sql: "CONSTRAINT positive CHECK (score > 0)")`.
    ///
    /// - Parameter sql: a constraint of a table, without parameters.
    public func constraint(sql: String) {
        constraints.append(.sql(SQL(sql: sql)))
    }

    /// Adds a constraint that is written in SQL with values: `t.constraint(literal: "CHECK (score < \(limit))")`.
    ///
    /// - Parameter literal: a constraint of a table. Values are written into the SQL.
    public func constraint(literal: SQL) {
        constraints.append(.sql(literal))
    }
}
