import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Asynchronous accesses run as a part of their task.
@Suite struct TaskAccessTests {
    @TaskLocal static var requestID = 0

    enum Kind: CaseIterable {
        case memory
        case queue
        case pool
        case poolWithOneReader
    }

    enum Access: CaseIterable {
        case read
        case unsafeRead
        case write
        case writeWithoutTransaction
        case barrierWrite
        case anyRead
        case anyWrite
        case snapshotRead
        case unsafeSnapshotRead

        var isOfSnapshot: Bool { self == .snapshotRead || self == .unsafeSnapshotRead }
        var commits: Bool { self == .write || self == .anyWrite }
    }

    private func makeWriter(_ kind: Kind, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
        var configuration = Configuration()
        if kind == .poolWithOneReader { configuration.maximumReaderCount = 1 }
        let writer: any DatabaseWriter
        switch kind {
        case .memory: writer = try DatabaseQueue()
        case .queue: writer = try DatabaseQueue(path: folder.path("a.sqlite"))
        case .pool, .poolWithOneReader: writer = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        }
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a INTEGER);
                    CREATE TABLE many (i INTEGER);
                    INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n
                    """)
        }
        return writer
    }

    /// Runs an access; returns nil for one that the writer does not have.
    private func run<T: Sendable>(
        _ access: Access, of writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T? {
        switch access {
        case .read: return try await writer.read(body)
        case .unsafeRead: return try await writer.unsafeRead(body)
        case .write: return try await writer.write(body)
        case .writeWithoutTransaction: return try await writer.writeWithoutTransaction(body)
        case .barrierWrite: return try await writer.barrierWriteWithoutTransaction(body)
        case .anyRead: return try await AnyDatabaseReader(writer).read(body)
        case .anyWrite: return try await AnyDatabaseWriter(writer).write(body)
        case .snapshotRead: return try await (writer as? DatabasePool)?.makeSnapshot().read(body)
        case .unsafeSnapshotRead: return try await (writer as? DatabasePool)?.makeSnapshot().unsafeRead(body)
        }
    }

    /// Cancels the task that runs this.
    private static func cancelCurrentTask() {
        withUnsafeCurrentTask { $0?.cancel() }
    }

    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"

    // MARK: - What belongs to the task

    @Test(arguments: Kind.allCases, Access.allCases)
    func `An access has the task-local values the priority and the test of its task`(_ kind: Kind, _ access: Access) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let task = Task.detached(priority: .high) {
            try await Self.$requestID.withValue(42) {
                try await run(access, of: writer) { _ in (Self.requestID, Task.currentPriority, Task.isCancelled) }
            }
        }
        let result = try await task.value
        if let result {
            #expect(result.0 == 42)
            #expect(result.1 == .high)
            #expect(!result.2)
        } else {
            #expect(access.isOfSnapshot)
        }
        let name = Test.current?.name
        #expect(name != nil)
        _ = try await run(access, of: writer) { _ in #expect(Test.current?.name == name) }
        #expect(Self.requestID == 0)
    }

    @Test(arguments: Kind.allCases, Access.allCases)
    func `A closure that no longer uses the database returns its value`(_ kind: Kind, _ access: Access) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let result = await Task { () -> Result<[Int64]?, any Error> in
            do {
                return .success(
                    try await run(access, of: writer) { db in
                        let values = try db.integers("SELECT 1")
                        Self.cancelCurrentTask()
                        #expect(Task.isCancelled)
                        return values
                    })
            } catch {
                return .failure(error)
            }
        }.value
        if access.commits {
            #expect(throws: CancellationError.self) { try result.get() }
        } else {
            #expect(try result.get() == (access.isOfSnapshot && !(writer is DatabasePool) ? nil : [1]))
        }
        #expect(try await writer.write { try $0.integers("SELECT 1") } == [1])
    }

    @Test(arguments: Kind.allCases, Access.allCases)
    func `A cancelled task is interrupted, and its connection can still be used`(_ kind: Kind, _ access: Access) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        if access.isOfSnapshot, !(writer is DatabasePool) { return }
        let inside = Semaphore("the access has begun")
        let task = Task {
            try await run(access, of: writer) { db in
                inside.signal()
                _ = try db.integers(Self.endless)
            }
        }
        await inside.signalled()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await writer.read { try $0.integers("SELECT count(*) FROM many, many AS b, many AS c") } == [1_000_000])
        #expect(try await writer.write { try $0.integers("SELECT count(*) FROM many, many AS b, many AS c") } == [1_000_000])
    }

    @Test(arguments: Kind.allCases, [Access.read, .write, .writeWithoutTransaction])
    func `The next step of a cursor throws`(_ kind: Kind, _ access: Access) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let count = Box(0)
        let task = Task {
            try await run(access, of: writer) { db in
                let statement = try db.makeStatement(sql: "SELECT i FROM many")
                while try statement.step() {
                    count.value += 1
                    if count.value == 3 { Self.cancelCurrentTask() }
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(count.value == 3)
        // The interruption was cleared, even for calls that run no statement.
        try await writer.writeWithoutTransaction { db in
            if writer is DatabasePool { try db.checkpoint(.full) }
            #expect(!db.isInsideTransaction)
        }
    }

    // MARK: - Waiting

    /// Runs a closure while a blocking access of another thread has the writer.
    private func whileWriting(_ writer: any DatabaseWriter, _ body: () async throws -> Void) async throws {
        let inside = Semaphore("the write has begun")
        let go = Semaphore("the test lets the write end")
        let over = Semaphore("the write has ended")
        Thread.detachNewThread {
            try? writer.write { _ in
                inside.signal()
                go.wait()
            }
            over.signal()
        }
        await inside.signalled()
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        go.signal()
        await over.signalled()
        try result.get()
    }

    @Test(
        arguments: Kind.allCases,
        [Access.write, .writeWithoutTransaction, .barrierWrite])
    func `A task that is cancelled while it waits returns at once`(_ kind: Kind, _ access: Access) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let hasRun = Box(false)
        try await whileWriting(writer) {
            let early = Task { try await run(access, of: writer) { _ in hasRun.value = true } }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
            let late = Task { try await run(access, of: writer) { _ in hasRun.value = true } }
            for _ in 0..<100 { await Task.yield() }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
            // An ended barrier does not block reads.
            if writer is DatabasePool { _ = try await writer.read { try $0.integers("SELECT 1") } }
        }
        try await writer.write { _ in }
        #expect(!hasRun.value)
    }

    @Test
    func `A task that is cancelled while it waits for a reader returns immediately`() async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(.poolWithOneReader, folder)
        let inside = Semaphore("the read has begun")
        let go = Semaphore("the test lets the read end")
        let over = Semaphore("the read has ended")
        Thread.detachNewThread {
            try? writer.read { _ in
                inside.signal()
                go.wait()
            }
            over.signal()
        }
        await inside.signalled()
        let hasRun = Box(false)
        let task = Task { try await writer.read { _ in hasRun.value = true } }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        go.signal()
        await over.signalled()
        #expect(try await writer.read { try $0.integers("SELECT 1") } == [1])
        #expect(!hasRun.value)
    }

    @Test
    func `More waiting tasks than threads do not block other tasks`() async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(.pool, folder)
        try await whileWriting(writer) {
            let tasks = (0..<64).map { index in
                Task {
                    if index.isMultiple(of: 2) {
                        try await writer.write { _ in }
                    } else {
                        try await writer.barrierWriteWithoutTransaction { _ in }
                    }
                }
            }
            for _ in 0..<1000 { await Task.yield() }
            #expect(await Task.detached { 1 }.value == 1)
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        }
    }

    @Test(arguments: [Kind.pool, .poolWithOneReader])
    func `No read runs during an awaited barrier`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let lock = NSLock()
        let readerCount = Box(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    if index.isMultiple(of: 4) {
                        try await writer.barrierWriteWithoutTransaction { _ in
                            for _ in 0..<10 {
                                lock.withLock { #expect(readerCount.value == 0) }
                                sched_yield()
                            }
                        }
                    } else {
                        try await writer.read { _ in
                            lock.withLock { readerCount.value += 1 }
                            sched_yield()
                            lock.withLock { readerCount.value -= 1 }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: - Transactions

    /// Cancels the task at a moment of its transaction.
    private final class Canceller: TransactionObserver {
        let isInCommit: Bool
        let reads: Bool

        init(isInCommit: Bool, reads: Bool = true) {
            self.isInCommit = isInCommit
            self.reads = reads
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() { if isInCommit { TaskAccessTests.cancelCurrentTask() } }
        func databaseDidCommit(_ db: Database) {
            if !isInCommit { TaskAccessTests.cancelCurrentTask() }
            guard reads else { return }
            // The end of the transaction is still protected from cancellation.
            #expect(throws: Never.self) { try db.integers("SELECT 1") }
        }
        func databaseDidRollback(_ db: Database) {}
    }

    @Test(arguments: Kind.allCases, [(Access.write, true), (.write, false), (.anyWrite, true), (.anyWrite, false)])
    func `A commit that has begun is not interrupted`(
        _ kind: Kind, _ cancelled: (access: Access, isInCommit: Bool)
    ) async throws {
        let (access, isInCommit) = cancelled
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let task = Task {
            try await run(access, of: writer) { db -> Int in
                db.add(transactionObserver: Canceller(isInCommit: isInCommit), extent: .nextTransaction)
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return 7
            }
        }
        #expect(try await task.value == 7)
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1])
    }

    @Test(arguments: Kind.allCases)
    func `A statement that is committed on its own is not reported as cancelled`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        // The number of virtual machine steps varies, as SQLite checks for cancellation every thousand steps.
        for count in 1...100 {
            let task = Task {
                try await writer.writeWithoutTransaction { db in
                    db.add(transactionObserver: Canceller(isInCommit: true, reads: false), extent: .nextTransaction)
                    try db.execute(sql: "INSERT INTO t SELECT i FROM many LIMIT ?", arguments: [Int64(count)])
                }
            }
            try await task.value
            try await writer.write { db in
                #expect(db.changesCount == count)
                try db.execute(sql: "DELETE FROM t")
            }
        }
    }

    /// What a transaction does, whose task is cancelled meanwhile.
    enum CancelledWork: CaseIterable {
        case nothing, caughtError, caughtSavepoints, commit, endlessQuery

        func run(in db: Database) throws {
            switch self {
            case .nothing: TaskAccessTests.cancelCurrentTask()
            case .caughtError:
                // While a statement is running, SQLite does not clear the interruption.
                let statement = try db.makeStatement(sql: "SELECT i FROM many")
                _ = try statement.step()
                TaskAccessTests.cancelCurrentTask()
                #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (2)") }
                _ = statement
            case .caughtSavepoints:
                let statement = try db.makeStatement(sql: "SELECT i FROM many")
                _ = try statement.step()
                try? db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    try? db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (4)")
                        TaskAccessTests.cancelCurrentTask()
                        return .commit
                    }
                    return .commit
                }
                _ = statement
            case .commit:
                TaskAccessTests.cancelCurrentTask()
                try? db.execute(sql: "COMMIT")
            case .endlessQuery:
                TaskAccessTests.cancelCurrentTask()
                _ = try db.integers(TaskAccessTests.endless)
            }
        }
    }

    @Test(arguments: Kind.allCases, CancelledWork.allCases)
    func `A transaction whose task is cancelled before the commit rolls back`(_ kind: Kind, _ work: CancelledWork) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let task = Task {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try work.run(in: db)
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let isOpen = try await writer.writeWithoutTransaction { $0.isInsideTransaction }
        #expect(!isOpen)
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [])
    }

    @Test
    func `An explicit transaction rolls back too`() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let task = Task {
            try await queue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.beginTransaction()
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                Self.cancelCurrentTask()
                try? db.commit()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try $0.integers("SELECT a FROM t") } == [1])
        // A rollback always works.
        let other = Task {
            try await queue.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                Self.cancelCurrentTask()
                try db.execute(sql: "ROLLBACK")
                return db.isInsideTransaction
            }
        }
        #expect(try await other.value == false)
    }

    // MARK: - Errors

    @Test
    func `A task that is cancelled while SQLite constructs a virtual table throws CancellationError`() async throws {
        let queue = try DatabaseQueue()
        let task = Task {
            try await queue.write { db throws in
                let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
                module.initialize(to: sqlite3_module())
                module.pointee.xConnect = { connection, _, _, _, _, _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    let code = sqlite3_exec(connection, TaskAccessTests.endless, nil, nil, nil)
                    return code == SQLITE_OK ? SQLITE_MISUSE : code
                }
                defer {
                    sqlite3_create_module(db.sqliteConnection, "m", nil, nil)
                    module.deallocate()
                }
                #expect(sqlite3_create_module(db.sqliteConnection, "m", module, nil) == SQLITE_OK)
                try db.execute(sql: "CREATE TABLE kept (a)")
                try db.execute(sql: "SELECT * FROM m")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let isKept = try await queue.read { try $0.tableExists("kept") }
        #expect(!isKept)
    }

    @Test
    func `A read that catches an interruption returns its value`() async throws {
        let queue = try DatabaseQueue()
        let task = Task {
            try await queue.read { db in
                Self.cancelCurrentTask()
                return (try? db.integers("SELECT 1")) ?? [7]
            }
        }
        #expect(try await task.value == [7])
    }

    @Test
    func `Interrupting a database does not cancel the task`() async throws {
        let queue = try DatabaseQueue()
        let task = Task {
            try await queue.read { db in
                let statement = try db.makeStatement(sql: "SELECT 1 UNION ALL SELECT 2")
                _ = try statement.step()
                queue.interrupt()
                _ = try statement.step()
            }
        }
        let error = await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
    }

    // MARK: - Many

    @Test(arguments: [Kind.memory, .pool])
    func `Committed changes are never reported as cancelled`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let committed = await withTaskGroup(of: Int64?.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let task = Task {
                        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [Int64(index)]) }
                    }
                    for _ in 0..<(index % 7) { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success:
                        return Int64(index)
                    case .failure(let error):
                        #expect(error is CancellationError)
                        return nil
                    }
                }
            }
            return await group.reduce(into: Set<Int64>()) { if let index = $1 { $0.insert(index) } }
        }
        #expect(try await writer.read { Set(try $0.integers("SELECT a FROM t")) } == committed)
    }
}
