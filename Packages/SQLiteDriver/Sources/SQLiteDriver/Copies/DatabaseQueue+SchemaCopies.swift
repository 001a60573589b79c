extension DatabaseQueue {
    /// Creates a database in memory with the schema of another database, and without its rows.
    ///
    /// ```swift
    /// // A test begins with the tables of the application, and no rows.
    /// let queue = try DatabaseQueue.inMemorySchemaCopy(of: library.database)
    /// ```
    ///
    /// The copy has the tables, indexes, views and triggers of the main database, its user version, its application ID, and the rows of the
    /// tables that record the migrations that have run (``Database/isGRDBInternalTable(_:)``).
    ///
    /// - Parameters:
    ///   - reader: the other database.
    ///   - configuration: how to open the copy. It must add the functions and collations that the schema uses.
    /// - Returns: a queue whose database is deleted with it.
    /// - Throws: ``DatabaseError``, for example for a virtual table whose module the copy does not have.
    /// - Complexity: O(n) in the size of the schema.
    public static func inMemorySchemaCopy(
        of reader: some DatabaseReader, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        let script = try reader.read { try SchemaScript($0) }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { try script.run(in: $0) }
        return queue
    }
}

/// The content of a schema that a copy needs.
private struct SchemaScript {
    private var encoding = "UTF-8"
    private var userVersion: Int64 = 0
    private var applicationID: Int64 = 0
    private var statements: [String] = []
    private var rows: [(table: String, values: [DatabaseValue])] = []

    init(_ db: Database) throws {
        // Shadow tables are created by their virtual table: https://www.sqlite.org/vtab.html#xshadowname
        let shadows = try db.shadowTables()
        var internalTables: [String] = []
        // Tables come first. Otherwise, objects are in the order of their creation, so that virtual tables find the tables they are based
        // on.
        let sql = "SELECT name, type, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY type <> 'table', type = 'trigger', rowid"
        try InternalQuery(sql).forEachRow(in: db) { row in
            let name = row.string(at: 0) ?? ""
            if shadows.contains(name) || Database.isSQLiteInternalTable(name) { return }
            statements.append(row.string(at: 2) ?? "")
            if row.string(at: 1) == "table", Database.isStrataInternalTable(name) { internalTables.append(name) }
        }
        for table in internalTables {
            try InternalQuery("SELECT * FROM main.\(table.quotedDatabaseIdentifier)").forEachRow(in: db) { row in
                rows.append((table, (0..<row.compiledColumnCount).map { row.databaseValue(at: $0) }))
            }
        }
        try InternalQuery("PRAGMA main.encoding").forEachRow(in: db) { encoding = $0.string(at: 0) ?? encoding }
        try InternalQuery("PRAGMA main.user_version").forEachRow(in: db) { userVersion = $0.int64(at: 0) ?? 0 }
        try InternalQuery("PRAGMA main.application_id").forEachRow(in: db) { applicationID = $0.int64(at: 0) ?? 0 }
    }

    func run(in db: Database) throws {
        // The encoding can be set before anything is written.
        try db.execute(sql: "PRAGMA main.encoding = '\(encoding)'")
        try db.inTransaction {
            for statement in statements { try db.execute(sql: statement) }
            for row in rows {
                let parameters = Array(repeating: "?", count: row.values.count).joined(separator: ", ")
                try db.execute(
                    sql: "INSERT INTO \(row.table.quotedDatabaseIdentifier) VALUES (\(parameters))",
                    arguments: StatementArguments(row.values))
            }
            try db.execute(sql: "PRAGMA main.user_version = \(userVersion); PRAGMA main.application_id = \(applicationID)")
            return .commit
        }
    }
}
