import Dumps
import Foundation
import Testing

@Suite("Dumps of tables, requests and databases")
struct DumpTests {
    @Test
    func `Statements run one after the other, also those without rows`() throws {
        let queue = try DatabaseQueue()
        var text = ""
        try queue.write { db in
            try db.dumpSQL("CREATE TABLE t (a); INSERT INTO t VALUES (\(7)); SELECT * FROM t; SELECT 8", to: &text)
        }
        #expect(text == "7\n8\n")
    }

    @Test
    func `A request is dumped`() throws {
        let queue = try makePlayers()
        var text = "players: "
        try queue.dumpRequest(SQLRequest<Row>(sql: "SELECT name FROM player WHERE id = ?", arguments: [2]), to: &text)
        #expect(text == "players: Barbara\n")
    }

    @Test
    func `Tables have their names above them when there are several, and can be sorted`() throws {
        let queue = try makePlayers()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE word (w TEXT PRIMARY KEY); INSERT INTO word VALUES ('b'), ('a')")
            try db.execute(sql: "CREATE VIEW reversed AS SELECT w FROM word ORDER BY w DESC")
        }
        var one = ""
        try queue.dumpTables(["word"], stableOrder: true, to: &one)
        #expect(one == "a\nb\n")
        var headed = ""
        try queue.dumpTables(["word"], tableHeader: .always, stableOrder: false, to: &headed)
        #expect(headed.hasPrefix("word\n"))
        var both = ""
        try queue.dumpTables(["player", "reversed"], stableOrder: true, to: &both)
        #expect(both == "player\n1|Arthur|500\n2|Barbara|\n\nreversed\na\nb\n")
        var none = ""
        try queue.dumpTables([], to: &none)
        #expect(none.isEmpty)
        #expect(throws: DatabaseError.self) { try queue.dumpTables(["nope"], to: &none) }
    }

    @Test
    func `The schema is sorted, without internal tables`() throws {
        let queue = try makePlayers()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW a AS SELECT 1;
                    CREATE TABLE strata_migrations (identifier);
                    CREATE TABLE counter (id INTEGER PRIMARY KEY AUTOINCREMENT);
                    CREATE TRIGGER t INSERT ON player BEGIN SELECT 1; END;
                    CREATE INDEX i ON player(name);
                    CREATE VIRTUAL TABLE f USING fts5(x);
                    """)
        }
        var text = ""
        try queue.dumpSchema(to: &text)
        #expect(
            text == """
                CREATE TABLE counter (id INTEGER PRIMARY KEY AUTOINCREMENT);
                CREATE VIRTUAL TABLE f USING fts5(x);
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                CREATE INDEX i ON player(name);
                CREATE TRIGGER t INSERT ON player BEGIN SELECT 1; END;
                CREATE VIEW a AS SELECT 1;

                """)
    }

    @Test
    func `The content is the schema and the rows of all tables`() throws {
        var text = ""
        try makePlayers().dumpContent(to: &text)
        #expect(
            text == """
                sqlite_master
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);

                player
                1|Arthur|500
                2|Barbara|

                """)
    }

    @Test(arguments: [true, false])
    func `A script creates the same database again`(hasTransaction: Bool) throws {
        let source = try DatabaseQueue()
        try source.write { db in
            // Tables and their foreign keys, in the wrong order and in a circle; generated columns; quoted names; each kind of table.
            try db.execute(
                sql: """
                    CREATE TABLE "a player" (id INTEGER PRIMARY KEY, "team""s" REFERENCES team, name TEXT, upper AS (upper(name)), s AS (id + 1) STORED);
                    CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, captain REFERENCES "a player" DEFERRABLE INITIALLY DEFERRED) -- teams
                    ;
                    CREATE TABLE word (w TEXT, n INTEGER, PRIMARY KEY (w, n)) WITHOUT ROWID;
                    CREATE TABLE anything (v, f REAL, b BLOB);
                    CREATE TABLE strict (v ANY, i INT) STRICT;
                    CREATE VIRTUAL TABLE document USING fts5(body);
                    CREATE TRIGGER log INSERT ON word BEGIN INSERT INTO anything VALUES ('never', 1, NULL); END;
                    CREATE INDEX i ON "a player"(name) WHERE name > 'a';
                    CREATE VIEW v AS SELECT * FROM team;
                    INSERT INTO team VALUES (7, 3);
                    INSERT INTO "a player" VALUES (3, 7, 'O''Brien'), (4, 7, NULL);
                    INSERT INTO document VALUES ('swift sqlite'), ('full text');
                    INSERT INTO strict VALUES ('1', 1), (1, 2), (1.0, 3), (x'01', 4), (NULL, 5);
                    INSERT INTO word VALUES ('a', 1), ('b', 2);
                    PRAGMA user_version = 12;
                    ANALYZE;
                    """)
            let values: [any DatabaseValueConvertible] = [
                0.1, 1.0, -0.0, Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, -Double.infinity, Int64.min, Int64.max,
                "a\0b",
                "\0", "", Data([0, 255]), Data(), "日本\n--", "x';DROP TABLE team;",
            ]
            try db.execute(sql: "INSERT INTO anything VALUES (CAST(x'61FF00' AS TEXT), 1, x'61FF00')")
            for value in values { try db.execute(sql: "INSERT INTO anything VALUES (?, 2.5, NULL)", arguments: [value]) }
        }
        var script = ""
        try source.dumpContent(format: .insert(transaction: hasTransaction), to: &script)

        let copy = try DatabaseQueue()
        if hasTransaction {
            try copy.writeWithoutTransaction { db in try db.execute(sql: script) }
        } else {
            try copy.write { db in try db.execute(sql: script) }
        }
        try #expect(copy.read { try $0.contents() } == source.read { try $0.contents() })
        try copy.read { db in
            try #expect(Int.fetchOne(db, sql: "PRAGMA user_version") == 12)
            try #expect(Int.fetchOne(db, sql: "SELECT rowid FROM document WHERE document MATCH 'full'") == 2)
            try #expect(Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence") == 7)
            try #expect(Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_stat1") ?? 0 > 0)
            try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            try #expect(
                Int.fetchOne(db, sql: "SELECT count(*) FROM anything WHERE length(b) = 3 AND hex(v) = hex(b) AND typeof(v) = 'text'") == 1)
        }
        var again = ""
        try copy.dumpContent(format: .insert(transaction: hasTransaction), to: &again)
        #expect(again == script)
    }

    @Test
    func `Real numbers come back to the bit, whatever SQLite makes of their digits`() throws {
        var generator = SeededGenerator(seed: 7)
        let numbers = (0..<20_000).map { _ in Double(bitPattern: generator.next()) }.filter { !$0.isNaN }
        let queue = try DatabaseQueue()
        var script = ""
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v REAL)")
            for number in numbers { try db.execute(sql: "INSERT INTO t (v) VALUES (?)", arguments: [number]) }
            try db.dumpTables(["t"], format: .insert(), to: &script)
            try db.execute(sql: "DELETE FROM t")
            try db.execute(sql: script)
            let loaded = try Double.fetchAll(db, sql: "SELECT v FROM t ORDER BY id")
            let different = zip(numbers, loaded).filter { $0 != $1 }
            #expect(loaded.count == numbers.count)
            #expect(different.isEmpty, "\(different.prefix(3))")
        }
    }

    @Test
    func `A dump that fails keeps its output so far, and leaves the connection usable`() throws {
        let queue = try makePlayers()
        var text = ""
        #expect(throws: DatabaseError.self) {
            try queue.dumpSQL("SELECT abs(id - 2 - 9223372036854775806 * (id = 1) - 1) FROM player WHERE id < 3; SELECT nope", to: &text)
        }
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 2)
        #expect(throws: DatabaseError.self) { try queue.dumpSQL("SELECT 1; SELECT nope", to: &text) }
        #expect(text.hasSuffix("1\n"))
    }

    @Test
    func `A file is written, and an error of the file is thrown`() throws {
        let queue = try makePlayers()
        let folder = try TemporaryFolder()
        let url = folder.file("players.csv")
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        try queue.dumpTables(["player"], format: .csv(), to: FileHandleOutput(handle))
        try handle.close()
        try #expect(String(contentsOf: url, encoding: .utf8) == "id,name,score\r\n1,Arthur,500\r\n2,Barbara,\r\n")

        let readOnly = try FileHandle(forReadingFrom: url)
        #expect(throws: (any Error).self) { try queue.dumpTables(["player"], to: FileHandleOutput(readOnly)) }
    }

    @Test
    func `A format of one's own gets the rows`() throws {
        struct Sum: DumpFormat {
            var sum = 0
            mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                sum += Int(statement.int64(at: 0) ?? 0)
            }
            func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                stream.margin()
                stream.write("sum: \(sum)\n")
            }
        }
        try #expect(makePlayers().dumped("SELECT id FROM player; SELECT 1", Sum()) == "sum: 3\n\nsum: 1\n")
    }

    @Test
    func `All rows pass through in constant memory, also in aligned columns`() throws {
        /// Counts what passes through.
        struct Counter: TextOutputStream {
            var byteCount = 0
            var largest = 0
            mutating func write(_ string: String) {
                byteCount += string.utf8.count
                largest = max(largest, string.utf8.count)
            }
        }
        let queue = try DatabaseQueue()
        let sql: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i, 'row ' || i AS t FROM n"
        var counter = Counter()
        try queue.dumpSQL(sql, format: .box(), to: &counter)
        #expect(counter.byteCount > 2_000_000)
        #expect(counter.largest < 100_000)
    }

    @Test(arguments: [true, false])
    func `A dump names the collation without which SQLite can't read a table`(isContent: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("collation.sqlite").path
        let source = try DatabaseQueue(path: path)
        try source.write { db in
            db.add(collation: DatabaseCollation("own") { $0 < $1 ? .ascending : $0 > $1 ? .descending : .same })
            try db.execute(sql: "CREATE TABLE t (a TEXT COLLATE own PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES ('x')")
        }
        try source.close()
        let queue = try DatabaseQueue(path: path)
        for _ in 1...2 {
            var text = ""
            let error = #expect(throws: DatabaseError.self) {
                try isContent ? queue.dumpContent(format: .insert(), to: &text) : queue.dumpTables(["t"], to: &text)
            }
            #expect(error?.message == "no such collation sequence: own")
            #expect(error?.description.contains("SQLite needs this collation to read the table t") == true)
        }
    }

    @Test
    func `The rows that a request prefetches follow under their keys`() throws {
        let request = PrefetchingRequest()
        func dumped(_ format: some DumpFormat) throws -> String {
            var text = ""
            try makePlayers().dumpRequest(request, format: format, to: &text)
            return text
        }
        #expect(
            try dumped(.debug()) == """
                1|Arthur
                2|Barbara

                toys
                ball|1.0
                |X'00FF'

                """)
        #expect(try dumped(.csv()).hasSuffix("toys\r\n") == false)
        // A format that writes SQL can't say to which table they belong.
        #expect(try dumped(.insert(into: "copy")).contains("ball") == false)
    }
}

/// A request that prefetches the toys of players, as requests with associations do.
private struct PrefetchingRequest: FetchRequest {
    typealias RowDecoder = Row

    var sqlSubquery: SQLSubquery { SQLRequest<Row>(sql: "SELECT id, name FROM player").sqlSubquery }

    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        var request = PreparedRequest(statement: try db.makeStatement(sql: "SELECT id, name FROM player"))
        request.supplementaryFetch = { db, rows in
            let toys = try Row.fetchAll(db, sql: "SELECT 'ball' AS name, 1.0 AS size UNION ALL SELECT NULL, x'00FF'")
            rows[0].setPrefetchedRows(toys, forKey: "toys")
            rows[1].setPrefetchedRows([], forKey: "toys")
        }
        return request
    }
}
