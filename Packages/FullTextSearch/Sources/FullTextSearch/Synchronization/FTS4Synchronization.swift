import QueryInterface

/// The synchronization of an FTS4 table with the table that stores its texts.
///
/// To forget a row, the index reads its texts from the other table: so it must be told before the row changes.
///
/// Source: <https://www.sqlite.org/fts3.html#_external_content_fts4_tables_>
struct FTS4Synchronization {
    let contentTable: String

    func moduleArguments(configuration: VirtualTableConfiguration, columns: [String], in db: Database) throws -> [String] {
        let content = try ContentTable(contentTable, columns: columns, configuration: configuration, in: db)
        return ["content=\(content.names.view.quotedDatabaseIdentifier)"]
    }

    /// - Parameter storesSizes: whether the table `…_docsize` tells which rows are in the index.
    func create(_ db: Database, for index: TableReference, columns: [String], storesSizes: Bool) throws {
        let schema = try index.foundSchema(in: db)
        let content = try ContentTable(contentTable, columns: columns, indexSchema: schema, index: index.name, in: db)
        try content.createView(db, columns: columns)

        let rowID = content.rowID
        let fts = index.name.quotedDatabaseIdentifier
        let names = columns.map(\.quotedDatabaseIdentifier)
        let values = ([rowID] + names).map { "new.\($0)" }.joined(separator: ", ")
        let insert = "INSERT INTO \(fts) (\"docid\", \(names.joined(separator: ", "))) VALUES (\(values))"
        let delete = "DELETE FROM \(fts) WHERE \"docid\" = old.\(rowID)"
        let message = "can't replace rows of \(content.name), which \(index.name) indexes: turn on PRAGMA recursive_triggers"
        let check = """
            SELECT RAISE(ABORT, \(message.sqlStringLiteral)) \
            FROM \("\(index.name)_docsize".quotedDatabaseIdentifier) WHERE "docid" = new.\(rowID)
            """

        try content.createTrigger(db, "bu", "BEFORE UPDATE", [delete])
        try content.createTrigger(db, "bd", "BEFORE DELETE", [delete])
        try content.createTrigger(db, "au", "AFTER UPDATE", [insert])
        try content.createTrigger(db, "ai", "AFTER INSERT", (storesSizes ? [check] : []) + [insert])
        try db.execute(sql: "INSERT INTO \(content.prefix)\(fts) (\(fts)) VALUES ('rebuild')")
    }
}
