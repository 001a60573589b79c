import Foundation
import Strata
import Testing

/// Six processes with three threads each use one file at once: nothing is lost, no caller sees SQLITE_BUSY, and readers see whole
/// transactions.
@Suite("Contention", .timeLimit(.minutes(60)))
struct ContentionTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// How the file is written, and the kinds of connections of the processes, in turn.
    enum Kind: String, CaseIterable {
        case log, journal

        var connections: [String] { self == .log ? ["pool", "queue"] : ["queue"] }
    }

    @Test(.serialized, arguments: Kind.allCases)
    func `Many threads of many processes lose no update, and see no busy database`(_ kind: Kind) throws {
        let seed = Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        // `make soak` runs for 30 seconds; otherwise each thread runs some transactions.
        let limit = Self.environment["STRATA_CONTENTION"] ?? "25"
        print("contention, \(kind): STRATA_SEED=\(seed)")
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let writer: any DatabaseWriter = kind == .log ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE counter (value INTEGER NOT NULL); INSERT INTO counter VALUES (0);
                    CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
                    INSERT INTO account WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i, 100 FROM n;
                    """)
        }
        let processes = (0..<6).map { number in
            Parallel { try Self.run([path, kind.connections[number % kind.connections.count], "\(seed &+ UInt64(number * 100))", limit]) }
        }
        let counts = try processes.map { try $0.wait() }
        let sums = counts.reduce(into: [:] as [String: Int]) { sums, counts in sums.merge(counts, uniquingKeysWith: +) }
        print("contention, \(kind): \(sums.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
        let comment: Comment = "seed \(seed): \(counts)"
        #expect(["increments", "commits", "reads", "schema changes", "checkpoints", "backups"].allSatisfy { sums[$0] != nil }, comment)
        #expect(sums["busy"] == nil && sums["errors"] == nil && sums["wrong sums"] == nil, comment)
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT value FROM counter") } == sums["increments"], comment)
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT sum(balance) FROM account") } == 5000, comment)
        #expect(try writer.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        if limit.hasSuffix("s") {
            // In a fixed time, no process starves.
            let commits = counts.map { $0["commits"] ?? 0 }
            print("contention, \(kind): commits of the processes: \(commits)")
            #expect(commits.min()! * 5 * commits.count >= commits.reduce(0, +), comment)
        }
    }

    @Test(.serialized, arguments: Kind.allCases)
    func `Eight tasks of eight processes increment a number, and none sees a busy database`(_ kind: Kind) throws {
        let count = Self.environment["STRATA_CONTENTION"] == nil ? 100 : 1250
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let writer: any DatabaseWriter = kind == .log ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
        try writer.write { try $0.execute(sql: "CREATE TABLE counter (value INTEGER NOT NULL); INSERT INTO counter VALUES (0)") }
        let processes = (0..<8).map { _ in Parallel { try Self.output([path, kind.connections[0], "0", "\(count)i"]) } }
        // A process that sees SQLITE_BUSY ends with an error.
        let durations = try processes.flatMap { try $0.wait() }.filter { $0.name == "duration" }.map(\.number).sorted()
        #expect(durations.count == 8 * count)
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT value FROM counter") } == 8 * count)
        func milliseconds(_ share: Double) -> Double { Double(durations[Int(Double(durations.count - 1) * share)]) / 1000 }
        withExtendedLifetime(folder) {}
        print("increments, \(kind): p50 \(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, longest \(milliseconds(1)) ms")
    }

    private static func run(_ arguments: [String]) throws -> [String: Int] {
        Dictionary(try output(arguments).map { ($0.name, $0.number) }, uniquingKeysWith: { $1 })
    }

    /// Runs a process, and returns the lines of its output.
    private static func output(_ arguments: [String]) throws -> [(name: String, number: Int)] {
        let process = Process(program: "contention-process", arguments)
        let text = try process.outputOfRun()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ProcessFailure(description: "the process ended with \(process.terminationStatus)")
        }
        return text.split(separator: "\n").compactMap { line in
            guard let space = line.lastIndex(of: " "), let number = Int(line[line.index(after: space)...]) else { return nil }
            return (String(line[..<space]), number)
        }
    }
}
