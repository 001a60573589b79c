// Recording of the SQL that a closure runs, for tests.

extension Database {
    /// Runs a closure, and returns its result and the SQL of the statements that it has run, with their values.
    ///
    /// ```swift
    /// let (_, sql) = try db.recordingSQL {
    ///     try db.execute(sql: "DELETE FROM player WHERE id = ?", arguments: [1])
    /// }
    /// #expect(sql == ["DELETE FROM player WHERE id = 1"])
    /// ```
    ///
    /// Statements that the connection runs on its own, to read the schema, are not included. The statements of triggers appear as SQL
    /// comments. A trace that was installed before continues.
    ///
    /// - Parameters:
    ///   - expanded: whether parameters are replaced by their values.
    ///   - body: the closure. It must not call ``trace(options:_:)``.
    /// - Returns: the closure's result, and the SQL of each statement, in the order in which the statements have begun.
    /// - Throws: the error of the closure.
    public func recordingSQL<T>(expanded: Bool = true, _ body: () throws -> T) rethrows -> (value: T, sql: [String]) {
        checkAccess()
        let recording = SQLRecording(expanded: expanded)
        beginRecording(recording)
        defer { endRecording(recording) }
        let value = try body()
        return (value, recording.sql)
    }

    /// Adds the statements of the connection to a recording, from now on.
    func beginRecording(_ recording: SQLRecording) {
        let options = tracer?.options.union(.statement) ?? .statement
        // The recording keeps the recorder, also that of a connection that is closed before the end.
        let recorder = Tracer(options: options, showsArguments: configuration.publicStatementArguments) {
            [outer = tracer, weak recording] event in
            if case .statement(let statement) = event {
                recording?.add(statement)
                if outer?.options.contains(.statement) != true { return }
            }
            outer?.pass(event)
        }
        if recording.begin(self, outer: tracer, recorder) { install(recorder) }
    }

    /// Ends what ``beginRecording(_:)`` has begun.
    func endRecording(_ recording: SQLRecording) {
        guard let (outer, recorder) = recording.end(self) else { return }
        // If the closure has installed a trace, that trace stays.
        if tracer === recorder { install(outer) }
    }
}

extension DatabaseReader {
    /// Runs a closure, and returns its result and the SQL of the statements that the database has run meanwhile, with their values.
    ///
    /// ```swift
    /// let (_, sql) = try queue.recordingSQL {
    ///     try library.removeOldBooks()  // calls queue.write { … }
    /// }
    /// #expect(
    ///     sql == [
    ///         "BEGIN IMMEDIATE TRANSACTION", "DELETE FROM book WHERE year < 1900",
    ///         "COMMIT TRANSACTION",
    ///     ])
    /// ```
    ///
    /// See ``Database/recordingSQL(expanded:_:)``. Statements of other threads count, too, and those of all connections of a
    /// ``DatabasePool``, also of connections that it opens meanwhile. Statements of its snapshots don't: they are databases of their own.
    ///
    /// - Parameters:
    ///   - expanded: whether parameters are replaced by their values.
    ///   - body: the closure, which is called outside accesses.
    /// - Returns: the closure's result, and the SQL of each statement, in the order in which the statements have begun.
    /// - Throws: the error of the closure, or ``DatabaseError``: `SQLITE_MISUSE` inside an access.
    public func recordingSQL<T>(expanded: Bool = true, _ body: () throws -> T) throws -> (value: T, sql: [String]) {
        let recording = SQLRecording(expanded: expanded)
        let pool = unwrapped as? DatabasePool
        if let pool {
            try pool.beginRecording(recording)
        } else {
            try access(.ofReader) { try $0.unsafeAccess { $0.beginRecording(recording) } }
        }
        defer {
            if let pool { pool.endRecording(recording) } else { try? access(.ofReader) { $0.endRecording(recording) } }
        }
        let value = try body()
        return (value, recording.sql)
    }

