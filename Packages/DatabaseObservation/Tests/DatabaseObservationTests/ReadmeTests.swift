import DatabaseObservation
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct ReadmeTests {

    @Test("The samples of the README")
    func samples() async throws {
        let folder = try TemporaryFolder()
        let pool = try #require(try ValueObservationTests.open(.pool, folder) as? DatabasePool)
        let output = Collector<[String]>()
        @Sendable func print(_ names: [String]) { output.append(names) }
        @Sendable func print(_ text: String) { Issue.record("\(text)") }
        @Sendable func playerNames(_ db: Database) throws -> [String] { try db.texts("SELECT name FROM player ORDER BY id") }

        let observation = ValueObservation.tracking { db in
            try playerNames(db)
        }

        let task = Task {
            for try await names in observation.values(in: pool) {
                print(names)
            }
        }
        await output.wait(last: ["Arthur", "Barbara"])
        task.cancel()
        try await task.value

        let queue = DispatchQueue(label: "values")
        let cancellable = observation.start(in: pool, scheduling: .async(onQueue: queue)) { error in
            print("no more values: \(error)")
        } onChange: { names in
            print(names)
        }
        try await pool.execute("DELETE FROM player WHERE id = 1")
        await output.wait(last: ["Barbara"])
        cancellable.cancel()
    }
}
