extension Configuration {
    /// Calls a function with the statements that take longer than a limit.
    ///
    /// ```swift
    /// configuration.logSlowStatements(above: .milliseconds(100)) { print($0) }
    /// // 0.352 s in SQLite, 12 rows, 100000 rows scanned: SELECT * FROM player
    /// // WHERE name = ?
    /// //   SCAN player
    /// ```
    ///
    /// - Parameters:
    ///   - limit: how long a statement may run inside SQLite, without the program's work on its rows.
    ///   - withPlans: whether the reports of statements that only read have SQLite's plan.
    ///   - log: called on the thread of the access. It must not use the database.
    public mutating func logSlowStatements(
        above limit: Duration, withPlans: Bool = true, _ log: @escaping @Sendable (StatementReport) -> Void
    ) {
        monitors.append(SlowStatementLog(limit: limit, withPlans: withPlans, log: log))
    }
}

/// Reports the statements that take longer than a limit.
private struct SlowStatementLog: DatabaseMonitor {
    let limit: Duration
    let withPlans: Bool
    let log: @Sendable (StatementReport) -> Void

    func statementDidEnd(_ statement: StatementReport) {
        if statement.timeInSQLite > limit { log(statement) }
    }

    func needsPlan(of statement: StatementReport) -> Bool { withPlans && statement.timeInSQLite > limit }
}

extension StatementReport: CustomStringConvertible {
    /// A line with the times and counts, and the SQL; then the plan, if there is one.
    public var description: String {
        let milliseconds = (timeInSQLite / .milliseconds(1)).rounded()
        var parts = ["\(milliseconds / 1000) s in SQLite", "\(rowCount) rows"]
        if changedRowCount > 0 { parts.append("\(changedRowCount) rows changed") }
        if scannedRowCount > 0 { parts.append("\(scannedRowCount) rows scanned") }
        if sortCount > 0 { parts.append("\(sortCount) sorts") }
        if automaticIndexRowCount > 0 { parts.append("an index of \(automaticIndexRowCount) rows for this statement only") }
        if let resultCode { parts.append("\(resultCode.name ?? resultCode.description)") }
        let planLines = plan.map { "\n" + $0.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n") } ?? ""
        return "\(parts.joined(separator: ", ")): \(sql)\(planLines)"
    }
}
