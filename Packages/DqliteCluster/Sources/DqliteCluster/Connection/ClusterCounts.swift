import Foundation

/// What the connections of a ``DqliteCluster`` count together.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class ClusterCounts: @unchecked Sendable {
    private let lock = NSLock()
    private var requests = 0
    private var unknownOutcomes = 0
    private var reportedOutcomes = 0

    /// The number of requests that were sent to nodes.
    var requestCount: Int { lock.withLock { requests } }

    func noteRequest() {
        lock.withLock { requests += 1 }
    }

    /// The number of commits whose outcome is unknown.
    var unknownOutcomeCount: Int { lock.withLock { unknownOutcomes } }

    func noteUnknownOutcome() {
        lock.withLock { unknownOutcomes += 1 }
    }

    /// Whether the observers of the database must still learn of a commit whose outcome is unknown.
    var hasUnreportedOutcome: Bool { lock.withLock { unknownOutcomes > reportedOutcomes } }

    /// Notes that observers were notified of the first so many commits whose outcome is unknown.
    func noteReport(_ count: Int) {
        lock.withLock { reportedOutcomes = max(reportedOutcomes, count) }
    }
}
