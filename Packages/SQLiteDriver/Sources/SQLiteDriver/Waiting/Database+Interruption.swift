import CSQLiteShims

// The interruption of statements, by `interrupt()` and by the cancellation of a task. This file owns SQLite's progress handler.
//
// `sqlite3_interrupt` is not used for statements. It sets a flag that SQLite clears only when no statement is running, and a full-text
// table has a statement of its own that keeps running until its transaction ends: a handle for blobs. With the flag set, not even ROLLBACK
// could run. The handler's answer interrupts the current statement and leaves nothing behind.

/// The state of the interruption that only the thread of the access uses.
struct InterruptionState {
    /// Whether the progress handler has interrupted a statement whose error is not known yet.
    var hasInterruptedStatement = false
    /// Whether the progress handler is called as often as possible.
    var checksEachInstruction = false
    /// The number of closures that are running and must not be interrupted.
    var uninterruptibleCount = 0
    /// The last rollback that has begun although all statements must throw.
    var rollback: SQLiteStatement?
}

extension Database {
    /// Interrupts the running statements of the connection, which then fail with `SQLITE_INTERRUPT`. Safe from any thread.
    ///
    /// Like `sqlite3_interrupt`, it does not interrupt statements that begin when no other statement is running.
    ///
    /// - Parameter endingAccesses: whether all statements of this access and of later ones throw from now on, except rollbacks.
    func interrupt(endingAccesses: Bool = false) {
        handleLock.withLock {
            guard let handle = lockedHandle else { return }
            if endingAccesses { interruption.value = Self.endOfAccesses } else if !hasEnded { interruption.value = 1 }
            if isInsideLongCall { sqlite3_interrupt(handle) }
            engine?.interrupt()
        }
    }

    /// Permits accesses again after their end.
    func permitAccesses() {
        interruption.value = 0
        interruptionState.rollback = nil
        clearInterruption()
    }

    /// The value of ``interruption`` after the end of accesses.
    private static let endOfAccesses: UInt = 2

    /// Whether all statements must throw. Safe from any thread.
    fileprivate var hasEnded: Bool { interruption.value == Self.endOfAccesses }

    /// How many instructions of its virtual machine SQLite runs between two calls of the progress handler. A statement also checks for
    /// interruptions when it begins and at each step, and after each call of a function of the program.
    static let instructionsPerCheck: CInt = 200

