import Foundation
import FullTextSearch
import Testing

/// REPLACE deletes rows without DELETE triggers: the index must not keep them, and other insertions must not pay for it.
@Suite struct ReplaceTests {
    @Test(arguments: [
        ("id INTEGER PRIMARY KEY, title, body, kind", ""), ("title TEXT COLLATE NOCASE UNIQUE, body, kind, UNIQUE (kind, body)", ""),
        ("id INTEGER PRIMARY KEY, title, body, kind", "CREATE UNIQUE INDEX i ON doc (title, body) WHERE kind > 0"),
        (
            "id INTEGER PRIMARY KEY, title UNIQUE, body, kind",
            "CREATE UNIQUE INDEX i ON doc (lower(body)) WHERE \"kind\" IS NOT NULL -- not deleted"
        ),
        (
            "id INTEGER PRIMARY KEY, title, body, kind, g AS (title || kind)",
            "CREATE UNIQUE INDEX i ON doc (kind, g DESC); CREATE UNIQUE INDEX j ON doc (length(title) + kind)"
        ),
    ])
    func `A write searches for rows that it may replace, and scans nothing`(_ table: String, _ indexes: String) throws {
        let statistics = StatementStatistics()
        var configuration = Configuration()
        configuration.monitors = [statistics]
        try DatabaseQueue(configuration: configuration).writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE doc (\(table)); \(indexes)")
            for (name, isFTS5) in [("ft", true), ("ft4", false)] { try createIndex(db, name, isFTS5: isFTS5) }
            statistics.reset()
            for number in 1...20 {
                try db.execute(
                    sql: "INSERT INTO doc (title, body, kind) VALUES (?, ?, ?)", arguments: ["title\(number)", "body\(number)", number])
                try db.execute(sql: "UPDATE doc SET kind = kind + 100 WHERE rowid = ?", arguments: [number])
            }
            for entry in statistics.statements(by: .scannedRows) where entry.sql.contains("doc") {
                #expect(entry.runCount == 20 && entry.scannedRowCount == 0, "\(entry.sql) \(entry.scannedRowCount)")
            }
        }
    }

    /// SQLite reads a name in double quotes that is not a column as a string where the connection allows it. Triggers of other connections
    /// must not depend on that.
    @Test
    func `A unique index of another connection may have strings in double quotes`() throws {
        let folder = try TemporaryFolder()
        var lenient = Configuration()
        lenient.acceptsDoubleQuotedStringLiterals = true
        for isCreatedByOther in [false, true] {
            let path = folder.path("\(isCreatedByOther).sqlite")
            let other = try DatabaseQueue(path: path, configuration: lenient)
            try other.write { db in
                try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body, kind)")
                try db.execute(sql: "CREATE UNIQUE INDEX i ON doc (title) WHERE kind = \"draft\"")
                if isCreatedByOther { try createIndex(db, "ft", isFTS5: true) }
            }
            try other.close()
            try DatabaseQueue(path: path).writeWithoutTransaction { db in
                if !isCreatedByOther { try createIndex(db, "ft", isFTS5: true) }
                try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 'swift', 'draft'), (2, 'a', 'row', 'done')")
                try db.execute(sql: "REPLACE INTO doc VALUES (3, 'a', 'text', 'draft')")
                try FTS5Index("ft").checkIntegrity(db)
                #expect(try db.matches("ft", "swift") == [] && db.matches("ft", "row OR text") == [2, 3])
            }
        }
    }

    /// Triggers that change other rows.
    private static let triggersOfOtherRows: [(event: String, statement: String)] = [
        ("AFTER INSERT", "INSERT INTO log SELECT rowid, title FROM doc WHERE rowid = new.rowid"),
        ("AFTER INSERT", "UPDATE doc SET views = 0 WHERE rowid <> new.rowid"),
        ("AFTER INSERT", "DELETE FROM doc WHERE rowid = new.rowid - 2"),
        ("AFTER UPDATE OF title", "UPDATE doc SET views = 0 WHERE rowid <> new.rowid"),
        ("AFTER DELETE", "INSERT INTO log VALUES (old.rowid, old.title)"),
        ("BEFORE DELETE", "SELECT RAISE(IGNORE) WHERE old.a = 1"), ("BEFORE INSERT", "SELECT RAISE(IGNORE) WHERE new.a = 'full'"),
        ("BEFORE UPDATE", "SELECT RAISE(IGNORE) WHERE old.a = 'full'"), ("BEFORE INSERT", "UPDATE doc SET views = 0"),
        ("BEFORE UPDATE OF title", "UPDATE doc SET views = 0 WHERE rowid <> new.rowid"),
    ]

    /// Triggers that change or replace the row that was just written, which an index follows only with sizes.
    private static let triggersOfWrittenRows: [(event: String, statement: String)] = [
        ("AFTER INSERT", "UPDATE doc SET views = views + 1 WHERE rowid = new.rowid"),
        ("AFTER INSERT", "UPDATE doc SET body = upper(body) WHERE rowid = new.rowid"),
        ("AFTER INSERT", "UPDATE OR IGNORE doc SET body = 'older ' || new.rowid WHERE rowid <> new.rowid"),
        ("AFTER INSERT", "INSERT OR IGNORE INTO doc (title, body) SELECT 'copy', new.body WHERE new.title IS NOT 'copy'"),
        ("AFTER INSERT", "INSERT OR REPLACE INTO doc (rowid, title, body) SELECT 3, 'copy', 'row' WHERE new.title IS NOT 'copy'"),
        ("AFTER INSERT", "DELETE FROM doc WHERE rowid = new.rowid AND a = 1"),
        ("AFTER INSERT", "UPDATE OR IGNORE doc SET rowid = rowid + 20 WHERE rowid = new.rowid AND a = 'swift'"),
        ("AFTER UPDATE OF title", "UPDATE OR IGNORE doc SET title = trim(title) WHERE rowid = new.rowid"),
        ("AFTER UPDATE OF title, a", "UPDATE OR IGNORE doc SET body = 'after ' || new.title WHERE rowid = new.rowid"),
        ("AFTER UPDATE OF body", "UPDATE OR IGNORE doc SET title = 'other ' || new.rowid WHERE rowid = new.rowid + 1"),
        (
            "AFTER UPDATE OF body",
            "INSERT OR REPLACE INTO doc (rowid, title, body) SELECT new.rowid + 1, 'made', 'row' WHERE new.rowid < 5"
        ),
        ("AFTER UPDATE OF title", "DELETE FROM doc WHERE rowid = new.rowid AND a = 1"),
    ]

    /// The seeds of random programs. `STRATA_FULL_TEXT` sets how many, and `STRATA_SEED` the first one; 62 and 372 found faults.
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["STRATA_FULL_TEXT"].flatMap { UInt64($0) } ?? 40
        let first = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        return Array(first..<first + count) + [62, 372]
    }()

    @Test(arguments: seeds)
    func `An index follows random statements on a random table`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func pick<T>(_ values: [T]) -> T { values.randomElement(using: &generator)! }
        try withDatabase { db throws in
            try db.execute(sql: "PRAGMA recursive_triggers = \(seed % 3 == 0 ? 1 : 0)")
            let policy = ["", "", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE"]
            let columns = ["title", "body", "a", "b"].map { name in
                let constraints = [
                    "", "", " COLLATE NOCASE", " UNIQUE\(pick(policy))", " COLLATE NOCASE UNIQUE\(pick(policy))",
                    " NOT NULL\(pick(policy)) DEFAULT 'full' UNIQUE\(pick(policy))",
                ]
                return "\(name)\(pick(["", " TEXT", " INTEGER"]))\(pick(constraints))"
            }
            let key = pick([
                "", "id INTEGER PRIMARY KEY, ", "id INTEGER PRIMARY KEY AUTOINCREMENT, ", "id TEXT PRIMARY KEY\(pick(policy)), ",
            ])
            let generated = pick(["a || '-' || b", "title || '+' || a", "coalesce(a, '-')"])
            let more = pick([
                "", ", UNIQUE (a, b)\(pick(policy))",
                ", g AS (\(generated)) \(pick(["", "STORED"])) \(pick(["", "UNIQUE\(pick(policy))"]))",
            ])
            try db.execute(sql: "CREATE TABLE doc (\(key)\(columns.joined(separator: ", ")), views DEFAULT 0\(more))")
            let terms = ["a", "b DESC", "lower(title)", "body COLLATE NOCASE", "length(body) % 3", "\"a\" || title"]
            for index in 0..<Int.random(in: 0...2, using: &generator) {
                let condition = pick(["", " WHERE a IS NOT NULL", " WHERE \"b\" > 'm' OR length(title) > 4", " WHERE (a = b)"])
                let list = (0..<Int.random(in: 1...2, using: &generator)).map { _ in pick(terms) }
                try db.execute(sql: "CREATE UNIQUE INDEX i\(index) ON doc (\(list.joined(separator: ", ")))\(condition)")
            }
            try db.execute(sql: "CREATE TABLE log (id, title)")
            let isFTS5 = seed % 4 != 0
            let hasSizes = seed % 5 != 0
            let triggersOfUsers = Self.triggersOfOtherRows + (hasSizes ? Self.triggersOfWrittenRows : [])
            func createTriggersOfUser(_ name: String) throws {
                for number in 0..<Int.random(in: 0...2, using: &generator) {
                    let (event, statement) = pick(triggersOfUsers)
                    try db.execute(
                        sql: "CREATE \(pick(["", "", "TEMPORARY "]))TRIGGER \(name)\(number) \(event) ON doc BEGIN \(statement); END")
                }
            }
            try createTriggersOfUser("u1")
            try createIndex(db, "ft", isFTS5: isFTS5, hasSizes: hasSizes)
            try createTriggersOfUser("u2")

            func value() -> String { pick(["NULL", "1", "'1'", "1.0", "'swift'", "'Swift text'", "'full'", "'FULL row'", "x'61'"]) }
            var statements: [String] = []
            for _ in 1...60 {
                // OR FAIL ends a statement in the middle, before the triggers of the index have followed a row.
                let policy = pick(["", "OR REPLACE", "OR REPLACE", "OR IGNORE", "OR ABORT"])
                let names = ["title", "body", "a", "b"].filter { _ in Int.random(in: 0...5, using: &generator) > 0 }
                guard !names.isEmpty else { continue }
                let list = names.joined(separator: ", ")
                func values() -> String {
                    "(\(pick(["NULL", "\(Int.random(in: -1...6, using: &generator))"])), \(names.map { _ in value() }.joined(separator: ", ")))"
                }
                let rows = (0..<pick([1, 1, 3])).map { _ in values() }.joined(separator: ", ")
                let assignments = names.map { "\($0) = \(value())" }.joined(separator: ", ")
                let rowID = Int.random(in: -1...6, using: &generator)
                let upserts = ["DO NOTHING", "DO UPDATE SET \(assignments)", "DO UPDATE SET \(assignments) WHERE length(body) < 5"]
                let sql = pick([
                    "INSERT \(policy) INTO doc (rowid, \(list)) VALUES \(rows)",
                    "INSERT \(policy) INTO doc (rowid, \(list)) VALUES \(rows)",
                    "INSERT \(policy) INTO doc (rowid, \(list)) VALUES \(rows) ON CONFLICT \(pick(upserts))",
                    "INSERT \(policy) INTO doc (\(list)) SELECT \(names.shuffled(using: &generator).joined(separator: ", ")) FROM doc LIMIT 2",
                    "UPDATE \(policy) doc SET \(assignments) WHERE rowid \(pick(["=", ">"])) \(rowID)",
                    "UPDATE \(policy) doc SET rowid = \(rowID), \(assignments) WHERE rowid = \(rowID + 1)",
                    "UPDATE \(policy) doc SET rowid = rowid + 1 WHERE rowid % 2",
                    "DELETE FROM doc WHERE rowid = \(rowID)",
                ])
                statements.append(sql)
                do { try db.execute(sql: sql) } catch let error as DatabaseError {
                    // With recursive triggers, those of the user may call each other without end.
                    let isEndless = error.message == "too many levels of trigger recursion"
                    try #require(isEndless || [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode), "\(error)")
                }
                // Compares the index with the content: https://www.sqlite.org/fts5.html#the_integrity_check_command
                do {
                    try isFTS5 ? FTS5Index("ft").checkIntegrity(db) : FTS4Index("ft").checkIntegrity(db)
                } catch {
                    let schema = """
                        SELECT sql FROM sqlite_schema WHERE tbl_name = 'doc' AND sql IS NOT NULL AND name NOT GLOB '__*'
                        UNION ALL SELECT sql FROM sqlite_temp_schema
                        """
                    throw DatabaseError(
                        message: "\(error) after \(statements) with \(try String.fetchAll(db, sql: schema).joined(separator: "; "))")
                }
            }
        }
    }

    /// The smallest programs that left deleted rows, or two texts of a row, in an index.
    private static let smallestPrograms: [(column: String, trigger: String, statements: String)] = [
        (
            "g AS (a || '-' || b) UNIQUE", "",
            "INSERT INTO doc VALUES (2, 'row', 'y', 'b', 'a', 0); UPDATE OR REPLACE doc SET a = 'a' WHERE id = 2"
        ),
        (
            "g AS (a || '-' || b) STORED UNIQUE", "",
            "INSERT INTO doc VALUES (2, 'row', 'y', 'b', 'a', 0); UPDATE OR REPLACE doc SET a = 'a' WHERE id = 2"
        ), ("c NOT NULL DEFAULT 'c', g AS (c || a) UNIQUE", "", "REPLACE INTO doc VALUES (2, 'row', 'y', 'a', 'b', 0, NULL)"),
        (
            "", "AFTER INSERT ON doc BEGIN UPDATE doc SET latest = 0 WHERE id <> new.id; END",
            "INSERT INTO doc VALUES (2, 'row', 'y', 0, 0, 1); REPLACE INTO doc VALUES (1, 'text', 'y', 'c', 'c', 1)"
        ),
        (
            "", "AFTER INSERT ON doc WHEN new.id < 9 BEGIN INSERT OR IGNORE INTO doc (id, title) VALUES (9, 'log'); END",
            "REPLACE INTO doc VALUES (1, 'text', 'y', 'c', 'c', 1)"
        ),
        (
            "", "AFTER INSERT ON doc BEGIN UPDATE doc SET latest = 1 WHERE id = new.id; END",
            "REPLACE INTO doc VALUES (1, 'text', 'y', 'c', 'c', 0)"
        ),
        (
            "", "AFTER INSERT ON doc BEGIN UPDATE doc SET title = upper(title) || ' full' WHERE id = new.id; END",
            "INSERT INTO doc VALUES (2, 'row', 'y', 'c', 'c', 0)"
        ),
        (
            "", "AFTER UPDATE OF title ON doc BEGIN UPDATE doc SET body = 'sqlite' WHERE id = new.id; END",
            "UPDATE doc SET title = 'row'"
        ),
        ("", "AFTER INSERT ON doc BEGIN DELETE FROM doc WHERE id = new.id; END", "INSERT INTO doc (id, title) VALUES (2, 'row')"),
        ("", "BEFORE DELETE ON doc BEGIN SELECT RAISE(IGNORE); END", "DELETE FROM doc"),
    ]

    @Test(arguments: Self.smallestPrograms, [true, false])
    func `An index has the texts of its table after`(_ program: (column: String, trigger: String, statements: String), isFTS5: Bool) throws
    {
        for isTriggerFirst in [true, false] {
            try withDatabase { db in
                let column = program.column.isEmpty ? "" : ", \(program.column)"
                try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body, a, b, latest\(column))")
                if !isTriggerFirst { try createIndex(db, "ft", isFTS5: isFTS5) }
                if !program.trigger.isEmpty { try db.execute(sql: "CREATE TRIGGER own \(program.trigger)") }
                if isTriggerFirst { try createIndex(db, "ft", isFTS5: isFTS5) }
                try db.execute(sql: "INSERT INTO doc (id, title, body, a, b, latest) VALUES (1, 'swift', 'x', 'a', 'a', 1)")
                try db.execute(sql: program.statements)
                try isFTS5 ? FTS5Index("ft").checkIntegrity(db) : FTS4Index("ft").checkIntegrity(db)
                for word in ["swift", "row", "text", "sqlite", "full", "log"] {
                    let rows = try Int64.fetchAll(
                        db, sql: "SELECT id FROM doc WHERE title || ' ' || coalesce(body, '') LIKE ? ORDER BY id",
                        arguments: ["%\(word)%"])
                    #expect(try db.matches("ft", word) == rows, "\(word)")
                }
            }
        }
    }

    /// The cases that the documentation of `synchronize(withTable:)` names, each with a trigger of the user.
    @Test(arguments: [
        ("BEFORE UPDATE OF title ON doc BEGIN UPDATE doc SET body = 'changed' WHERE id = new.id; END", "UPDATE doc SET title = 'b'"),
        (
            "BEFORE UPDATE OF title ON doc BEGIN INSERT OR REPLACE INTO doc VALUES (5, 'five', 'five'); END",
            "INSERT INTO doc VALUES (5, 'five', 'five'); UPDATE doc SET title = 'b' WHERE id = 1"
        ), ("AFTER DELETE ON doc BEGIN INSERT INTO doc VALUES (old.id, 'again', 'changed'); END", "DELETE FROM doc WHERE id = 1"),
        (
            "AFTER INSERT ON doc WHEN new.id = 3 BEGIN SELECT RAISE(FAIL, 'three'); END",
            "INSERT INTO doc VALUES (2, 'b', 'swift'), (3, 'c', 'swift')"
        ), ("AFTER INSERT ON doc BEGIN DELETE FROM doc WHERE id = new.id; END", "INSERT INTO doc VALUES (2, 'b', 'row')"),
    ])
    func `What an index can't follow is found by a check, and a rebuild mends it`(_ trigger: String, _ statement: String) throws {
        var isFound = false
        // Of two triggers for one event, SQLite runs either first.
        for (isTriggerFirst, hasSizes) in [(false, true), (true, true), (false, false), (true, false)] {
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body); INSERT INTO doc VALUES (1, 'a', 'row')")
                if isTriggerFirst { try db.execute(sql: "CREATE TRIGGER own \(trigger)") }
                try createIndex(db, "ft", isFTS5: true, hasSizes: hasSizes)
                if !isTriggerFirst { try db.execute(sql: "CREATE TRIGGER own \(trigger)") }
                // RAISE(FAIL) keeps the rows before it.
                try? db.execute(sql: statement)
            }
            let findings = try queue.verify([.fullTextIndexes])
            isFound = isFound || findings.count == 1
            try queue.write { try FTS5Index("ft").rebuild($0) }
            #expect(try queue.verify([.fullTextIndexes]) == [])
        }
        #expect(isFound)
    }

    /// The triggers of the version before, as it wrote them for `title` and `body` of `doc`.
    @Test(arguments: [true, false])
    func `Triggers of an earlier version are found, and renewed by one call or a rebuild`(isFTS5: Bool) throws {
        let queue = try DatabaseQueue()
        func setUp(_ db: Database) throws -> [String] {
            try db.execute(sql: "DROP TABLE IF EXISTS doc; CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body, a)")
            try createIndex(db, "ft", isFTS5: isFTS5)
            let triggers = try String.fetchAll(db, sql: Self.triggerSQL)
            try db.execute(
                sql: """
                    DROP TRIGGER __ft_ai; DROP TRIGGER __ft_ar;
                    CREATE TRIGGER __ft_ai AFTER INSERT ON doc BEGIN DELETE FROM __ft_replaced; END;
                    CREATE TRIGGER __ft_bd BEFORE DELETE ON doc BEGIN SELECT 1; END;
                    INSERT INTO __ft_replaced VALUES (1, 'copy', 'copy');
                    """)
            return triggers
        }
        for isRebuilt in [true, false] {
            let triggers = try queue.write(setUp)
            try #expect(
                queue.verify([.fullTextIndexes]).map(\.message) == [
                    "ft: an earlier version has written its triggers; Database.renewFullTextTriggers() writes them again"
                ])
            try queue.write { db in
                if isRebuilt {
                    try isFTS5 ? FTS5Index("ft").rebuild(db) : FTS4Index("ft").rebuild(db)
                } else {
                    #expect(try db.renewFullTextTriggers() == ["ft"])
                }
                #expect(try db.renewFullTextTriggers() == [])
                #expect(try Set(String.fetchAll(db, sql: Self.triggerSQL)) == Set(triggers))
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM __ft_replaced") == 0)
                try db.rename(table: "doc", to: "the \"doc\"")
                try db.alter(table: "the \"doc\"") { $0.rename(column: "body", to: "its text") }
                #expect(try db.renewFullTextTriggers() == [])
                try db.execute(sql: #"INSERT INTO "the ""doc""" VALUES (1, 'a', 'swift', 1); CREATE UNIQUE INDEX i ON "the ""doc""" (a)"#)
                #expect(try db.renewFullTextTriggers() == ["ft"])
                try db.execute(sql: #"REPLACE INTO "the ""doc""" VALUES (2, 'a', 'row', 1)"#)
                #expect(try db.matches("ft", "swift OR row") == [2])
            }
            try #expect(queue.verify([.fullTextIndexes]) == [])
            try queue.write { db in
                try db.drop(table: "ft")
                try db.dropFTS5SynchronizationTriggers(forTable: "ft")
                try db.drop(table: "the \"doc\"")
            }
        }
    }

    private static let triggerSQL = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"

    private func createIndex(_ db: Database, _ name: String, isFTS5: Bool, hasSizes: Bool = true) throws {
        if isFTS5 {
            try db.create(virtualTable: name, using: FTS5()) { t in
                t.columnSize = hasSizes ? nil : 0
                t.synchronize(withTable: "doc")
                t.column("title")
                t.column("body")
            }
        } else {
            try db.create(virtualTable: name, using: FTS4()) { t in
                t.matchinfo = hasSizes ? nil : "fts3"
                t.synchronize(withTable: "doc")
                t.column("title")
                t.column("body")
            }
        }
    }
}
