import DatabaseObservation
import Foundation
import Testing

/// Other connections of this process stand for other processes: a database does not distinguish them.
@Suite(.timeLimit(.minutes(20))) struct OtherCommitsTests {
    private func open(_ kind: Kind, _ path: String, observesOthers: Bool = true) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.observesOtherProcesses = observesOthers
        return try kind.open(path, configuration)
    }

    @Test(arguments: [Kind.queue, .walQueue, .pool], [Kind.queue, .walQueue, .pool])
    func `Commits of other connections are observed`(_ kind: Kind, _ otherKind: Kind) async throws {
        // A database can't leave the WAL mode while others use it, so both connections must have the same mode.
        guard (kind == .queue) == (otherKind == .queue) else { return }
        let folder = try TemporaryFolder()
        let other = try ValueObservationTests.open(otherKind, folder)
        let writer = try open(kind, folder.path("db.sqlite"))
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(ValueObservationTests.names, in: writer, values)
        var iterator = ValueObservationTests.names.removeDuplicates().values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == ["Arthur", "Barbara"])
        try await other.execute("DELETE FROM player WHERE id = 1")
        await values.wait(last: ["Barbara"])
        #expect(try await iterator.next() == ["Barbara"])
        // The schema, too.
        try await other.execute("ALTER TABLE player RENAME TO person; CREATE VIEW player AS SELECT id, 'view' AS name FROM person")
        await values.wait(last: ["view"])
        try await writer.execute("DELETE FROM person")
        await values.wait(last: [])
        cancellable.cancel()
    }

    @Test(arguments: [Kind.queue, .walQueue, .pool])
    func `Commits of other connections before the tracking begins are observed`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let other = try ValueObservationTests.open(kind, folder)
        let writer = try open(kind, folder.path("db.sqlite"))
        for number in 0..<20 {
            let values = Collector<[String]>()
            let cancellable = await Scheduler.allCases[number % 6].start(ValueObservationTests.names, in: writer, values)
            try await other.execute("UPDATE player SET name = '\(number)'")
            await values.wait(last: ["\(number)", "\(number)"])
            cancellable.cancel()
        }
    }

    @Test
    func `Commits of a connection that has locked the database when the tracking begins are observed`() async throws {
        let folder = try TemporaryFolder()
        let other = try ValueObservationTests.open(.queue, folder)
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.busyMode = .immediateError
        let writer = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        let counts = Collector<Int64?>()
        let cancellable = try await other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE; DELETE FROM player")
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(in: writer) {
                Issue.record($0)
            } onChange: { db in
                counts.append(try? db.integer("SELECT count(*) FROM player"))
            }
            try db.execute(sql: "COMMIT")
            return cancellable
        }
        await counts.wait(last: 0)
        cancellable.cancel()
    }

    @Test
    func `Region observations are notified of other connections' commits, in a separate access`() async throws {
        let folder = try TemporaryFolder()
        let other = try ValueObservationTests.open(.pool, folder)
        let writer = try open(.pool, folder.path("db.sqlite"))
        let counts = Collector<Int64?>()
        let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(in: writer) {
            Issue.record($0)
        } onChange: { db in
            counts.append(try? db.integer("SELECT count(*) FROM player"))
        }
        try await other.execute("DELETE FROM player")
        await counts.wait(last: 0)
        cancellable.cancel()
    }

    @Test
    func `An observation that has no other commits to look for, and one that has ended, ask nothing`() async throws {
        let folder = try TemporaryFolder()
        let writer = try open(.queue, folder.path("db.sqlite"), observesOthers: false)
        let statements = Collector<String>()
        try await writer.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            db.trace { statements.append("\($0)") }
        }
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(ValueObservationTests.names, in: writer, values)
        await values.wait(count: 1)
        try await writer.execute("INSERT INTO player (name) VALUES ('Arthur')")
        await values.wait(last: ["Arthur"])
        cancellable.cancel()
        #expect(!statements.all.contains { $0.contains("data_version") })
    }
}
