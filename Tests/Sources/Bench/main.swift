import Foundation
import Strata

// Strata beside hand-written code on SQLite's C API, each in a process of its own.
//
//     bench --baseline PROGRAM [--other PROGRAM] [--count] [--json] [--rounds N] [--only NAME]...
//
// A workload is measured in 31 rounds, and in as many more as it takes to fill eight seconds, or in N of them. With `--count`, Valgrind counts
// the instructions of one more run. `--other` names this program of another commit, to compare Strata with. Scripts/bench.sh builds the programs.

let workloads =
    fetchWorkloads + columnWorkloads + lookupWorkloads + eventWorkloads + [fetchJSON] + insertWorkloads + changeWorkloads
    + generatedWorkloads + associationWorkloads + [rebuildWorkload] + searchWorkloads
let probes = [
    poolReads, serverLoads, logBound, sharedCommits, rowCost, cursorMemory, templateLookups, appliedMigrations, newDatabases,
    failedConstraints, observedWrites, observedLatency,
]

var arguments = CommandLine.arguments.dropFirst()
if try Side.act(workloads.flatMap { [$0.strata] + ($0.yardstick.map { [$0] } ?? []) }, Array(arguments)) { exit(0) }

let usage = "usage: bench --baseline PROGRAM [--other PROGRAM] [--count] [--json] [--rounds N] [--only NAME]..."
var isJSON = false
var rounds = 31
var milliseconds = 8_000.0
var names: [String] = []
var baseline: String?
var other: String?
var countsInstructions = false
while let argument = arguments.popFirst() {
    switch argument {
    case "--json":
        isJSON = true
    case "--count":
        countsInstructions = true
    case "--baseline":
        baseline = arguments.popFirst()
    case "--other":
        other = arguments.popFirst()
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
    case Peer.option:
        try Peer.run(Array(arguments))
        exit(0)
    case PeerComparison.option:
        try PeerComparison(Array(arguments)).print()
        exit(0)
    case SharedCommitRun.option:
        try SharedCommitRun.runAsChild(rounds: arguments.first.flatMap { Int($0) } ?? rounds)
        exit(0)
    case CommittingProcess.option:
        CommittingProcess.runAsChild(arguments.first ?? "")
        exit(0)
    default:
        fail("unknown option \(argument); \(usage)")
    }
}
guard let baseline, let strata = Bundle.main.executablePath else { fail(usage) }
let known = workloads.map(\.name) + probes.map(\.name)
if let unknown = names.first(where: { !known.contains($0) }) {
    fail("no workload is named \(unknown); there are: \(known.joined(separator: ", "))")
}
let programs = Programs(
    strata: strata, baseline: baseline, other: try other.map { ($0, try ProgramSide.names(of: $0)) },
    countsInstructions: countsInstructions)

var measurements: [Measurement] = []
for workload in workloads where names.isEmpty || names.contains(workload.name) {
    FileHandle.standardError.write(Data("\(workload.name)\n".utf8))
    measurements.append(try Measurement(workload, programs, rounds: rounds, milliseconds: milliseconds))
}
// Probes are not compared.
var findings: [(probe: Probe, figures: [Figure])] = []
for probe in probes where other == nil && (names.isEmpty || names.contains(probe.name)) {
    findings.append((probe, try probe.measure(rounds)))
}
print(isJSON ? try Report.json(measurements, findings) : Report.tables(measurements, findings))
