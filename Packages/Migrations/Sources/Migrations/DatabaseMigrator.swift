/// Brings the schema of a database to the version that a program expects, step by step.
///
/// ```swift
/// var migrator = DatabaseMigrator()
///
/// migrator.registerMigration("createPlayer") { db in
///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
/// }
/// migrator.registerMigration("addScore") { db in
///     try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
/// }
///
/// let queue = try DatabaseQueue(path: "/path/to/database.sqlite")
/// try migrator.migrate(queue)
/// ```
///
/// Each migration runs once in the life of a database, in the order in which migrations are registered, in a transaction of its own. When
/// one fails, the database is as it was before that migration, and the next call goes on there.
///
/// The identifiers of the migrations that have run are kept in the database, in the table `grdb_migrations`, as GRDB does: programs
/// that use the one or the other can share a file.
public struct DatabaseMigrator: Sendable {
    /// When foreign keys are checked.
    public enum ForeignKeyChecks: Sendable {
        /// At the end of the migration. While it runs, foreign keys are not enforced, so that tables can be dropped and built again.
        ///
        /// The check covers the tables that the migration has written to or altered, and those that refer to them.
        case deferred
        /// By each statement, as outside migrations.
        case immediate
    }

    /// Whether the database is emptied before the migrations run, when their definition has changed since they ran. False by default.
    ///
    /// For development only: all data is lost when a migration that ran was edited, renamed or removed. Differences in white space,
    /// comments, quotes and case don't count. See ``hasSchemaChanges(_:)``.
    public var eraseDatabaseOnSchemaChange = false

    /// Whether a database with migrations that this migrator does not know is an error. False by default, since several migrators can
    /// share a database.
    ///
    /// ```swift
    /// migrator.refusesNewerDatabases = true
    /// try migrator.migrate(queue)  // throws when a newer version of the program has migrated the file, and changes nothing
    /// ```
    public var refusesNewerDatabases = false

    /// Whether a digest of what each migration does to the schema is kept in the database. False by default.
    ///
    /// ``editedMigrations(_:)`` then finds the migrations that were edited after they ran.
    public var keepsDigests = false

    /// The name under which the applied migrations are kept, nil for the table that GRDB uses as well.
    public let namespace: String?

    var registered: [Migration] = []
    var defersForeignKeyChecks = true

    /// Makes a migrator without migrations.
    public init() {
        namespace = nil
    }

    /// Makes a migrator whose identifiers are its own: another migrator can have the same in the same database.
    ///
    /// ```swift
    /// // In a library that keeps tables in the database of its host:
    /// var migrator = DatabaseMigrator(namespace: "org.example.library")
    /// ```
    ///
    /// The applied migrations are kept in the table `strata_migrations`.
    ///
    /// - Parameter namespace: a name that is not empty.
    public init(namespace: String) {
        self.namespace = namespace
    }

    /// The identifiers of the registered migrations, in order.
    public var migrations: [String] { registered.map(\.identifier) }

    /// A migrator that does not check foreign keys after its migrations.
    ///
    /// ```swift
    /// var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    /// ```
    ///
    /// While a migration with ``ForeignKeyChecks/deferred`` checks runs, foreign keys are not enforced: without the check, rows can be left
    /// that refer to nothing. `try db.checkForeignKeys()` in a migration looks for them.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.defersForeignKeyChecks = false
        return migrator
    }

    // MARK: - Registering

    /// Adds a migration after those that were registered before.
    ///
    /// ```swift
    /// migrator.registerMigration("createPlayer") { db in
    ///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: a name that no other migration has, which never changes: the database remembers it.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - migrate: changes the schema and the data, in a transaction. It can't end the transaction; it can use savepoints.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (_ db: Database) throws -> Void
    ) {
        registered.append(
            Migration(identifier: identifier, foreignKeyChecks: foreignKeyChecks, merged: []) { db, _ in try migrate(db) })
    }

    /// Adds a migration that takes the place of several old ones.
    ///
    /// ```swift
    /// // Before: "v1" created the table, "v2" added the score.
    /// migrator.registerMigration("v2 and before", merging: ["v1", "v2"]) { db, applied in
    ///     if applied.contains("v2") { return }
    ///     if applied.contains("v1") {
    ///         try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
    ///     } else {
    ///         try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER)")
    ///     }
    /// }
    /// ```
    ///
    /// In a database where the merged migrations have run, this one runs once as well, and is told which of them have. Their identifiers
    /// are removed from the database, and the new one takes their place.
    ///
    /// - Parameters:
    ///   - identifier: a name that no other migration has.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - mergedIdentifiers: the identifiers of migrations that are no longer registered.
    ///   - migrate: changes the schema and the data, given those of the merged identifiers that have run.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred, merging mergedIdentifiers: Set<String>,
        migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
    ) {
        registered.append(
            Migration(identifier: identifier, foreignKeyChecks: foreignKeyChecks, merged: mergedIdentifiers, body: migrate))
    }
}

/// One step from a version of a schema to the next.
struct Migration: Sendable {
    let identifier: String
    let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks
    let merged: Set<String>
    let body: @Sendable (Database, Set<String>) throws -> Void
}
