import FaultScenarios
import Foundation
import Strata
import Testing

/// Faults at each operation of some work: the database stays as it was before a step or after it, the caller gets the error, and the
/// connection remains usable.
@Suite("Faults", .timeLimit(.minutes(60)))
struct FaultTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// Every which operation fails. `make soak` tests them all.
    private static let stride = environment["STRATA_FAULT_STRIDE"].flatMap { Int($0) } ?? 13

    /// Every which allocation fails: there are many more of them.
    private static let memoryStride = environment["STRATA_MEMORY_STRIDE"].flatMap { Int($0) } ?? 221

    /// The seed that decides which operation fails first: with other seeds, other operations fail.
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)

    @Test(arguments: FaultScenario.all, FaultKind.allCases)
    func `Faults of the file system lose nothing`(_ scenario: FaultScenario, _ kind: FaultKind) throws {
        print("faults of the file system, \(scenario.name), \(kind): STRATA_SEED=\(Self.seed)")
        // On a thread of its own: in a task, observations would fetch on the few threads of the cooperative pool, which tests block.
        let (counts, problems) = try Parallel {
            let run = try FaultRun(scenario, kind)
            var counts: [String: Int] = [:]
            var problems: [String] = []
            var random = SeededGenerator(seed: Self.seed)
            for fault in FaultyFiles.Fault.all {
                let result = try run.run(stride: Self.stride, first: Int.random(in: 1...Self.stride, using: &random)) { $0.source(fault) }
                for (operation, count) in result.faults { counts["\(operation), \(fault)"] = count }
                problems += result.problems
            }
            return (counts, problems)
        }.wait()
        for problem in problems { Issue.record("\(problem), seed \(Self.seed)") }
        #expect(!counts.isEmpty)
        for (fault, count) in counts.sorted(by: { $0.key < $1.key }) {
            print("faults of the file system, \(scenario.name), \(kind), \(fault): \(count)")
        }
    }

    /// Another process, as SQLite takes its allocator before its first use, and uses it for all connections.
    ///
    /// Where SQLite converts strings, it needs memory in more places, some of which roll back the transaction: more of them fail.
    @Test(arguments: [nil, "records in UTF-16"])
    func `Lack of memory loses nothing, and gives no wrong value`(_ scenario: String?) throws {
        print("lack of memory: STRATA_SEED=\(Self.seed)")
        let stride = scenario == nil ? Self.memoryStride : min(Self.memoryStride, 17)
        let process = Process(program: "memory-fault-process", ["\(stride)", "\(Self.seed)"] + [scenario].compactMap { $0 })
        let text = try process.outputOfRun()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit, "seed \(Self.seed): \(text)")
        #expect(text.contains(" faults\n"))
        print(text)
    }
}
