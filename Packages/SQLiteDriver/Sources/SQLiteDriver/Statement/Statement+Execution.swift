import CSQLiteShims

// Running a statement: begin, step, reset.
//
// A run starts with the first step and ends with a reset. Its number, `runID`, shows whether the rows of a run can still be read. The fast
// paths are inlined into the layers above; rare paths are outlined.

extension Statement {
    /// Runs the statement to its end, and ignores its rows.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(
    ///     sql: "UPDATE player SET score = ? WHERE name = ?")
    /// try statement.execute(arguments: [1200, "Arthur"])
    /// ```
    ///
    /// - Parameter arguments: the arguments; nil to use the arguments of the previous run.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public func execute(arguments: consuming StatementArguments? = nil) throws {
        if let arguments = consume arguments {
            try setArguments(consume arguments)
        }
        try run()
    }

    /// Runs the statement to its end, with its current arguments.
    ///
    /// - Throws: ``DatabaseError``. The statement is reset, and can be used again.
    @inlinable
    @inline(__always)
    public func run() throws {
        try begin()
        let outerStatement = database.state.pointee.steppingStatement
        database.state.pointee.steppingStatement = handle
        defer { database.state.pointee.steppingStatement = outerStatement }
        while true {
            let code = isMeasured ? measuredStep() : sqlite3_step(handle)
            if code == SQLITE_ROW { continue }
            if try finish(code) { continue }
            return
        }
    }

    /// Moves to the next row, and begins a run first if none is running.
    ///
    /// ```swift
    /// while try statement.step() {
    ///     print(statement.string(at: 0) ?? "NULL")
    /// }
    /// ```
    ///
    /// After the last row the statement is reset, and the next call begins a new run.
    ///
    /// Outside transactions, a statement that writes and returns rows, such as `INSERT … RETURNING`, commits its changes when it ends: after the
    /// last row, by ``reset()``, by another run, or at the latest with the access. If that commit fails, SQLite undoes the changes, and the call
    /// that steps the statement to its end throws, or the next run, or else the access.
    ///
    /// - Returns: true if there is a row, whose columns can be read until the next call; false after the last row.
    /// - Throws: ``DatabaseError``. The statement is reset.
    @inlinable
    public func step() throws -> Bool {
        if !state.pointee.isRunning {
            try begin()
            noteStarted()
        } else {
            checkThread()
            rowObserver?.statementDidLeaveRow()
        }
        return try stepWithinRun()
    }

    /// Begins a run whose rows will be read, without moving to the first row.
    ///
    /// If the statement is running, that run ends.
    ///
    /// - Returns: the number of the run. Rows of the run can be read while ``isInRun(_:)`` returns true for it.
    /// - Throws: ``DatabaseError`` if the statement can't run now.
    @inlinable
    package func beginRun() throws -> Int {
        if state.pointee.isRunning {
            try endRun()
        }
        try begin()
        noteStarted()
        return state.pointee.runID
    }

    /// Returns whether a run that ``beginRun()`` has begun is still running.
    @inlinable
    package func isInRun(_ runID: Int) -> Bool {
        state.pointee.runID == runID
    }

    /// Whether the statement is running in an access of the current thread.
    @inlinable
    @inline(__always)
    package var isRunningOnCurrentThread: Bool { state.pointee.runThread == strata_current_thread() }

    /// Stops the program if the statement is running on another thread.
    @inlinable
    @inline(__always)
    func checkThread() {
        if !isRunningOnCurrentThread { database.checkAccess() }
    }

    /// Moves to the next row of the current run. It is for layers that check that the statement is running on this thread
    /// (``isRunningOnCurrentThread``), and that invalidate their views of the current row.
    ///
    /// - Returns: true if there is a row; false after the last row, when the run has ended.
    /// - Throws: ``DatabaseError``. The run has ended.
    @inlinable
    package func stepWithinRun() throws -> Bool {
        if database.interruption.value != 0 { database.interruptAtNextInstruction() }
        let code = canBeInterruptedAtEnd ? sqlite3_step(handle) : stepNotInterruptedAtEnd()
        if code == SQLITE_ROW { return true }
        return try finish(code)
    }

    /// Steps a statement that writes, that controls transactions, or that is measured.
    @inline(never)
    @usableFromInline
    func stepNotInterruptedAtEnd() -> CInt {
        let outerStatement = database.state.pointee.steppingStatement
        database.state.pointee.steppingStatement = handle
        defer { database.state.pointee.steppingStatement = outerStatement }
        return isMeasured ? measuredStep() : sqlite3_step(handle)
    }

    @inline(never)
    @usableFromInline
    func measuredStep() -> CInt {
        guard let run = state.pointee.measuredRun, let monitoring = database.monitoring else { return sqlite3_step(handle) }
        return monitoring.step(handle, of: run)
    }

    /// Ends the current run, if any. The arguments stay.
    public func reset() {
        if state.pointee.isRunning { endRunAnyway() }
    }

    /// Ends the run, and throws the error of reading its last row, if there was one.
    ///
    /// In a database whose encoding is UTF-16, SQLite converts a string when it is read. If memory runs out, the string reads as empty, and
    /// the next step fails. Call this method instead of ``reset()`` when no step follows.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_NOMEM`.
    @usableFromInline
    package func endRun() throws {
        guard state.pointee.isRunning else { return }
        checkThread()
        let code = database.endRun(state)
        if code != SQLITE_OK { throw database.statementDidFail(self, with: makeError(code)) }
        if !database.needs.current.isEmpty { database.statementDidEnd(self) }
    }

    @inline(never)
    private func endRunAnyway() {
        checkThread()
        let code = database.endRun(state)
        if code != SQLITE_OK { database.noteUnreportedFailure(makeError(code)) }
        if !database.needs.current.isEmpty {
            // A writing statement that returns rows makes all its changes before the first row.
            database.statementDidEnd(self)
        }
    }

    // MARK: - Inside

    @inlinable
    @inline(__always)
    func begin() throws {
        database.checkAccess()
        if !state.pointee.hasArguments || state.pointee.isRunning || (mayWrite && database.transaction.forbidsWriting)
            || database.interruption.value != 0 || (!database.needs.current.isEmpty && !beginUnobserved())
        {
            try prepareToBegin()
        }
    }

    /// Begins a run without `Database.statementWillBegin(_:)`, if the statement has already run in this transaction, and no observer is
    /// interested in its changes.
    @inlinable
    @inline(__always)
    func beginUnobserved() -> Bool {
        guard state.pointee.unobservedPeriod == database.needs.observationPeriod, !database.needs.areBeyondObservation
        else { return false }
        database.needs.isRunUnobserved = true
        return true
    }

    @inlinable
    @inline(__always)
    func endUnobserved() -> Bool {
        guard database.needs.isRunUnobserved, !database.needs.areBeyondObservation else { return false }
        database.needs.isRunUnobserved = false
        return true
    }

    @inline(never)
    @usableFromInline
    func prepareToBegin() throws {
        try endRun()
        if database.interruption.value != 0 { database.statementWillBeginAfterInterruption() }
        if !state.pointee.hasArguments {
            if let error = state.pointee.argumentsError { throw error }
            if !state.pointee.mayHaveForeignBindings { try setArguments(StatementArguments()) }
        }
        try database.statementWillBegin(self)
    }

    @usableFromInline
    func noteStarted() {
        if !state.pointee.isRunning { database.addRunning(state) }
        state.pointee.isRunning = true
        state.pointee.runThread = strata_current_thread()
        state.pointee.runID &+= 1
    }

    /// Ends a run after SQLITE_DONE or an error.
    ///
    /// - Returns: true if there is a row, because waiting for a lock succeeded and the run continues.
    @inlinable
    func finish(_ code: CInt) throws -> Bool {
        if code == SQLITE_DONE, endsWithoutHandling, !state.pointee.isRunning, database.needs.current.isEmpty || endUnobserved() {
            sqlite3_reset(handle)
            return false
        }
        return try finishWithCare(code)
    }

    @inline(never)
    @usableFromInline
    func finishWithCare(_ code: CInt) throws -> Bool {
        var code = stepAgainAfterSharedLock(code)
        // The message is read before the statement is reset, which may replace it.
        var error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : makeError(code)
        if code == SQLITE_ERROR, SQLScript.readsAnotherSchema(compiling: sql, database) {
            sqlite3_reset(handle)
            code = stepAgainAfterSharedLock(stepNotInterruptedAtEnd())
            error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : makeError(code)
        }
        if var error {
            // Resetting the statement makes its error the last one of the connection again.
            if code & 0xFF == SQLITE_CONSTRAINT { error.constraint = database.violatedConstraint(of: error, in: self) }
            database.endRun(state)
            throw database.statementDidFail(self, with: error)
        }
        if code == SQLITE_ROW { return true }
        database.endRun(state)
        database.statementDidEnd(self)
        return false
    }

    /// Waits for the lock of another connection to the same database in memory, according to the busy mode.
    ///
    /// A statement takes such locks before it does anything else, so it can begin again.
    ///
    /// Source: <https://www.sqlite.org/unlock_notify.html>
    func stepAgainAfterSharedLock(_ code: CInt) -> CInt {
        var code = code
        var numberOfTries = 0
        while code == ResultCode.SQLITE_LOCKED_SHAREDCACHE.rawValue, database.waitsForLock(numberOfTries: numberOfTries) {
            sqlite3_reset(handle)
            code = stepNotInterruptedAtEnd()
            numberOfTries += 1
        }
        return code
    }

    /// Returns the error of the call to SQLite that has just failed, with this statement's SQL and arguments.
    @usableFromInline
    func makeError(_ code: CInt) -> DatabaseError {
        database.makeError(code, sql: sql, arguments: state.pointee.arguments)
    }
}
