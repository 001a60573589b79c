import Foundation
import Strata
import Testing

@Suite(.timeLimit(.minutes(20)), .page)
struct StrataObservingSamples {
    // sample: Overview 1

    private func withPool(_ body: (DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("players.sqlite"))
        try await pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 200);
                    """)
        }
        try await body(pool)
    }

    private func add(_ name: String, score: Int, to pool: DatabasePool) async throws {
        try await pool.write { db in
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: [name, score])
        }
    }

    private func makeObservation() -> ValueObservation<ValueReducers.Fetch<[Player]>> {
        // sample: Overview 2
        return observation
    }

    @Test
    func `Requests have shorter forms`() async throws {
        try await withPool { pool in
            // sample: Overview 3
            var bestOnes = best.values(in: pool).makeAsyncIterator()
            let names = try await bestOnes.next()?.map(\.name)
            #expect(names == ["Barbara", "Arthur"])
            var ones = arthur.values(in: pool).makeAsyncIterator()
            let name = try await ones.next()??.name
            #expect(name == "Arthur")
            var counts = count.values(in: pool).makeAsyncIterator()
            let number = try await counts.next()
            #expect(number == 1)
        }
    }

    @Test
    func `Observations with an identity share their fetches`() async throws {
        try await withPool { pool in
            let observation = makeObservation()
            // sample: Several observers of one value 2
            var iterators = [identified.values(in: pool).makeAsyncIterator(), identified.values(in: pool).makeAsyncIterator()]
            for index in iterators.indices {
                let players = try await iterators[index].next()
                #expect(players?.map(\.name) == ["Barbara", "Arthur"])
            }
        }
    }

    @Test
    func `A loop gets the first value, and each change`() async throws {
        try await withPool { pool in
            let observation = makeObservation()
            let (lines, output) = AsyncStream.makeStream(of: String.self)
            var printed = lines.makeAsyncIterator()
            @Sendable func print(_ names: [String]) { output.yield(names.joined(separator: " ")) }
            let task = Task {
                // sample: In a loop 1
            }
            let first = await printed.next()
            #expect(first == "Barbara Arthur")
            try await add("Craig", score: 300, to: pool)
            let second = await printed.next()
            #expect(second == "Craig Barbara Arthur")
            task.cancel()
            _ = await task.result
        }
    }

    @Test
    func `Callbacks get values until the cancellable is cancelled`() async throws {
        try await withPool { pool in
            let observation = makeObservation()
            let (lines, output) = AsyncStream.makeStream(of: String.self)
            var printed = lines.makeAsyncIterator()
            @Sendable func print(_ names: [String]) { output.yield(names.joined(separator: " ")) }
            @Sendable func print(_ text: String) { Issue.record("\(text)") }
            // sample: With callbacks 1
            let first = await printed.next()
            #expect(first == "Barbara Arthur")
            try await add("Craig", score: 300, to: pool)
            let second = await printed.next()
            #expect(second == "Craig Barbara Arthur")
            cancellable.cancel()
        }
    }

    @Test
    func `Values are transformed, and equal ones skipped`() async throws {
        try await withPool { pool in
            let observation = makeObservation()
            // sample: Only what is different 1
            var iterator = names.values(in: pool).makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first == "Barbara, Arthur")
            try await pool.write { db in try db.execute(sql: "UPDATE player SET score = score + 1") }
            try await add("Craig", score: 300, to: pool)
            let second = try await iterator.next()
            #expect(second == "Craig, Barbara, Arthur")
        }
    }

    @Test
    func `A list shows how it has changed`() async throws {
        try await withPool { pool in
            let observation = makeObservation()
            // sample: Only what is different 2
            var iterator = changes.values(in: pool).makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.elements.map(\.name) == ["Barbara", "Arthur"])
            try await add("Craig", score: 300, to: pool)
            let second = try await iterator.next()
            #expect(second?.insertions.map(\.element.name) == ["Craig"])
            #expect(second?.insertions.map(\.offset) == [0])
            #expect(second?.deletions.isEmpty == true)
        }
    }

    @Test
    func `Subscribers share an observation`() async throws {
        try await withPool { pool in
            let observation = makeObservation()
            // sample: Several observers of one value 1
            var iterators = [values.makeAsyncIterator(), shared.values().makeAsyncIterator()]
            for index in iterators.indices {
                let players = try await iterators[index].next()
                #expect(players?.map(\.name) == ["Barbara", "Arthur"])
            }
        }
    }

    @Test
    func `Transactions are reported`() async throws {
        try await withPool { pool in
            let (lines, output) = AsyncStream.makeStream(of: String.self)
            var printed = lines.makeAsyncIterator()
            @Sendable func print(_ text: String) { output.yield(text) }
            // sample: React to transactions 1
            try await add("Craig", score: 300, to: pool)
            let line = await printed.next()
            #expect(line == "players have changed")
            observer.cancel()
        }
    }
}
