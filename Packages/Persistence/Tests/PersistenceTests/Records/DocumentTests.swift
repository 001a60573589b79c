import Foundation
import Persistence
import Testing

// Those samples of the pages on record protocols and on PersistableRecord that compare, fetch and upsert, in their order. What a
// sample abbreviates is filled in, and what it prints is expected.

@Suite struct DocumentTests {
    private struct Player: MutablePersistableRecord, FetchableRecord {
        static let databaseTableName = "player"

        var id: Int64?
        var name: String
        var score: Int

        init(id: Int64?, name: String, score: Int) {
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

        // Mutating callback to capture the auto-incremented id
        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private func withPlayers<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withDatabase(
            """
            CREATE TABLE player (
                id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 100,
                createdAt DATETIME DEFAULT '2026-01-02 03:04:05');
            INSERT INTO player (id, name, score) VALUES (1, 'Arthur', 100);
            """, body)
    }

    @Test("Insert and Fetch")
    func insertAndFetch() throws {
        struct PartialPlayer: MutablePersistableRecord {
            static let databaseTableName = "player"
            var name: String

            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
            }
        }

        struct FullPlayer: FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            var score: Int  // Has a default value in the database
            var createdAt: Date  // Generated column

            init(row: Row) throws {
                id = row["id"]
                name = row["name"]
                score = row["score"]
                createdAt = row["createdAt"]
            }
        }

        try withPlayers { db in
            var partial = PartialPlayer(name: "Arthur")
            let full = try partial.insertAndFetch(db, as: FullPlayer.self)
            #expect(full.score == 100)  // The default value from the database
            #expect(full.createdAt == Date(timeIntervalSince1970: 1_767_323_045))  // The generated timestamp
        }
    }

    @Test("Update Changes Only")
    func updateChanges() throws {
        try withPlayers { db in
            let oldPlayer = try #require(try Player.fetchOne(db, id: 1))
            var newPlayer = oldPlayer
            newPlayer.score = 200
            newPlayer.name = "Arthur II"

            let modified = try newPlayer.updateChanges(db, from: oldPlayer)
            if modified {
                #expect(try db.rows("SELECT name, score FROM player") == ["'Arthur II' 200"])
            } else {
                Issue.record("Player was not updated")
            }
        }
    }

    @Test("Update with a Closure")
    func updateWithClosure() throws {
        try withPlayers { db in
            var player = try #require(try Player.fetchOne(db, id: 1))

            let modified = try player.updateChanges(db) { record in
                record.score += 10
                record.name = record.name.uppercased()
            }
            #expect(modified)
            #expect(try db.rows("SELECT name, score FROM player") == ["'ARTHUR' 110"])
        }
    }

    @Test("Update and Fetch")
    func updateAndFetch() throws {
        try withPlayers { db in
            try db.execute(
                sql: "CREATE TRIGGER bonus AFTER UPDATE ON player BEGIN UPDATE player SET score = score + 1 WHERE id = NEW.id; END")
            var player = try #require(try Player.fetchOne(db, id: 1))
            player.score = 200

            let updated = try player.updateAndFetch(db)
            #expect(updated.score == 201)  // Includes any database-side changes
        }
    }

    @Test("Save and Fetch")
    func saveAndFetch() throws {
        try withPlayers { db in
            let player = Player(id: nil, name: "Arthur", score: 100)
            let savedPlayer = try player.saveAndFetch(db)
            #expect(savedPlayer.id == 2)
        }
    }

    @Test("Upserting")
    func upserting() throws {
        struct Player: MutablePersistableRecord {
            static let databaseTableName = "player"
            var email: String  // Unique constraint
            var name: String
            var score: Int

            func encode(to container: inout PersistenceContainer) {
                container["email"] = email
                container["name"] = name
                container["score"] = score
            }
        }

        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, score INTEGER)") { db in
            var player = Player(email: "arthur@example.com", name: "Arthur", score: 100)

            // Insert or update based on email uniqueness
            try player.upsert(db)
            player.score = 200
            try player.upsert(db)
            #expect(try db.rows("SELECT * FROM player") == ["1 'arthur@example.com' 'Arthur' 200"])
        }
    }

    @Test("Record Comparison")
    func recordComparison() throws {
        try withPlayers { db in
            let player = try #require(try Player.fetchOne(db, id: 1))
            let same = try player.databaseEquals(Player(id: 1, name: "Arthur", score: 100))
            #expect(same)
            let changes = try player.databaseChanges(from: Player(id: 1, name: "Arthur", score: 50))
            #expect(changes == ["score": 50.databaseValue])
        }
    }
}
