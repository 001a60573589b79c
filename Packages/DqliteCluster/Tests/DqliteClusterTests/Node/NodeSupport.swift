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
    init(count: Int = 1) throws {
        folder = try TemporaryFolder()
        for number in 1...count {
            let directory = folder.file("\(number)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let node = try DqliteNode(
                id: UInt64(number), address: "127.0.0.1:\(freePort())", directory: directory.path, networkLatency: .milliseconds(50))
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

    /// Opens a database of the nodes.
    func open(_ database: String = "app", _ configuration: Configuration = Configuration()) throws -> DqliteCluster {
        try DqliteCluster(addresses: addresses, database: database, configuration: configuration)
    }
}
