import CSQLiteShims
import SQLiteDriver
import Testing

@Suite struct GuardedTransactionTests {
    private func withTable(_ body: (_ db: Database) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            try body(db)
        }
    }

    @Test
    func `A guarded transaction commits or rolls back, as the closure returns`() throws {
        try withTable { (db) throws in
            try db.inGuardedTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .commit
            }
            try db.inGuardedTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                return .rollback
            }
            #expect(throws: TestError.self) {
                try db.inGuardedTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (4)")
                    throw TestError()
                }
            }
            #expect(try db.integers("SELECT a FROM t") == [1, 2])
            // The guard ends with the transaction.
            try db.execute(sql: "BEGIN; COMMIT")
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK", "BEGIN", "END TRANSACTION"])
    func `Statements that end the transaction throw before they run`(_ sql: String) throws {
        try withTable { (db) throws in
            try db.inGuardedTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                let error = expectError(.SQLITE_MISUSE) { try db.execute(sql: sql) }
                #expect(error?.sql == sql)
                expectError(.SQLITE_MISUSE) { try db.commit() }
                expectError(.SQLITE_MISUSE) { try db.rollback() }
                return .commit
            }
            #expect(try db.integers("SELECT a FROM t") == [1, 2])
        }
    }

    @Test
    func `Savepoints must be released`() throws {
        try withTable { (db) throws in
            let error = expectError(.SQLITE_MISUSE) {
                try db.inGuardedTransaction {
                    try db.execute(sql: "SAVEPOINT a; SAVEPOINT b; INSERT INTO t VALUES (2); RELEASE b; ROLLBACK TO a")
                    return .commit
                }
            }
            #expect(error?.message?.contains("the savepoint a was left open") == true)
            try db.inGuardedTransaction {
                try db.execute(sql: "SAVEPOINT a; SAVEPOINT b; INSERT INTO t VALUES (3); RELEASE A")
                try db.inSavepoint { .rollback }
                return .commit
            }
            #expect(try db.integers("SELECT a FROM t") == [1, 3])
        }
    }

    @Test
    func `After SQLite has rolled back, no statement runs outside the transaction`() throws {
        try withTable { (db) throws in
            expectError(.SQLITE_ABORT_ROLLBACK) {
                try db.inGuardedTransaction {
                    try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                    try db.rollback()
                    expectError(.SQLITE_ABORT_ROLLBACK) { try db.execute(sql: "INSERT INTO t VALUES (2)") }
                    return .commit
                }
            }
            #expect(try db.integers("SELECT a FROM t") == [1])
        }
    }

    @Test
    func `An interruption is noticed by the next statement, and lets savepoints end`() throws {
        try withTable { (db) throws in
            var isInterrupted = false
            expectError(.SQLITE_INTERRUPT) {
                try db.inGuardedTransaction(isInterrupted: { isInterrupted }) {
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        isInterrupted = true
                        return .commit
                    }
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    return .commit
                }
            }
            #expect(try db.integers("SELECT a FROM t") == [1])
        }
    }
}

@Suite struct ForeignKeyEnforcementTests {
    @Test
    func `withoutForeignKeys stops enforcing foreign keys until it returns or throws`() throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE p (a INTEGER PRIMARY KEY); CREATE TABLE c (a REFERENCES p)")
            #expect(db.enforcesForeignKeys)
            #expect(throws: TestError.self) {
                try db.withoutForeignKeys {
                    #expect(!db.enforcesForeignKeys)
                    try db.execute(sql: "INSERT INTO c VALUES (1)")
                    try db.withoutForeignKeys { () throws in #expect(!db.enforcesForeignKeys) }
                    #expect(!db.enforcesForeignKeys)
                    throw TestError()
                }
            }
            #expect(db.enforcesForeignKeys)
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.execute(sql: "INSERT INTO c VALUES (2)") }
            try db.inTransaction {
                expectError(.SQLITE_MISUSE) { try db.withoutForeignKeys {} }
                return .commit
            }
        }
    }
}

