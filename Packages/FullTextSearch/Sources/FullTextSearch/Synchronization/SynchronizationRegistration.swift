import QueryInterface

extension ChangeHandlerLayer: LayerRegistration {
    /// Registers this package's handler for rows that change without triggers.
    package static func register() {
        DatabaseRegistry.addUntriggeredChangeHandler { db, table in
            // The same row IDs may now belong to other rows: their text may have changed.
            for index in try db.fullTextIndexes(of: table.name, in: table.schemaID.name) { try db.rebuildIndex(of: index) }
        }
    }
}

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

    /// Builds the index of a full-text table from its content, and writes its triggers again if they are out of date.
    func rebuildIndex(of table: FullTextTable) throws {
        try renewTriggers(of: table)
        if let synchronization = try StoredSynchronization(of: table, self) { try synchronization.deleteCopies(self) }
        try execute(sql: "INSERT INTO \(table.sql) (\(table.name.quotedDatabaseIdentifier)) VALUES ('rebuild')")
    }

    /// Returns whether the triggers were out of date.
    @discardableResult
    private func renewTriggers(of table: FullTextTable) throws -> Bool {
        guard let synchronization = try StoredSynchronization(of: table, self), synchronization.isOutdated else { return false }
        try synchronization.deleteCopies(self)
        for name in synchronization.stored.keys.sorted() {
            try execute(sql: "DROP TRIGGER \(synchronization.prefix)\(name.quotedDatabaseIdentifier)")
        }
        for trigger in synchronization.triggers { try trigger.create(self, prefix: synchronization.prefix) }
        return true
    }
}

/// The triggers of a synchronized full-text table in the schema, and those that it should have.
struct StoredSynchronization {
    /// The SQL of the triggers in the schema, by name.
    let stored: [String: String]

    /// The triggers of this version, for the current unique indexes of the content.
    let triggers: [ContentTable.Trigger]

    /// The name of the database, as an SQL prefix.
    let prefix: String

    private let replaced: String

    /// Whether the triggers must be written again.
    var isOutdated: Bool { Dictionary(triggers.map { ($0.name, $0.sql) }) { first, _ in first } != stored }

    /// Reads the triggers; nil if none of this package synchronize the table.
    init?(of table: FullTextTable, _ db: Database) throws {
        // A table of the temporary database may be synchronized with a table of any database, which the schema does not name.
        if table.schema.isEqualIgnoringASCIICase(to: "temp") { return nil }
        let names = Database.SynchronizationNames(ofFullTextTable: table.name)
        let list = "\(table.schema.quotedDatabaseIdentifier).sqlite_master"
        let view = try String.fetchOne(db, sql: "SELECT sql FROM \(list) WHERE type = 'view' AND name = ?", arguments: [names.view])
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT name, tbl_name, sql FROM \(list)
                WHERE type = 'trigger' AND name IN (\(names.triggers.map { _ in "?" }.joined(separator: ", ")))
                """, arguments: StatementArguments(names.triggers))
        // The synchronization of other libraries has no such view and table.
        guard let view, let first = rows.first, try db.tableExists(names.replaced, in: table.schema) else { return nil }
        let name = try first.decode(String.self, atIndex: 1)
        let content = try ContentTable(
            TableReference(schema: nil, name: name), columns: nil, indexSchema: table.schema, index: table.name, in: db)
        let options = table.definition.arguments
        let languageID = table.module == "fts5" ? nil : table.definition.value(ofOption: "languageid")
        triggers = try SynchronizationTriggers(
            content, isFTS5: table.module == "fts5",
            columns: options.filter { $0.value == nil }.map(\.name) + (languageID.map { [$0] } ?? []),
            contentColumns: Self.columns(of: view), schema: table.schema, in: db
        ).all
        stored = Dictionary(try rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 2)) }) { first, _ in first }
        prefix = content.prefix
        replaced = "\(content.prefix)\(names.replaced.quotedDatabaseIdentifier)"
    }

    /// Deletes the copies of rows, which may be those of earlier triggers.
    func deleteCopies(_ db: Database) throws { try db.execute(sql: "DELETE FROM \(replaced)") }

    /// Returns the columns of the content that a view selects after the row ID. SQLite has renamed them with the columns of the table.
    private static func columns(of view: String) -> [String] {
        let tokens = SQLTokens(view)
        let words = tokens.tokens.indices
        guard let select = words.first(where: { tokens.keyword($0) == "SELECT" }),
            let from = words.first(where: { $0 > select && tokens.keyword($0) == "FROM" })
        else { return [] }
        return tokens.split((select + 1)..<from, atCommasOfDepth: 0).dropFirst().map { part in
            tokens.name(tokens.text(part.lowerBound) == "+" ? part.lowerBound + 1 : part.lowerBound)
        }
    }
}
