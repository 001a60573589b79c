import Foundation
import RowDecoding
import Testing

/// Accesses in the body of a loop over a sequence that the same database gives.
struct FetchSequenceAccessTests {
    /// A queue with a table of numbers.
    private func makeQueue(rowCount: Int) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try fill($0, rowCount: rowCount) }
        return queue
    }

    private func fill(_ db: Database, rowCount: Int) throws {
        try db.execute(sql: "CREATE TABLE t (i INTEGER); INSERT INTO t \(FetchSequenceTests.numbers(to: rowCount))")
    }

    private let request: SQLRequest<Int> = "SELECT i FROM t"

    /// Runs a closure with a pool of one reader.
    private func withPool(_ body: (DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try await pool.write { try fill($0, rowCount: 1000) }
        try await body(pool)
    }

    private func expectMisuse(sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("The access was possible.", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE, "\(error)", sourceLocation: sourceLocation)
        }
    }

    enum Access: CaseIterable {
        case write
        case read
        case barrier
        case blockingWrite
        case blockingRead
        case reentrantWrite
        case close
        case otherSequence
    }

    private func run(_ access: Access, _ writer: any DatabaseWriter) async throws {
        /// In a function that can't wait.
        func runBlocking() throws {
            switch access {
            case .blockingWrite: try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
            case .blockingRead: _ = try writer.read { try Int.fetchOne($0, sql: "SELECT 1") }
            case .reentrantWrite: try writer.unsafeReentrantWrite { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
            default: try writer.close()
            }
        }
        switch access {
        case .write: try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
        case .read: _ = try await writer.read { try Int.fetchOne($0, sql: "SELECT 1") }
        case .barrier: try await writer.barrierWriteWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
        case .blockingWrite, .blockingRead, .reentrantWrite, .close: try runBlocking()
        case .otherSequence: for try await _ in request.fetchSequence(writer) { break }
        }
    }

    @Test(arguments: [1, 4, 128, 10_000], Access.allCases)
    func `An access to a queue in the loop over its own sequence throws`(rowCount: Int, access: Access) async throws {
        let queue = try makeQueue(rowCount: rowCount)
        var numbers: [Int] = []
        for try await number in request.fetchSequence(queue, bufferSize: 128) {
            numbers.append(number)
            // At the beginning, when all rows are read, and at the end, when the access may be over.
            if number == 1 || number == rowCount { await expectMisuse { try await run(access, queue) } }
        }
        #expect(numbers == Array(1...rowCount))
        try await run(.write, queue)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t WHERE i = 0") } == 1)
    }

    @Test
    func `Writes of other tasks wait for the end of the loop`() async throws {
        let queue = try makeQueue(rowCount: 1000)
        var tasks: [Task<Void, any Error>] = []
        var count = 0
        for try await _ in request.fetchSequence(queue, bufferSize: 4) {
            count += 1
            if count == 1 {
                tasks.append(Task { try await run(.write, queue) })
                tasks.append(Task.detached { try await run(.blockingWrite, queue) })
            }
            if count.isMultiple(of: 100) { await Task.yield() }
        }
        #expect(count == 1000)
        for task in tasks { try await task.value }
        #expect(try await queue.read { try request.fetchCount($0) } == 1002)
    }

    @Test(arguments: [Access.write, .blockingWrite, .read, .otherSequence])
    func `Leaving the loop ends its access, and the next one waits for that`(access: Access) async throws {
        let queue = try makeQueue(rowCount: 10_000)
        for _ in 0..<20 {
            for try await number in request.fetchSequence(queue, bufferSize: 4) where number == 3 { break }
            try await run(access, queue)
        }
    }

    @Test
    func `An iterator that is kept keeps its access until it goes away`() async throws {
        let queue = try makeQueue(rowCount: 10_000)
        do {
            var iterator = request.fetchSequence(queue, bufferSize: 4).makeAsyncIterator()
            while let number = try await iterator.next() { if number == 3 { break } }
            await expectMisuse { try await run(.write, queue) }
            #expect(try await iterator.next() == 4)
        }
        try await run(.write, queue)
    }

    @Test
    func `Two sequences of one queue can't be iterated at the same time`() async throws {
        let queue = try makeQueue(rowCount: 10_000)
        var first = request.fetchSequence(queue, bufferSize: 4).makeAsyncIterator()
        var second = request.fetchSequence(queue, bufferSize: 4).makeAsyncIterator()
        #expect(try await first.next() == 1)
        await #expect(throws: DatabaseError.self) { try await second.next() }
        #expect(try await first.next() == 2)
    }

    /// An iterator that one task passes to another.
    private struct Handover: @unchecked Sendable {
        let iterator: FetchSequence<Int>.Iterator
    }

    @Test
    func `It is the task that has taken the last row whose accesses throw`() async throws {
        let queue = try makeQueue(rowCount: 10_000)
        var iterator = request.fetchSequence(queue, bufferSize: 100).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let handover = Handover(iterator: iterator)
        await Task.detached {
            var iterator = handover.iterator
            await expectMisuse { try await iterate(&iterator, queue, from: 2) }
        }.value
    }

    private func iterate(_ iterator: inout FetchSequence<Int>.Iterator, _ queue: DatabaseQueue, from number: Int) async throws {
        #expect(try await iterator.next() == number)
        try await run(.write, queue)
    }

    @Test
    func `An iteration that is cancelled, or fails, lets its task access the queue again`() async throws {
        let queue = try makeQueue(rowCount: 10_000)
        let task = Task {
            var iterator = request.fetchSequence(queue, bufferSize: 4).makeAsyncIterator()
            _ = try await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await iterator.next() }
            // The task is cancelled, and not the misuse of the queue.
            await #expect(throws: CancellationError.self) { try await run(.write, queue) }
        }
        try await task.value
        let failing: SQLRequest<Int> = "SELECT 1 UNION ALL SELECT 'x'"
        var iterator = failing.fetchSequence(queue).makeAsyncIterator()
        _ = try await iterator.next()
        await #expect(throws: RowDecodingError.self) { try await iterator.next() }
        try await run(.write, queue)
        _ = iterator
    }

    @Test(arguments: [Access.write, .read, .blockingWrite, .blockingRead, .otherSequence])
    func `In a loop over its own sequence a pool reads and writes, even with one reader`(access: Access) async throws {
        try await withPool { pool in
            var count = 0
            for try await _ in request.fetchSequence(pool, bufferSize: 4) {
                count += 1
                if count == 1 || count == 1000 { try await run(access, pool) }
            }
            #expect(count == 1000)
        }
    }

    @Test(arguments: [Access.barrier, .close])
    func `In a loop over its own sequence a pool can't be closed, nor wait for the end of all reads`(access: Access) async throws {
        try await withPool { pool in
            for try await number in request.fetchSequence(pool, bufferSize: 4) where number == 1 {
                await expectMisuse { try await run(access, pool) }
            }
            try await run(.barrier, pool)
        }
    }

    @Test
    func `An access to a snapshot in the loop over its own sequence throws`() async throws {
        try await withPool { pool in
            let snapshot = try pool.makeSnapshot()
            for try await number in request.fetchSequence(snapshot, bufferSize: 4) where number == 1 {
                await expectMisuse { _ = try await snapshot.read { try Int.fetchOne($0, sql: "SELECT 1") } }
                try await run(.write, pool)
            }
            #expect(try await snapshot.read { try request.fetchCount($0) } == 1000)
        }
    }

    // MARK: - Limits

    @Test(arguments: [false, true])
    func `The time that the loop takes does not count for the limit of reads`(_ isPool: Bool) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.readTimeout = .milliseconds(300)
        let writer: any DatabaseWriter =
            isPool
            ? try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
            : try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        var numbers: [Int] = []
        for try await number in SQLRequest<Int>(sql: FetchSequenceTests.numbers(to: 40)).fetchSequence(writer, bufferSize: 2) {
            // In all, the loop takes longer than the limit.
            let end = ContinuousClock.now.advanced(by: .milliseconds(15))
            while ContinuousClock.now < end { await Task.yield() }
            numbers.append(number)
        }
        #expect(numbers == Array(1...40))
        // The time that SQLite takes counts.
        let error = await #expect(throws: DatabaseTimeoutError.self) {
            for try await _ in SQLRequest<Int>(sql: FetchSequenceTests.endless).fetchSequence(writer) {}
        }
        #expect(error?.phase == .running)
    }

    @Test
    func `A task that a record starts is not the task of the loop`() async throws {
        /// A record that starts a task that reads.
        struct Reading: FetchableRecord, Sendable {
            @TaskLocal static var queue: DatabaseQueue?
            static let results = Collector<Bool>()
            init(row: Row) {
                guard let queue = Self.queue else { return }
                Task { Self.results.append((try? await queue.read { try Int.fetchOne($0, sql: "SELECT 1") }) == 1) }
            }
        }
        let queue = try makeQueue(rowCount: 3)
        try await Reading.$queue.withValue(queue) {
            for try await _ in Reading.fetchSequence(queue, sql: "SELECT * FROM t") {}
        }
        #expect(await Reading.results.wait(count: 3) == [true, true, true])
    }

    // MARK: - Task-local values

    @TaskLocal private static var requestID = 0

    private struct Tagged: FetchableRecord, Sendable {
        let requestID: Int
        init(row: Row) { requestID = FetchSequenceAccessTests.requestID }
    }

    @Test
    func `Records of a sequence are made with the task-local values of the task that iterates`() async throws {
        let queue = try makeQueue(rowCount: 3)
        try await Self.$requestID.withValue(42) {
            for try await record in Tagged.fetchSequence(queue, sql: "SELECT * FROM t") {
                #expect(record.requestID == 42)
            }
        }
    }
}
