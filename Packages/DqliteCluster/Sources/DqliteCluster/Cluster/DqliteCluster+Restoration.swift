import SQLiteDriver

extension DqliteCluster {
    /// Fills an empty database of a cluster with the content of another database, such as a backup.
    ///
    /// ```swift
    /// let backup = try DatabaseQueue(path: "/backups/app.sqlite")
    /// try DqliteCluster.restore(
    ///     addresses: ["10.0.0.1:9001"], database: "app", from: backup)
    /// ```
    ///
    /// The rows are written in many transactions, as a cluster can't commit a large one. Until the last of them, the database has a table
    /// `strata_restore`, and ``DqliteCluster`` refuses to open it. If the restoration fails, begin again with a database of another name, or
    /// with a new cluster.
    ///
    /// Row IDs, the state of `AUTOINCREMENT`, `user_version`, `application_id`, the statistics of `ANALYZE`, and the content of virtual
    /// tables such as FTS5 are copied. Triggers don't fire, and constraints are not checked again.
    ///
    /// - Parameters:
    ///   - addresses: the addresses of some of the nodes.
    ///   - database: the name of a database without tables, which need not exist.
    ///   - source: the database to read, in one transaction.
    /// - Throws: ``ClusterError``, or ``DatabaseError``.
    public static func restore(addresses: [String], database: String, from source: some DatabaseReader) throws {
        let finder = try LeaderFinder(
            addresses: addresses, database: database, requestTimeout: .seconds(30), leaderTimeout: .seconds(15), opensIncomplete: true)
        let found = try throwingPublicErrors {
            try LeaderSearch.connect(finder, ["cache_spill": "PRAGMA cache_spill = 0", "foreign_keys": "PRAGMA foreign_keys = 0"])
        }
        defer { found.connection.close() }
        try throwingPublicErrors { try source.read { try Restoration(found.connection, found.databaseID).run($0) } }
    }
}

/// Copies a database into a database of a cluster, by SQL.
private final class Restoration {
    /// The table that marks a database as incomplete.
    static let marker = LeaderSearch.restorationTable

    /// The number of bytes of a transaction.
    private static let transactionSize = 1 << 20

    private let connection: NodeConnection
    private let database: UInt32
    private var writtenSize = 0

    init(_ connection: NodeConnection, _ database: UInt32) {
        self.connection = connection
        self.database = database
    }

    private struct Table {
        let name: String
        let type: String
        let hasRowID: Bool

        var quoted: String { name.quotedDatabaseIdentifier }
    }

    func run(_ db: Database) throws {
        guard try connection.firstRows("SELECT 1 FROM sqlite_master LIMIT 1", in: database).count == 0 else {
            throw DatabaseError(
                message: "the database of the cluster is not empty",
                advice: "Restore into a database of another name, or into a new cluster.")
        }
        try execute("CREATE TABLE \(Self.marker) (time TEXT DEFAULT CURRENT_TIMESTAMP)")
        try execute("PRAGMA ignore_check_constraints = 1")
        for pragma in ["user_version", "application_id"] {
            let value = try db.makeStatement(sql: "PRAGMA \(pragma)")
            if try value.step(), let value = value.int64(at: 0), value != 0 { try execute("PRAGMA \(pragma) = \(value)") }
        }
        let tables = try tables(db)
        let shadows = Set(tables.filter { $0.type == "shadow" }.map(\.name))
        // A virtual table creates its shadow tables, and may read the columns of an ordinary one.
        try create("type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'", db) { !shadows.contains($0) && !$0.hasPrefix("sqlite_") }
        try create("type = 'table' AND sql LIKE 'CREATE VIRTUAL%'", db) { _ in true }
        try create("type = 'index'", db) { _ in true }
        if tables.contains(where: { $0.name.hasPrefix("sqlite_stat") }) { try execute("ANALYZE sqlite_schema") }
        try execute("BEGIN")
        for table in tables where table.type == "table" || table.type == "shadow" {
            // Statistics of other kinds depend on how SQLite was built.
            if !table.name.hasPrefix("sqlite_stat") || table.name == "sqlite_stat1" { try copy(table, db) }
        }
        try execute("COMMIT")
        try create("type = 'view'", db) { _ in true }
        try create("type = 'trigger'", db) { _ in true }
        try execute("DROP TABLE \(Self.marker)")
    }

    private func tables(_ db: Database) throws -> [Table] {
        let sql = "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT IN ('sqlite_schema', 'sqlite_master')"
        return try db.values(sql) { row in
            guard let name = row.string(at: 0), let type = row.string(at: 1) else { return nil }
            return Table(name: name, type: type, hasRowID: row.int64(at: 2) == 0)
        }
    }

    private func create(_ condition: String, _ db: Database, where isIncluded: (String) -> Bool) throws {
        let statement = try db.makeStatement(sql: "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND \(condition) ORDER BY rowid")
        while try statement.step() {
            if let name = statement.string(at: 0), let sql = statement.string(at: 1), isIncluded(name) { try execute(sql) }
        }
    }

    /// Copies the rows of a table.
    private func copy(_ table: Table, _ db: Database) throws {
        var columns = try db.values("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", [table.name]) { $0.string(at: 0) }
        // A column with one of these names hides the row ID.
        if table.hasRowID, !table.name.hasPrefix("sqlite_"),
            let rowID = ["rowid", "_rowid_", "oid"].first(where: { name in !columns.contains { $0.lowercased() == name } })
        {
            columns.insert(rowID, at: 0)
        }
        if columns.count > WireParameters.maximumCount {
            throw DatabaseError(message: "the table \(table.name) has more columns than a statement of a cluster has arguments")
        }
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        // Shadow tables and `sqlite_sequence` have rows already.
        if table.type == "shadow" || table.name.hasPrefix("sqlite_") { try execute("DELETE FROM \(table.quoted)") }
        let rows = try db.makeStatement(sql: "SELECT \(names) FROM \(table.quoted)")
        var insertion = Insertion(table: table.quoted, names: names)
        while try rows.step() {
            if insertion.arguments.types.count + columns.count > WireParameters.maximumCount || insertion.arguments.values.count > 1 << 18 {
                try write(&insertion)
            }
            insertion.append(rows, columnCount: columns.count)
        }
        try write(&insertion)
    }

    private func write(_ insertion: inout Insertion) throws {
        if insertion.rows.isEmpty { return }
        try execute(
            "INSERT INTO \(insertion.table) (\(insertion.names)) VALUES \(insertion.rows.joined(separator: ", "))", insertion.arguments)
        writtenSize += insertion.arguments.values.count
        insertion = Insertion(table: insertion.table, names: insertion.names)
        guard writtenSize > Self.transactionSize else { return }
        writtenSize = 0
        try execute("COMMIT")
        try execute("BEGIN")
    }

    private func execute(_ sql: String, _ arguments: WireParameters = WireParameters()) throws {
        _ = try connection.run(.execSQL, sql, arguments, in: database)
    }

    /// Rows to insert by one statement.
    private struct Insertion {
        let table: String
        let names: String
        var rows: [String] = []
        var arguments = WireParameters()

        /// Adds the current row of a statement, with the bytes of its strings as they are.
        mutating func append(_ row: Statement, columnCount: Int) {
            let placeholders = (0..<columnCount).map { column in
                let value = row.unprotectedValue(atUnchecked: column)
                if arguments.append(value) { return "?" }
                value.withUnsafeText { arguments.append(blob: $0) }
                return "CAST(? AS TEXT)"
            }
            rows.append("(\(placeholders.joined(separator: ", ")))")
        }
    }
}
