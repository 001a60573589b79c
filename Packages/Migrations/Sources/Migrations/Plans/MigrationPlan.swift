/// What a migrator would do with a database.
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

        /// Those of the migrations whose place it takes that have run, in alphabetical order.
        public let mergedIdentifiers: [String]
    }

    /// The migrations that would run, in order.
    public let steps: [Step]

    /// The identifiers of the migrations that have run and are not registered, in alphabetical order.
    public let unknownIdentifiers: [String]

    /// The identifiers of the migrations that were edited after they ran: see ``DatabaseMigrator/editedMigrations(_:)``.
    public let editedIdentifiers: [String]

    /// Whether the database would be emptied first: see ``DatabaseMigrator/eraseDatabaseOnSchemaChange``.
    public let erasesDatabase: Bool

    /// Whether nothing would run.
    public var isEmpty: Bool { steps.isEmpty && !erasesDatabase }
}

extension MigrationPlan: CustomStringConvertible {
    /// A line for each thing that would happen, or is to be known.
    public var description: String {
        var lines = erasesDatabase ? ["erase the database"] : []
        lines += steps.map { step in
            let merged = step.mergedIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")
            return "run \"\(step.identifier)\"" + (merged.isEmpty ? "" : ", in place of \(merged)")
        }
        lines += unknownIdentifiers.map { "leave \"\($0)\", which is not known here" }
        lines += editedIdentifiers.map { "leave \"\($0)\", which was edited after it ran" }
        return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
    }
}

extension DatabaseMigrator {
    /// Lists what `migrate` would do now. Nothing runs in the database.
    ///
    /// - Parameters:
    ///   - db: a connection, in any access.
    ///   - targetIdentifier: the last migration to run; all when nil.
    /// - Throws: ``MigrationError`` where migrating would throw before it runs a migration, or ``DatabaseError``.
    public func plan(_ db: Database, upTo targetIdentifier: String? = nil) throws -> MigrationPlan {
        let run = try MigrationRun(self, target: targetIdentifier, monitor: nil)
        let applied = try appliedIdentifiers(db)
        let erases = try eraseDatabaseOnSchemaChange && targetIdentifier == nil && hasSchemaChanges(db)
        let pending = try run.pendingMigrations(erases ? [] : applied)
        return MigrationPlan(
            steps: pending.map {
                MigrationPlan.Step(
                    identifier: $0.identifier, foreignKeyChecks: $0.foreignKeyChecks,
                    mergedIdentifiers: erases ? [] : $0.merged.intersection(applied).sorted())
            },
            unknownIdentifiers: unknownIdentifiers(applied).sorted(), editedIdentifiers: try editedMigrations(db), erasesDatabase: erases)
    }

    /// The identifiers of the migrations that were edited after they ran, in the order of their registration.
    ///
    /// ```swift
    /// migrator.keepsDigests = true  // since before they ran
    /// let edited = try queue.read { try migrator.editedMigrations($0) }
    /// ```
    ///
    /// A migration counts as edited when it changes a schema in another way than it did: the registered migrations that have run do so
    /// again in a temporary database, and the digests of what they do are compared with those that were kept. What a migration does to
    /// rows does not count.
    ///
    /// - Parameter db: a connection, in any access.
    /// - Returns: none when ``keepsDigests`` was not set when they ran.
    /// - Throws: ``DatabaseError``, or ``MigrationError`` when a migration fails in the temporary database.
    /// - Complexity: that of the migrations, on an empty database.
    public func editedMigrations(_ db: Database) throws -> [String] {
        let kept = try journal.digests(db)
        if kept.isEmpty { return [] }
        var migrator = self
        migrator.keepsDigests = true
        let replayed = try migrator.replay(appliedIdentifiers(db), configuration: db.configuration) { try journal.digests($0) }
        return migrations.filter { identifier in
            guard let digest = kept[identifier], let other = replayed[identifier] else { return false }
            return digest != other
        }
    }
}
