/// A database that can be written to: a ``DatabaseQueue`` or a ``DatabasePool``.
///
/// Writing accesses run one after the other.
public protocol DatabaseWriter: DatabaseReader {
    /// Accesses the database without a transaction: each statement takes effect by itself.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``: among others when a transaction that the closure has begun is
    ///   still open, which is then rolled back.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Accesses the database without a transaction, and without blocking a thread.
    ///
    /// - Parameter updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func writeWithoutTransaction<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T

    /// Accesses the database without a transaction, later. A transaction that is left open is rolled back.
    ///
    /// - Parameter updates: is given the connection, all of whose statements throw when it was closed in the meantime.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

    /// Accesses the database without a transaction, while no reading access is under way.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Accesses the database without a transaction, while no reading access is under way, and without blocking a thread.
    ///
    /// - Parameter updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T

    /// Accesses the database without a transaction, later, while no reading access is under way.
    ///
    /// - Parameter updates: is given the connection, or the error that kept the access from beginning.
    func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Accesses the database without a transaction of its own, as a part of the writing access that is under way on this
    /// thread, if there is one.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T

    /// Reads what has just been written, while others may write again.
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
    /// It is called inside a writing access, outside transactions.
    ///
    /// - Parameter value: is given a connection that sees the database as it is now, or the error that kept it from doing so.
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

// MARK: - Transactions

extension DatabaseWriter {
    /// Writes to the database, in a transaction that happens as a whole or not at all.
    ///
    /// ```swift
    /// try writer.write { db in
    ///     try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
    ///     try db.execute(sql: "UPDATE account SET balance = balance + 10 WHERE id = 2")
    /// }
    /// ```
    ///
    /// The SQL is `BEGIN IMMEDIATE TRANSACTION` before, and `COMMIT TRANSACTION` after the access, or `ROLLBACK TRANSACTION`
    /// when it throws.
    ///
    /// - Parameter updates: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { try $0.writeAccess(updates) }
    }

    /// Writes to the database in a transaction, without blocking a thread.
    ///
    /// - Parameter updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`; nothing is written then.
    public func write<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writeWithoutTransaction { try $0.writeAccess(updates) }
    }

    /// Writes to the database in a transaction, later.
    ///
    /// - Parameters:
    ///   - updates: writes.
    ///   - completion: is given the connection, outside the transaction, and what the closure has returned, or the error by
    ///     which nothing was written.
    public func asyncWrite<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.writeAccess(updates) })
        }
    }
}

// MARK: - The whole database

extension DatabaseWriter {
    /// Removes all tables, views, indexes and triggers with their content, while nobody reads.
    ///
    /// - Throws: ``DatabaseError``.
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Rewrites the database file, so that it takes no more space than it needs. The SQL is `VACUUM`.
    ///
    /// Source: <https://www.sqlite.org/lang_vacuum.html>
    ///
    /// - Throws: ``DatabaseError``.
    public func vacuum() throws {
        try writeWithoutTransaction { try $0.vacuum() }
    }

    /// Writes a copy of the database that takes no more space than it needs. The SQL is `VACUUM INTO 'path'`.
    ///
    /// - Parameter path: the path of a file that does not exist, or is empty.
    /// - Throws: ``DatabaseError``.
    public func vacuum(into path: String) throws {
        try writeWithoutTransaction { try $0.vacuum(into: path) }
    }
}

// MARK: - Observation

extension DatabaseWriter {
    /// Adds an observer of the transactions that write.
    ///
    /// - Parameters:
    ///   - observer: is told of changes, commits and rollbacks.
    ///   - extent: how long it observes.
    public func add(
        transactionObserver observer: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        try? unsafeReentrantWrite { $0.add(transactionObserver: observer, extent: extent) }
    }

    /// Removes an observer.
    public func remove(transactionObserver observer: some TransactionObserver) {
        try? unsafeReentrantWrite { $0.remove(transactionObserver: observer) }
    }
}

extension DatabaseError {
    static var concurrentReadInsideTransaction: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "a concurrent read can't be spawned inside a transaction",
            advice: "Spawn it inside writeWithoutTransaction, before or after the transaction.")
    }
}

/// A ``DatabaseWriter`` of any type.
public final class AnyDatabaseWriter: DatabaseWriter {
    let base: any DatabaseWriter

    /// Wraps a writer.
    public init(_ base: any DatabaseWriter) {
        self.base = base
    }

    /// The configuration of the connections.
    public var configuration: Configuration { base.configuration }

    /// The path of the database file.
    public var path: String { base.path }

    /// Closes the database, once the accesses before have ended. Later accesses throw.
    public func close() throws { try base.close() }

    /// Makes the statements that are running fail with `SQLITE_INTERRUPT`.
    public func interrupt() { base.interrupt() }

    /// Reads from the database, in a transaction where nothing can be written.
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

    /// Reads from the database, in a transaction where nothing can be written, without blocking a thread.
    public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await base.read(value)
    }

    /// Reads from the database later, in a transaction where nothing can be written.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { base.asyncRead(value) }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await base.unsafeRead(value)
    }

    /// Reads from the database without a transaction, later.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncUnsafeRead(value)
    }

    /// Reads from the database as a part of the access that is under way on this thread, if there is one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeReentrantRead(value) }

    /// Accesses the database without a transaction: each statement takes effect by itself.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try base.writeWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.writeWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, later.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        base.asyncWriteWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, while nobody reads.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try base.barrierWriteWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, while nobody reads, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.barrierWriteWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, later, while nobody reads.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncBarrierWriteWithoutTransaction(updates)
    }

    /// Accesses the database as a part of the writing access that is under way on this thread, if there is one.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try base.unsafeReentrantWrite(updates)
    }

    /// Reads what has just been written, while others may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.spawnConcurrentRead(value)
    }
}
