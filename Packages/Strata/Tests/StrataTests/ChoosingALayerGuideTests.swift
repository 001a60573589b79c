import Strata
import Testing

struct Player: FetchableRecord {
    var name: String
    var score: Int

    init(row: Row) throws {
        name = try row.decode(forKey: "name")
        score = try row.decode(forKey: "score")
    }
}

extension Player: TableRecord {
    enum Columns {
        static let name = Column("name")
        static let score = Column("score")
    }
}

@Suite("Samples of the guide ChoosingALayer")
struct ChoosingALayerGuideTests {
    struct Score: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        var name: String
        var score: Int
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL);
                    INSERT INTO player VALUES ('Craig', 200), ('Barbara', 750), ('Arthur', 1000);
                    """)
        }
        return queue
    }

    @Test("Each layer answers the same question")
    func question() throws {
        try makeQueue().write { db in
            do {
                let statement = try db.makeStatement(
                    sql: "SELECT name FROM player WHERE score > ? ORDER BY name")
                try statement.setArguments([500])
                var names: [String] = []
                while try statement.step() {
                    names.append(statement.string(at: 0) ?? "")
                }
                #expect(names == ["Arthur", "Barbara"])
            }
            do {
                let names = try String.fetchAll(
                    db, sql: "SELECT name FROM player WHERE score > ? ORDER BY name", arguments: [500])
                #expect(names == ["Arthur", "Barbara"])
            }
            do {
                let players = try Player.fetchAll(
                    db, sql: "SELECT * FROM player WHERE score > ? ORDER BY name", arguments: [500])
                #expect(players.map(\.score) == [1000, 750])
            }
            do {
                let (players, sql) = try db.recordingSQL {
                    let players = try Player.filter { $0.score > 500 }.order { $0.name }.fetchAll(db)
                    return players
                }
                #expect(players.map(\.name) == ["Arthur", "Barbara"])
                #expect(sql == [#"SELECT * FROM "player" WHERE "score" > 500 ORDER BY "name""#])
            }
            try Score(name: "Diane", score: 900).insert(db)
            let scores = try Score.filter(Column("score") > 500)
                .order(Column("name"))
                .fetchAll(db)
            #expect(scores.map(\.name) == ["Arthur", "Barbara", "Diane"])
        }
    }
}
