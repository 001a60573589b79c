import DqliteCluster
import Foundation
import Testing

/// A cluster is begun once, on purpose, and nobody mistakes another one for it.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ClusterIdentityTests {
    private func message(_ error: (any Error)?) -> String { error.map { "\($0)" } ?? "" }

    private func rowCount(_ cluster: DqliteCluster) throws -> Int64? {
        try cluster.read { db in
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM t")
            return try statement.step() ? statement.int64(at: 0) : nil
        }
    }

    /// Three nodes, of which a client has written a row to, and another than node 1 leads.
    private func led() throws -> (nodes: TestNodes, cluster: DqliteCluster) {
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        while try cluster.leader().id == 1 { try? cluster.transferLeadership(to: 2) }
        return (nodes, cluster)
    }

    @Test
    func `Node 1 does not begin a cluster by starting in an empty folder`() throws {
        let folder = try TemporaryFolder()
        let address = "127.0.0.1:\(freePort())"
        let node = try DqliteNode(id: 1, address: address, directory: folder.path)
        let error = #expect(throws: ClusterError.self) { try node.start() }
        #expect(message(error).contains("to begin a cluster, call DqliteNode.beginCluster()"))
        node.stop()
        try DqliteNode.beginCluster(address: address, directory: folder.path).stop()
        let again = try DqliteNode(id: 1, address: address, directory: folder.path)
        try again.start()
        again.stop()
        #expect(
            message(#expect(throws: ClusterError.self) { try DqliteNode.beginCluster(address: address, directory: folder.path) })
                .contains("is not empty"))
    }

    @Test
    func `A cluster does not begin where a node answers that belongs to one`() throws {
        let (nodes, cluster) = try led()
        let folder = try TemporaryFolder()
        func begin(_ others: [String]) -> (any Error)? {
            #expect(throws: ClusterError.self) {
                try DqliteNode.beginCluster(address: "127.0.0.1:\(freePort())", directory: folder.path, otherAddresses: others)
            }
        }
        #expect(message(begin(["127.0.0.1:\(freePort())", nodes.addresses[2]])).contains("belongs to a cluster"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        // A node that waits to be added belongs to none.
        let waitingFolder = try TemporaryFolder()
        let waiting = try DqliteNode(id: 7, address: "127.0.0.1:\(freePort())", directory: waitingFolder.path)
        try waiting.start()
        try DqliteNode.beginCluster(
            address: "127.0.0.1:\(freePort())", directory: folder.path, otherAddresses: [waiting.address]
        ).stop()
        waiting.stop()
        try cluster.close()
    }

    /// Its ID is that of no member of the former cluster.
    @Test
    func `A cluster begins with a node of any ID, and continues`() throws {
        let folder = try TemporaryFolder()
        for name in ["7", "1"] { try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true) }
        let addresses = (0..<2).map { _ in "127.0.0.1:\(freePort())" }
        // An attempt that fails leaves the folder empty, and a folder with data as it is.
        let (descriptor, port) = boundSocket()
        listen(descriptor, 1)
        #expect(throws: ClusterError.self) {
            try DqliteNode.beginCluster(id: 7, address: "127.0.0.1:\(port)", directory: folder.path("7"))
        }
        close(descriptor)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("7")) == ["strata.lock"])
        try Data([1]).write(to: folder.file("1/metadata1"))
        #expect(throws: ClusterError.self) { try DqliteNode.beginCluster(id: 7, address: addresses[0], directory: folder.path("1")) }
        #expect(try Data(contentsOf: folder.file("1/metadata1")) == Data([1]))
        try FileManager.default.removeItem(at: folder.file("1/metadata1"))
        var node = try DqliteNode.beginCluster(
            id: 7, address: addresses[0], directory: folder.path("7"), networkLatency: .milliseconds(50))
        let cluster = try DqliteCluster(addresses: addresses, database: "app")
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        #expect(try cluster.nodes().map(\.id) == [7])
        // A node with the ID 1 and an empty folder joins only as a new one.
        let other = try DqliteNode(id: 8, address: addresses[1], directory: folder.path("1"), networkLatency: .milliseconds(50))
        try other.start(otherAddresses: addresses)
        try cluster.add(id: 8, address: addresses[1])
        try cluster.promote(id: 8)
        try cluster.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
        node.stop()
        node = try DqliteNode(id: 7, address: addresses[0], directory: folder.path("7"), networkLatency: .milliseconds(50))
        try node.start(otherAddresses: addresses)
        try cluster.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try rowCount(cluster) == 3)
        try cluster.close()
        node.stop()
        other.stop()
    }

    @Test
    func `A node that has lost its folder does not start again, if it is told where the others are`() throws {
        let (nodes, cluster) = try led()
        nodes.stop(3)
        let folder = try TemporaryFolder()
        for (id, address) in [(UInt64(3), nodes.addresses[2]), (3, "127.0.0.1:\(freePort())"), (9, nodes.addresses[2])] {
            let node = try DqliteNode(id: id, address: address, directory: folder.path, networkLatency: .milliseconds(50))
            let error = #expect(throws: ClusterError.self) { try node.start(otherAddresses: nodes.addresses) }
            #expect(message(error).contains("the node 3 at \(nodes.addresses[2]) is a member"), "\(message(error))")
            node.stop()
        }
        // With its folder, it starts.
        let again = try DqliteNode(id: 3, address: nodes.addresses[2], directory: nodes.directory(3), networkLatency: .milliseconds(50))
        try again.start(otherAddresses: nodes.addresses)
        again.stop()
        try cluster.close()
    }

    @Test
    func `A folder belongs to one node`() throws {
        let folder = try TemporaryFolder()
        let address = "127.0.0.1:\(freePort())"
        try DqliteNode.beginCluster(address: address, directory: folder.path).stop()
        for (id, other) in [(UInt64(2), address), (1, "127.0.0.1:\(freePort())")] {
            let error = #expect(throws: ClusterError.self) { try DqliteNode(id: id, address: other, directory: folder.path) }
            #expect(message(error).contains("belongs to the node 1 at \(address)"))
        }
    }

    /// An operator has given node 1 an empty disk, and begun a cluster on it.
    @Test
    func `Neither old nor new clients follow a second cluster at a member's address`() throws {
        let (nodes, cluster) = try led()
        try nodes.replaceByAnotherCluster()
        #expect(try rowCount(cluster) == 1)
        // The connected client looks for the leader again.
        try cluster.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
        let leader = try cluster.leader().id
        while (try? cluster.leader().id) != 5 - leader { try? cluster.transferLeadership(to: 5 - leader) }
        #expect(try rowCount(cluster) == 2)
        // The address of the second cluster is the first one that this client asks.
        let other = try nodes.open()
        #expect(try rowCount(other) == 2)
        try other.close()
        try cluster.close()
    }

    @Test
    func `A folder that is recovered begins a cluster with its data, which clients of the former one refuse`() throws {
        let (nodes, cluster) = try led()
        nodes.waitForIdentity()
        try cluster.close()
        let former = try nodes.open(leaderTimeout: .seconds(4))
        #expect(try rowCount(former) == 1)
        let last = try former.leader().id
        for id in UInt64(1)...3 { nodes.stop(id) }
        let address = nodes.addresses[Int(last) - 1]
        let directory = nodes.directory(last)
        try DqliteNode.recover(id: 7, address: address, directory: directory)
        let node = try DqliteNode(id: 7, address: address, directory: directory, networkLatency: .milliseconds(50))
        try node.start()
        let recovered = try DqliteCluster(addresses: [address], database: "app")
        #expect(try recovered.nodes().map(\.id) == [7])
        #expect(try rowCount(recovered) == 1)
        // A node with an empty folder joins.
        let folder = try TemporaryFolder()
        let other = try DqliteNode(id: 8, address: "127.0.0.1:\(freePort())", directory: folder.path, networkLatency: .milliseconds(50))
        try other.start()
        try recovered.add(id: 8, address: other.address)
        try recovered.promote(id: 8)
        try recovered.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
        yieldThread(until: "the cluster has its new ID") {
            (try? String(contentsOfFile: directory + "/strata.node", encoding: .utf8)).map {
                $0.contains("\"cluster\"") && !$0.contains("newCluster")
            } ?? false
        }
        // It knows its former cluster, and a node of the new one at a former address.
        let error = #expect(throws: ClusterError.self) { try rowCount(former) }
        #expect(message(error).contains("belongs to another cluster"))
        let empty = try TemporaryFolder()
        let refusal = #expect(throws: ClusterError.self) { try DqliteNode.recover(id: 1, address: address, directory: empty.path) }
        #expect(message(refusal).contains("has no data to recover"))
        try recovered.close()
        try? former.close()
        other.stop()
        node.stop()
    }

    @Test
    func `A client refuses a leader whose cluster has another ID`() throws {
        let nodes = try TestNodes()
        let cluster = try DqliteCluster(addresses: nodes.addresses, database: "app", leaderTimeout: .seconds(3))
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        nodes.waitForIdentity()
        // A new connection learns the ID.
        try nodes.restart()
        #expect(try rowCount(cluster) == 0)
        try nodes.replaceByAnotherCluster()
        let error = #expect(throws: ClusterError.self) { try rowCount(cluster) }
        #expect(message(error).contains("belongs to another cluster"))
        try? cluster.close()
    }
}
