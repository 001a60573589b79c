import SQLiteDriver

/// Finds the leader of a cluster. Shared by the connections of a ``DqliteCluster``.
final class LeaderFinder: Sendable {
    let database: String

    /// How long a node may take to answer a request.
    let requestTimeout: Duration
    /// How long to look for a leader.
    let leaderTimeout: Duration

    let counts = ClusterCounts()

    private struct State {
        var addresses: [NodeAddress]
        var leader: NodeAddress?
        /// The ID of the cluster; nil as long as no leader had one.
        var cluster: String?
    }

    private let givenAddresses: [NodeAddress]
    private let state: Guarded<State>

    /// How long to wait for one of the nodes: a node that does not answer must not delay the requests to the others.
    private var patience: Duration { min(requestTimeout, .seconds(1)) }

    init(addresses: [String], database: String, requestTimeout: Duration, leaderTimeout: Duration) throws {
        givenAddresses = try addresses.map { try NodeAddress($0) }
        state = Guarded(State(addresses: givenAddresses))
        self.database = database
        self.requestTimeout = requestTimeout
        self.leaderTimeout = leaderTimeout
        if addresses.isEmpty { throw ClusterError.noLeader("no addresses were given") }
    }

    /// The addresses to ask, beginning with the last leader's.
    private var candidates: [NodeAddress] { state.withLock { $0.addresses } }

    /// Returns whether a node is the leader that was found last.
    ///
    /// A leader that was paused or cut off answers reads with the state before, until it learns that it was deposed. Once one connection
    /// has found another leader, the others therefore leave the old one.
    func isLastLeader(_ address: NodeAddress) -> Bool {
        state.withLock { $0.leader == address }
    }

    /// Records the members of the cluster.
    ///
    /// - Returns: false if they belong to another cluster: it has another ID, or all of them are unknown.
    private func note(leader: NodeAddress, members: [NodeAddress], cluster: String?) -> Bool {
        state.withLock { state in
            if let known = state.cluster, cluster != known { return false }
            if state.leader != nil, !members.contains(where: state.addresses.contains) { return false }
            state.cluster = cluster
            state.leader = leader
            state.addresses = [leader]
            for address in members + givenAddresses where !state.addresses.contains(address) { state.addresses.append(address) }
            return true
        }
    }

    /// Connects to the leader, once.
    ///
    /// - Throws: ``ClusterError/noLeader(_:)`` when no node claims to be the leader.
    func connect(_ deadline: Deadline) throws -> NodeConnection {
        var reasons: [String] = []
        for address in candidates {
            if deadline.hasPassed { break }
            do {
                return try connect(through: address, deadline)
            } catch let error as NodeFailure {
                reasons.append("\(address): \(error.message)")
            } catch {
                reasons.append("\(error)")
            }
        }
        throw ClusterError.noLeader(reasons.joined(separator: "; "))
    }

    /// Connects to the leader that a node knows, if it is the leader of this cluster.
    private func connect(through address: NodeAddress, _ deadline: Deadline) throws -> NodeConnection {
        let connection = try NodeConnection(address, timeout: patience, deadline: deadline, counts)
        let leader = try connection.leader().address
        connection.close()
        if leader.isEmpty { throw SocketError("\(address) does not know the leader") }
        let leaderAddress = try NodeAddress(leader)
        let leaderConnection = try NodeConnection(leaderAddress, timeout: patience, deadline: deadline, counts)
        // The answer may be outdated.
        guard try leaderConnection.leader().address == leader else { throw SocketError("\(leader) is no longer the leader") }
        let members = try leaderConnection.nodes().compactMap { try? NodeAddress($0.address) }
        if members.count == 1, let other = otherLeader(than: leaderAddress, givenAddresses, deadline) {
            throw SocketError("\(leader) is a cluster on its own, and \(other) leads another one")
        }
        let identity = try NodeConnection(leaderAddress, timeout: patience, deadline: deadline, counts)
        let cluster = try identity.clusterID()
        identity.close()
        guard note(leader: leaderAddress, members: members, cluster: cluster) else {
            throw SocketError("\(leader) belongs to another cluster")
        }
        leaderConnection.timeout = requestTimeout
        leaderConnection.checkWait = { [weak self] in try self?.check(leaderAddress) }
        return leaderConnection
    }

    /// Checks that no other node claims to be the leader, while a request to the leader takes long.
    ///
    /// A leader that is paused or cut off does not know that it was deposed.
    private func check(_ leader: NodeAddress) throws {
        let deadline = AccessTime.limited(Deadline(after: patience))
        if let other = otherLeader(than: leader, candidates, deadline) {
            throw SocketError("\(leader) did not answer, and \(other) is now the leader")
        }
    }

    /// Returns another leader that one of the addresses knows, and that knows it itself.
    private func otherLeader(than leader: NodeAddress, _ addresses: [NodeAddress], _ deadline: Deadline) -> NodeAddress? {
        for address in addresses where address != leader {
            guard let other = try? leaderAddress(knownBy: address, deadline), other != leader,
                (try? leaderAddress(knownBy: other, deadline)) == other
            else { continue }
            return other
        }
        return nil
    }

    private func leaderAddress(knownBy address: NodeAddress, _ deadline: Deadline) throws -> NodeAddress {
        let connection = try NodeConnection(address, timeout: patience, deadline: deadline, counts)
        defer { connection.close() }
        return try NodeAddress(try connection.leader().address)
    }
}
