/// The tables that record which migrations have run.
///
/// - `grdb_migrations` stores the identifiers of migrators without a namespace. GRDB reads and writes the same table.
/// - `strata_migrations` stores the identifiers of migrators with a namespace, and the digests of all migrators. There, migrators without a
///   namespace have an empty namespace.
struct MigrationJournal: Sendable {
    let namespace: String?

    private static let sharedTable = "grdb_migrations"
    private static let ownTable = "strata_migrations"

    /// Returns the identifiers of the migrations that have run.
    func appliedIdentifiers(_ db: Database) throws -> Set<String> {
        var identifiers: Set<String> = []
        try forEachRow(db) { identifiers.insert($0.string(at: 0) ?? "") }
        return identifiers
    }

    /// Returns the stored digests of the migrations that have run.
    func digests(_ db: Database) throws -> [String: String] {
        guard try Self.exists(Self.ownTable, db) else { return [:] }
        let statement = try db.makeStatement(
            sql: "SELECT identifier, digest FROM main.strata_migrations WHERE namespace = ? AND digest IS NOT NULL")
        try statement.setArguments([namespace ?? ""])
        var digests: [String: String] = [:]
        while try statement.step() { digests[statement.string(at: 0) ?? ""] = statement.string(at: 1) }
        return digests
    }

    /// Records that a migration has run.
    ///
    /// - Parameters:
    ///   - identifier: its identifier.
    ///   - merged: the identifiers that it replaces.
    ///   - digest: the digest to store, if any.
    ///   - tables: the tables that are known to exist.
    func insert(
        _ identifier: String, replacing merged: Set<String>, digest: String?, in db: Database, knowing tables: inout Set<String>
    ) throws {
        try remove(merged, in: db)
        if namespace == nil {
            if try tables.insert(Self.sharedTable).inserted && !Self.exists(Self.sharedTable, db) {
                try db.execute(sql: "CREATE TABLE main.grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            }
            try db.execute(sql: "INSERT INTO main.grdb_migrations (identifier) VALUES (?)", arguments: [identifier])
        }
        guard namespace != nil || digest != nil else { return }
        if try tables.insert(Self.ownTable).inserted && !Self.exists(Self.ownTable, db) {
            try db.execute(
                sql: """
                    CREATE TABLE main.strata_migrations (
                        namespace TEXT NOT NULL,
                        identifier TEXT NOT NULL,
                        digest TEXT,
                        PRIMARY KEY (namespace, identifier)
                    ) WITHOUT ROWID
                    """)
        }
        try db.execute(
            sql: "INSERT OR REPLACE INTO main.strata_migrations (namespace, identifier, digest) VALUES (?, ?, ?)",
            arguments: [namespace ?? "", identifier, digest])
    }

    /// Removes the records of migrations that have run, because another migration replaces them.
    func remove(_ identifiers: Set<String>, in db: Database) throws {
        for identifier in identifiers.sorted() {
            if namespace == nil {
                try db.execute(sql: "DELETE FROM main.grdb_migrations WHERE identifier = ?", arguments: [identifier])
            }
            if try Self.exists(Self.ownTable, db) {
                try db.execute(
                    sql: "DELETE FROM main.strata_migrations WHERE namespace = ? AND identifier = ?",
                    arguments: [namespace ?? "", identifier])
            }
        }
    }

    /// Returns whether a statement may have written to the tables, or dropped them.
    func isChanged(by changes: RecordedChanges) -> Bool {
        changes.tables.contains(SchemaName(table)) || changes.schema == .others
    }

    /// Throws if the table that records which migrations have run does not exist.
    func checkTable(_ db: Database) throws {
        if try Self.exists(table, db) { return }
        throw DatabaseError(
            resultCode: .SQLITE_ERROR,
            message: "the migration dropped the table \(table), which records the migrations that have run",
            advice: "Keep this table.")
    }

    /// The table of the migrator's identifiers.
    private var table: String { namespace == nil ? Self.sharedTable : Self.ownTable }

    private func forEachRow(_ db: Database, _ body: (Statement) throws -> Void) throws {
        guard try Self.exists(table, db) else { return }
        let condition = namespace == nil ? "" : " WHERE namespace = ?"
        let statement = try db.cachedStatement(sql: "SELECT CAST(identifier AS TEXT) FROM main.\(table)\(condition)")
        defer { statement.reset() }
        try statement.setArguments(namespace.map { [$0] } ?? [])
        while try statement.step() { try body(statement) }
    }

    private static func exists(_ table: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE")
        defer { statement.reset() }
        try statement.setArguments([table])
        return try statement.step()
    }
}

/// The migrations that have run, as a run of migrations knows them. They are read again only after another connection has committed.
struct MigrationRecord {
    private let journal: MigrationJournal

    /// The identifiers of the migrations that have run.
    private(set) var applied: Set<String> = []

    /// The data version when the identifiers were read; nil if they must be read again.
    private var dataVersion: Int64?

    /// The tables of the journal that are known to exist.
    private var tables: Set<String> = []

    /// A record that has not been read yet.
    init(_ journal: MigrationJournal) {
        self.journal = journal
    }

    /// Reads the identifiers, unless they are known.
    ///
    /// - Parameter db: a connection in a transaction that may write.
    /// - Returns: whether they were read.
    mutating func update(_ db: Database) throws -> Bool {
        // The commits of other clients of a cluster don't change the data version of this connection.
        let version = db.hasEngine ? nil : try db.withInternalStatements { try db.dataVersion() }
        if let version, version == dataVersion { return false }
        applied = try journal.appliedIdentifiers(db)
        (dataVersion, tables) = (version, [])
        return true
    }

    /// Throws if a migration has dropped the table that records which migrations have run.
    mutating func check(_ changes: RecordedChanges, _ db: Database) throws {
        guard journal.isChanged(by: changes) else { return }
        if !applied.isEmpty { try journal.checkTable(db) }
        (dataVersion, tables) = (nil, [])
    }

    /// Records that a migration has run: see ``MigrationJournal/insert(_:replacing:digest:in:)``.
    mutating func insert(_ identifier: String, replacing merged: Set<String>, digest: String?, in db: Database) throws {
        try journal.insert(identifier, replacing: merged, digest: digest, in: db, knowing: &tables)
        applied.subtract(merged)
        applied.insert(identifier)
    }
}
