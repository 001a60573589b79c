import CSQLiteShims

/// Protects the checkpoints of a connection, where SQLite has the defect ``SQLiteDefect/walReset``.
///
/// **The defect.** A checkpoint reads the length of the log, and then copies the log into the database file. If the log is completely
/// copied when the checkpoint begins, a commit of another connection may reset the log in between: it begins again with the first
/// frame. The checkpoint then marks frames as copied that the new log does not have yet, and that no later checkpoint copies. A full,
/// restart or truncate checkpoint holds the write lock meanwhile; but if it can't get that lock, SQLite runs a passive checkpoint,
/// and only then returns SQLITE_BUSY.
///
/// **The protection.** While the checkpoint runs, a second connection to the file is in a read transaction, which holds one of the
/// locks that <https://www.sqlite.org/walformat.html#how_the_various_locks_are_used> describes:
///
/// - `WAL_READ_LOCK(N)` with N > 0: no connection resets the log while such a lock is held. What the checkpoint has read about the log
///   stays true, because commits only append to it.
/// - `WAL_READ_LOCK(0)`, if the log was completely copied when the transaction began: no connection copies a frame while this lock is held.
///   The checkpoint copies nothing, and marks no frame as copied.
///
/// The transaction begins before the checkpoint reads the log's header. For checkpoints that wait for the write lock, it begins when they
/// give up waiting: earlier, the read lock would make a restart wait for it.
///
/// A transaction that holds the write lock instead of the read lock would protect, too. But no other connection could commit until the
/// checkpoint has copied the log, which may have gigabytes after a long read. And a checkpoint that gives up waiting for that lock can't
/// get it for its protection either.
final class LogProtection {
    /// The length of the log, in frames, from which each commit runs a checkpoint; 0 for no automatic checkpoints.
    private var automaticFrameCount = 0

    /// For each database whose last automatic checkpoint did not copy all frames, because of a reader: the length of the log then.
    private var incompleteFrameCounts: [String: Int] = [:]

    /// The connection that protects the main database. It stays open after the first checkpoint, because opening it takes longer than a
    /// commit.
    private var keeper: LogKeeper?

    /// Copies the log of a pool.
    private var copier: LogCopier?
    /// Lets the reads of the pool end, and then truncates the log.
    private var lettingReadsEnd: (@Sendable (LogCopier) -> Void)?
    /// The length of the main database's log after the last commit, in frames.
    private var frameCount = 0

    /// The connections that protect the running checkpoint.
    private var protection: Protection?

    private struct Protection {
        let keepers: [(schema: String, keeper: LogKeeper)]
        /// Whether the busy handler was replaced, for a checkpoint that waits for locks: the keepers begin when it gives up.
        var waits = false
        /// The databases in the exclusive locking mode, if the checkpoint waits.
        var exclusiveSchemas: [String] = []
        /// The timeout that the program has set with `PRAGMA busy_timeout`, in milliseconds.
        var busyTimeout: CInt = 0
    }

    /// The PRAGMA that is running, if it needs protection.
    private var pragma: StatementEffects.LogPragma? { didSet { needs[.logPragma] = pragma != nil } }

    private let needs: StatementNeeds

    init(_ needs: StatementNeeds) {
        self.needs = needs
    }

    // MARK: - Automatic checkpoints

    /// Replaces SQLite's own automatic checkpoints.
    func install(on handle: SQLiteConnection, of db: Database) {
        guard SQLiteLibrary.current.resetsLogDuringCheckpoints || copier != nil, db.isWriter, !db.configuration.readonly else { return }
        // SQLite's hook has the number of frames in place of a pointer.
        let context = sqlite3_wal_hook(
            handle,
            { context, _, schema, frameCount in
                guard let context, let schema else { return SQLITE_OK }
                let db = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                db.logProtection.didCommit(to: schema, frameCount: Int(frameCount), of: db)
                return SQLITE_OK
            }, Unmanaged.passUnretained(db).toOpaque())
        if context != Unmanaged.passUnretained(db).toOpaque() { automaticFrameCount = max(0, Int(bitPattern: context)) }
    }

