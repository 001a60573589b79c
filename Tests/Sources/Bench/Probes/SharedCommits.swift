import Foundation
import Strata

/// Updates of a row by its key that share commits, each of which waits for the disk, beside updates that don't wait, one by one.
let sharedCommits = Probe(name: "shared-commits", summary: "write(.repeatable) with FULL beside write with NORMAL, by 8 and 64 tasks") {
    rounds in
    var figures = try SharedCommitRun.figures(seconds: min(Double(rounds) / 10, 3))
    // Scripts/bench.sh compiles the library, whose syncs take 2 ms longer.
    if let library = ProcessInfo.processInfo.environment["STRATA_SLOW_SYNC"], let program = Bundle.main.executablePath {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [SharedCommitRun.option, "\(rounds)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": library]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        figures += try JSONDecoder().decode([Figure].self, from: data)
    }
    return figures
}

enum SharedCommitRun {
    static let option = "--slow-shared-commits"

    /// Prints the figures of a process with slow syncs.
    static func runAsChild(rounds: Int) throws {
        let figures = try figures(seconds: min(Double(rounds) / 10, 3)).map { figure in
            var figure = figure
            figure.name = "slow disk: \(figure.name)"
            if figure.unit == "times" { figure.atLeast = figure.name.contains("64") ? 0.5 : nil }
            return figure
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(figures))
    }

    static func figures(seconds: Double) throws -> [Figure] {
        let syncTime = try syncTime()
        var figures = [Figure(name: "a sync", value: syncTime, unit: "ms")]
        for (count, limit) in [(8, 0.7), (64, 1.0)] {
            let modes = [(Configuration.SynchronousMode.full, "shared, FULL"), (.normal, "one by one, NORMAL")]
            let servers = try modes.map { mode, _ in try PoolServer(sharingCommits: mode == .full) { $0.synchronous = mode } }
            // They take turns, as the speed of a machine changes. The first turns warm them up.
            let turns = try (0...5).map { _ in
                try servers.map { server in
                    let clock = LoadClock(seconds: seconds / 5)
                    try server.run(ServerLoad(reads: 0), count, clock)
                    return Double(clock.times.count) / clock.duration
                }
            }.dropFirst()
            for (index, mode) in modes.enumerated() {
                figures.append(Figure(name: "\(mode.1), \(count) tasks", value: turns.map { $0[index] }.median, unit: "/s"))
            }
            figures.append(
                Figure(
                    name: "shared to one by one, \(count) tasks", value: turns.map { $0[0] / $0[1] }.median, unit: "times",
                    // What Strata promises for a disk that syncs fast.
                    atLeast: syncTime <= 0.3 ? limit : nil))
        }
        return figures
    }

    /// The median time of a sync after a write of a page to the end of a file, in milliseconds.
    private static func syncTime() throws -> Double {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.path("sync"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        return try (0..<201).map { _ in
            guard write(descriptor, page, page.count) == page.count else { throw POSIXError(.EIO) }
            let start = ContinuousClock.now
            fdatasync(descriptor)
            return start.duration(to: .now) / .milliseconds(1)
        }.median
    }
}
