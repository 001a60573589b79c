import CSQLiteShims

extension Database {
    /// Returns whether a table exists, regardless of the case of its name.
    ///
    /// ```swift
    /// if try !db.tableExists("player") {
    ///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the table's name.
    ///   - schema: "main", "temp", or the name of an attached database; nil for all of them.
    /// - Throws: ``DatabaseError``.
    public func tableExists(_ name: String, in schema: String? = nil) throws -> Bool {
        try objectExists(name, type: "table", in: schema)
    }

    /// Returns whether a view exists, regardless of the case of its name.
    ///
    /// - Parameters:
    ///   - name: the view's name.
    ///   - schema: "main", "temp", or the name of an attached database; nil for all of them.
    /// - Throws: ``DatabaseError``.
    public func viewExists(_ name: String, in schema: String? = nil) throws -> Bool {
        try objectExists(name, type: "view", in: schema)
    }

    /// Returns whether a name refers to a view.
    ///
    /// ```swift
    /// // CREATE VIEW hero AS SELECT * FROM player WHERE score > 1000
    /// try db.isView("hero")    // true
    /// try db.isView("player")  // false
    /// ```
    ///
    /// Unlike ``viewExists(_:in:)``, the method returns false where a table of the same name, in a database that SQLite searches before,
    /// hides the view.
    ///
    /// The method reads the database file only if SQLite has no table of the name in its schema: in a deferred transaction that has read, SQLite does not
    /// wait for the lock to write.
    ///
    /// - Parameters:
    ///   - name: the name of a table or view, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table or view.
    /// - Throws: ``DatabaseError``.
    /// - Complexity: O(1) once the schema was read.
    public func isView(_ name: String, in schema: String? = nil) throws -> Bool {
        let id = SchemaCache.TableID(name, in: schema)
        if let isView = schemaCache.views[id] { return isView }
        let isView = try !isTableOfLoadedSchema(name, in: schema) && locateTable(name, in: schema)?.isView == true
        schemaCache.views[id] = isView
        return isView
    }

