// 13. A cluster
//
// Three nodes of dqlite replicate a database: SQLite on several machines. They run in this process, to have it all in one place; in
// production, each node has its own machine. Then the leader stops, and the program continues.
//
// Next: 14. A live board.

import DqliteCluster
import ExampleSupport
import Foundation

/// Returns a port of this machine that is not in use.
func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(descriptor, $0, size)
            _ = getsockname(descriptor, $0, &size)
        }
    }
    return UInt16(bigEndian: name.sin_port)
}

runProgram {
    guard DqliteNode.isAvailable else {
        print("This tutorial needs libdqlite. On Debian: apt-get install libdqlite0")
        return
    }

    // MARK: Nodes

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-cluster-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var nodes: [UInt64: DqliteNode] = [:]
    for id in UInt64(1)...3 {
        let directory = folder.appendingPathComponent("\(id)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let address = "127.0.0.1:\(freePort())"
        if id == 1 {
            nodes[id] = try DqliteNode.beginCluster(address: address, directory: directory.path, networkLatency: .milliseconds(20))
        } else {
            let node = try DqliteNode(id: id, address: address, directory: directory.path, networkLatency: .milliseconds(20))
            try node.start()
            nodes[id] = node
        }
    }

    // The first node has begun a cluster, whose only member it is. The others become members.
    let cluster = try DqliteCluster(addresses: [nodes[1]!.address], database: "museum")
    try showingProgress("Adding nodes", of: 2) { bar in
        for id in UInt64(2)...3 {
            try cluster.add(id: id, address: nodes[id]!.address)
            try cluster.promote(id: id)
            bar.show(Int(id) - 1)
        }
    }
    print("\(try cluster.nodes().count) nodes; the leader is node \(try cluster.leader().id).")

    // MARK: Writing and reading

    // The cluster is a `DatabaseWriter`, and is used like a `DatabaseQueue`.
    try cluster.write { db in
        try db.execute(sql: "CREATE TABLE loan (id INTEGER PRIMARY KEY, borrower TEXT NOT NULL, grams INTEGER NOT NULL)")
        try db.execute(sql: "INSERT INTO loan (borrower, grams) VALUES (?, ?)", arguments: ["Houston", 250])
    }

    func total() throws -> Int64 {
        try cluster.read(.repeatable) { db in
            let statement = try db.makeStatement(sql: "SELECT sum(grams) FROM loan")
            return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
        }
    }
    print("\(try total()) grams are lent.")

    // MARK: A leader stops

    let leader = try cluster.leader().id
    nodes.removeValue(forKey: leader)?.stop()
    print("The leader, node \(leader), has stopped.")

    // The ID makes sure that the loan is written once, even if the leader stops between the commit and its answer.
    try cluster.write(id: "loan-2") { db in
        try db.execute(sql: "INSERT INTO loan (borrower, grams) VALUES (?, ?)", arguments: ["London", 100])
    }
    print("\(try total()) grams are lent.")
    let isNew = try cluster.write(id: "loan-2") { _ in }
    print(isNew ? "The loan was written twice!" : "The loan is not written again.")
    print("Another node leads: \(try cluster.leader().id != leader).")

    try cluster.close()
    for node in nodes.values { node.stop() }
}
