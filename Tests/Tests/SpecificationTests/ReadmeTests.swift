import Foundation
import Strata
import Testing

@Suite struct ReadmeTests {
    @Test("The README's first sample")
    func sample() throws {
        let path = NSTemporaryDirectory() + "/strata-\(UUID().uuidString).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }

        struct Player: Codable, FetchableRecord, MutablePersistableRecord {
            var id: Int64?
            var name: String
            var score: Int

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        let queue = try DatabaseQueue(path: path)  // a file, made if there is none

        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)")

            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            player.score = 200
            try player.update(db)
        }

        let best = try queue.read { db in
            try Player.filter(Column("score") > 150).order(Column("score").desc).limit(10).fetchAll(db)
        }

        #expect(best.map(\.name) == ["Arthur"])
        #expect(best.map(\.id) == [1])
        #expect(best.map(\.score) == [200])
        try queue.close()
    }
}
