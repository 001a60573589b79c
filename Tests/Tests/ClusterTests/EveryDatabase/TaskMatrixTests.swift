import DqliteCluster
import Foundation
import Strata
import Testing

/// Accesses belong to the task that makes them, over every kind of database: its cancellation, its priority, its task-local values.
@Suite(.serialized, .timeLimit(.minutes(20))) struct TaskMatrixTests {
    @TaskLocal static var requestID = 0

    static let schema = """
        CREATE TABLE t (a INTEGER);
        CREATE TABLE many (i INTEGER);
        INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n
        """

    enum Access: CaseIterable {
        case read, unsafeRead, write, writeWithoutTransaction, barrierWrite, anyRead, anyWrite

        var commits: Bool { self == .write || self == .anyWrite }
    }

    private func run<T: Sendable>(
        _ access: Access, of writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        switch access {
        case .read: try await writer.read(body)
        case .unsafeRead: try await writer.unsafeRead(body)
        case .write: try await writer.write(body)
        case .writeWithoutTransaction: try await writer.writeWithoutTransaction(body)
        case .barrierWrite: try await writer.barrierWriteWithoutTransaction(body)
        case .anyRead: try await AnyDatabaseReader(writer).read(body)
        case .anyWrite: try await AnyDatabaseWriter(writer).write(body)
        }
    }

    private static func cancelCurrentTask() {
        withUnsafeCurrentTask { $0?.cancel() }
    }

    /// About 0.3 s: a node can't interrupt a statement.
    private static let long = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT sum(n.i) FROM n, t AS x
        """

    @Test(arguments: DatabaseKind.all, Access.allCases)
    func `An access has the task-local values and the priority of its task`(_ kind: DatabaseKind, _ access: Access) async throws {
        let writer = try TestDatabase(kind, schema: Self.schema)
        let result = try await Task.detached(priority: .high) {
            try await Self.$requestID.withValue(42) {
                try await run(access, of: writer.writer) { db in
                    try db.execute(sql: "SELECT count(*) FROM many")
                    return (Self.requestID, Task.currentPriority, Task.isCancelled)
                }
            }
        }.value
        #expect(result.0 == 42)
        #expect(result.1 == .high)
        #expect(!result.2)
    }

    @Test(arguments: DatabaseKind.all, Access.allCases)
    func `A closure that no longer uses the database returns its value`(_ kind: DatabaseKind, _ access: Access) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let task = Task {
            try await run(access, of: database.writer) { db in
                let value = try Int.fetchOne(db, sql: "SELECT count(*) FROM many")
                Self.cancelCurrentTask()
                return value
            }
        }
        if access.commits {
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            #expect(try await task.value == 100)
        }
        #expect(try await database.writer.write { try Int.fetchOne($0, sql: "SELECT count(*) FROM many") } == 100)
    }

    @Test(arguments: DatabaseKind.all, Access.allCases)
    func `The next statement of a cancelled task throws`(_ kind: DatabaseKind, _ access: Access) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let task = Task {
            try await run(access, of: database.writer) { db in
                try db.execute(sql: "SELECT count(*) FROM many")
                Self.cancelCurrentTask()
                try db.execute(sql: "SELECT i FROM many")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM many") } == 100)
    }

    @Test(arguments: DatabaseKind.all, Access.allCases)
    func `A running statement is interrupted, and the connection can still be used`(_ kind: DatabaseKind, _ access: Access) async throws {
        let database = try TestDatabase(kind, schema: Self.schema + "; INSERT INTO t VALUES (1), (2), (3)")
        let inside = AsyncStream<Void>.makeStream()
        let task = Task {
            try await run(access, of: database.writer) { db in
                inside.continuation.yield()
                while true { try db.execute(sql: Self.long) }
            }
        }
        for await _ in inside.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM many") } == 100)
        #expect(try await database.writer.write { try Int.fetchOne($0, sql: "SELECT count(*) FROM many") } == 100)
    }

    @Test(
        arguments: DatabaseKind.all,
        [Access.write, .read, .writeWithoutTransaction, .unsafeRead])
    func `Tasks that are cancelled at any time throw CancellationError, or have written`(_ kind: DatabaseKind, _ access: Access)
        async throws
    {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        var committed: Set<Int> = []
        for index in 0..<60 {
            let hasBegun = AsyncStream<Void>.makeStream()
            let task = Task {
                hasBegun.continuation.yield()
                return try await run(access, of: writer) { db in
                    if access.commits { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index]) }
                    return try Int.fetchAll(db, sql: "SELECT i FROM many").count
                }
            }
            for await _ in hasBegun.stream { break }
            // A different moment each time: before its turn, while it begins, reads or commits.
            for _ in 0..<(index * 40) { await Task.yield() }
            task.cancel()
            switch await task.result {
            case .success(let count):
                #expect(count == 100)
                if access.commits { committed.insert(index) }
            case .failure(let error):
                #expect(error is CancellationError, "\(error)")
            }
        }
        #expect(try await writer.read { Set(try Int.fetchAll($0, sql: "SELECT a FROM t")) } == committed)
    }

    @Test(arguments: DatabaseKind.all, [Access.read, .write, .writeWithoutTransaction])
    func `The error of the closure stays`(_ kind: DatabaseKind, _ access: Access) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let own = Task {
            try await run(access, of: database.writer) { _ in
                Self.cancelCurrentTask()
                throw TestError()
            }
        }
        await #expect(throws: TestError.self) { try await own.value }
        for code in [ResultCode.SQLITE_BUSY, .SQLITE_INTERRUPT, .SQLITE_CONSTRAINT] {
            let other = Task {
                try await run(access, of: database.writer) { _ in
                    Self.cancelCurrentTask()
                    throw DatabaseError(resultCode: code)
                }
            }
            let error = await #expect(throws: DatabaseError.self) { try await other.value }
            #expect(error?.resultCode == code)
        }
        let afterInterruption = Task {
            try await run(access, of: database.writer) { db in
                Self.cancelCurrentTask()
                do { try db.execute(sql: "SELECT count(*) FROM many") } catch { throw TestError() }
            }
        }
        await #expect(throws: TestError.self) { try await afterInterruption.value }
    }

    @Test(arguments: DatabaseKind.all)
    func `Interrupting a database is an error, and no cancellation`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        let task = Task {
            try await writer.read { db in
                let statement = try db.makeStatement(sql: Self.long)
                let over = Semaphore("the read is interrupted")
                Thread.detachNewThread {
                    over.wait { writer.interrupt() }
                }
                defer { over.signal() }
                while true {
                    while try statement.step() {}
                }
            }
        }
        let error = await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        #expect(try await writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM many") } == 100)
    }

    @Test(arguments: DatabaseKind.all)
    func `Waiting tasks block no thread, and return immediately when they are cancelled`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        let (inside, go) = (Semaphore("the write has begun"), Semaphore("the test lets the write end"))
        let over = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            try? writer.write { _ in
                inside.signal()
                go.wait()
            }
            over.continuation.yield()
        }
        await inside.signalled()
        let tasks = (0..<64).map { index in
            Task {
                index.isMultiple(of: 2)
                    ? try await writer.write { _ in Issue.record("the write has run") }
                    : try await writer.barrierWriteWithoutTransaction { _ in Issue.record("the barrier has run") }
            }
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(await Task.detached { 1 }.value == 1)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        go.signal()
        for await _ in over.stream { break }
        try await writer.write { _ in }
    }
}