    /// Runs an asynchronous closure, and returns its result and the SQL of the statements that the database has run meanwhile, with
    /// their values.
    ///
    /// ```swift
    /// let (_, sql) = try await pool.recordingSQL {
    ///     try await pool.write { db in try db.execute(sql: "DELETE FROM book") }
    /// }
    /// #expect(sql.contains("DELETE FROM book"))
    /// ```
    ///
    /// - Parameters:
    ///   - expanded: whether parameters are replaced by their values.
    ///   - body: the closure, which is called outside accesses.
    /// - Returns: the closure's result, and the SQL of each statement, in the order in which the statements have begun.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func recordingSQL<T: Sendable>(
        expanded: Bool = true, _ body: @Sendable () async throws -> T
    ) async throws -> (value: T, sql: [String]) {
        let recording = SQLRecording(expanded: expanded)
        let pool = unwrapped as? DatabasePool
        if let pool {
            try await pool.beginRecording(recording)
        } else {
            try await access(.ofReader) { try $0.unsafeAccess { $0.beginRecording(recording) } }
        }
        let result = await Result.awaiting(body)
        // The end is scheduled, and not awaited: a cancelled task can't begin an access.
        if let pool {
            pool.endRecordingLater(recording)
        } else {
            schedule(.ofReader) { database in try? database.get().endRecording(recording) }
        }
        return (try result.get(), recording.sql)
    }
}

/// The SQL of the statements that a closure has run.
///
/// `@unchecked Sendable`: the lock guards the state.
final class SQLRecording: @unchecked Sendable {
    private let lock = Lock()
    private var statements: [String] = []
    private let expanded: Bool

    private var hasEnded = false

    /// The traces before the recording and of the recording, by connection.
    private var tracers: [ObjectIdentifier: (outer: Tracer?, recorder: Tracer)] = [:]

    init(expanded: Bool) {
        self.expanded = expanded
    }

    var sql: [String] { lock.withLock { statements } }

    /// Adds a statement, unless it is internal.
    func add(_ statement: Database.TraceEvent.Statement) {
        if statement.isInternal { return }
        let text = expanded ? statement.expandedSQL : statement.sql
        lock.withLock { statements.append(text) }
    }

    /// Adds a connection.
    ///
    /// - Returns: false if the recording has ended.
    func begin(_ db: Database, outer: Tracer?, _ recorder: Tracer) -> Bool {
        lock.withLock {
            if hasEnded { return false }
            tracers[ObjectIdentifier(db)] = (outer, recorder)
            return true
        }
    }

    /// Lets no further connections begin.
    func end() { lock.withLock { hasEnded = true } }

    /// Removes a connection, and returns its traces.
    func end(_ db: Database) -> (outer: Tracer?, recorder: Tracer)? {
        lock.withLock { tracers.removeValue(forKey: ObjectIdentifier(db)) }
    }
}

// Recording of the SQL of all connections of a pool. Recordings begin and end while no read is running.

extension DatabasePool {
    private var request: AccessRequest { AccessRequest(.barrierWrite, .database) }

    /// Begins a recording on all connections.
    ///
    /// - Throws: ``DatabaseError`` inside an access, or if the pool is closed.
    func beginRecording(_ recording: SQLRecording) throws { try gate.run(request) { try begin(recording, $0) } }

    /// Begins a recording on all connections, without blocking a thread.
    ///
    /// - Throws: ``DatabaseError`` if the pool is closed, or `CancellationError`.
    func beginRecording(_ recording: SQLRecording) async throws { try await gate.run(request) { try begin(recording, $0) } }

    private func begin(_ recording: SQLRecording, _ db: Database) throws {
        try db.unsafeAccess { $0.beginRecording(recording) }
        try readers.changeRecordings({ $0.append(recording) }, { $0.beginRecording(recording) })
    }

    /// Ends a recording, and waits until it has ended on all connections.
    func endRecording(_ recording: SQLRecording) {
        recording.end()
        // A closed connection records nothing.
        try? gate.run(request) { end(recording, $0) }
    }

    /// Ends a recording after the accesses that were requested before.
    func endRecordingLater(_ recording: SQLRecording) {
        recording.end()
        gate.schedule(request) { [self] result in if let db = try? result.get() { end(recording, db) } }
    }

    private func end(_ recording: SQLRecording, _ db: Database) {
        db.endRecording(recording)
        try? readers.changeRecordings({ $0.removeAll { $0 === recording } }, { $0.endRecording(recording) })
    }
}
