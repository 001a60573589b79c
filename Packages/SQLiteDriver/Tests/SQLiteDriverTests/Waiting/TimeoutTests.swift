import Foundation
import SQLiteDriver
import Testing

/// Accesses with a limit of time.
@Suite struct TimeoutTests {
    enum Kind: CaseIterable {
        case memory
        case queue
        case pool
        case poolWithOneReader

        var isPool: Bool { self == .pool || self == .poolWithOneReader }
    }

    enum Form: CaseIterable {
        case blocking
        case asynchronous
        case callback
    }

    enum Access: CaseIterable {
        case read
        case unsafeRead
        case write
        case writeWithoutTransaction
        case barrierWrite

        var writes: Bool { self != .read && self != .unsafeRead }
    }

    struct Call: CustomTestStringConvertible {
        let access: Access
        let form: Form

        static let all = Access.allCases.flatMap { access in Form.allCases.map { Call(access: access, form: $0) } }
        static let writes = all.filter { $0.access == .write || $0.access == .writeWithoutTransaction }

        var testDescription: String { "\(form) \(access)" }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeWriter(_ kind: Kind, _ change: (inout Configuration) -> Void = { _ in }) throws -> any DatabaseWriter {
        var configuration = Configuration()
        if kind == .poolWithOneReader { configuration.maximumReaderCount = 1 }
        change(&configuration)
        let writer: any DatabaseWriter =
            switch kind {
            case .memory: try DatabaseQueue(configuration: configuration)
            case .queue: try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
            case .pool, .poolWithOneReader: try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
            }
        try writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
        return writer
    }