@Suite struct RecordedChangesTests {
    @Test(arguments: [
        ("INSERT INTO a VALUES (1)", ["a"]), ("UPDATE B SET x = 1", ["b"]), ("DELETE FROM a", ["a"]),
        ("SELECT * FROM a", []), ("ALTER TABLE a ADD COLUMN y", ["a"]), ("DROP TABLE a", ["a"]),
        ("INSERT INTO c VALUES (1)", ["c", "a"]), ("CREATE TABLE d AS SELECT * FROM a", ["d"]),
        ("REPLACE INTO a SELECT x FROM b", ["a"]), ("CREATE INDEX i ON a (x)", []), ("INSERT INTO t.e VALUES (1)", ["e"]),
    ])
    func `The tables that statements write to are recorded`(_ sql: String, _ expected: [String]) throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            try db.execute(
                sql: """
                    CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x);
                    CREATE TRIGGER g AFTER INSERT ON c BEGIN DELETE FROM a; END;
                    ATTACH ':memory:' AS t; CREATE TABLE t.e (x)
                    """)
            // A statement that was compiled before is compiled again.
            if !sql.hasPrefix("CREATE"), !sql.hasPrefix("DROP"), !sql.hasPrefix("ALTER") { _ = try db.cachedStatement(sql: sql) }
            let (count, tables) = try db.recordingChanges {
                try db.cachedStatement(sql: sql).execute()
                return 1
            }
            #expect(count == 1)
            #expect(tables.subtracting(sql.contains("AS SELECT") ? [] : ["d"]) == Set(expected))
        }
    }

    @Test(
        arguments: [
            ("INSERT INTO a VALUES (1)", ["a"]), ("DELETE FROM a", ["a"]), ("WITH n AS (SELECT 2) INSERT INTO c SELECT 1", ["a", "c"]),
            ("INSERT INTO fts VALUES ('x')", ["fts", "fts_content"]), ("PRAGMA schema_version = 9", []),
            ("ATTACH ':memory:' AS other", []), ("SELECT * FROM a", []), ("BEGIN", []),
        ], [false, true])
    func `A recording covers statements that were compiled before it`(_ statement: (String, [String]), _ isOfCAPI: Bool) throws {
        let (sql, expected) = statement
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            try db.execute(
                sql: """
                    CREATE TABLE a (x); CREATE TABLE c (x); CREATE TRIGGER g AFTER INSERT ON c BEGIN DELETE FROM a; END;
                    CREATE VIRTUAL TABLE fts USING fts5 (text); INSERT INTO fts VALUES ('x')
                    """)
            // SQLite has read the schema, and compiles nothing again because of its changes.
            let compiled = isOfCAPI ? nil : try db.makeStatement(sql: sql)
            var handle: SQLiteStatement?
            if isOfCAPI { #expect(sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &handle, nil) == SQLITE_OK) }
            defer { sqlite3_finalize(handle) }
            // A nested recording has the changes of its own statements.
            let (inner, outer) = try db.recordingAllChanges {
                try db.recordingAllChanges {
                    try compiled?.execute()
                    if let handle { while sqlite3_step(handle) == SQLITE_ROW {} }
                }.changes
            }
            for changes in [inner, outer] {
                #expect(changes.tables.isSuperset(of: expected.map { SchemaName($0) }))
                #expect(changes.tables.isEmpty == expected.isEmpty)
                #expect((changes.schema == .none) == (!sql.hasPrefix("ATTACH") && !sql.hasPrefix("PRAGMA")))
            }
            if db.isInsideTransaction { try db.rollback() }
        }
    }

    @Test
    func `Recordings nest, and end with an error`() throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE a (x); CREATE TABLE b (x)")
            let (inner, outer) = try db.recordingChanges {
                try db.execute(sql: "INSERT INTO a VALUES (1)")
                return try db.recordingChanges { try db.execute(sql: "INSERT INTO b VALUES (1)") }.tables
            }
            #expect(inner == ["b"])
            #expect(outer == ["a", "b"])
            #expect(throws: TestError.self) { try db.recordingChanges { throw TestError() } }
            #expect(db.recordingChanges {}.tables == [])
        }
    }
}
