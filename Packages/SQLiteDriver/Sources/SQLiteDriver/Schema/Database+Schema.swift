extension Database {
    /// Whether a table exists, whatever the case of its name.
    ///
    /// - Parameters:
    ///   - name: the table's name.
    ///   - schema: the name of an attached database, "main", or "temp"; all of them when nil.
    /// - Throws: ``DatabaseError``.
    public func tableExists(_ name: String, in schema: String? = nil) throws -> Bool {
        try objectExists(name, type: "table", in: schema)
    }

    /// Whether a view exists, whatever the case of its name.
    ///
    /// - Parameters:
    ///   - name: the view's name.
    ///   - schema: the name of an attached database, "main", or "temp"; all of them when nil.
    /// - Throws: ``DatabaseError``.
    public func viewExists(_ name: String, in schema: String? = nil) throws -> Bool {
        try objectExists(name, type: "view", in: schema)
    }

    /// Whether a trigger exists, whatever the case of its name.
    ///
    /// - Parameters:
    ///   - name: the trigger's name.
    ///   - schema: the name of an attached database, "main", or "temp"; all of them when nil.
    /// - Throws: ``DatabaseError``.
    public func triggerExists(_ name: String, in schema: String? = nil) throws -> Bool {
        try objectExists(name, type: "trigger", in: schema)
    }

    /// The columns of a table or a view, in order, with generated ones and without hidden ones.
    ///
    /// The SQL is `PRAGMA table_xinfo("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    /// - Complexity: O(1) once the schema was read.
    public func columns(in name: String, in schema: String? = nil) throws -> [ColumnInfo] {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let columns = schemaCache.columns[id] { return columns }
        var columns: [ColumnInfo] = []
        try forEachRow("PRAGMA \(prefix(schema))table_xinfo(\(name.quotedDatabaseIdentifier))") { row in
            // 1 marks the hidden columns of virtual tables, 2 and 3 the generated ones.
            let hidden = row.int64(at: 6) ?? 0
            if hidden == 1 { return }
            columns.append(
                ColumnInfo(
                    name: row.string(at: 1) ?? "", type: row.string(at: 2) ?? "", isNotNull: row.int64(at: 3) == 1,
                    defaultValueSQL: row.string(at: 4), primaryKeyIndex: Int(row.int64(at: 5) ?? 0), isGenerated: hidden > 1))
        }
        guard !columns.isEmpty else {
            throw noSuchTable(name, in: schema)
        }
        schemaCache.columns[id] = columns
        return columns
    }

    /// The primary key of a table, or of a view whose key a ``DatabaseSchemaSource`` knows.
    ///
    /// - Parameters:
    ///   - name: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Returns: the declared primary key, or the hidden row id.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none; or the error of ``schemaSource``.
    /// - Complexity: O(1) once the schema was read.
    public func primaryKey(_ name: String, in schema: String? = nil) throws -> PrimaryKeyInfo {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let primaryKey = schemaCache.primaryKeys[id] { return primaryKey }
        let columns = try columns(in: name, in: schema)
        let declared = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
        let hiddenRowIDName = try hiddenRowIDName(name, in: schema, columns: columns)
        let primaryKey: PrimaryKeyInfo
        if let columns = try columnsOfViewKey(name, in: schema, columns: columns) {
            primaryKey = PrimaryKeyInfo(
                columns: columns, rowIDColumn: nil, isRowID: false, tableHasRowID: false, rowIDName: nil)
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
        schemaCache.primaryKeys[id] = primaryKey
        return primaryKey
    }

    /// The indexes of a table, those of its constraints included.
    ///
    /// The SQL is `PRAGMA index_list("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    /// - Complexity: O(1) once the schema was read.
    public func indexes(on name: String, in schema: String? = nil) throws -> [IndexInfo] {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let indexes = schemaCache.indexes[id] { return indexes }
        // Indexes of several databases may share a name: from here on, the database is named.
        guard let table = try locateTable(name, in: schema) else {
            // SQLite's own tables and table-valued functions have columns, but are listed nowhere.
            _ = try columns(in: name, in: schema)
            return []
        }
        let schema = table.id.schemaID.name
        var list: [(name: String, isUnique: Bool, origin: IndexInfo.Origin, isPartial: Bool)] = []
        try forEachRow("PRAGMA \(prefix(schema))index_list(\(name.quotedDatabaseIdentifier))") { row in
            let origin = IndexInfo.Origin(rawValue: row.string(at: 3) ?? "")
            list.append((row.string(at: 1) ?? "", row.int64(at: 2) == 1, origin, row.int64(at: 4) == 1))
        }
        let indexes = try list.map { index in
            var columns: [String] = []
            var hasExpressions = false
            try forEachRow("PRAGMA \(prefix(schema))index_info(\(index.name.quotedDatabaseIdentifier))") { row in
                if let column = row.string(at: 2) { columns.append(column) } else { hasExpressions = true }
            }
            return IndexInfo(
                name: index.name, columns: columns, isUnique: index.isUnique, origin: index.origin, isPartial: index.isPartial,
                hasExpressions: hasExpressions)
        }
        schemaCache.indexes[id] = indexes
        return indexes
    }

    /// The foreign keys of a table, in the order of their declaration.
    ///
    /// The SQL is `PRAGMA foreign_key_list("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    /// - Complexity: O(1) once the schema was read.
    public func foreignKeys(on name: String, in schema: String? = nil) throws -> [ForeignKeyInfo] {
        struct Part {
            let id: Int
            let table: String
            let origin: String
            let destination: String?
            let updateAction: ForeignKeyAction?
            let deleteAction: ForeignKeyAction?
        }
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let foreignKeys = schemaCache.foreignKeys[id] { return foreignKeys }
        guard let table = try locateTable(name, in: schema) else {
            _ = try columns(in: name, in: schema)
            return []
        }
        // Foreign keys refer to tables of their own database.
        let schema = table.id.schemaID.name
        var parts: [Part] = []
        try forEachRow("PRAGMA \(prefix(schema))foreign_key_list(\(name.quotedDatabaseIdentifier))") { row in
            parts.append(
                Part(
                    id: Int(row.int64(at: 0) ?? 0), table: row.string(at: 2) ?? "", origin: row.string(at: 3) ?? "",
                    destination: row.string(at: 4), updateAction: ForeignKeyAction(rawValue: row.string(at: 5) ?? ""),
                    deleteAction: ForeignKeyAction(rawValue: row.string(at: 6) ?? "")))
        }
        let foreignKeys = try Dictionary(grouping: parts, by: \.id).sorted { $0.key > $1.key }.map { id, parts in
            let destinationTable = parts[0].table
            var implied: [String] = []
            // A foreign key that names no columns refers to the primary key, of a table that may not exist yet.
            if parts.contains(where: { $0.destination == nil }), try tableExists(destinationTable, in: schema) {
                implied = try primaryKey(destinationTable, in: schema).columns
            }
            let mapping = parts.enumerated().map { index, part in
                ForeignKeyInfo.Pair(
                    origin: part.origin, destination: part.destination ?? (index < implied.count ? implied[index] : "rowid"))
            }
            return ForeignKeyInfo(
                id: id, destinationTable: destinationTable, mapping: mapping, deleteAction: parts[0].deleteAction,
                updateAction: parts[0].updateAction)
        }
        schemaCache.foreignKeys[id] = foreignKeys
        return foreignKeys
    }

    /// A number that SQLite changes whenever the schema of the main database changes.
    ///
    /// ``schemaGeneration()`` also counts the changes of temporary tables and of attached databases.
    ///
    /// The SQL is `PRAGMA main.schema_version`.
    ///
    /// - Throws: ``DatabaseError``.
    public func schemaVersion() throws -> Int32 {
        var version: Int64 = 0
        try forEachRow("PRAGMA main.schema_version") { version = $0.int64(at: 0) ?? 0 }
        return Int32(truncatingIfNeeded: version)
    }

    // MARK: - Inside

    /// The databases of the connection, in the order in which SQLite looks for a name that stands alone.
    ///
    /// Source: <https://www.sqlite.org/lang_naming.html>
    func schemaIDs() throws -> [DatabaseSchemaID] {
        // Verifying the schema lists the names of the database files, the main one first.
        _ = try schemaGeneration()
        return [.temp] + (schemaCache.schemaNames ?? ["main"]).map { .attached($0) }
    }

    /// Finds a table or a view.
    func locateTable(_ name: String, in schema: String?) throws -> (id: DatabaseObjectID, isView: Bool)? {
        let schemas = try schema.map { [.attached($0)] } ?? schemaIDs()
        for schemaID in schemas {
            let statement = try cachedStatement(
                sql: "SELECT type, name FROM \(schemaID.schemaTableName) WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE")
            defer { statement.reset() }
            try statement.setArguments([name])
            if try statement.step() {
                let id = DatabaseObjectID(name: statement.string(at: 1) ?? name, schemaID: schemaID)
                return (id, statement.string(at: 0) == "view")
            }
        }
        return nil
    }

    private func objectExists(_ name: String, type: String, in schema: String?) throws -> Bool {
        let schemas = try schema.map { [.attached($0)] } ?? schemaIDs()
        return try schemas.contains { schemaID in
            let statement = try cachedStatement(
                sql: "SELECT 1 FROM \(schemaID.schemaTableName) WHERE type = ? AND name = ? COLLATE NOCASE")
            defer { statement.reset() }
            try statement.setArguments([type, name])
            return try statement.step()
        }
    }

    func noSuchTable(_ name: String, in schema: String?) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_ERROR, message: "no such table: \(schema.map { "\($0)." } ?? "")\(name)")
    }

    /// A name for the row id that is not that of a column, or nil when there is none: in `WITHOUT ROWID` tables, in views, and
    /// where columns have taken all of its names.
    ///
    /// SQLite is asked: a statement with the name of a row id does not compile where there is none.
    private func hiddenRowIDName(_ name: String, in schema: String?, columns: [ColumnInfo]) throws -> String? {
        // SQLite before 3.36 gives views a row id that is NULL.
        if try locateTable(name, in: schema)?.isView == true { return nil }
        let table = prefix(schema) + name.quotedDatabaseIdentifier
        return try ["rowid", "oid", "_rowid_"].first { rowIDName in
            if columns.contains(where: { $0.name.isEqualIgnoringASCIICase(to: rowIDName) }) { return false }
            do {
                _ = try prepareStatement(in: "SELECT \(rowIDName) FROM \(table)"[...])
                return true
            } catch DatabaseError.SQLITE_ERROR {
                return false
            }
        }
    }

    /// `INTEGER PRIMARY KEY DESC` makes no row id column: it has an index of its own, as the keys of `WITHOUT ROWID` tables have
    /// (<https://www.sqlite.org/lang_createtable.html#rowid>).
    private func hasPrimaryKeyIndex(_ name: String, in schema: String?) throws -> Bool {
        var found = false
        try forEachRow("PRAGMA \(prefix(schema))index_list(\(name.quotedDatabaseIdentifier))") { row in
            if row.string(at: 3) == "pk" { found = true }
        }
        return found
    }

    private func prefix(_ schema: String?) -> String {
        schema.map { $0.quotedDatabaseIdentifier + "." } ?? ""
    }

    private func forEachRow(_ sql: String, _ body: (Statement) throws -> Void) throws {
        let statement = try cachedStatement(sql: sql)
        defer { statement.reset() }
        while try statement.step() {
            try body(statement)
        }
    }
}
