import Dispatch
import Foundation
import SQLiteDriver
import Testing

/// Each form of access × each end × where it is called from: who is told what, how often, what monitors see, and what is left.
@Suite(.serialized) struct AccessTableTests {
    enum Access: CaseIterable {
        case read, unsafeRead, write, writeWithoutTransaction, barrierWrite

        var writes: Bool { self != .read && self != .unsafeRead }
    }

    enum Form: CaseIterable {
        case blocking, awaited, callback
    }

    enum Base: CaseIterable {
        case memory, queue, pool, poolWithOneReader, snapshot, wrapped, ownWrapper
    }

    enum End: CaseIterable {
        case success, closureError, refusedByLimit, refusedByShutdown, lateWaiting, lateRunning, lateCommit, lateForLock
        case cancelledWaiting, cancelledRunning, closed, interrupted, suspended
    }

    enum Caller: CaseIterable {
        case thread, task, callback, failureCallback, otherAccess, observer

        /// Whether others may wait for the caller, which is then not refused.
        var isInsideAccess: Bool { self == .callback || self == .otherAccess || self == .observer }
    }

    struct Case: CustomStringConvertible {
        let access: Access
        let form: Form
        let base: Base
        let end: End
        let caller: Caller

        var description: String { "\(form) \(access) of \(base), \(end), called from \(caller)" }

        /// Whether the database can be busy in this way.
        var isPossible: Bool {
            if base == .snapshot, access.writes { return false }
            switch end {
            case .lateCommit: return access == .write
            case .lateForLock: return access.writes && base != .memory
            case .cancelledWaiting, .cancelledRunning: return form == .awaited
            case .refusedByLimit, .refusedByShutdown: return !caller.isInsideAccess && base != .snapshot
            case .suspended: return access.writes && base != .memory
            case .lateWaiting: return true
            default: return true
            }
        }

        /// All cases, or every third one, with one caller.
        static func all(everyCaller: Bool) -> [Case] {
            var cases: [Case] = []
            var number = 0
            for access in Access.allCases {
                for form in Form.allCases {
                    for base in Base.allCases {
                        for end in End.allCases {
                            number += 1
                            if !everyCaller, number % 3 != 0 { continue }
                            let callers = everyCaller ? Caller.allCases : [Caller.allCases[(number / 3) % 6]]
                            for caller in callers {
                                cases.append(Case(access: access, form: form, base: base, end: end, caller: caller))
                            }
                        }
                    }
                }
            }
            return cases.filter(\.isPossible)
        }
    }

    /// A wrapper as a program writes it: its methods have no parameter for a limit.
    final class OwnWrapper: DatabaseReaderWrapper, DatabaseWriter {
        let wrapped: any DatabaseWriter
        var base: any DatabaseReader { wrapped }
        init(_ wrapped: any DatabaseWriter) { self.wrapped = wrapped }

