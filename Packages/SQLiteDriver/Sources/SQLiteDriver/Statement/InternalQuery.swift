import CSQLiteShims

/// A query that a connection runs for itself, to read the schema for example.
///
/// It does not belong to the program, so most participants in the life of a statement skip it (`StatementParticipant.swift`): it is not
/// recorded, observers are not notified of it, and it runs where the program's statements must not, for example after a transaction has
/// failed. Three participants apply to it: it takes no lock while databases are suspended, it does not run inside SQLite's hooks, where
/// observers are notified, and an engine prepares its rows. Traces mark it as internal.
struct InternalQuery {
    private let sql: String
    private let arguments: StatementArguments
    private let isCached: Bool

    /// - Parameters:
    ///   - sql: a statement that changes nothing.
    ///   - arguments: its arguments.
    ///   - cached: whether to keep the statement, because it runs often.
    init(_ sql: String, _ arguments: StatementArguments = [], cached: Bool = false) {
        self.sql = sql
        self.arguments = arguments
        isCached = cached
    }

    /// Calls a closure with each row, which is valid until the closure returns. The number of its columns is `compiledColumnCount`.
    func forEachRow(in db: Database, _ body: (Statement) throws -> Void) throws {
        try run(db) { row in
            try body(row)
            return true
        }
    }

    /// Returns a value of each row, without those that are nil.
    func values<Value>(in db: Database, _ value: (Statement) throws -> Value?) throws -> [Value] {
        var values: [Value] = []
        try forEachRow(in: db) { row in if let value = try value(row) { values.append(value) } }
        return values
    }

    /// Returns a value of the first row, or nil if there is no row.
    func first<Value>(in db: Database, _ value: (Statement) throws -> Value?) throws -> Value? {
        var result: Value?
        try run(db) { row in
            result = try value(row)
            return false
        }
        return result
    }

    /// - Parameter body: receives a row, and returns whether it wants the next one.
    private func run(_ db: Database, _ body: (Statement) throws -> Bool) throws {
        let statement = try prepare(db)
        try db.withInternalStatements {
            try begin(statement)
            while try step(statement) {
                let wantsMore: Bool
                do {
                    wantsMore = try body(statement)
                } catch {
                    sqlite3_reset(statement.handle)
                    didEnd(statement)
                    throw error
                }
                if !wantsMore { break }
            }
            try end(statement)
        }
    }

    // The compiler makes a copy of `run` for each closure. So what the copies share is not inlined.

    @inline(never)
    private func prepare(_ db: Database) throws -> Statement {
        let statement = try isCached ? db.reusedStatement(sql: sql) : db.withoutRecordingChanges { try db.makeStatement(sql: sql) }
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        try db.check(statement, by: StatementParticipants.checksOfInternalQueries)
        if db.interruption.value != 0 { db.statementWillBeginAfterInterruption() }
        return statement
    }

    @inline(never)
    private func begin(_ statement: Statement) throws {
        do {
            try EngineRun().statementWillBegin(statement, in: statement.database)
        } catch {
            throw failure(of: statement, error)
        }
    }

    /// Returns whether there is another row.
    @inline(never)
    private func step(_ statement: Statement) throws -> Bool {
        let code = statement.stepAgainAfterSharedLock(sqlite3_step(statement.handle))
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = failure(of: statement, statement.makeError(code))
        sqlite3_reset(statement.handle)
        throw error
    }

    @inline(never)
    private func end(_ statement: Statement) throws {
        // Memory may have run out when a string of the row was converted.
        let code = sqlite3_reset(statement.handle)
        if code != SQLITE_OK { throw failure(of: statement, statement.makeError(code)) }
        didEnd(statement)
    }

    private func didEnd(_ statement: Statement) {
        var end = StatementEnd(statement: statement)
        EngineRun().statementDidEnd(&end, in: statement.database)
    }

    private func failure(of statement: Statement, _ error: any Error) -> any Error {
        let db = statement.database
        // The caller may ignore the error, but the transaction was rolled back.
        db.noteRollback(by: error)
        var failure = StatementFailure(statement: statement, error: error)
        EngineRun().statementDidFail(&failure, in: db)
        return failure.error
    }
}
