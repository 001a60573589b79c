import Testing

@testable import SQLiteDriver

/// Helpers for the tests of programs: the SQL that ran, and databases with the schema of another database.
@Suite struct RecordedSQLTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)") }
    }

    @Test
    func `The SQL of a closure`() throws {
        try queue.write { (db) throws in
            let (count, sql) = try db.recordingSQL {
                try db.execute(sql: " INSERT INTO t VALUES (?, ?);", arguments: [1, "x"])
                _ = try db.primaryKey("t")
                return try db.columns(in: "t").count
            }
            #expect(count == 2)
            #expect(sql == ["INSERT INTO t VALUES (1, 'x')"])
            let (_, parameters) = try db.recordingSQL(expanded: false) {
                try db.execute(sql: "DELETE FROM t WHERE a = ?", arguments: [1])
            }
            #expect(parameters == ["DELETE FROM t WHERE a = ?"])
            #expect(throws: TestError()) { try db.recordingSQL { throw TestError() } }
        }
    }

    @Test
    func `The SQL of a closure that uses a queue`() async throws {
        let expected = ["BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (1, 2)", "COMMIT TRANSACTION"]
        func record() throws -> [String] {
            try queue.recordingSQL {
                try queue.write { db in
                    _ = try db.tableExists("t")
                    try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
                }
            }.sql
        }
        #expect(try record() == expected)
        let sql = try await queue.recordingSQL { [queue] in
            try await queue.write { try $0.execute(sql: "INSERT INTO t VALUES (3, 4)") }
        }.sql
        #expect(sql == ["BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (3, 4)", "COMMIT TRANSACTION"])
        // Nothing is left behind.
        try await queue.unsafeRead { #expect($0.recordingSQL { 1 }.sql.isEmpty) }
    }

    @Test(arguments: [1, 3])
    func `The SQL of a closure that uses a pool, also on connections that it opens meanwhile`(_ readerCount: Int) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.maximumReaderCount = readerCount
        let pool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)") }
        let begin = "BEGIN DEFERRED TRANSACTION"
        let expected = [
            "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (1, 'x')", "COMMIT TRANSACTION", begin, "SELECT b FROM t",
            "COMMIT TRANSACTION",
        ]
        // The first time, no reading connection is open.
        for _ in 1...2 {
            let (texts, sql) = try pool.recordingSQL {
                try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [1, "x"]) }
                return try pool.read { try $0.texts("SELECT b FROM t") }
            }
            #expect(texts == ["x"] && sql == expected)
            try await pool.write { try $0.execute(sql: "DELETE FROM t") }
        }
        // Through a protocol, a type-erased writer, and without blocking a thread.
        let reader: any DatabaseReader = AnyDatabaseWriter(pool)
        let sql = try await reader.recordingSQL {
            try await reader.read { _ = try $0.integers("SELECT a FROM t") }
            try await pool.write { db in
                try db.execute(sql: "DELETE FROM t")
                _ = try pool.read { try $0.integers("SELECT 1") }
            }
            try await pool.read { db in
                _ = try db.integers("SELECT 2")
                try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3, 4)") }
            }
        }.sql
        #expect(
            sql.filter { !$0.contains("TRANSACTION") } == [
                "SELECT a FROM t", "DELETE FROM t", "SELECT 1", "SELECT 2", "INSERT INTO t VALUES (3, 4)",
            ])
        #expect(throws: TestError()) { try pool.recordingSQL { throw TestError() } }
        // Nothing is left behind.
        try await pool.barrierWriteWithoutTransaction { #expect($0.tracer == nil) }
        try await pool.unsafeRead { #expect($0.tracer == nil) }
        try pool.close()
        #expect(throws: DatabaseError.self) { try pool.recordingSQL { 1 } }
    }

    @Test
    func `Recordings of a pool nest, and readers may run meanwhile`() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let (inner, outer) = try await pool.recordingSQL {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { try await pool.unsafeRead { _ = try $0.integers("SELECT a FROM t") } } }
                try await group.waitForAll()
            }
            return try await pool.recordingSQL { try await pool.unsafeRead { _ = try $0.integers("SELECT 7") } }.sql
        }
        #expect(inner == ["SELECT 7"])
        #expect(outer == Array(repeating: "SELECT a FROM t", count: 20) + ["SELECT 7"])
    }

    @Test
    func `Recordings nest, and a trace continues`() throws {
        var traced: [String] = []
        try queue.writeWithoutTransaction { (db) throws in
            db.trace { traced.append($0.expandedDescription) }
            let (inner, outer) = try db.recordingSQL {
                try db.execute(sql: "SELECT 1")
                return try db.recordingSQL {
                    _ = try db.columns(in: "t")
                    try db.execute(sql: "SELECT 2")
                }.sql
            }
            try db.execute(sql: "SELECT 3")
            #expect(inner == ["SELECT 2"])
            #expect(outer == ["SELECT 1", "SELECT 2"])
        }
        #expect(traced == ["SELECT 1", "SELECT 2", "SELECT 3"])
    }

    @Test
    func `A recording passes the statements of the connection on to a trace that includes them`() throws {
        var traced: [String] = []
        var profiled: [String] = []
        try queue.writeWithoutTransaction { (db) throws in
            func record() throws -> [String] {
                try db.recordingSQL {
                    _ = try db.indexes(on: "t")
                    try db.execute(sql: "CREATE TABLE u (a)")
                    _ = try db.columns(in: "u")
                    try db.execute(sql: "DROP TABLE u")
                }.sql
            }
            let expected = ["CREATE TABLE u (a)", "DROP TABLE u"]
            db.trace(options: [.statement, .includingInternal]) { traced.append($0.expandedDescription) }
            #expect(try record() == expected)
            #expect(traced.contains { $0.contains("schema_version") } && traced.filter(expected.contains) == expected)
            db.trace(options: .profile) { if case .profile(let statement, _) = $0 { profiled.append(statement.sql) } }
            #expect(try record() == expected)
            #expect(profiled == expected)
        }
    }

    @Test
    func `A trace shows the statements of the connection only if asked, and then marks them`() throws {
        var lines: [(sql: String, isInternal: Bool)] = []
        try queue.writeWithoutTransaction { (db) throws in
            db.trace { #expect($0.expandedDescription == "CREATE TABLE u (a)") }
            try db.execute(sql: "CREATE TABLE u (a)")
            _ = try db.indexes(on: "u")
            db.trace(options: [.statement, .includingInternal]) { event in
                if case .statement(let statement) = event { lines.append((statement.sql, statement.isInternal)) }
            }
            _ = try db.tableExists("t")
            _ = try db.indexes(on: "t")
            try db.execute(sql: "BEGIN; PRAGMA schema_version; COMMIT")
        }
        #expect(lines.filter { !$0.isInternal }.map(\.sql) == ["BEGIN", "PRAGMA schema_version", "COMMIT"])
        #expect(lines.contains { $0.isInternal && $0.sql.contains("schema_version") })
        #expect(lines.contains { $0.isInternal && $0.sql.contains("index_list") })
    }

    // MARK: - Schemas

    @Test
    func `A schema is copied without its rows`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE INDEX i ON t (b);
                    CREATE VIEW v AS SELECT b FROM t;
                    CREATE TABLE log (x TEXT NOT NULL UNIQUE);
                    CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT);
                    CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.b); END;
                    CREATE VIRTUAL TABLE f USING fts5(b, content='t', content_rowid='a');
                    CREATE TABLE strata_migrations (identifier TEXT PRIMARY KEY);
                    INSERT INTO strata_migrations VALUES ('v1');
                    INSERT INTO t VALUES (1, 'x'); INSERT INTO auto DEFAULT VALUES; ANALYZE;
                    PRAGMA user_version = 7; PRAGMA application_id = 8;
                    """)
        }
        let copy = try DatabaseQueue.inMemorySchemaCopy(of: queue)
        let names = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name"
        #expect(try copy.read { try $0.texts(names) } == queue.read { try $0.texts(names) })
        try copy.write { (db) throws in
            #expect(try db.integers("SELECT count(*) FROM t") == [0])
            #expect(try db.integers("SELECT count(*) FROM log") == [0])
            #expect(try db.texts("SELECT identifier FROM strata_migrations") == ["v1"])
            #expect(try db.integers("PRAGMA user_version") == [7])
            #expect(try db.integers("PRAGMA application_id") == [8])
            try db.execute(sql: "INSERT INTO t VALUES (1, 'y'); INSERT INTO f (rowid, b) VALUES (1, 'y'); INSERT INTO auto DEFAULT VALUES")
            #expect(try db.integers("SELECT id FROM auto") == [1])
            #expect(try db.integers("SELECT rowid FROM f WHERE f MATCH 'y'") == [1])
            #expect(try db.texts("SELECT x FROM log") == ["y"])
        }
        // The two are independent.
        #expect(try queue.read { try $0.texts("SELECT b FROM t") } == ["x"])
    }

    @Test
    func `A recording is released although a connection was closed meanwhile`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("a.sqlite"))
        try pool.read { _ in }
        weak var ended: SQLRecording?
        do {
            let recording = SQLRecording(expanded: true)
            ended = recording
            try pool.beginRecording(recording)
            pool.releaseMemory()
            pool.endRecording(recording)
        }
        #expect(ended == nil)
    }

    @Test
    func `A schema is copied with its encoding`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a)") }
        #expect(try DatabaseQueue.inMemorySchemaCopy(of: queue).read { try $0.texts("PRAGMA encoding") } == ["UTF-16le"])
    }
}
