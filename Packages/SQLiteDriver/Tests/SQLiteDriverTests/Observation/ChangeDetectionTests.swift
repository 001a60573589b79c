import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

@Suite struct ChangeDetectionTests {
    static let schema = """
        ATTACH ':memory:' AS archive;
        CREATE TABLE player (id INTEGER PRIMARY KEY, name, score, doubled AS (score * 2), tripled AS (score * 3) STORED);
        CREATE TABLE log (text);
        CREATE TABLE keyed (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE replacing (id INTEGER PRIMARY KEY, name UNIQUE ON CONFLICT REPLACE);
        CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT, x);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name);
        CREATE TABLE member (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE captain (id INTEGER PRIMARY KEY REFERENCES team ON DELETE CASCADE ON UPDATE CASCADE, x);
        CREATE TABLE fan (id INTEGER PRIMARY KEY, team INTEGER DEFAULT 9 REFERENCES team ON DELETE SET NULL ON UPDATE SET DEFAULT);
        CREATE TABLE source (id INTEGER PRIMARY KEY, text);
        CREATE VIRTUAL TABLE document USING fts5(text);
        CREATE VIRTUAL TABLE outside USING fts5(text, content='source', content_rowid='id');
        CREATE VIRTUAL TABLE box USING rtree(id, low, high);
        CREATE VIEW best AS SELECT name FROM player JOIN team USING (name);
        CREATE TABLE writer (x);
        CREATE TRIGGER writing AFTER INSERT ON writer WHEN NEW.x = 1 BEGIN UPDATE log SET text = 'written'; END;
        CREATE TRIGGER moving AFTER INSERT ON writer WHEN NEW.x = 2 BEGIN UPDATE team SET id = id + 100 WHERE id = 3; END;
        CREATE TABLE hidden (x);
        CREATE TABLE archive.player (id INTEGER PRIMARY KEY, name);
        CREATE TABLE archive.shelf (x);
        CREATE TEMP TABLE note (id INTEGER PRIMARY KEY, x);
        INSERT INTO player (id, name, score) VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30);
        INSERT INTO log VALUES ('x');
        INSERT INTO keyed VALUES ('k', 1), ('l', 2);
        INSERT INTO replacing VALUES (1, 'a'), (2, 'b');
        INSERT INTO numbered (x) VALUES (1);
        INSERT INTO team VALUES (1, 'a'), (2, 'b'), (3, 'c'), (9, 'z');
        INSERT INTO member VALUES (1, 1), (2, 2);
        INSERT INTO captain VALUES (1, 'x'), (2, 'y');
        INSERT INTO fan VALUES (1, 1), (2, 2);
        INSERT INTO source VALUES (1, 'one'), (2, 'two');
        INSERT INTO document (rowid, text) VALUES (1, 'one'), (2, 'two');
        INSERT INTO outside (outside) VALUES ('rebuild');
        INSERT INTO box VALUES (1, 0, 1), (2, 1, 2);
        INSERT INTO hidden VALUES ('one'), ('two'), ('three');
        DELETE FROM hidden WHERE x = 'one';
        INSERT INTO archive.player VALUES (1, 'old');
        INSERT INTO note VALUES (1, 'x');
        CREATE TABLE archive.counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO archive.counted VALUES (5);
        ANALYZE team;
        ANALYZE archive.player;
        """

    struct Case: Sendable, CustomTestStringConvertible {
        let change: String
        let query: String
        let table: String?
        let isChanged: Bool
        var testDescription: String { "\(change) / \(query)" }

        init(_ change: String, _ query: String, of table: String? = nil, _ isChanged: Bool) {
            (self.change, self.query, self.table, self.isChanged) = (change, query, table, isChanged)
        }
    }

    private static let one = "SELECT * FROM player WHERE rowid = 1"

