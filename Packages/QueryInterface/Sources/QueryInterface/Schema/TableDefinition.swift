import RowDecoding

/// The columns and constraints of a table that is created.
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
/// Names need no quotes. Columns and constraints are created in the order of the calls, columns first, as SQLite requires.
///
/// Source: <https://www.sqlite.org/lang_createtable.html>
public class TableDefinition {
    /// An item in the list of columns.
    enum Item {
        case column(ColumnDefinition)
        case foreignKey(ForeignKeyDefinition)
        case sql(SQL)
    }

    /// An item after the columns.
    enum Constraint {
        case primaryKey([KeyPart], Database.ConflictResolution?)
        case uniqueKey([String], Database.ConflictResolution?)
        case foreignKey([String], ForeignKeyReference)
        case check(SQLExpression)
        case sql(SQL)
    }

    /// A part of a primary key: a column, or the columns of a foreign key, whose names are determined later.
    enum KeyPart {
        case column(String)
        case foreignKey(ForeignKeyDefinition)
        /// A column defined by SQL, whose name is unknown. It makes the definition invalid.
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
    /// Unless the table is ``TableOptions/strict``, the type of a column does not restrict its values. It determines the affinity, the
    /// storage class to which SQLite converts values if possible:
    ///
    /// | type | for | conversion of other values |
    /// |---|---|---|
    /// | `text`, `jsonText` | strings, JSON, decimals | numbers become strings |
    /// | `integer` | integers | strings that look like numbers become numbers; reals without a fraction become integers |
    /// | `double`, `real` | floating point numbers | integers, and strings that look like numbers, become reals |
    /// | `boolean` | booleans | as for `numeric` |
    /// | `date`, `datetime` | dates as strings | as for `numeric`, which leaves dates stored as strings unchanged |
    /// | `numeric` | integers and reals | strings that look like numbers become numbers |
    /// | `blob`, `jsonb`, none | bytes, UUIDs, values of any type | none |
    /// | `any` | values of any type, in strict tables | in other tables, as for `numeric` |
    ///
    /// A `Decimal` is stored as TEXT, with all its digits. In columns of the types `numeric`, `integer`, `double` and `real`, SQLite
    /// converts it to a 64-bit number, which can lose digits: declare columns for decimals as `text`.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#type_affinity>
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - type: the type, or nil for none.
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        items.append(.column(column))
        return column
    }

    /// Adds a column defined by SQL: `t.column(sql: "name TEXT NOT NULL")`.
    ///
    /// The name of such a column is unknown: it can't be used in ``primaryKey(onConflict:body:)``, and foreign keys that refer to the same
    /// table can't find their primary key in it.
    ///
    /// - Parameter sql: a column definition, without parameters.
    public func column(sql: String) {
        items.append(.sql(SQL(sql: sql)))
    }

    /// Adds a column defined by SQL with values: `t.column(literal: "name TEXT DEFAULT \(name)")`.
    ///
    /// - Parameter literal: a column definition. Its values are written into the SQL.
    public func column(literal: SQL) {
        items.append(.sql(literal))
    }

    // MARK: - Primary keys

