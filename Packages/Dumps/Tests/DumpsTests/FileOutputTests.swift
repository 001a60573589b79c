import Dumps
import Foundation
import Testing

/// Dumps into files, and outputs that fail.
@Suite
struct FileOutputTests {
    /// A dump of one kind.
    enum Kind: CaseIterable {
        case tables, sql, request, content, schema

        private static let query: SQL = "SELECT * FROM player"
        private static let oneRow = SQLRequest<Row>(sql: "SELECT 1")

        /// Dumps to an output, as the spelling without `&` passes it.
        func dump(_ queue: DatabaseQueue, to output: any TextOutputStream) throws {
            switch self {
            case .tables: try queue.dumpTables(["player"], format: .csv(), to: output)
            case .sql: try queue.dumpSQL(Self.query, to: output)
            case .request: try queue.dumpRequest(Self.oneRow, to: output)
            case .content: try queue.dumpContent(format: .insert(), to: output)
            case .schema: try queue.dumpSchema(to: output)
            }
        }

        /// Dumps to a copy of an output, as the spelling with `&` passes it.
        func dump<Output: TextOutputStream>(_ queue: DatabaseQueue, toCopyOf output: inout Output) throws {
            switch self {
            case .tables: try queue.dumpTables(["player"], format: .csv(), to: &output)
            case .sql: try queue.dumpSQL(Self.query, to: &output)
            case .request: try queue.dumpRequest(Self.oneRow, to: &output)
            case .content: try queue.dumpContent(format: .insert(), to: &output)
            case .schema: try queue.dumpSchema(to: &output)
            }
        }

        func dump(_ queue: DatabaseQueue, toFile path: String) throws {
            switch self {
            case .tables: try queue.dumpTables(["player"], format: .csv(), toFile: path)
            case .sql: try queue.dumpSQL(Self.query, toFile: path)
            case .request: try queue.dumpRequest(Self.oneRow, toFile: path)
            case .content: try queue.dumpContent(format: .insert(), toFile: path)
            case .schema: try queue.dumpSchema(toFile: path)
            }
        }
    }

    /// An output of the program's own, which accepts nothing.
    private struct Full: FailableOutput {
        struct NoSpace: Error {}

        var error: (any Error)?
        var attempts = 0

        mutating func write(_ string: String) {
            attempts += 1
            error = NoSpace()
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: Kind.allCases)
    func `A dump onto a full disk throws in both spellings`(_ kind: Kind) throws {
        let queue = try makePlayers()
        let handle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        #expect(throws: (any Error).self) { try kind.dump(queue, to: FileHandleOutput(handle)) }
        var output = FileHandleOutput(handle)
        #expect(throws: (any Error).self) { try kind.dump(queue, toCopyOf: &output) }
        #expect(throws: (any Error).self) { try kind.dump(queue, toFile: "/dev/full") }
        try queue.read { db in
            var output = FileHandleOutput(handle)
            #expect(throws: (any Error).self) { try db.dumpTables(["player"], to: &output) }
            #expect(output.error != nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `The error of a program's own output is thrown in both spellings`(_ kind: Kind) throws {
        let queue = try makePlayers()
        #expect(throws: Full.NoSpace.self) { try kind.dump(queue, to: Full()) }
        var output = Full()
        #expect(throws: Full.NoSpace.self) { try kind.dump(queue, toCopyOf: &output) }
        #expect(output.attempts == 1)
    }

    @Test
    func `A long dump ends soon after its output has failed`() throws {
        final class Count { var rows = 0 }
        struct Counting: DumpFormat {
            let count: Count
            func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                count.rows += 1
                stream.write(String(repeating: "x", count: 1000))
            }
        }
        let count = Count()
        var output = Full()
        let sql: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i FROM n"
        #expect(throws: Full.NoSpace.self) { try DatabaseQueue().dumpSQL(sql, format: Counting(count: count), to: &output) }
        #expect(count.rows < 100 && output.attempts == 1)
    }

    #if os(Linux)
        @Test
        func `Printing onto a full disk throws`() async {
            await #expect(processExitsWith: .success) {
                let queue = try makePlayers()
                let descriptor = open("/dev/full", O_WRONLY)
                dup2(descriptor, STDOUT_FILENO)
                let error = #expect(throws: POSIXError.self) { try queue.dumpTables(["player"]) }
                #expect(error?.code == .ENOSPC)
            }
        }
    #endif

    @Test(arguments: Kind.allCases)
    func `A dump replaces a file, and keeps its permissions`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let queue = try makePlayers()
        let url = folder.file("players 100%.txt")
        try Data("the previous content, which is longer than the next one".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
        var output = ""
        try kind.dump(queue, toCopyOf: &output)
        try kind.dump(queue, toFile: url.path)
        try #expect(String(contentsOf: url, encoding: .utf8) == output)
        try #expect(permissions(url.path) == 0o640)
        try #expect(FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["players 100%.txt"])
    }

    @Test
    func `A format that fails after the first rows leaves the previous file`() throws {
        struct Failing: DumpFormat {
            struct Stop: Error {}
            var count = 0
            mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
                stream.write(String(repeating: "x", count: 40_000))
                count += 1
                if count == 2 { throw Stop() }
            }
        }
        let folder = try TemporaryFolder()
        let url = folder.file("players.txt")
        try Data("old".utf8).write(to: url)
        let queue = try makePlayers()
        #expect(throws: Failing.Stop.self) { try queue.dumpTables(["player"], format: Failing(), toFile: url.path) }
        try #expect(String(contentsOf: url, encoding: .utf8) == "old")
        try #expect(FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["players.txt"])
    }

    #if os(Linux)
        @Test
        func `A disk that becomes full during a dump leaves the previous file`() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let url = folder.file("rows.csv")
                try Data("old".utf8).write(to: url)
                let queue = try DatabaseQueue()
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 100_000, rlim_max: rlim_t.max)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                let sql: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n"
                #expect(throws: (any Error).self) { try queue.dumpSQL(sql, format: .csv(), toFile: url.path) }
                try #expect(String(contentsOf: url, encoding: .utf8) == "old")
                try #expect(FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["rows.csv"])
            }
        }
    #endif

    @Test
    func `A new file has the permissions of the database`() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("db.sqlite"))
        try queue.dumpSchema(toFile: folder.path("schema.sql"))
        // Neither 600, with which it is created, nor 644, which files have by default.
        try #expect(permissions(folder.path("schema.sql")) == 0o640)
    }

    @Test
    func `A symbolic link keeps pointing to the file that is replaced`() throws {
        let folder = try TemporaryFolder()
        let target = folder.file("target.csv")
        try Data("old".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.csv"), withDestinationPath: target.path)
        try makePlayers().dumpTables(["player"], format: .csv(), toFile: folder.path("link.csv"))
        try #expect(FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.csv")) == target.path)
        try #expect(String(contentsOf: target, encoding: .utf8).hasPrefix("id,name"))
    }

    @Test
    func `Databases and their logs are not replaced, nor are folders`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        for suffix in ["", "-wal", "-shm"] {
            let error = #expect(throws: DatabaseError.self) { try pool.dumpSchema(toFile: folder.path("db.sqlite\(suffix)")) }
            #expect(error?.message?.contains("belongs to a database") == true)
        }
        #expect(throws: (any Error).self) { try pool.dumpSchema(toFile: folder.url.path) }
        #expect(throws: (any Error).self) { try pool.dumpSchema(toFile: folder.path("missing/schema.sql")) }
        try #expect(pool.read { try $0.tableExists("t") })
    }

    private func permissions(_ path: String) throws -> Int? {
        try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
}
