import SQLiteDriver
import Testing

@Suite struct DatabaseInformationTests {
    @Test
    func `The library has a version`() {
        #expect(Database.sqliteLibVersionNumber >= 3_024_000)
    }

    @Test
    func `The maximum number of arguments is SQLite's limit`() throws {
        try DatabaseQueue().read { db in
            let count = db.maximumStatementArgumentCount
            #expect(count >= 999)
            _ = try db.makeStatement(sql: "SELECT ?\(count)")
            expectError(.SQLITE_ERROR) { try db.makeStatement(sql: "SELECT ?\(count + 1)") }
        }
    }

    @Test
    func `The last error is kept`() throws {
        let queue = try DatabaseQueue()
        let connection = try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
            #expect(db.lastErrorCode == .SQLITE_OK)
            #expect(db.lastErrorMessage == "not an error")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
            #expect(throws: DatabaseError.self) { try statement.run() }
            #expect(db.lastErrorCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(db.lastErrorMessage == "UNIQUE constraint failed: t.a")
            return Box(db)
        }
        try queue.close()
        #expect(connection.value.lastErrorCode == .SQLITE_MISUSE)
        #expect(connection.value.lastErrorMessage == "the database is closed")
        #expect(connection.value.maximumStatementArgumentCount == 0)
    }

    @Test
    func `A connection has descriptions`() throws {
        var configuration = Configuration()
        try DatabaseQueue(configuration: configuration).read { db in
            #expect("\(db)" == ":memory:")
            #expect(String(reflecting: db) == "<Database: :memory:>")
        }
        configuration.label = "Players"
        try DatabaseQueue(configuration: configuration).read { #expect($0.debugDescription == "<Database: Players>") }
    }
}
