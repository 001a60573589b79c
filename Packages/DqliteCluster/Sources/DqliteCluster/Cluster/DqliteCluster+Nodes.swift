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
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the node's message.
    public func add(id: UInt64, address: String) throws {
        _ = try NodeAddress(address)
        var request = WireRequest(.add)
        request.append(word: id)
        try request.append(text: address)
        try perform(request, "the node \(id) can't be added at \(address)")
    }

    /// Makes a node a voter, once it has the data. A cluster with three voters survives the loss of one, with five, of two.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the node's message.
    public func promote(id: UInt64) throws {
        try assign(.voter, to: id)
    }

    /// Makes a node a standby or a spare.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the node's message.
    public func demote(id: UInt64, to role: ClusterNode.Role = .spare) throws {
        try assign(role, to: id)
    }

    /// Removes a node from the cluster. Stop it afterwards.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the node's message.
    public func remove(id: UInt64) throws {
        var request = WireRequest(.remove)
        request.append(word: id)
        try perform(request, "the node \(id) can't be removed")
    }

    /// Makes another voter the leader. Call it before you stop the leader, so that no client waits for an election.
    ///
    /// - Throws: ``ClusterError``, or ``DatabaseError`` with the node's message: "leadership transfer failed" when the voter has not taken
    ///   over in time. In that case, try again.
    public func transferLeadership(to id: UInt64) throws {
        var request = WireRequest(.transfer)
        request.append(word: id)
        try perform(request, "the node \(id) can't become the leader")
    }

    private func assign(_ role: ClusterNode.Role, to id: UInt64) throws {
        var request = WireRequest(.assign)
        request.append(word: id)
        request.append(word: role.rawValue)
        try perform(request, "the node \(id) can't become a \(role)")
    }

    /// - Parameter problem: the beginning of the error's message, before the node's message, which may be "unknown error".
    private func perform(_ request: WireRequest, _ problem: String) throws {
        do {
            try onLeader { try $0.perform(request) }
        } catch let error as DatabaseError {
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: "\(problem): \(error.message ?? "")",
                advice: "Check its ID with nodes(), and that it is running.")
        }
    }

    /// Calls a closure with a separate connection to the leader.
    private func onLeader<T>(_ body: (NodeConnection) throws -> T) throws -> T {
        let deadline = Deadline(after: finder.leaderTimeout)
        while true {
            do {
                let connection = try finder.connect(deadline)
                defer { connection.close() }
                return try body(connection)
            } catch let error as NodeFailure {
                throw DatabaseError(resultCode: ResultCode(rawValue: error.code), message: error.message)
            } catch let error as WireError {
                throw ClusterError.invalidResponse(error.description)
            } catch let error as SocketError {
                throw ClusterError.connectionLost(error.description)
            } catch ClusterError.noLeader(let reason) {
                if deadline.hasPassed { throw ClusterError.noLeader(reason) }
                Interruption().sleep(milliseconds: 50)
            }
        }
    }
}
