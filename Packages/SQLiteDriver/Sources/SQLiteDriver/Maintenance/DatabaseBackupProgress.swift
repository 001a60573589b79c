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
