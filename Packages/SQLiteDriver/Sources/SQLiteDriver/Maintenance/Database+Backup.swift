import CSQLiteShims

extension Database {
    /// Copies the main database of this connection over the main database of another one.
    ///
    /// ```swift
    /// try source.read { source in
    ///     try destination.writeWithoutTransaction { destination in
    ///         try source.backup(to: destination)
    ///     }
    /// }
    /// ```
    ///
    /// The copy happens as a whole or not at all. Pages are copied in steps, and between them others may write to the source.
    /// What this connection writes goes to the copy, too; when another one writes, SQLite begins again with the next step,
    /// unless this connection is in a transaction that reads, and so has a state to hold on to.
    ///
    /// Locks of other connections are waited for as the configurations of both connections say.
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - destination: a connection to another database, outside transactions. What it holds is lost.
    ///   - pagesPerStep: the number of pages to copy at once, all of them when negative, as by default.
    ///   - progress: is told after each step how far the copy is. An error that it throws ends the backup; the destination
    ///     is unchanged then, unless the report was the last one, of which ``DatabaseBackupProgress/isCompleted`` is true.
    /// - Throws: ``DatabaseError``, or the error of `progress`.
    public func backup(
        to destination: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        checkAccess()
        destination.checkAccess()
        guard pagesPerStep != 0 else {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "a backup of 0 pages per step has no end",
                advice: "Copy one page per step or more, or -1 for all at once.")
        }
        var backup = try startBackup(to: destination)
        defer {
            // This also undoes a copy that is not complete.
            sqlite3_backup_finish(backup)
            destination.clearSchemaCache()
        }
        var patience = BackupPatience(source: self, destination: destination)
        while true {
            try checkCancellation()
            try destination.checkCancellation()
            patience.stepWillBegin()
            let code = sqlite3_backup_step(backup, pagesPerStep)
            switch code & 0xFF {
            case SQLITE_OK, SQLITE_DONE:
                patience.stepDidSucceed()
                let isCompleted = code & 0xFF == SQLITE_DONE
                try progress?(
                    DatabaseBackupProgress(
                        remainingPageCount: Int(sqlite3_backup_remaining(backup)),
                        totalPageCount: Int(sqlite3_backup_pagecount(backup)), isCompleted: isCompleted))
                if isCompleted { return }
            case SQLITE_BUSY, SQLITE_LOCKED:
                guard patience.waits(after: code) else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code))
                }
                // SQLite can go on after these two codes, but not after those that extend them, such as
                // SQLITE_LOCKED_SHAREDCACHE, by which it remembers that the backup has failed.
                if code != SQLITE_BUSY, code != SQLITE_LOCKED {
                    sqlite3_backup_finish(backup)
                    backup = nil
                    backup = try startBackup(to: destination)
                }
            default:
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
        }
    }

    private func startBackup(to destination: Database) throws -> OpaquePointer? {
        let destinationHandle = try destination.openHandle()
        guard let backup = sqlite3_backup_init(destinationHandle, "main", try openHandle(), "main") else {
            throw destination.makeError(sqlite3_errcode(destinationHandle), sql: nil)
        }
        return backup
    }
}

/// Decides how long a backup waits for a lock.
///
/// A step asks the busy handlers for locks of files, and has waited when it fails. But for locks of a database in memory that
/// connections share it asks nobody, and must be tried again by us. What is the same for both is the time that has passed.
private struct BackupPatience {
    /// Seconds, by the more patient of the two connections.
    private let timeout: Double

    /// The functions that are asked about a lock that SQLite has asked nobody about.
    private let callbacks: [Database.BusyCallback]

    /// Whether the lock may be one that this backup itself keeps from being released.
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

    /// Whether to try again; waits before it says so.
    mutating func waits(after code: CInt) -> Bool {
        // SQLite says so when the source's own transaction has written: that lasts as long as the backup does.
        if isSourceInTransaction, code & 0xFF == SQLITE_BUSY { return false }
        defer { numberOfTries += 1 }
        if code & 0xFF == SQLITE_LOCKED, callbacks.contains(where: { $0(numberOfTries) }) { return true }
        guard let start, clock.now - start < .seconds(timeout) else { return false }
        sqlite3_sleep(5)
        return true
    }
}
