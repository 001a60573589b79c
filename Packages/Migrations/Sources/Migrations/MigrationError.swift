/// The reason why migrations failed, or did not begin.
///
/// ```swift
/// do {
///     try migrator.migrate(queue)
/// } catch let error as MigrationError {
///     print(error)
///     // the migration "addScore" failed, and was rolled back: SQLite error 1: …
///     error.identifier         // "addScore"
///     error.underlyingError    // the DatabaseError
/// }
/// ```
public struct MigrationError: Error, Sendable {
    /// The identifier of the migration that failed; nil if none began.
    public let identifier: String?

    /// The reason of the failure.
    public let reason: Reason

    /// A reason of a failure.
    public enum Reason: Sendable {
        /// A migration threw an error, or broke a rule. Its transaction was rolled back. On a cluster, it may have been committed if the
        /// leader was lost during the commit, and no other one was found: ``MigrationError/description`` says so.
        case failed(any Error)
        /// Several migrations register or merge the same identifiers.
        case duplicateIdentifiers([String])
        /// A migration was registered after one that was not registered before it. The values are their identifiers.
        case unknownPlace(String, after: String)
        /// No registered migration has the identifier to migrate up to.
        case unknownTarget(String)
        /// Migrations after the target migration have run already.
        case beyondTarget(String, applied: [String])
        /// The database has migrations that are not registered, and ``DatabaseMigrator/refusesNewerDatabases`` is set.
        case newerDatabase([String])
        /// Another tool has run registered migrations, none of them is recorded, and
        /// ``DatabaseMigrator/refusesDatabasesOfOtherTools`` is set. The values are the tool and the identifiers.
        case migratedByOtherTool(String, applied: [String])
        /// The last migration of another tool has failed halfway.
        case unfinishedByOtherTool(String)
        /// The name of the namespace is empty.
        case emptyNamespace
        /// ``DatabaseMigrator/eraseDatabaseOnSchemaChange`` is set in a migrator with a namespace, and would erase the tables of other
        /// migrators.
        case erasingNamespace
    }

    /// The tool that may have run the migration that failed.
    private let otherTool: String?

    /// What has become of a migration that failed.
    enum Outcome: String {
        case rolledBack = "was rolled back"
        /// The error does not tell, and the database was asked.
        case notApplied = "was rolled back, as the database shows, after this error"
        case unknown = "may or may not have been applied"
    }

    private let outcome: Outcome

    init(_ reason: Reason, identifier: String? = nil, otherTool: String? = nil, outcome: Outcome = .rolledBack) {
        self.reason = reason
        self.identifier = identifier
        self.otherTool = otherTool
        self.outcome = outcome
    }

    /// The error of the migration, if one failed.
    public var underlyingError: (any Error)? {
        if case .failed(let error) = reason { error } else { nil }
    }
}

extension MigrationError: ErrorWithCause {}

extension MigrationError: CustomStringConvertible {
    /// A sentence with the reason, and with what to do.
    public var description: String {
        switch reason {
        case .failed(let error):
            "the migration \"\(identifier ?? "")\" failed, and \(outcome.rawValue): \(error)"
                + (otherTool.map { "\("\(error)".hasSuffix(".") ? "" : ".") \($0) has run migrations in this database. \(Self.adoption)" }
                    ?? "")
        case .duplicateIdentifiers(let identifiers):
            "migrations are registered or merged more than once: \(Self.list(identifiers)). Give each an identifier of its own."
        case .unknownPlace(let identifier, let other):
            "can't register \"\(identifier)\" after \"\(other)\": no migration with that identifier was registered before it"
        case .unknownTarget(let target):
            "can't migrate up to \"\(target)\": no migration with that identifier is registered"
        case .beyondTarget(let target, let applied):
            "can't migrate up to \"\(target)\": later migrations have already run: \(Self.list(applied))"
        case .newerDatabase(let identifiers):
            "the database has migrations that this program does not know: \(Self.list(identifiers)). Use a newer version of the program."
        case .migratedByOtherTool(let tool, let identifiers):
            "\(tool) has migrated the database, and its migrations are not recorded: \(Self.list(identifiers)). \(Self.adoption)"
        case .unfinishedByOtherTool(let tool):
            "the last migration of \(tool) has failed halfway: repair the database, and let \(tool) force its version"
        case .emptyNamespace:
            "the namespace of a migrator is empty. Give it a name, or use DatabaseMigrator()."
        case .erasingNamespace:
            "a migrator with a namespace can't erase the database on schema changes: the tables of other migrators would be lost"
        }
    }

    private static let adoption = "Record them once: try queue.write { try migrator.adoptMigrations($0) }"

    private static func list(_ identifiers: [String]) -> String {
        identifiers.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
