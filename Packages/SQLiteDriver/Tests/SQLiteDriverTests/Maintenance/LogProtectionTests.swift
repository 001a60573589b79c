import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Checkpoints where SQLite has the WAL-reset bug, which a second connection protects. Nothing else changes for their users. The tests of
/// checkpoints in Tests/ show that the protection is effective.
@Suite struct LogProtectionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func makeQueue(_ path: String? = nil, _ busyMode: Database.BusyMode = .immediateError) throws -> DatabaseQueue {
        var configuration = Configuration().removingLog
        configuration.busyMode = busyMode
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: path ?? self.path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (x BLOB)") }
        return queue
    }

    /// Inserts rows that fill a page each.
    private func insertPages(_ count: Int, _ db: Database, into table: String = "t") throws {
        try db.execute(
            sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
                + "INSERT INTO \(table) SELECT zeroblob(4000) FROM n")
    }

    /// Waits for a checkpoint that a commit has asked for.
    private func waitForCheckpoint(of pool: DatabasePool) {
        yieldThread(until: "a checkpoint has ended") { pool.status().lastCheckpoint != nil }
    }

    private func size(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func openFiles(_ path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(path) == true }.count
    }

    // MARK: Automatic checkpoints

    @Test(arguments: [false, true])
    func `A commit that makes the log longer than 1000 pages lets it be copied, as SQLite does`(_ isPool: Bool) throws {
        let writer: any DatabaseWriter = isPool ? try DatabasePool(path: path) : try makeQueue()
        // Apple's SQLite truncates the log by default.
        try writer.write { try $0.execute(sql: "PRAGMA journal_size_limit = -1; CREATE TABLE IF NOT EXISTS t (x BLOB)") }
        try writer.write { try insertPages(900, $0) }
        #expect(try size(path) < 100_000)
        try writer.write { try insertPages(200, $0) }
        if let pool = writer as? DatabasePool { waitForCheckpoint(of: pool) }
        #expect(try size(path) > 4_000_000)
        // The log begins again.
        let logSize = try size("\(path)-wal")
        try writer.write { try insertPages(900, $0) }
        #expect(try size("\(path)-wal") == logSize)
    }

    @Test
    func `PRAGMA wal_autocheckpoint sets the length of the log that a commit copies`() throws {
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = -1")
            try insertPages(1100, db)
            #expect(try size(path) < 100_000)
            #expect(try db.integers("PRAGMA wal_autocheckpoint = 5") == [5])
            try insertPages(1, db)
            #expect(try size(path) > 4_000_000)
            let logSize = try size("\(path)-wal")
            for _ in 0..<50 { try insertPages(3, db) }
            #expect(try size("\(path)-wal") == logSize)
            try db.execute(sql: "PRAGMA wal_autocheckpoint = -1")
            try insertPages(1200, db)
            #expect(try size("\(path)-wal") > logSize)
        }
    }

    @Test
    func `A cached PRAGMA wal_autocheckpoint that SQLite compiles again keeps automatic checkpoints protected`() throws {
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "PRAGMA wal_autocheckpoint = 5")
            try statement.execute()
            // All statements of the connection expire.
            db.add(collation: DatabaseCollation("nothing") { _, _ in .same })
            try statement.execute()
            let hook = sqlite3_wal_hook(db.sqliteConnection, nil, nil)
            if SQLiteLibrary.current.defects.contains(.walReset) {
                #expect(Int(bitPattern: hook) != 5)
            } else {
                #expect(Int(bitPattern: hook) == 5)
            }
        }
    }

    @Test
    func `A hook of the program takes the place of automatic checkpoints`() throws {
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            let counts = Box<[Int]>([])
            sqlite3_wal_hook(
                db.sqliteConnection,
                { context, _, _, count in
                    Unmanaged<Box<[Int]>>.fromOpaque(context!).takeUnretainedValue().value.append(Int(count))
                    return SQLITE_OK
                }, Unmanaged.passUnretained(counts).toOpaque())
            try insertPages(1100, db)
            try insertPages(1, db)
            #expect(counts.value.count == 2)
            #expect(try size(path) < 100_000)
            sqlite3_wal_hook(db.sqliteConnection, nil, nil)
        }
    }

    @Test(arguments: ["attached.sqlite", "an odd?name&#%41.sqlite"])
    func `The log of an attached database is copied, and its file can be detached`(_ name: String) throws {
        let attachedPath = folder.path(name)
        try makeQueue(attachedPath).close()
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [attachedPath])
            try insertPages(1100, db, into: "other.t")
            #expect(try size(attachedPath) > 4_000_000)
            try insertPages(10, db, into: "other.t")
            try insertPages(10, db)
            let counts = try db.checkpoint(.truncate, on: nil)
            #expect(counts == (0, 0))
            #expect(try size("\(attachedPath)-wal") == 0 && size("\(path)-wal") == 0)
            try insertPages(3, db, into: "other.t")
            #expect(try db.integers("PRAGMA other.wal_checkpoint").count == 1)
            try db.execute(sql: "DETACH other")
        }
        #expect(try openFiles(attachedPath) == 0)
    }

    @Test
    func `A long read blocks no more of the log than without protection`() throws {
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x BLOB)") }
        try pool.write { try insertPages(500, $0) }
        let snapshot = try pool.makeSnapshot()
        try pool.write { try insertPages(600, $0) }
        waitForCheckpoint(of: pool)
        // The frames that the snapshot can see are copied.
        let copiedSize = try size(path)
        #expect((1_900_000...2_400_000).contains(copiedSize))
        let passive = try pool.checkpoint()
        #expect((490...530).contains(passive.checkpointedFrameCount) && passive.walFrameCount > 1100)
        withExtendedLifetime(snapshot) {}
    }

    // MARK: Explicit checkpoints

    @Test(arguments: Database.CheckpointMode.allCases)
    func `PRAGMA wal_checkpoint gives the numbers of checkpoint(_:on:)`(_ mode: Database.CheckpointMode) throws {
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            for _ in 0..<2 {
                try insertPages(10, db)
                // The same statement of the cache.
                let statement = try db.cachedStatement(sql: "PRAGMA wal_checkpoint(\(mode))")
                #expect(try statement.step())
                let counts = [0, 1, 2].map { statement.int64(at: $0) }
                statement.reset()
                let again = try db.checkpoint(.passive)
                #expect(counts == [0, Int64(again.walFrameCount), Int64(again.checkpointedFrameCount)])
            }
            try db.beginTransaction()
            expectError(.SQLITE_LOCKED) { try db.execute(sql: "PRAGMA wal_checkpoint(\(mode))") }
            try db.rollback()
        }
    }

    @Test
    func `A checkpoint that gives up waiting for a writer leaves the busy mode, and a busy timeout of the program, as they were`() throws {
        let queue = try makeQueue()
        let writer = try makeQueue()
        try writer.inTransaction(.immediate) { _ in
            try queue.writeWithoutTransaction { db in
                for mode in [Database.CheckpointMode.full, .restart, .truncate] {
                    expectError(.SQLITE_BUSY) { try db.checkpoint(mode) }
                    #expect(try db.integers("PRAGMA wal_checkpoint(\(mode))") == [1])
                }
                #expect(try db.integers("PRAGMA busy_timeout") == [0])
                expectError(.SQLITE_BUSY) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
                try db.execute(sql: "PRAGMA busy_timeout = 3")
                expectError(.SQLITE_BUSY) { try db.checkpoint(.full) }
                #expect(try db.integers("PRAGMA busy_timeout") == [3])
            }
            return .commit
        }
        #expect(try queue.checkpoint(.truncate) == (0, 0))
    }

    @Test(arguments: [Database.CheckpointMode.full, .truncate])
    func `A busy callback is called for the write lock until it returns false`(_ mode: Database.CheckpointMode) throws {
        let calls = Box(0)
        let queue = try makeQueue(
            nil,
            .callback { count in
                calls.value += 1
                return count < 3
            })
        let writer = try makeQueue()
        try writer.inTransaction(.immediate) { _ in
            expectError(.SQLITE_BUSY) { try queue.checkpoint(mode) }
            return .commit
        }
        #expect(calls.value == 4)
    }

    // MARK: The second connection

    @Test
    func `After a checkpoint, a queue can leave the WAL mode, and take the file for itself`() throws {
        let queue = try makeQueue()
        try queue.writeWithoutTransaction { db in
            try insertPages(1, db)
            try db.checkpoint()
            #expect(try db.texts("PRAGMA journal_mode = DELETE") == ["delete"])
            #expect(try db.checkpoint() == (-1, -1))
            #expect(try db.texts("PRAGMA journal_mode = WAL") == ["wal"])
            try insertPages(1, db)
            try db.checkpoint()
            #expect(try db.texts("PRAGMA locking_mode = EXCLUSIVE") == ["exclusive"])
            // Not exclusive before the next write.
            try db.checkpoint()
            try insertPages(1, db)
            #expect(try db.checkpoint(.truncate) == (0, 0))
            try insertPages(1100, db)
            let counts = try db.checkpoint()
            #expect(counts.walFrameCount > 1000 && counts.checkpointedFrameCount == counts.walFrameCount)
            #expect(try db.texts("PRAGMA locking_mode = NORMAL") == ["normal"])
            try insertPages(1, db)
            try db.checkpoint()
        }
        let other = try makeQueue()
        try other.write { try insertPages(1, $0) }
    }

    @Test
    func `In the exclusive locking mode from the start, commits run checkpoints`() throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x BLOB)") }
        try queue.write { try insertPages(1100, $0) }
        #expect(try size(path) > 4_000_000)
        #expect(try queue.checkpoint(.truncate) == (0, 0))
    }

    @Test
    func `Preparations run for the connections of the program only`() throws {
        let count = Box(0)
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { _ in count.value += 1 }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x BLOB)") }
        try queue.checkpoint()
        #expect(count.value == 1)
    }

    @Test(arguments: ["", "?cache=shared", "?mode=rw&cache=shared", "?mode=rwc#fragment"])
    func `URIs and shared caches work`(_ query: String) throws {
        try makeQueue().close()
        let queue = try makeQueue("file:\(path)\(query)")
        try queue.write { try insertPages(1100, $0) }
        #expect(try size(path) > 4_000_000)
        try queue.write { try insertPages(1, $0) }
        let counts = try queue.checkpoint()
        #expect(counts.walFrameCount > 0 && counts.checkpointedFrameCount == counts.walFrameCount)
    }

    @Test
    func `A database keeps its second connection no longer than its own`() throws {
        let queue = try makeQueue()
        try queue.write { try insertPages(1, $0) }
        try queue.checkpoint()
        #expect(try openFiles(path) > 0)
        // A statement that is alive keeps the queue open, and its checkpoints work.
        let statement = Box<Statement?>(try queue.read { try $0.makeStatement(sql: "SELECT 1") })
        expectError(.SQLITE_BUSY) { try queue.close() }
        try queue.checkpoint()
        try queue.inDatabase { _ in statement.value = nil }
        try queue.close()
        #expect(try openFiles(path) == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(path)-wal"))

        // Without closing.
        do {
            let queue = try makeQueue()
            try queue.write { try insertPages(1, $0) }
            try queue.checkpoint()
        }
        #expect(try openFiles(path) == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(path)-wal"))
    }

    @Test
    func `Only a version of SQLite with the defect opens a second connection for checkpoints`() throws {
        let queue = try makeQueue()
        try queue.write { try insertPages(1, $0) }
        let count = try openFiles(path)
        try queue.checkpoint()
        #expect(try (openFiles(path) > count) == SQLiteLibrary.current.defects.contains(.walReset))
    }

    @Test
    func `A checkpoint of a moved file is not protected by another file`() throws {
        let queue = try makeQueue()
        try queue.write { try insertPages(1, $0) }
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("moved.sqlite"))
        if SQLiteLibrary.current.defects.contains(.walReset) {
            expectError(.SQLITE_CANTOPEN) { try queue.checkpoint() }
        } else {
            #expect(try queue.checkpoint().checkpointedFrameCount > 0)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        // Commits continue, where they need protection without checkpoints.
        try queue.write { try insertPages(1100, $0) }
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM t") } == [1101])
    }

    @Test
    func `A read-only connection runs no checkpoint`() throws {
        let queue = try makeQueue()
        try queue.write { try insertPages(1, $0) }
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { db in
            // SQLite itself tries to write.
            let code: ResultCode = SQLiteLibrary.current.defects.contains(.walReset) ? .SQLITE_READONLY : .SQLITE_IOERR_WRITE
            expectError(code) { try db.checkpoint() }
            expectError(code) { try db.execute(sql: "PRAGMA wal_checkpoint(FULL)") }
        }
        #expect(try openFiles(path) > 0)
    }
    @Test
    func `Participants that have prepared a PRAGMA learn that it can't be protected`() throws {
        guard SQLiteLibrary.current.defects.contains(.walReset) else { return }
        final class Observer: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try makeQueue().write { try insertPages(1, $0) }
        var configuration = Configuration()
        configuration.readonly = true
        let observer = Observer()
        try DatabaseQueue(path: path, configuration: configuration).inDatabase { db in
            db.add(transactionObserver: observer)
            weak var refused: Statement?
            do {
                let statement = try db.makeStatement(sql: "PRAGMA wal_checkpoint(FULL)")
                refused = statement
                expectError(.SQLITE_READONLY) { try statement.run() }
            }
            // The observation keeps the running statement only.
            #expect(refused == nil)
        }
    }
}
