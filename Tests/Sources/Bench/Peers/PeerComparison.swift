import Foundation

/// Runs the programs of Tests/Peers in turns, and prints their times.
struct PeerComparison {
    static let option = "--compare-peers"

    /// A program with a driver.
    private struct Program {
        let name: String
        let command: [String]
    }

    /// What a program has printed.
    private struct Output {
        var settings: [String] = []
        var times: [(part: String, milliseconds: Double)] = []
        var check = ""
    }

    /// Each workload, and how many rounds it has: the large ones wait for the disk most of the time.
    private static let workloads = [
        "simple", "real", "complex", "many-10", "many-100", "many-1000", "large-50000", "large-100000", "large-200000", "concurrent-2",
        "concurrent-4", "concurrent-8", "orders",
    ]

    private let rounds: Int
    private let sql: String
    private let database: String
    private var programs: [Program]

    /// - Parameter arguments: The number of rounds, the folder of SQL files, a folder for databases, and the programs: a name, a line feed,
    ///   and the words of a command, each on a line. The first one is the yardstick.
    init(_ arguments: [String]) {
        guard arguments.count > 3, let rounds = Int(arguments[0]), rounds > 0 else {
            fail("\(Self.option) needs a number of rounds, two folders and programs")
        }
        self.rounds = rounds
        sql = arguments[1]
        database = "\(arguments[2])/peer.sqlite"
        programs = arguments.dropFirst(3).map {
            let lines = $0.split(separator: "\n").map(String.init)
            return Program(name: lines[0], command: Array(lines.dropFirst()))
        }
    }

    /// Prints a Markdown table: a row for each part of a workload, with the median of the yardstick in milliseconds, and the others' medians
    /// as multiples of it.
    func print() throws {
        let programs = try comparablePrograms()
        var lines = [
            "| workload | \(programs[0].name) | \(programs.dropFirst().map(\.name).joined(separator: " | ")) |",
            "|---" + String(repeating: "|---", count: programs.count) + "|",
        ]
        for workload in Self.workloads {
            FileHandle.standardError.write(Data("\(workload)\n".utf8))
            for (part, times) in try measure(workload, programs) {
                let medians = times.map(\.median)
                let multiples = medians.dropFirst().map { String(format: "%.2f", $0 / medians[0]) }
                lines.append("| \(workload), \(part) | \(String(format: "%.1f ms", medians[0])) | \(multiples.joined(separator: " | ")) |")
            }
        }
        Swift.print(lines.joined(separator: "\n"))
    }

    /// The programs whose SQLite and settings are those of the first one.
    private func comparablePrograms() throws -> [Program] {
        let expected = try run(programs[0], "many-10").settings
        Swift.print(expected.map { "    \($0)" }.joined(separator: "\n") + "\n")
        return try programs.filter { program in
            let settings = try run(program, "many-10").settings
            for (line, other) in zip(settings, expected) where line != other {
                FileHandle.standardError.write(Data("\(program.name) is left out: \(line), and not \(other)\n".utf8))
            }
            return settings == expected
        }
    }

    /// The times of each part: a list for each program.
    private func measure(_ workload: String, _ programs: [Program]) throws -> [(part: String, times: [[Double]])] {
        var parts: [(part: String, times: [[Double]])] = []
        for round in 0..<rounds {
            var checks: Set<String> = []
            for turn in programs.indices {
                // They take turns at going first, so that a slow moment of the machine favours none.
                let index = (turn + round) % programs.count
                let output = try run(programs[index], workload)
                checks.insert(output.check)
                for (part, milliseconds) in output.times {
                    if !parts.contains(where: { $0.part == part }) { parts.append((part, programs.map { _ in [] })) }
                    guard let position = parts.firstIndex(where: { $0.part == part }) else { continue }
                    parts[position].times[index].append(milliseconds)
                }
            }
            guard checks.count == 1 else { fail("the programs have fetched different values in \(workload): \(checks)") }
        }
        return parts
    }

    private func run(_ program: Program, _ workload: String) throws -> Output {
        for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + suffix) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = program.command + [workload, database, sql]
        process.environment = ProcessInfo.processInfo.environment.merging(MemorySettings.variables) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { fail("\(program.name) failed at \(workload)") }
        var output = Output()
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words[0] {
            case "sqlite", "pragma":
                output.settings.append(String(line))
            case "time" where words.count == 3:
                output.times.append((words[1], Double(words[2]) ?? .nan))
            case "check":
                output.check = String(line)
            default:
                fail("\(program.name) printed \(line)")
            }
        }
        return output
    }
}
