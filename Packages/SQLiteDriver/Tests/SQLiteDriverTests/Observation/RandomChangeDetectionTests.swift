import SQLiteDriver
import Testing

/// Random programs that change tables in all ways, and observers that must not miss a change.
@Suite(.serialized) struct RandomChangeDetectionTests {
    private static let schema = """
        ATTACH ':memory:' AS archive;
        CREATE TABLE p (id INTEGER PRIMARY KEY, a, b UNIQUE, g AS (a + 1));
        CREATE TABLE h (a UNIQUE ON CONFLICT REPLACE, b);
        CREATE TABLE w (k PRIMARY KEY, a) WITHOUT ROWID;
        CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE n (id INTEGER PRIMARY KEY REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE, p REFERENCES c ON DELETE SET NULL);
        CREATE TABLE t (x);
        CREATE TRIGGER t1 AFTER INSERT ON t WHEN NEW.x % 4 = 0 BEGIN UPDATE p SET a = a + 1 WHERE id = NEW.x / 4; END;
        CREATE TRIGGER t2 AFTER INSERT ON t WHEN NEW.x % 4 = 1 BEGIN REPLACE INTO h VALUES (NEW.x / 4, 1); END;
        CREATE TRIGGER t3 AFTER INSERT ON t WHEN NEW.x % 4 = 2 BEGIN UPDATE w SET a = NEW.x; END;
        CREATE TRIGGER t4 AFTER DELETE ON t BEGIN UPDATE p SET id = id + 20 WHERE id = OLD.x / 4; END;
        CREATE VIEW v AS SELECT p.a, c.id FROM p JOIN c ON c.p = p.id;
        CREATE VIRTUAL TABLE f USING fts5(text);
        CREATE TABLE archive.p (id INTEGER PRIMARY KEY, a);
        CREATE TEMP TABLE m (id INTEGER PRIMARY KEY, a);
        """

    /// Queries, with the table of which they read the row of a number only.
    private static let queries: [(sql: String, table: String?)] =
        (1...3).flatMap { row -> [(String, String?)] in
            [
                ("SELECT * FROM p WHERE rowid = \(row)", "p"), ("SELECT b FROM p WHERE rowid = \(row)", "p"),
                ("SELECT g FROM p WHERE rowid = \(row)", "p"), ("SELECT * FROM h WHERE rowid = \(row)", "h"),
                ("SELECT * FROM c WHERE rowid = \(row)", "c"), ("SELECT * FROM n WHERE rowid = \(row)", "n"),
                ("SELECT * FROM t WHERE rowid = \(row)", "t"), ("SELECT a FROM m WHERE rowid = \(row)", "m"),
                ("SELECT a FROM archive.p WHERE rowid = \(row)", "p"), ("SELECT text FROM f WHERE rowid = \(row)", "f"),
            ]
        } + [
            ("SELECT a FROM p ORDER BY id", nil), ("SELECT count(*) FROM p", nil), ("SELECT * FROM w", nil),
            ("SELECT * FROM v", nil), ("SELECT count(*) FROM h", nil), ("SELECT rowid FROM f WHERE f MATCH 'x'", nil),
            ("SELECT p.id FROM p NATURAL JOIN m", nil), ("SELECT max(id) FROM n", nil), ("SELECT count(*) FROM f_docsize", nil),
        ]

    private static func statement(_ random: inout some RandomNumberGenerator) -> String {
        func number(_ range: ClosedRange<Int> = 1...4) -> Int { Int.random(in: range, using: &random) }
        let id = ["id", "rowid", "_rowid_"].randomElement(using: &random) ?? ""
        let or = ["", "", "OR REPLACE ", "OR IGNORE ", "OR FAIL "].randomElement(using: &random) ?? ""
        switch number(1...30) {
        case 1...3:
            return "INSERT \(or)INTO p (id, a, b) VALUES (\(number()), \(number()), \(number())), (\(number()), 0, \(number(5...9)))"
        case 4: return "INSERT INTO p (id, a, b) VALUES (\(number()), 1, \(number())) ON CONFLICT DO UPDATE SET a = a + 1"
        case 5: return "INSERT INTO p (id, a, b) VALUES (\(number()), 1, \(number())) ON CONFLICT (id) DO UPDATE SET id = id + 10"
        case 6...7: return "UPDATE \(or)p SET a = \(number()) WHERE id = \(number())"
        case 8: return "UPDATE \(or)p SET b = \(number()) WHERE a = \(number())"
        case 9...10: return "UPDATE \(or)p SET \(id) = \(number(1...5)) WHERE id = \(number())"
        case 11: return "DELETE FROM p WHERE id = \(number())"
        case 12: return ["DELETE FROM p", "DELETE FROM w", "DELETE FROM h", "DELETE FROM c", "DELETE FROM f"][number(0...4)]
        case 13...14: return "INSERT \(or)INTO h VALUES (\(number()), \(number()))"
        case 15: return "UPDATE h SET a = \(number()) WHERE rowid = \(number())"
        case 16: return "UPDATE h SET oid = \(number(1...9)) WHERE rowid = \(number())"
        case 17: return "INSERT \(or)INTO w VALUES (\(number()), \(number()))"
        case 18: return "UPDATE \(or)w SET a = \(number()), k = \(number()) WHERE k = \(number())"
        case 19...20: return "INSERT \(or)INTO c VALUES (\(number()), \(number()))"
        case 21: return "INSERT \(or)INTO n VALUES (\(number()), \(number()))"
        case 22...23: return "INSERT INTO t VALUES (\(number(1...15)))"
        case 24: return "DELETE FROM t WHERE rowid = \(number())"
        case 25: return "INSERT INTO f (rowid, text) VALUES (\(number()), 'x')"
        case 26: return ["DELETE FROM f WHERE rowid = \(number())", "UPDATE f SET text = 'y' WHERE rowid = \(number())"][number(0...1)]
        case 27: return "INSERT \(or)INTO m VALUES (\(number()), \(number()))"
        case 28: return "UPDATE archive.p SET a = a + 1 WHERE id = \(number()); INSERT OR IGNORE INTO archive.p VALUES (\(number()), 0)"
        case 29: return "UPDATE c SET p = \(number()) WHERE id = \(number())"
        default:
            return ["VACUUM", "CREATE INDEX i ON p (a)", "DROP INDEX IF EXISTS i", "PRAGMA foreign_keys = \(number(0...1))"][number(0...3)]
        }
    }

