import CDqliteCluster
import Foundation

extension DqliteNode {
    /// A problem for which a node hands its leadership over.
    public struct Problem: Sendable, CustomStringConvertible {
        /// When it was last seen.
        public let date: Date

        /// What the problem is, and what the node has done.
        public let description: String

        init(_ description: String, _ outcome: Result<NodeWatch.Transfer, any Error>) {
            date = Date()
            let action =
                switch outcome {
                case .success(.done(let leader)): "The node has handed its leadership over to \(leader)."
                case .success(.alone): "The node still leads: the cluster has no other voter."
                case .success(.notLeading): "The node does not lead."
                case .failure(let error): "The node could not hand its leadership over: \(error)."
                }
            self.description = description + ". " + action
        }
    }

    /// The state of a node, for health checks and monitors.
    public struct Status: Sendable {
        /// The address of the leader that the node knows; nil if it knows none, or does not answer within a second.
        public let leader: String?

        /// Whether the node is ready: it runs, answers, and knows a leader. Without a leader, a cluster serves no client. A node that waits
        /// to be added to a cluster is not ready, either.
        public var isReady: Bool { leader != nil }

        /// Whether the node leads the cluster.
        public let isLeader: Bool

        /// Since when the node leads the cluster, within a second; nil if it does not lead. The age of a leader that is often new shows
        /// elections.
        public let leaderSince: Date?

        /// The number of connections to databases. Clients have them to the leader.
        public let connectionCount: Int

        /// How long the oldest transaction that has written waits for its next statement; nil if there is none.
        public let idleTransaction: Duration?

        /// The number of bytes of the node's folder: its log and its snapshots.
        public let folderSize: Int

        /// The number of bytes of the log in the folder. libraft allocates up to three files of 8 MB in advance.
        public let logSize: Int

        /// The number of bytes that the disk of the folder has free.
        public let freeSpace: Int

        /// The last problem for which the node has handed its leadership over, or should have; nil if there was none.
        public let lastProblem: Problem?
    }

    /// Returns the state of the node. Safe from any thread, also while the node starts or stops.
    ///
    /// ```swift
    /// let status = node.status()
    /// print(status.isReady ? "ready" : "not ready", status.freeSpace)
    /// ```
    public func status() -> Status {
        let leader = (try? NodeAddress(address)).flatMap { try? Inquiry.short.leader(knownBy: $0) }?.description
        let state = guardState
        let (problem, leaderSince) = watched
        let idle = state.idle_since > 0 ? Duration.nanoseconds(strata_nanoseconds() - state.idle_since) : nil
        let sizes = Self.fileSizes(directory)
        return Status(
            leader: leader, isLeader: leader == address, leaderSince: leader == address ? leaderSince ?? Date() : nil,
            connectionCount: Int(state.connection_count), idleTransaction: idle, folderSize: sizes.reduce(0) { $0 + $1.size },
            logSize: sizes.reduce(0) { RaftLog.isSegment($1.name) ? $0 + $1.size : $0 }, freeSpace: Self.freeSpace(directory),
            lastProblem: problem)
    }

    // MARK: - A service

    /// Starts the node, unless it runs already, and serves until ``shutDown()`` is called or the task is cancelled. Then the node hands its
    /// leadership over, if it leads, and stops.
    ///
    /// ```swift
    /// async let service: Void = node.run(gracePeriod: .seconds(5))
    /// // Serve until the program is asked to end, and then:
    /// node.shutDown()
    /// try await service
    /// ```
    ///
    /// - Parameters:
    ///   - otherAddresses: see ``start(otherAddresses:)``.
    ///   - gracePeriod: how long another node may take to become the leader.
    /// - Throws: as ``start(otherAddresses:)`` and ``stop(gracePeriod:)``; `CancellationError` if the task was cancelled. The node is stopped in
    ///   any case.
    public func run(otherAddresses: [String] = [], gracePeriod: Duration = .seconds(10)) async throws {
        try await onThread { [self] in if !hasStarted { try start(otherAddresses: otherAddresses) } }
        // The cancellation of the task ends the stream, too.
        for await _ in shutdown.stream {}
        try await onThread { [self] in try stop(gracePeriod: gracePeriod) }
        try Task.checkCancellation()
    }

    /// Makes ``run(otherAddresses:gracePeriod:)`` end, or return as soon as it has started the node. Safe from any thread.
    public func shutDown() { shutdown.continuation.finish() }

    /// Hands the leadership over, if the node leads and there is another voter, and stops it. Clients then need not wait for an election.
    ///
    /// ```swift
    /// try node.stop(gracePeriod: .seconds(5))
    /// ```
    ///
    /// Transactions that are open on the leader are rolled back: clients run them again, as after any change of the leader.
    ///
    /// - Parameter gracePeriod: how long another node may take to become the leader.
    /// - Throws: ``ClusterError``, or another error that has kept the node from handing its leadership over, for example because no other voter
    ///   answers. The node is stopped in any case.
    public func stop(gracePeriod: Duration) throws {
        defer { stop() }
        if hasStarted { _ = try NodeWatch.handOver(from: NodeAddress(address), within: gracePeriod) }
    }

    /// Calls a closure on a thread of its own, as it waits for other nodes.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// The number of bytes that the disk of a folder has free for this process; the largest integer if it can't be read.
    static func freeSpace(_ directory: String) -> Int {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? .max
    }

    /// The numbers of bytes of the files in a folder.
    private static func fileSizes(_ directory: String) -> [(name: String, size: Int)] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).map { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return (name, (attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}
