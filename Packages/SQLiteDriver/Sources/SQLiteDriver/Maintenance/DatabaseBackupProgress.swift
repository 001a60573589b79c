/// How far a backup is.
///
/// Source: <https://www.sqlite.org/c3ref/backup_finish.html#sqlite3backupremaining>
public struct DatabaseBackupProgress: Hashable, Sendable {
    /// The number of pages that are still to be copied.
    public let remainingPageCount: Int

    /// The number of pages of the database that is copied. It changes with the database.
    public let totalPageCount: Int

    /// The number of pages that are copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }

    /// Whether the copy is complete: this is the last report.
    public let isCompleted: Bool

    init(remainingPageCount: Int, totalPageCount: Int, isCompleted: Bool) {
        self.remainingPageCount = remainingPageCount
        self.totalPageCount = totalPageCount
        self.isCompleted = isCompleted
    }
}
