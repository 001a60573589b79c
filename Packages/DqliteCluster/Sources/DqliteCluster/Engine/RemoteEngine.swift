import CDqliteCluster
import SQLiteDriver

/// The engine of one connection of a ``DqliteCluster``: it runs the connection's statements on the leader.
///
/// The connection in memory has the schema of the cluster's database. Its transactions and the leader's transactions begin and end
/// together:
///
/// - BEGIN runs on the leader first, with a comparison of the schemas. If no request was lost, a lost connection is replaced here.
/// - A statement that writes outside a transaction gets a transaction on the leader, which the commit of the connection in memory commits.
/// - The commit runs on the leader first, inside the commit hook, so that only one request has an uncertain outcome.
/// - When the connection to the leader is lost, the transaction in memory is rolled back, too.
final class RemoteEngine: DatabaseEngine {
    let finder: LeaderFinder
    let busyMode: Database.BusyMode
    let interruption = Interruption()

    /// The connection to the leader, and the database on it.
    var connection: NodeConnection?
    var databaseID: UInt32 = 0
    /// The connection that is being opened.
    var search: LeaderSearch?

    /// Whether a transaction is open on the leader.
    var hasRemoteTransaction = false

    /// The options that the program has set, which each connection to a leader gets.
    var settings: [String: String] = [:]

    /// Whether the schema is being copied, by statements that run as compiled.
    var isMirroring = false

    /// The `schema_version` of the cluster that the connection in memory has, now and when the transaction began.
    var mirroredVersion: Int64?
    var versionBeforeTransaction: Int64?

    /// A number that changes with the schema.
    var generation = 0

    let plans = PlanTable()
    var nextPlanID = 1

    /// The error of a request inside SQLite, which can carry only a code and a message.
    var failure: (any Error)?

    /// The row ID that the virtual tables report for inserted rows.
    var insertedRowID: Int64 = 0

    /// The reader whose rows are still arriving.
    weak var activeReader: RemoteReader?

    /// The guard that keeps strings with NUL characters from being truncated.
    let nulGuard: NULGuard?

    /// The connection in memory, which owns this engine.
    private(set) weak var database: Database?

    init(finder: LeaderFinder, configuration: Configuration, readsNULs: Bool) {
        self.finder = finder
        nulGuard = readsNULs ? NULGuard() : nil
        busyMode = configuration.busyMode
        settings["foreign_keys"] = "PRAGMA foreign_keys = \(configuration.foreignKeysEnabled ? 1 : 0)"
        // dqlite can't read pages again that SQLite's cache has written to the database file before the commit, which it does when a
        // transaction has changed more than the cache holds (2 MB by default).
        settings["cache_spill"] = "PRAGMA cache_spill = 0"
    }

