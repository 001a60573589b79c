import QueryInterface

/// The synchronization of an FTS5 table with the table that stores its texts.
///
/// The triggers apply each change to the index. The index does not store texts: to remove a row, it needs the texts that it indexed.
///
/// A REPLACE deletes rows without calling DELETE triggers, unless `PRAGMA recursive_triggers` is on. Before an insertion or an update, a
/// trigger therefore copies the rows that conflict with the new row into a table. Afterwards, another trigger removes the deleted rows from
/// the index. If the statement had no effect (`OR IGNORE`), the copies are out of date, and the next trigger deletes them.
struct FTS5Synchronization {
    let contentTable: String

    func moduleArguments(configuration: VirtualTableConfiguration, columns: [String], in db: Database) throws -> [String] {
        let content = try contentTable(configuration: configuration, columns: columns, in: db)
        return ["content=\(content.names.view.sqlStringLiteral)", "content_rowid='rowid'"]
    }

    private func contentTable(configuration: VirtualTableConfiguration, columns: [String], in db: Database) throws -> ContentTable {
        try ContentTable(contentTable, columns: columns, configuration: configuration, in: db)
    }

    func create(_ db: Database, for index: TableReference, schema: String, columns: [String]) throws {
        let content = try ContentTable(
            TableReference(contentTable, in: db), columns: columns, indexSchema: schema, index: index.name, in: db)
        try content.createView(db, columns: columns)

        try content.createReplacedTable(db, columnCount: columns.count)

        let copies = columns.indices.map { "\"c\($0)\"" }.joined(separator: ", ")
        let replaced = content.names.replaced.quotedDatabaseIdentifier
        let rowID = content.rowID
        let fts = index.name.quotedDatabaseIdentifier
        let names = columns.map(\.quotedDatabaseIdentifier)
        let list = names.joined(separator: ", ")
        func values(_ row: String) -> String { ([rowID] + names).map { "\(row).\($0)" }.joined(separator: ", ") }
        let insertion = "INSERT INTO \(fts) (\"rowid\", \(list))"
        let insert = "\(insertion) VALUES (\(values("new")))"
        let delete = "INSERT INTO \(fts) (\(fts), \"rowid\", \(list)) "
        let deleteReplaced = delete + "SELECT 'delete', \"id\", \(copies) FROM \(replaced) WHERE "

        // Compares the bytes that were indexed: 1 and 1.0 are equal values, and 'a' and 'A' may be.
        let change = (["old.\(rowID) <> new.\(rowID)"] + names.map { "CAST(old.\($0) AS BLOB) IS NOT CAST(new.\($0) AS BLOB)" })
            .joined(separator: " OR ")
        let isOld = "\"id\" = old.\(rowID)"
        let triggers =
            Self.keepingTriggers(content) + [
                content.trigger(
                    "ai", "AFTER INSERT", [deleteReplaced + "\"id\" = new.\(rowID) OR \(content.isGone)", content.clearReplaced(), insert]),
                // If a trigger of the user updates a row that has just replaced another one, the copy stays for the trigger above, unless
                // the update changes the texts.
                content.trigger(
                    "au", "AFTER UPDATE", when: "\(change) OR EXISTS (SELECT 1 FROM \(replaced))",
                    [
                        deleteReplaced + "NOT \(isOld) AND (\"id\" = new.\(rowID) OR \(content.isGone))",
                        content.clearReplaced(where: "NOT \(isOld) OR \(change)"),
                        delete + "SELECT 'delete', \(values("old")) WHERE \(change)",
                        "\(insertion) SELECT \(values("new")) WHERE \(change)",
                    ]),
                content.trigger(
                    "ad", "AFTER DELETE", [delete + "VALUES ('delete', \(values("old")))", content.clearReplaced(where: isOld)]),
            ]
        for trigger in triggers { try trigger.create(db, prefix: content.prefix) }
        try db.execute(sql: "INSERT INTO \(content.prefix)\(fts) (\(fts)) VALUES ('rebuild')")
    }

    /// Returns the triggers that depend on the unique keys of the content.
    static func keepingTriggers(_ content: ContentTable) -> [ContentTable.Trigger] {
        let others = "\(content.rowID) <> old.\(content.rowID) AND (\(content.conflict))"
        return [
            content.keepingTrigger("bi", "BEFORE INSERT", when: content.hasConflict, keeping: content.conflict),
            // A row that has just replaced others may be updated by a trigger of the user: the trigger on insertions needs their copies.
            content.keepingTrigger(
                "bu", "BEFORE UPDATE", when: content.hasConflictWithOthers, keeping: others,
                outdated: "\"id\" <> old.\(content.rowID) AND NOT (\(content.isGone))"),
        ]
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
    /// Without the triggers, the index is no longer up to date. If the table itself is kept, it can no longer read its texts.
    ///
    /// - Parameter tableName: the name of the FTS5 table, which may have been dropped.
    /// - Throws: ``DatabaseError``.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try dropSynchronization(of: tableName, triggers: ["ai", "ad", "au", "bi", "bu"])
    }

    /// Drops the triggers that keep an FTS4 table up to date, and the other objects that
    /// ``FTS4TableDefinition/synchronize(withTable:)`` has created.
    ///
    /// - Parameter tableName: the name of the FTS4 table, which may have been dropped.
    /// - Throws: ``DatabaseError``.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try dropSynchronization(of: tableName, triggers: ["bi", "bu", "bd", "au", "ai"])
    }

    private func dropSynchronization(of tableName: String, triggers: [String]) throws {
        let table = try TableReference(tableName, in: self)
        let names = ContentTable.Names(index: table.name)
        let prefix = table.schema.map { "\($0.quotedDatabaseIdentifier)." } ?? ""
        try inSavepoint {
            for suffix in triggers {
                try execute(sql: "DROP TRIGGER IF EXISTS \(prefix)\(names.trigger(suffix).quotedDatabaseIdentifier)")
            }
            try execute(sql: "DROP VIEW IF EXISTS \(prefix)\(names.view.quotedDatabaseIdentifier)")
            try execute(sql: "DROP TABLE IF EXISTS \(prefix)\(names.replaced.quotedDatabaseIdentifier)")
            return .commit
        }
    }
}
