import CSQLiteShims

extension Database {
    /// Whether a transaction is open.
    @inlinable
    public var isInsideTransaction: Bool {
        checkAccess()
        guard let handle = sqliteConnection else { return false }
        return sqlite3_get_autocommit(handle) == 0
    }

    /// The row ID of the last row that this connection has inserted; 0 before the first.
    ///
    /// Source: <https://www.sqlite.org/c3ref/last_insert_rowid.html>
    @inlinable
    public var lastInsertedRowID: Int64 {
        checkAccess()
        return sqliteConnection.map { sqlite3_last_insert_rowid($0) } ?? 0
    }

    /// Sets ``lastInsertedRowID``. A statement has inserted a row if the value is another one afterwards.
    ///
    /// Source: <https://www.sqlite.org/c3ref/set_last_insert_rowid.html>
    ///
    /// - Returns: false if another engine runs the statements: its last row ID can't be set.
    package func setLastInsertedRowID(_ rowID: Int64) -> Bool {
        checkAccess()
        guard engine == nil, let sqliteConnection else { return false }
        sqlite3_set_last_insert_rowid(sqliteConnection, rowID)
        return true
    }

    /// The number of rows that the last statement inserted, updated or deleted, not counting changes by triggers and foreign keys.
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
    /// The SQL is `BEGIN IMMEDIATE TRANSACTION`, or another kind, before the closure, and `COMMIT TRANSACTION` or
    /// `ROLLBACK TRANSACTION` after it.
    ///
    /// The transaction belongs to the closure until the closure returns. If it ends earlier, because SQLite rolls it back or the closure
    /// runs `ROLLBACK` or `COMMIT`, all later statements of the closure throw `SQLITE_ABORT`: they would take effect outside the
    /// transaction.
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction. By default, ``Configuration/defaultTransactionKind``, or deferred where writing is forbidden.
    ///   - operations: performs the changes, and returns how the transaction ends.
    /// - Throws: the closure's error, after rolling back, or ``DatabaseError``. Transactions don't nest: use savepoints inside a
    ///   transaction. When the commit itself fails, the transaction is rolled back. When the transaction has ended early, and the closure
    ///   returns `.commit`, the error that ended it is thrown.
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        try inTransaction(kind, commit: { try commit() }, operations)
    }

    func inTransaction(
        _ kind: TransactionKind?, commit: () throws -> Void, _ operations: () throws -> TransactionCompletion
    ) throws {
        try beginTransaction(kind)
        try complete(
            { try transaction.within(.closure, operations) }, commit: commit, rollback: { try rollback() })
    }

    /// Runs a closure in a savepoint. Savepoints nest, and can be rolled back one by one.
    ///
    /// ```swift
    /// try db.inSavepoint {
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return .commit
    /// }
    /// ```
    ///
    /// The SQL is `SAVEPOINT strata` before the closure, and `RELEASE SAVEPOINT strata` after it; a rollback runs
    /// `ROLLBACK TRANSACTION TO SAVEPOINT strata` first. Outside a transaction, this is ``inTransaction(_:_:)``.
    ///
    /// - Parameter operations: performs the changes, and returns how the savepoint ends.
    /// - Throws: the closure's error, after rolling back to the savepoint, or ``DatabaseError``.
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else {
            return try inTransaction(nil, operations)
        }
        try runCached("SAVEPOINT strata")
        try complete(
            operations,
            commit: { try runCached("RELEASE SAVEPOINT strata") },
            rollback: {
                // A transaction that was rolled back has no savepoint left.
                if transaction.failure != nil, !isInsideTransaction { return }
                do {
                    try withoutCancellation {
                        try runCached("ROLLBACK TRANSACTION TO SAVEPOINT strata")
                        try runCached("RELEASE SAVEPOINT strata")
                    }
                } catch let error as DatabaseError {
                    // The transaction must not be committed with a part of the savepoint's changes.
                    if isInsideTransaction { noteUnreportedFailure(error) }
                    throw error
                }
            })
    }

    /// Begins a transaction. The SQL is `BEGIN IMMEDIATE TRANSACTION`, or another kind.
    ///
    /// ```swift
    /// try db.beginTransaction()
    /// try db.execute(sql: "DELETE FROM player")
    /// try db.commit()
    /// ```
    ///
    /// - Parameter kind: the kind of the transaction. By default, ``Configuration/defaultTransactionKind``, or deferred where writing
    ///   is forbidden.
    /// - Throws: ``DatabaseError``, for example inside a transaction.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        try rollBackFailedTransaction()
        let isReadonly = configuration.readonly || transaction.forbidsWriting
        let kind = kind ?? (isReadonly ? .deferred : configuration.defaultTransactionKind)
        try runCached("BEGIN \(kind.rawValue) TRANSACTION")
    }

    /// Commits the current transaction. The SQL is `COMMIT TRANSACTION`.
    ///
    /// - Throws: ``DatabaseError``. In most cases, the transaction is then still open, and can be corrected or rolled back.
    public func commit() throws {
        try runCached("COMMIT TRANSACTION")
    }

    /// Rolls back the current transaction. The SQL is `ROLLBACK TRANSACTION`; nothing runs if SQLite has already rolled it back.
    ///
    /// - Throws: ``DatabaseError``.
    public func rollback() throws {
        if !transaction.isScoped { transaction.takeFailure() }
        guard isInsideTransaction else { return }
        do {
            try withoutCancellation { try runCached("ROLLBACK TRANSACTION") }
        } catch {
            // A guarded closure must not roll back, and its transaction continues.
            if isInsideTransaction, !transaction.isGuarded { transaction.fail(.notRolledBack(error)) }
            throw error
        }
    }

    /// Rolls back a transaction whose rollback has failed.
    func rollBackFailedTransaction() throws {
        if case .notRolledBack = transaction.failure { try rollback() }
    }

    /// Runs a closure that can't write to the database.
    ///
    /// ```swift
    /// try db.readOnly { try script.run(db) }
    /// ```
    ///
    /// - Parameter value: the closure. Writing statements in it throw `SQLITE_READONLY`, even for temporary tables.
    /// - Throws: the closure's error, or ``DatabaseError``.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        checkAccess()
        // This does not use `PRAGMA query_only`, which makes SQLite compile all statements of the connection again.
        return try transaction.forbiddingWriting(value)
    }

    // MARK: - Inside

    /// Runs a closure inside a transaction or a savepoint, and ends the transaction or the savepoint.
    private func complete(
        _ operations: () throws -> TransactionCompletion, commit: () throws -> Void, rollback: () throws -> Void
    ) throws {
        do {
            let completion = try operations()
            // A failed transaction can't be committed. A closure that returns `.rollback` has caught the error, if a statement threw it.
            if let failure = transaction.failure, completion == .commit || !failure.isReported { throw failure.error }
            if completion == .commit { return try commit() }
        } catch {
            // An error of the rollback would hide the first error, which says what went wrong.
            try? rollback()
            throw error
        }
        try rollback()
    }

    /// Rolls back a transaction that an access has left open, and throws unless the access has already failed.
    func endLeftOpenTransaction<T>(throwing result: Result<T, any Error>) throws {
        let failure = transaction.takeFailure()
        guard isInsideTransaction else {
            // SQLite has rolled back the transaction on its own, because of an error that no statement has thrown.
            if let failure, !failure.isReported, case .success = result { throw failure.error }
            return
        }
        try rollback()
        if case .success = result {
            // The cancellation may have interrupted the statement that ends the transaction, and the access caught the error.
            try checkCancellation()
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "a transaction was left open at the end of a database access, and was rolled back",
                advice: "Commit it or roll it back before the access ends.")
        }
    }

    func runCached(_ sql: String) throws {
        try cachedStatement(sql: sql).run()
    }
}

