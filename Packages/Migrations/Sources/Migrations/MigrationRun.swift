/// Runs the migrations of a database.
struct MigrationRun: Sendable {
    private let migrator: DatabaseMigrator
    private let migrations: ArraySlice<Migration>
    private let target: String?
    private let monitor: MigrationMonitor?

    /// - Throws: ``MigrationError`` if the migrator is not valid.
    init(_ migrator: DatabaseMigrator, target: String?, monitor: MigrationMonitor?) throws {
        self.migrator = migrator
        self.target = target
        self.monitor = monitor
        try migrator.checkRegistrations()
        if let target {
            guard let index = migrator.registered.firstIndex(where: { $0.identifier == target }) else {
                throw MigrationError(.unknownTarget(target))
            }
            migrations = migrator.registered[...index]
        } else {
            migrations = migrator.registered[...]
        }
    }

    /// A run of one migration.
    init(_ migrator: DatabaseMigrator, only migration: Migration) {
        self.migrator = migrator
        migrations = [migration]
        target = nil
        monitor = nil
    }

    /// Returns whether all migrations of the run have run, and none of the migrations that they replace is recorded.
    func isDone(_ db: Database) throws -> Bool {
        let applied = try migrator.journal.appliedIdentifiers(db)
        return try pendingMigrations(applied, db).isEmpty && replacedIdentifiers(applied).isEmpty
    }

    /// Returns the identifiers of merged migrations that are still recorded, although the migration that replaces them has run: it has
    /// the identifier of one of them.
    private func replacedIdentifiers(_ applied: Set<String>) -> Set<String> {
        migrations.reduce(into: []) { replaced, migration in
            if applied.contains(migration.identifier) { replaced.formUnion(migration.merged.intersection(applied)) }
        }
    }

    /// Returns the migrations to run, given the identifiers of the migrations that have run.
    func pendingMigrations(_ applied: Set<String>, _ db: Database) throws -> [Migration] {
        try check(applied, db)
        return migrations.filter { !applied.contains($0.identifier) }
    }

    /// Throws if the database has migrations that it must not have.
    private func check(_ applied: Set<String>, _ db: Database) throws {
        if migrator.refusesNewerDatabases {
            let unknown = migrator.unknownIdentifiers(applied)
            if !unknown.isEmpty { throw MigrationError(.newerDatabase(unknown.sorted())) }
        }
        if migrator.refusesDatabasesOfOtherTools, let other = try otherJournal(applied, db) {
            throw MigrationError(.migratedByOtherTool(other.tool, applied: other.applied(among: migrator.migrations)))
        }
        if let target {
            let later = migrator.registered[migrations.endIndex...].map(\.identifier).filter(applied.contains)
            if !later.isEmpty { throw MigrationError(.beyondTarget(target, applied: later)) }
        }
    }

    /// Returns the journal of another tool, if it has run migrations of which none is recorded.
    private func otherJournal(_ applied: Set<String>, _ db: Database) throws -> OtherToolJournal? {
        migrator.migrations.contains(where: applied.contains) ? nil : try migrator.otherJournal(db)
    }

    /// Runs the migrations that have not run yet.
    ///
    /// - Parameter db: a connection outside transactions.
    func run(_ db: Database) throws {
        guard !db.isInsideTransaction else {
            throw DatabaseError.misuse("migrations can't run inside a transaction", advice: "Migrate outside of transactions.")
        }
        try db.migratingSchema { try runPendingMigrations(db) }
    }

    private func runPendingMigrations(_ db: Database) throws {
        try check(migrator.journal.appliedIdentifiers(db), db)
        if migrator.eraseDatabaseOnSchemaChange, target == nil, try migrator.hasSchemaChanges(db) { try db.erase() }
        let applied = try migrator.journal.appliedIdentifiers(db)
        let pending = try pendingMigrations(applied, db)
        assert(warn(about: migrator.displacements(applied)))
        if !replacedIdentifiers(applied).isEmpty {
            try db.inTransaction(.immediate) {
                try migrator.journal.remove(replacedIdentifiers(migrator.journal.appliedIdentifiers(db)), in: db)
                return .commit
            }
        }
        let enforcesForeignKeys = db.enforcesForeignKeys
        let areDeferred = !pending.isEmpty && pending.allSatisfy { $0.foreignKeyChecks == .deferred }
        guard areDeferred else { return try run(pending, db, enforcesForeignKeys) }
        // Switching the enforcement makes SQLite compile all statements again, so it is switched for all migrations together.
        try db.withoutForeignKeys { try run(pending, db, enforcesForeignKeys) }
    }

