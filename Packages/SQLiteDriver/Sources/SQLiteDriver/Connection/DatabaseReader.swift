/// A database that can be read: a ``DatabaseQueue``, a ``DatabasePool``, or a ``DatabaseSnapshot``.
///
/// Each kind of access has three forms. One blocks the thread until the access has ended. One is for `await`: it blocks no
/// thread, and is a part of the task, with its task-local values and its priority. And one takes a callback, and returns at once.
///
/// An access whose task is cancelled throws `CancellationError`. One that waits does so at once, and never runs. One that runs does when
/// it uses the database again: the statement that runs is interrupted, and so are the next step of a cursor, the next statement, and
/// the `COMMIT` of a writing access, which rolls back then. A `COMMIT` that has begun is not interrupted, and what was committed is not
/// reported as cancelled. A closure that ends without using the database again returns its value, and an error of its own stays.
///
/// Accesses don't nest: one inside another throws `SQLITE_MISUSE`, and so does one to the connection of a ``DatabaseQueue`` in a loop over
/// rows that it gives: see ``DatabaseIteration``. A ``DatabasePool`` reads inside a write, and writes inside a read, by different
/// connections, without waiting for itself. Accesses to several databases may nest; threads that would wait for each other in
/// a circle get `SQLITE_MISUSE`. The `unsafeReentrant` forms may be nested.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration of the connections.
    var configuration: Configuration { get }

    /// The path of the database file, ":memory:" for a database in memory.
    var path: String { get }

    /// Closes all connections, once the accesses before have ended. Later accesses throw.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive.
    func close() throws

    /// Makes the statements that are running fail with `SQLITE_INTERRUPT`. Safe from any thread, at any time.
    func interrupt()

    /// Reads from the database.
    ///
    /// ```swift
    /// let names = try reader.read { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// ```
    ///
    /// All statements of the access see the same state of the database. The SQL is `BEGIN DEFERRED TRANSACTION` before, and
    /// `COMMIT TRANSACTION` after it; statements that write throw `SQLITE_READONLY`.
    ///
    /// - Parameter value: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads from the database, without blocking a thread.
    ///
    /// ```swift
    /// let count = try await reader.read { db in
    ///     try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
    /// }
    /// ```
    ///
    /// - Parameter value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

    /// Reads from the database, later.
    ///
    /// - Parameter value: is given the connection, or the error that kept the access from beginning.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads from the database without a transaction: statements may see different states of it, and may even write, with a
    /// ``DatabaseQueue``.
    ///
    /// - Parameter value: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads from the database without a transaction, and without blocking a thread.
    ///
    /// - Parameter value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or `CancellationError`.
    func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

    /// Reads from the database without a transaction, later.
    ///
    /// - Parameter value: is given the connection, or the error that kept the access from beginning.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads from the database without a transaction of its own, as a part of the access that is under way on this thread, if
    /// there is one.
    ///
    /// - Parameter value: runs while the caller waits.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

extension DatabaseReader {
    /// Copies the database over another one.
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - writer: the database that becomes a copy; what it held is lost.
    ///   - pagesPerStep: how many pages are copied before `progress` is called and other connections get their turn; all of them
    ///     when negative, as by default.
    ///   - progress: is told how far the copy is; an error that it throws ends it.
    /// - Throws: ``DatabaseError``, or the error of `progress`.
    public func backup(
        to writer: some DatabaseWriter, pagesPerStep: Int32 = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        // Databases that are copied over each other at the same time must not wait for each other: always in the same order.
        if ObjectIdentifier(base(of: self)) < ObjectIdentifier(base(of: writer)) {
            try unsafeRead { source in
                try writer.writeWithoutTransaction { destination in
                    try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
                }
            }
        } else {
            try writer.writeWithoutTransaction { destination in
                try unsafeRead { source in
                    try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
                }
            }
        }
    }
}

/// The reader that a reader of any type wraps.
private func base(of reader: any DatabaseReader) -> any DatabaseReader {
    switch reader {
    case let reader as AnyDatabaseReader: base(of: reader.base)
    case let writer as AnyDatabaseWriter: base(of: writer.base)
    default: reader
    }
}

/// A ``DatabaseReader`` of any type.
public final class AnyDatabaseReader: DatabaseReader {
    fileprivate let base: any DatabaseReader

    /// Wraps a reader.
    public init(_ base: any DatabaseReader) {
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
}
