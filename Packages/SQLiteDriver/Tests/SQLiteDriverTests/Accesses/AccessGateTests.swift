import Dispatch
import Foundation
import SQLiteDriver
import Testing

/// Deadlines, refusals, callbacks, reports and ends, where they meet.
@Suite struct AccessGateTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeWriter(
        _ kind: Kind, _ name: String = "a", _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> any DatabaseWriter {
        var configuration = Configuration()
        change(&configuration)
        let writer = try kind.open(folder.path("\(name).sqlite"), configuration)
        try writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a INTEGER)") }
        return writer
    }

    /// Keeps the connection that writes busy until the returned semaphore is signalled.
    private func keepBusy(_ writer: any DatabaseWriter) -> Semaphore {
        let (isBusy, isFree) = (Semaphore("the connection is busy"), Semaphore("the test frees the connection"))
        writer.asyncWriteWithoutTransaction { _ in
            isBusy.signal()
            isFree.wait()
        }
        isBusy.wait()
        return isFree
    }

    // MARK: - Callbacks

    @Test
    func `A failed callback that waits for another access of its database keeps no other deadline waiting`() async throws {
        let (queue, other) = (try makeWriter(.queue), try makeWriter(.queue, "b"))
        let isFree = keepBusy(queue)
        let results = Collector<Bool>()
        queue.asyncRead(timeout: .milliseconds(50)) { _ in
            results.append((try? queue.write(timeout: .milliseconds(50)) { _ in }) == nil)
        }
        #expect(await results.wait(count: 1) == [true])
        let isFreeToo = keepBusy(other)
        let otherIsOver = await comesToItsEnd {
            #expect(throws: DatabaseTimeoutError.self) { try other.write(timeout: .milliseconds(50)) { _ in } }
        }
        #expect(otherIsOver)
        isFree.signal()
        isFreeToo.signal()
    }

    @Test
    func `Callbacks that never return delay neither timeouts nor cancellations nor the end of other databases`() async {
        await #expect(processExitsWith: .success) {
            endProcess(after: 60)
            let folder = try TemporaryFolder()
            let busy = try DatabaseQueue()
            let isBusy = Semaphore("the connection is busy")
            busy.asyncWriteWithoutTransaction { _ in
                isBusy.signal()
                Semaphore("it never ends").wait()
            }
            await isBusy.signalled()
            let isCalled = DispatchSemaphore(value: 0)
            for _ in 0..<300 {
                busy.asyncRead(timeout: .milliseconds(1)) { _ in
                    isCalled.signal()
                    DispatchSemaphore(value: 0).wait()
                }
            }
            // Dispatch has at most 255 threads for them.
            func waitForCalls() { for _ in 0..<200 { isCalled.wait() } }
            waitForCalls()
            let other = try DatabaseQueue()
            let pool = try DatabasePool(path: folder.path("a.sqlite"))
            let (isOtherBusy, isOtherFree) = (Semaphore("the other connection is busy"), Semaphore("the other connection is free"))
            Thread.detachNewThread {
                try? other.writeWithoutTransaction { _ in
                    isOtherBusy.signal()
                    isOtherFree.wait()
                }
            }
            await isOtherBusy.signalled()
            await #expect(throws: DatabaseTimeoutError.self) { try await other.write(timeout: .milliseconds(20)) { _ in } }
            let task = Task { try await other.write { _ in } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            isOtherFree.signal()
            // A thread needs none of Dispatch's.
            func blocking() throws -> Int64? { try other.write(timeout: .seconds(30)) { try $0.integer("SELECT 1") } }
            #expect(try blocking() == 1)
            pool.shutDown()
            try await pool.run(gracePeriod: .seconds(30))
            Foundation.exit(0)
        }
    }

    @Test(arguments: Kind.allCases)
    func `An access that a failure callback schedules has a callback of its own`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind) { $0.maximumWaitingAccesses = 0 }
        let isFree = keepBusy(writer)
        let calls = Collector<String>()
        writer.asyncBarrierWriteWithoutTransaction(timeout: .seconds(waitLimit)) { result in
            calls.append(result.failure == nil ? "first" : "first failed")
            writer.asyncBarrierWriteWithoutTransaction { calls.append($0.failure == nil ? "second" : "second failed") }
        }
        #expect(await calls.wait(count: 2) == ["first failed", "second failed"])
        isFree.signal()
    }

    // MARK: - Deadlines

    enum Origin: CaseIterable {
        case closure, observer, function, afterTransaction, failure
    }

    /// Runs a closure at some place inside a limited write.
    private func runInside(_ origin: Origin, _ writer: any DatabaseWriter, _ body: @escaping @Sendable () -> Void) async throws {
        final class Observer: TransactionObserver {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) { body() }
            func databaseDidRollback(_ db: Database) {}
        }
        if origin == .failure {
            // The failure of an access that comes too late.
            let isFree = keepBusy(writer)
            let isCalled = Semaphore("the callback was called")
            writer.asyncWriteWithoutTransaction(timeout: .milliseconds(1)) { _ in
                body()
                isCalled.signal()
            }
            await isCalled.signalled()
            return isFree.signal()
        }
        try await writer.write(timeout: .milliseconds(200)) { db in
            switch origin {
            case .closure: body()
            case .observer: db.add(transactionObserver: Observer(body), extent: .nextTransaction)
            case .function:
                // The body refers to the writer, which would live forever with the function.
                let function = DatabaseFunction("f", argumentCount: 0) { _ in
                    body()
                    return 1
                }
                db.add(function: function)
                try db.execute(sql: "SELECT f()")
                db.remove(function: function)
            case .afterTransaction, .failure: db.afterNextTransaction { _ in body() }
            }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
    }

    @Test(arguments: Kind.allCases, Origin.allCases)
    func `A task that begins inside an access does not have its deadline`(_ kind: Kind, _ origin: Origin) async throws {
        let writer = try makeWriter(kind)
        let end = ContinuousClock.now.advanced(by: .milliseconds(250))
        let errors = Collector<(any Error)?>()
        try await runInside(origin, writer) {
            // One begins its access at once, while the access may still be running, and one after the deadline.
            Task { errors.append(await Self.failure { _ = try await writer.read { try $0.integer("SELECT 1") } }) }
            Task {
                while ContinuousClock.now < end { await Task.yield() }
                errors.append(await Self.failure { _ = try await writer.write { try $0.integer("SELECT 1") } })
            }
        }
        for error in await errors.wait(count: 2) { #expect(error == nil) }
    }

    private static func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `A task that begins beside maintenance has the limits of the configuration`() async throws {
        let writer = try makeWriter(.queue) { $0.readTimeout = .milliseconds(50) }
        let copy = try DatabaseQueue()
        let isFree = Semaphore("the test lets the backup end")
        let errors = Collector<(any Error)?>()
        let backup = Task {
            try await writer.asyncBackup(to: copy) { _ in
                Task { errors.append(await Self.failure { try await writer.read { _ in } }) }
                isFree.wait()
            }
        }
        #expect(await errors.wait(count: 1).first is DatabaseTimeoutError)
        isFree.signal()
        try await backup.value
    }

    @Test(arguments: Kind.allCases)
    func `A limit that has passed is noticed before the next statement, also when the timer is late`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        for _ in 0..<20 {
            let error = #expect(throws: DatabaseTimeoutError.self) {
                try writer.write(timeout: .milliseconds(5)) { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    let end = ContinuousClock.now.advanced(by: .milliseconds(5))
                    while ContinuousClock.now < end {}
                }
            }
            #expect(error?.hasCommitted == false)
        }
        #expect(try writer.read { try $0.integers("SELECT a FROM t") } == [])
    }

    // MARK: - Reports

    @Test(arguments: [Kind.queue, .pool], [true, false])
    func `Refused accesses reach the monitors`(_ kind: Kind, _ writes: Bool) async throws {
        let monitor = RecordingMonitor()
        let writer = try makeWriter(kind) {
            $0.maximumWaitingAccesses = 0
            $0.maximumReaderCount = 1
            $0.monitors = [monitor]
        }
        let isReading = Semaphore("the reader is busy")
        let isFree: Semaphore
        if writes || kind == .queue {
            isFree = keepBusy(writer)
        } else {
            isFree = Semaphore("the test frees the reader")
            writer.asyncRead { _ in
                isReading.signal()
                isFree.wait()
            }
            await isReading.signalled()
        }
        func blocking() throws { if writes { try writer.write { _ in } } else { try writer.read { _ in } } }
        let before = monitor.accesses.all.count
        #expect(throws: DatabaseUnavailableError.self, performing: blocking)
        await #expect(throws: DatabaseUnavailableError.self) {
            if writes { try await writer.write { _ in } } else { try await writer.read { _ in } }
        }
        let isCalled = Semaphore("the callback was called")
        if writes {
            writer.asyncBarrierWriteWithoutTransaction { _ in isCalled.signal() }
        } else {
            writer.asyncRead { _ in isCalled.signal() }
        }
        await isCalled.signalled()
        let reports = await monitor.accesses.wait(count: before + 3)[before...]
        #expect(reports.allSatisfy { $0.errorType == "DatabaseUnavailableError" && $0.duration == nil })
        isFree.signal()
    }

    // MARK: - The database's own accesses

    /// Counts commits.
    private final class CommitObserver: TransactionObserver, Sendable {
        let count = Locked(0)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { count.withLock { $0 += 1 } }
        func databaseDidRollback(_ db: Database) {}
    }

    enum Obstacle: CaseIterable {
        case waitingLimit, writeTimeout, deadline, shutdown
    }

    @Test(arguments: Kind.allCases, Obstacle.allCases)
    func `Observers are added and removed although limits refuse accesses`(_ kind: Kind, _ obstacle: Obstacle) async throws {
        let writer = try makeWriter(kind) {
            if obstacle == .waitingLimit { $0.maximumWaitingAccesses = 0 }
            if obstacle == .writeTimeout { $0.writeTimeout = .milliseconds(1) }
        }
        let isFree = keepBusy(writer)
        let (observer, removed) = (CommitObserver(), CommitObserver())
        let isAdded = Semaphore("the observers are added")
        if obstacle == .shutdown {
            (writer as? DatabasePool)?.shutDown()
            (writer as? DatabaseQueue)?.shutDown()
        }
        let service = Task {
            if obstacle == .shutdown {
                try await (writer as? DatabasePool)?.run(gracePeriod: .seconds(waitLimit))
                try await (writer as? DatabaseQueue)?.run(gracePeriod: .seconds(waitLimit))
            }
        }
        let outer = try DatabaseQueue()
        Thread.detachNewThread { [observer, removed] in
            @Sendable func add() {
                writer.add(transactionObserver: removed, extent: .databaseLifetime)
                writer.add(transactionObserver: observer, extent: .databaseLifetime)
                writer.remove(transactionObserver: removed)
            }
            if obstacle == .deadline { try? outer.unsafeRead(timeout: .milliseconds(300)) { _ in add() } } else { add() }
            isAdded.signal()
        }
        // It waits for the connection, and its limit passes.
        #expect(!isAdded.isSignalled(within: .milliseconds(350)))
        isFree.signal()
        await isAdded.signalled()
        if obstacle != .shutdown {
            try await writer.barrierWriteWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            #expect(observer.count.value == 1)
            #expect(removed.count.value == 0)
        }
        try await service.value
    }

    // MARK: - Observers

    /// Logs what it is notified of, and runs a closure once after a commit.
    private final class LoggingObserver: TransactionObserver {
        let name: String
        let log: Box<[String]>
        var onCommit: ((Database) throws -> Void)?

        init(_ name: String, _ log: Box<[String]>, onCommit: ((Database) throws -> Void)? = nil) {
            (self.name, self.log, self.onCommit) = (name, log, onCommit)
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { log.value.append("\(name) change") }
        func databaseWillCommit() { log.value.append("\(name) will") }
        func databaseDidCommit(_ db: Database) {
            log.value.append("\(name) did")
            let action = onCommit
            onCommit = nil
            try? action?(db)
        }
        func databaseDidRollback(_ db: Database) { log.value.append("\(name) rollback") }
    }

    enum Nested: CaseIterable {
        case failedStatement, statement, transaction, savepoint, rolledBack, twoLevels
    }

    @Test(arguments: Kind.allCases, Nested.allCases)
    func `Each observer hears of transactions in their order, also when an observer begins another`(
        _ kind: Kind, _ nested: Nested
    ) throws {
        let writer = try makeWriter(kind)
        let log = Box<[String]>([])
        try writer.write { try $0.execute(sql: "CREATE TABLE u (a INTEGER NOT NULL)") }
        let insert = "INSERT INTO u VALUES (1)"
        let first = LoggingObserver("a", log) { db in
            switch nested {
            case .failedStatement: try db.execute(sql: "INSERT INTO u VALUES (1), (NULL)")
            case .statement, .twoLevels: try db.execute(sql: insert)
            case .transaction:
                try db.inTransaction {
                    try db.execute(sql: insert)
                    return .commit
                }
            case .savepoint:
                try db.inSavepoint {
                    try db.execute(sql: insert)
                    return .commit
                }
            case .rolledBack:
                try db.inTransaction {
                    try db.execute(sql: insert)
                    return .rollback
                }
            }
        }
        let second = LoggingObserver("b", log, onCommit: nested == .twoLevels ? { try $0.execute(sql: insert) } : nil)
        let third = LoggingObserver("c", log)
        let hasCommitted = Box(0)
        for observer in [first, second, third] { writer.add(transactionObserver: observer, extent: .databaseLifetime) }
        try writer.writeWithoutTransaction { db in
            db.afterNextTransaction { _ in hasCommitted.value += 1 }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        let names = ["a", "b", "c"]
        let outer = names.map { "\($0) change" } + names.map { "\($0) will" }
        let inner = names.map { "\($0) change" } + names.map { "\($0) will" }
        let outerEnd = names.map { "\($0) did" }
        let expected: [String] =
            switch nested {
            case .failedStatement: outer + outerEnd
            case .statement, .transaction, .savepoint: outer + outerEnd + inner + outerEnd
            case .rolledBack: outer + outerEnd + names.map { "\($0) change" } + names.map { "\($0) rollback" }
            // The second observer's transaction comes first: it hears of the outer one before the first observer's statement begins.
            case .twoLevels: outer + outerEnd + inner + outerEnd + inner + outerEnd
            }
        var heard = log.value
        if nested == .failedStatement { heard.removeAll { $0.hasSuffix("rollback") } }
        #expect(heard == expected)
        #expect(hasCommitted.value == 1)
    }

    // MARK: - Threads

    @Test
    func `Limited accesses on a concurrent target queue need no more threads than unlimited ones`() async throws {
        var configuration = Configuration()
        configuration.targetQueue = DispatchQueue(label: "target", qos: .utility, attributes: .concurrent)
        configuration.readTimeout = .seconds(20)
        configuration.writeTimeout = .seconds(20)
        let tenants = try (0..<8).map { try DatabaseQueue(path: folder.path("\($0).sqlite"), configuration: configuration) }
        let shared = try DatabasePool(path: folder.path("shared.sqlite"), configuration: configuration)
        let meeting = Meeting(of: tenants.count)
        let results = Collector<Bool>()
        for tenant in tenants {
            Thread.detachNewThread {
                let count: Int64?? = try? tenant.write { _ in
                    // All threads are inside their accesses at the same time.
                    meeting.wait()
                    return try shared.read { try $0.integer("SELECT 1") }
                }
                results.append(count == 1)
            }
        }
        #expect(await results.wait(count: tenants.count).allSatisfy { $0 })
    }

    @Test
    func `Limited accesses on all threads of Dispatch end`() async {
        await #expect(processExitsWith: .success) {
            endProcess(after: 60)
            let folder = try TemporaryFolder()
            let shared = try DatabasePool(path: folder.path("shared.sqlite"))
            // Dispatch has 255 threads.
            let (meeting, successCount) = (Meeting(of: 250), Locked(0))
            let group = DispatchGroup()
            for _ in 0..<256 {
                let tenant = try DatabaseQueue()
                // A queue of its own has a thread of its own, up to the limit of Dispatch.
                DispatchQueue(label: "test").async(group: group) {
                    let isRead: Void? = try? tenant.write(timeout: .seconds(30)) { _ in
                        meeting.wait()
                        try shared.read(timeout: .seconds(30)) { _ = try $0.integer("SELECT 1") }
                    }
                    if isRead != nil { successCount.withLock { $0 += 1 } }
                }
            }
            group.wait()
            Foundation.exit(successCount.value == 256 ? 0 : 1)
        }
    }

    // MARK: - Barriers

    @Test(arguments: [false, true])
    func `A barrier that comes too late frees the writer`(_ isAwaited: Bool) async throws {
        let pool = try #require(try makeWriter(.pool) as? DatabasePool)
        let isReadFree = Semaphore("the test lets the concurrent read end")
        let isReading = Semaphore("the concurrent read has begun")
        let isRead = Semaphore("the concurrent read has ended")
        let isWriteFree = Semaphore("the test lets the write end")
        // The barrier is up when the write begins its concurrent read.
        pool.asyncWriteWithoutTransaction { _ in
            isWriteFree.wait()
            pool.spawnConcurrentRead { _ in
                isReading.signal()
                isReadFree.wait()
                isRead.signal()
            }
        }
        let errors = Collector<(any Error)?>()
        if isAwaited {
            Task {
                let error = await Self.failure { try await pool.barrierWriteWithoutTransaction(timeout: .milliseconds(200)) { _ in } }
                errors.append(error)
            }
        } else {
            Thread.detachNewThread {
                let result = Result { try pool.barrierWriteWithoutTransaction(timeout: .milliseconds(200)) { _ in } }
                errors.append(result.failure)
            }
        }
        await onAThread { yieldThread(until: "the barrier is up") { pool.status().barrier == .up } }
        isWriteFree.signal()
        await isReading.signalled()
        #expect(await errors.wait(count: 1).first is DatabaseTimeoutError)
        // The read is still running.
        try await pool.write(timeout: .seconds(waitLimit)) { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        isReadFree.signal()
        await isRead.signalled()
        await onAThread { yieldThread(until: "nothing runs") { pool.status().isIdle } }
        #expect(try await pool.barrierWriteWithoutTransaction { try $0.integers("SELECT a FROM t") } == [1])
    }

    @Test
    func `A barrier counts as one waiting access, until it runs`() async throws {
        let pool = try #require(try makeWriter(.pool) { $0.maximumWaitingAccesses = 2 } as? DatabasePool)
        let isFree = keepBusy(pool)
        let (isUp, isBarrierFree) = (Semaphore("the barrier is running"), Semaphore("the test lets the barrier end"))
        pool.asyncBarrierWriteWithoutTransaction { _ in
            isUp.signal()
            isBarrierFree.wait()
        }
        await onAThread { yieldThread(until: "the barrier waits for the writer") { pool.status().barrier == .up } }
        #expect(pool.status().writer.waitingCount == 1)
        // There is room for one more.
        let second = Task { try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        await onAThread { yieldThread(until: "the write waits") { pool.status().writer.waitingCount == 2 } }
        await #expect(throws: DatabaseUnavailableError(reason: .tooManyWaiting(limit: 2))) { try await pool.write { _ in } }
        isFree.signal()
        await isUp.signalled()
        #expect(pool.status().writer.isUsed)
        #expect(pool.status().writer.waitingCount == 1)
        isBarrierFree.signal()
        try await second.value
        await onAThread { yieldThread(until: "nothing runs") { pool.status().isIdle } }
    }

    @Test
    func `Late reads leave the line`() async throws {
        let pool = try #require(try makeWriter(.pool) { $0.maximumWaitingAccesses = 4 } as? DatabasePool)
        let (isUp, isFree) = (Semaphore("the barrier is running"), Semaphore("the test lets the barrier end"))
        pool.asyncBarrierWriteWithoutTransaction { _ in
            isUp.signal()
            isFree.wait()
        }
        await isUp.signalled()
        for _ in 0..<3 {
            for _ in 0..<4 {
                await #expect(throws: DatabaseTimeoutError.self) { try await pool.read(timeout: .milliseconds(2)) { _ in } }
            }
            #expect(pool.status().readers.waitingCount == 0)
        }
        isFree.signal()
        #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [])
    }

    // MARK: - The end

    @Test(arguments: [Kind.queue, .pool])
    func `A callback that blocks does not keep a database from ending`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind) { $0.maximumReaderCount = 1 }
        let isCalled = Semaphore("the waiting read was refused")
        let isFree = Semaphore("the test frees the callback")
        let isReading = Semaphore("the first read has begun")
        // The first read uses the connection until it is interrupted, and the second one waits.
        writer.asyncRead { result in
            isReading.signal()
            while (try? result.get().integer("SELECT 1")) != nil {}
        }
        await isReading.signalled()
        writer.asyncRead { result in
            if kind == .queue || result.failure != nil { isCalled.signal() }
            isFree.wait()
        }
        let service = Task {
            try await (writer as? DatabasePool)?.run(gracePeriod: .milliseconds(20))
            try await (writer as? DatabaseQueue)?.run(gracePeriod: .milliseconds(20))
        }
        (writer as? DatabasePool)?.shutDown()
        (writer as? DatabaseQueue)?.shutDown()
        if kind == .pool {
            // The refusal is no access: it keeps nothing.
            try await service.value
        }
        await isCalled.signalled()
        isFree.signal()
        _ = await service.result
    }

    @Test(arguments: [Kind.queue, .pool])
    func `Closing may take longer than the grace period`(_ kind: Kind) async throws {
        /// Delays the end of the connection, as a large log would.
        final class Delay: Sendable {
            deinit {
                let end = ContinuousClock.now.advanced(by: .milliseconds(1300))
                while ContinuousClock.now < end { sched_yield() }
            }
        }
        let writer = try makeWriter(kind)
        try await writer.write { db in
            let delay = Delay()
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in withExtendedLifetime(delay) { 1 } })
        }
        (writer as? DatabasePool)?.shutDown()
        (writer as? DatabaseQueue)?.shutDown()
        try await (writer as? DatabasePool)?.run(gracePeriod: .zero)
        try await (writer as? DatabaseQueue)?.run(gracePeriod: .zero)
    }

    @Test
    func `A database that has ended is released before its grace period is over`() async throws {
        weak var released: DatabasePool?
        do {
            let pool = try #require(try makeWriter(.pool) as? DatabasePool)
            released = pool
            pool.shutDown()
            try await pool.run(gracePeriod: .seconds(600))
        }
        await onAThread { [released = WeakBox(released)] in yieldThread(until: "the pool is released") { released.value == nil } }
    }
}

/// A place where threads wait until a number of them have come.
private final class Meeting: @unchecked Sendable {
    private let condition = NSCondition()
    private var missingCount: Int

    init(of count: Int) { missingCount = count }

    func wait() {
        condition.lock()
        missingCount -= 1
        if missingCount <= 0 { condition.broadcast() }
        while missingCount > 0 { condition.wait() }
        condition.unlock()
    }
}

/// A reference that does not retain its object.
private final class WeakBox: @unchecked Sendable {
    weak var value: AnyObject?
    init(_ value: AnyObject?) { self.value = value }
}
