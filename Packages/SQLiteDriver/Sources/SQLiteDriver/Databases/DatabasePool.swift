import CSQLiteShims
import Dispatch

/// A database with one connection that writes, and several connections that read in parallel.
///
/// ```swift
/// let pool = try DatabasePool(path: "/path/to/database.sqlite")
/// try pool.write { db in
///     try db.execute(
///         sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// let count = try pool.read { db in
///     try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// The database is in the WAL mode (<https://www.sqlite.org/wal.html>): readers never wait for the writer. Each read sees the
/// database as it was when the read first looked at it, regardless of later writes.
///
/// The exceptions are exclusive accesses: migrations, `erase()`, `close()`, and what a program runs in `barrierWriteWithoutTransaction`.
/// They wait until no read is running. Reads still begin while such an access waits for reads that began before it. After those have
/// ended, new reads wait until the access has ended, so that they can't keep it waiting forever.
///
/// A read may begin inside a write, and a write inside a read, even when all readers are busy or a barrier is waiting: the pool
/// opens an additional connection for such a read. The read does not see the changes of the write around it.
///
/// A read-only pool leaves the journal mode as it is: it also opens files that are not in the WAL mode, and its reads run in parallel. In
/// such a file, a writing process waits for the reads, and the reads wait while it commits.
///
/// A pool can be used from any thread.
public final class DatabasePool: Sendable {
    /// The configuration of the connections.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    let writer: SerializedConnection
    let readers: ReaderPool
    let snapshots = OpenSnapshots()
    let shutdown = DatabaseShutdown()

    /// Opens a database file, creates it if it does not exist, and switches it to WAL mode, unless the configuration is read-only.
    ///
    /// ```swift
    /// let pool = try DatabasePool(path: "/data/library.sqlite")
    /// try pool.write { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: the path of a file, or a `file:` URI. Databases in memory have no WAL mode. Where an engine keeps the rows, ":memory:".
    ///   - configuration: how to open it.
    /// - Throws: ``DatabaseError`` if the file can't be opened or created, is not a database, or can't be put into the WAL mode.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        self.path = path
        self.configuration = configuration
        let writer = try SerializedConnection(path: path, configuration: configuration, purpose: ".writer")
        if configuration.makeEngine == nil { try writer.sync { try $0.setUpWALMode() } }
        self.writer = writer
        var readerConfiguration = configuration
        readerConfiguration.readonly = true
        let frozen = readerConfiguration
        readers = ReaderPool(
            maximumCount: configuration.maximumReaderCount, maximumWaitingCount: configuration.maximumWaitingAccesses
        ) { number in
            try SerializedConnection(path: path, configuration: frozen, purpose: ".reader.\(number)", isReader: true, writer: writer)
        }
    }

    // MARK: - Transactions

    /// Writes to the database in a transaction that the closure commits or rolls back.
    ///
    /// ```swift
    /// try pool.writeInTransaction { db in
    ///     try db.execute(sql: "UPDATE player SET score = 0")
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction; nil for the configuration's.
    ///   - updates: runs while the caller waits, and says how the transaction ends.
    /// - Throws: the error of the closure, which rolls back the transaction, or ``DatabaseError``.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil, _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try withWriter(for: request(.write)) { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    // MARK: - Connections

    /// Returns a view of the current state of the database, for as long as the snapshot is kept.
    ///
    /// ```swift
    /// let snapshot = try pool.makeSnapshot()
    /// try pool.write { db in try db.execute(sql: "DROP TABLE player") }
    /// let exists = try snapshot.read { db in try db.tableExists("player") }  // true
    /// ```
    ///
    /// A snapshot keeps SQLite from moving the write-ahead log into the database file: don't keep it longer than needed.
    ///
    /// - Throws: ``DatabaseError``.
    public func makeSnapshot() throws -> DatabaseSnapshot {
        try DatabaseSnapshot(path: path, configuration: configuration, writer: writer, among: snapshots)
    }

    /// Frees memory that SQLite can do without and closes idle reading connections, after all accesses have ended.
    public func releaseMemory() {
        try? withWriterReentrantly(for: .writeWithoutTransaction) { $0.releaseMemory() }
        readers.releaseIdleConnections(keepingThem: configuration.persistentReadOnlyConnections)
    }

    /// Schedules the release of memory that SQLite can do without, and returns without waiting for running accesses.
    public func releaseMemoryEventually() {
        writer.async { $0.releaseMemory() }
        readers.releaseIdleConnections(keepingThem: configuration.persistentReadOnlyConnections)
    }

    /// Closes the reading connections; those in use are closed when their access ends. Later accesses open new connections, which
    /// ``Configuration/prepareDatabase(_:)`` prepares.
    public func invalidateReadOnlyConnections() {
        readers.invalidate()
    }
}

