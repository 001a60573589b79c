import DqliteCluster
import Foundation
import Strata
import Testing

/// The procedures of the guide "Operating a cluster", by the command, with nodes that are processes: `strata cluster run`.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct ClusterProcedureTests {
    private let folder: TemporaryFolder
    /// The addresses of five machines, by their numbers.
    private let addresses = (0..<6).map { _ in "127.0.0.1:\(freePort())" }

    init() throws {
        folder = try TemporaryFolder()
        for machine in 1...5 { try makeFolder(machine) }
    }

    private func makeFolder(_ machine: Int) throws {
        try? FileManager.default.removeItem(atPath: directory(machine))
        try FileManager.default.createDirectory(atPath: directory(machine), withIntermediateDirectories: true)
    }

    /// The disk of a machine.
    private func directory(_ machine: Int) -> String { folder.path("\(machine)") }

    private func run(_ id: Int, on machine: Int) throws -> RunningCommand {
        let node = try RunningCommand(
            ["cluster", "run", "\(id)", addresses[machine], directory(machine), "--latency", "50", "--nodes", list(1, 2, 3)])
        node.readBeginningOfOutput()
        return node
    }

    private func list(_ machines: Int...) -> String { machines.map { addresses[$0] }.joined(separator: ",") }

    @discardableResult
    private func cluster(_ arguments: String..., nodes: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
        let result = strata(["cluster"] + arguments + ["--nodes", nodes ?? list(1, 2, 3)])
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)", sourceLocation: sourceLocation)
        return result.lines
    }

    private func join(_ id: Int, on machine: Int, nodes: String? = nil) throws -> RunningCommand {
        let node = try run(id, on: machine)
        cluster("add", "\(id)", addresses[machine], nodes: nodes)
        cluster("promote", "\(id)", nodes: nodes)
        return node
    }

    private func begin() throws -> [RunningCommand] {
        cluster("begin", addresses[1], directory(1))
        return [try run(1, on: 1), try join(2, on: 2), try join(3, on: 3)]
    }

    /// Stops a node as an operator does: by a signal.
    private func stop(_ node: RunningCommand) throws {
        node.send(SIGTERM)
        let ending = try node.end()
        #expect(ending.signal == SIGTERM && ending.errors.isEmpty, "\(ending)")
    }

    /// Stops all nodes. The last ones have nobody to hand the leadership over to.
    private func stop(_ nodes: [RunningCommand]) throws {
        for node in nodes {
            node.send(SIGTERM)
            let ending = try node.end()
            let isAlone = ending.errors.isEmpty || ending.errors.contains("could not hand its leadership over")
            #expect(ending.signal == SIGTERM && isAlone, "\(ending)")
        }
    }

    private func waitForHealth(nodes: String? = nil) {
        yieldThread(until: "the cluster has nothing to warn of") {
            strata(["cluster", "status", "--nodes", nodes ?? list(1, 2, 3)]).status == 0
        }
    }

    private func count(_ database: String = "app", nodes: String? = nil) -> String? {
        cluster("sql", "SELECT count(*) AS n FROM t", "--format", "csv", "--database", database, nodes: nodes).last
    }

    @Test
    func `Begin, restart each node, upgrade the program, and migrate, while clients write`() throws {
        var nodes = try begin()
        let refusal = strata("cluster", "begin", addresses[4], directory(4), "--nodes", list(1, 2, 3))
        #expect(refusal.status == 1 && refusal.errors.contains("belongs to a cluster"), "\(refusal)")
        let client = try DqliteCluster(addresses: Array(addresses[1...3]), database: "app")
        try client.write { db in try db.execute(sql: "CREATE TABLE t (a)") }

        let isOver = Locked(false)
        let written = Locked(0)
        let hasEnded = Semaphore("the writer has ended")
        let failures = Locked<[String]>([])
        let addresses = addresses
        Thread.detachNewThread {
            do {
                // A program of the earlier version.
                let client = try DqliteCluster(addresses: Array(addresses[1...3]), database: "app")
                while !isOver.value {
                    try client.write(id: "\(written.value)") { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
                    written.withLock { $0 += 1 }
                }
                try client.close()
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
            hasEnded.signal()
        }
        func waitForWrites() {
            let before = written.value
            yieldThread(until: "clients write") { written.value > before + 3 || !failures.value.isEmpty }
        }
        for id in 1...3 {
            waitForWrites()
            // The leader hands its leadership over: each node is the leader when it is stopped.
            yieldThread(until: "node \(id) leads") {
                strata("cluster", "transfer", "\(id)", "--nodes", list(1, 2, 3)).status >= 0
                    && cluster("members").contains("\(id) \(addresses[id]) voter leader")
            }
            try stop(nodes[id - 1])
            waitForWrites()
            nodes[id - 1] = try run(id, on: id)
            waitForHealth()
        }
        // The new programs know both schemas until all old ones are gone.
        var migrator = DatabaseMigrator()
        migrator.registerMigration("note") { db in try db.alter(table: "t") { $0.add(column: "note", .text) } }
        try migrator.migrate(client)
        waitForWrites()
        isOver.withLock { $0 = true }
        hasEnded.wait()
        #expect(failures.value == [])
        try #expect(client.read(.repeatable) { try Int.fetchOne($0, sql: "SELECT count(*) FROM t WHERE note IS NULL") } == written.value)
        try client.close()
        try stop(nodes)
    }

    @Test
    func `Replace a node on its address, and move a node to another machine`() throws {
        var nodes = try begin()
        cluster("sql", "CREATE TABLE t (a); INSERT INTO t VALUES (1)", "--write", "--database", "app")
        // The disk of machine 3 is lost.
        nodes[2].send(SIGKILL)
        _ = try nodes[2].end()
        try makeFolder(3)
        let forgetful = try run(3, on: 3)
        let ending = try forgetful.end()
        #expect(ending.status == 1 && ending.errors.contains("remove it, and add a node with a new ID"), "\(ending)")
        cluster("remove", "3")
        nodes[2] = try join(4, on: 3)
        waitForHealth()

        // Machine 2 moves.
        let moved = try join(5, on: 5)
        cluster("remove", "2")
        try stop(nodes[1])
        nodes[1] = moved
        waitForHealth(nodes: list(1, 3, 5))
        let members = cluster("members", nodes: list(1, 3, 5)).map { $0.split(separator: " ").first }
        #expect(members == ["1", "4", "5"])
        #expect(count(nodes: list(5)) == "1")
        try stop(nodes)
    }

    @Test
    func `Back up, restore into a new cluster, and recover after the loss of the majority`() throws {
        var nodes = try begin()
        cluster("sql", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)", "--write", "--database", "app")
        cluster("dump", folder.path, "--keep", "2", "--database", "app")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".sqlite") })

        // A node that was stopped earlier lacks writes.
        let leader = try #require(cluster("members").first { $0.contains("leader") }?.split(separator: " ").first.flatMap { Int($0) })
        let early = leader % 3 + 1
        let late = early % 3 + 1
        try stop(nodes[early - 1])
        cluster("sql", "INSERT INTO t VALUES (3)", "--write", "--database", "app")
        // Two machines burn down, and a copy of one disk remains beside the disk of the node that was stopped.
        for id in [leader, late] {
            nodes[id - 1].send(SIGKILL)
            _ = try nodes[id - 1].end()
        }
        let comparison = strata("cluster", "compare", directory(early), directory(leader))
        #expect(comparison.status == 0 && comparison.lines.last == "recover \(directory(leader))", "\(comparison)")
        #expect(comparison.lines.first?.contains(": node \(early), term ") == true, "\(comparison)")
        #expect(strata("cluster", "recover", "6", addresses[leader], directory(leader)).status == 0)
        nodes = [try run(6, on: leader)]
        let first = addresses[leader]
        #expect(count(nodes: first) == "3")
        for (id, machine) in [(7, early), (8, late)] {
            try makeFolder(machine)
            nodes.append(try join(id, on: machine, nodes: first))
        }
        waitForHealth()
        #expect(cluster("members").map { $0.split(separator: " ").first } == ["6", "7", "8"])
        try stop(nodes)

        // All disks are lost.
        for machine in 1...3 { try makeFolder(machine) }
        nodes = try begin()
        cluster("restore", folder.path(name), "--database", "app")
        #expect(count() == "2")
        try stop(nodes)
    }
}
