import Foundation
import Strata

// Strata beside hand-written code on SQLite's C API, in one process.
//
//     bench [--json] [--rounds N] [--only NAME]...
//
// A workload is measured in 31 rounds, and in as many more as it takes to fill eight seconds, or in N of them.

var isJSON = false
var rounds = 31
var milliseconds = 8_000.0
var names: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--json":
        isJSON = true
    case "--rounds":
        guard let count = arguments.popFirst().flatMap({ Int($0) }), count >= 7 else { fail("--rounds needs a number from 7 up") }
        rounds = count
        milliseconds = 0
    case "--only":
        guard let name = arguments.popFirst() else { fail("--only needs the name of a workload") }
        names.append(name)
    case MemoryUse.option:
        // The child process of a probe.
        try MemoryUse.reportAsChild(Array(arguments))
        exit(0)
    case CommittingProcess.option:
        CommittingProcess.runAsChild(arguments.first ?? "")
        exit(0)
    default:
        fail("unknown option \(argument); usage: bench [--json] [--rounds N] [--only NAME]...")
    }
}

let workloads =
    fetchWorkloads + lookupWorkloads + eventWorkloads + [fetchJSON] + insertWorkloads + changeWorkloads + generatedWorkloads
    + associationWorkloads + rebuildWorkloads + searchWorkloads
let probes = [poolReads, rowCost, cursorMemory, appliedMigrations, failedConstraints, observedWrites, observedLatency]
let known = workloads.map(\.name) + probes.map(\.name)
if let unknown = names.first(where: { !known.contains($0) }) {
    fail("no workload is named \(unknown); there are: \(known.joined(separator: ", "))")
}

var measurements: [Measurement] = []
for workload in workloads where names.isEmpty || names.contains(workload.name) {
    measurements.append(try Measurement(workload, rounds: rounds, milliseconds: milliseconds))
}
var findings: [(probe: Probe, figures: [Figure])] = []
for probe in probes where names.isEmpty || names.contains(probe.name) {
    findings.append((probe, try probe.measure(rounds)))
}
print(isJSON ? try Report.json(measurements, findings) : Report.tables(measurements, findings))
