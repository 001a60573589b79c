extension DatabaseFolder {
    /// Serves until ``shutDown()`` is called or the task is cancelled, and then closes all files.
    ///
    /// ```swift
    /// async let databases: Void = files.run(gracePeriod: .seconds(5))
    /// // Serve requests until the program is asked to end, and then:
    /// files.shutDown()
    /// try await databases
    /// ```
    ///
    /// At the end, the folder opens no further files, and refuses with ``DatabaseUnavailableError``. Files in use stay open for those who use
    /// them, and for calls that were waiting, and are closed when their uses end. After the grace period, running statements are interrupted.
    /// Leases that the program keeps, such as those of observations, don't delay the end: their files are closed when no access is running.
    /// What was committed is never undone.
    ///
    /// - Parameter gracePeriod: how long files may still be used.
    /// - Throws: `CancellationError` after the files were closed because the task was cancelled; or the first error of closing a file: see
    ///   ``DatabasePool/run(gracePeriod:)``.
    public func run(gracePeriod: Duration = .seconds(10)) async throws {
        for await _ in shutdown.stream {}
        table.refuse()
        let end = ContinuousClock.now + gracePeriod
        await rest(within: gracePeriod)
        // The cancellation of this task must not keep the files from being closed.
        let result = await Task.detached { [table] in await Self.close(table.takeOpenFiles(), in: table, until: end) }.value
        await rest(within: nil)
        try result.get()
        try Task.checkCancellation()
    }

    /// Makes ``run(gracePeriod:)`` end, or return as soon as it is called. Safe from any thread.
    public func shutDown() { shutdown.continuation.finish() }

    /// Waits until files are only kept, and no longer used for a time.
    private func rest(within duration: Duration?) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = Guarded(Optional(continuation))
            let end: @Sendable () -> Void = { waiting.withLock { $0.take() }?.resume() }
            table.whenAtRest(end)
            if let duration { DatabaseTimer.call(after: duration, end) }
        }
    }

    /// Closes files that are used, a few at a time: each takes two threads.
    private static func close(
        _ files: [(entry: FileEntry, pool: DatabasePool)], in table: FileTable, until end: ContinuousClock.Instant
    ) async -> Result<Void, any Error> {
        let rest = Guarded(files[...])
        let failure = Guarded<(any Error)?>(nil)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    while let (entry, pool) = rest.withLock({ $0.popFirst() }) {
                        pool.shutDown()
                        do { try await pool.run(gracePeriod: ContinuousClock.now.duration(to: end)) } catch {
                            failure.withLock { $0 = $0 ?? error }
                        }
                        table.hasClosed(entry)
                    }
                }
            }
        }
        return failure.withLock { $0 }.map { .failure($0) } ?? .success(())
    }

    /// Returns the state of the folder, for health checks and metrics. It waits for nothing.
    ///
    /// ```swift
    /// let status = files.status()
    /// print(status.openCount, "of", status.maximumOpenCount, "files are open")
    /// print(status.waitingCount, "calls wait for a file")
    /// ```
    public func status() -> DatabaseFolderStatus { table.status() }

    /// Returns the state of a database; nil if it is not open.
    public func status(of name: String) -> DatabaseStatus? { table.openPool(name)?.status() }
}

/// The state of a ``DatabaseFolder``.
public struct DatabaseFolderStatus: Sendable {
    /// How many files may be open.
    public internal(set) var maximumOpenCount: Int
    /// How many files are open.
    public internal(set) var openCount = 0
    /// How many of them are in use.
    public internal(set) var usedCount = 0
    /// How many files are being opened.
    public internal(set) var openingCount = 0
    /// How many files are being closed.
    public internal(set) var closingCount = 0
    /// How many files are being deleted.
    public internal(set) var deletingCount = 0
    /// How many calls wait for a file.
    public internal(set) var waitingCount = 0
    /// How many files could not be opened a short time ago.
    public internal(set) var failedCount = 0
    /// How many times files were opened.
    public internal(set) var totalOpenedCount = 0
    /// How many times files could not be opened.
    public internal(set) var totalFailedCount = 0
    /// Whether no further files are opened, because the folder is shutting down.
    public internal(set) var isShuttingDown = false

    init(maximumOpenCount: Int) {
        self.maximumOpenCount = maximumOpenCount
    }
}
