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
