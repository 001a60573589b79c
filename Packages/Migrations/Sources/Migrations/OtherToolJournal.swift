/// The number at the beginning of a migration's name, such as 2 in `0002_books`.
package struct MigrationNumber: Hashable, Comparable, Sendable {
    /// The digits without leading zeros. Numbers may exceed the range of integers.
    package let digits: String

    /// Returns nil if the name does not begin with a digit.
    package init?(_ name: String) {
        let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if digits.isEmpty { return nil }
        self.digits = String(decoding: digits.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self)
    }

    package static func < (lhs: MigrationNumber, rhs: MigrationNumber) -> Bool {
        (lhs.digits.utf8.count, lhs.digits) < (rhs.digits.utf8.count, rhs.digits)
    }
}

/// The migrations that another tool has recorded in a database.
///
/// The columns tell the tools apart:
///
/// | tool | table | columns | a row is |
/// |---|---|---|---|
/// | goose | `goose_db_version` | `version_id`, `is_applied` | a number, or its removal; 0 is no migration |
/// | golang-migrate | `schema_migrations` | `version`, `dirty` | the last number |
/// | dbmate | `schema_migrations` | `version` | the digits of a number |
/// | sql-migrate | `gorp_migrations` | `id`, `applied_at` | the name of a file |
struct OtherToolJournal {
    enum Tool: String {
        case goose
        case golangMigrate = "golang-migrate"
        case dbmate
        case sqlMigrate = "sql-migrate"
    }

    let tool: Tool

    /// The name of the table.
    let table: String

    /// The versions or names that the tool has recorded.
    private let records: [String]

    /// Whether the last migration of golang-migrate has failed halfway.
    let isDirty: Bool

    /// Returns the journals of a database.
    ///
    /// - Parameter table: the table of a tool; nil for those that the tools create by default.
    static func all(_ db: Database, table: String? = nil) throws -> [OtherToolJournal] {
        try (table.map { [$0] } ?? ["goose_db_version", "schema_migrations", "gorp_migrations"]).compactMap {
            try OtherToolJournal(db, table: $0)
        }
    }

    private init?(_ db: Database, table: String) throws {
        let names = try db.makeStatement(sql: "SELECT name FROM pragma_table_info(?, 'main')")
        try names.setArguments([table])
        var columns: Set<String> = []
        while try names.step() { columns.insert((names.string(at: 0) ?? "").foldingASCIICase) }
        let source = "main.\(table.quotedDatabaseIdentifier)"
        let sql: String
        if columns.isSuperset(of: ["version_id", "is_applied"]) {
            tool = .goose
            // Earlier versions of goose add a row when they roll a migration back. The last row of a version counts.
            sql = """
                SELECT CAST(version_id AS TEXT), 0 FROM \(source) AS journal WHERE is_applied AND version_id <> 0 AND NOT EXISTS
                (SELECT 1 FROM \(source) WHERE version_id = journal.version_id AND rowid > journal.rowid) ORDER BY version_id
                """
        } else if columns.isSuperset(of: ["version", "dirty"]) {
            tool = .golangMigrate
            sql = "SELECT CAST(version AS TEXT), dirty FROM \(source) LIMIT 1"
        } else if columns.contains("version") {
            tool = .dbmate
            sql = "SELECT CAST(version AS TEXT), 0 FROM \(source) ORDER BY 1"
        } else if columns.isSuperset(of: ["id", "applied_at"]) {
            tool = .sqlMigrate
            sql = "SELECT CAST(id AS TEXT), 0 FROM \(source) ORDER BY 1"
        } else {
            return nil
        }
        let rows = try db.makeStatement(sql: sql)
        var records: [String] = []
        var isDirty = false
        while try rows.step() {
            if let record = rows.string(at: 0) { records.append(record) }
            isDirty = rows.int64(at: 1) ?? 0 != 0
        }
        (self.table, self.records, self.isDirty) = (table, records, isDirty)
    }

    /// Returns those of some identifiers whose migrations the tool has run.
    func applied(among identifiers: [String]) -> [String] {
        let keys = Set(records.compactMap(key))
        let last = tool == .golangMigrate ? records.first.flatMap(MigrationNumber.init) : nil
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
        guard tool == .sqlMigrate else { return MigrationNumber(name)?.digits }
        let stem = name.hasSuffix(".sql") ? name.dropLast(4) : name[...]
        return String(stem.drop { $0 == "0" })
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
    /// The tools are goose, dbmate, golang-migrate and sql-migrate. The first three record the number of a migration, and sql-migrate the
    /// name of its file. The identifier of a registered migration begins with the same number, or is the same name without `.sql`: identifiers
    /// of migrations in files with SQL do. Leading zeros don't count. A migration of goose that is written in Go needs a registered migration,
    /// too, which may do nothing.
    ///
    /// Nothing is run, and the table of the tool stays. If no tool has recorded migrations, or if all of them were recorded before, nothing
    /// changes.
    ///
    /// The SQL is `INSERT INTO grdb_migrations`, for each migration.
    ///
    /// - Parameters:
    ///   - db: a connection, in an access that can write.
    ///   - table: the table of the tool, if it does not have its default name: `goose_db_version`, `schema_migrations` or `gorp_migrations`.
    /// - Throws: ``MigrationError`` if the tool has run migrations that are not registered, or if one has failed halfway; ``DatabaseError``.
    public func adoptMigrations(_ db: Database, from table: String? = nil) throws {
        try checkRegistrations()
        guard let other = try otherJournal(db, table: table) else { return }
        if other.isDirty { throw MigrationError(.unfinishedByOtherTool(other.tool.rawValue)) }
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
        try OtherToolJournal.all(db, table: table).first { $0.isDirty || !$0.applied(among: migrations).isEmpty }
    }
}
