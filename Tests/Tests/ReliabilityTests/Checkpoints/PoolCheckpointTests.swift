import FaultScenarios
import Foundation
import Strata
import Testing

/// Checkpoints that a pool runs beside its commits: https://www.sqlite.org/wal.html#ckpt
@Suite("Checkpoints of pools", .serialized)
struct PoolCheckpointTests {
    private func makePool(_ files: FaultyFiles, _ synchronous: Configuration.SynchronousMode = .normal) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.synchronous = synchronous
        configuration.prepareDatabase { if !$0.configuration.readonly { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 50") } }
        let pool = try DatabasePool(path: files.uri("a"), configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)") }
        try pool.checkpoint(.truncate)
        return pool
    }

    /// Commits rows, and returns when all of them are acknowledged.
    private func insert(_ ids: Range<Int>, _ pool: DatabasePool) throws {
        for id in ids { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (?, randomblob(3000))", arguments: [id]) } }
    }

    private func rows(_ files: FaultyFiles) throws -> [Int] {
        try DatabaseQueue(path: files.path("a")).read { db in
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
            return try Int.fetchAll(db, sql: "SELECT id FROM t ORDER BY id")
        }
    }

    @Test func `A commit is answered while its log is copied, and closing the pool waits for that`() throws {
        let files = try FaultyFiles()
        let pool = try makePool(files)
        let (hasBegun, mayContinue) = (Semaphore("a checkpoint has begun"), Semaphore("the test lets the checkpoint continue"))
        let isFirst = Locked(true)
        try files.watchingCheckpoints { step in
            if step == .begin,
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            {
                hasBegun.signal()
                mayContinue.wait()
            }
        } _: {
            // Ends only if no commit waits for the checkpoint.
            try insert(0..<60, pool)
            hasBegun.wait()
            try insert(60..<100, pool)
            #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 100)
            let closing = Parallel { try pool.close() }
            yieldThread(until: "the pool is being closed") { pool.status().barrier == .up }
            #expect(!closing.hasEnded)
            mayContinue.signal()
            try closing.wait()
        }
        #expect(files.openFileCount == 0)
        #expect(!FileManager.default.fileExists(atPath: files.path("a-wal")))
        #expect(try rows(files) == Array(0..<100))
    }

    @Test(arguments: FaultyFiles.Fault.all.filter { $0.kind != .memoryToOpen })
    func `A checkpoint that fails loses no commit, is reported, and tried again`(_ fault: FaultyFiles.Fault) throws {
        let files = try FaultyFiles()
        let pool = try makePool(files)
        let source = files.source(fault)
        let isArmed = Locked(false)
        try files.watchingCheckpoints { step in
            // No commit runs meanwhile.
            guard step == .begin, !isArmed.value else { return }
            isArmed.value = true
            source.arm(at: 1)
        } _: {
            var id = 0
            while !isArmed.value, id < 1000 {
                try insert(id..<id + 1, pool)
                id += 1
                if pool.status().logSize ?? 0 > 50 * 4120 { yieldThread(until: "a checkpoint has begun") { isArmed.value } }
            }
            yieldThread(until: "the failure of the checkpoint") { pool.status().checkpointError != nil }
            #expect(source.failureCount > 0)
            #expect(pool.status().checkpointError.map { source.explains($0.primaryResultCode) } == true)
            source.disarm()
            try insert(id..<id + 200, pool)
            yieldThread(until: "a checkpoint has ended") { pool.status().lastCheckpoint != nil }
            #expect(pool.status().checkpointError == nil)
            try pool.close()
            #expect(files.openFileCount == 0)
            #expect(try rows(files) == Array(0..<id + 200))
        }
    }

    @Test(arguments: FaultyFiles.Fault.all, [Configuration.SynchronousMode.full, .normal])
    func `Faults while threads commit and the log is copied lose no acknowledged commit`(
        _ fault: FaultyFiles.Fault, _ synchronous: Configuration.SynchronousMode
    ) throws {
        let seed = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        print("faults of checkpoints of pools, \(fault), \(synchronous): STRATA_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<6 {
            let files = try FaultyFiles()
            let pool = try makePool(files, synchronous)
            let n = Int.random(in: 1...2000, using: &generator)
            let source = files.source(fault)
            source.arm(at: n)
            let threads = (0..<4).map { thread in
                Parallel { (0..<60).map { thread * 1000 + $0 }.filter { id in (try? insert(id..<id + 1, pool)) != nil } }
            }
            let acknowledged = try threads.flatMap { try $0.wait() }.sorted()
            source.disarm()
            try pool.close()
            // A commit may have failed after it was written.
            let rows = try rows(files)
            #expect(Set(rows).isSuperset(of: acknowledged) && rows.count <= acknowledged.count + 4, "seed \(seed), n \(n)")
        }
    }
}
