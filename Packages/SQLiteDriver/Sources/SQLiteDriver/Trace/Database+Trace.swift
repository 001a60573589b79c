import CSQLiteShims

extension Database {
    /// Calls a closure for the statements that SQLite runs on this connection.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in
    ///     db.trace { print($0) }                                       // SELECT * FROM player WHERE id = ?
    ///     db.trace { print($0.expandedDescription) }                   // SELECT * FROM player WHERE id = 1
    ///     db.trace(options: .profile) { print($0) }                    // 0.012s SELECT * FROM player WHERE id = ?
    /// }
    /// ```
    ///
    /// With ``Configuration/publicStatementArguments``, `print($0)` shows the values, too.
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
        guard let handle = sqliteConnection else { return }
        guard let trace, !options.isEmpty else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            tracer = nil
            return
        }
        // The connection keeps the tracer as long as SQLite has a pointer to it.
        let tracer = Tracer(showsArguments: configuration.publicStatementArguments, trace)
        sqlite3_trace_v2(
            handle, UInt32(truncatingIfNeeded: options.rawValue),
            { event, context, statement, detail in
                if let context, let statement {
                    Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
                        .trace(event: event, statement: SQLiteStatement(statement), detail: detail)
                }
                return 0
            }, Unmanaged.passUnretained(tracer).toOpaque())
        self.tracer = tracer
    }
}

/// Creates trace events from SQLite's callbacks.
final class Tracer {
    private let showsArguments: Bool
    private let body: (Database.TraceEvent) -> Void

    /// - Parameter showsArguments: whether the descriptions of events show the values of the parameters.
    init(showsArguments: Bool, _ body: @escaping (Database.TraceEvent) -> Void) {
        self.showsArguments = showsArguments
        self.body = body
    }

    func trace(event: UInt32, statement: SQLiteStatement, detail: UnsafeMutableRawPointer?) {
        guard let detail else { return }
        switch CInt(truncatingIfNeeded: event) {
        case SQLITE_TRACE_STMT:
            let text = UnsafePointer(detail.assumingMemoryBound(to: CChar.self))
            // A text that is not the statement's own SQL is a comment in place of a statement, with nothing to expand. The leading
            // `--` does not tell, as a statement may begin with a comment.
            let isComment = text != sqlite3_sql(statement)
            call(Source(sql: String(cString: text).trimmedSQL, handle: isComment ? nil : statement)) { .statement($0) }
        case SQLITE_TRACE_PROFILE:
            let nanoseconds = detail.load(as: Int64.self)
            let sql = sqlite3_sql(statement).map { String(cString: $0).trimmedSQL } ?? ""
            call(Source(sql: sql, handle: statement)) { .profile(statement: $0, duration: Double(nanoseconds) / 1e9) }
        default:
            break
        }
    }

    private typealias Source = Database.TraceEvent.Statement.Source

    private func call(_ source: Source, _ makeEvent: (Database.TraceEvent.Statement) -> Database.TraceEvent) {
        var source = source
        body(makeEvent(Database.TraceEvent.Statement(source: source, showsArguments: showsArguments)))
        // An event that was kept can't read from SQLite any more, so it copies its text now.
        source.end(expanding: !isKnownUniquelyReferenced(&source))
    }
}