    func open(_ db: Database) throws {
        database = db
        guard let handle = db.sqliteConnection else { return }
        sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, CInt(WireParameters.maximumCount))
        try RemoteTables.register(on: handle, engine: self)
    }

    func interrupt() {
        interruption.interrupt()
    }

    func close() {
        dropConnection()
        search?.end()
        search = nil
    }

    // MARK: - Statements

    func statementWillBegin(_ statement: Statement, plan: StatementPlan) throws {
        guard let plan = plan as? RemotePlan, let db = database else { return }
        failure = nil
        if db.isInsideTransaction, !hasRemoteTransaction, plan.kind != .rollback {
            throw ClusterError.connectionLost("the leader no longer has the transaction")
        }
        switch plan.kind {
        case .begin:
            // SQLite reports a BEGIN inside a transaction.
            if !db.isInsideTransaction { try begin(plan.remoteSQL) }
        case .commit, .rollback:
            break
        case .savepoint:
            guard db.isInsideTransaction else {
                if SQLTokens(plan.sql).keyword(0) != "SAVEPOINT" { break }
                throw DatabaseError.refused(
                    "a savepoint outside a transaction is not supported on a cluster", sql: plan.sql, advice: "Begin a transaction first.")
            }
            try interruptible {
                try execute(plan.remoteSQL)
                if mirroredVersion != versionBeforeTransaction {
                    try adoptVersion()
                    // As after the rollback of a transaction: see `didRollBack()`.
                    if SQLTokens(plan.sql).keyword(0) == "ROLLBACK" { _ = try query(Self.schemaReading) }
                }
            }
        case .setting:
            try interruptible {
                if !hasRemoteTransaction { try connectAndCompareSchemas() }
                _ = try execute(plan.remoteSQL)
            }
        case .query:
            if !hasRemoteTransaction { try interruptible { try connectAndCompareSchemas() } }
            try fitSchema(plan)
        case .schema:
            if !hasRemoteTransaction { try interruptible { try connectAndCompareSchemas() } }
        case .change, .changeReturningRows:
            if !hasRemoteTransaction { try begin("BEGIN IMMEDIATE") }
            try fitSchema(plan)
        case .both(let changesSchema):
            try checkNothingRuns(plan)
            if !hasRemoteTransaction { try begin("BEGIN IMMEDIATE") }
            try interruptible {
                try execute(plan.remoteSQL)
                if changesSchema { try adoptVersion() }
            }
        }
    }

    func statementDidEnd(_ statement: Statement, plan: StatementPlan) {
        guard let plan = plan as? RemotePlan, let db = database else { return }
        if case .setting(let name) = plan.kind, name != "defer_foreign_keys" { settings[name] = plan.remoteSQL }
        if hasRemoteTransaction, !db.isInsideTransaction { endRemoteTransaction(commits: plan.kind == .commit) }
    }

    func statementDidFail(_ statement: Statement, plan: StatementPlan, with error: any Error) -> any Error {
        guard let db = database else { return error }
        let result: any Error =
            if let refusal = failure as? DatabaseError, let error = error as? DatabaseError, error.resultCode == refusal.resultCode {
                // SQLite's error has the arguments of the statement, but not the advice.
                refusal.advice.map(error.advising) ?? error
            } else {
                failure ?? error
            }
        failure = nil
        if case .both = (plan as? RemotePlan)?.kind { mirroredVersion = nil }
        if hasRemoteTransaction, db.isInsideTransaction, (result as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT { probeTransaction() }
        if !hasRemoteTransaction, db.isInsideTransaction { rollBackHere() }
        if hasRemoteTransaction, !db.isInsideTransaction { endRemoteTransaction(commits: false) }
        guard let failure = (result as? NodeFailure)?.databaseError else { return result }
        return DatabaseError(
            resultCode: failure.extendedResultCode, message: failure.message, sql: statement.sql, arguments: statement.arguments,
            publicStatementArguments: statement.database.configuration.publicStatementArguments, advice: failure.advice)
    }

    /// Rolls back the transaction in memory, because the leader no longer has its transaction.
    private func rollBackHere() {
        guard let handle = database?.sqliteConnection else { return }
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Throws for a statement that drops a table or an index while another statement is running.
    ///
    /// SQLite refuses such a statement, because another statement still reads the object. The leader would run it, because it has already
    /// sent the rows.
    private func checkNothingRuns(_ plan: RemotePlan) throws {
        let tokens = SQLTokens(plan.sql)
        guard tokens.keyword(0) == "DROP", ["TABLE", "INDEX"].contains(tokens.keyword(1)), let handle = database?.sqliteConnection
        else { return }
        var other = sqlite3_next_stmt(handle, nil)
        while let statement = other {
            if sqlite3_stmt_busy(statement) != 0 {
                throw DatabaseError(resultCode: .SQLITE_LOCKED, message: "database table is locked", sql: plan.sql)
            }
            other = sqlite3_next_stmt(handle, statement)
        }
    }

    /// SQL that makes SQLite compare the schema that it knows with the schema of the file, which it does when a statement runs.
    private static let schemaReading = "SELECT 1 FROM sqlite_master LIMIT 1"

    /// Adapts a plan to the schema, which may have changed since the statement was prepared.
    ///
    /// The schema here has changed, too, so SQLite recompiles the SQL that runs in place of the statement, with the current columns of the
    /// plan's tables.
    private func fitSchema(_ plan: RemotePlan) throws {
        guard plan.generation != generation, let handle = database?.sqliteConnection else { return }
        sqlite3_exec(handle, Self.schemaReading, nil, nil, nil)
        var statement: SQLiteStatement?
        let code = sqlite3_prepare_v2(handle, plan.sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        guard code == SQLITE_OK, let statement else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(handle)), message: String(cString: sqlite3_errmsg(handle)),
                sql: plan.sql)
        }
        let columnCount = plan.columnNames.count
        plan.fit(try columns(plan.kind, SQLTokens(plan.sql), statement, sql: plan.sql), generation: generation)
        if plan.columnNames.count != columnCount { try RemoteTables.registerTables(of: plan, engine: self) }
    }
}
