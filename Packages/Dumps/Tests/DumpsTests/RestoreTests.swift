import Dumps
import Foundation
import Testing

@Suite("Restoring databases from scripts")
struct RestoreTests {
    private func restored(_ script: String) throws -> DatabaseQueue {
        let copy = try DatabaseQueue()
        try copy.writeWithoutTransaction { db in try db.load(sql: script) }
        return copy
    }

    @Test(arguments: [
        "; DROP TABLE important", ";\n.shell touch touched", ";\n.shell touch touched\n", " ;;/* */\n.shell touch touched",
        " -- more\n;\n.shell touch touched",
    ])
    func `What a hostile program has put behind the statements of the schema is not a part of scripts`(_ tail: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let statements = [
            "CREATE TABLE t (a, b DEFAULT ';')", "CREATE UNIQUE INDEX \"i;\" ON t (a) WHERE a <> ';'", "CREATE VIEW v AS SELECT ';' AS x",
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; DELETE FROM t WHERE a = ';'; END",
            "CREATE VIRTUAL TABLE f USING fts5(a, prefix='1')",
        ]
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: statements.joined(separator: ";\n"))
            try db.execute(sql: "INSERT INTO f VALUES ('word')")
        }
        let (clean, cleanSchema) = (try script(queue), try schema(queue))
        try queue.writeWithoutTransaction { db in
            try db.withoutDefensiveMode {
                try db.execute(
                    sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || ? WHERE sql IS NOT NULL", arguments: [tail])
            }
        }
        try queue.close()
        let hostile = try DatabaseQueue(path: path)
        try #expect(hostile.read { try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 't'") } == statements[0] + tail)
        // A comment that SQLite reads belongs to the statement.
        let text = try script(hostile)
        #expect(!text.contains(".shell") && !text.contains("important"))
        if !tail.contains("--") {
            #expect(text == clean)
            try #expect(schema(hostile) == cleanSchema)
        }
        try #expect(!schema(hostile).contains(".shell"))
        let copy = try restored(text)
        try #expect(
            copy.dumped("SELECT count(*) FROM sqlite_master", .list()) == hostile.dumped("SELECT count(*) FROM sqlite_master", .list()))
        try #expect(copy.dumped("SELECT rowid FROM f WHERE f MATCH 'word'", .list()) == "1\n")
    }

    private func schema(_ queue: DatabaseQueue) throws -> String {
        var text = ""
        try queue.dumpSchema(to: &text)
        return text
    }

    @Test
    func `All rows have the row ids that full-text and R*Tree indexes refer to`() throws {
        let source = try DatabaseQueue()
        try source.write { db in
            // Row ids with gaps, of tables with and without indexes, with a key that is not a row ID, and with columns that hide names of
            // it.
            try db.execute(
                sql: """
                    CREATE TABLE t (v);
                    CREATE TABLE keyed (k TEXT PRIMARY KEY, v);
                    CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, v);
                    CREATE TABLE hiding (rowid, oid, v);
                    CREATE TABLE hidden (rowid, oid, _rowid_);
                    CREATE VIRTUAL TABLE f5 USING fts5(v, content='t');
                    CREATE VIRTUAL TABLE f4 USING fts4(v, content='keyed');
                    CREATE VIRTUAL TABLE named USING fts5(v, content='hiding', content_rowid='_rowid_');
                    CREATE VIRTUAL TABLE own USING fts5(v);
                    CREATE VIRTUAL TABLE old USING fts3(v);
                    CREATE VIRTUAL TABLE area USING rtree(id, low, high);
                    INSERT INTO t SELECT 'word' || value FROM json_each('[0,1,2,3,4,5,6,7,8,9]');
                    INSERT INTO keyed SELECT 'k' || rowid, v FROM t;
                    INSERT INTO descending SELECT 100 - rowid, v FROM t;
                    INSERT INTO hiding SELECT 'x', 'y', v FROM t;
                    INSERT INTO hidden VALUES (1, 2, 3);
                    INSERT INTO own SELECT v FROM t;
                    INSERT INTO old SELECT v FROM t;
                    INSERT INTO area SELECT rowid, rowid, rowid + 0.5 FROM t;
                    DELETE FROM t WHERE rowid < 4; DELETE FROM keyed WHERE rowid < 3; DELETE FROM hiding WHERE _rowid_ < 6;
                    DELETE FROM descending WHERE v = 'word1';
                    DELETE FROM own WHERE rowid < 5; DELETE FROM old WHERE rowid < 5; DELETE FROM area WHERE id < 5;
                    INSERT INTO f5 (f5) VALUES ('rebuild'); INSERT INTO f4 (f4) VALUES ('rebuild');
                    INSERT INTO named (named) VALUES ('rebuild');
                    """)
        }
        let copy = try restored(script(source))
        for sql: SQL in [
            "SELECT t.v FROM f5 JOIN t ON t.rowid = f5.rowid WHERE f5 MATCH 'word7'",
            "SELECT k, keyed.v FROM f4 JOIN keyed ON keyed.rowid = f4.docid WHERE f4 MATCH 'word7'",
            "SELECT hiding.v FROM named JOIN hiding ON hiding._rowid_ = named.rowid WHERE named MATCH 'word7'",
            "SELECT rowid FROM own WHERE own MATCH 'word7'", "SELECT docid FROM old WHERE old MATCH 'word7'",
            "SELECT id FROM area WHERE low BETWEEN 8 AND 8.5", "SELECT rowid, id, v FROM descending", "SELECT * FROM hidden",
        ] {
            #expect(try copy.dumped(sql, .csv()) == source.dumped(sql, .csv()))
            #expect(try !copy.dumped(sql, .csv(header: false)).isEmpty)
        }
        try copy.write { db in
            try db.execute(
                sql: """
                    INSERT INTO f5 (f5, rank) VALUES ('integrity-check', 1); INSERT INTO named (named, rank) VALUES ('integrity-check', 1);
                    INSERT INTO f4 (f4) VALUES ('integrity-check'); INSERT INTO own (own) VALUES ('integrity-check');
                    """)
            try #expect(String.fetchOne(db, sql: "SELECT rtreecheck('area')") == "ok")
        }
    }

    @Test
    func `Sequences and statistics of other tables stay where a script adds tables`() throws {
        let source = try DatabaseQueue()
        try source.write { db in
            try db.execute(
                sql:
                    "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, v); CREATE INDEX ai ON a (v); INSERT INTO a VALUES (9, 1); ANALYZE"
            )
        }
        let copy = try DatabaseQueue()
        try copy.writeWithoutTransaction { db in
            try db.execute(
                sql:
                    "CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT, v); CREATE INDEX bi ON b (v); INSERT INTO b VALUES (7, 1); ANALYZE"
            )
            try db.execute(sql: script(source))
        }
        #expect(try copy.dumped("SELECT name, seq FROM sqlite_sequence ORDER BY name", .quote()) == "'a',9\n'b',7\n")
        #expect(try copy.dumped("SELECT idx FROM sqlite_stat1 ORDER BY idx", .quote()) == "'ai'\n'bi'\n")
    }

    @Test
    func `Texts of any length have CR LF and NUL characters, and look like what stands for them`() throws {
        let texts = [
            "a\r\nb\rc\n", String(repeating: "a\0", count: 1500), String(repeating: "\r", count: 3000), "\\0\\r\0\r\\0_", "\r\0\u{301}",
            "\\\u{301}0\0",
        ]
        let source = try DatabaseQueue()
        try source.write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            for text in texts { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
        }
        let script = try script(source)
        #expect(!script.utf8.contains(13))
        let copies = try restored(script).read { try String.fetchAll($0, sql: "SELECT v FROM t ORDER BY rowid") }
        #expect(copies.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }

    // MARK: - SQLite's shell

    @Test(
        .enabled(if: Shell.isAvailable, "sqlite3 is not installed"),
        arguments: ["UTF-8", "UTF-16le"])
    func `SQLite's shell restores a script to the byte`(encoding: String) throws {
        let source = try DatabaseQueue()
        try source.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA encoding = '\(encoding)';
                    CREATE TABLE t (v, w);
                    CREATE VIEW view AS SELECT v FROM t;
                    CREATE VIRTUAL TABLE f USING fts5(v, content='t');
                    CREATE TRIGGER view_insert INSTEAD OF INSERT ON view BEGIN INSERT INTO t VALUES (new.v, 1); END;
                    """)
            let values: [any DatabaseValueConvertible] = [
                "a\r\nb\r\rc\n", "gone", String(repeating: "x\0\r\n", count: 1500), "--\n/*\n;\n.bail\ngo\n/\n", "it's", 0.1, -0.0,
                Double.infinity, Double.leastNonzeroMagnitude, Int64.min, Data([0, 13, 10]), "日本\r\n",
            ]
            for value in values { try db.execute(sql: "INSERT INTO t VALUES (?, 1)", arguments: [value]) }
            try db.execute(sql: "DELETE FROM t WHERE v = 'gone'; INSERT INTO f (f) VALUES ('rebuild'); PRAGMA user_version = 3")
        }
        let script = try script(source)
        let shell = try Shell()
        try #expect(shell.run(script) == 0)
        let rows: SQL = "SELECT rowid, hex(v), typeof(v), (SELECT user_version FROM pragma_user_version) FROM t"
        let copy = try DatabaseQueue(path: shell.database.path)
        try #expect(copy.read { try $0.contents() } == source.read { try $0.contents() })
        #expect(try copy.dumped(rows, .csv()) == source.dumped(rows, .csv()))
        try copy.close()

        // A second run changes nothing.
        try #expect(shell.run(script.replacing("user_version = 3", with: "user_version = 4")) != 0)
        let again = try DatabaseQueue(path: shell.database.path)
        #expect(try again.dumped(rows, .csv()) == source.dumped(rows, .csv()))
        try again.close()
    }

    @Test(
        .enabled(if: Shell.isAvailable, "sqlite3 is not installed"),
        arguments: [
            "INSERT INTO \"t\"", "INSERT INTO \"f\"", "INSERT INTO \"c_data\"", "INSERT INTO \"e\"", "CREATE TABLE", "CREATE VIRTUAL",
            "CREATE INDEX", "CREATE VIEW",
            "CREATE TRIGGER",
        ])
    func `SQLite's shell, which continues after errors, restores nothing if a statement fails`(_ statement: String) throws {
        let source = try DatabaseQueue()
        try source.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (v); INSERT INTO t VALUES (1), (2); CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('a');
                    INSERT INTO f (f, rank) VALUES ('pgsz', 100);
                    CREATE VIRTUAL TABLE c USING fts5(a, content=''); INSERT INTO c VALUES ('a');
                    CREATE VIRTUAL TABLE e USING fts5(v, content='t'); INSERT INTO e (e) VALUES ('rebuild');
                    CREATE TABLE Strata_Restore (isComplete); INSERT INTO Strata_Restore VALUES (0);
                    CREATE INDEX i ON t (v); CREATE VIEW w AS SELECT 1; CREATE TRIGGER r INSERT ON t BEGIN SELECT 1; END;
                    """)
        }
        var script = try script(source)
        try #expect(restored(script).read { try $0.contents() } == source.read { try $0.contents() })
        let range = try #require(script.range(of: "\n" + statement))
        script.replaceSubrange(range, with: "\nFAIL")
        let shell = try Shell()
        try #expect(shell.run(script) != 0)
        let copy = try DatabaseQueue(path: shell.database.path)
        try #expect(copy.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") } == [])
        try copy.close()
        // So does Strata.
        let other = try DatabaseQueue()
        #expect(throws: DatabaseError.self) { try other.writeWithoutTransaction { try $0.execute(sql: script) } }
        try #expect(other.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") } == [])
    }
}
