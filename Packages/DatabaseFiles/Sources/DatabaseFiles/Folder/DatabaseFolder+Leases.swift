import Dispatch

// The uses of a file: in a closure, with a callback, or as a value.

extension DatabaseFolder {
    /// Uses a file for several accesses.
    ///
    /// ```swift
    /// let findings = try files.use("arthur") { lease in
    ///     try lease.verify()
    /// }
    /// ```
    ///
    /// Inside the closure, calls for other files don't wait for those that are in use: see ``Options/maximumOpenCount``.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until the file is open; nil for no limit.
    ///   - creating: whether the file is created if it does not exist.
    ///   - body: uses the file. It may keep the lease, which keeps the file open.
    /// - Throws: the error of the closure; ``DatabaseFileError``; ``DatabaseTimeoutError``; ``DatabaseUnavailableError``; or the error of
    ///   opening or preparing the file.
    public func use<T>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ body: (DatabaseLease) throws -> T
    ) throws -> T {
        let deadline = AccessDeadline.earliest(timeout.map { AccessDeadline($0) }, AccessDeadline.ofThread)
        return try withLease(name, creating, deadline) { lease in try Self.$isInsideLease.withValue(true) { try body(lease) } }
    }

    /// Uses a file for several accesses, without blocking a thread while the file is opened.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until the file is open; nil for no limit.
    ///   - creating: whether the file is created if it does not exist.
    ///   - body: uses the file: see ``use(_:timeout:creating:_:)``.
    /// - Throws: what the other form throws, or `CancellationError`.
    public func use<T: Sendable>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ body: @Sendable (DatabaseLease) async throws -> T
    ) async throws -> T {
        try await withLease(name, creating, timeout.map { AccessDeadline($0) }) { lease in
            try await Self.$isInsideLease.withValue(true) { try await body(lease) }
        }
    }

    /// Opens a file, which stays open as long as something refers to the lease.
    ///
    /// ```swift
    /// let lease = try await files.lease("arthur")
    /// for try await names in observation.values(in: lease) { … }
    /// ```
    ///
    /// As such leases may never end, a call for another file throws ``DatabaseFileError`` if they keep all files open for a second. A call that
    /// does not need the lease after its closure is better served by ``use(_:timeout:creating:_:)``.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until the file is open; nil for no limit.
    ///   - creating: whether the file is created if it does not exist.
    /// - Throws: ``DatabaseFileError``, ``DatabaseTimeoutError``, ``DatabaseUnavailableError``, or the error of opening or preparing the file.
    public func lease(_ name: String, timeout: Duration? = nil, creating: Bool = false) throws -> DatabaseLease {
        try wait(name, creating, isKept: true, AccessDeadline.earliest(timeout.map { AccessDeadline($0) }, AccessDeadline.ofThread))
    }

    /// Opens a file, which stays open as long as something refers to the lease, without blocking a thread.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until the file is open; nil for no limit.
    ///   - creating: whether the file is created if it does not exist.
    /// - Throws: what the other form throws, or `CancellationError`.
    public func lease(_ name: String, timeout: Duration? = nil, creating: Bool = false) async throws -> DatabaseLease {
        try await wait(name, creating, isKept: true, timeout.map { AccessDeadline($0) })
    }

    /// Opens a file, which stays open as long as something refers to the lease, and calls back.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long to wait until the file is open; nil for no limit.
    ///   - creating: whether the file is created if it does not exist.
    ///   - completion: called with the lease, or with the error that the other forms throw.
    public func asyncLease(
        _ name: String, timeout: Duration? = nil, creating: Bool = false,
        completion: @escaping @Sendable (Result<DatabaseLease, any Error>) -> Void
    ) {
        enter(name, creating, isKept: true, timeout.map { AccessDeadline($0) }) { result in
            DatabaseFolder.callBack { completion(result) }
        }
    }

    // MARK: - Inside

    /// Runs code of the program on a queue of its own, as it may take any time.
    static func callBack(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "Strata.files.callback").async(execute: body) }

    /// - Parameter onFailure: called with the error with which the file could not be opened.
    func withLease<T>(
        _ name: String, _ creates: Bool, _ deadline: AccessDeadline?, _ onFailure: (any Error) -> Void = { _ in },
        _ body: (DatabaseLease) throws -> T
    ) throws -> T {
        let lease: DatabaseLease
        do { lease = try wait(name, creates, isKept: false, deadline) } catch {
            onFailure(error)
            throw error
        }
        defer { table.endUse(lease.entry) }
        return try body(lease)
    }

    func withLease<T: Sendable>(
        _ name: String, _ creates: Bool, _ deadline: AccessDeadline?, _ onFailure: @Sendable (any Error) -> Void = { _ in },
        _ body: @Sendable (DatabaseLease) async throws -> T
    ) async throws -> T {
        let lease: DatabaseLease
        do { lease = try await wait(name, creates, isKept: false, deadline) } catch {
            onFailure(error)
            throw error
        }
        defer { table.endUse(lease.entry) }
        return try await body(lease)
    }

    private func wait(_ name: String, _ creates: Bool, isKept: Bool, _ deadline: AccessDeadline?) throws -> DatabaseLease {
        try Workers.wait { enter(name, creates, isKept: isKept, deadline, $0) }
    }

    private func wait(_ name: String, _ creates: Bool, isKept: Bool, _ deadline: AccessDeadline?) async throws -> DatabaseLease {
        try Task.checkCancellation()
        let entered = Guarded<FileRequest?>(nil)
        // The thread sanitizer sees the order of a lock, and not that of a continuation which is resumed before its task waits for it.
        let result = Guarded<Result<DatabaseLease, any Error>?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let request = enter(name, creates, isKept: isKept, deadline) { lease in
                    result.withLock { $0 = lease }
                    continuation.resume()
                }
                entered.withLock { $0 = request }
                if Task.isCancelled { giveUp(request, CancellationError()) }
            }
        } onCancel: {
            if let request = entered.withLock({ $0 }) { giveUp(request, CancellationError()) }
        }
        return try result.withLock { $0.take() }!.get()
    }

    /// Requests a lease.
    ///
    /// - Parameter completion: called once, now or later, on any thread, where it must not wait.
    @discardableResult
    func enter(
        _ name: String, _ creates: Bool, isKept: Bool, _ deadline: AccessDeadline?,
        _ completion: @escaping @Sendable (Result<DatabaseLease, any Error>) -> Void
    ) -> FileRequest {
        let start = ContinuousClock.now
        let isNested = Self.isInsideLease || AccessRequest.isThreadInsideAccess
        let request = FileRequest(name, creates: creates, isNested: isNested, isKept: isKept, completion)
        do {
            // Names that are not good must not be kept among the failures.
            _ = try path(of: name)
            table.enter(request)
        } catch {
            request.end(.failure(error))
        }
        if let deadline, !request.hasEnded {
            DatabaseTimer.call(after: deadline.remaining) { [weak self, weak request] in
                if let request { self?.giveUp(request, deadline.errorAfterWait(since: start)) }
            }
        }
        return request
    }

    private func giveUp(_ request: FileRequest, _ error: any Error) {
        table.leave(request)
        request.end(.failure(error))
    }
}
