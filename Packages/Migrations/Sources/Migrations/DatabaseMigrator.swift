/// Migrates the schema of a database, step by step, to the version that a program expects.
///
/// ```swift
/// var migrator = DatabaseMigrator()
///
/// migrator.registerMigration("createPlayer") { db in
///     try db.execute(
///         sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
/// }
/// migrator.registerMigration("addScore") { db in
///     try db.execute(
///         sql: "ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
/// }
///
/// let queue = try DatabaseQueue(path: "/path/to/database.sqlite")
/// try migrator.migrate(queue)
/// ```
///
/// Each migration runs once in the life of a database, in its own transaction. Migrations run in the order in which they are registered.
/// When one fails, its transaction is rolled back, and the next call runs it again.
///
/// The migrator stores the identifiers of the migrations that have run in the table `grdb_migrations`. GRDB uses the same table, so
/// programs that use Strata or GRDB can share a file.
public struct DatabaseMigrator: Sendable {
    /// When foreign keys are checked.
    public enum ForeignKeyChecks: Sendable {
        /// At the end of the migration. Foreign keys are not enforced while it runs, so that it can drop tables and create them again.
        ///
        /// The check covers the tables that the migration has written to or altered, and the tables that reference them.
        case deferred
        /// In each statement, as outside migrations.
        case immediate
    }

    /// Whether the database is erased before migrating if the definitions of migrations have changed since they ran. False by default.
    ///
    /// For development only: all data is lost when a migration that has run was edited, renamed or removed. Differences in white space,
    /// comments, quotes and case don't count. See ``hasSchemaChanges(_:)``.
    public var eraseDatabaseOnSchemaChange = false

    /// Whether migrating throws if the database has migrations that are not registered. False by default, because several migrators can
    /// share a database.
    ///
    /// ```swift
    /// migrator.refusesNewerDatabases = true
    /// // Throws when a newer version of the program has migrated the file, and changes nothing.
    /// try migrator.migrate(queue)
    /// ```
    public var refusesNewerDatabases = false

    /// Whether migrating throws if another tool has run registered migrations, and none of them is recorded. False by default.
    ///
    /// ```swift
    /// migrator.refusesDatabasesOfOtherTools = true
    /// try migrator.migrate(queue)
    /// // goose has migrated the database, and its migrations are not recorded: "0001_players".
    /// // Record them once: try queue.write { try migrator.adoptMigrations($0) }
    /// ```
    ///
    /// It is set in the migrators of files with SQL. See ``adoptMigrations(_:from:)``.
    public var refusesDatabasesOfOtherTools = false

    /// The identifiers of migrations that are no longer registered, and that databases may have recorded. A database that has run them does
    /// not count as newer.
    ///
    /// ```swift
    /// migrator.retiredMigrations = ["addNickname"]
    /// ```
    public var retiredMigrations: Set<String> = []

    /// Whether the database stores a digest of each migration's changes to the schema. False by default.
    ///
    /// With digests, ``editedMigrations(_:)`` finds the migrations that were edited after they ran.
    public var keepsDigests = false

    /// Whether a migration fails if it breaks parts of the schema. True by default.
    ///
    /// ```swift
    /// migrator.registerMigration("dropEmailIndex") { db in
    ///     try db.execute(sql: "DROP INDEX author_by_email")
    /// }
    /// try migrator.migrate(queue)
    /// // the migration "dropEmailIndex" failed, and was rolled back: … the foreign keys of
    /// // book would no longer work: foreign key mismatch - "book" referencing "author"
    /// ```
    ///
    /// The check finds views and triggers, including temporary ones, that SQLite can no longer compile. If the configuration enforces
    /// foreign keys, it also finds foreign keys that refer to columns that lost their unique index, or to a dropped table. It accepts
    /// tables that a migration with ``ForeignKeyChecks/immediate`` checks has dropped, because SQLite allowed it, and new parts that refer
    /// to tables of later migrations.
    ///
    /// The check compiles statements, and reads no rows: ``disablingDeferredForeignKeyChecks()`` does not affect it. It runs if the schema
    /// has changed, in dry runs, too.
    ///
    /// Set it to false if a released migration breaks the schema, and a later migration repairs it.
    public var checksSchema = true

    /// The namespace of the identifiers, or nil if they are stored in the table that GRDB uses as well.
    public let namespace: String?

    var registered: [Migration] = []
    /// Whether the migrations that are registered next check foreign keys.
    var defersForeignKeyChecks = true

    /// Creates a migrator without migrations.
    ///
    /// ```swift
    /// var migrator = DatabaseMigrator()
    /// migrator.registerMigration("createPlayer") { db in
    ///     try db.create(table: "player") { t in
    ///         t.autoIncrementedPrimaryKey("id")
    ///         t.column("name", .text).notNull()
    ///     }
    /// }
    /// ```
    public init() {
        namespace = nil
    }

    /// Creates a migrator with a namespace for its identifiers. Another migrator can use the same identifiers in the same database.
    ///
    /// ```swift
    /// // In a library that keeps tables in the database of its host:
    /// var migrator = DatabaseMigrator(namespace: "org.example.library")
    /// ```
    ///
    /// The migrator stores the identifiers of the migrations that have run in the table `strata_migrations`.
    ///
    /// - Parameter namespace: a name that is not empty.
    public init(namespace: String) {
        self.namespace = namespace
    }

    /// The identifiers of the registered migrations, in order.
    public var migrations: [String] { registered.map(\.identifier) }

    /// Returns a migrator that does not check foreign keys after the migrations that are registered from now on.
    ///
    /// ```swift
    /// var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    /// ```
    ///
    /// Foreign keys are not enforced while a migration with ``ForeignKeyChecks/deferred`` checks runs. Without the check, it can leave rows
    /// that reference missing rows. To find them, call `try db.checkForeignKeys()` in a migration. ``checksSchema`` still checks that the
    /// keys can be enforced at all. Previously registered migrations keep their checks.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        changed(self) { $0.defersForeignKeyChecks = false }
    }
}

/// A registered migration.
struct Migration: Sendable {
    let identifier: String
    let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks
    /// Whether deferred checks run.
    var checksForeignKeys = true
    var merged: Set<String> = []
    /// The migration after which it was registered; nil if it was registered at the end.
    var place: String?
    /// Whether it is a file, to which later versions add others.
    var isFile = false
    /// Whether it fails if it changes the schema.
    var keepsSchema = false
    let body: @Sendable (Database, Set<String>) throws -> Void
}
