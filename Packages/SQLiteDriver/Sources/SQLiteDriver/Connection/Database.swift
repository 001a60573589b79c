import CSQLiteShims

/// A connection to an SQLite database.
///
/// The accesses of a ``DatabaseQueue`` or a ``DatabasePool`` hand out connections. Use a connection only inside its access, and on
/// the thread of that access.
///
/// ```swift
/// let queue = try DatabaseQueue(path: "/path/to/database.sqlite")
/// try queue.write { db in
///     try db.execute(
///         sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
///     try db.execute(
///         sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// Source: <https://www.sqlite.org/c3ref/sqlite3.html>
public final class Database {
    /// The configuration that the connection was opened with.
    public let configuration: Configuration

    /// The path of the database file as it was given, ":memory:" for a database in memory.
    let path: String

    /// The file of the main database.
    let file: DatabaseFile

    /// The path or the URI with which other connections open the file.
    let location: String

    /// The files that the configuration's preparations have attached, by name.
    var attachedFiles: [String: DatabaseFile] = [:]

    /// The writing connection of the database that this connection reads. It must be closed after this one: see
    /// `removeLogIfClosed()`.
    let writer: SerializedConnection?

    /// Whether this is the connection that writes.
    var isWriter: Bool { writer == nil }

    /// The number of commits of the connection that writes.
    let commits: CommitCounter

    /// Whether closing the last connection keeps the write-ahead log. The handle's lock guards this property.
    private var keepsLog = false

    /// The connection, for threads that are not inside the access; nil once the database is closed. The handle's lock guards this property.
    private(set) var lockedHandle: SQLiteConnection?

    /// The objects that the layers above attach to the connection. They are kept until it is closed.
    @usableFromInline package let attachments = Attachments()

    /// The thread of the current access, 0 outside accesses.
    @usableFromInline let accessThread = AtomicWord()

    /// When the current or the last access began, in milliseconds of `strata_milliseconds()`.
    private let accessBegin = AtomicWord()

    /// What the connection publishes for other threads.
    let published = PublishedFigures()

    /// The state that only the thread of the access uses: the thread sanitizer treats a change of one field as a change of all, and of this
    /// property.
    @usableFromInline let state = OwnedMemory(State())

    @usableFromInline
    struct State {
        /// The number of schemas that this connection has seen.
        @usableFromInline var schemaGeneration = 0
        /// The connection of the C API, nil once the database is closed.
        @usableFromInline fileprivate(set) var handle: SQLiteConnection?
        /// The innermost statement inside `sqlite3_step`, if its success must not be reported as an interruption.
        @usableFromInline var steppingStatement: SQLiteStatement?
        /// The statement that has begun last, of those that were not reset: see `RunningStatements.swift`.
        var lastRunning: UnsafeMutablePointer<Statement.State>?
    }

    /// Prevents closing the connection while another thread interrupts it.
    let handleLock = Lock()

    /// Not 0 while the connection is suspended.
    let suspension = AtomicWord()

    /// Not 0 while the running statements are to be interrupted.
    @usableFromInline let interruption = AtomicWord()

    var interruptionState = InterruptionState()

    /// Whether a call of SQLite is running that `sqlite3_interrupt` may end. The handle's lock guards this property.
    var isInsideLongCall = false

    var statementCache = StatementCache()
    var schemaCache = SchemaCache()
    let authorizer = StatementAuthorizer()

    /// The collations that were removed from the connection, which must not take them from the registry.
    var removedCollations: Set<SchemaName> = []

    /// The last error of code that SQLite called, until SQLite fails the statement. SQLite passes on its code, and its message if
    /// `carriesMessage` is true.
    var functionFailure: (error: any Error, code: CInt, message: String, carriesMessage: Bool)?

    /// The waits for locks of the current operation.
    var lockWaits = LockWaits()

    /// The participants that the statements must not skip when they begin and end.
    @usableFromInline let needs: StatementNeeds

    /// The connection's transaction.
    @usableFromInline let transaction: TransactionState

    /// The region read by the statements that have begun, while an access is recorded.
    var recordedRegion: DatabaseRegion? { didSet { needs[.recording] = recordedRegion != nil } }

    /// Additions to what SQLite knows about the schema.
    public internal(set) var schemaSource: (any DatabaseSchemaSource)?

    /// Whether migrations are running: tables may lack columns that later migrations add.
    package internal(set) var isMigratingSchema = false

    /// The transaction of writes that share a commit. Between two of them, it belongs to no access.
    var sharedTransaction: SharedTransaction?

    /// The current access, if it may end early.
    private(set) var access: Access? { didSet { needs[.task] = access != nil } }

    /// The connection of the access that the current one is nested in, on the same thread.
    private var outerAccess: UnsafeMutableRawPointer?

