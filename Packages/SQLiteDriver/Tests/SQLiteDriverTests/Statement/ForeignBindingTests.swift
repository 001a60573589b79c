import CSQLiteShims
import SQLiteDriver
import Testing

/// Values that a program binds with SQLite's functions, through the public handle.
@Suite struct ForeignBindingTests {
    private func withStatement(_ sql: String = "SELECT ?1, ?2", _ body: (Database, Statement) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { db in try body(db, db.makeStatement(sql: sql)) }
    }

    private func values(_ statement: Statement) throws -> [DatabaseValue] {
        defer { statement.reset() }
        try #require(try statement.step())
        return (0..<statement.columnCount).map { statement.databaseValue(at: $0) }
    }

    @Test
    func `They count as arguments, and other parameters are NULL`() throws {
        try withStatement { (_, statement) throws in
            #expect(sqlite3_bind_int64(statement.sqliteStatement, 1, 7) == SQLITE_OK)
            #expect(try values(statement) == [.integer(7), .null])
            #expect(sqlite3_bind_int64(statement.sqliteStatement, 2, 8) == SQLITE_OK)
            #expect(try values(statement) == [.integer(7), .integer(8)])
            #expect(statement.expandedSQL == "SELECT 7, 8")
        }
    }

    @Test
    func `Without the handle, all parameters need arguments`() throws {
        try withStatement { _, statement in
            // What the library reads itself is not the program's handle.
            _ = (statement.isReadonly, statement.columnNames, statement.expandedSQL, statement.databaseRegion, statement.parameterCount)
            #expect(throws: DatabaseError.self) { try statement.step() }
            #expect(throws: DatabaseError.self) { try statement.run() }
        }
    }

    @Test
    func `Arguments replace them, and are checked`() throws {
        try withStatement { _, statement in
            sqlite3_bind_int64(statement.sqliteStatement, 2, 8)
            #expect(throws: DatabaseError.self) { try statement.setArguments([1]) }
            // Arguments of a wrong number change nothing.
            #expect(try values(statement) == [.null, .integer(8)])
            try statement.setArguments([1, nil])
            #expect(try values(statement) == [.integer(1), .null])
            // Then the program may replace single values.
            sqlite3_bind_int64(statement.sqliteStatement, 2, 9)
            #expect(try values(statement) == [.integer(1), .integer(9)])
        }
    }

    @Test
    func `After a refused argument, the statement needs arguments again`() throws {
        try withStatement { db, statement in
            sqlite3_bind_int64(statement.sqliteStatement, 1, 7)
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1_000)
            #expect(throws: DatabaseError.self) { try statement.setArguments([String(repeating: "x", count: 2_000), 1]) }
            #expect(throws: DatabaseError.self) { try statement.step() }
            #expect(statement.expandedSQL == "SELECT NULL, NULL")
        }
    }

    @Test
    func `An unchecked argument that can't be stored is an error, whatever was bound`() throws {
        struct Refused: StatementBinding {
            func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { SQLITE_TOOBIG }
        }
        try withStatement { _, statement in
            statement.setUncheckedArguments([Refused()])
            sqlite3_bind_int64(statement.sqliteStatement, 1, 7)
            #expect(throws: DatabaseError.self) { try statement.step() }
        }
    }

    /// How an earlier user of a cached statement has given values to its parameters.
    enum Use: CaseIterable {
        case arguments, uncheckedArguments, handle, refusedArguments, handleWithoutRun
    }

    @Test(arguments: Use.allCases)
    func `A cached statement has no values of an earlier user`(_ use: Use) throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            let sql = "SELECT ?1, ?2"
            weak var first: Statement?
            do {
                let statement = try db.cachedStatement(sql: sql)
                first = statement
                switch use {
                case .arguments: try statement.setArguments(["secret", "secret"])
                case .uncheckedArguments: statement.setUncheckedArguments(["secret"])
                case .handle, .handleWithoutRun: sqlite3_bind_int64(statement.sqliteStatement, 2, 42)
                case .refusedArguments:
                    sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1_000)
                    statement.setUncheckedArguments([String(repeating: "x", count: 2_000)])
                }
                if use != .refusedArguments, use != .handleWithoutRun { _ = try values(statement) }
            }
            let statement = try db.cachedStatement(sql: sql)
            #expect(statement === first)
            #expect(statement.arguments == StatementArguments())
            #expect(statement.expandedSQL == "SELECT NULL, NULL")
            let error = #expect(throws: DatabaseError.self) { try statement.step() }
            #expect(error?.message == "wrong number of statement arguments: 2 expected, 0 given")
            sqlite3_bind_int64(statement.sqliteStatement, 1, 1)
            #expect(try values(statement) == [.integer(1), .null])
        }
    }
}
