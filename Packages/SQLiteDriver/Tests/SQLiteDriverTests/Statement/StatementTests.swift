import Foundation
import SQLiteDriver
import Testing

@Suite struct StatementTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    INSERT INTO player (name, score) VALUES ('Arthur', 1000);
                    INSERT INTO player (name, score) VALUES ('Barbara', 750);
                    INSERT INTO player (name, score) VALUES ('Craig', 500);
                    """)
        }
    }

    // MARK: Compiling

    @Test(arguments: [
        "SELECT 1", "SELECT 1;", "  SELECT 1 ;  ", "SELECT 1; -- done", "-- first\nSELECT 1", "/* a */ SELECT 1 /* b */;;; ; /* c */",
        ";SELECT 1", "SELECT 1; /* never closed", "SELECT ';' ; ",
    ])
    func `A statement may have spaces semicolons and comments around`(_ sql: String) throws {
        try queue.read { db in
            #expect(try db.makeStatement(sql: sql).step())
            #expect(try db.cachedStatement(sql: sql).step())
            try db.execute(sql: sql)
        }
    }

    @Test(arguments: ["", " ", ";", " ;; ", "-- comment", "/* comment */", "/* never closed"])
    func `No statement is an error where one is needed`(_ sql: String) throws {
        try queue.read { db in
            let error = expectError(.SQLITE_MISUSE) { _ = try db.makeStatement(sql: sql) }
            #expect(error?.message == "empty statement")
            expectError(.SQLITE_MISUSE) { _ = try db.cachedStatement(sql: sql) }
            // A script may be empty.
            try db.execute(sql: sql)
        }
    }

    @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELECT 1;; SELECT 2; SELECT 3"])
    func `Several statements are an error where one is needed`(_ sql: String) throws {
        try queue.read { db in
            let error = expectError(.SQLITE_MISUSE) { _ = try db.makeStatement(sql: sql) }
            #expect(error?.message == "multiple statements found")
            #expect(error?.description.contains("Run them with execute(sql:)") == true)
        }
    }

    @Test
    func `A NUL in the SQL is an error rather than its end`() throws {
        try queue.writeWithoutTransaction { (db) throws in
            for sql in ["SELECT 1\0", "SELECT 1; \0 SELECT 2", "DELETE FROM player\0 WHERE id = 1"] {
                let error = expectError(.SQLITE_MISUSE) { try db.execute(sql: sql) }
                #expect(error?.message == "the SQL contains a NUL character")
            }
            #expect(try db.integers("SELECT count(*) FROM player") == [3])
        }
    }

    @Test
    func `A script runs its statements in turn`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    -- the first
                    CREATE TABLE t (a);
                    INSERT INTO t VALUES ('a;b'); /* a ; comment */ INSERT INTO t VALUES (2);

                    CREATE TRIGGER trigger1 AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END;
                    INSERT INTO t SELECT 3
                    """)
            #expect(try db.values("SELECT a FROM t") == [.text("a;b"), .integer(2), .integer(3)])
        }
    }

    @Test
    func `A script stops at its first error`() throws {
        try queue.writeWithoutTransaction { (db) throws in
            let error = expectError(.SQLITE_ERROR) {
                try db.execute(sql: "CREATE TABLE a (x); CREATE TABEL b (x); CREATE TABLE c (x)")
            }
            #expect(error?.message == "near \"TABEL\": syntax error")
            #expect(try db.tableExists("a"))
            #expect(try db.tableExists("c") == false)
        }
    }

    @Test
    func `A script of many statements is run to its end`() throws {
        let script = (0..<20_000).map { "INSERT INTO player (name) VALUES ('player number \($0)');\n" }.joined()
        try queue.write { try $0.execute(sql: script) }
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM player") } == [20_003])
    }

    // MARK: Running

    @Test
    func `A statement gives its rows and starts again after the last`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT name FROM player ORDER BY id LIMIT 2")
            for _ in 0..<2 {
                #expect(!statement.isBusy)
                #expect(try statement.step())
                #expect(statement.string(at: 0) == "Arthur")
                #expect(statement.isBusy)
                #expect(try statement.step())
                #expect(statement.string(at: 0) == "Barbara")
                #expect(try statement.step() == false)
            }
        }
    }

    @Test
    func `Reset starts a statement again`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT id FROM player")
            statement.reset()
            #expect(try statement.step() && statement.step())
            #expect(statement.int64(at: 0) == 2)
            statement.reset()
            statement.reset()
            #expect(!statement.isBusy)
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 1)
        }
    }

    @Test
    func `A run ends the previous one`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT id FROM player")
            let first = try statement.beginRun()
            #expect(statement.isInRun(first))
            #expect(try statement.stepWithinRun())
            let second = try statement.beginRun()
            #expect(!statement.isInRun(first))
            #expect(statement.isInRun(second))
            #expect(try statement.stepWithinRun())
            #expect(statement.int64(at: 0) == 1)
            try statement.run()
            #expect(!statement.isInRun(second))
        }
    }

    @Test
    func `Running a statement ignores its rows`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "SELECT * FROM player")
            try db.makeStatement(sql: "SELECT * FROM player").execute()
            try db.makeStatement(sql: "INSERT INTO player (name) VALUES ('David') RETURNING id").execute()
            #expect(try db.integers("SELECT count(*) FROM player") == [4])
            // No statement locks the table.
            try db.execute(sql: "DROP TABLE player")
        }
    }

    @Test
    func `Statements may run inside the rows of others`() throws {
        try queue.read { db in
            let outer = try db.makeStatement(sql: "SELECT id FROM player")
            var pairs = 0
            while try outer.step() {
                let inner = try db.makeStatement(sql: "SELECT id FROM player")
                while try inner.step() { pairs += 1 }
            }
            #expect(pairs == 9)
        }
    }

    @Test
    func `A statement that failed can run again`() throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "INSERT INTO player (id) VALUES (?)")
            let error = expectError(.SQLITE_CONSTRAINT_PRIMARYKEY) { try statement.execute(arguments: [1]) }
            #expect(error?.message == "UNIQUE constraint failed: player.id")
            #expect(!statement.isBusy)
            try statement.execute(arguments: [10])
            #expect(db.lastInsertedRowID == 10)
        }
    }

    @Test
    func `An error in the middle of the rows ends the run`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT CASE id WHEN 3 THEN abs(-9223372036854775808) ELSE id END FROM player")
            #expect(try statement.step() && statement.step())
            let error = expectError(.SQLITE_ERROR) { _ = try statement.step() }
            #expect(error?.message == "integer overflow")
            #expect(!statement.isBusy)
            // And it starts again.
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 1)
        }
    }

    @Test
    func `Counts follow the statements`() throws {
        try queue.writeWithoutTransaction { db in
            let total = db.totalChangesCount
            try db.execute(sql: "UPDATE player SET score = 0 WHERE id > 1")
            #expect(db.changesCount == 2)
            #expect(db.totalChangesCount == total + 2)
            try db.execute(sql: "INSERT INTO player (id) VALUES (9223372036854775807)")
            #expect(db.lastInsertedRowID == .max)
        }
    }

    // MARK: Columns

    @Test
    func `Columns have names`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT id, name AS \"a \"\"name\"\"\", 1 AS id, '' AS \"\" FROM player")
            #expect(statement.columnCount == 4)
            #expect(statement.columnNames == ["id", "a \"name\"", "id", ""])
            #expect(statement.columnName(at: 1) == "a \"name\"")
            #expect(statement.index(ofColumn: "ID") == 0)
            #expect(statement.index(ofColumn: "A \"Name\"") == 1)
            #expect(statement.index(ofColumn: "other") == nil)
        }
    }

    @Test
    func `A statement that gives no rows has no columns`() throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "DELETE FROM player")
            #expect(statement.columnCount == 0)
            #expect(statement.columnNames == [])
            #expect(try statement.step() == false)
        }
    }

    @Test(arguments: [
        ("ALTER TABLE t ADD COLUMN c DEFAULT 3", ["a", "b", "c"]),
        ("ALTER TABLE t RENAME COLUMN a TO z", ["z", "b"]),
        ("ALTER TABLE t DROP COLUMN a", ["b"]),
        ("DROP TABLE t; CREATE TABLE t (x, y); INSERT INTO t VALUES (1, 2)", ["x", "y"]),
    ])
    func `A statement notices that its columns have changed`(_ sql: String, _ names: [String]) throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(statement.columnNames == ["a", "b"])
            try statement.run()
            let count = statement.repreparationCount
            try statement.run()
            #expect(statement.repreparationCount == count)
            try db.execute(sql: sql)
            #expect(try statement.step())
            #expect(statement.repreparationCount > count)
            #expect(statement.columnNames == names)
            #expect(statement.columnCount == names.count)
        }
    }

    @Test
    func `A statement has properties`() throws {
        try queue.writeWithoutTransaction { db in
            let query = try db.makeStatement(sql: "SELECT * FROM player WHERE name = :name AND score = ? -- all")
            #expect(query.isReadonly)
            #expect(query.parameterCount == 2)
            #expect(query.sql == "SELECT * FROM player WHERE name = :name AND score = ? -- all")
            #expect("\(query)" == "SQL: \(query.sql)")
            try query.setArguments(["name": "O'Brien"] + [1.5])
            #expect(query.expandedSQL == "SELECT * FROM player WHERE name = 'O''Brien' AND score = 1.5 -- all")
            #expect(try db.makeStatement(sql: "DELETE FROM player").isReadonly == false)
            #expect(query.database === db)
        }
    }

    // MARK: Stops

    @Test(arguments: [-1, 1, Int.max, Int.min, 1 << 32])
    func `A column that is out of range stops the program`(_ index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index = index as Int] in
            try DatabaseQueue().read { db in
                let statement = try db.makeStatement(sql: "SELECT 'only'")
                guard try statement.step() else { return }
                _ = statement.string(at: index)
            }
        }
        #expect(result?.message.contains("Column \(index) is out of range: SELECT 'only' has 1 column.") == true)
    }

    @Test
    func `The name of a column that is out of range stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().read { db in
                _ = try db.makeStatement(sql: "SELECT 'only'").columnName(at: 1 << 40)
            }
        }
        #expect(result?.message.contains("is out of range: SELECT 'only' has 1 column.") == true)
    }

    @Test
    func `Stepping after the access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let statement = try DatabaseQueue().read { try $0.makeStatement(sql: "SELECT 1 UNION SELECT 2") }
            _ = try statement.step()
        }
        #expect(result?.message.contains("A database connection was used outside its access") == true)
    }

    @Test
    func `Reading a column after the access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let statement = try DatabaseQueue().read { db in
                let statement = try db.makeStatement(sql: "SELECT 'secret' UNION SELECT 'other'")
                guard try statement.step() else { throw TestError() }
                return statement
            }
            _ = statement.string(at: 0)
        }
        #expect(result?.message.contains("A database connection was used outside its access") == true)
    }

    @Test
    func `Giving arguments after the access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let statement = try DatabaseQueue().read { try $0.makeStatement(sql: "SELECT ?") }
            try statement.setArguments([1])
        }
        #expect(result?.message.contains("A database connection was used outside its access") == true)
    }

    @Test
    func `A statement that is kept runs in the next access`() throws {
        let statement = try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT id FROM player")
            #expect(try statement.step() && statement.step())
            return statement
        }
        #expect(!statement.isBusy)
        try queue.read { (_) throws in
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 1)
        }
    }

    @Test
    func `Without a row columns are NULL`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT 'a' AS a LIMIT 1")
            #expect(statement.string(at: 0) == nil)
            #expect(try statement.step())
            #expect(statement.string(at: 0) == "a")
            #expect(try statement.step() == false)
            #expect(statement.string(at: 0) == nil)
            #expect(statement.databaseValue(at: 0) == .null)
            #expect(statement.isNull(at: 0))
        }
    }
}
