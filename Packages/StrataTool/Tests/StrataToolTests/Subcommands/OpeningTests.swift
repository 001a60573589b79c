import Foundation
import Strata
import StrataCommandSupport
import Testing

@testable import StrataTool

/// How the subcommands that only read open databases, and what they leave behind.
@Suite struct OpeningTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try Maker.library.makeDatabase(
            named: "w.sqlite", in: folder,
            sql: """
                PRAGMA journal_mode = WAL; CREATE TABLE a (v); CREATE TABLE b (v); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);
                CREATE TABLE filling (v); INSERT INTO filling VALUES (zeroblob(4000000));
                """
        ).path
    }

    /// Changes two tables in one transaction, and copies the change into the file.
    private func change(to value: Int, and other: String = "b") throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in try db.execute(sql: "UPDATE a SET v = \(value); UPDATE \(other) SET v = \(value)") }
        try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
        try queue.close()
    }

    // MARK: - While others write

    @Test
    func `A reader in WAL mode sees one state, although another connection opens the database after it, and changes the file`() throws {
        let values = try reading(path, isImmutable: false) { db in
            let first = try Int.fetchOne(db, sql: "SELECT v FROM a")
            try change(to: 2)
            return [first, try Int.fetchOne(db, sql: "SELECT v FROM b")]
        }
        #expect(values == [1, 1])
        #expect(strata("sql", path, "SELECT v FROM b", "--format=csv").output == "v\r\n2\r\n")
    }

    /// How many backups are made: `make soak` makes more.
    private static let backupCount = ProcessInfo.processInfo.environment["STRATA_COPIES"].flatMap { Int($0) } ?? 2

    @Test
    func `Backups and dumps in WAL mode are one state, although other connections begin to write during them`() throws {
        let copy = folder.file("copy.sqlite")
        let folder = folder
        // The pages of the two tables are far apart.
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO filling VALUES (zeroblob(20000000)); CREATE TABLE far (v); INSERT INTO far VALUES (1)")
        }
        try queue.close()
        let hasEnded = Mutex(false)
        let writer = Thread { [self] in
            // The backup has opened the database when its copy appears.
            while (try? folder.files().contains { $0.hasPrefix(".copy.sqlite.") }) != true, !hasEnded.value {}
            var value = 1
            while !hasEnded.value {
                value += 1
                try? change(to: value, and: "far")
            }
        }
        writer.start()
        defer { hasEnded.value = true }
        for round in 0..<Self.backupCount {
            let result = strata("backup", path, copy.path, "--replace", "--pages=\([1, 10, 1024][round % 3])")
            try #require(result.status == 0, "\(result)")
            let copied = try DatabaseQueue(path: copy.path)
            try copied.read { db in
                try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
                try #expect(Int.fetchOne(db, sql: "SELECT a.v = far.v FROM a, far") == 1)
            }
            try copied.close()
            let dump = strata("dump", path, "a", "far")
            #expect(Set(dump.lines.map { $0.split(separator: " ").last }).count == 1 && dump.lines.count == 2, "\(dump)")
        }
    }

    @Test(arguments: ["dump", "check", "schema", "show", "swift"])
    func `The files of WAL mode that a reader has created are removed`(_ subcommand: String) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let result = strata(subcommand, path)
        #expect(result.errors.isEmpty, "\(result)")
        #expect(try folder.files() == ["w.sqlite"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test
    func `Files that another connection uses stay`() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in try db.execute(sql: "UPDATE a SET v = 7") }
        let before = try folder.files()
        #expect(before == ["w.sqlite", "w.sqlite-shm", "w.sqlite-wal"])
        #expect(strata("sql", path, "SELECT v FROM a", "--format=list").lines.last == "7")
        #expect(try folder.files() == before)
        try queue.close()
    }

    // MARK: - Without permission to write

    @Test(.enabled(if: Unprivileged.isAvailable, "no other user can run the command"))
    func `A database in WAL mode that can't be written is refused with the reason, and no file is left that would lock others out`() throws
    {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        let refused = try Unprivileged.strata("show", path)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains("it is in WAL mode, and this user may not write it"), "\(refused)")
        #expect(refused.errors.contains("--immutable"), "\(refused)")
        #expect(try folder.files() == ["w.sqlite"])
        let read = try Unprivileged.strata("sql", path, "SELECT v FROM a", "--format=list", "--immutable")
        #expect(read.lines.last == "1", "\(read)")
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test(.enabled(if: Unprivileged.isAvailable, "no other user can run the command"))
    func `A database in WAL mode that can't be written is read while another program has it open`() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in try db.execute(sql: "UPDATE a SET v = 7") }
        let read = try Unprivileged.strata("sql", path, "SELECT v FROM a", "--format=list")
        #expect(read.lines.last == "7", "\(read)")
        // The log has changes that are not in the file.
        let refused = try Unprivileged.strata("sql", path, "SELECT v FROM a", "--immutable")
        #expect(refused.errors.contains("w.sqlite-wal belongs to the database, and would be ignored"), "\(refused)")
        try queue.close()
    }

    @Test(.enabled(if: Unprivileged.isAvailable, "no other user can run the command"))
    func `Without WAL mode, a file needs no permission to be written`() throws {
        let file = try Maker.library.makeDatabase(named: "r.sqlite", in: folder, sql: "CREATE TABLE t (a); INSERT INTO t VALUES (5)")
        let read = try Unprivileged.strata("sql", file.path, "SELECT a FROM t", "--format=list")
        #expect(read.lines.last == "5", "\(read)")
    }

    @Test(.enabled(if: ReadOnlyMount.isAvailable, "no file system can be mounted read-only"))
    func `On a read-only file system, a database in WAL mode is read with --immutable`() throws {
        let refused = try ReadOnlyMount.strata(in: folder, "show", path)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains("--immutable"), "\(refused)")
        let copy = try TemporaryFolder()
        let copied = try ReadOnlyMount.strata(in: folder, "backup", path, copy.file("copy.sqlite").path, "--immutable")
        #expect(copied.status == 0, "\(copied)")
        #expect(strata("sql", copy.file("copy.sqlite").path, "SELECT v FROM a", "--format=list").lines.last == "1")

        // With a log and its index, SQLite needs no other files.
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in try db.execute(sql: "UPDATE a SET v = 7") }
        let read = try ReadOnlyMount.strata(in: folder, "sql", path, "SELECT v FROM a", "--format=list")
        #expect(read.lines.last == "7", "\(read)")
        // A log without its index, as a program leaves it that ends early.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file("c.sqlite").path + suffix)
        }
        let log = try ReadOnlyMount.strata(in: folder, "show", folder.file("c.sqlite").path)
        #expect(log.errors.contains("Copy it together with") && !log.errors.contains("--immutable"), "\(log)")
        try queue.close()
    }

    @Test
    func `An unfinished transaction of another program is an error that says what to do`() throws {
        let file = try Maker.library.makeDatabase(
            named: "r.sqlite", in: folder, sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, zeroblob(100000))")
        let copy = folder.file("interrupted.sqlite")
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = 2, b = randomblob(100000)")
            try FileManager.default.copyItem(at: file, to: copy)
            try FileManager.default.copyItem(atPath: file.path + "-journal", toPath: copy.path + "-journal")
            try db.rollback()
        }
        try queue.close()
        for options in [[], ["--immutable"]] {
            let result = strata(["sql", copy.path, "SELECT a FROM t"] + options)
            #expect(result.status == 1, "\(result)")
            #expect(!result.errors.contains("needs --write"), "\(result)")
            #expect(result.errors.contains(options.isEmpty ? "has to be rolled back first" : "-journal belongs"), "\(result)")
        }
        #expect(strata("sql", "--write", copy.path, "SELECT a FROM t", "--format=list").lines.last == "1")
    }

    // MARK: - The check of a copy

    @Test
    func `Copying a damaged database fails, unless its check is skipped`() throws {
        let file = try Maker.library.makeDatabase(
            named: "good.sqlite", in: folder,
            sql: """
                CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX tb ON t (b);
                WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT i, 'text ' || i FROM n;
                """)
        var bytes = try Data(contentsOf: file)
        let page = bytes.count / 4096 / 2
        bytes.replaceSubrange(page * 4096..<page * 4096 + 2000, with: Data(repeating: 0x55, count: 2000))
        try bytes.write(to: file)
        let copy = folder.file("copy.sqlite").path
        let refused = strata("backup", file.path, copy)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains("no copy was written, because its integrity check found: "), "\(refused)")
        #expect(refused.errors.contains("--no-check"), "\(refused)")
        #expect(try folder.files() == ["good.sqlite", "w.sqlite"])
        #expect(strata("backup", file.path, copy, "--no-check").status == 0)
        #expect(try folder.files() == ["copy.sqlite", "good.sqlite", "w.sqlite"])

        // A copy that can't be checked is not reported as checked.
        let odd = folder.file("odd.sqlite")
        try makeDatabaseWithMissingParts(odd)
        let unchecked = strata("backup", odd.path, copy, "--replace")
        #expect(unchecked.status == 1 && unchecked.errors.contains("it can't be checked: "), "\(unchecked)")
        #expect(strata("backup", odd.path, copy, "--replace", "--no-check").status == 0)
    }
}

/// A value that threads share.
private final class Mutex<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var content: Value

    init(_ value: Value) {
        content = value
    }

    var value: Value {
        get { lock.withLock { content } }
        set { lock.withLock { content = newValue } }
    }
}

/// The command as a user who owns none of the files. Permissions do not hold for root.
private enum Unprivileged {
    static var isAvailable: Bool { geteuid() == 0 && hasProgram("setpriv") }

    static func strata(_ arguments: String...) throws -> ToolResult {
        try runProgram(["setpriv", "--reuid=65534", "--clear-groups", try strataCommand().path] + arguments)
    }
}

/// The command where a folder can't be written by anybody.
private enum ReadOnlyMount {
    private static let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\""

    static let isAvailable: Bool = {
        guard geteuid() == 0, hasProgram("unshare"), let folder = try? TemporaryFolder() else { return false }
        return (try? runProgram(["unshare", "-m", "sh", "-c", script, folder.url.path, "true"]))?.status == 0
    }()

    static func strata(in folder: TemporaryFolder, _ arguments: String...) throws -> ToolResult {
        try runProgram(["unshare", "-m", "sh", "-c", script, folder.url.path, try strataCommand().path] + arguments)
    }
}