extension Database {
    /// Switches the database to WAL mode. A read-only connection only checks that the file exists, so that the connections share its
    /// content.
    func setUpWALMode() throws {
        let isReady: Bool
        if configuration.readonly {
            isReady = sqlite3_db_filename(try openHandle(), "main").map { $0[0] != 0 } ?? false
        } else {
            let mode = try cachedStatement(sql: "PRAGMA journal_mode = WAL")
            isReady = try withInternalStatements {
                try retryingWhenBusy {
                    defer { mode.reset() }
                    let isReady = try mode.step() && mode.string(at: 0)?.lowercased() == "wal"
                    try mode.endRun()
                    return isReady
                }
            }
        }
        guard isReady else {
            throw DatabaseError(
                code: .SQLITE_CANTOPEN, message: "the database can't be switched to WAL mode: \(path)",
                advice: "WAL mode needs a writable file on a local disk. A DatabaseQueue works without WAL mode.")
        }
        // SQLite creates the log and its index with the first read. Connections that may not create them can open the file from then on:
        // https://www.sqlite.org/wal.html#read_only_databases
        if !configuration.readonly { try readFile() }
    }
}

// MARK: - Reading

extension DatabasePool: DatabaseReader {
    /// Closes all connections after the accesses that were requested before have ended. Later accesses throw.
    ///
    /// ```swift
    /// try pool.close()
    /// ```
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive, and `SQLITE_MISUSE` inside an access. After an
    ///   error, the pool stays open and can still be used.
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

    /// Copies the log and closes all connections, when no access is running, also after ``SerializedConnection/endAccesses()``.
    func closeConnections() throws {
        try withBarrier { db in
            db.permitAccesses()
            readers.setClosed(true)
            try readers.closeIdleConnections()
            try db.closeAfterCheckpoint()
        }
    }

    /// Throws inside an access, for methods that wait until all accesses have ended.
    private func checkNotInsideAccess() throws {
        if writer.isAccessedByCurrentThread || readers.currentReader != nil {
            throw DatabaseError.reentrantAccess
        }
        try IterationRegistry.shared.check(readers)
    }

    /// Interrupts the running statements of all connections, which then fail with `SQLITE_INTERRUPT`.
    ///
    /// ```swift
    /// pool.interrupt()
    /// ```
    public func interrupt() {
        writer.interrupt()
        readers.forEach { $0.interrupt() }
    }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.sync(for: request(.read), besides: writer) { try $0.readAccess(value) }
    }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform(for: request(.read)) { try $0.readAccess(value) }
    }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async(for: request(.read), onFailure: { value(.failure($0)) }) { $0.readCallback(value) }
    }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.sync(for: request(.unsafeRead), besides: writer) { try $0.unsafeAccess(value) }
    }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform(for: request(.unsafeRead)) { try $0.unsafeAccess(value) }
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async(for: request(.unsafeRead), onFailure: { value(.failure($0)) }) { $0.unsafeCallback(value) }
    }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if let reader = readers.currentReader { return try reader.insideAccess(value) }
        if writer.isAccessedByCurrentThread { return try writer.insideAccess(value) }
        return try unsafeRead(value)
    }
}

// MARK: - Writing

