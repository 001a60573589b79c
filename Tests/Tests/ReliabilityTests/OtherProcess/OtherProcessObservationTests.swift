import Dispatch
import Foundation
import Strata
import Testing

// Another process commits, and observations of this process see it.

@Suite(.timeLimit(.minutes(20))) struct OtherProcessObservationTests {
    /// Ways to change a database, without those that rename a table.
    static let changes = ObservedChange.all.filter { !$0.sql.contains("RENAME") }

    /// What observes, and how its values are delivered.
    struct Way: CustomTestStringConvertible {
        let kind: Kind
        let scheduler: Scheduler

        var testDescription: String { "\(kind), \(scheduler)" }

        static let all = Kind.files.flatMap { kind in
            [Scheduler.concurrentQueue, .task, .mainActor, .immediate].map { Way(kind: kind, scheduler: $0) }
        }
    }

    /// One case after another: each has a process, and a dozen files.
    @Test(.serialized, arguments: Way.all, changes)
    func `All ways in which another process changes a database are observed`(_ way: Way, _ change: ObservedChange) async throws {
        let (kind, scheduler) = (way.kind, way.scheduler)
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let journal = kind == .queue ? "DELETE" : "WAL"
        let other = try OtherProcess(
            path,
            """
            PRAGMA journal_mode = \(journal); PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 10000;
            ATTACH '\(folder.path("other.sqlite"))' AS other; PRAGMA other.journal_mode = \(journal);
            \(ObservedChange.schema)
            CREATE TABLE other.score (name TEXT)
            """)
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { try $0.execute(sql: "ATTACH DATABASE ? AS other", arguments: [folder.path("other.sqlite")]) }
        let writer = try kind.open(path, configuration)
        let query = change.query
        let observation = ValueObservation.tracking { try String.fetchAll($0, sql: query) }.removeDuplicates()
        let values = Collector<[String]>()
        let first = try other.run(query)
        let cancellable = await scheduler.start(observation, in: writer, values)
        await values.wait(last: first)
        // Rolled back changes do not count, as the next value shows.
        try other.run("BEGIN; \(change.sql); ROLLBACK")
        try other.run("BEGIN; SAVEPOINT s; \(change.sql); ROLLBACK TO s; COMMIT")
        // In one transaction: an observation that finds no view ends with an error.
        try other.run("BEGIN; \(change.sql); COMMIT")
        let expected = try other.run(query)
        #expect(expected != first)
        await values.wait(last: expected)
        // Both sides can write.
        try await writer.write { try $0.execute(sql: "UPDATE team SET name = name") }
        cancellable.cancel()
    }

    @Test(arguments: Kind.files)
    func `Each state that an observation delivers is one that the other process has committed, in order`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let other = try OtherProcess(
            path,
            """
            PRAGMA journal_mode = \(kind == .queue ? "DELETE" : "WAL"); PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000;
            CREATE TABLE a (x); CREATE TABLE b (x); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)
            """)
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.busyMode = .timeout(10)
        let writer = try kind.open(path, configuration)
        let commits = 200
        async let isDone: Void = withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        for _ in 1...commits { try other.run("BEGIN IMMEDIATE; UPDATE a SET x = x + 1; UPDATE b SET x = x + 1; COMMIT") }
                    })
            }
        }
        let observation = ValueObservation.tracking { db in
            [try Int.fetchOne(db, sql: "SELECT x FROM a") ?? -1, try Int.fetchOne(db, sql: "SELECT x FROM b") ?? -1]
        }
        var last = -1
        for try await value in observation.values(in: writer) {
            #expect(value[0] == value[1])
            #expect(value[0] >= last)
            last = value[0]
            if last == commits { break }
        }
        try await isDone
    }
}
