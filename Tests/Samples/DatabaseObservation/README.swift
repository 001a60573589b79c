import DatabaseObservation
import Testing

@Suite(.timeLimit(.minutes(20)), .page)
struct DatabaseObservationSamples {
    @Test
    func `The samples of the README`() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("players.sqlite"))
        try await pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara')
                    """)
        }
        let output = Collector<[String]>()
        @Sendable func print(_ names: [String]) { output.append(names) }
        @Sendable func playerNames(_ db: Database) throws -> [String] { try db.texts("SELECT name FROM player ORDER BY id") }

        // sample: DatabaseObservation 1

        let task = Task {
            // sample: DatabaseObservation 2
        }
        await output.wait(last: ["Arthur", "Barbara"])
        task.cancel()
        try await task.value
    }
}
