import QueryInterface

extension ChangeHandlerLayer: LayerRegistration {
    /// Registers this package's handler for rows that change without triggers.
    package static func register() {
        DatabaseRegistry.addUntriggeredChangeHandler { db, table in
            // The same row IDs may now belong to other rows: the texts may have changed.
            for index in try db.fullTextIndexes(of: table.name, in: table.schemaID.name) { try db.rebuildIndex(of: index) }
        }
    }
}

extension Database {
    /// Builds the index of a full-text table from its content, and updates its triggers for the current unique keys of the content.
    func rebuildIndex(of table: FullTextTable) throws {
        try updateKeepingTriggers(of: table)
        try execute(sql: "INSERT INTO \(table.sql) (\(table.name.quotedDatabaseIdentifier)) VALUES ('rebuild')")
    }

    private func updateKeepingTriggers(of table: FullTextTable) throws {
        // A table of the temporary database may be synchronized with a table of any database, which the schema does not name.
        if table.schema.isEqualIgnoringASCIICase(to: "temp") { return }
        let names = ContentTable.Names(index: table.name)
        let list = "\(table.schema.quotedDatabaseIdentifier).sqlite_master"
        let stored = try Row.fetchAll(
            self, sql: "SELECT name, tbl_name, sql FROM \(list) WHERE type = 'trigger' AND name IN (?, ?)",
            arguments: [names.trigger("bi"), names.trigger("bu")])
        // The synchronization of other libraries has no such pair of triggers.
        guard stored.count == 2, let contentTable = stored[0]["tbl_name"] as String?,
            try viewExists(names.view, in: table.schema), try tableExists(names.replaced, in: table.schema)
        else { return }
        let content = try ContentTable(
            TableReference(schema: nil, name: contentTable), columns: nil, indexSchema: table.schema, index: table.name, in: self)
        let triggers =
            table.module == "fts5" ? FTS5Synchronization.keepingTriggers(content) : FTS4Synchronization.keepingTriggers(content)
        for trigger in triggers where !stored.contains(where: { $0["sql"] == trigger.sql }) {
            try execute(sql: "DROP TRIGGER \(content.prefix)\(trigger.name.quotedDatabaseIdentifier)")
            try trigger.create(self, prefix: content.prefix)
        }
    }
}
