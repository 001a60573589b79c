import Foundation
import Strata
import Testing

// Another process writes, cleans up, and moves files about, while we read.

@Suite struct OtherProcessIsolationTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func makeOther(_ journal: Journal) throws -> OtherProcess {
        try OtherProcess(path, "PRAGMA journal_mode = \(journal.rawValue); CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
    }

    private func numbers(_ reader: any DatabaseReader) throws -> [Int] {
        try reader.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
    }

    private var impatient: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        return configuration
    }

    // MARK: - Snapshots

    @Test(arguments: [true, false])
    func `A read sees one state whatever another process writes`(_ isPool: Bool) throws {
        let other = try makeOther(.wal)
        let reader: any DatabaseReader = isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
        try reader.read { (db) throws in
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            try other.run("INSERT INTO t VALUES (2)")
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            try other.run("DELETE FROM t")
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
        }
        #expect(try numbers(reader) == [])
    }

    @Test
    func `A snapshot sees one state whatever another process writes`() throws {
        let other = try makeOther(.wal)
        let pool = try DatabasePool(path: path)
        let snapshot = try pool.makeSnapshot()
        for number in 2..<5 {
            try other.run("INSERT INTO t VALUES (\(number))")
            #expect(try numbers(snapshot) == [1])
        }
        #expect(try numbers(pool) == [1, 2, 3, 4])
    }

    // MARK: - A read that becomes a write

    @Test
    func `A read that writes after another process is an error that leaves the connection usable`() throws {
        let other = try makeOther(.wal)
        let queue = try DatabaseQueue(path: path)
        let error = expectError(.SQLITE_BUSY_SNAPSHOT) {
            try queue.inTransaction(.deferred) { db in
                #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
                try other.run("INSERT INTO t VALUES (2)")
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                return .commit
            }
        }
        #expect(error?.description.contains("begin it as an immediate transaction") == true)
        #expect(try numbers(queue) == [1, 2])
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
        #expect(try other.run("SELECT a FROM t") == ["1", "2", "4"])
    }

    @Test
    func `A read that can't become a write can be rolled back by hand`() throws {
        let other = try makeOther(.wal)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { (db) throws in
            try db.beginTransaction(.deferred)
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            try other.run("INSERT INTO t VALUES (2)")
            expectError(.SQLITE_BUSY_SNAPSHOT) { try db.execute(sql: "INSERT INTO t VALUES (3)") }
            // The transaction is still there, and can read.
            #expect(db.isInsideTransaction)
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            try db.rollback()
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t SELECT max(a) + 1 FROM t")
                return .commit
            }
        }
        #expect(try other.run("SELECT a FROM t") == ["1", "2", "3"])
    }

    @Test
    func `A read that becomes a write beside another writer is an error without waiting for it`() throws {
        let other = try makeOther(.rollback)
        var configuration = Configuration()
        configuration.busyMode = .callback { _ in
            // Each would wait for the other: SQLite does not even ask.
            Issue.record("There is nothing to wait for.")
            return false
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        expectError(.SQLITE_BUSY) {
            try queue.inTransaction(.deferred) { db in
                #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
                try other.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
                expectError(.SQLITE_BUSY) { try other.run("COMMIT") }
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                return .commit
            }
        }
        try other.run("COMMIT")
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try numbers(queue) == [1, 2, 3])
    }

    // MARK: - Checkpoints and VACUUM

    @Test
    func `Another process checks points and vacuums beside a pool`() throws {
        let other = try makeOther(.wal)
        let pool = try DatabasePool(path: path)
        try pool.read { (db) throws in
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            try other.run("INSERT INTO t VALUES (2); CREATE TABLE big AS SELECT hex(zeroblob(100000)); DROP TABLE big")
            // What this read may still look at stays in the log: the checkpoint says that it is not complete.
            #expect(try other.run("PRAGMA wal_checkpoint(TRUNCATE)").first == "1")
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
            try other.run("VACUUM")
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1])
        }
        #expect(try other.run("PRAGMA wal_checkpoint(TRUNCATE)") == ["0", "0", "0"])
        #expect(try numbers(pool) == [1, 2])
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try numbers(pool) == [1, 2, 3])
        #expect(try pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        #expect(try other.run("SELECT count(*) FROM t") == ["3"])
    }

    @Test
    func `A reader in another process holds back the checkpoints that wait`() throws {
        let other = try makeOther(.wal)
        let pool = try DatabasePool(path: path, configuration: impatient)
        try other.run("BEGIN; SELECT a FROM t")
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try pool.writeWithoutTransaction { (db) throws in
            expectError(.SQLITE_BUSY) { try db.checkpoint(.truncate) }
            let (frames, checkpointed) = try db.checkpoint(.passive)
            #expect(frames > checkpointed)
            try other.run("COMMIT")
            try db.checkpoint(.truncate)
        }
        #expect(try other.run("SELECT a FROM t") == ["1", "2"])
    }

    @Test
    func `No other process takes the write-ahead log away from a pool`() throws {
        let other = try makeOther(.wal)
        let pool = try DatabasePool(path: path)
        expectError(.SQLITE_BUSY) { try other.run("PRAGMA journal_mode = DELETE") }
        #expect(try numbers(pool) == [1])
        try pool.close()
        #expect(try other.run("PRAGMA journal_mode = DELETE") == ["delete"])
        // The next pool puts the file into the WAL mode again.
        #expect(try numbers(DatabasePool(path: path)) == [1])
    }

    // MARK: - Files

    @Test
    func `A file that was removed can be read but not written`() throws {
        let other = try makeOther(.rollback)
        let queue = try DatabaseQueue(path: path)
        #expect(try numbers(queue) == [1])
        try other.end()
        try FileManager.default.removeItem(atPath: path)
        let error = expectError(.SQLITE_READONLY_DBMOVED) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
        #expect(error?.description.contains("open the database again") == true)
        #expect(try numbers(queue) == [1])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test
    func `A file that was replaced is not written by who knew the old one`() throws {
        let other = try makeOther(.rollback)
        let queue = try DatabaseQueue(path: path)
        #expect(try numbers(queue) == [1])
        try other.end()
        let next = folder.path("next.sqlite")
        try runInAnotherProcess("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (100)", next)
        try #require(rename(next, path) == 0)
        expectError(.SQLITE_READONLY_DBMOVED) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
        #expect(try numbers(queue) == [1])
        // To see the new one, open it.
        try queue.close()
        let reopened = try DatabaseQueue(path: path)
        try reopened.write { try $0.execute(sql: "INSERT INTO t VALUES (101)") }
        #expect(try numbers(reopened) == [100, 101])
    }

    @Test
    func `Who writes to a write-ahead log does not notice that the file was removed and who opens the file does`() throws {
        let other = try makeOther(.wal)
        let pool = try DatabasePool(path: path)
        try other.end()
        for file in [path, "\(path)-wal", "\(path)-shm"] { try FileManager.default.removeItem(atPath: file) }
        // SQLite does not look at the name again. The file disappears with the last connection.
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        // The pool had no reader yet.
        let error = expectError(.SQLITE_CANTOPEN) { try numbers(pool) }
        #expect(error?.description.contains("The file does not exist") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
