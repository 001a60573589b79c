import CSQLiteShims

extension Database {
    /// Calls a closure for the statements that SQLite runs on this connection.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in
    ///     // SELECT * FROM player WHERE id = ?
    ///     db.trace { print($0) }
    ///     // SELECT * FROM player WHERE id = 1
    ///     db.trace { print($0.expandedDescription) }
    ///     // 0.012s SELECT * FROM player WHERE id = ?
    ///     db.trace(options: .profile) { print($0) }
    /// }
    /// ```
    ///
    /// With ``Configuration/publicStatementArguments``, `print($0)` shows the values, too.
    ///
    /// The statements that the connection runs on its own, such as `PRAGMA schema_version`, are reported only with
    /// ``TracingOptions/includingInternal``.
    ///
    /// A connection has one trace closure: each call replaces the previous one.
    ///
    /// Source: <https://www.sqlite.org/c3ref/trace_v2.html>
    ///
    /// - Parameters:
    ///   - options: the events to report.
    ///   - trace: called on the thread of the database access. It must not use the connection. Nil stops tracing.
    public func trace(options: TracingOptions = .statement, _ trace: ((_ event: TraceEvent) -> Void)? = nil) {
        checkAccess()
        install(trace.map { Tracer(options: options, showsArguments: configuration.publicStatementArguments, $0) })
    }

    /// Replaces the tracer.
    func install(_ tracer: Tracer?) {
        guard let handle = sqliteConnection else { return }
        guard let tracer, !tracer.events.isEmpty else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            self.tracer = nil
            return
        }
        // The connection keeps the tracer as long as SQLite has a pointer to it.
        sqlite3_trace_v2(
            handle, UInt32(truncatingIfNeeded: tracer.events.rawValue),
            { event, context, statement, detail in
                if let context, let statement {
                    Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
                        .trace(event: event, statement: SQLiteStatement(statement), detail: detail)
                }
                return 0
            }, Unmanaged.passUnretained(tracer).toOpaque())
        tracer.database = self
        self.tracer = tracer
    }

    /// Runs a closure whose statements are not the program's: they are reported only by traces with ``TracingOptions/includingInternal``, and
    /// not to monitors.
    package func withInternalStatements<T>(_ body: () throws -> T) rethrows -> T {
        internalDepth += 1
        defer { internalDepth -= 1 }
        return try body()
    }
}

/// Creates trace events from SQLite's callbacks.
final class Tracer {
    /// The options, and ``events`` without ``Database/TracingOptions/includingInternal``.
    let options: Database.TracingOptions
    var events: Database.TracingOptions { options.subtracting(.includingInternal) }

    /// The connection, for the SQL of statements that an engine runs.
    fileprivate weak var database: Database?

    private let showsArguments: Bool
    private let body: (Database.TraceEvent) -> Void

    /// - Parameters:
    ///   - options: the events to report.
    ///   - showsArguments: whether the descriptions of events show the values of the parameters.
    init(options: Database.TracingOptions, showsArguments: Bool, _ body: @escaping (Database.TraceEvent) -> Void) {
        self.options = options
        self.showsArguments = showsArguments
        self.body = body
    }

    func trace(event: UInt32, statement: SQLiteStatement, detail: UnsafeMutableRawPointer?) {
        guard let detail, options.contains(.includingInternal) || database?.internalDepth == 0 else { return }
        switch CInt(truncatingIfNeeded: event) {
        case SQLITE_TRACE_STMT:
            let text = UnsafePointer(detail.assumingMemoryBound(to: CChar.self))
            // SQL other than the statement's own is a comment that stands for a statement, with nothing to expand. The leading `--` is not
            // a criterion: a statement may begin with a comment.
            let isComment = text != sqlite3_sql(statement)
            if isComment { return call(sql: String(cString: text).trimmedSQL, nil) { .statement($0) } }
            call(statement) { .statement($0) }
        case SQLITE_TRACE_PROFILE:
            let nanoseconds = detail.load(as: Int64.self)
            call(statement) { .profile(statement: $0, duration: Double(nanoseconds) / 1e9) }
        default:
            break
        }
    }

    private func call(_ handle: SQLiteStatement, _ makeEvent: (Database.TraceEvent.Statement) -> Database.TraceEvent) {
        let engineStatement = database?.engineStatement(of: handle)
        let sql = engineStatement?.sql ?? sqlite3_sql(handle).map { String(cString: $0).trimmedSQL } ?? ""
        call(sql: sql, handle, engineStatement, makeEvent)
    }

    private func call(
        sql: String, _ handle: SQLiteStatement?, _ engineStatement: EngineStatement? = nil,
        _ makeEvent: (Database.TraceEvent.Statement) -> Database.TraceEvent
    ) {
        var source = Database.TraceEvent.Statement.Source(
            sql: sql, handle: handle, engineStatement: engineStatement, isInternal: database.map { $0.internalDepth > 0 } ?? false)
        pass(makeEvent(Database.TraceEvent.Statement(source: source, showsArguments: showsArguments)))
        // An event that is kept can't read from SQLite later, so it copies its SQL now.
        source.end(expanding: !isKnownUniquelyReferenced(&source))
    }

    /// Calls the closure.
    func pass(_ event: Database.TraceEvent) { body(event) }
}
