import Foundation
import MigrationScenario
import Strata
import Testing

// A process is killed at random moments of its migrations. After each kill the database is at the boundary of a migration, and the next
// process continues from there.

@Suite struct MigrationKillTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// How often processes are killed: `make soak` does it 300 times.
    private static let killCount = ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 21

    /// What the database holds after each migration, and before the first.
    private func boundaries() throws -> [[String]] {
        let queue = try DatabaseQueue()
        let migrator = MigrationScenario.migrator
        return try [queue.read { try MigrationScenario.contents($0) }]
            + migrator.migrations.map { identifier in
                try migrator.migrate(queue, upTo: identifier)
                return try queue.read { try MigrationScenario.contents($0) }
            }
    }

    /// Runs a process that migrates a file.
    ///
    /// - Returns: how many microseconds it ran, nil when it was killed.
    private func migrate(_ path: String, _ kind: String, killedAfter microseconds: Int? = nil) throws -> Int? {
        let process = Process(program: "migration-process", [path, kind] + (microseconds.map { ["\($0)"] } ?? []))
        let text = try process.outputOfRun()
        if process.terminationReason == .uncaughtSignal {
            #expect(process.terminationStatus == SIGKILL)
            return nil
        }
        #expect(process.terminationStatus == 0)
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test(arguments: ["queue", "wal", "pool"])
    func `After each of many kills the database is at the boundary of a migration`(_ kind: String) throws {
        let seed = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        print("killed migrations, \(kind): STRATA_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let boundaries = try boundaries()
        let duration = try #require(try migrate(folder.path("first.sqlite"), kind))
        var seen: Set<Int> = []
        var kills = 0
        var files = 0
        while kills < Self.killCount / 3 {
            files += 1
            let path = folder.path("\(files).sqlite")
            var isDone = false
            while !isDone, kills < Self.killCount / 3 {
                // Mostly in the first part: a process that continues has less to do.
                isDone = try migrate(path, kind, killedAfter: Int.random(in: 0...duration, using: &random)) != nil
                if !isDone { kills += 1 }
                let queue = try DatabaseQueue(path: path)
                try queue.read { db in
                    let count = try MigrationScenario.migrator.appliedIdentifiers(db).count
                    seen.insert(count)
                    let contents = try MigrationScenario.contents(db)
                    #expect(contents == boundaries[count], "seed \(seed), after kill \(kills) of file \(files)")
                    #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
                    try db.checkForeignKeys()
                }
                try queue.close()
            }
            if isDone {
                let queue = try DatabaseQueue(path: path)
                #expect(try queue.read { try MigrationScenario.contents($0) } == boundaries.last)
            }
            for file in [path, "\(path)-wal", "\(path)-shm", "\(path)-journal"] { try? FileManager.default.removeItem(atPath: file) }
        }
        print("killed migrations, \(kind): \(kills) kills, after \(seen.sorted()) migrations")
        #expect(!seen.isEmpty)
    }

    @Test(arguments: ["queue", "wal", "pool"])
    func `Processes that migrate a file at the same time run each migration once`(_ kind: String) throws {
        let path = folder.path("database.sqlite")
        let processes = (1...4).map { _ in Parallel { [self] in try migrate(path, kind) } }
        for process in processes { #expect(try process.wait() != nil) }
        let queue = try DatabaseQueue(path: path)
        #expect(try queue.read { try MigrationScenario.contents($0) } == boundaries().last)
    }
}
