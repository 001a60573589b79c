import Foundation
import Testing

@testable import DqliteCluster

/// What clients and the disk can't do to a cluster, as its nodes limit it.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct NodeLimitTests {
    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

    private func count(_ cluster: DqliteCluster, _ table: String = "t") throws -> Int64? {
        try cluster.read { db in
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM \(table)")
            return try statement.step() ? statement.int64(at: 0) : nil
        }
    }

    @Test
    func `A node ends a statement that keeps it from everything else`() throws {
        var limits = DqliteNode.Limits()
        limits.statementTime = .milliseconds(100)
        let nodes = try TestNodes(limits: limits)
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (0)") }
        func expectInterruption(_ body: () throws -> Void) {
            let error = #expect(throws: DatabaseError.self) { try body() }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            #expect(error?.message == "the statement took longer than the limit of the leader")
            #expect(error?.advice?.contains("DqliteNode.Limits.statementTime") == true)
        }
        expectInterruption { try cluster.read { db in try db.execute(sql: "\(Self.endless) SELECT count(*), (SELECT a FROM t) FROM n") } }
        expectInterruption { try cluster.write { db in try db.execute(sql: "INSERT INTO t \(Self.endless) SELECT i FROM n") } }
        expectInterruption {
            try cluster.write { db in
                try db.execute(sql: "CREATE TRIGGER copy AFTER INSERT ON t BEGIN INSERT INTO t \(Self.endless) SELECT i FROM n; END")
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
        #expect(try count(cluster) == 1)
        // While a node sends rows, it also serves others, however long it takes.
        try cluster.read { db in
            let rows = try db.makeStatement(sql: "\(Self.endless) SELECT i, (SELECT a FROM t) FROM n LIMIT 400000")
            var count = 0
            while try rows.step() { count += 1 }
            #expect(count == 400_000)
        }
        try cluster.close()
    }

    @Test
    func `A node refuses the commit of a transaction that changes too much, and values that are too large`() throws {
        var limits = DqliteNode.Limits.ofTests
        limits.transactionSize = 5_000_000
        let nodes = try TestNodes(limits: limits)
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        func expectRefusal(_ message: String, _ body: () throws -> Void) {
            let error = #expect(throws: DatabaseError.self) { try body() }
            #expect(error?.resultCode == .SQLITE_TOOBIG)
            #expect(error?.message?.contains(message) == true, "\(String(describing: error))")
        }
        expectRefusal("more than the leader can commit") {
            try cluster.write { db in
                for _ in 1...8 { try db.execute(sql: "INSERT INTO t VALUES (randomblob(1000000))") }
            }
        }
        expectRefusal("more than the leader can commit") {
            try cluster.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t \(Self.endless) SELECT randomblob(1000000) FROM n LIMIT 8")
            }
        }
        expectRefusal("too big") { try cluster.write { db in try db.execute(sql: "INSERT INTO t VALUES (zeroblob(70000000))") } }
        #expect(try count(cluster) == 0)
        // A read fills the cache, too, but does not count.
        for _ in 1...3 {
            try cluster.write { db in
                for _ in 1...3 { try db.execute(sql: "INSERT INTO t VALUES (randomblob(1000000))") }
            }
            try cluster.write { db in
                try db.execute(sql: "SELECT sum(length(hex(a))) FROM t")
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
        #expect(try count(cluster) == 12)
        // The client does not send what no node would take. The transaction continues.
        try cluster.write { db in
            expectRefusal("too large for a cluster, which takes 33554432") {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [Data(count: 34_000_000)])
            }
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
        #expect(try count(cluster) == 13)
        try cluster.close()
    }

    /// A client whose host was unplugged, for example.
    @Test
    func `A transaction that stays open is ended by another leader, so that others can write`() throws {
        var limits = DqliteNode.Limits.ofTests
        limits.idleTransaction = .milliseconds(300)
        let nodes = try TestNodes(count: 3, limits: limits)
        var configuration = Configuration()
        configuration.busyMode = .timeout(Double(waitLimit))
        let cluster = try nodes.open()
        let other = try nodes.open("app", configuration)
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let leader = try cluster.leader().id
        #expect(throws: ClusterError.self) {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try other.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
                try db.execute(sql: "INSERT INTO t VALUES (3)")
            }
        }
        #expect(try other.leader().id != leader)
        #expect(try count(other) == 1)
        #expect(nodes.problems.contains { $0.contains("kept a transaction open") && $0.contains("has handed its leadership over to") })
        try cluster.close()
        try other.close()
    }

    @Test
    func `A node with too little free space does not start, and does not lead`() throws {
        let folder = try TemporaryFolder()
        var limits = DqliteNode.Limits.ofTests
        limits.diskReserve = .max
        let error = #expect(throws: ClusterError.self) {
            try DqliteNode.beginCluster(address: "127.0.0.1:\(freePort())", directory: folder.path, limits: limits)
        }
        #expect("\(String(describing: error))".contains("less than the reserve of"))

        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        limits.diskReserve = DqliteNode.freeSpace(nodes.path) - 500_000_000
        try nodes.restart(limits: limits)
        yieldThread(until: "node 1 leads") {
            try? cluster.transferLeadership(to: 1)
            return (try? cluster.leader().id) == 1
        }
        let file = URL(fileURLWithPath: nodes.path + "/ballast")
        try Data().write(to: file)
        let ballast = try FileHandle(forWritingTo: file)
        yieldThread(until: "another node leads") {
            // Other tests use and free the same disk meanwhile.
            if DqliteNode.freeSpace(nodes.path) >= limits.diskReserve { ballast.write(Data(count: 50_000_000)) }
            return (try? cluster.leader().id).map { $0 != 1 } ?? false
        }
        try ballast.close()
        // The leader hands over before it notes why.
        yieldThread(until: "the problem") { nodes.problems.contains { $0.contains("bytes free, less than the reserve") } }
        try cluster.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        try cluster.close()
    }
}
