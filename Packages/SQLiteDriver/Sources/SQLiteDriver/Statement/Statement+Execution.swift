import CSQLiteShims

// Running a statement: begin, step, reset.
//
// A run starts with the first step and ends with a reset. Its number, `runID`, tells those who look at its rows whether
// they still can. The fast paths are inlined into the layers above; whatever is rare is outlined.

extension Statement {
    /// Runs the statement to its end, and forgets the rows that it may produce.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "UPDATE player SET score = ? WHERE name = ?")
    /// try statement.execute(arguments: [1200, "Arthur"])
    /// ```
    ///
    /// - Parameter arguments: the values of the parameters; those of the previous run when nil.
    /// - Throws: ``DatabaseError``.
    @inlinable
    public func execute(arguments: consuming StatementArguments? = nil) throws {
        if let arguments = consume arguments {
            try setArguments(consume arguments)
        }
        try run()
    }

    /// Runs the statement to its end with the values that its parameters have.
    ///
    /// - Throws: ``DatabaseError``. The statement is reset, and can be used again.
    @inlinable
    @inline(__always)
    public func run() throws {
        try begin()
        while true {
            let code = sqlite3_step(sqliteStatement)
            if code == SQLITE_ROW { continue }
            if try finish(code) { continue }
            return
        }
    }

    /// Moves to the next row, starting the statement if need be.
    ///
    /// ```swift
    /// while try statement.step() {
    ///     print(statement.string(at: 0) ?? "NULL")
    /// }
    /// ```
    ///
    /// After the last row the statement is reset, and the next call starts it again.
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

    /// Starts a run whose rows are to be looked at, without moving to the first one.
    ///
    /// A run that is under way ends.
    ///
    /// - Returns: the run's number. Rows belong to this run while ``isInRun(_:)`` says so.
    /// - Throws: ``DatabaseError`` when the statement can't run now.
    @inlinable
    public func beginRun() throws -> Int {
        if state.pointee.isRunning {
            reset()
        }
        try begin()
        noteStarted()
        return state.pointee.runID
    }

    /// Whether a run that ``beginRun()`` started is still under way.
    @inlinable
    public func isInRun(_ runID: Int) -> Bool {
        state.pointee.runID == runID
    }

    /// Whether the statement is running, in an access of the current thread.
    @inlinable
    @inline(__always)
    public var isRunningOnCurrentThread: Bool { state.pointee.runThread == strata_current_thread() }

    /// Stops the program when the statement is running on another thread.
    @inlinable
    @inline(__always)
    func checkThread() {
        if !isRunningOnCurrentThread { database.checkAccess() }
    }

    /// Moves to the next row of a run that is under way, for a layer that checks by itself that it is, on this thread
    /// (``isRunningOnCurrentThread``), and that takes back its views of the current row.
    ///
    /// - Returns: true if there is a row; false after the last one, when the run has ended.
    /// - Throws: ``DatabaseError``. The run has ended.
    @inlinable
    public func stepWithinRun() throws -> Bool {
        let code = sqlite3_step(sqliteStatement)
        if code == SQLITE_ROW { return true }
        return try finish(code)
    }

    /// Ends the run that is under way, if there is one. The values of the parameters stay.
    public func reset() {
        if state.pointee.isRunning { endRun() }
    }

    @inline(never)
    private func endRun() {
        checkThread()
        database.endRun(state)
        if database.state.pointee.needsAttention {
            // A statement that writes and returns rows has done all its changes before the first row.
            database.statementDidEnd(self)
        }
    }

    // MARK: - Inside

    @inlinable
    @inline(__always)
    func begin() throws {
        database.checkAccess()
        if !state.pointee.hasArguments || database.state.pointee.needsAttention || state.pointee.isRunning
            || (mayWrite && database.state.pointee.forbidsWriting)
        {
            try prepareToBegin()
        }
    }

    @inline(never)
    @usableFromInline
    func prepareToBegin() throws {
        reset()
        if !state.pointee.hasArguments {
            try setArguments(StatementArguments())
        }
        try database.statementWillBegin(self)
    }

    @usableFromInline
    func noteStarted() {
        state.pointee.isRunning = true
        state.pointee.runThread = strata_current_thread()
        state.pointee.runID &+= 1
        database.addRunning(state)
    }

    /// Ends a run, after SQLITE_DONE or an error.
    ///
    /// - Returns: true if there is a row after all, once a lock was waited for, and the run goes on.
    @inlinable
    func finish(_ code: CInt) throws -> Bool {
        if code == SQLITE_DONE, endsQuietly, !state.pointee.isRunning, !database.state.pointee.needsAttention {
            sqlite3_reset(sqliteStatement)
            return false
        }
        return try finishWithCare(code)
    }

    @inline(never)
    @usableFromInline
    func finishWithCare(_ code: CInt) throws -> Bool {
        var code = stepAgainAfterSharedLock(code)
        // The message is read first: resetting may replace it.
        var error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : makeError(code)
        if code == SQLITE_ERROR, SQLScript.readsAnotherSchema(compiling: sql, database) {
            sqlite3_reset(sqliteStatement)
            code = stepAgainAfterSharedLock(sqlite3_step(sqliteStatement))
            error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : makeError(code)
        }
        if let error {
            database.endRun(state)
            throw database.statementDidFail(self, with: error)
        }
        if code == SQLITE_ROW { return true }
        database.endRun(state)
        database.statementDidEnd(self)
        return false
    }

    /// Waits for the lock of another connection to the same database in memory, as the busy mode says.
    ///
    /// Statements take such locks before they do anything else: one that met a lock can begin again.
    ///
    /// Source: <https://www.sqlite.org/unlock_notify.html>
    private func stepAgainAfterSharedLock(_ code: CInt) -> CInt {
        var code = code
        var numberOfTries = 0
        while code == ResultCode.SQLITE_LOCKED_SHAREDCACHE.rawValue, database.waitsForLock(numberOfTries: numberOfTries) {
            sqlite3_reset(sqliteStatement)
            code = sqlite3_step(sqliteStatement)
            numberOfTries += 1
        }
        return code
    }

    /// The error of the call to SQLite that has just failed, with this statement's SQL and arguments.
    @usableFromInline
    func makeError(_ code: CInt) -> DatabaseError {
        database.makeError(code, sql: sql, arguments: state.pointee.arguments)
    }
}
