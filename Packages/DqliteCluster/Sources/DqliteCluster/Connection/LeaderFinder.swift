import Foundation

/// Finds the leader of a cluster. Shared by the connections of a ``DqliteCluster``.
///
/// `@unchecked Sendable`: the lock guards the addresses.
final class LeaderFinder: @unchecked Sendable {
    let database: String

    /// How long a node may take to answer a request.
    let requestTimeout: Duration
    /// How long to look for a leader.
    let leaderTimeout: Duration

    private let lock = NSLock()
    private var addresses: [NodeAddress]
    private let givenAddresses: [NodeAddress]

    init(addresses: [String], database: String, requestTimeout: Duration, leaderTimeout: Duration) throws {
        givenAddresses = try addresses.map { try NodeAddress($0) }
        self.addresses = givenAddresses
        self.database = database
        self.requestTimeout = requestTimeout
        self.leaderTimeout = leaderTimeout
        if addresses.isEmpty { throw ClusterError.noLeader("no addresses were given") }
    }

    /// The addresses to ask, that of the last leader first.
    private var candidates: [NodeAddress] {
        lock.lock()
        defer { lock.unlock() }
        return addresses
    }

    private func note(leader: NodeAddress, others: [NodeAddress]) {
        lock.lock()
        defer { lock.unlock() }
        var result = [leader]
        for address in others + givenAddresses where !result.contains(address) { result.append(address) }
        addresses = result
    }

    /// Connects to the leader, once.
    ///
    /// - Throws: ``ClusterError/noLeader(_:)`` when no node says that it is the leader.
    func connect(_ deadline: Deadline) throws -> NodeConnection {
        var reasons: [String] = []
        // A node that does not answer must not keep the others from being asked.
        let patience = min(requestTimeout, .seconds(1))
        for address in candidates {
            if deadline.hasPassed { break }
            do {
                let connection = try NodeConnection(address, timeout: patience, deadline: deadline)
                let leader = try connection.leader().address
                connection.close()
                if leader.isEmpty {
                    reasons.append("\(address) knows no leader")
                    continue
                }
                let leaderAddress = try NodeAddress(leader)
                let leaderConnection = try NodeConnection(leaderAddress, timeout: requestTimeout, deadline: deadline)
                // The answer may be outdated.
                guard try leaderConnection.leader().address == leader else {
                    reasons.append("\(leader) is not the leader any more")
                    continue
                }
                let nodes = try leaderConnection.nodes().compactMap { try? NodeAddress($0.address) }
                note(leader: leaderAddress, others: nodes)
                return leaderConnection
            } catch let error as NodeFailure {
                reasons.append("\(address): \(error.message)")
            } catch {
                reasons.append("\(error)")
            }
        }
        throw ClusterError.noLeader(reasons.joined(separator: "; "))
    }
}
