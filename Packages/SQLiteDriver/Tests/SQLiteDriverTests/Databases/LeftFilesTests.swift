import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// The files that closed databases leave behind: a copy of the database file alone must contain all changes.
@Suite struct LeftFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
    }

    /// Threads may retain a pool a little longer than their access, or than opening a reader takes.
    private func expectFileAlone(sourceLocation: SourceLocation = #_sourceLocation) {
        yieldThread(until: "the log is removed", sourceLocation: sourceLocation) { !files.contains("a.sqlite-wal") }
        #expect(files == ["a.sqlite"], sourceLocation: sourceLocation)
    }

    enum End: CaseIterable {
        case isClosed
        case isReleased
    }

    private func makePool(_ configuration: Configuration = Configuration()) throws -> DatabasePool {
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration.removingLog)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        return pool
    }

    @Test
    func `A pool creates the log when it is opened, so that a process that may not create files can read from then on`() throws {
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: Configuration().removingLog)
        #expect(files == ["a.sqlite", "a.sqlite-shm", "a.sqlite-wal"])
        try pool.close()
        expectFileAlone()
        let again = try DatabasePool(path: folder.path("a.sqlite"), configuration: Configuration().removingLog)
        #expect(files == ["a.sqlite", "a.sqlite-shm", "a.sqlite-wal"])
        try again.close()
        expectFileAlone()
    }

    private func rows(_ reader: (any DatabaseReader)?) throws -> [Int64] {
        guard let reader else { return [] }
        return try reader.read { try $0.integers("SELECT a FROM t") }
    }

    private func end(_ pool: inout DatabasePool?, _ end: End) throws {
        if end == .isClosed { try pool?.close() }
        pool = nil
    }

    @Test(arguments: End.allCases)
    func `A pool leaves its file alone`(_ howItEnds: End) throws {
        var pool: DatabasePool? = try makePool()
        #expect(try rows(pool) == [1])
        #expect(files.contains("a.sqlite-wal"))
        try end(&pool, howItEnds)
        expectFileAlone()
    }

    @Test(arguments: End.allCases)
    func `A pool with several idle readers leaves its file alone`(_ howItEnds: End) throws {
        var pool: DatabasePool? = try makePool()
        if let pool {
            let group = DispatchGroup()
            let inside = Semaphore("each read has begun")
            let go = Semaphore("the test lets the reads end")
            for _ in 0..<3 {
                group.enter()
                Thread.detachNewThread {
                    try? pool.read { _ in
                        inside.signal()
                        go.wait()
                    }
                    group.leave()
                }
            }
            for _ in 0..<3 { inside.wait() }
            for _ in 0..<3 { go.signal() }
            group.wait(for: "the ends of the reads")
        }
        try end(&pool, howItEnds)
        expectFileAlone()
    }

    @Test(arguments: End.allCases)
    func `The last snapshot removes the log`(_ howItEnds: End) throws {
        var pool: DatabasePool? = try makePool()
        var first = try pool?.makeSnapshot()
        var second = try pool?.makeSnapshot()
        try pool?.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try end(&pool, howItEnds)
        #expect(try rows(first) == [1])
        if howItEnds == .isClosed { try first?.close() }
        first = nil
        #expect(try rows(second) == [1])
        #expect(files.contains("a.sqlite-wal"))
        if howItEnds == .isClosed { try second?.close() }
        second = nil
        expectFileAlone()
        #expect(try rows(DatabaseQueue(path: folder.path("a.sqlite"))) == [1, 2])
    }

    enum Access: CaseIterable {
        case read
        case write
        case barrier
        case concurrentRead
    }

    @Test(arguments: Access.allCases)
    func `A pool that is released during an access leaves its file alone`(_ access: Access) throws {
        var pool: DatabasePool? = try makePool()
        let inside = Semaphore("the access has begun")
        let go = Semaphore("the test lets the access end")
        let body: @Sendable () -> Void = {
            inside.signal()
            go.wait()
        }
        switch access {
        case .read: pool?.asyncRead { _ in body() }
        case .write: pool?.asyncWriteWithoutTransaction { _ in body() }
        case .barrier: pool?.asyncBarrierWriteWithoutTransaction { _ in body() }
        case .concurrentRead: pool?.spawnConcurrentRead { _ in body() }
        }
        inside.wait()
        pool = nil
        #expect(files.contains("a.sqlite-wal"))
        go.signal()
        expectFileAlone()
    }

    @Test
    func `A statement that outlives its reader removes the log`() throws {
        var statement: Box<Statement>?
        do {
            let pool = try makePool()
            statement = try pool.read { Box(try $0.makeStatement(sql: "SELECT 1")) }
        }
        #expect(files.contains("a.sqlite-wal"))
        #expect(statement != nil)
        statement = nil
        expectFileAlone()
    }

    @Test
    func `A pool whose readers can't be opened leaves its file alone`() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            _ = try db.integers("SELECT count(*) FROM sqlite_master")
            if db.configuration.readonly { throw TestError() }
        }
        var pool: DatabasePool? = try makePool(configuration)
        #expect(throws: TestError.self) { _ = try rows(pool) }
        #expect(throws: TestError.self) { _ = try pool?.makeSnapshot() }
        pool = nil
        expectFileAlone()
    }

    @Test
    func `A pool that can't be opened leaves no log`() throws {
        var configuration = Configuration().removingLog
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS u (a)")
            throw TestError()
        }
        #expect(throws: TestError.self) { try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration) }
        expectFileAlone()
    }

    @Test(arguments: End.allCases)
    func `A queue with a log leaves its file alone`(_ howItEnds: End) throws {
        var configuration = Configuration().removingLog
        configuration.journalMode = .wal
        var queue: DatabaseQueue? = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        try queue?.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(files.contains("a.sqlite-wal"))
        if howItEnds == .isClosed { try queue?.close() }
        queue = nil
        expectFileAlone()
    }

    @Test(arguments: End.allCases)
    func `A persistent log is kept`(_ howItEnds: End) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { strata_sqlite3_set_keeps_log($0.sqliteConnection, 1) }
        var pool: DatabasePool? = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        try pool?.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        var snapshot = try pool?.makeSnapshot()
        #expect(try rows(snapshot) == [1])
        try end(&pool, howItEnds)
        snapshot = nil
        #expect(files.contains("a.sqlite-wal"))
    }
}