    /// The engine that runs the statements, if the rows of the database are elsewhere.
    var engine: (any DatabaseEngine)? { didSet { needs[.engine] = engine != nil } }

    /// The program's statements, for each statement of the C API that runs in their place.
    var engineStatements: [SQLiteStatement: EngineStatement] = [:]

    /// The protection of the connection's checkpoints.
    let logProtection: LogProtection

    /// The observers of the connection's transactions.
    let observation: TransactionObservation

    /// The recipient of SQLite's trace events, while a trace is installed.
    var tracer: Tracer?

    /// The number of closures of ``withInternalStatements(_:)`` that are running.
    var internalDepth = 0

    /// The measures of statements; nil if nothing needs them.
    let monitoring: StatementMonitoring?

    /// The measures of the current access; nil if it is not measured.
    var accessMeasures: AccessMeasures?

    /// Statements whose last reference was released where the connection can't be used: on another thread, or outside accesses.
    let abandoned = Guarded<[StatementState]>([])

    // MARK: - Opening and closing

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - isNew: whether a new database is to be filled, even when the configuration is read-only.
    ///   - writer: the writing connection, for a connection that reads beside it.
    init(path: String, configuration: Configuration, isNew: Bool = false, writer: SerializedConnection? = nil) throws {
        self.path = path
        self.writer = writer
        commits = writer?.database.commits ?? CommitCounter()
        self.configuration = configuration
        schemaSource = configuration.schemaSource
        needs = StatementNeeds()
        transaction = TransactionState(needs)
        observation = TransactionObservation(transaction, needs)
        logProtection = LogProtection(needs)
        monitoring = StatementMonitoring(configuration, path: path)
        needs[.monitoring] = monitoring != nil
        // An engine keeps a copy of the schema up to date, even where the program may not write.
        let isFileReadonly = configuration.readonly && !isNew && configuration.makeEngine == nil
        let handle = try Self.open(
            path: writer?.database.location ?? path, readonly: isFileReadonly, creates: !configuration.requiresFile)
        file = DatabaseFile(of: "main", handle)
        location = file.location(givenPath: path)
        state.pointee.handle = handle
        lockedHandle = handle
        if let writer { try checkIsFile(of: writer) }
        needs[.suspension] = configuration.observesSuspensionNotifications
        if configuration.observesSuspensionNotifications { Suspension.shared.add(self) }
    }

    deinit {
        // Statements retain their connection, so only statements that another thread has released are left.
        finalizeAbandonedStatements()
        if let handle = sqliteConnection {
            sqlite3_close_v2(handle)
            writer?.database.removeLogIfClosed()
        }
    }

    /// Configures the new connection. Called inside the first access.
    ///
    /// - Parameter content: fills a new database.
    func setUp(content: ((Database) throws -> Void)? = nil) throws {
        let connection = try openHandle()
        sqlite3_extended_result_codes(connection, 1)
        setUpBusyHandler(connection)
        installProgressHandler()
        strata_sqlite3_db_config_int(connection, SQLITE_DBCONFIG_ENABLE_FKEY, configuration.foreignKeysEnabled ? 1 : 0, nil)
        let doubleQuotes: CInt = configuration.acceptsDoubleQuotedStringLiterals ? 1 : 0
        strata_sqlite3_db_config_int(connection, SQLITE_DBCONFIG_DQS_DML, doubleQuotes, nil)
        strata_sqlite3_db_config_int(connection, SQLITE_DBCONFIG_DQS_DDL, doubleQuotes, nil)
        authorizer.install(on: connection)
        authorizer.isRunning = { [unowned self] in state.pointee.steppingStatement != nil }
        authorizer.willChangeMode = { [logProtection] in logProtection.close() }
        logProtection.install(on: connection, of: self)
        if isWriter { observation.installCommitHook(connection, counting: commits) }
        try openEngine()
        try useRegistry()
        if let content {
            try content(self)
            if configuration.readonly { try execute(sql: "PRAGMA query_only = 1") }
        }
        try readFile()
        try checkIsInPlace()
        if engine == nil, let mode = configuration.synchronous {
            try withInternalStatements { try execute(sql: "PRAGMA main.synchronous = \(mode.rawValue)") }
        }
        let result = Result { try configuration.prepare(self) }
        try endLeftOpenTransaction(throwing: result)
        try result.get()
        try checkAttachedFiles()
        published.update(from: self)
    }

