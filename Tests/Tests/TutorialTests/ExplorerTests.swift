import CommandSupport
import Foundation
import SQLiteDriver
import Testing

/// The explorer of Examples/, on databases of all kinds.
@Suite(.timeLimit(.minutes(20)))
struct ExplorerTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: - What it shows

    @Test("It shows tables and views, whatever made them, and leaves the file as it is", arguments: Maker.available)
    func explores(_ maker: Maker) async throws {
        let file = try await maker.makeDatabase(named: "a base.sqlite", in: folder, sql: everything)
        let before = try Data(contentsOf: file)
        let result = try await Examples.run("Explorer", [file.path], in: folder)
        #expect(result.isSuccess, "\(result)")
        #expect(result.error.isEmpty, "\(result)")
        for line in linesOfEverything {
            #expect(result.lines.contains(line), "\(line) is not in \(result)")
        }
        // No colours of the file's own, no text of 12,000 characters, no end of a view that has none.
        #expect(!result.output.contains("\u{1B}"))
        #expect(result.lines.allSatisfy { $0.count < 200 }, "\(result)")
        #expect(try Data(contentsOf: file) == before)
        #expect(try files() == ["a base.sqlite"])
    }

    @Test("It takes a path that is relative to the current folder, and no path for a URI")
    func relativePath() async throws {
        _ = try await Maker.library.makeDatabase(named: "file:a?mode=rwc", in: folder, sql: "CREATE TABLE t (a)")
        let result = try await Examples.run("Explorer", ["file:a?mode=rwc"], in: folder)
        #expect(result.isSuccess, "\(result)")
        #expect(result.lines.contains("t      table         1      0"), "\(result)")
        #expect(try files() == ["file:a?mode=rwc"])
    }

    @Test("It leaves no files beside a database in WAL mode that nobody uses")
    func restingWAL() async throws {
        let file = try await Maker.library.makeDatabase(
            named: "w.sqlite", in: folder, sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let before = try Data(contentsOf: file)
        let result = try await Examples.run("Explorer", [file.path], in: folder)
        #expect(result.lines.contains("t      table         1      1"), "\(result)")
        #expect(try Data(contentsOf: file) == before)
        #expect(try files() == ["w.sqlite"])
    }

    @Test("It shows what another program has just written in WAL mode")
    func busyWAL() async throws {
        let file = folder.url.appendingPathComponent("w.sqlite")
        let queue = try DatabaseQueue(path: file.path)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        }
        let log = URL(fileURLWithPath: file.path + "-wal")
        let before = try [Data(contentsOf: file), Data(contentsOf: log)]
        let result = try await Examples.run("Explorer", [file.path], in: folder)
        #expect(result.lines.contains("t      table         1      2"), "\(result)")
        #expect(try [Data(contentsOf: file), Data(contentsOf: log)] == before)
        try queue.close()
    }

    @Test("It shows texts of a database in UTF-16")
    func utf16() async throws {
        let file = try await Maker.library.makeDatabase(
            named: "u.sqlite", in: folder,
            sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a); INSERT INTO t VALUES ('Grüße')")
        let result = try await Examples.run("Explorer", [file.path], in: folder)
        #expect(result.lines.contains("Grüße"), "\(result)")
    }

    @Test("It says that an empty database is empty")
    func emptyDatabase() async throws {
        try folder.write("", to: "empty.sqlite")
        let result = try await Examples.run("Explorer", ["empty.sqlite"], in: folder)
        #expect(result.lines == ["empty.sqlite", "The database has no tables and no views."], "\(result)")
    }

    // MARK: - Bad input

    @Test(
        "Bad input ends in one line that says what is wrong, and in exit status 1",
        arguments: [
            BadInput(arguments: [], message: "Give the path"),
            BadInput(arguments: ["one.sqlite", "two.sqlite"], message: "Give the path"),
            BadInput(arguments: ["missing.sqlite"], message: "SQLITE_CANTOPEN"),
            BadInput(arguments: ["nowhere/missing.sqlite"], message: "nowhere does not exist"),
            BadInput(arguments: ["folder"], message: "It is a folder"),
            BadInput(arguments: ["text.sqlite"], message: "SQLITE_NOTADB"),
            BadInput(arguments: ["truncated.sqlite"], message: "SQLITE_CORRUPT"),
            BadInput(arguments: ["header.sqlite"], message: "SQLITE_"),
            BadInput(arguments: ["/dev/null"], message: "no regular file"),
        ])
    func badInput(_ input: BadInput) async throws {
        let file = try await Maker.library.makeDatabase(named: "whole.sqlite", in: folder, sql: everything)
        let whole = try Data(contentsOf: file)
        try whole.prefix(whole.count / 2).write(to: folder.url.appendingPathComponent("truncated.sqlite"))
        try whole.prefix(50).write(to: folder.url.appendingPathComponent("header.sqlite"))
        try folder.write(String(repeating: "no database at all\n", count: 100), to: "text.sqlite")
        try folder.write("", to: "folder/file")

        let before = try files()
        let result = try await Examples.run("Explorer", input.arguments, in: folder)
        #expect(result.status == 1 && !result.endedBySignal, "\(result)")
        #expect(result.error.contains(input.message), "\(result)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result)")
        #expect(result.output.isEmpty, "\(result)")
        #expect(try files() == before)
    }

    @Test("A file that may not be read ends in one line", .enabled(if: geteuid() != 0, "root may read all files"))
    func noPermission() async throws {
        let file = try await Maker.library.makeDatabase(named: "secret.sqlite", in: folder, sql: "CREATE TABLE t (a)")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
        let result = try await Examples.run("Explorer", [file.path], in: folder)
        #expect(result.status == 1, "\(result)")
        #expect(result.error.contains("check its permissions"), "\(result)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result)")
    }

    /// The names of all files and folders of the folder.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }
}

/// The arguments of a run that fails, and a part of what it says.
struct BadInput: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var message: String

    var testDescription: String { arguments.joined(separator: " ") }
}

/// What makes a database of some SQL.
enum Maker: Sendable {
    /// SQLite's own command, where it is installed.
    case command
    /// The driver.
    case library

    static let available: [Maker] = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let hasCommand = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/sqlite3") }
        return hasCommand ? [.command, .library] : [.library]
    }()

    func makeDatabase(named name: String, in folder: TemporaryFolder, sql: String) async throws -> URL {
        let file = folder.url.appendingPathComponent(name)
        switch self {
        case .command:
            let result = try await run(["sqlite3", file.path, sql], in: folder.url, limit: 60)
            try #require(result.isSuccess, "\(result)")
        case .library:
            // A full path is no URI, whatever the name.
            let queue = try DatabaseQueue(path: file.path)
            try await queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
            try queue.close()
        }
        return file
    }
}

// MARK: - A database with something of everything

private let everything = #"""
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
    CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
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
    "Name                        Kind            Columns              Rows",
    "'); DROP TABLE player; --   table                 1                 0",
    "my notes                    virtual table         2                 1",
    "player                      table                 7                 6",
    "team of \"stars\"             table                 2                 2",
    "best                        view                  2                 4",
    "broken                      view                  ?                 ?",
    "endless                     view                  1   1000000 or more",
    // Columns and keys
    "the name   TEXT      not null             1",
    "founded    INTEGER              1969",
    "score    REAL                 1.5 + 1",
    "twice                         generated",
    "Primary key    section, key, WITHOUT ROWID",
    "Primary key   none but the hidden row id",
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
    "Texts are in quotes where they could be taken for something else: NULL is NULL, 'NULL' and '' are texts.",
]
