import DqliteCluster
import Foundation
import Testing

/// Nodes of a cluster, each in a process of its own, on the loopback, or each on a host of its own.
///
/// `@unchecked Sendable`: a lock guards the nodes.
final class NodeProcesses: @unchecked Sendable {
    private struct Node {
        let process: Process
        /// The process ends when its input does.
        let pipes: ProcessPipes
    }

    private let lock = NSLock()
    private var nodes: [UInt64: Node] = [:]
    private let folder: TemporaryFolder
    private let latency: Int
    private let options: [String]
    private let folders: [UInt64: String]
    let network: TestNetwork?
    let addresses: [String]

    /// Runs a cluster.
    ///
    /// - Parameters:
    ///   - count: the number of its nodes.
    ///   - laterCount: the number of nodes that join later.
    ///   - latency: the milliseconds that messages between nodes may take. Nodes elect another leader when they hear nothing of the
    ///     leader for 15 times as long.
    ///   - options: what the processes get after that.
    ///   - network: hosts for the nodes; the one after the last node is for a client.
    ///   - folders: the folders of some nodes.
    init(
        count: Int = 3, laterCount: Int = 0, latency: Int = 50, options: [String] = [], network: TestNetwork? = nil,
        folders: [UInt64: String] = [:]
    ) throws {
        self.latency = latency
        self.options = options
        self.network = network
        self.folders = folders
        folder = try TemporaryFolder()
        addresses = (1...count + laterCount).map { number in network.map { "\($0.address(number)):9001" } ?? "127.0.0.1:\(freePort())" }
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
        let directory = self.directory(id)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let process = self.process(["\(id)", addresses[Int(id) - 1], directory, "\(latency)"] + options, on: Int(id))
        let pipes = try process.runWithPipes()
        guard pipes.output.availableData.starts(with: Data("ready".utf8)) else {
            process.waitUntilExit()
            throw ProcessFailure(description: "the node \(id) did not start")
        }
        lock.withLock { nodes[id] = Node(process: process, pipes: pipes) }
    }

    private func process(_ arguments: [String], on host: Int) -> Process {
        network?.process("dqlite-node-process", arguments, on: host) ?? Process(program: "dqlite-node-process", arguments)
    }

    /// The folder of a node.
    func directory(_ id: UInt64) -> String { folders[id] ?? folder.path("\(id)") }

    /// Starts a process with a connection to the cluster, on the host after the last node.
    func client() throws -> ClientProcess {
        try ClientProcess(process(["client", addresses.joined(separator: ",")], on: addresses.count + 1))
    }

    /// The last problem that a node has seen.
    func problem(_ id: UInt64) throws -> String { try String(status(id).drop { $0 != " " }) }

    /// Whether a node believes that it leads.
    func isLeader(_ id: UInt64) throws -> Bool { try status(id).hasPrefix("true") }

    private func status(_ id: UInt64) throws -> String {
        guard let pipes = lock.withLock({ nodes[id]?.pipes }) else { throw ProcessFailure(description: "node \(id) is not running") }
        try pipes.input.write(contentsOf: Data("\n".utf8))
        return String(decoding: try pipes.output.bytes(for: "the status of node \(id)"), as: UTF8.self)
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

/// A process with one connection to a cluster, which runs SQL on command.
final class ClientProcess {
    private let process: Process
    private let pipes: ProcessPipes
    private var received = Data()

    fileprivate init(_ process: Process) throws {
        self.process = process
        pipes = try process.runWithPipes()
        guard try answer() == "ready" else { throw ProcessFailure(description: "the client did not start") }
    }

    deinit {
        signal(SIGKILL)
        process.waitUntilExit()
    }

    /// Returns the next answer.
    func answer() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let bytes = try pipes.output.bytes(for: "the answer of a client")
            guard !bytes.isEmpty else { throw ProcessFailure(description: "the client has ended") }
            received.append(bytes)
        }
    }

    /// Runs SQL, and returns "ok" or the error.
    func run(_ sql: String) throws -> String {
        try send(sql)
        return try answer()
    }

    /// Runs SQL without waiting for its end.
    func send(_ sql: String) throws { try pipes.input.write(contentsOf: Data("\(sql)\n".utf8)) }

    func signal(_ number: CInt) { kill(process.processIdentifier, number) }
}
