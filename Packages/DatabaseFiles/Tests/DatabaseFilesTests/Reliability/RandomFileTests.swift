import DatabaseFiles
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Random writes, reads, backups and deletions on files of which few may be open, by processes that are killed.
///
/// Each operation is noted in a file before it begins and after it has returned. Then each acknowledged write must be in its file, unless a
/// deletion ended after the write began. `make soak` makes longer runs: `STRATA_FILE_STEPS`.
struct RandomFileTests {
    private static var steps: Int { ProcessInfo.processInfo.environment["STRATA_FILE_STEPS"].flatMap { Int($0) } ?? 1500 }
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...(.max))
    }

    @Test
    func `Nothing is lost in 200 files of which 20 may be open, when the process is killed`() async throws {
        let (folder, seed) = (try TemporaryFolder(), Self.seed)
        let rounds = max(Self.steps / 750, 2)
        for round in 0..<rounds {
            let program = FileProgram(
                folder: folder.path, seed: seed &+ UInt64(round), steps: Self.steps / rounds, fileCount: 200, openCount: 20, process: round,
                isKilled: round < rounds - 1)
            await run(program)
        }
        try FileProgram.verify(folder.path, seed)
    }

    @Test
    func `Two processes that delete, create and write the same files lose nothing`() async throws {
        let (folder, seed, steps) = (try TemporaryFolder(), Self.seed, Self.steps)
        let programs = (0..<2).map { number in
            FileProgram(
                folder: folder.path, seed: seed &+ UInt64(number), steps: steps / 2, fileCount: 4, openCount: 2, process: 1000 + number,
                isKilled: false)
        }
        async let other: Void = run(programs[1])
        await run(programs[0])
        await other
        try FileProgram.verify(folder.path, seed)
    }

    /// Runs a program in a process of its own.
    private func run(_ program: FileProgram) async {
        if program.isKilled {
            await #expect(processExitsWith: .signal(SIGKILL), "seed \(program.seed)") { [program = program as FileProgram] in
                try await program.run()
            }
        } else {
            await #expect(processExitsWith: .success, "seed \(program.seed)") { [program = program as FileProgram] in
                try await program.run()
            }
        }
    }
}

/// A program of random operations.
struct FileProgram: Codable, Sendable {
    let folder: String
    let seed: UInt64
    let steps: Int
    let fileCount: Int
    let openCount: Int
    /// A number that makes the written values unique.
    let process: Int
    /// Whether the process kills itself at a random moment.
    let isKilled: Bool

    /// Runs the program. An error is written to a file, as the process ends.
    func run() async throws {
        do { try await perform() } catch {
            try Data("\(error)".utf8).write(to: URL(fileURLWithPath: "\(folder)/error-\(process)"))
            throw error
        }
    }

