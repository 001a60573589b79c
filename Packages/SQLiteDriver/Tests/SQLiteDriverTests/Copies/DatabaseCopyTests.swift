import Foundation
import SQLiteDriver
import Testing

@Suite struct DatabaseCopyTests {
    enum Kind: CaseIterable {
        case inMemory
        case temporary

        func copy(_ path: String, _ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
            switch self {
            case .inMemory: try DatabaseQueue.inMemoryCopy(fromPath: path, configuration: configuration)
            case .temporary: try DatabaseQueue.temporaryCopy(fromPath: path, configuration: configuration)
            }
        }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeSource(_ setUp: String = "") throws -> String {
        let path = folder.path("source.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: setUp) }
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2); PRAGMA user_version = 7") }
        try queue.close()
        return path
    }

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test(
        arguments: Kind.allCases,
        ["", "PRAGMA page_size = 1024", "PRAGMA page_size = 16384", "PRAGMA encoding = 'UTF-16le'"])
    func `A copy holds what the file holds`(_ kind: Kind, _ setUp: String) throws {
        let path = try makeSource(setUp)
        let before = try contents(path)
        let copy = try kind.copy(path)
        try copy.write { (db) throws in
            #expect(try db.integers("SELECT a FROM t") == [1, 2])
            #expect(try db.integers("PRAGMA user_version") == [7])
            #expect(try db.texts("PRAGMA integrity_check") == ["ok"])
            // The copy is independent of the file.
            try db.execute(sql: "DELETE FROM t; DROP TABLE t")
        }
        #expect(try contents(path) == before)
        #expect(try kind.copy(path).read { try $0.integers("SELECT a FROM t") } == [1, 2])
        #expect(copy.path == (kind == .inMemory ? ":memory:" : ""))
    }

    @Test(arguments: Kind.allCases)
    func `The content of the write-ahead log is copied`(_ kind: Kind) throws {
        let path = folder.path("wal.sqlite")
        let writer = try DatabaseQueue(path: path)
        try writer.writeWithoutTransaction { (db) throws in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        }
        // One file is still open for writing, and the other is as a crashed program leaves it.
        let left = folder.path("left.sqlite")
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix) }
        for path in [path, left] {
            let file = try contents(path)
            let log = try contents(path + "-wal")
            #expect(!log.isEmpty)
            let copy = try kind.copy(path)
            #expect(try copy.read { try $0.integers("SELECT a FROM t") } == [1])
            try copy.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            #expect(try copy.read { try $0.integers("SELECT a FROM t") } == [1, 2])
            #expect(try contents(path) == file)
            #expect(try contents(path + "-wal") == log)
        }
        #expect(try writer.read { try $0.integers("SELECT a FROM t") } == [1])
    }

    @Test(arguments: Kind.allCases)
    func `A copy is prepared once with its content`(_ kind: Kind) throws {
        let path = try makeSource()
        let seen = Box<[Int64]>([])
        var configuration = Configuration()
        configuration.label = "copy"
        configuration.prepareDatabase { db in
            seen.value += try db.integers("SELECT count(*) FROM t")
            try db.execute(sql: "CREATE TEMP VIEW v AS SELECT a + 1 FROM t")
        }
        let copy = try kind.copy(path, configuration)
        #expect(seen.value == [2])
        #expect(try copy.read { try $0.integers("SELECT * FROM v") } == [2, 3])
        #expect(copy.configuration.label == "copy")
    }

    @Test(arguments: Kind.allCases)
    func `A readonly copy can't be written`(_ kind: Kind) throws {
        let path = try makeSource()
        var configuration = Configuration()
        configuration.readonly = true
        let copy = try kind.copy(path, configuration)
        #expect(try copy.read { try $0.integers("SELECT a FROM t") } == [1, 2])
        expectError(.SQLITE_READONLY) { try copy.write { try $0.execute(sql: "DELETE FROM t") } }
        #expect(try copy.read { try $0.integers("SELECT a FROM t") } == [1, 2])
    }

    @Test(arguments: Kind.allCases)
    func `The error names a file that is missing or no database`(_ kind: Kind) throws {
        let missing = folder.path("missing.sqlite")
        let error = expectError(.SQLITE_CANTOPEN) { _ = try kind.copy(missing) }
        #expect(error?.description.contains("unable to open database file: \(missing). The file does not exist") == true)
        #expect(!FileManager.default.fileExists(atPath: missing))

        let notes = folder.path("notes.txt")
        try Data(String(repeating: "no database ", count: 100).utf8).write(to: URL(fileURLWithPath: notes))
        let otherError = expectError(.SQLITE_NOTADB) { _ = try kind.copy(notes) }
        #expect(otherError?.message == "file is not a database: \(notes)")
    }

    @Test
    func `A database in memory can be copied`() throws {
        let source = try DatabaseQueue(named: "source of a copy")
        try source.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let copy = try DatabaseQueue.inMemoryCopy(fromPath: source.path)
        try source.write { try $0.execute(sql: "DELETE FROM t") }
        #expect(try copy.read { try $0.integers("SELECT a FROM t") } == [1])
    }
}
