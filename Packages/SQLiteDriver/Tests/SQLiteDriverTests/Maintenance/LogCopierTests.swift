import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Logs of pools, which are copied beside the commits, and kept short. The tests of checkpoints in Tests/ have faults and other processes.
@Suite struct LogCopierTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    /// - Parameter length: the length of the log from which it is copied, in pages.
    private func makePool(_ length: Int, _ change: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.synchronous = .normal
        configuration.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA wal_autocheckpoint = \(length); PRAGMA journal_size_limit = -1") }
        }
        change(&configuration)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)") }
        try pool.checkpoint(.truncate)
        return pool
    }

    /// Changes a page of the table.
    private func change(_ pool: DatabasePool, _ id: Int = 1) throws {
        try pool.write { try $0.execute(sql: "REPLACE INTO t VALUES (?, zeroblob(3000))", arguments: [id]) }
    }

    private func logSize(_ pool: DatabasePool) -> Int { pool.status().logSize ?? 0 }

    /// Whether the log is short, or has begun again: SQLite then writes at the beginning of the file, which may keep its size.
    private func isShort(_ pool: DatabasePool) -> Bool {
        let status = pool.status()
        guard let log = status.logSize, let checkpoint = status.lastCheckpoint, log > 500_000 else { return true }
        return checkpoint.frameCount * 4120 <= 500_000
    }

    /// The number of descriptors of the database file, its log and the log's index, or of those with a suffix.
    private func openFiles(suffix: String = "") throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return file?.hasPrefix(path + suffix) == true
        }
    }

    // MARK: Copying

    @Test(arguments: [1, 8])
    func `The log does not grow while threads commit all the time`(_ threadCount: Int) throws {
        let pool = try makePool(100)
        let group = DispatchGroup()
        for thread in 0..<threadCount {
            group.enter()
            Thread.detachNewThread {
                for n in 0..<(8000 / threadCount) { #expect(throws: Never.self) { try change(pool, thread * 8000 + n % 300) } }
                group.leave()
            }
        }
        group.wait(for: "the writes")
        // Without the checkpoints of commits it would have 33 MB or more. On a busy machine, it has 8.
        #expect(logSize(pool) < 16_000_000, "\(logSize(pool))")
        #expect(pool.status().checkpointError == nil)
        #expect(try pool.read { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    }

    @Test
    func `A commit copies a log itself if no thread does`() throws {
        let threads = SharedThreads(count: 1)
        let isFree = Semaphore("the test gives the thread back")
        threads.run(on: DispatchQueue(label: "busy")) { isFree.wait() }
        let pool = try makePool(50) { $0.sharedThreads = threads }
        for n in 0..<2000 { try change(pool, n % 20) }
        #expect(logSize(pool) < 2_000_000)
        isFree.signal()
    }

    @Test
    func `Commits ask for a pass again whenever the log has begun again`() throws {
        let threads = SharedThreads(count: 1)
        let isFree = Semaphore("the test gives the thread back")
        threads.run(on: DispatchQueue(label: "busy")) { isFree.wait() }
        let pool = try makePool(50) { $0.sharedThreads = threads }
        var lengths: Set<Int> = []
        for n in 0..<2000 {
            try change(pool, n % 20)
            if let length = pool.status().lastCheckpoint?.frameCount, length > 0 { lengths.insert(length) }
        }
        isFree.signal()
        // The commits have waited for the pass until the log was five times as long.
        #expect(!lengths.isEmpty && lengths.allSatisfy { $0 >= 250 }, "\(lengths)")
    }

    @Test
    func `A commit copies the log itself if the file can't be opened again`() throws {
        let pool = try makePool(50)
        #expect(rename(path, path + "-moved") == 0)
        for n in 0..<100 { try change(pool, n % 20) }
        #expect(pool.status().lastCheckpoint.map { $0.copiedFrameCount >= 50 } == true)
        #expect(rename(path + "-moved", path) == 0)
    }

    @Test
    func `A copy by a commit that fails is reported until another one succeeds`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let threads = SharedThreads(count: 1)
            threads.run(on: DispatchQueue(label: "busy")) { Semaphore("the end of the process").wait() }
            var configuration = Configuration()
            configuration.sharedThreads = threads
            configuration.prepareDatabase { if !$0.configuration.readonly { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 10") } }
            let pool = try DatabasePool(path: folder.path("database.sqlite"), configuration: configuration)
            func insert(_ count: Int) throws {
                for _ in 0..<count { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(3000))") } }
            }
            try pool.write { try $0.execute(sql: "CREATE TABLE t (x BLOB)") }
            try insert(1000)
            try pool.checkpoint(.truncate)
            // The log has space, the file has none.
            limitFileSize(3_000_000)
            try insert(100)
            if pool.status().checkpointError?.primaryResultCode != .SQLITE_IOERR { throw TestError() }
            limitFileSize(100_000_000)
            try insert(100)
            if pool.status().checkpointError != nil { throw TestError() }
        }
    }

    @Test
    func `Many databases don't keep connections for copying`() throws {
        let (threads, isFree) = (SharedThreads(count: 1), Semaphore("the test gives the thread back"))
        threads.run(on: DispatchQueue(label: "busy")) { isFree.wait() }
        let pool = try makePool(10) { $0.sharedThreads = threads }
        // One pass is requested, and does not begin yet.
        for n in 0..<15 { try change(pool, n) }
        #expect(try openFiles(suffix: "-wal") > 1)
        isFree.signal()
        yieldThread(until: "the log is copied") { pool.status().lastCheckpoint.map { $0.copiedFrameCount > 0 } == true }
        // SQLite keeps their descriptors of the file, but not those of the log, until all connections of the process are closed.
        #expect(try openFiles(suffix: "-wal") == 1)
    }

    @Test
    func `A checkpoint of the program waits for one that copies the log`() throws {
        let pool = try makePool(10) { $0.busyMode = .immediateError }
        for n in 0..<3000 {
            try change(pool, n % 200)
            // While a pass runs, most of the time.
            if n % 7 == 0 { try pool.checkpoint() }
            if n % 31 == 0 { #expect(try pool.writeWithoutTransaction { try $0.integers("PRAGMA wal_checkpoint").first } == 0) }
        }
    }

    @Test
    func `A pool leaves the WAL mode, takes its file for itself, and is closed while its log is copied`() throws {
        for round in 0..<20 {
            let pool = try makePool(10)
            for n in 0..<(12 + round) { try change(pool, n) }
            try pool.barrierWriteWithoutTransaction { db in
                let kind = round % 3
                switch kind {
                case 0:
                    #expect(try db.texts("PRAGMA locking_mode = EXCLUSIVE") == ["exclusive"])
                    for n in 0..<200 { try db.execute(sql: "REPLACE INTO t VALUES (?, zeroblob(3000))", arguments: [n % 10]) }
                case 1: #expect(try db.texts("PRAGMA journal_mode = DELETE") == ["delete"])
                default: break
                }
            }
            #expect(logSize(pool) < 400_000)
            try pool.close()
            #expect(try openFiles() == 0)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    // MARK: The size of the log

    /// Reads that overlap all the time: each lasts until the next one has begun, and a number of commits were made.
    private func readOverlapping(_ pool: DatabasePool, while isWriting: Locked<Bool>, _ commitCount: Locked<Int>) -> DispatchGroup {
        let group = DispatchGroup()
        let begun = Locked(0)
        for _ in 0..<3 {
            group.enter()
            Thread.detachNewThread {
                while isWriting.value {
                    #expect(throws: Never.self) {
                        try pool.read { db in
                            _ = try db.integers("SELECT count(*) FROM t")
                            let (number, commits) = (
                                begun.withLock {
                                    $0 += 1; return $0
                                }, commitCount.value
                            )
                            while isWriting.value, commitCount.value < commits + 20 || begun.value <= number {
                                // A read that waits for others to begin ends when they are kept out.
                                if pool.status().barrier == .keepingReadsOut { break }
                                sched_yield()
                            }
                        }
                    }
                }
                group.leave()
            }
        }
        return group
    }

    @Test(arguments: [nil, 1_000_000])
    func `Overlapping reads keep the log from beginning again, unless its size has a limit`(_ limit: Int?) throws {
        let pool = try makePool(50) { $0.maximumLogSize = limit }
        let (isWriting, commitCount) = (Locked(true), Locked(0))
        let readers = readOverlapping(pool, while: isWriting, commitCount)
        var largest = 0
        for n in 0..<3000 {
            try change(pool, n % 50)
            commitCount.withLock { $0 += 1 }
            largest = max(largest, logSize(pool))
        }
        isWriting.value = false
        readers.wait(for: "the readers")
        // Without a limit it may have 12 MB. Commits continue while the pool lets reads end.
        #expect(limit == nil ? largest > 2_000_000 : largest < 8_000_000, "\(largest)")
    }

    @Test
    func `A read that does not end in time is no error, and keeps other reads waiting for that time at most`() throws {
        let pool = try makePool(100) {
            $0.maximumLogSize = 150 * 4120
            $0.logRestartTimeout = .milliseconds(500)
        }
        // A part of the log can be copied while the read needs it.
        for n in 0..<60 { try change(pool, n % 10) }
        let (hasBegun, mayEnd) = (Semaphore("a long read has begun"), Semaphore("the test lets the long read end"))
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            #expect(throws: Never.self) {
                try pool.read { db in
                    let count = try db.integers("SELECT count(*) FROM t")
                    hasBegun.signal()
                    mayEnd.wait()
                    #expect(try db.integers("SELECT count(*) FROM t") == count)
                }
            }
            group.leave()
        }
        hasBegun.wait()
        var attempts = 0
        for n in 0..<500 {
            try change(pool, n % 10)
            if pool.status().barrier != .none { attempts += 1 }
            // Beside the long one. It ends within the limit of a test.
            if n % 20 == 0 { #expect(try pool.read(timeout: .seconds(waitLimit)) { try $0.integers("SELECT 1") } == [1]) }
        }
        #expect(attempts > 0)
        #expect(logSize(pool) > 1_000_000)
        yieldThread(until: "the pool gives up") { pool.status().barrier == .none }
        mayEnd.signal()
        group.wait(for: "the long read")
        for n in 0..<5000 where !isShort(pool) { try change(pool, n % 10) }
        #expect(isShort(pool))
    }

    @Test
    func `A snapshot keeps the log, and nobody waits for it`() throws {
        let pool = try makePool(10) {
            $0.maximumLogSize = 200_000
            $0.logRestartTimeout = .seconds(waitLimit)
        }
        try change(pool)
        let snapshot = try pool.makeSnapshot()
        for n in 0..<500 {
            try change(pool, n % 10)
            #expect(try pool.read { try $0.integers("SELECT 1") } == [1])
        }
        #expect(try snapshot.read { try $0.integers("SELECT count(*) FROM t") } == [1])
        try snapshot.close()
        for n in 0..<5000 where !isShort(pool) { try change(pool, n % 10) }
        #expect(isShort(pool))
    }

    @Test
    func `Reads inside writes, and writes inside reads, run while the pool lets reads end`() async throws {
        let pool = try makePool(10) {
            $0.maximumLogSize = 100_000
            $0.logRestartTimeout = .seconds(waitLimit)
            $0.maximumReaderCount = 1
        }
        let isOver = await comesToItsEnd {
            let group = DispatchGroup()
            group.enter()
            Thread.detachNewThread {
                #expect(throws: Never.self) {
                    for n in 0..<200 {
                        try pool.write { db in
                            try db.execute(sql: "REPLACE INTO t VALUES (?, zeroblob(3000))", arguments: [n])
                            _ = try pool.read { try $0.integers("SELECT count(*) FROM t") }
                        }
                    }
                }
                group.leave()
            }
            #expect(throws: Never.self) {
                // These reads keep the pool from truncating the log.
                for _ in 0..<5 { try pool.read { _ in for n in 0..<60 { try change(pool, n) } } }
            }
            group.wait(for: "the writes of the other thread")
        }
        #expect(isOver)
        try pool.close()
    }
}
