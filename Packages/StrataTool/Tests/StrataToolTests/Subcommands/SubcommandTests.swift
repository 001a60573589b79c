import Foundation
import Strata
import Testing

@testable import StrataTool

@Suite struct SubcommandTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try Maker.library.makeDatabase(
            named: "library.sqlite", in: folder,
            sql: """
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE book (
                    id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author (id) ON DELETE CASCADE,
                    title TEXT NOT NULL COLLATE NOCASE, price REAL DEFAULT 9.5, cover BLOB
                );
                CREATE INDEX byAuthor ON book (authorId);
                CREATE INDEX byAuthorAndTitle ON book (authorId, title);
                CREATE TABLE review (bookId INTEGER REFERENCES book, stars INTEGER);
                CREATE TRIGGER afterBook AFTER INSERT ON book BEGIN SELECT 1; END;
                CREATE VIEW cheap AS SELECT title FROM book WHERE price < 10;
                INSERT INTO author VALUES (1, 'Ursula'), (2, 'Stanisław');
                INSERT INTO book VALUES (1, 1, 'A "quoted", title', 7.25, NULL), (2, 2, '漢字 👩‍🚀', NULL, x'00FF');
                INSERT INTO review VALUES (1, 5), (NULL, NULL);
                """
        ).path
    }

    // MARK: - Help

    @Test(arguments: [nil] + Subcommand.all.map(\.name))
    func `Each subcommand has a help that is kept in a file`(_ name: String?) throws {
        let result = strata([name, "--help"].compactMap { $0 })
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        try Golden.expect(result.output, "help\(name.map { "-" + $0 } ?? "").txt")
        if let name { #expect(strata("help", name).output == result.output) }
    }

    // MARK: - show

    @Test
    func `show and sql print UUIDs in their standard form`() throws {
        let file = try Maker.library.makeDatabase(
            named: "jobs.sqlite", in: folder,
            sql: """
                CREATE TABLE job (id UUID PRIMARY KEY, hash BLOB);
                INSERT INTO job VALUES (x'e621e1f8c36c495a93fc0c247a3e6e5f', x'000102030405060708090a0b0c0d0e0f');
                CREATE TABLE text (id TEXT);
                INSERT INTO text VALUES ('e621e1f8-c36c-495a-93fc-0c247a3e6e5f');
                """)
        let output = strata("show", file.path).output
        #expect(output.contains("E621E1F8-C36C-495A-93FC-0C247A3E6E5F") && !output.contains("'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'"))
        #expect(output.contains("16 bytes: 00 01 02 03 …"))
        // A string is not a blob.
        #expect(output.contains("'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'"))
        let sql = "SELECT id, hash FROM job"
        let boxes = [["sql", file.path, sql], ["sql", file.path, sql, "--format=table"], ["dump", file.path, "job", "--format=box"]]
        for arguments in boxes {
            let output = strata(arguments).output
            #expect(output.contains(" E621E1F8-C36C-495A-93FC-0C247A3E6E5F "), "\(output)")
            #expect(output.contains("X'000102030405060708090A0B0C0D0E0F'"), "\(output)")
        }
        for format in ["quote", "csv", "debug"] {
            #expect(strata("sql", file.path, sql, "--format", format).output.contains("X'E621E1F8C36C495A93FC0C247A3E6E5F'"))
        }
    }

    @Test
    func `UUIDs, dates and amounts are text where that is asked for`() throws {
        let file = try Maker.library.makeDatabase(
            named: "payments.sqlite", in: folder,
            sql: """
                CREATE TABLE payment (id UUID PRIMARY KEY, created INTEGER, paid INTEGER, amount INTEGER);
                INSERT INTO payment VALUES (x'e621e1f8c36c495a93fc0c247a3e6e5f', 1795422600, 1795422600250, 1250);
                """)
        let text = ["--text", "id=uuid,created=date,paid=milliseconds,amount=2"]
        let line = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T08:30:00Z,2026-11-23T08:30:00.250Z,12.50"
        #expect(strata(["dump", file.path, "payment", "--format", "csv"] + text).output.contains(line))
        #expect(strata(["sql", file.path, "SELECT * FROM payment", "--format", "csv"] + text).output.contains(line))
        #expect(
            strata("sql", file.path, "SELECT amount FROM payment", "--format=jsonlines", "--text=amount=0").output
                == "{\"amount\":\"1250\"}\n")
        #expect(strata("sql", file.path, "SELECT 1 AS a", "--text", "a=2").status == 64)
        for text in ["a", "a=19", "a=-1", "a=text", "=uuid,"] {
            #expect(strata("sql", file.path, "SELECT 1 AS a", "--format", "csv", "--text", text).status != 0, "\(text)")
        }
        #expect(strata("sql", file.path, "SELECT 1 AS a", "--format", "csv", "--text", "b=2").errors.contains("the dump has no column"))
    }

    // MARK: - sql

    @Test(arguments: FormatName.allCases)
    func `sql prints rows in all formats`(_ format: FormatName) throws {
        let result = strata("sql", path, "SELECT id, title, price, cover FROM book", "--format", format.rawValue, "--table", "copy")
        #expect(result.status == 0, "\(result)")
        try Golden.expect(result.output, "sql-\(format.rawValue).txt")
    }

    @Test
    func `sql takes arguments by position and by name, and SQL from the standard input`() {
        #expect(
            strata("sql", path, "SELECT ?, ?, ?, ?", "--arguments", #"[1, 1.5, "a'b", null]"#, "--format=quote").lines.last
                == "1,1.5,'a''b',NULL")
        #expect(strata("sql", path, "SELECT :a AS a", "--arguments={\"a\": true}", "--format=jsonlines").output == "{\"a\":1}\n")
        #expect(strata("sql", path, "-", "--format=list", input: "SELECT 1; SELECT 2").output.contains("2"))
        #expect(strata("sql", path, "SELECT 1", "--arguments", "7").status == 64)
        #expect(strata("sql", path, "SELECT 1", "--arguments", "[[1]]").status == 64)
        for (json, message) in [
            ("[18446744073709551615]", "the integer has more than 64 bits"), ("{\"a\": 1e400}", "the number is too large"),
        ] {
            let result = strata("sql", path, "SELECT :a", "--arguments", json)
            #expect(result.status == 64)
            #expect(result.errors.contains("--arguments: \(message)"), "\(result)")
        }
        #expect(strata("sql", path, "SELECT 1", "--format", "xml").status == 64)
    }

    @Test
    func `sql changes the database only with --write, and then all or nothing`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let refused = strata("sql", path, "DELETE FROM review")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("needs --write"), "\(refused)")
        let failing = strata("sql", path, "DELETE FROM review; INSERT INTO author VALUES (1, 'x')", "--write")
        #expect(failing.status == 1)
        #expect(failing.errors.split(separator: "\n").count == 1, "\(failing)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(strata("sql", path, "DELETE FROM review", "--write").status == 0)
        #expect(strata("sql", path, "SELECT count(*) AS n FROM review", "--format=csv").output == "n\r\n0\r\n")
        #expect(strata("sql", folder.file("none").path, "SELECT 1", "--write").errors.contains("does not exist"))
        #expect(strata("sql", folder.file("none").path, "DELETE FROM review", "--write").errors.contains("no such table"))
        #expect(try folder.files() == ["library.sqlite"])
    }

    @Test
    func `sql runs a script with transactions of its own, and settings before them, all or nothing`() throws {
        let script = """
            -- What SQLite's .dump begins with.
            PRAGMA foreign_keys = OFF;
            BEGIN TRANSACTION;
            INSERT INTO review VALUES (77, 1);
            COMMIT;
            """
        #expect(strata("sql", path, "-", "--write", input: script).status == 0)
        #expect(strata("sql", path, "SELECT count(*) AS n FROM review", "--format=csv").output == "n\r\n3\r\n")
        let open = strata("sql", path, "BEGIN; DELETE FROM review", "--write")
        #expect(open.status == 1)
        #expect(open.errors.contains("rolled back"), "\(open)")
        let failing = strata("sql", path, "PRAGMA user_version = 3; BEGIN; DELETE FROM review; SELECT nope; COMMIT", "--write")
        #expect(failing.status == 1, "\(failing)")
        // Settings are part of the one transaction of a script without its own.
        #expect(strata("sql", path, "PRAGMA user_version = 4; DELETE FROM review; SELECT nope", "--write").status == 1)
        #expect(
            strata("sql", path, "SELECT count(*), (SELECT * FROM pragma_user_version) FROM review", "--format=quote").lines.last == "3,3")
        #expect(strata("sql", path, "SELECT 1; BEGIN; COMMIT", "--write").status == 1)
    }

    @Test
    func `The number literals of arguments distinguish INTEGER and REAL`() {
        func types(_ arguments: String) -> String? {
            strata("sql", path, "SELECT typeof(?1), ?1 / 2, typeof(?2), ?2", "--arguments", arguments, "--format=quote").lines.last
        }
        #expect(types("[1.0, 1e2]") == "'real',0.5,'real',100.0")
        #expect(types("[1, -9223372036854775808]") == "'integer',0,'integer',-9223372036854775808")
        #expect(types("[9223372036854775807, 9223372036854775808.0]") == "'integer',4611686018427387903,'real',9.223372036854776e+18")
        #expect(types("[true, false]") == "'integer',0,'integer',0")
        let named = strata("sql", path, "SELECT typeof(:a), :b", "--arguments", #"{"a": 3E0, "b": "\u00e9"}"#, "--format=quote")
        #expect(named.lines.last == "'real','é'", "\(named)")
        for json in ["[[1]]", #"{"a": {}}"#, "[1", "1", "", #"{"a": 1, "a": 2}"#, "[01]"] {
            #expect(strata("sql", path, "SELECT 1", "--arguments", json).status == 64, "\(json)")
        }
    }

    // MARK: - schema

    @Test
    func `schema shows columns, keys, indexes, triggers and views`() throws {
        try Golden.expect(strata("schema", path).output, "schema.txt")
        try Golden.expect(strata("schema", path, "--sql").output, "schema-sql.txt")
        let one = strata("schema", path, "CHEAP")
        #expect(one.output.contains("CREATE VIEW cheap") && !one.output.contains("author"), "\(one)")
    }

    @Test
    func `schema --diff shows what differs, and white space and comments make no difference`() throws {
        let other = try Maker.library.makeDatabase(
            named: "other.sqlite", in: folder,
            sql: """
                CREATE TABLE author (id INTEGER PRIMARY KEY,   -- the key
                    name TEXT NOT NULL);
                CREATE TABLE book (
                    id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author (id) ON DELETE SET NULL,
                    title TEXT NOT NULL COLLATE RTRIM, cover BLOB, year INTEGER
                );
                CREATE INDEX byAuthor ON book (authorId DESC);
                CREATE TABLE review (bookId INTEGER REFERENCES book, stars INTEGER CHECK (stars < 6));
                CREATE TABLE tag (name TEXT);
                """
        ).path
        let result = strata("schema", path, "--diff", other)
        #expect(result.status == 1)
        let text = result.output.replacingOccurrences(of: folder.url.path + "/", with: "")
        try Golden.expect(text, "schema-diff.txt")
        let same = strata("schema", path, "--diff", path)
        #expect(same.status == 0)
        #expect(same.output == "The schemas are the same.\n")
    }

    @Test
    func `schema --diff compares bytes, as SQLite does`() throws {
        let paths = try ["caf\u{E9}", "cafe\u{301}"].enumerated().map { number, name in
            let sql = "CREATE TABLE place (name TEXT DEFAULT '\(name)')"
            return try Maker.library.makeDatabase(named: "\(number).sqlite", in: folder, sql: sql).path
        }
        let result = strata("schema", paths[0], "--diff", paths[1])
        #expect(result.status == 1 && result.output.contains("- ") && result.output.contains("+ "), "\(result)")
    }

    @Test
    func `Schemas are compared by the declarations of synchronized full-text tables`() throws {
        func database(_ name: String, version: Int, column: String = "title") throws -> String {
            try Maker.library.makeDatabase(
                named: name, in: folder,
                sql: """
                    CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body);
                    CREATE VIRTUAL TABLE "ft" USING fts5("title", content='__ft_content', content_rowid='rowid');
                    CREATE VIEW "__ft_content" AS SELECT "id" AS "rowid", "\(column)" AS "title" FROM "doc";
                    CREATE TABLE "__ft_replaced" ("id" INTEGER PRIMARY KEY, "c0");
                    CREATE TRIGGER "__ft_ai" AFTER INSERT ON "doc" BEGIN SELECT \(version); END;
                    """
            ).path
        }
        let old = try database("old.sqlite", version: 1)
        #expect(try strata("schema", old, "--diff", database("new.sqlite", version: 2)).output == "The schemas are the same.\n")
        let other = try strata("schema", old, "--diff", database("other.sqlite", version: 1, column: "body"))
        #expect(other.status == 1 && other.output.contains("body"), "\(other.output)")
    }

    // MARK: - check

    @Test
    func `check reports redundant and missing indexes, and broken foreign keys`() throws {
        #expect(strata("sql", path, "PRAGMA foreign_keys = OFF", "--write").status == 0)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.withoutForeignKeys { try db.execute(sql: "INSERT INTO review VALUES (77, 1)") }
        }
        try queue.close()
        let result = strata("check", path)
        #expect(result.status == 1)
        // The defects depend on the SQLite library.
        let parts = result.output.components(separatedBy: "Defect of ")
        try Golden.expect(parts[0], "check.txt")
        // Each defect is one line.
        #expect(parts.count == 1 + SQLiteLibrary.current.defects.count)
        for (defect, line) in zip(SQLiteLibrary.current.defects, parts.dropFirst()) {
            #expect(line.hasPrefix("\(SQLiteLibrary.current): \(defect.name), fixed in SQLite \(defect.fixedInVersions)"))
            #expect(line.hasSuffix("see \(defect.source)\n"))
        }
        #expect(strata("check", path, "--sizes", "--quick").output.contains("byAuthorAndTitle       1   4.0 KB"))
    }

    @Test
    func `check finds nothing in a good database, and damage in a damaged one`() throws {
        let file = try Maker.library.makeDatabase(
            named: "good.sqlite", in: folder,
            sql: """
                CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX tb ON t (b);
                WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT i, 'text ' || i FROM n;
                """)
        #expect(strata("check", file.path).status == 0)
        var bytes = try Data(contentsOf: file)
        // A page in the middle, which belongs to the table or its index.
        let page = bytes.count / 4096 / 2
        bytes.replaceSubrange(page * 4096..<page * 4096 + 2000, with: Data(repeating: 0x55, count: 2000))
        try bytes.write(to: file)
        let result = strata("check", file.path)
        #expect(result.status == 1, "\(result)")
        #expect(!result.lines.contains("Integrity: nothing found"), "\(result)")
    }

    @Test
    func `check compares full-text indexes with their tables if asked, and says so otherwise`() throws {
        let file = try Maker.library.makeDatabase(
            named: "text.sqlite", in: folder,
            sql: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two');
                CREATE VIRTUAL TABLE external USING fts5(a, content='t', content_rowid='id'); INSERT INTO external(external) VALUES ('rebuild');
                CREATE VIRTUAL TABLE own USING fts5(a); INSERT INTO own VALUES ('one');
                CREATE VIRTUAL TABLE contentless USING fts5(a, content=''); INSERT INTO contentless (rowid, a) VALUES (1, 'one');
                CREATE VIRTUAL TABLE four USING fts4(content='t', a); INSERT INTO four(four) VALUES ('rebuild');
                CREATE VIRTUAL TABLE "a ""b" USING fts4(a); INSERT INTO "a ""b" VALUES ('one');
                """)
        let before = try Data(contentsOf: file)
        let unasked = strata("check", file.path)
        #expect(unasked.status == 0, "\(unasked)")
        #expect(unasked.output.contains("Full-text indexes: not checked; --full-text"), "\(unasked)")
        let good = strata("check", file.path, "--full-text")
        #expect(good.status == 0 && good.lines.contains("Full-text indexes: nothing found"), "\(good)")
        #expect(!strata("check", path).output.contains("Full-text"))

        let damage = "BEGIN; UPDATE t SET a = 'three' WHERE id = 2; DELETE FROM own_content; COMMIT"
        #expect(strata("sql", file.path, "--write", damage).status == 0)
        let changed = try Data(contentsOf: file)
        let bad = strata("check", file.path, "--full-text")
        #expect(bad.status == 1, "\(bad)")
        for name in ["external", "own", "four"] {
            #expect(bad.output.contains("  \(name): the index does not match its content"), "\(bad)")
        }
        #expect(!bad.output.contains("  contentless") && !bad.output.contains("  a "), "\(bad)")
        #expect(strata("check", file.path, "--full-text", "--immutable").status == 1)
        #expect(try Data(contentsOf: file) == changed && changed != before)
        #expect(try folder.files() == ["library.sqlite", "text.sqlite"])

        let rebuilding = ["external", "four", "own"].map { "INSERT INTO \($0)(\($0)) VALUES ('rebuild');" }.joined()
        #expect(strata("sql", file.path, "--write", rebuilding).status == 0)
        #expect(strata("check", file.path, "--full-text").status == 0)
    }

    @Test
    func `check names the full-text indexes that SQLite can't check`() throws {
        let file = try Maker.library.makeDatabase(
            named: "contentless.sqlite", in: folder,
            sql: "CREATE VIRTUAL TABLE four USING fts4(content='', a); INSERT INTO four (docid, a) VALUES (1, 'one')")
        let result = strata("check", file.path, "--full-text")
        // Since 3.54, SQLite can.
        let isChecked = SQLiteLibrary.current.versionNumber >= 3_054_000
        #expect(result.status == (isChecked ? 0 : 1) && result.output.contains("  four can't be checked: ") == !isChecked, "\(result)")
    }

    @Test
    func `check finds an R*Tree table that lacks rows`() throws {
        let file = try Maker.library.makeDatabase(
            named: "area.sqlite", in: folder,
            sql: "CREATE VIRTUAL TABLE area USING rtree(id, minX, maxX); INSERT INTO area VALUES (1, 1, 2)")
        #expect(strata("check", file.path).status == 0)
        #expect(strata("sql", file.path, "--write", "BEGIN; DELETE FROM area_rowid; COMMIT").status == 0)
        let result = strata("check", file.path)
        #expect(result.status == 1 && result.output.contains("rowid"), "\(result)")
    }

    @Test
    func `check reports what it can't check`() throws {
        let file = folder.file("odd.sqlite")
        try makeDatabaseWithMissingParts(file)
        let result = strata("check", file.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.output.contains("ownCollation") || result.output.contains("ownFunction"), "\(result)")
        #expect(result.errors.isEmpty, "\(result)")
    }

    // MARK: - dump and load

    @Test
    func `dump prints SQL that creates the database again`() throws {
        let script = strata("dump", path)
        #expect(script.status == 0)
        try Golden.expect(script.output, "dump.txt")
        let copy = folder.file("copy.sqlite")
        _ = try Maker.library.makeDatabase(named: "copy.sqlite", in: folder, sql: script.output)
        #expect(strata("dump", copy.path).output == script.output)
        #expect(strata("schema", path, "--diff", copy.path).status == 0)
    }

    @Test
    func `A dump creates a missing database, and does not change an existing one`() throws {
        let script = strata("dump", path).output
        let copy = folder.file("restored.sqlite").path
        #expect(strata("sql", "--write", copy, "-", input: script).status == 0)
        #expect(strata("dump", copy).output == script)
        let again = strata("sql", "--write", copy, "-", input: script)
        #expect(again.status == 1)
        #expect(again.errors.contains("the script restores its objects and rows"), "\(again)")
        #expect(strata("dump", copy).output == script)
        // Half a script is not a database.
        let half = String(script.prefix(script.count / 2))
        #expect(strata("sql", "--write", folder.file("half.sqlite").path, "-", input: half).status == 1)
        #expect(try folder.files() == ["library.sqlite", "restored.sqlite"])
    }

    @Test
    func `A dump of virtual tables is restored, also by shadow tables`() throws {
        let source = try Maker.library.makeDatabase(
            named: "search.sqlite", in: folder,
            sql: """
                CREATE VIRTUAL TABLE own USING fts5(a); INSERT INTO own (rowid, a) VALUES (7, 'one');
                CREATE VIRTUAL TABLE contentless USING fts5(a, content=''); INSERT INTO contentless (rowid, a) VALUES (8, 'one');
                CREATE VIRTUAL TABLE area USING rtree(id, low, high); INSERT INTO area VALUES (9, 1, 2);
                """)
        let script = strata("dump", source.path).output
        let copy = folder.file("copy.sqlite").path
        #expect(strata("sql", "--write", copy, "-", input: script).status == 0)
        #expect(strata("dump", copy).output == script)
        let rows = "SELECT rowid, a FROM own('one') UNION ALL SELECT rowid, NULL FROM contentless('one') UNION ALL SELECT id, low FROM area"
        #expect(strata("sql", copy, rows, "--format=list").output == "rowid|a\n7|one\n8|\n9|1.0\n")
    }

    @Test
    func `dump prints chosen tables, in a format`() throws {
        #expect(strata("dump", path, "review", "--format=csv").output == "bookId,stars\r\n1,5\r\n,\r\n")
        try Golden.expect(strata("dump", path, "--format=box", "--stable").output, "dump-box.txt")
        #expect(strata("dump", path, "nothing").status == 1)
    }

    @Test
    func `dump reports tables that it can't read, and prints the rest`() throws {
        let file = folder.file("odd.sqlite")
        try makeDatabaseWithMissingParts(file)
        let result = strata("dump", file.path, "--format", "csv")
        #expect(result.status == 1)
        #expect(result.output.contains("collated value"), "\(result)")
        #expect(result.errors.contains("ghost can't be read: no such module: nowhere"), "\(result)")
    }

    @Test(arguments: ["insert", "csv"])
    func `dump names the collation that the table of a WITHOUT ROWID key needs`(format: String) throws {
        let file = folder.file("ordered.sqlite").path
        let queue = try DatabaseQueue(path: file)
        try queue.write { db in
            db.add(collation: DatabaseCollation("ownCollation") { $0 < $1 ? .ascending : $0 > $1 ? .descending : .same })
            try db.execute(
                sql: "CREATE TABLE ordered (a TEXT COLLATE ownCollation PRIMARY KEY) WITHOUT ROWID; INSERT INTO ordered VALUES ('x')")
        }
        try queue.close()
        let result = strata("dump", file, "--format", format)
        #expect(result.status == 1)
        #expect(result.errors.contains("no such collation sequence: ownCollation"), "\(result)")
    }

    @Test
    func `load inserts CSV and JSON, all rows or none`() throws {
        try Data("id;name\n3;Octavia\n4;-\n".utf8).write(to: folder.file("more.csv"))
        let first = strata("load", path, "AUTHOR", folder.file("more.csv").path, "--separator=;")
        #expect(first.output == "2 rows inserted into AUTHOR\n", "\(first)")
        let json = strata("load", path, "author", "-", "--format=json", input: #"[{"id": 5, "name": "Ann"}]"#)
        #expect(json.output == "1 row inserted into author\n", "\(json)")
        let again = strata("load", path, "author", folder.file("more.csv").path, "--separator=;")
        #expect(again.status == 1)
        #expect(again.errors.contains("line 2"), "\(again)")
        #expect(again.errors.split(separator: "\n").count == 1)
        let ignored = strata(
            "load", path, "author", "-", "--format=csv", "--columns=id,,name", "--null=-", "--on-conflict=ignore",
            input: "5,x,Ann\n6,y,Bo\n")
        #expect(ignored.status == 0, "\(ignored)")
        #expect(strata("sql", path, "SELECT group_concat(id) AS ids FROM author", "--format=csv").lines.last == "\"1,2,3,4,5,6\"")
        #expect(strata("load", path, "author", "-").status == 64)
        #expect(strata("load", path, "nothing", folder.file("more.csv").path).status == 1)
        #expect(strata("load", path, "author", folder.file("none.csv").path).errors.contains("does not exist"))
        #expect(strata("load", path, "author", "-", "--format=csv", "--on-conflict=hope", input: "").status == 64)
    }

    @Test
    func `load creates a database and a table for CSV, and no other database or table unasked`() throws {
        let csv = folder.path("events.csv")
        try folder.write("id,code,score\n1,007,1.5\n2,x,2.5\n", to: "events.csv")
        let new = folder.path("new.sqlite")
        let result = strata("load", new, "events", csv, "--pk", "id", "--types", "score=DECIMAL(10,2),code=VARCHAR(9)")
        #expect(result.output == "2 rows inserted into events\n", "\(result)")
        #expect(
            strata("sql", new, "SELECT sql FROM sqlite_master", "--format=list").lines.last
                == #"CREATE TABLE "events" ("id" INTEGER PRIMARY KEY, "code" VARCHAR(9), "score" DECIMAL(10,2))"#)
        #expect(strata("load", new, "other", csv).status == 1)
        #expect(strata("load", new, "other", csv, "--create", "--strict").status == 0)

        let second = folder.path("second.sqlite")
        #expect(strata("load", second, "events", csv).status == 0)
        for arguments in [
            ["x", csv, "--pk=nope"], ["x", "-", "--format=json"], ["x", "-", "--format=csv"],
            ["x", csv, "--types=id=INTEGER); CREATE TABLE y (a); --"],
        ] {
            let failure = strata(["load", folder.path("none.sqlite")] + arguments, input: "")
            #expect(failure.status == 1, "\(failure)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
    }

    @Test
    func `load creates a database and a table for JSON`() throws {
        let lines = "{\"id\":1,\"code\":\"007\",\"score\":1.5}\n{\"id\":2,\"tags\":[1,2],\"isNew\":true}\n"
        try folder.write(lines, to: "events.jsonl")
        try folder.write("[\(lines.split(separator: "\n").joined(separator: ","))]", to: "events.json")
        for (file, options, key) in [("events.jsonl", [], ""), ("events.json", ["--pk=id"], " PRIMARY KEY")] {
            let new = folder.path("\(file).sqlite")
            let result = strata(["load", new, "events", folder.path(file)] + options)
            #expect(result.output == "2 rows inserted into events\n", "\(result)")
            #expect(
                strata("sql", new, "SELECT sql FROM sqlite_master", "--format=list").lines.last
                    == #"CREATE TABLE "events" ("id" INTEGER\#(key), "code" TEXT, "score" REAL, "tags" TEXT, "isNew" BOOLEAN)"#)
            #expect(strata("sql", new, "SELECT * FROM events", "--format=csv").lines.dropFirst() == ["1,007,1.5,,", "2,,,\"[1,2]\",1"])
        }
        let portions = strata("load", folder.path("p.sqlite"), "events", folder.path("events.jsonl"), "--portion=1", "--types=id=TEXT")
        #expect(portions.output == "2 rows inserted into events\n", "\(portions)")
        let failure = strata("load", folder.path("none.sqlite"), "x", folder.path("events.json"), "--pk=nope")
        #expect(failure.status == 1 && failure.errors.contains("the file has no such column"), "\(failure)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
        #expect(strata("load", path, "author", folder.path("events.json"), "--separator=;").status == 64)
    }

    @Test
    func `load updates rows, reads a list in an object, other encodings and quotes, and skips lines`() throws {
        let table = "CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT NOT NULL, note TEXT)"
        #expect(strata("sql", path, "\(table); INSERT INTO item VALUES (1, 'a', 'A', 'kept')", "--write").status == 0)
        func load(_ arguments: String..., text: String) -> ToolResult { strata(["load", path, "item", "-"] + arguments, input: text) }
        let results = [
            load("--format=csv", "--on-conflict=update", text: "id,name\n1,B\n2,C\n"),
            load("--format=csv", "--on-conflict=update", "--key=code", text: "code,name\na,D\n"),
            load("--format=json", "--at=items", "--on-conflict=update", text: "{\"next\": 3, \"items\": [{\"id\": 2, \"code\": \"b\"}]}"),
            load("--format=csv", "--skip=2", "--quote='", text: "Items\n\nid,name\n3,'\"E, F\"'\n"),
        ]
        for result in results { #expect(result.status == 0 && result.output.hasSuffix(" item\n"), "\(result)") }
        try (Data("id,name\n4,".utf8) + [0xC4]).write(to: folder.file("latin.csv"))
        let latin = strata("load", path, "item", folder.path("latin.csv"))
        #expect(latin.status == 1 && latin.errors.contains("line 2: field 2 is not valid UTF-8"), "\(latin)")
        #expect(strata("load", path, "item", folder.path("latin.csv"), "--encoding=latin1").status == 0)
        #expect(
            strata("sql", path, "SELECT * FROM item", "--format=quote").lines.dropFirst()
                == ["1,'a','D','kept'", "2,'b','C',NULL", "3,NULL,'\"E, F\"',NULL", "4,NULL,'Ä',NULL"])
        for wrong in [
            ["--format=csv", "--at=items"], ["--format=jsonlines", "--at=items"], ["--format=csv", "--key=id"],
            ["--format=json", "--skip=1"], ["--format=json", "--quote='"], ["--format=csv", "--skip=x"], ["--format=csv", "--quote=ab"],
            ["--format=csv", "--encoding=ebcdic"], ["--format=csv", "--on-conflict=update", "--key"],
        ] {
            #expect(strata(["load", path, "item", "-"] + wrong, input: "").status == 64, "\(wrong)")
        }
    }

    @Test
    func `load continues an interrupted load, writes rejected records, and refuses a changed file`() throws {
        let csv = folder.path("more.csv")
        let rejects = folder.path("bad.csv")
        let lines = ["id,name"] + (10..<30).map { "\($0),\($0 == 12 ? "" : "n")" }
        try folder.write((lines + ["x,y"]).joined(separator: "\n"), to: "more.csv")
        let arguments = ["load", path, "author", csv, "--portion=5", "--rejects", rejects, "--limit-rejects=1"]
        let table = strata("sql", path, "CREATE TABLE author2 (id INTEGER PRIMARY KEY, name TEXT NOT NULL)", "--write")
        #expect(table.status == 0, "\(table)")
        let run = { (options: [String]) in strata(arguments.map { $0 == "author" ? "author2" : $0 } + options) }
        let first = run([])
        #expect(first.status == 1 && first.errors.contains("line 22: datatype mismatch. No more than 1 record may be rejected"), "\(first)")
        let whole = strata("load", path, "author2", csv)
        #expect(whole.status == 1 && whole.errors.contains("interrupted after 19 rows"), "\(whole)")
        // A changed file.
        try folder.write((lines + ["40,y"]).joined(separator: "\n").replacing("10,n", with: "10,m"), to: "more.csv")
        let changed = run([])
        #expect(changed.status == 1 && changed.errors.contains("has changed"), "\(changed)")
        try folder.write((lines + ["40,y"]).joined(separator: "\n"), to: "more.csv")
        let last = run([])
        #expect(last.output == "20 rows inserted into author2, 1 record rejected: see \(rejects)\n", "\(last)")
        #expect(last.errors == "strata: continuing after 19 rows\n")
        try #expect(String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n").count == 2)
        // The table of positions is internal.
        #expect(strata("schema", path).output.contains("strata_loads") == false)

        try folder.write("id,name\n50,a\n50,a\n", to: "more.csv")
        #expect(strata("load", path, "author2", csv, "--portion=1").status == 1)
        let restarted = strata("load", path, "author2", csv, "--portion=1", "--restart", "--on-conflict=ignore")
        #expect(restarted.output == "0 rows inserted into author2\n" && restarted.errors.isEmpty, "\(restarted)")
    }

    @Test(arguments: [0o600, 0o640, 0o644])
    func `Copies of a file have its permissions: backups, and the file of rejected records`(_ permissions: Int) throws {
        let files = FileManager.default
        func mode(_ path: String) throws -> Int? { try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        let (copy, csv, rejects) = (folder.path("copied.sqlite"), folder.path("private.csv"), folder.path("rejected.csv"))
        try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        #expect(strata("backup", path, copy).status == 0)
        #expect(try mode(copy) == permissions)
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: copy)
        #expect(strata("backup", path, copy, "--replace").status == 0)
        #expect(try mode(copy) == permissions)
        #expect(strata("schema", path, "--diff", copy).status == 0)

        try folder.write("id,name\n900,\n", to: "private.csv")
        try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: csv)
        #expect(strata("load", path, "author", csv, "--rejects", rejects).status == 0)
        #expect(try mode(rejects) == permissions)
    }

    @Test
    func `load renames, converts, pads and cuts, and reads JSON Lines`() throws {
        let result = strata(
            "load", folder.path("texts.sqlite"), "t", "-", "--format=csv", "--rename=Day=day,x=", "--text=id=uuid,day=date,amount=2",
            "--short=pad", "--long=cut", input: "id,Day,amount,x\nE621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23,12.50,1,2\n,,1\n")
        #expect(result.output == "2 rows inserted into t\n", "\(result)")
        let dumped = strata(
            "dump", folder.path("texts.sqlite"), "t", "--format=csv", "--text=id=uuid,day=date,amount=2")
        #expect(
            dumped.lines == ["id,day,amount", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T00:00:00Z,12.50", ",,1.00"], "\(dumped)")
        let lines = strata("load", path, "author", "-", "--format=jsonlines", input: "{\"id\": 70, \"name\": \"a\"}\n")
        #expect(lines.output == "1 row inserted into author\n", "\(lines)")
        for wrong in [
            ["--short=x"], ["--long=pad"], ["--portion=0"], ["--limit-rejects=1"], ["--rename=a"], ["--columns=a", "--rename=a=b"],
            ["--text=a=b"], ["--format=json", "--null=a"], ["--format=xml"], ["--types=a"],
        ] {
            let format = wrong.contains { $0.hasPrefix("--format") } ? [] : ["--format=csv"]
            #expect(strata(["load", path, "author", "-"] + format + wrong, input: "").status == 64, "\(wrong)")
        }
    }

    // MARK: - backup

    @Test
    func `backup copies a database while another connection is open, and replaces a file only with --replace`() throws {
        let copy = folder.file("copy.sqlite").path
        let queue = try DatabaseQueue(path: path)
        let result = strata("backup", path, copy)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.hasSuffix("copied to \(copy)\n"), "\(result)")
        try queue.close()
        #expect(strata("dump", copy).output == strata("dump", path).output)
        #expect(try folder.files() == ["copy.sqlite", "library.sqlite"])

        let refused = strata("backup", path, copy)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--replace"), "\(refused)")
        #expect(strata("backup", path, copy, "--replace", "--pages=1").status == 0)
        #expect(strata("backup", path, path, "--replace").errors.contains("can't be a copy of itself"))
        #expect(strata("backup", path, copy, "--replace", "--pages=0").status == 64)

        // A file that is not a database does not change the copy.
        try Data(repeating: 0x61, count: 5000).write(to: folder.file("text"))
        let before = try Data(contentsOf: URL(fileURLWithPath: copy))
        #expect(strata("backup", folder.file("text").path, copy, "--replace").status == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
        #expect(try folder.files() == ["copy.sqlite", "library.sqlite", "text"])
    }

    // MARK: - swift

    @Test
    func `swift writes records of a database and of a script, and touches no file that stays the same`() throws {
        let records = strata("swift", path)
        #expect(records.status == 0, "\(records)")
        try Golden.expect(records.output, "swift.txt")

        try Data(strata("schema", path, "--sql").output.utf8).write(to: folder.file("schema.sql"))
        let output = folder.file("Records.swift")
        #expect(strata("swift", "--sql", folder.file("schema.sql").path, "--output", output.path).output.isEmpty)
        let code = try String(contentsOf: output, encoding: .utf8)
        #expect(code.hasPrefix("// Records for the tables and views of schema.sql."))
        #expect(code.contains("var price: Double?"))

        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: output.path)
        #expect(strata("swift", "--sql", folder.file("schema.sql").path, "--output", output.path).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: output.path)[.modificationDate] as? Date == past)
        #expect(strata("swift", path, "--module", "CodableSupport").output.contains("\nimport CodableSupport\n"))
    }

    @Test
    func `swift describes the mistake in a script`() throws {
        try Data("CREATE TABLE t (a;".utf8).write(to: folder.file("bad.sql"))
        let bad = strata("swift", "--sql", folder.file("bad.sql").path)
        #expect(bad.status == 1)
        #expect(
            bad.errors == "\(folder.file("bad.sql").path):1:1: error: incomplete input\nCREATE TABLE t (a;\n^~~~~~~~~~~~~~~~~\n", "\(bad)")
        #expect(strata("swift", "--sql", folder.file("none.sql").path).status == 1)
        #expect(strata("swift").status == 64)
        #expect(strata("swift", path, "--sql", "x").status == 64)
        #expect(strata("swift", path, "--module", "a b").status == 64)
        #expect(strata("swift", folder.file("none.sqlite").path).status == 1)
    }

    @Test
    func `swift takes names, types and access from a file of settings and from options`() throws {
        let settings = folder.file("library.records").path
        try Data("# comment\ntable author Writer\ncolumn book.price Price\n".utf8).write(to: URL(fileURLWithPath: settings))
        let output = strata("swift", path, "--settings", settings, "--public", "--singular").output
        #expect(output.contains("public nonisolated struct Writer: "))
        #expect(output.contains("public var price: Price?"))
        try Data("public\n\ncolumn book.prize Price\n".utf8).write(to: URL(fileURLWithPath: settings))
        let wrong = strata("swift", path, "--settings", settings)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("\(settings):3: error: book has no column prize"), "\(wrong)")
        #expect(strata("swift", path, "--settings", "\(settings)2").errors.contains("can't read \(settings)2"))
    }

    @Test
    func `queries and check-sql compile the files of a folder, and report mistakes with their places`() throws {
        let sources = folder.url.appendingPathComponent("sources")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: sources.appendingPathComponent(name)) }
        try write("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);", to: "schema.sql")
        try write("-- name: authors\nSELECT * FROM author;", to: "Authors.sql")
        try write("-- name: nameOf\nSELECT name FROM author WHERE id = :id;", to: "Names.sql")
        let printed = strata("queries", sources.path)
        #expect(printed.status == 0 && printed.errors.isEmpty, "\(printed)")
        #expect(printed.output.contains("static func nameOf(id: Int64) -> SQLQuery<String, String?> {"), "\(printed)")
        #expect(strata("check-sql", sources.path).output == "2 statements without errors\n")

        // A file whose code stays the same is not written.
        let output = sources.appendingPathComponent("output").path
        #expect(strata("queries", sources.path, "--output", output).status == 0)
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        let names = ["Queries+Schema.swift", "Authors.sql.swift", "Names.sql.swift"]
        for name in names { try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: "\(output)/\(name)") }
        try write("-- name: nameOf\nSELECT name FROM author WHERE id = :id OR 0;", to: "Names.sql")
        #expect(strata("queries", sources.path, "--output", output).status == 0)
        let written = try names.filter {
            try FileManager.default.attributesOfItem(atPath: "\(output)/\($0)")[.modificationDate] as? Date != past
        }
        #expect(written == ["Names.sql.swift"])

        try write("-- name: nameOf\nSELECT nam FROM author;", to: "Names.sql")
        let file = sources.appendingPathComponent("Names.sql").path
        for subcommand in ["queries", "check-sql"] {
            let wrong = strata(subcommand, file)
            #expect(wrong.status == 1 && wrong.output.isEmpty)
            #expect(
                wrong.errors == "\(file):2:8: error: no such column: nam. Did you mean name?\nSELECT nam FROM author;\n       ^~~\n",
                "\(wrong)")
        }
        #expect(strata("check-sql", file, "--schema", "none.sql").status == 1)
        #expect(strata("queries").status == 64)
    }

    @Test
    func `Files of one name in two folders get two files of code, and none replaces another`() throws {
        func write(_ text: String, to name: String) throws {
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try write("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);", to: "schema.sql")
        try write("-- name: one\nSELECT id FROM author;", to: "a/q.sql")
        try write("-- name: two\nSELECT name FROM author;", to: "b/Q.sql")
        try write("-- name: three\nSELECT count(*) FROM author;", to: "b/other.sql")
        let files = ["a/q.sql", "b/Q.sql", "b/other.sql"].map { folder.file($0).path }
        let output = folder.file("out").path
        let arguments = ["queries", "--schema", folder.file("schema.sql").path, "--output", output]
        func written() throws -> [String: Bool] {
            var files: [String: Bool] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: output) {
                files[name] = try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8).contains("static func ")
            }
            try FileManager.default.removeItem(atPath: output)
            return files
        }
        let result = strata(arguments + files)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        #expect(try written() == ["Queries+Schema.swift": true, "aq.sql.swift": true, "bQ.sql.swift": true, "other.sql.swift": true])
        #expect(strata(arguments + ["--prefix", "Billing", "--name", "BillingQueries+Schema.swift", files[0]]).status == 0)
        #expect(try written() == ["BillingQueries+Schema.swift": true, "Billingq.sql.swift": true])
        let one = strata(arguments + ["--name", "Q.sql.swift", files[0]])
        #expect(one.status == 1 && one.errors.contains("several files would be written to Q.sql.swift"), "\(one)")
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test
    func `The number of operands follows from how the help shows them`() {
        #expect(Subcommand.show.operandCounts == 1...Int.max)
        #expect(Subcommand.load.operandCounts == 3...3)
    }
}
