import Foundation
import SQLiteDriver
import Testing

/// `DatabasePool.status()` and `DatabaseQueue.status()`.
@Suite struct StatusTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makePool(_ change: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
        var configuration = Configuration()
        change(&configuration)
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        return pool
    }

    @Test
    func `The status counts readers, and accesses that run and wait`() async throws {
        let pool = try makePool { $0.maximumReaderCount = 2 }
        let idle = pool.status()
        #expect(idle.databaseName == "a.sqlite")
        #expect(idle.readers.maximumCount == 2 && idle.readers.usedCount == 0 && idle.readers.waitingCount == 0)
        #expect(!idle.writer.isUsed && idle.writer.waitingCount == 0 && idle.writer.accessAge == nil)
        #expect(idle.barrier == .none && idle.oldestSnapshotAge == nil && !idle.isShuttingDown)
        let begun = Collector<Int>()
        let isFree = DispatchSemaphore(value: 0)
        for number in 0..<3 {
            pool.asyncRead { _ in
                begun.append(number); isFree.wait()
            }
        }
        for number in 3..<6 {
            pool.asyncWriteWithoutTransaction { _ in
                begun.append(number); isFree.wait()
            }
        }
        await begun.wait(count: 3)
        try await Task.sleep(for: .milliseconds(20))
        let busy = pool.status()
        #expect(busy.readers.usedCount == 2 && busy.readers.waitingCount == 1)
        #expect(busy.writer.isUsed && busy.writer.waitingCount == 2)
        #expect(busy.readers.oldestAccessAge.map { $0 > .zero } == true && busy.writer.accessAge.map { $0 > .zero } == true)
        #expect(busy.oldestSnapshotAge == nil || busy.oldestSnapshotAge! >= busy.readers.oldestAccessAge! - .milliseconds(20))
        for _ in 0..<6 { isFree.signal() }
        await begun.wait(count: 6)
        try await pool.barrierWriteWithoutTransaction { _ in #expect(pool.status().barrier == .up) }
        let after = pool.status()
        #expect(after.readers.usedCount == 0 && after.readers.idleCount > 0 && after.barrier == .none)
    }

    @Test
    func `The oldest snapshot is a read or a snapshot object`() throws {
        let pool = try makePool()
        var snapshot: DatabaseSnapshot? = try pool.makeSnapshot()
        #expect(pool.status().oldestSnapshotAge.map { $0 > .zero } == true)
        try snapshot?.close()
        #expect(pool.status().oldestSnapshotAge == nil)
        snapshot = try pool.makeSnapshot()
        #expect(pool.status().oldestSnapshotAge != nil)
        snapshot = nil
        #expect(pool.status().oldestSnapshotAge == nil)
    }

    @Test
    func `The status has the size of the log and the last checkpoint`() throws {
        let pool = try makePool()
        #expect(pool.status().logSize.map { $0 > 0 } == true)
        #expect(pool.status().lastCheckpoint == nil)
        let begin = Date()
        try pool.checkpoint(.truncate)
        let status = pool.status()
        #expect(status.logSize == 0)
        let checkpoint = try #require(status.lastCheckpoint)
        #expect(checkpoint.date >= begin && checkpoint.frameCount == checkpoint.copiedFrameCount)
        // A read keeps frames from being copied.
        let snapshot = try pool.makeSnapshot()
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try pool.checkpoint()
        let later = try #require(pool.status().lastCheckpoint)
        #expect(later.copiedFrameCount < later.frameCount)
        try snapshot.close()
        // Without a log.
        #expect(try DatabaseQueue(path: folder.path("b.sqlite")).status().logSize == nil)
        #expect(try DatabaseQueue().status().logSize == nil)
    }

    @Test(.enabled(if: SQLiteLibrary.current.defects.contains(.walReset)))
    func `An automatic checkpoint counts as the last one`() throws {
        let pool = try makePool { $0.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 2") } }
        for _ in 0..<5 { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(9000))") } }
        #expect(pool.status().lastCheckpoint != nil)
    }

    @Test
    func `Figures of SQLite are read at the end of the first access after a status`() throws {
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        let opened = queue.status().figures
        #expect(opened.cacheSize > 0)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for number in 0..<100 { try db.cachedStatement(sql: "INSERT INTO t VALUES (?)").execute(arguments: [number]) }
        }
        let written = queue.status().figures
        #expect(written.cacheHitCount > opened.cacheHitCount && written.date > opened.date)
        #expect(written.statementCacheHitCount >= 99 && written.statementCacheMissCount >= 1 && written.statementSize > 0)
        // Nothing has run since, so the figures are the same.
        #expect(queue.status().figures.date == written.date)
        try queue.close()
        #expect(queue.status().figures.cacheHitCount >= written.cacheHitCount)
    }

    @Test
    func `A status of a pool adds up its connections`() throws {
        let pool = try makePool()
        try pool.read { _ = try $0.integers("SELECT a FROM t") }
        _ = pool.status()
        try pool.read { _ = try $0.integers("SELECT a FROM t") }
        let writer = try DatabaseQueue(path: folder.path("b.sqlite")).status().figures
        #expect(pool.status().figures.cacheSize > writer.cacheSize)
    }
}
