/// The schema, as a run of migrations knows it: its tables, which of its parts work, and its SQL.
///
/// The state after one migration is the state before the next one. The whole schema is read at the beginning of a run, and after a
/// migration that changes the schema other than by adding objects to the main database. After a migration that only adds objects, only
/// these objects are read, so that the time of a run does not grow with the square of the number of its migrations.
struct KnownSchema {
    /// Distinguishes tables of the same name.
    private struct Definition: Hashable {
        let sql: ExactString?
        let rootPage: Int64?
    }

    private var tables: [DatabaseObjectID: Definition] = [:]

    /// The tables with foreign keys, by their names, and by the names of the tables that they reference.
    private var tablesWithForeignKeys: [SchemaName: Set<DatabaseObjectID>] = [:]

    /// Which parts work; nil if this is not needed.
    private var health: SchemaHealth?

    /// The schema's generation when this state was read. Nil before that.
    private var generation: Int?

    /// Whether the generation is the one of the files, which other connections may change.
    private var verifies = true

    /// The last row of the main database's schema table that was read.
    private var lastRowID: Int64 = 0

    /// The SQL of the schema, and of each later addition; empty if this is not needed.
    private var snapshots: [SchemaSnapshot] = []

    private let examinesParts: Bool
    private let makesDigests: Bool

    /// The changes that a migration has made.
    struct Change {
        /// The tables that were changed, altered, renamed, created or dropped.
        var tables: Set<SchemaName>

        /// The parts that no longer work.
        var problems: [SchemaProblem] = []

        /// The digest of the changes of the schema.
        var digest: String?
    }

    /// A state that has not been read yet.
    ///
    /// - Parameters:
    ///   - examinesParts: whether a ``Change`` names the parts that no longer work.
    ///   - makesDigests: whether a ``Change`` has a digest.
    init(examiningParts examinesParts: Bool, makingDigests makesDigests: Bool) {
        self.examinesParts = examinesParts
        self.makesDigests = makesDigests
    }

    /// Reads the schema before a migration, unless it is known.
    ///
    /// - Parameter mayFollowOthers: whether other connections may have changed the main database since the last migration.
    mutating func begin(_ db: Database, afterOthers mayFollowOthers: Bool) throws {
        verifies = mayFollowOthers || db.mayHaveAttachedDatabases
        if try generation != currentGeneration(db) { try read(db) }
    }

    /// Reads the changes that a migration has made.
    ///
    /// - Parameter changes: the changes that the migration's statements may have made.
    mutating func update(_ db: Database, after changes: RecordedChanges) throws -> Change {
        var change = Change(tables: changes.tables)
        if changes.schema == .none {
            if makesDigests { change.digest = SchemaSnapshot([]).difference(to: SchemaSnapshot([])).digest }
            return change
        }
        if changes.schema == .additions {
            let rows = try db.schemaRows(of: .main, after: lastRowID)
            if try health?.addObjects(db, rows) ?? true {
                if makesDigests {
                    let added = try SchemaSnapshot(db, rows)
                    change.digest = SchemaSnapshot([]).difference(to: added).digest
                    snapshots.append(added)
                }
                add(rows)
                return change
            }
        }
        verifies = true
        let before = self
        try read(db)
        let ids = Set(before.tables.keys).union(tables.keys)
        change.tables.formUnion(ids.filter { before.tables[$0] != tables[$0] }.map { SchemaName($0.name) })
        change.problems = before.health.flatMap { health?.problems(since: $0) } ?? []
        change.digest = snapshots.first.map { SchemaSnapshot(before.snapshots).difference(to: $0).digest }
        return change
    }

    /// Follows the last change of a migration's transaction.
    mutating func end(_ db: Database) throws {
        generation = try currentGeneration(db)
    }

    /// Returns the schema's generation. Where only this connection can have changed the schema, the schema versions of the files are not read.
    private func currentGeneration(_ db: Database) throws -> Int {
        if verifies { _ = try db.schemaGeneration() }
        return db.ownSchemaGeneration
    }

    /// Returns the tables with foreign keys among the tables of some names, and the tables that reference them.
    func tablesWithForeignKeys(of names: Set<SchemaName>) -> [DatabaseObjectID] {
        Set(names.flatMap { tablesWithForeignKeys[$0] ?? [] }).sorted { ($0.schemaID.name, $0.name) < ($1.schemaID.name, $1.name) }
    }

    // MARK: - Reading

    private mutating func read(_ db: Database) throws {
        let rows = try db.databaseNames().flatMap { try db.schemaRows(of: .attached($0)) }
        (tables, tablesWithForeignKeys, lastRowID) = ([:], [:], 0)
        add(rows)
        health = examinesParts ? try SchemaHealth(db, rows) : nil
        snapshots = makesDigests ? [try SchemaSnapshot(db, rows)] : []
        generation = try currentGeneration(db)
    }

    private mutating func add(_ rows: [SchemaRow]) {
        for row in rows {
            if row.object.schemaID == .main { lastRowID = max(lastRowID, row.rowID) }
            if row.type != "table" { continue }
            tables[row.object] = Definition(sql: row.sql.map(ExactString.init), rootPage: row.rootPage)
            if row.parents.isEmpty { continue }
            for name in row.parents + [row.object.name] { tablesWithForeignKeys[SchemaName(name), default: []].insert(row.object) }
        }
    }
}

extension [SchemaProblem] {
    /// Throws if there are problems.
    ///
    /// - Throws: `SQLITE_ERROR`, with a message that names what no longer works.
    func check() throws {
        if isEmpty { return }
        throw DatabaseError(resultCode: .SQLITE_ERROR, message: map(\.description).joined(separator: "; "))
    }
}
