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
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    private let connection: SerializedConnection
    private let openSnapshots: OpenSnapshots

    /// - Parameter openSnapshots: the snapshots of the pool, to which this one is added.
    init(path: String, configuration: Configuration, writer: SerializedConnection, among openSnapshots: OpenSnapshots) throws {
        var configuration = configuration
        configuration.readonly = true
        // The transaction outlives the accesses.
        configuration.allowsUnsafeTransactions = true
        self.path = path
        self.configuration = configuration
        self.openSnapshots = openSnapshots
        connection = try SerializedConnection(
            path: path, configuration: configuration, purpose: ".snapshot", isReader: true, writer: writer)
        try connection.sync { db in
            try db.beginTransaction(.deferred)
            try db.takeSnapshot()
        }
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

extension DatabaseSnapshot: DatabaseSnapshotReader {
    /// Closes the database after the accesses that were requested before have ended. Later accesses throw.
    public func close() throws {
        try connection.sync { db in
            if db.isInsideTransaction { try db.rollback() }
            openSnapshots.remove(self)
            try db.close()
        }
    }

    /// Interrupts the running statements, which then fail with `SQLITE_INTERRUPT`.
    public func interrupt() {
        connection.interrupt()
    }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.sync(for: request(.read)) { try $0.snapshotAccess(value) }
    }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform(for: request(.read)) { try $0.snapshotAccess(value) }
    }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async(for: request(.read), onFailure: { value(.failure($0)) }) { db in
            do {
                try db.checkSnapshot()
            } catch {
                return value(.failure(error))
            }
            value(.success(db))
        }
    }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try read(value)
    }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await read(value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.reentrantSync(for: request(.read)) { try $0.snapshotAccess(value) }
    }
}

extension Database {
    /// Reads in the transaction that was opened with the snapshot, and throws if that transaction has ended.
    fileprivate func snapshotAccess<T>(_ value: (Database) throws -> T) throws -> T {
        try checkSnapshot()
        return try value(self)
    }

    fileprivate func checkSnapshot() throws {
        _ = try openHandle()
        guard isInsideTransaction else {
            throw DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction of the snapshot has ended", advice: "Create a new snapshot.")
        }
    }
}
