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

    fileprivate func beginRecording(_ recording: SQLRecording) {
        recording.outer = tracer
        let options = tracer?.options.union(.statement) ?? .statement
        let recorder = Tracer(options: options, showsArguments: configuration.publicStatementArguments) { [outer = tracer] event in
            if case .statement(let statement) = event {
                recording.add(statement)
                if outer?.options.contains(.statement) != true { return }
            }
            outer?.pass(event)
        }
        recording.recorder = recorder
        install(recorder)
    }

    fileprivate func endRecording(_ recording: SQLRecording) {
        // If the closure has installed a trace, that trace stays.
        if tracer === recording.recorder { install(recording.outer) }
        // The recorder's closure keeps the recording.
        recording.recorder = nil
        recording.outer = nil
    }
}

extension DatabaseQueue {
    /// Runs a closure, and returns its result and the SQL of the statements that the queue has run meanwhile, with their values.
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
    /// See ``Database/recordingSQL(expanded:_:)``. Statements of other threads count, too.
    ///
    /// - Parameters:
    ///   - expanded: whether parameters are replaced by their values.
    ///   - body: the closure, which is called outside accesses.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func recordingSQL<T>(expanded: Bool = true, _ body: () throws -> T) throws -> (value: T, sql: [String]) {
        let recording = SQLRecording(expanded: expanded)
        try unsafeRead { $0.beginRecording(recording) }
        defer { try? unsafeRead { $0.endRecording(recording) } }
        let value = try body()
        return (value, recording.sql)
    }

    /// Runs an asynchronous closure, and returns its result and the SQL of the statements that the queue has run meanwhile, with
    /// their values.
    ///
    /// - Parameters:
    ///   - expanded: whether parameters are replaced by their values.
    ///   - body: the closure, which is called outside accesses.
    /// - Throws: the error of the closure, or ``DatabaseError``.
    public func recordingSQL<T: Sendable>(
        expanded: Bool = true, _ body: @Sendable () async throws -> T
    ) async throws -> (value: T, sql: [String]) {
        let recording = SQLRecording(expanded: expanded)
        try await unsafeRead { $0.beginRecording(recording) }
        let result: Result<T, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // The end is scheduled, and not awaited: a cancelled task can't begin an access.
        asyncUnsafeRead { database in try? database.get().endRecording(recording) }
        return (try result.get(), recording.sql)
    }
}

/// The SQL of the statements that a closure has run.
///
/// `@unchecked Sendable`: the lock guards the list, and the accesses of one connection, which run one after the other, use the rest.
private final class SQLRecording: @unchecked Sendable {
    private let lock = Lock()
    private var statements: [String] = []
    private let expanded: Bool
    var outer: Tracer?
    var recorder: Tracer?

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
}
