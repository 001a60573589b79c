import Foundation
import Strata
import Testing
import WriterScenario

/// A process writes transactions and reports each commit, until it is killed. Each reported transaction is in the file as a whole, and of
/// others at most the one after it, as a whole, too. A process commits at least as much as the test waits for.
@Suite("Killed writers", .timeLimit(.minutes(60)))
struct WriterKillTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// How often processes are killed: `make soak` does it 1,000 times.
    private static let killCount = environment["STRATA_WRITER_KILLS"].flatMap { Int($0) } ?? 30

    /// How often a file is used again, before the tests begin with another file.
    private static let killsPerFile = 10

    @Test(arguments: WriterScenario.Kind.allCases)
    func `Killed writers lose no reported commit, and leave no half transaction`(_ kind: WriterScenario.Kind) throws {
        let seed = Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        print("killed writers, \(kind): STRATA_SEED=\(seed)")
        // Rounded up.
        let kinds = WriterScenario.Kind.allCases.count
        let kills = (Self.killCount + kinds - 1) / kinds
        var (transactions, awaited) = (0, 0)
        for first in stride(from: 0, to: kills, by: Self.killsPerFile) {
            let file = try killWriters(kind, seed &+ UInt64(first), count: min(Self.killsPerFile, kills - first))
            transactions += file.transactions
            awaited += file.awaited
        }
        #expect(transactions > 0 && transactions >= awaited)
        print("killed writers, \(kind): \(kills) kills, \(transactions) transactions")
    }

    /// Kills the writers of one file, one after the other.
    ///
    /// - Returns: the number of committed transactions, and of those whose reports the test has waited for.
    private func killWriters(
        _ kind: WriterScenario.Kind, _ seed: UInt64, count: Int
    ) throws -> (transactions: Int, awaited: Int) {
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let scenario = WriterScenario(seed: seed)
        let expected = try DatabaseQueue()
        try scenario.prepare(expected)
        var (known, awaited) = (0, 0)
        for kill in 1...count {
            let reports = Int.random(in: 0...12, using: &generator)
            let reported = try killWriter(
                path, kind, seed, afterReports: reports, microseconds: Int.random(in: 0...8000, using: &generator))
            let writer = try WriterScenario.open(path, kind)
            let (committed, contents) = try writer.read { db in
                try WriterScenario.check(db)
                return (try WriterScenario.count(db), try WriterScenario.contents(db))
            }
            try WriterScenario.checkIndexes(writer)
            try writer.close()

            let context: Comment = "seed \(seed), kill \(kill)"
            // The first report is the number of the commits before.
            let commits = max(reports - 1, 0)
            awaited += commits
            try #require(committed >= known + commits, context)
            if let reported {
                try #require(committed == reported || committed == reported + 1, context)
            } else {
                try #require(committed == known, context)
                if contents.isEmpty { continue }
            }
            while known < committed {
                known += 1
                try scenario.commit(known, expected)
            }
            let whole = try expected.read { try WriterScenario.contents($0) }
            try #require(contents == whole, context)
        }
        return (known, awaited)
    }

    @Test func `Killed writers that share commits lose no acknowledged write, and keep none that has thrown`() throws {
        let seed = Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        print("killed writers that share commits: STRATA_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var total = 0
        for kill in 1...Self.killCount {
            let lines = try killProcess(
                [path, "shared"], seed, afterReports: Int.random(in: 1...200, using: &generator),
                microseconds: Int.random(in: 0...3000, using: &generator))
            var acknowledged = Array(repeating: 0, count: SharedWrites.threadCount)
            for line in lines {
                let numbers = line.split(separator: " ").compactMap { Int($0) }
                acknowledged[numbers[0]] = numbers[1]
            }
            let writes = try SharedWrites(path)
            let counts = try writes.counts()
            try writes.close()
            for (thread, count) in counts.enumerated() where acknowledged[thread] > 0 {
                // The report of the last one may be missing.
                try #require(count == acknowledged[thread] || count == acknowledged[thread] + 1, "seed \(seed), kill \(kill)")
            }
            total = counts.reduce(0, +)
        }
        #expect(total >= Self.killCount)
        print("killed writers that share commits: \(Self.killCount) kills, \(total) writes")
    }

    /// Starts a writer, and kills it after a number of reports and microseconds.
    ///
    /// - Returns: the last commit that it has reported. Nil if it has reported none.
    private func killWriter(
        _ path: String, _ kind: WriterScenario.Kind, _ seed: UInt64, afterReports count: Int, microseconds: Int
    ) throws -> Int? {
        try killProcess([path, kind.rawValue, "\(seed)"], seed, afterReports: count, microseconds: microseconds).last.flatMap { Int($0) }
    }

    /// Starts a process, and kills it after a number of reports and microseconds.
    ///
    /// - Returns: its reports.
    private func killProcess(
        _ arguments: [String], _ seed: UInt64, afterReports count: Int, microseconds: Int
    ) throws -> [Substring] {
        let process = Process(program: "writer-process", arguments)
        let pipes = try process.runWithPipes()
        var received = Data()
        var isOpen = true
        func receive() throws {
            let bytes = try pipes.output.bytes(for: "a report of the writer, seed \(seed)")
            isOpen = !bytes.isEmpty
            received.append(bytes)
        }
        while isOpen, received.count(where: { $0 == UInt8(ascii: "\n") }) < count { try receive() }
        // Spins, as the time that a thread sleeps is not exact.
        let end = ContinuousClock.now + .microseconds(microseconds)
        while ContinuousClock.now < end {}
        kill(process.processIdentifier, SIGKILL)
        while isOpen { try receive() }
        process.waitUntilExit()
        try #require(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL, "seed \(seed)")
        let lines = String(decoding: received, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // Text after the last line end is not a report.
        return lines.dropLast()
    }
}
