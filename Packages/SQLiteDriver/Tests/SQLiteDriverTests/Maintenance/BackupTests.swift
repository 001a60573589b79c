import Foundation
import SQLiteDriver
import Testing

@Suite struct BackupTests {
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
        try destination.write { try $0.execute(sql: "CREATE TABLE old (a); INSERT INTO old VALUES (1)") }
    }

    private func backUp(
        from source: DatabaseQueue? = nil, to destination: DatabaseQueue? = nil, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        try (source ?? self.source).writeWithoutTransaction { source in
            try (destination ?? self.destination).writeWithoutTransaction { destination in
                try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
            }
        }
    }

    private func count(_ queue: DatabaseQueue) throws -> Int64 {
        try queue.read { try $0.integers("SELECT count(*) FROM t")[0] }
    }

    @Test
    func `A database is copied over another database`() throws {
        #expect(try destination.read { try $0.columns(in: "old").count } == 1)
        try backUp()
        #expect(try count(destination) == 50)
        try destination.write { (db) throws in
            #expect(try !db.tableExists("old"))
            expectError(.SQLITE_ERROR) { try db.columns(in: "old") }
            #expect(try db.texts("PRAGMA integrity_check") == ["ok"])
        }
        #expect(try count(source) == 50)
    }

    @Test
    func `Databases in memory are copied both ways`() throws {
        let memory = try DatabaseQueue()
        try backUp(to: memory)
        #expect(try count(memory) == 50)
        try memory.write { try $0.execute(sql: "DELETE FROM t WHERE a > 10") }
        try backUp(from: memory)
        #expect(try count(destination) == 10)
    }

    @Test
    func `Progress is reported`() throws {
        var reports: [DatabaseBackupProgress] = []
        try backUp(pagesPerStep: 10) { reports.append($0) }
        #expect(reports.count > 2)
        #expect(reports.map(\.completedPageCount) == reports.map(\.completedPageCount).sorted())
        #expect(reports.allSatisfy { $0.completedPageCount + $0.remainingPageCount == $0.totalPageCount })
        #expect(reports.dropLast().allSatisfy { !$0.isCompleted && $0.remainingPageCount > 0 })
        #expect(reports.last?.isCompleted == true)
        #expect(reports.last?.remainingPageCount == 0)
        let pageCount = try source.read { try $0.integers("PRAGMA page_count")[0] }
        #expect(reports.last?.totalPageCount == Int(pageCount))

        reports = []
        try backUp { reports.append($0) }
        #expect(reports.map(\.isCompleted) == [true])
    }

    @Test
    func `An error of the progress closure leaves the destination unchanged`() throws {
        #expect(throws: TestError.self) {
            try backUp(pagesPerStep: 5) { progress in
                if progress.completedPageCount >= 10 { throw TestError() }
            }
        }
        #expect(try destination.read { try $0.integers("SELECT a FROM old") } == [1])
        #expect(try destination.read { try $0.tableExists("t") } == false)
        // The backup has released all locks.
        try source.write { try $0.execute(sql: "DELETE FROM t") }
        try destination.write { try $0.execute(sql: "DELETE FROM old") }
    }

    @Test
    func `An error of the last report does not fail the backup`() throws {
        var reports = 0
        try backUp {
            reports += 1
            if $0.isCompleted { throw TestError() }
        }
        #expect(reports == 1)
        #expect(try count(destination) == 50)
    }

    @Test
    func `Changes of another connection between the steps are copied`() throws {
        let writer = try DatabaseQueue(path: folder.path("source.sqlite"))
        var writes = 0
        var completed: [Int] = []
        try backUp(pagesPerStep: 5) { progress in
            completed.append(progress.completedPageCount)
            if progress.completedPageCount >= 10, writes < 2 {
                writes += 1
                try writer.write { try $0.execute(sql: "INSERT INTO t (b) VALUES (randomblob(5000)); UPDATE t SET b = 'x' WHERE a = 1") }
            }
        }
        #expect(writes == 2)
        // The backup has begun again.
        #expect(completed != completed.sorted())
        #expect(try count(destination) == 52)
        #expect(try destination.read { try $0.texts("SELECT b FROM t WHERE a = 1") } == ["x"])
        #expect(try destination.read { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    }

    @Test
    func `Changes of the same connection between the steps are copied`() throws {
        var completed: [Int] = []
        try source.writeWithoutTransaction { source in
            try destination.writeWithoutTransaction { destination in
                try source.backup(to: destination, pagesPerStep: 5) { progress in
                    completed.append(progress.completedPageCount)
                    if completed.count == 3 { try source.execute(sql: "UPDATE t SET b = 'x' WHERE a = 1") }
                }
            }
        }
        #expect(completed == completed.sorted())
        #expect(try destination.read { try $0.texts("SELECT b FROM t WHERE a = 1") } == ["x"])
    }

    @Test
    func `A read transaction keeps its state`() throws {
        try source.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        let writer = try DatabaseQueue(path: folder.path("source.sqlite"))
        var completed: [Int] = []
        try source.read { source in
            #expect(try source.integers("SELECT count(*) FROM t") == [50])
            try destination.writeWithoutTransaction { destination in
                try source.backup(to: destination, pagesPerStep: 5) { progress in
                    completed.append(progress.completedPageCount)
                    try writer.write { try $0.execute(sql: "INSERT INTO t (b) VALUES (1)") }
                }
            }
        }
        #expect(completed == completed.sorted())
        #expect(try count(destination) == 50)
        #expect(try count(writer) > 50)
    }

    // MARK: Locks

    @Test
    func `A locked destination is waited for`() throws {
        let path = folder.path("locked.sqlite")
        let locker = Box(try DatabaseQueue(path: path))
        let release = Semaphore("the backup has met the lock")
        let locked = Semaphore("the destination is locked")
        let released = Semaphore("the lock is released")
        Thread.detachNewThread {
            try? locker.value.write { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                locked.signal()
                release.wait()
            }
            released.signal()
        }
        locked.wait()
        let tries = Box(0)
        var configuration = Configuration()
        configuration.busyMode = .callback { number in
            tries.value += 1
            if number == 0 {
                release.signal()
                released.wait()
            }
            return number < 10
        }
        try backUp(to: DatabaseQueue(path: path, configuration: configuration), pagesPerStep: 10)
        #expect(tries.value >= 1)
        #expect(try count(locker.value) == 50)
    }

    @Test(arguments: [Database.BusyMode.immediateError, .timeout(0.05), .callback { _ in false }])
    func `Waiting for a lock times out`(_ busyMode: Database.BusyMode) throws {
        let path = folder.path("locked.sqlite")
        let locker = try DatabaseQueue(path: path)
        var configuration = Configuration()
        configuration.busyMode = busyMode
        let destination = try DatabaseQueue(path: path, configuration: configuration)
        try locker.write { db in
            try db.execute(sql: "CREATE TABLE old (a)")
            expectError(.SQLITE_BUSY) {
                try destination.writeWithoutTransaction { destination in
                    try DatabaseQueue(path: folder.path("source.sqlite"), configuration: configuration)
                        .writeWithoutTransaction { try $0.backup(to: destination) }
                }
            }
        }
        #expect(try locker.read { try $0.tableExists("old") })
    }

    @Test
    func `A database in memory that is being read is waited for`() throws {
        let name = "BackupTests aDatabaseInMemoryThatIsBeingReadIsWaitedFor"
        let reader = try DatabaseQueue(named: name)
        try reader.write { try $0.execute(sql: "CREATE TABLE old (a); INSERT INTO old VALUES (1), (2)") }
        try reader.writeWithoutTransaction { db in
            let statement = Box(try db.makeStatement(sql: "SELECT * FROM old"))
            #expect(try statement.value.step())
            let tries = Box(0)
            var configuration = Configuration()
            configuration.busyMode = .callback { _ in
                tries.value += 1
                statement.value.reset()
                return tries.value < 10
            }
            let destination = try DatabaseQueue(named: name, configuration: configuration)
            try backUp(to: destination)
            #expect(tries.value > 0)
            #expect(try count(destination) == 50)
        }
    }

    // MARK: Refusals

    @Test
    func `An impossible backup throws`() throws {
        try source.writeWithoutTransaction { source in
            expectError(.SQLITE_ERROR) { try source.backup(to: source) }
            try destination.writeWithoutTransaction { destination in
                expectError(.SQLITE_MISUSE) { try source.backup(to: destination, pagesPerStep: 0) }
                try destination.inTransaction {
                    _ = try destination.values("SELECT * FROM old")
                    let error = expectError(.SQLITE_ERROR) { try source.backup(to: destination) }
                    #expect(error?.message == "destination database is in use")
                    return .rollback
                }
                try source.inTransaction {
                    try source.execute(sql: "DELETE FROM t")
                    expectError(.SQLITE_BUSY) { try source.backup(to: destination) }
                    return .rollback
                }
                #expect(try destination.tableExists("old"))
            }
        }
        var configuration = Configuration()
        configuration.readonly = true
        let readonly = try DatabaseQueue(path: folder.path("destination.sqlite"), configuration: configuration)
        expectError(.SQLITE_READONLY) { try backUp(to: readonly) }
    }

    @Test
    func `A backup that can't change the page size of a database in WAL mode explains it`() throws {
        let folder = try TemporaryFolder()
        let source = try DatabaseQueue()
        try source.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 8192; CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let destination = try DatabasePool(path: folder.path("a.sqlite"))
        try destination.write { try $0.execute(sql: "CREATE TABLE u (a)") }
        let error = #expect(throws: DatabaseError.self) { try source.backup(to: destination) }
        #expect(error?.resultCode == .SQLITE_READONLY)
        #expect(error?.message == "a backup can't change the page size of a database in WAL mode, from 4096 to 8192 bytes")
        #expect(error?.advice == "Back up to a new file, or run PRAGMA journal_mode = DELETE on the destination first.")
        // The advice works.
        let queue = try DatabaseQueue(path: folder.path("b.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE u (a); PRAGMA journal_mode = DELETE")
        }
        try source.backup(to: queue)
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1])
    }
}
