import Testing
import Migrations

@testable import RecordGenerator

/// What a migration drops without naming it is reported, where its file is not released.
@Suite struct MigrationDropTests {
    private static let schema = """
        CREATE TABLE change (id INTEGER PRIMARY KEY, noteId INTEGER);
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL CONSTRAINT titled CHECK (title <> ''), body TEXT, rank INTEGER CHECK (rank > 0)
        );
        CREATE INDEX note_title ON note (title);
        CREATE TRIGGER note_synced AFTER UPDATE ON note BEGIN INSERT INTO change (noteId) VALUES (new.id); END;
        CREATE TRIGGER note_added AFTER INSERT ON note BEGIN INSERT INTO change (noteId) VALUES (new.id); END;
        CREATE VIEW titles AS SELECT id, title FROM note;
        CREATE TRIGGER titles_added INSTEAD OF INSERT ON titles BEGIN INSERT INTO note (title) VALUES (new.title); END;
        """

    /// The rebuild of the table that the issue is about.
    private static let rebuild = """
        CREATE TABLE note2 (id INTEGER PRIMARY KEY, title TEXT NOT NULL, place TEXT);
        INSERT INTO note2 (id, title) SELECT id, title FROM note;
        DROP VIEW titles;
        DROP TABLE note;
        ALTER TABLE note2 RENAME TO note;
        CREATE VIEW titles AS SELECT id, title FROM note;
        """

    /// What is reported, in short: the line, and the end of the message.
    private static func dropped(_ migration: String, released: Int = 1) -> [String] {
        MigrationRehearsalTests.diagnostics([schema, migration], released: released).map { line in
            let parts = line.split(separator: ":", maxSplits: 4).map(String.init)
            guard parts.count > 4, parts[3] == " warning", let item = line.split(separator: "-- @drops ").last else { return line }
            return "\(parts[1]) \(item)"
        }
    }

    private static let all = [
        "4 titled", "4 note.body", "4 note.rank", "4 note_title", "4 note_synced", "4 note_added", "3 titles_added",
    ]

