import SQLiteDriver

/// An error of the connection to a cluster.
///
/// Errors of SQL, such as violated constraints, are ``DatabaseError``s with SQLite's codes, as with a local database.
public enum ClusterError: Error, Equatable, Sendable {
    /// No node has answered as the leader in time. Nothing was written.
    case noLeader(String)

    /// The connection to the leader, or its leadership, was lost before `COMMIT` was sent. The transaction was rolled back: run it
    /// again.
    case connectionLost(String)

    /// The connection to the leader was lost after `COMMIT` was sent: the transaction may have been applied or not.
    ///
    /// Check the data before you repeat the write, or use `write(id:)`, which checks it.
    case outcomeUnknown(String)

    /// The leader has not answered whether it has changed the membership or the leadership, and may still be doing so.
    ///
    /// Look at `members()`. A leader that waits for a node that does not answer takes up other changes when that node answers, or when
    /// another node becomes the leader.
    case changeUnknown(String)

    /// The database with this name is being restored, or its restoration has failed: see ``DqliteCluster/restore(addresses:database:from:)``.
    case incompleteDatabase(String)

    /// A node sent a response that dqlite's protocol does not allow.
    case invalidResponse(String)

    /// An address is not of the form `a.b.c.d:port`.
    case invalidAddress(String)

    /// libdqlite is not installed, or could not run a node.
    case node(String)
}

extension ClusterError: ErrorWithOutcome {
    package var isOutcomeUnknown: Bool { if case .outcomeUnknown = self { true } else { false } }
}

extension ClusterError: CustomStringConvertible {
    /// The error, and what to do about it.
    public var description: String {
        switch self {
        case .noLeader(let reason):
            "no leader was found: \(reason). Check that a majority of the nodes is running, and that the addresses are correct."
        case .connectionLost(let reason):
            "the connection to the leader was lost, and the transaction was rolled back: \(reason). Run the transaction again."
        case .outcomeUnknown(let reason):
            "the connection to the leader was lost during the commit, so the transaction may or may not have been applied: \(reason). "
                + "Check the data before you run it again, or use write(id:), which never applies a transaction twice."
        case .changeUnknown(let reason):
            "the leader may or may not \(reason). The change may still be in progress: look at members() before you try again. While the "
                + "leader waits for a node that does not answer, it refuses other changes: start that node, or transfer the leadership."
        case .incompleteDatabase(let name):
            "the database \(name) is incomplete: it is being restored. If the restoration has failed, restore into a database of another "
                + "name, or into a new cluster."
        case .invalidResponse(let reason): "a node sent an invalid response: \(reason). Check the address and the version of the node."
        case .invalidAddress(let address): "\(address) is not the address of a node. Write it as 10.0.0.1:9001."
        case .node(let reason): reason
        }
    }

    /// Whether the failed transaction was undone, and may succeed with another leader.
    var mayRunAgain: Bool {
        switch self {
        case .connectionLost, .invalidResponse: true
        case .noLeader, .outcomeUnknown, .changeUnknown, .incompleteDatabase, .invalidAddress, .node: false
        }
    }
}
