import Testing

@testable import FullTextSearch
@testable import SQLiteDriver

@Suite struct SynchronizationTests {
    private static let words = ["swift", "sqlite", "full", "text", "search", "Doré", "row"]

    /// Compares the index with the rows of the table, and checks its integrity.
    private func check(_ db: Database, index: String = "ft", table: String = "doc", column: String = "body") throws {
        let rows = try Row.fetchAll(db, sql: "SELECT rowid, CAST(\(column) AS TEXT) FROM \(table) ORDER BY rowid")
        for word in Self.words {
            let folded = word == "Doré" ? "dore" : word
            let expected = rows.filter { row in
                let tokens = (row[1] as String? ?? "").lowercased().replacing("doré", with: "dore").split { !$0.isLetter && !$0.isNumber }
                return tokens.contains(Substring(folded))
            }
            let found = try db.matches(index, index.hasPrefix("ft4") ? "body:\(word)" : "body : \"\(word)\"")
            try #require(found == expected.map { $0[0] as Int64 }, "\(word)")
        }
        let name = index.quotedDatabaseIdentifier
        // Compares the index with the content: https://www.sqlite.org/fts5.html#the_integrity_check_command
        try db.execute(
            sql:
                "INSERT INTO \(name) (\(name)\(index.hasPrefix("ft4") ? "" : ", rank")) VALUES ('integrity-check'\(index.hasPrefix("ft4") ? "" : ", 1"))"
        )
    }

    private func createIndex(_ db: Database, _ index: String = "ft", table: String = "doc", columns: [String] = ["title", "body"]) throws {
        try db.create(virtualTable: index, using: FTS5()) { t in
            t.synchronize(withTable: table)
            for column in columns { t.column(column) }
        }
    }

    private func createFTS4Index(_ db: Database, table: String = "doc") throws {
        try db.create(virtualTable: "ft4", using: FTS4()) { t in
            t.synchronize(withTable: table)
            t.column("title")
            t.column("body")
        }
    }

