import Strata
import Testing

@Suite("Samples of the guide Performance")
struct PerformanceGuideTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var name: String
        var teamId: Int
        var score: Int

        enum Columns {
            static let teamId = Column(CodingKeys.teamId)
            static let score = Column(CodingKeys.score)
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, teamId INTEGER NOT NULL, score INTEGER NOT NULL)")
        }
        return queue
    }

    @Test("Slow statements are logged")
    func tracing() async throws {
        let threshold = 0.0
        let (lines, output) = AsyncStream.makeStream(of: String.self)
        @Sendable func log(_ line: String) { output.yield(line) }
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace(options: .profile) { event in
                if case .profile(let statement, let duration) = event,
                    duration >= threshold
                {
                    log("\(duration) s: \(statement.expandedSQL)")
                }
            }
        }
        let queue = try DatabaseQueue(configuration: configuration)
        try await queue.write { db in try db.execute(sql: "CREATE TABLE player (name TEXT)") }
        output.finish()
        let printed = await lines.reduce(into: []) { $0.append($1) }
        #expect(printed.contains { $0.hasSuffix(" s: CREATE TABLE player (name TEXT)") })
    }

    @Test("An index changes the plan")
    func plans() throws {
        try makeQueue().write { db in
            var printed: [String] = []
            func print(_ plan: QueryPlan) { printed.append(plan.description) }
            let request = Player.filter { $0.teamId == 7 }.order { $0.score.desc }

            // QUERY PLAN
            // |--SCAN player
            // `--USE TEMP B-TREE FOR ORDER BY
            print(try request.explainQueryPlan(db))
            try db.create(indexOn: "player", columns: ["teamId", "score"])

            // QUERY PLAN
            // `--SEARCH player USING INDEX index_player_on_teamId_score (teamId=?)
            print(try request.explainQueryPlan(db))
            try db.execute(sql: "PRAGMA optimize")
            #expect(
                printed == [
                    "QUERY PLAN\n|--SCAN player\n`--USE TEMP B-TREE FOR ORDER BY",
                    "QUERY PLAN\n`--SEARCH player USING INDEX index_player_on_teamId_score (teamId=?)",
                ])
        }
    }

    @Test("Rows are written in one transaction, and read one by one")
    func batchesAndCursors() throws {
        let queue = try makeQueue()
        let players = [Player(name: "Craig", teamId: 7, score: 300), Player(name: "Diane", teamId: 8, score: 50)]
        try queue.write { db in
            try players.insertAll(db)  // one transaction, one prepared statement
        }
        try queue.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT INTO player (name, teamId, score) VALUES (?, ?, ?)")
            for (name, score) in [("Arthur", 100), ("Barbara", 200)] {
                try statement.execute(arguments: [name, 7, score])
            }
        }
        try queue.read { db in
            var best = 0
            let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
            while let player = try players.next() {
                best = max(best, player.score)
            }
            #expect(best == 300)
            try #expect(Player.filter { $0.teamId == 7 }.fetchCount(db) == 3)
        }
    }
}
