import Foundation
import Strata
import StrataTool
import Testing

/// `strata show`, on databases of all kinds.
@Suite struct ShowTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: - What it shows

    @Test(arguments: Maker.available)
    func `It shows tables and views, whatever made them, and leaves the file as it is`(_ maker: Maker) throws {
        let file = try maker.makeDatabase(named: "a base.sqlite", in: folder, sql: everything)
        let before = try Data(contentsOf: file)
        let result = strata("show", file.path)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.isEmpty, "\(result)")
        for line in linesOfEverything {
            #expect(result.lines.contains(line), "\(line) is not in \(result)")
        }
        // No colours of the file's own, no text of 12,000 characters.
        #expect(!result.output.contains("\u{1B}"))
        #expect(result.lines.allSatisfy { $0.count < 200 }, "\(result)")
        #expect(try Data(contentsOf: file) == before)
        #expect(try folder.files() == ["a base.sqlite"])
    }

    /// Before 3.40, SQLite computes all rows of such a view before it returns the first.
    @Test(.enabled(if: SQLiteLibrary.current.versionNumber >= 3_040_000, "SQLite computes all rows of the view first"))
    func `It counts a million rows of a view that has infinitely many`() throws {
        let sql = "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        let file = try Maker.library.makeDatabase(named: "a.sqlite", in: folder, sql: sql)
        let result = strata("show", file.path)
        #expect(result.status == 0, "\(result)")
        #expect(result.lines.contains("endless   view         1   1000000 or more"), "\(result)")
    }

    @Test
    func `A view whose query does not end is reported after a time, and the rest is shown`() throws {
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        let sql = """
            CREATE TABLE a (x); INSERT INTO a VALUES ('first');
            CREATE VIEW b AS \(numbers) SELECT i, 'x' AS text FROM n WHERE i < 0; CREATE VIEW c AS \(numbers) SELECT count(*) AS i FROM n;
            CREATE VIEW d AS SELECT x FROM a;
            """
        for mode in ["DELETE", "WAL"] {
            let file = try Maker.library.makeDatabase(named: "\(mode).sqlite", in: folder, sql: "PRAGMA journal_mode = \(mode); \(sql)")
            let result = strata("show", file.path, "--timeout=0.2")
            #expect(result.status == 0, "\(result)")
            #expect(result.output.components(separatedBy: "It can't be read: its query took longer than 0.2 seconds").count == 3)
            #expect(result.lines.contains { $0.hasPrefix("d ") && $0.hasSuffix(" 1") }, "\(result)")
            #expect(strata("show", file.path, "b", "--timeout=0.2").output.contains("took longer"))
            let code = strata("swift", file.path, "--timeout=0.2")
            #expect(code.status == 0, "\(code)")
            #expect(code.output.contains("/// Not all of it can be read: its query took longer than 0.2 seconds."))
            #expect(["struct A:", "struct B:", "struct C:", "struct D:"].allSatisfy(code.output.contains), "\(code)")
        }
        #expect(try folder.files() == ["DELETE.sqlite", "WAL.sqlite"])
        for limit in ["0", "-1", "x", "nan"] {
            #expect(strata("show", "x", "--timeout=\(limit)").status == 64)
            #expect(strata("swift", "x", "--timeout=\(limit)").status == 64)
        }
    }

    @Test
    func `It shows one table with more rows`() throws {
        let file = try Maker.library.makeDatabase(named: "a.sqlite", in: folder, sql: everything)
        let result = strata("show", file.path, "PLAYER", "--rows=6")
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("sixth") && !result.output.contains("my notes"), "\(result)")
        #expect(!strata("show", file.path).output.contains("sixth"))
    }

    @Test
    func `What keeps a full-text table in sync, and the tables of migrations, are shown if they are named`() throws {
        let file = folder.file("text.sqlite")
        let queue = try DatabaseQueue(path: file.path)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("all") { db in
            try db.create(table: "text") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("body", .text).notNull().check { $0 != "" }
            }
            try db.create(virtualTable: "text_ft", using: FTS5()) { t in
                t.synchronize(withTable: "text")
                t.column("body")
            }
            try db.execute(sql: "CREATE TABLE __own_content (a CONSTRAINT positive CHECK (a > 0))")
        }
        try migrator.migrate(queue)
        try queue.close()

        for subcommand in ["show", "schema"] {
            let result = strata(subcommand, file.path)
            #expect(result.status == 0, "\(result)")
            let titles = result.lines.filter { $0.hasPrefix("━━━") }.map { $0.split(separator: " ")[1] }
            #expect(titles == ["__own_content", "text", "text_ft"], "\(result)")
            #expect(result.output.contains("Check         \"body\" <> ''"), "\(result)")
            #expect(result.output.contains("Check         positive (a > 0)"), "\(result)")
            for name in ["__text_ft_content", "__text_ft_replaced", "grdb_migrations", "text_ft_data", "sqlite_sequence"] {
                let named = strata(subcommand, file.path, name)
                #expect(named.status == 0 && named.output.contains("━━━ \(name) ━━━"), "\(named)")
                #expect(subcommand == "schema" || result.lines.contains { $0.hasPrefix("Not shown ") && $0.contains(name) }, "\(result)")
            }
        }
        let records = strata("swift", file.path).output
        #expect(records.contains("struct OwnContent: ") && !records.contains("struct TextFt: "), "\(records)")
        #expect(records.contains("such as: table text_ft TextFt"), "\(records)")
        #expect(strata("swift", file.path, "--tables", "text_ft").output.contains("struct TextFt: "))
        #expect(!records.contains("TextFtContent") && !records.contains("TextFtReplaced") && !records.contains("Migrations"), "\(records)")
        let some = strata("swift", file.path, "--tables", "text,__text_ft_content").output
        #expect(some.contains("struct TextFtContent: ") && !some.contains("struct OwnContent: "), "\(some)")
        let missing = strata("swift", file.path, "--tables=text,missing")
        #expect(missing.status == 1 && missing.errors.contains("text.sqlite has no table or view missing"), "\(missing)")
    }

    @Test
    func `A path is not a URI`() throws {
        let file = try Maker.library.makeDatabase(named: "file:a?mode=rwc", in: folder, sql: "CREATE TABLE t (a)")
        let result = strata("show", file.path)
        #expect(result.lines.contains("t      table         1      0"), "\(result)")
        #expect(try folder.files() == ["file:a?mode=rwc"])
    }

    @Test
    func `It leaves no files beside an unused database in WAL mode`() throws {
        let file = try Maker.library.makeDatabase(
            named: "w.sqlite", in: folder, sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let before = try Data(contentsOf: file)
        let result = strata("show", file.path)
        #expect(result.lines.contains("t      table         1      1"), "\(result)")
        #expect(try Data(contentsOf: file) == before)
        #expect(try folder.files() == ["w.sqlite"])
    }

    @Test
    func `It shows what another program has just written in WAL mode`() throws {
        let file = folder.file("w.sqlite")
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        }
        let log = URL(fileURLWithPath: file.path + "-wal")
        let before = try [Data(contentsOf: file), Data(contentsOf: log)]
        let result = strata("show", file.path)
        #expect(result.lines.contains("t      table         1      2"), "\(result)")
        #expect(try [Data(contentsOf: file), Data(contentsOf: log)] == before)
        try queue.close()
    }

    @Test
    func `It shows strings of a database in UTF-16`() throws {
        let file = try Maker.library.makeDatabase(
            named: "u.sqlite", in: folder,
            sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a); INSERT INTO t VALUES ('Grüße')")
        #expect(strata("show", file.path).lines.contains("Grüße"))
    }

    @Test
    func `It says that an empty database is empty`() throws {
        try Data().write(to: folder.file("empty.sqlite"))
        let result = strata("show", folder.file("empty.sqlite").path)
        #expect(result.lines == ["empty.sqlite", "The database has no tables or views."], "\(result)")
    }

    @Test
    func `It shows the rest where a module, a function or a collation is missing`() throws {
        let file = folder.file("odd.sqlite")
        try makeDatabaseWithMissingParts(file)
        let result = strata("show", file.path)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("It can't be read: no such module: nowhere"), "\(result)")
        #expect(result.output.contains("The column twice can't be read: unknown function: ownFunction()"), "\(result)")
        #expect(result.output.contains("ordinary value") && result.output.contains("collated value"), "\(result)")
    }

    // MARK: - Bad input

    @Test(arguments: [
        BadInput(arguments: [], status: 64, message: "strata: a subcommand is missing. See strata --help.\n"),
        BadInput(arguments: ["sho"], status: 64, message: "unknown subcommand sho"),
        BadInput(arguments: ["show"], status: 64, message: "an argument is missing"),
        BadInput(arguments: ["show", "whole.sqlite", "--rows"], status: 64, message: "--rows needs a value"),
        BadInput(
            arguments: ["show", "whole.sqlite", "--rows=-1"], status: 64,
            message: "strata: show: --rows needs a number, not -1. See strata show --help.\n"),
        BadInput(arguments: ["show", "whole.sqlite", "--row"], status: 64, message: "unknown option --row"),
        BadInput(arguments: ["show", "whole.sqlite", "nothing"], message: "no table or view nothing"),
        BadInput(arguments: ["show", "missing.sqlite"], message: "SQLITE_CANTOPEN"),
        BadInput(arguments: ["show", "nowhere/missing.sqlite"], message: "nowhere does not exist"),
        BadInput(arguments: ["show", "folder"], message: "The path is a folder"),
        BadInput(arguments: ["show", "text.sqlite"], message: "SQLITE_NOTADB"),
        BadInput(arguments: ["show", "truncated.sqlite"], message: "SQLITE_CORRUPT"),
        BadInput(arguments: ["show", "header.sqlite"], message: "SQLITE_"),
        BadInput(arguments: ["show", "/dev/null"], message: "is not a regular file"),
    ])
    func `Bad input prints one line that describes the mistake`(_ input: BadInput) throws {
        let file = try Maker.library.makeDatabase(named: "whole.sqlite", in: folder, sql: everything)
        let whole = try Data(contentsOf: file)
        try whole.prefix(whole.count / 2).write(to: folder.file("truncated.sqlite"))
        try whole.prefix(50).write(to: folder.file("header.sqlite"))
        try Data(String(repeating: "no database at all\n", count: 100).utf8).write(to: folder.file("text.sqlite"))
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)

        let before = try folder.files()
        let names = Set(before + ["missing.sqlite", "nowhere/missing.sqlite"])
        let arguments = input.arguments.map { names.contains($0) ? folder.file($0).path : $0 }
        let result = strata(arguments)
        #expect(result.status == input.status, "\(result)")
        #expect(result.errors.contains(input.message), "\(result)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
        #expect(result.output.isEmpty, "\(result)")
        #expect(try folder.files() == before)
    }
}

