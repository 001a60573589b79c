import QueryInterface

/// The synchronization of an FTS4 table with the table that stores its texts.
///
/// To remove a row, the index reads its texts. Before a row changes, a trigger therefore copies it into a table, together with rows
/// that conflict with the new row, which a REPLACE deletes. The index reads its content through a view, in which copies take
/// precedence. After the change, another trigger removes these rows from the index, and deletes the copies. If the statement had no
/// effect (`OR IGNORE`), the copies are the same as the rows; the next trigger deletes them.
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

        let rowID = content.rowID
        let replaced = content.names.replaced.quotedDatabaseIdentifier
        let fts = index.name.quotedDatabaseIdentifier
        let names = columns.map(\.quotedDatabaseIdentifier)
        let values = ([rowID] + names).map { "new.\($0)" }.joined(separator: ", ")
        let insert = "INSERT INTO \(fts) (\"docid\", \(names.joined(separator: ", "))) VALUES (\(values))"
        let delete = "DELETE FROM \(fts) WHERE \"docid\" "
        let deleteReplaced = delete + "IN (SELECT \"id\" FROM \(replaced) WHERE \"id\" = new.\(rowID) OR \(content.isGone))"
        let clear = content.clearReplaced()

        let triggers =
            Self.keepingTriggers(content) + [
                content.trigger("bd", "BEFORE DELETE", [delete + "= old.\(rowID)", content.clearReplaced(where: "\"id\" = old.\(rowID)")]),
                content.trigger("au", "AFTER UPDATE", [deleteReplaced, delete + "= old.\(rowID)", clear, insert]),
                content.trigger("ai", "AFTER INSERT", [deleteReplaced, clear, insert]),
            ]
        for trigger in triggers { try trigger.create(db, prefix: content.prefix) }
        try db.execute(sql: "INSERT INTO \(content.prefix)\(fts) (\(fts)) VALUES ('rebuild')")
    }

    /// Returns the triggers that depend on the unique keys of the content.
    static func keepingTriggers(_ content: ContentTable) -> [ContentTable.Trigger] {
        [
            content.keepingTrigger("bi", "BEFORE INSERT", when: content.hasConflict, keeping: content.conflict),
            content.keepingTrigger(
                "bu", "BEFORE UPDATE", when: nil, keeping: "\(content.rowID) = old.\(content.rowID) OR \(content.conflict)"),
        ]
    }
}
