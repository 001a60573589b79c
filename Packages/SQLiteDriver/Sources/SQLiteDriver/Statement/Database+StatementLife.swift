// The life of a statement: the participants in its begin, its end and its failure, and their order.
//
// | participant    | begin | end | failure | why it stands here                                                                    |
// |----------------|-------|-----|---------|---------------------------------------------------------------------------------------|
// | suspension     | 1     |     |         | It releases locks, so nothing may have happened for the statement before.             |
// | notifications  | 2     |     |         | An observer that misuses the connection gets this error, and not that of its statement. |
// | guard          | 3     |     |         | A COMMIT that must not run is an error, even in a transaction that has failed.        |
// | cancellation   | 4, 7  | 9   | 8       | A rollback always begins. A commit is protected once nothing else can refuse it.       |
// | failed transaction | 5 |     | 6       | What a statement changed would stay, outside of the transaction.                      |
// | read-only      | 6     |     |         | The last check.                                                                        |
// | recording      | 8     | 6   |         | It reads the schema, which is current once the statement has run.                     |
// | observation    | 9     | 8   | 5       | It notes what to compare the changes with, and reports last: observers may use the connection. |
// | engine         | 10    | 1   | 1       | It prepares the run elsewhere, and knows first how that went.                          |
// | log protection | 11    | 2   | 3       | It holds a lock for as short a time as possible.                                       |
// | transaction    |       | 3   | 4, 7    | What follows asks whether a transaction is open.                                       |
// | savepoints     |       | 4   |         | They take the changes of earlier statements before the observers are notified.         |
// | schema         |       | 5   | 2       | What follows reads the new schema.                                                     |
// | commit counter |       | 7   |         | Observers of the commit find it counted.                                               |
//
// A statement without participants skips all of this: see `Statement.begin()`. The connection's own queries skip it, too: see
// `InternalQuery`.

extension Database {
    /// Prepares the run of a statement, or throws if it must not run.
    func statementWillBegin(_ statement: Statement) throws {
        try checkSuspension(statement)
        try observation.checkNotNotifying(statement)
        try checkGuard(statement)
        if !statement.effects.rollsBack {
            if let taskAccess, taskAccess.isInterrupting { throw cancellationError(taskAccess, statement) }
            try checkTransactionFailure(sql: statement.sql)
        }
        try checkMayWrite(statement)
        if let taskAccess, statement.effects.endsTransaction { try protectEnd(statement, taskAccess) }
        if recordedRegion != nil { recordAccess(of: statement) }
        observation.statementWillBegin(statement, in: self)
        if statement.plan != nil { try engineWillBegin(statement) }
        if let pragma = statement.effects.logPragma { try logProtection.statementWillBegin(pragma, self) }
    }

    /// Follows a statement that has succeeded.
    func statementDidEnd(_ statement: Statement) {
        defer { if statement.effects.endsTransaction { taskAccess?.endProtection() } }
        if let plan = statement.plan { engine?.statementDidEnd(statement, plan: plan) }
        if logProtection.isInStatement { logProtection.statementDidEnd(self) }
        let isReading = transaction.isReading
        var endsTransaction = false
        var failure: TransactionFailure?
        if statement.effects.controlsTransaction {
            endsTransaction = transaction.follow(isOpen: isInsideTransaction)
            if let savepoint = statement.effects.savepoint {
                observation.keepStatementChanges()
                observation.deliver(transaction.apply(savepoint.operation, savepoint.name))
            }
            if endsTransaction, transaction.isScoped {
                failure = .ended(by: statement.sql)
            } else if statement.effects.rollsBack, !transaction.isOpen, !transaction.isScoped {
                setTransactionFailure(nil)
            }
            // A rollback may have restored an earlier schema.
            if statement.effects.rollsBack { schemaDidChange() }
        }
        if statement.effects.changesSchema {
            schemaDidChange()
            resolveNamesAnew()
        }
        if recordedRegion != nil { recordRun(of: statement) }
        countCommits()
        observation.statementDidEnd(statement, endsTransaction: endsTransaction, ofReading: isReading, in: self)
        // Observers may use the connection, and the rest of the closure may not.
        if let failure { setTransactionFailure(failure) }
    }

