import Foundation
import SQLiteDriver
import Testing

@Suite struct TransactionDateTests {
    /// Creates a queue whose clock advances by a second with each call.
    private func makeQueue(_ count: Box<Int>, _ now: (@Sendable (Database) throws -> Void)? = nil) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.transactionClock = .custom { (db) throws in
            try now?(db)
            count.value += 1
            return Date(timeIntervalSince1970: Double(count.value))
        }
        return try DatabaseQueue(configuration: configuration)
    }

    private func seconds(_ db: Database) throws -> Int { Int(try db.transactionDate.timeIntervalSince1970) }

    @Test
    func `The default date comes from the clock of the system`() throws {
        let queue = try DatabaseQueue()
        let before = Date()
        let (date, later, another) = try queue.writeWithoutTransaction { (db) throws in
            try db.beginTransaction()
            defer { try? db.rollback() }
            return (try db.transactionDate, try db.transactionDate, DefaultTransactionClock().now(db))
        }
        #expect((before.addingTimeInterval(-0.001)...Date()).contains(date))
        #expect(date == later)
        #expect(another >= date)
    }

    @Test
    func `The date is the same throughout a transaction`() throws {
        let count = Box(0)
        let queue = try makeQueue(count)
        try queue.write { (db) throws in
            #expect(count.value == 0)
            #expect(try seconds(db) == 1)
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.inSavepoint {
                #expect(try seconds(db) == 1)
                try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (1); RELEASE s; SAVEPOINT s; ROLLBACK TO s; RELEASE s")
                return .rollback
            }
            expectError(.SQLITE_ERROR) { try db.execute(sql: "BEGIN") }
            #expect(try seconds(db) == 1)
        }
        #expect(try queue.read { [try seconds($0), try seconds($0)] } == [2, 2])
        #expect(count.value == 2)
    }

    @Test(arguments: [
        "COMMIT; BEGIN", "ROLLBACK; BEGIN", "COMMIT; SAVEPOINT s", "END; BEGIN IMMEDIATE",
    ])
    func `Another transaction has another date`(_ sql: String) throws {
        let queue = try makeQueue(Box(0))
        try queue.writeWithoutTransaction { (db) throws in
            try db.beginTransaction()
            #expect(try seconds(db) == 1)
            try db.execute(sql: sql)
            #expect(try seconds(db) == 2)
            #expect(try seconds(db) == 2)
            try db.rollback()
        }
    }

    @Test
    func `A transaction after an automatic rollback has another date`() throws {
        let queue = try makeQueue(Box(0))
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO t VALUES (1)")
            try db.beginTransaction()
            #expect(try seconds(db) == 1)
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            try db.rollback()
            try db.beginTransaction()
            #expect(try seconds(db) == 2)
            try db.rollback()
        }
    }

    @Test
    func `Outside transactions the clock is read each time`() throws {
        let queue = try makeQueue(Box(0))
        try queue.writeWithoutTransaction { (db) throws in
            #expect(try seconds(db) == 1)
            #expect(try seconds(db) == 2)
        }
    }

    @Test
    func `An error of the clock is thrown and not cached`() throws {
        let count = Box(0)
        let fails = Box(true)
        let queue = try makeQueue(count) { _ in if fails.value { throw TestError() } }
        try queue.write { (db) throws in
            #expect(throws: TestError.self) { try db.transactionDate }
            fails.value = false
            #expect(try seconds(db) == 1)
        }
    }

    @Test
    func `A clock may ask the database`() throws {
        var configuration = Configuration()
        configuration.transactionClock = CustomTransactionClock { (db) throws in
            Date(timeIntervalSince1970: Double(try db.integers("SELECT 42")[0]))
        }
        #expect(try DatabaseQueue(configuration: configuration).write { try seconds($0) } == 42)
    }
}
