/// Checks the foreign keys that a migration may have violated: those of the tables that it has changed, and those that reference these
/// tables. Checking all foreign keys of a large database would take long.
struct ForeignKeyCheck {
    /// The maximum number of violations that an error describes. The descriptions of several rows are equal, unless values are public.
    private static let maximumCount = 10

    private let changed: Set<String>

    /// - Parameter changed: names of tables in lower case, in any database of the connection.
    init(changed: Set<String>) {
        self.changed = changed
    }

    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY`, with a message that lists the first violations.
    func run(_ db: Database) throws {
        guard !changed.isEmpty else { return }
        var sentences: [String] = []
        var count = 0
        for (schema, table) in try tables(db) {
            let violations = try db.foreignKeyViolations(in: table, in: schema)
            while let violation = try violations.next() {
                if count == Self.maximumCount {
                    sentences.append("and more")
                    return try fail(sentences)
                }
                count += 1
                let sentence = try violation.failureDescription(db)
                if !sentences.contains(sentence) { sentences.append(sentence) }
            }
        }
        if !sentences.isEmpty { try fail(sentences) }
    }

    private func fail(_ sentences: [String]) throws {
        throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: sentences.joined(separator: "; "))
    }

    /// Returns the tables to check, with their databases.
    private func tables(_ db: Database) throws -> [(schema: String, table: String)] {
        var tables: [(String, String)] = []
        for schema in try DatabaseTables.schemaNames(db) {
            let statement = try db.makeStatement(
                sql: """
                    SELECT t.name, f."table" FROM \(DatabaseSchemaID.attached(schema).schemaTableName) AS t,
                        pragma_foreign_key_list(t.name, ?) AS f
                    WHERE t.type = 'table'
                    """)
            try statement.setArguments([schema])
            var names: Set<String> = []
            while try statement.step() {
                let name = statement.string(at: 0) ?? ""
                let destination = statement.string(at: 1) ?? ""
                if changed.contains(name.lowercased()) || changed.contains(destination.lowercased()) { names.insert(name) }
            }
            tables += names.sorted().map { (schema, $0) }
        }
        return tables
    }
}

/// The tables of all databases of a connection. Comparing two values shows which tables a migration has changed.
struct DatabaseTables {
    /// Distinguishes tables of the same name.
    private struct Definition: Hashable {
        let sql: String?
        let rootPage: Int64?
    }

    private struct ID: Hashable {
        let schema: String
        let name: String
    }

    private var definitions: [ID: Definition] = [:]

    init(_ db: Database) throws {
        for schema in try Self.schemaNames(db) {
            let statement = try db.makeStatement(
                sql: "SELECT name, sql, rootpage FROM \(DatabaseSchemaID.attached(schema).schemaTableName) WHERE type = 'table'")
            while try statement.step() {
                let id = ID(schema: schema, name: (statement.string(at: 0) ?? "").lowercased())
                definitions[id] = Definition(sql: statement.string(at: 1), rootPage: statement.int64(at: 2))
            }
        }
    }

    /// Returns the names of the tables that were created, dropped, altered or renamed, in lower case. A renamed table has both names.
    func changes(to other: DatabaseTables) -> Set<String> {
        let ids = Set(definitions.keys).union(other.definitions.keys)
        return Set(ids.filter { definitions[$0] != other.definitions[$0] }.map(\.name))
    }

    static func schemaNames(_ db: Database) throws -> [String] {
        let statement = try db.makeStatement(sql: "PRAGMA database_list")
        var names: [String] = []
        while try statement.step() { names.append(statement.string(at: 1) ?? "") }
        return names
    }
}
