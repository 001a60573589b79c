import CDqliteCluster
import Foundation

extension DqliteNode {
    /// A problem for which a node hands its leadership over.
    public struct Problem: Sendable, CustomStringConvertible {
        /// When it was last seen.
        public let date: Date

        /// What the problem is, and what the node has done.
        public let description: String

        init(_ description: String, _ outcome: Result<String?, any Error>) {
            date = Date()
            let action =
                switch outcome {
                case .success(let leader?): "The node has handed its leadership over to \(leader)."
                case .success(nil): "The node does not lead."
                case .failure(let error): "The node could not hand its leadership over: \(error)."
                }
            self.description = description + ". " + action
        }
    }

    /// The state of a node, for health checks and monitors.
    public struct Status: Sendable {
        /// The address of the leader that the node knows; nil if it knows none, or does not answer within a second. Without a leader, the
        /// node is not ready: it serves no client.
        public let leader: String?

        /// Whether the node leads the cluster.
        public let isLeader: Bool

        /// The number of connections to databases. Clients have them to the leader.
        public let connectionCount: Int

        /// How long the oldest transaction that has written waits for its next statement; nil if there is none.
        public let idleTransaction: Duration?

        /// The number of bytes of the node's folder: its log and its snapshots.
        public let folderSize: Int

        /// The number of bytes that the disk of the folder has free.
        public let freeSpace: Int

        /// The last problem for which the node has handed its leadership over, or should have; nil if there was none.
        public let lastProblem: Problem?
    }

    /// Returns the state of the node.
    ///
    /// ```swift
    /// let status = node.status()
    /// print(status.leader == nil ? "not ready" : "ready", status.freeSpace)
    /// ```
    public func status() -> Status {
        let leader = (try? NodeAddress(address)).flatMap { try? Inquiry.short.leader(knownBy: $0) }?.description
        let state = guardState
        let idle = state.idle_since > 0 ? Duration.nanoseconds(strata_nanoseconds() - state.idle_since) : nil
        return Status(
            leader: leader, isLeader: leader == address, connectionCount: Int(state.connection_count), idleTransaction: idle,
            folderSize: Self.size(directory), freeSpace: Self.freeSpace(directory), lastProblem: lastProblem)
    }

    /// Hands the leadership over, if the node leads, and stops it. Clients then need not wait for an election.
    ///
    /// ```swift
    /// try node.shutDown(gracePeriod: .seconds(5))
    /// ```
    ///
    /// - Parameter gracePeriod: how long another node may take to become the leader.
    /// - Throws: ``ClusterError``, or another error that has kept the node from handing its leadership over, for example because it is the
    ///   only voter. The node is stopped in any case.
    public func shutDown(gracePeriod: Duration = .seconds(10)) throws {
        defer { stop() }
        _ = try NodeWatch.handOver(from: NodeAddress(address), within: gracePeriod)
    }

    /// The number of bytes that the disk of a folder has free for this process; the largest integer if it can't be read.
    static func freeSpace(_ directory: String) -> Int {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? .max
    }

    /// The number of bytes of the files in a folder.
    private static func size(_ directory: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}
