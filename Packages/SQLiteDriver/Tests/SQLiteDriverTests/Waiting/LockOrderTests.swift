import Foundation
import SQLiteDriver
import Testing

/// Nested accesses, while others wait: all of them end, with a result or with an error.
@Suite struct LockOrderTests {
    enum Kind: CaseIterable {
        case queue
        case pool
        case poolWithOneReader
    }

    /// An access that blocks its thread.
    enum Access: CaseIterable {
        case read
        case write
        case barrier
        case concurrentRead
        case snapshotRead
    }

    /// An access inside another access.
    enum Inner: CaseIterable {
        case read
        case reentrantRead
        case write
        case reentrantWrite
        case barrier
        case concurrentRead
        case snapshotRead
        case makeSnapshot
        case releaseMemory
    }

    /// An access that waits at the same time.
    enum Waiting: CaseIterable {
        case nothing
        case read
        case write
        case barrier
        case awaitedRead
        case awaitedWrite
        case awaitedBarrier
        case callbackRead
        case callbackWrite
        case callbackBarrier
        case cancelledBarrier
    }

    final class Fixture: Sendable {
        let folder: TemporaryFolder
        let writer: any DatabaseWriter
        let snapshot: DatabaseSnapshot?

        init(_ kind: Kind) throws {
            folder = try TemporaryFolder()
            var configuration = Configuration()
            configuration.maximumReaderCount = kind == .pool ? 2 : 1
            if kind == .queue {
                writer = try DatabaseQueue(path: folder.path("a.sqlite"))
                snapshot = nil
            } else {
                let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
                writer = pool
                snapshot = try pool.makeSnapshot()
            }
        }

        func run(_ access: Access, _ body: @escaping @Sendable () -> Void) throws {
            switch access {
            case .read: try writer.read { _ in body() }
            case .write: try writer.write { _ in body() }
            case .barrier: try writer.barrierWriteWithoutTransaction { _ in body() }
            case .concurrentRead:
                let isOver = Semaphore("the concurrent read has ended")
                writer.spawnConcurrentRead { _ in
                    body()
                    isOver.signal()
                }
                isOver.wait()
            case .snapshotRead: try snapshot?.read { _ in body() }
            }
        }

        func run(_ inner: Inner) throws {
            switch inner {
            case .read: try writer.read { _ in }
            case .reentrantRead: try writer.unsafeReentrantRead { _ in }
            case .write: try writer.write { _ in }
            case .reentrantWrite: try writer.unsafeReentrantWrite { _ in }
            case .barrier: try writer.barrierWriteWithoutTransaction { _ in }
            case .concurrentRead: writer.spawnConcurrentRead { _ in }
            case .snapshotRead: try snapshot?.read { _ in }
            case .makeSnapshot: _ = try (writer as? DatabasePool)?.makeSnapshot()
            case .releaseMemory:
                (writer as? DatabasePool)?.releaseMemory()
                (writer as? DatabaseQueue)?.releaseMemory()
            }
        }

        /// Begins an access, and leaves the group when it has ended.
        func begin(_ waiting: Waiting, _ group: DispatchGroup) {
            group.enter()
            func onAThread(_ body: @escaping @Sendable () throws -> Void) {
                Thread.detachNewThread {
                    try? body()
                    group.leave()
                }
            }
            func inATask(_ body: @escaping @Sendable () async throws -> Void) {
                Task {
                    try? await body()
                    group.leave()
                }
            }
            let writer = writer
            switch waiting {
            case .nothing: group.leave()
            case .read: onAThread { try writer.read { _ in } }
            case .write: onAThread { try writer.write { _ in } }
            case .barrier: onAThread { try writer.barrierWriteWithoutTransaction { _ in } }
            case .awaitedRead: inATask { try await writer.read { _ in } }
            case .awaitedWrite: inATask { try await writer.write { _ in } }
            case .awaitedBarrier: inATask { try await writer.barrierWriteWithoutTransaction { _ in } }
            case .callbackRead: writer.asyncRead { _ in group.leave() }
            case .callbackWrite: writer.asyncWriteWithoutTransaction { _ in group.leave() }
            case .callbackBarrier: writer.asyncBarrierWriteWithoutTransaction { _ in group.leave() }
            case .cancelledBarrier:
                let task = Task {
                    try? await writer.barrierWriteWithoutTransaction { _ in }
                    group.leave()
                }
                for _ in 0..<10 { sched_yield() }
                task.cancel()
            }
        }
    }

