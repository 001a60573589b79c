import DqliteCluster
import Foundation
import Testing

/// Nodes in this process, on the loopback, in a temporary folder.
///
/// `@unchecked Sendable`: the nodes don't change after the initializer.
final class TestNodes: @unchecked Sendable {
    private var nodes: [DqliteNode] = []
    private let folder: TemporaryFolder

    var addresses: [String] { nodes.map(\.address) }

    /// Runs a node, or a cluster of several nodes.
    init(count: Int = 1, limits: DqliteNode.Limits = .ofTests) throws {
        folder = try TemporaryFolder()
        for number in 1...count {
            let directory = try emptyFolder(number)
            let address = "127.0.0.1:\(freePort())"
            if number == 1 {
                nodes.append(
                    try DqliteNode.beginCluster(
                        address: address, directory: directory.path, networkLatency: .milliseconds(50), limits: limits))
                continue
            }
            let node = try DqliteNode(
                id: UInt64(number), address: address, directory: directory.path, networkLatency: .milliseconds(50), limits: limits)
            try node.start()
            nodes.append(node)
        }
        guard count > 1 else { return }
        let cluster = try DqliteCluster(addresses: [addresses[0]], database: "setup")
        for node in nodes.dropFirst() {
            try cluster.add(id: node.id, address: node.address)
            try cluster.promote(id: node.id)
        }
        try cluster.close()
    }

    deinit {
        for node in nodes { node.stop() }
    }

    private func emptyFolder(_ number: Int) throws -> URL {
        let directory = folder.file("\(number)")
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    /// Stops node 1, and begins another cluster at its address, in an empty folder.
    func replaceByAnotherCluster() throws {
        let address = nodes[0].address
        nodes[0].stop()
        nodes[0] = try DqliteNode.beginCluster(
            address: address, directory: try emptyFolder(1).path, networkLatency: .milliseconds(50))
    }

    /// Stops a node.
    func stop(_ id: UInt64) {
        nodes.first { $0.id == id }?.stop()
    }

    /// Stops node 1, and starts it again.
    func restart(limits: DqliteNode.Limits = .ofTests) throws {
        let old = nodes[0]
        old.stop()
        nodes[0] = try DqliteNode(
            id: 1, address: old.address, directory: old.directory, networkLatency: .milliseconds(50), limits: limits)
        try nodes[0].start()
    }

    /// Hands the leadership of a node over, and stops it.
    func stop(_ id: UInt64, gracePeriod: Duration) throws { try nodes[Int(id) - 1].stop(gracePeriod: gracePeriod) }

    /// A node, which the test may use on other threads.
    subscript(_ id: UInt64) -> DqliteNode { nodes[Int(id) - 1] }

    func status(_ id: UInt64) -> DqliteNode.Status { nodes[Int(id) - 1].status() }

    /// The folder of a node.
    func directory(_ id: UInt64) -> String { nodes[Int(id) - 1].directory }

    /// The last problems of the nodes.
    var problems: [String] { nodes.compactMap { $0.status().lastProblem?.description } }

    /// The folder of all nodes' folders.
    var path: String { folder.path }

    /// Waits until node 1 has read the ID of its cluster.
    func waitForIdentity(sourceLocation: SourceLocation = #_sourceLocation) {
        let file = nodes[0].directory + "/strata.node"
        yieldThread(until: "the node knows its cluster", sourceLocation: sourceLocation) {
            (try? String(contentsOfFile: file, encoding: .utf8))?.contains("\"cluster\"") == true
        }
    }

    /// Opens a database of the nodes.
    func open(
        _ database: String = "app", _ configuration: Configuration = Configuration(), leaderTimeout: Duration = .seconds(15)
    ) throws -> DqliteCluster {
        try DqliteCluster(addresses: addresses, database: database, configuration: configuration, leaderTimeout: leaderTimeout)
    }
}

extension DqliteNode.Limits {
    /// On a busy machine, the statements of tests may take long.
    static var ofTests: DqliteNode.Limits {
        var limits = DqliteNode.Limits()
        limits.statementTime = .seconds(60)
        return limits
    }
}
