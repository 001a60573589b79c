import RowDecoding
import Testing

@Suite struct ReadmeTests {
    @Test("The README's sample")
    func sample() throws {
        struct Player: FetchableRecord {
            var id: Int64
            var name: String
            var score: Int

            init(row: Row) throws {
                id = try row.decode(forKey: "id")
                name = try row.decode(forKey: "name")
                score = try row.decode(forKey: "score")
            }
        }

        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player
                        (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)
                    """)
            for (name, score) in [("Arthur", 1500), ("Barbara", 750), ("Craig", 1200)] {
                try db.execute(
                    literal: "INSERT INTO player (name, score) VALUES (\(name), \(score))")
            }
        }

        let (players, names, best, count, second) = try queue.read { db in
            // Records, values, and rows.
            let players = try Player.fetchAll(
                db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
            let names = try String.fetchSet(db, sql: "SELECT name FROM player")
            let row = try Row.fetchOne(
                db, sql: "SELECT max(score) AS best, count(*) AS count FROM player")!
            let best: Int = try row.decode(forKey: "best")

            // A request: SQL whose interpolated values are arguments.
            let ids = [1, 2]
            let request: SQLRequest<Player> = "SELECT * FROM player WHERE id IN \(ids)"
            let count = try request.fetchCount(db)

            // A cursor, one record at a time.
            let cursor = try Player.fetchCursor(
                db, sql: "SELECT * FROM player ORDER BY score DESC")
            let second = try cursor.map(\.name).dropFirst().next()
            return (players, names, best, count, second)
        }

        #expect(players.map(\.name) == ["Arthur", "Craig"])
        #expect(names == ["Arthur", "Barbara", "Craig"])
        #expect(best == 1500)
        #expect(count == 2)
        #expect(second == "Craig")
    }
}
