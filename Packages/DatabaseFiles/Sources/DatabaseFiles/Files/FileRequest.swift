/// A request for a lease of a file, which waits until the file is open.
final class FileRequest: Sendable {
    let name: String
    let key: FileKey
    /// Whether the file is created if it does not exist.
    let creates: Bool
    /// Whether the caller has a lease of another file, or is inside an access: others may wait for it, so it must not wait for them.
    let isNested: Bool
    /// Whether the lease ends when the program releases it, and not with a closure.
    let isKept: Bool

    private let completion: Guarded<(@Sendable (Result<DatabaseLease, any Error>) -> Void)?>

    init(
        _ name: String, creates: Bool, isNested: Bool, isKept: Bool,
        _ completion: @escaping @Sendable (Result<DatabaseLease, any Error>) -> Void
    ) {
        (self.name, key, self.creates, self.isNested, self.isKept) = (name, FileKey(name), creates, isNested, isKept)
        self.completion = Guarded(completion)
    }

    var hasEnded: Bool { completion.withLock { $0 == nil } }

    /// Ends the request, unless it has ended. Called outside locks.
    ///
    /// - Returns: whether the caller has got the result.
    @discardableResult
    func end(_ result: Result<DatabaseLease, any Error>) -> Bool {
        guard let completion = completion.withLock({ $0.take() }) else { return false }
        completion(result)
        return true
    }
}

/// A request to delete a file.
final class DeletionRequest: Sendable {
    private let completion: Guarded<(@Sendable (Result<Bool, any Error>) -> Void)?>

    init(_ completion: @escaping @Sendable (Result<Bool, any Error>) -> Void) {
        self.completion = Guarded(completion)
    }

    func end(_ result: Result<Bool, any Error>) {
        completion.withLock { $0.take() }?(result)
    }
}
