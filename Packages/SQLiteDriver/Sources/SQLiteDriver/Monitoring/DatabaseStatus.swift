import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a database, for health checks and metrics.
///
/// ```swift
/// let status = pool.status()
/// if status.readers.waitingCount > 100 || status.writer.waitingCount > 100 {
///     // overloaded
/// }
/// if let age = status.oldestSnapshotAge, age > .seconds(60) {
///     // A read keeps the write-ahead log from being copied.
/// }
/// ```
///
/// Reading the status waits for nothing.
public struct DatabaseStatus: Sendable {
    /// The connections that read in parallel.
    public struct Readers: Sendable {
        /// How many reads can run at the same time, without those inside other accesses. 0 for a ``DatabaseQueue``, whose one connection is the
        /// writer.
        public internal(set) var maximumCount = 0
        /// How many connections are reading, or are being opened.
        public internal(set) var usedCount = 0
        /// How many open connections are idle.
        public internal(set) var idleCount = 0
        /// How many reads wait for a connection.
        public internal(set) var waitingCount = 0
        /// How long the oldest running read has been running; nil if none is running.
        public internal(set) var oldestAccessAge: Duration?
    }

    /// The connection that writes.
    public struct Writer: Sendable {
        /// Whether an access is running.
        public internal(set) var isUsed = false
        /// How many accesses wait for the connection.
        public internal(set) var waitingCount = 0
        /// How long the running access has been running; nil if none is running.
        public internal(set) var accessAge: Duration?
    }

    /// The state of accesses that wait until no read is running, such as migrations.
    public enum Barrier: Hashable, Sendable {
        /// No such access was requested.
        case none
        /// Such an access waits for the reads that began before it. Other reads still begin.
        case waiting
        /// Such an access waits for the last reads. Other reads wait.
        case keepingReadsOut
        /// No read is running. Such an access runs, or waits for the writer.
        case up
    }

    /// A checkpoint of the write-ahead log.
    public struct Checkpoint: Sendable {
        /// When it ended.
        public internal(set) var date: Date
        /// How many frames the log had; -1 without a log.
        public internal(set) var frameCount: Int
        /// How many of them are copied into the database file. If the number stays below ``frameCount``, a read keeps the rest from being
        /// copied.
        public internal(set) var copiedFrameCount: Int
    }

    /// Figures that only the thread of a connection can read.
    public struct Figures: Sendable {
        /// How many pages the connections found in their caches.
        public internal(set) var cacheHitCount = 0
        /// How many pages the connections read from the file.
        public internal(set) var cacheMissCount = 0
        /// How many pages were written to the file or to the log because a cache was full, in the middle of a transaction.
        public internal(set) var cacheSpillCount = 0
        /// The memory of the page caches, in bytes.
        public internal(set) var cacheSize = 0
        /// The memory of the statements and of the schemas, in bytes.
        public internal(set) var statementSize = 0
        /// How many statements were found in the caches of statements.
        public internal(set) var statementCacheHitCount = 0
        /// How many statements were compiled instead.
        public internal(set) var statementCacheMissCount = 0
        /// When the oldest of these figures was read.
        public internal(set) var date = Date()
    }

    /// The name of the database: ``Configuration/label``, or else the name of its file.
    public internal(set) var databaseName: String
    /// The connections that read.
    public internal(set) var readers = Readers()
    /// The connection that writes.
    public internal(set) var writer = Writer()
    /// The state of accesses that wait until no read is running.
    public internal(set) var barrier = Barrier.none
    /// How long the oldest view of the database has existed, of a running read or of a ``DatabaseSnapshot``; nil if there is none. The
    /// write-ahead log can't be copied completely until it ends.
    public internal(set) var oldestSnapshotAge: Duration?
    /// The size of the write-ahead log, in bytes; nil without a log.
    public internal(set) var logSize: Int?
    /// The last checkpoint of this queue or pool; nil if there was none. The automatic checkpoints of a queue are not counted if the library has
    /// no ``SQLiteDefect/walReset``.
    public internal(set) var lastCheckpoint: Checkpoint?
    /// The error of the last automatic checkpoint of a pool, such as `SQLITE_FULL`; nil if it has copied what it could. The commits before it
    /// are safe in the log. The next commits try again.
    public internal(set) var checkpointError: ResultCode?
    /// The sums of SQLite's figures. A connection reads its own when it is opened, and at the end of the first access after each status.
    public internal(set) var figures: Figures
    /// Whether new accesses are refused, because the database is shutting down.
    public internal(set) var isShuttingDown = false
}

/// What a connection publishes for other threads.
final class PublishedFigures: Sendable {
    private let state = Guarded(
        (figures: DatabaseStatus.Figures(), checkpoint: DatabaseStatus.Checkpoint?.none, checkpointError: ResultCode?.none))
    private let request = AtomicWord()