    /// Installs SQLite's progress handler, which interrupts statements.
    ///
    /// Source: <https://www.sqlite.org/c3ref/progress_handler.html>
    func installProgressHandler(instructionsPerCheck: CInt = Database.instructionsPerCheck) {
        guard let handle = sqliteConnection else { return }
        sqlite3_progress_handler(
            handle, instructionsPerCheck,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().interruptsStatement() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns whether SQLite must interrupt its current statement. Code that SQLite calls while a statement is running calls it, and must
    /// then make the statement fail with `SQLITE_INTERRUPT`.
    func interruptsStatement() -> Bool {
        guard interruption.value != 0 || monitoring?.limit?.isReached == true, interruptionState.uninterruptibleCount == 0,
            accessInterruption?.isProtecting != true
        else { return false }
        if let rollback = interruptionState.rollback, rollback == state.pointee.steppingStatement { return false }
        // SQLite also calls the handler when a statement has already succeeded, and would report that statement as interrupted.
        if let statement = state.pointee.steppingStatement, sqlite3_stmt_busy(statement) == 0 { return false }
        interruptionState.hasInterruptedStatement = true
        return true
    }

    /// Forgets an interruption that came while no statement was running, before a statement begins. If a statement was running, the
    /// new statement is interrupted, too.
    func statementWillBeginAfterInterruption() {
        interruptionState.hasInterruptedStatement = false
        if hasEnded { return }
        if !hasRunningStatements, state.pointee.steppingStatement == nil, accessInterruption?.hasCome != true {
            clearInterruption()
        } else {
            interruptAtNextInstruction()
        }
    }

    /// Makes the next step of a statement check for interruptions, however short it is.
    @inline(never)
    @usableFromInline
    func interruptAtNextInstruction() {
        if interruptionState.checksEachInstruction { return }
        interruptionState.checksEachInstruction = true
        installProgressHandler(instructionsPerCheck: 1)
    }

    /// Forgets an interruption.
    func clearInterruption() {
        if hasEnded { return }
        interruption.value = 0
        interruptionState.hasInterruptedStatement = false
        if interruptionState.checksEachInstruction {
            interruptionState.checksEachInstruction = false
            installProgressHandler()
        }
    }

    /// Runs a closure whose statements are not interrupted, because it could not report the interruption.
    func withoutInterruption<T>(_ body: () throws -> T) rethrows -> T {
        interruptionState.uninterruptibleCount += 1
        defer { interruptionState.uninterruptibleCount -= 1 }
        return try body()
    }

    /// Runs a closure with a call of SQLite that only `sqlite3_interrupt` ends early, such as a checkpoint.
    ///
    /// If a statement of the connection is running, the call is not interrupted: SQLite would not clear its flag after the call.
    func interruptingLongCall<T>(_ body: () throws -> T) throws -> T {
        let handle = try openHandle()
        if Self.statements(of: handle).contains(where: { sqlite3_stmt_busy($0) != 0 }) { return try body() }
        handleLock.withLock {
            isInsideLongCall = true
            if interruption.value != 0, accessInterruption?.isProtecting != true { sqlite3_interrupt(handle) }
        }
        defer {
            handleLock.withLock { isInsideLongCall = false }
            if interruption.value != 0 {
                // Compiling a statement clears the flag.
                var statement: SQLiteStatement?
                sqlite3_prepare_v2(handle, "SELECT 1", -1, &statement, nil)
                sqlite3_finalize(statement)
            }
        }
        return try body()
    }

    // MARK: - The cancellation of a task

    /// Throws if the task of the access is cancelled. Work that runs no statements, such as a backup, calls this between its steps.
    func checkCancellation() throws {
        if let accessInterruption, accessInterruption.isInterrupting { throw accessInterruption.statementError() }
    }

    /// Ends the access if its time is over. An engine calls this when a request of its own ends at that time: the timer may be late.
    package func endLateAccess() { access?.checkTime() }

    /// Returns the error that the program sees, for an error of a statement: in a callback, the error of its early end.
    func thrownError(_ error: any Error) -> any Error {
        guard let accessInterruption, accessInterruption.endsStatementsItself else { return error }
        return accessInterruption.replacement(for: error, self)
    }

    /// Runs a closure that waits for the program, and whose time does not count for the limit of the access.
    package func withoutTimeLimit<T>(_ body: () -> T) -> T { access?.pausing(body) ?? body() }

    /// Runs a closure that the cancellation of the access's task does not interrupt.
    func withoutCancellation<T>(_ body: () throws -> T) rethrows -> T {
        guard let accessInterruption else { return try body() }
        accessInterruption.beginProtection()
        defer { accessInterruption.endProtection() }
        return try body()
    }
}

extension Result where Success == Database, Failure == any Error {
    /// Runs the closure of a callback, if its access has begun.
    ///
    /// - Returns: the result for the completion. The error of an early end replaces those of the statements that it has interrupted.
    package func running<T>(_ body: (Database) throws -> T) -> Result<T, any Error> {
        flatMap { db in Result<T, any Error> { try body(db) }.mapError { db.thrownError($0) } }
    }
}

/// Refuses statements when the task of the access is cancelled, except rollbacks.
struct CancellationCheck: StatementParticipant {
    var need: StatementNeeds.Need { .task }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard !statement.effects.rollsBack, let access = db.access else { return }
        // The timer may be late on a busy machine.
        access.checkTime()
        if access.interruption.isInterrupting { throw access.interruption.statementError(sql: statement.sql) }
    }
}

/// Refuses statements when all accesses must end, except rollbacks.
struct ShutdownCheck: StatementParticipant {
    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard db.hasEnded, db.interruptionState.uninterruptibleCount == 0 else { return }
        guard statement.effects.rollsBack else {
            throw DatabaseError(code: .SQLITE_INTERRUPT, message: "the database is shutting down", sql: statement.sql, advice: nil)
        }
        db.interruptionState.rollback = statement.handle
    }
}

/// Protects the end of a transaction from the cancellation of the access's task.
struct ProtectedEnd: StatementParticipant {
    var need: StatementNeeds.Need { .task }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard statement.effects.endsTransaction, let accessInterruption = db.accessInterruption else { return }
        let hasCome = accessInterruption.beginProtection()
        if hasCome, !statement.effects.rollsBack { throw accessInterruption.statementError(sql: statement.sql) }
    }

    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {
        if end.statement.effects.endsTransaction { db.accessInterruption?.endProtection() }
    }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        if failure.statement.effects.endsTransaction { db.accessInterruption?.endProtection() }
    }
}
