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

    /// An access, and another one inside it.
    struct Nest: Equatable, CustomTestStringConvertible {
        let outer: Access
        let inner: Inner

        var testDescription: String { "\(outer) { \(inner) }" }

        static let all = combinations(Inner.allCases)
        static let some = combinations([.read, .write, .barrier, .concurrentRead, .snapshotRead])

        private static func combinations(_ inners: [Inner]) -> [Nest] {
            Access.allCases.flatMap { outer in inners.map { Nest(outer: outer, inner: $0) } }
        }
    }

    /// Nests of one thread, or of two, while another access waits.
    struct Scene: CustomStringConvertible {
        let nests: [Nest]
        let waiting: Waiting

        var description: String { "\(nests.map(\.testDescription).joined(separator: " and ")) while \(waiting)" }
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

    /// Runs a nest on a separate thread. Reports errors, except those about nested accesses.
    private func run(
        _ nest: Nest, in fixture: Fixture, _ group: DispatchGroup, onError: @escaping @Sendable (any Error) -> Void,
        whenInside: @escaping @Sendable () -> Void
    ) {
        group.enter()
        Thread.detachNewThread {
            let note: @Sendable (any Error) -> Void = { error in
                if (error as? DatabaseError)?.resultCode != .SQLITE_MISUSE { onError(error) }
            }
            do {
                try fixture.run(nest.outer) {
                    whenInside()
                    do { try fixture.run(nest.inner) } catch { note(error) }
                }
            } catch {
                note(error)
            }
            group.leave()
        }
    }

    /// Runs scenes one after the other, and expects that all of them end without errors.
    private func check(_ scenes: [Scene], _ kind: Kind, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let fixture = try Fixture(kind)
        let errors = Collector<String>()
        let begun = Collector<String>()
        let isOver = await comesToItsEnd {
            for scene in scenes {
                begun.append("\(scene)")
                let group = DispatchGroup()
                let areInside = scene.nests.map { Semaphore("\($0.testDescription) has begun") }
                for (index, nest) in scene.nests.enumerated() {
                    run(nest, in: fixture, group) {
                        errors.append("\(scene): \($0)")
                    } whenInside: {
                        // Where possible, both threads are inside their access before they continue.
                        areInside[index].signal()
                        for other in areInside.indices where other != index {
                            for _ in 0..<20 {
                                if areInside[other].isSignalled() { break }
                                sched_yield()
                            }
                        }
                        guard index == 0 else { return }
                        fixture.begin(scene.waiting, group)
                        for _ in 0..<5 { sched_yield() }
                    }
                }
                group.wait()
            }
        }
        #expect(isOver, "\(begun.all.last ?? "")", sourceLocation: sourceLocation)
        #expect(errors.all == [], sourceLocation: sourceLocation)
        #expect(try await fixture.writer.read { try $0.integers("SELECT 1") } == [1], sourceLocation: sourceLocation)
        try await fixture.writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test(.serialized, arguments: Kind.allCases, Nest.all)
    func `Nested accesses finish`(_ kind: Kind, _ nest: Nest) async throws {
        try await check(Waiting.allCases.map { Scene(nests: [nest], waiting: $0) }, kind)
    }

    @Test(.serialized, arguments: Kind.allCases, Nest.some)
    func `Two threads with nested accesses finish`(_ kind: Kind, _ nest: Nest) async throws {
        // Each pair of nests runs once, with one of these.
        let waitings: [Waiting] = [.nothing, .barrier, .awaitedBarrier, .callbackWrite]
        let others = Nest.some.drop { $0 != nest }
        let scenes = others.enumerated().map { index, other in
            Scene(nests: [nest, other], waiting: waitings[(index + others.count) % waitings.count])
        }
        try await check(scenes, kind)
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
