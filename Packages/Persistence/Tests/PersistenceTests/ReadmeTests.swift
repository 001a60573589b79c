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
            try db.execute(
                sql: """
                    CREATE TABLE player
                        (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)
                    """)

            var player = Player(id: nil, name: "Arthur", score: 100)
            // INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100)
            try player.insert(db)
            player.score = 200
            // UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1
            try player.update(db)
            // UPDATE "player" SET "score" = 210 WHERE "id" = 1
            try player.updateChanges(db) { $0.score += 10 }
            return player
        }

        #expect(player.id == 1)
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM player").map(\.description) }
        #expect(rows == ["[id:1 name:'Arthur' score:210]"])
    }

    @Test("The README's sample of a record that is given back its state after a transaction that has failed")
    func failedTransaction() throws {
        struct Team: PersistableRecord {
            func encode(to container: inout PersistenceContainer) { container["id"] = 7 }
        }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: Player.createTable)
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
        }
        var player = Player(name: "Arthur")
        let team = Team()
        func write() throws {
            let saved = try queue.write { db in
                let saved = try player.inserted(db)
                try team.update(db)  // may fail
                return saved
            }
            player = saved
        }
        #expect(throws: RecordError.self) { try write() }
        #expect(player.id == nil)
        try queue.write { try team.insert($0) }
        try write()
        #expect(player.id == 1)
    }

    @Test("The README's sample of batches")
    func batches() throws {
        try withDatabase(Player.createTable) { db in
            try db.execute(sql: "CREATE TABLE word (text TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)")
            let names = ["Craig", "David"]
            let words = ["jovial", "genial"].map { Word(text: $0, count: 1) }
            var players = [Player(id: nil, name: "Arthur", score: 1), Player(id: nil, name: "Barbara", score: 2)]
            try players.insertAll(db)  // the players have their ids
            try players.updateAll(db, columns: ["score"])
            try players.saveAll(db)
            try players.upsertAll(db, onConflict: ["name"])
            try players.deleteAll(db)  // returns how many rows there were

            let inserted = try names.lazy.map { Player(id: nil, name: $0, score: 0) }.insertedAll(db)

            // Records that don't change, from any sequence
            try words.insertAll(db) { completed in
                if completed.isMultiple(of: 10_000) { print(completed) }
            }

            let ids = inserted.map(\.id)
            #expect(ids == [1, 2])
            #expect(try Word.fetchCount(db) == 2)
        }
    }

    private struct Word: PersistableRecord {
        var text: String
        var count: Int

        func encode(to container: inout PersistenceContainer) {
            container["text"] = text
            container["count"] = count
        }
    }

    @Test("The README's sample of an upsert")
    func upsert() throws {
        try withDatabase("CREATE TABLE word (text TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)") { db in
            let word = Word(text: "jovial", count: 1)
            for _ in 1...3 {
                // INSERT INTO "word" ("text", "count") VALUES ('jovial', 1)
                // ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1 RETURNING "rowid"
                try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
            }
            let counts = try Int.fetchAll(db, sql: "SELECT count FROM word")
            #expect(counts == [3])
        }
    }

    @Test("The README's samples of writing and fetching")
    func fetching() throws {
        struct PartialPlayer: PersistableRecord {
            static let databaseTableName = "player"
            var name: String

            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
            }
        }
        struct FullPlayer: TableRecord, FetchableRecord {
            static let databaseTableName = "player"
            var id: Int64
            var score: Int

            init(row: Row) throws {
                id = try row.decode(forKey: "id")
                score = try row.decode(forKey: "score")
            }
        }
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL DEFAULT 7)") { db in
            let partial = PartialPlayer(name: "Arthur")
            var player = Player(id: 1, name: "Arthur", score: 1)
            // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING *
            let full = try partial.insertAndFetch(db, as: FullPlayer.self)

            // UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"
            let score = try player.updateAndFetch(db, columns: ["name"], selection: [Column("score")]) { try Int.fetchOne($0) }
            #expect(full.id == 1)
            #expect(full.score == 7)
            #expect(score == 7)
        }
    }
}
