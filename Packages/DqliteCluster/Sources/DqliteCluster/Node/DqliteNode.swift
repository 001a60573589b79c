import CDqliteCluster
import Foundation
import SQLiteDriver

/// A node of a dqlite cluster, which runs in this process.
///
/// ```swift
/// let node = try DqliteNode(
///     id: 2, address: "10.0.0.2:9001", directory: "/var/lib/app/node")
/// try node.start()
/// ```
///
/// The first node of a cluster has the ID 1, and begins it, once: ``beginCluster(address:directory:networkLatency:otherAddresses:)``. Other
/// nodes start with another ID, and wait until ``DqliteCluster/add(id:address:)`` makes them members. A node keeps its data in its folder,
/// and continues when it is started there again. A node that has lost its folder must not come back under its ID: remove it from the
/// cluster, and add a node with a new ID.
///
/// The node needs libdqlite 1.11 (Debian: `apt-get install libdqlite0`), which is loaded when the first node is created. Nodes have neither
/// TLS nor authentication: anyone who can reach the port can read, write, and end the process. Keep it on a private network.
///
/// A node makes its process ignore the signal SIGPIPE.
public final class DqliteNode {
    /// The node's ID.
    public let id: UInt64

    /// The node's address, `a.b.c.d:port`.
    public let address: String

    /// The folder with the node's data.
    public let directory: String

    private let library: UnsafePointer<strata_dqlite>
    private var node: UnsafeMutableRawPointer?
    private var lockDescriptor: CInt = -1
    private var isRunning = false
    private var identity: NodeIdentity
    private var identification: NodeIdentification?

    private static let creation = NSLock()

    /// Whether libdqlite is installed.
    public static var isAvailable: Bool { strata_load_dqlite() != nil }

    /// Creates a node, without starting it.
    ///
    /// - Parameters:
    ///   - id: 1 for the node that has begun the cluster; others have any other number, not 0.
    ///   - address: a numeric IPv4 address, and a port: nodes don't resolve names. Other nodes and the clients connect to it.
    ///   - directory: a folder, which must exist. No other node may use it.
    ///   - networkLatency: the time that a message may take between two nodes: if the leader is silent for some multiples of it, the
    ///     others elect another leader. Nil for dqlite's default: a failover takes about 5 s. With 20 ms it takes about 1 s, but a
    ///     leader that is busy with long queries may lose its leadership.
    /// - Throws: ``ClusterError``, also if the folder belongs to a node with another ID or address.
    public init(id: UInt64, address: String, directory: String, networkLatency: Duration? = nil) throws {
        guard let library = strata_load_dqlite() else {
            throw ClusterError.node("libdqlite is not installed. On Debian, install it with apt-get install libdqlite0.")
        }
        _ = try NodeAddress(address)
        guard id != 0 else { throw ClusterError.node("0 is not the ID of a node: the first node has the ID 1") }
        self.library = library
        self.id = id
        self.address = address
        self.directory = directory
        identity = NodeIdentity(id: id, address: address)
        strata_ignore_sigpipe()
        try lockFolder()
        do {
            if let stored = try NodeIdentity(directory: directory) {
                guard stored.id == id, stored.address == address else {
                    throw ClusterError.node(
                        "the folder \(directory) belongs to the node \(stored.id) at \(stored.address), and not to the node \(id) at \(address)"
                    )
                }
                identity = stored
            }
            // libdqlite reads and increases the number of the node's file system in two steps, which two threads must not mix. Nodes with
            // the same number would use the memory of one of them, without a lock.
            let code = Self.creation.withLock { library.pointee.node_create(id, address, directory, &node) }
            try check(code, "create")
            try check(library.pointee.node_set_bind_address(node, address), "use the address \(address)")
            if let networkLatency {
                let (seconds, attoseconds) = networkLatency.components
                let milliseconds = UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
                try check(library.pointee.node_set_network_latency_ms(node, milliseconds), "use the latency \(networkLatency)")
            }
        } catch {
            destroy()
            throw error
        }
    }

    deinit {
        stop()
        destroy()
    }

    /// Runs the node on its own threads, and returns when it accepts connections.
    ///
    /// - Throws: ``ClusterError/node(_:)``, for example when the port is in use, when the node runs already or was stopped, when the folder
    ///   of node 1 is empty, or when the other nodes that the folder names now belong to another cluster.
    public func start() throws {
        // dqlite would begin another cluster, at an address where the clients of this one look for theirs.
        if try id == 1 && NodeIdentity.isEmpty(directory) {
            throw ClusterError.node(
                "the folder \(directory) is empty: to begin a cluster, call DqliteNode.beginCluster(). If this node has lost its folder, "
                    + "remove node 1 from its cluster, and add a node with a new ID.")
        }
        try checkCluster()
        try run()
    }

