/// A member of a dqlite cluster.
public struct ClusterNode: Equatable, Sendable {
    /// The role of a node.
    public enum Role: UInt64, Sendable {
        /// It has the data, and votes.
        case voter = 0
        /// It has the data, and does not vote.
        case standby = 1
        /// It has no data.
        case spare = 2
    }

    /// The node's ID.
    public let id: UInt64

    /// The node's address.
    public let address: String

    /// The node's role.
    public let role: Role
}

extension DqliteCluster {
    /// Returns the members of the cluster.
    ///
    /// - Throws: ``ClusterError``.
    public func nodes() throws -> [ClusterNode] {
        try onLeader { connection in
            try connection.nodes().map { node in
                guard let role = ClusterNode.Role(rawValue: node.role) else { throw WireError("a node has the unknown role \(node.role)") }
                return ClusterNode(id: node.id, address: node.address, role: role)
            }
        }
    }

    /// Returns the node that leads the cluster.
    ///
    /// - Throws: ``ClusterError``.
    public func leader() throws -> ClusterNode {
        let id = try onLeader { try $0.leader().id }
        guard let node = try nodes().first(where: { $0.id == id }) else { throw ClusterError.noLeader("it has just changed") }
        return node
    }

    /// Adds a node, which must be running, as a spare. ``promote(id:)`` makes it a voter: this never happens automatically.
    ///
    /// ```swift
    /// try cluster.add(id: 2, address: "10.0.0.2:9001")
    /// try cluster.promote(id: 2)
    /// ```
    ///
    /// - Throws: ``ClusterError``, also if no node answers at the address; or ``DatabaseError`` with the leader's message.
    public func add(id: UInt64, address: String) throws {
        try checkAnswers(try NodeAddress(address), "the node \(id) was not added")
        var request = WireRequest(.add)
        request.append(word: id)
        try request.append(text: address)
        try change(request, "add the node \(id) at \(address)")
    }

    /// Makes a node a voter, once it has the data. A cluster with three voters survives the loss of one, with five, of two. An even number
    /// of voters survives no more losses than one voter less.
    ///
    /// - Throws: ``ClusterError``, also if the node does not answer; or ``DatabaseError`` with the leader's message.
    public func promote(id: UInt64) throws {
        // The leader would send the data to a node that does not take it, and refuse other changes for as long.
        if let node = try nodes().first(where: { $0.id == id }) {
            try checkAnswers(try NodeAddress(node.address), "the node \(id) did not become a voter")
        }
        try assign(.voter, to: id)
    }

    /// Makes a node a standby or a spare.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the leader's message.
    public func demote(id: UInt64, to role: ClusterNode.Role = .spare) throws {
        try assign(role, to: id)
    }

    /// Removes a node from the cluster. Stop it afterwards.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the leader's message.
    public func remove(id: UInt64) throws {
        var request = WireRequest(.remove)
        request.append(word: id)
        try change(request, "remove the node \(id)")
    }

    /// Makes another voter the leader. Call it before you stop the leader, so that no client waits for an election.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the leader's message: "leadership transfer failed" when the voter has not taken
    ///   over in time. In that case, try again.
    public func transferLeadership(to id: UInt64) throws {
        var request = WireRequest(.transfer)
        request.append(word: id)
        try change(request, "make the node \(id) the leader")
    }

    private func assign(_ role: ClusterNode.Role, to id: UInt64) throws {
        var request = WireRequest(.assign)
        request.append(word: id)
        request.append(word: role.rawValue)
        try change(request, "make the node \(id) a \(role)")
    }

    private func checkAnswers(_ address: NodeAddress, _ problem: String) throws {
        do {
            _ = try Inquiry.short.leader(knownBy: address)
        } catch {
            throw ClusterError.node("\(problem): no node answers at \(address) (\(error)). Start it first.")
        }
    }

    /// Sends a change of the membership to the leader.
    ///
    /// - Parameter action: what the request does, for errors. A node's own message may be "unknown error".
    private func change(_ request: WireRequest, _ action: String) throws {
        try onLeader { connection in
            do {
                try connection.perform(request)
            } catch let error as NodeFailure where error.code == NodeFailure.notLeader {
                throw ClusterError.noLeader("\(error)")
            } catch let error as NodeFailure where error.code != NodeFailure.leadershipLost {
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: error.code), message: "the leader could not \(action): \(error)",
                    advice:
                        "Look at members(): whether the node has this ID, whether it is running, and whether another change is in progress."
                )
            } catch {
                throw ClusterError.changeUnknown("\(action): \(error)")
            }
        }
    }

    /// Calls a closure with a separate connection to the leader.
    func onLeader<T>(_ body: (NodeConnection) throws -> T) throws -> T {
        let deadline = Deadline(after: finder.leaderTimeout)
        var reason = ""
        while true {
            do {
                let connection = try finder.connect(deadline)
                defer { connection.close() }
                return try Self.throwingPublicErrors { try body(connection) }
            } catch ClusterError.noLeader(let last) {
                // The last try may have had no time to ask a node.
                if reason.isEmpty || !deadline.hasPassed { reason = last }
                if deadline.hasPassed { throw ClusterError.noLeader(reason) }
                Interruption().sleep(milliseconds: 50)
            }
        }
    }

    /// Runs requests, and throws their errors as the program knows them.
    static func throwingPublicErrors<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as NodeFailure {
            throw error.databaseError
        } catch let error as WireError {
            throw ClusterError.invalidResponse(error.description)
        } catch let error as SocketError {
            throw ClusterError.connectionLost(error.description)
        }
    }
}
