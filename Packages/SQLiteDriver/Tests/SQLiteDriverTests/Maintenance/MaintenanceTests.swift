import Foundation
import SQLiteDriver
import Testing

@Suite struct MaintenanceTests {
    private func fileSize(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// Creates schema objects of all kinds.
    private func fill(_ db: Database) throws {
        try db.execute(
            sql: #"""
                CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
                CREATE TABLE "the ""player""" (id TEXT PRIMARY KEY, teamID INTEGER NOT NULL REFERENCES team) WITHOUT ROWID;
                CREATE INDEX "by team" ON "the ""player""" (teamID);
                CREATE VIEW v AS SELECT * FROM team;
                CREATE VIEW broken AS SELECT * FROM nowhere;
                CREATE TRIGGER tr AFTER INSERT ON team BEGIN DELETE FROM team WHERE 0; END;
                CREATE TRIGGER tv INSTEAD OF INSERT ON v BEGIN SELECT 1; END;
                CREATE VIRTUAL TABLE document USING fts5(body);
                INSERT INTO team (name) VALUES ('Reds');
                INSERT INTO "the ""player""" VALUES ('a', 1);
                INSERT INTO document VALUES ('some text');
                ANALYZE;
                PRAGMA user_version = 42;
                PRAGMA application_id = 43;
                """#)
    }

    // MARK: Erasing

    @Test(arguments: ["memory", "DELETE", "WAL"])
    func `An erased database is empty`(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let queue = try kind == "memory" ? DatabaseQueue() : DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.writeWithoutTransaction { db in
            if kind != "memory" { try db.execute(sql: "PRAGMA journal_mode = \(kind)") }
            try fill(db)
            #expect(try db.integers("SELECT count(*) FROM sqlite_master")[0] > 12)
            let generation = try db.schemaGeneration()
            try db.erase()
            #expect(try db.texts("SELECT name FROM sqlite_master") == [])
            #expect(try db.schemaGeneration() != generation)
            #expect(try db.integers("PRAGMA page_count") == [1])
            #expect(try db.integers("PRAGMA user_version") == [0])
            #expect(try db.integers("PRAGMA application_id") == [0])
            #expect(try db.texts("PRAGMA integrity_check") == ["ok"])
            // Foreign keys are still enforced, and the schema can't be written to.
            #expect(try db.integers("PRAGMA foreign_keys") == [1])
            expectError(.SQLITE_ERROR) { try db.execute(sql: "DELETE FROM sqlite_master") }
            // The schema can be created again, and row IDs begin again at 1.
            try fill(db)
            #expect(try db.integers("SELECT id FROM team") == [1])
            #expect(try db.texts("SELECT body FROM document WHERE document MATCH 'some'") == ["some text"])
            try db.erase()
            try db.erase()
        }
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `Other connections see that a database was erased`(_ journalMode: String) throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("database.sqlite"))
        let other = try DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(journalMode); CREATE TABLE t (a)") }
        let statement = try other.writeWithoutTransaction { db in
            #expect(try db.columns(in: "t").count == 1)
            return Box(try db.makeStatement(sql: "SELECT * FROM t"))
        }
        try queue.writeWithoutTransaction { try $0.erase() }
        try other.writeWithoutTransaction { db in
            expectError(.SQLITE_ERROR) { try db.columns(in: "t") }
            #expect(expectError(.SQLITE_ERROR) { try statement.value.step() }?.message == "no such table: t")
        }
        try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (x, y); INSERT INTO t VALUES (1, 2)") }
        try other.writeWithoutTransaction { (db) throws in
            #expect(try db.columns(in: "t").map(\.name) == ["x", "y"])
            #expect(try statement.value.step() && statement.value.columnCount == 2)
            statement.value.reset()
        }
    }

    @Test
    func `Temporary and attached tables stay`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try fill(db)
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.kept (a);
                    CREATE TEMP TABLE alsoKept (a);
                    CREATE TEMP TRIGGER orphan AFTER INSERT ON main.team BEGIN SELECT 1; END
                    """)
            try db.erase()
            #expect(try db.tableExists("kept", in: "other"))
            #expect(try db.tableExists("alsoKept", in: "temp"))
            #expect(try !db.tableExists("team"))
            try fill(db)
        }
    }

