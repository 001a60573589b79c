import Dispatch
import Foundation
import SQLiteDriver
import Testing

@Suite struct AsyncAccessTests {
    enum Kind: CaseIterable {
        case queue
        case pool
    }

    private func makeWriter(_ kind: Kind, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
        let writer: any DatabaseWriter
        switch kind {
        case .queue: writer = try DatabaseQueue(path: folder.path("a.sqlite"))
        case .pool: writer = try DatabasePool(path: folder.path("a.sqlite"))
        }
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
        return writer
    }

    @Test(arguments: Kind.allCases)
    func `Asynchronous accesses read and write`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try await writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try await writer.barrierWriteWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try await writer.read { try $0.integers("SELECT a FROM t ORDER BY a") } == [1, 2, 3])
        #expect(try await writer.unsafeRead { try $0.integers("SELECT count(*) FROM t") } == [3])
    }

    @Test(arguments: Kind.allCases)
    func `An asynchronous write that throws writes nothing`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        await #expect(throws: TestError.self) {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(try await writer.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test(arguments: Kind.allCases)
    func `Callbacks get the connection`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let done = Semaphore("the callback is called")
        let counts = Box<[Int64]>([])
        writer.asyncWrite({ try $0.execute(sql: "INSERT INTO t VALUES (1)") }) { db, result in
            #expect(throws: Never.self) { try result.get() }
            #expect(!db.isInsideTransaction)
            done.signal()
        }
        done.wait()
        writer.asyncRead { result in
            counts.value = (try? result.get().integers("SELECT count(*) FROM t")) ?? []
            done.signal()
        }
        done.wait()
        #expect(counts.value == [1])
        writer.asyncBarrierWriteWithoutTransaction { result in
            try? result.get().execute(sql: "DELETE FROM t")
            done.signal()
        }
        done.wait()
        writer.asyncUnsafeRead { result in
            counts.value = (try? result.get().integers("SELECT count(*) FROM t")) ?? []
            done.signal()
        }
        done.wait()
        #expect(counts.value == [0])
    }

    /// A store of a program, whose closures use `self` implicitly.
    private final class Store: Sendable {
        let writer: any DatabaseWriter
        let number = 7

        init(_ writer: any DatabaseWriter) { self.writer = writer }

        func insert() async throws {
            try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
        }

        func numbers() async throws -> [Int64] { try await writer.read { db in try db.integers("SELECT \(number) FROM t") } }

        // A closure that escaped could only be passed to the blocking form, with a warning, which is an error here.
        func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T { try await writer.write(updates) }
        func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T { try await writer.read(value) }
        func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
            _ = try await writer.barrierWriteWithoutTransaction(updates)
            return try await AnyDatabaseWriter(writer).writeWithoutTransaction(updates)
        }
    }

    @Test(arguments: Kind.allCases)
    func `Closures of asynchronous accesses don't escape`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let store = Store(try makeWriter(kind, folder))
        try await store.write { try $0.execute(sql: "DELETE FROM t") }
        try await store.insert()
        #expect(try await store.numbers() == [7])
        let isTask = try await store.write { _ in withUnsafeCurrentTask { $0 != nil } }
        #expect(isTask)
        #expect(try await store.read { try $0.integers("SELECT count(*) FROM t") } == [1])
        #expect(try await store.writeWithoutTransaction { try $0.integers("SELECT count(*) FROM t") } == [1])
        let task = Task {
            try await store.write { db in
                withUnsafeCurrentTask { $0?.cancel() }
                try db.execute(sql: "DELETE FROM t")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.numbers() == [7])
    }

    @Test(arguments: Kind.allCases)
    func `A task that is cancelled while it waits never runs`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let inside = Semaphore("the other write has begun")
        let go = Semaphore("the test lets the other write end")
        let other = Task.detached {
            try await writer.write { _ in
                inside.signal()
                go.wait()
            }
        }
        await inside.signalled()
        let hasRun = Box(false)
        let task = Task {
            try await writer.write { _ in hasRun.value = true }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        go.signal()
        try await other.value
        try await writer.write { _ in }
        #expect(!hasRun.value)
    }

    @Test(arguments: Kind.allCases)
    func `A task that is cancelled while it runs is interrupted`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let inside = Semaphore("the write has begun")
        let task = Task {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                inside.signal()
                // This statement never ends on its own.
                try db.execute(sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")
            }
        }
        await inside.signalled()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await writer.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test
    func `A cancelled task does not begin its next statement`() async throws {
        let queue = try DatabaseQueue()
        let isCancelled = Semaphore("the task is cancelled")
        let inside = Semaphore("the write has begun")
        let task = Task {
            try await queue.write { db in
                inside.signal()
                isCancelled.wait()
                try db.execute(sql: "CREATE TABLE t (a)")
            }
        }
        await inside.signalled()
        task.cancel()
        isCancelled.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try $0.tableExists("t") } == false)
    }

    @Test
    func `More tasks than readers all finish`() async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<100 {
                group.addTask { try await pool.read { try $0.integers("SELECT a FROM t")[0] } }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 100)
    }

    @Test
    func `Waiting for a lock ends with the task`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let task = Box<Task<Void, any Error>?>(nil)
        let hasTask = Semaphore("the callback knows its task")
        var configuration = Configuration()
        configuration.busyMode = .callback { numberOfTries in
            if numberOfTries == 0 {
                hasTask.wait()
                task.value?.cancel()
            }
            // This would try again forever.
            return true
        }
        let first = try DatabaseQueue(path: path)
        let second = try DatabaseQueue(path: path, configuration: configuration)
        try await first.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a)")
        }
        let inside = Semaphore("the holder has the lock")
        let go = Semaphore("the test lets the holder end")
        let holder = Task.detached {
            try await first.write { _ in
                inside.signal()
                go.wait()
            }
        }
        await inside.signalled()
        let waiting = Task { try await second.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        task.value = waiting
        hasTask.signal()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        go.signal()
        try await holder.value
        #expect(try await first.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test
    func `Interrupting a pool interrupts its readers`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("a.sqlite"))
        let errors = Box<[ResultCode]>([])
        let lock = NSLock()
        let inside = Semaphore("each read has begun")
        let done = Semaphore("the read is interrupted")
        for _ in 0..<2 {
            Thread.detachNewThread {
                do {
                    try pool.read { db in
                        inside.signal()
                        _ = try db.integers("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")
                    }
                } catch {
                    lock.withLock { errors.value.append((error as? DatabaseError)?.resultCode ?? .SQLITE_OK) }
                }
                done.signal()
            }
        }
        for _ in 0..<2 { inside.wait() }
        for _ in 0..<2 { done.wait { pool.interrupt() } }
        #expect(errors.value == [.SQLITE_INTERRUPT, .SQLITE_INTERRUPT])
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test
    func `Any database can be interrupted at any time`() throws {
        let queue = try DatabaseQueue()
        queue.interrupt()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let error = Box<(any Error)?>(nil)
        let inside = Semaphore("the read has begun")
        let done = Semaphore("the interrupted read has ended")
        Thread.detachNewThread {
            do {
                try queue.read { db in
                    inside.signal()
                    _ = try db.integers("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")
                }
            } catch let failure {
                error.value = failure
            }
            done.signal()
        }
        inside.wait()
        done.wait { queue.interrupt() }
        #expect((error.value as? DatabaseError)?.isInterruptionError == true)
        #expect(try queue.read { try $0.integers("SELECT 1") } == [1])
    }

    @Test
    func `Opening more readers than the cooperative pool has threads lets other tasks run, and each reader reads`() async throws {
        let folder = try TemporaryFolder()
        let count = ProcessInfo.processInfo.activeProcessorCount + 1
        let preparedCount = Locked(0)
        let isPreparing = Semaphore("each reader is being opened")
        let mayGoOn = Semaphore("all readers are being opened")
        var configuration = Configuration()
        configuration.maximumReaderCount = count
        configuration.prepareDatabase { db in
            guard db.configuration.readonly else { return }
            preparedCount.increment()
            isPreparing.signal()
            mayGoOn.wait()
        }
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (7)") }
        let (values, preparedCountOfOtherTask) = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<count {
                group.addTask { try await pool.read { try $0.integers("SELECT a FROM t") } }
            }
            async let otherTask = {
                for _ in 0..<count { await isPreparing.signalled() }
                defer { for _ in 0..<count { mayGoOn.signal() } }
                return preparedCount.value
            }()
            let values = try await group.reduce(into: []) { $0 += $1 }
            return (values, await otherTask)
        }
        // All readers were being opened when the other task ran.
        #expect(preparedCountOfOtherTask == count)
        #expect(values == Array(repeating: 7, count: count))
        #expect(preparedCount.value == count)
    }
}
