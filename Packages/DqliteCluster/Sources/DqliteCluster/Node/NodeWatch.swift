import CDqliteCluster
import Foundation
import SQLiteDriver

/// Watches the disk and the clients of a node, and hands its leadership over where another node would serve better.
final class NodeWatch: Sendable {
    private struct State {
        var hasEnded = false
        var problem: DqliteNode.Problem?
        var leaderSince: Date?
    }

    private let state = Guarded(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Begins to watch.
    ///
    /// - Parameter readGuard: called on the thread of the watch. The watch ends when it returns nil.
    init(address: String, directory: String, limits: DqliteNode.Limits, readGuard: @escaping @Sendable () -> strata_guard_state?) {
        guard let address = try? NodeAddress(address) else { return }
        Thread.detachNewThread { [state, wakeUp] in
            for round in 0... {
                guard !state.withLock({ $0.hasEnded }), let guardState = readGuard() else { return }
                if let description = Self.problem(directory, limits, guardState) {
                    let outcome = Result { try Self.handOver(from: address) }
                    state.withLock { $0.problem = DqliteNode.Problem(description, outcome) }
                }
                // A node that is busy does not answer, and is what it was.
                if round.isMultiple(of: 4), case .success(let leader) = Result(catching: { try Inquiry.short.leader(knownBy: address) }) {
                    state.withLock { $0.leaderSince = leader == address ? $0.leaderSince ?? Date() : nil }
                }
                _ = wakeUp.wait(timeout: .now() + .milliseconds(250))
            }
        }
    }

    /// The last problem; nil if there was none.
    var problem: DqliteNode.Problem? { state.withLock { $0.problem } }

    /// When the watch has seen for the first time that the node leads; nil if the node does not lead.
    var leaderSince: Date? { state.withLock { $0.leaderSince } }

    func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp.signal()
    }

    /// Returns why the node should not lead; nil if it may.
    private static func problem(_ directory: String, _ limits: DqliteNode.Limits, _ state: strata_guard_state) -> String? {
        if let shortage = shortage(directory, limits) { return shortage }
        guard state.idle_since > 0 else { return nil }
        let idle = Duration.nanoseconds(strata_nanoseconds() - state.idle_since)
        return idle > limits.idleTransaction ? "a client has kept a transaction open for \(idle), and all other writers wait for it" : nil
    }

    /// Returns a sentence about a disk that has less free space than the reserve; nil if it has enough.
    static func shortage(_ directory: String, _ limits: DqliteNode.Limits) -> String? {
        let free = DqliteNode.freeSpace(directory)
        return free < limits.diskReserve
            ? "the disk of \(directory) has \(free) bytes free, less than the reserve of \(limits.diskReserve)" : nil
    }

    /// What has become of a node's leadership.
    enum Transfer {
        /// The node did not lead.
        case notLeading
        /// The cluster has no other voter.
        case alone
        /// The node with this address has taken over.
        case done(String)
    }

    /// Makes another voter the leader, if the node leads, and waits until the node knows it.
    ///
    /// - Throws: the error of the last voter.
    static func handOver(from address: NodeAddress, within duration: Duration = .seconds(10)) throws -> Transfer {
        let inquiry = Inquiry(deadline: Deadline(after: duration))
        guard try inquiry.leader(knownBy: address) == address else { return .notLeading }
        let voters = try inquiry.ask(address) { try $0.nodes() }.filter { $0.role == ClusterNode.Role.voter.rawValue }
        var failure: (any Error)?
        for node in voters where node.address != "\(address)" {
            do {
                // One that does not answer would not take over.
                _ = try inquiry.leader(knownBy: NodeAddress(node.address))
                var request = WireRequest(.transfer)
                request.append(word: node.id)
                try Inquiry(patience: .seconds(5), deadline: inquiry.deadline).ask(address) { try $0.perform(request) }
            } catch {
                failure = error
                continue
            }
            // Clients that ask this node are sent to the new leader.
            while let leader = try? inquiry.leader(knownBy: address), leader == address, !inquiry.deadline.hasPassed {
                Interruption().sleep(milliseconds: 20)
            }
            return .done(node.address)
        }
        if let failure { throw failure }
        return .alone
    }
}
