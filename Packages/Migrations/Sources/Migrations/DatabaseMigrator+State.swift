// What has run in a database. All of it reads, and can be used in any access.

extension DatabaseMigrator {
    /// The identifiers of all migrations that have run, those that are not registered included.
    ///
    /// The SQL is `SELECT identifier FROM grdb_migrations`.
    ///
    /// - Throws: ``DatabaseError``.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
        try journal.appliedIdentifiers(db)
    }

    /// The identifiers of the registered migrations that have run, in the order of their registration.
    ///
    /// - Throws: ``DatabaseError``.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter(applied.contains)
    }

    /// The identifiers of the registered migrations that have run together with all those before them.
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

    /// Whether all registered migrations have run.
    ///
    /// - Throws: ``DatabaseError``.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        let applied = try appliedIdentifiers(db)
        return migrations.allSatisfy(applied.contains)
    }

    /// Whether migrations have run that are not registered: a newer version of the program has migrated the database, or another
    /// migrator shares it.
    ///
    /// - Throws: ``DatabaseError``.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !unknownIdentifiers(appliedIdentifiers(db)).isEmpty
    }

    /// Whether the definition of the migrations has changed since they ran: one was renamed or removed, or makes another schema.
    ///
    /// The registered migrations that have run in the database run again in a temporary one, and the two schemas are compared.
    /// Differences in white space, comments, quotes and case don't count. In a migrator with a ``namespace``, tables of others
    /// don't count either.
    ///
    /// - Throws: ``DatabaseError``, or ``MigrationError`` when a migration fails in the temporary database.
    /// - Complexity: that of the migrations, on an empty database.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        let applied = try appliedIdentifiers(db)
        if applied.isEmpty { return false }
        if !unknownIdentifiers(applied).isEmpty { return true }
        // What merged migrations have made can't be made again, as they are not registered.
        if registered.contains(where: { !$0.merged.isDisjoint(with: applied) }) { return false }
        let snapshot = try SchemaSnapshot(db)
        let replayed = try replay(applied, configuration: db.configuration) { try SchemaSnapshot($0) }
        return namespace == nil ? snapshot.difference(to: replayed).isMeaningful : !snapshot.contains(replayed)
    }

    // MARK: - Inside

    var journal: MigrationJournal { MigrationJournal(namespace: namespace) }

    /// Those of some applied identifiers that no registered migration has, or merges.
    func unknownIdentifiers(_ applied: Set<String>) -> Set<String> {
        registered.reduce(into: applied) { unknown, migration in
            unknown.remove(migration.identifier)
            unknown.subtract(migration.merged)
        }
    }

    /// - Throws: ``MigrationError`` when identifiers or the namespace can't be told apart from others.
    func checkRegistrations() throws {
        if namespace?.isEmpty == true { throw MigrationError(.emptyNamespace) }
        if namespace != nil, eraseDatabaseOnSchemaChange { throw MigrationError(.erasingNamespace) }
        var known: Set<String> = []
        let duplicates = registered.flatMap { [$0.identifier] + $0.merged.sorted() }.filter { !known.insert($0).inserted }
        if !duplicates.isEmpty { throw MigrationError(.duplicateIdentifiers(duplicates)) }
    }

    /// Runs some of the registered migrations in a temporary database.
    func replay<T>(_ identifiers: Set<String>, configuration: Configuration, _ value: (Database) throws -> T) throws -> T {
        var migrator = self
        migrator.registered = registered.filter { identifiers.contains($0.identifier) }
        migrator.refusesNewerDatabases = false
        migrator.eraseDatabaseOnSchemaChange = false
        return try DatabaseQueue.scratch(configuration).writeWithoutTransaction { db in
            try MigrationRun(migrator, target: nil, monitor: nil).run(db)
            return try value(db)
        }
    }
}

extension DatabaseQueue {
    /// A database that goes away with the queue, opened like another one.
    static func scratch(_ configuration: Configuration) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = false
        configuration.journalMode = .default
        configuration.observesSuspensionNotifications = false
        // Used inside an access of the other one, which may have the only thread of the queue.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        // SQLite keeps such a database in its cache, and what has no room there in a file without a name:
        // https://www.sqlite.org/inmemorydb.html#temp_db
        return try DatabaseQueue(path: "", configuration: configuration)
    }
}
