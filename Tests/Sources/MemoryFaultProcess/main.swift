import FaultScenarios
import Foundation
import Strata

// A process in which SQLite runs out of memory, at one allocation after the other.
//
//     memory-fault-process STRIDE [SCENARIO]
//
// Prints what has gone wrong, and the number of faults.

let arguments = CommandLine.arguments.dropFirst()
guard let stride = arguments.first.flatMap({ Int($0) }), stride > 0 else {
    print("usage: memory-fault-process STRIDE [SCENARIO]")
    exit(2)
}
try FaultyMemory.install()
var problemCount = 0
for scenario in FaultScenario.all where arguments.count < 2 || scenario.name == arguments.last {
    for kind in FaultKind.allCases {
        let run = try FaultRun(scenario, kind)
        for persists in [false, true] {
            // The two begin at different allocations, so that they meet more of them.
            let result = try run.run(stride: stride, first: persists ? 1 + stride / 2 : 1) { _ in FaultyMemory(persists: persists) }
            result.problems.forEach { print($0) }
            problemCount += result.problems.count
            print("\(scenario.name), \(kind), \(persists ? "from then on" : "once"): \(result.faultCount) faults")
        }
    }
}
exit(problemCount == 0 ? 0 : 1)
