import Combine
import Dispatch
import Migrations
import RowDecoding
import Testing

private func makeQueue() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    return queue
}

extension DatabaseReader {
    fileprivate func count() throws -> Int? { try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } }
}

@Suite(.timeLimit(.minutes(1))) struct AccessPublisherTests {
    let queue = DispatchQueue.named("results")

    @Test
    func `A read is published on the scheduler, once for each subscription, and not before`() async throws {
        let database = try makeQueue()
        let reads = Locked(0)
        let publisher = database.readPublisher(receiveOn: queue) { db in
            reads.increment()
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM t")!
        }
        #expect(reads.value == 0)
        for expected in 0...1 {
            let recorder = Recorder<Int>()
            publisher.subscribe(recorder)
            #expect(await recorder.events.wait(count: 2) == ["value \(expected) on results", "finished on results"])
            try await database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(reads.value == 2)
    }

    @Test
    func `Without a scheduler, results come on the main thread`() async throws {
        let recorder = Recorder<Int>()
        try makeQueue().readPublisher { _ in 1 }.subscribe(recorder)
        #expect(await recorder.events.wait(count: 2) == ["value 1 on main", "finished on main"])
    }

    @Test
    func `The error of a read, of its closure or of the access, is the failure`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Int>(demand: .none)
        database.readPublisher(receiveOn: queue) { _ in throw TestError() }.subscribe(recorder)
        #expect(await recorder.events.wait(count: 1) == ["failed: the test's error on results"])

        let refused = Recorder<Void>()
        database.readPublisher(receiveOn: queue) { try $0.execute(sql: "DELETE FROM t") }.subscribe(refused)
        #expect(await refused.events.wait(count: 1).first?.contains("SQLite error 8") == true)

        try database.close()
        let late = Recorder<Int>()
        database.readPublisher(receiveOn: queue) { _ in 1 }.subscribe(late)
        #expect(await late.events.wait(count: 1).first?.hasPrefix("failed: SQLite error 21") == true)
    }

    @Test
    func `A write is committed when its result is published, and rolled back when its closure throws`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Int64>()
        database.writePublisher(receiveOn: queue) { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return db.lastInsertedRowID
        }
        .subscribe(recorder)
        #expect(await recorder.events.wait(count: 2) == ["value 1 on results", "finished on results"])
        #expect(try database.count() == 1)

        let failing = Recorder<Int64>()
        database.writePublisher(receiveOn: queue) { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            throw TestError()
        }
        .subscribe(failing)
        #expect(await failing.events.wait(count: 1) == ["failed: the test's error on results"])
        #expect(try database.count() == 1)
    }

    @Test
    func `What is read after a write contains it, in queues and pools`() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path + "/pool.sqlite")
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        for database in [pool, try makeQueue()] as [any DatabaseWriter] {
            let recorder = Recorder<String>()
            database.writePublisher(receiveOn: queue) { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return "written"
            } thenRead: { db, written in
                "\(written) \(try Int.fetchOne(db, sql: "SELECT count(*) FROM t")!)"
            }
            .subscribe(recorder)
            #expect(await recorder.events.wait(count: 2) == ["value written 1 on results", "finished on results"])

            let failing = Recorder<Int>()
            let reads = Locked(0)
            database.writePublisher(receiveOn: queue) { _ in
                throw TestError()
            } thenRead: { _, _ in
                reads.increment()
                return 1
            }
            .subscribe(failing)
            #expect(await failing.events.wait(count: 1) == ["failed: the test's error on results"])
            #expect(reads.value == 0)

            let half = Recorder<Int>()
            database.writePublisher(receiveOn: queue) {
                try $0.execute(sql: "INSERT INTO t VALUES (2)")
            } thenRead: { _, _ in
                throw TestError()
            }
            .subscribe(half)
            #expect(await half.events.wait(count: 1) == ["failed: the test's error on results"])
            #expect(try database.count() == 2)
        }
    }

    @Test
    func `After a cancellation nothing is published, the write that has begun is committed, and the subscription is gone`() async throws {
        let database = try makeQueue()
        let hasBegun = Semaphore("the write has begun")
        let mayEnd = Semaphore("the test lets the write end")
        weak var freed: Token?
        weak var freedRecorder: Recorder<Void>?
        let events: Collector<String>
        do {
            let token = Token()
            let recorder = Recorder<Void>()
            freed = token
            freedRecorder = recorder
            events = recorder.events
            database.writePublisher(receiveOn: queue) { [token] db in
                hasBegun.signal()
                mayEnd.wait()
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                withExtendedLifetime(token) {}
            }
            .subscribe(recorder)
            await hasBegun.signalled()
            recorder.cancel()
        }
        mayEnd.signal()
        #expect(try database.count() == 1)
        await queue.drain()
        #expect(events.all == [])
        #expect(freed == nil)
        #expect(freedRecorder == nil)
    }

    @Test
    func `A value waits for demand, an error does not`() async throws {
        let recorder = Recorder<Int>(demand: .none)
        let database = try makeQueue()
        database.readPublisher(receiveOn: queue) { _ in 1 }.subscribe(recorder)
        _ = try database.count()
        await queue.drain()
        #expect(recorder.events.all == [])
        recorder.request(.max(1))
        #expect(await recorder.events.wait(count: 2) == ["value 1 on results", "finished on results"])
    }

    @Test
    func `A cancellable that is released ends the subscription`() async throws {
        let database = try makeQueue()
        let events = Collector<String>()
        let mayEnd = Semaphore("the test lets the read end")
        _ = database.readPublisher(receiveOn: queue) { _ in mayEnd.wait() }
            .sink { _ in
                events.append("completion")
            } receiveValue: {
                events.append("value")
            }
        mayEnd.signal()
        _ = try database.count()
        await queue.drain()
        #expect(events.all == [])
    }

    @Test
    func `Migrations are published when they have run, and their error is the failure`() async throws {
        let database = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("t") { try $0.execute(sql: "CREATE TABLE t (a)") }
        let publisher = migrator.migratePublisher(database, receiveOn: queue)
        #expect(throws: DatabaseError.self) { try database.count() }
        let recorder = Recorder<Void>()
        publisher.subscribe(recorder)
        #expect(await recorder.events.wait(count: 2) == ["value () on results", "finished on results"])
        #expect(try database.count() == 0)

        migrator.registerMigration("failing") { _ in throw TestError() }
        let failing = Recorder<Void>()
        migrator.migratePublisher(database, receiveOn: queue).subscribe(failing)
        let events = await failing.events.wait(count: 1)
        #expect(events.count == 1 && events[0].hasPrefix("failed: ") && events[0].contains("failing"), "\(events)")
    }
}
