import Persistence
import Testing

struct Player: MutablePersistableRecord {
    var id: Int64?
    var name: String
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

@Suite struct InsertTests {
    @Test func didInsertReceivesTheRowID() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            var player = Player(id: nil, name: "Arthur")
            try player.insert(db)
            #expect(player.id == 1)
            player.name = "Barbara"
            try player.update(db)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["Barbara"])
        }
    }
}
