import CSQLiteShims

/// A prepared statement of a connection.
///
/// ```swift
/// let statement = try db.makeStatement(
///     sql: "INSERT INTO player (name, score) VALUES (?, ?)")
/// try statement.execute(arguments: ["Arthur", 1000])
/// try statement.execute(arguments: ["Barbara", 750])
///
/// let query = try db.makeStatement(
///     sql: "SELECT name, score FROM player WHERE score > ?")
/// try query.setArguments([500])
/// while try query.step() {
///     print(query.string(at: 0) ?? "", query.int64(at: 1) ?? 0)
/// }
/// ```
///
/// Use a statement only where its ``database`` can be used: inside an access, on the thread of that access.
///
/// Source: <https://www.sqlite.org/c3ref/stmt.html>
public final class Statement {
    /// The statement of the C API, for the library. Reading ``sqliteStatement`` changes how arguments are checked.
    @usableFromInline package let handle: SQLiteStatement

    /// The connection that the statement belongs to.
    public let database: Database

    /// The statement's SQL, without white space around it and without a semicolon at its end.
    public let sql: String

    /// The effects of the statement, according to the schema of its ``Description``.
    var effects: StatementEffects

    /// How the connection's engine runs the statement; nil if it runs as compiled.
    let plan: StatementPlan?

    /// Whether the end of a run needs no handling, because the statement changes neither the schema nor the transaction.
    @usableFromInline let endsWithoutHandling: Bool

    /// Whether the statement may write to a database file or to temporary tables.
    @usableFromInline let mayWrite: Bool

    /// Whether the statement may be reported as interrupted although it has just succeeded, because it only reads. False if it is measured.
    @usableFromInline let canBeInterruptedAtEnd: Bool

    /// Whether the runs of the statement are measured.
    @usableFromInline let isMeasured: Bool

    /// Whether a run may begin without `Database.statementWillBegin(_:)`, if nothing else needs it.
    @usableFromInline let beginsAtOnce: Bool

    /// The number of parameters, including the gaps that `?NNN` leaves.
    public let parameterCount: Int

    /// The number of operations of the program that a run performs, for monitors.
    package var batchSize = 1

    /// The objects that the layers above attach to the statement. They are kept as long as the statement.
    @usableFromInline package let attachments = Attachments()

    /// Notified when the current row becomes invalid. Code that hands out views of the current row sets it.
    @inlinable
    package var rowObserver: (any StatementRowObserver)? {
        get { state.pointee.rowObserver }
        set { state.pointee.rowObserver = newValue }
    }

    // Not an `OwnedMemory`: the state outlives this object until the statement is finalized.
    @usableFromInline let state: UnsafeMutablePointer<State>

    @usableFromInline
    struct State {
        /// A number that changes whenever the statement begins or is reset. Rows of a run with another number are invalid.
        @usableFromInline var runID = 0
        /// Whether the statement has begun and was not reset.
        @usableFromInline var isRunning = false
        /// Whether the statement may begin without further checks of its arguments: all parameters have a value, or the program binds them.
        @usableFromInline var hasArguments: Bool
        /// Whether the program may have bound values through the C API, because it has read the handle and has set no arguments.
        var mayHaveForeignBindings = false
        /// The last observation period in which no observer was interested in the statement's changes.
        @usableFromInline var unobservedPeriod = 0
        /// The running statements that have begun before and after this one.
        var previousRunning: UnsafeMutablePointer<State>?
        var nextRunning: UnsafeMutablePointer<State>?
        let handle: SQLiteStatement
        /// The thread of the current run; 0 if there is none.
        @usableFromInline var runThread: UInt = 0
        @usableFromInline var rowObserver: (any StatementRowObserver)?
        /// The column names of rows, and the ``Statement/repreparationCount`` for which they were read.
        var namesOfRows: (repreparationCount: Int, names: [String])?
        /// The statement's properties other than its rows.
        var description = Description()
        /// The changes to report to observers, and the schema and the compilation for which they were found.
        var unreportedChanges: (generation: Int, repreparationCount: Int, changes: UnreportedChanges)?
        /// The complete region that the statement reads, and the schema and the effects for which it was found.
        var knownRegion: (generation: Int, describedGeneration: Int, repreparationCount: Int, region: DatabaseRegion)?
        /// The rows of a table that the next run reads, for a recording.
        var narrowing: (table: String, rows: Set<Int64>)?
        /// The arguments. SQLite reads some of their strings in place, so they are kept until they are replaced.
        var arguments: StatementArguments?
        /// The parameters, for arguments whose strings are not copied.
        var borrowingParameters: BorrowingParameters?
        /// Why the unchecked arguments could not be set: the next run throws this error, unless other arguments are set first.
        var argumentsError: (any Error)?
        /// The measures of the current run.
        var measuredRun: MeasuredRun?
    }