    private func perform() async throws {
        var options = DatabaseFolder.Options()
        options.maximumOpenCount = openCount
        options.idleTime = .milliseconds(2)
        let files = try DatabaseFolder(path: folder, options: options) { db in
            if try !db.read({ try $0.tableExists("t") }) { try db.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (id TEXT)") } }
        }
        let log = try Log(folder)
        let taskCount = 6
        var random = SeededGenerator(seed: seed)
        if isKilled {
            // A moment between the beginning and the end.
            let count = Int.random(in: 1...(steps * 2), using: &random)
            log.killsItself(after: count)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    var random = SeededGenerator(seed: seed ^ UInt64(task + 1) &* 0x1234_5678_9ABC_DEF1)
                    for step in 0..<(steps / taskCount) {
                        let file = "File \(Int.random(in: 0..<fileCount, using: &random))"
                        try await perform(Int.random(in: 0..<100, using: &random), file, "\(process)-\(task)-\(step)", files, log)
                        let status = files.status()
                        if status.openCount + status.openingCount > openCount { throw MissingEvent("\(status)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        if isKilled { kill(getpid(), SIGKILL) }
        files.shutDown()
        try await files.run()
    }

    private func perform(_ kind: Int, _ file: String, _ id: String, _ files: DatabaseFolder, _ log: Log) async throws {
        do {
            switch kind {
            case ..<60:
                log.append("begin write", file, id)
                try await files.write(file, creating: true) { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id]) }
                log.append("end write", file, id)
            case ..<80:
                _ = try await files.read(file) { try $0.integer("SELECT count(*) FROM t") }
            case ..<85:
                try await files.use(file) { lease in
                    let copy = try DatabaseQueue()
                    try await lease.asyncBackup(to: copy)
                    let findings = try await copy.read { try $0.texts("PRAGMA integrity_check") }
                    if findings != ["ok"] { throw MissingEvent("\(findings)") }
                }
            case ..<90:
                _ = await onAThread { Result { try files.write(file) { try $0.execute(sql: "UPDATE t SET id = id") } } }
            default:
                log.append("begin deletion", file, id)
                do {
                    try await files.delete(file)
                    log.append("end deletion", file, id)
                } catch let error as DatabaseFileError where error.reason == .inUse {
                    log.append("no deletion", file, id)
                }
            }
        } catch let error as DatabaseFileError where error.reason == .notFound {
        }
    }

    /// Checks all files against the log.
    static func verify(_ folder: String, _ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let files = try DatabaseFolder(path: folder)
        let contents = try files.names().map { name in (name, try files.read(name) { db in try db.texts("SELECT id FROM t") }) }
        let ids = Dictionary(uniqueKeysWithValues: contents.map { ($0, Set($1)) })
        var writes: [(file: String, id: String, begin: Int)] = []
        var begins: [String: Int] = [:]
        // For each file, the line after which no deletion ended.
        var lastDeletions: [String: Int] = [:]
        var openDeletions: [String: String] = [:]
        var lastLines: [Substring: Int] = [:]
        for (number, line) in try Log.lines(folder).enumerated() {
            let (event, file, id) = line
            lastLines[id.prefix { $0 != "-" }] = number
            switch event {
            case "begin write": begins[id] = number
            case "end write": writes.append((file, id, begins[id] ?? 0))
            case "begin deletion": openDeletions[id] = file
            case "no deletion": openDeletions[id] = nil
            case "end deletion":
                openDeletions[id] = nil
                lastDeletions[file] = number
            default: Issue.record("\(line)")
            }
        }
        // A killed process may have deleted a file without saying so.
        for (id, file) in openDeletions { lastDeletions[file] = max(lastDeletions[file] ?? 0, lastLines[id.prefix { $0 != "-" }] ?? 0) }
        #expect(!writes.isEmpty)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("error-") {
            let error = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            Issue.record("\(error) (seed \(seed))", sourceLocation: sourceLocation)
        }
        for write in writes where ids[write.file]?.contains(write.id) != true {
            let isDeleted = lastDeletions[write.file].map { $0 >= write.begin } ?? false
            #expect(isDeleted, "\(write) is lost (seed \(seed))", sourceLocation: sourceLocation)
        }
        for (name, values) in contents {
            #expect(Set(values).count == values.count, "\(name)", sourceLocation: sourceLocation)
            #expect(try files.read(name) { try $0.texts("PRAGMA integrity_check") } == ["ok"], sourceLocation: sourceLocation)
        }
    }

    /// The file with the events. A line that was written stays, also if the process is killed.
    final class Log: Sendable {
        private let descriptor: CInt
        private let remaining = Locked(Int.max)

        init(_ folder: String) throws {
            descriptor = open("\(folder)/events", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            if descriptor < 0 { throw MissingEvent("events") }
        }

        func killsItself(after count: Int) { remaining.value = count }

        func append(_ event: String, _ file: String, _ id: String) {
            let line = "\(event)\t\(file)\t\(id)\n"
            _ = line.withCString { write(descriptor, $0, strlen($0)) }
            let isOver = remaining.withLock { remaining in
                remaining -= 1
                return remaining == 0
            }
            if isOver { kill(getpid(), SIGKILL) }
        }

        static func lines(_ folder: String) throws -> [(event: String, file: String, id: String)] {
            try String(contentsOfFile: "\(folder)/events", encoding: .utf8).split(separator: "\n").map { line in
                let parts = line.split(separator: "\t").map(String.init)
                return (parts[0], parts[1], parts[2])
            }
        }
    }
}
