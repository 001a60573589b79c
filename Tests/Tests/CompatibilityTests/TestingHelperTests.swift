import Strata
import Testing

/// What the tests of a program use: the SQL that ran, and a database with the application's schema.
@Suite struct TestingHelperTests {
    @Test
    func `The SQL of requests and records`() throws {
        let queue = try makeDatabase()
        let (players, statements) = try queue.recordingSQL {
            try queue.write { db in
                var player = Player(id: nil, teamId: 2, name: "Dora", score: 0)
                try player.insert(db)
                return try Player.filter { $0.score > 10 }.fetchAll(db)
            }
        }
        #expect(players.map(\.name) == ["Barbara", "Craig"])
        #expect(
            statements == [
                "BEGIN IMMEDIATE TRANSACTION",
                #"INSERT INTO "player" ("id", "teamId", "name", "score") VALUES (NULL, 2, 'Dora', 0)"#,
                #"SELECT * FROM "player" WHERE "score" > 10"#,
                "COMMIT TRANSACTION",
            ])
    }

    @Test
    func `A database with the same schema and no rows`() throws {
        let queue = try DatabaseQueue.inMemorySchemaCopy(of: makeDatabase())
        try queue.write { db in
            #expect(try Player.fetchCount(db) == 0)
            var team = Team(id: nil, name: "Greens")
            try team.insert(db)
            #expect(team.id == 1)
        }
    }

    @Test
    func `Maintenance in asynchronous code`() async throws {
        let queue = try makeDatabase()
        let copy = try DatabaseQueue()
        try await queue.vacuum()
        try await queue.asyncBackup(to: copy)
        #expect(try await copy.read { try Player.fetchCount($0) } == 3)
        try await queue.erase()
        #expect(try await queue.read { try !$0.tableExists("player") })
        for try await step in copy.backupSteps(to: queue) { #expect(step.isCompleted) }
        #expect(try await queue.read { try Team.fetchCount($0) } == 2)
    }
}
