import CodableSupport
import Testing

@Suite struct CodableRecordTests {
    struct Player: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        var id: Int64?
        var name: String
        var tags: [String]?
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test func aCodableRecordNeedsNoCode() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, tags TEXT)")
            var player = Player(id: nil, name: "Arthur", tags: ["a", "b"])
            try player.insert(db)
            #expect(player.id == 1)
            #expect(try Player.fetchAll(db) == [player])
            #expect(try Player.fetchOne(db, key: 1) == player)
        }
    }
}
