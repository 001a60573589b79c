import DatabaseObservation
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct EventTests {
    /// A stream that a test can read.
    struct Lines: TextOutputStream, Sendable {
        let lines = Collector<String>()
        mutating func write(_ string: String) { lines.append(string) }
    }

    @Test(arguments: [Kind.memory, .queue, .walQueue])
    func `An observation prints what happens`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let stream = Lines()
        let observation = ValueObservation.tracking { try $0.integer("SELECT count(*) FROM team") }.print("teams", to: stream)
        let values = Collector<Int64?>()
        let cancellable = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(last: 1)
        try await writer.execute("DELETE FROM team")
        await values.wait(last: 0)
        cancellable.cancel()
        let region = try await writer.read { try $0.makeStatement(sql: "SELECT count(*) FROM team").databaseRegion }
        #expect(
            stream.lines.all == [
                "teams: start\n", "teams: fetch\n", "teams: tracked region: \(region)\n", "teams: value: Optional(1)\n",
                "teams: database did change\n", "teams: fetch\n", "teams: value: Optional(0)\n", "teams: cancel\n",
            ])
    }

    @Test(arguments: Kind.allCases)
    func `Events report failures, and values pass the operators in order`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let events = Collector<String>()
        let observation = ValueObservation.tracking { try $0.integer("SELECT count(*) FROM team") ?? 0 }
            .handleEvents(didReceiveValue: { events.append("fetched \($0)") })
            .map { count in
                if count > 1 { throw TestError() }
                return "\(count) teams"
            }
            .removeDuplicates { $0 == $1 }
            .handleEvents(
                didReceiveValue: { events.append($0) }, didFail: { events.append("\($0)") }, didCancel: { events.append("cancel") })
        var iterator = observation.values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == "1 teams")
        try await writer.execute("INSERT INTO team (name) VALUES ('Blue')")
        await #expect(throws: TestError.self) { try await iterator.next() }
        let last = events.all.suffix(3)
        #expect(last.contains("fetched 2") && last.contains("TestError()") && !events.all.contains("cancel"))
    }

    @Test(arguments: Kind.allCases)
    func `A region observation reports each transaction that changes the region, before the next one`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let counts = Collector<Int64?>()
        let region = try await writer.read { try $0.makeStatement(sql: "SELECT name FROM team").databaseRegion }
        let cancellable = DatabaseRegionObservation(tracking: region).start(in: writer) {
            Issue.record($0)
        } onChange: { db in
            counts.append(try? db.integer("SELECT count(*) FROM team"))
        }
        for number in 1...3 {
            try await writer.execute("INSERT INTO team (name) VALUES ('\(number)')")
            try await writer.execute("UPDATE player SET score = 1")
        }
        #expect(counts.all == [2, 3, 4])
        cancellable.cancel()
        try await writer.execute("DELETE FROM team")
        #expect(counts.all == [2, 3, 4])
    }

    @Test(arguments: Kind.allCases)
    func `Two updates of a transaction are reported to the observations of their columns`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let changes = Collector<String>()
        var cancellables: [AnyDatabaseCancellable] = []
        for column in ["name", "score"] {
            let region = try await writer.read { try $0.makeStatement(sql: "SELECT \(column) FROM player").databaseRegion }
            cancellables.append(
                DatabaseRegionObservation(tracking: region)
                    .start(in: writer, onError: { Issue.record($0) }, onChange: { _ in changes.append(column) }))
        }
        try await writer.execute("UPDATE player SET name = 'Craig' WHERE id = 1; UPDATE player SET score = 1 WHERE id = 2")
        #expect(changes.all.sorted() == ["name", "score"])
        cancellables.forEach { $0.cancel() }
    }

    @Test
    func `A region observation can start inside a write, fails with an unknown table, and ends when the database is closed`() async throws {
        let writer = try DatabaseQueue()
        let counts = Collector<[String]?>()
        let errors = Collector<String>()
        let observation = DatabaseRegionObservation(tracking: .fullDatabase)
        let cancellable = try await writer.write { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
            return observation.start(in: writer) {
                errors.append("\($0)")
            } onChange: { db in
                counts.append(try? db.texts("SELECT format('%d', count(*)) FROM team"))
            }
        }
        try await writer.execute("INSERT INTO team DEFAULT VALUES")
        #expect(counts.all.last == ["1"])
        struct NoRegion: DatabaseRegionConvertible {
            func databaseRegion(_ db: Database) throws -> DatabaseRegion { throw TestError() }
        }
        let failed = DatabaseRegionObservation(tracking: NoRegion()).start(in: writer) {
            errors.append("\($0)")
        } onChange: { _ in
        }
        #expect(errors.all == ["TestError()"])
        try writer.close()
        #expect(errors.all.count == 2)
        failed.cancel()
        cancellable.cancel()
    }
}
