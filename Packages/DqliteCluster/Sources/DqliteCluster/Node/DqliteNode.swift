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
/// The first node begins the cluster, once: ``beginCluster(id:address:directory:networkLatency:limits:otherAddresses:)``. Other nodes start
/// with other IDs, and wait until ``DqliteCluster/add(id:address:)`` makes them members. A node keeps its data in its folder, and continues
/// when it is started there again. A node that has lost its folder must not come back under its ID: remove it from the cluster, and add a
/// node with a new ID.
///
/// The node needs libdqlite 1.11 (Debian: `apt-get install libdqlite0`), which is loaded when the first node is created. Nodes have neither
/// TLS nor authentication: anyone who can reach the port can read, write, and end the process. Keep it on a private network.
///
/// ``run(otherAddresses:gracePeriod:)`` is the node as a service of a program, and ``start(otherAddresses:)`` and ``stop(gracePeriod:)`` are its
/// two halves.
///
/// A node makes its process ignore the signal SIGPIPE.
///
/// `@unchecked Sendable`: `lifecycle` guards the node and what belongs to its life, and `observed` what other threads read meanwhile.
public final class DqliteNode: @unchecked Sendable {
    /// The node's ID.
    public let id: UInt64

    /// The node's address, `a.b.c.d:port`.
    public let address: String

    /// The folder with the node's data.
    public let directory: String

    private let library: UnsafePointer<strata_dqlite>
    private let limits: Limits
    private let lifecycle = NSLock()
    private var node: UnsafeMutableRawPointer?
    private var lockDescriptor: CInt = -1
    private var isRunning = false
    private var identity: NodeIdentity
    private var identification: NodeIdentification?

    private struct Observed {
        var nodeGuard: OpaquePointer?
        var watch: NodeWatch?
    }

    private let observed = Guarded(Observed())

    /// The request to end ``run(otherAddresses:gracePeriod:)`` ends the stream.
    let shutdown = AsyncStream<Void>.makeStream()

    private static let creation = NSLock()

    /// Whether libdqlite is installed.
    public static var isAvailable: Bool { strata_load_dqlite() != nil }

    /// Creates a node, without starting it.
    ///
    /// - Parameters:
    ///   - id: the node's number in the cluster, not 0. A node never gets an ID that another one had.
    ///   - address: a numeric IPv4 address, and a port: nodes don't resolve names. Other nodes and the clients connect to it.
    ///   - directory: a folder, which must exist. No other node may use it.
    ///   - networkLatency: the time that a message may take between two nodes: if the leader is silent for some multiples of it, the
    ///     others elect another leader. Nil for dqlite's default: a failover takes about 5 s. With 20 ms it takes about 1 s, but a
    ///     leader that is busy with long queries may lose its leadership.
    ///   - limits: what the clients and the disk may do.
    /// - Throws: ``ClusterError``, also if the folder belongs to a node with another ID or address.
    public convenience init(
        id: UInt64, address: String, directory: String, networkLatency: Duration? = nil, limits: Limits = Limits()
    ) throws {
        try self.init(id, address, directory, networkLatency, limits, .run)
    }

    /// What a node is created for.
    private enum Purpose {
        /// To run it in its folder.
        case run
        /// To begin a cluster in an empty folder, and to run it.
        case begin
        /// To make it the only member of the cluster in the folder, which may belong to a node with another ID or address.
        case recover
    }

    private init(
        _ id: UInt64, _ address: String, _ directory: String, _ networkLatency: Duration?, _ limits: Limits, _ purpose: Purpose
    ) throws {
        guard let library = strata_load_dqlite() else {
            throw ClusterError.node(
                "libdqlite is not installed, or has another version than 1.11. On Debian, install it with apt-get install libdqlite0.")
        }
        _ = try NodeAddress(address)
        guard id != 0 else { throw ClusterError.node("0 is not the ID of a node: the first node has the ID 1") }
        self.library = library
        self.id = id
        self.address = address
        self.directory = directory
        self.limits = limits
        identity = NodeIdentity(id: id, address: address)
        strata_ignore_sigpipe()
        try lockFolder()
        var beginning: URL?
        do {
            if purpose == .begin { beginning = try prepareToBegin() }
            if purpose != .recover { try identify() }
            try create(networkLatency)
            if purpose != .recover { try configure(networkLatency) }
        } catch {
            // The folder is empty again.
            if let beginning { try? FileManager.default.removeItem(at: beginning) }
            end()
            throw error
        }
    }

