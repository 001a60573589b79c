import Strata
import Testing

@Suite("Records as GRDB's users write them")
struct RecordTests {
    @Test
    func `A team's players are fetched through its association`() throws {
        let queue = try makeDatabase()
        let names = try queue.read { db in
            let team = try Team.fetchOne(db, key: 1)!
            return try team.request(for: Team.players).order { $0.score.desc }.fetchAll(db).map(\.name)
        }
        #expect(names == ["Barbara", "Arthur"])
    }

    @Test
    func `No statement looks for a key that is NULL`() throws {
        struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
            var id: Int64?
            var name: String
        }
        try DatabaseQueue().write { db throws in
            try db.create(table: "player") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("name", .text)
            }
            try Player(id: nil, name: "a").insert(db)
            // Reads the schema.
            _ = try Player.fetchOne(db, key: 1)
            _ = try Player(id: 1, name: "a").exists(db)
            try Player(id: 7, name: "a").delete(db)
            let players = Table<Player>("player")
            let statements = try db.recordingSQL { () throws in
                #expect(try Player.fetchOne(db, key: nil as Int64?) == nil)
                #expect(try Player.fetchOne(db, id: nil) == nil)
                #expect(try !Player.exists(db, key: nil as Int64?))
                #expect(try !Player.exists(db, id: nil))
                #expect(try !Player.deleteOne(db, key: nil as Int64?))
                #expect(try !Player.deleteOne(db, id: nil))
                #expect(try !players.exists(db, key: nil as Int64?))
                #expect(try !players.deleteOne(db, key: nil as Int64?))
                #expect(try !Player(id: nil, name: "a").exists(db))
                #expect(throws: RecordError.self) { try Player.find(db, key: nil as Int64?) }
            }.sql
            #expect(statements.isEmpty)
            #expect(try Player.fetchCount(db) == 1)
        }
    }
}