    /// The current step of the test, for failure messages.
    private final class Place: @unchecked Sendable {
        private let lock = NSLock()
        private var value = ""
        func set(_ value: String) { lock.withLock { self.value = value } }
        var description: String { lock.withLock { value } }
    }

    /// Runs an access on a separate thread, and another access inside it. Records errors, except those about nested accesses.
    private func nest(
        _ outer: Access, _ inner: Inner, in fixture: Fixture, _ group: DispatchGroup, _ errors: Box<[String]>, _ lock: NSLock,
        whenInside: @escaping @Sendable () -> Void
    ) {
        group.enter()
        Thread.detachNewThread {
            let note: @Sendable (any Error) -> Void = { error in
                if (error as? DatabaseError)?.resultCode != .SQLITE_MISUSE { lock.withLock { errors.value.append("\(error)") } }
            }
            do {
                try fixture.run(outer) {
                    whenInside()
                    do { try fixture.run(inner) } catch { note(error) }
                }
            } catch {
                note(error)
            }
            group.leave()
        }
    }

    @Test(arguments: Kind.allCases)
    func `Nested accesses finish`(_ kind: Kind) async throws {
        let fixture = try Fixture(kind)
        let place = Place()
        let errors = Box<[String]>([])
        let lock = NSLock()
        let isOver = await comesToItsEnd {
            for outer in Access.allCases {
                for inner in Inner.allCases {
                    for waiting in Waiting.allCases {
                        place.set("\(outer) { \(inner) } while \(waiting)")
                        let group = DispatchGroup()
                        nest(outer, inner, in: fixture, group, errors, lock) {
                            fixture.begin(waiting, group)
                            for _ in 0..<5 { sched_yield() }
                        }
                        group.wait()
                    }
                }
            }
        }
        #expect(isOver, "\(place.description)")
        #expect(errors.value.isEmpty)
        _ = try await fixture.writer.read { try $0.integers("SELECT 1") }
        try await fixture.writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test(arguments: Kind.allCases)
    func `Two threads with nested accesses finish`(_ kind: Kind) async throws {
        let fixture = try Fixture(kind)
        let place = Place()
        let errors = Box<[String]>([])
        let lock = NSLock()
        let inners: [Inner] = [.read, .write, .barrier, .concurrentRead, .snapshotRead]
        let nests = Access.allCases.flatMap { outer in inners.map { (outer, $0) } }
        // Each pair runs with one of these.
        let waitings: [Waiting] = [.nothing, .barrier, .awaitedBarrier, .callbackWrite]
        let isOver = await comesToItsEnd {
            for (index, (outer, inner)) in nests.enumerated() {
                for (otherIndex, (otherOuter, otherInner)) in nests[index...].enumerated() {
                    let waiting = waitings[(index + otherIndex) % waitings.count]
                    place.set("\(outer) { \(inner) } and \(otherOuter) { \(otherInner) } while \(waiting)")
                    let group = DispatchGroup()
                    let areInside = (Semaphore("the first access has begun"), Semaphore("the second access has begun"))
                    // Where possible, both are inside their access before they continue.
                    @Sendable func meet(_ mine: Semaphore, _ other: Semaphore) {
                        mine.signal()
                        for _ in 0..<20 {
                            if other.isSignalled() { break }
                            sched_yield()
                        }
                    }
                    nest(outer, inner, in: fixture, group, errors, lock) {
                        meet(areInside.0, areInside.1)
                        fixture.begin(waiting, group)
                    }
                    nest(otherOuter, otherInner, in: fixture, group, errors, lock) { meet(areInside.1, areInside.0) }
                    group.wait()
                }
            }
        }
        #expect(isOver, "\(place.description)")
        #expect(errors.value.isEmpty)
        try await fixture.writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    // MARK: - One by one

    @Test
    func `A read inside a write begins while a barrier waits`() async throws {
        let fixture = try Fixture(.pool)
        let isOver = await comesToItsEnd {
            let group = DispatchGroup()
            succeeds {
                try fixture.writer.write { _ in
                    fixture.begin(.barrier, group)
                    // The barrier is up as soon as no other read can begin.
                    while true {
                        let canRead = Semaphore("a read has begun")
                        fixture.writer.asyncRead { _ in canRead.signal() }
                        if !canRead.isSignalled(within: .milliseconds(100)) { break }
                    }
                    try fixture.writer.read { _ in }
                }
            }
            group.wait()
        }
        #expect(isOver)
    }

    @Test
    func `A read inside a write and a write inside a read work with one reader`() async throws {
        let fixture = try Fixture(.poolWithOneReader)
        try await fixture.writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let isOver = await comesToItsEnd {
            let areInside = (Semaphore("the read has begun"), Semaphore("the write has begun"))
            let group = DispatchGroup()
            group.enter()
            Thread.detachNewThread {
                succeeds {
                    try fixture.writer.read { _ in
                        areInside.0.signal()
                        areInside.1.wait()
                        try fixture.writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                    }
                }
                group.leave()
            }
            succeeds {
                try fixture.writer.write { _ in
                    areInside.1.signal()
                    areInside.0.wait()
                    let counts = try fixture.writer.read { try $0.integers("SELECT count(*) FROM t") }
                    #expect(counts == [0])
                }
            }
            group.wait()
        }
        #expect(isOver)
        #expect(try await fixture.writer.read { try $0.integers("SELECT count(*) FROM t") } == [1])
    }

    @Test
    func `A write inside a concurrent read is let through by a barrier`() async throws {
        let fixture = try Fixture(.poolWithOneReader)
        let isOver = await comesToItsEnd {
            let group = DispatchGroup()
            succeeds {
                try fixture.writer.writeWithoutTransaction { _ in
                    fixture.begin(.barrier, group)
                    while true {
                        let canRead = Semaphore("a read has begun")
                        fixture.writer.asyncRead { _ in canRead.signal() }
                        if !canRead.isSignalled(within: .milliseconds(100)) { break }
                    }
                    group.enter()
                    fixture.writer.spawnConcurrentRead { _ in
                        succeeds { try fixture.writer.write { _ in } }
                        group.leave()
                    }
                }
            }
            group.wait()
        }
        #expect(isOver)
    }

    @Test
    func `Accesses that wait for each other in a circle throw`() async throws {
        let queues = try (0..<3).map { _ in try DatabaseQueue() }
        let codes = Box<[ResultCode]>([])
        let isOver = await comesToItsEnd {
            let lock = NSLock()
            let group = DispatchGroup()
            let areInside = Semaphore("each write has begun")
            let mayGoOn = Semaphore("each write has begun")
            for index in queues.indices {
                group.enter()
                Thread.detachNewThread {
                    try? queues[index].write { _ in
                        areInside.signal()
                        mayGoOn.wait()
                        do {
                            try queues[(index + 1) % queues.count].read { _ in }
                        } catch {
                            lock.withLock { codes.value.append((error as? DatabaseError)?.resultCode ?? .SQLITE_OK) }
                        }
                    }
                    group.leave()
                }
            }
            for _ in queues { areInside.wait() }
            for _ in queues { mayGoOn.signal() }
            group.wait()
        }
        #expect(isOver)
        #expect(codes.value == [.SQLITE_MISUSE])
    }

    @Test
    func `Databases can be copied over each other`() async throws {
        let queues = try (0..<2).map { _ in try DatabaseQueue() }
        let isOver = await comesToItsEnd {
            DispatchQueue.concurrentPerform(iterations: 200) { index in
                succeeds {
                    try AnyDatabaseReader(queues[index % 2]).backup(to: AnyDatabaseWriter(queues[1 - index % 2]))
                }
            }
        }
        #expect(isOver)
    }

    @Test
    func `A read inside a write works while the pool is closing`() async throws {
        let fixture = try Fixture(.poolWithOneReader)
        let isOver = await comesToItsEnd {
            let group = DispatchGroup()
            succeeds {
                try fixture.writer.writeWithoutTransaction { _ in
                    group.enter()
                    Thread.detachNewThread {
                        succeeds { try fixture.writer.close() }
                        group.leave()
                    }
                    // Reads outside the write are refused as soon as closing has begun.
                    while true {
                        let isRefused = Box(false)
                        let isAnswered = Semaphore("the read is answered")
                        fixture.writer.asyncRead { result in
                            if case .failure = result { isRefused.value = true }
                            isAnswered.signal()
                        }
                        isAnswered.wait()
                        if isRefused.value { break }
                    }
                    try fixture.writer.read { _ in }
                    let isRead = Semaphore("the concurrent read has ended")
                    fixture.writer.spawnConcurrentRead { result in
                        succeeds { _ = try result.get() }
                        isRead.signal()
                    }
                    isRead.wait()
                }
            }
            group.wait()
        }
        #expect(isOver)
        expectError(.SQLITE_MISUSE) { try fixture.writer.read { _ in } }
    }
}

/// Expects that a closure does not throw. Unlike `#expect(throws:)`, calls can be nested.
private func succeeds(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    do { try body() } catch { Issue.record(error, sourceLocation: sourceLocation) }
}
