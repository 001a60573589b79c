/// The changes that migrations made to a copy of a database.
public struct MigrationDryRun: Sendable {
    /// A migration that ran.
    public struct Step: Sendable {
        /// Its identifier.
        public let identifier: String

        /// Its changes to the schema.
        public let difference: SchemaDifference

        /// How long it took.
        public let duration: Duration
    }

    /// The migrations that ran, in order.
    public let steps: [Step]

    /// The changes of all steps to the schema.
    public let difference: SchemaDifference

    /// The SQL of the schema before, without SQLite's and the migrators' own tables.
    public let schemaBefore: String

    /// The SQL of the schema after.
    public let schemaAfter: String
}

extension MigrationDryRun: CustomStringConvertible {
    /// The migrations, each with its changes to the schema.
    public var description: String {
        steps.map { "\($0.identifier), \($0.duration)\n\($0.difference)" }.joined(separator: "\n\n")
    }
}

extension DatabaseMigrator {
    /// Runs the migrations that have not run yet in a copy of the database, and returns their changes to its schema.
    ///
    /// ```swift
    /// let dryRun = try queue.read { try migrator.dryRun($0) }
    /// print(dryRun.difference)
    /// ```
    ///
    /// The copy contains all rows, so a migration fails as it would in the database itself: for example, if rows violate a new constraint.
    /// The database does not change. ``eraseDatabaseOnSchemaChange`` has no effect.
    ///
    /// - Parameters:
    ///   - db: a connection, in an access that has written nothing.
    ///   - targetIdentifier: the last migration to run; all when nil.
    /// - Throws: ``MigrationError`` of the migration that fails, or ``DatabaseError``.
    /// - Complexity: O(n) in the size of the database, which is copied into a temporary file, plus the complexity of the migrations.
    public func dryRun(_ db: Database, upTo targetIdentifier: String? = nil) throws -> MigrationDryRun {
        let migrator = changed(self) { $0.eraseDatabaseOnSchemaChange = false }
        let run = try MigrationRun(migrator, target: targetIdentifier, monitor: nil)
        return try DatabaseQueue.withTemporaryDatabase(db.configuration) { copy in
            try db.backup(to: copy)
            let before = try SchemaSnapshot(copy)
            var last = before
            var steps: [MigrationDryRun.Step] = []
            let clock = ContinuousClock()
            for migration in try run.pendingMigrations(appliedIdentifiers(copy), copy) {
                let start = clock.now
                try MigrationRun(migrator, only: migration).run(copy)
                let duration = clock.now - start
                let snapshot = try SchemaSnapshot(copy)
                steps.append(
                    MigrationDryRun.Step(identifier: migration.identifier, difference: last.difference(to: snapshot), duration: duration))
                last = snapshot
            }
            return MigrationDryRun(
                steps: steps, difference: before.difference(to: last), schemaBefore: before.lines.joined(separator: "\n"),
                schemaAfter: last.lines.joined(separator: "\n"))
        }
    }
}
