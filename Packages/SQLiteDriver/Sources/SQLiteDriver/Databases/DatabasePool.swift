import CSQLiteShims

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
    public var configuration: Configuration { gate.configuration }

    /// The path of the database file.
    public var path: String { gate.path }

    package let gate: AccessGate
    let readers: ReaderPool
    let snapshots = OpenSnapshots()

    var writer: SerializedConnection { gate.writer }

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
        let writer = try SerializedConnection(path: path, configuration: configuration, purpose: ".writer")
        if configuration.makeEngine == nil { try writer.onItsQueue { try writer.run { try $0.setUpWALMode() } } }
        let readerConfiguration = changed(configuration) { $0.readonly = true }
        readers = ReaderPool(
            maximumCount: configuration.maximumReaderCount, maximumWaitingCount: configuration.maximumWaitingAccesses,
            threads: configuration.sharedThreads
        ) { number in
            try SerializedConnection(
                path: path, configuration: readerConfiguration, purpose: ".reader.\(number)", isReader: true, writer: writer)
        }
        gate = AccessGate(writer, readers: readers)
        try writer.onItsQueue {
            try writer.run { db in
                let timeout = configuration.logRestartTimeout
                try db.logProtection.copyBesideCommits(of: db) { [weak gate] copier in
                    guard let gate else { return copier.didLetReadsEnd(false) }
                    gate.schedule(AccessRequest(.barrierWrite, .database, timeout: timeout)) { result in
                        copier.didLetReadsEnd((try? result.get()).map { $0.logProtection.truncateLog($0) } ?? false)
                    }
                }
            }
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
        try gate.run(.write) { db in try db.inTransaction(kind) { try updates(db) } }
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
        // Memory of a closed database is released already.
        try? gate.runReentrantly(.ofDatabase) { $0.releaseMemory() }
        readers.releaseIdleConnections(keepingThem: configuration.persistentReadOnlyConnections)
    }

    /// Schedules the release of memory that SQLite can do without, and returns without waiting for running accesses.
    public func releaseMemoryEventually() {
        gate.schedule(.ofDatabase) { result in (try? result.get())?.releaseMemory() }
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
        // Before the log is opened, which belongs to the path: it may be the log of another file.
        try checkIsInPlace()
        guard isReady else {
            throw DatabaseError(
                code: .SQLITE_CANTOPEN, message: "the database can't be switched to WAL mode: \(path)",
                advice: "WAL mode needs a writable file on a local disk. A DatabaseQueue works without WAL mode.")
        }
        // SQLite creates the log and its index with the first read. Connections that may not create them can open the file from then on:
        // https://www.sqlite.org/wal.html#read_only_databases
        if !configuration.readonly { try readFile() }
        try checkIsInPlace()
    }
}

extension DatabasePool {
    /// Whether the path of the pool leads to its file. Safe from any thread.
    package var isFileInPlace: Bool { writer.database.file.isInPlace }
}

// MARK: - Reading

extension DatabasePool: GatedDatabase, DatabaseReader {
    /// Closes all connections after the accesses that were requested before have ended. Later accesses throw.
    ///
    /// ```swift
    /// try pool.close()
    /// ```
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive, and `SQLITE_MISUSE` inside an access. After an
    ///   error, the pool stays open and can still be used.
    public func close() throws {
        try gate.checkNotInsideAccess(of: readers)
        readers.setClosed(true)
        do {
            try gate.run(AccessRequest(.barrierWrite, .database)) { db in
                try readers.closeIdleConnections()
                try db.close()
            }
        } catch {
            readers.setClosed(false)
            throw error
        }
    }

    /// Interrupts the running statements of all connections, which then fail with `SQLITE_INTERRUPT`.
    ///
    /// ```swift
    /// pool.interrupt()
    /// ```
    public func interrupt() {
        writer.database.interrupt()
        readers.forEach { $0.database.interrupt() }
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

extension DatabasePool: DatabaseWriter {
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

    /// Reads the changes that were just written, while other accesses may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        gate.spawnConcurrentRead(.read, value)
    }

    /// Reads the changes that were just written, while other accesses may write again: ``spawnConcurrentRead(_:)``.
    public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { spawnConcurrentRead(value) }
}
