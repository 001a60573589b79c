import CSQLiteShims

extension Database {
    /// Whether a transaction is open.
    @inlinable
    public var isInsideTransaction: Bool {
        checkAccess()
        guard let handle = sqliteConnection else { return false }
        return sqlite3_get_autocommit(handle) == 0
    }

    /// The row id of the last row that this connection inserted, 0 before the first.
    ///
    /// Source: <https://www.sqlite.org/c3ref/last_insert_rowid.html>
    @inlinable
    public var lastInsertedRowID: Int64 {
        checkAccess()
        return sqliteConnection.map { sqlite3_last_insert_rowid($0) } ?? 0
    }

    /// The number of rows that the last statement inserted, updated or deleted, without those of triggers and foreign keys.
    ///
    /// Source: <https://www.sqlite.org/c3ref/changes.html>
    @inlinable
    public var changesCount: Int {
        checkAccess()
        return sqliteConnection.map { Int(sqlite3_changes($0)) } ?? 0
    }

    /// The number of rows that were inserted, updated or deleted since the connection was opened.
    ///
    /// Source: <https://www.sqlite.org/c3ref/total_changes.html>
    public var totalChangesCount: Int {
        checkAccess()
        return sqliteConnection.map { Int(sqlite3_total_changes($0)) } ?? 0
    }

