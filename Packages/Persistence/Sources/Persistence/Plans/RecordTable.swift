import QueryInterface

/// The table or view that stores the records of a type.
struct RecordTable {
    /// The name of the table, and the schema name if the record type gives one.
    private let reference: TableReference

    /// The names of the generated columns, which can't be written.
    let generatedColumns: [String]

    /// Finds the table of a record type.
    init(_ databaseTableName: String, in db: Database) throws {
        reference = try TableReference(databaseTableName, in: db)
        generatedColumns = try reference.columns(db).filter(\.isGenerated).map(\.name)
    }

    /// The name of the attached database, if the record type gives one.
    var schema: String? { reference.schema }

    /// The name of the table in its database.
    var name: String { reference.name }

    /// The SQL that refers to the table.
    var sql: String { reference.sql }

    /// Returns the names of the columns that `*` selects.
    func columnNames(_ db: Database) throws -> [String] {
        try reference.columns(db).map(\.name)
    }

    func primaryKey(_ db: Database) throws -> PrimaryKeyInfo {
        try reference.primaryKey(db)
    }

    /// Returns the primary key, or nil for a view whose key is not known.
    func knownPrimaryKey(_ db: Database) throws -> PrimaryKeyInfo? {
        try db.primaryKeyIfKnown(name, in: schema)
    }

    /// Returns whether the table is a view. SQLite does not count the changes that `INSTEAD OF` triggers make.
    func isView(_ db: Database) throws -> Bool {
        try db.isView(name, in: schema)
    }

    /// Returns a name for the row ID in SQL, or nil if there is none.
    func rowIDName(_ db: Database) throws -> String? {
        try knownPrimaryKey(db)?.rowIDName
    }

    /// Returns whether triggers may change a row after it was written. Checks temporary triggers, too, because they can watch tables of any
    /// database.
    func hasTriggers(_ db: Database) throws -> Bool {
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

/// The table of a record type, for SQL that refers to its columns. Selections such as `.allColumns(excluding:)` and aggregates of
/// associations need such a table.
final class RecordScopeTable: SQLScopeTable {
    let name: String
    private let table: RecordTable
    let recordType: Any.Type?
    let databaseTableName: String
    private let excluded: TableAliasBase?

    /// - Parameters:
    ///   - table: the table.
    ///   - recordType: the type of the record. It may be a subclass of the type of which a variable is.
    ///   - excluded: the alias of the row that an upsert could not insert, or nil for the rows of the table.
    init(_ table: RecordTable, recordType: any TableRecord.Type, excluded: TableAliasBase? = nil) {
        (self.table, self.recordType, self.excluded) = (table, recordType, excluded)
        databaseTableName = recordType.databaseTableName
        name = excluded == nil ? table.name : "excluded"
    }

    func hasAlias(_ other: ObjectIdentifier) -> Bool { excluded.map(ObjectIdentifier.init) == other }
    func table(joinedBy key: String) -> (any SQLScopeTable)? { nil }
    func columnNames(_ db: Database) throws -> [String] { try table.columnNames(db) }
    func presenceColumns(_ db: Database) throws -> [String] { try table.columnNames(db) }
}
