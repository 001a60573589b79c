import Foundation
import Strata
import Testing

/// Tasks that are cancelled at random moments of their accesses, by the ten thousand in `make soak`: what is committed is reported as
/// committed, and nothing else is in the file.
@Suite("Cancelled tasks", .timeLimit(.minutes(60)))
struct CancelledTaskTests {
    enum Kind: String, CaseIterable { case queue, pool }

    private enum Outcome: Sendable { case committed, read, cancelled }

    @Test(arguments: Kind.allCases)
    func `Cancelled tasks lose nothing, and leave nothing behind`(_ kind: Kind) async throws {
        let (seed, count) = HostileValues.run("cancelled tasks, \(kind)", quickCount: 1000)
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let writer: any DatabaseWriter =
            kind == .queue
            ? try DatabaseQueue(path: path, configuration: configuration) : try DatabasePool(path: path, configuration: configuration)
        try await writer.write { (db) throws in
            try db.execute(
                sql: """
                    CREATE TABLE entry (id INTEGER PRIMARY KEY, half INTEGER NOT NULL);
                    CREATE TABLE number AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i FROM n;
                    """)
        }
        var random = SeededGenerator(seed: seed)
        var committed: Set<Int> = []
        var counts = (cancelled: 0, read: 0)
        // Some at a time, as they wait for each other.
        for first in stride(from: 0, to: count, by: 100) {
            let tasks = (first..<min(first + 100, count)).map { number in
                Task { try await Self.work(number, writer) }
            }
            for index in tasks.indices.shuffled(using: &random) {
                if Bool.random(using: &random) { tasks[index].cancel() }
                if Int.random(in: 0..<8, using: &random) == 0 { await Task.yield() }
            }
            for (index, task) in tasks.enumerated() {
                switch try await task.value {
                case .committed: committed.insert(first + index)
                case .read: counts.read += 1
                case .cancelled: counts.cancelled += 1
                }
            }
        }
        let expected = committed
        try await writer.read { (db) throws in
            #expect(try Set(Int.fetchAll(db, sql: "SELECT id FROM entry WHERE half = 1")) == expected, "seed \(seed)")
            #expect(try Set(Int.fetchAll(db, sql: "SELECT id - 10000000 FROM entry WHERE half = 2")) == expected, "seed \(seed)")
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
        expectUnlocked(path)
        try writer.close()
        print("cancelled tasks, \(kind): \(count) tasks, \(counts.cancelled) cancelled, \(committed.count) commits, \(counts.read) reads")
        #expect(counts.cancelled > 0 && !committed.isEmpty)
    }

    private static func work(_ number: Int, _ writer: any DatabaseWriter) async throws -> Outcome {
        do {
            switch number % 5 {
            case 0, 1:
                try await writer.write { (db) throws in
                    try db.execute(sql: "INSERT INTO entry VALUES (?, 1)", arguments: [number])
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM number a, number b WHERE a.i < b.i")
                    try db.execute(sql: "INSERT INTO entry VALUES (?, 2)", arguments: [number + 10_000_000])
                }
                return .committed
            case 2:
                let sum = try await writer.read { (db) throws in
                    try Int.fetchOne(db, sql: "SELECT sum(CASE half WHEN 1 THEN 1 ELSE -1 END) FROM entry") ?? 0
                }
                #expect(sum == 0)
                return .read
            case 3:
                // A write that is undone.
                try await writer.writeWithoutTransaction { (db) throws in
                    try db.inTransaction {
                        try db.execute(sql: "INSERT INTO entry VALUES (?, 1)", arguments: [number])
                        return .rollback
                    }
                }
                return .read
            default:
                for try await _ in ValueObservation.tracking({ try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }).values(in: writer)
                {
                    break
                }
                try Task.checkCancellation()
                return .read
            }
        } catch is CancellationError {
            return .cancelled
        }
    }
}
