/// A database as it was at one moment, for as long as the snapshot is kept.
///
/// ```swift
/// let snapshot = try pool.makeSnapshot()
/// try pool.write { try $0.execute(sql: "DELETE FROM player") }
/// let count = try snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") }  // as before
/// ```
///
/// It has a connection of its own, with a transaction that stays open; its accesses run one after the other.
public final class DatabaseSnapshot: Sendable {
    /// The configuration of the connection.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    private let connection: SerializedConnection

    init(path: String, configuration: Configuration, writer: SerializedConnection) throws {
        var configuration = configuration
        configuration.readonly = true
        // The transaction outlives the accesses.
        configuration.allowsUnsafeTransactions = true
        self.path = path
        self.configuration = configuration
        connection = try SerializedConnection(
            path: path, configuration: configuration, purpose: ".snapshot", isReader: true, writer: writer)
        try connection.sync { db in
            try db.beginTransaction(.deferred)
            try db.takeSnapshot()
        }
    }
}

/// A reader whose accesses all see the same state of the database: a ``DatabaseSnapshot``.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads from the snapshot, as a part of the access that is under way on this thread, if there is one.
    ///
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try unsafeReentrantRead(value)
    }
}

extension DatabaseSnapshot: DatabaseSnapshotReader {
    /// Closes the database, once the accesses before have ended. Later accesses throw.
    public func close() throws {
        try connection.sync { db in
            if db.isInsideTransaction { try db.rollback() }
            try db.close()
        }
    }

    /// Makes the statements that are running fail with `SQLITE_INTERRUPT`.
    public func interrupt() {
        connection.interrupt()
    }

    /// Reads from the database, in a transaction where nothing can be written.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.sync { try $0.snapshotAccess(value) }
    }

    /// Reads from the database, in a transaction where nothing can be written, without blocking a thread.
    public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await connection.perform { try $0.snapshotAccess(value) }
    }

    /// Reads from the database later, in a transaction where nothing can be written.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connection.async { db in
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
    public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await read(value)
    }

    /// Reads from the database without a transaction, later.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }

    /// Reads from the database as a part of the access that is under way on this thread, if there is one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connection.reentrantSync { try $0.snapshotAccess(value) }
    }
}

extension Database {
    /// Reads in the transaction of a snapshot, which must still be the one that was opened with it.
    fileprivate func snapshotAccess<T>(_ value: (Database) throws -> T) throws -> T {
        try checkSnapshot()
        return try value(self)
    }

    fileprivate func checkSnapshot() throws {
        _ = try openHandle()
        guard isInsideTransaction else {
            throw DatabaseError(
                code: .SQLITE_ABORT_ROLLBACK, message: "the transaction of the snapshot has ended", advice: "Make a new snapshot.")
        }
    }
}