    private func run<T: Sendable>(
        _ access: Access, _ form: Form, of writer: any DatabaseWriter, _ timeout: Duration = .milliseconds(500),
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        if form == .callback {
            return try await withCheckedThrowingContinuation { continuation in
                let callback: @Sendable (Result<Database, any Error>) -> Void = { result in
                    continuation.resume(with: Result { try body(result.get()) })
                }
                switch access {
                case .read: writer.asyncRead(timeout: timeout, callback)
                case .unsafeRead: writer.asyncUnsafeRead(timeout: timeout, callback)
                case .write: writer.asyncWrite(timeout: timeout, body) { continuation.resume(with: $0) }
                case .writeWithoutTransaction: writer.asyncWriteWithoutTransaction(timeout: timeout, callback)
                case .barrierWrite: writer.asyncBarrierWriteWithoutTransaction(timeout: timeout, callback)
                }
            }
        }
        guard form == .blocking else {
            return switch access {
            case .read: try await writer.read(timeout: timeout, body)
            case .unsafeRead: try await writer.unsafeRead(timeout: timeout, body)
            case .write: try await writer.write(timeout: timeout, body)
            case .writeWithoutTransaction: try await writer.writeWithoutTransaction(timeout: timeout, body)
            case .barrierWrite: try await writer.barrierWriteWithoutTransaction(timeout: timeout, body)
            }
        }
        @Sendable func blocking() throws -> T {
            switch access {
            case .read: try writer.read(timeout: timeout, body)
            case .unsafeRead: try writer.unsafeRead(timeout: timeout, body)
            case .write: try writer.write(timeout: timeout, body)
            case .writeWithoutTransaction: try writer.writeWithoutTransaction(timeout: timeout, body)
            case .barrierWrite: try writer.barrierWriteWithoutTransaction(timeout: timeout, body)
            }
        }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: blocking)) }
        }
    }

    private static let endless = "SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)"

    private func expectUsable(
        _ writer: any DatabaseWriter, rows: [Int64], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try writer.read { try $0.integers("SELECT a FROM t ORDER BY a") } == rows, sourceLocation: sourceLocation)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (99)") }
        #expect(try writer.read { try $0.integers("SELECT count(*) FROM t") } == [Int64(rows.count) + 1], sourceLocation: sourceLocation)
    }

    @Test(arguments: Kind.allCases, Call.all)
    func `An access that waits too long for a connection never runs`(_ kind: Kind, _ call: Call) async throws {
        let writer = try makeWriter(kind)
        let isBusy = Semaphore("the other access has begun")
        let isFree = Semaphore("the test lets the other access end")
        let hasEnded = Semaphore("the other access has ended")
        // Keeps the connection that the access needs: with several readers, a read waits only for a barrier.
        if kind.isPool, !call.access.writes {
            writer.asyncBarrierWriteWithoutTransaction { _ in
                isBusy.signal(); isFree.wait(); hasEnded.signal()
            }
        } else if kind.isPool, call.access == .barrierWrite {
            writer.asyncRead { _ in
                isBusy.signal(); isFree.wait(); hasEnded.signal()
            }
        } else {
            writer.asyncWriteWithoutTransaction { _ in
                isBusy.signal(); isFree.wait(); hasEnded.signal()
            }
        }
        await isBusy.signalled()
        let hasRun = Locked(false)
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            try await run(call.access, call.form, of: writer, .milliseconds(50)) { _ in hasRun.value = true }
        }
        #expect(error?.phase == .waitingForConnection)
        #expect(error?.timeout == .milliseconds(50))
        #expect(
            error.map { $0.connectionWait > .zero && $0.runningTime == .zero && $0.sql == nil && !$0.hasCommitted } == true)
        isFree.signal()
        await hasEnded.signalled()
        try expectUsable(writer, rows: [])
        #expect(!hasRun.value)
    }

    @Test(arguments: Kind.allCases, Call.all)
    func `A statement that runs too long is interrupted, and its transaction is rolled back`(
        _ kind: Kind, _ call: Call
    ) async throws {
        let writer = try makeWriter(kind)
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            try await run(call.access, call.form, of: writer) { db in
                if call.access.writes { try db.execute(sql: "INSERT INTO t VALUES (1)") }
                _ = try db.integers(Self.endless)
            }
        }
        #expect(error?.phase == .running)
        #expect(error?.sql == Self.endless)
        let hasCommitted = call.access == .writeWithoutTransaction || call.access == .barrierWrite
        #expect(error?.hasCommitted == hasCommitted)
        #expect(error?.description.contains(hasCommitted ? "Earlier statements" : "Nothing was written") == true)
        try expectUsable(writer, rows: hasCommitted ? [1] : [])
    }

    /// Ways to wait for a lock forever.
    private static let waits: [@Sendable () -> Database.BusyMode] = [
        { .timeout(TimeInterval(waitLimit)) },
        {
            .callback { _ in
                Thread.sleep(forTimeInterval: 0.001)
                return true
            }
        },
    ]

    @Test(arguments: [Kind.queue, .pool], Call.writes)
    func `An access stops waiting for another process's lock`(_ kind: Kind, _ call: Call) async throws {
        for wait in Self.waits { try await expectEndOfWait(wait(), kind, call) }
    }

    private func expectEndOfWait(_ mode: Database.BusyMode, _ kind: Kind, _ call: Call) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = mode
        let path = folder.path("a.sqlite")
        let writer: any DatabaseWriter =
            kind == .pool
            ? try DatabasePool(path: path, configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
        try await writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
        let other = try DatabaseQueue(path: path)
        let isLocked = Semaphore("the other connection has the lock")
        let isFree = Semaphore("the test lets the other connection end")
        let hasEnded = Semaphore("the other connection has ended")
        other.asyncWrite { _ in
            isLocked.signal(); isFree.wait()
        } completion: { _, _ in
            hasEnded.signal()
        }
        await isLocked.signalled()
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            // On a busy machine, a shorter time may be over before the wait begins.
            try await run(call.access, call.form, of: writer, .milliseconds(1500)) { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(error?.phase == .waitingForLock)
        #expect(error.map { $0.lockWait > .zero && $0.sql != nil } == true)
        isFree.signal()
        await hasEnded.signalled()
        try expectUsable(writer, rows: [])
    }

    /// Waits, in a closure that does not use the database, until the time of an access is over.
    private static func waitUntil(_ instant: ContinuousClock.Instant) {
        while ContinuousClock.now < instant.advanced(by: .milliseconds(20)) { Thread.sleep(forTimeInterval: 0.001) }
    }

    @Test(arguments: Kind.allCases, Form.allCases)
    func `A closure that no longer uses the database is not late, and a write that has not begun to commit is`(
        _ kind: Kind, _ form: Form
    ) async throws {
        let writer = try makeWriter(kind)
        let count = try await run(.read, form, of: writer) { db in
            let count = try db.integers("SELECT count(*) FROM t")
            // The time of the access has begun before.
            Self.waitUntil(.now.advanced(by: .milliseconds(500)))
            return count
        }
        #expect(count == [0])
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            try await run(.write, form, of: writer) { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                Self.waitUntil(.now.advanced(by: .milliseconds(500)))
            }
        }
        #expect(error?.sql == "COMMIT TRANSACTION")
        try expectUsable(writer, rows: [])
    }

    @Test(arguments: Kind.allCases, Form.allCases)
    func `What was committed is never reported as late`(_ kind: Kind, _ form: Form) async throws {
        final class SlowCommit: TransactionObserver {
            let end = ContinuousClock.now.advanced(by: .milliseconds(500))
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() { TimeoutTests.waitUntil(end) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let writer = try makeWriter(kind)
        try await run(.write, form, of: writer) { db in
            db.add(transactionObserver: SlowCommit(), extent: .nextTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        try expectUsable(writer, rows: [1])
    }

    @Test(arguments: Kind.allCases)
    func `Random timeouts of concurrent writes lose nothing and report nothing wrong`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind)
        let written = await withTaskGroup(of: Int64?.self) { group in
            for number in Int64(1)...200 {
                group.addTask {
                    let form = Form.allCases[Int(number % 3)]
                    do {
                        try await self.run(.write, form, of: writer, .microseconds(number * 37 % 4000)) { db in
                            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
                        }
                        return number
                    } catch is DatabaseTimeoutError {
                        return nil
                    } catch {
                        Issue.record(error)
                        return nil
                    }
                }
            }
            return await group.reduce(into: [Int64]()) { if let number = $1 { $0.append(number) } }
        }
        try expectUsable(writer, rows: written.sorted())
    }

    @Test
    func `A limit also applies to accesses inside the access`() throws {
        let (outer, inner) = (try makeWriter(.memory), try makeWriter(.queue))
        let error = #expect(throws: DatabaseTimeoutError.self) {
            try outer.write(timeout: .milliseconds(50)) { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try inner.write(timeout: .seconds(600)) { _ = try $0.integers(Self.endless) }
            }
        }
        #expect(error?.timeout == .milliseconds(50))
        try expectUsable(outer, rows: [])
        try expectUsable(inner, rows: [])
    }

    @Test(arguments: Kind.allCases)
    func `Timeouts of the configuration limit accesses, and not maintenance`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind) {
            $0.readTimeout = .milliseconds(100)
            $0.writeTimeout = .zero
        }
        func expectTimeout(_ body: () throws -> Void) { #expect(throws: DatabaseTimeoutError.self, performing: body) }
        expectTimeout { try writer.read { _ = try $0.integers(Self.endless) } }
        await #expect(throws: DatabaseTimeoutError.self) { try await writer.unsafeRead { _ = try $0.integers(Self.endless) } }
        expectTimeout { try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        await #expect(throws: DatabaseTimeoutError.self) {
            try await writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        // A longer limit of an access does not replace the configuration's.
        expectTimeout {
            try writer.write(timeout: .seconds(60)) { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        try await writer.vacuum()
        // The copy has no limits, and the source has.
        let copy = try DatabaseQueue()
        func backUp() throws { try writer.backup(to: copy) }
        try backUp()
        try await writer.asyncBackup(to: copy)
        try await writer.barrierWriteWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try await writer.barrierWriteWithoutTransaction { try $0.integers("SELECT a FROM t") } == [2])
    }

    @Test(arguments: Kind.allCases)
    func `Timeouts of the configuration limit callbacks`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind) {
            $0.readTimeout = .milliseconds(100)
            $0.writeTimeout = .milliseconds(100)
        }
        let errors = Collector<(any Error)?>()
        writer.asyncRead { result in errors.append(Result { _ = try result.get().integers(Self.endless) }.failure) }
        writer.asyncWrite {
            try $0.execute(sql: "INSERT INTO t VALUES (1)")
            _ = try $0.integers(Self.endless)
        } completion: {
            errors.append($1.failure)
        }
        // A callback that takes no error waits for its turn. Its statements throw.
        writer.asyncWriteWithoutTransaction { db in
            Self.waitUntil(.now.advanced(by: .milliseconds(100)))
            errors.append(Result { try db.execute(sql: "INSERT INTO t VALUES (2)") }.failure)
        }
        for error in await errors.wait(count: 3) { #expect(error is DatabaseTimeoutError, "\(error as Any)") }
        // An access without a limit, as a busy machine may take longer.
        #expect(try await writer.barrierWriteWithoutTransaction { try $0.integers("SELECT a FROM t") } == [])
    }

    @Test(arguments: Kind.allCases)
    func `A callback that an access schedules does not have the deadline of the access`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind)
        let results = Collector<Bool>()
        try await run(.write, .blocking, of: writer, .milliseconds(200)) { _ in
            let end = ContinuousClock.now.advanced(by: .milliseconds(200))
            writer.asyncWrite { db in
                Self.waitUntil(end)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            } completion: { _, result in
                results.append(result.failure == nil)
            }
        }
        #expect(await results.wait(count: 1) == [true])
        try expectUsable(writer, rows: [1])
    }

    @Test(arguments: Form.allCases)
    func `A commit stops waiting for the readers of a rollback journal`(_ form: Form) async throws {
        let writer = try makeWriter(.queue) { $0.busyMode = .timeout(TimeInterval(waitLimit)) }
        let other = try DatabaseQueue(path: folder.path("a.sqlite"))
        let isReading = Semaphore("the other connection has begun to read")
        let isFree = Semaphore("the test lets the other connection end")
        let hasEnded = Semaphore("the other connection has ended")
        other.asyncRead { result in
            #expect(throws: Never.self) { _ = try result.get().integers("SELECT a FROM t") }
            isReading.signal(); isFree.wait(); hasEnded.signal()
        }
        await isReading.signalled()
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            try await run(.write, form, of: writer) { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(error?.phase == .waitingForLock)
        #expect(error?.sql == "COMMIT TRANSACTION")
        #expect(error?.hasCommitted == false)
        isFree.signal()
        await hasEnded.signalled()
        try expectUsable(writer, rows: [])
    }

    @Test(arguments: [
        "SELECT count(*) FROM f WHERE f MATCH 'a* OR b*' ORDER BY bm25(f)", "INSERT INTO f (f) VALUES ('optimize')",
        "INSERT INTO f (f) VALUES ('rebuild')",
    ])
    func `A full-text search, its optimization and its rebuilding leave the connection usable after a timeout`(_ sql: String) throws {
        let writer = try makeWriter(.queue)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE f USING fts5(a);
                    INSERT INTO f WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                    SELECT 'a' || i || ' b' || (i * 7) FROM n;
                    """)
        }
        var lateCount = 0
        for round in 0..<12 {
            do {
                try writer.write(timeout: .microseconds(100 << round)) { db in
                    try db.execute(sql: "INSERT INTO f VALUES ('added')")
                    try db.execute(sql: sql)
                }
                try writer.write { try $0.execute(sql: "DELETE FROM f WHERE f MATCH 'added'") }
            } catch is DatabaseTimeoutError {
                lateCount += 1
            }
            // What was not committed is not there, and the index matches its content.
            #expect(try writer.read { try $0.integers("SELECT count(*) FROM f") } == [5000])
            try writer.write { try $0.execute(sql: "INSERT INTO f (f, rank) VALUES ('integrity-check', 1)") }
        }
        #expect(lateCount > 0)
    }

    @Test
    func `A snapshot and a wrapped reader have limits, too`() throws {
        guard let pool = try makeWriter(.pool) as? DatabasePool else { return }
        for reader in [try pool.makeSnapshot(), AnyDatabaseReader(pool)] as [any DatabaseReader] {
            let error = #expect(throws: DatabaseTimeoutError.self) {
                try reader.read(timeout: .milliseconds(20)) { _ = try $0.integers(Self.endless) }
            }
            #expect(error?.phase == .running)
            #expect(try reader.read(timeout: .seconds(600)) { try $0.integers("SELECT count(*) FROM t") } == [0])
        }
    }
}

extension Result {
    /// The error; nil for a success.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
