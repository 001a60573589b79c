/// The schema, as a run of migrations knows it: its tables, which of its parts work, and its SQL.
///
/// The state after one migration is the state before the next one. The whole schema is read at the beginning of a run, and after a
/// migration that changes the schema other than by adding objects to the main database. After a migration that only adds objects, only
/// these objects are read, so that the time of a run does not grow with the square of the number of its migrations.
struct KnownSchema {
    private struct TableID: Hashable {
        let schema: SchemaName
        let name: SchemaName
    }

    /// Distinguishes tables of the same name.
    private struct Definition: Hashable {
        let sql: ExactString?
        let rootPage: Int64?
    }

    private var tables: [TableID: Definition] = [:]

    /// The names of the databases.
    private var schemas: [String] = []

    /// The tables with foreign keys, by the names of the tables that they reference.
    private var children: [SchemaName: Set<TableID>] = [:]

    /// Which parts work; nil if this is not needed.
    private var health: SchemaHealth?

    /// The schema's generation when this state was read. Nil before that.
    private var generation: Int?

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
    mutating func begin(_ db: Database) throws {
        if try generation != db.schemaGeneration() { try read(db) }
    }

    /// Reads the changes that a migration has made.
    ///
    /// - Parameter changes: the changes that the migration's statements may have made.
    mutating func update(_ db: Database, after changes: RecordedChanges) throws -> Change {
        var change = Change(tables: changes.tables)
        switch changes.schema {
        case .none:
            if makesDigests { change.digest = SchemaSnapshot([]).difference(to: SchemaSnapshot([])).digest }
            return change
        case .additions where try canAddObjects(db):
            if makesDigests {
                let added = try SchemaSnapshot(db, after: lastRowID)
                change.digest = SchemaSnapshot([]).difference(to: added).digest
                snapshots.append(added)
            }
            try readTables(db, in: "main", after: lastRowID)
            return change
        case .additions, .others:
            let before = self
            try read(db)
            let ids = Set(before.tables.keys).union(tables.keys)
            change.tables.formUnion(ids.filter { before.tables[$0] != tables[$0] }.map(\.name))
            change.problems = before.health.flatMap { health?.problems(since: $0) } ?? []
            change.digest = snapshots.first.map { SchemaSnapshot(before.snapshots).difference(to: $0).digest }
            return change
        }
    }

    /// Examines the added objects. Returns false if all parts must be examined.
    private mutating func canAddObjects(_ db: Database) throws -> Bool {
        try health?.addObjects(db, after: lastRowID) ?? true
    }

    /// Follows the last change of a migration's transaction.
    mutating func end(_ db: Database) throws {
        generation = try db.schemaGeneration()
    }

    /// Returns the tables of some names, and the tables that reference them, with their databases.
    func tablesAndChildren(of names: Set<SchemaName>) -> [(schema: String, table: String)] {
        var ids: Set<TableID> = []
        for name in names {
            let namesakes = schemas.map { TableID(schema: SchemaName($0), name: name) }
            ids.formUnion(namesakes.filter { tables[$0] != nil })
            ids.formUnion(children[name] ?? [])
        }
        return ids.map { ($0.schema.text, $0.name.text) }.sorted { $0 < $1 }
    }

    // MARK: - Reading

    private mutating func read(_ db: Database) throws {
        tables = [:]
        children = [:]
        schemas = try db.databaseNames()
        for schema in schemas { try readTables(db, in: schema, after: 0) }
        health = examinesParts ? try SchemaHealth(db) : nil
        snapshots = makesDigests ? [try SchemaSnapshot(db)] : []
        generation = try db.schemaGeneration()
    }

    private mutating func readTables(_ db: Database, in schema: String, after rowID: Int64) throws {
        let master = DatabaseSchemaID.attached(schema).schemaTableName
        try db.withInternalStatements {
            let statement = try db.cachedStatement(
                sql: """
                    SELECT t.name, t.sql, t.rootpage, f."table"
                    FROM \(master) AS t LEFT JOIN pragma_foreign_key_list(t.name, ?) AS f
                    WHERE t.type = 'table' AND t.rowid > ?
                    """)
            defer { statement.reset() }
            try statement.setArguments([schema, rowID])
            while try statement.step() {
                let id = TableID(schema: SchemaName(schema), name: SchemaName(statement.string(at: 0) ?? ""))
                tables[id] = Definition(sql: statement.string(at: 1).map(ExactString.init), rootPage: statement.int64(at: 2))
                if let parent = statement.string(at: 3) { children[SchemaName(parent), default: []].insert(id) }
            }
            if schema == "main" {
                let last = try db.cachedStatement(sql: "SELECT max(rowid) FROM main.sqlite_master")
                defer { last.reset() }
                lastRowID = try last.step() ? last.int64(at: 0) ?? 0 : 0
            }
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