    /// Adds an integer primary key. SQLite generates the key of rows inserted without one, and never reuses the key of a deleted row.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    /// }
    /// ```
    ///
    /// The SQL is `"id" INTEGER PRIMARY KEY AUTOINCREMENT`.
    ///
    /// Source: <https://www.sqlite.org/autoinc.html>
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - onConflict: the conflict resolution for a row with the key of another row.
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
    /// An `integer` key is an alias of the row ID, and SQLite generates it for rows inserted without one. Keys of other types are
    /// `NOT NULL`, because SQLite, for compatibility with an early bug, would allow any number of NULL keys
    /// (<https://www.sqlite.org/lang_createtable.html#the_primary_key>).
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - type: the type of the column.
    ///   - onConflict: the conflict resolution for a row with the key of another row.
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
    /// ```swift
    /// t.column("countryCode", .text)
    /// t.column("citizenId", .integer)
    /// t.primaryKey(["countryCode", "citizenId"])
    /// ```
    ///
    /// SQLite allows NULL in the columns, unless they are `NOT NULL`, or the table is `WITHOUT ROWID`.
    /// ``primaryKey(onConflict:body:)`` makes the columns `NOT NULL`.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - onConflict: the conflict resolution for a row with the key of another row.
    public func primaryKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
        constraints.append(.primaryKey(columns.map { .column($0) }, onConflict))
    }

    /// Adds columns that form the primary key.
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
    /// The columns are `NOT NULL`: SQLite would allow NULL in them.
    ///
    /// - Parameters:
    ///   - onConflict: the conflict resolution for a row with the key of another row.
    ///   - body: adds the columns, with ``column(_:_:)`` and ``belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
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

    /// Adds the columns with which rows of this table refer to rows of another table, or of the same table.
    ///
    /// ```swift
    /// // CREATE TABLE "player"
    /// // (..., "teamId" INTEGER REFERENCES "team" ("id") ON DELETE CASCADE);
    /// // CREATE INDEX "player_on_teamId" ON "player" ("teamId")
    /// t.belongsTo("team", onDelete: .cascade)
    /// ```
    ///
    /// There is one column for each column of the other table's primary key. It has the type of that column, and a name composed of `name`
    /// and that column's name: "teamId" for the key "id" of "team". The other table must exist, or be the table that is being created.
    ///
    /// - Parameters:
    ///   - name: the beginning of the names of the columns.
    ///   - table: the name of the other table; nil for the table `name`, or else its plural: `belongsTo("team")` refers to a table
    ///     "team" or "teams".
    ///   - onDelete: the action on this row when the row that it refers to is deleted; nil prevents that deletion.
    ///   - onUpdate: the action on this row when the key that it refers to changes; nil prevents that change.
    ///   - deferred: whether SQLite checks the foreign key at the end of the transaction, and not after each statement.
    ///   - indexed: whether to create an index on the columns. No index is created if they are ``ForeignKeyDefinition/unique()`` or the
    ///     first columns of the primary key, because these have an index already. Without an index, SQLite scans the whole table when a
    ///     row of the other table is deleted.
    @discardableResult
    public func belongsTo(
        _ name: String, inTable table: String? = nil, onDelete: Database.ForeignKeyAction? = nil,
        onUpdate: Database.ForeignKeyAction? = nil, deferred: Bool = false, indexed: Bool = true
    ) -> ForeignKeyDefinition {
        let foreignKey = ForeignKeyDefinition(
            name: name, table: table, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred, isIndexed: indexed)
        items.append(.foreignKey(foreignKey))
        return foreignKey
    }

    /// Makes columns that are defined elsewhere a foreign key:
    /// `FOREIGN KEY ("row", "seat") REFERENCES "seat" ("row", "number")`.
    ///
    /// ```swift
    /// t.column("row", .integer)
    /// t.column("seat", .integer)
    /// t.foreignKey(["row", "seat"], references: "seat", columns: ["row", "number"])
    /// ```
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - table: the table that they refer to. It may be created later.
    ///   - destinationColumns: unique columns of that table; nil for its primary key.
    ///   - onDelete: the action on this row when the row that it refers to is deleted; nil prevents that deletion.
    ///   - onUpdate: the action on this row when the key that it refers to changes; nil prevents that change.
    ///   - deferred: whether SQLite checks the foreign key at the end of the transaction, and not after each statement.
    public func foreignKey(
        _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
        onDelete: Database.ForeignKeyAction? = nil, onUpdate: Database.ForeignKeyAction? = nil, deferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table, columns: destinationColumns, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred)
        constraints.append(.foreignKey(columns, reference))
    }

    // MARK: - Other constraints

    /// Requires unique values in a combination of columns: `UNIQUE ("name", "teamId")`.
    ///
    /// ```swift
    /// t.column("name", .text)
    /// t.belongsTo("team")
    /// t.uniqueKey(["name", "teamId"])
    /// ```
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - onConflict: the conflict resolution for a row with the values of another row.
    public func uniqueKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
        constraints.append(.uniqueKey(columns, onConflict))
    }

    /// Rejects rows for which an expression is false: `CHECK ("begin" < "end")`.
    ///
    /// ```swift
    /// t.check(Column("begin") < Column("end"))
    /// ```
    ///
    /// - Parameter condition: an expression without subqueries. If its value is NULL, the row is allowed.
    public func check(_ condition: some SQLExpressible) {
        constraints.append(.check(condition.sqlExpression))
    }

    /// Rejects rows for which SQL is false: `CHECK (begin < end)`.
    ///
    /// - Parameter sql: an expression without parameters.
    public func check(sql: String) {
        check(SQL(sql: sql))
    }

    /// Adds a constraint defined by SQL: `t.constraint(sql: "CONSTRAINT positive CHECK (score > 0)")`.
    ///
    /// - Parameter sql: a table constraint, without parameters.
    public func constraint(sql: String) {
        constraints.append(.sql(SQL(sql: sql)))
    }

    /// Adds a constraint defined by SQL with values: `t.constraint(literal: "CHECK (score < \(limit))")`.
    ///
    /// - Parameter literal: a table constraint. Its values are written into the SQL.
    public func constraint(literal: SQL) {
        constraints.append(.sql(literal))
    }
}
