import Foundation
import RowDecoding
import Testing

/// A record with an initializer of its own.
struct Player: FetchableRecord, Hashable {
    var id: Int64
    var name: String
    var score: Int

    init(id: Int64, name: String, score: Int) {
        self.id = id
        self.name = name
        self.score = score
    }

    init(row: Row) throws {
        id = try row.decode(Int64.self, forKey: "id")
        name = try row.decode(String.self, forKey: "name")
        score = try row.decode(Int.self, forKey: "score")
    }

    static let arthur = Player(id: 1, name: "Arthur", score: 1500)
    static let barbara = Player(id: 2, name: "Barbara", score: 750)
    static let craig = Player(id: 3, name: "Craig", score: 1200)
}

struct Team: FetchableRecord, Hashable {
    var id: Int64
    var name: String

    init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }

    init(row: Row) throws {
        id = try row.decode(Int64.self, forKey: "id")
        name = try row.decode(String.self, forKey: "name")
    }
}

/// Accesses a database with three players, in memory.
func withPlayers<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().writeWithoutTransaction { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                INSERT INTO player VALUES (1, 'Arthur', 1500), (2, 'Barbara', 750), (3, 'Craig', 1200);
                """)
        return try body(db)
    }
}

/// Accesses an empty database in memory.
func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().writeWithoutTransaction(body)
}

/// The first row of a query.
func row(_ sql: String, _ arguments: StatementArguments = [], adapter: (any RowAdapter)? = nil) throws -> Row {
    try withDatabase { try #require(try Row.fetchOne($0, sql: sql, arguments: arguments, adapter: adapter)) }
}
