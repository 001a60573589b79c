import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// All connections of a database use the file that the first one opened, wherever its path leads later.
@Suite struct SameFileTests {
    /// How a path is given. The last two lead through a symbolic link.
    enum Path: String, CaseIterable, Codable, Sendable {
        case relative = "app.sqlite"
        case odd = "é %41?#.sqlite"
        case uri = "file:app.sqlite?mode=rwc#fragment"
        case uriWithEscapes = "file:%61pp.sqlite"
        case link = "link.sqlite"
        case folder = "folder/app.sqlite"
    }

    /// The current folder belongs to the process, so each test runs in a process of its own.
    @Test(arguments: Path.allCases)
    func `A pool reads the file that it writes after the current folder has changed`(_ path: Path) async {
        await #expect(processExitsWith: .success) { [path] in
            let folder = try TemporaryFolder()
            for name in ["one", "two"] {
                try FileManager.default.createDirectory(atPath: folder.path("\(name)/folder"), withIntermediateDirectories: true)
                check(symlink("app.sqlite", folder.path("\(name)/link.sqlite")) == 0)
            }
            check(chdir(folder.path("two")) == 0)
            try DatabaseQueue(path: path.rawValue).write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('two')") }
            let untouched = try SameFileTests.files(in: folder.path("two"))

            check(chdir(folder.path("one")) == 0)
            let pool = try DatabasePool(path: path.rawValue, configuration: Configuration().removingLog)
            check(pool.path == path.rawValue)
            try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('one')") }
            check(chdir(folder.path("two")) == 0)

            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES ('one')") }
            let inside = try pool.read { try $0.texts("SELECT a FROM t") }
            check(inside == ["one", "one"])
            let inSnapshot = try pool.makeSnapshot().read { try $0.texts("SELECT a FROM t") }
            check(inSnapshot == ["one", "one"])
            let copy = try DatabaseQueue()
            try pool.backup(to: copy)
            check(try copy.read { try $0.texts("SELECT a FROM t") } == ["one", "one"])
            // The second connection that protects checkpoints opens the file again.
            let (frames, copied) = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            check(frames == 0 && copied == 0)
            try pool.close()
            check(try SameFileTests.files(in: folder.path("two")) == untouched)
            check(try !SameFileTests.files(in: folder.path("one")).contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") })
        }
    }

    @Test(arguments: [Path.relative, .uri])
    func `The checkpoints of a queue use its own file after the current folder has changed`(_ path: Path) async {
        await #expect(processExitsWith: .success) { [path] in
            let folder = try TemporaryFolder()
            for name in ["one", "two"] {
                try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
            }
            check(chdir(folder.path("one")) == 0)
            var configuration = Configuration().removingLog
            configuration.journalMode = .wal
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 10; PRAGMA synchronous = OFF") }
            let queue = try DatabaseQueue(path: path.rawValue, configuration: configuration)
            check(chdir(folder.path("two")) == 0)
            try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            for _ in 0..<200 { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(3000))") } }
            let size = try FileManager.default.attributesOfItem(atPath: folder.path("one/app.sqlite-wal"))[.size] as? Int ?? 0
            // 200 commits without checkpoints would make a log of more than 800,000 bytes.
            check(size < 200_000, "\(size)")
            check(try FileManager.default.contentsOfDirectory(atPath: folder.path("two")).isEmpty)
            try queue.close()
            check(try FileManager.default.contentsOfDirectory(atPath: folder.path("one")) == ["app.sqlite"])
        }
    }

    @Test
    func `A symbolic link that changes later does not lead readers to another file`() throws {
        let folder = try TemporaryFolder()
        for name in ["one", "two"] {
            let queue = try DatabaseQueue(path: folder.path(name))
            try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('\(name)')") }
            try queue.close()
        }
        #expect(symlink(folder.path("one"), folder.path("link")) == 0)
        let pool = try DatabasePool(path: folder.path("link"))
        try FileManager.default.removeItem(atPath: folder.path("link"))
        #expect(symlink(folder.path("two"), folder.path("link")) == 0)
        #expect(try pool.read { try $0.texts("SELECT a FROM t") } == ["one"])
        try pool.close()
    }

    @Test
    func `A reader of a file that was replaced throws, and so does a snapshot`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("old.sqlite"))
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        for open in [{ _ = try pool.makeSnapshot() }, { try pool.read { _ in } }] {
            let error = #expect(throws: DatabaseError.self) { try open() }
            #expect(error?.resultCode == .SQLITE_CANTOPEN)
            #expect(error?.message == "the file was moved or replaced since the database was opened: \(path)")
        }
        // The writer still has the old file.
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test
    func `A database that is attached by a relative path must be the same for all connections`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            for name in ["one", "two"] {
                try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
                try DatabaseQueue(path: folder.path("\(name)/other.sqlite")).write { try $0.execute(sql: "CREATE TABLE t (a)") }
            }
            check(chdir(folder.path("one")) == 0)
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "ATTACH DATABASE 'other.sqlite' AS other; ATTACH ':memory:' AS scratch") }
            let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
            try pool.write { try $0.execute(sql: "INSERT INTO other.t VALUES (1)") }
            check(try pool.read { try $0.integers("SELECT a FROM other.t") } == [1])
            pool.invalidateReadOnlyConnections()
            check(chdir(folder.path("two")) == 0)
            do {
                _ = try pool.read { try $0.integers("SELECT a FROM other.t") }
                check(false)
            } catch let error as DatabaseError {
                check(error.resultCode == .SQLITE_CANTOPEN)
                check(error.message?.hasPrefix("the attached database other is ") == true, "\(error)")
            }
            // Where the file is missing, too.
            check(chdir(folder.path("")) == 0)
            check((try? pool.read { _ in }) == nil)
            check(chdir(folder.path("one")) == 0)
            check(try pool.read { try $0.integers("SELECT a FROM other.t") } == [1])
        }
    }

    /// The names and the content of the files.
    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map { name in
            "\(name) \(FileManager.default.contents(atPath: "\(folder)/\(name)")?.hashValue ?? 0) \(name)"
        }
    }
}

/// Ends the process, which makes the test fail.
private func check(_ condition: Bool, _ message: String = "", line: Int = #line) {
    if !condition { fatalError("line \(line): \(message)") }
}
