import CSQLiteShims

extension Database {
    /// Copies the main database of this connection over the main database of another connection.
    ///
    /// ```swift
    /// try source.read { source in
    ///     try destination.writeWithoutTransaction { destination in
    ///         try source.backup(to: destination)
    ///     }
    /// }
    /// ```
    ///
    /// The backup copies the whole database or nothing. It copies pages in steps; between them, other connections may write to the
    /// source. Changes by this connection are copied, too. A change by another connection makes SQLite restart with the next step,
    /// unless this connection is in a read transaction, which keeps one state of the database.
    ///
    /// The destination's file keeps its permissions: create it with those that the content needs, before you open it.
    ///
    /// The backup waits for locks of other connections according to the configurations of both connections.
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - destination: a connection to another database, outside transactions. Its previous content is lost.
    ///   - pagesPerStep: the number of pages to copy in one step. A negative number, the default, copies all pages in one step.
    ///   - progress: called after each step. An error that it throws ends the backup, and leaves the destination unchanged. After
    ///     the last step, when ``DatabaseBackupProgress/isCompleted`` is true, its error is ignored: the copy is complete.
    /// - Throws: ``DatabaseError``, or the error of `progress`.
    public func backup(
        to destination: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        checkAccess()
        destination.checkAccess()
        guard pagesPerStep != 0 else { throw Self.endlessBackup }
        var backup = try startBackup(to: destination)
        var isCompleted = false
        defer {
            // Finishing also undoes an incomplete copy.
            sqlite3_backup_finish(backup)
            destination.clearSchemaCache()
            if isCompleted { destination.didReplaceContent() }
        }
        var patience = BackupPatience(source: self, destination: destination)
        while true {
            try checkCancellation()
            try destination.checkCancellation()
            patience.stepWillBegin()
            let code = sqlite3_backup_step(backup, pagesPerStep)
            switch code & 0xFF {
            case SQLITE_OK:
                patience.stepDidSucceed()
                try progress?(DatabaseBackupProgress(backup, isCompleted: false))
            case SQLITE_DONE:
                isCompleted = true
                try? progress?(DatabaseBackupProgress(backup, isCompleted: true))
                return
            case SQLITE_BUSY, SQLITE_LOCKED:
                guard patience.waits(after: code) else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
                // SQLite can continue a backup after these two codes, but not after their extended codes, such as
                // SQLITE_LOCKED_SHAREDCACHE, which mark the backup as failed.
                if code != SQLITE_BUSY, code != SQLITE_LOCKED {
                    sqlite3_backup_finish(backup.take())
                    backup = try startBackup(to: destination)
                }
            default:
                // After this call, the page size of the destination can be read.
                sqlite3_backup_finish(backup.take())
                throw backupError(code, destination)
            }
        }
    }

    /// Returns the error of a step. SQLITE_READONLY may also mean that SQLite can't change the page size of a database in WAL mode.
    private func backupError(_ code: CInt, _ destination: Database) -> DatabaseError {
        let error = DatabaseError(resultCode: ResultCode(rawValue: code))
        func pageSize(of db: Database) -> Int64? {
            try? InternalQuery("PRAGMA main.page_size").first(in: db) { $0.int64(at: 0) }
        }
        guard error.resultCode == .SQLITE_READONLY, !destination.configuration.readonly, destination.isInWALMode,
            let size = pageSize(of: self), let other = pageSize(of: destination), size != other
        else { return error }
        return DatabaseError(
            code: error.extendedResultCode,
            message: "a backup can't change the page size of a database in WAL mode, from \(other) to \(size) bytes",
            advice: "Back up to a new file, or run PRAGMA journal_mode = DELETE on the destination first.")
    }

    private static var endlessBackup: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "pagesPerStep is 0, so the backup would never finish",
            advice: "Pass a positive number of pages, or -1 to copy all pages in one step.")
    }

    /// Notifies observers that a backup has replaced the content of the database.
    private func didReplaceContent() {
        commits.increment()
        try? observation.notifyChanges(in: .fullDatabase, of: self)
    }

    private func startBackup(to destination: Database) throws -> OpaquePointer? {
        // The backup of a database with an engine would contain only the schema.
        for database in [self, destination] {
            try database.checkHasNoEngine("can't be copied as a file", advice: "Copy its rows with statements, or dump and load them.")
        }
        let destinationHandle = try destination.openHandle()
        guard let backup = sqlite3_backup_init(destinationHandle, "main", try openHandle(), "main") else {
            throw destination.makeError(sqlite3_errcode(destinationHandle), sql: nil)
        }
        return backup
    }
}

extension DatabaseBackupProgress {
    fileprivate init(_ backup: OpaquePointer?, isCompleted: Bool) {
        self.init(
            remainingPageCount: Int(sqlite3_backup_remaining(backup)), totalPageCount: Int(sqlite3_backup_pagecount(backup)),
            isCompleted: isCompleted)
    }
}

/// Decides how long a backup waits for a lock.
///
/// For file locks, a step calls the busy handlers, so it has already waited when it fails. For locks of a shared database in
/// memory, SQLite calls no busy handler, and the backup must try again on its own. To treat both alike, the timeout counts the time
/// since the step first failed.
private struct BackupPatience {
    /// Seconds, the longer timeout of the two connections.
    private let timeout: Double

    /// The busy callbacks for locks for which SQLite does not call the busy handler.
    private let callbacks: [Database.BusyCallback]

    /// Whether the source's own transaction may hold the lock.
    private let isSourceInTransaction: Bool

    private let clock = ContinuousClock()
    private var start: ContinuousClock.Instant?
    private var numberOfTries = 0

    init(source: Database, destination: Database) {
        let modes = [source.configuration.busyMode, destination.configuration.busyMode]
        timeout = modes.reduce(0) { longest, mode in
            if case .timeout(let seconds) = mode, seconds > longest { seconds } else { longest }
        }
        callbacks = modes.compactMap { if case .callback(let callback) = $0 { callback } else { nil } }
        isSourceInTransaction = source.isInsideTransaction
    }

    mutating func stepWillBegin() {
        if start == nil { start = clock.now }
    }

    mutating func stepDidSucceed() {
        start = nil
        numberOfTries = 0
    }

    /// Waits, and returns whether to try again.
    mutating func waits(after code: CInt) -> Bool {
        // SQLite returns this code when the source's own transaction has written: waiting can't end that transaction.
        if isSourceInTransaction, code & 0xFF == SQLITE_BUSY { return false }
        defer { numberOfTries += 1 }
        if code & 0xFF == SQLITE_LOCKED, callbacks.contains(where: { $0(numberOfTries) }) { return true }
        guard let start, clock.now - start < .seconds(timeout) else { return false }
        sqlite3_sleep(5)
        return true
    }
}

/// The progress of a backup.
///
/// Source: <https://www.sqlite.org/c3ref/backup_finish.html#sqlite3backupremaining>
public struct DatabaseBackupProgress: Hashable, Sendable {
    /// The number of pages that remain to be copied.
    public let remainingPageCount: Int

    /// The number of pages of the source database. It may change during the backup.
    public let totalPageCount: Int

    /// The number of pages that were copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }

    /// Whether the copy is complete. This is true in the last report only.
    public let isCompleted: Bool
}
