import QueryInterface

/// The synchronization of an FTS4 table with the table that stores its text.
///
/// To remove a row, the index reads its text. It reads its content through a view, in which the copies that ``SynchronizationTriggers`` make
/// take precedence.
///
/// Source: <https://www.sqlite.org/fts3.html#_external_content_fts4_tables_>
struct FTS4Synchronization {
    let contentTable: String

    func moduleArguments(configuration: VirtualTableConfiguration, columns: [String], in db: Database) throws -> [String] {
        let content = try ContentTable(contentTable, columns: columns, configuration: configuration, in: db)
        return ["content=\(content.names.view.quotedDatabaseIdentifier)"]
    }

    func create(_ db: Database, for index: TableReference, columns: [String]) throws {
        let schema = try index.foundSchema(in: db)
        let content = try ContentTable(
            TableReference(contentTable, in: db), columns: columns, indexSchema: schema, index: index.name, in: db)
        try content.createReplacedTable(db, columnCount: columns.count)
        try content.createView(db, columns: columns, prefersReplaced: true)

        let triggers = try SynchronizationTriggers(
            content, isFTS5: false, columns: columns, contentColumns: columns, schema: schema, in: db)
        for trigger in triggers.all { try trigger.create(db, prefix: content.prefix) }
        let fts = index.name.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(content.prefix)\(fts) (\(fts)) VALUES ('rebuild')")
    }
}
