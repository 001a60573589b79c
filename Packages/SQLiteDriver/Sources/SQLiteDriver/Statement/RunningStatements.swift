import CSQLiteShims

// The running statements of a connection, which have begun and were not reset. The end of an access resets them: rows and cursors
// must not outlive the access, and the statements would keep their locks.
//
// The list contains the states of statements, and not the `Statement` objects, whose last reference may be released on any thread,
// at any time. The memory of a state is freed only where the connection can be used. The states are linked, as an array would be checked
// for exclusive access at each run.

extension Database {
    typealias StatementState = UnsafeMutablePointer<Statement.State>

    var hasRunningStatements: Bool { state.pointee.lastRunning != nil }

    func addRunning(_ statement: StatementState) {
        let last = state.pointee.lastRunning
        statement.pointee.previousRunning = last
        last?.pointee.nextRunning = statement
        state.pointee.lastRunning = statement
    }

    /// Resets a statement.
    ///
    /// - Returns: SQLite's result code. After a row, it is an error if memory ran out when one of the row's strings was converted: SQLite
    ///   reports this at the statement's next step, or here.
    @discardableResult
    func endRun(_ statement: StatementState) -> CInt {
        let code = sqlite3_reset(statement.pointee.handle)
        if statement.pointee.measuredRun != nil { endMeasures(of: statement, code) }
        guard statement.pointee.isRunning else { return code }
        statement.pointee.rowObserver?.statementDidLeaveRow()
        statement.pointee.runID &+= 1
        statement.pointee.isRunning = false
        statement.pointee.runThread = 0
        removeRunning(statement)
        return code
    }

    /// Resets all running statements.
    func endAllRuns() {
        observation.endStatements()
        logProtection.endPragma(self)
        while let statement = state.pointee.lastRunning { endRunNotingFailure(statement) }
        reportMeasures()
    }

    /// Resets a statement where its error can't be thrown. The end of the access throws the error.
    ///
    /// Outside transactions, a statement that returns rows commits its changes when it ends. SQLite undoes them if the commit fails, for
    /// example because of a deferred foreign key, or of another connection's lock.
    private func endRunNotingFailure(_ statement: StatementState) {
        let code = endRun(statement)
        if code == SQLITE_OK { return }
        let sql = sqlite3_sql(statement.pointee.handle).map { String(cString: $0).trimmedSQL }
        noteUnreportedFailure(makeError(code, sql: sql, arguments: statement.pointee.arguments))
    }

    private func removeRunning(_ statement: StatementState) {
        let (previous, next) = (statement.pointee.previousRunning.take(), statement.pointee.nextRunning.take())
        previous?.pointee.nextRunning = next
        if let next { next.pointee.previousRunning = previous } else { state.pointee.lastRunning = previous }
    }

    /// Finalizes a statement without references: immediately if this thread uses the connection, otherwise as soon as possible.
    func discard(_ statement: StatementState) {
        if isAccessedByCurrentThread {
            finalize(statement)
        } else {
            abandoned.withLock { $0.append(statement) }
        }
    }

    func finalizeAbandonedStatements() {
        var statements: [StatementState] = []
        abandoned.withLock { swap(&$0, &statements) }
        for statement in statements { finalize(statement) }
    }

    private func finalize(_ statement: StatementState) {
        endRunNotingFailure(statement)
        // Rows that outlive the statement must not read from it.
        statement.pointee.rowObserver?.statementDidLeaveRow()
        if !engineStatements.isEmpty { engineStatements[statement.pointee.handle] = nil }
        sqlite3_finalize(statement.pointee.handle)
        statement.deinitialize(count: 1)
        statement.deallocate()
    }
}
