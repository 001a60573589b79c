import Foundation
import SQLiteDriver
import Testing

/// `DatabaseWriter.verify(_:)` and the checks of the driver.
@Suite struct DatabaseCheckTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Kind.allCases)
    func `A sound database has no findings`(_ kind: Kind) async throws {
        let writer = try kind.open(folder.path("a.sqlite"))
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1); CREATE VIRTUAL TABLE r USING rtree(id, a, b)")
            try db.execute(sql: "INSERT INTO r VALUES (1, 0, 1)")
        }
        func blocking() throws -> [DatabaseFinding] { try writer.verify() }
        #expect(try blocking() == [])
        #expect(try await writer.verify([.quickIntegrity, .foreignKeys]) == [])
    }

    @Test
    func `Rows without their index entries are found`() throws {
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE INDEX i ON t (a) WHERE a > 1; INSERT INTO t VALUES (1), (2)")
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE INDEX i ON t (a)' WHERE name = 'i';
                    PRAGMA writable_schema = OFF
                    """)
        }
        try queue.close()
        let findings = try DatabaseQueue(path: folder.path("a.sqlite")).verify()
        #expect(findings.contains { $0.check == "integrity" && $0.message.contains("index i") }, "\(findings)")
    }

    @Test
    func `A damaged R*Tree table is found`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE \"r 1\" USING rtree(id, a, b); INSERT INTO \"r 1\" VALUES (1, 0, 1), (2, 5, 6)")
            try db.execute(sql: "DELETE FROM \"r 1_rowid\" WHERE rowid = 2")
        }
        let findings = try queue.verify([.integrity])
        #expect(findings.first?.message.contains("r 1") == true, "\(findings)")
    }

    @Test
    func `Broken foreign keys are listed, at most ten of each table`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p)")
            for number in 1...12 { try db.execute(sql: "INSERT INTO c VALUES (?)", arguments: [number]) }
            try db.execute(sql: "CREATE TABLE d (p REFERENCES missing (id)); INSERT INTO d VALUES (1)")
        }
        let findings = try queue.verify([.foreignKeys]).map(\.message)
        #expect(findings.filter { $0.hasSuffix("in the row with id 3") }.count == 1)
        #expect(findings.contains("2 more of c"))
        #expect(findings.contains { $0.contains("d") && ($0.contains("can't be checked") || $0.contains("missing")) }, "\(findings)")
        #expect(findings.count == 12)
    }

    @Test
    func `A check that writes says that a read-only database can't have it`() throws {
        try DatabaseQueue(path: folder.path("a.sqlite")).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        let writing = DatabaseCheck("writing", writes: true) { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return []
        }
        let findings = try queue.verify([writing]).map(\.message)
        #expect(findings == ["it can't be checked: the check writes, so open the database without readonly"])
    }

    @Test(arguments: Kind.allCases)
    func `A check that writes changes nothing, and an error of a check is a finding`(_ kind: Kind) throws {
        let writer = try kind.open(folder.path("a.sqlite"))
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let writing = DatabaseCheck("writing", writes: true) { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return ["one"]
        }
        let failing = DatabaseCheck("failing") { db in
            try db.execute(sql: "SELECT * FROM missing")
            return []
        }
        let findings = try writer.verify([writing, failing])
        #expect(findings.map(\.description) == ["writing: one", "failing: it can't be checked: no such table: missing"])
        #expect(try writer.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test
    func `A check ends with the deadline of its access`() throws {
        let queue = try DatabaseQueue()
        let endless = DatabaseCheck("endless") { db in
            try db.execute(sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
            return []
        }
        #expect(throws: DatabaseTimeoutError.self) {
            try queue.read(timeout: .milliseconds(50)) { _ = try endless.findings($0) }
        }
    }
}
