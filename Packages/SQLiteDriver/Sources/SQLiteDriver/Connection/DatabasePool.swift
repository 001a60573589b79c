import Dispatch

/// A database with one connection that writes, and several that read at the same time.
///
/// ```swift
/// let pool = try DatabasePool(path: "/path/to/database.sqlite")
/// try pool.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// let count = try pool.read { db in
///     try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// The database is in the WAL mode (<https://www.sqlite.org/wal.html>): readers never wait for the writer, and each reading access
/// sees the database as it was when it first looked, whatever is written in the meantime.
///
/// A read may begin inside a write, and a write inside a read, even when all readers are busy or a barrier waits: the pool opens a
/// connection more for such a read. It does not see what the write around it has written.
///
/// A pool can be used from any thread.
public final class DatabasePool: Sendable {
    /// The configuration of the connections.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    private let writer: SerializedConnection
    private let readers: ReaderPool

    /// Opens a database file, creates it if need be, and puts it into the WAL mode.
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI. Databases in memory have no WAL mode.
    ///   - configuration: how to open it. A read-only one needs a database that is in the WAL mode already.
    /// - Throws: ``DatabaseError`` when the file can't be opened or created, when it is no database, or when the WAL mode is not
    ///   to be had.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        self.path = path
        self.configuration = configuration
        let writer = try SerializedConnection(path: path, configuration: configuration, purpose: ".writer")
        try writer.sync { try $0.setUpWALMode() }
        self.writer = writer
        var readerConfiguration = configuration
        readerConfiguration.readonly = true
        let frozen = readerConfiguration
        readers = ReaderPool(maximumCount: configuration.maximumReaderCount) { number in
            try SerializedConnection(path: path, configuration: frozen, purpose: ".reader.\(number)", isReader: true, writer: writer)
        }
    }

    // MARK: - Transactions

    /// Accesses the database in a transaction that the closure commits or rolls back.
    ///
    /// - Parameters:
    ///   - kind: the kind of transaction; that of the configuration when nil.
    ///   - updates: runs while the caller waits, and says how the transaction ends.
    /// - Throws: the error of the closure, which rolls back the transaction, or ``DatabaseError``.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try withWriter { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    // MARK: - Connections

    /// A view of the database as it is now, for as long as it is kept.
    ///
    /// A snapshot keeps the write-ahead log from being taken over into the database file: don't keep it longer than need be.
    ///
    /// - Throws: ``DatabaseError``.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        try DatabaseSnapshot(path: path, configuration: configuration, writer: writer)
    }

    /// Frees memory that SQLite can do without, and closes idle reading connections, once all accesses have ended.
    public func releaseMemory() {
        try? withWriterReentrantly { $0.releaseMemory() }
        readers.releaseIdleConnections(keepingThem: configuration.persistentReadOnlyConnections)
    }

    /// Frees memory that SQLite can do without, later, without waiting for the accesses that are under way.
    public func releaseMemoryEventually() {
        writer.async { $0.releaseMemory() }
        readers.releaseIdleConnections(keepingThem: configuration.persistentReadOnlyConnections)
    }

    /// Closes the reading connections, those that are in use when their access ends: later accesses open new ones, with all that
    /// ``Configuration/prepareDatabase(_:)`` does.
    public func invalidateReadOnlyConnections() {
        readers.invalidate()
    }
}

extension Database {
    /// Puts the database into the WAL mode, or makes sure that it is, for a connection that only reads.
    func setUpWALMode() throws {
        let mode = try cachedStatement(sql: configuration.readonly ? "PRAGMA journal_mode" : "PRAGMA journal_mode = WAL")
        defer { mode.reset() }
        guard try mode.step(), let name = mode.string(at: 0), name.lowercased() == "wal" else {
            throw DatabaseError(
                code: .SQLITE_CANTOPEN, message: "the database can't be put into the WAL mode: \(path)",
                advice: "The WAL mode needs a file on a local disk that can be written: a DatabaseQueue can do without.")
        }
    }
}

// MARK: - Reading

extension DatabasePool: DatabaseReader {
    /// Closes all connections, once the accesses before have ended. Later accesses throw.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive, and `SQLITE_MISUSE` inside an access. The pool is
    ///   not closed then, and can still be used.
    public func close() throws {
        try checkNotInsideAccess()
        readers.setClosed(true)
        do {
            try withBarrier { db in
                try readers.closeIdleConnections()
                try db.close()
            }
        } catch {
            readers.setClosed(false)
            throw error
        }
    }

    /// Refuses, inside an access, what waits for all accesses to end.
    private func checkNotInsideAccess() throws {
        if writer.isAccessedByCurrentThread || readers.currentReader != nil {
            throw DatabaseError.reentrantAccess
        }
        try IterationRegistry.shared.check(readers)
    }

    /// Makes the statements that are running, of all connections, fail with `SQLITE_INTERRUPT`.
    public func interrupt() {
        writer.interrupt()
        readers.forEach { $0.interrupt() }
    }

    /// Reads from the database, in a transaction where nothing can be written.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.withReader(besides: writer) { try $0.sync { try $0.readAccess(value) } }
    }

    /// Reads from the database, in a transaction where nothing can be written, without blocking a thread.
    public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform { try $0.readAccess(value) }
    }

    /// Reads from the database later, in a transaction where nothing can be written.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async(onFailure: { value(.failure($0)) }) { $0.readCallback(value) }
    }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.withReader(besides: writer) { try $0.sync { try $0.unsafeAccess(value) } }
    }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform { try $0.unsafeAccess(value) }
    }

    /// Reads from the database without a transaction, later.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async(onFailure: { value(.failure($0)) }) { $0.unsafeCallback(value) }
    }

    /// Reads from the database as a part of the access that is under way on this thread, if there is one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if let reader = readers.currentReader { return try reader.reentrantSync(value) }
        if writer.isAccessedByCurrentThread { return try writer.reentrantSync(value) }
        return try unsafeRead(value)
    }
}

