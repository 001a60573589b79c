import CSQLiteShims

extension Database {
    /// Interrupts the running statements of the connection, which then fail with `SQLITE_INTERRUPT`. Safe from any thread.
    ///
    /// Source: <https://www.sqlite.org/c3ref/interrupt.html>
    func interrupt() {
        handleLock.withLock {
            if let handle = lockedHandle {
                sqlite3_interrupt(handle)
                engine?.interrupt()
            }
        }
    }

    /// Makes the access follow the cancellation of its task. SQLite checks for cancellation every thousand instructions of its
    /// virtual machine, statements check before they begin, and ``TaskAccess`` interrupts those that have begun.
    func installCancellation(by taskAccess: TaskAccess) {
        self.taskAccess = taskAccess
        updateParticipants()
        installProgressHandler()
    }

    /// Installs SQLite's progress handler for an access that belongs to a task, and removes it for other accesses.
    func installProgressHandler() {
        guard let handle = sqliteConnection else { return }
        guard taskAccess != nil else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle, 1000,
            { context in
                guard let context else { return 0 }
                let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                // The handler does not return 1 to interrupt: SQLite also calls it at the end of a statement that has committed by itself,
                // and SQLite would report that statement as interrupted.
                if database.taskAccess?.isInterrupting == true { sqlite3_interrupt(database.sqliteConnection) }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Stops following the cancellation of the task, when the access has ended.
    func removeCancellation() {
        guard let taskAccess else { return }
        if let handle = sqliteConnection {
            sqlite3_progress_handler(handle, 0, nil, nil)
            // SQLite clears an interruption when the next statement is compiled or begins. Calls without a statement, such as a
            // checkpoint, must not be interrupted by it in a later access.
            if taskAccess.isCancelled {
                var statement: SQLiteStatement?
                sqlite3_prepare_v2(handle, "SELECT 1", -1, &statement, nil)
                sqlite3_finalize(statement)
            }
        }
        self.taskAccess = nil
        updateParticipants()
    }

    /// Throws if the task of the access is cancelled. Work that runs no statements, such as a backup, calls this between its steps.
    func checkCancellation() throws {
        guard let taskAccess, taskAccess.isInterrupting else { return }
        taskAccess.didInterrupt()
        throw DatabaseError(code: .SQLITE_INTERRUPT, message: "the task was cancelled", advice: nil)
    }

    /// Runs a closure that the cancellation of the access's task does not interrupt.
    func withoutCancellation<T>(_ body: () throws -> T) rethrows -> T {
        guard let taskAccess else { return try body() }
        taskAccess.beginProtection()
        defer { taskAccess.endProtection() }
        endRunsIfInterrupted()
        return try body()
    }

    /// Resets all running statements after an interruption, so that the next statement clears it: SQLite clears it when no other statement
    /// runs.
    func endRunsIfInterrupted() {
        if taskAccess?.isCancelled == true { endAllRuns() }
    }
}