    /// The names of the parameters without the leading `:`, `@` or `$`; nil for parameters without a name.
    lazy var parameterNames: [String?] = (0..<parameterCount).map { index in
        guard let name = sqlite3_bind_parameter_name(handle, CInt(index + 1)), name[0] != CChar(UInt8(ascii: "?"))
        else { return nil }
        return String(cString: name + 1)
    }

    /// The SQL as monitors see it.
    lazy var reportedSQL = makeReportedSQL()

    /// Takes ownership of a statement of the C API.
    init(database: Database, handle: SQLiteStatement, sql: String, effects: StatementEffects, plan: StatementPlan? = nil) {
        self.plan = plan
        self.database = database
        self.handle = handle
        self.sql = sql
        var effects = effects
        if effects.writesSchemaTable, sqlite3_stmt_readonly(handle) != 0, sqlite3_column_count(handle) > 0 { effects.forgetDeclaration() }
        self.effects = effects
        endsWithoutHandling = !effects.changesSchema && !effects.controlsTransaction && effects.logPragma == nil
        mayWrite =
            (sqlite3_stmt_readonly(handle) == 0 || effects.hasNoEffects) && sqlite3_stmt_isexplain(handle) == 0
            && !effects.asksForJournalMode
        isMeasured = database.monitoring != nil
        canBeInterruptedAtEnd = !mayWrite && endsWithoutHandling && !isMeasured
        beginsAtOnce = effects.logPragma == nil
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        state = .allocate(capacity: 1)
        state.initialize(to: State(hasArguments: parameterCount == 0 && beginsAtOnce, handle: handle))
        state.pointee.description.generation = database.state.pointee.schemaGeneration
    }

    deinit {
        database.discard(state)
    }

    /// The statement of the C API, which is finalized with this object.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE id = ?")
    /// sqlite3_bind_int64(statement.sqliteStatement, 1, 42)
    /// while try statement.step() { print(statement.string(at: 0) ?? "") }
    /// ```
    ///
    /// A program that reads this property may bind values with the functions of SQLite (`sqlite3_bind_…`), which don't tell which
    /// parameters have a value. If the statement has no arguments by then, their number is no longer checked when it runs, and parameters
    /// to which nothing was bound are NULL. ``setArguments(_:)`` binds all parameters again, and checks them.
    ///
    /// Bind before the first step. Don't call `sqlite3_step` or `sqlite3_finalize`: observers would not be notified.
    public var sqliteStatement: SQLiteStatement {
        if !state.pointee.hasArguments, parameterCount > 0, state.pointee.argumentsError == nil {
            state.pointee.mayHaveForeignBindings = true
            state.pointee.hasArguments = beginsAtOnce
        }
        return handle
    }

    /// Whether the statement is read-only: it does not directly change the content of the database file.
    ///
    /// Source: <https://www.sqlite.org/c3ref/stmt_readonly.html>
    public var isReadonly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Whether the statement has begun and not ended.
    @usableFromInline package var isBusy: Bool { state.pointee.isRunning }
}

/// An object that hands out views of a statement's current row, and invalidates them when the row becomes invalid.
@usableFromInline
package protocol StatementRowObserver: AnyObject {
    /// Notifies the observer that the current row is invalid: the statement has advanced, was reset, or is about to be finalized.
    func statementDidLeaveRow()
}

extension Statement: CustomStringConvertible {
    /// The SQL.
    public var description: String { "SQL: \(sql)" }

    /// The SQL with parameters replaced by their values.
    ///
    /// Source: <https://www.sqlite.org/c3ref/expanded_sql.html>
    public var expandedSQL: String {
        database.checkAccess()
        if let plan, plan.replacement != nil { return EngineStatement(sql: sql, plan: plan).expandedSQL(handle) }
        return sqliteExpandedSQL(of: handle)?.trimmedSQL ?? sql
    }
}

/// Returns the SQL of a statement of the C API with the values of its parameters, or nil if it is too long or memory runs out.
func sqliteExpandedSQL(of handle: SQLiteStatement) -> String? {
    guard let text = sqlite3_expanded_sql(handle) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
}
