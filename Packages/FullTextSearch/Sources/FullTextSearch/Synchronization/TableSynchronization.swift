import QueryInterface

/// The synchronization of an FTS5 or FTS4 table with the table that stores its text. The driver writes its triggers.
///
/// Source: <https://www.sqlite.org/fts3.html#_external_content_fts4_tables_>
struct TableSynchronization {
    let contentTable: String
    let isFTS5: Bool

    /// Returns the arguments that name the content, before the full-text table exists.
    func moduleArguments(configuration: VirtualTableConfiguration, columns: [String], in db: Database) throws -> [String] {
        guard let tableName = configuration.tableName else {
            throw DatabaseError.misuse(
                "synchronize(withTable:) needs the name of the table", advice: "Use Database.create(virtualTable:using:).")
        }
        let index = try TableReference(tableName, in: db)
        let schema = index.schema ?? (configuration.options.contains(.temporary) ? "temp" : "main")
        return try content(of: index, schema, columns, db).moduleArguments(isFTS5: isFTS5)
    }

    func create(_ db: Database, for index: TableReference, columns: [String]) throws {
        try content(of: index, index.foundSchema(in: db), columns, db).synchronize(db, isFTS5: isFTS5, columns: columns)
    }

    private func content(of index: TableReference, _ schema: String, _ columns: [String], _ db: Database) throws -> ContentTable {
        let content = try TableReference(contentTable, in: db)
        return try ContentTable(content.name, in: content.schema, columns: columns, index: index.name, indexSchema: schema, db)
    }
}

extension TableReference {
    /// Returns the name of the database that has the table.
    func foundSchema(in db: Database) throws -> String {
        if let schema { return schema }
        // SQLite looks for a table in the temporary database first, then in the order of the list, which begins with main.
        if try db.tableExists(name, in: "temp") { return "temp" }
        let names = try String.fetchAll(db, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
        guard let schema = try names.first(where: { try db.tableExists(name, in: $0) }) else {
            throw DatabaseError(message: "no such table: \(name)")
        }
        return schema
    }
}

// MARK: - Triggers

extension Database {
    /// Writes the triggers of synchronized full-text tables again, where an earlier version has written them, or where the other table has new
    /// unique indexes.
    ///
    /// ```swift
    /// let names = try db.renewFullTextTriggers()
    /// for name in names { try FTS5Index(name).rebuild(db) }
    /// ```
    ///
    /// The indexed text stays as it is: if triggers of an earlier version have left deleted rows in an index, rebuild it.
    /// `DatabaseCheck.fullTextIndexes` finds such triggers and such indexes. Schemas are compared without these triggers, so a database with
    /// renewed triggers still has the schema of its migrations.
    ///
    /// - Returns: the names of the full-text tables of the main database whose triggers were written.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    public func renewFullTextTriggers() throws -> [String] {
        var names: [String] = []
        try inSavepoint {
            names = try fullTextTables(in: "main").filter { try renewTriggers(of: $0) }.map(\.name)
            return .commit
        }
        return names
    }

    /// Drops the triggers that keep an FTS5 table up to date, and the other objects that
    /// ``FTS5TableDefinition/synchronize(withTable:)`` has created.
    ///
    /// ```swift
    /// try db.drop(table: "document_ft")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "document_ft")
    /// ```
    ///
    /// Without the triggers, the index is no longer up to date. If the table itself is kept, it can no longer read its text.
    ///
    /// - Parameter tableName: the name of the FTS5 table, which may have been dropped.
    /// - Throws: ``DatabaseError``.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try dropSynchronization(of: tableName)
    }

    /// Drops the triggers that keep an FTS4 table up to date, and the other objects that
    /// ``FTS4TableDefinition/synchronize(withTable:)`` has created.
    ///
    /// - Parameter tableName: the name of the FTS4 table, which may have been dropped.
    /// - Throws: ``DatabaseError``.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try dropSynchronization(of: tableName)
    }

    private func dropSynchronization(of tableName: String) throws {
        let table = try TableReference(tableName, in: self)
        try dropSynchronization(ofFullTextTable: table.name, in: table.schema)
    }
}