    /// Prepares the folder, which must be empty, for a new cluster.
    ///
    /// - Returns: a file that was written, if the ID needs one.
    private func prepareToBegin() throws -> URL? {
        guard try NodeIdentity.isEmpty(directory) else {
            throw ClusterError.node(
                "the folder \(directory) is not empty: a cluster begins in an empty folder. To continue, call start().")
        }
        // dqlite begins a cluster on its own if the ID is 1. libraft reads the file when the node is created.
        return id == 1 ? nil : try RaftLog.begin(in: directory)
    }

    /// Takes the identity that the folder has.
    private func identify() throws {
        guard let stored = try NodeIdentity(directory: directory) else { return }
        guard stored.id == id, stored.address == address else {
            throw ClusterError.node(
                "the folder \(directory) belongs to the node \(stored.id) at \(stored.address), and not to the node \(id) at \(address)")
        }
        identity = stored
    }

    /// Creates dqlite's node.
    private func create(_ networkLatency: Duration?) throws {
        // libdqlite reads and increases the number of the node's file system in two steps, which two threads must not mix. Nodes with
        // the same number would use the memory of one of them, without a lock.
        let code = Self.creation.withLock {
            let code = library.pointee.node_create(id, address, directory, &node)
            let electionTimeout = networkLatency.map { $0 * 15 } ?? .seconds(3)
            if code == 0 {
                let nodeGuard = strata_guard_new_node(limits.guardLimits(electionTimeout: electionTimeout))
                observed.withLock { $0.nodeGuard = nodeGuard }
            }
            return code
        }
        defer { if code != 0 { node = nil } }
        try check(code, "use the folder \(directory)")
    }

    /// Sets what dqlite's node needs to run.
    private func configure(_ networkLatency: Duration?) throws {
        try check(
            library.pointee.node_set_bind_address(node, address),
            "use the address \(address), which must be one of this machine, with a port that is free")
        guard let networkLatency else { return }
        let (seconds, attoseconds) = networkLatency.components
        let milliseconds = UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        try check(library.pointee.node_set_network_latency_ms(node, milliseconds), "use the latency \(networkLatency)")
    }

    deinit { end() }

    /// Runs the node on its own threads, and returns when it accepts connections.
    ///
    /// - Parameter otherAddresses: where nodes of the same cluster may be running. If the folder is empty, and one of them says that a node
    ///   with this ID or this address is a member already, the node has lost its folder, and does not start: it would vote although it has
    ///   forgotten its votes and its entries. A node that does not answer within a second can't prevent it.
    /// - Throws: ``ClusterError/node(_:)``, for example when the port is in use, when the node runs already or was stopped, when the folder
    ///   of node 1 is empty, or when the other nodes that the folder names now belong to another cluster.
    public func start(otherAddresses: [String] = []) throws {
        try lifecycle.withLock {
            let isEmpty = try NodeIdentity.isEmpty(directory)
            // dqlite would begin another cluster, at an address where the clients of this one look for theirs.
            if id == 1 && isEmpty {
                throw ClusterError.node(
                    "the folder \(directory) is empty: to begin a cluster, call DqliteNode.beginCluster(). If this node has lost its folder, "
                        + "remove node 1 from its cluster, and add a node with a new ID.")
            }
            if isEmpty { try checkIsNew(otherAddresses) }
            try checkCluster()
            try begin()
        }
    }

