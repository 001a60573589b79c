/// The accesses of the program to a connection that were requested and have not ended.
final class AccessLine: Sendable {
    private let limit: Int?
    private let count = AtomicWord()
    private let refusal = AtomicWord()

    /// - Parameter limit: how many accesses may wait; nil for any number.
    init(limit: Int?) {
        self.limit = limit.map { max($0, 0) }
    }

    /// How many accesses wait, while another one is running. Safe from any thread.
    var waitingCount: Int { max(Int(count.value) - 1, 0) }

    /// Whether an access is running, or about to begin. Safe from any thread.
    var isBusy: Bool { count.value > 0 }

    /// Whether new accesses are refused. Safe from any thread.
    var isRefusing: Bool {
        get { refusal.value != 0 }
        set { refusal.value = newValue ? 1 : 0 }
    }

    /// Adds an access, which must leave.
    ///
    /// - Parameter isNested: whether others may wait for the caller. Such an access is not refused.
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func enter(isNested: Bool) throws {
        if isNested {
            _ = count.increment()
            return
        }
        if refusal.value != 0 { throw DatabaseUnavailableError(reason: .shuttingDown) }
        let earlierCount = Int(count.increment())
        // One of them is running.
        guard let limit, earlierCount > limit else { return }
        count.decrement()
        throw DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
    }

    /// Adds an access that can't be refused, because its caller learns of no error.
    func enterAnyway() { _ = count.increment() }

    func leave() { count.decrement() }

    /// Runs an access.
    ///
    /// - Throws: the error of the access, or ``DatabaseUnavailableError``.
    func pass<T>(isNested: Bool, _ access: () throws -> T) throws -> T {
        try enter(isNested: isNested)
        defer { leave() }
        return try access()
    }

    /// Runs an access.
    ///
    /// - Throws: the error of the access, or ``DatabaseUnavailableError``.
    func pass<T>(isNested: Bool, _ access: () async throws -> T) async throws -> T {
        try enter(isNested: isNested)
        defer { leave() }
        return try await access()
    }
}

/// The error of an access that was refused before it began: another attempt, later or elsewhere, may succeed.
///
/// ```swift
/// do {
///     try await pool.write { db in
///         try db.execute(sql: "UPDATE player SET score = score + 1")
///     }
/// } catch is DatabaseUnavailableError {
///     // A server answers 503 Service Unavailable.
/// }
/// ```
public struct DatabaseUnavailableError: Error, Hashable, Sendable {
    /// Why an access was refused.
    public enum Reason: Hashable, Sendable {
        /// As many accesses wait as ``Configuration/maximumWaitingAccesses`` allows.
        case tooManyWaiting(limit: Int)
        /// The database is shutting down: see ``DatabasePool/run(gracePeriod:)``.
        case shuttingDown
    }

    /// Why the access was refused.
    public let reason: Reason

    /// Creates an error, for tests of code that handles it.
    public init(reason: Reason) {
        self.reason = reason
    }
}

extension DatabaseUnavailableError: CustomStringConvertible {
    /// A sentence with the reason.
    public var description: String {
        switch reason {
        case .tooManyWaiting(let limit):
            "the access was refused, because as many accesses wait for the connection as the configuration allows: \(limit)"
        case .shuttingDown: "the access was refused, because the database is shutting down"
        }
    }
}
