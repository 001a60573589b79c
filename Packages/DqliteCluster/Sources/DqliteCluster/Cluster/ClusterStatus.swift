import Dispatch
import SQLiteDriver

/// A member of a cluster, as it was seen from a client.
public struct ClusterMember: Equatable, Sendable {
    /// The ID, the address and the role.
    public let node: ClusterNode

    /// Whether the node has answered in time.
    public let isReachable: Bool

    /// Whether the node leads the cluster.
    public let isLeader: Bool
}

/// The state of a cluster, as it was seen from a client.
public struct ClusterStatus: Equatable, Sendable {
    /// The members, by ID.
    public let members: [ClusterMember]

    /// The number of pages of the database.
    public let pageCount: Int64

    /// The number of bytes of a page.
    public let pageSize: Int64

    /// What an operator should look at: members that don't answer, too few voters, and an even number of them.
    public var warnings: [String] {
        let voters = members.filter { $0.node.role == .voter }
        let majority = voters.count / 2 + 1
        let reachable = voters.count(where: \.isReachable)
        var warnings = members.filter { !$0.isReachable }.map { "the node \($0.node.id) at \($0.node.address) does not answer" }
        if voters.count == 1 {
            warnings.append("there is only one voter: when it fails, the cluster stops. Add two nodes, and promote them.")
        } else if voters.count.isMultiple(of: 2) {
            warnings.append(
                "there are \(voters.count) voters, which survive no more losses than \(voters.count - 1): promote one node, or demote one")
        }
        if voters.count > 1, reachable <= majority {
            warnings.append("\(reachable) of \(voters.count) voters answer: if another one fails, the cluster stops")
        }
        return warnings
    }
}

extension DqliteCluster {
    /// Returns the members of the cluster, and which of them answer.
    ///
    /// ```swift
    /// for member in try cluster.members() where !member.isReachable {
    ///     print("\(member.node.address) does not answer")
    /// }
    /// ```
    ///
    /// The leader does not report which members are running, so each is asked.
    ///
    /// - Parameter timeout: how long the members may take to answer. They are asked at the same time.
    /// - Throws: ``ClusterError``.
    public func members(timeout: Duration = .seconds(1)) throws -> [ClusterMember] {
        let leader = try leader().id
        let nodes = try nodes().sorted { $0.id < $1.id }
        let answers = Guarded([Bool](repeating: false, count: nodes.count))
        let inquiry = Inquiry(patience: timeout, deadline: Deadline(after: timeout))
        DispatchQueue.concurrentPerform(iterations: nodes.count) { index in
            // A node without a leader answers, too.
            guard let address = try? NodeAddress(nodes[index].address), (try? inquiry.ask(address) { try $0.leader() }) != nil else {
                return
            }
            answers.withLock { $0[index] = true }
        }
        return zip(nodes, answers.withLock { $0 }).map { ClusterMember(node: $0, isReachable: $1, isLeader: $0.id == leader) }
    }

    /// Returns the state of the cluster, for an operator or a monitor.
    ///
    /// ```swift
    /// for warning in try cluster.status().warnings { print(warning) }
    /// ```
    ///
    /// - Parameter timeout: how long the members may take to answer.
    /// - Throws: ``ClusterError``, or ``DatabaseError``.
    public func status(timeout: Duration = .seconds(1)) throws -> ClusterStatus {
        let members = try members(timeout: timeout)
        let (count, size) = try onLeader { connection in
            let database = try connection.open(finder.database)
            func number(_ sql: String) throws -> Int64 {
                guard let number = try connection.firstRows(sql, in: database).int64(row: 0, column: 0) else {
                    throw WireError("no answer to \(sql)")
                }
                return number
            }
            return (try number("PRAGMA page_count"), try number("PRAGMA page_size"))
        }
        return ClusterStatus(members: members, pageCount: count, pageSize: size)
    }
}
