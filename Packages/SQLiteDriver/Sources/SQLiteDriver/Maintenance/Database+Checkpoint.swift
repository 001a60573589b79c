extension Database {
    /// How much a checkpoint copies, and what it waits for.
    ///
    /// Source: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
    public enum CheckpointMode: CInt, CaseIterable, Sendable {
        /// Copies as many frames as it can without waiting for readers or writers.
        case passive = 0
        /// Waits for the writer, and for readers of older states, and then copies all frames.
        case full = 1
        /// Like ``full``, and also waits for all readers of the log, so that the next writer starts the log from its beginning.
        case restart = 2
        /// Like ``restart``, and also truncates the log file to zero bytes.
        case truncate = 3
    }

    /// Copies the content of the write-ahead log into the database file.
    ///
    /// ```swift
    /// try pool.writeWithoutTransaction { db in
    ///     _ = try db.checkpoint(.truncate)
    /// }
    /// ```
    ///
    /// While another connection runs a checkpoint, each mode waits for its end, according to ``Configuration/busyMode``.
    ///
    /// Many versions of SQLite can lose data when another connection commits during a checkpoint: see ``SQLiteDefect/walReset``. With
    /// these versions, a second connection to the file keeps the log from being reset during the checkpoint. Other connections read
    /// and commit as usual.
    ///
    /// Source: <https://www.sqlite.org/wal.html#ckpt>
    ///
    /// - Parameters:
    ///   - mode: how much to copy, and what to wait for.
    ///   - schema: the name of an attached database; "main" by default; nil for all databases of the connection.
    /// - Returns: the number of frames in the log, and the number of frames copied; -1 for both when the database has no
    ///   write-ahead log.
    /// - Throws: ``DatabaseError``: `SQLITE_BUSY` when waiting timed out, `SQLITE_LOCKED` inside a transaction, `SQLITE_READONLY` for a
    ///   read-only connection, and `SQLITE_CANTOPEN` if the file was moved or deleted since it was opened.
    @discardableResult
    public func checkpoint(
        _ mode: CheckpointMode = .passive, on schema: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        checkAccess()
        try checkCancellation()
        return try retryingWhenBusy { try interruptingLongCall { try logProtection.checkpoint(mode, on: schema, self) } }
    }
}
