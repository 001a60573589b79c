import DqliteCluster
import Foundation
import StrataTool
import Testing

/// `strata cluster`, with nodes in this process.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct ClusterCommandTests {
    private let folder: TemporaryFolder
    private let addresses = (0..<3).map { _ in "127.0.0.1:\(freePort())" }

    init() throws {
        folder = try TemporaryFolder()
        for number in 1...3 {
            try FileManager.default.createDirectory(at: folder.file("\(number)"), withIntermediateDirectories: true)
        }
    }

    private func start(_ id: UInt64, as newID: UInt64? = nil) throws -> DqliteNode {
        let node = try DqliteNode(
            id: newID ?? id, address: addresses[Int(id) - 1], directory: folder.path("\(id)"), networkLatency: .milliseconds(50))
        try node.start()
        return node
    }

    private func cluster(_ arguments: String...) -> ToolResult {
        strata(["cluster"] + arguments + ["--nodes", addresses.joined(separator: ",")])
    }

    private func expectSuccess(_ result: ToolResult, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)", sourceLocation: sourceLocation)
    }

    @Test
    func `A cluster is begun, extended, watched, copied, restored and recovered`() throws {
        expectSuccess(strata("cluster", "begin", addresses[0], folder.path("1")))
        let first = try start(1)
        let (second, third) = (try start(2), try start(3))
        let refusal = cluster("begin", "127.0.0.1:\(freePort())", folder.path)
        #expect(refusal.status == 1 && refusal.errors.contains("belongs to a cluster"), "\(refusal)")

        expectSuccess(cluster("add", "2", addresses[1]))
        let promotion = cluster("promote", "2")
        #expect(promotion.output.contains("warning: there are 2 voters"), "\(promotion)")
        expectSuccess(cluster("add", "3", addresses[2]))
        #expect(cluster("members").lines.last == "3 \(addresses[2]) spare")
        expectSuccess(cluster("promote", "3"))
        let status = cluster("status")
        expectSuccess(status)
        #expect(status.lines.count == 3 && status.lines.count { $0.hasSuffix(" voter leader") } == 1, "\(status)")

        let sql = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player (name) VALUES ('Arthur'), ('Barbara')"
        expectSuccess(cluster("sql", sql, "--write", "--database", "app"))
        let reading = cluster("sql", "SELECT name FROM player ORDER BY id", "--format", "csv", "--database", "app")
        #expect(reading.lines == ["name", "Arthur", "Barbara"], "\(reading)")
        #expect(cluster("sql", "DELETE FROM player", "--database", "app").status == 1)
        #expect(cluster("status", "--database", "app").lines.last == "database app: 8.0 KB")

        let copy = folder.path("copy.sqlite")
        // A node that does not lead hears of the last commit a little later.
        repeat {
            expectSuccess(cluster("dump", copy, "--database", "app"))
        } while strata("sql", copy, "SELECT count(*) AS n FROM player", "--format", "csv").lines != ["n", "2"]
        expectSuccess(cluster("dump", folder.path, "--keep", "1", "--database", "app"))
        expectSuccess(cluster("restore", copy, "--database", "again"))
        let restored = cluster("sql", "SELECT count(*) AS n FROM player", "--format", "csv", "--database", "again")
        #expect(restored.lines == ["n", "2"], "\(restored)")

        while !cluster("members").lines.contains("2 \(addresses[1]) voter leader") { _ = cluster("transfer", "2") }
        expectSuccess(cluster("remove", "3"))
        let alarm = cluster("status")
        #expect(alarm.status == 1 && alarm.output.contains("warning: there are 2 voters"), "\(alarm)")
        for node in [third, first, second] { node.stop() }
        let recovery = strata("cluster", "recover", "9", addresses[1], folder.path("2"))
        expectSuccess(recovery)
        let recovered = try start(2, as: 9)
        let result = strata("cluster", "sql", "SELECT name FROM player", "--format", "csv", "--nodes", addresses[1], "--database", "app")
        #expect(result.lines == ["name", "Arthur", "Barbara"], "\(result)")
        recovered.stop()
    }

    @Test
    func `Wrong uses are reported`() {
        for (arguments, message) in [
            (["grow"], "unknown action grow"), (["members"], "--nodes is missing"), (["add", "2"], "add needs ID ADDRESS"),
            (["sql", "SELECT 1", "--nodes", "127.0.0.1:1"], "--database is missing"),
            (["remove", "zero", "--nodes", addresses[0]], "zero is not the ID of a node"),
        ] {
            let result = strata(["cluster"] + arguments)
            #expect(result.status == 64 && result.errors.contains(message), "\(result)")
        }
    }
}