// MARK: - Writing

extension DatabasePool: DatabaseWriter {
    /// Accesses the database without a transaction: each statement takes effect by itself.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try withWriter { try $0.unsafeAccess(updates) }
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await performWithWriter { try $0.unsafeAccess(updates) }
    }

    /// Accesses the database without a transaction, later.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.async { db in db.unsafeCallback { _ in updates(db) } }
    }

    /// Accesses the database without a transaction, while nobody reads.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try checkNotInsideAccess()
        return try withBarrier { try $0.unsafeAccess(updates) }
    }

    /// Accesses the database without a transaction, while nobody reads, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try IterationRegistry.shared.check(readers)
        return try await TaskAccess.perform({ try $0.unsafeAccess(updates) }) { [self] access in
            asyncBarrier { barrier, connection in
                connection.beginNow(access) { [self] in readers.end(barrier) }
            } willWait: { [self] barrier in
                access.onCancelBeforeTurn { [self] in readers.end(barrier) }
            }
        }
    }

    /// Accesses the database without a transaction, later, while nobody reads.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncBarrier { [self] barrier, connection in
            connection.accessNow { $0.unsafeCallback(updates) }
            readers.end(barrier)
        }
    }

    /// Accesses the database as a part of the writing access that is under way on this thread, if there is one.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try withWriterReentrantly(updates)
    }

    /// Reads what has just been written, while others may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncConcurrentRead(value)
    }

    /// Reads what has just been written, while others may write again: ``spawnConcurrentRead(_:)``.
    public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        do {
            try withWriterReentrantly { db in
                if db.isInsideTransaction { throw DatabaseError.concurrentReadInsideTransaction }
                // The writer goes on once the reader has taken its snapshot.
                let hasSnapshot = DispatchSemaphore(value: 0)
                readers.async(
                    isConcurrent: true,
                    onFailure: { error in
                        hasSnapshot.signal()
                        value(.failure(error))
                    },
                    {
                        $0.readCallback { result in
                            let result = Result { () throws -> Database in
                                let db = try result.get()
                                try db.takeSnapshot()
                                return db
                            }
                            hasSnapshot.signal()
                            value(result)
                        }
                    })
                hasSnapshot.wait()
            }
        } catch {
            value(.failure(error))
        }
    }
}

// MARK: - The writer

extension DatabasePool {
    /// Runs an access of the writer, and waits for its end.
    ///
    /// A barrier that has the writer and waits for a read must leave it to those that the read may wait for.
    private func withWriter<T>(_ body: (Database) throws -> T) throws -> T {
        guard AccessWaits.isInsideAccess || IterationRegistry.shared.isIterating(readers) else { return try writer.sync(body) }
        readers.beginNestedWriterWait()
        defer { readers.endNestedWriterWait() }
        return try writer.sync(body)
    }

    /// Runs an access of the writer as a part of the current task.
    private func performWithWriter<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        guard IterationRegistry.shared.isIterating(readers) else { return try await writer.perform(body) }
        readers.beginNestedWriterWait()
        defer { readers.endNestedWriterWait() }
        return try await writer.perform(body)
    }

    /// Runs something as a part of the access of the writer that is under way on this thread, or in one of its own.
    private func withWriterReentrantly<T>(_ body: (Database) throws -> T) throws -> T {
        writer.isAccessedByCurrentThread ? try writer.reentrantSync(body) : try withWriter { try $0.unsafeAccess(body) }
    }

    /// Runs an access of the writer during which nobody reads, and waits for its end. Must not be called inside an access to the pool.
    private func withBarrier<T>(_ body: (Database) throws -> T) throws -> T {
        // Inside an access to another database, which those who read may wait for.
        var thread = AccessWaits.isInsideAccess ? try AccessWaits.shared.begin([.readers(readers), writer.resource]) : nil
        func endWait() {
            if let waiting = thread { AccessWaits.shared.end(waiting) }
            thread = nil
        }
        defer { endWait() }
        let barrier = ReaderPool.Barrier()
        let isUp = DispatchSemaphore(value: 0)
        readers.raise(barrier) { isUp.signal() }
        isUp.wait()
        defer { readers.end(barrier) }
        while true {
            let result = try writer.syncIfAllowed({ readers.canRun(barrier) }) { db in
                endWait()
                return try body(db)
            }
            if let result { return result }
            let isIdle = DispatchSemaphore(value: 0)
            readers.whenIdle { isIdle.signal() }
            isIdle.wait()
        }
    }

    /// Calls back on the thread of the writer when nobody reads.
    ///
    /// - Parameters:
    ///   - body: begins the access, and must end the barrier.
    ///   - willWait: is given the barrier, which may be ended before.
    private func asyncBarrier(
        _ body: @escaping @Sendable (ReaderPool.Barrier, SerializedConnection) -> Void,
        willWait: (ReaderPool.Barrier) -> Void = { _ in }
    ) {
        let barrier = ReaderPool.Barrier()
        readers.raise(barrier) { [self] in runBarrier(barrier, body) }
        willWait(barrier)
    }

    private func runBarrier(
        _ barrier: ReaderPool.Barrier, _ body: @escaping @Sendable (ReaderPool.Barrier, SerializedConnection) -> Void
    ) {
        writer.asyncOutsideAccesses { [self] writer in
            if readers.canRun(barrier) {
                body(barrier, writer)
            } else if readers.isUp(barrier) {
                readers.whenIdle { [self] in runBarrier(barrier, body) }
            }
        }
    }
}
