/// A full-text table of the schema.
package struct FullTextTable: Equatable {
    /// The name of the database that the table is in.
    package let schema: String

    /// The name of the table.
    package let name: String

    /// The module, its columns and options.
    package let definition: VirtualTableDefinition

    /// The name of the module in lowercase: fts3, fts4 or fts5.
    package var module: String { definition.module }

    /// The quoted name, with the name of the database.
    package var sql: String { "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)" }
}

extension Database {
    /// Creates a full-text index of a table with FTS5, indexes its rows, and creates triggers that keep the index up to date.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "main"."note_ft" USING fts5(title, text, prefix = '2 3', …)
    /// try db.create(
    ///     fullTextIndex: "note_ft", on: "note", definition: "(title, text, prefix = '2 3')")
    ///
    /// // SELECT note.* FROM note_ft JOIN note ON note.rowid = note_ft.rowid
    /// // WHERE note_ft MATCH 'swift' ORDER BY note_ft.rank
    /// ```
    ///
    /// It does the same as `synchronize(withTable:)` of the package FullTextSearch, which describes the triggers, and which changes they can't
    /// follow. An index of the table with the same name is replaced.
    ///
    /// Source: <https://www.sqlite.org/fts5.html#external_content_tables>
    ///
    /// - Parameters:
    ///   - name: the name of the index, which statements use as a table.
    ///   - table: the name of the table, regardless of case. It must have row IDs.
    ///   - definition: the SQL after `USING fts5`: in parentheses, names of columns of the table, which `UNINDEXED` may follow, and options
    ///     such as `tokenize = 'porter'`, but not `content`.
    /// - Throws: ``DatabaseError``, for example if the table lacks a column, or if another table has the name of the index.
    public func create(fullTextIndex name: String, on table: String, definition: String) throws {
        let tokens = SQLTokens(definition)
        guard let parsed = VirtualTableDefinition("CREATE VIRTUAL TABLE t USING fts5 \(definition)"),
            tokens.indexOfClosing(0) == tokens.count - 1
        else { throw DatabaseError.misuse("the columns of the full-text index \(name) must be in parentheses: \(definition)") }
        let options = ["content", "content_rowid", "contentless_delete", "contentless_unindexed"]
        // FTS5 accepts abbreviations.
        let option = parsed.arguments.first { argument in
            argument.value != nil && options.contains { $0.hasPrefix(argument.name.foldingASCIICase) }
        }
        if let option {
            throw DatabaseError.misuse("the full-text index \(name) can't have the option \(option.name): its content is \(table)")
        }
        let columns = parsed.arguments.filter { $0.value == nil }.map(\.name)
        let content = try ContentTable(table, in: nil, columns: columns, index: name, indexSchema: "main", self)
        let parts = tokens.split(1..<tokens.count - 1, atCommasOfDepth: 1).map(tokens.sql)
        try inSavepoint {
            if let other = try fullTextIndex(name), try !hasTriggers(of: other, onOtherThan: table) { try drop(fullTextIndex: name) }
            let arguments = (parts + content.moduleArguments(isFTS5: true)).joined(separator: ", ")
            try execute(sql: "CREATE VIRTUAL TABLE \(content.prefix)\(name.quotedDatabaseIdentifier) USING fts5(\(arguments))")
            try content.synchronize(self, isFTS5: true, columns: columns)
            return .commit
        }
    }

    /// Drops a full-text index of a table, and the triggers that keep it up to date.
    ///
    /// ```swift
    /// try db.drop(fullTextIndex: "note_ft")
    /// ```
    ///
    /// - Parameter name: the name of the index, regardless of case. The table itself may have been dropped.
    /// - Throws: ``DatabaseError``, for example if it is a full-text table that stores its text itself.
    public func drop(fullTextIndex name: String) throws {
        guard let table = try fullTextIndex(name) else { throw DatabaseError.misuse("there is no full-text index \(name) of a table") }
        try inSavepoint {
            try execute(sql: "DROP TABLE \(table.sql)")
            try dropSynchronization(ofFullTextTable: table.name, in: table.schema)
            return .commit
        }
    }

    /// Returns a full-text table that is synchronized with another table, or was.
    private func fullTextIndex(_ name: String) throws -> FullTextTable? {
        guard let table = try fullTextTable(name, in: "main"),
            table.definition.value(ofOption: "content") == SynchronizationNames(ofFullTextTable: table.name).view
        else { return nil }
        return table
    }

