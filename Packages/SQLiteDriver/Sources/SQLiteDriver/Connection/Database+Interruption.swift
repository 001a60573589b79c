import CSQLiteShims

extension Database {
    /// Makes the statements that are running on the connection fail with `SQLITE_INTERRUPT`. Safe from any thread.
    ///
    /// Source: <https://www.sqlite.org/c3ref/interrupt.html>
    func interrupt() {
        handleLock.withLock {
            if let handle = sqliteConnection { sqlite3_interrupt(handle) }
        }
    }

    /// Lets the task of the access be cancelled: SQLite asks every thousand instructions of its virtual machine, statements ask before
    /// they begin, and ``TaskAccess`` interrupts those that have begun.
    func installCancellation(by taskAccess: TaskAccess) {
        self.taskAccess = taskAccess
        updateNeedsAttention()
        guard let handle = sqliteConnection else { return }
        sqlite3_progress_handler(
            handle, 1000,
            { context in
                guard let context else { return 0 }
                let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                // Not by returning 1: SQLite also asks at the end of a statement that has been committed by itself, and would
                // report that as interrupted.
                if database.taskAccess?.isInterrupting == true { sqlite3_interrupt(database.sqliteConnection) }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The access has ended, and nobody interrupts it any more.
    func removeCancellation() {
        guard let taskAccess else { return }
        if let handle = sqliteConnection {
            sqlite3_progress_handler(handle, 0, nil, nil)
            // SQLite forgets an interruption with the next statement that is compiled or begins. What needs none, such as a
            // checkpoint, must not meet it in a later access.
            if taskAccess.isCancelled {
                var statement: SQLiteStatement?
                sqlite3_prepare_v2(handle, "SELECT 1", -1, &statement, nil)
                sqlite3_finalize(statement)
            }
        }
        self.taskAccess = nil
        updateNeedsAttention()
    }

    /// Throws when the task of the access is cancelled. Work that runs no statements, such as a backup, calls this between its steps.
    func checkCancellation() throws {
        guard let taskAccess, taskAccess.isInterrupting else { return }
        taskAccess.didInterrupt()
        throw DatabaseError(code: .SQLITE_INTERRUPT, message: "the task was cancelled", advice: nil)
    }

    /// Runs something to its end, whether the task of the access is cancelled or not.
    func withoutCancellation<T>(_ body: () throws -> T) rethrows -> T {
        guard let taskAccess else { return try body() }
        taskAccess.beginProtection()
        defer { taskAccess.endProtection() }
        endRunsIfInterrupted()
        return try body()
    }

    /// Makes SQLite forget an interruption as soon as the next statement begins: it does so when no other one runs.
    func endRunsIfInterrupted() {
        if taskAccess?.isCancelled == true { endAllRuns() }
    }

    /// Whether statements must ask before they begin: see `statementWillBegin(_:)`.
    func updateNeedsAttention() {
        state.pointee.needsAttention =
            transactionFailure != nil || taskAccess != nil || observation.isActive || recordedRegion != nil
            || configuration.observesSuspensionNotifications
    }
}
