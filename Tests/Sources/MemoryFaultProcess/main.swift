import FaultScenarios
import Foundation
import Strata

// A process in which SQLite runs out of memory, at one allocation after the other.
//
//     memory-fault-process STRIDE SEED [SCENARIO]
//
// Every which allocation fails is STRIDE; the first of them depends on SEED. Prints what has gone wrong, and the number of faults.

let arguments = Array(CommandLine.arguments.dropFirst())
guard 2...3 ~= arguments.count, let stride = Int(arguments[0]), stride > 0, var state = UInt64(arguments[1]) else {
    print("usage: memory-fault-process STRIDE SEED [SCENARIO]")
    exit(2)
}
try FaultyMemory.install()
var problemCount = 0
for scenario in FaultScenario.all where arguments.count < 3 || scenario.name == arguments[2] {
    for kind in FaultKind.allCases {
        let run = try FaultRun(scenario, kind)
        for persists in [false, true] {
            // Each run begins at another allocation, so that together they meet more of them.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let result = try run.run(stride: stride, first: 1 + Int(state >> 33) % stride) { _ in FaultyMemory(persists: persists) }
            result.problems.forEach { print($0) }
            problemCount += result.problems.count
            print("\(scenario.name), \(kind), \(persists ? "from then on" : "once"): \(result.faults.values.reduce(0, +)) faults")
        }
    }
}
exit(problemCount == 0 ? 0 : 1)
