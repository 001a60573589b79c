import SQLiteDriver
import Testing

@Suite struct SQLStatementCursorTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    private func run(_ sql: String, _ arguments: StatementArguments? = nil) throws -> [String] {
        try queue.writeWithoutTransaction { db in
            let statements = try db.allStatements(sql: sql, arguments: arguments)
            var texts: [String] = []
            while let statement = try statements.next() {
                texts.append(statement.sql)
                try statement.execute()
            }
            #expect(try statements.next() == nil)
            return texts
        }
    }

    @Test(arguments: ["", " ", ";", ";;\n;", "-- nothing", "/* nothing */ ; -- at all\n", "/* open"])
    func `A script may contain no statement`(_ sql: String) throws {
        #expect(try run(sql) == [])
        #expect(try run(sql, []) == [])
    }

    @Test
    func `Statements come one by one without comments between them`() throws {
        let sql = """
            ;; CREATE TABLE t (a); -- then
            INSERT INTO t VALUES (';');; /* and ; */
            DROP TABLE t
            -- done
            """
        let statements = try run(sql)
        #expect(statements.count == 3)
        #expect(statements[0].hasSuffix("CREATE TABLE t (a)"))
        #expect(statements[1].hasSuffix("INSERT INTO t VALUES (';')"))
        #expect(statements[2].contains("DROP TABLE t"))
    }

    @Test
    func `Arguments are consumed in order`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            let statements = try db.allStatements(
                sql: """
                    INSERT INTO t VALUES (?, ?);
                    INSERT INTO t VALUES (5, 6);
                    INSERT INTO t VALUES (?, :name);
                    """, arguments: StatementArguments([1, 2, 3]) &+ ["name": "x"])
            let first = try #require(try statements.next())
            #expect(first.expandedSQL.contains("(1, 2)"))
            let second = try #require(try statements.next())
            let third = try #require(try statements.next())
            #expect(third.expandedSQL.contains("(3, 'x')"))
            #expect(try statements.next() == nil)
            // They are independent of one another.
            for statement in [third, second, first] { try statement.execute() }
            #expect(try db.integers("SELECT a FROM t") == [3, 5, 1])
        }
    }

    @Test
    func `Without arguments the caller sets them`() throws {
        try queue.writeWithoutTransaction { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT 1")
            let statement = try #require(try statements.next())
            expectError(.SQLITE_MISUSE) { try statement.execute() }
            try statement.execute(arguments: [1])
            #expect(try statements.next() != nil)
        }
    }

    @Test
    func `Too many arguments fail the last statement`() throws {
        try queue.writeWithoutTransaction { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT ?; -- end", arguments: [1, 2, 3])
            #expect(try statements.next() != nil)
            let error = expectError(.SQLITE_MISUSE) { try statements.next() }
            #expect(error?.message == "wrong number of statement arguments: 2 expected, 3 given")
            #expect(try statements.next() == nil)
            expectError(.SQLITE_MISUSE) { try db.allStatements(sql: "-- nothing", arguments: [1]).next() }
        }
    }

    @Test
    func `Missing arguments fail the statement that needs them`() throws {
        try queue.writeWithoutTransaction { db in
            let statements = try db.allStatements(sql: "SELECT ?; SELECT :a, ?", arguments: [1])
            #expect(try statements.next() != nil)
            expectError(.SQLITE_MISUSE) { try statements.next() }
            #expect(try statements.next() == nil)
        }
    }

    @Test
    func `A statement may use tables of earlier ones`() throws {
        #expect(try run("CREATE TABLE t (a); INSERT INTO t VALUES (?)", [1]).count == 2)
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1])
    }

    @Test
    func `An error ends the cursor`() throws {
        try queue.writeWithoutTransaction { db in
            let statements = try db.allStatements(sql: "SELECT 1; SELECT oops; SELECT 2")
            #expect(try statements.next() != nil)
            let error = expectError(.SQLITE_ERROR) { try statements.next() }
            #expect(error?.message == "no such column: oops")
            #expect(try statements.next() == nil)
        }
    }
}
