import Dispatch

/// A connection whose accesses run one after the other, from any thread or task.
///
/// `@unchecked Sendable`: the connection is reachable only inside accesses, which run on a serial dispatch queue. The members that
/// other threads use, `interrupt()` and the test for reentrancy, are thread-safe.
final class SerializedConnection: @unchecked Sendable {
    private let database: Database
    private let queue: DispatchQueue

    /// The program's accesses that were requested and have not ended. Safe from any thread.
    let line: AccessLine

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - path: the path of the database file, or its URI.
    ///   - configuration: how to open it.
    ///   - purpose: a suffix of the dispatch queue's label.
    ///   - isReader: whether this connection reads beside one that writes.
    ///   - writer: the connection that writes, which lives at least as long.
    ///   - content: fills a new database, before the configuration's preparations.
    init(
        path: String, configuration: Configuration, purpose: String = "", isReader: Bool = false,
        writer: SerializedConnection? = nil, content: ((Database) throws -> Void)? = nil
    ) throws {
        let label = (configuration.label ?? "Strata") + purpose
        let target = (isReader || configuration.readonly ? nil : configuration.writeTargetQueue) ?? configuration.targetQueue
        // A queue without a quality of service inherits it from its target.
        queue = target.map { DispatchQueue(label: label, target: $0) } ?? DispatchQueue(label: label, qos: configuration.qos)
        line = AccessLine(limit: configuration.maximumWaitingAccesses)
        database = try Database(path: path, configuration: configuration, isNew: content != nil, writer: writer)
        try sync { try $0.setUp(content: content) }
    }

    deinit {
        // Statements that the program keeps retain the connection. Cached statements would keep it alive forever if they were not removed
        // here.
        database.beginAccess()
        try? database.close()
        database.endAccess()
    }

    /// Whether the current thread is inside an access to the connection.
    var isAccessedByCurrentThread: Bool { database.isAccessedByCurrentThread }

    /// The thread of the current access, 0 outside accesses.
    var accessingThread: UInt { database.accessingThread }

    /// The number of commits of the connection that writes. Safe from any thread.
    var commits: CommitCounter { database.commits }

    /// Whether the connection must not take locks now. Safe from any thread.
    var isSuspended: Bool { database.isSuspended }

    /// How long the current access has been running; nil outside accesses. Safe from any thread.
    var accessAge: Duration? { database.accessAge }

    /// What the connection publishes. Safe from any thread.
    var published: PublishedFigures { database.published }

    /// The file of the database. Safe from any thread.
    var file: DatabaseFile { database.file }

    /// The path or the URI with which other connections open the file. Safe from any thread.
    var location: String { database.location }

    /// The attached files, which do not change after the connection is opened.
    var attachedFiles: [String: DatabaseFile] { database.attachedFiles }

    /// The resource that a thread waits for while it waits for its turn.
    var resource: AccessWaits.Resource { .connection(database) }

    /// Runs an access of the program, and waits until it ends.
    ///
    /// - Parameter isNested: whether others may wait for the caller.
    /// - Throws: what ``sync(limitedTo:_:)`` throws, or ``DatabaseUnavailableError``.
    func sync<T>(
        for request: AccessRequest, isNested: Bool = AccessWaits.isInsideAccess, _ body: (Database) throws -> T
    ) throws -> T {
        try line.pass(isNested: isNested) {
            try request.reporting { try sync(limitedTo: request.timeout) { try request.measuring($0, body) } }
        }
    }

    /// Runs an access, and waits until it ends.
    ///
    /// - Throws: the closure's error; or `SQLITE_MISUSE` where the access would deadlock: inside another access to the same
    ///   connection, in a loop over rows that the connection produces, and inside accesses that wait for each other in a circle.
    ///   ``DatabaseTimeoutError`` if the time of the access is over.
    func sync<T>(limitedTo timeout: Duration? = nil, _ body: (Database) throws -> T) throws -> T {
        if let deadline = AccessDeadline.forAccess(limitedTo: timeout) { return try sync(until: deadline, body) }
        if AccessWaits.isInsideAccess { return try nestedSync(body) }
        try IterationRegistry.shared.check(self)
        return try queue.sync { try access(body) }
    }

    @inline(never)
    private func nestedSync<T>(_ body: (Database) throws -> T) throws -> T {
        if database.isAccessedByCurrentThread { throw DatabaseError.reentrantAccess }
        try IterationRegistry.shared.check(self)
        let thread = try AccessWaits.shared.begin([resource])
        return try queue.sync {
            AccessWaits.shared.end(thread)
            return try access(body)
        }
    }

    @inline(never)
    private func sync<T>(until deadline: AccessDeadline, _ body: (Database) throws -> T) throws -> T {
        if database.isAccessedByCurrentThread { throw DatabaseError.reentrantAccess }
        try IterationRegistry.shared.check(self)
        return try TaskAccess.perform(until: deadline, waitingFor: AccessWaits.isInsideAccess ? [resource] : [], body) { begin($0) }
    }

