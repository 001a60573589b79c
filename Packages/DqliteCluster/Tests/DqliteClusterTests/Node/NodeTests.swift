import CSQLiteShims
import DqliteCluster
import Foundation
import Testing

@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct NodeTests {
    @Test
    func `A folder has one node, which keeps its data`() throws {
        let folder = try TemporaryFolder()
        let directory = folder.path
        let address = "127.0.0.1:\(freePort())"
        let node = try DqliteNode.beginCluster(address: address, directory: directory)
        #expect(throws: ClusterError.self) { try DqliteNode(id: 2, address: "127.0.0.1:\(freePort())", directory: directory) }
        do {
            let cluster = try DqliteCluster(addresses: [address], database: "app")
            try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
            try cluster.close()
        }
        node.stop()
        let again = try DqliteNode(id: 1, address: address, directory: directory)
        try again.start()
        let cluster = try DqliteCluster(addresses: [address], database: "app")
        let count = try cluster.read { db in
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM t")
            return try statement.step() ? statement.int64(at: 0) : nil
        }
        #expect(count == 1)
        try cluster.close()
        again.stop()
    }

    @Test
    func `A node needs a folder, an address in numbers, and an ID`() {
        let address = "127.0.0.1:\(freePort())"
        #expect(throws: ClusterError.self) { try DqliteNode(id: 1, address: address, directory: "/nonexistent/strata") }
        #expect(throws: ClusterError.invalidAddress("localhost:9001")) {
            try DqliteNode(id: 1, address: "localhost:9001", directory: NSTemporaryDirectory())
        }
        #expect(throws: ClusterError.invalidAddress("0.0.0.0:9001")) {
            try DqliteNode(id: 1, address: "0.0.0.0:9001", directory: NSTemporaryDirectory())
        }
        #expect(throws: ClusterError.self) { try DqliteNode(id: 0, address: address, directory: NSTemporaryDirectory()) }
    }

    @Test
    func `Nodes are added, promoted, demoted and removed, and the leadership moves`() throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        #expect(try cluster.nodes().map(\.role) == [.voter, .voter, .voter])
        try cluster.write(id: "create") { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let leader = try cluster.leader()
        let other = try #require(try cluster.nodes().first { $0.id != leader.id })
        // A transfer fails when the node does not take over in time.
        while (try? cluster.leader().id) != other.id { try? cluster.transferLeadership(to: other.id) }
        // The connections to the old leader are replaced without an error.
        try cluster.write(id: "insert") { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(try cluster.leader().id == other.id)
        let third = try #require(try cluster.nodes().first { ![leader.id, other.id].contains($0.id) })
        try cluster.demote(id: third.id)
        #expect(try cluster.nodes().first { $0.id == third.id }?.role == .spare)
        try cluster.remove(id: third.id)
        #expect(try cluster.nodes().count == 2)
        try cluster.close()
    }

    @Test
    func `After a failover, writes succeed whose time is shorter than connecting takes`() throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        try cluster.write(id: "create") { db in try db.execute(sql: "CREATE TABLE t (a)") }
        nodes.stop(try cluster.leader().id)
        yieldThread(until: "a write succeeds") {
            (try? cluster.write(timeout: .milliseconds(20)) { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }) != nil
        }
        try cluster.close()
    }

    @Test
    func `Members that don't answer are reported, and neither added nor promoted`() throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        #expect(try cluster.status().warnings == [])
        nodes.stop(3)
        var members = try cluster.members()
        #expect(members.map(\.node.id) == [1, 2, 3])
        #expect(members.map(\.isReachable) == [true, true, false])
        #expect(members.count(where: \.isLeader) == 1)
        var warnings = try cluster.status().warnings
        #expect(warnings.contains("the node 3 at \(nodes.addresses[2]) does not answer"))
        #expect(warnings.contains("2 of 3 voters answer: if another one fails, the cluster stops"))
        func expectNoAnswer(_ body: () throws -> Void) {
            let error = #expect(throws: ClusterError.self) { try body() }
            #expect("\(String(describing: error))".contains("no node answers at"))
        }
        expectNoAnswer { try cluster.add(id: 4, address: "127.0.0.1:\(freePort())") }
        try cluster.demote(id: 3)
        expectNoAnswer { try cluster.promote(id: 3) }
        warnings = try cluster.status().warnings
        #expect(warnings.contains { $0.contains("there are 2 voters, which survive no more losses than 1") })
        members = try cluster.members()
        #expect(members.map(\.node.role) == [.voter, .voter, .spare])
        try cluster.close()
    }

    @Test
    func `A node that stops with a grace period hands its leadership over`() throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let leader = try cluster.leader()
        let status = nodes.status(leader.id)
        #expect(status.isLeader && status.leader == leader.address && status.connectionCount > 0)
        #expect(status.idleTransaction == nil && status.lastProblem == nil)
        #expect(status.folderSize > 0 && status.freeSpace > 0)
        #expect(!nodes.status(leader.id % 3 + 1).isLeader)
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(nodes.status(leader.id).idleTransaction != nil)
        }
        try nodes.stop(leader.id, gracePeriod: .seconds(20))
        #expect(!nodes.status(leader.id).isReady)
        // A new leader was elected before the node stopped. Without it, the others would still believe in the old one.
        #expect((UInt64(1)...3).contains { nodes.status($0).isLeader })
        try cluster.close()
        // The only voter just stops.
        let alone = try TestNodes()
        try alone.stop(1, gracePeriod: .seconds(20))
        #expect(!alone.status(1).isReady)
    }

    @Test(arguments: [false, true])
    func `A node runs as a service until it is shut down or its task is cancelled`(isCancelled: Bool) async throws {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        try await cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let leader = try cluster.leader()
        let node = nodes[leader.id]
        let service = Task { try await node.run(gracePeriod: .seconds(20)) }
        yieldThread(until: "the leader knows since when it leads") { node.status().leaderSince.map { $0 <= Date() } ?? false }
        #expect(node.status().isReady && node.status().logSize > 0 && node.status().logSize <= node.status().folderSize)
        if isCancelled { service.cancel() } else { node.shutDown() }
        let result = await service.result
        #expect((UInt64(1)...3).contains { nodes.status($0).isLeader })
        if isCancelled { #expect(throws: CancellationError.self) { try result.get() } } else { try result.get() }
        #expect(!node.status().isReady)
        #expect(node.status().leaderSince == nil)
        // The folder is free. A service that was asked to end before it began ends.
        let again = try DqliteNode(id: leader.id, address: leader.address, directory: node.directory, networkLatency: .milliseconds(50))
        again.shutDown()
        try await again.run()
        #expect(throws: ClusterError.self) { try again.start() }
        try cluster.close()
    }

    @Test
    func `A change of the membership that is not answered may happen`() throws {
        let node = ScriptedNode()
        let cluster = try node.open(requestTimeout: .milliseconds(200))
        node.setScript { $0.type == 13 ? .silence : .standard }
        let error = #expect(throws: ClusterError.self) { try cluster.promote(id: 1) }
        let isUnknown = if case .changeUnknown? = error { true } else { false }
        #expect(isUnknown, "\(String(describing: error))")
        node.setScript { $0.type == 13 ? .failure(1, "unknown error") : .standard }
        #expect(throws: DatabaseError.self) { try cluster.demote(id: 1) }
    }

    @Test
    func `A node whose port is in use says so`() throws {
        let folder = try TemporaryFolder()
        let (descriptor, port) = boundSocket()
        defer { close(descriptor) }
        listen(descriptor, 1)
        let error = #expect(throws: ClusterError.self) {
            try DqliteNode(id: 1, address: "127.0.0.1:\(port)", directory: folder.path)
        }
        #expect("\(String(describing: error))".contains("with a port that is free"))
    }

    @Test
    func `A node is started once, and not after it was stopped`() throws {
        let folder = try TemporaryFolder()
        let node = try DqliteNode.beginCluster(address: "127.0.0.1:\(freePort())", directory: folder.path)
        #expect(throws: ClusterError.node("the node 1 is running already")) { try node.start() }
        node.stop()
        let error = ClusterError.node("the node 1 was stopped: create another node for its folder")
        #expect(throws: error) { try node.start() }
        node.stop()
    }

    /// libdqlite numbers the file systems (VFS) of nodes with a counter that two threads may read at once. Two nodes with the same number
    /// use the memory of one of them, without a lock: the process ends with a damaged heap.
    @Test
    func `Nodes that are created at the same time have file systems of their own`() throws {
        let folders = try (0..<8).map { _ in try TemporaryFolder() }
        for _ in 1...12 {
            let nodes = Locked<[DqliteNode]>([])
            let created = Semaphore("a node is created")
            for folder in folders {
                let directory = folder.path
                Thread.detachNewThread {
                    if let node = try? DqliteNode(id: 1, address: "127.0.0.1:9001", directory: directory) {
                        nodes.withLock { $0.append(node) }
                    }
                    created.signal()
                }
            }
            for _ in folders { created.wait() }
            try #require(nodes.value.count == folders.count)
            let names = fileSystemNames().filter { $0.hasPrefix("dqlite-") }
            #expect(Set(names).count == names.count)
            for node in nodes.value { node.stop() }
        }
    }

    @Test
    func `Without a leader, an error comes in bounded time`() {
        let error = #expect(throws: ClusterError.self) {
            try DqliteCluster(addresses: ["127.0.0.1:\(freePort())"], database: "app", leaderTimeout: .milliseconds(200))
        }
        if case .noLeader = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "\u{1}\0\0\0\u{63}\0\0\0\0\0\0\0\0\0\0\0"])
    func `A peer that sends something else is an error`(answer: String) throws {
        let server = try FakeServer(answer: Array(answer.utf8))
        #expect(throws: ClusterError.self) {
            try DqliteCluster(
                addresses: ["127.0.0.1:\(server.port)"], database: "app", requestTimeout: .milliseconds(300),
                leaderTimeout: .milliseconds(500))
        }
    }
}

/// Returns the names of SQLite's file systems, with the lock under which SQLite changes their list.
private func fileSystemNames() -> [String] {
    let first = sqlite3_vfs_find(nil)
    let lock = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_MAIN)
    sqlite3_mutex_enter(lock)
    defer { sqlite3_mutex_leave(lock) }
    return sequence(first: first) { $0?.pointee.pNext }.compactMap { $0.map { String(cString: $0.pointee.zName) } }
}

/// A server on the loopback that sends the same bytes to each client, and reads nothing.
private final class FakeServer: @unchecked Sendable {
    let port: UInt16
    private let descriptor: CInt

    init(answer: [UInt8]) throws {
        let (descriptor, port) = boundSocket()
        (self.descriptor, self.port) = (descriptor, port)
        listen(descriptor, 16)
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                if client < 0 {
                    if errno == EINTR { continue }
                    close(descriptor)
                    return
                }
                _ = answer.withUnsafeBytes { send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            }
        }
    }

    deinit {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }
}