    /// Begins a cluster whose only member is a new node with the ID 1, and runs the node.
    ///
    /// ```swift
    /// let node = try DqliteNode.beginCluster(
    ///     address: "10.0.0.1:9001", directory: "/var/lib/app/node",
    ///     otherAddresses: ["10.0.0.2:9001", "10.0.0.3:9001"])
    /// ```
    ///
    /// Begin a cluster once. From then on, start the node with ``init(id:address:directory:networkLatency:)`` and ``start()``. A second
    /// cluster at the same address would take the writes of the first one's clients.
    ///
    /// - Parameters:
    ///   - address: a numeric IPv4 address, and a port.
    ///   - directory: an empty folder.
    ///   - networkLatency: see ``init(id:address:directory:networkLatency:)``.
    ///   - otherAddresses: where nodes of the same cluster may be running: if one of them is a member of a cluster, none is begun. A node
    ///     that does not answer within a second can't prevent it.
    /// - Throws: ``ClusterError``.
    public static func beginCluster(
        address: String, directory: String, networkLatency: Duration? = nil, otherAddresses: [String] = []
    ) throws -> DqliteNode {
        for other in otherAddresses where other != address {
            let other = try NodeAddress(other)
            guard let members = try? NodeConnection.members(knownBy: other), !members.isEmpty else { continue }
            throw ClusterError.node("the node at \(other) belongs to a cluster: add this node to it, with a new ID")
        }
        let node = try DqliteNode(id: 1, address: address, directory: directory, networkLatency: networkLatency)
        guard try NodeIdentity.isEmpty(directory) else {
            throw ClusterError.node("the folder \(directory) is not empty: a cluster begins in an empty folder. To continue, call start().")
        }
        try node.run()
        return node
    }

    private func run() throws {
        guard let node else { throw ClusterError.node("the node \(id) was stopped: create another node for its folder") }
        guard !isRunning else { throw ClusterError.node("the node \(id) is running already") }
        try check(library.pointee.node_start(node), "start")
        isRunning = true
        do {
            try identity.store(in: directory)
        } catch {
            stop()
            throw error
        }
        identification = NodeIdentification(identity, directory: directory)
    }

    /// Throws if another node of the cluster says that it is another cluster. Without an answer, the node starts.
    private func checkCluster() throws {
        guard let own = identity.cluster else { return }
        let members = identity.members.compactMap { try? NodeAddress($0) }
        let foreign = Guarded<NodeAddress?>(nil)
        DispatchQueue.concurrentPerform(iterations: members.count) { index in
            guard let cluster = try? NodeConnection.cluster(of: members[index]), let id = cluster.id, id != own else { return }
            foreign.withLock { $0 = members[index] }
        }
        if let address = foreign.withLock({ $0 }) {
            throw ClusterError.node("the folder \(directory) belongs to another cluster than the node at \(address)")
        }
    }

    /// Stops the node, which can't be started again: create another node for the same folder.
    ///
    /// If the node is the leader, transfer the leadership first, so that clients need not wait for an election:
    /// ``DqliteCluster/transferLeadership(to:)``.
    public func stop() {
        identification?.end()
        if isRunning { _ = library.pointee.node_stop(node) }
        isRunning = false
        destroy()
    }

    private func destroy() {
        if let node { library.pointee.node_destroy(node) }
        node = nil
        if lockDescriptor >= 0 { close(lockDescriptor) }
        lockDescriptor = -1
    }

    /// Locks the folder, which dqlite does not do: two nodes in one folder would destroy each other's data.
    private func lockFolder() throws {
        let path = directory + "/strata.lock"
        lockDescriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lockDescriptor >= 0 else {
            throw ClusterError.node("the folder \(directory) can't be used: \(String(cString: strerror(errno))). Create it first.")
        }
        guard flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(lockDescriptor)
            lockDescriptor = -1
            throw ClusterError.node("another node uses the folder \(directory)")
        }
    }

    private func check(_ code: CInt, _ action: String) throws {
        if code == 0 { return }
        let message = node.flatMap { library.pointee.node_errmsg($0) }.map { String(cString: $0) } ?? "error \(code)"
        throw ClusterError.node("the node \(id) could not \(action): \(message)")
    }
}
