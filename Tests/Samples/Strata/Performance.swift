import Strata
import Testing

@Suite(.page)
struct StrataPerformanceSamples {
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var name: String
        var teamId: Int
        var score: Int
        var bonus: Int?
        var leftAt: Int?

        enum Columns {
            static let name = Column(CodingKeys.name)
            static let teamId = Column(CodingKeys.teamId)
            static let score = Column(CodingKeys.score)
            static let bonus = Column(CodingKeys.bonus)
            static let leftAt = Column(CodingKeys.leftAt)
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, teamId INTEGER NOT NULL, score INTEGER NOT NULL, bonus INTEGER, leftAt DATETIME)
                    """)
        }
        return queue
    }

    @Test
    func `An index changes the plan`() throws {
        try makeQueue().write { db in
            // sample: Read the plan 1
            // sample: Read the plan 2
            // sample: Read the plan 5
        }
    }

    @Test
    func `Indexes have directions, expressions and conditions`() throws {
        try makeQueue().write { db in
            // sample: Read the plan 3
            // sample: Read the plan 4
            func plan(_ request: QueryInterfaceRequest<Player>) throws -> String { try request.explainQueryPlan(db).description }
            let ordered = try plan(Player.order { [$0.score.desc, $0.name] })
            #expect(ordered.contains("SCAN player USING INDEX playerByScore"))
            #expect(!ordered.contains("B-TREE"))
            let total = try plan(Player.filter { $0.score + $0.bonus > 10 })
            #expect(total.contains("USING INDEX playerByTotal (<expr>>?)"))
            try db.create(index: "activeScore", on: "player", columns: ["teamId"], condition: Column("score") > 5)
            let partial = try plan(Player.filter { $0.teamId == 10 && $0.score > 5 })
            #expect(partial.contains("USING INDEX activeScore (teamId=?)"))
            // A value of the request is an argument, which SQLite does not compare with the value in the index.
            try db.create(index: "tenth", on: "player", expressions: [Column("score") / 10])
            let scan = try plan(Player.filter { $0.score / 10 == 3 })
            #expect(scan.contains("SCAN player"))
            let search = try plan(Player.filter(SQL("score / 10") == 3))
            #expect(search.contains("USING INDEX tenth (<expr>=?)"))
        }
    }

    @Test
    func `Rows are written in one transaction, and read one by one`() throws {
        let queue = try makeQueue()
        let players = [Player(name: "Craig", teamId: 7, score: 300), Player(name: "Diane", teamId: 8, score: 50)]
        try queue.write { db in
            try players.insertAll(db)
            // sample: Write more at once 1
        }
        // sample: Give large imports more memory 1
        try queue.read { db in
            // sample: Fetch columns 1
            #expect(names == ["Arthur", "Barbara", "Craig", "Craig"])
            #expect(mean == 225)
            #expect(bonuses == [nil, nil, nil, nil, nil, nil])
            // sample: Fetch less 1
            #expect(best == 300)
            try #expect(Player.filter { $0.teamId == 7 }.fetchCount(db) == 4)
            try #expect(Int.fetchOne(db, sql: "PRAGMA cache_size") == -2000)
        }
    }

    @Test
    func `Columns come in portions`() async throws {
        let pool = try makeQueue()
        try await pool.write { try Player(name: "Craig", teamId: 7, score: 300).insert($0) }
        var sent: [String: Int] = [:]
        func send(_ names: [String], _ scores: [Int]) { sent.merge(zip(names, scores)) { $1 } }
        // sample: Fetch columns 2
        #expect(sent == ["Craig": 300])
    }

    @Test
    func `A template is called with values`() throws {
        try makeQueue().write { db in
            for score in [100, 200, 300] { try Player(name: "Craig", teamId: 7, score: score).insert(db) }
            // sample: Ask in the same form 1
            #expect(players.map(\.score) == [200, 300])
            #expect(first?.score == 100)
        }
    }
}
