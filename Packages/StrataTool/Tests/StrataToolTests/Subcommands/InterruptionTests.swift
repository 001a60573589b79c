import Foundation
import Strata
import StrataCommandSupport
import Testing

@testable import StrataTool

/// Signals to the command as a process. No test depends on when a signal arrives: before the command handles signals, there are no files yet.
@Suite(.serialized) struct InterruptionTests {
    let folder: TemporaryFolder
    let path: String
    let copy: String

    init() throws {
        folder = try TemporaryFolder()
        path = try Maker.library.makeDatabase(
            named: "w.sqlite", in: folder,
            sql: """
                PRAGMA journal_mode = WAL; CREATE TABLE t (a);
                WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO t SELECT zeroblob(10000) FROM n;
                """
        ).path
        copy = folder.file("copy.sqlite").path
    }

    /// How often a test tries to send a signal in time.
    private static let trials = 50

    private var hiddenFiles: [String] { get throws { try folder.files().filter { $0.hasPrefix(".") } } }

    /// Backs up in a process that gets a signal while it copies. A process that is faster does not count.
    private func interruptBackup(_ signal: CInt) throws -> Ending {
        for _ in 0..<Self.trials {
            let command = try RunningCommand(["backup", path, copy, "--pages=1"])
            command.wait { (try? hiddenFiles.isEmpty) == false }
            command.send(signal)
            let ending = try command.end()
            if ending.signal != nil { return ending }
            try #require(ending.status == 0, "\(ending)")
            try FileManager.default.removeItem(atPath: copy)
        }
        throw ToolError("no signal \(signal) came in time")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `A backup that a signal ends leaves no files, and ends by the signal`(_ signal: CInt) throws {
        let ending = try interruptBackup(signal)
        #expect(ending.signal == signal, "\(ending)")
        #expect(ending.errors == "strata: interrupted\n" || ending.errors.isEmpty, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test
    func `A backup that is interrupted leaves the previous copy as it was`() throws {
        _ = try Maker.library.makeDatabase(named: "copy.sqlite", in: folder, sql: "CREATE TABLE previous (a)")
        let previous = strata("schema", copy).output
        for _ in 0..<Self.trials {
            let command = try RunningCommand(["backup", path, copy, "--pages=1", "--replace"])
            command.wait { (try? hiddenFiles.isEmpty) == false }
            command.send(SIGTERM)
            if try command.end().signal == SIGTERM { break }
            // A backup that is faster than the signal has replaced it.
            try FileManager.default.removeItem(atPath: copy)
            _ = try Maker.library.makeDatabase(named: "copy.sqlite", in: folder, sql: "CREATE TABLE previous (a)")
        }
        #expect(strata("schema", copy).output == previous)
        #expect(try folder.files() == ["copy.sqlite", "w.sqlite"])
    }

    @Test
    func `A backup removes the files of a killed backup`() throws {
        #expect(try interruptBackup(SIGKILL).signal == SIGKILL)
        #expect(try !hiddenFiles.isEmpty)
        #expect(strata("backup", path, copy).status == 0)
        #expect(try folder.files() == ["copy.sqlite", "w.sqlite"])
        #expect(strata("check", copy).output.contains("Integrity: nothing found"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat"), "the system does not list the state of processes"))
    func `A backup leaves the files of another one that is running`() throws {
        var hasTried = false
        for _ in 0..<Self.trials where !hasTried {
            let command = try RunningCommand(["backup", path, copy, "--pages=1"])
            command.wait { (try? hiddenFiles.isEmpty) == false }
            command.send(SIGSTOP)
            command.wait { command.isStopped }
            let hidden = try hiddenFiles
            // A process that is faster does not count, nor does a process that has not locked its file: it is about to begin again.
            guard hidden.contains(where: { $0.hasSuffix("-journal") }) else {
                command.send(SIGCONT)
                #expect(try command.end().status == 0)
                try FileManager.default.removeItem(atPath: copy)
                continue
            }
            #expect(strata("backup", path, copy).status == 0)
            #expect(try Set(hidden).isSubset(of: hiddenFiles))
            command.send(SIGCONT)
            let ending = try command.end()
            #expect(ending.status == 0, "\(ending)")
            hasTried = true
        }
        #expect(hasTried)
        #expect(strata("check", copy).output.contains("Integrity: nothing found"))
        #expect(try folder.files() == ["copy.sqlite", "w.sqlite"])
    }

    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    @Test(arguments: [SIGINT, SIGTERM])
    func `A query that a signal ends leaves no files of WAL mode`(_ signal: CInt) throws {
        let command = try RunningCommand(["sql", path, Self.endless])
        command.wait { (try? folder.files()) == ["w.sqlite", "w.sqlite-shm", "w.sqlite-wal"] }
        command.send(signal)
        let ending = try command.end()
        #expect(ending.signal == signal, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test
    func `What a killed reader leaves in WAL mode is removed by the next one`() throws {
        let command = try RunningCommand(["sql", path, Self.endless])
        command.wait { (try? folder.files()) == ["w.sqlite", "w.sqlite-shm", "w.sqlite-wal"] }
        command.send(SIGKILL)
        #expect(try command.end().signal == SIGKILL)
        #expect(try folder.files() == ["w.sqlite", "w.sqlite-shm", "w.sqlite-wal"])
        #expect(strata("schema", path).status == 0)
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test(arguments: ["dump", "swift", "check"])
    func `A command that waits for the reader of its output ends by a signal, and leaves no files`(_ subcommand: String) throws {
        // More than a pipe holds.
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            let name = "table" + String(repeating: "_with_a_long_name", count: 10)
            for number in 0..<500 { try db.execute(sql: "CREATE TABLE \(name)_\(number) (a REFERENCES missing)") }
        }
        try queue.close()
        let command = try RunningCommand([subcommand, path])
        command.readBeginningOfOutput()
        command.send(SIGTERM)
        let ending = try command.end()
        #expect(ending.signal == SIGTERM, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test(arguments: [false, true])
    func `A command whose output is no longer read ends, and leaves no files`(_ isSignalIgnoredHere: Bool) throws {
        // It stays so: other tests run beside this one.
        if isSignalIgnoredHere { signal(SIGPIPE, SIG_IGN) }
        let command = try RunningCommand(["dump", path])
        command.readBeginningOfOutput()
        command.closeOutput()
        let ending = try command.end()
        #expect(ending.signal == SIGPIPE, "\(ending)")
        #expect(ending.errors.isEmpty, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test
    func `A load that waits for rows inserts none after a signal`() throws {
        let command = try RunningCommand(["load", path, "t", "-", "--format=csv"])
        command.write("a\n" + String(repeating: "1\n", count: 10_000))
        command.wait { (try? folder.files()) == ["w.sqlite", "w.sqlite-shm", "w.sqlite-wal"] }
        command.send(SIGTERM)
        let ending = try command.end()
        #expect(ending.signal == SIGTERM, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
        #expect(strata("sql", path, "SELECT count(*) AS n FROM t", "--format=csv").lines == ["n", "3000"])
    }

    /// Loads 20 rows, and calls a closure while the commit waits.
    ///
    /// - Returns: the command, which has ended, how it has ended, and the number of rows.
    private func load(_ options: String..., duringCommit body: (RunningCommand) -> Void) throws -> (RunningCommand, Ending, Int?) {
        let file = try Maker.library.makeDatabase(named: "r.sqlite", in: folder, sql: "CREATE TABLE t (a)").path
        try folder.write("a\n" + String(repeating: "1\n", count: 20), to: "r.csv")
        let reader = try DatabaseQueue(path: file)
        let command = try reader.read { db in
            // The commit waits for this transaction.
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
            let command = try RunningCommand(["load", file, "t", folder.path("r.csv")] + options)
            command.wait { command.waitsToCommit }
            body(command)
            return command
        }
        let ending = try command.end()
        return try (command, ending, reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") })
    }

    private static let hasLocks = FileManager.default.fileExists(atPath: "/proc/locks")

    @Test(.enabled(if: hasLocks, "the system does not list locks"), arguments: ["--portion=100", "--format=csv"])
    func `A signal during the last commit of a load does not end it, and the command says that all is loaded`(_ option: String) throws {
        let (command, ending, count) = try load(option) { $0.send(SIGTERM) }
        #expect(ending.status == 0, "\(ending)")
        #expect(command.output == "20 rows inserted into t\n")
        #expect(count == 20)
    }

    @Test(.enabled(if: hasLocks, "the system does not list locks"))
    func `A load whose output is no longer read says on standard error that all is loaded`() throws {
        let (_, ending, count) = try load("--portion=100") { $0.closeOutput() }
        #expect(ending.signal == SIGPIPE, "\(ending)")
        #expect(ending.errors.hasPrefix("strata: 20 rows inserted into t\n"), "\(ending)")
        #expect(count == 20)
    }

    @Test
    func `A script that does not arrive does not run in part after a signal`() throws {
        let command = try RunningCommand(["sql", path, "-", "--write"])
        command.write("DELETE FROM t; ")
        command.send(SIGTERM)
        #expect(try command.end().signal == SIGTERM)
        #expect(try folder.files() == ["w.sqlite"])
        #expect(strata("sql", path, "SELECT count(*) AS n FROM t", "--format=csv").lines == ["n", "3000"])
    }

    @Test
    func `A script that a signal ends creates no database`() throws {
        let command = try RunningCommand(
            ["sql", folder.file("new.sqlite").path, "CREATE TABLE t (a); INSERT INTO t \(Self.endless)", "--write"])
        command.wait { (try? folder.files().contains("new.sqlite-journal")) == true }
        command.send(SIGTERM)
        let ending = try command.end()
        #expect(ending.signal == SIGTERM, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test
    func `What a script has committed before a signal stays, and goes from the log into the file`() throws {
        let script = "BEGIN; INSERT INTO t SELECT zeroblob(10000) FROM t LIMIT 50; COMMIT; \(Self.endless)"
        let command = try RunningCommand(["sql", path, script, "--write"])
        command.wait {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
            return (attributes?[.size] as? Int ?? 0) > 500_000
        }
        command.send(SIGTERM)
        let ending = try command.end()
        #expect(ending.signal == SIGTERM, "\(ending)")
        #expect(try folder.files() == ["w.sqlite"])
        let count = strata("sql", path, "SELECT count(*) AS n FROM t", "--format=csv").lines.last
        #expect(count == "3050" || count == "3000")
    }

    @Test
    func `A command that waits for a lock ends by a signal`() throws {
        let file = try Maker.library.makeDatabase(named: "r.sqlite", in: folder, sql: "CREATE TABLE t (a)")
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            let command = try RunningCommand(["show", file.path])
            command.send(SIGTERM)
            #expect(try command.end().signal == SIGTERM)
            try db.rollback()
        }
        try queue.close()
        #expect(try folder.files() == ["r.sqlite", "w.sqlite"])
    }

    @Test
    func `Signals that the process ignores, as under nohup, don't end the command`() throws {
        let command = try RunningCommand(["backup", path, copy, "--pages=1"], ignoring: "HUP")
        command.wait { (try? hiddenFiles.isEmpty) == false }
        command.send(SIGHUP)
        let ending = try command.end()
        #expect(ending.status == 0 && ending.signal == nil, "\(ending)")
        #expect(try folder.files() == ["copy.sqlite", "w.sqlite"])
    }
}

/// How a process has ended.
struct Ending: CustomStringConvertible {
    /// The exit status, if it has exited.
    var status: Int32?
    /// The signal that has ended it.
    var signal: CInt?
    var errors: String

    var description: String { "status \(status.map(String.init) ?? "–"), signal \(signal.map(String.init) ?? "–"): \(errors)" }
}

/// The command as a process, with pipes that are read and written only on demand.
final class RunningCommand {
    private let process = Process()
    private let pipes: ProcessPipes
    private let folder: TemporaryFolder

    /// - Parameter ignored: a signal that the process ignores from its beginning.
    init(_ arguments: [String], ignoring ignored: String? = nil) throws {
        folder = try TemporaryFolder()
        let command = [try strataCommand().path] + arguments
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ignored.map { ["sh", "-c", "trap '' \($0); exec \"$@\"", "sh"] + command } ?? command
        try Data().write(to: folder.file("errors"))
        process.standardError = try FileHandle(forWritingTo: folder.file("errors"))
        pipes = try process.runWithPipes()
    }

    deinit { process.isRunning ? send(SIGKILL) : () }

    /// Waits until a condition holds, or the process has ended.
    func wait(_ condition: () -> Bool) {
        // Asking all the time takes a core from the command, and the lock of a database for its commits.
        while process.isRunning, !condition() { usleep(500) }
    }

    func send(_ signal: CInt) { kill(process.processIdentifier, signal) }

    /// Whether SIGSTOP has stopped the process.
    var isStopped: Bool {
        let state = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        return state?.split(separator: ")").last?.hasPrefix(" T") == true
    }

    func write(_ text: String) { pipes.input.write(Data(text.utf8)) }

    /// Whether the process has the pending lock of a database, with which a commit waits for readers.
    ///
    /// Source: <https://www.sqlite.org/lockingv3.html>
    var waitsToCommit: Bool {
        // A reader takes a lock of this byte, too, for a moment, but for reading.
        let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return locks?.split(separator: "\n").contains { lock in
            [" WRITE ", " \(process.processIdentifier) ", " 1073741824 "].allSatisfy(lock.contains)
        } == true
    }

    /// The output of a process that has ended.
    var output: String { String(decoding: pipes.output.readDataToEndOfFile(), as: UTF8.self) }

    func readBeginningOfOutput() { _ = pipes.output.availableData }

    func closeOutput() { try? pipes.output.close() }

    /// Waits for the end of the process.
    func end() throws -> Ending {
        process.waitUntilExit()
        let hasExited = process.terminationReason == .exit
        let errors = try String(contentsOf: folder.file("errors"), encoding: .utf8)
        return Ending(
            status: hasExited ? process.terminationStatus : nil, signal: hasExited ? nil : process.terminationStatus, errors: errors)
    }
}