    /// Whether the end of the access must publish the figures.
    var isRequested: Bool { request.value != 0 }

    /// Returns the figures, and asks for new ones.
    func takeFigures() -> DatabaseStatus.Figures {
        request.value = 1
        return state.withLock { $0.figures }
    }

    var checkpoint: DatabaseStatus.Checkpoint? { state.withLock { $0.checkpoint } }
    var checkpointError: ResultCode? { state.withLock { $0.checkpointError } }

    /// Publishes the figures of a connection, on the thread of an access.
    func update(from db: Database) {
        request.value = 0
        guard let handle = db.sqliteConnection else { return }
        func value(_ name: CInt) -> Int {
            var value: CInt = 0
            var highest: CInt = 0
            sqlite3_db_status(handle, name, &value, &highest, 0)
            return Int(value)
        }
        var figures = DatabaseStatus.Figures()
        figures.cacheHitCount = value(SQLITE_DBSTATUS_CACHE_HIT)
        figures.cacheMissCount = value(SQLITE_DBSTATUS_CACHE_MISS)
        figures.cacheSpillCount = value(SQLITE_DBSTATUS_CACHE_SPILL)
        figures.cacheSize = value(SQLITE_DBSTATUS_CACHE_USED)
        figures.statementSize = value(SQLITE_DBSTATUS_STMT_USED) + value(SQLITE_DBSTATUS_SCHEMA_USED)
        figures.statementCacheHitCount = db.statementCache.hitCount
        figures.statementCacheMissCount = db.statementCache.missCount
        let published = figures
        state.withLock { $0.figures = published }
    }

    /// - Parameter code: SQLite's result code. It is SQLITE_BUSY while another connection runs a checkpoint.
    func didCheckpoint(_ code: CInt = SQLITE_OK, frameCount: Int, copiedFrameCount: Int) {
        let checkpoint = DatabaseStatus.Checkpoint(date: Date(), frameCount: frameCount, copiedFrameCount: copiedFrameCount)
        state.withLock { state in
            if code == SQLITE_OK { state.checkpoint = checkpoint }
            state.checkpointError = code == SQLITE_OK || code & 0xFF == SQLITE_BUSY ? nil : ResultCode(rawValue: code)
        }
    }
}

extension DatabaseStatus.Figures {
    mutating func add(_ other: DatabaseStatus.Figures) {
        cacheHitCount += other.cacheHitCount
        cacheMissCount += other.cacheMissCount
        cacheSpillCount += other.cacheSpillCount
        cacheSize += other.cacheSize
        statementSize += other.statementSize
        statementCacheHitCount += other.statementCacheHitCount
        statementCacheMissCount += other.statementCacheMissCount
        date = min(date, other.date)
    }
}

extension DatabaseStatus {
    /// Returns the part of the status that a queue and a pool share.
    init(of writer: SerializedConnection, _ configuration: Configuration, path: String) {
        databaseName = configuration.nameForMonitors(path: path)
        self.writer = Writer(isUsed: writer.line.isTaken, waitingCount: writer.line.waitingCount, accessAge: writer.database.accessAge)
        figures = writer.database.published.takeFigures()
        lastCheckpoint = writer.database.published.checkpoint
        checkpointError = writer.database.published.checkpointError
        isShuttingDown = writer.line.isRefusing
        let size = writer.database.file.isInPlace ? strata_file_size("\(writer.database.file.path)-wal") : -1
        logSize = size < 0 ? nil : Int(size)
    }
}

extension DatabaseQueue {
    /// Returns the state of the database: see ``DatabasePool/status()``.
    public func status() -> DatabaseStatus {
        DatabaseStatus(of: connection, configuration, path: path)
    }
}

extension DatabasePool {
    /// Returns the state of the database, for health checks and metrics. It waits for nothing.
    ///
    /// ```swift
    /// let status = pool.status()
    /// print(status.readers.usedCount, "of", status.readers.maximumCount, "readers")
    /// print(status.writer.waitingCount, "writes wait")
    /// ```
    public func status() -> DatabaseStatus {
        var status = DatabaseStatus(of: writer, configuration, path: path)
        readers.addStatus(to: &status)
        status.oldestSnapshotAge = [status.readers.oldestAccessAge, snapshots.oldestAge].compactMap { $0 }.max()
        return status
    }
}

/// The snapshots of a pool that are open.
final class OpenSnapshots: Sendable {
    private let begins = Guarded<[ObjectIdentifier: ContinuousClock.Instant]>([:])

    func add(_ snapshot: AnyObject) { begins.withLock { $0[ObjectIdentifier(snapshot)] = .now } }
    func remove(_ snapshot: AnyObject) { begins.withLock { $0[ObjectIdentifier(snapshot)] = nil } }

    var oldestAge: Duration? { begins.withLock { $0.values.min() }?.duration(to: .now) }
}
