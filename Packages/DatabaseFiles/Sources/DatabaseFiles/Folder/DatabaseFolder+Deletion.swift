extension DatabaseFolder {
    /// Deletes a database with its file.
    ///
    /// ```swift
    /// try files.delete("arthur")
    /// ```
    ///
    /// The deletion waits until this process has stopped using the file; later calls for the name wait for the deletion. Other processes may
    /// have the file open, idle or in use: then nothing is deleted, and the call throws ``DatabaseFileError`` with the reason `inUse`. A process
    /// that opens the file meanwhile finds that it is gone.
    ///
    /// The SQL is `PRAGMA journal_mode = DELETE`, which SQLite refuses while another connection has the file open, and
    /// `BEGIN EXCLUSIVE TRANSACTION` around the removal.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until this process has stopped using the file; nil for no limit.
    /// - Returns: false if there is no such file.
    /// - Throws: ``DatabaseFileError``; ``DatabaseTimeoutError``; or ``DatabaseError``, such as `SQLITE_NOTADB` for a damaged file, which only the
    ///   program can decide to remove.
    @discardableResult
    public func delete(_ name: String, timeout: Duration? = nil) throws -> Bool {
        try Workers.wait { beginDeletion(name, timeout, $0) }
    }

    /// Deletes a database with its file, without blocking a thread.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until this process has stopped using the file; nil for no limit.
    /// - Returns: false if there is no such file.
    /// - Throws: what ``delete(_:timeout:)`` throws, or `CancellationError`: then the file is not deleted.
    @discardableResult
    public func delete(_ name: String, timeout: Duration? = nil) async throws -> Bool {
        try Task.checkCancellation()
        let begun = Guarded<DeletionRequest?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let deletion = beginDeletion(name, timeout) { continuation.resume(with: $0) }
                begun.withLock { $0 = deletion }
                if Task.isCancelled { table.giveUp(deletion, of: name, CancellationError()) }
            }
        } onCancel: {
            if let deletion = begun.withLock({ $0 }) { table.giveUp(deletion, of: name, CancellationError()) }
        }
    }

    /// Deletes a database with its file, and calls back.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until this process has stopped using the file; nil for no limit.
    ///   - completion: called with false if there is no such file, or with the error that the other forms throw.
    public func asyncDelete(_ name: String, timeout: Duration? = nil, completion: @escaping @Sendable (Result<Bool, any Error>) -> Void) {
        beginDeletion(name, timeout) { result in DatabaseFolder.callBack { completion(result) } }
    }

    @discardableResult
    private func beginDeletion(
        _ name: String, _ timeout: Duration?, _ completion: @escaping @Sendable (Result<Bool, any Error>) -> Void
    ) -> DeletionRequest {
        let (start, deletion) = (ContinuousClock.now, DeletionRequest(completion))
        do {
            _ = try path(of: name)
            table.delete(name, isNested: Self.isInsideLease || AccessRequest.isThreadInsideAccess, deletion)
        } catch {
            deletion.end(.failure(error))
        }
        if let deadline = AccessDeadline.earliest(timeout.map { AccessDeadline($0) }, AccessDeadline.ofThread) {
            DatabaseTimer.call(after: deadline.remaining) { [weak table, weak deletion] in
                if let deletion { table?.giveUp(deletion, of: name, deadline.errorAfterWait(since: start)) }
            }
        }
        return deletion
    }
}
