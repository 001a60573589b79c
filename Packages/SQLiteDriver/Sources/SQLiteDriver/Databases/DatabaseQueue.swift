/// A database with one connection, whose accesses run one after the other.
///
/// ```swift
/// let queue = try DatabaseQueue(path: "/path/to/database.sqlite")
///
/// try queue.write { db in
///     try db.execute(
///         sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
///
/// let count = try queue.read { db in
///     let statement = try db.makeStatement(sql: "SELECT count(*) FROM player")
///     return try statement.step() ? statement.int64(at: 0) : nil
/// }
/// ```
///
/// A queue can be used from any thread.
public final class DatabaseQueue: Sendable {
    /// The configuration of the connection.
    public var configuration: Configuration { gate.configuration }

    /// The path of the database file, ":memory:" for a database in memory.
    public var path: String { gate.path }

    package let gate: AccessGate

    var connection: SerializedConnection { gate.writer }

    /// Opens a database file, and creates it if it does not exist, unless the configuration is read-only.
    ///
    /// ```swift
    /// let queue = try DatabaseQueue(path: "/data/library.sqlite")
    /// try queue.write { db in
    ///     try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI (<https://www.sqlite.org/uri.html>).
    ///   - configuration: how to open it.
    /// - Throws: ``DatabaseError`` if the file can't be opened or created, or is not a database.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        gate = AccessGate(try SerializedConnection(path: path, configuration: configuration))
        if configuration.journalMode == .wal {
            try gate.run(.ofReader) { try $0.setUpWALMode() }
        }
    }

    /// Opens a database in memory, which is deleted with the queue.
    ///
    /// ```swift
    /// let queue = try DatabaseQueue()
    /// let shared = try DatabaseQueue(named: "cache")
    /// ```
    ///
    /// Queues with the same name share their memory and its locks, as SQLite's connections with a shared cache do. A statement that
    /// needs a lock of another such connection fails with `SQLITE_LOCKED_SHAREDCACHE`, and SQLite does not call the busy handler.
    /// The queue then retries the statement, according to ``Configuration/busyMode``. Unlike with a file, readers of a table wait
    /// for its writers, and writers for its readers; two connections that wait for each other wait until one of them times out.
    ///
    /// Source: <https://www.sqlite.org/sharedcache.html>
    ///
    /// - Parameters:
    ///   - name: a name by which other queues of this process open the same database; nil for a private database.
    ///   - configuration: how to open it.
    /// - Throws: ``DatabaseError``.
    public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
        // The shared-cache form is SQLite's way of naming a database in memory: https://www.sqlite.org/inmemorydb.html
        let path = name.map { "file:\($0.percentEncodedForURI)?mode=memory&cache=shared" } ?? ":memory:"
        gate = AccessGate(try SerializedConnection(path: path, configuration: configuration))
    }

    /// Copies a database into a new one.
    init(copying source: String, to path: String, configuration: Configuration) throws {
        let connection = try SerializedConnection(path: path, configuration: configuration) { copy in
            let source = try SerializedConnection(
                path: source, configuration: configuration.forReadingUnprepared, purpose: ".source", isReader: true)
            try source.onItsQueue { try source.run { try $0.backup(to: copy) } }
        }
        gate = AccessGate(connection)
    }

    /// Writes to the database in a transaction that the closure commits or rolls back.
    ///
    /// ```swift
    /// try queue.inTransaction { db in
    ///     try db.execute(sql: "UPDATE player SET score = 0")
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction; nil for the configuration's.
    ///   - updates: runs on this thread, and says how the transaction ends.
    /// - Throws: the error of the closure, which rolls back the transaction, or ``DatabaseError``.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try gate.run(.write) { db in try db.inTransaction(kind) { try updates(db) } }
    }

    /// Accesses the database without a transaction: an alias of ``DatabaseWriter/writeWithoutTransaction(_:)``.
    public func inDatabase<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction(updates)
    }

    /// Frees memory that SQLite can do without. The SQL is `PRAGMA shrink_memory`.
    public func releaseMemory() {
        // Memory of a closed database is released already.
        try? gate.runReentrantly(.ofReader) { $0.releaseMemory() }
    }
}

// MARK: - Reading

extension DatabaseQueue: GatedDatabase, DatabaseReader {
    /// Closes the connection after the accesses that were requested before have ended. Later accesses throw.
    ///
    /// ```swift
    /// try queue.close()
    /// ```
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive.
    public func close() throws {
        try gate.run(.ofReader) { try $0.close() }
    }

    /// Interrupts the running statements, which then fail with `SQLITE_INTERRUPT`.
    public func interrupt() {
        connection.database.interrupt()
    }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try gate.run(.read, value) }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T { try await gate.run(.read, value) }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { gate.schedule(.read, value) }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try gate.run(.unsafeRead, value) }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await gate.run(.unsafeRead, value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { gate.schedule(.unsafeRead, value) }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T { try gate.runReentrantly(.unsafeRead, value) }
}

// MARK: - Writing

extension DatabaseQueue: DatabaseWriter {
    /// Accesses the database without a transaction: each statement is committed on its own.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try gate.run(.writeWithoutTransaction, updates)
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await gate.run(.writeWithoutTransaction, updates)
    }

    /// Schedules an access without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        gate.schedulePatiently(.writeWithoutTransaction, updates)
    }

    /// Accesses the database without a transaction, while no read is running.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T { try gate.run(.barrierWrite, updates) }

    /// Accesses the database without a transaction, while no read is running, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await gate.run(.barrierWrite, updates)
    }

    /// Schedules an access without a transaction, while no read is running, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        gate.schedule(.barrierWrite, updates)
    }

    /// Accesses the database within this thread's current write, or in its own access if there is none.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try gate.runReentrantly(.writeWithoutTransaction, updates)
    }

    /// Reads the changes of the current write. A queue has one connection, so the closure runs before this method returns.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        gate.spawnConcurrentRead(.read, value)
    }
}