    /// Lets a ``LogCopier`` copy the log of the main database, after commits.
    ///
    /// - Parameter lettingReadsEnd: lets the reads of the pool end, and then calls ``truncateLog(_:)``.
    func copyBesideCommits(of db: Database, lettingReadsEnd: @escaping @Sendable (LogCopier) -> Void) throws {
        // A suspended database holds no lock.
        if db.configuration.readonly || db.engine != nil || db.configuration.observesSuspensionNotifications { return }
        let frameSize = 24 + (Self.values("PRAGMA main.page_size", db).first.flatMap { Int($0) } ?? 4096)
        copier = LogCopier(of: db, bound: db.configuration.maximumLogSize.map { max($0 / frameSize, 1) })
        self.lettingReadsEnd = lettingReadsEnd
        install(on: try db.openHandle(), of: db)
    }

    private func didCommit(to schema: UnsafePointer<CChar>, frameCount: Int, of db: Database) {
        guard let copier, strcmp(schema, "main") == 0 else { return runAutomaticCheckpoint(schema, frameCount, db) }
        if frameCount <= self.frameCount { copier.didBeginAgain() }
        self.frameCount = frameCount
        guard automaticFrameCount > 0, frameCount >= automaticFrameCount, protection == nil else { return }
        switch copier.didCommit(frameCount: frameCount, from: automaticFrameCount) {
        case .nothing: break
        case .pass where requestPass(copier, db): break
        case .pass, .copy: copyRest(copier, db)
        }
        if copier.mustLetReadsEnd() { lettingReadsEnd?(copier) }
    }

    /// - Returns: whether a pass will come.
    private func requestPass(_ copier: LogCopier, _ db: Database) -> Bool {
        if isExclusive("main", db) { return false }
        do {
            var keepers: LogCopier.Keepers?
            if !copier.isOpen { keepers = (try LogKeeper(schema: "main", of: db), try protectingKeepers(["main"], db).first?.keeper) }
            // Then they belong to the pass.
            if !copier.keepsConnections { keeper = nil }
            let settings = ["fullfsync", "checkpoint_fullfsync"].map { name in
                "PRAGMA \(name) = \(Self.values("PRAGMA \(name)", db).first ?? "0");"
            }
            copier.requestPass(keepers, settings.joined(), isSynced: Self.values("PRAGMA main.synchronous", db) != ["0"])
            return true
        } catch {
            return false
        }
    }

    /// Copies what commits have added to the log during the last pass.
    private func copyRest(_ copier: LogCopier, _ db: Database) {
        copier.end()
        defer { if !copier.keepsConnections { keeper = nil } }
        guard let handle = db.sqliteConnection, (try? begin(.passive, ["main"], db)) != nil else { return }
        let (code, frames, copied) = Self.checkpoint(SQLITE_CHECKPOINT_PASSIVE, handle)
        end(db)
        db.published.didCheckpoint(code, frameCount: frames, copiedFrameCount: copied)
        if code == SQLITE_OK { copier.didCopy(frameCount: frames, copiedFrameCount: copied) }
    }

    /// Copies the rest of the log, and truncates it to zero bytes, unless another connection needs it. It waits for no lock.
    ///
    /// - Returns: whether the log is empty.
    func truncateLog(_ db: Database) -> Bool {
        guard let handle = db.sqliteConnection, !isExclusive("main", db), let counts = try? checkpoint(.passive, on: "main", db),
            counts.walFrameCount == counts.checkpointedFrameCount, (try? begin(.passive, ["main"], db)) != nil
        else { return false }
        // As the log is copied, the keeper reads the file alone, and lets the log begin again. If another process has committed meanwhile,
        // the keeper needs the log, and the checkpoint gives up.
        replaceBusyHandler(db)
        sqlite3_busy_handler(handle, nil, nil)
        defer { end(db) }
        return Self.checkpoint(SQLITE_CHECKPOINT_TRUNCATE, handle).code == SQLITE_OK
    }

    private static func checkpoint(
        _ mode: CInt, on schema: String? = "main", _ handle: SQLiteConnection
    ) -> (code: CInt, frames: Int, copied: Int) {
        var (frames, copied): (CInt, CInt) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(handle, schema, mode, &frames, &copied)
        return (code, Int(frames), Int(copied))
    }

