import DqliteCluster
import Testing

/// What would lose data, or end the leader's process. Each test also shows that the leader continues.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ClusterPreventionTests {
    static let nodes = DqliteNode.isAvailable ? try! TestNodes() : nil
    let cluster: DqliteCluster

    init() throws {
        cluster = try Self.nodes!.open("prevention")
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a, d DATE, b BOOLEAN)")
            try db.execute(sql: "DELETE FROM t")
        }
    }

    private func texts(_ sql: String) throws -> [String] {
        try cluster.read { db in
            let statement = try db.makeStatement(sql: sql)
            var texts: [String] = []
            while try statement.step() {
                texts.append((0..<statement.columnCount).map { statement.databaseValue(at: $0).sqlLiteral }.joined(separator: " "))
            }
            return texts
        }
    }

    @Test
    func `A text with a NUL is an error of its argument`() throws {
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in try db.execute(sql: "INSERT INTO t (a, d) VALUES (?, ?)", arguments: [1, "a\0b"]) }
        }
        #expect(error?.message == "argument 2 contains a NUL character, where the cluster would truncate it")
        #expect(error?.advice == "Store it as a blob.")
        #expect(error?.arguments == [1, "a\0b"])
        #expect(try texts("SELECT count(*) FROM t") == ["0"])
    }

    @Test
    func `Values of columns whose declared type is a date or a truth value keep their types`() throws {
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO t (d, b) VALUES (NULL, NULL), (1.5, 'text'), (x'00', 1.5), ('2026-11-22', 1)")
        }
        let rows = try texts("SELECT d, b FROM t ORDER BY id")
        #expect(rows[0] == "NULL NULL")
        #expect(rows[1] == "1.5 'text'")
        #expect(rows[3] == "'2026-11-22' 1")
        try cluster.write { db in
            let statement = try db.makeStatement(sql: "UPDATE t SET a = 1 RETURNING d, b, *")
            var count = 0
            while try statement.step() { count += 1 }
            #expect(count == 4)
        }
    }

    @Test
    func `The table of a pragma has what the nodes have`() throws {
        let other = try Self.nodes!.open("prevention")
        try other.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = 7") }
        try other.close()
        #expect(try texts("SELECT user_version FROM pragma_user_version") == ["7"])
        #expect(try texts("SELECT name FROM pragma_table_info('t')") == ["'id'", "'a'", "'d'", "'b'"])
        #expect(try texts("SELECT foreign_keys FROM pragma_foreign_keys") == ["1"])
    }

    @Test
    func `Statements with RETURNING outside a transaction are replicated`() throws {
        try cluster.writeWithoutTransaction { db in
            for number in 1...3 {
                let statement = try db.makeStatement(sql: "INSERT INTO t (a) VALUES (?) RETURNING id")
                try statement.setArguments([number])
                #expect(try statement.step())
                #expect(statement.int64(at: 0) == Int64(number))
            }
        }
        #expect(try texts("SELECT a FROM t ORDER BY id") == ["1", "2", "3"])
    }

    @Test(arguments: [
        "PRAGMA journal_mode = DELETE", "PRAGMA main.journal_mode", "PRAGMA page_size = 512", "PRAGMA wal_checkpoint", "VACUUM",
        "VACUUM INTO '/tmp/strata-vacuum'", "ATTACH ':memory:' AS other", "CREATE TEMP TABLE x (a)", "CREATE TABLE temp.x (a)",
        "CREATE TEMPORARY VIEW x AS SELECT 1", "SAVEPOINT outside",
        "SELECT page_count FROM pragma_page_count", "SELECT journal_mode FROM pragma_journal_mode, t",
    ])
    func `Statements that a cluster can't run are refused`(sql: String) throws {
        let error = #expect(throws: DatabaseError.self) { try cluster.writeWithoutTransaction { db in try db.execute(sql: sql) } }
        #expect(error?.message?.contains("cluster") == true)
        #expect(error?.advice?.hasSuffix(".") == true)
        #expect(try texts("SELECT count(*) FROM t") == ["0"])
    }

    @Test
    func `A result of more than 500 columns is refused`() throws {
        let columns = Array(repeating: "a", count: 501).joined(separator: ", ")
        #expect(throws: DatabaseError.self) { try texts("SELECT \(columns) FROM t") }
        #expect(try texts("SELECT count(*) FROM t") == ["0"])
    }

    @Test
    func `Returned columns whose names would fill the buffer of the node are refused`() throws {
        let name = String(repeating: "n", count: 100)
        let items = (1...40).map { "a AS \(name)\($0)" }.joined(separator: ", ")
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1) RETURNING \(items)") }
        }
        #expect(error?.message?.contains("cluster") == true)
        #expect(try texts("SELECT count(*) FROM t") == ["0"])
    }

    @Test
    func `Functions and collations of the program are unknown to the cluster, which says so`() throws {
        let collationError = #expect(throws: DatabaseError.self) {
            try cluster.read { db in
                db.add(collation: DatabaseCollation("mine") { _, _ in .same })
                try db.execute(sql: "SELECT a FROM t ORDER BY a COLLATE mine")
            }
        }
        #expect(collationError?.message?.contains("no such collation") == true)
        let error = #expect(throws: DatabaseError.self) {
            try cluster.read { db in
                db.add(function: DatabaseFunction("twice", argumentCount: 1) { $0[0] })
                try db.execute(sql: "SELECT twice(a) FROM t")
            }
        }
        #expect(error?.message?.contains("no such function") == true)
    }

    @Test
    func `Traces show the SQL of the program, with its parameters or their values`() throws {
        func run(_ db: Database) throws {
            try db.execute(sql: "INSERT INTO t (a, d) VALUES (?, 'a ?')", arguments: [1])
            let statement = try db.makeStatement(sql: "SELECT a FROM t WHERE a = :a AND d = :d")
            try statement.setArguments(["a": 1, "d": "a ?"])
            #expect(try statement.step())
            #expect(statement.expandedSQL == "SELECT a FROM t WHERE a = 1 AND d = 'a ?'")
        }
        let sql = try cluster.write { db in try db.recordingSQL(expanded: false) { try run(db) } }.sql
        #expect(sql == ["INSERT INTO t (a, d) VALUES (?, 'a ?')", "SELECT a FROM t WHERE a = :a AND d = :d"])
        let expanded = try cluster.write { db in try db.recordingSQL { try run(db) } }.sql
        #expect(expanded == ["INSERT INTO t (a, d) VALUES (1, 'a ?')", "SELECT a FROM t WHERE a = 1 AND d = 'a ?'"])
    }

    @Test
    func `A cluster is neither replaced by a file nor erased, as only its schema is here`() throws {
        try cluster.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
        let local = try DatabaseQueue()
        #expect(throws: DatabaseError.self) { try local.backup(to: cluster) }
        #expect(throws: DatabaseError.self) { try cluster.erase() }
        #expect(try texts("SELECT count(*) FROM t") == ["1"])
    }

    @Test
    func `All of several statements run, each with its own arguments`() throws {
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (?); INSERT INTO t (a) VALUES (?)", arguments: [1, 2])
        }
        #expect(try texts("SELECT a FROM t ORDER BY id; ") == ["1", "2"])
    }

    @Test
    func `Virtual tables with their shadow tables, views, indexes and triggers of another client are copied`() throws {
        let other = try Self.nodes!.open("schema")
        try other.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE page (id INTEGER PRIMARY KEY, text TEXT);
                    CREATE VIRTUAL TABLE page_ft USING fts5(text, content='page', content_rowid='id');
                    CREATE TABLE page_ft_notes (a);
                    CREATE INDEX page_text ON page (text);
                    CREATE VIEW long AS SELECT * FROM page WHERE length(text) > 10;
                    CREATE TRIGGER page_ai AFTER INSERT ON page BEGIN INSERT INTO page_ft (rowid, text) VALUES (new.id, new.text); END;
                    INSERT INTO page (text) VALUES ('a text about clusters'), ('short');
                    ANALYZE;
                    """)
            #expect(db.lastInsertedRowID == 2)
        }
        let reader = try Self.nodes!.open("schema")
        try reader.read { db in
            let statement = try db.makeStatement(sql: "SELECT long.id, text FROM page_ft JOIN long USING (text) WHERE page_ft MATCH ?")
            try statement.setArguments(["clusters"])
            #expect(try statement.step())
            #expect(statement.string(at: 1) == "a text about clusters")
            #expect(try db.tableExists("page_ft_notes"))
        }
        // The copy is replaced completely.
        try other.write { db in try db.execute(sql: "ALTER TABLE page_ft_notes ADD COLUMN b") }
        try reader.read { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM page_ft_notes")
            #expect(statement.columnNames == ["a", "b"])
        }
    }

    @Test
    func `A change of the schema by another client is noticed`() throws {
        let other = try Self.nodes!.open("prevention")
        try cluster.write { db in
            try db.execute(sql: "DROP TABLE IF EXISTS s")
            try db.execute(sql: "CREATE TABLE s (a, b)")
            try db.execute(sql: "INSERT INTO s VALUES (1, 2)")
        }
        #expect(try texts("SELECT * FROM s") == ["1 2"])
        try other.write { db in
            try db.execute(sql: "ALTER TABLE s ADD COLUMN c DEFAULT 3")
            try db.execute(sql: "ALTER TABLE s DROP COLUMN a")
        }
        #expect(try texts("SELECT * FROM s") == ["2 3"])
        try cluster.write { db in try db.execute(sql: "CREATE TABLE IF NOT EXISTS later (x); INSERT INTO later VALUES (1)") }
        #expect(try other.unsafeRead { db in try db.tableExists("later") })
        try other.write { db in try db.execute(sql: "DROP TABLE later") }
    }

    @Test
    func `A statement that was prepared before another client has changed the schema has the right columns`() throws {
        let other = try Self.nodes!.open("prevention")
        try cluster.write { db in
            try db.execute(sql: "DROP TABLE IF EXISTS s; CREATE TABLE s (a, b); INSERT INTO s VALUES (1, 2)")
        }
        try cluster.writeWithoutTransaction { db in
            let all = try db.makeStatement(sql: "SELECT * FROM s")
            let second = try db.makeStatement(sql: "SELECT b FROM s")
            let insertion = try db.makeStatement(sql: "INSERT INTO s VALUES (?, ?)")
            try other.write { db in try db.execute(sql: "ALTER TABLE s DROP COLUMN a; ALTER TABLE s ADD COLUMN c DEFAULT 3") }
            #expect(try all.step())
            #expect(all.columnNames == ["b", "c"])
            #expect([all.int64(at: 0), all.int64(at: 1)] == [2, 3])
            all.reset()
            #expect(try second.step())
            #expect(second.int64(at: 0) == 2)
            second.reset()
            try insertion.setArguments([4, 5])
            try insertion.execute()
        }
        #expect(try texts("SELECT b, c FROM s ORDER BY b") == ["2 3", "4 5"])
    }
}
