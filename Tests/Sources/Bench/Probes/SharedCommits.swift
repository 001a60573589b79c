import CSQLite
import Foundation
import Strata

/// Updates of a row by its key that share commits, each of which waits for the disk, beside updates that don't wait, one by one, and beside
/// groups of as many updates by hand.
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
            if figure.name.contains("by hand, 64") { figure.atLeast = 0.8 }
            return figure
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(figures))
    }

    static func figures(seconds: Double) throws -> [Figure] {
        let syncTime = try syncTime()
        var figures = [Figure(name: "a sync", value: syncTime, unit: "ms")]
        for (count, limit) in [(8, 0.6), (64, 1.0)] {
            let servers: [any LoadServer] = [
                try PoolServer(sharingCommits: true) { $0.synchronous = .full }, try PoolServer(), try HandGroups(),
            ]
            // They take turns, as the speed of a machine changes. The first turns warm them up.
            let turns = try (0...5).map { _ in
                try servers.map { server in
                    let clock = LoadClock(seconds: seconds / 5)
                    try server.run(ServerLoad(reads: 0), count, clock)
                    return Double(clock.times.count) / clock.duration
                }
            }.dropFirst()
            for (index, name) in ["shared, FULL", "one by one, NORMAL", "groups by hand, FULL"].enumerated() {
                figures.append(Figure(name: "\(name), \(count) tasks", value: turns.map { $0[index] }.median, unit: "/s"))
            }
            let ratios = (1...2).map { index in turns.map { $0[0] / $0[index] }.median }
            figures += [
                // What Strata promises for a disk that syncs fast.
                Figure(
                    name: "shared to one by one, \(count) tasks", value: ratios[0], unit: "times", atLeast: syncTime <= 0.3 ? limit : nil),
                Figure(name: "shared to groups by hand, \(count) tasks", value: ratios[1], unit: "times"),
            ]
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

/// One thread with the C API that commits groups of updates, each update in a savepoint. It waits for nobody, and its groups are complete.
///
/// `@unchecked Sendable`: one thread at a time uses the connection.
private final class HandGroups: LoadServer, @unchecked Sendable {
    let name = "one thread, C API"
    let logPath: String
    private let folder: TemporaryFolder
    private let connection: CConnection
    private let statements: [OpaquePointer]

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("groups.sqlite")
        logPath = path + "-wal"
        let connection = CConnection(path: path)
        connection.execute("PRAGMA journal_mode = WAL; \(ServerLoad.schema) PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL")
        statements = ["BEGIN IMMEDIATE", "SAVEPOINT member", ServerLoad.update, "RELEASE member", "COMMIT"].map { connection.prepare($0) }
        self.connection = connection
    }

    func run(_ load: ServerLoad, _ count: Int, _ clock: LoadClock) {
        var total = 0
        while !clock.isOver {
            connection.run(statements[0])
            for _ in 0..<count {
                connection.run(statements[1])
                sqlite3_bind_int64(statements[2], 1, Int64.random(in: 1...Int64(ServerLoad.rowCount)))
                connection.run(statements[2])
                connection.run(statements[3])
            }
            connection.run(statements[4])
            total += count
        }
        clock.add([UInt32](repeating: 0, count: total))
    }
}
