import CSQLiteShims
import Dispatch

/// A second connection to a database file, whose read transaction keeps the write-ahead log from being reset, or that copies the log.
///
/// One thread at a time uses it: that of the access to the first connection, or that of a ``LogCopier``. It changes no row.
final class LogKeeper {
    private let database: Database

    /// Whether checkpoints sync, as they do by default.
    private var isSynced = true

    private var beginning: SQLiteStatement?
    private var reading: SQLiteStatement?
    private var ending: SQLiteStatement?

    /// Opens the connection.
    ///
    /// - Parameters:
    ///   - schema: the name of the database, main or attached.
    ///   - owner: the connection to which it is attached.
    /// - Throws: ``DatabaseError``, if the file has been moved or can't be opened again.
    init(schema: String, of owner: Database) throws {
        let handle = try owner.openHandle()
        // If the file was moved or deleted, the path leads to another file, or to none.
        var hasMoved: CInt = 0
        sqlite3_file_control(handle, schema, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard hasMoved == 0, let file = sqlite3_db_filename(handle, schema) else { throw Self.error(schema, owner) }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        database = try Database(path: Self.path(of: file, schema, owner), configuration: configuration)
        // The connection is opened like its owner, with permission to write, because it may be the last to be closed. It only reads.
        let reader = try database.openHandle()
        guard let other = sqlite3_db_filename(reader, "main"), strcmp(file, other) == 0,
            Self.vfs(of: reader, "main") == Self.vfs(of: handle, schema)
        else { throw Self.error(schema, owner) }
        sqlite3_extended_result_codes(reader, 1)
        // An encrypted file needs its key, which the program's preparations set.
        if begin() == SQLITE_NOTADB {
            database.beginAccess()
            defer { database.endAccess() }
            try owner.configuration.prepare(database)
        }
        end()
    }

    /// Returns a path that opens a file as it was opened, with a private cache.
    ///
    /// With a shared cache, SQLite would treat both connections as one.
    private static func path(of file: UnsafePointer<CChar>, _ schema: String, _ owner: Database) throws -> String {
        if schema == "main", owner.location.hasPrefix("file:") {
            let path = owner.location.prefix { $0 != "#" }
            return path + (path.contains("?") ? "&" : "?") + "cache=private"
        }
        var path = "file:\(String(cString: file).percentEncodedForURI)?cache=private"
        if let name = vfs(of: try owner.openHandle(), schema)?.pointee.zName {
            path += "&vfs=\(String(cString: name).percentEncodedForURI)"
        }
        return path
    }

    private static func vfs(of handle: SQLiteConnection, _ schema: String) -> UnsafeMutablePointer<sqlite3_vfs>? {
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        sqlite3_file_control(handle, schema, SQLITE_FCNTL_VFS_POINTER, &vfs)
        return vfs
    }

    private static func error(_ schema: String, _ owner: Database) -> DatabaseError {
        DatabaseError(
            code: .SQLITE_CANTOPEN, message: "the file of the database \(schema) can't be opened a second time for a checkpoint",
            advice: "Check that the file was not moved or deleted since it was opened.")
    }

    /// Copies the log into the file, as far as no reader of an older state keeps it from that. It waits for no lock.
    ///
    /// - Parameters:
    ///   - settings: PRAGMAs that make this connection sync as its owner does.
    ///   - isSynced: whether the copied pages wait for the disk. SQLite syncs the file only when the whole log is copied, but commits have
    ///     made it longer meanwhile. The commit that copies the rest then has less to sync.
    /// - Returns: SQLite's result code, and the frames of the log and those of them that are copied.
    func copyLog(_ settings: String, isSynced: Bool) -> (code: CInt, frameCount: Int, copiedFrameCount: Int) {
        guard let handle = database.sqliteConnection else { return (SQLITE_MISUSE, 0, 0) }
        var (frames, copied): (CInt, CInt) = (0, 0)
        var code = sqlite3_exec(handle, settings, nil, nil, nil)
        if code == SQLITE_OK, isSynced != self.isSynced {
            // The PRAGMA reads the schema, which takes longer than the others.
            code = sqlite3_exec(handle, "PRAGMA main.synchronous = \(isSynced ? "FULL" : "OFF")", nil, nil, nil)
            self.isSynced = isSynced
        }
        if code == SQLITE_OK { code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied) }
        if code == SQLITE_OK, isSynced {
            var file: UnsafeMutablePointer<sqlite3_file>?
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
            if let file, let methods = file.pointee.pMethods { code = methods.pointee.xSync(file, SQLITE_SYNC_NORMAL) }
        }
        return (code, Int(frames), Int(copied))
    }