extension DatabasePool: DatabaseWriter {
    /// Accesses the database without a transaction: each statement is committed on its own.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try withWriter(for: request(.writeWithoutTransaction)) { try $0.unsafeAccess(updates) }
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await performWithWriter(for: request(.writeWithoutTransaction)) { try $0.unsafeAccess(updates) }
    }

    /// Schedules an access without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.async(for: request(.writeWithoutTransaction), onFailure: nil) { db in db.unsafeCallback { _ in updates(db) } }
    }

    /// Accesses the database without a transaction, while no read is running.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try checkNotInsideAccess()
        return try writer.line.pass(isNested: AccessWaits.isInsideAccess) {
            let request = request(.barrierWrite)
            func access(_ db: Database) throws -> T { try request.measuring(db) { try $0.unsafeAccess(updates) } }
            return try request.reporting {
                guard let deadline = AccessDeadline.current else { return try withBarrier(access) }
                return try TaskAccess.perform(until: deadline, waitingFor: resourcesOfBarrier, access) { beginBarrier($0) }
            }
        }
    }

    /// Accesses the database without a transaction, while no read is running, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try IterationRegistry.shared.check(readers)
        return try await writer.line.pass(isNested: false) {
            let request = request(.barrierWrite)
            return try await request.reporting {
                try await TaskAccess.perform(limitedTo: nil) { db in
                    try request.measuring(db) { try $0.unsafeAccess(updates) }
                } whenItsTurnHasCome: { [self] in
                    beginBarrier($0)
                }
            }
        }
    }

    /// Schedules an access without a transaction, while no read is running, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        let request = request(.barrierWrite)
        let onFailure: @Sendable (any Error) -> Void = { updates(.failure($0)) }
        guard let access = CallbackAccess(request, in: writer.line, onFailure: onFailure, { $0.unsafeCallback(updates) }) else { return }
        if let deadline = access.deadline, let fail = access.fail {
            return TaskAccess.schedule(until: deadline, onFailure: fail, access.run) { beginBarrier($0) }
        }
        asyncBarrier { [self] barrier, connection in
            connection.accessNow(access.run)
            readers.end(barrier)
        }
    }

    /// Accesses the database within this thread's current write, or in its own access if there is none.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try withWriterReentrantly(for: .writeWithoutTransaction, updates)
    }

    /// Reads the changes that were just written, while other accesses may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncConcurrentRead(value)
    }

    /// Reads the changes that were just written, while other accesses may write again: ``spawnConcurrentRead(_:)``.
    public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        do {
            try withWriterReentrantly(for: .writeWithoutTransaction) { db in
                if db.isInsideTransaction { throw DatabaseError.concurrentReadInsideTransaction }
                // The writer continues when the reader has taken its snapshot.
                let hasSnapshot = DispatchSemaphore(value: 0)
                readers.async(
                    for: request(.read), isConcurrent: true,
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
    /// Runs an access to the writer, and waits until it ends.
    ///
    /// A barrier that has the writer and waits for a read lends the writer to accesses that the read may wait for.
    private func withWriter<T>(for request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        guard AccessWaits.isInsideAccess || IterationRegistry.shared.isIterating(readers) else {
            return try writer.sync(for: request, isNested: false, body)
        }
        readers.beginNestedWriterWait()
        defer { readers.endNestedWriterWait() }
        return try writer.sync(for: request, isNested: true, body)
    }

    /// Runs an access to the writer as a part of the current task.
    private func performWithWriter<T: Sendable>(
        for request: AccessRequest, _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        guard IterationRegistry.shared.isIterating(readers) else { return try await writer.perform(for: request, body) }
        readers.beginNestedWriterWait()
        defer { readers.endNestedWriterWait() }
        return try await writer.perform(for: request, isNested: true, body)
    }

    /// Runs a closure within this thread's current access to the writer, or in a separate access.
    private func withWriterReentrantly<T>(for kind: DatabaseAccessReport.Kind, _ body: (Database) throws -> T) throws -> T {
        writer.isAccessedByCurrentThread
            ? try writer.insideAccess(body) : try withWriter(for: request(kind)) { try $0.unsafeAccess(body) }
    }

    /// Runs an access to the writer while no read is running, and waits until it ends. Must not be called inside an access to the
    /// pool.
    private func withBarrier<T>(_ body: (Database) throws -> T) throws -> T {
        let resources = resourcesOfBarrier
        var thread = resources.isEmpty ? nil : try AccessWaits.shared.begin(resources)
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

    /// The resources that a barrier waits for, if this thread is inside an access to another database, which readers may wait for.
    private var resourcesOfBarrier: [AccessWaits.Resource] {
        AccessWaits.isInsideAccess ? [.readers(readers), writer.resource] : []
    }

    /// Begins an access when no read is running.
    private func beginBarrier(_ access: TaskAccess) {
        asyncBarrier { [self] barrier, connection in
            connection.beginNow(access) { [self] in readers.end(barrier) }
        } willWait: { barrier in
            access.onCancelBeforeTurn { [self] in readers.end(barrier) }
        }
    }

    /// Calls back on the thread of the writer when no read is running.
    ///
    /// - Parameters:
    ///   - body: begins the access, and must end the barrier.
    ///   - willWait: called with the barrier, so that the caller can end it earlier.
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
