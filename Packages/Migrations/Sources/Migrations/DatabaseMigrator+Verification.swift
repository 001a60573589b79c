/// What the migrations do to rows: the result of ``DatabaseMigrator/verify(schema:rowCount:seed:configuration:)``.
public struct MigrationVerification: Sendable {
    /// A way in which a migration harms a database.
    public struct Problem: Sendable, Hashable {
        /// The migration.
        public let migration: String

        /// The last migration that had run when rows were inserted; nil for a database that was empty.
        public let rowsSince: String?

        /// What is wrong, such as `player lost 2 of 5 rows`.
        public let message: String
    }

    /// The problems, in the order of the migrations.
    public internal(set) var problems: [Problem] = []

    /// The triggers, indexes, columns and checks that migrations lose by dropping a table or a view and making it again. A migration that needs
    /// this says so in its SQL: `-- @drops note_synced`.
    ///
    /// They leave the result valid, as migrations that are released can't change. `rebuild(table:)` loses nothing, and is not among them.
    public internal(set) var drops: [Problem] = []

    /// The difference from the given schema to the schema that all migrations lead to; nil if no schema was given.
    public internal(set) var difference: SchemaDifference?

    /// Whether there are no problems, and no difference.
    public var isValid: Bool { problems.isEmpty && difference?.isMeaningful != true }
}

extension MigrationVerification: CustomStringConvertible {
    /// The problems, the difference and the drops, one below the other; "valid" without problems and difference.
    public var description: String {
        var lines =
            (isValid ? ["valid"] : [])
            + (problems + drops).map { problem in
                "\(problem.migration)\(problem.rowsSince.map { ", with rows since \($0)" } ?? ""): \(problem.message)"
            }
        if let difference, difference.isMeaningful { lines.append("the migrations don't lead to the schema:\n\(difference)") }
        return lines.joined(separator: "\n")
    }
}

extension DatabaseMigrator {
    /// Runs the migrations on databases with generated rows, for tests.
    ///
    /// ```swift
    /// let verification = try migrator.verify()
    /// if !verification.isValid { print(verification) }
    /// ```
    ///
    /// For each migration, a database is migrated up to it and filled with rows; then the later migrations run one by one. A migration has a
    /// problem if it fails, if a table that remains has fewer rows than before, if rows violate foreign keys, or if rows violate a constraint.
    /// It also has one if it is registered behind files without a place: see ``registerMigration(_:after:foreignKeyChecks:migrate:)``.
    ///
    /// Rows are generated from the types, constraints and foreign keys of the tables. A table whose constraints refuse all of them stays empty.
    ///
    /// - Parameters:
    ///   - schema: the SQL of the schema that the migrations must lead to; nil to leave it unchecked.
    ///   - rowCount: the number of rows to insert into each table.
    ///   - seed: makes other rows.
    ///   - configuration: the configuration of the databases, which are temporary files.
    /// - Throws: ``MigrationError`` if the migrator is not valid; `DatabaseError` if the schema's SQL fails, or a database can't be created.
    public func verify(
        schema: String? = nil, rowCount: Int = 5, seed: UInt64 = 1, configuration: Configuration = Configuration()
    ) throws -> MigrationVerification {
        let migrator = changed(self) { $0.eraseDatabaseOnSchemaChange = false }
        try migrator.checkRegistrations()
        var verification = MigrationVerification()
        verification.problems = migrationsWithoutPlace.map { identifier, file in
            MigrationVerification.Problem(
                migration: identifier, rowsSince: nil,
                message:
                    "has no place, so that a file after \(file) runs before it in new databases, and after it in others. Register it after "
                    + "the file that was the last one when it was released: registerMigration(\"\(identifier)\", after: \"\(file)\")")
        }
        for start in 0...registered.count {
            try DatabaseQueue.withTemporaryDatabase(configuration) { db in
                let rowsSince = start == 0 ? nil : registered[start - 1].identifier
                for migration in registered[..<start] {
                    // The failure was reported for the previous start.
                    do { try MigrationRun(migrator, only: migration).run(db) } catch is MigrationError { return }
                }
                if start == registered.count, let schema { verification.difference = try SchemaDifference(from: schema, to: db) }
                if start > 0, start < registered.count { try RowGenerator(seed: seed).fill(db, rowCount: rowCount) }
                for migration in registered[start...] {
                    func add(_ message: String) {
                        verification.problems.append(
                            MigrationVerification.Problem(migration: migration.identifier, rowsSince: rowsSince, message: message))
                    }
                    let before = try db.rowCounts()
                    do {
                        verification.drops += try run(migration, migrator, db, findsDrops: start == 0)
                    } catch let error as MigrationError {
                        add("\(error.underlyingError ?? error)")
                        return
                    }
                    let after = try db.rowCounts()
                    for (table, count) in before.sorted(by: { $0.key.text < $1.key.text }) {
                        if let left = after[table], left < count { add("\(table.text) lost \(count - left) of \(count) rows") }
                    }
                    for problem in try db.integrityProblems() { add(problem) }
                }
            }
        }
        return verification
    }