/// The arguments of a run that fails, and a part of what it says.
struct BadInput: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var status: Int32 = 1
    var message: String

    var testDescription: String { arguments.joined(separator: " ") }
}

// MARK: - A database with something of everything

let everything = #"""
    CREATE TABLE "team of ""stars""" ("the name" TEXT PRIMARY KEY NOT NULL, founded INTEGER DEFAULT 1969);
    CREATE TABLE player (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, score REAL DEFAULT (1.5 + 1), note, avatar BLOB,
        team TEXT REFERENCES "team of ""stars""", twice GENERATED ALWAYS AS (score * 2) VIRTUAL
    );
    CREATE INDEX "by name" ON player (name, score);
    CREATE INDEX byLowerName ON player (lower(name));
    CREATE TABLE setting (section TEXT, key TEXT, value, PRIMARY KEY (section, key)) WITHOUT ROWID;
    CREATE TABLE line (section TEXT, key TEXT, FOREIGN KEY (section, key) REFERENCES setting);
    CREATE TABLE "'); DROP TABLE player; --" (x);
    CREATE TABLE wide (a, b, c, d, e, f);
    CREATE VIEW best AS SELECT id, score FROM player WHERE score > 1;
    CREATE VIEW broken AS SELECT gone FROM nowhere;
    CREATE VIRTUAL TABLE "my notes" USING fts5(title, body);
    INSERT INTO "team of ""stars""" VALUES ('The "A" Team', 1983), ('漢字', NULL);
    INSERT INTO player (name, score, note, avatar, team) VALUES
        ('Arthur', 1000, NULL, x'89504E470D0A1A0A00', 'The "A" Team'),
        ('', -2.25, '', x'', NULL),
        ('A long text: ' || replace(hex(zeroblob(1000)), '00', 'lorem ipsum '), 3, 'NULL', zeroblob(100000), NULL),
        ('two' || char(10) || 'lines' || char(27) || '[31m', NULL, '42', x'CA', NULL),
        ('漢字かな交じり文と、とても長い日本語の文章です。', 1e300, 42, NULL, NULL),
        ('sixth', 6, 6, 6, NULL);
    INSERT INTO setting VALUES ('ui', 'color', 'red'), ('ui', 'size', 12);
    INSERT INTO "my notes" VALUES ('One', 'small step');
    INSERT INTO wide VALUES (
        'lorem ipsum dolor sit amet consectetur', 'lorem ipsum dolor sit amet consectetur',
        'lorem ipsum dolor sit amet consectetur', 'lorem ipsum dolor sit amet consectetur', 7, NULL);
    """#

private let linesOfEverything = [
    // The overview
    "Name                        Kind            Columns   Rows",
    "'); DROP TABLE player; --   table                 1      0",
    "my notes                    virtual table         2      1",
    "player                      table                 7      6",
    "team of \"stars\"             table                 2      2",
    "best                        view                  2      4",
    "broken                      view                  ?      ?",
    // Columns and keys
    "the name   TEXT      not null             1",
    "founded    INTEGER              1969",
    "score    REAL                 1.5 + 1",
    "twice                         generated",
    "Primary key    section, key, WITHOUT ROWID",
    "Primary key   only the hidden row ID",
    "Foreign key   team → team of \"stars\" (the name)",
    "Foreign key   section, key → setting (section, key)",
    "Unique index   sqlite_autoindex_setting_1 (section, key)",
    "Index         by name (name, score)",
    "Index         byLowerName (an expression)",
    // Rows
    " 1   Arthur                            1000.0   NULL     9 bytes: 89 50 4E 47 …        The \"A\" Team   2000.0",
    " 2   ''                                 -2.25   ''       0 bytes                       NULL             -4.5",
    " 3   A long text: lorem ipsum lorem…      3.0   'NULL'   100000 bytes: 00 00 00 00 …   NULL              6.0",
    " 4   two\\nlines\\u{1B}[31m                NULL   '42'     1 byte: CA                    NULL             NULL",
    " 5   漢字かな交じり文と、とても長い…   1e+300       42   NULL                          NULL           2e+300",
    "ui        size       12",
    "One     small step",
    // A wide table, turned on its side
    "Column   Row 1",
    "e        7",
    "f        NULL",
    // A view that is broken
    "It can't be read: no such table: main.nowhere",
    "Strings are in quotes where they could be taken for something else: NULL is NULL, 'NULL' and '' are strings.",
]
