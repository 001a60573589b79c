import DatabaseObservation
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct ValueObservationTests {
    /// A database with two players and a team.
    static func open(
        _ kind: Kind, _ folder: TemporaryFolder, _ configuration: Configuration = Configuration()
    ) throws -> any DatabaseWriter {
        let writer = try kind.open(folder.path("db.sqlite"), configuration)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 0)")
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur'), ('Barbara')")
            try db.execute(sql: "INSERT INTO team (name) VALUES ('Red')")
        }
        return writer
    }

    static let names = ValueObservation.tracking { try $0.texts("SELECT name FROM player ORDER BY id") }

    @Test(arguments: Kind.allCases, Scheduler.allCases)
    func `An observation delivers a first value, and one after each change, with all kinds of databases and all schedulers`(
        _ kind: Kind, _ scheduler: Scheduler
    ) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        let values = Collector<[String]>()
        let cancellable = await scheduler.start(Self.names, in: writer, values)
        await values.wait(last: ["Arthur", "Barbara"])
        try await writer.execute("INSERT INTO player (name) VALUES ('Craig')")
        await values.wait(last: ["Arthur", "Barbara", "Craig"])
        try await writer.execute("DELETE FROM player")
        await values.wait(last: [])
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `A sequence delivers a first value, and one after each change`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        var iterator = Self.names.removeDuplicates().values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == ["Arthur", "Barbara"])
        try await writer.execute("UPDATE player SET name = 'Craig' WHERE id = 1")
        #expect(try await iterator.next() == ["Craig", "Barbara"])
        // Changes while the loop is busy are coalesced.
        try await writer.execute("DELETE FROM player WHERE id = 1")
        try await writer.execute("DELETE FROM player")
        #expect(try await iterator.next() == [])
    }

    @Test(arguments: Kind.allCases)
    func `A transaction that changes nothing observed, or is rolled back, causes no fetch`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        let fetches = Collector<Int>()
        let values = Collector<[String]>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts("SELECT name FROM player ORDER BY id")
        }
        let cancellable = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(count: 1)
        try await writer.execute("INSERT INTO player (name) VALUES ('Craig')")
        await values.wait(last: ["Arthur", "Barbara", "Craig"])
        let before = fetches.all.count
        try await writer.execute("INSERT INTO team (name) VALUES ('Blue')")
        try await writer.execute("UPDATE player SET score = 1")
        try await writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
        }
        try await writer.write { db in
            try db.inSavepoint {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
        }
        try await writer.execute("DELETE FROM player WHERE name = 'Nobody'")
        try await writer.execute("DELETE FROM player WHERE id = 1")
        await values.wait(last: ["Barbara", "Craig"])
        #expect(fetches.all.count == before + 1)
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `The region follows what the last fetch has read`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        let observation = ValueObservation.tracking { db in
            try db.integer("SELECT score FROM player WHERE id = 1") == 0
                ? try db.texts("SELECT name FROM player ORDER BY id") : try db.texts("SELECT name FROM team ORDER BY id")
        }
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(last: ["Arthur", "Barbara"])
        try await writer.execute("UPDATE player SET score = 1 WHERE id = 1")
        await values.wait(last: ["Red"])
        try await writer.execute("INSERT INTO team (name) VALUES ('Blue')")
        await values.wait(last: ["Red", "Blue"])
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `All changes of the transaction in which the tracking begins are observed`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        let values = Collector<[String]>()
        let hasValue = Semaphore("the observation has a value")
        let cancellables = try await writer.write { db in
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            // This observation begins inside the transaction, and the tracking with it.
            let region = DatabaseRegionObservation(tracking: .fullDatabase)
                .start(in: writer, onError: { Issue.record($0) }, onChange: { _ in })
            let names = Self.names.start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
                Issue.record($0)
            } onChange: {
                values.append($0)
                hasValue.signal()
            }
            // A pool reads the state before the transaction.
            if kind == .pool { hasValue.wait() }
            return [region, names]
        }
        await values.wait(last: ["Barbara"])
        #expect(values.all == (kind == .pool ? [["Arthur", "Barbara"], ["Barbara"]] : [["Barbara"]]))
        cancellables.forEach { $0.cancel() }
    }

    @Test(arguments: Kind.allCases)
    func `An observation may begin while a transaction is open that an access has left`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let writer = try Self.open(kind, folder, configuration)
        try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN; DELETE FROM player WHERE id = 1") }
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(Self.names, in: writer, values)
        if kind == .pool { await values.wait(last: ["Arthur", "Barbara"]) }
        try await writer.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        await values.wait(last: ["Barbara"])
        cancellable.cancel()
    }

    @Test
    func `A fetch that waits for the end of an access reads beside a transaction that the access has left open`() async throws {
        /// Holds a commit up, longer than a fetch waits for it.
        final class SlowCommit: TransactionObserver, Sendable {
            let begin = Semaphore("the commit has begun")
            func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws {
                begin.signal()
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(200))
            }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let pool = try Self.open(.pool, folder, configuration)
        let commit = SlowCommit()
        pool.add(transactionObserver: commit, extent: .observerLifetime)
        pool.asyncWriteWithoutTransaction { db in
            do {
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
                pool.remove(transactionObserver: commit)
                try db.execute(sql: "BEGIN; DELETE FROM player")
            } catch {
                Issue.record(error)
            }
        }
        let values = Collector<[String]>()
        let cancellable = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                commit.begin.wait()
                continuation.resume(
                    returning: Self.names.start(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
                        Issue.record($0)
                    } onChange: {
                        values.append($0)
                    })
            }
        }
        await values.wait(last: ["Barbara"])
        try await pool.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        await values.wait(last: [])
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `A constant region is the region of the first fetch, and a given region is used as it is`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        let constant = Collector<[String]>()
        let full = Collector<[String]>()
        let cancellables = [
            await Scheduler.queue.start(
                .trackingConstantRegion { try $0.texts("SELECT name FROM team") }, in: writer, constant),
            await Scheduler.queue.start(
                .tracking(region: .fullDatabase) { try $0.texts("SELECT name FROM team") }, in: writer, full),
        ]
        await constant.wait(count: 1)
        await full.wait(count: 1)
        try await writer.execute("UPDATE team SET name = 'Blue'")
        await constant.wait(last: ["Blue"])
        await full.wait(last: ["Blue"])
        let count = full.all.count
        try await writer.execute("DELETE FROM player")
        await full.wait(count: count + 1)
        cancellables.forEach { $0.cancel() }
    }

    @Test(arguments: Kind.allCases)
    func `An observation with write access does not observe its own writes`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try Self.open(kind, folder)
        var observation = ValueObservation.tracking { db in
            try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 1")
            return try db.texts("SELECT name FROM player ORDER BY id")
        }
        observation.requiresWriteAccess = true
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(count: 1)
        try await writer.execute("DELETE FROM player WHERE id = 2")
        await values.wait(last: ["Arthur"])
        #expect(try await writer.read { try $0.integer("SELECT score FROM player") } == Int64(values.all.count))
        cancellable.cancel()
    }

    @Test(arguments: Scheduler.allCases)
    func `A snapshot has one value`(_ scheduler: Scheduler) async throws {
        let folder = try TemporaryFolder()
        let pool = try #require(try Self.open(.pool, folder) as? DatabasePool)
        let snapshot = try pool.makeSnapshot()
        try await pool.execute("DELETE FROM player WHERE id = 2")
        let values = Collector<[String]>()
        let cancellable = await scheduler.start(Self.names, in: snapshot, values)
        await values.wait(last: ["Arthur", "Barbara"])
        try await pool.execute("DELETE FROM player")
        #expect(values.all == [["Arthur", "Barbara"]])
        cancellable.cancel()
    }

    @Test
    func `A wrapped database is observed`() async throws {
        let folder = try TemporaryFolder()
        let pool = try Self.open(.pool, folder)
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(Self.names, in: AnyDatabaseReader(AnyDatabaseWriter(pool)), values)
        await values.wait(last: ["Arthur", "Barbara"])
        try await pool.execute("DELETE FROM player")
        await values.wait(last: [])
        cancellable.cancel()
    }
}