    /// Runs a migration.
    ///
    /// - Returns: what it drops without naming it, if that is asked for.
    private func run(
        _ migration: Migration, _ migrator: DatabaseMigrator, _ db: Database, findsDrops: Bool
    ) throws -> [MigrationVerification.Problem] {
        let run = MigrationRun(migrator, only: migration)
        if !findsDrops {
            try run.run(db)
            return []
        }
        var dropped = try DroppedParts(db)
        let statements = try db.recordingSQL(expanded: false) { try run.run(db) }.sql.map { SQLTokens($0) }
        for tokens in statements { dropped.note(tokens, 0..<tokens.count, number: 0) }
        return try dropped.missing(db, acceptingThoseOf: statements).map { part, _ in
            MigrationVerification.Problem(migration: migration.identifier, rowsSince: nil, message: part.report)
        }
    }
}

extension SchemaDifference {
    /// Compares the schema of some SQL with the schema of a database.
    ///
    /// ```swift
    /// let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"
    /// let difference = try SchemaDifference(from: schema, to: db)
    /// if difference.isMeaningful { print(difference) }
    /// ```
    ///
    /// - Parameters:
    ///   - schema: SQL that creates a schema. It runs in a temporary database.
    ///   - db: a connection.
    /// - Throws: `DatabaseError`.
    public init(from schema: String, to db: Database) throws {
        self.init(from: try SchemaSnapshot(sql: schema, like: db), to: try SchemaSnapshot(db))
    }
}

extension Database {
    fileprivate func rowCounts() throws -> [SchemaName: Int64] {
        var counts: [SchemaName: Int64] = [:]
        for name in try tableNames() {
            counts[SchemaName(name)] = try values("SELECT count(*) FROM \(name.quotedDatabaseIdentifier)") { $0.int64(at: 0) }.first
        }
        return counts
    }

    /// The names of ordinary tables, without those of SQLite and of migrators.
    func tableNames() throws -> [String] {
        try SchemaSnapshot(self).objects.filter { $0.type == "table" && !$0.sql.isVirtual }.map(\.name)
    }

    fileprivate func integrityProblems() throws -> [String] {
        var problems = try values("SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2") { keys in
            "\(keys.int64(at: 2) ?? 0) rows of \(keys.string(at: 0) ?? "") refer to missing rows of \(keys.string(at: 1) ?? "")"
        }
        let results = try values("PRAGMA integrity_check(20)") { $0.string(at: 0) }
        for problem in results where problem != "ok" && !problems.contains(problem) { problems.append(problem) }
        return problems
    }
}

extension SchemaSnapshot {
    /// The schema of some SQL.
    init(sql: String, like db: Database) throws {
        // The schema may name functions and collations of the program.
        self = try DatabaseQueue.withTemporaryDatabase(db.configuration) { db in
            try db.execute(sql: sql)
            return try SchemaSnapshot(db)
        }
    }
}

extension String {
    fileprivate var isVirtual: Bool { SQLTokens(self).keyword(1) == "VIRTUAL" }
}
