import CSQLiteShims

// The calls of a connection's engine.

extension Database {
    /// Whether an engine runs the statements. SQLite then does not notice the commits of the engine's other connections.
    package var hasEngine: Bool { engine != nil }

    /// Sets up the engine of a new connection.
    func openEngine() throws {
        guard let engine = try configuration.makeEngine?() else { return }
        // The statements that the engine runs here are not planned. They may write even if the configuration is read-only.
        try engine.open(self)
        self.engine = engine
        observation.engine = engine
    }

    /// Returns a statement, planned by the engine if there is one.
    ///
    /// - Parameter handle: a compiled statement. The returned statement owns it, or it is finalized.
    @inline(__always)
    func makeStatement(_ handle: SQLiteStatement, sql: String, effects: StatementEffects) throws -> Statement {
        guard let engine else { return Statement(database: self, handle: handle, sql: sql, effects: effects) }
        return try makeStatement(handle, sql: sql, effects: effects, engine)
    }

    @inline(never)
    private func makeStatement(
        _ handle: SQLiteStatement, sql: String, effects: StatementEffects, _ engine: any DatabaseEngine
    ) throws -> Statement {
        var tablesRead = Set((effects.region.tables ?? [:]).keys.map { $0.table.text.foldingASCIICase })
        tablesRead.formUnion(effects.unqualifiedTables.map { $0.text.foldingASCIICase })
        if effects.mayJoinByColumnNames || effects.region.isFullDatabase { tablesRead.insert("") }
        let compiled = CompiledStatement(
            sql: sql, sqliteStatement: handle, tablesRead: tablesRead, changesSchema: effects.changesSchema,
            controlsTransaction: effects.controlsTransaction, rollsBack: effects.rollsBack)
        let (isOutdated, plan): (Bool, StatementPlan?)
        do {
            isOutdated = try notingInterruption { try engine.renewUnknownSchema(for: compiled, in: self) }
            plan = isOutdated ? nil : try notingInterruption { try engine.plan(for: compiled, in: self) }
        } catch {
            sqlite3_finalize(handle)
            throw error
        }
        if isOutdated {
            sqlite3_finalize(handle)
            return try makeStatement(sql: sql)
        }
        guard let plan, let replacement = plan.replacement else {
            return Statement(database: self, handle: handle, sql: sql, effects: effects, plan: plan)
        }
        sqlite3_finalize(handle)
        var other: SQLiteStatement?
        let code = sqlite3_prepare_v2(try openHandle(), replacement, -1, &other, nil)
        guard code == SQLITE_OK, let other else { throw makeError(code, sql: sql) }
        engineStatements[other] = EngineStatement(sql: sql, plan: plan)
        return Statement(database: self, handle: other, sql: sql, effects: effects, plan: plan)
    }

    /// Makes the engine compare the schemas, if there is an engine.
    ///
    /// - Returns: whether the schema has changed.
    func renewEngineSchema() throws -> Bool {
        guard let engine else { return false }
        return try notingInterruption { try withInternalStatements { try engine.renewSchema(of: self) } }
    }

    /// Runs a call of the engine, and records an error that the cancellation of the access's task may have caused, so that the access throws
    /// `CancellationError`.
    ///
    /// SQLite's errors are recorded where they are created: see ``makeError(_:sql:arguments:)``.
    fileprivate func notingInterruption<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            if let accessInterruption, accessInterruption.hasCome { accessInterruption.didInterrupt() }
            throw error
        }
    }

    /// Whether the connection refuses statements that write. SQLite can't refuse them: the copy of an engine's schema is never read-only.
    var isReadonlyWithEngine: Bool { engine != nil && configuration.readonly }

    /// Returns the program's statement, for a statement that SQLite reports.
    func engineStatement(of handle: SQLiteStatement) -> EngineStatement? {
        engineStatements.isEmpty ? nil : engineStatements[handle]
    }

    /// Throws for an operation on the file of a database whose rows an engine keeps elsewhere.
    func checkHasNoEngine(_ problem: String, advice: String) throws {
        if engine == nil { return }
        throw DatabaseError(code: .SQLITE_ERROR, message: "a database whose rows are kept by another engine \(problem)", advice: advice)
    }
}

/// Runs statements on the connection's engine.
struct EngineRun: StatementParticipant {
    var need: StatementNeeds.Need { .engine }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard let plan = statement.plan else { return }
        try db.notingInterruption { try db.engine?.statementWillBegin(statement, plan: plan) }
    }

    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {
        guard let plan = end.statement.plan else { return }
        db.engine?.statementDidEnd(end.statement, plan: plan)
    }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        guard let plan = failure.statement.plan, let engine = db.engine else { return }
        failure.error = engine.statementDidFail(failure.statement, plan: plan, with: failure.error)
    }
}

/// The program's statement, for a statement of the C API that runs in its place.
struct EngineStatement {
    let sql: String
    let plan: StatementPlan

    /// Returns the SQL with the values of the parameters.
    func expandedSQL(_ handle: SQLiteStatement) -> String {
        sqliteExpandedSQL(of: handle).flatMap { plan.expandedSQL(replacement: $0) } ?? sql
    }
}
