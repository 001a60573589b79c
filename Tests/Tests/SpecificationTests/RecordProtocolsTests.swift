import Foundation
import Strata
import Testing

// The samples of the page on the record protocols, in their order. What a sample abbreviates is filled in, and what it prints is expected.

@Suite struct RecordProtocolsTests {
    @Test
    func `A FetchableRecord is fetched`() throws {
        struct Player: FetchableRecord {
            var id: Int64
            var name: String
            var score: Int

            init(row: Row) throws {
                id = row["id"]
                name = row["name"]
                score = row["score"]
            }
        }

        try makeDatabase().read { db in
            let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
            #expect(players.map(\.id) == [1, 2, 42])
            #expect(players.map(\.name) == ["Arthur", "Barbara", "Craig"])
            #expect(players.map(\.score) == [100, 1200, 1500])
        }
    }

    @Test
    func `PersistableRecord & MutablePersistableRecord`() throws {
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

        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 43)
        }
    }

    @Test
    func `Choosing between protocols: FetchableRecord alone`() throws {
        struct PlayerStats: FetchableRecord {
            var name: String
            var totalScore: Int
            var gamesPlayed: Int

            init(row: Row) throws {
                name = row["name"]
                totalScore = row["totalScore"]
                gamesPlayed = row["gamesPlayed"]
            }
        }

        try makeDatabase().read { db in
            let sql = "SELECT name, sum(score) AS totalScore, count(*) AS gamesPlayed FROM player GROUP BY name ORDER BY name"
            let stats = try PlayerStats.fetchAll(db, sql: sql)
            #expect(stats.map(\.totalScore) == [100, 1200, 1500])
            #expect(stats.map(\.gamesPlayed) == [1, 1, 1])
        }
    }

    @Test
    func `Choosing between protocols: MutablePersistableRecord for structs with auto-incremented primary keys`() throws {
        struct Player: MutablePersistableRecord {
            var id: Int64?
            var name: String

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur")
            let copy = player
            try player.insert(db)
            #expect(player.id == 43)
            #expect(copy.id == nil)
        }
    }

    @Test
    func `Choosing between protocols: PersistableRecord for classes`() throws {
        class Player: PersistableRecord {
            var id: Int64?
            var name: String

            init(id: Int64?, name: String) {
                self.id = id
                self.name = name
            }

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }

            func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        try makeDatabase().write { db in
            let player = Player(id: nil, name: "Arthur")
            try player.insert(db)
            #expect(player.id == 43)
        }
    }

    @Test
    func `Choosing between protocols: TableRecord enables the query interface`() throws {
        struct Player: FetchableRecord, MutablePersistableRecord, TableRecord {
            static let databaseTableName = "player"
            var name: String

            init(row: Row) throws {
                name = row["name"]
            }

            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
            }
        }

        try makeDatabase().read { db in
            let player = try Player.filter(Column("id") == 42).fetchOne(db)
            let highScorers = try Player.filter(Column("score") > 1000).fetchAll(db)
            #expect(player?.name == "Craig")
            #expect(highScorers.map(\.name) == ["Barbara", "Craig"])
        }
    }

    @Test
    func `Codable integration`() throws {
        try makeDatabase().write { db in
            var player = CodablePlayer(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 43)
            #expect(try CodablePlayer.fetchOne(db, id: 43) == player)
        }
    }

    @Test
    func `Persistence methods`() throws {
        try makeDatabase().write { db in
            // insert(_:) inserts a new record into the database
            var player = CodablePlayer(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(try CodablePlayer.fetchCount(db) == 4)

            // update(_:) updates an existing record based on its primary key
            player.score = 200
            try player.update(db)
            #expect(try CodablePlayer.fetchOne(db, id: 43)?.score == 200)

            // save(_:) inserts or updates depending on whether the record exists
            try player.save(db)  // Inserts if new, updates if exists
            #expect(try CodablePlayer.fetchCount(db) == 4)
            var other = CodablePlayer(id: nil, name: "Barbara", score: 0)
            try other.save(db)
            #expect(try CodablePlayer.fetchCount(db) == 5)

            // delete(_:) deletes the record from the database
            try player.delete(db)
            #expect(try CodablePlayer.fetchOne(db, id: 43) == nil)
        }
    }

    @Test
    func `Protocol hierarchy`() {
        func isEncodable(_ type: (some EncodableRecord).Type) -> Bool { true }
        func hasTable(_ type: (some TableRecord).Type) -> String { type.databaseTableName }
        func isMutable(_ type: (some MutablePersistableRecord).Type) -> Bool { isEncodable(type) && !hasTable(type).isEmpty }
        func isPersistable(_ type: (some PersistableRecord).Type) -> Bool { isMutable(type) }
        struct Player: PersistableRecord, Encodable { var id: Int64 }
        #expect(isPersistable(Player.self) && isMutable(CodablePlayer.self))
        #expect(hasTable(CodablePlayer.self) == "player")
    }
}

private struct CodablePlayer: Codable, Equatable {
    var id: Int64?
    var name: String
    var score: Int
}

// Automatic conformance when you add the protocols
extension CodablePlayer: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "player"

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
