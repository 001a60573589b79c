import CSQLiteShims

/// A prepared statement of a connection.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "INSERT INTO player (name, score) VALUES (?, ?)")
/// try statement.execute(arguments: ["Arthur", 1000])
/// try statement.execute(arguments: ["Barbara", 750])
///
/// let query = try db.makeStatement(sql: "SELECT name, score FROM player WHERE score > ?")
/// try query.setArguments([500])
/// while try query.step() {
///     print(query.string(at: 0) ?? "", query.int64(at: 1) ?? 0)
/// }
/// ```
///
/// A statement is used where its ``database`` is: inside an access, on the access's thread.
///
/// Source: <https://www.sqlite.org/c3ref/stmt.html>
public final class Statement {
    /// The statement of the C API. It is finalized with this object.
    public let sqliteStatement: SQLiteStatement

    /// The connection that the statement belongs to.
    public let database: Database

    /// The statement's SQL.
    public let sql: String

    /// What the statement reads and writes, by the schema for which ``Description`` holds.
    ///
    /// Unchecked, as it is asked at each run while someone observes: it is read and written in one step each, on the thread of the
    /// access, and nobody holds on to it in between.
    @exclusivity(unchecked)
    var effects: StatementEffects

    /// Whether the end of a run needs no attention: it changes neither the schema nor the transaction.
    @usableFromInline let endsQuietly: Bool

    /// Whether running the statement may write to a database file or to temporary tables.
    @usableFromInline let mayWrite: Bool

    /// The number of parameters, counting the gaps that `?NNN` leaves.
    public let parameterCount: Int

    /// What the layers above keep with the statement, for as long as it lives.
    public let storage = TypedStorage()

    /// Is told whenever the current row goes away. Whoever hands out views of the current row sets it.
    @inlinable
    public var rowObserver: (any StatementRowObserver)? {
        get { state.pointee.rowObserver }
        set { state.pointee.rowObserver = newValue }
    }

    // Hot state is behind a pointer: a stored property of a class would be checked for exclusive access at each use.
    @usableFromInline let state: UnsafeMutablePointer<State>

    @usableFromInline
    struct State {
        /// Changes whenever the statement is started or reset: whoever remembers it knows that its rows are gone.
        @usableFromInline var runID = 0
        /// Whether the statement has been started, and not reset since.
        @usableFromInline var isRunning = false
        /// Whether the statement's parameters all have a value.
        @usableFromInline var hasArguments: Bool
        /// The statement's place in `Database.runningStatements`.
        var runningIndex = -1
        let handle: SQLiteStatement
        /// The thread of the run that is under way, 0 when there is none.
        @usableFromInline var runThread: UInt = 0
        @usableFromInline var rowObserver: (any StatementRowObserver)?
        /// The names of the columns of rows, and ``Statement/repreparationCount`` when they were asked for.
        var namesOfRows: (repreparationCount: Int, names: [String])?
        /// What is known of the statement beyond its rows.
        var description = Description()
        /// The arguments, some of whose texts SQLite reads where they are: they stay until others have taken their places.
        var arguments: StatementArguments?
        /// Room for the bytes of short texts.
        var roomForTexts: UnsafeMutableRawPointer?

        init(hasArguments: Bool, handle: SQLiteStatement) {
            self.hasArguments = hasArguments
            self.handle = handle
        }
    }

    /// The names of the parameters without their `:`, `@` or `$`, nil for those that have none.
    lazy var parameterNames: [String?] = (0..<parameterCount).map { index in
        guard let name = sqlite3_bind_parameter_name(sqliteStatement, CInt(index + 1)), name[0] != CChar(UInt8(ascii: "?"))
        else { return nil }
        return String(cString: name + 1)
    }

    /// Takes over a statement of the C API.
    init(database: Database, handle: SQLiteStatement, sql: String, effects: StatementEffects) {
        self.database = database
        self.sqliteStatement = handle
        self.sql = sql
        self.effects = effects
        endsQuietly = !effects.changesSchema && !effects.controlsTransaction
        mayWrite =
            (sqlite3_stmt_readonly(handle) == 0 || effects.isUntold) && sqlite3_stmt_isexplain(handle) == 0
            && !effects.asksForJournalMode
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        state = .allocate(capacity: 1)
        state.initialize(to: State(hasArguments: parameterCount == 0, handle: handle))
        state.pointee.description.generation = database.state.pointee.schemaGeneration
    }

    deinit {
        database.discard(state)
    }

    /// Whether the statement makes no direct change to the content of the database file.
    ///
    /// Source: <https://www.sqlite.org/c3ref/stmt_readonly.html>
    public var isReadonly: Bool { sqlite3_stmt_readonly(sqliteStatement) != 0 }

    /// Whether the statement was started, and has more to do.
    public var isBusy: Bool { state.pointee.isRunning }
}

/// Someone who hands out views of a statement's current row, and takes them back when it goes away.
public protocol StatementRowObserver: AnyObject {
    /// The statement moved on, was reset, or is about to be finalized: its current row is no more.
    func statementDidLeaveRow()
}

extension Statement: CustomStringConvertible {
    /// The SQL.
    public var description: String { "SQL: \(sql)" }

    /// The SQL with the values of the parameters in their places.
    ///
    /// Source: <https://www.sqlite.org/c3ref/expanded_sql.html>
    public var expandedSQL: String {
        database.checkAccess()
        guard let text = sqlite3_expanded_sql(sqliteStatement) else { return sql }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}