    /// Returns whether SQLite finds a table, and not a view, in the schema as it has last read it. False if that is unknown.
    private func isTableOfLoadedSchema(_ name: String, in schema: String?) -> Bool {
        guard let connection = sqliteConnection, !name.utf8.contains(0), schema?.utf8.contains(0) != true else { return false }
        // The function looks for tables only: https://www.sqlite.org/c3ref/table_column_metadata.html
        return sqlite3_table_column_metadata(connection, schema, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
    }

    /// Returns whether a trigger exists, regardless of the case of its name.
    ///
    /// - Parameters:
    ///   - name: the trigger's name.
    ///   - schema: "main", "temp", or the name of an attached database; nil for all of them.
    /// - Throws: ``DatabaseError``.
    public func triggerExists(_ name: String, in schema: String? = nil) throws -> Bool {
        try objectExists(name, type: "trigger", in: schema)
    }

    /// Returns the columns of a table or a view, in order, including generated columns and excluding hidden ones.
    ///
    /// ```swift
    /// for column in try db.columns(in: "player") {
    ///     print(column.name, column.type)
    /// }
    /// ```
    ///
    /// The SQL is `PRAGMA table_xinfo("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist.
    /// - Complexity: O(1) once the schema was read.
    public func columns(in name: String, in schema: String? = nil) throws -> [ColumnInfo] {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let columns = schemaCache.columns[id] { return columns }
        let columns = try readColumns(in: name, in: schema, areHidden: false)
        guard !columns.isEmpty else {
            throw noSuchTable(name, in: schema)
        }
        schemaCache.columns[id] = columns
        return columns
    }

    /// Returns the names of the hidden columns of a virtual table, which statements can read and write, but `*` does not select.
    package func hiddenColumnNames(in name: String, in schema: String?) throws -> [String] {
        try readColumns(in: name, in: schema, areHidden: true).map(\.name)
    }

    private func readColumns(in name: String, in schema: String?, areHidden: Bool) throws -> [ColumnInfo] {
        let query = InternalQuery("PRAGMA \(prefix(schema))table_xinfo(\(name.quotedDatabaseIdentifier))")
        return try query.values(in: self) { row -> ColumnInfo? in
            // 1 marks hidden columns of virtual tables; 2 and 3 mark generated columns.
            let hidden = row.int64(at: 6) ?? 0
            if (hidden == 1) != areHidden { return nil }
            return ColumnInfo(
                name: row.string(at: 1) ?? "", type: row.string(at: 2) ?? "", isNotNull: row.int64(at: 3) == 1,
                defaultValueSQL: row.string(at: 4), primaryKeyIndex: Int(row.int64(at: 5) ?? 0), isGenerated: hidden > 1)
        }
    }

    /// Returns the primary key of a table, or of a view whose key a ``DatabaseSchemaSource`` knows.
    ///
    /// ```swift
    /// let key = try db.primaryKey("player")
    /// print(key.columns)  // ["id"]
    /// ```
    ///
    /// A view that has a column named "rowid" is taken to have this key if no source knows another.
    ///
    /// - Parameters:
    ///   - name: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Returns: the declared primary key, or the hidden row ID.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist, and with the code `SQLITE_MISUSE` for a
    ///   view without a known key; or the error of ``schemaSource``.
    /// - Complexity: O(1) once the schema was read.
    public func primaryKey(_ name: String, in schema: String? = nil) throws -> PrimaryKeyInfo {
        if let primaryKey = try primaryKeyIfKnown(name, in: schema) { return primaryKey }
        throw DatabaseError(
            code: .SQLITE_MISUSE, message: "\(name) is a view, whose primary key is not known",
            advice: "Return the columns of its key from a DatabaseSchemaSource, and set it as the schemaSource of the configuration.")
    }

    /// Returns the primary key of a table or view, or nil for a view whose key is not known.
    ///
    /// - Parameters:
    ///   - name: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Returns: the same as ``primaryKey(_:in:)``, or nil where that throws because no ``DatabaseSchemaSource`` knows the key of a view.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist, or the error of ``schemaSource``.
    /// - Complexity: O(1) once the schema was read.
    public func primaryKeyIfKnown(_ name: String, in schema: String? = nil) throws -> PrimaryKeyInfo? {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let known = schemaCache.primaryKeys[id] { return known }
        let columns = try columns(in: name, in: schema)
        let declared = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
        let hiddenRowIDName = try hiddenRowIDName(name, in: schema, columns: columns)
        let primaryKey: PrimaryKeyInfo?
        if let columns = try columnsOfViewKey(name, in: schema, columns: columns) {
            primaryKey = PrimaryKeyInfo(
                columns: columns, rowIDColumn: nil, isRowID: false, tableHasRowID: false, rowIDName: nil)
        } else if declared.isEmpty, try isView(name, in: schema),
            !columns.contains(where: { $0.name.isEqualIgnoringASCIICase(to: "rowid") })
        {
            primaryKey = nil
        } else if declared.isEmpty {
            primaryKey = PrimaryKeyInfo(
                columns: [hiddenRowIDName ?? "rowid"], rowIDColumn: nil, isRowID: true, tableHasRowID: hiddenRowIDName != nil,
                rowIDName: hiddenRowIDName)
        } else if declared.count == 1, declared[0].type.isEqualIgnoringASCIICase(to: "INTEGER"),
            try !hasPrimaryKeyIndex(name, in: schema)
        {
            let column = declared[0].name
            primaryKey = PrimaryKeyInfo(
                columns: [column], rowIDColumn: column, isRowID: true, tableHasRowID: true, rowIDName: column)
        } else {
            primaryKey = PrimaryKeyInfo(
                columns: declared.map(\.name), rowIDColumn: nil, isRowID: false, tableHasRowID: hiddenRowIDName != nil,
                rowIDName: hiddenRowIDName)
        }
        schemaCache.primaryKeys[id] = .some(primaryKey)
        return primaryKey
    }

    /// Returns the indexes of a table, including the indexes of its constraints.
    ///
    /// ```swift
    /// let unique = try db.indexes(on: "player").filter(\.isUnique)
    /// ```
    ///
    /// The SQL is `PRAGMA index_list("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist.
    /// - Complexity: O(1) once the schema was read.
    public func indexes(on name: String, in schema: String? = nil) throws -> [IndexInfo] {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let indexes = schemaCache.indexes[id] { return indexes }
        // Indexes of several databases may have the same name, so the statements below name the database.
        guard let table = try locateTable(name, in: schema) else {
            // SQLite's internal tables and table-valued functions have columns, but no entry in a schema table.
            _ = try columns(in: name, in: schema)
            return []
        }
        let schema = table.id.schemaID.name
        let list = InternalQuery("PRAGMA \(prefix(schema))index_list(\(name.quotedDatabaseIdentifier))")
        let indexes = try list.values(in: self) { row in
            (
                name: row.string(at: 1) ?? "", isUnique: row.int64(at: 2) == 1, origin: row.string(at: 3) ?? "",
                isPartial: row.int64(at: 4) == 1
            )
        }
        .map { index in
            let query = InternalQuery("PRAGMA \(prefix(schema))index_info(\(index.name.quotedDatabaseIdentifier))")
            let columns = try query.values(in: self) { .some($0.string(at: 2)) }
            return IndexInfo(
                name: index.name, columns: columns.compactMap(\.self), isUnique: index.isUnique,
                origin: IndexInfo.Origin(rawValue: index.origin), isPartial: index.isPartial, hasExpressions: columns.contains(nil))
        }
        schemaCache.indexes[id] = indexes
        return indexes
    }

    /// Returns the foreign keys of a table, in the order of their declaration.
    ///
    /// ```swift
    /// for key in try db.foreignKeys(on: "player") {
    ///     print(key.originColumns, "refer to", key.destinationTable)
    /// }
    /// ```
    ///
    /// The SQL is `PRAGMA foreign_key_list("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist.
    /// - Complexity: O(1) once the schema was read.
    public func foreignKeys(on name: String, in schema: String? = nil) throws -> [ForeignKeyInfo] {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let foreignKeys = schemaCache.foreignKeys[id] { return foreignKeys }
        guard let table = try locateTable(name, in: schema) else {
            _ = try columns(in: name, in: schema)
            return []
        }
        // Foreign keys refer to tables of their own database.
        let schema = table.id.schemaID.name
        let query = InternalQuery("PRAGMA \(prefix(schema))foreign_key_list(\(name.quotedDatabaseIdentifier))")
        let parts = try query.values(in: self) { row in
            (
                id: Int(row.int64(at: 0) ?? 0), table: row.string(at: 2) ?? "", origin: row.string(at: 3) ?? "",
                destination: row.string(at: 4), updateAction: ForeignKeyAction(rawValue: row.string(at: 5) ?? ""),
                deleteAction: ForeignKeyAction(rawValue: row.string(at: 6) ?? "")
            )
        }
        let foreignKeys = try Dictionary(grouping: parts, by: \.id).sorted { $0.key > $1.key }.map { id, parts in
            let destinationTable = parts[0].table
            var implied: [String] = []
            // A foreign key without destination columns refers to the primary key. The destination table may not exist yet.
            if parts.contains(where: { $0.destination == nil }), try tableExists(destinationTable, in: schema) {
                implied = try primaryKey(destinationTable, in: schema).columns
            }
            let pairs = parts.enumerated().map { index, part in
                ForeignKeyInfo.Pair(
                    origin: part.origin, destination: part.destination ?? (index < implied.count ? implied[index] : "rowid"))
            }
            return ForeignKeyInfo(
                id: id, destinationTable: destinationTable, pairs: pairs, deleteAction: parts[0].deleteAction,
                updateAction: parts[0].updateAction)
        }
        schemaCache.foreignKeys[id] = foreignKeys
        return foreignKeys
    }

    /// Returns the schema version of the main database, which SQLite increments with each schema change.
    ///
    /// The SQL is `PRAGMA main.schema_version`.
    ///
    /// - Throws: ``DatabaseError``.
    public func schemaVersion() throws -> Int32 {
        checkAccess()
        return Int32(truncatingIfNeeded: try schemaVersion(of: "main"))
    }

    // MARK: - Inside

    /// Returns the databases of the connection, in the order in which SQLite resolves unqualified names.
    ///
    /// Source: <https://www.sqlite.org/lang_naming.html>
    func schemaIDs() throws -> [DatabaseSchemaID] {
        // Verifying the schema lists the database files, the main one first.
        _ = try schemaGeneration()
        return [.temp] + (schemaCache.schemaNames ?? ["main"]).map { .attached($0) }
    }

    /// Returns the table or view of a name.
    package func locateTable(_ name: String, in schema: String?) throws -> (id: DatabaseObjectID, isView: Bool)? {
        for schemaID in try schema.map({ [.attached($0)] }) ?? schemaIDs() {
            let query = InternalQuery(
                "SELECT type, name FROM \(schemaID.schemaTableName) WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE", [name],
                cached: true)
            let found = try query.first(in: self) { row in
                (DatabaseObjectID(name: row.string(at: 1) ?? name, schemaID: schemaID), row.string(at: 0) == "view")
            }
            if let found { return found }
        }
        return nil
    }

    private func objectExists(_ name: String, type: String, in schema: String?) throws -> Bool {
        try (schema.map { [.attached($0)] } ?? schemaIDs()).contains { schemaID in
            let query = InternalQuery(
                "SELECT 1 FROM \(schemaID.schemaTableName) WHERE type = ? AND name = ? COLLATE NOCASE", [type, name], cached: true)
            return try query.first(in: self) { _ in true } ?? false
        }
    }

    package func noSuchTable(_ name: String, in schema: String?) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_ERROR, message: "no such table: \(schema.map { "\($0)." } ?? "")\(name)")
    }

    /// Returns a name of the row ID that no column has, or nil if there is none: in `WITHOUT ROWID` tables, in views, and where
    /// columns have all three names.
    ///
    /// The method asks SQLite: a statement that names the row ID compiles only if the table has one.
    private func hiddenRowIDName(_ name: String, in schema: String?, columns: [ColumnInfo]) throws -> String? {
        // Before version 3.36, SQLite gives views a row ID, which is NULL.
        if try locateTable(name, in: schema)?.isView == true { return nil }
        let table = prefix(schema) + name.quotedDatabaseIdentifier
        return try ["rowid", "oid", "_rowid_"].first { rowIDName in
            if columns.contains(where: { $0.name.isEqualIgnoringASCIICase(to: rowIDName) }) { return false }
            do {
                _ = try makeStatement(sql: "SELECT \(rowIDName) FROM \(table)")
                return true
            } catch DatabaseError.SQLITE_ERROR {
                return false
            }
        }
    }

    /// Returns whether the primary key has an index. An `INTEGER PRIMARY KEY DESC` has one, and is not the row ID
    /// (<https://www.sqlite.org/lang_createtable.html#rowid>). The primary keys of `WITHOUT ROWID` tables have one, too.
    private func hasPrimaryKeyIndex(_ name: String, in schema: String?) throws -> Bool {
        try InternalQuery("PRAGMA \(prefix(schema))index_list(\(name.quotedDatabaseIdentifier))")
            .values(in: self) { $0.string(at: 3) }.contains("pk")
    }

    private func prefix(_ schema: String?) -> String {
        schema.map { $0.quotedDatabaseIdentifier + "." } ?? ""
    }
}