    static let cases: [Case] = [
        // Rows and columns
        Case("UPDATE player SET name = 'x' WHERE id = 1", one, of: "player", true),
        Case("UPDATE player SET name = 'x' WHERE id = 2", one, of: "player", false),
        Case("UPDATE player SET score = 5 WHERE id = 1", "SELECT name FROM player WHERE rowid = 1", of: "player", false),
        Case("UPDATE player SET score = 5 WHERE id = 1", "SELECT count(*) FROM player", false),
        Case("INSERT INTO player (id) VALUES (4)", "SELECT count(*) FROM player", true),
        Case("INSERT INTO player (id) VALUES (4)", one, of: "player", false),
        Case("INSERT INTO player (id) VALUES (4)", "SELECT * FROM player WHERE rowid = 4", of: "player", true),
        Case("DELETE FROM player WHERE id = 2", one, of: "player", false),
        Case("DELETE FROM player WHERE id = 1", one, of: "player", true),
        Case("UPDATE archive.player SET name = 'x'", one, of: "player", false),
        Case("UPDATE archive.player SET name = 'x'", "SELECT name FROM archive.player", true),
        Case("UPDATE note SET x = 'y'", "SELECT x FROM note", true),
        Case("INSERT INTO note (x) VALUES ('y')", "SELECT count(*) FROM note", true),
        Case("INSERT INTO note (x) VALUES ('y')", "SELECT id FROM note WHERE rowid = 2", of: "note", true),
        Case("INSERT INTO note (x) VALUES ('y')", "SELECT id FROM note WHERE rowid = 1", of: "note", false),
        Case("INSERT INTO shelf VALUES (1)", "SELECT count(*) FROM shelf", true),
        Case("INSERT INTO shelf VALUES (1)", "SELECT count(*) FROM archive.shelf", true),
        Case("UPDATE player SET score = 5 WHERE id = 1", "SELECT doubled FROM player WHERE rowid = 1", of: "player", true),
        Case("UPDATE player SET score = 5 WHERE id = 1", "SELECT tripled FROM player", true),
        Case("INSERT INTO player (id, name) VALUES (1, 'x') ON CONFLICT DO UPDATE SET name = 'y'", one, of: "player", true),
        Case("INSERT INTO player (id, name) VALUES (2, 'x') ON CONFLICT DO UPDATE SET name = 'y'", one, of: "player", false),
        Case("UPDATE player SET name = replace(name, 'b', 'c') WHERE id = 2", one, of: "player", false),
        // Row IDs
        Case("UPDATE player SET id = 7 WHERE id = 1", one, of: "player", true),
        Case("UPDATE player SET rowid = 7 WHERE id = 1", one, of: "player", true),
        Case("UPDATE player SET _rowid_ = 7 WHERE id = 1", "SELECT id FROM player", true),
        Case("UPDATE log SET oid = 7", "SELECT text FROM log WHERE rowid = 1", of: "log", true),
        Case(
            "INSERT INTO player (id) VALUES (1) ON CONFLICT DO UPDATE SET id = 8", "SELECT * FROM player WHERE rowid = 1",
            of: "player", true),
        // REPLACE
        Case("REPLACE INTO player (id, name) VALUES (1, 'x')", one, of: "player", true),
        Case("UPDATE OR REPLACE player SET id = 1 WHERE id = 2", "SELECT * FROM player WHERE rowid = 2", of: "player", true),
        Case("INSERT INTO replacing VALUES (3, 'a')", "SELECT * FROM replacing WHERE rowid = 1", of: "replacing", true),
        Case("UPDATE replacing SET name = 'a' WHERE id = 2", "SELECT * FROM replacing WHERE rowid = 1", of: "replacing", true),
        Case("INSERT OR REPLACE INTO team VALUES (1, 'q')", "SELECT * FROM member WHERE rowid = 1", of: "member", true),
        // Foreign keys and triggers
        Case("DELETE FROM team WHERE id = 1", "SELECT * FROM member WHERE rowid = 1", of: "member", true),
        Case("DELETE FROM team WHERE id = 1", "SELECT * FROM member WHERE rowid = 2", of: "member", false),
        Case("DELETE FROM team WHERE id = 1", "SELECT * FROM captain WHERE rowid = 1", of: "captain", true),
        Case("DELETE FROM team WHERE id = 1", "SELECT team FROM fan WHERE rowid = 1", of: "fan", true),
        Case("UPDATE team SET id = 5 WHERE id = 1", "SELECT * FROM captain WHERE rowid = 1", of: "captain", true),
        Case("UPDATE team SET id = 5 WHERE id = 1", "SELECT team FROM fan", true),
        Case("UPDATE team SET id = 5 WHERE id = 1", "SELECT team FROM member WHERE rowid = 1", of: "member", true),
        Case("UPDATE team SET name = 'q'", "SELECT team FROM member", false),
        Case("INSERT INTO writer VALUES (1)", "SELECT text FROM log", true),
        Case("INSERT INTO writer VALUES (2)", "SELECT * FROM team WHERE rowid = 3", of: "team", true),
        // What SQLite does not report
        Case("INSERT INTO keyed VALUES ('m', 3)", "SELECT * FROM keyed", true),
        Case("UPDATE keyed SET value = 3 WHERE key = 'k'", "SELECT value FROM keyed", true),
        Case("DELETE FROM keyed", "SELECT count(*) FROM keyed", true),
        Case("DELETE FROM player", "SELECT count(*) FROM player", true),
        Case("DELETE FROM player", one, of: "player", true),
        Case("INSERT INTO document VALUES ('new')", "SELECT * FROM document", true),
        Case("INSERT INTO document VALUES ('new')", "SELECT * FROM document WHERE document MATCH 'new'", true),
        Case("DELETE FROM document WHERE rowid = 1", "SELECT count(*) FROM document_idx", true),
        Case("UPDATE document_content SET c0 = 'changed' WHERE id = 1", "SELECT text FROM document WHERE rowid = 1", true),
        Case("UPDATE source SET text = 'changed'", "SELECT text FROM outside", true),
        Case("UPDATE box SET low = -1 WHERE id = 1", "SELECT low FROM box", true),
        Case("UPDATE numbered SET x = 7", "SELECT * FROM keyed", false),
        Case("INSERT INTO numbered (x) VALUES (7)", "SELECT seq FROM sqlite_sequence", true),
        Case("DELETE FROM sqlite_sequence", "SELECT seq FROM sqlite_sequence", true),
        Case("DELETE FROM sqlite_sequence WHERE name = 'numbered'", "SELECT count(*) FROM sqlite_sequence", true),
        Case("UPDATE sqlite_sequence SET seq = 9", "SELECT seq FROM sqlite_sequence", true),
        Case("INSERT INTO sqlite_sequence VALUES ('x', 1)", "SELECT seq FROM sqlite_sequence", true),
        Case("BEGIN; DELETE FROM sqlite_sequence; ROLLBACK", "SELECT seq FROM sqlite_sequence", false),
        Case("DROP TABLE numbered", "SELECT seq FROM sqlite_sequence", true),
        Case("DELETE FROM archive.sqlite_sequence", "SELECT seq FROM archive.sqlite_sequence", true),
        Case("DELETE FROM sqlite_stat1", "SELECT stat FROM sqlite_stat1", true),
        Case("DELETE FROM sqlite_stat1 WHERE tbl = 'team'", "SELECT stat FROM sqlite_stat1", true),
        Case("INSERT INTO team VALUES (21, 'c'); ANALYZE team", "SELECT stat FROM sqlite_stat1", true),
        Case("ANALYZE", "SELECT stat FROM sqlite_stat1", true),
        Case("ANALYZE team", "SELECT stat FROM sqlite_stat1", true),
        Case("ANALYZE archive.player", "SELECT stat FROM archive.sqlite_stat1", true),
        Case("INSERT INTO team VALUES (20, 'b')", "SELECT name FROM best", true),
        Case("INSERT INTO team VALUES (20, 'b')", "SELECT player.name FROM player NATURAL JOIN team", true),
        Case("INSERT INTO team VALUES (20, 'b')", "SELECT player.score FROM player JOIN team USING (name)", true),
        // Schema changes
        Case("ALTER TABLE player ADD COLUMN added DEFAULT 1", one, of: "player", true),
        Case("CREATE TEMP TABLE player (id, name)", "SELECT name FROM player", true),
        Case("DROP VIEW best; CREATE VIEW best AS SELECT 1 AS name", "SELECT name FROM best", true),
        Case("ALTER TABLE hidden RENAME TO other; CREATE TABLE hidden (x)", "SELECT x FROM hidden", true),
        Case("CREATE TABLE more (x)", "SELECT count(*) FROM sqlite_master", true),
        Case("VACUUM", "SELECT x FROM hidden WHERE rowid = 2", of: "hidden", true),
        Case("DETACH archive", "SELECT count(*) FROM pragma_database_list, player", true),
        // Transactions
        Case("BEGIN; UPDATE player SET name = 'x'; ROLLBACK", "SELECT name FROM player", false),
        Case("BEGIN; UPDATE player SET name = 'x'; COMMIT", "SELECT name FROM player", true),
        Case(
            "BEGIN; SAVEPOINT s; UPDATE player SET name = 'x'; ROLLBACK TO s; RELEASE s; UPDATE team SET name = 'y'; COMMIT",
            "SELECT name FROM player", false),
        Case(
            "BEGIN; SAVEPOINT s; REPLACE INTO player (id) VALUES (1); ROLLBACK TO s; RELEASE s; UPDATE team SET name = 'y'; COMMIT",
            "SELECT name FROM player", false),
        Case("SAVEPOINT s; DELETE FROM keyed; RELEASE s", "SELECT key FROM keyed", true),
        Case("SAVEPOINT s; CREATE TABLE more (x); ROLLBACK TO s; RELEASE s", "SELECT name FROM player", false),
    ]