    @Test(arguments: ["", ", UNIQUE (title)"])
    func `Indexes of tables without an INTEGER PRIMARY KEY find the same rows after a vacuum`(constraint: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE doc (title, body\(constraint)); CREATE TABLE other (a)")
            try createIndex(db)
            try createFTS4Index(db)
            for (index, word) in Self.words.enumerated() { try db.execute(sql: "INSERT INTO doc VALUES (?, ?)", arguments: [index, word]) }
            try db.execute(sql: "DELETE FROM doc WHERE title IN (0, 3)")
        }
        try queue.vacuum()
        try queue.write { db in
            try check(db)
            try check(db, index: "ft4")
            // SQLite numbers rows again if the table has no index.
            try #expect(Int.fetchOne(db, sql: "SELECT max(rowid) FROM doc") == (constraint.isEmpty ? 5 : 7))
            try db.execute(sql: "UPDATE doc SET body = 'swift' WHERE title = 5")
            try check(db)
            try check(db, index: "ft4")
        }
    }

    @Test(
        arguments: [
            ("id INTEGER PRIMARY KEY, title TEXT UNIQUE, body, other", ""), ("title TEXT, body, other, UNIQUE (title, other)", ""),
            ("code TEXT PRIMARY KEY DEFAULT (hex(randomblob(2))), title TEXT COLLATE NOCASE UNIQUE, body, other", ""),
            (
                "id INTEGER PRIMARY KEY AUTOINCREMENT, other UNIQUE, body COLLATE NOCASE, title GENERATED ALWAYS AS (other || ' row') UNIQUE",
                ""
            ),
            ("id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT 'swift text' UNIQUE, body, other", ""),
            (
                "id INTEGER PRIMARY KEY, title TEXT, body, \"the \"\"other\"\"\" GENERATED ALWAYS AS (other + 1), other",
                #"""
                CREATE UNIQUE INDEX i ON doc (lower(title) DESC, [other]);
                CREATE UNIQUE INDEX j ON doc (length(body) /* , */ % 9, -- )
                    'a,)' || body COLLATE NOCASE) WHERE body IS NOT NULL;
                CREATE UNIQUE INDEX k ON doc (length(title) % 7 + length(other)DESC, "the ""other""");
                """#
            ),
        ],
        [(false, "ft"), (true, "ft"), (false, "ft4"), (true, "ft4")])
    func `An index follows random changes of its content`(
        _ definition: (table: String, indexes: String), _ options: (recursiveTriggers: Bool, index: String)
    ) throws {
        var generator = SeededGenerator(seed: 22)
        let index = options.index
        try withDatabase { db throws in
            try db.execute(sql: "PRAGMA recursive_triggers = \(options.recursiveTriggers ? 1 : 0)")
            try db.execute(sql: "CREATE TABLE doc (\(definition.table)); \(definition.indexes)")
            let hasTitle = !definition.table.contains("title GENERATED")
            if index == "ft" { try createIndex(db) } else { try createFTS4Index(db) }
            func text() -> DatabaseValue {
                let number = Int.random(in: 0...12, using: &generator)
                switch number {
                case 0: return .null
                case 1: return 1.databaseValue
                case 2: return 1.0.databaseValue
                default:
                    let words = (0..<Int.random(in: 0...4, using: &generator)).map { _ in Self.words.randomElement(using: &generator)! }
                    // FTS4 ignores what follows a NUL.
                    return (words.joined(separator: " ") + (number == 3 && index == "ft" ? "\0sqlite" : "")).databaseValue
                }
            }
            let columns = hasTitle ? ["title", "body", "other"] : ["body", "other"]
            for step in 1...400 {
                let policy = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"].randomElement(using: &generator)!
                let id = Int.random(in: -1...12, using: &generator)
                let column = columns.randomElement(using: &generator)!
                let (sql, arguments): (String, StatementArguments)
                switch Int.random(in: 0...9, using: &generator) {
                case 0...3:
                    let values = columns.map { _ in text() }
                    (sql, arguments) = (
                        "INSERT \(policy) INTO doc (rowid, \(columns.joined(separator: ", "))) "
                            + "VALUES (\(id < 2 ? "NULL" : "\(id)"), \(values.map { _ in "?" }.joined(separator: ", ")))",
                        StatementArguments(values)
                    )
                case 4...5: (sql, arguments) = ("UPDATE \(policy) doc SET \(column) = ? WHERE rowid = \(id)", [text()])
                case 6: (sql, arguments) = ("UPDATE \(policy) doc SET rowid = \(id + 1) WHERE rowid % 3 = 1", [])
                case 7: (sql, arguments) = ("UPDATE \(policy) doc SET \(column) = ? WHERE rowid % 4 = 1", [text()])
                case 8: (sql, arguments) = ("DELETE FROM doc WHERE rowid = \(id)", [])
                default:
                    (sql, arguments) = (
                        "INSERT \(policy) INTO doc (\(columns.joined(separator: ", "))) SELECT \(columns.joined(separator: ", ")) FROM doc LIMIT 2",
                        []
                    )
                }
                // Constraints fail now and then.
                do { try db.execute(sql: sql, arguments: arguments) } catch let error as DatabaseError {
                    #expect(error.resultCode == .SQLITE_CONSTRAINT, "\(error)")
                }
                if step % 25 == 0 { try check(db, index: index) }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM doc")! > 2)
            try db.execute(sql: "DELETE FROM doc")
            try check(db, index: index)
        }
    }

    @Test
    func `A rebuild makes an index follow unique indexes that were created after it`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body)")
            try createIndex(db)
            try createFTS4Index(db)
            try db.execute(sql: "CREATE UNIQUE INDEX i ON doc (upper(title))")
            let triggers = "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
            let before = try String.fetchAll(db, sql: triggers)
            try FTS5Index("ft").rebuild(db)
            try FTS4Index("ft4").rebuild(db)
            let after = try String.fetchAll(db, sql: triggers)
            #expect(after.count == before.count && after != before)

            try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 'swift'), (2, 'b', 'row'); REPLACE INTO doc VALUES (3, 'A', 'sqlite')")
            try check(db)
            try check(db, index: "ft4")
            #expect(try db.matches("ft", "swift") == [])

            // Nothing changes without new unique indexes.
            try FTS5Index("ft").rebuild(db)
            try FTS4Index("ft4").rebuild(db)
            #expect(try String.fetchAll(db, sql: triggers) == after)

            // The same after renames, and for keys of a rebuilt table.
            try db.rename(table: "doc", to: "new doc")
            try db.alter(table: "new doc") { $0.rename(column: "title", to: "the title") }
            try db.execute(sql: "REPLACE INTO \"new doc\" VALUES (4, 'B', 'swift')")
            try db.rebuild(table: "new doc") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("the title", .text)
                t.column("body", .text).unique()
            }
            try db.execute(sql: "REPLACE INTO \"new doc\" VALUES (5, 'c', 'swift'), (6, 'd', 'text')")
            try check(db, table: "\"new doc\"")
            try check(db, index: "ft4", table: "\"new doc\"")
            #expect(try db.matches("ft", "swift") == [5])
        }
    }

    @Test
    func `A column that no unique index uses can be dropped`() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body, other); CREATE UNIQUE INDEX i ON doc (lower(title))")
            try createIndex(db)
            try createFTS4Index(db)
            try db.alter(table: "doc") { $0.drop(column: "other") }
            try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 'swift'); REPLACE INTO doc VALUES (2, 'A', 'row')")
            try check(db)
            try check(db, index: "ft4")
        }
    }

    @Test
    func `The expressions of an index are read from its definition`() {
        for (sql, expressions, condition) in [
            ("CREATE UNIQUE INDEX i ON t (lower(a), b)", ["lower(a)", "b"], nil),
            (
                "CREATE INDEX \"i(\" ON [t(] ( a||','  desc,\"b,\"\"c\" COLLATE NOCASE ASC)WHERE (a)",
                ["a||','", "\"b,\"\"c\" COLLATE NOCASE"], "(a)"
            ),
            ("CREATE INDEX i--(\n ON t /*(*/ (a/*,*/+1--,)\n, b(c, (d))DESC)", ["a +1", "b(c, (d))"], nil),
            ("CREATE INDEX i ON t (a) WHERE/**/a>/*,*/1 --", ["a"], "a> 1"),
            ("CREATE INDEX i ON t ((a, b", [], nil), ("", [], nil),
        ] {
            #expect(IndexedExpressions(sql).expressions == expressions && IndexedExpressions(sql).condition == condition, "\(sql)")
        }
    }

    @Test
    func `Rows that exist when an index is created are indexed`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body); INSERT INTO doc VALUES (7, 'x', 'swift text')")
            try createIndex(db)
            #expect(try db.matches("ft", "swift") == [7])
            #expect(try String.fetchOne(db, sql: "SELECT body FROM ft WHERE ft MATCH 'x'") == "swift text")
            try check(db)
        }
    }

    @Test
    func `An upsert keeps the index up to date`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title UNIQUE, body)")
            try createIndex(db)
            for word in ["swift", "sqlite", "row"] {
                try db.execute(
                    sql: "INSERT INTO doc (title, body) VALUES ('a', ?) ON CONFLICT DO UPDATE SET body = excluded.body", arguments: [word])
                try check(db)
            }
            #expect(try db.matches("ft", "row") == [1])
        }
    }

    @Test
    func `An update of other columns does not touch the index`() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body, views); INSERT INTO doc VALUES (1, 'a', 'swift', 0)")
            try createIndex(db)
            func changes() throws -> Int { try Int.fetchOne(db, sql: "SELECT total_changes()")! }
            let before = try changes()
            try db.execute(sql: "UPDATE doc SET views = 1")
            #expect(try changes() == before + 1)
            try db.execute(sql: "UPDATE doc SET body = 'SWIFT' WHERE body = 'swift'")
            #expect(try changes() > before + 3)
            try check(db)
        }
    }

    @Test(arguments: [true, false])
    func `The content table and its columns can be renamed`(isFTS5: Bool) throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body); INSERT INTO doc VALUES (1, 'a', 'swift text')")
            if isFTS5 {
                try createIndex(db)
            } else {
                try db.create(virtualTable: "ft", using: FTS4()) { t in
                    t.synchronize(withTable: "doc")
                    t.column("title")
                    t.column("body")
                }
            }
            try db.rename(table: "doc", to: "it's a \"doc\"")
            try db.alter(table: "it's a \"doc\"") { $0.rename(column: "body", to: "the text") }
            try db.execute(
                sql: #"""
                    INSERT INTO "it's a ""doc""" VALUES (2, 'b', 'sqlite');
                    UPDATE "it's a ""doc""" SET "the text" = 'row' WHERE id = 1;
                    INSERT INTO "it's a ""doc""" VALUES (3, 'b', 'sqlite text');
                    DELETE FROM "it's a ""doc""" WHERE id = 2;
                    """#)
            #expect(try db.matches("ft", "sqlite") == [3])
            #expect(try db.matches("ft", "swift") == [])
            #expect(try String.fetchOne(db, sql: "SELECT body FROM ft WHERE ft MATCH 'row'") == "row")
            try db.execute(sql: "INSERT INTO ft (ft) VALUES ('rebuild'); INSERT INTO ft (ft) VALUES ('integrity-check')")
            if isFTS5 { try check(db, table: #""it's a ""doc""""#, column: #""the text""#) }
        }
    }

    @Test
    func `A rebuild of the content table rebuilds the index`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body); INSERT INTO doc VALUES (1, 'a', 'swift text')")
            try createIndex(db)
            try db.create(virtualTable: "ft4", using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.column("body")
            }
            try db.rebuild(table: "doc") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text)
                t.column("body", .text).notNull()
                t.column("other", .text)
                t.fill("body", with: Column("body").replacing("swift", with: "sqlite"))
            }
            #expect(try db.matches("ft", "swift") == [])
            #expect(try db.matches("ft", "sqlite") == [1])
            #expect(try db.matches("ft4", "sqlite") == [1])
            try db.execute(sql: "INSERT INTO doc (body) VALUES ('row'); UPDATE doc SET body = 'full' WHERE id = 1")
            #expect(try db.matches("ft4", "full") == [1])
            try check(db)
        }
    }

    @Test
    func `Dropping the synchronization leaves nothing behind`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body)")
            let before = try String.fetchSet(db, sql: "SELECT name FROM sqlite_master")
            try createIndex(db)
            #expect(
                try String.fetchSet(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
                    == ["__ft_ai", "__ft_ar", "__ft_ad", "__ft_au", "__ft_bi", "__ft_bu"])
            try db.drop(table: "ft")
            try db.dropFTS5SynchronizationTriggers(forTable: "ft")
            #expect(try String.fetchSet(db, sql: "SELECT name FROM sqlite_master") == before)
            try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 'swift')")

            try db.create(virtualTable: "ft4", using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.column("body")
            }
            #expect(try db.matches("ft4", "swift") == [1])
            try db.dropFTS4SynchronizationTriggers(forTable: "ft4")
            try db.drop(table: "ft4")
            #expect(try String.fetchSet(db, sql: "SELECT name FROM sqlite_master") == before)
        }
    }

    @Test
    func `An FTS4 index without sizes follows its content`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body); INSERT INTO doc VALUES (1, 'a', 'swift')")
            try db.create(virtualTable: "ft4", using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.tokenizer = .unicode61()
                t.matchinfo = "fts3"
                t.column("body")
            }
            try db.execute(
                sql: """
                    INSERT INTO doc VALUES (2, 'b', 'sqlite text'), (3, 'c', 'row');
                    UPDATE doc SET body = 'text', id = 4 WHERE id = 1;
                    DELETE FROM doc WHERE id = 3;
                    """)
            try check(db, index: "ft4")
            try db.execute(sql: "REPLACE INTO doc VALUES (2, 'b', 'full'); UPDATE OR IGNORE doc SET id = 4 WHERE id = 2")
            try check(db, index: "ft4")
            #expect(try db.matches("ft4", "full") == [2])
        }
    }

    @Test
    func `An index can be in an attached or in the temporary database`() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other; CREATE TABLE other.doc (title, body); CREATE TABLE doc (title, body);
                    INSERT INTO other.doc VALUES ('a', 'swift'); INSERT INTO main.doc VALUES ('a', 'sqlite');
                    """)
            try createIndex(db, "other.ft", table: "other.doc")
            try db.create(virtualTable: "ft2", options: .temporary, using: FTS5()) { t in
                t.synchronize(withTable: "doc")
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO other.doc VALUES ('b', 'row'); INSERT INTO main.doc VALUES ('b', 'row')")
            try check(db, table: "other.doc")
            try check(db, index: "ft2", table: "main.doc")
            #expect(throws: DatabaseError.self) { try createIndex(db, "ft3", table: "other.doc") }
        }
    }
}

/// `create(fullTextIndex:on:definition:)`, which makes an index without this package.
@Suite struct FullTextIndexTests {
    private func objects(_ db: Database) throws -> [String] {
        let sql = "SELECT type || ' ' || name || ' ' || sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"
        return try String.fetchAll(db, sql: sql)
    }

    @Test
    func `It makes the same objects as synchronize(withTable:)`() throws {
        func schema(_ create: (Database) throws -> Void) throws -> [String] {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title UNIQUE, body, g AS (lower(body)))")
                try create(db)
                return try objects(db)
            }
        }
        let synchronized = try schema { db in
            try db.create(virtualTable: "doc ft", using: FTS5()) { t in
                t.synchronize(withTable: "doc")
                t.column("title")
                t.column("g").notIndexed()
            }
        }
        let created = try schema { try $0.create(fullTextIndex: "doc ft", on: "doc", definition: "( \"title\",\"g\" UNINDEXED )") }
        #expect(created == synchronized)
    }

    @Test
    func `Searches use it, and it is replaced and dropped`() throws {
        struct Doc: FetchableRecord, TableRecord {
            let id: Int64
            init(row: Row) throws { id = try row.decode(forKey: "id") }
        }
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT, body TEXT); CREATE TABLE other (title TEXT)")
            try db.create(fullTextIndex: "doc_ft", on: "doc", definition: "(title)")
            try db.execute(sql: "INSERT INTO doc VALUES (1, 'Swift', 'SQLite')")
            #expect(try Doc.search("swif").fetchAll(db).map(\.record.id) == [1])
            try db.create(fullTextIndex: "DOC_ft", on: "Doc", definition: "(body)")
            #expect(try Doc.search("swift").fetchAll(db).isEmpty && Doc.search("sqlite").fetchAll(db).count == 1)
            #expect(try db.renewFullTextTriggers() == [])
            // Not the index of another table, nor a table that stores its text.
            #expect(throws: DatabaseError.self) { try db.create(fullTextIndex: "doc_ft", on: "other", definition: "(title)") }
            try db.execute(sql: "CREATE VIRTUAL TABLE own USING fts5(title)")
            #expect(throws: DatabaseError.self) { try db.create(fullTextIndex: "own", on: "doc", definition: "(title)") }
            #expect(throws: DatabaseError.self) { try db.drop(fullTextIndex: "own") }
            #expect(throws: DatabaseError.self) { try db.create(fullTextIndex: "new", on: "doc", definition: "title") }
            #expect(throws: DatabaseError.self) { try db.create(fullTextIndex: "new", on: "doc", definition: "(title, cont = 'x')") }
            #expect(throws: DatabaseError.self) { try db.create(fullTextIndex: "new", on: "doc", definition: "(title, nonsense = 1)") }
            #expect(try Doc.search("sqlite").fetchAll(db).count == 1)
            try db.drop(fullTextIndex: "DOC_FT")
            #expect(
                try objects(db).map { String($0.prefix { $0 != "C" }) } == [
                    "table doc ", "table other ", "table own ", "table own_config ", "table own_content ", "table own_data ",
                    "table own_docsize ", "table own_idx ",
                ])
        }
    }
}
