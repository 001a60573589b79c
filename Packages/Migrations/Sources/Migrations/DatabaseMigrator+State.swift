// Methods that return which migrations have run in a database. They only read, and can be called in any access.

extension DatabaseMigrator {
    /// Returns the identifiers of all migrations that have run, including those that are not registered.
    ///
    /// Identifiers that a migration has merged are not among them.
    ///
    /// The SQL is `SELECT identifier FROM grdb_migrations`.
    ///
    /// - Throws: ``DatabaseError``.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
        try journal.appliedIdentifiers(db)
    }

    /// Returns the identifiers of the registered migrations that have run, in the order of their registration.
    ///
    /// - Throws: ``DatabaseError``.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter(applied.contains)
    }

    /// Returns the identifiers of the registered migrations that have run, up to the first one that has not.
    ///
    /// ```swift
    /// // "a" and "c" have run, and "b" was registered between them later:
    /// try migrator.appliedMigrations(db)    // ["a", "c"]
    /// try migrator.completedMigrations(db)  // ["a"]
    /// ```
    ///
    /// - Throws: ``DatabaseError``.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return Array(migrations.prefix(while: applied.contains))
    }

    /// Returns whether all registered migrations have run.
    ///
    /// ```swift
    /// guard try queue.read(migrator.hasCompletedMigrations) else { return }
    /// ```
    ///
    /// - Throws: ``DatabaseError``.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        let applied = try appliedIdentifiers(db)
        return migrations.allSatisfy(applied.contains)
    }

    /// Returns whether migrations have run that are not registered: a newer version of the program has migrated the database, or another
    /// migrator shares it.
    ///
    /// ```swift
    /// if try queue.read(migrator.hasBeenSuperseded) {
    ///     print("A newer version of the program has migrated the database.")
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError``.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !unknownIdentifiers(appliedIdentifiers(db)).isEmpty
    }

    /// Returns whether migrations have changed since they ran: a migration was renamed or removed, or creates another schema.
    ///
    /// This method runs the registered migrations that have run again in a temporary database, and compares the two schemas. Differences in
    /// white space, comments, quotes and case are ignored. In a migrator with a ``namespace``, tables of other migrators are ignored, too.
    ///
    /// - Throws: ``DatabaseError``, or ``MigrationError`` when a migration fails in the temporary database.
    /// - Complexity: the complexity of the migrations, on an empty database.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        let applied = try appliedIdentifiers(db)
        if applied.isEmpty { return false }
        if !unknownIdentifiers(applied).isEmpty { return true }
        // The schema of merged and retired migrations can't be recreated, because they are not registered.
        if registered.contains(where: { !$0.merged.isDisjoint(with: applied) }) || !retiredMigrations.isDisjoint(with: applied) {
            return false
        }
        let replayed = try replay(applied, configuration: db.configuration) { try SchemaSnapshot($0) }
        let others = Set(try OtherToolJournal.all(db).map { SchemaName($0.table) })
        let snapshot = try SchemaSnapshot(db).filtered { !others.contains(SchemaName($0.table)) || replayed.objects.contains($0) }
        return namespace == nil ? snapshot.difference(to: replayed).isMeaningful : !snapshot.contains(replayed)
    }

    // MARK: - Inside

    var journal: MigrationJournal { MigrationJournal(namespace: namespace) }

    /// Returns the applied identifiers that no registered migration has or merges, and that are not retired.
    func unknownIdentifiers(_ applied: Set<String>) -> Set<String> {
        registered.reduce(into: applied.subtracting(retiredMigrations)) { unknown, migration in
            unknown.remove(migration.identifier)
            unknown.subtract(migration.merged)
        }
    }

    /// - Throws: ``MigrationError`` if identifiers are not unique, or if the namespace is not valid.
    func checkRegistrations() throws {
        if namespace?.isEmpty == true { throw MigrationError(.emptyNamespace) }
        if namespace != nil, eraseDatabaseOnSchemaChange { throw MigrationError(.erasingNamespace) }
        var known: Set<String> = []
        let duplicates = registered.flatMap { [$0.identifier] + $0.merged.sorted() }.filter { !known.insert($0).inserted }
        if !duplicates.isEmpty { throw MigrationError(.duplicateIdentifiers(duplicates)) }
        known = []
        for migration in registered {
            if let place = migration.place, !known.contains(place) {
                throw MigrationError(.unknownPlace(migration.identifier, after: place))
            }
            known.formUnion(migration.merged.union([migration.identifier]))
        }
    }

    /// Runs some of the registered migrations in a temporary database.
    func replay<T>(_ identifiers: Set<String>, configuration: Configuration, _ value: (Database) throws -> T) throws -> T {
        var migrator = self
        migrator.registered = registered.filter { identifiers.contains($0.identifier) }
        migrator.refusesNewerDatabases = false
        migrator.eraseDatabaseOnSchemaChange = false
        migrator.checksSchema = false
        return try DatabaseQueue.withTemporaryDatabase(configuration) { db in
            try MigrationRun(migrator, target: nil, monitor: nil).run(db)
            return try value(db)
        }
    }
}
