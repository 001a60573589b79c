import Foundation
import Testing

/// The programs of `make bench`: see Tests/Sources/Baseline/Shared/Side.swift.
@Suite("The sides of the benchmarks")
struct SideTests {
    @Test
    func `Both sides of a workload do the same work`() async throws {
        let baseline = try await sides("baseline")
        for name in try await sides("bench") where !name.hasSuffix("-yardstick") && !long.contains(name) {
            async let strata = result("bench", name)
            async let yardstick = baseline.contains(name) ? result("baseline", name) : result("bench", "\(name)-yardstick")
            #expect(try await strata == yardstick, "\(name)")
        }
    }

    @Test
    func `Each side by hand belongs to a workload`() async throws {
        let baseline = try await sides("baseline")
        let strata = try await sides("bench")
        #expect(!baseline.isEmpty)
        #expect(baseline.filter { !strata.contains($0) }.isEmpty)
    }

    /// The numbers are those of the programs in other languages.
    @Test(arguments: [("many-10", "16725312055300000"), ("real", "200704586946600000")])
    func `Strata fetches the values of the other drivers' programs`(workload: String, sum: String) async throws {
        let folder = try TemporaryFolder()
        for records in ["hand", "codable"] {
            let lines = try await run("bench", "--peer \(records) \(workload) \(folder.path(records)) Tests/Peers/sql")
            #expect(lines.last == "check \(sum)", "\(records)")
            #expect(lines.contains("pragma synchronous 2"))
        }
    }

    /// What takes seconds in a debug build. `make bench` compares the results, too.
    private let long = ["rebuild", "index-texts", "search-texts", "tokenize-texts"]

    private func sides(_ program: String) async throws -> [String] {
        try await run(program, "--sides")
    }

    /// The number that depends on all that a run of a side does.
    private func result(_ program: String, _ side: String) async throws -> String {
        let lines = try await run(program, "--serve \(side)", input: "run\\ncheck\\n")
        try #require(lines.count == 2)
        return lines[1]
    }

    private func run(_ program: String, _ arguments: String, input: String = "") async throws -> [String] {
        let command = "printf '\(input)' | \"$0\" \(arguments)"
        let ended = try await runCommand(["sh", "-c", command, builtProgram(program).path], in: Repository.root, limit: 60)
        try #require(ended.isSuccess, "\(ended)")
        return ended.lines
    }
}