    /// Reads the beginning of the file. SQLite opens files lazily: only reading shows whether the file is a database.
    ///
    /// - Throws: an error that names the file; SQLite's own error would show SQL that the program has not written.
    func readFile() throws {
        if engine != nil { return }
        do {
            try withInternalStatements { try execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1") }
        } catch let error as DatabaseError where error.resultCode != .SQLITE_ABORT {
            throw DatabaseError(
                code: error.extendedResultCode, message: "\(error.message ?? error.extendedResultCode.errorString): \(path)",
                advice: Self.adviceAboutFolder(path) ?? error.advice)
        }
    }

    /// Closes the connection, which must have no statement left.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive.
    func close() throws {
        guard let connection = sqliteConnection else { return }
        attachments.removeAll()
        observation.endStatements()
        statementCache.removeAll()
        finalizeAbandonedStatements()
        logProtection.close()
        try handleLock.withLock {
            let keepsLog = strata_sqlite3_keeps_log(connection) != 0
            let code = sqlite3_close(connection)
            guard code == SQLITE_OK else {
                let error = DatabaseError(
                    code: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)),
                    advice: "Release all statements and cursors before closing.")
                logStatements(of: connection)
                throw error
            }
            engine?.close()
            state.pointee.handle = nil
            lockedHandle = nil
            self.keepsLog = keepsLog
        }
        observation.removeAll()
        writer?.database.removeLogIfClosed()
    }

    /// Writes the SQL of all statements to SQLite's error log: they prevent the connection from closing.
    private func logStatements(of connection: SQLiteConnection) {
        guard let logError = Self.logError else { return }
        for statement in Self.statements(of: connection) {
            // The handle of a blob is a statement without SQL.
            let name = sqlite3_sql(statement).map { "statement: \(String(cString: $0))" } ?? "blob handle"
            logError(.SQLITE_BUSY, "unfinalized \(name)")
        }
    }

    /// Removes the write-ahead log of a database whose writing connection is closed, unless another connection is open.
    ///
    /// SQLite removes the log when the last connection is closed, if that connection may write:
    /// <https://www.sqlite.org/wal.html#the_wal_file>. A read-only connection, such as the connection of a snapshot, leaves the log behind.
    func removeLogIfClosed() {
        let isClosed = handleLock.withLock { lockedHandle == nil && !keepsLog }
        guard isClosed, !configuration.readonly, file.isInPlace else { return }
        var connection: SQLiteConnection?
        if sqlite3_open_v2(location, &connection, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_READWRITE, nil) == SQLITE_OK {
            // SQLite opens the log with the first statement.
            sqlite3_exec(connection, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil)
            strata_sqlite3_set_keeps_log(connection, 0)
        }
        sqlite3_close(connection)
    }

    static func open(path: String, readonly: Bool, creates: Bool = true) throws -> SQLiteConnection {
        if path.utf8.contains(0) {
            throw DatabaseError(
                code: .SQLITE_CANTOPEN, message: "the path contains a NUL character, at which the file system would truncate it: \(path)",
                advice: "Check the path.")
        }
        // Accesses are serialized: SQLite does not need a mutex for this connection.
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        flags |= readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
        ErrorLog.shared.initializeSQLite()
        var connection: SQLiteConnection?
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let extendedCode = connection.map { sqlite3_extended_errcode($0) } ?? code
            let message = connection.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close(connection)
            throw openingError(ResultCode(rawValue: extendedCode), message: message, path: path, readonly: readonly)
        }
        return connection
    }

    /// The advice for a path that is a folder, which SQLite opens for reading, but cannot read; nil for another path.
    private static func adviceAboutFolder(_ path: String) -> String? {
        strata_path_status(path) & CInt(STRATA_PATH_IS_FOLDER) == 0 ? nil : "The path is a folder: pass the path of a file."
    }

    private static func openingError(
        _ code: ResultCode, message: String?, path: String, readonly: Bool
    ) -> DatabaseError {
        let status = strata_path_status(path)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let advice: String
        if path.hasPrefix("file:") {
            advice = "Check the URI, and the file that it names: see https://www.sqlite.org/uri.html."
        } else if let adviceAboutFolder = adviceAboutFolder(path) {
            advice = adviceAboutFolder
        } else if status & CInt(STRATA_PATH_EXISTS) != 0 {
            advice = "The file exists, but can't be opened: check its permissions."
        } else if !folder.isEmpty, strata_path_status(folder) == 0 {
            advice = "The folder \(folder) does not exist: \(readonly ? "check the path" : "create it first")."
        } else if !folder.isEmpty, strata_path_status(folder) & CInt(STRATA_PATH_IS_FOLDER) == 0 {
            advice = "\(folder) is a file, not a folder: check the path."
        } else if readonly {
            advice = "The file does not exist, and a read-only configuration does not create it: check the path."
        } else {
            advice = "The file does not exist, or can't be created: check the path, and the permissions of the folder \(folder)."
        }
        return DatabaseError(code: code, message: "\(message ?? code.errorString): \(path)", advice: advice)
    }

    // MARK: - The C API

    /// Returns the statements of a connection, including handles for blobs, and statements of virtual tables and of the C API.
    static func statements(of connection: SQLiteConnection) -> some Sequence<SQLiteStatement> {
        sequence(state: nil as SQLiteStatement?) { statement -> SQLiteStatement? in
            statement = sqlite3_next_stmt(connection, statement)
            return statement
        }
    }

    /// The connection of the C API, nil once the database is closed.
    @inlinable
    public var sqliteConnection: SQLiteConnection? { state.pointee.handle }

    func openHandle() throws -> SQLiteConnection {
        guard let handle = sqliteConnection else {
            throw DatabaseError.closed
        }
        return handle
    }

    /// Returns the error of the call to SQLite that has just failed.
    func makeError(_ code: CInt, sql: String?, arguments: StatementArguments? = nil) -> DatabaseError {
        var extendedCode = code
        var message: String?
        var isDefensive: CInt = 0
        if let handle = sqliteConnection {
            // When the connection does not know the code, for example because a value's own binding has failed, the message is SQLite's
            // description of the code.
            let known = sqlite3_extended_errcode(handle)
            if known & 0xFF == code & 0xFF {
                extendedCode = known
                message = String(cString: sqlite3_errmsg(handle))
            }
            if message?.hasSuffix(" may not be modified") == true {
                strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, -1, &isDefensive)
            }
        }
        if interruptionState.hasInterruptedStatement {
            interruptionState.hasInterruptedStatement = false
            // SQLite or a virtual table has run a statement for another one, and it was interrupted: the other one reports a different
            // error. For example, ALTER TABLE reports an error in a view.
            if extendedCode & 0xFF == SQLITE_ERROR {
                extendedCode = SQLITE_INTERRUPT
                message = "interrupted"
            }
        }
        if let accessInterruption, accessInterruption.hasCome, extendedCode & 0xFF == SQLITE_INTERRUPT { accessInterruption.didInterrupt() }
        let failure = functionFailure.take().flatMap {
            $0.code == extendedCode && ($0.message == message || !$0.carriesMessage) ? $0 : nil
        }
        var error = DatabaseError(
            code: ResultCode(rawValue: extendedCode), message: failure?.message ?? message, sql: sql, arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments,
            advice: isDefensive == 0
                ? nil
                : "The connection is in SQLite's defensive mode, in which it does not write to the tables that a virtual table keeps its "
                    + "content in. Restore dumps with load(sql:).")
        error.underlyingError = failure?.error
        return error
    }

    // MARK: - Accesses

    /// Stops the program unless the current thread is inside an access to this connection.
    @inlinable
    package func checkAccess() {
        if accessThread.value != strata_current_thread() {
            stopForAccess()
        }
    }

    @inline(never)
    @usableFromInline
    func stopForAccess() -> Never {
        fatalError(
            "A database connection was used outside its access, or on another thread. "
                + "Use it, its statements and its cursors inside the closure that you pass to read or write.")
    }

    /// Whether the current thread is inside an access to this connection. Safe from any thread.
    var isAccessedByCurrentThread: Bool { accessThread.value == strata_current_thread() }

    /// The thread of the current access, 0 outside accesses. Safe from any thread.
    var accessingThread: UInt { accessThread.value }

    /// How long the current access has been running; nil outside accesses. Safe from any thread.
    var accessAge: Duration? {
        accessThread.value == 0 ? nil : .milliseconds(max(0, Int(strata_milliseconds()) - Int(accessBegin.value)))
    }

    /// - Parameter access: the access, if it may end early.
    func beginAccess(_ access: Access? = nil) {
        accessBegin.value = strata_milliseconds()
        accessThread.value = strata_current_thread()
        outerAccess = strata_exchange_current_access(Unmanaged.passUnretained(self).toOpaque())
        transaction.schemaMayHaveChanged()
        if interruption.value != 0 { clearInterruption() }
        finalizeAbandonedStatements()
        if let access { self.access = access }
        beginLimitingStatements()
    }

    func endAccess() {
        endAllRuns()
        countCommits()
        observation.accessWillEnd(self)
        finalizeAbandonedStatements()
        try? rollBackFailedTransaction()
        if access != nil { access = nil }
        if published.isRequested { published.update(from: self) }
        _ = strata_exchange_current_access(outerAccess)
        accessThread.value = 0
    }

    /// The early end of the current access, if it may end early.
    var accessInterruption: AccessInterruption? { access?.interruption }

    /// The connections that this thread is accessing, the innermost first.
    static var accessedByThread: some Sequence<Database> {
        sequence(state: strata_current_access()) { pointer -> Database? in
            guard let current = pointer else { return nil }
            // The access's thread refers to the connection until the access ends.
            let database = Unmanaged<Database>.fromOpaque(current).takeUnretainedValue()
            pointer = database.outerAccess
            return database
        }
    }
}

extension Database: CustomStringConvertible {
    /// The configuration's label, or the path.
    public var description: String { configuration.label ?? path }
}
