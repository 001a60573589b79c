import Dispatch

/// A connection whose accesses run one after the other, from whatever threads and tasks they come.
///
/// `@unchecked Sendable`: the connection is reachable only inside accesses, which run on a serial dispatch queue. What is used
/// from other threads, `interrupt()` and the test for reentrancy, is safe by itself.
final class SerializedConnection: @unchecked Sendable {
    private let database: Database
    private let queue: DispatchQueue

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - path: the path of the database file, or its URI.
    ///   - configuration: how to open it.
    ///   - purpose: what is added to the label of the dispatch queue.
    ///   - isReader: whether this is one of the connections that read beside one that writes.
    ///   - writer: that one, which lives at least as long.
    ///   - content: fills a new database, before the configuration's preparations.
    init(
        path: String, configuration: Configuration, purpose: String = "", isReader: Bool = false,
        writer: SerializedConnection? = nil, content: ((Database) throws -> Void)? = nil
    ) throws {
        let label = (configuration.label ?? "Strata") + purpose
        let target = (isReader ? nil : configuration.writeTargetQueue) ?? configuration.targetQueue
        // Without a quality of service of its own a queue has that of its target.
        queue = target.map { DispatchQueue(label: label, target: $0) } ?? DispatchQueue(label: label, qos: configuration.qos)
        database = try Database(path: path, configuration: configuration, isNew: content != nil, writer: writer)
        try sync { try $0.setUp(content: content) }
    }

    deinit {
        // Statements that someone keeps retain the connection; without this, cached ones would do so for ever.
        database.beginAccess()
        try? database.close()
        database.endAccess()
    }

    /// Whether an access is under way on this thread.
    var isAccessedByCurrentThread: Bool { database.isAccessedByCurrentThread }

    /// The thread of the access that is under way, 0 when there is none.
    var accessingThread: UInt { database.accessingThread }

    /// What a thread waits for that waits for its turn.
    var resource: AccessWaits.Resource { .connection(database) }

    /// Runs an access, and waits for its end.
    ///
    /// - Throws: the closure's error; or `SQLITE_MISUSE` where the access could only wait for itself: inside another access to the
    ///   same connection, in a loop over rows that it gives, and inside accesses that wait for each other in a circle.
    func sync<T>(_ body: (Database) throws -> T) throws -> T {
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

    private func access<T>(_ body: (Database) throws -> T) rethrows -> T {
        database.beginAccess()
        defer { database.endAccess() }
        return try body(database)
    }

    /// Runs an access without a transaction, and waits for its end; inside another access to the connection, runs as a part of
    /// that one.
    func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
        database.isAccessedByCurrentThread ? try body(database) : try sync { try $0.unsafeAccess(body) }
    }

    /// Waits for the turn of an access, and runs it if it may.
    ///
    /// - Parameter mayBegin: called on the thread of the access.
    /// - Returns: nil when it may not.
    func syncIfAllowed<T>(_ mayBegin: () -> Bool, _ body: (Database) throws -> T) rethrows -> T? {
        try queue.sync {
            guard mayBegin() else { return nil }
            return try access(body)
        }
    }

    /// Runs something later, when no access is under way.
    func asyncOutsideAccesses(_ body: @escaping @Sendable (SerializedConnection) -> Void) {
        queue.async { [self] in body(self) }
    }

    /// Runs an access now. To be called by ``asyncOutsideAccesses(_:)``.
    func accessNow(_ body: (Database) -> Void) {
        access(body)
    }

    /// Runs an access later.
    func async(_ body: @escaping @Sendable (Database) -> Void) {
        queue.async { [self] in access(body) }
    }

    /// Runs an access as a part of the current task, which waits without blocking a thread.
    ///
    /// - Throws: the closure's error; `CancellationError` when the task is cancelled: before the access begins it never
    ///   does, and later it is interrupted; or `SQLITE_MISUSE` in a loop over rows that the connection gives.
    func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try IterationRegistry.shared.enter(self)
        return try await TaskAccess.perform(body) { [self] access in begin(access) }
    }

    /// Begins the access of a task when its turn has come.
    ///
    /// - Parameter didEnd: called when the access has ended, or when the task was cancelled before.
    func begin(_ access: TaskAccess, didEnd: (@Sendable () -> Void)? = nil) {
        queue.async(qos: access.qos, flags: .enforceQoS) { [self] in beginNow(access, didEnd: didEnd) }
    }

    /// Begins the access of a task. To be called by ``asyncOutsideAccesses(_:)``.
    func beginNow(_ access: TaskAccess, didEnd: (@Sendable () -> Void)? = nil) {
        if !access.begin(.connection(database, didEnd: didEnd)) { didEnd?() }
    }

    /// Makes the statements that are running fail with `SQLITE_INTERRUPT`.
    func interrupt() {
        database.interrupt()
    }

    /// Removes the write-ahead log once this connection is closed, unless another one is open.
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
            advice: "Use the connection of the access that is under way instead of starting another one.")
    }
}
