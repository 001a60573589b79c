import Foundation
import Strata
import Testing

// The samples of the page on FetchableRecord that concern tables and Codable, in their order. What a sample abbreviates is filled in, and what it prints is expected.

@Suite struct FetchableRecordTests {
    private struct Player: FetchableRecord, TableRecord, Hashable {
        static let databaseTableName = "player"

        var id: Int64
        var name: String
        var score: Int

        init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            score = row["score"]
        }
    }

    @Test
    func `Fetching with TableRecord`() throws {
        try makeDatabase().read { db in
            let allPlayers = try Player.fetchAll(db)
            #expect(allPlayers.count == 3)

            let player =
                try Player
                .filter(Column("id") == 42)
                .fetchOne(db)
            #expect(player?.name == "Craig")

            let highScorers =
                try Player
                .filter(Column("score") > 1000)
                .order(Column("score").desc)
                .fetchAll(db)
            #expect(highScorers.map(\.id) == [42, 2])
        }
    }

    @Test
    func `Column name strategy`() throws {
        struct Player: FetchableRecord, Decodable {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase

            var playerId: Int64  // Decoded from player_id column
            var firstName: String  // Decoded from first_name column
            var lastName: String  // Decoded from last_name column
        }

        try makeDatabase().read { db in
            let player = try Player.fetchOne(db, sql: "SELECT 1 AS player_id, 'Arthur' AS first_name, 'Dent' AS last_name")
            #expect(player?.playerId == 1)
            #expect(player?.firstName == "Arthur")
            #expect(player?.lastName == "Dent")
        }
    }

    @Test
    func `Date decoding strategy`() throws {
        struct Event: FetchableRecord, Decodable {
            var name: String
            var timestamp: Date

            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                switch column {
                case "timestamp":
                    return .timeIntervalSince1970
                default:
                    return .deferredToDate
                }
            }
        }

        try makeDatabase().read { db in
            let event = try Event.fetchOne(db, sql: "SELECT 'landing' AS name, -14182940 AS timestamp")
            #expect(event?.timestamp == Date(timeIntervalSince1970: -14_182_940))
        }
    }

    @Test
    func `Data decoding strategy`() throws {
        struct Document: FetchableRecord, Decodable {
            var title: String
            var content: Data

            static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
                .custom { dbValue in
                    guard let base64Data = Data.fromDatabaseValue(dbValue) else {
                        return nil
                    }
                    return Data(base64Encoded: base64Data)
                }
            }
        }

        try makeDatabase().read { db in
            let document = try Document.fetchOne(db, sql: "SELECT 'a' AS title, 'aGVsbG8=' AS content")
            #expect(document?.content == Data("hello".utf8))
        }
    }

    @Test
    func `JSON decoding`() throws {
        struct Player: FetchableRecord, Decodable {
            var name: String
            var metadata: [String: String]

            static func databaseJSONDecoder(for column: String) -> JSONDecoder {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return decoder
            }
        }

        try makeDatabase().read { db in
            let player = try Player.fetchOne(db, sql: #"SELECT 'Arthur' AS name, '{"planet": "Earth"}' AS metadata"#)
            #expect(player?.metadata == ["planet": "Earth"])
        }
    }

    @Test
    func `Automatic conformance with Decodable`() throws {
        let dbQueue = try makeDatabase()
        try dbQueue.read { db in
            let players = try DecodablePlayer.fetchAll(db, sql: "SELECT * FROM player")
            #expect(players.map(\.name) == ["Arthur", "Barbara", "Craig"])
        }
    }

    @Test
    func `Fetching from requests`() throws {
        try makeDatabase().read { db in
            // Query interface request
            let request =
                Player
                .filter(Column("score") > 1000)
                .order(Column("name"))

            let players = try Player.fetchAll(db, request)
            #expect(players.map(\.name) == ["Barbara", "Craig"])

            // SQL request
            let sqlRequest: SQLRequest<Player> = """
                SELECT * FROM player WHERE score > \(1000)
                """
            let players2 = try Player.fetchAll(db, sqlRequest)
            #expect(players2.map(\.name) == ["Barbara", "Craig"])
        }
    }

    @Test
    func `Fetching by primary key`() throws {
        try makeDatabase().read { db in
            // Fetch by single ID
            if let player = try Player.fetchOne(db, id: 42) {
                #expect(player.name == "Craig")
            } else {
                Issue.record("There is no player.")
            }

            // Fetch multiple IDs
            let players = try Player.fetchAll(db, ids: [1, 2, 3])
            #expect(Set(players.map(\.id)) == [1, 2])

            // Fetch and require existence
            let player = try Player.find(db, id: 42)  // Throws if not found
            #expect(player.name == "Craig")
            #expect(throws: RecordError.self) { try Player.find(db, id: 43) }
        }
    }
}

private struct DecodablePlayer: Decodable {
    var id: Int64
    var name: String
    var score: Int
}

// Just add FetchableRecord - no init(row:) needed!
extension DecodablePlayer: FetchableRecord {}