    deinit {
        for statement in [beginning, reading, ending].compactMap({ $0 }) { sqlite3_finalize(statement) }
    }

    /// Begins a read transaction.
    ///
    /// - Returns: SQLite's result code. It is SQLITE_OK only if the transaction holds a read lock of the log.
    func begin() -> CInt {
        guard let handle = database.sqliteConnection else { return SQLITE_MISUSE }
        var code = run("BEGIN", &beginning)
        // The PRAGMA reads the first page of the file, and does not parse the schema.
        if code == SQLITE_OK { code = run("PRAGMA main.schema_version", &reading) }
        if code == SQLITE_OK, sqlite3_txn_state(handle, "main") == SQLITE_TXN_READ { return SQLITE_OK }
        end()
        return code == SQLITE_OK ? SQLITE_INTERNAL : code
    }

    /// Ends the read transaction, if there is one.
    func end() {
        guard let handle = database.sqliteConnection, sqlite3_get_autocommit(handle) == 0 else { return }
        _ = run("COMMIT", &ending)
    }

    /// Runs a statement, which is prepared before its first run.
    private func run(_ sql: String, _ statement: inout SQLiteStatement?) -> CInt {
        if statement == nil {
            let code = sqlite3_prepare_v2(database.sqliteConnection, sql, -1, &statement, nil)
            if code != SQLITE_OK { return code }
        }
        while sqlite3_step(statement) == SQLITE_ROW {}
        return sqlite3_reset(statement)
    }
}

/// Copies the log of a pool on another thread than that of the commits.
///
/// **Passes.** A commit that finds a long log asks for a pass, and returns. A pass is a passive checkpoint with a connection of its own.
/// What it writes was committed before, so a pass that fails loses nothing; the next commit asks for another.
///
/// **The end of the log.** Commits append to the log during a pass, and SQLite begins the log again only when all of it is copied and no
/// reader uses it. So passes follow one another, each shorter than the one before, until little is left: a commit copies that itself,
/// between two writes, and the next one begins the log again. A commit also copies the log itself if commits have added as much during a
/// pass as the pass has copied, or if a pass gets no thread. So the log does not grow without bound, except while a reader needs it.
final class LogCopier: Sendable {
    /// What a commit does about the log.
    enum Step {
        case nothing
        /// It asks for a pass.
        case pass
        /// It copies the rest itself.
        case copy
    }

    private enum Phase {
        case idle, requested, running
    }

    /// The connection that copies, and the one that protects it where SQLite has the defect ``SQLiteDefect/walReset``.
    typealias Keepers = (copying: LogKeeper, protecting: LogKeeper?)

    private struct State {
        var phase = Phase.idle
        var keepers: Keepers?
        /// Signalled at the end of the running pass.
        var waiting: [DispatchSemaphore] = []

        /// The length of the log, and how much of it is copied, as far as known. In frames, as all lengths.
        var frameCount = 0
        var copiedFrameCount = 0
        /// The length of the log at the last attempt, and whether a reader, or an error, kept that from copying all of it.
        var attemptedFrameCount = 0
        var isHeld = false
        /// How much the last pass has copied.
        var passLength = Int.max

        /// The length from which on the pool lets reads end next.
        var nextBound = Int.max
        var isLettingReadsEnd = false
    }

    private let state = Guarded(State())
    private let queue: DispatchQueue
    private let threads: SharedThreads?
    private let published: PublishedFigures
    /// The length beyond which the pool lets reads end, so that the log can begin again.
    private let bound: Int

    /// Whether the connections stay open between passes. Where databases share threads, there are many files.
    var keepsConnections: Bool { threads == nil }

    /// - Parameter bound: the length beyond which the pool lets reads end; nil for none.
    init(of db: Database, bound: Int?) {
        self.bound = bound ?? Int.max
        queue = DispatchQueue(label: "Strata.log", qos: db.configuration.qos)
        threads = db.configuration.sharedThreads
        published = db.published
        state.withLock { $0.nextBound = self.bound }
    }

    /// Returns what a commit does.
    ///
    /// - Parameters:
    ///   - frameCount: the length of the log after the commit.
    ///   - length: the length from which the log is copied.
    func didCommit(frameCount: Int, from length: Int) -> Step {
        state.withLock { state in
            state.frameCount = frameCount
            let grown = frameCount - state.attemptedFrameCount
            switch state.phase {
            case .running: return .nothing
            case .requested: return grown >= 4 * length ? .copy : .nothing
            case .idle: break
            }
            let rest = frameCount - state.copiedFrameCount
            if state.isHeld, grown < length / (rest <= length / 8 ? 64 : 8) { return .nothing }
            if rest <= length / 8 || (!state.isHeld && rest >= state.passLength) { return .copy }
            return .pass
        }
    }

