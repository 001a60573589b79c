import Foundation
import Strata
import Testing

// "Full Example" of the page on PersistableRecord, as it stands there, with expectations in place of its prints.

private struct Player: Codable {
    var id: Int64?
    var name: String
    var score: Int
    var createdAt: Date?
}

extension Player: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "player"

    mutating func willInsert(_ db: Database) throws {
        createdAt = Date()
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

@Suite struct FullExampleTests {
    @Test
    func `Full example`() throws {
        let dbQueue = try DatabaseQueue()

        try dbQueue.write { db in
            // Create table
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        name TEXT NOT NULL,
                        score INTEGER NOT NULL,
                        createdAt DATETIME
                    )
                    """)

            // Insert
            let start = Date()
            var player = Player(id: nil, name: "Arthur", score: 100, createdAt: nil)
            try player.insert(db)
            #expect("Inserted player with id: \(player.id!)" == "Inserted player with id: 1")
            let createdAt = try #require(player.createdAt)
            #expect(createdAt >= start && createdAt <= Date())
            #expect(try rows(db) == ["1 Arthur 100"])

            // Update
            player.score = 200
            try player.update(db)
            #expect(try rows(db) == ["1 Arthur 200"])

            // Fetch
            if let fetched = try Player.fetchOne(db, id: player.id) {
                #expect("Fetched: \(fetched.name), score: \(fetched.score)" == "Fetched: Arthur, score: 200")
                // Dates are stored in milliseconds.
                #expect(abs(fetched.createdAt!.timeIntervalSince(createdAt)) <= 0.001)
            } else {
                Issue.record("There is no player.")
            }

            // Delete
            try player.delete(db)
            #expect(try rows(db) == [])
        }

        // The transaction was committed, and an id is not used again.
        try dbQueue.write { db in
            #expect(try Player.fetchCount(db) == 0)
            let player = try Player(id: nil, name: "Barbara", score: 1, createdAt: nil).inserted(db)
            #expect(player.id == 2)
            #expect(try Player.fetchOne(db, id: 1) == nil)
        }
    }

    private func rows(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT id, name, score FROM player").map { row in
            let id: Int64 = row["id"]
            let name: String = row["name"]
            let score: Int = row["score"]
            return "\(id) \(name) \(score)"
        }
    }
}