    @Test
    func `A rebuild by hand has a warning for each trigger, index, column and check that it loses`() {
        let lines = MigrationRehearsalTests.diagnostics([Self.schema, Self.rebuild], released: 1)
        #expect(
            lines.contains(
                "1.sql:4:1: warning: the trigger note_synced of note goes with this, and is not made again: make it again, "
                    + "or write a line -- @drops note_synced"), "\(lines)")
        #expect(
            lines.contains(
                "1.sql:4:1: warning: CHECK (rank > 0) of note goes with this, and is not made again: make it again, "
                    + "or write a line -- @drops CHECK (rank > 0)"), "\(lines)")
        #expect(Set(Self.dropped(Self.rebuild)) == Set(Self.all + ["4 CHECK (rank > 0)"]))
    }

    @Test
    func `A released file is not judged`() {
        #expect(Self.dropped(Self.rebuild, released: 2) == [])
    }

    @Test(arguments: [
        "-- @drops titled, note.body, \"note\".\"rank\", NOTE_TITLE\n-- @drops note_synced, note_added, titles_added, check(rank>0)\n",
        "--@drops titled,body,rank,note_title,note_synced,\"note_added\",titles_added\n  -- @drops (rank > 0)\n",
    ])
    func `A line of the file accepts what goes, by its name`(_ lines: String) {
        #expect(Self.dropped(lines + Self.rebuild) == [])
        // An ordinary comment does not.
        #expect(Self.dropped("-- Drops titled, body.\n/* @drops titled */ SELECT 1; -- @drops titled\n" + Self.rebuild).count == 8)
    }

    @Test
    func `What the migration makes again, or drops by its own name, is not reported`() {
        let again = """
            DROP TRIGGER note_added;
            DROP INDEX main.note_title;
            CREATE TABLE note2 (
                id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, "Rank" INTEGER,
                CONSTRAINT titled CHECK (length(title) > 0), CHECK ( rank  >= 0 )
            );
            INSERT INTO note2 SELECT * FROM note;
            DROP VIEW IF EXISTS titles;
            DROP TABLE main.note;
            ALTER TABLE "note2" RENAME TO note;
            CREATE TRIGGER note_changed AFTER UPDATE ON note BEGIN INSERT INTO change (noteId) VALUES (new.id); END;
            CREATE VIEW titles AS SELECT id, title FROM note;
            CREATE TRIGGER titles_added INSTEAD OF INSERT ON titles BEGIN INSERT INTO note (title) VALUES (upper(new.title)); END;
            """
        #expect(Self.dropped(again) == [])
    }

    @Test(arguments: [
        // SQLite's own way to rename the old table first.
        """
        DROP VIEW titles; ALTER TABLE note RENAME TO old; CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT);
        INSERT INTO note SELECT id, title FROM old; DROP TABLE old; CREATE VIEW titles AS SELECT id, title FROM note;
        """,
        // Another name for the new table.
        """
        DROP VIEW titles; CREATE TABLE page AS SELECT id, title FROM note;
        DROP TABLE note; CREATE VIEW titles AS SELECT id, title FROM page;
        """,
        """
        DROP VIEW titles; CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT); WITH x AS (SELECT 1) INSERT INTO page SELECT id, title FROM note;
        DROP TABLE note; ALTER TABLE page RENAME TO sheet; CREATE VIEW titles AS SELECT id, title FROM sheet;
        """,
    ])
    func `Other ways to rebuild a table are recognized`(_ sql: String) {
        let items = Set(Self.dropped(sql).map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" })
        #expect(items == Set(Self.all.map { String($0.dropFirst(2)) } + ["CHECK (rank > 0)"]))
    }

    @Test(arguments: [
        "DROP VIEW titles;",
        "DROP VIEW titles; DROP TRIGGER note_synced; DROP TRIGGER note_added; DROP TABLE note;",
        "ALTER TABLE note DROP COLUMN rank;",
        "ALTER TABLE note RENAME COLUMN rank TO place; ALTER TABLE note RENAME TO page;",
        "CREATE TABLE t (a CHECK (a > 0), b); CREATE INDEX i ON t (a); DROP TABLE t; CREATE TABLE t (b);",
    ])
    func `A table that goes for good, and what is dropped by name, are not reported`(_ sql: String) {
        #expect(Self.dropped(sql) == [])
    }

    @Test(arguments: [
        "DROP VIEW titles; DROP TABLE note;",
        "DROP VIEW titles; CREATE TABLE other (id INTEGER PRIMARY KEY REFERENCES change); DROP TABLE note;",
        "INSERT INTO change (noteId) SELECT id FROM note; DROP VIEW titles; DROP TABLE note;",
    ])
    func `Of a table that goes for good, only its triggers are reported, which its rows do not fire`(_ sql: String) {
        let items = Set(Self.dropped(sql).map { $0.split(separator: " ").last.map(String.init) })
        #expect(items == ["note_synced", "note_added"])
        #expect(Self.dropped("-- @drops note_synced, note_added\n" + sql) == [])
    }

    @Test
    func `Unique keys and foreign keys that a rebuild by hand loses are reported, unless others have their columns`() {
        let schema = """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (
                id INTEGER PRIMARY KEY, name TEXT, number INTEGER, teamId INTEGER REFERENCES team ON DELETE CASCADE, email TEXT UNIQUE,
                code TEXT UNIQUE, UNIQUE (teamId, "number")
            );
            """
        func items(_ definition: String, _ columns: String = "id, name, number, teamId, email, code", before: String = "") -> [String] {
            let sql = """
                \(before)CREATE TABLE new (\(definition)); INSERT INTO new (\(columns)) SELECT \(columns) FROM player;
                DROP TABLE player; ALTER TABLE new RENAME TO player;
                """
            return MigrationRehearsalTests.diagnostics([schema, sql], released: 1).map {
                $0.split(separator: "-- @drops ").last.map(String.init) ?? $0
            }
        }
        let columns = "id INTEGER PRIMARY KEY, name, number, teamId, email, code"
        #expect(items(columns) == ["UNIQUE (teamId, number)", "UNIQUE (code)", "UNIQUE (email)", "FOREIGN KEY (teamId)"])
        #expect(items(columns, before: "-- @drops UNIQUE (teamId, number), unique(\"code\"), UNIQUE (email), FOREIGN KEY (teamId)\n") == [])
        // A primary key, a key in another order, and another foreign key take their places.
        let others = "id, name, number, teamId REFERENCES team (id), email PRIMARY KEY, code, UNIQUE (number, teamId)"
        #expect(items(others) == ["UNIQUE (code)"])
        // The line of a column says it all.
        #expect(
            items("id INTEGER PRIMARY KEY, name, number UNIQUE, email UNIQUE", "id, name, number, email") == [
                "player.teamId", "player.code",
            ])
        let renamed = "id INTEGER PRIMARY KEY, name, shirt, teamId REFERENCES team, email, code UNIQUE, UNIQUE (shirt, teamId)"
        #expect(
            items(renamed, "id, name, shirt, teamId, email, code", before: "ALTER TABLE player RENAME COLUMN number TO shirt;") == [
                "UNIQUE (email)"
            ])
    }

    @Test
    func `Columns that are renamed and dropped by name on the way are not reported`() {
        let sql = """
            ALTER TABLE note RENAME COLUMN body TO content;
            ALTER TABLE note DROP COLUMN rank;
            DROP VIEW titles;
            CREATE TABLE note2 (id INTEGER PRIMARY KEY, title TEXT CONSTRAINT titled CHECK (title <> ''), content TEXT, extra);
            INSERT INTO note2 SELECT id, title, content, 1 FROM note;
            DROP TABLE note;
            ALTER TABLE note2 DROP COLUMN extra;
            ALTER TABLE note2 RENAME TO note;
            CREATE INDEX note_title ON note (title);
            """
        #expect(Self.dropped(sql) == ["6 note_synced", "6 note_added"])
    }

    @Test
    func `Triggers of a synchronized full-text table are reported`() {
        let index = """
            CREATE VIRTUAL TABLE ft USING fts5(title, content='note', content_rowid='id');
            CREATE TRIGGER __ft_ai AFTER INSERT ON note BEGIN INSERT INTO ft(rowid, title) VALUES (new.id, new.title); END;
            """
        let lines = MigrationRehearsalTests.diagnostics([Self.schema + index, Self.rebuild], released: 1)
        #expect(lines.contains { $0.hasSuffix("-- @drops __ft_ai") }, "\(lines)")
    }

    // MARK: - Directives

    @Test(arguments: [
        ("-- @drop titled", 1, "@drop is not known. Did you mean @drops?"),
        ("  --  @author Bob", 3, "@author is not known: the words of migrations are @drops, @drop-index, @index, @rebuild"),
        ("-- @drops", 1, "@drops needs the names of what may go: -- @drops note_audit"),
    ])
    func `A line with another word behind @ is an error, and a warning in a released file`(_ line: String, _ column: Int, _ message: String)
    {
        let sql = "\(line)\nALTER TABLE change ADD COLUMN kind TEXT;"
        #expect(MigrationRehearsalTests.diagnostics([Self.schema, sql], released: 1) == ["1.sql:1:\(column): error: \(message)"])
        #expect(MigrationRehearsalTests.diagnostics([Self.schema, sql], released: 2) == ["1.sql:1:\(column): warning: \(message)"])
    }

    @Test(arguments: [
        "-- write to bob@example.org", "-- @ home", "-- @1", "/* @author Bob */", "SELECT 1; -- @author Bob", "SELECT '\n-- @author\n';",
    ])
    func `Other comments with an @ stay comments`(_ line: String) {
        #expect(MigrationRehearsalTests.diagnostics([Self.schema, "\(line)\nALTER TABLE change ADD COLUMN kind TEXT;"], released: 1) == [])
    }
}
