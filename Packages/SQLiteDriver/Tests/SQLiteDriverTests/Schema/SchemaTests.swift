import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

@Suite struct SchemaTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    // MARK: Existence

    @Test(arguments: ["player", "PLAYER", "Player"])
    func `Tables, views and triggers are found regardless of case`(_ name: String) throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE Player (a);
                    CREATE VIEW PlayerView AS SELECT 1;
                    CREATE TRIGGER PlayerTrigger AFTER INSERT ON Player BEGIN SELECT 1; END;
                    """)
            #expect(try db.tableExists(name))
            #expect(try db.viewExists(name + "view"))
            #expect(try db.triggerExists(name + "TRIGGER"))
            #expect(try !db.viewExists(name))
            #expect(try !db.tableExists(name + "view"))
            #expect(try !db.triggerExists(name))
            #expect(try !db.tableExists("other"))
            #expect(try db.columns(in: name).map(\.name) == ["a"])
        }
    }

    @Test
    func `Names are looked up in one database or in all`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: #"""
                    ATTACH ':memory:' AS "the ""other""";
                    CREATE TABLE "the ""other""".attached (a);
                    CREATE TEMP TABLE temporary (b);
                    CREATE TABLE inMain (c)
                    """#)
            for (name, schema) in [("attached", "the \"other\""), ("temporary", "temp"), ("inMain", "main")] {
                #expect(try db.tableExists(name))
                #expect(try db.tableExists(name, in: schema))
                #expect(try db.tableExists(name, in: schema.uppercased()))
                #expect(try db.columns(in: name).count == 1)
                #expect(try db.columns(in: name, in: schema).count == 1)
                #expect(try db.primaryKey(name, in: schema).isRowID)
            }
            #expect(try !db.tableExists("inMain", in: "temp"))
            #expect(try !db.tableExists("attached", in: "main"))
            #expect(throws: DatabaseError.self) { try db.columns(in: "attached", in: "main") }
            expectError(.SQLITE_ERROR) { _ = try db.tableExists("inMain", in: "nowhere") }
        }
    }

    @Test(arguments: ["a b", "a\"b", "'", "é", "select", "a.b", "[x]", "a`b", "\"", ";", "a\"\u{301}b"])
    func `Names may hold quotes and anything else`(_ name: String) throws {
        try queue.write { db in
            let quoted = name.quotedDatabaseIdentifier
            try db.execute(
                sql: """
                    CREATE TABLE \(quoted) (\(quoted) INTEGER PRIMARY KEY, other UNIQUE);
                    CREATE TABLE child (\(quoted) REFERENCES \(quoted));
                    CREATE INDEX \((name + "index").quotedDatabaseIdentifier) ON \(quoted) (\(quoted));
                    """)
            #expect(try db.tableExists(name))
            #expect(try db.columns(in: name).map(\.name) == [name, "other"])
            #expect(try db.primaryKey(name).columns == [name])
            #expect(try db.indexes(on: name).contains { $0.columns == [name] && $0.name == name + "index" })
            let key = try db.foreignKeys(on: "child")[0]
            #expect(key.destinationTable == name)
            #expect(key.originColumns == [name])
            #expect(key.destinationColumns == [name])
            for (origin, destination) in key.mapping { #expect([origin, destination] == [name, name]) }
            #expect(key.mapping.count == 1)
        }
    }

    @Test
    func `Names that differ for SQLite differ`() throws {
        try queue.write { db in
            // SQLite ignores the case of ASCII letters only, and does not know canonical equivalence.
            try db.execute(sql: "CREATE TABLE \"é\" (a); CREATE TABLE \"É\" (b); CREATE TABLE \"e\u{301}\" (c)")
            #expect(try db.columns(in: "é").map(\.name) == ["a"])
            #expect(try db.columns(in: "É").map(\.name) == ["b"])
            #expect(try db.columns(in: "e\u{301}").map(\.name) == ["c"])
        }
    }

    // MARK: Columns

    @Test
    func `Columns are described`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (
                        a INTEGER PRIMARY KEY, b VARCHAR(10) NOT NULL DEFAULT 'x', c, "d e" REAL DEFAULT (1 + 1),
                        f GENERATED ALWAYS AS (a) VIRTUAL, g GENERATED ALWAYS AS (a) STORED)
                    """)
            let columns = try db.columns(in: "t")
            #expect(columns.map(\.name) == ["a", "b", "c", "d e", "f", "g"])
            #expect(columns.map(\.type).prefix(4) == ["INTEGER", "VARCHAR(10)", "", "REAL"])
            #expect(columns.map(\.isNotNull) == [false, true, false, false, false, false])
            #expect(columns.map(\.defaultValueSQL) == [nil, "'x'", nil, "1 + 1", nil, nil])
            #expect(columns.map(\.primaryKeyIndex) == [1, 0, 0, 0, 0, 0])
            #expect(columns.map(\.isGenerated) == [false, false, false, false, true, true])
        }
    }

    @Test
    func `Views have columns`() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE VIEW v AS SELECT b, a AS \"x y\" FROM t")
            #expect(try db.columns(in: "v").map(\.name) == ["b", "x y"])
            #expect(try db.primaryKeyIfKnown("v") == nil)
        }
    }

    @Test
    func `A missing table is an error`() throws {
        try queue.write { db in
            let error = expectError(.SQLITE_ERROR) { _ = try db.columns(in: "playr") }
            #expect(error?.message == "no such table: playr")
            #expect(error?.description.contains("Check the spelling") == true)
            expectError(.SQLITE_ERROR) { _ = try db.primaryKey("playr") }
            expectError(.SQLITE_ERROR) { _ = try db.primaryKey("playr", in: "main") }
            // After the table is created, it is found.
            try db.execute(sql: "CREATE TABLE playr (a)")
            #expect(try db.columns(in: "playr").count == 1)
        }
    }

    // MARK: Primary keys

    @Test(
        arguments: [
            ("CREATE TABLE t (a INTEGER PRIMARY KEY, b)", ["a"], "a", true, true),
            ("CREATE TABLE t (b, a integer, PRIMARY KEY (a))", ["a"], "a", true, true),
            ("CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)", ["a"], "a", true, true),
            ("CREATE TABLE t (a INTEGER, PRIMARY KEY (a DESC))", ["a"], "a", true, true),
            ("CREATE TABLE t (a INTEGER PRIMARY KEY DESC)", ["a"], nil, false, true),
            ("CREATE TABLE t (a INT PRIMARY KEY)", ["a"], nil, false, true),
            ("CREATE TABLE t (a TEXT PRIMARY KEY)", ["a"], nil, false, true),
            ("CREATE TABLE t (a INTEGER PRIMARY KEY) WITHOUT ROWID", ["a"], nil, false, false),
            ("CREATE TABLE t (a, b, c, PRIMARY KEY (c, a))", ["c", "a"], nil, false, true),
            ("CREATE TABLE t (a, b, c, PRIMARY KEY (c, a)) WITHOUT ROWID", ["c", "a"], nil, false, false),
            ("CREATE TABLE t (a, b)", ["rowid"], nil, true, true),
            ("CREATE TABLE t (a UNIQUE NOT NULL)", ["rowid"], nil, true, true),
            // Columns that take the names of the row ID.
            ("CREATE TABLE t (a TEXT PRIMARY KEY, rowid, oid) WITHOUT ROWID", ["a"], nil, false, false),
            ("CREATE TABLE t (oid TEXT PRIMARY KEY) WITHOUT ROWID", ["oid"], nil, false, false),
            ("CREATE TABLE t (rowid TEXT PRIMARY KEY)", ["rowid"], nil, false, true),
            ("CREATE TABLE t (rowid INTEGER PRIMARY KEY)", ["rowid"], "rowid", true, true),
            ("CREATE TABLE t (RowID TEXT, a)", ["oid"], nil, true, true),
            ("CREATE TABLE t (rowid TEXT, oid TEXT)", ["_rowid_"], nil, true, true),
            ("CREATE VIRTUAL TABLE t USING fts5(a)", ["rowid"], nil, true, true),
        ] as [(String, [String], String?, Bool, Bool)])
    func primaryKeys(
        _ sql: String, _ columns: [String], _ rowIDColumn: String?, _ isRowID: Bool, _ hasRowID: Bool
    ) throws {
        try queue.write { db in
            try db.execute(sql: sql)
            for schema in [nil, "main"] {
                let key = try db.primaryKey("t", in: schema)
                #expect(key.columns == columns)
                #expect(key.rowIDColumn == rowIDColumn)
                #expect(key.isRowID == isRowID)
                #expect(key.tableHasRowID == hasRowID)
            }
        }
    }

    // MARK: Indexes and foreign keys

    @Test
    func `Indexes are described`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a PRIMARY KEY, b UNIQUE, c, d);
                    CREATE INDEX "by c" ON t (c, d DESC);
                    CREATE UNIQUE INDEX "by d" ON t (d) WHERE d > 0;
                    CREATE INDEX "by expression" ON t (lower(c), d);
                    """)
            let indexes = try db.indexes(on: "T")
            #expect(indexes.count == 5)
            #expect(indexes.contains { $0.name == "by c" && $0.columns == ["c", "d"] && $0.isUnique == false })
            #expect(indexes.contains { $0.name == "by d" && $0.columns == ["d"] && $0.isUnique == true })
            #expect(indexes.contains { $0.name == "by expression" && $0.columns == ["d"] && $0.isUnique == false })
            #expect(indexes.filter { $0.name.hasPrefix("sqlite_autoindex_") }.map(\.isUnique) == [true, true])
            let error = expectError(.SQLITE_ERROR) { try db.indexes(on: "other") }
            #expect(error?.message == "no such table: other")
        }
    }

    @Test
    func `Foreign keys are described in their order`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT PRIMARY KEY);
                    CREATE TABLE citizenship (code TEXT, number INTEGER, PRIMARY KEY (number, code));
                    CREATE TABLE person (
                        a TEXT REFERENCES country, b TEXT REFERENCES Country (CODE),
                        c TEXT, d INTEGER,
                        FOREIGN KEY (d, c) REFERENCES citizenship,
                        FOREIGN KEY (c, d) REFERENCES citizenship (code, number),
                        FOREIGN KEY (a) REFERENCES missing)
                    """)
            let keys = try db.foreignKeys(on: "person")
            #expect(keys.map(\.destinationTable) == ["country", "Country", "citizenship", "citizenship", "missing"])
            #expect(keys.map(\.originColumns) == [["a"], ["b"], ["d", "c"], ["c", "d"], ["a"]])
            #expect(keys.prefix(4).map(\.destinationColumns) == [["code"], ["CODE"], ["number", "code"], ["code", "number"]])
            #expect(Set(keys.map(\.id)).count == 5)
            #expect(try db.foreignKeys(on: "country") == [])
            expectError(.SQLITE_ERROR) { try db.foreignKeys(on: "other") }
        }
    }

    @Test
    func `Foreign keys have their actions`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY, a, b, UNIQUE (a, b));
                    CREATE TABLE child (
                        p REFERENCES parent ON DELETE CASCADE ON UPDATE SET NULL,
                        q REFERENCES parent ON DELETE SET DEFAULT ON UPDATE RESTRICT,
                        r REFERENCES parent ON DELETE NO ACTION,
                        c, d, FOREIGN KEY (c, d) REFERENCES parent (a, b) ON UPDATE CASCADE)
                    """)
            let keys = try db.foreignKeys(on: "child")
            #expect(keys.map(\.deleteAction) == [.cascade, .setDefault, nil, nil])
            #expect(keys.map(\.updateAction) == [.setNull, .restrict, nil, .cascade])
        }
    }

    @Test
    func `Column descriptions can be created`() throws {
        let columns = try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE made (a INTEGER NOT NULL DEFAULT 1 PRIMARY KEY, b, c AS (a + 1))")
            return try db.columns(in: "made")
        }
        #expect(
            columns == [
                ColumnInfo(name: "a", type: "INTEGER", isNotNull: true, defaultValueSQL: "1", primaryKeyIndex: 1),
                ColumnInfo(name: "b", type: ""),
                ColumnInfo(name: "c", type: "", isGenerated: true),
            ])
    }

    // MARK: Changes of the schema

    /// Expects that a change is noticed, by the generation and by the schema cache.
    private func expectNoticed(
        _ db: Database, sourceLocation: SourceLocation = #_sourceLocation, columns: [String], _ change: () throws -> Void
    ) throws {
        let before = try db.schemaGeneration()
        #expect(try db.schemaGeneration() == before, sourceLocation: sourceLocation)
        try change()
        #expect(try db.columns(in: "t").map(\.name) == columns, sourceLocation: sourceLocation)
        #expect(try db.schemaGeneration() != before, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("ALTER TABLE t ADD COLUMN b", ["a", "b"]),
        ("ALTER TABLE t RENAME COLUMN a TO z", ["z"]),
        ("DROP TABLE t; CREATE TABLE t (x)", ["x"]),
        ("ALTER TABLE t RENAME TO u; CREATE TABLE t (y)", ["y"]),
        ("CREATE TEMP TABLE t (inTemp)", ["inTemp"]),
        ("CREATE TABLE other (a)", ["a"]),
        ("CREATE INDEX i ON t (a)", ["a"]),
        ("CREATE VIEW v AS SELECT 1", ["a"]),
        ("ATTACH ':memory:' AS other", ["a"]),
    ])
    func `A connection notices its own changes`(_ sql: String, _ columns: [String]) throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            try expectNoticed(db, columns: columns) { try db.execute(sql: sql) }
        }
    }

    @Test
    func `A connection notices its own changes in a transaction and their rollback`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try queue.writeWithoutTransaction { db in
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            try db.beginTransaction()
            try expectNoticed(db, columns: ["a", "b"]) { try db.execute(sql: "ALTER TABLE t ADD COLUMN b") }
            try db.execute(sql: "SAVEPOINT s")
            try expectNoticed(db, columns: ["a", "b", "c"]) { try db.execute(sql: "ALTER TABLE t ADD COLUMN c") }
            try expectNoticed(db, columns: ["a", "b"]) { try db.execute(sql: "ROLLBACK TO s") }
            try expectNoticed(db, columns: ["a"]) { try db.rollback() }
            try db.beginTransaction()
            try expectNoticed(db, columns: ["a", "d"]) { try db.execute(sql: "ALTER TABLE t ADD COLUMN d") }
            try expectNoticed(db, columns: ["a"]) { try db.execute(sql: "ROLLBACK") }
        }
        try? queue.write { db in
            try expectNoticed(db, columns: ["a", "e"]) { try db.execute(sql: "ALTER TABLE t ADD COLUMN e") }
            throw TestError()
        }
        #expect(try queue.read { try $0.columns(in: "t").map(\.name) } == ["a"])
    }

    @Test(arguments: ["ROLLBACK", "ROLLBACK TO s", "INSERT OR ROLLBACK INTO unique_a VALUES (1), (1)"])
    func `The rollback of a temporary table is noticed`(_ end: String) throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); CREATE TABLE unique_a (a UNIQUE)") }
        try queue.writeWithoutTransaction { db in
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            try db.execute(sql: "BEGIN; SAVEPOINT s")
            try expectNoticed(db, columns: ["b"]) { try db.execute(sql: "CREATE TEMP TABLE t (b)") }
            try? db.execute(sql: end)
            try db.rollback()
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
        }
    }

    @Test
    func `A change that SQLite rolls back is noticed`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)") }
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
            expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t (a) VALUES (1)") }
            try db.rollback()
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
        }
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `The changes of another connection are noticed`(_ journalMode: String) throws {
        let folder = try TemporaryFolder()
        let first = try DatabaseQueue(path: folder.path("database.sqlite"))
        let second = try DatabaseQueue(path: folder.path("database.sqlite"))
        try first.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(journalMode); CREATE TABLE t (a)") }
        // The change comes between two accesses.
        let generation = try first.read { db in
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            return try db.schemaGeneration()
        }
        try second.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        try first.read { (db) throws in
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
            #expect(try db.schemaGeneration() != generation)
        }
        // The change comes within an access without a transaction, and affects the primary key.
        try first.writeWithoutTransaction { db in
            #expect(try db.primaryKey("t").isRowID)
            try expectNoticed(db, columns: ["x"]) {
                try second.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (x TEXT PRIMARY KEY)") }
            }
            #expect(try db.primaryKey("t").columns == ["x"])
            #expect(try db.tableExists("t"))
        }
    }

    @Test
    func `Inside a transaction the changes of another connection are not seen`() throws {
        let folder = try TemporaryFolder()
        let first = try DatabaseQueue(path: folder.path("database.sqlite"))
        let second = try DatabaseQueue(path: folder.path("database.sqlite"))
        try first.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
        try first.read { db in
            let generation = try db.schemaGeneration()
            try second.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
            #expect(try db.schemaGeneration() == generation)
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            #expect(try db.values("SELECT * FROM t") == [])
        }
        #expect(try first.read { try $0.columns(in: "t").map(\.name) } == ["a", "b"])
    }

    @Test
    func `The changes of an attached file are noticed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("attached.sqlite")
        let other = try DatabaseQueue(path: path)
        try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [path])
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            try expectNoticed(db, columns: ["a", "b"]) {
                try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
            }
            try db.execute(sql: "DETACH other")
            expectError(.SQLITE_ERROR) { _ = try db.columns(in: "t") }
            // The cache has dropped the columns of the detached database.
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.t (c)")
            #expect(try db.columns(in: "t").map(\.name) == ["c"])
        }
    }

    @Test(arguments: ["SQL", "compiled SQL", "the C API", "the C API, compiled", "deserialization"])
    func `Databases are known in whatever way they are attached`(_ way: String) throws {
        try queue.writeWithoutTransaction { db in
            func expectNames(_ names: [String]) throws {
                #expect(try db.databaseNames() == names)
                #expect(try db.texts("SELECT name FROM pragma_database_list ORDER BY seq") == names)
            }
            try expectNames(["main"])
            try db.execute(sql: "CREATE TEMP TABLE u (a)")
            try expectNames(["main", "temp"])
            let sql = "ATTACH 'file:attached?mode=memory' AS other"
            let statement = try way == "compiled SQL" ? db.makeStatement(sql: sql) : nil
            var handle: SQLiteStatement?
            if way == "the C API, compiled" { sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &handle, nil) }
            defer { sqlite3_finalize(handle) }
            expectError(.SQLITE_ERROR) { _ = try db.columns(in: "t") }
            switch way {
            case "SQL": try db.execute(sql: sql)
            case "the C API": sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
            case "deserialization":
                sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
                sqlite3_deserialize(db.sqliteConnection, "other", nil, 0, 0, 3)
            default:
                try statement?.execute()
                sqlite3_step(handle)
            }
            try expectNames(["main", "temp", "other"])
            try db.execute(sql: "CREATE TABLE other.t (a)")
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            // A table of an earlier database takes the name over.
            let query = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(try !query.step())
            try db.execute(sql: "CREATE TABLE t (b); INSERT INTO t VALUES (1)")
            #expect(try query.step())
            query.reset()
            try db.execute(sql: "DETACH other")
            try expectNames(["main", "temp"])
        }
    }

    @Test
    func `Reading does not change the generation`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let generation = try queue.read { try $0.schemaGeneration() }
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (2); UPDATE t SET a = 3; DELETE FROM t")
            #expect(try db.schemaGeneration() == generation)
            _ = try db.columns(in: "t")
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .commit
            }
            #expect(try db.schemaGeneration() == generation)
        }
        #expect(try queue.read { try $0.schemaGeneration() } == generation)
    }

    @Test
    func `The cache can be cleared`() throws {
        try queue.write { db in
            let generation = try db.schemaGeneration()
            db.clearSchemaCache()
            #expect(try db.schemaGeneration() != generation)
        }
    }

    @Test
    func `A statement compiles for a schema that another connection has just changed`() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let other = try DatabaseQueue(path: folder.path("db.sqlite"))
        // SQLite reports these errors for the schema that it knows, without reading the file.
        try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2, 3)") }
        try other.write { try $0.execute(sql: "CREATE UNIQUE INDEX i ON t (a)") }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2, 4) ON CONFLICT (a) DO UPDATE SET b = excluded.b") }
        try other.write { try $0.execute(sql: "CREATE TABLE u (c)") }
        try queue.write { try $0.execute(sql: "INSERT INTO u VALUES (5)") }
        #expect(try queue.read { try $0.values("SELECT b FROM t WHERE a = 2") } == [DatabaseValue(storage: .int64(4))])
        // SQL that does not fit the new schema either throws the same error.
        try queue.write { db in
            expectError(.SQLITE_ERROR) { try db.execute(sql: "INSERT INTO t VALUES (1, 2, 3)") }
            expectError(.SQLITE_ERROR) { try db.execute(sql: "SELEKT 1") }
        }
    }
}
