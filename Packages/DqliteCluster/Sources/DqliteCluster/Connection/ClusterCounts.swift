/// The counters that the connections of a ``DqliteCluster`` share.
struct ClusterCounts {
    /// The number of requests that were sent to nodes.
    var requests = 0

    /// The number of commits whose outcome is unknown.
    var unknownOutcomes = 0

    /// The number of commits with unknown outcome that observers were notified of.
    var reportedOutcomes = 0

    /// Whether the observers of the database must still be notified of a commit whose outcome is unknown.
    var hasUnreportedOutcome: Bool { unknownOutcomes > reportedOutcomes }
}