    /// Records that the log has begun again.
    func didBeginAgain() { state.withLock { Self.didBeginAgain(bound, &$0) } }

    private static func didBeginAgain(_ bound: Int, _ state: inout State) {
        (state.frameCount, state.copiedFrameCount, state.attemptedFrameCount, state.isHeld) = (0, 0, 0, false)
        (state.passLength, state.nextBound) = (Int.max, bound)
    }

    /// Records what a commit or a pass has copied.
    private static func didCopy(_ frameCount: Int, _ copiedFrameCount: Int, _ state: inout State) {
        state.attemptedFrameCount = frameCount
        state.isHeld = copiedFrameCount < frameCount
        state.passLength = max(copiedFrameCount - state.copiedFrameCount, 0)
        state.copiedFrameCount = copiedFrameCount
    }

    func didCopy(frameCount: Int, copiedFrameCount: Int) {
        state.withLock { Self.didCopy(frameCount, copiedFrameCount, &$0) }
    }

    /// Whether reads must end now, so that the log can begin again. If so, the caller lets them end, and calls ``didLetReadsEnd(_:)``.
    func mustLetReadsEnd() -> Bool {
        state.withLock { state in
            // A pass must have copied the most part before: reads wait for the rest.
            guard !state.isLettingReadsEnd, state.frameCount >= state.nextBound, state.frameCount - state.copiedFrameCount <= bound else {
                return false
            }
            state.isLettingReadsEnd = true
            return true
        }
    }

    /// - Parameter beginsAgain: whether the log begins again. If not, the next attempt comes when it has grown by the bound again.
    func didLetReadsEnd(_ beginsAgain: Bool) {
        state.withLock { state in
            state.isLettingReadsEnd = false
            if beginsAgain { Self.didBeginAgain(bound, &state) } else { state.nextBound = state.frameCount + bound }
        }
    }

    // MARK: - Passes

    /// Whether the connections for a pass are open.
    var isOpen: Bool { state.withLock { $0.keepers != nil } }

    /// Asks for a pass.
    ///
    /// - Parameters:
    ///   - keepers: its connections, unless they are open.
    ///   - settings: PRAGMAs for the one that copies.
    func requestPass(_ keepers: Keepers?, _ settings: String, isSynced: Bool) {
        state.withLock { state in
            if let keepers { state.keepers = keepers }
            state.phase = .requested
            state.attemptedFrameCount = state.frameCount
        }
        let work = { @Sendable [self] in pass(settings, isSynced: isSynced) }
        if let threads { threads.run(on: queue, .unspecified, work) } else { queue.async(execute: work) }
    }

    private func pass(_ settings: String, isSynced: Bool) {
        guard let (code, frameCount, copiedFrameCount) = copyLog(settings, isSynced: isSynced) else { return }
        if !keepsConnections { _ = state.withLock { $0.keepers.take() } }
        published.didCheckpoint(code, frameCount: frameCount, copiedFrameCount: copiedFrameCount)
        let waiting = state.withLock { state -> [DispatchSemaphore] in
            state.phase = .idle
            if code != SQLITE_OK {
                state.isHeld = true
            } else if state.frameCount >= frameCount {
                // Else the log has begun again since then.
                Self.didCopy(frameCount, copiedFrameCount, &state)
            }
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// Runs a pass, unless it was revoked. When it returns, only the state refers to the connections.
    private func copyLog(_ settings: String, isSynced: Bool) -> (code: CInt, frameCount: Int, copiedFrameCount: Int)? {
        let keepers = state.withLock { state -> Keepers? in
            guard state.phase == .requested else { return nil }
            state.phase = .running
            return state.keepers
        }
        guard let (copying, protecting) = keepers else { return nil }
        if let code = protecting?.begin(), code != SQLITE_OK { return (code, 0, 0) }
        defer { protecting?.end() }
        return copying.copyLog(settings, isSynced: isSynced)
    }

    /// Revokes a request for a pass, or waits until the running pass has ended.
    func end() {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            if state.phase != .running {
                state.phase = .idle
                return nil
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return semaphore
        }
        semaphore?.wait()
    }

    /// Ends the pass, and closes its connections.
    func close() {
        end()
        _ = state.withLock { $0.keepers.take() }
    }
}
