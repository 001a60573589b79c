import CDqliteCluster
import Foundation
import SQLiteDriver

/// Watches the disk and the clients of a node, and hands its leadership over where another node would serve better.
final class NodeWatch: Sendable {
    private struct State {
        var hasEnded = false
        var problem: DqliteNode.Problem?
    }

    private let state = Guarded(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Begins to watch.
    ///
    /// - Parameter readGuard: called on the thread of the watch, until ``end()`` returns.
    init(address: String, directory: String, limits: DqliteNode.Limits, readGuard: @escaping @Sendable () -> strata_guard_state) {
        guard let address = try? NodeAddress(address) else { return }
        Thread.detachNewThread { [state, wakeUp] in
            while true {
                let guardState = state.withLock { $0.hasEnded ? nil : readGuard() }
                guard let guardState else { return }
                if let description = Self.problem(directory, limits, guardState) {
                    let outcome = Result { try Self.handOver(from: address) }
                    state.withLock { $0.problem = DqliteNode.Problem(description, outcome) }
                }
                _ = wakeUp.wait(timeout: .now() + .milliseconds(250))
            }
        }
    }

    /// The last problem; nil if there was none.
    var problem: DqliteNode.Problem? { state.withLock { $0.problem } }

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

    /// Makes another voter the leader, if the node leads.
    ///
    /// - Returns: the address of the new leader; nil if the node does not lead.
    /// - Throws: the error of the last voter, or ``ClusterError`` if there is no other one.
    static func handOver(from address: NodeAddress, within duration: Duration = .seconds(10)) throws -> String? {
        let inquiry = Inquiry(deadline: Deadline(after: duration))
        guard try inquiry.leader(knownBy: address) == address else { return nil }
        let nodes = try inquiry.ask(address) { try $0.nodes() }
        var failure: any Error = ClusterError.node("the cluster has no other voter")
        for node in nodes where node.address != "\(address)" && node.role == ClusterNode.Role.voter.rawValue {
            do {
                // One that does not answer would not take over.
                _ = try inquiry.leader(knownBy: NodeAddress(node.address))
                var request = WireRequest(.transfer)
                request.append(word: node.id)
                try Inquiry(patience: .seconds(5), deadline: inquiry.deadline).ask(address) { try $0.perform(request) }
                return node.address
            } catch {
                failure = error
            }
        }
        throw failure
    }
}
