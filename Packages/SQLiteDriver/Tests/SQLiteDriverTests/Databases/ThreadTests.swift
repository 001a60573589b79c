import SQLiteDriver
import Testing

/// A connection, a statement or a cursor that is used on another thread, during its access, stops the program.
@Suite struct ThreadTests {
    /// A use on the other thread.
    enum Use: String, Codable, CaseIterable {
        case step, read, readText, readBytes, names, count, bind, setArguments, reset, execute, region, expandedSQL
        case lastInsertedRowID, changesCount, isInsideTransaction, lastErrorMessage, cachedStatement, statementCursor, clearSchemaCache

        func callAsFunction(_ db: Database, _ statement: Statement, _ statements: SQLStatementCursor) throws -> Any? {
            switch self {
            case .step: try statement.step()
            case .read: statement.int64(at: 0)
            case .readText: statement.string(at: 0)
            case .readBytes: statement.withUnsafeBytes(at: 0) { $0?.count }
            case .names: statement.columnNames
            case .count: statement.columnCount
            case .bind: try statement.bind(DatabaseValue(storage: .int64(1)), at: 1)
            case .setArguments: try statement.setArguments([1])
            case .reset: statement.reset()
            case .execute: try statement.execute()
            case .region: statement.databaseRegion
            case .expandedSQL: statement.expandedSQL
            case .lastInsertedRowID: db.lastInsertedRowID
            case .changesCount: db.changesCount
            case .isInsideTransaction: db.isInsideTransaction
            case .lastErrorMessage: db.lastErrorMessage
            case .cachedStatement: try db.cachedStatement(sql: "SELECT 1")
            case .statementCursor: try statements.next()
            case .clearSchemaCache: db.clearSchemaCache()
            }
        }
    }

    @Test(arguments: Use.allCases)
    func `A use on another thread stops the program`(_ use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            try DatabaseQueue().write { db in
                let statement = try db.makeStatement(sql: "SELECT value FROM (SELECT 1 AS value UNION SELECT 2) WHERE value > ?")
                try statement.setArguments([0])
                let statements = try db.allStatements(sql: "SELECT 1; SELECT 2")
                #expect(try statement.step())
                let used = Box((db, statement, statements))
                onAnotherThread { _ = try? use(used.value.0, used.value.1, used.value.2) }
            }
        }
        #expect(result?.message.contains("A database connection was used outside its access, or on another thread.") == true)
    }

    @Test(arguments: Use.allCases)
    func `The same use on the thread of the access is fine`(_ use: Use) throws {
        try DatabaseQueue().write { db in
            let statement = try db.makeStatement(sql: "SELECT value FROM (SELECT 1 AS value UNION SELECT 2) WHERE value > ?")
            try statement.setArguments([0])
            let statements = try db.allStatements(sql: "SELECT 1; SELECT 2")
            #expect(try statement.step())
            // SQLite refuses values for a statement that is running.
            if use == .bind { statement.reset() }
            _ = try use(db, statement, statements)
        }
    }

    @Test
    func `A statement of an access that waits on another thread stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // Each thread is inside an access, but not inside the access of the statement.
            let queues = [try DatabaseQueue(), try DatabaseQueue()]
            try queues[0].read { db in
                let statement = try db.makeStatement(sql: "SELECT 1 UNION SELECT 2")
                #expect(try statement.step())
                let used = Box(statement)
                onAnotherThread { try? queues[1].read { _ in _ = try used.value.step() } }
            }
        }
        #expect(result?.message.contains("A database connection was used outside its access, or on another thread.") == true)
    }
}
