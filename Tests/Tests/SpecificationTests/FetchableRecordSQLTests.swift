import Foundation
import Strata
import Testing

/// The samples of the page on FetchableRecord that need neither tables' requests nor Codable.
struct FetchableRecordSQLTests {
    struct Player: FetchableRecord, Hashable {
        var id: Int64
        var name: String
        var score: Int

        init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            score = row["score"]
        }
    }

    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, teamId INTEGER REFERENCES team);
                    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                    INSERT INTO player VALUES (41, 'Arthur', 1500, 1), (42, 'Barbara', 750, 2), (43, 'Craig', 1200, 1);
                    """)
        }
    }

    @Test
    func `Fetching all records`() throws {
        try dbQueue.read { db in
            // Fetch all players
            let players = try Player.fetchAll(db, sql: "SELECT * FROM player")

            // Fetch players with a condition
            let highScorers = try Player.fetchAll(
                db,
                sql: "SELECT * FROM player WHERE score > ?",
                arguments: [1000]
            )
            #expect(players.map(\.name) == ["Arthur", "Barbara", "Craig"])
            #expect(highScorers.map(\.name) == ["Arthur", "Craig"])
        }
    }

    @Test
    func `Fetching a single record`() throws {
        try dbQueue.read { db in
            // Fetch one player
            let player = try Player.fetchOne(
                db,
                sql: "SELECT * FROM player WHERE id = ?",
                arguments: [42]
            )
            // player is Player?
            #expect(player?.name == "Barbara")
            let nobody = try Player.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [7])
            #expect(nobody == nil)
        }
    }

    @Test
    func `Using a cursor`() throws {
        var lines: [String] = []
        try dbQueue.read { db in
            let cursor = try Player.fetchCursor(
                db,
                sql: "SELECT * FROM player ORDER BY score DESC"
            )

            while let player = try cursor.next() {
                lines.append("\(player.name): \(player.score)")
            }
        }
        #expect(lines == ["Arthur: 1500", "Craig: 1200", "Barbara: 750"])
    }

    @Test
    func `Fetching a set`() throws {
        try dbQueue.read { db in
            let players = try Player.fetchSet(
                db,
                sql: "SELECT * FROM player"
            )
            // players is Set<Player>
            #expect(players.count == 3)
        }
    }

    @Test
    func `Fetching from prepared statements`() throws {
        try dbQueue.read { db in
            let statement = try db.makeStatement(
                sql: "SELECT * FROM player WHERE score > ?"
            )

            let goodPlayers = try Player.fetchAll(statement, arguments: [500])
            let greatPlayers = try Player.fetchAll(statement, arguments: [1000])
            #expect(goodPlayers.count == 3)
            #expect(greatPlayers.count == 2)
            #expect(try Player.fetchSet(statement, arguments: [1000]).count == 2)
            #expect(try Player.fetchOne(statement, arguments: [1300])?.name == "Arthur")
            #expect(try Player.fetchCursor(statement).next()?.name == "Arthur")
        }
    }

    @Test
    func `Fetching from requests`() throws {
        try dbQueue.read { db in
            // SQL request
            let sqlRequest: SQLRequest<Player> = """
                SELECT * FROM player WHERE score > \(1000)
                """
            let players2 = try Player.fetchAll(db, sqlRequest)
            #expect(players2.map(\.name) == ["Arthur", "Craig"])
        }
    }

    struct Team: FetchableRecord {
        var id: Int64
        var name: String

        init(row: Row) throws {
            id = row["id"]
            name = row["name"]
        }
    }

    @Test
    func `Row adapters`() throws {
        // Define column scopes
        let adapter = ScopeAdapter([
            "player": RangeRowAdapter(0..<4),
            "team": RangeRowAdapter(4..<6),
        ])

        try dbQueue.read { db in
            let sql = """
                SELECT player.*, team.*
                FROM player
                JOIN team ON player.teamId = team.id
                ORDER BY player.id
                """

            let rows = try Row.fetchAll(db, sql: sql, adapter: adapter)
            var lines: [String] = []
            for row in rows {
                let player = try Player(row: row.scopes["player"]!)
                let team = try Team(row: row.scopes["team"]!)
                lines.append("\(player.name): \(team.name)")
            }
            #expect(lines == ["Arthur: Reds", "Barbara: Blues", "Craig: Reds"])
        }
    }

    enum PlayerError: Error {
        case invalidScore
    }

    struct CheckedPlayer: FetchableRecord {
        var id: Int64
        var name: String
        var score: Int

        init(row: Row) throws {
            id = row["id"]
            name = row["name"]

            let scoreValue: Int = row["score"]
            guard scoreValue >= 0 else {
                throw PlayerError.invalidScore
            }
            score = scoreValue
        }
    }

    @Test
    func `Error handling`() throws {
        try dbQueue.write { db in
            #expect(try CheckedPlayer.fetchAll(db, sql: "SELECT * FROM player").count == 3)
            try db.execute(sql: "UPDATE player SET score = -1 WHERE id = 42")
            var caught = ""
            // Handle errors when fetching
            do {
                _ = try CheckedPlayer.fetchAll(db, sql: "SELECT * FROM player")
            } catch PlayerError.invalidScore {
                caught = "Found player with invalid score"
            } catch {
                caught = "Database error: \(error)"
            }
            #expect(caught == "Found player with invalid score")
            #expect(throws: PlayerError.self) { try CheckedPlayer.fetchCursor(db, sql: "SELECT * FROM player").map(\.name).suffix(1) }
            #expect(throws: PlayerError.self) { try CheckedPlayer.fetchOne(db, sql: "SELECT * FROM player WHERE id = 42") }
        }
    }

    @Test
    func `Rows are kept as copies`() throws {
        let rows = try dbQueue.read { db in
            var rows: [Row] = []
            let cursor = try Row.fetchCursor(db, sql: "SELECT name FROM player ORDER BY id")
            while let row = try cursor.next() {
                rows.append(row.copy())
            }
            return rows
        }
        #expect(rows.map { $0["name"] } == ["Arthur", "Barbara", "Craig"])
    }

    @Test
    func `The decoding strategies can be declared, and have defaults`() {
        struct Document: FetchableRecord {
            init(row: Row) {}
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                switch column {
                case "timestamp": return .timeIntervalSince1970
                default: return .deferredToDate
                }
            }
            static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
                .custom { dbValue in
                    guard let base64Data = Data.fromDatabaseValue(dbValue) else {
                        return nil
                    }
                    return Data(base64Encoded: base64Data)
                }
            }
        }
        if case .custom(let data) = Document.databaseDataDecodingStrategy(for: "x") {
            #expect(data("aGk=".databaseValue) == Data("hi".utf8))
        } else {
            Issue.record("not the custom strategy")
        }
        guard case .timeIntervalSince1970 = Document.databaseDateDecodingStrategy(for: "timestamp"),
            case .convertFromSnakeCase = Document.databaseColumnDecodingStrategy,
            case .deferredToDate = Player.databaseDateDecodingStrategy(for: "x"),
            case .deferredToData = Player.databaseDataDecodingStrategy(for: "x"),
            case .useDefaultKeys = Player.databaseColumnDecodingStrategy
        else {
            Issue.record("unexpected strategies")
            return
        }
        #expect(Player.databaseDecodingUserInfo.isEmpty)
    }
}
