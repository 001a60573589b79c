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
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "no such table: \(schema.map { "\($0)." } ?? "")\(name)")
        }
        schemaCache.columns[id] = columns
        return columns
    }

    /// The primary key of a table.
    ///
    /// - Parameters:
    ///   - name: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Returns: the declared primary key, or the hidden row id.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    /// - Complexity: O(1) once the schema was read.
    public func primaryKey(_ name: String, in schema: String? = nil) throws -> PrimaryKeyInfo {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(name, in: schema)
        if let primaryKey = schemaCache.primaryKeys[id] { return primaryKey }
        let declared = try columns(in: name, in: schema)
            .filter { $0.primaryKeyIndex > 0 }
            .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
        let hasRowID = try tableHasRowID(name, in: schema)
        let primaryKey: PrimaryKeyInfo
        if declared.isEmpty {
            primaryKey = PrimaryKeyInfo(columns: ["rowid"], rowIDColumn: nil, isRowID: true, tableHasRowID: hasRowID)
        } else if hasRowID, declared.count == 1, declared[0].type.uppercased() == "INTEGER",
            try !hasPrimaryKeyIndex(name, in: schema)
        {
            let column = declared[0].name
            primaryKey = PrimaryKeyInfo(columns: [column], rowIDColumn: column, isRowID: true, tableHasRowID: true)
        } else {
            primaryKey = PrimaryKeyInfo(
                columns: declared.map(\.name), rowIDColumn: nil, isRowID: false, tableHasRowID: hasRowID)
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
    /// - Throws: ``DatabaseError``.
    public func indexes(on name: String, in schema: String? = nil) throws -> [IndexInfo] {
        var list: [(name: String, isUnique: Bool)] = []
        try forEachRow("PRAGMA \(prefix(schema))index_list(\(name.quotedDatabaseIdentifier))") { row in
            list.append((row.string(at: 1) ?? "", row.int64(at: 2) == 1))
        }
        return try list.map { index in
            var columns: [String] = []
            try forEachRow("PRAGMA \(prefix(schema))index_info(\(index.name.quotedDatabaseIdentifier))") { row in
                if let column = row.string(at: 2) { columns.append(column) }
            }
            return IndexInfo(name: index.name, columns: columns, isUnique: index.isUnique)
        }
    }

    /// The foreign keys of a table, in the order of their declaration.
    ///
    /// The SQL is `PRAGMA foreign_key_list("player")`.
    ///
    /// - Parameters:
    ///   - name: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Throws: ``DatabaseError``.
    public func foreignKeys(on name: String, in schema: String? = nil) throws -> [ForeignKeyInfo] {
        struct Part {
            let id: Int
            let table: String
            let origin: String
            let destination: String?
        }
        var parts: [Part] = []
        try forEachRow("PRAGMA \(prefix(schema))foreign_key_list(\(name.quotedDatabaseIdentifier))") { row in
            parts.append(
                Part(
                    id: Int(row.int64(at: 0) ?? 0), table: row.string(at: 2) ?? "", origin: row.string(at: 3) ?? "",
                    destination: row.string(at: 4)))
        }
        return Dictionary(grouping: parts, by: \.id).sorted { $0.key > $1.key }.map { id, parts in
            // A foreign key that names no columns refers to the primary key.
            let key = parts.contains { $0.destination == nil } ? try? primaryKey(parts[0].table, in: schema).columns : nil
            let mapping = parts.enumerated().map { index, part in
                let implied = key.flatMap { index < $0.count ? $0[index] : nil }
                return ForeignKeyInfo.Pair(origin: part.origin, destination: part.destination ?? implied ?? "rowid")
            }
            return ForeignKeyInfo(id: id, destinationTable: parts[0].table, mapping: mapping)
        }
    }

    // MARK: - Inside

    private func objectExists(_ name: String, type: String, in schema: String?) throws -> Bool {
        var names = [schema].compactMap { $0 }
        if names.isEmpty {
            try forEachRow("PRAGMA database_list") { names.append($0.string(at: 1) ?? "") }
            names.append("temp")
        }
        return try names.contains { schema in
            let table = schema.lowercased() == "temp" ? "sqlite_temp_master" : "\(schema.quotedDatabaseIdentifier).sqlite_master"
            let statement = try cachedStatement(
                sql: "SELECT 1 FROM \(table) WHERE type = ? AND lower(name) = lower(?)")
            defer { statement.reset() }
            try statement.setArguments([type, name])
            return try statement.step()
        }
    }

    /// Asks SQLite for the row id: the statement does not compile where there is none.
    private func tableHasRowID(_ name: String, in schema: String?) throws -> Bool {
        // SQLite before 3.36 gives views a row id that is NULL.
        if try viewExists(name, in: schema), try !tableExists(name, in: schema) { return false }
        let table = prefix(schema) + name.quotedDatabaseIdentifier
        return ["rowid", "oid", "_rowid_"].contains { rowID in
            (try? prepareStatement(in: "SELECT \(rowID) FROM \(table)"[...])) != nil
        }
    }

    /// `INTEGER PRIMARY KEY DESC` makes no row id column: it has an index of its own
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
