/// The table whose text a synchronized full-text table indexes.
package struct ContentTable {
    /// The name of the database that the full-text table, its view and its triggers are in.
    let schema: String

    /// The name of the full-text table.
    let index: String

    /// The content table, by the name that triggers of its database use.
    let name: String

    /// The name of the database of the content table, if it is needed: a temporary trigger can be on any table.
    let sql: String

    /// SQL for the row id, quoted. A column can have the name `rowid`.
    let rowID: String

    /// The unique keys of the table besides the row id. Each is SQL that is true for the rows that have the same key as the new row, and that
    /// SQLite evaluates by a search in the index.
    let uniqueKeys: [String]

    /// The generated columns.
    let generatedColumns: Set<SchemaName>

    /// The name of the database of the full-text table, as an SQL prefix: `"main".`.
    var prefix: String { "\(schema.quotedDatabaseIdentifier)." }

    /// The objects that are named after the full-text table.
    var names: Database.SynchronizationNames { Database.SynchronizationNames(ofFullTextTable: index) }

    /// Looks up the table.
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - contentSchema: the name of its database, if the program states one.
    ///   - columns: the columns that the table must have. Nil for a table that was synchronized before: its columns may have been renamed.
    ///   - index: the name of the full-text table.
    ///   - schema: the name of its database.
    /// - Throws: ``DatabaseError`` if a full-text table can't be synchronized with it.
    package init(
        _ name: String, in contentSchema: String?, columns: [String]?, index: String, indexSchema schema: String, _ db: Database
    ) throws {
        func refuse(_ reason: String) -> DatabaseError {
            .misuse("can't synchronize \(index) with \(name): \(reason)")
        }
        let isTemporary = schema.isEqualIgnoringASCIICase(to: "temp")
        if let contentSchema, !isTemporary, !contentSchema.isEqualIgnoringASCIICase(to: schema) {
            throw refuse("they must be in the same database")
        }
        // In a temporary database, the content can be anywhere.
        guard let (id, isView) = try db.locateTable(name, in: contentSchema ?? (isTemporary ? nil : schema)) else {
            throw db.noSuchTable(name, in: nil)
        }
        if isView { throw refuse("it is a view, and only tables have triggers for all their changes") }
        if columns?.isEmpty == true { throw refuse("the full-text table has no columns") }
        let found = id.schemaID.name
        let contentColumns = try db.columns(in: name, in: found)
        for column in columns ?? [] where !contentColumns.contains(where: { $0.name.isEqualIgnoringASCIICase(to: column) }) {
            throw refuse("it has no column \(column)")
        }
        if try db.isVirtualTable(id) { throw refuse("it is a virtual table, and SQLite does not allow triggers on virtual tables") }
        guard try db.hasRowIDs(name, in: found) else {
            throw refuse("it is a WITHOUT ROWID table, and the index refers to rows by their row IDs")
        }

        self.schema = schema
        self.index = index
        self.name = name
        sql =
            isTemporary
            ? "\(found.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)" : name.quotedDatabaseIdentifier
        guard let rowID = try Self.rowID(of: name, in: found, contentColumns, db) else {
            throw refuse("its columns hide its row IDs: \(Self.rowIDs.joined(separator: ", "))")
        }
        self.rowID = rowID.quotedDatabaseIdentifier
        generatedColumns = Set(contentColumns.filter(\.isGenerated).map { SchemaName($0.name) })
        uniqueKeys = try ReplacedRows(of: name, in: found, db).conditions(refuse)
    }

    /// The names of the row id, which columns of a table can hide.
    private static let rowIDs = ["rowid", "_rowid_", "oid"]

    /// Returns a name of a table's row id, or nil if columns hide all of them.
    private static func rowID(of table: String, in schema: String, _ columns: [ColumnInfo], _ db: Database) throws -> String? {
        let free = rowIDs.first { name in !columns.contains { $0.name.isEqualIgnoringASCIICase(to: name) } }
        return try free ?? db.primaryKey(table, in: schema).rowIDColumn
    }

    /// SQL that is true for the rows of the content table that a REPLACE would delete in favor of the new row. It may be true for further
    /// rows.
    var conflict: String {
        (["\(rowID) = new.\(rowID)"] + uniqueKeys.map { "(\($0))" }).joined(separator: " OR ")
    }

    /// Returns the arguments of the full-text table that name its content.
    package func moduleArguments(isFTS5: Bool) -> [String] {
        isFTS5
            ? ["content=\(DatabaseValue(storage: .string(names.view)).sqlLiteral)", "content_rowid='rowid'"]
            : ["content=\(names.view.quotedDatabaseIdentifier)"]
    }

    /// Creates the objects that keep the full-text table up to date, and indexes the rows of the table.
    package func synchronize(_ db: Database, isFTS5: Bool, columns: [String]) throws {
        try createView(db, columns: columns, prefersReplaced: !isFTS5)
        try createReplacedTable(db, columnCount: columns.count)
        let triggers = try SynchronizationTriggers(self, isFTS5: isFTS5, columns: columns, contentColumns: columns, in: db)
        for trigger in triggers.all { try trigger.create(db, prefix: prefix) }
        let fts = index.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(prefix)\(fts) (\(fts)) VALUES ('rebuild')")
    }

    /// Creates the view through which the index reads the content.
    ///
    /// SQLite updates views when tables and columns are renamed, but not the arguments of virtual tables.
    ///
    /// - Parameter prefersReplaced: whether the view has the copies of replaced rows in place of these rows.
    private func createView(_ db: Database, columns: [String], prefersReplaced: Bool) throws {
        // SQLite searches both parts of a UNION for row ids only if their columns have the same affinity. A sign takes it away.
        let sign = prefersReplaced ? "+" : ""
        let list = columns.map { "\(sign)\($0.quotedDatabaseIdentifier) AS \($0.quotedDatabaseIdentifier)" }
        let copiedList = (["\"id\""] + columns.indices.map { "+\"c\($0)\"" }).joined(separator: ", ")
        let replaced = names.replaced.quotedDatabaseIdentifier
        let copies =
            prefersReplaced
            ? " AS \"content\" WHERE NOT EXISTS (SELECT 1 FROM \(replaced) WHERE \"id\" = \"content\".\(rowID)) "
                + "UNION ALL SELECT \(copiedList) FROM \(replaced)"
            : ""
        try db.execute(
            sql: """
                CREATE VIEW \(prefix)\(names.view.quotedDatabaseIdentifier) AS \
                SELECT \(rowID) AS "rowid", \(list.joined(separator: ", ")) FROM \(sql)\(copies)
                """)
    }

    /// Creates the table where triggers keep rows that a REPLACE may delete.
    private func createReplacedTable(_ db: Database, columnCount: Int) throws {
        let name = names.replaced.quotedDatabaseIdentifier
        let columns = (0..<columnCount).map { "\"c\($0)\"" }
        try db.execute(sql: "CREATE TABLE \(prefix)\(name) (\((["\"id\" INTEGER PRIMARY KEY"] + columns).joined(separator: ", ")))")
    }

    /// SQL that is true if the content table has rows that a REPLACE would delete in favor of the new row.
    ///
    /// Each insertion evaluates it. A search for each key costs less than one for all of them, and reads only the indexes.
    var hasConflict: String {
        (["new.\(rowID) IN (SELECT \(rowID) FROM \(sql))"] + uniqueKeys.map { "EXISTS (SELECT 1 FROM \(sql) WHERE \($0))" })
            .joined(separator: " OR ")
    }

    /// The same for an updated row, which does not conflict with itself.
    var hasConflictWithOthers: String {
        (["old.\(rowID) <> new.\(rowID) AND new.\(rowID) IN (SELECT \(rowID) FROM \(sql))"]
            + uniqueKeys.map { "EXISTS (SELECT 1 FROM \(sql) WHERE \($0) AND \(rowID) <> old.\(rowID))" })
            .joined(separator: " OR ")
    }

    /// SQL that is true for the replaced rows that are no longer in the content table.
    var isGone: String {
        "NOT EXISTS (SELECT 1 FROM \(sql) WHERE \(rowID) = \(names.replaced.quotedDatabaseIdentifier).\"id\")"
    }

    /// A trigger on the content table.
    struct Trigger {
        let name: String

        /// The SQL as SQLite stores it: without the name of the database.
        let sql: String

        func create(_ db: Database, prefix: String) throws {
            try db.execute(sql: "CREATE TRIGGER \(prefix)\(sql.dropFirst("CREATE TRIGGER ".count))")
        }
    }

    func trigger(_ suffix: String, _ event: String, when condition: String? = nil, _ statements: [String]) -> Trigger {
        let name = "__\(index)_\(suffix)"
        let body = statements.map { "    \($0);\n" }.joined()
        let when = condition.map { " WHEN \($0)" } ?? ""
        return Trigger(
            name: name, sql: "CREATE TRIGGER \(name.quotedDatabaseIdentifier) \(event) ON \(sql)\(when) BEGIN\n\(body)END")
    }
}

extension Database {
    /// Returns whether the rows of a table have row IDs: a WITHOUT ROWID table has none.
    fileprivate func hasRowIDs(_ table: String, in schema: String) throws -> Bool {
        // Only the primary key of a WITHOUT ROWID table is an index that stores all columns: xinfo lists them with key = 0.
        let keys = InternalQuery("SELECT name FROM pragma_index_list(?, ?) WHERE origin = 'pk'", [table, schema])
        guard let key = try keys.first(in: self, { $0.string(at: 0) }) else { return true }
        let rowIDs = InternalQuery("SELECT 1 FROM pragma_index_xinfo(?, ?) WHERE cid = -1", [key, schema])
        return try rowIDs.first(in: self) { _ in true } ?? false
    }
}
