import Dispatch

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
            readers.setRefusing(true)
        } endAccesses: { [self] in
            readers.setClosed(true)
            readers.forEach { $0.endAccesses() }
            writer.endAccesses()
        } whenIdle: { [self] in
            writer.line.waitUntilEmpty()
            readers.waitUntilIdle()
            try closeConnections()
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
        } whenIdle: { [self] in
            connection.line.waitUntilEmpty()
            try connection.sync { db in
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
    private static let timeToEnd = DispatchTimeInterval.seconds(1)

    /// Waits for the request or for the cancellation of the task, and then closes the database.
    ///
    /// - Parameters:
    ///   - gracePeriod: how long accesses may still run.
    ///   - refuse: refuses new accesses.
    ///   - endAccesses: interrupts the accesses that have not ended.
    ///   - closeConnections: waits until the accesses have ended, and closes the database.
    func run(
        _ gracePeriod: Duration, refuse: () -> Void, endAccesses: @escaping @Sendable () -> Void,
        whenIdle closeConnections: @escaping @Sendable () throws -> Void
    ) async throws {
        await withTaskCancellationHandler {
            await waitForRequest()
        } onCancel: {
            request()
        }
        refuse()
        let hasEnded = Guarded(false)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            @Sendable func end(_ result: Result<Void, any Error>) {
                let isFirst = hasEnded.withLock { hasEnded in
                    defer { hasEnded = true }
                    return !hasEnded
                }
                if isFirst { continuation.resume(with: result) }
            }
            DispatchQueue(label: "Strata.shutdown").async { end(Result { try closeConnections() }) }
            let grace = DispatchTime.now() + max(gracePeriod / .seconds(1), 0)
            Self.timers.asyncAfter(deadline: grace) {
                if !hasEnded.withLock({ $0 }) { endAccesses() }
            }
            Self.timers.asyncAfter(deadline: grace + Self.timeToEnd) {
                end(
                    .failure(
                        DatabaseError(
                            code: .SQLITE_BUSY, message: "accesses to the database have not ended after the grace period",
                            advice: "Check Task.isCancelled in long loops inside accesses.")))
            }
        }
        try Task.checkCancellation()
    }

    private static let timers = DispatchQueue(label: "Strata.shutdown.timers", qos: .userInitiated)
}
