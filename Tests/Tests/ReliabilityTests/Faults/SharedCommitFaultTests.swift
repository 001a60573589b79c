import FaultScenarios
import Foundation
import Strata
import Testing

/// Faults of the file system while writes share commits.
@Suite("Faults of shared commits", .timeLimit(.minutes(60)))
struct SharedCommitFaultTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test(arguments: FaultyFiles.Fault.all)
    func `What was acknowledged is in the file, and nothing else`(_ fault: FaultyFiles.Fault) throws {
        let seed = Self.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        print("faults of shared commits, \(fault): STRATA_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var (failures, acknowledgements) = (0, 0)
        for round in 0..<10 {
            // How many calls there are depends on how many writes share a commit.
            let n = round == 0 ? 1 : Int.random(in: 1...300, using: &generator)
            let files = try FaultyFiles()
            var configuration = Configuration()
            configuration.synchronous = .full
            let pool = try DatabasePool(path: files.uri("a"), configuration: configuration)
            try pool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
            let source = files.source(fault)
            source.arm(at: n)
            let threads = (0..<6).map { thread in
                Parallel { (0..<15).map { thread * 100 + $0 }.filter { (try? write($0, pool)) != nil } }
            }
            let acknowledged = try threads.flatMap { try $0.wait() }.sorted()
            failures += source.failureCount
            source.disarm()
            try pool.close()
            let rows = try DatabaseQueue(path: files.path("a")).read { try Int.fetchAll($0, sql: "SELECT id FROM t ORDER BY id") }
            #expect(rows == acknowledged, "seed \(seed), n \(n)")
            acknowledgements += acknowledged.count
        }
        #expect(acknowledgements > 0)
        // Opening files happens before.
        #expect(failures > 0 || fault.kind == .memoryToOpen, "seed \(seed)")
    }

    private func write(_ id: Int, _ pool: DatabasePool) throws {
        try pool.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id]) }
    }
}
