/// The number of commits of a ``DatabaseQueue`` or a ``DatabasePool``, for programs that need to know whether a value they have read is
/// still current.
///
/// ```swift
/// let (players, count) = try pool.read { db in
///     let count = db.commitCounter.value  // first of all
///     return (try Player.fetchAll(db), count)
/// }
/// try pool.writeWithoutTransaction { db in
///     if db.commitCounter.value == count {
///         // `players` are current: this connection has committed nothing since they
///         // were read.
///     }
/// }
/// ```
///
/// **Why this holds.** All commits of a queue or a pool come from its one writing connection. They are counted on its thread after
/// they become visible to other connections, and before another access to that connection begins. Take a count C1 before a read opens
/// its snapshot of the database (SQLite opens it with the first statement that reads, not with `BEGIN DEFERRED`), and a count C2
/// inside a later access to the writing connection. Each commit before that access is in C2. If C1 == C2, each of them is in C1, too:
/// it became visible before C1 was taken, so the snapshot, which is younger, contains it. A commit that was visible to the snapshot,
/// but counted later, can make the counts differ although nothing was missed. Equal counts always mean that nothing was missed.
///
/// ``isCommitInProgress`` reports such a commit: it becomes true before the commit is visible, and false after the commit is counted. If a
/// read opens its snapshot, then finds this property false, and then finds the count C1 again, the snapshot contains no uncounted commit.
///
/// The closure of ``DatabaseWriter/spawnConcurrentRead(_:)`` is called when its snapshot is already open, and other commits may have
/// happened since: take C1 on the writing connection, before the read is spawned.
///
/// Commits of other connections to the same database file, in this process or in others, don't count: see
/// ``Database/dataVersion()``.
public final class CommitCounter: Sendable {
    private let word = AtomicWord()
    private let uncounted = AtomicWord()

    /// The number of commits so far, including commits that changed nothing. Any thread may read it at any time.
    public var value: UInt64 { UInt64(word.value) }

    /// Whether the writing connection has begun to commit, and that commit is not counted yet: it may be visible to other connections
    /// already. Any thread may read it at any time.
    ///
    /// A read that must know which commits it sees takes ``value`` and opens its snapshot. If this property is false then, and ``value`` is
    /// unchanged after that, the snapshot contains exactly the counted commits.
    public var isCommitInProgress: Bool { uncounted.value != 0 }

    /// Records that a commit begins.
    func begin() {
        uncounted.value = 1
    }

    /// Counts the commit. Only accesses to the writing connection call it, one at a time.
    func increment() {
        // Not in place: the thread sanitizer would take that for an access to the whole object.
        word.value = word.value &+ 1
        uncounted.value = 0
    }
}

extension Database {
    /// The number of commits of the queue or the pool that the connection belongs to: the same object for all its connections.
    public var commitCounter: CommitCounter {
        checkAccess()
        countCommits()
        return commits
    }

    /// Counts the commits of this connection that were not counted yet, if they are done.
    ///
    /// SQLite calls the commit hook before a commit is visible to others. This method is called later: when a statement that controls
    /// transactions has ended, and when an access ends.
    func countCommits() {
        guard isWriter, commits.isCommitInProgress, !isInsideTransaction else { return }
        commits.increment()
    }

    /// Returns SQLite's number of the state of the main database, which other connections change by their commits, and this
    /// connection does not.
    ///
    /// Two different numbers on the same connection mean that another connection has committed in between. On the connection that
    /// writes, the one of a ``DatabaseQueue`` or the writer of a ``DatabasePool``, that is a connection of another process, or of
    /// another queue or pool. On the reading connections of a pool, commits of its own writer count as well.
    ///
    /// Inside a transaction that has read, the number does not change.
    ///
    /// The SQL is `PRAGMA data_version` (<https://www.sqlite.org/pragma.html#pragma_data_version>), prepared once.
    ///
    /// - Throws: ``DatabaseError``.
    public func dataVersion() throws -> Int64 {
        let statement = try cachedStatement(sql: "PRAGMA main.data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
    }
}

/// Counts the commits of statements.
struct CountedCommit: StatementParticipant {
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) { db.countCommits() }
}
