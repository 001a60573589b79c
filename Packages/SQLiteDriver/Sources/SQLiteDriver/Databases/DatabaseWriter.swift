/// A database that can be written to: a ``DatabaseQueue`` or a ``DatabasePool``.
///
/// Writing accesses run one after the other.
public protocol DatabaseWriter: DatabaseReader {
    /// Accesses the database without a transaction: each statement is committed on its own.
    ///
    /// ```swift
    /// try writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "PRAGMA optimize")
    /// }
    /// ```
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``: for example, if the closure leaves a transaction open, which is
    ///   then rolled back.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Accesses the database without a transaction, and without blocking a thread.
    ///
    /// - Parameter updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules an access without a transaction, and returns immediately. A transaction that the closure leaves open is rolled back.
    ///
    /// - Parameter updates: called with the connection. If the database was closed in the meantime, all statements throw.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

    /// Accesses the database without a transaction, while no read is running.
    ///
    /// The access waits for running reads. New reads still begin while reads that began before the request are running. After that, new
    /// reads wait until the access has ended.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Accesses the database without a transaction, while no read is running, and without blocking a thread.
    ///
    /// - Parameter updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules an access without a transaction, while no read is running, and returns immediately.
    ///
    /// - Parameter updates: called with the connection, or with the error that kept the access from beginning.
    func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Accesses the database within this thread's current write, or in an access of its own, without a transaction, if there is
    /// none.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T

    /// Reads the changes that were just written, while other accesses may write again.
    ///
    /// ```swift
    /// try writer.writeWithoutTransaction { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     writer.spawnConcurrentRead { result in
    ///         // no player, whatever is written in the meantime
    ///     }
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
    /// }
    /// ```
    ///
    /// Call it inside a write, outside transactions.
    ///
    /// - Parameter value: called with a connection that sees the current state of the database, or with the error that kept the
    ///   read from beginning.
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

// MARK: - Transactions

extension DatabaseWriter {
    /// Writes to the database in a transaction, which commits all changes or none.
    ///
    /// ```swift
    /// try writer.write { db in
    ///     try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
    ///     try db.execute(sql: "UPDATE account SET balance = balance + 10 WHERE id = 2")
    /// }
    /// ```
    ///
    /// The SQL is `BEGIN IMMEDIATE TRANSACTION` before the closure, and `COMMIT TRANSACTION` after it, or `ROLLBACK TRANSACTION`
    /// when the closure throws.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { try $0.writeAccess(updates) }
    }

