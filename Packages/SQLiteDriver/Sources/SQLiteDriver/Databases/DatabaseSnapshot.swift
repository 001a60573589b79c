/// A view of a database as it was at one moment.
///
/// ```swift
/// let snapshot = try pool.makeSnapshot()
/// try pool.write { try $0.execute(sql: "DELETE FROM player") }
/// // As before
/// let count = try snapshot.read {
///     try Int.fetchOne($0, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// A snapshot has a separate connection, with a transaction that stays open. Its accesses run one after the other.
public final class DatabaseSnapshot: Sendable {
    /// The configuration of the connection.
    public var configuration: Configuration { gate.configuration }

    /// The path of the database file.
    public var path: String { gate.path }

    package let gate: AccessGate
    private let openSnapshots: OpenSnapshots

    /// - Parameter openSnapshots: the snapshots of the pool, to which this one is added.
    init(path: String, configuration: Configuration, writer: SerializedConnection, among openSnapshots: OpenSnapshots) throws {
        var configuration = configuration
        configuration.readonly = true
        // The transaction outlives the accesses.
        configuration.allowsUnsafeTransactions = true
        self.openSnapshots = openSnapshots
        let connection = try SerializedConnection(
            path: path, configuration: configuration, purpose: ".snapshot", isReader: true, writer: writer)
        try connection.onItsQueue {
            try connection.run { db in
                try db.beginTransaction(.deferred)
                try db.takeSnapshot()
            }
        }
        gate = AccessGate(connection, isSnapshot: true)
        openSnapshots.add(self)
    }

    deinit { openSnapshots.remove(self) }
}

/// A reader whose accesses all see the same state of the database: a ``DatabaseSnapshot``.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads from the snapshot within this thread's current access, or in its own access if there is none.
    ///
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try unsafeReentrantRead(value)
    }
}

extension DatabaseSnapshot: GatedDatabase, DatabaseSnapshotReader {
    /// Closes the database after the accesses that were requested before have ended. Later accesses throw.
    public func close() throws {
        try gate.run(.ofReader) { db in
            if db.isInsideTransaction { try db.rollback() }
            openSnapshots.remove(self)
            try db.close()
        }
    }

    /// Interrupts the running statements, which then fail with `SQLITE_INTERRUPT`.
    public func interrupt() {
        gate.writer.database.interrupt()
    }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try gate.run(.read, value) }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T { try await gate.run(.read, value) }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { gate.schedule(.read, value) }

    /// Reads from the database in the transaction of the snapshot.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try gate.run(.unsafeRead, value) }

    /// Reads from the database in the transaction of the snapshot, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await gate.run(.unsafeRead, value)
    }

    /// Schedules a read in the transaction of the snapshot, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { gate.schedule(.unsafeRead, value) }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T { try gate.runReentrantly(.unsafeRead, value) }
}

extension Database {
    /// Reads in the transaction that was opened with the snapshot, and throws if that transaction has ended.
    func snapshotAccess<T>(_ value: (Database) throws -> T) throws -> T {
        _ = try openHandle()
        guard isInsideTransaction else {
            throw DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction of the snapshot has ended", advice: "Create a new snapshot.")
        }
        return try value(self)
    }
}
