import FaultScenarios
import Foundation
import Strata
import Testing

/// Faults at each operation of some work: the database stays as it was before a step or after it, the caller gets the error, and the
/// connection remains usable.
@Suite("Faults", .timeLimit(.minutes(60)))
struct FaultTests {
    /// Every which operation fails. `make soak` tests them all.
    private static let stride = Int(ProcessInfo.processInfo.environment["STRATA_FAULT_STRIDE"] ?? "") ?? 13

    @Test("Faults of the file system lose nothing", arguments: FaultScenario.all, FaultKind.allCases)
    func files(_ scenario: FaultScenario, _ kind: FaultKind) throws {
        // On a thread of its own: in a task, observations would fetch on the few threads of the cooperative pool, which tests block.
        let (faultCount, problems) = try Parallel {
            let run = try FaultRun(scenario, kind)
            var faultCount = 0
            var problems: [String] = []
            for (index, fault) in FaultyFiles.Fault.all.enumerated() {
                // Each kind of fault begins at another operation, so that together they meet most of them.
                let result = try run.run(stride: Self.stride, first: 1 + index % Self.stride) { $0.source(fault) }
                faultCount += result.faultCount
                problems += result.problems
            }
            return (faultCount, problems)
        }.wait()
        for problem in problems { Issue.record("\(problem)") }
        #expect(faultCount > 0)
        print("\(scenario.name), \(kind): \(faultCount) faults of the file system")
    }

    /// Another process, as SQLite takes its allocator before its first use, and uses it for all connections.
    @Test("Lack of memory loses nothing, and gives no wrong value")
    func memory() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = OtherProcess.program("memory-fault-process")
        process.arguments = ["\(Self.stride * 17)"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit, "\(text)")
        #expect(text.contains(" faults\n"))
        print(text)
    }
}