    /// Follows a statement that has failed, which may have made SQLite roll back the transaction.
    ///
    /// Source: <https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>
    ///
    /// - Returns: the error to throw: the statement's error, or that of an observer that has refused the commit.
    func statementDidFail(_ statement: Statement, with error: any Error) -> any Error {
        defer { if statement.effects.endsTransaction { taskAccess?.endProtection() } }
        var error = error
        if let engine, let plan = statement.plan { error = engine.statementDidFail(statement, plan: plan, with: error) }
        transaction.isSchemaVerified = false
        if logProtection.isInStatement { logProtection.statementDidEnd(self) }
        if statement.effects.rollsBack, statement.effects.savepoint == nil, !isInsideTransaction, !transaction.isScoped {
            // A ROLLBACK failed because SQLite has already rolled back: the transaction has ended, as intended.
            setTransactionFailure(nil)
        }
        let isRolledBack = transaction.isOpen && !isInsideTransaction
        let veto = observation.statementDidFail(statement, in: self)
        endRolledBackTransaction()
        // A refused commit ends the transaction as intended, so later statements need no protection, unless the transaction belongs to a
        // closure: they would take effect outside of it.
        if isRolledBack, veto == nil || transaction.isScoped {
            setTransactionFailure(.rolledBack(by: veto ?? error, isReported: true))
        }
        return veto ?? error
    }

    // MARK: - Participants

    /// Updates whether the lives of statements have participants, and asks the observers again.
    func updateParticipants() {
        computeParticipants()
        beginObservationPeriod()
    }

    /// Updates whether the lives of statements have participants, while the observers stay the same.
    func computeParticipants() {
        state.pointee.hasOtherParticipants =
            transaction.failure != nil || taskAccess != nil || recordedRegion != nil || transaction.isGuarded
            || engine != nil || observation.isNotifying || logProtection.isInStatement
            || configuration.observesSuspensionNotifications
        state.pointee.hasParticipants = observation.isActive || state.pointee.hasOtherParticipants
    }

    /// Begins a period: observers are asked about each statement before its next run.
    func beginObservationPeriod() {
        // Not in place: the thread sanitizer would report a change of the structure's first word, which other threads read.
        state.pointee.observationPeriod = state.pointee.observationPeriod &+ 1
        state.pointee.isRunUnobserved = false
    }

    // MARK: - Checks

    private func checkGuard(_ statement: Statement) throws {
        guard case .guarded(let isInterrupted) = transaction.scope else { return }
        let effects = statement.effects
        if effects.controlsTransaction, effects.savepoint == nil {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "the transaction must not be begun, committed or rolled back here", sql: statement.sql,
                advice:
                    "Return, or throw an error: the code that began the transaction ends it. Use inSavepoint for work that may fail.")
        }
        if effects.endsTransaction { return }
        guard isInsideTransaction else {
            throw DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction was rolled back by an earlier error", sql: statement.sql,
                advice: "Let that error propagate out of the transaction, and run the transaction again.")
        }
        if isInterrupted() {
            throw DatabaseError(code: .SQLITE_INTERRUPT, message: "interrupted", sql: statement.sql, advice: nil)
        }
    }

    /// Throws inside a transaction that SQLite has rolled back by itself, or that the program has ended early.
    func checkTransactionFailure(sql: String) throws {
        if let failure = transaction.failure { throw failure.abortError(sql: sql) }
    }

    private func checkMayWrite(_ statement: Statement) throws {
        guard statement.mayWrite, transaction.forbidsWriting || isReadonlyWithEngine else { return }
        throw DatabaseError(
            code: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: statement.sql,
            arguments: statement.state.pointee.arguments, publicStatementArguments: configuration.publicStatementArguments, advice: nil)
    }

    /// Protects the end of a transaction: from here on, no cancellation interrupts it.
    private func protectEnd(_ statement: Statement, _ taskAccess: TaskAccess) throws {
        if statement.effects.rollsBack {
            taskAccess.beginProtection()
        } else if !taskAccess.beginCommit() {
            throw cancellationError(taskAccess, statement)
        }
    }

    private func cancellationError(_ taskAccess: TaskAccess, _ statement: Statement) -> DatabaseError {
        taskAccess.didInterrupt()
        return DatabaseError(code: .SQLITE_INTERRUPT, message: "the task was cancelled", sql: statement.sql, advice: nil)
    }

    // MARK: - Failures outside of statements

    /// Records an error that a caller has not seen. It is thrown when the transaction or the access ends.
    func noteUnreportedFailure(_ error: DatabaseError) {
        if transaction.failure == nil { setTransactionFailure(.rolledBack(by: error, isReported: false)) }
        endRolledBackTransaction()
    }

    /// Records the error of a call that does not belong to a statement of the caller, if it made SQLite roll back the transaction: reading
    /// the schema may run out of memory, for example.
    ///
    /// - Returns: whether the transaction was rolled back.
    @discardableResult
    func noteRollback(by error: DatabaseError) -> Bool {
        guard transaction.isOpen, !isInsideTransaction else { return false }
        noteUnreportedFailure(error)
        return true
    }

    /// Forgets a transaction that SQLite has rolled back.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func endRolledBackTransaction() -> Bool {
        guard transaction.isOpen, !isInsideTransaction else { return false }
        transaction.end()
        schemaDidChange()
        return true
    }

    func setTransactionFailure(_ failure: TransactionFailure?) {
        transaction.failure = failure
        updateParticipants()
    }
}
