import Foundation
import SQLiteDriver
import Testing

// Serialized, as suspension applies to the whole process. Databases of other tests ignore it.
@Suite(.serialized) struct SuspensionTests {
    let folder: TemporaryFolder
    let queue: DatabaseQueue
    /// Another connection to the same file, which is never suspended.
    let other: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        configuration.busyMode = .immediateError
        queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        configuration.observesSuspensionNotifications = false
        other = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    }

    private func expectSuspended(_ body: () throws -> Void) {
        let error = expectError(.SQLITE_ABORT, body)
        #expect(error?.message == "the database is suspended")
        #expect(error?.description.hasSuffix("Try again after Database.resume().") == true)
        #expect(error?.isInterruptionError == true)
    }

    @Test
    func `A suspended database takes no locks`() throws {
        defer { Database.resume() }
        Database.suspend()
        expectSuspended { try queue.write { _ in } }
        expectSuspended { try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
        // Without a write-ahead log, readers hold locks, too.
        expectSuspended { try queue.read { _ = try $0.integers("SELECT a FROM t") } }
        // Other databases ignore the suspension.
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        Database.suspend()
        Database.resume()
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 3, 4])
    }

    @Test
    func `A database that is opened during the suspension is not suspended, and connections of a suspended pool are`() throws {
        defer { Database.resume() }
        let pool = try DatabasePool(path: queue.path, configuration: queue.configuration)
        Database.suspend()
        let later = try DatabaseQueue(path: folder.path("later.sqlite"), configuration: queue.configuration)
        try later.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        expectSuspended { try pool.write { _ in } }
        // This opens a reader, which may read in WAL mode but must not write.
        expectSuspended { try pool.unsafeRead { try $0.execute(sql: "CREATE TEMP TABLE u (a)") } }
        Database.suspend()
        expectSuspended { try later.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        Database.resume()
        try later.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }

    @Test
    func `A suspended database in the WAL mode can be read`() throws {
        defer { Database.resume() }
        let pool = try DatabasePool(path: queue.path, configuration: queue.configuration)
        let snapshot = try pool.makeSnapshot()
        #expect(try pool.read { try $0.integers("SELECT a FROM t") } == [1])
        Database.suspend()
        #expect(try pool.read { try $0.integers("SELECT a FROM t") } == [1])
        #expect(try snapshot.read { try $0.integers("SELECT a FROM t") } == [1])
        expectSuspended { try pool.write { _ in } }
        Database.resume()
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }

    @Test(arguments: [false, true])
    func `A running transaction releases its locks`(_ isCaught: Bool) throws {
        defer { Database.resume() }
        let error = expectError(.SQLITE_ABORT) {
            try queue.write { (db) throws in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                Database.suspend()
                do {
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                } catch {
                    if !isCaught { throw error }
                }
                #expect(!db.isInsideTransaction)
                // The lock is released, although the access continues.
                try other.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
                Database.resume()
                // Later statements must not run outside the transaction.
                expectError(.SQLITE_ABORT_ROLLBACK) { try db.execute(sql: "INSERT INTO t VALUES (5)") }
            }
        }
        #expect(error?.sql == "INSERT INTO t VALUES (3)")
        Database.resume()
        // A closure that does not catch the error ends before the other connection writes.
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == (isCaught ? [1, 4] : [1]))
    }

    @Test
    func `A transaction can still be ended`() throws {
        defer { Database.resume() }
        try queue.write { (db) throws in
            try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (2)")
            Database.suspend()
            try db.execute(sql: "RELEASE s")
        }
        #expect(try other.read { try $0.integers("SELECT a FROM t") } == [1, 2])
        Database.resume()
        try queue.inTransaction { (db) throws in
            try db.execute(sql: "INSERT INTO t VALUES (3)")
            Database.suspend()
            return .rollback
        }
        #expect(try other.read { try $0.integers("SELECT a FROM t") } == [1, 2])
    }

    @Test
    func `A statement that runs is interrupted`() throws {
        defer { Database.resume() }
        try queue.write { (db) throws in
            try db.execute(sql: "INSERT INTO t VALUES (2), (3), (4)")
            db.add(
                function: DatabaseFunction("suspend", argumentCount: 0) { _ in
                    Database.suspend(); return nil
                })
        }
        expectError(.SQLITE_INTERRUPT) { try queue.write { try $0.execute(sql: "UPDATE t SET a = suspend()") } }
        #expect(try other.write { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 4])
    }

    @Test
    func `Waiting for a lock ends`() throws {
        defer { Database.resume() }
        var configuration = queue.configuration
        configuration.busyMode = .callback { _ in
            Database.suspend()
            return true
        }
        let waiting = try DatabaseQueue(path: queue.path, configuration: configuration)
        try other.write { _ in
            _ = expectError(.SQLITE_BUSY) { try waiting.write { _ in } }
        }
    }
}