    /// Writes to the database in a transaction, without blocking a thread.
    ///
    /// ```swift
    /// try await writer.write { db in
    ///     try db.execute(sql: "UPDATE player SET score = score + 10 WHERE id = 1")
    /// }
    /// ```
    ///
    /// - Parameter updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`. After an error, nothing is written.
    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await writeWithoutTransaction { try $0.writeAccess(updates) }
    }

    /// Schedules a write in a transaction, and returns immediately.
    ///
    /// ```swift
    /// writer.asyncWrite { db in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    /// } completion: { _, result in
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - updates: writes to the database.
    ///   - completion: called with the connection, after the transaction, and with the closure's result, or the error that rolled
    ///     back the transaction.
    public func asyncWrite<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.writeAccess(updates) }.mapError { db.thrownError($0) })
        }
    }

    // MARK: - The whole database

    /// Removes all tables, views, indexes and triggers with their content, while no read is running.
    ///
    /// - Throws: ``DatabaseError``.
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Rewrites the database file without unused space. The SQL is `VACUUM`.
    ///
    /// ```swift
    /// try writer.vacuum()
    /// ```
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html>
    ///
    /// - Throws: ``DatabaseError``.
    public func vacuum() throws {
        try access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.vacuum() }
    }

    /// Writes a copy of the database without unused space. The SQL is `VACUUM INTO 'path'`.
    ///
    /// ```swift
    /// try writer.vacuum(into: "/backups/library.sqlite")
    /// ```
    ///
    /// - Parameter path: the path of a file that does not exist, or that is empty.
    /// - Throws: ``DatabaseError``.
    public func vacuum(into path: String) throws {
        try access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.vacuum(into: path) }
    }

    /// Copies the content of the write-ahead log into the database file.
    ///
    /// ```swift
    /// try pool.checkpoint(.truncate)
    /// ```
    ///
    /// While another connection runs a checkpoint, each mode waits for its end, according to ``Configuration/busyMode``.
    ///
    /// Source: <https://www.sqlite.org/wal.html#ckpt>
    ///
    /// - Parameters:
    ///   - mode: how much to copy, and what to wait for.
    ///   - schema: the name of an attached database; "main" by default; nil for all databases of the connection.
    /// - Returns: the number of frames in the log, and the number of frames copied; -1 for both when the database has no
    ///   write-ahead log.
    /// - Throws: ``DatabaseError``: `SQLITE_BUSY` when waiting timed out.
    @discardableResult
    public func checkpoint(
        _ mode: Database.CheckpointMode = .passive, on schema: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        try access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.checkpoint(mode, on: schema) }
    }

    // MARK: - The whole database, in tasks

    /// Removes all tables, views, indexes and triggers with their content, while no read is running, and without blocking a thread.
    ///
    /// - Throws: ``DatabaseError``, or `CancellationError` when the task is cancelled before the database is empty.
    public func erase() async throws {
        try await barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Rewrites the database file without unused space, and without blocking a thread. The SQL is `VACUUM`.
    ///
    /// ```swift
    /// try await queue.vacuum()
    /// ```
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html>
    ///
    /// - Throws: ``DatabaseError``, or `CancellationError` when the task is cancelled, which leaves the file as it was.
    public func vacuum() async throws {
        try await access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.vacuum() }
    }

    /// Writes a copy of the database without unused space, and without blocking a thread. The SQL is `VACUUM INTO 'path'`.
    ///
    /// - Parameter path: the path of a file that does not exist, or that is empty.
    /// - Throws: ``DatabaseError``, or `CancellationError` when the task is cancelled: the file at the path is then incomplete.
    public func vacuum(into path: String) async throws {
        try await access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.vacuum(into: path) }
    }

    /// Copies the content of the write-ahead log into the database file, without blocking a thread.
    ///
    /// ```swift
    /// try await pool.checkpoint(.truncate)
    /// ```
    ///
    /// While another connection runs a checkpoint, each mode waits for its end, according to ``Configuration/busyMode``.
    ///
    /// Source: <https://www.sqlite.org/wal.html#ckpt>
    ///
    /// - Parameters:
    ///   - mode: how much to copy, and what to wait for.
    ///   - schema: the name of an attached database; "main" by default; nil for all databases of the connection.
    /// - Returns: the number of frames in the log, and the number of frames copied; -1 for both when the database has no
    ///   write-ahead log.
    /// - Throws: ``DatabaseError``: `SQLITE_BUSY` when waiting timed out; or `CancellationError` when the task is cancelled.
    @discardableResult
    public func checkpoint(
        _ mode: Database.CheckpointMode = .passive, on schema: String? = "main"
    ) async throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        try await access(AccessRequest(.writeWithoutTransaction, .maintenance)) { try $0.checkpoint(mode, on: schema) }
    }

    // MARK: - Observation

    /// Adds an observer of write transactions.
    ///
    /// - Parameters:
    ///   - observer: notified of changes, commits and rollbacks.
    ///   - extent: how long the observer is notified.
    public func add(
        transactionObserver observer: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        // The access fails only if the database is closed, or if this thread can't wait for it.
        try? reentrantAccess(.ofDatabase) { $0.add(transactionObserver: observer, extent: extent) }
    }

    /// Removes an observer.
    public func remove(transactionObserver observer: some TransactionObserver) {
        try? reentrantAccess(.ofDatabase) { $0.remove(transactionObserver: observer) }
    }
}

extension DatabaseError {
    static var concurrentReadInsideTransaction: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "a concurrent read can't be spawned inside a transaction",
            advice: "Spawn it inside writeWithoutTransaction, before or after the transaction.")
    }
}
