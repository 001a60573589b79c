import Foundation
import SQLiteDriver
import Testing

/// The asynchronous forms of what takes long.
@Suite struct AsyncMaintenanceTests {
    let folder: TemporaryFolder
    let source: DatabaseQueue
    let destination: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        source = try DatabaseQueue(path: folder.path("source.sqlite"))
        destination = try DatabaseQueue(path: folder.path("destination.sqlite"))
        try source.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
            for _ in 0..<50 { try db.execute(sql: "INSERT INTO t (b) VALUES (randomblob(2000))") }
        }
        try destination.write { try $0.execute(sql: "CREATE TABLE old (a)") }
    }

    private func tables(_ queue: DatabaseQueue) async throws -> [String] {
        try await queue.read { try $0.texts("SELECT name FROM sqlite_master") }
    }

    private static func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }

    /// Calls a closure in a task that was cancelled before.
    private func inCancelledTask(_ body: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        await Task {
            Self.cancelCurrentTask()
            try await body()
        }.result
    }

    // MARK: - Vacuum, erase, checkpoint

    @Test
    func `A database is vacuumed in a task`() async throws {
        try await source.write { try $0.execute(sql: "DELETE FROM t") }
        #expect(try await source.read { try $0.integers("PRAGMA freelist_count")[0] } > 0)
        try await source.vacuum()
        #expect(try await source.read { try $0.integers("PRAGMA freelist_count") } == [0])
        let path = folder.path("compact.sqlite")
        try await AnyDatabaseWriter(source).vacuum(into: path)
        #expect(try await tables(DatabaseQueue(path: path)) == ["t"])
    }

    @Test
    func `A database is erased in a task`() async throws {
        try await source.erase()
        #expect(try await tables(source).isEmpty)
    }

    @Test
    func `A checkpoint in a task`() async throws {
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let passive = try await pool.checkpoint()
        #expect(passive.walFrameCount > 0 && passive.walFrameCount == passive.checkpointedFrameCount)
        let truncated = try await pool.checkpoint(.truncate)
        #expect(truncated.walFrameCount == 0)
        func checkpoint() throws -> Int { try pool.checkpoint(.full).walFrameCount }
        #expect(try checkpoint() == 0)
    }

    enum Work: CaseIterable {
        case vacuum, vacuumIntoFile, erase, checkpoint, backup, backupSteps
    }

    @Test(arguments: Work.allCases)
    func `Cancelled tasks change nothing`(_ work: Work) async throws {
        let path = folder.path("compact.sqlite")
        let result = await inCancelledTask { [source, destination] in
            switch work {
            case .vacuum: try await source.vacuum()
            case .vacuumIntoFile: try await source.vacuum(into: path)
            case .erase: try await source.erase()
            case .checkpoint: try await source.checkpoint()
            case .backup: try await source.asyncBackup(to: destination)
            case .backupSteps: for try await _ in source.backupSteps(to: destination) {}
            }
        }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try await tables(source) == ["t"])
        #expect(try await tables(destination) == ["old"])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test
    func `A vacuum is cancelled while it runs`() async throws {
        // VACUUM sorts the index of a collation again, which cancels the task.
        let cancels = Box(false)
        try await source.write { db in
            db.add(
                collation: DatabaseCollation("cancelling") { lhs, rhs in
                    if cancels.value { Self.cancelCurrentTask() }
                    return lhs < rhs ? .ascending : lhs == rhs ? .same : .descending
                })
            try db.execute(
                sql: """
                    CREATE INDEX i ON t (b COLLATE cancelling);
                    INSERT INTO t (b) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i || '' FROM n
                    """)
            cancels.value = true
        }
        let result = await Task { [source] in try await source.vacuum() }.result
        cancels.value = false
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try await source.read { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    }

    // MARK: - Backup

    @Test
    func `A database is copied in a task`() async throws {
        try await source.asyncBackup(to: destination)
        #expect(try await tables(destination) == ["t"])
        // The other order of the two accesses.
        try await destination.write { try $0.execute(sql: "CREATE TABLE u (a)") }
        try await destination.asyncBackup(to: AnyDatabaseWriter(source), pagesPerStep: 1)
        #expect(try await tables(source) == ["t", "u"])
    }

    @Test(arguments: [true, false])
    func `A backup is cancelled between its steps`(_ isForward: Bool) async throws {
        let (from, to) = isForward ? (source, destination) : (destination, source)
        if !isForward { try await destination.write { try $0.execute(sql: "INSERT INTO old VALUES (zeroblob(100000))") } }
        let before = try await tables(to)
        let result = await Task {
            try await from.asyncBackup(to: to, pagesPerStep: 1) { progress in
                if progress.completedPageCount == 2 { Self.cancelCurrentTask() }
            }
        }.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try await tables(to) == before)
    }

    @Test
    func `The progress of a backup is a sequence`() async throws {
        var steps: [DatabaseBackupProgress] = []
        for try await step in source.backupSteps(to: destination, pagesPerStep: 1) { steps.append(step) }
        #expect(steps.last?.isCompleted == true)
        #expect(steps.map(\.completedPageCount) == steps.map(\.completedPageCount).sorted())
        #expect(try await tables(destination) == ["t"])
    }

    @Test
    func `A loop that is left ends the backup`() async throws {
        // The first step waits until the loop was left, as the destination's progress can't be seen otherwise.
        let big = try DatabaseQueue()
        try await big.write { db in
            try db.execute(sql: "CREATE TABLE big (a)")
            for _ in 0..<20 { try db.execute(sql: "INSERT INTO big VALUES (zeroblob(1000000))") }
        }
        var count = 0
        for try await step in big.backupSteps(to: destination, pagesPerStep: 1) {
            count += 1
            if !step.isCompleted { break }
        }
        #expect(count == 1)
        // The backup has either ended, or it was complete already.
        #expect([["old"], ["big"]].contains(try await tables(destination)))
        try await destination.write { try $0.execute(sql: "CREATE TABLE after (a)") }
    }

    @Test
    func `The error of a backup reaches the loop`() async throws {
        let (source, destination) = (source, destination)
        await #expect(throws: DatabaseError.self) {
            for try await _ in source.backupSteps(to: destination, pagesPerStep: 0) {}
        }
        await #expect(throws: TestError()) {
            try await source.asyncBackup(to: destination, pagesPerStep: 1) { _ in throw TestError() }
        }
        // A database is not copied over itself.
        await #expect(throws: DatabaseError.self) { try await source.asyncBackup(to: source) }
    }

    @Test
    func `A backup of a pool holds on to one state while others write`() async throws {
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for _ in 0..<20 { try db.execute(sql: "INSERT INTO t VALUES (zeroblob(4000))") }
        }
        try await pool.asyncBackup(to: destination, pagesPerStep: 1) { progress in
            if progress.completedPageCount == 3 { try pool.write { try $0.execute(sql: "DELETE FROM t") } }
        }
        #expect(try await destination.read { try $0.integers("SELECT count(*) FROM t") } == [20])
    }

    @Test
    func `While backups wait for another database, a vacuum runs, and then each backup does`() async throws {
        // More backups than the cooperative pool has threads wait for a database that is in use, until a task has run.
        let (isHeld, mayEnd) = (Semaphore("the destination is in use"), Semaphore("the vacuum has ended"))
        destination.asyncWriteWithoutTransaction { _ in
            isHeld.signal()
            mayEnd.wait()
        }
        onAnotherThread { isHeld.wait() }
        let queues = try (0..<64).map { number in
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE copied AS SELECT \(number) AS number") }
            return queue
        }
        try await source.write { try $0.execute(sql: "DELETE FROM t") }
        let (source, destination) = (source, destination)
        let ends = try await withThrowingTaskGroup(of: Int?.self) { group in
            for (number, queue) in queues.enumerated() {
                group.addTask {
                    try await queue.asyncBackup(to: destination)
                    return number
                }
            }
            group.addTask {
                try await source.vacuum()
                return nil
            }
            // The vacuum is the only task that can end now.
            let first = try await group.next()
            mayEnd.signal()
            return try await group.reduce(into: [first.flatMap(\.self)]) { $0.append($1) }
        }
        #expect(ends.first == .some(nil))
        #expect(ends.dropFirst().compactMap(\.self).sorted() == Array(0..<64))
        #expect(try await source.read { try $0.integers("PRAGMA freelist_count") } == [0])
        // The destination is a copy of one of the databases.
        #expect(try await tables(destination) == ["copied"])
        let numbers = try await destination.read { try $0.integers("SELECT number FROM copied") }
        #expect(numbers.count == 1 && (0..<64).contains(numbers[0]))
    }
}
