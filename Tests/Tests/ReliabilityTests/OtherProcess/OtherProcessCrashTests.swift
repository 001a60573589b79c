import Foundation
import Strata
import Testing

// Another process is killed in the midst of a transaction, and we find what it leaves behind.

@Suite struct OtherProcessCrashTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    static let rowCount = 2000

    /// A process that has committed some rows, which fill more pages than its cache holds.
    private func makeOther(_ journal: Journal) throws -> OtherProcess {
        try OtherProcess(
            path,
            """
            PRAGMA journal_mode = \(journal.rawValue); PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 5;
            CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rowCount))
            INSERT INTO t SELECT i, hex(zeroblob(100)) FROM n
            """)
    }

    /// Writes more than fits into the cache, so that a part of the transaction is in the files, and ends there.
    private func crash(_ other: OtherProcess) throws {
        try other.run("BEGIN; UPDATE t SET b = 'half'; INSERT INTO t SELECT a + \(Self.rowCount), b FROM t")
        other.kill()
    }

    private func fileSize(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Expects the committed rows, and nothing else.
    private func expectCommittedRows(_ reader: any DatabaseReader) throws {
        try reader.read { (db) throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == Self.rowCount)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE b = 'half'") == 0)
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test
    func `A hot journal is rolled back when the file is opened`() throws {
        let other = try makeOther(.rollback)
        // With no connection of this process, whose locks would go with the file that is closed here.
        let committed = try Data(contentsOf: URL(fileURLWithPath: path))
        try crash(other)
        #expect(fileSize("\(path)-journal") > 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != committed)

        let queue = try DatabaseQueue(path: path)
        #expect(fileSize("\(path)-journal") == 0)
        try expectCommittedRows(queue)
        try queue.write { try $0.execute(sql: "DELETE FROM t WHERE a > 10") }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 10)
    }

    @Test
    func `A hot journal is rolled back by a connection that was opened before`() throws {
        let other = try makeOther(.rollback)
        let queue = try DatabaseQueue(path: path)
        try expectCommittedRows(queue)
        try crash(other)
        #expect(fileSize("\(path)-journal") > 0)
        try expectCommittedRows(queue)
        #expect(fileSize("\(path)-journal") == 0)
    }

    @Test
    func `A hot journal is an error for a connection that may only read`() throws {
        let other = try makeOther(.rollback)
        try crash(other)
        var configuration = Configuration()
        configuration.readonly = true
        let error = expectError(.SQLITE_READONLY_ROLLBACK) { try DatabaseQueue(path: path, configuration: configuration) }
        #expect(error?.description.contains("open the database with write permission") == true)
        // Any connection with write permission repairs it.
        try expectCommittedRows(DatabaseQueue(path: path))
        try expectCommittedRows(DatabaseQueue(path: path, configuration: configuration))
    }

    enum Opening: CaseIterable {
        case queueBefore, queueAfter, poolBefore, poolAfter
    }

    @Test(arguments: Opening.allCases)
    func `A write-ahead log is read up to the last commit`(_ opening: Opening) throws {
        let other = try makeOther(.wal)
        func open() throws -> any DatabaseWriter {
            switch opening {
            case .queueBefore, .queueAfter: try DatabaseQueue(path: path)
            case .poolBefore, .poolAfter: try DatabasePool(path: path)
            }
        }
        var writer: (any DatabaseWriter)?
        if opening == .queueBefore || opening == .poolBefore {
            writer = try open()
            try expectCommittedRows(writer!)
        }
        let committedSize = fileSize("\(path)-wal")
        try #require(committedSize > 0)
        try crash(other)
        // There are frames in the log that belong to no transaction.
        #expect(fileSize("\(path)-wal") > committedSize)

        let opened = try writer ?? open()
        try expectCommittedRows(opened)
        try opened.write { try $0.execute(sql: "INSERT INTO t VALUES (0, 'next')") }
        try opened.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        #expect(fileSize("\(path)-wal") == 0)
        #expect(try opened.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == Self.rowCount + 1)
        try opened.write { try $0.execute(sql: "DELETE FROM t WHERE a = 0") }
        try expectCommittedRows(opened)
    }
}
