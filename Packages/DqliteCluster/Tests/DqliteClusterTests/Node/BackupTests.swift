import DqliteCluster
import Foundation
import Testing

@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct BackupTests {
    /// Tables of all kinds, with values that SQL text or dqlite's protocol would change.
    private static let schema = """
        CREATE TABLE kept (a, rowid TEXT);
        CREATE TABLE plain (v);
        CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT UNIQUE, upper TEXT AS (upper(v)) STORED);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES auto(id), CHECK (id > 0));
        CREATE TABLE "odd ""name" ("a b" BLOB, c REAL, PRIMARY KEY ("a b")) WITHOUT ROWID;
        CREATE INDEX "odd index" ON child (parent) WHERE parent > 1;
        CREATE VIEW seen AS SELECT v FROM plain;
        CREATE VIRTUAL TABLE document USING fts5(title, body);
        CREATE TRIGGER counted AFTER INSERT ON plain BEGIN INSERT INTO kept VALUES ('fired', 1); END;
        PRAGMA user_version = 42;
        PRAGMA application_id = 4711;
        INSERT INTO auto (id, v) VALUES (100, 'x'), (200, 'y');
        DELETE FROM auto WHERE id = 200;
        INSERT INTO child VALUES (1, 100), (2, NULL);
        INSERT INTO plain (rowid, v) VALUES (7, 1), (9, 2.5), (11, NULL), (13, x'00ff'), (15, 'a' || char(0) || 'b'), (17, CAST(x'61ff' AS TEXT));
        INSERT INTO kept (_rowid_, a, rowid) VALUES (77, 'own', 'column');
        INSERT INTO "odd ""name" VALUES (x'01', 1.0), (x'02', 9e999);
        INSERT INTO document VALUES ('Moby-Dick', 'Call me Ishmael'), ('Walden', 'I went to the woods');
        ANALYZE;
        """

    private static let questions = [
        "SELECT group_concat(rowid || typeof(v) || hex(v), ';') FROM plain",
        "SELECT group_concat(_rowid_ || a || rowid, ';') FROM kept",
        "SELECT group_concat(id || v || upper, ';') FROM auto",
        "SELECT group_concat(id || ifnull(parent, '-'), ';') FROM child",
        "SELECT group_concat(hex(\"a b\") || c, ';') FROM \"odd \"\"name\"",
        "SELECT group_concat(name || seq) FROM sqlite_sequence",
        "SELECT group_concat(type || name || ifnull(sql, ''), ';') FROM (SELECT * FROM sqlite_master ORDER BY name)",
        "SELECT group_concat(tbl || ifnull(idx, '') || stat, ';') FROM (SELECT * FROM sqlite_stat1 ORDER BY tbl, idx)",
        "SELECT title FROM document WHERE document MATCH 'woods'",
        "PRAGMA user_version", "PRAGMA application_id", "PRAGMA integrity_check", "PRAGMA foreign_key_check",
    ]

    private func answers(_ reader: some DatabaseReader) throws -> [String] {
        try reader.read { db in
            try Self.questions.map { question in
                let statement = try db.makeStatement(sql: question)
                return try statement.step() ? "\(statement.databaseValue(at: 0))" : "no row"
            }
        }
    }

    private func expectAnswers(_ expected: [String], _ reader: some DatabaseReader) throws {
        for (question, (answer, expected)) in try zip(Self.questions, zip(answers(reader), expected)) {
            #expect(answer == expected, "\(question)")
        }
    }

    private func text(_ sql: String, _ reader: some DatabaseReader) throws -> String? {
        try reader.read { db in
            let statement = try db.makeStatement(sql: sql)
            return try statement.step() ? statement.string(at: 0) : nil
        }
    }

    @Test
    func `A database becomes one of a cluster, and a backup of it is the same again`() throws {
        let folder = try TemporaryFolder()
        let original = try DatabaseQueue(path: folder.path("original.sqlite"))
        try original.writeWithoutTransaction { try $0.execute(sql: Self.schema) }
        let expected = try answers(original)
        #expect(expected.contains("\"ok\"") && expected.contains("\"Walden\"") && expected.contains("42"), "\(expected)")
        let nodes = try TestNodes(count: 3)
        try DqliteCluster.restore(addresses: nodes.addresses, database: "app", from: original)
        let cluster = try nodes.open()
        #expect(try text("SELECT title FROM document WHERE document MATCH 'ishmael'", cluster) == "Moby-Dick")
        let error = #expect(throws: DatabaseError.self) {
            try DqliteCluster.restore(addresses: nodes.addresses, database: "app", from: original)
        }
        #expect(error?.message == "the database of the cluster is not empty")

        // A copy in a file, from a node that does not lead.
        let leader = try cluster.leader().id
        let path = folder.path("backup.sqlite")
        #expect(try cluster.backup(toFile: path).id != leader)
        try expectAnswers(expected, DatabaseQueue(path: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
        // What remains of an earlier database at the path does not belong to the copy.
        try Data(count: 4096).write(to: folder.file("backup.sqlite-wal"))
        try cluster.backup(toFile: path)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let copy = try DatabaseQueue()
        try cluster.backup(to: copy)
        try expectAnswers(expected, copy)

        // The restored database is as writable as the original.
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO auto (v) VALUES ('z'); INSERT INTO plain VALUES (3); INSERT INTO document VALUES ('a', 'new')")
        }
        #expect(try text("SELECT CAST(max(id) AS TEXT) FROM auto", cluster) == "201")
        // Six rows of the original, and one now.
        #expect(try text("SELECT CAST(count(*) AS TEXT) FROM kept WHERE a = 'fired'", cluster) == "7")
        try cluster.close()
    }

    /// A node that does not lead hears of a commit with the next one, or with the next sign of life.
    @Test
    func `A backup has the last commit`() throws {
        let folder = try TemporaryFolder()
        let nodes = try TestNodes(count: 3)
        let cluster = try nodes.open()
        let leader = try cluster.leader().id
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        for number in 1...10 {
            try cluster.write(.repeatable) { db in try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
            let path = folder.path("\(number).sqlite")
            #expect(try cluster.backup(toFile: path).id != leader)
            #expect(try text("SELECT CAST(max(a) AS TEXT) FROM t", DatabaseQueue(path: path)) == "\(number)")
        }
        // Nothing remains of the backups' marks.
        let own = try nodes.open("strata")
        #expect(try text("SELECT CAST(count(*) AS TEXT) FROM backup", own) == "0")
        try own.close()
        try cluster.close()
    }

    @Test
    func `A folder of backups keeps the latest`() throws {
        let folder = try TemporaryFolder()
        let nodes = try TestNodes()
        let cluster = try nodes.open()
        try cluster.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        for name in [
            "app-2026-01-02T000000Z.sqlite", "app-2026-01-01T000000Z.sqlite", "app-b-2026-01-01T000000Z.sqlite", "app-other.sqlite",
        ] {
            try Data().write(to: folder.file(name))
        }
        let path = try cluster.backup(toFolder: folder.path, keeping: 2)
        #expect(try text("SELECT name FROM sqlite_master", DatabaseQueue(path: path)) == "t")
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == [
                "app-2026-01-02T000000Z.sqlite", "app-b-2026-01-01T000000Z.sqlite", "app-other.sqlite",
                URL(fileURLWithPath: path).lastPathComponent,
            ])
        try cluster.close()
    }

    @Test
    func `A restoration has transactions that a cluster can commit, and one that fails leaves a database that no client opens`() throws {
        let original = try DatabaseQueue()
        try original.write { db in
            try db.execute(sql: "CREATE TABLE large (a); CREATE TABLE wide (a)")
            for number in 1...12 {
                try db.execute(sql: "INSERT INTO large VALUES (CAST(? AS TEXT) || zeroblob(400000))", arguments: [number])
            }
        }
        var limits = DqliteNode.Limits()
        limits.transactionSize = 4_000_000
        let nodes = try TestNodes(limits: limits)
        try DqliteCluster.restore(addresses: nodes.addresses, database: "good", from: original)
        let cluster = try nodes.open("good")
        #expect(try text("SELECT CAST(count(*) || sum(length(CAST(a AS BLOB))) AS TEXT) FROM large", cluster) == "124800015")
        try cluster.close()
        // A row that no node takes.
        try original.write { db in try db.execute(sql: "INSERT INTO wide VALUES (zeroblob(40000000))") }
        #expect(throws: DatabaseError.self) { try DqliteCluster.restore(addresses: nodes.addresses, database: "bad", from: original) }
        #expect(throws: ClusterError.incompleteDatabase("bad")) { try nodes.open("bad") }
    }
}
