import Foundation
import Persistence
import Testing

/// Gives access to a new database in memory, in a transaction.
func withDatabase<Result>(_ sql: String, _ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().write { db in
        try db.execute(sql: sql)
        return try body(db)
    }
}

/// The traced statements.
private final class Trace {
    var statements: [String] = []
}

extension Database {
    /// The statements that a closure runs, with the values of their parameters, without statements that read the schema, and without
    /// the statements of triggers.
    func statements(_ body: () throws -> Void) throws -> [String] {
        let trace = Trace()
        self.trace { event in
            let sql = event.expandedDescription
            let asksForSchema =
                sql.hasPrefix("PRAGMA") || sql.contains("pragma_") || sql.contains("sqlite_") || sql.hasPrefix("SELECT rowid FROM")
            if !asksForSchema, !sql.hasPrefix("--") { trace.statements.append(sql) }
        }
        defer { self.trace(nil) }
        try body()
        return trace.statements
    }
}

extension Database {
    /// Expects that a closure runs these statements, and no others.
    func expect(_ statements: [String], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
        let actual = try self.statements(body)
        #expect(actual == statements, sourceLocation: sourceLocation)
    }
}

extension PersistenceContainer {
    /// The columns and values, as SQL literals: `"id: 1, name: 'Arthur'"`.
    var text: String { map { "\($0): \($1.sqlLiteral)" }.joined(separator: ", ") }
}

/// A struct that stores its row ID.
struct Player: MutablePersistableRecord, FetchableRecord, Equatable {
    var id: Int64?
    var name: String
    var score: Int?

    init(id: Int64? = nil, name: String, score: Int? = nil) {
        self.id = id
        self.name = name
        self.score = score
    }

    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        score = row["score"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    static let createTable = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER)"
}

/// A record that encodes the columns that it is given.
struct Sheet: MutablePersistableRecord {
    var columns: [(String, (any DatabaseValueConvertible)?)]
    var error: TestError?
    /// Called at the end of the encoding.
    var onEncode: ((inout PersistenceContainer) throws -> Void)?

    init(
        _ columns: KeyValuePairs<String, (any DatabaseValueConvertible)?>, error: TestError? = nil,
        onEncode: ((inout PersistenceContainer) throws -> Void)? = nil
    ) {
        self.columns = columns.map { ($0, $1) }
        self.error = error
        self.onEncode = onEncode
    }

    func encode(to container: inout PersistenceContainer) throws {
        for (name, value) in columns {
            container[name] = value
        }
        if let error { throw error }
        try onEncode?(&container)
    }
}
