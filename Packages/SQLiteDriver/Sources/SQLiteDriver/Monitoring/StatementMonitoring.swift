import CSQLiteShims

// Measures statements, for monitors and for the time limit of the configuration. A connection with neither has no `StatementMonitoring`.

/// What a connection knows about its statements while they are measured. It is used only on the thread of the access.
final class StatementMonitoring {
    let monitors: [any DatabaseMonitor]
    /// How long a statement may run inside SQLite; nil for no limit.
    let timeLimit: Duration?
    let databaseName: String

    /// When the limit of the innermost statement that SQLite is stepping is reached.
    private var limit: ContinuousClock.Instant?

    /// The number of commits of the connection when the access began, if it may write.
    fileprivate var earlierCommits: UInt64?

    /// The runs that have ended, and are not reported yet.
    fileprivate var endedRuns: [MeasuredRun] = []

    /// - Returns: nil if the configuration asks for nothing that needs measures.
    init?(_ configuration: Configuration, path: String) {
        if configuration.monitors.isEmpty, configuration.statementTimeLimit == nil { return nil }
        monitors = configuration.monitors
        timeLimit = configuration.statementTimeLimit
        databaseName = configuration.nameForMonitors(path: path)
    }

    /// Whether the innermost statement has reached the limit. It must then stop waiting, or is interrupted.
    var hasReachedLimit: Bool { limit.map { $0 <= .now } ?? false }

    /// How long the innermost statement may still run; nil for no limit.
    var remainingTime: Duration? { limit.map { ContinuousClock.now.duration(to: $0) } }

    /// Measures a step of a statement.
    func step(_ statement: SQLiteStatement, of run: MeasuredRun) -> CInt {
        let begin = ContinuousClock.now
        let outerLimit = limit
        limit = run.isLimited ? timeLimit.map { begin.advanced(by: $0 - run.timeInSQLite) } : nil
        let code = sqlite3_step(statement)
        if code != SQLITE_ROW, code != SQLITE_DONE, hasReachedLimit { run.hasReachedLimit = true }
        limit = outerLimit
        run.timeInSQLite += begin.duration(to: .now)
        if code == SQLITE_ROW { run.rowCount += 1 }
        return code
    }
}

/// A run of a statement that is measured.
final class MeasuredRun {
    fileprivate let sql: String
    fileprivate let reportedSQL: ReportedSQL?
    fileprivate let isLimited: Bool
    fileprivate let isReadonly: Bool
    fileprivate let begin = ContinuousClock.now
    fileprivate let changeCount: Int
    fileprivate var timeInSQLite = Duration.zero
    fileprivate var rowCount = 0
    fileprivate var hasReachedLimit = false
    fileprivate var end: (instant: ContinuousClock.Instant, code: CInt, changeCount: Int, counters: Counters)?

    /// SQLite's counters for the run.
    fileprivate struct Counters {
        let scannedRowCount: Int
        let sortCount: Int
        let automaticIndexRowCount: Int

        /// Reads the counters of a statement, and resets them.
        init(of statement: SQLiteStatement) {
            func counter(_ name: CInt) -> Int { Int(sqlite3_stmt_status(statement, name, 1)) }
            scannedRowCount = counter(SQLITE_STMTSTATUS_FULLSCAN_STEP)
            sortCount = counter(SQLITE_STMTSTATUS_SORT)
            automaticIndexRowCount = counter(SQLITE_STMTSTATUS_AUTOINDEX)
        }
    }

    fileprivate init(of statement: Statement, _ monitoring: StatementMonitoring) {
        isReadonly = statement.isReadonly
        sql = statement.sql
        reportedSQL = monitoring.monitors.isEmpty ? nil : statement.reportedSQL
        // The end of a transaction is not interrupted.
        isLimited = !statement.effects.endsTransaction
        changeCount = statement.database.totalChangesCount
        _ = Counters(of: statement.sqliteStatement)
    }

    fileprivate func report(_ reportedSQL: ReportedSQL, in databaseName: String) -> StatementReport? {
        guard let end else { return nil }
        let isError = end.code != SQLITE_OK && end.code != SQLITE_ROW && end.code != SQLITE_DONE
        return StatementReport(
            databaseName: databaseName, sql: reportedSQL.text, operationName: reportedSQL.operationName, tableName: reportedSQL.tableName,
            timeInSQLite: timeInSQLite, duration: begin.duration(to: end.instant), rowCount: rowCount,
            changedRowCount: end.changeCount - changeCount, scannedRowCount: end.counters.scannedRowCount,
            sortCount: end.counters.sortCount, automaticIndexRowCount: end.counters.automaticIndexRowCount,
            resultCode: isError ? ResultCode(rawValue: end.code) : nil)
    }
}

extension Database {
    /// Begins to measure the statements of an access.
    func beginMeasures() { monitoring?.earlierCommits = isWriter ? commits.value : nil }

    /// Records that a run has ended, with SQLite's result code.
    func endMeasures(of statement: StatementState, _ code: CInt) {
        guard let run = statement.pointee.measuredRun, let monitoring else { return }
        statement.pointee.measuredRun = nil
        run.end = (.now, code, totalChangesCount, MeasuredRun.Counters(of: statement.pointee.handle))
        monitoring.endedRuns.append(run)
    }

    /// Reports the runs that have ended to the monitors.
    func reportMeasures() {
        guard let monitoring, !monitoring.endedRuns.isEmpty else { return }
        let runs = monitoring.endedRuns
        monitoring.endedRuns = []
        for run in runs {
            guard let sql = run.reportedSQL, var report = run.report(sql, in: monitoring.databaseName) else { continue }
            // SQLite counts the changes of an EXPLAIN of a statement that writes: none. The program still needs the statement's own count.
            if run.isReadonly, monitoring.monitors.contains(where: { $0.needsPlan(of: report) }) { report.plan = plan(of: run.sql) }
            for monitor in monitoring.monitors { monitor.statementDidEnd(report) }
        }
    }

    /// Returns SQLite's plan for some SQL, a line for each node; nil if SQLite gives none.
    private func plan(of sql: String) -> String? {
        guard engine == nil else { return nil }
        var lines: [String] = []
        var depths: [Int64: Int] = [:]
        try? InternalQuery("EXPLAIN QUERY PLAN \(sql)").forEachRow(in: self) { row in
            let depth = depths[row.int64(at: 1) ?? 0].map { $0 + 1 } ?? 0
            depths[row.int64(at: 0) ?? 0] = depth
            lines.append(String(repeating: "  ", count: depth) + (row.string(at: 3) ?? ""))
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

/// Measures statements.
struct StatementMeasures: StatementParticipant {
    var need: StatementNeeds.Need { .monitoring }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard let monitoring = db.monitoring, db.internalDepth == 0 else { return }
        statement.state.pointee.measuredRun = MeasuredRun(of: statement, monitoring)
    }

    func statementDidEnd(_ end: inout StatementEnd, in db: Database) { db.reportMeasures() }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        if let run = db.monitoring?.endedRuns.last, run.hasReachedLimit, let error = failure.error as? DatabaseError,
            [.SQLITE_INTERRUPT, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_ABORT].contains(error.resultCode),
            let limit = db.monitoring?.timeLimit
        {
            failure.error = DatabaseTimeoutError(
                statementLimit: limit, timeInSQLite: run.timeInSQLite, sql: run.sql,
                hasCommitted: db.monitoring?.earlierCommits.map { $0 != db.commits.value } ?? false)
        }
        // The run of a statement that could not begin.
        failure.statement.state.pointee.measuredRun = nil
        db.reportMeasures()
    }
}
