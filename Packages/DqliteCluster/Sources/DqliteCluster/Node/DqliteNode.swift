import CDqliteCluster
import Foundation

/// A node of a dqlite cluster, which runs in this process.
///
/// ```swift
/// let node = try DqliteNode(
///     id: 1, address: "10.0.0.1:9001", directory: "/var/lib/app/node")
/// try node.start()
/// ```
///
/// The first node of a cluster has the ID 1, and is a cluster on its own. Other nodes start with another ID, and wait until
/// ``DqliteCluster/add(id:address:)`` makes them members. A node keeps its data in its folder, and continues when it is started there
/// again.
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

    private static let creation = NSLock()

    /// Whether libdqlite is installed.
    public static var isAvailable: Bool { strata_load_dqlite() != nil }

    /// Creates a node, without starting it.
    ///
    /// - Parameters:
    ///   - id: 1 for the first node of a cluster; others have any other number, not 0.
    ///   - address: a numeric IPv4 address, and a port: nodes don't resolve names. Other nodes and the clients connect to it.
    ///   - directory: a folder, which must exist. No other node may use it.
    ///   - networkLatency: the time that a message may take between two nodes: if the leader is silent for some multiples of it, the
    ///     others elect another leader. Nil for dqlite's default: a failover takes about 5 s. With 20 ms it takes about 1 s, but a
    ///     leader that is busy with long queries may lose its leadership.
    /// - Throws: ``ClusterError``.
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
        strata_ignore_sigpipe()
        try lockFolder()
        do {
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
    /// - Throws: ``ClusterError/node(_:)``, for example when the port is in use, or when the node runs already or was stopped.
    public func start() throws {
        guard let node else { throw ClusterError.node("the node \(id) was stopped: create another node for its folder") }
        guard !isRunning else { throw ClusterError.node("the node \(id) is running already") }
        try check(library.pointee.node_start(node), "start")
        isRunning = true
    }

    /// Stops the node, which can't be started again: create another node for the same folder.
    ///
    /// If the node is the leader, transfer the leadership first, so that clients need not wait for an election:
    /// ``DqliteCluster/transferLeadership(to:)``.
    public func stop() {
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
