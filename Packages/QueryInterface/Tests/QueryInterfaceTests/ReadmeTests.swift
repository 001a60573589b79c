import QueryInterface
import Testing

@Suite struct ReadmeTests {
    @Test("The README's sample")
    func sample() throws {
        struct Player: TableRecord, FetchableRecord {
            var id: Int64
            var name: String
            var score: Int

            enum Columns {
                static let name = Column("name")
                static let score = Column("score")
            }

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
            try db.execute(
                sql: """
                    INSERT INTO player
                    VALUES (1, 'Arthur', 1000), (2, 'Barbara', 750), (3, 'Craig', 200)
                    """)
        }

        // SELECT * FROM "player" WHERE "score" > 500 ORDER BY "name" DESC LIMIT 10
        let request = Player.filter(Player.Columns.score > 500)
            .order(Player.Columns.name.desc)
            .limit(10)

        let (players, arthur) = try queue.read { db in
            (try request.fetchAll(db), try Player.find(db, id: 1))
        }

        #expect(players.map(\.name) == ["Barbara", "Arthur"])
        #expect(arthur.score == 1000)
        #expect(players.map(\.id) == [2, 1])
        let sql = try queue.read { try request.makePreparedRequest($0, forSingleResult: false).statement.expandedSQL }
        #expect(sql == #"SELECT * FROM "player" WHERE "score" > 500 ORDER BY "name" DESC LIMIT 10"#)
    }
}
