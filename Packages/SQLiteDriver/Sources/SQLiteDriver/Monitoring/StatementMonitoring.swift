import CSQLiteShims

// Measures statements, for monitors and for their limit of time. A connection with neither has no `StatementMonitoring`.

/// What a connection knows about its statements while they are measured. It is used only on the thread of the access.
final class StatementMonitoring {
    let monitors: [any DatabaseMonitor]
    let limit: StatementTimeLimit?
    let databaseName: String

    /// The runs that have ended, and are not reported yet.
    fileprivate(set) var endedRuns: [MeasuredRun] = []

    /// - Returns: nil if the configuration asks for nothing that needs measures.
    init?(_ configuration: Configuration, path: String) {
        if configuration.monitors.isEmpty, configuration.statementTimeLimit == nil { return nil }
        monitors = configuration.monitors
        limit = configuration.statementTimeLimit.map { StatementTimeLimit($0) }
        databaseName = configuration.nameForMonitors(path: path)
    }

    /// Measures a step of a statement.
    func step(_ statement: SQLiteStatement, of run: MeasuredRun) -> CInt {
        let begin = ContinuousClock.now
        let code = limit?.step(statement, of: run, begin) ?? sqlite3_step(statement)
        run.timeInSQLite += begin.duration(to: .now)
        if code == SQLITE_ROW { run.rowCount += 1 }
        return code
    }
}

/// A run of a statement that is measured.
final class MeasuredRun {
    let sql: String
    fileprivate let reportedSQL: ReportedSQL?
    let isLimited: Bool
    fileprivate let isReadonly: Bool
    private let batchSize: Int
    fileprivate let begin = ContinuousClock.now
    fileprivate let changeCount: Int
    fileprivate(set) var timeInSQLite = Duration.zero
    fileprivate var rowCount = 0
    var hasReachedLimit = false
    /// What monitors learn of the run, once it has ended.
    fileprivate var report: StatementReport?

    fileprivate init(of statement: Statement, _ monitoring: StatementMonitoring) {
        isReadonly = statement.isReadonly
        batchSize = statement.batchSize
        sql = statement.sql
        reportedSQL = monitoring.monitors.isEmpty ? nil : statement.reportedSQL
        // The end of a transaction is not interrupted.
        isLimited = !statement.effects.endsTransaction
        changeCount = statement.database.totalChangesCount
        for counter in [SQLITE_STMTSTATUS_FULLSCAN_STEP, SQLITE_STMTSTATUS_SORT, SQLITE_STMTSTATUS_AUTOINDEX] {
            sqlite3_stmt_status(statement.handle, counter, 1)
        }
    }

    fileprivate func end(_ statement: SQLiteStatement, _ code: CInt, changeCount total: Int, in databaseName: String) {
        guard let reportedSQL else { return }
        func counter(_ name: CInt) -> Int { Int(sqlite3_stmt_status(statement, name, 1)) }
        let isError = code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE
        report = StatementReport(
            databaseName: databaseName, sql: reportedSQL.text, operationName: reportedSQL.operationName, tableName: reportedSQL.tableName,
            batchSize: batchSize, timeInSQLite: timeInSQLite, duration: begin.duration(to: .now), rowCount: rowCount,
            changedRowCount: total - changeCount,
            scannedRowCount: counter(SQLITE_STMTSTATUS_FULLSCAN_STEP), sortCount: counter(SQLITE_STMTSTATUS_SORT),
            automaticIndexRowCount: counter(SQLITE_STMTSTATUS_AUTOINDEX), resultCode: isError ? ResultCode(rawValue: code) : nil)
    }
}

extension Database {
    /// Records that a run has ended, with SQLite's result code.
    func endMeasures(of statement: StatementState, _ code: CInt) {
        guard let run = statement.pointee.measuredRun, let monitoring else { return }
        statement.pointee.measuredRun = nil
        run.end(statement.pointee.handle, code, changeCount: totalChangesCount, in: monitoring.databaseName)
        monitoring.endedRuns.append(run)
    }

    /// Reports the runs that have ended to the monitors.
    func reportMeasures() {
        guard let monitoring, !monitoring.endedRuns.isEmpty else { return }
        let runs = monitoring.endedRuns
        monitoring.endedRuns = []
        for run in runs {
            guard var report = run.report else { continue }
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
        // The run of a statement that could not begin.
        failure.statement.state.pointee.measuredRun = nil
        db.reportMeasures()
    }
}
