import Foundation
import SQLiteDriver
import Testing

@Suite struct StatementCacheTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    @Test(arguments: ["SELECT 1", "SELECT 1;", " SELECT 1 ; ", "SELECT 1; -- comment", "-- comment\nSELECT 1\n"])
    func `A statement is cached by its SQL`(_ sql: String) throws {
        weak var first: Statement?
        try queue.read { first = try $0.cachedStatement(sql: sql) }
        #expect(first != nil)
        try queue.read { (db) throws in
            #expect(try db.cachedStatement(sql: sql) === first)
            #expect(try db.makeStatement(sql: sql) !== first)
            #expect(try db.cachedStatement(sql: sql) === first)
        }
    }

    @Test
    func `A statement in use is not returned again`() throws {
        try queue.read { db in
            let sql = "SELECT ?"
            // Both get their arguments before one of them runs.
            let first = try db.cachedStatement(sql: sql)
            try first.setArguments([1])
            let second = try db.cachedStatement(sql: sql)
            try second.setArguments([2])
            #expect(try first.step() && second.step())
            #expect([first.int64(at: 0), second.int64(at: 0)] == [1, 2])
        }
    }

    @Test
    func `A statement in use does not prevent caching its SQL`() throws {
        try queue.read { (db) throws in
            let sql = "SELECT 1"
            let held = try db.cachedStatement(sql: sql)
            weak var other: Statement?
            other = try db.cachedStatement(sql: sql)
            #expect(other != nil && other !== held)
            for _ in 0..<3 { #expect(try db.cachedStatement(sql: sql) === other) }
            try held.run()
        }
    }

    @Test
    func `Other SQL is another statement`() throws {
        try queue.read { (db) throws in
            #expect(try db.cachedStatement(sql: "SELECT 1") !== db.cachedStatement(sql: "SELECT 2"))
            #expect(try db.cachedStatement(sql: "SELECT 1") !== db.cachedStatement(sql: "select 1"))
        }
    }

    @Test
    func `Canonically equivalent strings are different SQL`() throws {
        try queue.read { db in
            for text in ["é", "e\u{301}", "é"] {
                let statement = try db.cachedStatement(sql: "SELECT '\(text)'")
                #expect(try statement.step())
                #expect(statement.databaseValue(at: 0) == .text(text))
                statement.reset()
            }
        }
    }

    @Test
    func `A running statement is not returned again`() throws {
        try queue.read { db in
            let sql = "SELECT 1 UNION ALL SELECT 2"
            let outer = try db.cachedStatement(sql: sql)
            #expect(try outer.step())
            let inner = try db.cachedStatement(sql: sql)
            #expect(inner !== outer)
            #expect(try inner.step() && inner.step())
            #expect(try outer.step())
            #expect(outer.int64(at: 0) == 2)
            #expect(try outer.step() == false)
        }
        // A statement that has rows left is returned again in the next access.
        weak var left: Statement?
        try queue.read { db in
            left = try db.cachedStatement(sql: "SELECT 1")
            #expect(try left?.step() == true)
            #expect(try db.cachedStatement(sql: "SELECT 2") !== left)
        }
        #expect(try queue.read { try $0.cachedStatement(sql: "SELECT 1") } === left)
    }

    @Test
    func `The cache holds a bounded number of statements`() throws {
        try queue.read { db in
            weak var first: Statement?
            weak var used: Statement?
            func use(_ sql: String) throws -> Statement { try db.cachedStatement(sql: sql) }
            first = try use("SELECT 'first'")
            used = try use("SELECT 'used'")
            for number in 0..<1000 {
                try use("SELECT \(number)").run()
                _ = try use("SELECT 'used'")
            }
            #expect(first == nil)
            #expect(used != nil)
        }
    }

    @Test
    func `A cached statement survives changes of the schema`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            let sql = "SELECT * FROM t"
            #expect(try db.cachedStatement(sql: sql).columnNames == ["a"])
            try db.cachedStatement(sql: sql).run()
            try db.execute(sql: "DROP TABLE t")
            let error = expectError(.SQLITE_ERROR) { try db.cachedStatement(sql: sql).run() }
            #expect(error?.message == "no such table: t")
            try db.execute(sql: "CREATE TABLE t (x, y); INSERT INTO t VALUES (1, 2)")
            let statement = try db.cachedStatement(sql: sql)
            #expect(try statement.step())
            #expect(statement.columnNames == ["x", "y"])
        }
    }

    @Test
    func `SQL that does not compile is not cached`() throws {
        try queue.writeWithoutTransaction { db in
            expectError(.SQLITE_ERROR) { _ = try db.cachedStatement(sql: "SELECT * FROM t") }
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.cachedStatement(sql: "SELECT * FROM t").run()
        }
    }

    @Test
    func `Reads do not recompile statements`() throws {
        let statement = try queue.read { try $0.makeStatement(sql: "SELECT 1") }
        let count = try queue.read { _ in
            try statement.run()
            return statement.repreparationCount
        }
        try queue.read { _ in
            try statement.run()
            #expect(statement.repreparationCount == count)
        }
    }
}