    /// Runs a closure in a transaction.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the kind of transaction; that of the configuration when nil, a deferred one where writing is forbidden.
    ///   - operations: says how the transaction ends.
    /// - Throws: the closure's error, after rolling back, or ``DatabaseError``: inside a transaction SQLite refuses another one.
    ///   When the commit itself fails, the transaction is rolled back.
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        try inTransaction(kind, commit: { try commit() }, operations)
    }

    func inTransaction(
        _ kind: TransactionKind?, commit: () throws -> Void, _ operations: () throws -> TransactionCompletion
    ) throws {
        try beginTransaction(kind)
        try complete(operations, commit: commit, rollback: { try rollback() })
    }

    /// Runs a closure in a savepoint, which is undone alone when it fails. Savepoints nest.
    ///
    /// ```swift
    /// try db.inSavepoint {
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return .commit
    /// }
    /// ```
    ///
    /// Outside a transaction, this is ``inTransaction(_:_:)``.
    ///
    /// - Parameter operations: says how the savepoint ends.
    /// - Throws: the closure's error, after undoing what it did, or ``DatabaseError``.
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else {
            return try inTransaction(nil, operations)
        }
        try runCached("SAVEPOINT strata")
        try complete(
            operations,
            commit: { try runCached("RELEASE SAVEPOINT strata") },
            rollback: {
                try withoutCancellation {
                    try runCached("ROLLBACK TRANSACTION TO SAVEPOINT strata")
                    try runCached("RELEASE SAVEPOINT strata")
                }
            })
    }

    /// Begins a transaction.
    ///
    /// - Parameter kind: the kind of transaction; that of the configuration when nil, a deferred one where writing is forbidden.
    /// - Throws: ``DatabaseError``, among others inside a transaction.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        let isReadonly = configuration.readonly || state.pointee.forbidsWriting
        let kind = kind ?? (isReadonly ? .deferred : configuration.defaultTransactionKind)
        try runCached("BEGIN \(kind.rawValue) TRANSACTION")
    }

    /// Commits the transaction that is open.
    ///
    /// - Throws: ``DatabaseError``. Most often the transaction is still open then, and can be mended or rolled back.
    public func commit() throws {
        try runCached("COMMIT TRANSACTION")
    }

    /// Rolls back the transaction that is open, and does nothing when SQLite has done so already.
    ///
    /// - Throws: ``DatabaseError``.
    public func rollback() throws {
        setTransactionFailure(nil)
        if isInsideTransaction {
            try withoutCancellation { try runCached("ROLLBACK TRANSACTION") }
        }
    }

    /// Runs a closure that can't write.
    ///
    /// - Parameter value: statements in it that write, be it to temporary tables, throw `SQLITE_READONLY`.
    /// - Throws: the closure's error, or ``DatabaseError``.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        checkAccess()
        // Not by `PRAGMA query_only`: SQLite compiles all statements of the connection again after it.
        let isOutermost = !state.pointee.forbidsWriting
        state.pointee.forbidsWriting = true
        defer { if isOutermost { state.pointee.forbidsWriting = false } }
        return try value()
    }

    // MARK: - Inside

    /// Runs what is inside a transaction or a savepoint, and ends it.
    private func complete(
        _ operations: () throws -> TransactionCompletion, commit: () throws -> Void, rollback: () throws -> Void
    ) throws {
        let completion: TransactionCompletion
        do {
            completion = try operations()
            if let transactionFailure {
                // SQLite rolled back by itself, and the closure caught the error: nothing of it was kept.
                throw transactionFailure
            }
        } catch {
            // The closure's error says what went wrong; one of the rollback would hide it.
            try? rollback()
            throw error
        }
        switch completion {
        case .commit:
            do {
                try commit()
            } catch {
                try? rollback()
                throw error
            }
        case .rollback:
            try rollback()
        }
    }

    /// Rolls back a transaction that an access has left open, which is an error unless the access failed anyway.
    func endLeftOpenTransaction<T>(throwing result: Result<T, any Error>) throws {
        let failure = transactionFailure
        setTransactionFailure(nil)
        guard isInsideTransaction else {
            // SQLite rolled back by itself, and the access caught the error.
            if let failure, case .success = result { throw failure }
            return
        }
        try rollback()
        if case .success = result {
            // The access may have caught the error of the statement that was to end it.
            try checkCancellation()
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "a transaction was left open at the end of a database access, and was rolled back",
                advice: "Commit it or roll it back before the access ends.")
        }
    }

    func runCached(_ sql: String) throws {
        try cachedStatement(sql: sql).run()
    }

    // MARK: - Statements and the transaction

    /// Refuses statements of a task that was cancelled, and of a transaction that SQLite has rolled back by itself, outside of
    /// which they would run. What undoes a transaction always may.
    func statementWillBegin(_ statement: Statement) throws {
        try checkSuspension(statement)
        if !statement.effects.rollsBack {
            if let taskAccess, taskAccess.isInterrupting { throw cancellationError(taskAccess, statement) }
            try checkTransactionFailure(sql: statement.sql)
        }
        if statement.mayWrite, state.pointee.forbidsWriting {
            throw DatabaseError(
                code: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: statement.sql,
                arguments: statement.state.pointee.arguments, publicStatementArguments: configuration.publicStatementArguments, advice: nil)
        }
        if let taskAccess, statement.effects.endsTransaction {
            // From here on no cancellation interrupts it. A rollback begins whatever has happened.
            if statement.effects.rollsBack {
                taskAccess.beginProtection()
                endRunsIfInterrupted()
            } else if !taskAccess.beginCommit() {
                throw cancellationError(taskAccess, statement)
            }
        }
        if recordedRegion != nil {
            // A statement that writes is not asked now: reading the schema first would make the transaction one that reads, and that
            // can't always go on to write.
            if !statement.mayWrite, !statement.effects.region.isEmpty { statement.describe() }
            recordedRegion?.formUnion(statement.effects.region)
        }
        observation.statementWillBegin(statement, in: self)
    }

    private func cancellationError(_ taskAccess: TaskAccess, _ statement: Statement) -> DatabaseError {
        taskAccess.didInterrupt()
        return DatabaseError(code: .SQLITE_INTERRUPT, message: "the task was cancelled", sql: statement.sql, advice: nil)
    }

    /// Refuses SQL of a transaction that SQLite has rolled back by itself.
    func checkTransactionFailure(sql: String) throws {
        guard let transactionFailure else { return }
        throw DatabaseError(
            code: .SQLITE_ABORT_ROLLBACK,
            message: "the transaction was rolled back by an earlier error: \(transactionFailure.message ?? "")",
            sql: sql, advice: "Let that error leave the transaction, and run it again.")
    }

    func statementDidEnd(_ statement: Statement) {
        defer { if statement.effects.endsTransaction { taskAccess?.endProtection() } }
        var endsTransaction = false
        if statement.effects.controlsTransaction {
            if !hasOpenTransaction || !isInsideTransaction { currentTransactionDate = nil }
            if !hasOpenTransaction { isReadingTransaction = state.pointee.forbidsWriting }
            endsTransaction = hasOpenTransaction && !isInsideTransaction
            hasOpenTransaction = isInsideTransaction
            state.pointee.isSchemaVerified = false
            if statement.effects.rollsBack {
                // The schema may be an earlier one again.
                schemaDidChange()
                if !hasOpenTransaction { setTransactionFailure(nil) }
            }
        }
        if statement.effects.changesSchema {
            schemaDidChange()
        }
        if recordedRegion != nil, statement.describeRun() { recordedRegion?.formUnion(statement.effects.region) }
        observation.statementDidEnd(statement, endsTransaction: endsTransaction, in: self)
        if !hasOpenTransaction { isReadingTransaction = false }
    }

    /// Notices that SQLite has rolled back the transaction together with the statement.
    ///
    /// Source: <https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>
    ///
    /// - Returns: the error to throw: that of an observer that has refused a commit, or the statement's.
    func statementDidFail(_ statement: Statement, with error: DatabaseError) -> any Error {
        defer { if statement.effects.endsTransaction { taskAccess?.endProtection() } }
        state.pointee.isSchemaVerified = false
        if statement.effects.rollsBack, statement.effects.savepoint == nil, !isInsideTransaction {
            // A ROLLBACK, which finds that SQLite has rolled back already: that is what it was for.
            setTransactionFailure(nil)
        }
        let veto = observation.statementDidFail(statement, in: self)
        if hasOpenTransaction, !isInsideTransaction {
            hasOpenTransaction = false
            isReadingTransaction = false
            currentTransactionDate = nil
            schemaDidChange()
            // A commit that was refused ends the transaction, as it was to end: there is nothing left to protect.
            if veto == nil { setTransactionFailure(error) }
        }
        return veto ?? error
    }

    func setTransactionFailure(_ error: DatabaseError?) {
        transactionFailure = error
        updateNeedsAttention()
    }
}
