import Dispatch
import Foundation
import Strata
import Testing

// Another process commits, and observations of this process see it.

@Suite(.timeLimit(.minutes(20))) struct OtherProcessObservationTests {
    enum Kind: CaseIterable {
        case queue, walQueue, pool

        func open(_ path: String, _ configuration: Configuration) throws -> any DatabaseWriter {
            switch self {
            case .queue: return try DatabaseQueue(path: path, configuration: configuration)
            case .walQueue:
                var configuration = configuration
                configuration.journalMode = .wal
                return try DatabaseQueue(path: path, configuration: configuration)
            case .pool: return try DatabasePool(path: path, configuration: configuration)
            }
        }
    }

    enum Scheduler: CaseIterable {
        case queue, task, mainActor, immediate

        func start(
            _ observation: ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<[String]>>>, _ reader: any DatabaseReader,
            _ values: Values
        ) async -> AnyDatabaseCancellable {
            let onError: @Sendable (any Error) -> Void = { Issue.record($0) }
            let onChange: @Sendable ([String]) -> Void = { values.append($0) }
            switch self {
            case .queue:
                return observation.start(
                    in: AnyDatabaseReader(reader), scheduling: .async(onQueue: .global()), onError: onError, onChange: onChange)
            case .task: return observation.start(in: AnyDatabaseReader(reader), scheduling: .task, onError: onError, onChange: onChange)
            case .mainActor:
                return await observation.start(
                    in: AnyDatabaseReader(reader), scheduling: .mainActor, onError: onError, onChange: onChange)
            case .immediate:
                return await observation.start(
                    in: AnyDatabaseReader(reader), scheduling: .immediate, onError: onError, onChange: onChange)
            }
        }
    }

    /// The values of an observation.
    final class Values: Sendable {
        private let stream: AsyncStream<[String]>
        private let continuation: AsyncStream<[String]>.Continuation

        init() {
            (stream, continuation) = AsyncStream.makeStream()
        }

        func append(_ value: [String]) { continuation.yield(value) }

        /// Waits for the next values, up to a given one.
        func wait(for value: [String]) async {
            for await next in stream where next == value { return }
            Issue.record("no more values before \(value)")
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let query: String
        let sql: String
        var testDescription: String { sql }

        init(_ query: String, _ sql: String) {
            self.query = query
            self.sql = sql
        }
    }

    static let changes = [
        Change("SELECT name FROM player ORDER BY id", "INSERT INTO player (name) VALUES ('Craig')"),
        Change("SELECT name FROM player ORDER BY id", "UPDATE player SET name = 'Craig' WHERE id = 1"),
        Change("SELECT name FROM player ORDER BY id", "DELETE FROM player WHERE id = 1"),
        Change("SELECT name FROM player ORDER BY id", "DELETE FROM player"),
        Change("SELECT name FROM player ORDER BY id", "REPLACE INTO player (id, name) VALUES (1, 'Craig')"),
        Change("SELECT name FROM member ORDER BY id", "DELETE FROM player WHERE id = 1"),
        Change("SELECT name FROM player ORDER BY id", "DELETE FROM team"),
        Change("SELECT b FROM pair ORDER BY a", "UPDATE pair SET b = 'new'"),
        Change("SELECT text FROM note", "INSERT INTO note VALUES ('new')"),
        Change("SELECT name FROM other.score", "INSERT INTO other.score VALUES ('new')"),
        Change("SELECT name FROM names", "DROP VIEW names; CREATE VIEW names AS SELECT 'new' AS name"),
        Change("SELECT name FROM sqlite_master ORDER BY 1", "CREATE TABLE new (id INTEGER PRIMARY KEY)"),
    ]

    @Test("All ways in which another process changes a database are observed", arguments: Kind.allCases, changes)
    func observedChanges(_ kind: Kind, _ change: Change) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let journal = kind == .queue ? "DELETE" : "WAL"
        let other = try OtherProcess(
            path,
            """
            PRAGMA journal_mode = \(journal); PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 10000;
            ATTACH '\(folder.path("other.sqlite"))' AS other; PRAGMA other.journal_mode = \(journal);
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, player INTEGER REFERENCES player (id) ON DELETE CASCADE);
            CREATE TABLE pair (a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID;
            CREATE VIRTUAL TABLE note USING fts4 (text);
            CREATE VIEW names AS SELECT name FROM team;
            CREATE TRIGGER no_team AFTER DELETE ON team BEGIN UPDATE player SET name = 'no team ' || id; END;
            CREATE TABLE other.score (name TEXT)
            """)
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { try $0.execute(sql: "ATTACH DATABASE ? AS other", arguments: [folder.path("other.sqlite")]) }
        let writer = try kind.open(path, configuration)
        let query = change.query
        let observation = ValueObservation.tracking { try String.fetchAll($0, sql: query) }.removeDuplicates()
        for scheduler in Scheduler.allCases {
            try other.run(
                """
                BEGIN; DROP TABLE IF EXISTS new; DELETE FROM member; DELETE FROM player; DELETE FROM team; DELETE FROM pair; DELETE FROM note;
                DELETE FROM other.score; DROP VIEW names; CREATE VIEW names AS SELECT name FROM team;
                INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara'); INSERT INTO team VALUES (1, 'Red');
                INSERT INTO member VALUES (1, 'one', 1); INSERT INTO pair VALUES ('a', 'b');
                COMMIT
                """)
            let values = Values()
            let first = try other.run(query)
            let cancellable = await scheduler.start(observation, writer, values)
            await values.wait(for: first)
            // What is rolled back does not count, and this is seen in the next value.
            try other.run("BEGIN; \(change.sql); ROLLBACK")
            try other.run("BEGIN; SAVEPOINT s; \(change.sql); ROLLBACK TO s; COMMIT")
            // In one transaction: an observation that finds no view ends with an error.
            try other.run("BEGIN; \(change.sql); COMMIT")
            let expected = try other.run(query)
            #expect(expected != first)
            await values.wait(for: expected)
            // Both sides can write.
            try await writer.write { try $0.execute(sql: "UPDATE team SET name = name") }
            cancellable.cancel()
        }
    }

    @Test("Each state that an observation delivers is one that the other process has committed, in order", arguments: Kind.allCases)
    func order(_ kind: Kind) async throws {
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
