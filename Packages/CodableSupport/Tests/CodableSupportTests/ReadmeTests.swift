import CodableSupport
import Foundation
import Testing

@Suite struct ReadmeTests {
    @Test("The README's sample")
    func sample() throws {
        struct Player: Codable, FetchableRecord, MutablePersistableRecord {
            var id: Int64?
            var name: String
            var born: Date?
            var tags: [String]

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        let queue = try DatabaseQueue()
        let players = try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT, tags TEXT NOT NULL)
                    """)

            var player = Player(id: nil, name: "Arthur", born: nil, tags: ["tall", "fast"])
            try player.insert(db)
            return try Player.filter(Column("name") == "Arthur").fetchAll(db)
        }

        #expect(players.map(\.id) == [1])
        #expect(players[0].name == "Arthur" && players[0].born == nil && players[0].tags == ["tall", "fast"])
        #expect(try queue.read { try String.fetchOne($0, sql: "SELECT tags FROM player") } == #"["tall","fast"]"#)
    }
}
