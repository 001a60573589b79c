import Foundation
import SQLiteDriver
import Testing

@Suite struct TransactionTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY ON CONFLICT ABORT)") }
    }

    private func numbers() throws -> [Int64] {
        try queue.read { try $0.integers("SELECT a FROM t ORDER BY a") }
    }

    private func insert(_ number: Int, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
    }

    // MARK: Commit and rollback

    @Test
    func `A write commits all its changes`() throws {
        try queue.write { db in
            #expect(db.isInsideTransaction)
            try insert(1, db)
            try insert(2, db)
        }
        #expect(try numbers() == [1, 2])
    }

    @Test
    func `A write that throws leaves nothing behind`() throws {
        #expect(throws: TestError.self) {
            try queue.write { db in
                try insert(1, db)
                throw TestError()
            }
        }
        #expect(try numbers() == [])
    }

    @Test
    func `An error that is caught inside a write undoes its statement only`() throws {
        try queue.write { db in
            try insert(1, db)
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (2), (1)") }
            try insert(3, db)
        }
        #expect(try numbers() == [1, 3])
    }

    @Test
    func `Without a transaction, each statement is committed on its own`() throws {
        #expect(throws: TestError.self) {
            try queue.writeWithoutTransaction { db in
                try insert(1, db)
                throw TestError()
            }
        }
        #expect(try numbers() == [1])
    }

    @Test(arguments: [nil, .deferred, .immediate, .exclusive] as [Database.TransactionKind?])
    func `A transaction ends as its closure returns`(_ kind: Database.TransactionKind?) throws {
        try queue.inTransaction(kind) { db in
            try insert(1, db)
            return .commit
        }
        try queue.inTransaction(kind) { db in
            try insert(2, db)
            return .rollback
        }
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(kind) {
                try insert(3, db)
                return .commit
            }
            #expect(!db.isInsideTransaction)
            try db.inTransaction(kind) {
                try insert(4, db)
                return .rollback
            }
        }
        #expect(try numbers() == [1, 3])
    }

    @Test
    func `A transaction inside another transaction is an error that does not affect the outer one`() throws {
        try queue.write { db in
            try insert(1, db)
            let error = expectError(.SQLITE_ERROR) { try db.inTransaction { .commit } }
            #expect(error?.message == "cannot start a transaction within a transaction")
            expectError(.SQLITE_ERROR) { try db.beginTransaction() }
            #expect(db.isInsideTransaction)
            try insert(2, db)
        }
        #expect(try numbers() == [1, 2])
    }

    @Test
    func `Transactions can be begun and ended by hand`() throws {
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try insert(1, db)
            try db.commit()
            try db.beginTransaction(.deferred)
            try insert(2, db)
            try db.rollback()
            // Without a transaction, a rollback does nothing, and a commit throws.
            try db.rollback()
            expectError(.SQLITE_ERROR) { try db.commit() }
        }
        #expect(try numbers() == [1])
    }

    @Test(arguments: ["BEGIN", "SAVEPOINT s"])
    func `A transaction that is left open is an error and rolled back`(_ begin: String) throws {
        let error = expectError(.SQLITE_MISUSE) {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: begin)
                try insert(1, db)
            }
        }
        #expect(error?.message == "a transaction was left open at the end of a database access, and was rolled back")
        #expect(error?.description.hasSuffix("Commit it or roll it back before the access ends.") == true)
        #expect(try numbers() == [])
    }

    @Test
    func `An access that leaves a transaction open throws its own error`() throws {
        #expect(throws: TestError.self) {
            try queue.writeWithoutTransaction { db in
                try db.beginTransaction()
                try insert(1, db)
                throw TestError()
            }
        }
        #expect(try numbers() == [])
        try queue.write { try insert(2, $0) }
    }

    @Test
    func `A statement with rows left does not prevent a commit`() throws {
        try queue.write { db in
            let query = try db.cachedStatement(sql: "SELECT 1 UNION SELECT 2")
            #expect(try query.step())
            let insertion = try db.cachedStatement(sql: "INSERT INTO t VALUES (1), (2) RETURNING a")
            #expect(try insertion.step())
            #expect(insertion.int64(at: 0) == 1)
        }
        #expect(try numbers() == [1, 2])
    }

    @Test
    func `A rollback in the middle of a query is fine`() throws {
        try queue.write { db in for number in 1...3 { try insert(number, db) } }
        #expect(throws: TestError.self) {
            try queue.write { db in
                let query = try db.cachedStatement(sql: "SELECT a FROM t")
                while try query.step() {
                    try db.execute(sql: "UPDATE t SET a = a + 100 WHERE a = 3")
                    throw TestError()
                }
            }
        }
        #expect(try numbers() == [1, 2, 3])
    }

    // MARK: Savepoints

    @Test
    func `Savepoints nest`() throws {
        try queue.write { db in
            try insert(1, db)
            try db.inSavepoint {
                try insert(2, db)
                try db.inSavepoint {
                    try insert(3, db)
                    return .rollback
                }
                #expect(throws: TestError.self) {
                    try db.inSavepoint {
                        try insert(4, db)
                        try db.inSavepoint {
                            try insert(5, db)
                            return .commit
                        }
                        throw TestError()
                    }
                }
                try insert(6, db)
                return .commit
            }
            try insert(7, db)
        }
        #expect(try numbers() == [1, 2, 6, 7])
    }

    @Test
    func `A savepoint outside transactions is a transaction`() throws {
        try queue.writeWithoutTransaction { db in
            try db.inSavepoint {
                #expect(db.isInsideTransaction)
                try insert(1, db)
                return .commit
            }
            #expect(!db.isInsideTransaction)
            try db.inSavepoint {
                try insert(2, db)
                return .rollback
            }
            #expect(throws: TestError.self) {
                try db.inSavepoint {
                    try insert(3, db)
                    throw TestError()
                }
            }
        }
        #expect(try numbers() == [1])
    }

    @Test
    func `Savepoints in SQL work beside in savepoint`() throws {
        try queue.write { db in
            try db.execute(sql: "SAVEPOINT strata")
            try insert(1, db)
            try db.inSavepoint {
                try insert(2, db)
                try db.execute(sql: "SAVEPOINT strata; INSERT INTO t VALUES (3); ROLLBACK TO strata; RELEASE strata")
                return .commit
            }
            try db.execute(sql: "ROLLBACK TO strata")
            try insert(4, db)
            // Left open: the commit releases it.
        }
        #expect(try numbers() == [4])
    }

    @Test
    func `A transaction that can't roll back to a savepoint is rolled back`() throws {
        expectError(.SQLITE_ERROR) {
            try queue.write { db in
                try insert(1, db)
                #expect(throws: TestError.self) {
                    try db.inSavepoint {
                        try insert(2, db)
                        try db.execute(sql: "RELEASE strata")
                        throw TestError()
                    }
                }
            }
        }
        #expect(try numbers() == [])
    }

    // MARK: Rolled back by SQLite

    static let automaticRollbacks = [
        "INSERT OR ROLLBACK INTO t VALUES (1)",
        "UPDATE OR ROLLBACK t SET a = 1 WHERE a = 2",
        "INSERT INTO raising VALUES (1)",
        "INSERT INTO rolling VALUES (1)",
    ]

    private func prepareAutomaticRollbacks() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE raising (a);
                    CREATE TRIGGER raise AFTER INSERT ON raising BEGIN SELECT RAISE(ROLLBACK, 'raised'); END;
                    CREATE TABLE rolling (a UNIQUE ON CONFLICT ROLLBACK);
                    INSERT INTO rolling VALUES (1);
                    INSERT INTO t VALUES (1);
                    """)
        }
    }

    @Test(arguments: automaticRollbacks, [false, true])
    func `The caller gets the error that rolled back`(_ sql: String, _ isCaught: Bool) throws {
        try prepareAutomaticRollbacks()
        let error = expectError(.SQLITE_CONSTRAINT) {
            try queue.write { db in
                try insert(2, db)
                do {
                    try db.execute(sql: sql)
                } catch {
                    if !isCaught { throw error }
                }
            }
        }
        #expect(error?.sql == sql)
        #expect(try numbers() == [1])
        // The next write works.
        try queue.write { try insert(3, $0) }
        #expect(try numbers() == [1, 3])
    }

    @Test(arguments: automaticRollbacks)
    func `Statements after an automatic rollback do not run outside the transaction`(_ sql: String) throws {
        try prepareAutomaticRollbacks()
        let cause = expectError(.SQLITE_CONSTRAINT) {
            try queue.write { db in
                try insert(2, db)
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: sql) }
                #expect(!db.isInsideTransaction)
                let error = expectError(.SQLITE_ABORT_ROLLBACK) { try insert(3, db) }
                #expect(error?.description.contains("the transaction was rolled back by an earlier error") == true)
                #expect(error?.description.contains("Let that error propagate out of the transaction, and run ") == true)
                for attempt in [
                    { _ = try db.integers("SELECT 1") },
                    { try db.beginTransaction() },
                    { try db.inTransaction { .commit } },
                    { try db.inSavepoint { .commit } },
                    { try db.commit() },
                    { try db.execute(sql: "BEGIN") },
                    { try db.readOnly { _ = try db.integers("SELECT 1") } },
                ] {
                    expectError(.SQLITE_ABORT_ROLLBACK) { try attempt() }
                }
            }
        }
        #expect(cause?.sql == sql)
        #expect(try numbers() == [1])
        try queue.write { try insert(4, $0) }
        expectError(.SQLITE_READONLY) { try queue.read { try insert(5, $0) } }
        #expect(try numbers() == [1, 4])
    }

    @Test(arguments: automaticRollbacks)
    func `A savepoint that was rolled back throws the error that rolled back`(_ sql: String) throws {
        try prepareAutomaticRollbacks()
        let cause = expectError(.SQLITE_CONSTRAINT) {
            try queue.write { db in
                try insert(2, db)
                let error = expectError(.SQLITE_CONSTRAINT) {
                    try db.inSavepoint {
                        try? db.inSavepoint {
                            try db.execute(sql: sql)
                            return .commit
                        }
                        return .commit
                    }
                }
                #expect(error?.sql == sql)
                expectError(.SQLITE_ABORT_ROLLBACK) { try insert(3, db) }
            }
        }
        #expect(cause?.sql == sql)
        #expect(try numbers() == [1])
    }

    @Test(arguments: ["BEGIN", "SAVEPOINT s"])
    func `An automatic rollback of an explicit transaction is noticed`(_ begin: String) throws {
        try prepareAutomaticRollbacks()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: begin)
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: Self.automaticRollbacks[0]) }
            expectError(.SQLITE_ABORT_ROLLBACK) { try insert(2, db) }
            // A rollback ends that.
            try db.rollback()
            try insert(3, db)
            try db.execute(sql: "DELETE FROM t WHERE a = 3")
        }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: begin)
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: Self.automaticRollbacks[0]) }
            // A ROLLBACK in SQL throws SQLite's error, but counts as a rollback.
            let error = expectError(.SQLITE_ERROR) { try db.execute(sql: "ROLLBACK") }
            #expect(error?.message == "cannot rollback - no transaction is active")
            try insert(3, db)
            try db.execute(sql: "DELETE FROM t WHERE a = 3")
        }
        #expect(try numbers() == [1])
    }

    @Test
    func `The error that rolled back an explicit transaction is thrown by its statement only`() throws {
        try prepareAutomaticRollbacks()
        let error = expectError(.SQLITE_CONSTRAINT) {
            try queue.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.execute(sql: Self.automaticRollbacks[0])
            }
        }
        #expect(error?.sql == Self.automaticRollbacks[0])
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try? db.execute(sql: Self.automaticRollbacks[0])
        }
        try queue.writeWithoutTransaction { try insert(2, $0) }
        #expect(try numbers() == [1, 2])
    }

    @Test
    func `An error outside transactions is not a rollback`() throws {
        try prepareAutomaticRollbacks()
        try queue.writeWithoutTransaction { db in
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: Self.automaticRollbacks[0]) }
            try insert(2, db)
        }
        #expect(try numbers() == [1, 2])
    }

    @Test
    func `A write can't be committed after a rollback or a commit in SQL`() throws {
        let error = expectError(.SQLITE_ABORT) {
            try queue.write { db in
                try insert(1, db)
                try db.execute(sql: "ROLLBACK")
            }
        }
        #expect(error?.message == "the transaction was ended by ROLLBACK inside its closure")
        #expect(try numbers() == [])
        expectError(.SQLITE_ABORT) {
            try queue.write { db in
                try insert(2, db)
                try db.execute(sql: "COMMIT; BEGIN")
                try insert(3, db)
            }
        }
        #expect(try numbers() == [2])
    }

    // MARK: Commits that fail

    @Test
    func `A failing commit of a write rolls back`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE child (a REFERENCES t DEFERRABLE INITIALLY DEFERRED)") }
        let error = expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try queue.write { db in
                try insert(1, db)
                try db.execute(sql: "INSERT INTO child VALUES (2)")
            }
        }
        #expect(error?.sql == "COMMIT TRANSACTION")
        #expect(try numbers() == [])
        try queue.write { db in
            try db.execute(sql: "INSERT INTO child VALUES (2)")
            try insert(2, db)
        }
    }

    @Test
    func `A failing explicit commit leaves the transaction open`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE child (a REFERENCES t DEFERRABLE INITIALLY DEFERRED)") }
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO child VALUES (2)")
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.commit() }
            #expect(db.isInsideTransaction)
            try insert(2, db)
            try db.commit()

            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO child VALUES (3)")
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.commit() }
            try db.rollback()
        }
        #expect(try numbers() == [2])
        #expect(try queue.read { try $0.integers("SELECT a FROM child") } == [2])
    }

    // MARK: Read-only

    @Test(arguments: [
        "INSERT INTO t VALUES (1)", "DELETE FROM t", "CREATE TABLE u (a)", "CREATE TEMP TABLE u (a)", "DROP TABLE t",
        "PRAGMA user_version = 1", "INSERT INTO t VALUES (1) RETURNING a", "ANALYZE",
        "PRAGMA journal_mode = DELETE", "BEGIN IMMEDIATE",
    ])
    func `Writing statements throw in a read`(_ sql: String) throws {
        try queue.writeWithoutTransaction { db in
            let error = expectError(.SQLITE_READONLY) { try db.readOnly { try db.execute(sql: sql) } }
            #expect(error?.description.contains("attempt to write a readonly database - while executing `\(sql)`") == true)
            #expect(error?.description.contains("Use `write` instead of `read`") == true)
        }
        expectError(.SQLITE_READONLY) { try queue.read { try $0.execute(sql: sql) } }
        expectError(.SQLITE_READONLY) { try queue.read { _ = try $0.makeStatement(sql: sql).step() } }
        expectError(.SQLITE_READONLY) { try queue.read { try $0.cachedStatement(sql: sql).run() } }
        // After a failed read, reads and writes work.
        try queue.read { try $0.execute(sql: "SELECT * FROM t") }
        try queue.write { try insert(7, $0) }
        #expect(try numbers() == [7])
    }

    @Test(arguments: [
        "SELECT 1", "PRAGMA user_version", "PRAGMA journal_mode", "PRAGMA table_info(t)", "EXPLAIN INSERT INTO t VALUES (1)",
        "PRAGMA foreign_key_check", "PRAGMA integrity_check", "SAVEPOINT s; SELECT 1; RELEASE s",
    ])
    func `Reading statements work in a read`(_ sql: String) throws {
        try queue.read { try $0.execute(sql: sql) }
        try queue.writeWithoutTransaction { db in try db.readOnly { try db.execute(sql: sql) } }
    }

    @Test
    func `Read-only blocks nest`() throws {
        try queue.writeWithoutTransaction { db in
            try db.readOnly {
                let value = try db.readOnly { 1 }
                #expect(value == 1)
                expectError(.SQLITE_READONLY) { try insert(1, db) }
            }
            #expect(throws: TestError.self) { try db.readOnly { throw TestError() } }
            try insert(2, db)
        }
        try queue.write { db in
            try insert(3, db)
            try db.readOnly { () throws in
                #expect(try db.integers("SELECT a FROM t") == [2, 3])
                expectError(.SQLITE_READONLY) { try insert(4, db) }
            }
            try insert(5, db)
        }
        #expect(try numbers() == [2, 3, 5])
        // Without an explicit kind, a transaction is deferred where writing is forbidden.
        try queue.writeWithoutTransaction { db in
            try db.readOnly {
                try db.inTransaction { () throws in
                    #expect(try db.integers("SELECT a FROM t") == [2, 3, 5])
                    return .commit
                }
                try db.inSavepoint { .rollback }
            }
        }
    }

    @Test
    func `A statement that was prepared before a read does not write in it`() throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            try statement.execute(arguments: [1])
            expectError(.SQLITE_READONLY) { try db.readOnly { try statement.execute(arguments: [2]) } }
            try statement.execute(arguments: [3])
        }
        #expect(try numbers() == [1, 3])
    }

    @Test
    func `A read sees one state of the file`() throws {
        let folder = try TemporaryFolder()
        let writer = try DatabaseQueue(path: folder.path("database.sqlite"))
        let reader = try DatabaseQueue(path: folder.path("database.sqlite"))
        try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
        try reader.read { db in
            #expect(try db.integers("SELECT count(*) FROM t") == [0])
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            #expect(try db.integers("SELECT count(*) FROM t") == [0])
        }
        #expect(try reader.read { try $0.integers("SELECT count(*) FROM t") } == [1])
    }

    @Test
    func `The error of an outdated read transaction says what to do`() throws {
        let folder = try TemporaryFolder()
        let first = try DatabaseQueue(path: folder.path("database.sqlite"))
        let second = try DatabaseQueue(path: folder.path("database.sqlite"))
        try first.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
        let error = expectError(.SQLITE_BUSY_SNAPSHOT) {
            try first.inTransaction(.deferred) { db in
                #expect(try db.integers("SELECT count(*) FROM t") == [0])
                try second.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .commit
            }
        }
        #expect(error?.description.contains("begin it as an immediate transaction") == true)
        try first.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }
}
