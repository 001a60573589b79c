import QueryInterface

/// The table, or the view, that records of a type are written to.
struct RecordTable {
    /// The name of the attached database that the record type gives, if it does.
    let schema: String?

    /// The name of the table in its database.
    let name: String

    /// The table as SQL names it.
    let sql: String

    /// The columns that SQLite computes, and refuses to write to.
    let generatedColumns: [String]

    /// Finds out what the name of a record type's table stands for: the one place that does.
    ///
    /// `aux.player` is the table `player` of the attached database `aux`, unless there is a table whose name has that dot in it.
    init(_ databaseTableName: String, in db: Database) throws {
        if let dot = databaseTableName.firstIndex(of: "."), !(try db.tableExists(databaseTableName)),
            !(try db.viewExists(databaseTableName))
        {
            let schema = String(databaseTableName[..<dot])
            let name = String(databaseTableName[databaseTableName.index(after: dot)...])
            self.schema = schema
            self.name = name
            sql = "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
        } else {
            schema = nil
            name = databaseTableName
            sql = databaseTableName.quotedDatabaseIdentifier
        }
        generatedColumns = try db.columns(in: name, in: schema).filter(\.isGenerated).map(\.name)
    }

    func primaryKey(_ db: Database) throws -> PrimaryKeyInfo {
        try db.primaryKey(name, in: schema)
    }

    /// Whether it may be a view. SQLite counts no changes of rows that `INSTEAD OF` triggers write.
    func isView(_ db: Database) throws -> Bool {
        try db.viewExists(name, in: schema)
    }

    /// A name for the row id in SQL, nil where there is none.
    func rowIDName(_ db: Database) throws -> String? {
        let key = try primaryKey(db)
        guard key.tableHasRowID else { return nil }
        if key.isRowID { return key.columns[0] }
        let columns = try db.columns(in: name, in: schema)
        return ["rowid", "oid", "_rowid_"].first { name in !columns.contains { $0.name.isEqualIgnoringASCIICase(to: name) } }
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