    /// Throws if another node says that this one is a member, although its folder is empty.
    private func checkIsNew(_ otherAddresses: [String]) throws {
        for other in try otherAddresses.map({ try NodeAddress($0) }) where "\(other)" != address {
            let inquiry = Inquiry.short
            // Others may not know of the last change yet. They may also still take this node for the leader.
            let leader = try? inquiry.leader(knownBy: other)
            let source = leader.map { "\($0)" == address ? other : $0 } ?? other
            guard let members = try? inquiry.ask(source, { try $0.nodes() }),
                let own = members.first(where: { $0.id == id || $0.address == address })
            else { continue }
            throw ClusterError.node(
                "the folder \(directory) is empty, although the node \(own.id) at \(own.address) is a member of the cluster of \(other): if it "
                    + "has lost its folder, remove it, and add a node with a new ID")
        }
    }

    /// Whether the node was started, and not stopped.
    var hasStarted: Bool { lifecycle.withLock { isRunning } }

    /// The last problem that the node's watch has seen, and since when the node leads.
    var watched: (problem: Problem?, leaderSince: Date?) {
        observed.withLock { $0.watch }.map { ($0.problem, $0.leaderSince) } ?? (nil, nil)
    }

    /// What the clients of the node do.
    var guardState: strata_guard_state {
        observed.withLock { $0.nodeGuard.map { strata_guard_read($0) } ?? strata_guard_state() }
    }

    /// Begins a cluster whose only member is a new node, and runs the node.
    ///
    /// ```swift
    /// let node = try DqliteNode.beginCluster(
    ///     address: "10.0.0.1:9001", directory: "/var/lib/app/node",
    ///     otherAddresses: ["10.0.0.2:9001", "10.0.0.3:9001"])
    /// ```
    ///
    /// Begin a cluster once. From then on, start the node with ``init(id:address:directory:networkLatency:limits:)`` and
    /// ``start(otherAddresses:)``. A second cluster at the same address would take the writes of the first one's clients.
    ///
    /// - Parameters:
    ///   - id: the node's ID: any number but 0.
    ///   - address: a numeric IPv4 address, and a port.
    ///   - directory: an empty folder.
    ///   - networkLatency: see ``init(id:address:directory:networkLatency:limits:)``.
    ///   - limits: what the clients and the disk may do.
    ///   - otherAddresses: where nodes of the same cluster may be running: if one of them is a member of a cluster, none is begun. A node
    ///     that does not answer within a second can't prevent it.
    /// - Throws: ``ClusterError``.
    public static func beginCluster(
        id: UInt64 = 1, address: String, directory: String, networkLatency: Duration? = nil, limits: Limits = Limits(),
        otherAddresses: [String] = []
    ) throws -> DqliteNode {
        for other in otherAddresses where other != address {
            let other = try NodeAddress(other)
            guard let members = try? Inquiry.short.ask(other, { try $0.nodes() }), !members.isEmpty else { continue }
            throw ClusterError.node("the node at \(other) belongs to a cluster: add this node to it, with a new ID")
        }
        let node = try DqliteNode(id, address, directory, networkLatency, limits, .begin)
        try node.lifecycle.withLock {
            if id != 1 { try node.becomeOnlyMember() }
            try node.begin()
        }
        return node
    }

    /// Makes a folder the only member of a new cluster with the folder's data, after the majority of a cluster was lost.
    ///
    /// ```swift
    /// try DqliteNode.recover(
    ///     id: 4, address: "10.0.0.4:9001", directory: "/var/lib/app/node")
    /// let node = try DqliteNode(
    ///     id: 4, address: "10.0.0.4:9001", directory: "/var/lib/app/node")
    /// try node.start()
    /// ```
    ///
    /// Writes that were acknowledged and had not reached this node are lost: of several folders, recover the one that
    /// ``NodeFolder/newest(of:)`` returns. Make a copy of the folder first.
    ///
    /// **Never start the other nodes of the former cluster again**: their folders have another history. Start nodes with new IDs and empty
    /// folders instead, and add them. Clients that were connected to the former cluster refuse the new one: open it again.
    ///
    /// - Parameters:
    ///   - id: the node's ID, its own or a new one.
    ///   - address: its address, its own or a new one.
    ///   - directory: the folder of a stopped node, or a copy of it.
    /// - Throws: ``ClusterError``.
    public static func recover(id: UInt64, address: String, directory: String) throws {
        guard try !NodeIdentity.isEmpty(directory) else {
            throw ClusterError.node("the folder \(directory) is empty: it has no data to recover")
        }
        let node = try DqliteNode(id, address, directory, nil, Limits(), .recover)
        defer { node.end() }
        var identity = NodeIdentity(id: id, address: address)
        identity.newCluster = UUID().uuidString.lowercased()
        // Stored first: if the process ends in between, the folder must not start as the only member of a cluster with the former ID.
        let former = try NodeIdentity(directory: directory)
        try identity.store(in: directory)
        do {
            try node.becomeOnlyMember()
        } catch {
            try? former?.store(in: directory)
            throw error
        }
    }