    @Test
    func `Erasing keeps the schema writable`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try fill(db)
            try db.execute(sql: "PRAGMA writable_schema = 1")
            try db.erase()
            #expect(try db.integers("PRAGMA writable_schema") == [1])
        }
    }

    @Test
    func `Erasing throws where it is not possible`() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.write { try fill($0) }
        expectError(.SQLITE_MISUSE) { try queue.write { try $0.erase() } }
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM team")
            #expect(try statement.step())
            expectError(.SQLITE_MISUSE) { try db.erase() }
            statement.reset()
            expectError(.SQLITE_READONLY) { try db.readOnly { try db.erase() } }
        }
        var configuration = Configuration()
        configuration.readonly = true
        let readonly = try DatabaseQueue(path: folder.path("database.sqlite"), configuration: configuration)
        expectError(.SQLITE_READONLY) { try readonly.writeWithoutTransaction { try $0.erase() } }
        configuration = Configuration()
        configuration.busyMode = .immediateError
        let impatient = try DatabaseQueue(path: folder.path("database.sqlite"), configuration: configuration)
        try queue.read { (db) throws in
            #expect(try db.integers("SELECT count(*) FROM team") == [1])
            expectError(.SQLITE_BUSY) { try impatient.writeWithoutTransaction { try $0.erase() } }
        }
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM team") } == [1])
        #expect(try queue.read { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    }

    // MARK: Vacuum

    @Test
    func `Vacuum shrinks the file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(100000)); DELETE FROM t") }
        let size = try fileSize(path)
        try queue.writeWithoutTransaction { try $0.vacuum() }
        #expect(try fileSize(path) < size / 2)
        expectError(.SQLITE_ERROR) { try queue.write { try $0.vacuum() } }
    }

    @Test
    func `Vacuum into writes a compact copy`() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue()
        try queue.write { try fill($0) }
        let path = folder.path("it's a copy.sqlite")
        try queue.writeWithoutTransaction { try $0.vacuum(into: path) }
        let copy = try DatabaseQueue(path: path)
        #expect(try copy.read { try $0.texts("SELECT name FROM team") } == ["Reds"])
        expectError(.SQLITE_ERROR) { try queue.writeWithoutTransaction { try $0.vacuum(into: path) } }
    }

    @Test(arguments: [0o600, 0o640, 0o644, 0o666])
    func `A compact copy has the permissions of the file, and is removed if it fails`(_ permissions: Int) throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        let (path, copy) = (folder.path("database.sqlite"), folder.path("copy.sqlite"))
        let queue = try DatabaseQueue(path: path)
        try queue.write { try fill($0) }
        try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        func mode(_ path: String) throws -> Int? { try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int }

        try queue.vacuum(into: copy)
        #expect(try mode(copy) == permissions)
        #expect(try DatabaseQueue(path: copy).read { try $0.texts("SELECT name FROM team") } == ["Reds"])
        // A file that is there keeps its own, and its content.
        try files.setAttributes([.posixPermissions: 0o604], ofItemAtPath: copy)
        expectError(.SQLITE_ERROR) { try queue.vacuum(into: copy) }
        #expect(try mode(copy) == 0o604 && files.attributesOfItem(atPath: copy)[.size] as? Int != 0)

        expectError(.SQLITE_ERROR) { try queue.write { try $0.vacuum(into: folder.path("other.sqlite")) } }
        expectError(.SQLITE_CANTOPEN) { try queue.vacuum(into: folder.path("none/other.sqlite")) }
        #expect(try folder.files() == ["copy.sqlite", "database.sqlite"])
    }

    // MARK: Checkpoints

    @Test
    func `The log is copied to the file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(100000))")
            let passive = try db.checkpoint()
            #expect(passive.walFrameCount > 20)
            #expect(passive.checkpointedFrameCount == passive.walFrameCount)
            #expect(try db.checkpoint(.full, on: nil) == passive)
            #expect(try db.checkpoint(.restart) == passive)
            #expect(try fileSize(path + "-wal") > 0)
            #expect(try db.checkpoint(.truncate, on: "main") == (0, 0))
            #expect(try fileSize(path + "-wal") == 0)
            expectError(.SQLITE_ERROR) { try db.checkpoint(.passive, on: "nowhere") }
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM t")
                expectError(.SQLITE_LOCKED) { try db.checkpoint() }
                return .rollback
            }
        }
    }

    @Test
    func `A reader prevents a complete checkpoint`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: folder.path("database.sqlite"), configuration: configuration)
        let reader = try DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
        try reader.read { reader in
            #expect(try reader.integers("SELECT count(*) FROM t") == [0])
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                let passive = try db.checkpoint(.passive)
                #expect(passive.checkpointedFrameCount < passive.walFrameCount)
                expectError(.SQLITE_BUSY) { try db.checkpoint(.truncate) }
            }
        }
    }

    @Test
    func `A checkpoint without a log copies nothing`() throws {
        let counts = try DatabaseQueue().writeWithoutTransaction { try $0.checkpoint(.full) }
        #expect(counts == (-1, -1))
    }

    // MARK: Memory

    @Test
    func `Memory is released`() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            let cached = try db.cachedStatement(sql: "SELECT a FROM t")
            #expect(try cached.step())
            let generation = try db.schemaGeneration()
            db.releaseMemory()
            // Connections and statements in use stay.
            #expect(cached.int64(at: 0) == 1)
            #expect(try db.cachedStatement(sql: "SELECT a FROM t") !== cached)
            #expect(try db.schemaGeneration() != generation)
            #expect(try db.columns(in: "t").count == 1)
        }
    }
}
