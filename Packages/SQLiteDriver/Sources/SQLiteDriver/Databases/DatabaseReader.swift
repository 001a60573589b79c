/// A database that can be read: a ``DatabaseQueue``, a ``DatabasePool``, or a ``DatabaseSnapshot``.
///
/// Each kind of access has three forms. The blocking form blocks the thread until the access has ended. The asynchronous form,
/// for `await`, does not block a thread; it is a part of the task, with its task-local values and its priority. The third form
/// takes a callback, and returns immediately.
///
/// An access whose task is cancelled throws `CancellationError`. A waiting access throws immediately, and never runs. A running access
/// throws when it uses the database again: the cancellation interrupts the running statement, the next step of a cursor, the next
/// statement, and the `COMMIT` of a write, which then rolls back. A `COMMIT` that has begun is not interrupted, and committed
/// changes are never reported as cancelled. A closure that does not use the database again returns its value, and throws its own
/// errors.
///
/// Accesses don't nest: an access inside another access throws `SQLITE_MISUSE`, as does an access to a ``DatabaseQueue`` in a
/// loop over rows that the queue produces. A ``DatabasePool`` can read inside a write, and write inside a read, because it uses
/// different connections for them. Accesses to several databases may nest; threads that would wait for each other in a circle get
/// `SQLITE_MISUSE`. The `unsafeReentrant` forms may be nested.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration of the connections.
    var configuration: Configuration { get }

    /// The path of the database file, ":memory:" for a database in memory.
    var path: String { get }

    /// Closes all connections after the accesses that were requested before have ended. Later accesses throw.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive.
    func close() throws

    /// Interrupts the running statements, which then fail with `SQLITE_INTERRUPT`. Safe from any thread, at any time.
    func interrupt()

    /// Reads from the database.
    ///
    /// ```swift
    /// let names = try reader.read { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// ```
    ///
    /// All statements of the access see the same state of the database. The SQL is `BEGIN DEFERRED TRANSACTION` before the closure,
    /// and `COMMIT TRANSACTION` after it. Writing statements throw `SQLITE_READONLY`.
    ///
    /// - Parameter value: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads from the database without blocking a thread.
    ///
    /// ```swift
    /// let count = try await reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
    /// }
    /// ```
    ///
    /// - Parameter value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read from the database, and returns immediately.
    ///
    /// - Parameter value: called with the connection, or with the error that kept the access from beginning.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads from the database without a transaction. The statements may see different states of the database, and with a ``DatabaseQueue``
    /// they may even write.
    ///
    /// - Parameter value: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads from the database without a transaction, and without blocking a thread.
    ///
    /// - Parameter value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read without a transaction, and returns immediately.
    ///
    /// - Parameter value: called with the connection, or with the error that kept the access from beginning.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads from the database within this thread's current access, or in an access of its own, without a transaction, if there is
    /// none.
    ///
    /// - Parameter value: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

extension DatabaseReader {
    /// Copies the database over another database.
    ///
    /// ```swift
    /// let copy = try DatabaseQueue(path: "/backups/library.sqlite")
    /// try queue.backup(to: copy)
    /// ```
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - writer: the destination, whose previous content is lost.
    ///   - pagesPerStep: how many pages each step copies. After a step, `progress` runs, and other connections may use the databases.
    ///     A negative number, the default, copies all pages in one step.
    ///   - progress: called after each step. An error that it throws ends the backup.
    /// - Throws: ``DatabaseError``, or the error of `progress`.
    public func backup(
        to writer: some DatabaseWriter, pagesPerStep: Int32 = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        // Backups between the same two databases must not deadlock: all of them access the databases in the same order.
        let (reading, writing) = (AccessRequest(.unsafeRead, .maintenance), AccessRequest(.writeWithoutTransaction, .maintenance))
        if ObjectIdentifier(unwrapped) < ObjectIdentifier(writer.unwrapped) {
            try access(reading) { source in
                try writer.access(writing) { try source.backup(to: $0, pagesPerStep: pagesPerStep, progress: progress) }
            }
        } else {
            try writer.access(writing) { destination in
                try access(reading) { try $0.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress) }
            }
        }
    }
}