    /// Makes the node the only member of the cluster in its folder, before it is started.
    private func becomeOnlyMember() throws {
        try address.withCString { text in
            var info = strata_dqlite_info(
                size: UInt64(MemoryLayout<strata_dqlite_info>.size), id: id, address: UInt64(UInt(bitPattern: text)), role: 0)
            try check(library.pointee.node_recover_ext(node, &info, 1), "use the folder \(directory) for a new cluster")
        }
    }

    private func begin() throws {
        guard let node else { throw ClusterError.node("the node \(id) was stopped: create another node for its folder") }
        guard !isRunning else { throw ClusterError.node("the node \(id) is running already") }
        if let shortage = NodeWatch.shortage(directory, limits) { throw ClusterError.node("the node \(id) could not start: \(shortage)") }
        try check(library.pointee.node_start(node), "start")
        isRunning = true
        do {
            try identity.store(in: directory)
        } catch {
            end()
            throw error
        }
        let identification = NodeIdentification(identity, directory: directory)
        self.identification = identification
        // A client that learned the former ID would refuse the cluster from then on.
        if identity.newCluster != nil, !identification.wait(seconds: 30) {
            end()
            throw ClusterError.node("the node \(id) could not give its recovered cluster a new ID within 30 s: start it again")
        }
        let watch = NodeWatch(address: address, directory: directory, limits: limits) { [weak self] in self?.guardState }
        observed.withLock { $0.watch = watch }
    }

    /// Throws if another node of the cluster says that it is another cluster. Without an answer, the node starts.
    private func checkCluster() throws {
        guard let own = identity.cluster else { return }
        let members = identity.members.compactMap { try? NodeAddress($0) }
        let foreign = Guarded<NodeAddress?>(nil)
        DispatchQueue.concurrentPerform(iterations: members.count) { index in
            guard let cluster = try? Inquiry.short.cluster(of: members[index]), let id = cluster.id, id != own else { return }
            foreign.withLock { $0 = members[index] }
        }
        if let address = foreign.withLock({ $0 }) {
            throw ClusterError.node("the folder \(directory) belongs to another cluster than the node at \(address)")
        }
    }

    /// Stops the node, which can't be started again: create another node for the same folder.
    ///
    /// If the node is the leader, clients then wait for an election: ``stop(gracePeriod:)`` hands the leadership over first.
    public func stop() {
        lifecycle.withLock { end() }
    }

    private func end() {
        identification?.end()
        let (nodeGuard, watch) = observed.withLock { observed in
            defer { observed = Observed() }
            return (observed.nodeGuard, observed.watch)
        }
        watch?.end()
        if isRunning { _ = library.pointee.node_stop(node) }
        isRunning = false
        if let node { library.pointee.node_destroy(node) }
        node = nil
        if let nodeGuard { strata_guard_free(nodeGuard) }
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
        let message = node.flatMap { library.pointee.node_errmsg($0) }.map { String(cString: $0) } ?? ""
        throw ClusterError.node("the node \(id) could not \(action)\(message.isEmpty ? "" : ": \(message)") (error \(code) of libdqlite)")
    }
}
