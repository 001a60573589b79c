import CSQLiteShims
import RowDecoding
import Testing

/// Cursors of programs.
@Suite struct DatabaseCursorTests {
    /// The error of an element.
    private struct NoName: Error {}

    /// A cursor that decodes in a method of a subclass, and resets the statement itself, as query builders on GRDB do.
    private class QueryCursor<Element>: DatabaseCursor {
        var _isDone = false
        let _statement: Statement

        init(_ statement: Statement) { _statement = statement }

        deinit { sqlite3_reset(_statement.sqliteStatement) }

        func _element(sqliteStatement: SQLiteStatement) throws -> Element { fatalError("abstract") }
    }

    private final class NameCursor: QueryCursor<String> {
        override func _element(sqliteStatement: SQLiteStatement) throws -> String {
            guard let name = sqlite3_column_text(sqliteStatement, 0) else { throw NoName() }
            return String(cString: name)
        }
    }

    private final class NumberCursor: DatabaseCursor {
        typealias Element = Int64

        var _isDone = false
        let _statement: Statement

        init(_ statement: Statement) { _statement = statement }

        func _element(sqliteStatement: SQLiteStatement) throws -> Int64 { sqlite3_column_int64(sqliteStatement, 0) }
    }

    /// A cursor with a method `next()` of its own.
    private final class OwnCursor: DatabaseCursor {
        let statement: Statement

        init(_ statement: Statement) { self.statement = statement }

        func next() throws -> Int64? { try statement.step() ? statement.int64(at: 0) : nil }
    }

    private static let names = "SELECT name FROM player ORDER BY id"

    @Test
    func `A cursor has the rows of its statement, and the methods of cursors`() throws {
        try withPlayers { db in
            let cursor = NameCursor(try db.makeStatement(sql: Self.names))
            #expect(cursor.sql == Self.names && cursor.columnNames == ["name"] && cursor.columnCount == 1)
            #expect(cursor.databaseRegion.description == "player(id,name)")
            #expect(try cursor.next() == "Arthur" && !cursor._isDone)
            #expect(try Array(cursor.map { $0.uppercased() }) == ["BARBARA", "CRAIG"])
            #expect(cursor._isDone)
            #expect(try cursor.next() == nil)
            let statement = try db.makeStatement(sql: "SELECT id FROM player WHERE id > ?")
            try statement.setArguments([1])
            let numbers: any DatabaseCursor<Int64> = NumberCursor(statement)
            #expect(numbers.arguments == [1])
            #expect(try Array(numbers) == [2, 3])
            let other: any DatabaseCursor<Int64> = OwnCursor(try db.makeStatement(sql: "SELECT id FROM player"))
            #expect(try Array(other) == [1, 2, 3] && other.sql == "SELECT id FROM player")
        }
    }

    @Test
    func `Values that the program has bound by C count, and what it has not bound is NULL`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT id FROM player WHERE id > ?1 AND ?2 IS NULL")
            sqlite3_bind_int64(statement.sqliteStatement, 1, 1)
            #expect(try Array(NumberCursor(statement)) == [2, 3])
            #expect(throws: DatabaseError.self) { try NumberCursor(db.makeStatement(sql: "SELECT ?")).next() }
        }
    }

    @Test
    func `Statements that write run and are observed`() throws {
        final class Observer: TransactionObserver {
            var log: [String] = []
            func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.kind) \(event.rowID)") }
            func databaseDidCommit(_ db: Database) { log.append("commit") }
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Observer()
        try withPlayers { db in
            db.add(transactionObserver: observer)
            #expect(try NameCursor(db.makeStatement(sql: "DELETE FROM player WHERE id = 3")).next() == nil)
            #expect(observer.log == ["delete 3", "commit"])
            try db.inTransaction {
                // The cursor is released after its first row.
                let name = try NameCursor(db.makeStatement(sql: "UPDATE player SET score = 0 RETURNING name")).next()
                #expect(name == "Arthur")
                return .commit
            }
        }
        #expect(observer.log == ["delete 3", "commit", "update 1", "update 2", "commit"])
    }

    @Test
    func `It ends with the access`() throws {
        let queue = try DatabaseQueue()
        final class Kept: @unchecked Sendable { var cursor: NumberCursor? }
        let kept = Kept()
        try queue.read { db in
            kept.cursor = NumberCursor(try db.makeStatement(sql: "SELECT 1 UNION ALL SELECT 2"))
            #expect(try kept.cursor?.next() == 1)
        }
        try queue.read { _ in
            for _ in 0..<2 {
                let error = #expect(throws: DatabaseError.self) { try kept.cursor?.next() }
                #expect(error?.resultCode == .SQLITE_MISUSE)
            }
            #expect(kept.cursor?._isDone == true)
        }
    }

    @Test
    func `An error of SQLite ends it, and is thrown again`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT abs(CASE id WHEN 2 THEN -9223372036854775808 ELSE id END) FROM player")
            let cursor = NumberCursor(statement)
            #expect(try cursor.next() == 1)
            for _ in 0..<2 {
                let error = #expect(throws: DatabaseError.self) { try cursor.next() }
                #expect(error?.message == "integer overflow")
            }
            #expect(cursor._isDone)
        }
    }

    @Test
    func `An error of an element ends it, and its statement`() throws {
        try withPlayers { db in
            let cursor = NameCursor(try db.makeStatement(sql: "SELECT nullif(name, 'Barbara') FROM player ORDER BY id"))
            #expect(try cursor.next() == "Arthur")
            #expect(throws: NoName.self) { try cursor.next() }
            #expect(try cursor.next() == nil)
            #expect(throws: Never.self) { try db.execute(sql: "DROP TABLE player") }
        }
    }

    @Test
    func `Of two cursors over one statement, the later has its rows`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT id FROM player")
            let first = NumberCursor(statement)
            #expect(try first.next() == 1)
            let second = NumberCursor(statement)
            #expect(try second.next() == 1)
            for _ in 0..<2 { #expect(throws: DatabaseError.self) { try first.next() } }
            #expect(try second.next() == 2)
            #expect(try Int.fetchOne(statement) == 1)
            #expect(throws: DatabaseError.self) { try second.next() }
            statement.reset()
            // A cursor at the address of a released one has a run of its own.
            for _ in 0..<100 {
                let cursor = NumberCursor(statement)
                #expect(try cursor.next() == 1)
            }
        }
    }
}
