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

    @Test(arguments: 1...12)
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
            let more = pick(["", ", UNIQUE (a, b)\(pick(policy))", ", g AS (a || '-' || b)\(pick(["", " UNIQUE\(pick(policy))"]))"])
            try db.execute(sql: "CREATE TABLE doc (\(key)\(columns.joined(separator: ", ")), views DEFAULT 0\(more))")
            let terms = ["a", "b DESC", "lower(title)", "body COLLATE NOCASE", "length(body) % 3", "\"a\" || title"]
            for index in 0..<Int.random(in: 0...2, using: &generator) {
                let condition = pick(["", " WHERE a IS NOT NULL", " WHERE \"b\" > 'm' OR length(title) > 4", " WHERE (a = b)"])
                let list = (0..<Int.random(in: 1...2, using: &generator)).map { _ in pick(terms) }
                try db.execute(sql: "CREATE UNIQUE INDEX i\(index) ON doc (\(list.joined(separator: ", ")))\(condition)")
            }
            try db.execute(sql: "CREATE TABLE log (id, title)")
            let isFTS5 = seed % 4 != 0
            func createTriggerOfUser(_ name: String) throws {
                guard .random(using: &generator) else { return }
                let update = isFTS5 ? "UPDATE doc SET views = \(pick(["views + 1", "1"])) WHERE rowid = new.rowid;" : ""
                try db.execute(
                    sql: """
                        CREATE TRIGGER \(name) AFTER INSERT ON doc BEGIN
                            INSERT INTO log SELECT rowid, title FROM doc WHERE rowid = new.rowid;
                            \(update)
                        END
                        """)
            }
            try createTriggerOfUser("u1")
            try createIndex(db, "ft", isFTS5: isFTS5)
            try createTriggerOfUser("u2")

            func value() -> String { pick(["NULL", "1", "'1'", "1.0", "'swift'", "'Swift text'", "'full'", "'FULL row'", "x'61'"]) }
            var statements: [String] = []
            for _ in 1...120 {
                let policy = pick(["", "OR REPLACE", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"])
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
                    try #require([.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode), "\(error)")
                }
                // Compares the index with the content: https://www.sqlite.org/fts5.html#the_integrity_check_command
                do {
                    try isFTS5 ? FTS5Index("ft").checkIntegrity(db) : FTS4Index("ft").checkIntegrity(db)
                } catch {
                    let schema = "SELECT sql FROM sqlite_schema WHERE tbl_name = 'doc' AND sql IS NOT NULL"
                    throw DatabaseError(
                        message: "\(error) after \(statements) with \(try String.fetchAll(db, sql: schema).joined(separator: "; "))")
                }
            }
        }
    }

    private func createIndex(_ db: Database, _ name: String, isFTS5: Bool) throws {
        if isFTS5 {
            try db.create(virtualTable: name, using: FTS5()) { t in
                t.synchronize(withTable: "doc")
                t.column("title")
                t.column("body")
            }
        } else {
            try db.create(virtualTable: name, using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.column("title")
                t.column("body")
            }
        }
    }
}
