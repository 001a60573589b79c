import QueryInterface
import Testing

/// Runs a closure with a new in-memory database, in a transaction.
func withEmptyDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try withDatabase("", body)
}

extension Database {
    /// The statements that a closure runs, including those that fail, but not those that read the schema.
    func statements(_ body: () throws -> Void) throws -> [String] {
        var statements: [String] = []
        trace { statements.append($0.description) }
        defer { trace() }
        try body()
        return statements.filter { sql in !["--", "PRAGMA", "SELECT"].contains { sql.hasPrefix($0) } }
    }

    /// The single statement that a closure runs.
    func statement(_ body: () throws -> Void) throws -> String {
        let statements = try statements(body)
        try #require(statements.count == 1, "\(statements)")
        return statements[0]
    }

    /// Creates a table with one column, and returns the SQL of the column: `"name" TEXT`.
    func columnSQL(
        options: TableOptions = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: (TableDefinition) throws -> Void
    ) throws -> String {
        let sql = try statement { try create(table: "t", options: options, body: body) }
        let (start, end) = (#"CREATE TABLE "t" ("#, ")")
        try #require(sql.hasPrefix(start) && sql.hasSuffix(end), "\(sql)", sourceLocation: sourceLocation)
        return String(sql.dropFirst(start.count).dropLast(end.count))
    }

    /// The message of the error that a closure throws.
    func message(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws -> String {
        let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
        return try #require(error?.message)
    }

    /// The message and the advice of the error that a closure throws.
    func sentences(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws -> String {
        let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
        return try #require(error?.sentences)
    }

    /// The names of all objects in the schema, without SQLite's internal ones.
    func objectNames() throws -> [String] {
        try String.fetchAll(
            self,
            sql: """
                SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'
                UNION ALL SELECT name FROM sqlite_temp_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'
                ORDER BY name
                """)
    }
}

/// Runs a statement that must violate a constraint.
func expectViolation(
    of code: ResultCode, _ db: Database, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    expectError(code, sourceLocation: sourceLocation) { try db.execute(sql: sql) }
}

/// Names that need quotes.
let oddSchemaNames = [
    "order", "SELECT", "two words", #"say "hi""#, #""""#, "it's", "semi;colon", "a.b", "1st", "[bracket]", "`tick`", "🏆", "naïve",
    "-- comment", "new\nline", "?1", "main", "temp",
]

extension Collection<String> {
    /// The quoted names, separated by commas.
    var quoted: String {
        map { "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"" }
            .joined(separator: ", ")
    }
}
