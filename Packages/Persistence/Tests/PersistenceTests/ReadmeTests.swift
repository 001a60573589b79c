import Persistence
import Testing

@Suite struct ReadmeTests {
    @Test("The README's sample")
    func sample() throws {
        struct Player: MutablePersistableRecord {
            var id: Int64?
            var name: String
            var score: Int

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
                container["score"] = score
            }

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        let queue = try DatabaseQueue()
        let player = try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)")

            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)  // INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100)
            player.score = 200
            try player.update(db)  // UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1
            try player.updateChanges(db) { $0.score += 10 }  // UPDATE "player" SET "score" = 210 WHERE "id" = 1
            return player
        }

        #expect(player.id == 1)
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM player").map(\.description) }
        #expect(rows == ["[id:1 name:'Arthur' score:210]"])
    }

    @Test("The README's sample of batches")
    func batches() throws {
        try withDatabase(Player.createTable) { db in
            var players = [Player(id: nil, name: "Arthur", score: 1), Player(id: nil, name: "Barbara", score: 2)]
            try players.insertAll(db)
            try players.updateAll(db, columns: ["score"])
            try players.saveAll(db)
            try players.upsertAll(db, onConflict: ["name"])
            try players.deleteAll(db)
            let names = ["Craig", "David"]
            let inserted = try names.lazy.map { Player(id: nil, name: $0, score: 0) }.insertedAll(db)
            #expect(inserted.map(\.id) == [1, 2])
        }
    }
}
