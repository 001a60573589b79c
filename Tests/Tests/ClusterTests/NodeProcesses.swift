import DqliteCluster
import Foundation
import Testing

/// Nodes of a cluster, each in a process of its own, on the loopback.
///
/// `@unchecked Sendable`: a lock guards the nodes.
final class NodeProcesses: @unchecked Sendable {
    private struct Node {
        let process: Process
        /// The process ends when its input does.
        let input: FileHandle
    }

    private let lock = NSLock()
    private var nodes: [UInt64: Node] = [:]
    private let folder: TemporaryFolder
    private let latency: Int
    let addresses: [String]

    /// Runs a cluster.
    ///
    /// - Parameters:
    ///   - count: the number of its nodes.
    ///   - laterCount: the number of nodes that join later.
    ///   - latency: the milliseconds that messages between nodes may take. Nodes elect another leader when they hear nothing of the
    ///     leader for 15 times as long.
    init(count: Int = 3, laterCount: Int = 0, latency: Int = 50) throws {
        self.latency = latency
        folder = try TemporaryFolder()
        addresses = (0..<count + laterCount).map { _ in "127.0.0.1:\(freePort())" }
        try start(1)
        guard count > 1 else { return }
        let cluster = try open(addresses: [addresses[0]])
        for id in 2...UInt64(count) { try join(id, cluster) }
        try cluster.close()
    }

    deinit {
        for node in nodes.values { kill(node.process.processIdentifier, SIGKILL) }
        for node in nodes.values { node.process.waitUntilExit() }
    }

    func open(addresses: [String]? = nil, database: String = "app") throws -> DqliteCluster {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        return try DqliteCluster(
            addresses: addresses ?? self.addresses, database: database, configuration: configuration, requestTimeout: .seconds(10),
            leaderTimeout: .seconds(20))
    }

    /// Starts a node, and waits until it accepts connections.
    func start(_ id: UInt64) throws {
        let directory = folder.file("\(id)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let process = Process(program: "dqlite-node-process", ["\(id)", addresses[Int(id) - 1], directory.path, "\(latency)"])
        let pipes = try process.runWithPipes()
        guard pipes.output.availableData.starts(with: Data("ready".utf8)) else {
            throw ProcessFailure(description: "the node \(id) did not start")
        }
        lock.withLock { nodes[id] = Node(process: process, input: pipes.input) }
    }

    /// Starts a node, and makes it a voter.
    func join(_ id: UInt64, _ cluster: DqliteCluster) throws {
        if lock.withLock({ nodes[id] == nil }) { try start(id) }
        try cluster.add(id: id, address: addresses[Int(id) - 1])
        try cluster.promote(id: id)
    }

    /// Makes a voter the leader. A transfer fails when the node does not take over in time.
    func lead(_ id: UInt64, _ cluster: DqliteCluster) {
        while (try? cluster.leader().id) != id { try? cluster.transferLeadership(to: id) }
    }

    /// Kills a node.
    func stop(_ id: UInt64) {
        guard let process = lock.withLock({ nodes.removeValue(forKey: id)?.process }) else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Pauses a node, as a virtual machine may be paused: its connections stay open, and it does not answer.
    func pause(_ id: UInt64) {
        signal(id, SIGSTOP)
        // Each thread stops on its own. A thread that waits for a disk stops only after that.
        yieldThread(until: "node \(id) is paused") { !state(id).contains { !"tTZX".contains($0) } }
    }

    /// The states of the threads of a node's process, on Linux: R, S, D, T and others.
    func state(_ id: UInt64) -> String {
        guard let process = lock.withLock({ nodes[id]?.process }) else { return "" }
        let tasks = "/proc/\(process.processIdentifier)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).compactMap { task in
            // The state follows the name of the program, in parentheses.
            guard let stat = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8) else { return nil }
            return stat.split(separator: ")").last.flatMap { $0.dropFirst().first.map(String.init) }
        }.joined()
    }

    /// Lets a paused node continue.
    func resume(_ id: UInt64) {
        signal(id, SIGCONT)
    }

    private func signal(_ id: UInt64, _ signal: CInt) {
        guard let process = lock.withLock({ nodes[id]?.process }) else { return }
        kill(process.processIdentifier, signal)
    }
}
