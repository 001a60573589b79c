import SQLiteDriver

/// Questions to nodes, which share a deadline.
struct Inquiry {
    /// How long one node may take: a node that does not answer must not delay the questions to the others.
    var patience = Duration.seconds(1)
    let deadline: Deadline
    var counts = Guarded(ClusterCounts())

    /// Questions to nodes that may not be running.
    static var short: Inquiry { Inquiry(deadline: Deadline(after: .seconds(1))) }

    /// Connects to a node.
    ///
    /// - Throws: ``SocketError``.
    func connection(to address: NodeAddress) throws -> NodeConnection {
        try NodeConnection(address, timeout: patience, deadline: deadline, counts)
    }

    /// Calls a closure with a connection to a node, and closes it.
    func ask<T>(_ address: NodeAddress, _ question: (NodeConnection) throws -> T) throws -> T {
        let connection = try connection(to: address)
        defer { connection.close() }
        return try question(connection)
    }

    /// Returns the leader that a node knows; nil if it knows none.
    func leader(knownBy address: NodeAddress) throws -> NodeAddress? {
        let leader = try ask(address) { try $0.leader().address }
        return leader.isEmpty ? nil : try NodeAddress(leader)
    }

    /// Returns another leader that one of the addresses knows, and that knows it itself.
    func otherLeader(than leader: NodeAddress, knownBy addresses: [NodeAddress]) -> NodeAddress? {
        for address in addresses where address != leader {
            guard let other = try? self.leader(knownBy: address), other != leader, (try? self.leader(knownBy: other)) == other else {
                continue
            }
            return other
        }
        return nil
    }

    /// Returns one of the addresses whose node knows several members, while a leader knows only itself. It may have no leader.
    func member(ofOtherClusterThan leader: NodeAddress, in addresses: [NodeAddress]) -> NodeAddress? {
        addresses.first { address in address != leader && ((try? ask(address) { try $0.nodes() })?.count ?? 0) > 1 }
    }

    /// Returns the ID of a node's cluster, which the leader has, and the addresses of its members.
    ///
    /// - Parameters:
    ///   - newID: the ID of a cluster that has none; nil to leave it without.
    ///   - isReplacing: whether the cluster gets the new ID even if it has one.
    /// - Returns: nil if the node does not know a leader.
    func cluster(
        of address: NodeAddress, creating newID: String? = nil, isReplacing: Bool = false
    ) throws -> (id: String?, members: [String])? {
        try leader(knownBy: address).map { leader in
            try ask(leader) { (try $0.clusterID(creating: newID, isReplacing: isReplacing), try $0.nodes().map(\.address)) }
        }
    }
}