        func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T { try wrapped.writeWithoutTransaction(updates) }
        func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
            try await wrapped.writeWithoutTransaction(updates)
        }
        func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
            wrapped.asyncWriteWithoutTransaction(updates)
        }
        func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
            try wrapped.barrierWriteWithoutTransaction(updates)
        }
        func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
            try await wrapped.barrierWriteWithoutTransaction(updates)
        }
        func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
            wrapped.asyncBarrierWriteWithoutTransaction(updates)
        }
        func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T { try wrapped.unsafeReentrantWrite(updates) }
        func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { wrapped.spawnConcurrentRead(value) }
    }

    private static let endless = "SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)"

    private struct Late: Error {}

    /// A database of a case, and what happens to it.
    private final class Scene: Sendable {
        let folder: TemporaryFolder
        let monitor = RecordingMonitor()
        /// The queue or the pool.
        let writer: any DatabaseWriter
        let reader: any DatabaseReader
        let other: DatabaseQueue
        let results = Collector<Result<Void, any Error>>()
        let isRunning = Semaphore("the access is running")
        let isFree = Semaphore("the test frees the connection")

        init(_ test: Case) throws {
            folder = try TemporaryFolder()
            var configuration = Configuration()
            configuration.monitors = [monitor]
            configuration.observesSuspensionNotifications = test.end == .suspended
            configuration.busyMode = .timeout(TimeInterval(waitLimit))
            if test.end == .refusedByLimit { configuration.maximumWaitingAccesses = 0 }
            if [.poolWithOneReader, .wrapped, .ownWrapper].contains(test.base) { configuration.maximumReaderCount = 1 }
            let path = folder.path("a.sqlite")
            writer =
                switch test.base {
                case .memory: try DatabaseQueue(configuration: configuration)
                case .queue: try DatabaseQueue(path: path, configuration: configuration)
                default: try DatabasePool(path: path, configuration: configuration)
                }
            try writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
            reader =
                switch test.base {
                case .snapshot: try (writer as! DatabasePool).makeSnapshot()
                case .wrapped: AnyDatabaseWriter(writer)
                case .ownWrapper: OwnWrapper(writer)
                default: writer
                }
            other = try DatabaseQueue()
        }

        var status: DatabaseStatus { (writer as? DatabasePool)?.status() ?? (writer as! DatabaseQueue).status() }

        var isIdle: Bool { status.isIdle }
    }

    /// Makes the connection that the access needs busy.
    private func keepBusy(_ scene: Scene, _ test: Case) {
        let isBusy = Semaphore("the connection is busy")
        let body: @Sendable (Result<Database, any Error>) -> Void = { _ in
            isBusy.signal()
            scene.isFree.wait()
        }
        let usesReaders = scene.writer is DatabasePool && !test.access.writes
        if test.base == .snapshot {
            scene.reader.asyncRead(body)
        } else if usesReaders, test.end != .refusedByLimit || test.base == .pool {
            scene.writer.asyncBarrierWriteWithoutTransaction(body)
        } else if usesReaders {
            scene.writer.asyncRead(body)
        } else {
            scene.writer.asyncWriteWithoutTransaction { body(.success($0)) }
        }
        isBusy.wait()
    }

    /// - Parameter patience: a factor for times that are short.
    private func timeout(_ test: Case, _ patience: Int) -> Duration {
        switch test.end {
        case .lateWaiting, .lateForLock: .milliseconds(15 * patience)
        case .lateRunning, .lateCommit: .milliseconds(40 * patience)
        default: .seconds(waitLimit)
        }
    }

    /// Whether an access was late before it came to what is tested, as the machine was busy.
    private func isLateTooEarly(_ test: Case, _ error: (any Error)?) -> Bool {
        let phase = (error as? DatabaseTimeoutError)?.phase
        switch test.end {
        case .lateRunning, .lateCommit: return phase == .waitingForConnection || phase == .waitingForLock
        case .lateForLock: return phase == .waitingForConnection || phase == .running
        default: return false
        }
    }

    /// The closure of the access.
    private func body(_ test: Case, _ scene: Scene, _ patience: Int) -> @Sendable (Database) throws -> Void {
        return { db in
            let lateEnd = ContinuousClock.now.advanced(by: .milliseconds(45 * patience))
            if test.access.writes { try db.execute(sql: "INSERT INTO t VALUES (1)") } else { _ = try db.integers("SELECT a FROM t") }
            scene.isRunning.signal()
            switch test.end {
            case .closureError: throw TestError()
            case .lateRunning, .cancelledRunning, .interrupted: _ = try db.integers(Self.endless)
            case .lateCommit: while ContinuousClock.now < lateEnd { sched_yield() }
            case .suspended:
                Database.suspend()
                defer { Database.resume() }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            default: break
            }
        }
    }

    /// Begins the access. Its result comes to the scene's results.
    @Sendable private func begin(_ test: Case, _ scene: Scene, _ patience: Int) {
        let (timeout, body, results) = (timeout(test, patience), body(test, scene, patience), scene.results)
        let reader = scene.reader
        // A snapshot is not asked to write.
        let writer = reader as? any DatabaseWriter ?? scene.writer
        switch test.form {
        case .blocking:
            results.append(
                Result {
                    switch test.access {
                    case .read: try reader.read(timeout: timeout, body)
                    case .unsafeRead: try reader.unsafeRead(timeout: timeout, body)
                    case .write: try writer.write(timeout: timeout, body)
                    case .writeWithoutTransaction: try writer.writeWithoutTransaction(timeout: timeout, body)
                    case .barrierWrite: try writer.barrierWriteWithoutTransaction(timeout: timeout, body)
                    }
                })
        case .awaited:
            let task = Task {
                switch test.access {
                case .read: try await reader.read(timeout: timeout, body)
                case .unsafeRead: try await reader.unsafeRead(timeout: timeout, body)
                case .write: try await writer.write(timeout: timeout, body)
                case .writeWithoutTransaction: try await writer.writeWithoutTransaction(timeout: timeout, body)
                case .barrierWrite: try await writer.barrierWriteWithoutTransaction(timeout: timeout, body)
                }
            }
            Task { results.append(await task.result) }
            if test.end == .cancelledWaiting { task.cancel() }
            if test.end == .cancelledRunning {
                Thread.detachNewThread {
                    scene.isRunning.wait()
                    task.cancel()
                }
            }
        case .callback:
            let callback: @Sendable (Result<Database, any Error>) -> Void = { result in
                results.append(Result { try body(result.get()) })
            }
            switch test.access {
            case .read: reader.asyncRead(timeout: timeout, callback)
            case .unsafeRead: reader.asyncUnsafeRead(timeout: timeout, callback)
            case .write: writer.asyncWrite(timeout: timeout, body) { results.append($0) }
            case .writeWithoutTransaction: writer.asyncWriteWithoutTransaction(timeout: timeout, callback)
            case .barrierWrite: writer.asyncBarrierWriteWithoutTransaction(timeout: timeout, callback)
            }
        }
    }

    /// Calls a closure from some place.
    private func call(from caller: Caller, _ scene: Scene, _ body: @escaping @Sendable () -> Void) {
        let other = scene.other
        switch caller {
        case .thread: Thread.detachNewThread(body)
        case .task: Task { body() }
        case .callback: other.asyncWriteWithoutTransaction { _ in body() }
        case .failureCallback:
            let (isBusy, isFree) = (Semaphore("the other database is busy"), Semaphore("the other database is free"))
            other.asyncWriteWithoutTransaction { _ in
                isBusy.signal()
                isFree.wait()
            }
            isBusy.wait()
            other.asyncRead(timeout: .milliseconds(1)) { _ in
                isFree.signal()
                body()
            }
        case .otherAccess: Thread.detachNewThread { try? other.write { _ in body() } }
        case .observer:
            Thread.detachNewThread {
                try? other.writeWithoutTransaction { db in
                    db.afterNextTransaction { _ in body() }
                    try db.execute(sql: "CREATE TABLE t (a)")
                }
            }
        }
    }

    fileprivate func check(_ test: Case, patience: Int = 1) async throws {
        let scene = try Scene(test)
        let writer = scene.writer
        let isWaiting = [.refusedByLimit, .lateWaiting, .cancelledWaiting].contains(test.end)
        var lock: DatabaseQueue?
        let isUnlocked = Semaphore("the lock is released")
        let service: Task<Void, any Error>?
        switch test.end {
        case .refusedByShutdown:
            // A running access keeps the database open.
            await onAThread { keepBusy(scene, test) }
            (writer as? DatabasePool)?.shutDown()
            (writer as? DatabaseQueue)?.shutDown()
            service = Task {
                try await (writer as? DatabasePool)?.run(gracePeriod: .seconds(waitLimit))
                try await (writer as? DatabaseQueue)?.run(gracePeriod: .seconds(waitLimit))
            }
            await onAThread { yieldThread(until: "the database shuts down") { scene.status.isShuttingDown } }
        case .closed:
            service = nil
            try scene.reader.close()
        case .lateForLock:
            service = nil
            let other = try DatabaseQueue(path: scene.folder.path("a.sqlite"))
            lock = other
            let isLocked = Semaphore("the lock is taken")
            other.asyncWrite { _ in
                isLocked.signal()
                scene.isFree.wait()
            } completion: { _, _ in
                isUnlocked.signal()
            }
            await isLocked.signalled()
        default:
            service = nil
            if isWaiting { await onAThread { keepBusy(scene, test) } }
        }
        let reportCount = scene.monitor.accesses.all.count
        await onAThread { call(from: test.caller, scene) { begin(test, scene, patience) } }
        if test.end == .interrupted {
            await scene.isRunning.signalled()
            await onAThread { scene.results.waitRepeating { scene.reader.interrupt() } }
        }
        let result = await scene.results.wait(count: 1).first
        let error = result?.failure
        if patience < 256, isLateTooEarly(test, error) {
            scene.isFree.signal()
            if lock != nil { await isUnlocked.signalled() }
            return try await check(test, patience: patience * 4)
        }
        switch test.end {
        case .success: #expect(error == nil, "\(test)")
        case .closureError: #expect(error is TestError, "\(test)")
        case .refusedByLimit: #expect(error as? DatabaseUnavailableError == .init(reason: .tooManyWaiting(limit: 0)), "\(test)")
        case .refusedByShutdown: #expect(error as? DatabaseUnavailableError == .init(reason: .shuttingDown), "\(test)")
        case .lateWaiting: #expect((error as? DatabaseTimeoutError)?.phase == .waitingForConnection, "\(test)")
        case .lateRunning: #expect((error as? DatabaseTimeoutError)?.phase == .running, "\(test)")
        case .lateCommit: #expect((error as? DatabaseTimeoutError)?.hasCommitted == false, "\(test)")
        case .lateForLock: #expect((error as? DatabaseTimeoutError)?.phase == .waitingForLock, "\(test)")
        case .cancelledWaiting, .cancelledRunning: #expect(error is CancellationError, "\(test)")
        case .closed: #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE, "\(test)")
        case .interrupted: #expect((error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT, "\(test)")
        case .suspended: #expect((error as? DatabaseError)?.resultCode == .SQLITE_ABORT, "\(test)")
        }
        if isWaiting || test.end == .refusedByShutdown || test.end == .lateForLock { scene.isFree.signal() }
        if lock != nil { await isUnlocked.signalled() }
        try await service?.value
        await onAThread { yieldThread(until: "nothing runs or waits: \(test)") { scene.isIdle } }
        // Monitors learn of the access once, and of the access that has kept the connection busy.
        let busyCount = isWaiting || test.end == .refusedByShutdown ? 1 : 0
        let reports = await scene.monitor.accesses.wait(count: reportCount + 1 + busyCount)[reportCount...]
        #expect(reports.count == 1 + busyCount, "\(test)")
        if let error, test.form != .callback {
            let name = (error as? DatabaseError)?.extendedResultCode.name ?? String(describing: type(of: error))
            #expect(reports.count(where: { $0.errorType == name }) == 1, "\(test)")
        }
        #expect(scene.results.all.count == 1, "\(test)")
        if test.end == .closed || test.end == .refusedByShutdown { return }
        // The next access works. What was reported as failed is not there, unless the access had no transaction.
        let autocommits = test.access == .writeWithoutTransaction || test.access == .barrierWrite
        let isStored =
            switch test.end {
            case .success: true
            case .closureError, .lateRunning, .cancelledRunning, .interrupted, .suspended: autocommits
            default: false
            }
        let rows = try await writer.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (9)")
            return try db.integers("SELECT a FROM t ORDER BY a")
        }
        #expect(rows == (test.access.writes && isStored ? [1, 9] : [9]), "\(test)")
        let one = try await scene.reader.read { try $0.integer("SELECT 1") }
        #expect(one == 1, "\(test)")
    }

    /// Each caller in longer runs.
    fileprivate static var cases: [Case] {
        Case.all(everyCaller: ProcessInfo.processInfo.environment["STRATA_ACCESS_PROGRAMS"] != nil)
    }

    @Test(arguments: End.allCases.filter { $0 != .suspended })
    func `Each access ends once, with its error, and leaves the database usable`(_ end: End) async throws {
        for test in Self.cases where test.end == end { try await check(test) }
    }

    @Test
    func `Each suspended access ends once, and leaves the database usable`() async {
        // A suspension is one of the whole process.
        await #expect(processExitsWith: .success) {
            endProcess(after: waitLimit)
            let tests = AccessTableTests()
            for test in AccessTableTests.cases where test.end == .suspended { try await tests.check(test) }
        }
    }
}

extension Collector {
    /// Repeats an action until there is a value.
    fileprivate func waitRepeating(_ action: () -> Void) {
        yieldThread(until: "a value") {
            if !all.isEmpty { return true }
            action()
            return false
        }
    }
}
