extension DatabaseReader {
    /// Copies the database over another database, without blocking a thread.
    ///
    /// ```swift
    /// try await queue.asyncBackup(to: copy)
    /// ```
    ///
    /// The form without `await`, ``backup(to:pagesPerStep:progress:)``, blocks its thread, also in asynchronous code.
    ///
    /// The copy contains one state of the database, which a read transaction keeps. When the task is cancelled, the destination is
    /// unchanged.
    ///
    /// Source: <https://www.sqlite.org/backup.html>
    ///
    /// - Parameters:
    ///   - writer: the destination, whose previous content is lost.
    ///   - pagesPerStep: how many pages each step copies. The task can be cancelled between the steps. A negative number copies all
    ///     pages in one step.
    ///   - progress: called after each step, on the thread of the access. An error that it throws ends the backup.
    /// - Throws: ``DatabaseError``, the error of `progress`, or `CancellationError`.
    public func asyncBackup(
        to writer: some DatabaseWriter, pagesPerStep: Int32 = 1024,
        progress: (@Sendable (DatabaseBackupProgress) throws -> Void)? = nil
    ) async throws {
        // As in the synchronous method, the order of the two accesses prevents deadlocks. The inner access waits on the thread of the
        // outer one, which belongs to a connection and not to the cooperative pool.
        let (reading, writing) = (AccessRequest(.read, .maintenance), AccessRequest(.writeWithoutTransaction, .maintenance))
        if ObjectIdentifier(unwrapped) < ObjectIdentifier(writer.unwrapped) {
            try await access(reading) { source in
                try writer.access(writing) { try source.backupState(to: $0, pagesPerStep: pagesPerStep, progress: progress) }
            }
        } else {
            try await writer.access(writing) { destination in
                try self.access(reading) { try $0.backupState(to: destination, pagesPerStep: pagesPerStep, progress: progress) }
            }
        }
    }

    /// Returns a backup to another database, which runs while its progress is iterated over.
    ///
    /// ```swift
    /// for try await step in queue.backupSteps(to: copy) {
    ///     print("\(step.completedPageCount) of \(step.totalPageCount) pages")
    /// }
    /// // The copy is complete.
    /// ```
    ///
    /// Each iteration starts a backup. Leaving the loop early, or cancelling its task, ends the backup, and leaves the destination
    /// unchanged. A slow loop does not delay the backup: it misses progress values, but never the last one.
    ///
    /// - Parameters:
    ///   - writer: the destination, whose previous content is lost.
    ///   - pagesPerStep: how many pages each step copies.
    public func backupSteps(to writer: some DatabaseWriter, pagesPerStep: Int32 = 1024) -> DatabaseBackupSteps {
        DatabaseBackupSteps { [self] progress in
            try await asyncBackup(to: writer, pagesPerStep: pagesPerStep, progress: progress)
        }
    }
}

extension Database {
    /// Copies one state of the database.
    fileprivate func backupState(
        to destination: Database, pagesPerStep: Int32, progress: ((DatabaseBackupProgress) throws -> Void)?
    ) throws {
        // Until the transaction has read, each step of the backup begins a separate transaction.
        try takeSnapshot()
        try backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
    }
}

/// The progress of a backup, as an asynchronous sequence: see ``DatabaseReader/backupSteps(to:pagesPerStep:)``.
public struct DatabaseBackupSteps: AsyncSequence, Sendable {
    /// The progress after a step.
    public typealias Element = DatabaseBackupProgress

    typealias Backup = @Sendable (@escaping @Sendable (DatabaseBackupProgress) -> Void) async throws -> Void

    private let backup: Backup

    init(_ backup: @escaping Backup) {
        self.backup = backup
    }

    /// Begins a backup, and returns an iterator over its progress.
    public func makeAsyncIterator() -> Iterator {
        Iterator(backup)
    }

    /// An iterator over the progress of one backup.
    public struct Iterator: AsyncIteratorProtocol {
        private var progress: AsyncStream<DatabaseBackupProgress>.Iterator
        private let task: Task<Void, any Error>
        private var hasEnded = false

        init(_ backup: @escaping Backup) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: DatabaseBackupProgress.self, bufferingPolicy: .bufferingNewest(1))
            let task = Task {
                defer { continuation.finish() }
                try await backup { continuation.yield($0) }
            }
            // The stream also terminates when the iterator is released.
            continuation.onTermination = { _ in task.cancel() }
            progress = stream.makeAsyncIterator()
            self.task = task
        }

        /// Returns the progress after the next step, or nil after the last one.
        ///
        /// - Throws: ``DatabaseError``, or `CancellationError` when the task is cancelled before the backup is complete.
        public mutating func next() async throws -> DatabaseBackupProgress? {
            if hasEnded { return nil }
            if let next = await progress.next() { return next }
            // A stream ends silently when its task is cancelled. Only the backup itself knows whether it was complete by then.
            hasEnded = true
            try await task.value
            return nil
        }
    }
}
