import CSQLiteShims

/// The format of a file, according to its first bytes, which SQLite reads.
///
/// Only SQLite may open a database file: POSIX drops all locks that a process has on a file when the process closes any descriptor of
/// the file. SQLite keeps its descriptors open while one of its connections has locks. So code that has a path, and does not know whether a
/// program has a database open there, asks for the format before it opens the file.
///
/// Source: <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>
package enum DatabaseFileFormat: Sendable {
    /// No bytes: a new database, or an empty file of another kind.
    case empty
    /// A database with a rollback journal.
    case rollbackJournal
    /// A database in WAL mode.
    case writeAheadLog

    /// Returns nil if there is no regular file at the path, if it can't be read, and if it is not a database. An encrypted database is not
    /// recognized.
    ///
    /// Reading takes no locks, and creates no files.
    package init?(path: String) {
        let needed = CInt(STRATA_PATH_IS_REGULAR | STRATA_PATH_IS_READABLE)
        // Opening a pipe would wait for a writer.
        guard strata_path_status(path) & needed == needed, !Self.isBesideDatabase(path: path),
            let connection = try? Database.open(path: path, readonly: true)
        else { return nil }
        defer { sqlite3_close(connection) }
        switch Int(strata_sqlite3_file_format(connection)) {
        case STRATA_FORMAT_EMPTY: self = .empty
        case STRATA_FORMAT_ROLLBACK: self = .rollbackJournal
        case STRATA_FORMAT_WAL: self = .writeAheadLog
        default: return nil
        }
    }

    /// Returns whether SQLite may have locks on a file: it is a database with content, or belongs to one.
    package static func isOfDatabase(path: String) -> Bool {
        if isBesideDatabase(path: path) { return true }
        let format = DatabaseFileFormat(path: path)
        return format != nil && format != .empty
    }

    /// Returns whether a file is the log, the shared memory or the journal of a database.
    ///
    /// Not even SQLite may open it as if it were a database: it would not know that it has locks on the file.
    package static func isBesideDatabase(path: String) -> Bool {
        ["-wal", "-shm", "-journal"].contains { suffix in
            path.hasSuffix(suffix) && DatabaseFileFormat(path: String(path.dropLast(suffix.count))) != nil
        }
    }
}
