import QueryInterface

/// The synchronization of an FTS5 table with the table that stores its text: see ``SynchronizationTriggers``.
struct FTS5Synchronization {
    let contentTable: String

    func moduleArguments(configuration: VirtualTableConfiguration, columns: [String], in db: Database) throws -> [String] {
        let content = try ContentTable(contentTable, columns: columns, configuration: configuration, in: db)
        return ["content=\(content.names.view.sqlStringLiteral)", "content_rowid='rowid'"]
    }

    func create(_ db: Database, for index: TableReference, schema: String, columns: [String]) throws {
        let content = try ContentTable(
            TableReference(contentTable, in: db), columns: columns, indexSchema: schema, index: index.name, in: db)
        try content.createView(db, columns: columns)

        try content.createReplacedTable(db, columnCount: columns.count)

        let triggers = try SynchronizationTriggers(
            content, isFTS5: true, columns: columns, contentColumns: columns, schema: schema, in: db)
        for trigger in triggers.all { try trigger.create(db, prefix: content.prefix) }
        let fts = index.name.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(content.prefix)\(fts) (\(fts)) VALUES ('rebuild')")
    }

    func create(_ db: Database, for index: TableReference, columns: [String]) throws {
        try create(db, for: index, schema: index.foundSchema(in: db), columns: columns)
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

extension ContentTable {
    /// Looks up the table before the full-text table exists.
    init(_ contentTable: String, columns: [String], configuration: VirtualTableConfiguration, in db: Database) throws {
        guard let tableName = configuration.tableName else {
            throw DatabaseError.misuse(
                "synchronize(withTable:) needs the name of the table", advice: "Use Database.create(virtualTable:using:).")
        }
        let index = try TableReference(tableName, in: db)
        let schema = index.schema ?? (configuration.options.contains(.temporary) ? "temp" : "main")
        try self.init(
            TableReference(contentTable, in: db), columns: columns, indexSchema: schema, index: index.name, in: db)
    }
}

// MARK: - Dropping

extension Database {
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
        let names = Database.SynchronizationNames(ofFullTextTable: table.name)
        let prefix = table.schema.map { "\($0.quotedDatabaseIdentifier)." } ?? ""
        try inSavepoint {
            for trigger in names.triggers { try execute(sql: "DROP TRIGGER IF EXISTS \(prefix)\(trigger.quotedDatabaseIdentifier)") }
            try execute(sql: "DROP VIEW IF EXISTS \(prefix)\(names.view.quotedDatabaseIdentifier)")
            try execute(sql: "DROP TABLE IF EXISTS \(prefix)\(names.replaced.quotedDatabaseIdentifier)")
            return .commit
        }
    }
}
