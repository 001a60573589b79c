// The end of a server's database: new accesses are refused, those that were requested before end, and the connections are closed.

extension DatabasePool {
    /// Serves until ``shutDown()`` is called or the task is cancelled, and then closes the database.
    ///
    /// ```swift
    /// let pool = try DatabasePool(path: "/data/shop.sqlite")
    /// async let database: Void = pool.run(gracePeriod: .seconds(5))
    /// // Serve requests until the program is asked to end, and then:
    /// pool.shutDown()
    /// try await database
    /// ```
    ///
    /// At the end, the database refuses new accesses with ``DatabaseUnavailableError``, except those inside other accesses. Accesses that were
    /// requested before run to their ends, those that wait as well. After the grace period, the statements of running accesses and of waiting
    /// writes throw `SQLITE_INTERRUPT`, except the rollback of their transactions, and reads that still wait are refused. Then the log is
    /// copied into the database file, and the connections are closed. What was committed is never undone.
    ///
    /// - Parameter gracePeriod: how long accesses may still run.
    /// - Throws: `CancellationError` after the database was closed because the task was cancelled; ``DatabaseError`` with `SQLITE_BUSY` if the
    ///   database can't be closed: because the program keeps statements, or because code of an access that does not use the database has not
    ///   ended one second after the grace period. The committed data is safe then, too.
    public func run(gracePeriod: Duration = .seconds(10)) async throws {
        try await shutdown.run(gracePeriod) { [self] in
            writer.line.refuse()
            readers.refuse()
        } endAccesses: { [self] in
            readers.setClosed(true)
            readers.forEach { $0.endAccesses() }
            writer.endAccesses()
        } closeConnections: { [self] accessesHaveEnded in
            readers.waitUntilIdle()
            try gate.run(AccessRequest(.barrierWrite, .database)) { db in
                accessesHaveEnded()
                db.permitAccesses()
                readers.setClosed(true)
                try readers.closeIdleConnections()
                try db.closeAfterCheckpoint()
            }
        }
    }

    /// Makes ``run(gracePeriod:)`` end, or return as soon as it is called. Safe from any thread.
    public func shutDown() { shutdown.request() }
}

extension DatabaseQueue {
    /// Serves until ``shutDown()`` is called or the task is cancelled, and then closes the database: see ``DatabasePool/run(gracePeriod:)``.
    ///
    /// - Parameter gracePeriod: how long accesses may still run.
    /// - Throws: `CancellationError`, or ``DatabaseError``.
    public func run(gracePeriod: Duration = .seconds(10)) async throws {
        try await shutdown.run(gracePeriod) { [self] in
            connection.line.refuse()
        } endAccesses: { [self] in
            connection.endAccesses()
        } closeConnections: { [self] accessesHaveEnded in
            try gate.run(.ofDatabase) { db in
                accessesHaveEnded()
                db.permitAccesses()
                try db.closeAfterCheckpoint()
            }
        }
    }

    /// Makes ``run(gracePeriod:)`` end, or return as soon as it is called. Safe from any thread.
    public func shutDown() { shutdown.request() }
}

extension Database {
    /// Copies the log into the database file, as far as nothing prevents it, and closes the connection.
    func closeAfterCheckpoint() throws {
        if !configuration.readonly, engine == nil { _ = try? checkpoint(.passive) }
        try self.close()
    }
}

/// The request to shut a database down.
final class DatabaseShutdown: Sendable {
    private struct State {
        var isRequested = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func request() {
        let waiting = state.withLock { state in
            state.isRequested = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func waitForRequest() async {
        await withCheckedContinuation { continuation in
            let isRequested = state.withLock { state in
                if !state.isRequested { state.waiting.append(continuation) }
                return state.isRequested
            }
            if isRequested { continuation.resume() }
        }
    }

    /// How long accesses that were interrupted may take to end.
    private static let timeToEnd = Duration.seconds(1)

    /// The end of the accesses, and of the shutdown.
    private struct Progress {
        var accessesHaveEnded = false
        var continuation: CheckedContinuation<Void, any Error>?
        var timers: [EarlyEndThread.Timer] = []
    }

    /// Waits for the request or for the cancellation of the task, and then closes the database.
    ///
    /// - Parameters:
    ///   - gracePeriod: how long accesses may still run.
    ///   - refuse: refuses new accesses.
    ///   - endAccesses: interrupts the accesses that have not ended.
    ///   - closeConnections: waits until the accesses have ended, calls its argument, and closes the database.
    func run(
        _ gracePeriod: Duration, refuse: () -> Void, endAccesses: @escaping @Sendable () -> Void,
        closeConnections: @escaping @Sendable (_ accessesHaveEnded: () -> Void) throws -> Void
    ) async throws {
        await withTaskCancellationHandler {
            await waitForRequest()
        } onCancel: {
            request()
        }
        refuse()
        let grace = ContinuousClock.now.advanced(by: max(gracePeriod, .zero))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let progress = Guarded(Progress(continuation: continuation))
            @Sendable func end(_ result: Result<Void, any Error>) {
                let (continuation, timers) = progress.withLock { progress in
                    defer { (progress.continuation, progress.timers) = (nil, []) }
                    return (progress.continuation, progress.timers)
                }
                timers.forEach { $0.cancel() }
                continuation?.resume(with: result)
            }
            @Sendable func areAccessesRunning() -> Bool { progress.withLock { !$0.accessesHaveEnded && $0.continuation != nil } }
            // It waits for accesses and callbacks, which may block all threads of Dispatch.
            OwnThread.start {
                end(Result { try closeConnections { progress.withLock { $0.accessesHaveEnded = true } } })
            }
            let interruption = EarlyEndThread.shared.call(at: grace) {
                if areAccessesRunning() { endAccesses() }
            }
            let failure = EarlyEndThread.shared.call(at: grace.advanced(by: Self.timeToEnd)) {
                guard areAccessesRunning() else { return }
                end(
                    .failure(
                        DatabaseError(
                            code: .SQLITE_BUSY, message: "accesses to the database have not ended after the grace period",
                            advice: "Check Task.isCancelled in long loops inside accesses.")))
            }
            let hasEnded = progress.withLock { progress in
                if progress.continuation != nil { progress.timers = [interruption, failure] }
                return progress.continuation == nil
            }
            if hasEnded { [interruption, failure].forEach { $0.cancel() } }
        }
        try Task.checkCancellation()
    }
}
