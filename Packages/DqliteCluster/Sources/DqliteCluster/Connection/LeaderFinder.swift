import SQLiteDriver

/// Finds the leader of a cluster. Shared by the connections of a ``DqliteCluster``.
final class LeaderFinder: Sendable {
    let database: String

    /// How long a node may take to answer a request.
    let requestTimeout: Duration
    /// How long to look for a leader.
    let leaderTimeout: Duration

    /// Whether a database that is being restored may be opened.
    let opensIncomplete: Bool

    let counts = Guarded(ClusterCounts())

    private struct State {
        var addresses: [NodeAddress]
        var leader: NodeAddress?
        /// The ID of the cluster; nil as long as no leader had one.
        var cluster: String?
        /// Since when there is no leader, and why; nil while there is one.
        var absence: (since: ContinuousClock.Instant, error: ClusterError)?
    }

    private let givenAddresses: [NodeAddress]
    private let state: Guarded<State>

    init(addresses: [String], database: String, requestTimeout: Duration, leaderTimeout: Duration, opensIncomplete: Bool = false) throws {
        givenAddresses = try addresses.map { try NodeAddress($0) }
        state = Guarded(State(addresses: givenAddresses))
        self.database = database
        self.requestTimeout = requestTimeout
        self.leaderTimeout = leaderTimeout
        self.opensIncomplete = opensIncomplete
        if addresses.isEmpty { throw ClusterError.noLeader("no addresses were given") }
    }

    /// The addresses to ask, beginning with the last leader's.
    private var candidates: [NodeAddress] { state.withLock { $0.addresses } }

    private func inquiry(_ deadline: Deadline) -> Inquiry {
        Inquiry(patience: min(requestTimeout, .seconds(1)), deadline: deadline, counts: counts)
    }

    /// Returns whether a node is the leader that was found last.
    ///
    /// A leader that was paused or cut off answers reads with the state before, until it learns that it was deposed. Once one connection
    /// has found another leader, the others therefore leave the old one.
    func isLastLeader(_ address: NodeAddress) -> Bool {
        state.withLock { $0.leader == address }
    }

    // MARK: - Without a leader

    /// When an access must have found a leader.
    ///
    /// Its wait for its turn counts from the time since when there is no leader: accesses that wait for each other fail together.
    var leaderDeadline: Deadline {
        let since = state.withLock { $0.absence?.since }
        return Deadline((since.map { max($0, AccessRequest.timeOfThread) } ?? .now).advanced(by: leaderTimeout))
    }

    /// Records that no leader was found, and why.
    ///
    /// - Parameter begin: when the access began to look for it.
    func noteAbsence(_ error: ClusterError, since begin: ContinuousClock.Instant) {
        state.withLock { $0.absence = ($0.absence?.since ?? begin, error) }
    }

    /// The error of an access that has no more time to look for a leader.
    var absenceError: ClusterError { state.withLock { $0.absence?.error } ?? .noLeader("no node answered in time") }

    // MARK: - Connecting

    /// Records the members of the cluster.
    ///
    /// - Returns: false if they belong to another cluster: it has another ID, or all of them are unknown.
    private func note(leader: NodeAddress, members: [NodeAddress], cluster: String?) -> Bool {
        state.withLock { state in
            if let known = state.cluster, cluster != known { return false }
            if state.leader != nil, !members.contains(where: state.addresses.contains) { return false }
            state.cluster = cluster
            state.leader = leader
            state.absence = nil
            state.addresses = [leader]
            for address in members + givenAddresses where !state.addresses.contains(address) { state.addresses.append(address) }
            return true
        }
    }

    /// Connects to the leader, once.
    ///
    /// - Throws: ``ClusterError/noLeader(_:)``, with what each node has answered.
    func connect(_ deadline: Deadline) throws -> NodeConnection {
        var reasons: [String] = []
        for address in candidates {
            if deadline.hasPassed { break }
            do {
                return try connect(through: address, inquiry(deadline))
            } catch let error as NodeFailure {
                reasons.append("\(address): \(error)")
            } catch {
                reasons.append("\(error)")
            }
        }
        throw ClusterError.noLeader(reasons.isEmpty ? "no node answered in time" : reasons.joined(separator: "; "))
    }

    /// Connects to the leader that a node knows, if it is the leader of this cluster.
    private func connect(through address: NodeAddress, _ inquiry: Inquiry) throws -> NodeConnection {
        guard let leader = try inquiry.leader(knownBy: address) else { throw SocketError("\(address) does not know the leader") }
        let connection = try inquiry.connection(to: leader)
        // The answer may be outdated.
        guard try connection.leader().address == "\(leader)" else { throw SocketError("\(leader) is no longer the leader") }
        let members = try connection.nodes().compactMap { try? NodeAddress($0.address) }
        if members.count == 1 {
            if let other = inquiry.otherLeader(than: leader, knownBy: givenAddresses) {
                throw SocketError("\(leader) is a cluster on its own, and \(other) leads another one")
            }
            if let other = inquiry.member(ofOtherClusterThan: leader, in: givenAddresses) {
                throw SocketError("\(leader) is a cluster on its own, and \(other) belongs to one with several members: stop one of them")
            }
        }
        let cluster = try inquiry.ask(leader) { try $0.clusterID() }
        guard note(leader: leader, members: members, cluster: cluster) else { throw SocketError("\(leader) belongs to another cluster") }
        connection.timeout = requestTimeout
        connection.limit = nil
        connection.checkWait = { [weak self] in try self?.check(leader) }
        return connection
    }

    /// Checks that no other node claims to be the leader, while a request to the leader takes long.
    ///
    /// A leader that is paused or cut off does not know that it was deposed.
    private func check(_ leader: NodeAddress) throws {
        let inquiry = inquiry(AccessTime.limited(Deadline(after: .seconds(1))))
        if let other = inquiry.otherLeader(than: leader, knownBy: candidates) {
            throw SocketError("\(leader) did not answer, and \(other) is now the leader")
        }
    }
}