    /// Runs an automatic checkpoint after a commit, if the log is long enough. Errors are ignored, as SQLite ignores them: the next commit
    /// tries again.
    ///
    /// SQLite tries after each commit while a long read keeps the log from being copied. Here, it tries again when the log has grown by a
    /// sixty-fourth of its intended length, so that the protection costs such commits nothing.
    private func runAutomaticCheckpoint(_ schema: UnsafePointer<CChar>, _ frameCount: Int, _ db: Database) {
        guard automaticFrameCount > 0, frameCount >= automaticFrameCount, let handle = db.sqliteConnection, protection == nil else {
            return
        }
        let name = String(cString: schema)
        if let earlier = incompleteFrameCounts[name], frameCount >= earlier, frameCount - earlier < automaticFrameCount / 64 { return }
        guard (try? begin(.passive, [name], db)) != nil else { return }
        let (code, frames, copied) = Self.checkpoint(SQLITE_CHECKPOINT_PASSIVE, on: name, handle)
        incompleteFrameCounts[name] = code == SQLITE_OK && copied < frames ? frames : nil
        if code == SQLITE_OK, name == "main" { db.published.didCheckpoint(frameCount: frames, copiedFrameCount: copied) }
        end(db)
    }

    // MARK: - Checkpoints

    /// Runs a checkpoint, once.
    ///
    /// - Throws: ``DatabaseError``: `SQLITE_BUSY` if a lock could not be acquired.
    func checkpoint(
        _ mode: Database.CheckpointMode, on schema: String?, _ db: Database
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        let handle = try db.openHandle()
        copier?.end()
        guard SQLiteLibrary.current.resetsLogDuringCheckpoints, !db.isInsideTransaction else {
            return try run(mode, on: schema, handle, db)
        }
        if let schema {
            try begin(mode, [schema].filter { isInWALMode($0, db) }, db)
            defer { end(db) }
            return try run(mode, on: schema, handle, db)
        }
        // Once the busy handler has given up, SQLite does not call it for the remaining databases.
        var counts: [(walFrameCount: Int, checkpointedFrameCount: Int)] = []
        var busy: DatabaseError?
        for schema in Self.values(ofColumn: 1, "PRAGMA database_list", db) {
            do {
                counts.append(try checkpoint(mode, on: schema, db))
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                busy = busy ?? error
            }
        }
        if let busy { throw busy }
        return counts.first ?? (-1, -1)
    }

    private func run(
        _ mode: Database.CheckpointMode, on schema: String?, _ handle: SQLiteConnection, _ db: Database
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        let (code, frames, copied) = Self.checkpoint(mode.rawValue, on: schema, handle)
        guard code == SQLITE_OK else { throw db.makeError(code, sql: nil) }
        if schema == "main" {
            db.published.didCheckpoint(frameCount: frames, copiedFrameCount: copied)
            copier?.didCopy(frameCount: frames, copiedFrameCount: copied)
        }
        return (frames, copied)
    }

    // MARK: - Statements

    /// Protects a PRAGMA that is about to run.
    fileprivate func pragmaWillBegin(_ pragma: StatementEffects.LogPragma, _ db: Database) throws {
        if case .checkpoint(let mode, let schema) = pragma, !db.isInsideTransaction {
            let schemas = schema.map { [$0] } ?? Self.values(ofColumn: 1, "PRAGMA database_list", db)
            copier?.end()
            let protects = SQLiteLibrary.current.resetsLogDuringCheckpoints
            if protects { try db.retryingWhenBusy { try begin(mode, schemas.filter { isInWALMode($0, db) }, db) } }
        }
        self.pragma = pragma
    }

    /// Ends the protection of the running PRAGMA, if there is one.
    func endPragma(_ db: Database) {
        guard let pragma = pragma.take() else { return }
        end(db)
        // If SQLite has recompiled the PRAGMA, it has set its own hook.
        if pragma == .automaticCheckpoints, let handle = db.sqliteConnection { install(on: handle, of: db) }
    }

    // MARK: - Protection

    /// Begins the protection of a checkpoint.
    ///
    /// - Throws: ``DatabaseError`` if the checkpoint can't be protected now.
    private func begin(_ mode: Database.CheckpointMode, _ schemas: [String], _ db: Database) throws {
        let handle = try db.openHandle()
        if db.configuration.readonly, !schemas.isEmpty {
            // SQLite would try, and might mark frames as copied where there is nothing to write.
            throw DatabaseError(
                code: .SQLITE_READONLY, message: "a read-only connection can't run a checkpoint", advice: "Run it in a write access.")
        }
        let protection = Protection(keepers: try protectingKeepers(schemas, db))
        if mode == .passive { try hold(protection.keepers) { isExclusive($0, db) } }
        self.protection = protection
        if mode != .passive {
            self.protection?.exclusiveSchemas = schemas.filter { isExclusive($0, db) }
            replaceBusyHandler(db)
            db.setUpBusyHandler(handle, isProtecting: true)
        }
    }

