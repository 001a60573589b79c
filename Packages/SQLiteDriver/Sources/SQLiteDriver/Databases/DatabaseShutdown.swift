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
    public func run(gracePeriod: Duration = .seconds(10)) async throws { try await gate.serve(gracePeriod) }

    /// Makes ``run(gracePeriod:)`` end, or return as soon as it is called. Safe from any thread.
    public func shutDown() { gate.shutdown.continuation.finish() }
}

extension DatabaseQueue {
    /// Serves until ``shutDown()`` is called or the task is cancelled, and then closes the database: see ``DatabasePool/run(gracePeriod:)``.
    ///
    /// - Parameter gracePeriod: how long accesses may still run.
    /// - Throws: `CancellationError`, or ``DatabaseError``.
    public func run(gracePeriod: Duration = .seconds(10)) async throws { try await gate.serve(gracePeriod) }

    /// Makes ``run(gracePeriod:)`` end, or return as soon as it is called. Safe from any thread.
    public func shutDown() { gate.shutdown.continuation.finish() }
}

extension AccessGate {
    /// How long accesses that were interrupted may take to end, in seconds.
    private static let timeToEnd = 1.0

    /// Waits for the request to shut down, and then closes the database.
    ///
    /// - Parameter gracePeriod: how long accesses may still run.
    func serve(_ gracePeriod: Duration) async throws {
        // The cancellation of the task ends the stream, too.
        for await _ in shutdown.stream {}
        writer.line.refuse()
        readers?.refuse()
        let accessesHaveEnded = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let waiting = Guarded(Optional(continuation))
            @Sendable func end(_ result: Result<Void, any Error>) {
                waiting.withLock { $0.take() }?.resume(with: result)
            }
            // These threads wait for accesses and callbacks, which may block all threads of Dispatch.
            OwnThread.start { [self] in
                end(Result { try closeAfterAccesses { accessesHaveEnded.signal() } })
                accessesHaveEnded.signal()
            }
            OwnThread.start { [self] in
                if accessesHaveEnded.wait(timeout: .now() + max(gracePeriod / .seconds(1), 0)) == .success { return }
                readers?.setClosed(true)
                readers?.forEach { $0.database.interrupt(endingAccesses: true) }
                writer.database.interrupt(endingAccesses: true)
                if accessesHaveEnded.wait(timeout: .now() + Self.timeToEnd) == .success { return }
                let message = "accesses to the database have not ended after the grace period"
                let advice = "Check Task.isCancelled in long loops inside accesses."
                end(.failure(DatabaseError(code: .SQLITE_BUSY, message: message, advice: advice)))
            }
        }
        try Task.checkCancellation()
    }

    /// Waits for the accesses, copies the log into the database file, as far as nothing prevents it, and closes the connections.
    ///
    /// - Parameter accessesHaveEnded: called when no access is running.
    private func closeAfterAccesses(_ accessesHaveEnded: () -> Void) throws {
        readers?.waitUntilIdle()
        try run(AccessRequest(.barrierWrite, .database)) { db in
            accessesHaveEnded()
            db.permitAccesses()
            readers?.setClosed(true)
            try readers?.closeIdleConnections()
            if !configuration.readonly, db.engine == nil { _ = try? db.checkpoint(.passive) }
            try db.close()
        }
    }
}
