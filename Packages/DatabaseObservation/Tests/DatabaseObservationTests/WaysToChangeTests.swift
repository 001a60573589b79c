import DatabaseObservation
import Foundation
import Testing

/// All kinds of databases, schedulers and ways to change a database. ReliabilityTests has the same for changes by another process.
@Suite(.timeLimit(.minutes(20))) struct WaysToChangeTests {
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
        Change("SELECT CAST(count(*) AS TEXT) FROM player", "INSERT INTO player (name) VALUES ('Craig')"),
        Change("SELECT name FROM player ORDER BY id", "UPDATE player SET name = 'Craig' WHERE id = 1"),
        Change("SELECT name FROM player WHERE id = 2", "UPDATE player SET id = 3 WHERE id = 2"),
        Change("SELECT name FROM player ORDER BY id", "DELETE FROM player WHERE id = 1"),
        // Truncation.
        Change("SELECT name FROM player ORDER BY id", "DELETE FROM player"),
        Change("SELECT name FROM player ORDER BY id", "REPLACE INTO player (id, name) VALUES (1, 'Craig')"),
        Change("SELECT name FROM player ORDER BY id", "UPDATE OR REPLACE player SET name = 'Barbara' WHERE id = 1"),
        // A foreign key with ON DELETE CASCADE, and a trigger.
        Change("SELECT name FROM member ORDER BY id", "DELETE FROM player WHERE id = 1"),
        Change("SELECT name FROM player ORDER BY id", "DELETE FROM team"),
        // WITHOUT ROWID.
        Change("SELECT b FROM pair ORDER BY a", "INSERT INTO pair VALUES ('c', 'd')"),
        Change("SELECT b FROM pair ORDER BY a", "UPDATE pair SET b = 'new'"),
        Change("SELECT b FROM pair ORDER BY a", "DELETE FROM pair"),
        // A virtual table.
        Change("SELECT text FROM note", "INSERT INTO note VALUES ('new')"),
        Change("SELECT CAST(count(*) AS TEXT) FROM note WHERE note MATCH 'first'", "UPDATE note SET text = 'second'"),
        // An attached database.
        Change("SELECT name FROM other.score", "INSERT INTO other.score VALUES ('new')"),
        // The schema.
        Change("SELECT name FROM names", "DROP VIEW names; CREATE VIEW names AS SELECT 'new' AS name"),
        Change("SELECT name FROM sqlite_master ORDER BY 1", "CREATE TABLE new (id INTEGER PRIMARY KEY)"),
        Change("SELECT * FROM names", "ALTER TABLE team RENAME TO club; UPDATE club SET name = 'new'"),
    ]

    static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, player INTEGER REFERENCES player (id) ON DELETE CASCADE);
        INSERT INTO player (name) VALUES ('Arthur'), ('Barbara');
        INSERT INTO team (name) VALUES ('Red');
        INSERT INTO member (name, player) VALUES ('one', 1);
        CREATE TABLE pair (a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID;
        INSERT INTO pair VALUES ('a', 'b');
        CREATE VIRTUAL TABLE note USING fts4 (text);
        INSERT INTO note VALUES ('first');
        CREATE VIEW names AS SELECT name FROM team;
        CREATE TRIGGER no_team AFTER DELETE ON team BEGIN
            DELETE FROM member;
            UPDATE player SET name = 'no team ' || id;
        END;
        CREATE TABLE other.score (name TEXT);
        """

    private func open(_ kind: Kind, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
        var configuration = Configuration()
        let other = kind == .memory ? ":memory:" : folder.path("other.sqlite")
        if kind != .memory {
            try DatabaseQueue(path: other).writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        configuration.prepareDatabase { db in try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [other]) }
        let writer = try kind.open(folder.path("db.sqlite"), configuration)
        try writer.write { try $0.execute(sql: Self.schema) }
        return writer
    }

    @Test("All ways to change a database are observed", arguments: Kind.allCases, changes)
    func observedChanges(_ kind: Kind, _ change: Change) async throws {
        for scheduler in Scheduler.allCases {
            let folder = try TemporaryFolder()
            let writer = try open(kind, folder)
            let query = change.query
            let values = Collector<[String]>()
            let cancellable = await scheduler.start(.tracking { try $0.texts(query) }, in: writer, values)
            await values.wait(count: 1)
            try await writer.execute(change.sql)
            let expected = try await writer.read { try $0.texts(query) }
            #expect(expected != values.all[0])
            let all = await values.wait(last: expected)
            #expect(all.count == 2, "\(scheduler)")
            cancellable.cancel()
        }
    }

    @Test("A change that is rolled back is not observed", arguments: Kind.allCases, changes)
    func rollback(_ kind: Kind, _ change: Change) async throws {
        let folder = try TemporaryFolder()
        let writer = try open(kind, folder)
        let query = change.query
        let fetches = Collector<Int>()
        let values = Collector<[String]>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts(query)
        }
        let cancellable = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(count: 1)
        try await writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: change.sql)
                return .rollback
            }
        }
        try await writer.write { db in
            try db.inSavepoint {
                try db.execute(sql: change.sql)
                return .rollback
            }
        }
        #expect(throws: TestError.self) {
            try writer.write { db in
                try db.execute(sql: change.sql)
                throw TestError()
            }
        }
        try await writer.execute(change.sql)
        await values.wait(count: 2)
        #expect(values.all.count == 2)
        #expect(fetches.all.count == 2)
        cancellable.cancel()
    }

    @Test("Changes that the program notifies of are fetched", arguments: Kind.allCases)
    func notifiedChanges(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try open(kind, folder)
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(.tracking { try $0.texts("SELECT name FROM player") }, in: writer, values)
        await values.wait(count: 1)
        for count in 2...5 {
            try await writer.writeWithoutTransaction { try $0.notifyChanges(in: .fullDatabase) }
            await values.wait(count: count)
        }
        cancellable.cancel()
    }
}
