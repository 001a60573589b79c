/// Adds up the statements of a database by their SQL: which ones take the most time, scan the most rows, or sort most often.
///
/// ```swift
/// let statistics = StatementStatistics()
/// configuration.monitors.append(statistics)
/// // later, for example for an endpoint of a server:
/// for statement in statistics.statements(by: .scannedRows, limit: 5) {
///     print(statement.scannedRowCount, statement.sql)
/// }
/// ```
///
/// Statements that differ only in their literals count as one. One object may serve several databases.
public final class StatementStatistics: DatabaseMonitor {
    /// The sums of one statement.
    public struct Entry: Sendable {
        /// The SQL with `?` in place of each literal.
        public internal(set) var sql: String
        /// How many times the statement ran.
        public internal(set) var runCount = 0
        /// How many runs failed.
        public internal(set) var failureCount = 0
        /// How long the statement ran inside SQLite, in total.
        public internal(set) var timeInSQLite = Duration.zero
        /// How long the longest run took inside SQLite.
        public internal(set) var longestTime = Duration.zero
        /// How many rows the program has read.
        public internal(set) var rowCount = 0
        /// How many rows were inserted, updated and deleted.
        public internal(set) var changedRowCount = 0
        /// How many rows were visited by scans of whole tables.
        public internal(set) var scannedRowCount = 0
        /// How many times SQLite sorted rows.
        public internal(set) var sortCount = 0
    }

    /// What to order statements by. The largest comes first.
    public enum Order: Sendable, CaseIterable {
        /// The total time inside SQLite.
        case time
        /// The longest run.
        case longestTime
        /// The number of runs.
        case runs
        /// The number of scanned rows.
        case scannedRows
        /// The number of sorts.
        case sorts
    }

    private let maximumCount: Int
    private let entries = Guarded<[String: Entry]>([:])

    /// - Parameter maximumCount: how many different statements are counted. When there are more, those that have taken the least time are
    ///   dropped.
    public init(maximumCount: Int = 1000) {
        self.maximumCount = max(maximumCount, 1)
    }

    /// Adds a statement.
    public func statementDidEnd(_ statement: StatementReport) {
        entries.withLock { entries in
            if entries.count >= maximumCount, entries[statement.sql] == nil {
                // Half of them, so that not each new statement searches.
                for entry in entries.values.sorted(by: { $0.timeInSQLite < $1.timeInSQLite }).prefix((maximumCount + 1) / 2) {
                    entries[entry.sql] = nil
                }
            }
            entries[statement.sql, default: Entry(sql: statement.sql)].add(statement)
        }
    }

    /// Returns the statements that have the most of something.
    ///
    /// - Parameters:
    ///   - order: what to order them by. Statements without any are left out.
    ///   - limit: how many statements to return.
    public func statements(by order: Order, limit: Int = 10) -> [Entry] {
        let entries = entries.withLock { Array($0.values) }
        return Array(entries.filter { $0.amount(order) > 0 }.sorted { $0.amount(order) > $1.amount(order) }.prefix(max(limit, 0)))
    }

    /// Forgets all statements.
    public func reset() { entries.withLock { $0 = [:] } }
}

extension StatementStatistics.Entry {
    fileprivate mutating func add(_ statement: StatementReport) {
        runCount += 1
        if statement.resultCode != nil { failureCount += 1 }
        timeInSQLite += statement.timeInSQLite
        longestTime = max(longestTime, statement.timeInSQLite)
        rowCount += statement.rowCount
        changedRowCount += statement.changedRowCount
        scannedRowCount += statement.scannedRowCount
        sortCount += statement.sortCount
    }

    fileprivate func amount(_ order: StatementStatistics.Order) -> Double {
        switch order {
        case .time: timeInSQLite / .seconds(1)
        case .longestTime: longestTime / .seconds(1)
        case .runs: Double(runCount)
        case .scannedRows: Double(scannedRowCount)
        case .sorts: Double(sortCount)
        }
    }
}
