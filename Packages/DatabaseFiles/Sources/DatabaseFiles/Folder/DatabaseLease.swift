/// An open file of a ``DatabaseFolder``, which stays open as long as something refers to the lease.
///
/// ```swift
/// try await files.use("arthur") { lease in
///     let copy = try DatabaseQueue(path: "/backups/arthur.sqlite")
///     try await lease.asyncBackup(to: copy)
///     try copy.close()
/// }
/// ```
///
/// A lease is a database as others: it can be read, written, observed, copied, verified and dumped. Observations keep it.
public final class DatabaseLease: Sendable {
    /// The name of the database in its folder.
    public var name: String { entry.name }

    let entry: FileEntry
    let pool: DatabasePool
    private let number: Int
    private let table: FileTable

    init(_ entry: FileEntry, _ pool: DatabasePool, number: Int, _ table: FileTable) {
        (self.entry, self.pool, self.number, self.table) = (entry, pool, number, table)
    }

    deinit { table.leaseHasEnded(entry, number: number) }

    /// Returns the state of the database: see ``DatabasePool/status()``.
    public func status() -> DatabaseStatus { pool.status() }
}

extension DatabaseLease: GatedDatabase, DatabaseReader {
    package var gate: AccessGate { pool.gate }

    /// The configuration of the connections.
    public var configuration: Configuration { pool.configuration }

    /// The path of the database file.
    public var path: String { pool.path }

    /// Throws: others may use the file. It is closed when nothing refers to the lease, and another file needs its place.
    public func close() throws {
        throw DatabaseError.misuse("the folder closes the files that it has opened", advice: "Release the lease instead.")
    }

    /// Interrupts the running statements of all users of the file, which then fail with `SQLITE_INTERRUPT`.
    public func interrupt() { pool.interrupt() }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try pool.read(value) }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T { try await pool.read(value) }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        pool.asyncRead { [self] result in withExtendedLifetime(self) { value(result) } }
    }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try pool.unsafeRead(value) }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T { try await pool.unsafeRead(value) }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        pool.asyncUnsafeRead { [self] result in withExtendedLifetime(self) { value(result) } }
    }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T { try pool.unsafeReentrantRead(value) }
}

extension DatabaseLease: DatabaseWriter {
    /// Accesses the database without a transaction: each statement is committed on its own.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T { try pool.writeWithoutTransaction(updates) }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await pool.writeWithoutTransaction(updates)
    }

    /// Schedules an access without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        pool.asyncWriteWithoutTransaction { [self] db in withExtendedLifetime(self) { updates(db) } }
    }

    /// Accesses the database without a transaction, while no read is running.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try pool.barrierWriteWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, while no read is running, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await pool.barrierWriteWithoutTransaction(updates)
    }

    /// Schedules an access without a transaction, while no read is running, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        pool.asyncBarrierWriteWithoutTransaction { [self] result in withExtendedLifetime(self) { updates(result) } }
    }

    /// Accesses the database within this thread's current write, or in its own access if there is none.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T { try pool.unsafeReentrantWrite(updates) }

    /// Reads the changes that were just written, while other accesses may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        pool.spawnConcurrentRead { [self] result in withExtendedLifetime(self) { value(result) } }
    }
}
