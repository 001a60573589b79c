import Dumps
import Foundation
import Testing

@Suite("Restoring virtual tables from scripts")
struct VirtualTableTests {
    private func database(_ sql: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            db.setDefensive(false)
            try db.execute(sql: sql)
        }
        return queue
    }

    /// The rows and the index of a full-text table.
    private func fullText(_ table: String, _ module: String, in queue: DatabaseQueue) throws -> String {
        var text = ""
        try queue.writeWithoutTransaction { db in
            let rows: SQL = "SELECT rowid, * FROM \(sql: table)"
            try db.dumpSQL(rows, format: .quote(), to: &text)
            try db.execute(
                sql: "CREATE VIRTUAL TABLE temp.v USING "
                    + (module == "fts5" ? "fts5vocab(main, \(table), instance)" : "fts4aux(main, \(table))"))
            try db.dumpSQL("SELECT * FROM temp.v", format: .quote(), to: &text)
            try db.execute(sql: "DROP TABLE temp.v")
        }
        return text
    }

    /// Texts in three tables: with row ids with a gap, without some of them, and with the words in another order.
    private static let texts = """
        CREATE TABLE t (a, b, lid);
        INSERT INTO t VALUES ('one two', 'Été', 0), ('gone', NULL, 0), ('two three two', X'6162', 1), ('', 5, 0), (NULL, 1.5, 2);
        DELETE FROM t WHERE a = 'gone';
        CREATE VIEW w AS SELECT rowid + 100 AS "rowid", a, b FROM t;

        """

    @Test(
        .enabled(if: Shell.isAvailable, "sqlite3 is not installed"),
        arguments: [
            ("fts5", "a, b", "INSERT INTO f (rowid, a, b) SELECT rowid, a, b FROM t"),
            (
                "fts5", "a, b UNINDEXED, prefix='2 3', tokenize='porter', columnsize=0",
                "INSERT INTO f (rowid, a, b) SELECT rowid * 7, a, b FROM t"
            ),
            ("fts5", "a, b, detail=none", "INSERT INTO f (rowid, a, b) SELECT -rowid, a, b FROM t; DELETE FROM f WHERE rowid = -3"),
            (
                "fts5", "a, b",
                "INSERT INTO f (f, rank) VALUES ('pgsz', 32), ('rank', 'bm25(10.0, 5.0)'), ('automerge', 0); INSERT INTO f (a) VALUES ('b')"
            ),
            ("fts5", "a, b, content='t'", "INSERT INTO f (f, rank) VALUES ('rank', 'bm25(2.0)'); INSERT INTO f (f) VALUES ('rebuild')"),
            ("fts5", "a, b, content=w", "INSERT INTO f (f) VALUES ('rebuild')"),
            ("fts5", "a, content=t, content_rowid=b", "UPDATE t SET b = rowid * 10; INSERT INTO f (f) VALUES ('rebuild')"),
            ("fts5", "a, b, content=\"t\"", "INSERT INTO f (rowid, a, b) SELECT rowid, a, b FROM t WHERE lid = 0"),
            ("fts5", "a, b, content='t'", ""),
            ("fts3", "a, b", "INSERT INTO f (docid, a, b) SELECT rowid, a, b FROM t"),
            ("fts4", "a, rowid", "INSERT INTO f (docid, a, rowid) SELECT rowid * 3, a, b FROM t"),
            (
                "fts4", "a, b, languageid=\"lid\", order=desc, notindexed=b",
                "INSERT INTO f (docid, a, b, lid) SELECT rowid, a, b, lid FROM t; INSERT INTO f (f) VALUES ('automerge=4')"
            ),
            ("fts4", "a, b, content=\"t\", languageid='lid'", "INSERT INTO f (f) VALUES ('rebuild')"),
            ("fts4", "a, b, content=t", "INSERT INTO f (docid, a, b) SELECT rowid, a, b FROM t WHERE lid <> 1"),
        ])
    func `A defensive connection and SQLite's shell on one restore the rows and the index of a full-text table`(
        module: String, arguments: String, content: String
    ) throws {
        let source = try database(Self.texts + "CREATE VIRTUAL TABLE f USING \(module)(\(arguments)); \(content)")
        let script = try script(source)
        #expect(!script.contains("\n--"))

        let copy = try DatabaseQueue(configuration: .defensive)
        try copy.writeWithoutTransaction { db in try db.execute(sql: script) }
        let shell = try Shell()
        try #expect(shell.run(script, isDefensive: true) == 0)
        let shellCopy = try DatabaseQueue(path: shell.database.path)
        for copy in [copy, shellCopy] {
            try #expect(fullText("f", module, in: copy) == fullText("f", module, in: source))
            for settings: SQL in module == "fts5"
                ? ["SELECT * FROM f_config"]
                : arguments.contains("lid")
                    ? [
                        "SELECT docid, lid FROM f", "SELECT id, value FROM f_stat WHERE id = 2",
                    ] : []
            {
                try #expect(copy.dumped(settings, .quote()) == source.dumped(settings, .quote()))
            }
        }
        try shellCopy.close()
    }

    @Test
    func `A defensive connection restores R*Trees, and virtual tables without content of their own`() throws {
        let source = try database(
            """
            CREATE VIRTUAL TABLE area USING rtree(id, low, high, +name, +data);
            INSERT INTO area VALUES (3, 0.1, 0.7, 'x', X'00'), (-9, 1, 9e999, NULL, 1.5);
            CREATE VIRTUAL TABLE box USING rtree_i32(rowid, low, high);
            INSERT INTO box VALUES (9223372036854775807, -2147483648, 2147483647);
            CREATE VIRTUAL TABLE "f" USING fts5(a); INSERT INTO f VALUES ('b');
            CREATE VIRTUAL TABLE f_words USING fts5vocab(f, row);
            CREATE VIRTUAL TABLE f_words_more USING fts4(a); INSERT INTO f_words_more VALUES ('c');
            """)
        let script = try script(source)
        let copy = try DatabaseQueue(configuration: .defensive)
        try copy.writeWithoutTransaction { db in try db.execute(sql: script) }
        try #expect(copy.read { try $0.contents() } == source.read { try $0.contents() })
        try copy.write { db in
            try #expect(String.fetchAll(db, sql: "SELECT rtreecheck('area') UNION ALL SELECT rtreecheck('box')") == ["ok", "ok"])
        }
        try #expect(copy.dumped("SELECT * FROM area ORDER BY id", .quote()).hasPrefix("-9,1.0,"))
    }

    @Test
    func `An index that refers to missing rows is restored without them`() throws {
        let source = try database(
            Self.texts + """
                CREATE VIRTUAL TABLE f USING fts5(a, content='t'); INSERT INTO f (f) VALUES ('rebuild');
                DELETE FROM t WHERE rowid = 3; INSERT INTO t (rowid, a) VALUES (70, 'new');
                """)
        let copy = try DatabaseQueue(configuration: .defensive)
        try copy.writeWithoutTransaction { db in try db.execute(sql: script(source)) }
        try #expect(copy.dumped("SELECT id FROM f_docsize", .list()) == "1\n4\n5\n")
        try #expect(copy.dumped("SELECT rowid FROM f WHERE f MATCH 'two'", .list()) == "1\n")
    }

    // MARK: - Shadow tables

    /// Tables whose rows can't be read.
    private static let unreadable = [
        "CREATE VIRTUAL TABLE f USING fts5(a, content=''); INSERT INTO f (rowid, a) VALUES (7, 'two words'), (9, 'two')",
        "CREATE VIRTUAL TABLE f USING fts5(a, b, cont=\"\", columnsize=0); INSERT INTO f (rowid, a) VALUES (7, 'two')",
        "CREATE VIRTUAL TABLE f USING fts4(a, content=\"\"); INSERT INTO f (docid, a) VALUES (7, 'two'), (9, 'x')",
        "CREATE TABLE t (a); INSERT INTO t VALUES ('two'); CREATE VIRTUAL TABLE f USING fts5(a, content=t, columnsize=0); INSERT INTO f (f) VALUES ('rebuild')",
        "CREATE TABLE t (a); INSERT INTO t VALUES ('two'); CREATE VIRTUAL TABLE f USING fts4(a, content=t); INSERT INTO f (f) VALUES ('rebuild'); DROP TABLE t",
        "CREATE TABLE t (a); INSERT INTO t VALUES ('two'); CREATE VIRTUAL TABLE f USING fts5(a, content=t); INSERT INTO f (f) VALUES ('rebuild'); DROP TABLE t",
    ]

    @Test(.enabled(if: Shell.isAvailable, "sqlite3 is not installed"), arguments: unreadable)
    func `Tables whose rows can't be read are restored by load, on defensive connections, too, and by SQLite's shell`(_ sql: String) throws
    {
        let source = try database(sql)
        let script = try script(source)
        #expect(script.hasPrefix("-- This script writes the shadow tables"))
        #expect(script.contains("\n-- f\nBEGIN;\n"))

        let copy = try DatabaseQueue(configuration: .defensive)
        let error = #expect(throws: DatabaseError.self) { try copy.writeWithoutTransaction { try $0.execute(sql: script) } }
        #expect(error?.message?.hasSuffix(" may not be modified") == true)
        #expect(error?.description.contains("load(sql:)") == true)
        try #expect(copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0)
        let shell = try Shell()
        try #expect(shell.run(script, isDefensive: true) != 0)
        let refused = try DatabaseQueue(path: shell.database.path)
        try #expect(refused.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0)
        try refused.close()

        try copy.writeWithoutTransaction { try $0.load(sql: script) }
        try #expect(shell.run(script) == 0)
        let shellCopy = try DatabaseQueue(path: shell.database.path)
        let matches: SQL = "SELECT rowid FROM f WHERE f MATCH 'two'"
        for copy in [copy, shellCopy] {
            let tables = try source.read { try String.fetchAll($0, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow'") }
            for table in tables {
                let rows: SQL = "SELECT * FROM \(sql: table)"
                try #expect(copy.dumped(rows, .quote()) == source.dumped(rows, .quote()))
            }
            if !sql.contains("DROP") { try #expect(copy.dumped(matches, .list()) == source.dumped(matches, .list())) }
        }
        try shellCopy.close()

        // The mode is on again.
        try #expect(copy.read { $0.setDefensive(nil) })
    }

    @Test
    func `A script contains the changes of the transaction in which it is written`() throws {
        var script = ""
        let source = try DatabaseQueue()
        try source.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE f USING fts5(a, content=''); INSERT INTO f (rowid, a) VALUES (7, 'two');
                    CREATE VIRTUAL TABLE g USING fts4(a, content=""); INSERT INTO g (docid, a) VALUES (8, 'two');
                    """)
            try db.dumpContent(format: .insert(), to: &script)
        }
        let copy = try DatabaseQueue()
        try copy.writeWithoutTransaction { try $0.load(sql: script) }
        try #expect(copy.dumped("SELECT rowid FROM f WHERE f MATCH 'two'", .list()) == "7\n")
        try #expect(copy.dumped("SELECT docid FROM g WHERE g MATCH 'two'", .list()) == "8\n")
    }

    @Test(arguments: ["fts5", "unicode61"])
    func `A table of a module or a tokenizer that the dumping connection lacks is restored where they exist`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("source.sqlite").path
        let first = try DatabaseQueue(path: path)
        try first.writeWithoutTransaction { db in
            db.setDefensive(false)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE f USING fts5(a, tokenize='unicode61'); INSERT INTO f (rowid, a) VALUES (7, 'two');
                    CREATE TABLE f_notes (a PRIMARY KEY, b REFERENCES f_notes); INSERT INTO f_notes (rowid, a) VALUES (4, 'x');
                    CREATE VIRTUAL TABLE f_more USING fts5(a); INSERT INTO f_more (rowid, a) VALUES (8, 'two');
                    CREATE INDEX f_notes_b ON f_notes (b); CREATE TRIGGER r INSERT ON f_notes BEGIN DELETE FROM f_notes; END;
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, '\(name)', 'missing') WHERE name = 'f';
                    """)
        }
        try first.close()
        let source = try DatabaseQueue(path: path)
        let script = try script(source)
        // Later releases of SQLite look for a tokenizer only to write and to search.
        let isReadable = (try? source.read { try Row.fetchAll($0, sql: "SELECT * FROM f") }) != nil
        #expect(script.contains("\n-- f\nBEGIN") == !isReadable)
        let copy = try DatabaseQueue(configuration: .defensive)
        #expect(throws: DatabaseError.self) { try copy.writeWithoutTransaction { try $0.load(sql: script) } }
        try copy.writeWithoutTransaction { try $0.load(sql: script.replacing("missing", with: name)) }
        try #expect(copy.dumped("SELECT rowid FROM f WHERE f MATCH 'two'", .list()) == "7\n")
        try #expect(copy.dumped("SELECT rowid FROM f_more WHERE f_more MATCH 'two'", .list()) == "8\n")
        try #expect(copy.dumped("SELECT rowid, a FROM f_notes", .list()) == "4|x\n")
        try #expect(copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master WHERE name IN ('f_notes_b', 'r')") } == 2)
    }

    @Test
    func `Scripts of earlier versions, which write shadow tables of readable tables, are restored by load`() throws {
        let source = try database("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f (rowid, a) VALUES (7, 'two')")
        var script = "BEGIN;\nCREATE VIRTUAL TABLE f USING fts5(a);\n"
        for table in ["f_config", "f_content", "f_data", "f_docsize", "f_idx"] {
            script += "DELETE FROM \(table);\n"
            try source.dumpTables([table], format: .insert(), to: &script)
        }
        script += "COMMIT;\n"
        for configuration in [Configuration(), .defensive] {
            let copy = try DatabaseQueue(configuration: configuration)
            try copy.writeWithoutTransaction { try $0.load(sql: script) }
            try #expect(copy.dumped("SELECT rowid, a FROM f WHERE f MATCH 'two'", .list()) == "7|two\n")
        }
    }
}