    @Test(arguments: 1...4)
    func `No change is missed`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            // Some statements are prepared before there is an observer, and some are used again.
            let reused = try (0..<5).map { _ in
                try db.makeStatement(sql: "INSERT INTO t VALUES (\(Int.random(in: 1...15, using: &random)))")
            }
            var watchers: [(query: (sql: String, table: String?), watcher: RegionWatcher, content: String)] = []
            for query in Self.queries {
                let watcher = RegionWatcher(try db.region(of: query.sql, query.table))
                watchers.append((query, watcher, try db.content(query.sql)))
                db.add(transactionObserver: watcher)
            }
            var program: [String] = []
            func run(_ sql: String) {
                program.append(sql)
                // Statements that fail undo what they did, or keep a part of it.
                try? db.execute(sql: sql)
            }
            for _ in 0..<60 {
                program = []
                let isTransaction = Bool.random(using: &random)
                if isTransaction { run("BEGIN") }
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    if isTransaction, Int.random(in: 0..<6, using: &random) == 0 {
                        run(
                            ["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s", "SAVEPOINT r", "ROLLBACK TO r"].randomElement(using: &random)
                                ?? "")
                    } else if Int.random(in: 0..<8, using: &random) == 0, let statement = reused.randomElement(using: &random) {
                        program.append(statement.sql)
                        try? statement.run()
                    } else {
                        run(Self.statement(&random))
                    }
                }
                if db.isInsideTransaction { run(["COMMIT", "COMMIT", "ROLLBACK"].randomElement(using: &random) ?? "") }
                if db.isInsideTransaction { run("ROLLBACK") }
                for index in watchers.indices {
                    let content = try db.content(watchers[index].query.sql)
                    let isNotified = watchers[index].watcher.take()
                    if content != watchers[index].content {
                        #expect(isNotified, "seed \(seed): \(watchers[index].query.sql) missed \(program)")
                    }
                    watchers[index].content = content
                }
            }
        }
    }

    @Test(arguments: 1...6)
    func `Simple changes are noticed where they happen, and only there`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE p (id INTEGER PRIMARY KEY, a, b); CREATE TABLE q (id INTEGER PRIMARY KEY)")
            var rows: Set<Int64> = []
            let watchers = try (Int64(1)...4).flatMap { row in
                try [["a"], ["b"], ["a", "b"]].map { columns in
                    let sql = "SELECT \(columns.joined(separator: ", ")) FROM p WHERE rowid = \(row)"
                    return (row, Set(columns), RegionWatcher(try db.region(of: sql, "p")))
                }
            }
            for (_, _, watcher) in watchers { db.add(transactionObserver: watcher) }
            for _ in 0..<100 {
                // What the transaction changes: the row, and the columns of an update, or nil.
                var changes: [(row: Int64, column: String?)] = []
                try db.inTransaction {
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        let row = Int64.random(in: 1...4, using: &random)
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0:
                            try db.execute(sql: "INSERT OR IGNORE INTO p VALUES (?, 1, 1)", arguments: [row])
                            if rows.insert(row).inserted { changes.append((row, nil)) }
                        case 1:
                            try db.execute(sql: "DELETE FROM p WHERE id = ?", arguments: [row])
                            if rows.remove(row) != nil { changes.append((row, nil)) }
                        case 2:
                            let column = Bool.random(using: &random) ? "a" : "b"
                            try db.execute(sql: "UPDATE p SET \(column) = replace(\(column), 1, 2) WHERE id = ?", arguments: [row])
                            if rows.contains(row) { changes.append((row, column)) }
                        default:
                            try db.execute(sql: "REPLACE INTO q VALUES (?)", arguments: [row])
                        }
                    }
                    return .commit
                }
                for (row, columns, watcher) in watchers {
                    let isChanged = changes.contains { $0.row == row && $0.column.map(columns.contains) ?? true }
                    #expect(watcher.take() == isChanged, "seed \(seed), row \(row), \(columns) after \(changes)")
                }
            }
        }
    }
}
