import Foundation
import QueryInterface
import Testing

@Suite struct SchemaTableTests {
    @Test
    func `A table with all kinds of columns and constraints`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                try db.create(table: "team") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull()
                }
                try db.create(table: "country", options: .withoutRowID) { t in
                    t.primaryKey("code", .text)
                }
                try db.create(table: "player", options: .ifNotExists) { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull().unique(onConflict: .replace).check { $0 != "" }.defaults(to: "O'Brien")
                        .collate(.nocase)
                    t.column("score", .integer).notNull(onConflict: .ignore).defaults(to: 0).indexed()
                    t.column("bonus", .double).check(sql: "bonus >= 0").check { $0 < 1000.5 }
                    t.column("createdAt", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
                    t.column("total").generatedAs(sql: "score + bonus", .stored)
                    t.column("captainId", .integer).references("player", onDelete: .setNull)
                    t.column(sql: "note VARCHAR(10)")
                    t.column(literal: "grade TEXT DEFAULT \("A")")
                    t.belongsTo("team", onDelete: .cascade, onUpdate: .restrict, deferred: true).notNull()
                    t.belongsTo("birthplace", inTable: "country", indexed: false)
                    t.uniqueKey(["name", "createdAt"], onConflict: .fail)
                    t.foreignKey(["grade"], references: "country", columns: ["code"], onDelete: .setDefault)
                    t.check(Column("score") > Column("bonus"))
                    t.check(sql: "score < 1000000")
                    t.constraint(sql: "CONSTRAINT positive CHECK (score >= 0)")
                    t.constraint(literal: "CONSTRAINT low CHECK (score < \(99))")
                }
            }
            #expect(
                sql == [
                    #"CREATE TABLE "team" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL)"#,
                    #"CREATE TABLE "country" ("code" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#,
                    "SAVEPOINT strata",
                    #"CREATE TABLE IF NOT EXISTS "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "#
                        + #""name" TEXT NOT NULL UNIQUE ON CONFLICT REPLACE CHECK ("name" <> '') DEFAULT 'O''Brien' COLLATE NOCASE, "#
                        + #""score" INTEGER NOT NULL ON CONFLICT IGNORE DEFAULT 0, "#
                        + #""bonus" DOUBLE CHECK (bonus >= 0) CHECK ("bonus" < 1000.5), "#
                        + #""createdAt" DATETIME DEFAULT CURRENT_TIMESTAMP, "#
                        + #""total" GENERATED ALWAYS AS (score + bonus) STORED, "#
                        + #""captainId" INTEGER REFERENCES "player" ("id") ON DELETE SET NULL, "#
                        + #"note VARCHAR(10), grade TEXT DEFAULT 'A', "#
                        + #""teamId" INTEGER NOT NULL REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE RESTRICT "#
                        + #"DEFERRABLE INITIALLY DEFERRED, "#
                        + #""birthplaceCode" TEXT REFERENCES "country" ("code"), "#
                        + #"UNIQUE ("name", "createdAt") ON CONFLICT FAIL, "#
                        + #"FOREIGN KEY ("grade") REFERENCES "country" ("code") ON DELETE SET DEFAULT, "#
                        + #"CHECK ("score" > "bonus"), CHECK (score < 1000000), "#
                        + #"CONSTRAINT positive CHECK (score >= 0), CONSTRAINT low CHECK (score < 99))"#,
                    #"CREATE INDEX IF NOT EXISTS "player_on_score" ON "player" ("score")"#,
                    #"CREATE INDEX IF NOT EXISTS "player_on_teamId" ON "player" ("teamId")"#,
                    "RELEASE SAVEPOINT strata",
                ])

            let columns = try db.columns(in: "player")
            #expect(
                columns.map(\.name) == [
                    "id", "name", "score", "bonus", "createdAt", "total", "captainId", "note", "grade", "teamId", "birthplaceCode",
                ])
            #expect(
                columns.map(\.type) == [
                    "INTEGER", "TEXT", "INTEGER", "DOUBLE", "DATETIME", "", "INTEGER", "VARCHAR(10)", "TEXT", "INTEGER", "TEXT",
                ])
            #expect(columns.filter(\.isNotNull).map(\.name) == ["name", "score", "teamId"])
            #expect(columns.filter(\.isGenerated).map(\.name) == ["total"])
            #expect(try db.primaryKey("player").rowIDColumn == "id")
            #expect(try db.foreignKeys(on: "player").map(\.destinationTable) == ["player", "team", "country", "country"])
            #expect(try Set(db.indexes(on: "player").map(\.columns)) == [["score"], ["teamId"], ["name"], ["name", "createdAt"]])
        }
    }

    @Test(
        arguments: [
            ([], #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY)"#),
            (.ifNotExists, #"CREATE TABLE IF NOT EXISTS "t" ("id" INTEGER PRIMARY KEY)"#),
            (.temporary, #"CREATE TEMPORARY TABLE "t" ("id" INTEGER PRIMARY KEY)"#),
            (.withoutRowID, #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY) WITHOUT ROWID"#),
            (.strict, #"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY) STRICT"#),
            (
                [.strict, .withoutRowID, .temporary, .ifNotExists],
                #"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("id" INTEGER PRIMARY KEY) WITHOUT ROWID, STRICT"#
            ),
        ] as [(TableOptions, String)])
    func `The options of tables`(options: TableOptions, sql: String) throws {
        try withEmptyDatabase { db throws in
            #expect(try db.statement { try db.create(table: "t", options: options) { $0.primaryKey("id", .integer) } } == sql)
            #expect(try db.tableExists("t", in: options.contains(.temporary) ? "temp" : "main"))
            #expect(try db.primaryKey("t").tableHasRowID == !options.contains(.withoutRowID))
        }
    }

    @Test
    func `Tables can be created with a parameter for each option`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                try db.create(table: "a", temporary: true, ifNotExists: true, withoutRowID: true) { $0.primaryKey("id", .text) }
                try db.create(table: "b", ifNotExists: false) { $0.column("x") }
            }
            #expect(
                sql == [
                    #"CREATE TEMPORARY TABLE IF NOT EXISTS "a" ("id" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#, #"CREATE TABLE "b" ("x")"#,
                ])
        }
    }

    @Test
    func `Creating an existing table throws an error, or only adds its missing indexes`() throws {
        try withDatabase("CREATE TABLE player (name TEXT); INSERT INTO player VALUES ('Arthur')") { db throws in
            #expect(
                try db.message { try db.create(table: "player") { $0.column("name", .text) } }
                    == #"table "player" already exists"#)
            for _ in 1...2 {
                try db.create(table: "player", options: .ifNotExists) { $0.column("name", .text).notNull().indexed() }
                #expect(try db.indexes(on: "player").map(\.name) == ["player_on_name"])
            }
            #expect(try db.columns(in: "player").map(\.isNotNull) == [false])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["Arthur"])
        }
    }

    @Test
    func `Indexes are created on the right table if a temporary table has the same name`() throws {
        try withDatabase("CREATE TEMPORARY TABLE player (id)") { db throws in
            let sql = try db.statements { try db.create(table: "player") { $0.column("name").indexed() } }
            #expect(
                sql[1...2] == [
                    #"CREATE TABLE "player" ("name")"#, #"CREATE INDEX "main"."player_on_name" ON "player" ("name")"#,
                ])
            #expect(try db.indexes(on: "player", in: "main").map(\.name) == ["player_on_name"])
            #expect(try db.indexes(on: "player", in: "temp").isEmpty)

            try db.create(table: "team", options: .temporary) { $0.column("name").indexed() }
            #expect(try db.indexes(on: "team", in: "temp").map(\.name) == ["team_on_name"])
        }
    }

    // MARK: - Strict tables

    @Test(arguments: [Database.ColumnType.integer, .real, .text, .blob, .any, .jsonText, .jsonb])
    func `A strict table accepts the types that SQLite supports`(type: Database.ColumnType) throws {
        try withEmptyDatabase { db throws in
            #expect(
                try db.statement { try db.create(table: "t", options: .strict) { $0.column("x", type) } }
                    == #"CREATE TABLE "t" ("x" \#(type.rawValue)) STRICT"#)
        }
    }

    @Test
    func `A strict table rejects other types, and values of other types`() throws {
        try withEmptyDatabase { db throws in
            for type in [Database.ColumnType.numeric, Database.ColumnType(rawValue: "VARCHAR(10)")] {
                let message = try db.message { try db.create(table: "t", options: .strict) { $0.column("x", type) } }
                #expect(message == #"unknown datatype for t.x: "\#(type.rawValue)""#)
            }
            let error = #expect(throws: DatabaseError.self) { try db.create(table: "t", options: .strict) { $0.column("x", .numeric) } }
            #expect(error?.advice?.hasPrefix("Strict tables have the types .integer, ") == true)
            #expect(
                try db.message { try db.create(table: "t", options: .strict) { $0.column("x") } } == "missing datatype for t.x")
            try db.create(table: "t", options: .strict) { $0.column("x", .integer) }
            expectViolation(of: .SQLITE_CONSTRAINT_DATATYPE, db, "INSERT INTO t VALUES ('one')")
        }
    }

    @Test
    func `A strict table stores dates, Booleans and doubles in the types that it has, also when it is altered or rebuilt`() throws {
        let types = [Database.ColumnType.date, .datetime, .boolean, .double, Database.ColumnType(rawValue: "boolean")]
        let stored = ["TEXT", "TEXT", "INTEGER", "REAL", "INTEGER"]
        try withEmptyDatabase { db throws in
            func define(_ t: TableDefinition) { for (index, type) in types.enumerated() { t.column("c\(index)", type) } }
            try db.create(table: "t", options: .strict, body: define)
            #expect(try db.columns(in: "t").map(\.type) == stored)
            try db.alter(table: "t") { t in for (index, type) in types.enumerated() { t.add(column: "d\(index)", type) } }
            #expect(try db.columns(in: "t").map(\.type) == stored + stored)
            let date = Date(timeIntervalSince1970: 1_700_000_000.5)
            try db.execute(sql: "INSERT INTO t (c0, c1, c2, c3) VALUES (?, ?, ?, ?)", arguments: [date, date, true, 1])
            try db.rebuild(table: "t") { t in
                define(t)
                for index in types.indices { t.drop(column: "d\(index)") }
            }
            #expect(try db.columns(in: "t").map(\.type) == stored)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
            #expect(row["c0"] == date && row["c1"] == date && row["c2"] == true && row["c3"] == 1.0)
            // A date that is stored as a number becomes a string, which is read as that number, or is an error.
            for seconds in [1_700_000_000.5, 0, -1.25, 1_700_000_000] {
                try db.execute(sql: "UPDATE t SET c1 = ?", arguments: [seconds])
                #expect(try Double.fetchOne(db, sql: "SELECT c1 FROM t") == seconds)
            }
            // Elsewhere, the declared types remain.
            try db.create(table: "other", body: define)
            #expect(try db.columns(in: "other").map(\.type) == types.map(\.rawValue))
        }
    }

    @Test
    func `A UUID is a BLOB or a TEXT in a strict table, also when the table is altered or rebuilt`() throws {
        let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        try withEmptyDatabase { db throws in
            for (options, type) in [([], "UUID"), (.strict, "BLOB"), ([.strict, .withoutRowID], "BLOB")] as [(TableOptions, String)] {
                try db.create(table: "parent", options: options) { $0.primaryKey("id", .uuid).notNull() }
                try db.create(table: "job", options: options) { t in
                    t.primaryKey("id", .uuid).notNull()
                    t.column("text", .uuidText)
                    t.belongsTo("parent")
                }
                try db.alter(table: "job") { $0.add(column: "other", Database.ColumnType(rawValue: "uuid")) }
                #expect(try db.columns(in: "job").map { $0.type.uppercased() } == [type, "TEXT", type, type])
                try db.execute(sql: "INSERT INTO parent VALUES (?)", arguments: [uuid])
                try db.execute(
                    sql: "INSERT INTO job VALUES (?1, ?2, ?1, ?1)", arguments: [uuid, uuid.uuidString])
                try db.rebuild(table: "job") { t in
                    t.primaryKey("id", .uuid).notNull()
                    t.column("text", .uuidText)
                    t.column("parentId", .uuid).references("parent")
                    t.column("other", .uuid)
                }
                #expect(try db.columns(in: "job").map(\.type) == [type, "TEXT", type, type])
                #expect(
                    try Row.fetchOne(db, sql: "SELECT * FROM job") == [
                        "id": uuid, "text": uuid.uuidString, "parentId": uuid, "other": uuid,
                    ])
                // SQLite changes neither form.
                if options.isEmpty {
                    try db.execute(sql: "UPDATE job SET other = ?", arguments: [uuid.uuidString])
                    #expect(try String.fetchOne(db, sql: "SELECT typeof(other) FROM job") == "text")
                }
                try db.drop(table: "job")
                try db.drop(table: "parent")
            }
        }
    }

    // MARK: - Primary keys

    @Test
    func `The forms of primary keys`() throws {
        try withEmptyDatabase { db throws in
            func check(_ sql: String, rowID: String? = nil, columns: [String], _ body: (TableDefinition) -> Void) throws {
                #expect(try db.columnSQL(body) == sql)
                let key = try db.primaryKey("t")
                #expect(key.columns == columns)
                #expect(key.rowIDColumn == rowID)
                try db.drop(table: "t")
            }
            try check(#""id" INTEGER PRIMARY KEY AUTOINCREMENT"#, rowID: "id", columns: ["id"]) { $0.autoIncrementedPrimaryKey("id") }
            try check(#""id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT"#, rowID: "id", columns: ["id"]) {
                $0.autoIncrementedPrimaryKey("id", onConflict: .replace)
            }
            try check(#""id" INTEGER PRIMARY KEY"#, rowID: "id", columns: ["id"]) { $0.primaryKey("id", .integer) }
            try check(#""id" INT PRIMARY KEY NOT NULL"#, columns: ["id"]) { $0.primaryKey("id", .init(rawValue: "INT")) }
            try check(#""id" TEXT PRIMARY KEY ON CONFLICT FAIL NOT NULL COLLATE NOCASE"#, columns: ["id"]) {
                $0.primaryKey("id", .text, onConflict: .fail).collate(.nocase)
            }
            try check(#""id" INTEGER PRIMARY KEY"#, rowID: "id", columns: ["id"]) { $0.column("id", .integer).primaryKey() }
            try check(#""id" INTEGER PRIMARY KEY ON CONFLICT IGNORE AUTOINCREMENT"#, rowID: "id", columns: ["id"]) {
                $0.column("id", .integer).primaryKey(onConflict: .ignore, autoincrement: true)
            }
            try check(#""id" TEXT PRIMARY KEY"#, columns: ["id"]) { $0.column("id", .text).primaryKey() }
            try check(#""a", "b", PRIMARY KEY ("b", "a") ON CONFLICT ROLLBACK"#, columns: ["b", "a"]) { t in
                t.primaryKey(["b", "a"], onConflict: .rollback)
                t.column("a")
                t.column("b")
            }
            try check(
                #""a" TEXT NOT NULL, "b" NOT NULL ON CONFLICT ABORT, "c", PRIMARY KEY ("a", "b") ON CONFLICT REPLACE"#, columns: ["a", "b"]
            ) { t in
                t.primaryKey(onConflict: .replace) {
                    t.column("a", .text)
                    t.column("b").notNull(onConflict: .abort)
                }
                t.column("c")
            }
            try check(#""id" INTEGER NOT NULL, PRIMARY KEY ("id")"#, rowID: "id", columns: ["id"]) { t in
                t.primaryKey { t.column("id", .integer) }
            }
        }
    }

    @Test
    func `Primary keys can't be NULL, and SQLite generates integer ones`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "a") { t in
                t.primaryKey { t.column("id", .integer) }
                t.column("x")
            }
            try db.create(table: "b") { t in
                t.primaryKey("id", .text)
                t.column("x")
            }
            try db.create(table: "c") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("x")
            }
            try db.execute(sql: "INSERT INTO a (x) VALUES (1), (2)")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM a") == [1, 2])
            expectViolation(of: .SQLITE_CONSTRAINT_NOTNULL, db, "INSERT INTO b (x) VALUES (1)")
            try db.execute(sql: "INSERT INTO c (x) VALUES (1); DELETE FROM c; INSERT INTO c (x) VALUES (2)")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM c") == [2])
        }
    }

    @Test
    func `An invalid primary key throws SQLite's error`() throws {
        try withEmptyDatabase { db throws in
            #expect(
                try db.message { try db.create(table: "t") { $0.column("id", .text).primaryKey(autoincrement: true) } }
                    == "AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY")
            #expect(
                try db.message { try db.create(table: "t", options: .withoutRowID) { $0.autoIncrementedPrimaryKey("id") } }
                    == "AUTOINCREMENT not allowed on WITHOUT ROWID tables")
            #expect(
                try db.message { try db.create(table: "t", options: .withoutRowID) { $0.column("id") } }
                    == "PRIMARY KEY missing on table t")
            let message = try db.message {
                try db.create(table: "t") { t in
                    t.primaryKey("a", .text)
                    t.primaryKey("b", .text)
                }
            }
            #expect(message == #"table "t" has more than one primary key"#)
        }
    }

    @Test
    func `A table without columns, and a primary key without columns or with a column defined by SQL, throw errors`() throws {
        try withEmptyDatabase { db throws in
            #expect(try db.message { try db.create(table: "t") { _ in } } == "the table t has no columns")
            #expect(
                try db.message {
                    try db.create(table: "t") { t in
                        t.column("a")
                        t.primaryKey {}
                    }
                } == "the primary key of table t has no columns")
            let message = try db.message {
                try db.create(table: "t") { t in
                    t.primaryKey {
                        t.column("a")
                        t.column(sql: "b TEXT")
                    }
                }
            }
            #expect(message.hasPrefix("the primary key of table t contains a column that is defined by SQL"))
            #expect(try db.objectNames().isEmpty)
        }
    }

    // MARK: - Constraints

    @Test
    func `Unique keys of several columns`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL { t in
                t.column("a")
                t.column("b")
                t.uniqueKey(["a", "b"])
            }
            #expect(sql == #""a", "b", UNIQUE ("a", "b")"#)
            #expect(try db.table("t", hasUniqueKey: ["a", "b"]))
            try db.execute(sql: "INSERT INTO t VALUES (1, 1), (1, 2)")
            expectViolation(of: .SQLITE_CONSTRAINT_UNIQUE, db, "INSERT INTO t VALUES (1, 2)")
        }
    }

    @Test
    func `Checks of several columns`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.columnSQL { t in
                t.column("a")
                t.column("b")
                t.check(Column("a") < Column("b") && Column("b") != "x")
                t.check(sql: "a + b < 10 -- not too much")
                t.check(SQL("a IS NOT \(3)"))
            }
            #expect(sql == #""a", "b", CHECK ("a" < "b" AND "b" <> 'x'), "# + "CHECK (a + b < 10 -- not too much\n), CHECK (a IS NOT 3)")
            try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
            for values in ["(2, 1)", "(4, 7)", "(3, 4)", "(1, 'x')"] {
                expectViolation(of: .SQLITE_CONSTRAINT_CHECK, db, "INSERT INTO t VALUES \(values)")
            }
        }
    }

    @Test
    func `A check with an unknown column throws an error, and is not a string`() throws {
        try withEmptyDatabase { db throws in
            let message = try db.message {
                try db.create(table: "t") { t in
                    t.column("score", .integer)
                    t.check(Column("scor") > 0)
                }
            }
            expectMissingColumn("scor", message)
        }
    }

    // MARK: - Renaming and dropping

    @Test
    func `Renaming a table updates foreign keys and indexes`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "team") { $0.primaryKey("id", .integer) }
            try db.create(table: "player") { $0.belongsTo("team") }
            #expect(
                try db.statement { try db.rename(table: "team", to: #"the "club""#) }
                    == #"ALTER TABLE "team" RENAME TO "the ""club""""#)
            #expect(try !db.tableExists("team") && db.tableExists(#"the "club""#))
            #expect(try db.foreignKeys(on: "player").map(\.destinationTable) == [#"the "club""#])
            #expect(try db.message { try db.rename(table: "team", to: "club") } == "no such table: team")
        }
    }

    @Test
    func `Dropping a table drops its indexes`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "player") { $0.column("name").indexed() }
            #expect(try db.objectNames() == ["player", "player_on_name"])
            #expect(try db.statement { try db.drop(table: "player") } == #"DROP TABLE "player""#)
            #expect(try db.objectNames().isEmpty)
            #expect(try db.message { try db.drop(table: "player") } == "no such table: player")
        }
    }

    @Test
    func `Requests adapt to a table that was dropped and created again`() throws {
        struct Thing: TableRecord, FetchableRecord {
            let columns: [String]
            init(row: Row) { columns = Array(row.columnNames) }
        }
        try withEmptyDatabase { db throws in
            try db.create(table: "thing") { $0.primaryKey("id", .integer) }
            try db.execute(sql: "INSERT INTO thing VALUES (1)")
            #expect(try Thing.fetchOne(db, key: 1)?.columns == ["id"])
            try db.drop(table: "thing")
            try db.create(table: "thing") { t in
                t.column("name", .text)
                t.primaryKey("code", .text)
            }
            try db.execute(sql: "INSERT INTO thing VALUES ('one', '1')")
            #expect(try Thing.fetchOne(db, key: "1")?.columns == ["name", "code"])
        }
    }
}
