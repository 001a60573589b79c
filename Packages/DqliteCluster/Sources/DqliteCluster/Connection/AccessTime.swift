import SQLiteDriver

/// The time limit of an access, which the requests inside it share.
final class AccessTime: Sendable {
    /// The time limit of the access of this thread or task.
    @TaskLocal private static var ofTask: AccessTime?

    private let deadline: Deadline
    private let isOver = Guarded(false)

    private init(_ deadline: Deadline) {
        self.deadline = deadline
    }

    /// The deadline of the current access, if it has a limit.
    static var deadline: Deadline? {
        guard let time = ofTask, !time.isOver.withLock({ $0 }) else { return nil }
        return time.deadline
    }

    /// Whether the time of the current access is over.
    static var hasPassed: Bool { deadline?.hasPassed ?? false }

    /// Returns the earlier of a time and the deadline of the current access.
    static func limited(_ deadline: Deadline) -> Deadline {
        self.deadline.map { $0.earlier(of: deadline) } ?? deadline
    }

    /// The error of a request that comes too late.
    static var error: ClusterError { .timeout("accessTimeout has passed") }

    /// Runs an access with a time limit, and the limit of the access around it.
    static func during<T>(_ limit: Duration?, _ body: () throws -> T) rethrows -> T {
        guard let limit else { return try body() }
        let time = AccessTime(limited(Deadline(after: limit)))
        // A task that the access has started inherits the value, and may live longer.
        defer { time.end() }
        return try $ofTask.withValue(time) { try body() }
    }

    /// Runs an access with a time limit, and the limit of the access around it.
    static func during<T>(
        _ limit: Duration?, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async rethrows -> T {
        guard let limit else { return try await body() }
        let time = AccessTime(limited(Deadline(after: limit)))
        defer { time.end() }
        return try await $ofTask.withValue(time) { try await body() }
    }

    private func end() {
        isOver.withLock { $0 = true }
    }
}