    private func run(_ pending: [Migration], _ db: Database, _ enforcesForeignKeys: Bool) throws {
        let clock = ContinuousClock()
        let start = clock.now
        var known = KnownSchema(examiningParts: migrator.checksSchema, makingDigests: migrator.keepsDigests)
        var record = MigrationRecord(migrator.journal)
        for (index, migration) in pending.enumerated() {
            func report(_ phase: MigrationProgress.Phase) {
                monitor?.report(
                    MigrationProgress(
                        phase: phase, identifier: migration.identifier, number: index + 1, count: pending.count,
                        elapsed: clock.now - start))
            }
            report(.begins)
            do {
                try run(migration, db, enforcesForeignKeys, &known, &record)
            } catch let error as MigrationError {
                throw error
            } catch {
                if let outcome = self.outcome(of: migration, after: error, db) {
                    let other = try? otherJournal(record.applied, db)
                    throw MigrationError(.failed(error), identifier: migration.identifier, otherTool: other?.tool, outcome: outcome)
                }
            }
            report(.ended)
        }
    }

    /// Prints warnings to standard error, in debug builds.
    private func warn(about problems: [String]) -> Bool {
        for problem in problems { Database.printWarning(problem) }
        return true
    }

    /// Returns what has become of a migration that has thrown an error; nil if it has been applied.
    private func outcome(of migration: Migration, after error: any Error, _ db: Database) -> MigrationError.Outcome? {
        guard let error = error as? any ErrorWithOutcome, error.isOutcomeUnknown else { return .rolledBack }
        guard let isApplied = try? isApplied(migration, db) else { return .unknown }
        return isApplied ? nil : .notApplied
    }

    /// Returns whether a migration has run, after a commit whose outcome was unknown. No other client can commit it meanwhile.
    private func isApplied(_ migration: Migration, _ db: Database) throws -> Bool {
        var isApplied = false
        try db.inTransaction(.immediate) {
            isApplied = try migrator.journal.appliedIdentifiers(db).contains(migration.identifier)
            return .rollback
        }
        return isApplied
    }

    private func run(
        _ migration: Migration, _ db: Database, _ enforcesForeignKeys: Bool, _ known: inout KnownSchema,
        _ record: inout MigrationRecord
    ) throws {
        let isDeferred = migration.foreignKeyChecks == .deferred
        // Returns whether a kind of problems that a migration causes makes the schema unusable.
        func isCounted(_ kind: SchemaProblem.Kind) -> Bool {
            switch kind {
            case .view, .trigger: true
            case .foreignKeyMismatch: enforcesForeignKeys
            case .missingParentTable: enforcesForeignKeys && isDeferred
            }
        }
        guard isDeferred, enforcesForeignKeys else {
            return try runInTransaction(migration, db, checksForeignKeys: false, &known, &record, isCounted)
        }
        try db.withoutForeignKeys {
            try runInTransaction(migration, db, checksForeignKeys: migration.checksForeignKeys, &known, &record, isCounted)
        }
    }

    private func runInTransaction(
        _ migration: Migration, _ db: Database, checksForeignKeys: Bool, _ known: inout KnownSchema, _ record: inout MigrationRecord,
        _ isCounted: (SchemaProblem.Kind) -> Bool
    ) throws {
        try db.inGuardedTransaction(.immediate, isInterrupted: { monitor?.isInterrupted ?? false }) {
            // Another process may have run the migration while this one waited for the lock.
            let mayBeChanged = try record.update(db)
            if mayBeChanged { try check(record.applied, db) }
            if record.applied.contains(migration.identifier) { return .rollback }
            try known.begin(db, afterOthers: mayBeChanged)
            let merged = migration.merged.intersection(record.applied)
            let schema = try migration.keepsSchema ? SchemaSnapshot(db) : nil
            let (_, changes) = try db.recordingAllChanges { try migration.body(db, merged) }
            try record.check(changes, db)
            if let schema, changes.schema != .none { try schema.checkUnchanged(db) }
            let change = try known.update(db, after: changes)
            let problems = change.problems.filter { isCounted($0.kind) }
            try problems.filter { $0.kind != .missingParentTable }.check()
            if checksForeignKeys { try ForeignKeyCheck(tables: known.tablesWithForeignKeys(of: change.tables)).run(db) }
            // Rows without parents are a more helpful error than a missing table.
            try problems.check()
            try record.insert(
                migration.identifier, replacing: merged,
                // If it replaces migrations that have run, its changes depend on them, so no digest is stored.
                digest: merged.isEmpty ? change.digest : nil, in: db)
            try known.end(db)
            return .commit
        }
    }
}
