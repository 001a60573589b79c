import Strata
import Testing

@Suite("Samples of the guide Records")
struct RecordsGuideTests {
    struct Player: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int
        var tags: [String] = []

        enum Columns {
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    struct Team: FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var color: String?

        init(id: Int64?, name: String, color: String?) {
            (self.id, self.name, self.color) = (id, name, color)
        }

        init(row: Row) throws {
            id = try row.decode(forKey: "id")
            name = try row.decode(forKey: "name")
            color = try row.decodeIfPresent(forKey: "color")
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["color"] = color
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    struct Word: Codable, FetchableRecord, PersistableRecord {
        var text: String
        var count: Int
    }

    struct NewTicket: Encodable, PersistableRecord {
        static let databaseTableName = "ticket"
        var title: String
    }

    struct Ticket: Codable, FetchableRecord, TableRecord {
        var id: Int64
        var title: String
        var state: String
    }

    @Test("Records are written, updated and deleted")
    func writing() throws {
        let queue = try DatabaseQueue()
        let (_, sql) = try queue.recordingSQL {
            try queue.write { db in
                try db.create(table: "player") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull()
                    t.column("score", .integer).notNull()
                    t.column("tags", .jsonText).notNull()
                }

                var player = Player(id: nil, name: "Arthur", score: 100)
                // INSERT INTO "player" ("id", "name", "score", "tags")
                // VALUES (NULL, 'Arthur', 100, '[]')
                try player.insert(db)

                player.score = 200
                // UPDATE "player" SET "name" = 'Arthur', "score" = 200, "tags" = '[]' WHERE "id" = 1
                try player.update(db)

                // UPDATE "player" SET "score" = 210 WHERE "id" = 1
                try player.updateChanges(db) { $0.score += 10 }

                let wasDeleted = try player.delete(db)  // DELETE FROM "player" WHERE "id" = 1
                #expect(player.id == 1)
                #expect(player.score == 210)
                #expect(wasDeleted)
            }
        }
        for statement in [
            #"INSERT INTO "player" ("id", "name", "score", "tags") VALUES (NULL, 'Arthur', 100, '[]')"#,
            #"UPDATE "player" SET "name" = 'Arthur', "score" = 200, "tags" = '[]' WHERE "id" = 1"#,
            #"UPDATE "player" SET "score" = 210 WHERE "id" = 1"#,
            #"DELETE FROM "player" WHERE "id" = 1"#,
        ] {
            #expect(sql.contains(statement))
        }
    }

    @Test("Records are read by their keys, and written in batches")
    func keysAndBatches() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
                t.column("tags", .jsonText).notNull()
            }

            var player = Player(id: nil, name: "Arthur", score: 100, tags: ["tall"])
            try player.insert(db)
            let first = try Player.fetchOne(db, key: 1)  // nil if there is no such row
            let found = try Player.find(db, key: 1)  // throws RecordError.recordNotFound
            let several = try Player.fetchAll(db, keys: [1, 2, 3])
            #expect(first?.tags == ["tall"])
            #expect(found.name == "Arthur")
            #expect(several.count == 1)
            #expect(throws: RecordError.self) { try Player.find(db, key: 2) }

            var players = [
                Player(id: nil, name: "Barbara", score: 750),
                Player(id: nil, name: "Craig", score: 200),
            ]
            try players.insertAll(db)  // the players have their ids now
            try players.deleteAll(db)
            #expect(players.map(\.id) == [2, 3])
            try #expect(Player.fetchCount(db) == 1)
            #expect(throws: RecordError.self) { try players[0].update(db) }
        }
    }

    @Test("A record by hand reads and writes its columns")
    func byHand() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, color TEXT)")
            var team = Team(id: nil, name: "Reds", color: nil)
            try team.insert(db)
            #expect(team.id == 1)
            let copy = try Team.find(db, key: 1)
            #expect(copy.name == "Reds")
            #expect(copy.color == nil)
            try db.execute(sql: "UPDATE team SET name = NULL")
            #expect(throws: RowDecodingError.self) { try Team.find(db, key: 1) }
        }
    }

    @Test("An upsert counts words")
    func upsert() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "word") { t in
                t.primaryKey("text", .text)
                t.column("count", .integer).notNull()
            }
            let (_, sql) = try db.recordingSQL {
                // INSERT INTO "word" ("text", "count") VALUES ('hello', 1)
                // ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1 RETURNING "rowid"
                for text in ["hello", "world", "hello"] {
                    try Word(text: text, count: 1).upsert(db, onConflict: ["text"]) { _ in
                        [Column("count") += 1]
                    }
                }
            }
            #expect(
                sql.contains(
                    #"INSERT INTO "word" ("text", "count") VALUES ('hello', 1)"#
                        + #" ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1 RETURNING "rowid""#))
            try #expect(Word.find(db, key: "hello").count == 2)
            try #expect(Word.find(db, key: "world").count == 1)
        }
    }

    @Test("A row is fetched as the database completed it")
    func completed() throws {
        try DatabaseQueue().write { db in
            let (state, sql) = try db.recordingSQL {
                try db.create(table: "ticket") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("title", .text).notNull()
                    t.column("state", .text).notNull().defaults(to: "open")
                }

                // INSERT INTO "ticket" ("title") VALUES ('It rains') RETURNING *
                let ticket = try NewTicket(title: "It rains").insertAndFetch(db, as: Ticket.self)
                return ticket.state
            }
            #expect(state == "open")
            #expect(sql.last == #"INSERT INTO "ticket" ("title") VALUES ('It rains') RETURNING *"#)
        }
    }
}
