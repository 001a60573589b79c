extension DatabaseMigrator {
    /// Registers a migration, which runs after the previously registered ones.
    ///
    /// ```swift
    /// migrator.registerMigration("createPlayer") { db in
    ///     try db.execute(
    ///         sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: a unique name. Never change it, because the database stores it.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - migrate: changes the schema and the data, in a transaction. It can't end the transaction; it can use savepoints.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (_ db: Database) throws -> Void
    ) {
        register(Migration(identifier: identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in try migrate(db) })
    }

    /// Registers a migration that replaces several old ones.
    ///
    /// ```swift
    /// // Before: "v1" created the table, "v2" added the score.
    /// migrator.registerMigration("v2 and before", merging: ["v1", "v2"]) { db, applied in
    ///     if applied.contains("v2") { return }
    ///     if applied.contains("v1") {
    ///         try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
    ///     } else {
    ///         try db.execute(
    ///             sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
    ///     }
    /// }
    /// ```
    ///
    /// The migration also runs once in a database where merged migrations have run, and receives the identifiers of those migrations. The
    /// new identifier replaces them in the database.
    ///
    /// - Parameters:
    ///   - identifier: a unique name.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - mergedIdentifiers: the identifiers of migrations that are no longer registered. The identifier itself is ignored.
    ///   - migrate: changes the schema and the data. It receives the merged identifiers of the migrations that have run.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred, merging mergedIdentifiers: Set<String> = [],
        migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
    ) {
        register(
            Migration(
                identifier: identifier, foreignKeyChecks: foreignKeyChecks, merged: mergedIdentifiers.subtracting([identifier]),
                body: migrate))
    }

    // MARK: - Places

    /// Registers a migration that runs after another one, and before those that were registered after that one.
    ///
    /// ```swift
    /// // Of a migrator with the files 0001-players.sql, 0002-teams.sql and 0003-search.sql:
    /// migrator.registerMigration("trimNames", after: "0002-teams") { db in
    ///     try db.execute(sql: "UPDATE player SET name = trim(name)")
    /// }
    /// ```
    ///
    /// A migration that is registered without a place runs after all files. A file that a later version of the program adds would then run
    /// before it in new databases, and after it in those of earlier versions: give such a migration the place after the file that was the
    /// last one when it was released. Several migrations with one place run in the order of their registration.
    ///
    /// - Parameters:
    ///   - identifier: a unique name. Never change it, because the database stores it.
    ///   - other: the identifier of a registered migration, or one that it merges. If there is none, migrating throws ``MigrationError``.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - migrate: changes the schema and the data, in a transaction.
    public mutating func registerMigration(
        _ identifier: String, after other: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (_ db: Database) throws -> Void
    ) {
        register(Migration(identifier: identifier, foreignKeyChecks: foreignKeyChecks, place: other) { db, _ in try migrate(db) })
    }

    /// Registers a migration that replaces several old ones, and runs after another one.
    ///
    /// See ``registerMigration(_:foreignKeyChecks:merging:migrate:)`` and ``registerMigration(_:after:foreignKeyChecks:migrate:)``.
    ///
    /// - Parameters:
    ///   - identifier: a unique name.
    ///   - other: the identifier of a registered migration, or one that it merges. If there is none, migrating throws ``MigrationError``.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - mergedIdentifiers: the identifiers of migrations that are no longer registered. The identifier itself is ignored.
    ///   - migrate: changes the schema and the data. It receives the merged identifiers of the migrations that have run.
    public mutating func registerMigration(
        _ identifier: String, after other: String, foreignKeyChecks: ForeignKeyChecks = .deferred, merging mergedIdentifiers: Set<String>,
        migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
    ) {
        register(
            Migration(
                identifier: identifier, foreignKeyChecks: foreignKeyChecks, merged: mergedIdentifiers.subtracting([identifier]),
                place: other,
                body: migrate))
    }

    /// Registers a migration that changes rows, and not the schema. Generated code registers the Swift files among those with SQL in this way.
    ///
    /// ```swift
    /// migrator.registerStep("0008-tags") { db in
    ///     try db.execute(sql: "UPDATE player SET name = trim(name)")
    /// }
    /// ```
    ///
    /// It fails, and is rolled back, if the schema is not the same before and after it: the build, which does not run it, assumes so.
    ///
    /// - Parameters:
    ///   - identifier: a unique name.
    ///   - migrate: changes rows, in a transaction.
    public mutating func registerStep(_ identifier: String, migrate: @escaping @Sendable (_ db: Database) throws -> Void) {
        register(Migration(identifier: identifier, foreignKeyChecks: .deferred, keepsSchema: true) { db, _ in try migrate(db) })
    }

    private mutating func register(_ migration: Migration) {
        var migration = migration
        migration.checksForeignKeys = defersForeignKeyChecks
        guard let place = migration.place, let index = registered.firstIndex(where: { $0.hasIdentifier(place) }) else {
            registered.append(migration)
            return
        }
        // Behind those that have this place already, and those that have theirs behind these.
        var places = Set([place]).union([registered[index].identifier]).union(registered[index].merged)
        let end = registered[(index + 1)...].firstIndex { other in
            guard let place = other.place, places.contains(place) else { return true }
            places.formUnion(other.merged.union([other.identifier]))
            return false
        }
        registered.insert(migration, at: end ?? registered.count)
    }

    /// Notes that the migrations that are registered so far are files, to which a later version adds others. Generated code calls it.
    ///
    /// ``verify(schema:rowCount:seed:configuration:)``, and debug builds that migrate, then name the migrations that are registered behind
    /// the files without a place: see ``registerMigration(_:after:foreignKeyChecks:migrate:)``.
    public mutating func markMigrationsAsFiles() {
        for index in registered.indices { registered[index].isFile = true }
    }

    // MARK: - Migrations without a place

    /// The migrations behind the files without a place, each with the last file before it.
    var migrationsWithoutPlace: [(identifier: String, file: String)] {
        registered.enumerated().compactMap { index, migration in
            guard !migration.isFile, migration.place == nil else { return nil }
            return registered[..<index].last(where: \.isFile).map { (migration.identifier, $0.identifier) }
        }
    }

    /// Returns what is to be said about files that would run after a migration in this database, and before it in new ones.
    func displacements(_ applied: Set<String>) -> [String] {
        migrationsWithoutPlace.filter { applied.contains($0.identifier) }.compactMap { identifier, _ in
            let files = registered.prefix { $0.identifier != identifier }.filter(\.isFile).map(\.identifier)
            guard let file = files.first(where: { !applied.contains($0) }) else { return nil }
            let last = files.last(where: applied.contains)
            return
                "the migration \"\(file)\" runs after \"\(identifier)\" in this database, and before it in new ones. Give \"\(identifier)\" "
                + "its place" + (last.map { ": registerMigration(\"\(identifier)\", after: \"\($0)\")" } ?? "")
        }
    }
}

extension Migration {
    /// Returns whether the migration has an identifier, or replaces the migration that has.
    fileprivate func hasIdentifier(_ other: String) -> Bool { identifier == other || merged.contains(other) }
}