    private func protectingKeepers(_ schemas: [String], _ db: Database) throws -> [(schema: String, keeper: LogKeeper)] {
        guard SQLiteLibrary.current.resetsLogDuringCheckpoints else { return [] }
        return try schemas.map { ($0, try keeper(of: $0, db)) }
    }

    /// Notes that the end of the protection sets the busy handler up. The program may have replaced it.
    private func replaceBusyHandler(_ db: Database) {
        protection?.waits = true
        protection?.busyTimeout = Self.values("PRAGMA busy_timeout", db).first.flatMap { CInt($0) } ?? 0
    }

    /// Begins the protection of a checkpoint that gives up waiting for a lock, if such a checkpoint is running. Called by SQLite's busy
    /// handler, which must not use the connection.
    ///
    /// - Returns: whether the checkpoint may continue without the lock.
    func beginAfterWaiting() -> Bool {
        guard let protection, protection.waits else { return true }
        if (try? hold(protection.keepers) { protection.exclusiveSchemas.contains($0) }) != nil { return true }
        // Without protection, the checkpoint must continue to wait.
        sqlite3_sleep(1)
        return false
    }

    /// Makes the connections take their read locks.
    ///
    /// - Parameter isExclusive: whether a database is in the exclusive locking mode.
    /// - Throws: ``DatabaseError`` if one of them can't. The others then release their locks.
    private func hold(_ keepers: [(schema: String, keeper: LogKeeper)], isExclusive: (String) -> Bool) throws {
        for (schema, keeper) in keepers {
            let code = keeper.begin()
            // In the exclusive locking mode, this connection is the only one, and no other connection can commit.
            if code == SQLITE_OK || (code == SQLITE_BUSY && isExclusive(schema)) { continue }
            for (_, keeper) in keepers { keeper.end() }
            throw DatabaseError(
                code: ResultCode(rawValue: code), message: "a checkpoint of the database \(schema) can't be protected from commits",
                advice: nil)
        }
    }

    /// Ends the protection, if there is one.
    private func end(_ db: Database) {
        guard let protection = protection.take() else { return }
        for (_, keeper) in protection.keepers { keeper.end() }
        guard protection.waits, let handle = db.sqliteConnection else { return }
        db.setUpBusyHandler(handle)
        if protection.busyTimeout > 0 { sqlite3_busy_timeout(handle, protection.busyTimeout) }
    }

    /// Closes the other connections. The next checkpoint opens them again.
    ///
    /// They must not be open when this connection is closed, leaves WAL mode, or locks the file exclusively.
    func close() {
        copier?.close()
        keeper = nil
    }

    private func keeper(of schema: String, _ db: Database) throws -> LogKeeper {
        if schema == "main", let keeper { return keeper }
        let keeper = try LogKeeper(schema: schema, of: db)
        // An attached database may be detached, and a connection in the exclusive locking mode will lock the file exclusively.
        if schema == "main", !isExclusive(schema, db) { self.keeper = keeper }
        return keeper
    }

    // MARK: - Information

    /// Whether a checkpoint of the database may copy anything.
    private func isInWALMode(_ schema: String, _ db: Database) -> Bool {
        Self.values("PRAGMA \(schema.quotedDatabaseIdentifier).journal_mode", db).first == "wal"
    }

    private func isExclusive(_ schema: String, _ db: Database) -> Bool {
        Self.values("PRAGMA \(schema.quotedDatabaseIdentifier).locking_mode", db).first == "exclusive"
    }

    /// Returns a column of the rows of a PRAGMA that reads nothing from the file. It runs even while the connection ends another statement.
    /// It is not interrupted: without its result, a checkpoint would run without protection.
    private static func values(ofColumn column: CInt = 0, _ sql: String, _ db: Database) -> [String] {
        var statement: SQLiteStatement?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        return db.withoutInterruption {
            var values: [String] = []
            while sqlite3_step(statement) == SQLITE_ROW {
                if let text = sqlite3_column_text(statement, column) { values.append(String(cString: text)) }
            }
            return values
        }
    }
}

/// Protects PRAGMAs that run checkpoints.
struct LogPragmaRun: StatementParticipant {
    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        if let pragma = statement.effects.logPragma { try db.logProtection.pragmaWillBegin(pragma, db) }
    }

    func statementDidEnd(_ end: inout StatementEnd, in db: Database) { db.logProtection.endPragma(db) }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) { db.logProtection.endPragma(db) }
}
