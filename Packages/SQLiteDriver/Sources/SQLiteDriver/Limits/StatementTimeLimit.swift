import CSQLiteShims

/// The limit of the time that statements may run inside SQLite: ``Configuration/statementTimeLimit``. Used on the thread of the access.
final class StatementTimeLimit {
    let duration: Duration

    /// When the innermost statement that SQLite is stepping reaches the limit.
    private var instant: ContinuousClock.Instant?

    /// The number of commits of the connection when the access began, if it may write.
    fileprivate var earlierCommits: UInt64?

    init(_ duration: Duration) {
        self.duration = duration
    }

    /// Whether the innermost statement has reached the limit. It must then stop waiting, or is interrupted.
    var isReached: Bool { instant.map { $0 <= .now } ?? false }

    /// How long the innermost statement may still run; nil for no limit.
    var remainingTime: Duration? { instant.map { ContinuousClock.now.duration(to: $0) } }

    /// Steps a statement within the limit.
    func step(_ statement: SQLiteStatement, of run: MeasuredRun, _ begin: ContinuousClock.Instant) -> CInt {
        let outer = instant
        instant = run.isLimited ? begin.advanced(by: duration - run.timeInSQLite) : nil
        defer { instant = outer }
        let code = sqlite3_step(statement)
        if code != SQLITE_ROW, code != SQLITE_DONE, isReached { run.hasReachedLimit = true }
        return code
    }
}

extension Database {
    /// Records which commits came before an access.
    func beginLimitingStatements() {
        if let limit = monitoring?.limit { limit.earlierCommits = isWriter ? commits.value : nil }
    }
}

/// Replaces the error of a statement that has reached the limit.
struct LimitedStatement: StatementParticipant {
    var need: StatementNeeds.Need { .monitoring }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        guard let limit = db.monitoring?.limit, let run = db.monitoring?.endedRuns.last, run.hasReachedLimit,
            let error = failure.error as? DatabaseError,
            [.SQLITE_INTERRUPT, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_ABORT].contains(error.resultCode)
        else { return }
        failure.error = DatabaseTimeoutError(
            timeout: limit.duration, phase: .runningStatement, connectionWait: .zero, lockWait: .zero, runningTime: run.timeInSQLite,
            sql: run.sql, hasCommitted: limit.earlierCommits.map { $0 != db.commits.value } ?? false)
    }
}
