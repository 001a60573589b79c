import CSQLiteShims
import SQLiteDriver
import Testing

@Suite struct DatabaseEngineTests {
    /// An engine whose `player` table has one row, which it makes up.
    final class TestEngine: DatabaseEngine {
        struct Refusal: Error {}

        var log: [String] = []
        var refusesToBegin = false
        var isCancelledToBegin = false
        var refusesToCommit = false
        var makePlan: (String) -> StatementPlan = { StatementPlan(replacement: $0) }

        func open(_ db: Database) throws {
            try db.execute(sql: "CREATE TABLE player (name TEXT)")
        }

        func plan(for statement: CompiledStatement, in db: Database) throws -> StatementPlan? {
            if statement.sql.hasPrefix("DELETE") { throw Refusal() }
            if statement.tablesRead == ["player"] { return makePlan("SELECT 'Arthur' || ?1 AS name") }
            return statement.controlsTransaction ? StatementPlan(replacement: nil) : nil
        }

        func renewSchema(of db: Database) throws -> Bool {
            guard let handle = db.sqliteConnection, !log.contains("renew") else { return false }
            log.append("renew")
            return sqlite3_exec(handle, "CREATE TABLE IF NOT EXISTS team (name TEXT)", nil, nil, nil) == SQLITE_OK
        }

        func statementWillBegin(_ statement: Statement, plan: StatementPlan) throws {
            log.append("begin \(statement.sql)")
            if refusesToBegin { throw Refusal() }
            if isCancelledToBegin {
                withUnsafeCurrentTask { $0?.cancel() }
                throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
            }
        }

        func statementDidEnd(_ statement: Statement, plan: StatementPlan) { log.append("end \(statement.sql)") }

        func statementDidFail(_ statement: Statement, plan: StatementPlan, with error: any Error) -> any Error {
            log.append("fail \(statement.sql)")
            return refusesToCommit ? Refusal() : error
        }

        func commit() -> Bool {
            log.append("commit")
            return !refusesToCommit
        }

        func interrupt() {}
        func close() { log.append("close") }
    }

    /// Keeps the engine of a connection. `@unchecked Sendable`: the tests use it on one thread at a time.
    final class EngineHolder: @unchecked Sendable {
        let engine = TestEngine()
    }

    let holder = EngineHolder()
    var engine: TestEngine { holder.engine }

    private func makeQueue() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.makeEngine = { [holder] in holder.engine }
        let queue = try DatabaseQueue(configuration: configuration)
        engine.log = []
        return queue
    }

    @Test
    func `A statement runs as the SQL of its plan, and keeps its own SQL`() throws {
        let queue = try makeQueue()
        try queue.unsafeRead { db in
            var traced: [String] = []
            db.trace { traced.append("\($0)") }
            let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE name <> ?")
            #expect(statement.sql == "SELECT name FROM player WHERE name <> ?")
            try statement.setArguments([1])
            #expect(try statement.step())
            #expect(statement.string(at: 0) == "Arthur1")
            try #expect(!statement.step())
            #expect(traced == ["SELECT name FROM player WHERE name <> ?"])
            #expect(statement.expandedSQL == statement.sql)
        }
        #expect(engine.log == ["begin SELECT name FROM player WHERE name <> ?", "end SELECT name FROM player WHERE name <> ?"])
    }

    @Test
    func `Traces show the values that a plan knows`() throws {
        final class Plan: StatementPlan {
            override func expandedSQL(replacement: String) -> String? { "expanded from \(replacement)" }
        }
        engine.makePlan = { Plan(replacement: $0) }
        let queue = try makeQueue()
        try queue.unsafeRead { db in
            var traced: [String] = []
            var kept: [Database.TraceEvent] = []
            db.trace(options: [.statement, .profile]) { event in
                if case .statement = event { traced.append(event.expandedDescription) }
                kept.append(event)
            }
            let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE name <> ?")
            try statement.setArguments([1])
            let expanded = "expanded from SELECT 'Arthur' || 1 AS name"
            #expect(statement.expandedSQL == expanded)
            #expect(try statement.step())
            statement.reset()
            #expect(traced == [expanded])
            #expect(kept.count == 2)
            #expect(kept.allSatisfy { $0.expandedDescription.hasSuffix(expanded) })
        }
    }

    @Test
    func `A database with an engine is neither copied as a file nor erased, as only its schema is here`() throws {
        let (queue, other) = (try makeQueue(), try DatabaseQueue())
        for (source, destination) in [(queue, other), (other, queue)] {
            let error = #expect(throws: DatabaseError.self) { try source.backup(to: destination) }
            #expect(error?.message?.contains("engine") == true)
        }
        let error = #expect(throws: DatabaseError.self) { try queue.erase() }
        #expect(error?.message?.contains("engine") == true)
    }

    @Test
    func `An error of the plan is thrown when the statement is prepared`() throws {
        let queue = try makeQueue()
        #expect(throws: TestEngine.Refusal.self) { try queue.write { db in try db.execute(sql: "DELETE FROM player") } }
    }

    @Test
    func `An engine that refuses to begin keeps the statement from running`() throws {
        let queue = try makeQueue()
        engine.refusesToBegin = true
        #expect(throws: TestEngine.Refusal.self) { try queue.write { _ in Issue.record("the transaction has begun") } }
        #expect(engine.log == ["begin BEGIN IMMEDIATE TRANSACTION", "fail BEGIN IMMEDIATE TRANSACTION"])
        engine.refusesToBegin = false
        let isInside = try queue.write { db in db.isInsideTransaction }
        #expect(isInside)
    }

    @Test
    func `What an engine has interrupted for a cancelled task throws CancellationError`() async throws {
        let queue = try makeQueue()
        engine.isCancelledToBegin = true
        let task = Task { try await queue.write { _ in } }
        await #expect(throws: CancellationError.self) { try await task.value }
        engine.isCancelledToBegin = false
        try await queue.write { _ in }
    }

    @Test
    func `A pool has readers with engines, which count the commits of its writer, and refuse to write`() throws {
        var configuration = Configuration()
        configuration.makeEngine = { TestEngine() }
        let pool = try DatabasePool(path: ":memory:", configuration: configuration)
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let count = try pool.writeWithoutTransaction { $0.commitCounter.value }
        #expect(try pool.read { $0.commitCounter.value } == count)
        expectError(.SQLITE_READONLY) { try pool.unsafeRead { try $0.execute(sql: "CREATE TABLE u (a)") } }
        try pool.close()
    }

    @Test
    func `The engine commits before the connection, and a failure rolls back both`() throws {
        let queue = try makeQueue()
        try queue.write { db in try db.execute(sql: "CREATE TABLE one (a)") }
        #expect(engine.log.suffix(3) == ["begin COMMIT TRANSACTION", "commit", "end COMMIT TRANSACTION"])
        engine.refusesToCommit = true
        #expect(throws: TestEngine.Refusal.self) { try queue.write { db in try db.execute(sql: "CREATE TABLE two (a)") } }
        engine.refusesToCommit = false
        try queue.read { db in
            #expect(try db.tableExists("one"))
            try #expect(!db.tableExists("two"))
        }
    }

    @Test
    func `SQL that does not compile is compiled again when the engine has renewed the schema`() throws {
        let queue = try makeQueue()
        try queue.inDatabase { db in
            let statement = try db.makeStatement(sql: "INSERT INTO team VALUES ('Reds')")
            try statement.execute()
        }
        #expect(engine.log.contains("renew"))
    }

    @Test
    func `The engine is closed with the connection`() throws {
        let queue = try makeQueue()
        try queue.close()
        #expect(engine.log == ["close"])
    }
}
