import QueryInterface

extension TableReference {
    /// Returns whether triggers may change a row after it was written. Checks temporary triggers, too, because they can watch tables of any
    /// database.
    func hasTriggers(_ db: Database) throws -> Bool {
        try db.withInternalStatements {
            // The second column is the name of a database.
            let names = try Row.fetchAll(db, sql: "PRAGMA database_list").map { try $0.decode(String.self, atIndex: 1) }
            let schemas = ["temp"] + (schema.map { [$0] } ?? names)
            return try schemas.contains { schema in
                try Bool.fetchOne(
                    db,
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM \(schema.quotedDatabaseIdentifier).sqlite_master
                        WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE)
                        """, arguments: [name]) == true
            }
        }
    }
}

/// The table of a record type, for SQL that refers to its columns. Selections such as `.allColumns(excluding:)` and aggregates of
/// associations need such a table.
final class RecordScopeTable: SQLScopeTable {
    let name: String
    private let table: TableReference
    let recordType: Any.Type?
    let databaseTableName: String
    private let excluded: TableAliasBase?

    /// - Parameters:
    ///   - table: the table.
    ///   - recordType: the type of the record. It may be a subclass of the type of which a variable is.
    ///   - excluded: the alias of the row that an upsert could not insert, or nil for the rows of the table.
    init(_ table: TableReference, recordType: any TableRecord.Type, excluded: TableAliasBase? = nil) {
        (self.table, self.recordType, self.excluded) = (table, recordType, excluded)
        databaseTableName = recordType.databaseTableName
        name = excluded == nil ? table.name : "excluded"
    }

    func isTable(_ name: String, _ db: Database) throws -> Bool {
        try TableReference.areEqual(databaseTableName, name, in: db)
    }

    func hasAlias(_ other: ObjectIdentifier) -> Bool { excluded.map(ObjectIdentifier.init) == other }
    func table(joinedBy key: String) -> (any SQLScopeTable)? { nil }
    func columnNames(_ db: Database) throws -> [String] { try table.columnNames(db) }
    func presenceColumns(_ db: Database) throws -> [String] { try table.columnNames(db) }
}
