/// Finds parts of the schema that migrations broke.
///
/// The state after one migration is the state before the next one, so a run examines the schema at its beginning, and after each migration
/// that changes it.
struct SchemaCheck {
    /// The last state of the schema, with its versions.
    private var last: (versions: [String: Int64], health: SchemaHealth)?

    /// Examines the schema before a migration, unless it is known.
    mutating func begin(_ db: Database) throws {
        let versions = try Self.versions(db)
        if last?.versions == versions { return }
        last = (versions, try SchemaHealth(db))
    }

    /// Examines the schema after a migration that has changed it, and returns what no longer works.
    mutating func end(_ db: Database) throws -> [SchemaProblem] {
        let versions = try Self.versions(db)
        guard let before = last, before.versions != versions else { return [] }
        let health = try SchemaHealth(db)
        last = (versions, health)
        return health.problems(since: before.health)
    }

    /// Throws if there are problems.
    ///
    /// - Throws: `SQLITE_ERROR`, with a message that names what no longer works.
    static func check(_ problems: [SchemaProblem]) throws {
        if problems.isEmpty { return }
        throw DatabaseError(resultCode: .SQLITE_ERROR, message: problems.map(\.description).joined(separator: "; "))
    }

    /// Returns the numbers of the schemas of all databases, which change with each change of a schema.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_schema_version>
    private static func versions(_ db: Database) throws -> [String: Int64] {
        var versions: [String: Int64] = [:]
        for schema in try DatabaseTables.schemaNames(db) {
            let statement = try db.makeStatement(sql: "PRAGMA \(schema.quotedDatabaseIdentifier).schema_version")
            defer { statement.reset() }
            versions[schema] = try statement.step() ? statement.int64(at: 0) : nil
        }
        return versions
    }
}