    @Test(arguments: cases)
    func `Each kind of change is noticed where it changes something`(_ test: Case) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            let before = try db.content(test.query)
            let region = try db.region(of: test.query, test.table)
            let watcher = RegionWatcher(region)
            db.add(transactionObserver: watcher)
            // Some changes are made in shadow tables.
            try db.withoutDefensiveMode { try db.execute(sql: test.change) }
            let isNoticed = watcher.take()
            #expect(isNoticed == test.isChanged, "region \(region)")
            let after = try? db.content(test.query)
            if before != after { #expect(isNoticed) }
        }
    }

    @Test
    func `Statements that were prepared earlier are noticed, too`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            let statement = try db.makeStatement(sql: "INSERT INTO source (text) VALUES ('new')")
            let watcher = RegionWatcher(DatabaseRegion(table: "team", rowIds: [1]))
            db.add(transactionObserver: watcher)
            try statement.run()
            #expect(!watcher.take())
            try db.execute(sql: "CREATE TRIGGER late AFTER INSERT ON source BEGIN UPDATE team SET id = id + 50 WHERE id = 1; END")
            #expect(watcher.take())
            for isInTransaction in [false, true] {
                if isInTransaction { try db.beginTransaction() }
                try statement.run()
                if isInTransaction { try db.commit() }
                #expect(watcher.take(), "in a transaction: \(isInTransaction)")
            }
        }
    }

    @Test
    func `An observer that only implements events is notified of changes without events`() throws {
        final class Observer: TransactionObserver {
            var count = 0
            func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind == .delete(tableName: "player") }
            func databaseDidChange() { count += 1 }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            let observer = Observer()
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO player (id) VALUES (10); UPDATE player SET id = 11 WHERE id = 10")
            #expect(observer.count == 0)
            try db.execute(sql: "REPLACE INTO player (id) VALUES (11)")
            #expect(observer.count == 1)
        }
    }

    @Test
    func `Events name the updated columns`() throws {
        final class Observer: TransactionObserver {
            var columns: [Set<String>?] = []
            func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { columns.append(event.updatedColumnNames) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try DatabaseQueue().write { db in
            try db.execute(
                sql: Self.schema.replacing("ATTACH ':memory:' AS archive;", with: "").replacing("archive.player", with: "other").replacing(
                    "archive.", with: ""))
            let observer = Observer()
            db.add(transactionObserver: observer)
            try db.execute(
                sql: """
                    UPDATE player SET NAME = 'x', score = 1 WHERE id = 1; DELETE FROM player WHERE id = 1;
                    INSERT INTO writer VALUES (1); UPDATE player SET rowid = 7 WHERE id = 2
                    """)
            #expect(observer.columns == [["name", "score"], nil, nil, ["text"], nil])
        }
    }
}

@Suite struct RawChangeDetectionTests {
    @Test
    func `Changes by the C API are noticed at the end of the access`() throws {
        let queue = try DatabaseQueue()
        let watcher = RegionWatcher(DatabaseRegion(table: "player", rowIds: [1]))
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name)") }
        queue.add(transactionObserver: watcher)
        let counter = try queue.read { $0.commitCounter }
        let count = counter.value
        try queue.writeWithoutTransaction { db in
            _ = sqlite3_exec(db.sqliteConnection, "INSERT INTO player VALUES (2, 'b')", nil, nil, nil)
        }
        #expect(!watcher.take())
        #expect(counter.value > count)
        try queue.writeWithoutTransaction { db in
            _ = sqlite3_exec(db.sqliteConnection, "INSERT INTO player VALUES (1, 'a')", nil, nil, nil)
        }
        #expect(watcher.take())
    }

    @Test(.enabled(if: dlsym(dlopen(nil, RTLD_NOW), "sqlite3changeset_apply") != nil, "this SQLite has no session extension"))
    func `Changesets that SQLite applies are noticed`() throws {
        // The session extension: https://www.sqlite.org/session.html
        typealias Create = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?) -> CInt
        typealias Attach = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
        typealias Changeset =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
            ) -> CInt
        typealias Delete = @convention(c) (OpaquePointer?) -> Void
        typealias Conflict = @convention(c) (UnsafeMutableRawPointer?, CInt, OpaquePointer?) -> CInt
        typealias Apply =
            @convention(c) (
                OpaquePointer?, CInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Conflict?, UnsafeMutableRawPointer?
            ) -> CInt
        let library = dlopen(nil, RTLD_NOW)
        func function<F>(_ name: String, _: F.Type) -> F? { dlsym(library, name).map { unsafeBitCast($0, to: F.self) } }
        let create = try #require(function("sqlite3session_create", Create.self))
        let attach = try #require(function("sqlite3session_attach", Attach.self))
        let changeset = try #require(function("sqlite3session_changeset", Changeset.self))
        let delete = try #require(function("sqlite3session_delete", Delete.self))
        let apply = try #require(function("sqlite3changeset_apply", Apply.self))
        let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name); INSERT INTO player VALUES (1, 'a'), (2, 'b')"
        let source = try DatabaseQueue()
        let target = try DatabaseQueue()
        for queue in [source, target] { try queue.write { try $0.execute(sql: schema) } }
        let watchers = [1, 2].map { RegionWatcher(DatabaseRegion(table: "player", rowIds: [$0])) }
        for watcher in watchers { target.add(transactionObserver: watcher) }
        try source.writeWithoutTransaction { db in
            var session: OpaquePointer?
            #expect(create(db.sqliteConnection, "main", &session) == SQLITE_OK)
            #expect(attach(session, nil) == SQLITE_OK)
            try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = 2")
            var size: CInt = 0
            var bytes: UnsafeMutableRawPointer?
            #expect(changeset(session, &size, &bytes) == SQLITE_OK)
            delete(session)
            try target.writeWithoutTransaction { db in
                #expect(apply(db.sqliteConnection, size, bytes, nil, { _, _, _ in 0 }, nil) == SQLITE_OK)
            }
            sqlite3_free(bytes)
        }
        #expect(try target.read { try $0.texts("SELECT name FROM player") } == ["a", "x"])
        #expect(watchers.map { $0.take() } == [false, true])
    }

    @Test
    func `A backup into the database changes all of it`() throws {
        let source = try DatabaseQueue()
        let target = try DatabaseQueue()
        for queue in [source, target] { try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") } }
        let watcher = RegionWatcher(DatabaseRegion(table: "player", rowIds: [1]))
        target.add(transactionObserver: watcher)
        let count = try target.read { $0.commitCounter.value }
        try source.backup(to: target)
        #expect(watcher.take())
        #expect(try target.read { $0.commitCounter.value } > count)
    }

    @Test
    func `Changes that the program reports outside transactions are commits`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
        let watcher = RegionWatcher(DatabaseRegion(table: "player", rowIds: [1]))
        queue.add(transactionObserver: watcher)
        try queue.writeWithoutTransaction { try $0.notifyChanges(in: DatabaseRegion(table: "player", rowIds: [2])) }
        #expect(!watcher.take())
        try queue.writeWithoutTransaction { try $0.notifyChanges(in: DatabaseRegion(table: "player", rowIds: [1, 2])) }
        #expect(watcher.take())
        try queue.write { db in
            try db.notifyChanges(in: .fullDatabase)
            #expect(!watcher.take())
        }
        #expect(watcher.take())
    }
}
