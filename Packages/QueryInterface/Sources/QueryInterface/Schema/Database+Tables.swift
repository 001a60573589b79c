import RowDecoding

extension Database {
    /// Creates a table, and the indexes of its columns. If it fails, nothing is created.
    ///
    /// ```swift
    /// // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,
    /// // "name" TEXT NOT NULL, "score" INTEGER NOT NULL DEFAULT 0);
    /// // CREATE INDEX "player_on_score" ON "player" ("score")
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    ///     t.column("name", .text).notNull()
    ///     t.column("score", .integer).notNull().defaults(to: 0).indexed()
    /// }
    /// ```
    ///
    /// SQLite does not allow parameters in definitions: values are written into the SQL.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html>
    ///
    /// - Parameters:
    ///   - name: the name of the table, without quotes. It may begin with the name of an attached database and a dot; any other dot is
    ///     part of the name.
    ///   - options: the options of the table. With ``TableOptions/ifNotExists``, missing indexes are added to an existing table.
    ///   - body: defines the columns and constraints.
    /// - Throws: the error of `body`, before any statement runs; the error of a value that can't be stored; ``DatabaseError`` when the
    ///   definition does not fit the schema, or when SQLite rejects it.
    public func create(
        table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition()
        try body(definition)
        try run(definition: definition.statements(self, table: TableReference(name, in: self), options: options))
    }

    /// Creates a table. Same as ``create(table:options:body:)``, with a parameter for each option.
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - temporary: whether the table belongs to the connection, and is removed when the connection is closed.
    ///   - ifNotExists: whether to do nothing if a table or a view with this name exists.
    ///   - withoutRowID: whether the table stores its rows in the order of the primary key.
    ///   - body: defines the columns and constraints.
    /// - Throws: the error of `body`, before any statement runs; the error of a value that can't be stored; ``DatabaseError`` when the
    ///   definition does not fit the schema, or when SQLite rejects it.
    @_disfavoredOverload
    public func create(
        table name: String, temporary: Bool = false, ifNotExists: Bool = false, withoutRowID: Bool = false,
        body: (TableDefinition) throws -> Void
    ) throws {
        var options: TableOptions = []
        if temporary { options.insert(.temporary) }
        if ifNotExists { options.insert(.ifNotExists) }
        if withoutRowID { options.insert(.withoutRowID) }
        try create(table: name, options: options, body: body)
    }

    /// Renames a table, and the references to it in indexes, triggers, views and foreign keys.
    ///
    /// The SQL is `ALTER TABLE "player" RENAME TO "athlete"`.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#alter_table_rename>
    ///
    /// - Parameters:
    ///   - name: the name of a table.
    ///   - newName: its new name, in the same database.
    /// - Throws: ``DatabaseError``.
    public func rename(table name: String, to newName: String) throws {
        try run(definition: "ALTER TABLE \(TableReference(name, in: self).sql) RENAME TO \(newName.quotedDatabaseIdentifier)")
    }

    /// Alters a table. If a change fails, the table is unchanged.
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
    /// Source: <https://www.sqlite.org/lang_altertable.html>
    ///
    /// - Parameters:
    ///   - name: the name of a table.
    ///   - body: defines the changes.
    /// - Throws: the error of `body`, before any statement runs; the error of a value that can't be stored; ``DatabaseError`` when SQLite
    ///   rejects a change: ``TableAlteration`` describes its limits.
    public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
        let alteration = TableAlteration()
        try body(alteration)
        try alteration.run(self, table: TableReference(name, in: self))
    }

    /// Removes a table with its rows, its indexes and its triggers.
    ///
    /// The SQL is `DROP TABLE "player"`.
    ///
    /// If foreign keys are enabled, SQLite first deletes the rows, and applies the actions of the foreign keys that refer to them.
    ///
    /// Source: <https://www.sqlite.org/lang_droptable.html>
    ///
    /// - Parameter name: the name of a table, which may be a virtual table.
    /// - Throws: ``DatabaseError`` when the table does not exist, when rows refer to it, or while a statement reads it.
    public func drop(table name: String) throws {
        try run(definition: "DROP TABLE \(TableReference(name, in: self).sql)")
    }
}
