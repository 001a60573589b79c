import Strata
import Testing

@Suite(.page)
struct StrataPerformanceSamples {
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

    @Test
    func `Slow statements are logged`() async throws {
        let threshold = 0.0
        let (lines, output) = AsyncStream.makeStream(of: String.self)
        @Sendable func log(_ line: String) { output.yield(line) }
        // sample: Find the slow statement 1
        let queue = try DatabaseQueue(configuration: configuration)
        try await queue.write { db in try db.execute(sql: "CREATE TABLE player (name TEXT)") }
        output.finish()
        let printed = await lines.reduce(into: []) { $0.append($1) }
        #expect(printed.contains { $0.hasSuffix(" s: CREATE TABLE player (name TEXT)") })
    }

    @Test
    func `An index changes the plan`() throws {
        try makeQueue().write { db in
            // sample: Read the plan 1
            // sample: Read the plan 2
            // sample: Read the plan 3
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
            // sample: Fetch less 1
            #expect(best == 300)
            try #expect(Player.filter { $0.teamId == 7 }.fetchCount(db) == 4)
            try #expect(Int.fetchOne(db, sql: "PRAGMA cache_size") == -2000)
        }
    }
}
