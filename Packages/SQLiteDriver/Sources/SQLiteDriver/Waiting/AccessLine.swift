import Dispatch

/// The accesses of the program to a connection that were requested and have not ended.
final class AccessLine: Sendable {
    private let limit: Int?

    /// The number of accesses, and a bit that refuses others: one word, so that each access was either refused or is counted.
    private let word = AtomicWord()
    private static let refusing: UInt = 1 << (UInt.bitWidth - 1)

    /// Signalled when the last access has left after others were refused.
    private let lastHasLeft = DispatchSemaphore(value: 0)

    /// - Parameter limit: how many accesses may wait; nil for any number.
    init(limit: Int?) {
        self.limit = limit.map { max($0, 0) }
    }

    /// How many accesses wait, while another one is running. Safe from any thread.
    var waitingCount: Int { max(count - 1, 0) }

    /// Whether an access is running, or about to begin. Safe from any thread.
    var isBusy: Bool { count > 0 }

    /// Whether new accesses are refused. Safe from any thread.
    var isRefusing: Bool { word.value & Self.refusing != 0 }

    private var count: Int { Int(word.value & ~Self.refusing) }

    /// Refuses new accesses from now on. Safe from any thread.
    func refuse() { word.insert(bits: Self.refusing) }

    /// Blocks the thread until no access is left. Others must be refused.
    func waitUntilEmpty() {
        while isBusy { lastHasLeft.wait() }
        // For another thread that waits.
        lastHasLeft.signal()
    }

    /// Adds an access, which must leave.
    ///
    /// - Parameter isNested: whether others may wait for the caller. Such an access is not refused.
    /// - Throws: ``DatabaseUnavailableError`` if the access is refused.
    func enter(isNested: Bool) throws {
        let before = word.increment()
        if isNested { return }
        if before & Self.refusing != 0 {
            leave()
            throw DatabaseUnavailableError(reason: .shuttingDown)
        }
        // One of them is running.
        guard let limit, Int(before) > limit else { return }
        leave()
        throw DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
    }

    /// Adds an access that can't be refused, because its caller learns of no error.
    func enterAnyway() { _ = word.increment() }

    func leave() {
        if word.decrement() == Self.refusing + 1 { lastHasLeft.signal() }
    }

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