    /// Returns whether another table has the triggers of a full-text table.
    private func hasTriggers(of index: FullTextTable, onOtherThan table: String) throws -> Bool {
        let names = SynchronizationNames(ofFullTextTable: index.name).triggers
        let query = InternalQuery(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name <> ? COLLATE NOCASE", [table])
        return try query.values(in: self) { $0.string(at: 0) }.contains(where: names.contains)
    }

    /// Drops the objects that keep a full-text table up to date.
    package func dropSynchronization(ofFullTextTable name: String, in schema: String?) throws {
        let names = SynchronizationNames(ofFullTextTable: name)
        let prefix = schema.map { "\($0.quotedDatabaseIdentifier)." } ?? ""
        try inSavepoint {
            for trigger in names.triggers { try execute(sql: "DROP TRIGGER IF EXISTS \(prefix)\(trigger.quotedDatabaseIdentifier)") }
            try execute(sql: "DROP VIEW IF EXISTS \(prefix)\(names.view.quotedDatabaseIdentifier)")
            try execute(sql: "DROP TABLE IF EXISTS \(prefix)\(names.replaced.quotedDatabaseIdentifier)")
            return .commit
        }
    }

    // MARK: - Lookup

    /// Returns a table of a database, if it is a full-text table.
    package func fullTextTable(_ name: String, in schema: String) throws -> FullTextTable? {
        let list = DatabaseSchemaID.attached(schema).schemaTableName
        let query = InternalQuery(
            "SELECT name, sql FROM \(list) WHERE type = 'table' AND rootpage = 0 AND name = ? COLLATE NOCASE", [name])
        return try query.first(in: self) { row in
            guard let name = row.string(at: 0), let definition = VirtualTableDefinition(row.string(at: 1) ?? ""),
                ["fts3", "fts4", "fts5"].contains(definition.module)
            else { return nil }
            return FullTextTable(schema: schema, name: name, definition: definition)
        }
    }

    /// Returns the full-text tables that triggers synchronize with a table of a database. Tables of the temporary database come last.
    package func fullTextIndexes(of tableName: String, in schema: String) throws -> [FullTextTable] {
        var indexes: [FullTextTable] = []
        for each in schema.isEqualIgnoringASCIICase(to: "temp") ? ["temp"] : [schema, "temp"] {
            let query = InternalQuery(
                """
                SELECT name FROM \(DatabaseSchemaID.attached(each).schemaTableName)
                WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name GLOB '__?*_ai' ORDER BY rowid
                """, [tableName])
            let triggers = try query.values(in: self) { $0.string(at: 0) }
            indexes += try triggers.compactMap { try fullTextTable(String($0.dropFirst(2).dropLast(3)), in: each) }
        }
        return indexes
    }

    // MARK: - Rows that change without triggers

    /// Updates the full-text indexes of a table whose rows have changed without its triggers: after ``Database/vacuum()``, which may give
    /// them other row IDs, and after a rebuild.
    func didChangeWithoutTriggers(_ table: DatabaseObjectID) throws {
        // The same row IDs may now belong to other rows: their text may have changed.
        for index in try fullTextIndexes(of: table.name, in: table.schemaID.name) { try rebuildIndex(of: index) }
    }

    /// Builds the index of a full-text table from its content, and writes its triggers again if they are out of date.
    package func rebuildIndex(of table: FullTextTable) throws {
        try renewTriggers(of: table)
        if let synchronization = try StoredSynchronization(of: table, self) { try synchronization.deleteCopies(self) }
        try execute(sql: "INSERT INTO \(table.sql) (\(table.name.quotedDatabaseIdentifier)) VALUES ('rebuild')")
    }

    /// Returns whether the triggers were out of date.
    @discardableResult
    package func renewTriggers(of table: FullTextTable) throws -> Bool {
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
package struct StoredSynchronization {
    /// The SQL of the triggers in the schema, by name.
    let stored: [String: String]

    /// The triggers of this version, for the current unique indexes of the content.
    let triggers: [ContentTable.Trigger]

    /// The name of the database, as an SQL prefix.
    let prefix: String

    private let replaced: String

    /// Whether the triggers must be written again.
    package var isOutdated: Bool { Dictionary(triggers.map { ($0.name, $0.sql) }) { first, _ in first } != stored }

    /// Reads the triggers; nil if none of this package synchronize the table.
    package init?(of table: FullTextTable, _ db: Database) throws {
        // A table of the temporary database may be synchronized with a table of any database, which the schema does not name.
        if table.schema.isEqualIgnoringASCIICase(to: "temp") { return nil }
        let names = Database.SynchronizationNames(ofFullTextTable: table.name)
        let list = DatabaseSchemaID.attached(table.schema).schemaTableName
        let view = try InternalQuery("SELECT sql FROM \(list) WHERE type = 'view' AND name = ?", [names.view]).first(in: db) {
            $0.string(at: 0)
        }
        let query = InternalQuery(
            """
            SELECT name, tbl_name, sql FROM \(list)
            WHERE type = 'trigger' AND name IN (\(names.triggers.map { _ in "?" }.joined(separator: ", ")))
            """, StatementArguments(names.triggers))
        let rows = try query.values(in: db) { ($0.string(at: 0) ?? "", table: $0.string(at: 1) ?? "", $0.string(at: 2) ?? "") }
        // The synchronization of other libraries has no such view and table.
        guard let view, let first = rows.first, try db.tableExists(names.replaced, in: table.schema) else { return nil }
        let content = try ContentTable(first.table, in: nil, columns: nil, index: table.name, indexSchema: table.schema, db)
        let options = table.definition.arguments
        let languageID = table.module == "fts5" ? nil : table.definition.value(ofOption: "languageid")
        triggers = try SynchronizationTriggers(
            content, isFTS5: table.module == "fts5",
            columns: options.filter { $0.value == nil }.map(\.name) + (languageID.map { [$0] } ?? []),
            contentColumns: Self.columns(of: view), in: db
        ).all
        stored = Dictionary(rows.map { ($0.0, $0.2) }) { first, _ in first }
        prefix = content.prefix
        replaced = "\(content.prefix)\(names.replaced.quotedDatabaseIdentifier)"
    }

    /// Deletes the copies of rows, which may be those of earlier triggers.
    package func deleteCopies(_ db: Database) throws { try db.execute(sql: "DELETE FROM \(replaced)") }

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
