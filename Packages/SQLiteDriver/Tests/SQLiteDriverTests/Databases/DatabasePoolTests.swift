import Dispatch
import Foundation
import SQLiteDriver
import Testing

/// Runs a closure on many threads at the same time, and waits for their ends.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
            body(index)
            group.leave()
        }
    }
    group.wait(for: "the ends of the threads")
}

@Suite struct DatabasePoolTests {
    /// A pool with a table of one row.
    private func makePool(
        _ folder: TemporaryFolder, _ configuration: Configuration = Configuration()
    ) throws -> DatabasePool {
        let pool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
        }
        return pool
    }

    @Test
    func `A pool puts the database into the WAL mode`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        #expect(try pool.read { try $0.texts("PRAGMA journal_mode") } == ["wal"])
    }

    @Test
    func `A read is a snapshot that later writes do not change`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        try pool.read { (db) throws in
            #expect(try db.integers("SELECT count(*) FROM t") == [1])
            onAnotherThread { try? pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
            #expect(try db.integers("SELECT count(*) FROM t") == [1])
        }
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [2])
    }

    @Test
    func `Readers do not wait for the writer`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        try pool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            // This waits inside the write, and would deadlock if the reader waited for the writer.
            let count = Box<[Int64]>([])
            onAnotherThread { count.value = (try? pool.read { try $0.integers("SELECT count(*) FROM t") }) ?? [] }
            #expect(count.value == [1])
        }
    }

    @Test
    func `As many readers as configured read at the same time`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.maximumReaderCount = 3
        let pool = try makePool(folder, configuration)
        let inside = Semaphore("each read has begun")
        let go = Semaphore("the test lets the reads end")
        let done = DispatchGroup()
        for _ in 0..<3 {
            done.enter()
            Thread.detachNewThread {
                try? pool.read { _ in
                    inside.signal()
                    go.wait()
                }
                done.leave()
            }
        }
        for _ in 0..<3 { inside.wait() }
        let fourth = Semaphore("the fourth read has begun")
        pool.asyncRead { _ in fourth.signal() }
        #expect(!fourth.isSignalled(within: .milliseconds(50)))
        for _ in 0..<3 { go.signal() }
        done.wait(for: "the ends of the reads")
        fourth.wait()
    }

    @Test
    func `A reader can't write`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        expectError(.SQLITE_READONLY) { try pool.read { try $0.execute(sql: "DELETE FROM t") } }
        expectError(.SQLITE_READONLY) { try pool.unsafeRead { try $0.execute(sql: "DELETE FROM t") } }
    }

    @Test
    func `Reads do not nest`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        try pool.read { (_) throws in
            let error = expectError(.SQLITE_MISUSE) { try pool.read { _ in } }
            #expect(error?.message?.contains("not reentrant") == true)
            #expect(try pool.unsafeReentrantRead { try $0.integers("SELECT a FROM t") } == [1])
        }
        try pool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            #expect(try pool.unsafeReentrantWrite { try $0.integers("SELECT count(*) FROM t") } == [2])
            // A read inside a write sees what was committed before.
            #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [1])
        }
    }

    @Test
    func `A concurrent read sees the changes before it and no later ones`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        let counts = Box<[Int64]>([])
        let done = Semaphore("the concurrent read has ended")
        let go = Semaphore("the write has inserted rows")
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "DELETE FROM t")
            pool.spawnConcurrentRead { result in
                go.wait()
                counts.value = (try? result.get().integers("SELECT count(*) FROM t")) ?? []
                done.signal()
            }
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            go.signal()
        }
        done.wait()
        #expect(counts.value == [0])
    }

    @Test
    func `Concurrent reads and snapshots see one state of attached databases, too`() throws {
        let folder = try TemporaryFolder()
        let attached = folder.path("attached.sqlite")
        let other = try DatabasePool(path: attached)
        try other.write { try $0.execute(sql: "CREATE TABLE u (a INTEGER); INSERT INTO u VALUES (1)") }
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "ATTACH DATABASE '\(attached)' AS other") }
        let pool = try makePool(folder, configuration)
        let sql = "SELECT a FROM t UNION ALL SELECT a FROM other.u"
        let snapshot = try pool.makeSnapshot()
        let values = Box<[Int64]>([])
        let done = Semaphore("the concurrent read has ended")
        let go = Semaphore("the transaction has ended")
        try pool.writeWithoutTransaction { db in
            pool.spawnConcurrentRead { result in
                go.wait()
                values.value = (try? result.get().integers(sql)) ?? []
                done.signal()
            }
            defer { go.signal() }
            try db.inTransaction {
                try db.execute(sql: "UPDATE t SET a = 2; UPDATE other.u SET a = 2")
                return .commit
            }
        }
        done.wait()
        #expect(values.value == [1, 1])
        #expect(try snapshot.read { try $0.integers(sql) } == [1, 1])
        #expect(try pool.read { try $0.integers(sql) } == [2, 2])
    }

    @Test
    func `A concurrent read inside a transaction is an error`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        let error = Box<DatabaseError?>(nil)
        try pool.write { _ in
            pool.spawnConcurrentRead { result in
                if case .failure(let failure) = result { error.value = failure as? DatabaseError }
            }
        }
        #expect(error.value?.resultCode == .SQLITE_MISUSE)
    }

    @Test
    func `A snapshot stays as it was`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        let snapshot = try pool.makeSnapshot()
        try pool.write { try $0.execute(sql: "DELETE FROM t") }
        #expect(try snapshot.read { try $0.integers("SELECT count(*) FROM t") } == [1])
        #expect(try snapshot.reentrantRead { try $0.integers("SELECT count(*) FROM t") } == [1])
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
        expectError(.SQLITE_READONLY) { try snapshot.read { try $0.execute(sql: "DELETE FROM t") } }
        try snapshot.close()
    }

    @Test
    func `A barrier waits for readers and keeps them out`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        let inside = Semaphore("the read has begun")
        let go = Semaphore("the test lets the read end")
        let isReading = Box(false)
        Thread.detachNewThread {
            try? pool.read { _ in
                isReading.value = true
                inside.signal()
                go.wait()
                isReading.value = false
            }
        }
        inside.wait()
        DispatchQueue(label: "later").asyncAfter(deadline: .now() + 0.02) { go.signal() }
        let late = Semaphore("the read after the barrier has begun")
        try pool.barrierWriteWithoutTransaction { db in
            #expect(!isReading.value)
            pool.asyncRead { _ in late.signal() }
            #expect(!late.isSignalled(within: .milliseconds(50)))
            try db.execute(sql: "DELETE FROM t")
        }
        late.wait()
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test
    func `Readers notice a schema that the writer has changed`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        #expect(try pool.read { try $0.columns(in: "t").map(\.name) } == ["a"])
        try pool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        #expect(try pool.read { try $0.columns(in: "t").map(\.name) } == ["a", "b"])
    }

    @Test
    func `Invalidated connections are replaced`() throws {
        let folder = try TemporaryFolder()
        let opened = Box(0)
        var configuration = Configuration()
        configuration.prepareDatabase { _ in opened.value += 1 }
        let pool = try makePool(folder, configuration)
        #expect(opened.value == 1)
        try pool.read { _ in }
        try pool.read { _ in }
        #expect(opened.value == 2)
        pool.invalidateReadOnlyConnections()
        try pool.read { _ in }
        #expect(opened.value == 3)
        pool.releaseMemory()
        try pool.read { _ in }
        #expect(opened.value == 4)
    }

    @Test
    func `A reader that can't be opened throws and does not count`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        let fails = Box(false)
        configuration.prepareDatabase { _ in if fails.value { throw TestError() } }
        let pool = try makePool(folder, configuration)
        fails.value = true
        for _ in 0..<3 {
            #expect(throws: TestError.self) { try pool.read { _ in } }
        }
        fails.value = false
        #expect(try pool.read { try $0.integers("SELECT a FROM t") } == [1])
    }

    @Test
    func `A closed pool refuses accesses`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        try pool.read { _ in }
        try pool.close()
        #expect(expectError(.SQLITE_MISUSE) { try pool.read { _ in } }?.message == "the database is closed")
        #expect(expectError(.SQLITE_MISUSE) { try pool.write { _ in } }?.message == "the database is closed")
    }

    @Test
    func `A pool refuses a database in memory`() throws {
        expectError(.SQLITE_CANTOPEN) { try DatabasePool(path: ":memory:") }
    }

    @Test
    func `Transactions of a pool end as the closure returns`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        try pool.writeInTransaction { db in
            try db.execute(sql: "DELETE FROM t")
            return .rollback
        }
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [1])
        try pool.writeInTransaction(.exclusive) { db in
            try db.execute(sql: "DELETE FROM t")
            return .commit
        }
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test
    func `Many threads read and write and lose nothing`() throws {
        let folder = try TemporaryFolder()
        let pool = try makePool(folder)
        onThreads(40) { index in
            if index.isMultiple(of: 4) {
                try? pool.write { try $0.execute(sql: "INSERT INTO t VALUES (?), (?)", arguments: [index, index]) }
            } else {
                let isWhole = try? pool.read { db in
                    let first = try db.integers("SELECT count(*) FROM t")
                    let second = try db.integers("SELECT count(*) FROM t")
                    return first == second && first[0] % 2 == 1
                }
                #expect(isWhole == true)
            }
        }
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [21])
    }
}
