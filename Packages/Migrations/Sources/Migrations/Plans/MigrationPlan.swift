/// The migrations that a migrator would run in a database.
///
/// ```swift
/// let plan = try queue.read { try migrator.plan($0) }
/// print(plan)
/// // run "addScore"
/// // run "addTeam", in place of "v1", "v2"
/// ```
public struct MigrationPlan: Sendable {
    /// A migration that would run.
    public struct Step: Hashable, Sendable {
        /// Its identifier.
        public let identifier: String

        /// When its foreign keys are checked.
        public let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks

        /// The identifiers of the migrations that it replaces and that have run, in alphabetical order.
        public let mergedIdentifiers: [String]
    }

    /// The migrations that would run, in order.
    public let steps: [Step]

    /// The identifiers of the migrations that have run and are not registered, in alphabetical order.
    public let unknownIdentifiers: [String]

    /// The identifiers of the migrations that were edited after they ran: see ``DatabaseMigrator/editedMigrations(_:)``.
    public let editedIdentifiers: [String]

    /// Whether the database would be erased first: see ``DatabaseMigrator/eraseDatabaseOnSchemaChange``.
    public let erasesDatabase: Bool

    /// Whether nothing would run.
    public var isEmpty: Bool { steps.isEmpty && !erasesDatabase }
}

extension MigrationPlan: CustomStringConvertible {
    /// The contents of the plan, one per line.
    public var description: String {
        var lines = erasesDatabase ? ["erase the database"] : []
        lines += steps.map { step in
            let merged = step.mergedIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")
            return "run \"\(step.identifier)\"" + (merged.isEmpty ? "" : ", in place of \(merged)")
        }
        lines += unknownIdentifiers.map { "leave \"\($0)\", which this program does not know" }
        lines += editedIdentifiers.map { "leave \"\($0)\", which was edited after it ran" }
        return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
    }
}

extension DatabaseMigrator {
    /// Returns the migrations that `migrate` would run now, without running them.
    ///
    /// - Parameters:
    ///   - db: a connection, in any access.
    ///   - targetIdentifier: the last migration to run; all when nil.
    /// - Throws: ``MigrationError`` if migrating would throw before it runs a migration, or ``DatabaseError``.
    public func plan(_ db: Database, upTo targetIdentifier: String? = nil) throws -> MigrationPlan {
        let run = try MigrationRun(self, target: targetIdentifier, monitor: nil)
        let applied = try appliedIdentifiers(db)
        let erases = try eraseDatabaseOnSchemaChange && targetIdentifier == nil && hasSchemaChanges(db)
        let pending = try run.pendingMigrations(erases ? [] : applied, db)
        return MigrationPlan(
            steps: pending.map {
                MigrationPlan.Step(
                    identifier: $0.identifier, foreignKeyChecks: $0.foreignKeyChecks,
                    mergedIdentifiers: erases ? [] : $0.merged.intersection(applied).sorted())
            },
            unknownIdentifiers: unknownIdentifiers(applied).sorted(), editedIdentifiers: try editedMigrations(db), erasesDatabase: erases)
    }

    /// Returns the identifiers of the migrations that were edited after they ran, in the order of their registration.
    ///
    /// ```swift
    /// migrator.keepsDigests = true  // since before they ran
    /// let edited = try queue.read { try migrator.editedMigrations($0) }
    /// ```
    ///
    /// A migration counts as edited if it no longer makes the same changes to the schema. To find out, this method runs the registered
    /// migrations that have run again in a temporary database, and compares the digests of their changes with the stored ones. Changes
    /// to rows don't count.
    ///
    /// - Parameter db: a connection, in any access.
    /// - Returns: an empty array if ``keepsDigests`` was false when the migrations ran.
    /// - Throws: ``DatabaseError``, or ``MigrationError`` when a migration fails in the temporary database.
    /// - Complexity: the complexity of the migrations, on an empty database.
    public func editedMigrations(_ db: Database) throws -> [String] {
        let kept = try journal.digests(db)
        if kept.isEmpty { return [] }
        let migrator = changed(self) { $0.keepsDigests = true }
        let replayed = try migrator.replay(appliedIdentifiers(db), configuration: db.configuration) { try journal.digests($0) }
        return migrations.filter { identifier in
            guard let digest = kept[identifier], let other = replayed[identifier] else { return false }
            return !SchemaDifference.matches(digest, other)
        }
    }
}
