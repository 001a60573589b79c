import SQLiteDriver
import Testing

@Suite struct SchemaSourceTests {
    /// Knows the keys of some views.
    private struct Source: DatabaseSchemaSource {
        var keys: [String: [String]]

        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { keys[view.name] }
    }

    private func makeQueue(_ source: (any DatabaseSchemaSource)?) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.schemaSource = source
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, team, number);
                    CREATE VIEW V AS SELECT id, team, number FROM player;
                    CREATE VIEW w AS SELECT id, team, number FROM player;
                    ATTACH ':memory:' AS other;
                    CREATE TEMP VIEW x AS SELECT 1 AS a;
                    """)
        }
        return queue
    }

    @Test
    func `A view has the key that the source knows`() throws {
        let queue = try makeQueue(Source(keys: ["V": ["TEAM", "number"], "w": [], "x": ["a"], "player": ["team"]]))
        try queue.read { (db) throws in
            for name in ["v", "V"] {
                let key = try db.primaryKey(name)
                #expect(key.columns == ["team", "number"])
                #expect(!key.isRowID && !key.tableHasRowID && key.rowIDColumn == nil)
            }
            #expect(try db.primaryKey("v", in: "MAIN").columns == ["team", "number"])
            #expect(try db.primaryKey("x").columns == ["a"])
            #expect(try db.isTable("v", hasUniqueKeys: ["number", "team", "id"]))
            #expect(try db.isTable("v", hasUniqueKeys: ["team"]) == false)
            // An empty array is not a key, and tables have their own keys.
            #expect(try db.primaryKeyIfKnown("w") == nil)
            #expect(try db.isTable("w", hasUniqueKeys: ["rowid"]) == false)
            #expect(try db.primaryKey("player").columns == ["id"])
        }
    }

    @Test
    func `The key of a view that no source knows is an error`() throws {
        try makeQueue(nil).read { (db) throws in
            for name in ["v", "W", "x"] {
                let error = expectError(.SQLITE_MISUSE) { try db.primaryKey(name) }
                #expect(error?.message == "\(name) is a view, whose primary key is not known")
                #expect(try db.primaryKeyIfKnown(name) == nil)
                #expect(try db.isTable(name, hasUniqueKeys: ["rowid"]) == false)
            }
            let error = expectError(.SQLITE_ERROR) { try db.primaryKeyIfKnown("nothing") }
            #expect(error?.message == "no such table: nothing")
        }
    }

    @Test
    func `A view has the key rowid if it has a column of this name`() throws {
        try DatabaseQueue().write { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a); CREATE VIEW v AS SELECT rowid, * FROM t")
            #expect(try db.primaryKey("v").columns == ["rowid"])
            #expect(try db.primaryKey("v").tableHasRowID == false)
        }
    }

    @Test
    func `A name refers to a view unless a table hides it`() throws {
        try DatabaseQueue().write { (db) throws in
            try db.execute(
                sql: """
                    CREATE TABLE t (a);
                    CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID;
                    CREATE VIEW v AS SELECT rowid, rowid AS oid, rowid AS _rowid_ FROM t;
                    CREATE TEMP VIEW "main.t" AS SELECT 1;
                    """)
            for name in ["v", "V", "main.t"] { #expect(try db.isView(name)) }
            for name in ["t", "w", "nothing", "v\0", "sqlite_master", "temp"] { #expect(try !db.isView(name)) }
            #expect(try db.isView("v", in: "main") && !db.isView("v", in: "temp"))
            try db.execute(sql: "CREATE TEMP TABLE v (a); CREATE TEMP VIEW t AS SELECT 1")
            #expect(try !db.isView("v") && db.isView("v", in: "main") && db.isView("t") && !db.isView("t", in: "main"))
            try db.execute(sql: "DROP TABLE temp.v; DROP TABLE w; CREATE VIEW w AS SELECT 1")
            #expect(try db.isView("v") && db.isView("w"))
        }
    }

    @Test
    func `Asking whether a table is a view does not read the database`() throws {
        let folder = try TemporaryFolder()
        let (queue, other) = (try DatabaseQueue(path: folder.path("db")), try DatabaseQueue(path: folder.path("db")))
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.inTransaction(.deferred) {
                #expect(try !db.isView("t"))
                // Fails if this transaction has a lock.
                try other.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                return .commit
            }
        }
    }

    @Test
    func `A source gets the name of the view`() throws {
        struct Recorder: DatabaseSchemaSource {
            let seen = Box<[DatabaseObjectID]>([])
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
                seen.value.append(view)
                return nil
            }
        }
        let recorder = Recorder()
        try makeQueue(recorder).read { (db) throws in
            _ = try db.primaryKeyIfKnown("v")
            _ = try db.primaryKeyIfKnown("X")
            _ = try db.primaryKeyIfKnown("player")
        }
        #expect(
            recorder.seen.value == [DatabaseObjectID(name: "V", schemaID: .main), DatabaseObjectID(name: "x", schemaID: .temp)])
    }

    @Test
    func `A column that the view does not have is an error`() throws {
        let error = expectError(.SQLITE_MISUSE) {
            try makeQueue(Source(keys: ["V": ["id", "nope"]])).read { try $0.primaryKey("v") }
        }
        #expect(error?.message == "the view V has no column nope for its primary key")
    }

    @Test
    func `An error of the source is thrown and not cached`() throws {
        struct Failing: DatabaseSchemaSource {
            let fails = Box(true)
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
                if fails.value { throw TestError() }
                return ["id"]
            }
        }
        let source = Failing()
        try makeQueue(source).read { (db) throws in
            #expect(throws: TestError.self) { try db.primaryKey("v") }
            source.fails.value = false
            #expect(try db.primaryKey("v").columns == ["id"])
            #expect(db.schemaSource != nil)
        }
    }

    @Test
    func `A source may read other keys`() throws {
        struct Asking: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
                // Meanwhile all views, including this one, have the keys that SQLite knows.
                guard try db.primaryKeyIfKnown(view.name) == nil, try db.primaryKeyIfKnown("w") == nil else { return nil }
                return try db.primaryKey("player").columns
            }
        }
        try makeQueue(Asking()).read { (db) throws in
            #expect(try db.primaryKey("v").columns == ["id"])
            #expect(try db.primaryKey("w").columns == ["id"])
            #expect(try db.primaryKey("v").columns == ["id"])
        }
    }

    @Test
    func `Combined sources are asked in turn`() throws {
        struct Silent: DatabaseSchemaSource {}
        let source = Silent().then(Source(keys: ["V": ["id"], "w": []])).then(Source(keys: ["V": ["team"], "w": ["number"]]))
        try makeQueue(source).read { (db) throws in
            #expect(try db.primaryKey("v").columns == ["id"])
            #expect(try db.primaryKey("w").columns == ["number"])
            #expect(try db.primaryKeyIfKnown("x") == nil)
        }
    }

    @Test
    func `A source can be replaced for a closure`() throws {
        try makeQueue(Source(keys: ["V": ["id"]])).read { (db) throws in
            #expect(try db.primaryKey("v").columns == ["id"])
            let generation = try db.schemaGeneration()
            try db.withSchemaSource(Source(keys: ["V": ["team"]])) { () throws in
                #expect(try db.primaryKey("v").columns == ["team"])
                try db.withSchemaSource(nil) { () throws in
                    #expect(db.schemaSource == nil)
                    #expect(try db.primaryKeyIfKnown("v") == nil)
                }
                // Caches of layers above, which compare the generation, are invalidated, too.
                #expect(try db.schemaGeneration() != generation)
            }
            #expect(try db.primaryKey("v").columns == ["id"])
            #expect(throws: TestError.self) { try db.withSchemaSource(nil) { throw TestError() } }
            #expect(try db.primaryKey("v").columns == ["id"])
        }
    }
}
