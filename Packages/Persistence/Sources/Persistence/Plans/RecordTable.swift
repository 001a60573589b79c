import QueryInterface

/// The table, or the view, that records of a type are written to.
struct RecordTable {
    /// The table's own name, and that of its database where the record type gives one.
    private let reference: TableReference

    /// The columns that SQLite computes, and refuses to write to.
    let generatedColumns: [String]

    /// Finds the table of a record type.
    init(_ databaseTableName: String, in db: Database) throws {
        reference = try TableReference(databaseTableName, in: db)
        generatedColumns = try reference.columns(db).filter(\.isGenerated).map(\.name)
    }

    /// The name of the attached database that the record type gives, if it does.
    var schema: String? { reference.schema }

    /// The name of the table in its database.
    var name: String { reference.name }

    /// The table as SQL names it.
    var sql: String { reference.sql }

    /// The names of the columns that `*` stands for.
    func columnNames(_ db: Database) throws -> [String] {
        try reference.columns(db).map(\.name)
    }

    func primaryKey(_ db: Database) throws -> PrimaryKeyInfo {
        try reference.primaryKey(db)
    }

    /// Whether it may be a view. SQLite counts no changes of rows that `INSTEAD OF` triggers write.
    func isView(_ db: Database) throws -> Bool {
        try db.viewExists(name, in: schema)
    }

    /// A name for the row ID in SQL, nil where there is none.
    func rowIDName(_ db: Database) throws -> String? {
        try primaryKey(db).rowIDName
    }

    /// Whether triggers may change a row after it was written. Temporary triggers can watch the tables of all databases.
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

extension SQLRenderer {
    /// Makes a table the source of unqualified columns. Selections such as `.allColumns(excluding:)` and aggregates of associations
    /// need one.
    mutating func setSource(_ table: RecordTable) {
        sourceName = table.name
        sourceColumns = { try table.columnNames($0) }
    }
}