    private func access<T>(_ body: (Database) throws -> T) rethrows -> T {
        database.beginAccess()
        defer { database.endAccess() }
        return try body(database)
    }

    /// Runs an access without a transaction, and waits until it ends. Inside another access to the connection, the closure runs as
    /// a part of that access.
    func reentrantSync<T>(for request: @autoclosure () -> AccessRequest, _ body: (Database) throws -> T) throws -> T {
        database.isAccessedByCurrentThread ? try body(database) : try sync(for: request()) { try $0.unsafeAccess(body) }
    }

    /// Runs a closure as a part of this thread's access to the connection.
    func insideAccess<T>(_ body: (Database) throws -> T) rethrows -> T { try body(database) }

    /// Waits for the turn of an access, and runs it if it may begin.
    ///
    /// - Parameter mayBegin: called on the thread of the access, when its turn has come.
    /// - Returns: nil if the access may not begin.
    func syncIfAllowed<T>(_ mayBegin: () -> Bool, _ body: (Database) throws -> T) rethrows -> T? {
        try queue.sync {
            guard mayBegin() else { return nil }
            return try access(body)
        }
    }

    /// Schedules a closure that runs when no access is running.
    func asyncOutsideAccesses(_ body: @escaping @Sendable (SerializedConnection) -> Void) {
        queue.async { [self] in body(self) }
    }

    /// Runs an access now, on the connection's queue. Called by closures of ``asyncOutsideAccesses(_:)``.
    func accessNow(_ body: (Database) -> Void) {
        access(body)
    }

    /// Schedules an access of the program, and returns immediately.
    ///
    /// - Parameter onFailure: called if the access does not begin, because its time is over. Nil for a callback that can't be told: it then runs
    ///   when it has its turn, and its statements throw.
    func async(
        for request: AccessRequest, onFailure: (@Sendable (any Error) -> Void)?, _ body: @escaping @Sendable (Database) -> Void
    ) {
        guard let access = CallbackAccess(request, in: line, onFailure: onFailure, body) else { return }
        switch (access.deadline, access.fail) {
        case (nil, _): async(access.run)
        case (let deadline?, nil): queue.async { [self] in TaskAccess.run(until: deadline, on: database, access.run) }
        case (let deadline?, let fail?): TaskAccess.schedule(until: deadline, onFailure: fail, access.run) { begin($0) }
        }
    }

    /// Schedules an access, and returns immediately.
    func async(_ body: @escaping @Sendable (Database) -> Void) {
        queue.async { [self] in access(body) }
    }

    /// Runs an access of the program as a part of the current task, which waits without blocking a thread.
    ///
    /// - Throws: what ``perform(limitedTo:_:)`` throws, or ``DatabaseUnavailableError``.
    func perform<T: Sendable>(
        for request: AccessRequest, isNested: Bool = false, _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await line.pass(isNested: isNested) {
            try await request.reporting { try await perform(limitedTo: request.timeout) { try request.measuring($0, body) } }
        }
    }

    /// Runs an access as a part of the current task, which waits without blocking a thread.
    ///
    /// - Throws: the closure's error; `SQLITE_MISUSE` in a loop over rows that the connection produces; or `CancellationError` when
    ///   the task is cancelled. An access that waits for its turn never begins then, and a running one is interrupted.
    func perform<T: Sendable>(limitedTo timeout: Duration? = nil, _ body: @Sendable (Database) throws -> T) async throws -> T {
        try IterationRegistry.shared.enter(self)
        return try await TaskAccess.perform(limitedTo: timeout, body) { [self] access in begin(access) }
    }

    /// Begins the access of a task when its turn comes.
    ///
    /// - Parameter didEnd: called when the access has ended, or when its task was cancelled before its turn.
    func begin(_ access: TaskAccess, didEnd: (@Sendable () -> Void)? = nil) {
        queue.async(qos: access.qos, flags: access.qos == .unspecified ? [] : .enforceQoS) { [self] in beginNow(access, didEnd: didEnd) }
    }

    /// Begins the access of a task now, on the connection's queue. Called by closures of ``asyncOutsideAccesses(_:)``.
    func beginNow(_ access: TaskAccess, didEnd: (@Sendable () -> Void)? = nil) {
        if !access.begin(.connection(database, didEnd: didEnd)) { didEnd?() }
    }

    /// Interrupts the running statements, which then fail with `SQLITE_INTERRUPT`.
    func interrupt() {
        database.interrupt()
    }

    /// Makes the statements of this access and of all later ones throw.
    func endAccesses() { database.endAccesses() }

    /// Removes the write-ahead log after this connection is closed, unless another connection is open.
    func removeLogIfClosed() {
        database.removeLogIfClosed()
    }
}

extension DatabaseError {
    static var closed: DatabaseError {
        DatabaseError(code: .SQLITE_MISUSE, message: "the database is closed", advice: "Open it again.")
    }

    static var reentrantAccess: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "database accesses are not reentrant",
            advice: "Use the connection of the current access instead of starting another access.")
    }
}
