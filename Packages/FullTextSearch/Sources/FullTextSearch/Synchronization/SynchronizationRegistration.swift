import QueryInterface

/// Registers what this package does when a table is rebuilt. The driver calls it when the program opens its first connection: see `fts5.c`.
@_cdecl("strata_full_text_search_register")
func registerFullTextSearch() {
    DatabaseRegistry.addTableRebuildHandler { db, table in
        // SQLite sees other rows under the same row ids: the texts may have changed.
        for index in try db.fullTextIndexes(of: table.name, in: table.schemaID.name) {
            let name = index.name.quotedDatabaseIdentifier
            try db.execute(sql: "INSERT INTO \(index.sql) (\(name)) VALUES ('rebuild')")
        }
    }
}
