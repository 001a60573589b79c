import Foundation
import SQLiteDriver
import Testing

/// Rollbacks by SQLite itself. For those by `ON CONFLICT ROLLBACK`, see `TransactionTests`.
///
/// Source: <https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>
@Suite struct AutomaticRollbackTests {
    let folder: TemporaryFolder
    let queue: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.write { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        }
    }

    /// Expects that a statement ends the transaction around it: later statements throw, and the access throws the first error.
    private static func expectRollback(
        _ code: ResultCode, in queue: DatabaseQueue, _ body: (Database) throws -> Void
    ) throws {
        for isCaught in [false, true] {
            expectError(code) {
                try queue.write { (db) throws in
                    try db.execute(sql: "INSERT INTO t VALUES (4)")
                    do {
                        try body(db)
                    } catch {
                        if !isCaught { throw error }
                    }
                    #expect(!db.isInsideTransaction)
                    expectError(.SQLITE_ABORT_ROLLBACK) { try db.execute(sql: "INSERT INTO t VALUES (5)") }
                    expectError(.SQLITE_ABORT_ROLLBACK) { try db.integers("SELECT 1") }
                }
            }
            #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3])
        }
        // The next transaction works.
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (6); DELETE FROM t WHERE a = 6") }
    }

    @Test
    func `The error of a rolled back table gives the reason`() throws {
        expectError(.SQLITE_CONSTRAINT) {
            try queue.write { (db) throws in
                try db.execute(sql: "CREATE TABLE u (a UNIQUE); INSERT INTO u VALUES (1)")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO u VALUES (1)")
                let error = expectError(.SQLITE_ABORT_ROLLBACK) { try db.integers("SELECT a FROM u") }
                #expect(error?.message?.contains("UNIQUE constraint failed: u.a") == true)
            }
        }
    }

    @Test(arguments: ["RELEASE s", "COMMIT"])
    func `A refused commit ends the transaction of a savepoint`(_ end: String) throws {
        struct Refusal: Error {}
        final class Observer: TransactionObserver {
            var events: [String] = []
            var refuses = true
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { events.append("change") }
            func databaseWillCommit() throws { if refuses { throw Refusal() } }
            func databaseDidCommit(_ db: Database) { events.append("commit") }
            func databaseDidRollback(_ db: Database) { events.append("rollback") }
        }
        let observer = Observer()
        try queue.writeWithoutTransaction { (db) throws in
            db.add(transactionObserver: observer)
            try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (4)")
            #expect(throws: Refusal.self) { try db.execute(sql: end) }
            // SQLite keeps the transaction open, and its changes are gone.
            #expect(!db.isInsideTransaction)
            #expect(observer.events == ["change", "rollback"])
            observer.refuses = false
            try db.execute(sql: "INSERT INTO t VALUES (5)")
            #expect(observer.events == ["change", "rollback", "change", "commit"])
        }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 5])
    }

    private func addInterruption() throws {
        // The connection retains the function, which must not retain it.
        try queue.write { db in
            let function = DatabaseFunction("interrupt", argumentCount: 0) { [weak queue] _ in
                queue?.interrupt()
                return nil
            }
            db.add(function: function)
        }
    }

    @Test
    func `An interrupted write rolls back`() throws {
        try addInterruption()
        try Self.expectRollback(.SQLITE_INTERRUPT, in: queue) { try $0.execute(sql: "UPDATE t SET a = interrupt()") }
    }

    @Test
    func `An interrupted read leaves its transaction alone`() throws {
        try addInterruption()
        try queue.write { (db) throws in
            try db.execute(sql: "INSERT INTO t VALUES (4)")
            expectError(.SQLITE_INTERRUPT) { try db.integers("SELECT interrupt() FROM t") }
            #expect(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (5)")
        }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 4, 5])
    }

    @Test
    func `A full database rolls back`() throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 4") }
        try Self.expectRollback(.SQLITE_FULL, in: queue) { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(100000))") }
    }

    @Test
    func `A file that can't be written rolls back`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
            try queue.writeWithoutTransaction { (db) throws in
                // With a small cache, SQLite writes to the file before the commit.
                try db.execute(sql: "PRAGMA cache_size = 2; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            }
            limitFileSize(200_000)
            try Self.expectRollback(.SQLITE_IOERR_WRITE, in: queue) { (db) throws in
                try db.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
                        INSERT INTO t SELECT zeroblob(1000) FROM n
                        """)
            }
        }
    }

    @Test(.enabled(if: SQLiteOptions.countsMemory, "SQLite has no limits of memory"))
    func `Lack of memory rolls back`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
            try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)") }
            // The limit applies to the whole process, and can't be raised again.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA hard_heap_limit = 4000000") }
            try Self.expectRollback(.SQLITE_NOMEM, in: queue) { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(50000000) || '')") }
        }
    }

    // MARK: Errors that the program has caught

    @Test
    func `An error that no statement has thrown is thrown by the next one`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE u (a REFERENCES u (b) DEFERRABLE INITIALLY DEFERRED, b PRIMARY KEY)") }
        try queue.writeWithoutTransaction { db in
            let insert = try db.makeStatement(sql: "INSERT INTO u VALUES (1, 2) RETURNING b")
            #expect(try insert.step())
            // It commits, which fails.
            insert.reset()
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (4)") }
            expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO t VALUES (5)") }
        }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (6)") }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 6])
        #expect(try queue.read { try $0.integers("SELECT b FROM u") } == [])
    }

    @Test
    func `An error that was caught is not thrown again by an access without a transaction, or by a rollback`() throws {
        try queue.inDatabase { try $0.execute(sql: "CREATE UNIQUE INDEX i ON t (a)") }
        func conflict(_ db: Database) throws {
            try db.execute(sql: "INSERT INTO t VALUES (4)")
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
            expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO t VALUES (5)") }
        }
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try conflict(db)
        }
        try queue.inDatabase { db in
            try db.beginTransaction()
            try conflict(db)
        }
        try queue.inTransaction { db in
            try conflict(db)
            return .rollback
        }
        try queue.inDatabase { db in
            try db.inTransaction {
                try db.inSavepoint {
                    try conflict(db)
                    return .rollback
                }
                expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO t VALUES (6)") }
                return .rollback
            }
        }
        try addInterruption()
        try queue.inTransaction { db in
            expectError(.SQLITE_INTERRUPT) { try db.execute(sql: "UPDATE t SET a = interrupt()") }
            return .rollback
        }
        // The transaction can't be committed.
        expectError(.SQLITE_CONSTRAINT) {
            try queue.inTransaction { db in
                try conflict(db)
                return .commit
            }
        }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3])
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (7)") }
    }

    @Test(arguments: ["ROLLBACK", "COMMIT", "END TRANSACTION", "ROLLBACK TRANSACTION"], [false, true])
    func `After the end of its transaction, a closure runs nothing`(_ end: String, _ commits: Bool) throws {
        let isKept = end == "COMMIT" || end.hasPrefix("END")
        func work(_ db: Database) throws -> Database.TransactionCompletion {
            try db.execute(sql: "INSERT INTO t VALUES (4)")
            try db.execute(sql: end)
            for sql in ["INSERT INTO t VALUES (5)", "SELECT * FROM t", "BEGIN", "SAVEPOINT s"] {
                let error = expectError(.SQLITE_ABORT) { try db.execute(sql: sql) }
                #expect(error?.message?.contains(end) == true)
            }
            // Code that undoes its changes after an error may do so twice.
            try db.rollback()
            expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO t VALUES (5)") }
            expectError(.SQLITE_ABORT) { try db.inSavepoint { .commit } }
            return commits ? .commit : .rollback
        }
        func expectEnd(_ access: () throws -> Void) throws {
            if commits { expectError(.SQLITE_ABORT, access) } else { try access() }
            #expect(try queue.read { try $0.integers("SELECT a FROM t WHERE a > 3") } == (isKept ? [4] : []))
            try queue.write { try $0.execute(sql: "DELETE FROM t WHERE a > 3") }
        }
        try expectEnd { try queue.inTransaction(nil, work) }
        try expectEnd { try queue.inDatabase { db in try db.inSavepoint { try work(db) } } }
        try expectEnd {
            try queue.inDatabase { db in
                try db.inTransaction {
                    try db.inSavepoint { try work(db) }; return commits ? .commit : .rollback
                }
            }
        }
        if commits { try expectEnd { try queue.write { _ = try work($0) } } }
        expectError(.SQLITE_ABORT) {
            try queue.read { db in
                try db.execute(sql: end)
                _ = try db.integers("SELECT a FROM t")
            }
        }
    }

    // MARK: Busy

    private func makeBusy(_ busyMode: Database.BusyMode = .immediateError) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = busyMode
        return try DatabaseQueue(path: queue.path, configuration: configuration)
    }

    @Test
    func `A commit that readers block can be tried again`() throws {
        let writer = try makeBusy()
        try writer.writeWithoutTransaction { (writing) throws in
            try writing.beginTransaction()
            try writing.execute(sql: "INSERT INTO t VALUES (4)")
            try queue.read { (reading) throws in
                #expect(try reading.integers("SELECT a FROM t") == [1, 2, 3])
                expectError(.SQLITE_BUSY) { try writing.commit() }
                #expect(writing.isInsideTransaction)
                expectError(.SQLITE_BUSY) { try writing.commit() }
                #expect(try writing.integers("SELECT a FROM t") == [1, 2, 3, 4])
            }
            try writing.commit()
        }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 4])
    }

    @Test
    func `A write whose commit readers block rolls back`() throws {
        let writer = try makeBusy()
        try queue.read { (reading) throws in
            #expect(try reading.integers("SELECT a FROM t") == [1, 2, 3])
            let error = expectError(.SQLITE_BUSY) { try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") } }
            #expect(error?.sql == "COMMIT TRANSACTION")
        }
        #expect(try writer.writeWithoutTransaction { $0.isInsideTransaction } == false)
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (5)") }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 5])
    }

    @Test
    func `A lock that is not available leaves the transaction open`() throws {
        let writer = try makeBusy()
        try writer.writeWithoutTransaction { (writing) throws in
            try writing.beginTransaction(.deferred)
            #expect(try writing.integers("SELECT a FROM t") == [1, 2, 3])
            try queue.inTransaction(.immediate) { _ in
                expectError(.SQLITE_BUSY) { try writing.execute(sql: "INSERT INTO t VALUES (4)") }
                return .rollback
            }
            #expect(writing.isInsideTransaction)
            try writing.execute(sql: "INSERT INTO t VALUES (5)")
            try writing.commit()
        }
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1, 2, 3, 5])
    }

    // MARK: Observers

    @Test(arguments: [false, true])
    func `Observers are notified of an automatic rollback`(_ isSavepointOpen: Bool) throws {
        final class Recorder: TransactionObserver {
            var log: [String] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.kind) \(event.rowID)") }
            func databaseDidCommit(_ db: Database) { log.append("commit") }
            func databaseDidRollback(_ db: Database) { log.append("rollback") }
        }
        try addInterruption()
        let recorder = Recorder()
        queue.add(transactionObserver: recorder)
        recorder.log = []
        expectError(.SQLITE_INTERRUPT) {
            try queue.write { (db) throws in
                try db.execute(sql: "INSERT INTO t VALUES (4)")
                if isSavepointOpen { try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (5)") }
                try db.execute(sql: "UPDATE t SET a = interrupt()")
            }
        }
        #expect(recorder.log == ["insert 4", "rollback"])
        recorder.log = []
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
        #expect(recorder.log == ["insert 4", "commit"])
    }
}
