import Foundation
import QueryInterface
import Testing

/// Runs a closure with a new in-memory database, in a transaction.
func withDatabase<Result>(_ sql: String, _ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().write { db in
        try db.execute(sql: sql)
        return try body(db)
    }
}

/// Whether SQLite checks its own work, as in a build with `SQLITE_DEBUG`. Each step of a statement then visits all values of the statement.
let sqliteChecksItself =
    (try? DatabaseQueue().read { try String.fetchAll($0, sql: "PRAGMA compile_options").contains("DEBUG") }) ?? false

/// A player, and a small team of them.
struct Player: TableRecord, FetchableRecord, Hashable {
    var id: Int64
    var name: String
    var score: Int?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
        static let best = Column("best")
    }

    init(row: Row) throws {
        id = try row.decode(forColumn: Columns.id)
        name = try row.decode(forColumn: Columns.name)
        score = try row.decode(forColumn: Columns.score)
    }

    static let createTable = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER, best INTEGER);
        INSERT INTO player VALUES
            (1, 'Arthur', 1000, 1000), (2, 'Barbara', 750, 1200), (3, 'Craig', NULL, 300), (4, 'David', 0, NULL);
        """
}

extension DatabaseError {
    /// The message and the advice.
    var sentences: String { "\(message ?? ""). \(advice ?? "")" }
}

/// Expects the message of SQLite for a column that does not exist. Later releases put the name in quotes, and add advice.
func expectMissingColumn(_ name: String, _ message: String?, sourceLocation: SourceLocation = #_sourceLocation) {
    let isExpected = message.map { $0.hasPrefix("no such column: \(name)") || $0.hasPrefix("no such column: \"\(name)\"") }
    #expect(isExpected == true, "\(message ?? "no message")", sourceLocation: sourceLocation)
}
