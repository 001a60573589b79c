import Foundation
import Strata
import Testing

// Another process holds the locks that we need.

@Suite struct OtherProcessLockTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    /// A process that has made a table of one row.
    private func makeOther(_ journal: Journal) throws -> OtherProcess {
        try OtherProcess(path, "PRAGMA journal_mode = \(journal.rawValue); CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
    }

    private func configuration(_ busyMode: Database.BusyMode) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = busyMode
        return configuration
    }

    // MARK: - The write lock

    @Test(arguments: Journal.allCases)
    func `The write lock of another process is an error without a wait`(_ journal: Journal) throws {
        let other = try makeOther(journal)
        let queue = try DatabaseQueue(path: path, configuration: configuration(.immediateError))
        try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        let error = expectError(.SQLITE_BUSY) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") } }
        #expect(error?.description.contains("Another connection is writing") == true)
        // Outside transactions, too, and reading continues.
        expectError(.SQLITE_BUSY) { try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (3)") } }
        #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])

        try other.run("COMMIT")
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2, 3])
    }

    @Test(arguments: Journal.allCases)
    func `A write waits for the lock of another process`(_ journal: Journal) throws {
        let other = try makeOther(journal)
        var configuration = configuration(.timeout(TimeInterval(waitLimit)))
        let begins = Semaphore("the write wants its lock")
        configuration.prepareDatabase { db in
            db.trace { if $0.description.hasPrefix("BEGIN IMMEDIATE") { begins.signal() } }
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        let write = Parallel {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                return try Int.fetchAll(db, sql: "SELECT a FROM t")
            }
        }
        begins.wait()
        // The other process has work to do, and keeps the lock for it.
        for number in 10..<60 {
            try other.run("INSERT INTO t VALUES (\(number)); DELETE FROM t WHERE a = \(number)")
            #expect(!write.hasEnded)
        }
        try other.run("COMMIT")
        #expect(try write.wait() == [1, 2, 3])
    }

    @Test(arguments: Journal.allCases)
    func `A busy callback is asked until another process releases its lock`(_ journal: Journal) throws {
        let other = try makeOther(journal)
        let asked = Box<[Int]>([])
        let queue = try DatabaseQueue(
            path: path,
            configuration: configuration(
                .callback { numberOfTries in
                    asked.value.append(numberOfTries)
                    if numberOfTries == 2 { #expect(throws: Never.self) { try other.run("COMMIT") } }
                    return true
                }))
        try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        try queue.write { (db) throws in
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 2])
        }
        #expect(asked.value == [0, 1, 2])
    }

    @Test(arguments: Journal.allCases)
    func `A busy callback ends the waiting for another process`(_ journal: Journal) throws {
        let other = try makeOther(journal)
        let asked = Box<[Int]>([])
        let queue = try DatabaseQueue(
            path: path,
            configuration: configuration(
                .callback { numberOfTries in
                    asked.value.append(numberOfTries)
                    return numberOfTries < 4
                }))
        try other.run("BEGIN IMMEDIATE")
        expectError(.SQLITE_BUSY) { try queue.write { _ in Issue.record("There is no lock for it.") } }
        #expect(asked.value == [0, 1, 2, 3, 4])
        try other.run("COMMIT")
        expectUnlocked(path)
    }

    @Test(arguments: Journal.allCases)
    func `The lock of a process that is killed is free`(_ journal: Journal) throws {
        let other = try makeOther(journal)
        let queue = try DatabaseQueue(
            path: path,
            configuration: configuration(
                .callback { numberOfTries in
                    if numberOfTries == 2 { other.kill() }
                    return numberOfTries < 3
                }))
        try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        #expect(
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                return try Int.fetchAll(db, sql: "SELECT a FROM t")
            } == [1, 3])
    }

    @Test
    func `The pool reads while another process writes`() throws {
        let other = try makeOther(.wal)
        let pool = try DatabasePool(path: path, configuration: configuration(.immediateError))
        try other.run("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)")
        #expect(try pool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
        expectError(.SQLITE_BUSY) { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") } }
        try other.run("COMMIT")
        #expect(try pool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try other.run("SELECT a FROM t") == ["1", "2", "3"])
    }

    // MARK: - Locks that keep readers out

    @Test
    func `An exclusive lock of another process keeps readers out without a write-ahead log`() throws {
        let other = try makeOther(.rollback)
        let asked = Box(0)
        let patient = try DatabaseQueue(
            path: path,
            configuration: configuration(
                .callback { _ in
                    asked.value += 1
                    #expect(throws: Never.self) { try other.run("COMMIT") }
                    return true
                }))
        let impatient = try DatabaseQueue(path: path, configuration: configuration(.immediateError))
        try other.run("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)")
        expectError(.SQLITE_BUSY) { try impatient.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } }
        expectError(.SQLITE_BUSY) { try DatabaseQueue(path: path, configuration: impatient.configuration) }
        #expect(try patient.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
        #expect(asked.value == 1)
        #expect(try impatient.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
    }

    @Test
    func `A process that wants the file for itself keeps everybody out`() throws {
        let other = try makeOther(.wal)
        try other.run("PRAGMA locking_mode = EXCLUSIVE")
        try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT")
        // The lock stays after the transaction.
        expectError(.SQLITE_BUSY) { try DatabaseQueue(path: path, configuration: configuration(.immediateError)) }
        expectError(.SQLITE_BUSY) { try DatabasePool(path: path, configuration: configuration(.immediateError)) }
        try other.end()
        let pool = try DatabasePool(path: path, configuration: configuration(.immediateError))
        #expect(try pool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
    }

    @Test
    func `A read keeps another process from committing without a write-ahead log`() throws {
        let other = try makeOther(.rollback)
        let queue = try DatabaseQueue(path: path, configuration: configuration(.immediateError))
        try queue.read { (db) throws in
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            // It may write to its cache, but not to the file that is being read.
            try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
            expectError(.SQLITE_BUSY) { try other.run("COMMIT") }
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
        }
        // It waits for readers, and keeps new ones out: SQLite's PENDING lock.
        expectError(.SQLITE_BUSY) { try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } }
        try other.run("COMMIT")
        #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
    }

    // MARK: - Taking turns

    @Test(arguments: Journal.allCases)
    func `Processes that write at the same time lose nothing`(_ journal: Journal) throws {
        let first = try makeOther(journal)
        let others = [first, try OtherProcess(path), try OtherProcess(path)]
        for other in others { try other.run("PRAGMA busy_timeout = \(waitLimit * 1000)") }
        let writer: any DatabaseWriter =
            journal == .wal
            ? try DatabasePool(path: path, configuration: configuration(.timeout(TimeInterval(waitLimit))))
            : try DatabaseQueue(path: path, configuration: configuration(.timeout(TimeInterval(waitLimit))))
        let ours = (0..<2).map { _ in
            Parallel {
                for _ in 0..<20 {
                    try writer.write { db in
                        // Read and written back: another writer in between would be lost.
                        let number = try Int.fetchOne(db, sql: "SELECT a FROM t") ?? 0
                        try db.execute(sql: "UPDATE t SET a = ?", arguments: [number + 1])
                    }
                }
            }
        }
        let theirs = others.map { other in
            Parallel {
                for _ in 0..<20 { try other.run("BEGIN IMMEDIATE; UPDATE t SET a = a + 1; COMMIT") }
            }
        }
        for part in ours + theirs { try part.wait() }
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 101)
    }
}
