/// The number at the beginning of a migration's name, such as 2 in `0002_books`, and 1.10 in `V1.10__books`.
package struct MigrationNumber: Hashable, Comparable, Sendable {
    /// The numbers that dots separate, without leading zeros. They may exceed the range of integers.
    private let parts: [String]

    /// Returns nil if the name does not begin with a digit, or with `V` and what Flyway and refinery read as a number.
    package init?(_ name: String) {
        var number = name.prefix { $0.isASCII && $0.isNumber }
        if name.hasPrefix("V"), let versioned = name.dropFirst().firstRange(of: "__").map({ name[..<$0.lowerBound].dropFirst() }),
            versioned.allSatisfy({ $0.isASCII && $0.isNumber || "._".contains($0) })
        {
            number = versioned
        }
        let parts = number.split { "._".contains($0) }.map { String($0.drop { $0 == "0" }) }
        guard let first = parts.first else { return nil }
        self.parts = [first] + parts.dropFirst().reversed().drop(while: \.isEmpty).reversed()
    }

    /// The digits, with dots between the parts.
    package var digits: String { parts.joined(separator: ".") }

    /// The number of digits before the first dot.
    package var width: Int { parts[0].utf8.count }

    package static func < (lhs: MigrationNumber, rhs: MigrationNumber) -> Bool {
        lhs.parts.lexicographicallyPrecedes(rhs.parts) { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }
}

/// The migrations that another tool has recorded in a database.
struct OtherToolJournal {
    /// How a tool records migrations.
    private struct Format: Sendable {
        let tool: String
        let table: String
        /// The columns that tell the table apart from those of the tools below.
        let columns: [String]
        /// The version or the name of a migration, in SQL.
        let record: String
        /// The rows that count.
        var condition = "1"
        /// Whether the migration of a row has failed halfway.
        var isUnfinished = "0"
        /// Whether a row has the name of a file or a folder, and not a number.
        var isName = false
    }

    // Earlier versions of goose add a row when they roll a migration back. The last row of a version counts; 0 is no migration.
    private static let formats = [
        Format(
            tool: "goose", table: "goose_db_version", columns: ["version_id", "is_applied"], record: "version_id",
            condition: """
                is_applied AND version_id <> 0
                AND rowid = (SELECT max(rowid) FROM {table} AS other WHERE other.version_id = journal.version_id)
                """),
        // The only row has the last number.
        Format(tool: golangMigrate, table: "schema_migrations", columns: ["version", "dirty"], record: "version", isUnfinished: "dirty"),
        Format(
            tool: "Flyway", table: "flyway_schema_history", columns: ["script", "installed_rank", "success"], record: "script",
            isUnfinished: "NOT success"),
        Format(
            tool: "sqlx", table: "_sqlx_migrations", columns: ["version", "success", "checksum"], record: "version",
            isUnfinished: "NOT success"),
        Format(tool: "refinery", table: "refinery_schema_history", columns: ["version", "name", "applied_on"], record: "version"),
        Format(tool: "Diesel", table: "__diesel_schema_migrations", columns: ["version", "run_on"], record: "version"),
        Format(
            tool: "Prisma", table: "_prisma_migrations", columns: ["migration_name", "finished_at", "rolled_back_at"],
            record: "migration_name", condition: "rolled_back_at IS NULL", isUnfinished: "finished_at IS NULL", isName: true),
        Format(tool: "dbmate", table: "schema_migrations", columns: ["version"], record: "version"),
        Format(tool: "Wrangler", table: "d1_migrations", columns: ["name", "applied_at"], record: "name", isName: true),
        Format(tool: "sql-migrate", table: "gorp_migrations", columns: ["id", "applied_at"], record: "id", isName: true),
    ]

    private static let golangMigrate = "golang-migrate"

    private let format: Format

    /// The name of the table.
    let table: String

    /// The versions or names that the tool has recorded.
    private let records: [String]

    /// Whether a migration has failed halfway.
    let isDirty: Bool

    var tool: String { format.tool }

    /// Returns the journals of a database.
    ///
    /// - Parameter table: the table of a tool; nil for those that the tools create by default.
    static func all(_ db: Database, table: String? = nil) throws -> [OtherToolJournal] {
        var names: [String] = []
        for name in table.map({ [$0] }) ?? formats.map(\.table) where !names.contains(name) { names.append(name) }
        return try names.compactMap { try OtherToolJournal(db, table: $0) }
    }

    private init?(_ db: Database, table: String) throws {
        let columns = Set(
            try db.values("SELECT name FROM pragma_table_info(?, 'main')", [table]) { ($0.string(at: 0) ?? "").foldingASCIICase })
        guard let format = Self.formats.first(where: { columns.isSuperset(of: $0.columns) }) else { return nil }
        let sql = """
            SELECT CAST(\(format.record) AS TEXT), \(format.isUnfinished) FROM {table} AS journal
            WHERE \(format.condition) ORDER BY \(format.record)
            """
        let rows = try db.values(sql.replacing("{table}", with: "main.\(table.quotedDatabaseIdentifier)")) {
            (record: $0.string(at: 0), isUnfinished: $0.int64(at: 1) ?? 0 != 0)
        }
        (self.format, self.table) = (format, table)
        (records, isDirty) = (rows.compactMap(\.record), rows.contains(where: \.isUnfinished))
    }

    /// Returns those of some identifiers whose migrations the tool has run.
    func applied(among identifiers: [String]) -> [String] {
        let keys = Set(records.compactMap(key))
        let last = tool == Self.golangMigrate ? records.first.flatMap(MigrationNumber.init) : nil
        return identifiers.filter { identifier in
            if let last, let number = MigrationNumber(identifier) { return number <= last }
            return key(identifier).map(keys.contains) ?? false
        }
    }

    /// Returns the recorded versions or names that belong to none of some identifiers.
    func unknown(among identifiers: [String]) -> [String] {
        let keys = Set(identifiers.compactMap(key))
        return records.filter { record in key(record).map { !keys.contains($0) } ?? true }
    }

    /// What a record and an identifier have in common: the number, or the name of the file. Leading zeros don't count, so that files can be
    /// renamed to sort by number.
    private func key(_ name: String) -> String? {
        let stem = name.hasSuffix(".sql") ? String(name.dropLast(4)) : name
        if format.isName { return String(stem.drop { $0 == "0" }) }
        // Diesel leaves the hyphens of 2024-01-31-120000_books out.
        if tool == "Diesel" { return String((stem.split(separator: "_").first ?? "").filter { $0 != "-" }.drop { $0 == "0" }) }
        return MigrationNumber(stem)?.digits
    }
}

extension DatabaseMigrator {
    /// Records the migrations that another tool has run in a database, so that they don't run again.
    ///
    /// ```swift
    /// try queue.write { try migrator.adoptMigrations($0) }
    /// try migrator.migrate(queue)
    /// ```
    ///
    /// | tool | table |
    /// |---|---|
    /// | goose | `goose_db_version` |
    /// | dbmate, golang-migrate | `schema_migrations` |
    /// | sql-migrate | `gorp_migrations` |
    /// | sqlx | `_sqlx_migrations` |
    /// | refinery | `refinery_schema_history` |
    /// | Flyway | `flyway_schema_history` |
    /// | Diesel | `__diesel_schema_migrations` |
    /// | Prisma | `_prisma_migrations` |
    /// | Wrangler, for D1 | `d1_migrations` |
    ///
    /// sql-migrate, Prisma and Wrangler record the name of a file or a folder, and the others a number. The identifier of a registered migration
    /// is the same name without `.sql`, or begins with the same number, after a `V` in `V1.2__books`: identifiers of migrations in files with
    /// SQL do. Leading zeros don't count. A migration that is written in another language needs a registered migration, too, which may do
    /// nothing.
    ///
    /// Nothing is run, and the table of the tool stays. If no tool has recorded migrations, or if all of them were recorded before, nothing
    /// changes.
    ///
    /// The SQL is `INSERT INTO grdb_migrations`, for each migration.
    ///
    /// - Parameters:
    ///   - db: a connection, in an access that can write.
    ///   - table: the table of the tool, if it does not have its default name. Its columns tell the tools apart.
    /// - Throws: ``MigrationError`` if the tool has run migrations that are not registered, or if one has failed halfway; ``DatabaseError``.
    public func adoptMigrations(_ db: Database, from table: String? = nil) throws {
        try checkRegistrations()
        guard let other = try otherJournal(db, table: table) else { return }
        if other.isDirty { throw MigrationError(.unfinishedByOtherTool(other.tool)) }
        let unknown = other.unknown(among: migrations)
        if !unknown.isEmpty { throw MigrationError(.newerDatabase(unknown)) }
        let known = try appliedIdentifiers(db)
        var tables: Set<String> = []
        try db.inSavepoint {
            for identifier in other.applied(among: migrations) where !known.contains(identifier) {
                try journal.insert(identifier, replacing: [], digest: nil, in: db, knowing: &tables)
            }
            return .commit
        }
    }

    /// Returns the journal of another tool that has run registered migrations.
    func otherJournal(_ db: Database, table: String? = nil) throws -> OtherToolJournal? {
        try OtherToolJournal.all(db, table: table).first { !$0.applied(among: migrations).isEmpty }
    }
}
