import SQLiteDriver

/// The counters that the connections of a ``DqliteCluster`` share.
final class ClusterCounts: Sendable {
    private struct Counts {
        var requests = 0
        var unknownOutcomes = 0
        var reportedOutcomes = 0
    }

    private let counts = Guarded(Counts())

    /// The number of requests that were sent to nodes.
    var requestCount: Int { counts.withLock { $0.requests } }

    func noteRequest() {
        counts.withLock { $0.requests += 1 }
    }

    /// The number of commits whose outcome is unknown.
    var unknownOutcomeCount: Int { counts.withLock { $0.unknownOutcomes } }

    func noteUnknownOutcome() {
        counts.withLock { $0.unknownOutcomes += 1 }
    }

    /// Whether the observers of the database must still be notified of a commit whose outcome is unknown.
    var hasUnreportedOutcome: Bool { counts.withLock { $0.unknownOutcomes > $0.reportedOutcomes } }

    /// Records the number of commits with unknown outcome that observers were notified of.
    func noteReport(_ count: Int) {
        counts.withLock { $0.reportedOutcomes = max($0.reportedOutcomes, count) }
    }
}
