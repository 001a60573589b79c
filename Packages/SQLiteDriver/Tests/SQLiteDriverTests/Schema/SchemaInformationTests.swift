import Foundation
import SQLiteDriver
import Testing

@Suite struct SchemaInformationTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    // MARK: Indexes

    @Test
    func `Indexes have their origin and their columns`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a TEXT PRIMARY KEY, b UNIQUE, c, d, UNIQUE (d, c));
                    CREATE UNIQUE INDEX "by c" ON t (c);
                    CREATE INDEX "some d" ON t (d) WHERE d > 0;
                    CREATE INDEX "by sum" ON t (c, c + d);
                    """)
            let indexes = try db.indexes(on: "T")
            func index(_ columns: [String], _ origin: IndexInfo.Origin) -> IndexInfo? {
                indexes.first { $0.columns == columns && $0.origin == origin }
            }
            #expect(indexes.count == 6)
            #expect(index(["a"], .primaryKeyConstraint)?.isUnique == true)
            #expect(index(["b"], .uniqueConstraint)?.isUnique == true)
            #expect(index(["d", "c"], .uniqueConstraint)?.isUnique == true)
            let byC = try #require(index(["c"], .createIndex))
            #expect(indexes.filter { $0.name == "by c" } == [indexes.first { $0.name == "by c" && $0.isUnique }])
            let some = try #require(index(["d"], .createIndex))
            #expect(some.name == "some d" && some.isPartial && !some.hasExpressions && !some.isUnique)
            let sum = try #require(indexes.first { $0.name == "by sum" })
            #expect(sum.columns == ["c"] && sum.hasExpressions && !sum.isPartial)
            #expect([byC.isPartial, byC.name == "by sum"] == [false, byC.hasExpressions])
        }
    }

    @Test
    func `A missing table has neither indexes nor foreign keys`() throws {
        try queue.write { db in
            for schema in [nil, "main", "temp"] {
                let error = expectError(.SQLITE_ERROR) { try db.indexes(on: "playr", in: schema) }
                #expect(error?.message?.hasPrefix("no such table: ") == true)
                expectError(.SQLITE_ERROR) { try db.foreignKeys(on: "playr", in: schema) }
                expectError(.SQLITE_ERROR) { try db.foreignKeyViolations(in: "playr", in: schema) }
                expectError(.SQLITE_ERROR) { try db.checkForeignKeys(in: "playr", in: schema) }
            }
            expectError(.SQLITE_ERROR) { try db.table("playr", hasUniqueKey: ["id"]) }
        }
    }

    @Test
    func `Tables outside the schema table have no indexes`() throws {
        try queue.write { db in
            #expect(try db.indexes(on: "sqlite_master") == [])
            #expect(try db.foreignKeys(on: "sqlite_master") == [])
            #expect(try db.indexes(on: "json_each") == [])
            #expect(try db.columns(in: "json_each").contains { $0.name == "value" })
            try db.execute(sql: "CREATE VIEW v AS SELECT 1 AS a")
            #expect(try db.indexes(on: "v") == [])
            #expect(try db.foreignKeys(on: "v") == [])
        }
    }

    // MARK: Unique keys

    @Test(
        arguments: [
            (["id"], true), (["ID"], true), (["a", "b"], true), (["B", "a"], true), (["id", "a"], true), (["a", "b", "c"], true),
            (["rowid"], true), (["oid"], true), (["a"], false), (["c"], false), (["d"], false), (["e"], false), ([], false),
            (["nothing"], false),
        ] as [([String], Bool)])
    func `A table has unique keys`(_ columns: [String], _ isUnique: Bool) throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d, e);
                    CREATE UNIQUE INDEX "a b" ON t (a, b);
                    CREATE INDEX "just c" ON t (c);
                    CREATE UNIQUE INDEX "some d" ON t (d) WHERE d > 0;
                    CREATE UNIQUE INDEX "lower e" ON t (lower(e));
                    CREATE UNIQUE INDEX "e and lower e" ON t (e, lower(e));
                    """)
            #expect(try db.table("T", hasUniqueKey: columns) == isUnique)
            #expect(try db.isTable("T", hasUniqueKeys: columns) == isUnique)
            #expect(try db.table("T", hasUniqueKey: Set(columns)) == isUnique)
        }
    }

    @Test(
        arguments: [
            ("CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID", ["a", "b"], true),
            ("CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID", ["b"], false),
            ("CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID", ["rowid"], false),
            ("CREATE TABLE t (a TEXT UNIQUE)", ["a"], true),
            ("CREATE TABLE t (a)", ["rowid"], true),
            ("CREATE TABLE t (rowid TEXT)", ["rowid"], false),
            ("CREATE TABLE t (rowid TEXT)", ["oid"], true),
            ("CREATE TABLE t (rowid TEXT)", ["_ROWID_"], true),
            ("CREATE VIRTUAL TABLE t USING fts5(a)", ["a"], false),
            ("CREATE VIRTUAL TABLE t USING fts5(a)", ["rowid"], true),
            ("CREATE VIEW t AS SELECT 1 AS a", ["a"], false),
            ("CREATE VIEW t AS SELECT 1 AS a", ["rowid"], false),
            ("CREATE TABLE \"the table\" (a); CREATE TABLE t (\"select\" UNIQUE)", ["select"], true),
        ] as [(String, [String], Bool)])
    func uniqueKeysOfAllKindsOfTables(_ sql: String, _ columns: [String], _ isUnique: Bool) throws {
        try queue.write { db in
            try db.execute(sql: sql)
            #expect(try db.table("t", hasUniqueKey: columns) == isUnique)
        }
    }

    // MARK: Databases

    /// A table named t in each of three databases, with columns, indexes and foreign keys that differ.
    private func makeThree(_ db: Database) throws {
        try db.execute(
            sql: """
                ATTACH ':memory:' AS "Other";
                CREATE TABLE other.parent (otherKey TEXT PRIMARY KEY);
                CREATE TABLE other.t (inOther REFERENCES parent);
                CREATE INDEX other.i ON t (inOther);
                CREATE TABLE main.parent (mainKey INTEGER PRIMARY KEY);
                CREATE TABLE main.t (inMain REFERENCES parent);
                CREATE UNIQUE INDEX main.i ON t (inMain);
                CREATE TABLE other.only (a PRIMARY KEY) WITHOUT ROWID;
                """)
    }

    private func makeTemporary(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE temp.parent (tempKey PRIMARY KEY) WITHOUT ROWID;
                CREATE TABLE temp.t (inTemp REFERENCES parent);
                CREATE INDEX temp.i ON t (inTemp);
                """)
    }

    @Test
    func `An unqualified name finds temporary tables then main ones then attached ones`() throws {
        try queue.writeWithoutTransaction { db in
            try makeThree(db)
            #expect(try db.columns(in: "only").map(\.name) == ["a"])
            #expect(try db.primaryKey("ONLY").tableHasRowID == false)
            for (temporary, column, key) in [(false, "inMain", "mainKey"), (true, "inTemp", "tempKey")] {
                if temporary { try makeTemporary(db) }
                #expect(try db.columns(in: "t").map(\.name) == [column])
                #expect(try db.indexes(on: "t").map(\.columns) == [[column]])
                #expect(try db.indexes(on: "t").map(\.isUnique) == [!temporary])
                #expect(try db.foreignKeys(on: "t").map(\.destinationColumns) == [[key]])
                #expect(try db.table("t", hasUniqueKey: [column]) == !temporary)
                #expect(try db.primaryKey("parent").tableHasRowID == !temporary)
            }
            try db.execute(sql: "DROP TABLE temp.t; DROP TABLE main.t")
            #expect(try db.columns(in: "t").map(\.name) == ["inOther"])
            #expect(try db.foreignKeys(on: "t").map(\.destinationColumns) == [["otherKey"]])
        }
    }

    @Test(arguments: [
        ("temp", "inTemp", "tempKey"), ("main", "inMain", "mainKey"), ("other", "inOther", "otherKey"),
        ("TEMP", "inTemp", "tempKey"), ("Main", "inMain", "mainKey"), ("oTHER", "inOther", "otherKey"),
    ])
    func `A database can be named`(_ schema: String, _ column: String, _ key: String) throws {
        try queue.writeWithoutTransaction { db in
            try makeThree(db)
            try makeTemporary(db)
            #expect(try db.columns(in: "T", in: schema).map(\.name) == [column])
            #expect(try db.indexes(on: "T", in: schema).map(\.columns) == [[column]])
            let foreignKey = try #require(try db.foreignKeys(on: "T", in: schema).first)
            #expect(foreignKey.originColumns == [column])
            #expect(foreignKey.destinationColumns == [key])
            #expect(try db.primaryKey("parent", in: schema).columns == [key])
        }
    }

    @Test
    func `Indexes and foreign keys follow the schema`() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE parent (a PRIMARY KEY, b UNIQUE); CREATE TABLE t (a REFERENCES parent)")
            #expect(try db.indexes(on: "t").isEmpty)
            #expect(try db.foreignKeys(on: "t").count == 1)
            try db.execute(sql: "CREATE INDEX i ON t (a)")
            #expect(try db.indexes(on: "t").count == 1)
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c REFERENCES parent (b)")
            #expect(try db.foreignKeys(on: "t").count == 2)
            try? db.inSavepoint {
                try db.execute(sql: "DROP INDEX i")
                #expect(try db.indexes(on: "t").isEmpty)
                return .rollback
            }
            #expect(try db.indexes(on: "t").count == 1)
        }
    }

    @Test
    func `The schema has a version`() throws {
        try queue.write { db in
            let version = try db.schemaVersion()
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try db.schemaVersion() == version + 1)
            try db.execute(sql: "CREATE TEMP TABLE u (a)")
            #expect(try db.schemaVersion() == version + 1)
        }
    }

    // MARK: Names

    @Test
    func `Database names ignore case`() throws {
        #expect(DatabaseSchemaID.attached("MAIN") == .main)
        #expect(DatabaseSchemaID.attached("Temp") == .temp)
        #expect(DatabaseSchemaID.attached("Other").hashValue == DatabaseSchemaID.attached("OTHER").hashValue)
        #expect(DatabaseSchemaID.attached("é") != .attached("É"))
        #expect(DatabaseSchemaID.attached("é") != .attached("e\u{301}"))
        #expect(DatabaseSchemaID.attached("Other").name == "Other")
        let id = DatabaseObjectID(name: "Player", schemaID: .main)
        #expect(Set([id]).contains(DatabaseObjectID(name: "player", schemaID: .attached("main"))))
        #expect(id != DatabaseObjectID(name: "player", schemaID: .temp))
        #expect("\(id)" == "main.Player")
    }

    @Test
    func `Databases have a schema table`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ':memory:' AS \"the \"\"other\"; CREATE TABLE t (a); CREATE TEMP TABLE u (a)")
            #expect(try db.texts("SELECT name FROM \(DatabaseSchemaID.main.schemaTableName)") == ["t"])
            #expect(try db.texts("SELECT name FROM \(DatabaseSchemaID.temp.schemaTableName)") == ["u"])
            #expect(try db.texts("SELECT name FROM \(DatabaseSchemaID.attached("the \"other").schemaTableName)") == [])
        }
    }

    @Test
    func `Some tables are internal`() {
        #expect(Database.isSQLiteInternalTable("sqlite_sequence"))
        #expect(Database.isSQLiteInternalTable("SQLite_Master"))
        #expect(!Database.isSQLiteInternalTable("sqlite"))
        #expect(!Database.isSQLiteInternalTable("my_sqlite_table"))
        #expect(Database.isStrataInternalTable("strata_migrations"))
        #expect(Database.isStrataInternalTable("grdb_migrations"))
        #expect(Database.isGRDBInternalTable("GRDB_migrations"))
        #expect(!Database.isStrataInternalTable("player"))
    }

    @Test
    func `Types and actions are SQL`() throws {
        let types: [Database.ColumnType] = [
            .any, .blob, .boolean, .date, .datetime, .double, .integer, .jsonText, .jsonb, .numeric, .real, .text,
        ]
        let actions = Database.ForeignKeyAction.allCases
        try queue.write { db in
            let columns = types.enumerated().map { "c\($0) \($1.rawValue)" } + ["id INTEGER PRIMARY KEY"]
            let keys = actions.map { "FOREIGN KEY (id) REFERENCES t ON DELETE \($0.rawValue)" }
            try db.execute(sql: "CREATE TABLE t (\((columns + keys).joined(separator: ", ")))")
            #expect(try db.columns(in: "t").map(\.type).dropLast() == types.map(\.rawValue)[...])
            #expect(try db.texts("SELECT on_delete FROM pragma_foreign_key_list('t')") == actions.map(\.rawValue).reversed())
            for storage in [Database.StorageClass.integer, .real, .text, .blob] {
                #expect(try db.texts("SELECT upper(typeof(CAST('1' AS \(storage.rawValue))))") == [storage.rawValue])
            }
        }
    }
}
