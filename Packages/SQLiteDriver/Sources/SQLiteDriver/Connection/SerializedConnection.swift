import Dispatch

/// A connection whose accesses run one after the other, from whatever threads they come.
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

    /// Runs an access, and waits for its end.
    ///
    /// - Throws: the closure's error, or `SQLITE_MISUSE` inside another access to the same connection, which could only
    ///   wait for itself.
    func sync<T>(_ body: (Database) throws -> T) throws -> T {
        if database.isAccessedByCurrentThread {
            throw DatabaseError.reentrantAccess
        }
        return try queue.sync {
            database.beginAccess()
            defer { database.endAccess() }
            return try body(database)
        }
    }

    /// Runs an access without a transaction, and waits for its end; inside another access to the connection, runs as a part of
    /// that one.
    func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
        database.isAccessedByCurrentThread ? try body(database) : try sync { try $0.unsafeAccess(body) }
    }

    /// Runs an access later.
    func async(_ body: @escaping @Sendable (Database) -> Void) {
        queue.async { [self] in
            database.beginAccess()
            defer { database.endAccess() }
            body(database)
        }
    }

    /// Runs an access, while the task waits without blocking a thread.
    ///
    /// - Throws: the closure's error, or `CancellationError` when the task is cancelled: before the access begins it never
    ///   does, and later it is interrupted.
    func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCancellation { cancellation, resume in
            self.async(cancellation, body, resume)
        }
    }

    /// Runs an access later, unless it is cancelled before.
    ///
    /// - Parameters:
    ///   - completion: is given the result.
    ///   - onSkip: called in its place when the access was cancelled before it could begin.
    func async<T>(
        _ cancellation: AccessCancellation, _ body: @escaping @Sendable (Database) throws -> T,
        _ completion: @escaping @Sendable (Result<T, any Error>) -> Void, onSkip: @escaping @Sendable () -> Void = {}
    ) {
        queue.async { [self] in
            guard cancellation.begin() else { return onSkip() }
            database.beginAccess(cancellation)
            let result = Result { try body(database) }
            database.endAccess()
            completion(cancellation.end(result))
        }
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

/// Runs something that takes a completion, while the task waits without blocking a thread.
///
/// - Parameter start: enqueues the access, which must ask the cancellation whether to begin, and hands over its result.
func withCancellation<T: Sendable>(
    _ start: @escaping @Sendable (AccessCancellation, @escaping @Sendable (Result<T, any Error>) -> Void) -> Void
) async throws -> T {
    let cancellation = AccessCancellation()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            guard cancellation.wait(onCancel: { continuation.resume(throwing: CancellationError()) }) else {
                continuation.resume(throwing: CancellationError())
                return
            }
            start(cancellation) { continuation.resume(with: $0) }
        }
    } onCancel: {
        cancellation.cancel()
    }
}

extension DatabaseError {
    static var reentrantAccess: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "database accesses are not reentrant",
            advice: "Use the connection of the access that is under way instead of starting another one.")
    }
}