/// Refuses statements that write where writing is forbidden.
struct WritingCheck: StatementParticipant {
    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard statement.mayWrite, db.transaction.forbidsWriting || db.isReadonlyWithEngine else { return }
        throw DatabaseError(
            code: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: statement.sql,
            arguments: statement.state.pointee.arguments, publicStatementArguments: db.configuration.publicStatementArguments, advice: nil)
    }
}

/// Follows statements that begin and end transactions.
struct FollowedTransaction: StatementParticipant {
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {
        end.isReading = db.transaction.isReading
        let effects = end.statement.effects
        guard effects.controlsTransaction else { return }
        end.endsTransaction = db.transaction.didControl(rollsBack: effects.rollsBack, isOpen: db.isInsideTransaction)
    }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        let effects = failure.statement.effects
        if effects.rollsBack, effects.savepoint == nil { db.transaction.rollbackDidFail(isOpen: db.isInsideTransaction) }
        if effects.savepoint?.operation == .release { rollBackLostTransaction(failure.error, in: db) }
        failure.hasRolledBack = db.transaction.isOpen && !db.isInsideTransaction
    }

    /// Ends a transaction that SQLite keeps open although it has rolled back its changes.
    ///
    /// The RELEASE of the savepoint that began the transaction commits. If the commit fails, because an observer refuses it or the disk is
    /// full, SQLite rolls back as for COMMIT, but the transaction stays open: later statements would be committed without the earlier ones.
    /// If the savepoint does not exist (`SQLITE_ERROR`), or if the commit can be tried again, nothing was rolled back.
    private func rollBackLostTransaction(_ error: any Error, in db: Database) {
        guard let handle = db.sqliteConnection, !db.hasEngine, db.isInsideTransaction, sqlite3_txn_state(handle, nil) == SQLITE_TXN_NONE,
            (error as? DatabaseError)?.resultCode != .SQLITE_ERROR
        else { return }
        _ = db.withoutInterruption { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }
}

/// Follows statements on savepoints.
struct FollowedSavepoints: StatementParticipant {
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {
        guard let savepoint = end.statement.effects.savepoint else { return }
        db.observation.keepStatementChanges()
        db.observation.deliver(db.transaction.didControlSavepoint(savepoint.operation, savepoint.name))
    }
}
