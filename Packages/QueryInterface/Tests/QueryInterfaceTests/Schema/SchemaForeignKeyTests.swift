import QueryInterface
import Testing

@Suite struct SchemaForeignKeyTests {
    // MARK: - belongsTo

    @Test
    func `belongsTo creates an indexed column with the type and the name of the other table's key`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "team") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "country") { $0.primaryKey("isoCode", .init(rawValue: "VARCHAR(2)")) }
            try db.create(table: "untyped") { $0.column("key").primaryKey() }
            let sql = try db.statements {
                try db.create(table: "player") { t in
                    t.belongsTo("team")
                    t.belongsTo("origin", inTable: "country")
                    t.belongsTo("untyped", indexed: false)
                }
            }
            #expect(
                sql[1..<sql.count - 1] == [
                    #"CREATE TABLE "player" ("teamId" INTEGER REFERENCES "team" ("id"), "#
                        + #""originIsoCode" VARCHAR(2) REFERENCES "country" ("isoCode"), "untypedKey" REFERENCES "untyped" ("key"))"#,
                    #"CREATE INDEX "player_on_teamId" ON "player" ("teamId")"#,
                    #"CREATE INDEX "player_on_originIsoCode" ON "player" ("originIsoCode")"#,
                ])
            expectViolation(of: .SQLITE_CONSTRAINT_FOREIGNKEY, db, "INSERT INTO player (teamId) VALUES (1)")
            try db.execute(sql: "INSERT INTO team VALUES (1); INSERT INTO player (teamId) VALUES (1)")
            expectViolation(of: .SQLITE_CONSTRAINT_FOREIGNKEY, db, "DELETE FROM team")
        }
    }

    @Test
    func `belongsTo creates a column for each column of the other table's key`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "seat") { t in
                t.primaryKey {
                    t.column("row", .text)
                    t.column("number", .integer)
                }
            }
            let sql = try db.statements {
                try db.create(table: "ticket") { t in
                    t.belongsTo("seat", onDelete: .cascade).notNull()
                    t.belongsTo("spare", inTable: "seat").unique()
                    t.column("price", .double)
                }
            }
            #expect(
                sql[1..<sql.count - 1] == [
                    #"CREATE TABLE "ticket" ("seatRow" TEXT NOT NULL, "seatNumber" INTEGER NOT NULL, "#
                        + #""spareRow" TEXT, "spareNumber" INTEGER, "price" DOUBLE, "#
                        + #"FOREIGN KEY ("seatRow", "seatNumber") REFERENCES "seat" ("row", "number") ON DELETE CASCADE, "#
                        + #"UNIQUE ("spareRow", "spareNumber"), "#
                        + #"FOREIGN KEY ("spareRow", "spareNumber") REFERENCES "seat" ("row", "number"))"#,
                    #"CREATE INDEX "ticket_on_seatRow_seatNumber" ON "ticket" ("seatRow", "seatNumber")"#,
                ])
            #expect(try db.foreignKeys(on: "ticket").map(\.originColumns) == [["seatRow", "seatNumber"], ["spareRow", "spareNumber"]])
            try db.execute(sql: "INSERT INTO seat VALUES ('A', 1); INSERT INTO ticket VALUES ('A', 1, NULL, NULL, 9.5)")
            expectViolation(of: .SQLITE_CONSTRAINT_FOREIGNKEY, db, "INSERT INTO ticket VALUES ('A', 2, NULL, NULL, 9.5)")
            try db.execute(sql: "DELETE FROM seat")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM ticket") == 0)
        }
    }

    @Test
    func `A unique belongsTo creates no other index`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "team") { $0.primaryKey("id", .integer) }
            let sql = try db.statement {
                try db.create(table: "stadium") { $0.belongsTo("team").unique().notNull(onConflict: .ignore) }
            }
            #expect(
                sql == #"CREATE TABLE "stadium" ("teamId" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE REFERENCES "team" ("id"))"#)
            #expect(try db.indexes(on: "stadium").map(\.origin) == [.uniqueConstraint])
        }
    }

    @Test
    func `A table can refer to itself`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                try db.create(table: "employee") { t in
                    t.belongsTo("boss", inTable: "Employee", onDelete: .setNull)
                    t.autoIncrementedPrimaryKey("id")
                    t.column("deputyId", .integer).references("employee")
                }
            }
            #expect(
                sql[1..<sql.count - 1] == [
                    #"CREATE TABLE "employee" ("bossId" INTEGER REFERENCES "Employee" ("id") ON DELETE SET NULL, "#
                        + #""id" INTEGER PRIMARY KEY AUTOINCREMENT, "deputyId" INTEGER REFERENCES "employee" ("id"))"#,
                    #"CREATE INDEX "employee_on_bossId" ON "employee" ("bossId")"#,
                ])
            try db.execute(sql: "INSERT INTO employee VALUES (NULL, 1, NULL), (1, 2, 1); DELETE FROM employee WHERE id = 2")
            expectViolation(of: .SQLITE_CONSTRAINT_FOREIGNKEY, db, "INSERT INTO employee (bossId) VALUES (7)")
        }
    }

    @Test
    func `A table can refer to itself with a composite key that contains a foreign key`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "tree") { $0.primaryKey("name", .text) }
            let sql = try db.statements {
                try db.create(table: "node") { t in
                    t.primaryKey {
                        t.belongsTo("tree")
                        t.column("number", .integer)
                    }
                    t.belongsTo("parent", inTable: "node")
                }
            }
            #expect(
                sql[1..<sql.count - 1] == [
                    #"CREATE TABLE "node" ("treeName" TEXT NOT NULL REFERENCES "tree" ("name"), "number" INTEGER NOT NULL, "#
                        + #""parentTreeName" TEXT, "parentNumber" INTEGER, "#
                        + #"PRIMARY KEY ("treeName", "number"), "#
                        + #"FOREIGN KEY ("parentTreeName", "parentNumber") REFERENCES "node" ("treeName", "number"))"#,
                    #"CREATE INDEX "node_on_parentTreeName_parentNumber" ON "node" ("parentTreeName", "parentNumber")"#,
                ])
            try db.execute(
                sql: """
                    INSERT INTO tree VALUES ('oak');
                    INSERT INTO node VALUES ('oak', 1, NULL, NULL), ('oak', 2, 'oak', 1);
                    """)
            expectViolation(of: .SQLITE_CONSTRAINT_FOREIGNKEY, db, "INSERT INTO node VALUES ('oak', 3, 'oak', 9)")
        }
    }

    @Test
    func `Foreign keys can be in the primary key, and the first one gets no index`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "citizen") { $0.primaryKey("id", .integer) }
            try db.create(table: "country") { $0.primaryKey("code", .text) }
            let sql = try db.statements {
                try db.create(table: "citizenship") { t in
                    t.primaryKey {
                        t.belongsTo("citizen", onDelete: .cascade)
                        t.belongsTo("country").notNull(onConflict: .fail)
                    }
                }
            }
            #expect(
                sql[1..<sql.count - 1] == [
                    #"CREATE TABLE "citizenship" ("citizenId" INTEGER NOT NULL REFERENCES "citizen" ("id") ON DELETE CASCADE, "#
                        + #""countryCode" TEXT NOT NULL ON CONFLICT FAIL REFERENCES "country" ("code"), "#
                        + #"PRIMARY KEY ("citizenId", "countryCode"))"#,
                    #"CREATE INDEX "citizenship_on_countryCode" ON "citizenship" ("countryCode")"#,
                ])
            let plan = try #require(
                try Row.fetchOne(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM citizenship WHERE citizenId = 1"))
            let detail: String = try plan.decode(forKey: "detail")
            #expect(detail.contains("SEARCH"))

            let table = try db.statement {
                try db.create(table: "passport") { t in t.primaryKey { t.belongsTo("citizen") } }
            }
            #expect(table.hasSuffix(#"REFERENCES "citizen" ("id"), PRIMARY KEY ("citizenId"))"#))
            // The other table's primary key is a foreign key itself.
            #expect(
                try db.columnSQL { $0.belongsTo("passport", indexed: false) }
                    == #""passportCitizenId" INTEGER REFERENCES "passport" ("citizenId")"#)
        }
    }

    @Test
    func `belongsTo throws an error that names the missing table or key`() throws {
        try withDatabase("CREATE TABLE keyless (name TEXT); CREATE VIEW view AS SELECT 1 AS id") { db throws in
            func message(_ table: String, _ body: (TableDefinition) -> Void) throws -> String {
                try db.message { try db.create(table: table, body: body) }
            }
            func sentences(_ table: String, _ body: (TableDefinition) -> Void) throws -> String {
                try db.sentences { try db.create(table: table, body: body) }
            }
            #expect(
                try sentences("player") { $0.belongsTo("team") }
                    == #"belongsTo("team") of table player refers to table team or teams, which does not exist. "#
                    + "Create the table first, or pass the name of another table to inTable:.")
            #expect(
                try sentences("player") { $0.belongsTo("keyless") }
                    == "a foreign key of table player refers to table keyless, which has no primary key. "
                    + "Give the table a primary key, or name columns that are unique.")
            #expect(try message("player") { $0.belongsTo("view") }.contains("which does not exist"))
            #expect(
                try message("node") { t in
                    t.column("x")
                    t.belongsTo("parent", inTable: "node")
                }.contains("refers to table node, which has no primary key"))
            #expect(
                try message("node") { t in
                    t.column(sql: "id INTEGER PRIMARY KEY")
                    t.belongsTo("parent", inTable: "node")
                }.contains("which is defined by SQL"))
            #expect(
                try message("node") { t in
                    t.primaryKey { t.belongsTo("parent", inTable: "node") }
                } == #"the primary key of table node contains a reference to itself: belongsTo("parent")"#)
            #expect(try db.objectNames() == ["keyless", "view"])
        }
    }

    @Test
    func `Temporary tables refer to temporary tables, and other tables to other tables`() throws {
        try withDatabase(
            """
            CREATE TABLE main.team (id INTEGER PRIMARY KEY);
            CREATE TEMPORARY TABLE team (code TEXT PRIMARY KEY);
            CREATE TABLE club (id INTEGER PRIMARY KEY);
            """
        ) { db throws in
            try db.create(table: "a", options: .temporary) { $0.belongsTo("team") }
            try db.create(table: "b") { $0.belongsTo("team") }
            #expect(try db.columns(in: "a").map(\.name) == ["teamCode"])
            #expect(try db.columns(in: "b").map(\.name) == ["teamId"])
            #expect(
                try db.message { try db.create(table: "c", options: .temporary) { $0.belongsTo("club") } }
                    .contains("which does not exist"))
        }
    }

    // MARK: - references and foreignKey

    @Test
    func `A column can refer to a primary key, to another column, or to a table created later`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "team") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).unique()
            }
            let sql = try db.columnSQL { t in
                t.column("a", .integer).references("team")
                t.column("b", .text).references("team", column: "name", onDelete: .restrict, onUpdate: .cascade, deferred: true)
                t.column("c", .integer).references("team").references("later", onDelete: .setDefault)
            }
            #expect(
                sql == #""a" INTEGER REFERENCES "team" ("id"), "#
                    + #""b" TEXT REFERENCES "team" ("name") ON DELETE RESTRICT ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED, "#
                    + #""c" INTEGER REFERENCES "team" ("id") REFERENCES "later" ON DELETE SET DEFAULT"#)
            try db.create(table: "later") { $0.primaryKey("key", .integer) }
            #expect(try db.foreignKeys(on: "t").map(\.destinationColumns) == [["id"], ["name"], ["id"], ["key"]])
            try db.execute(sql: "INSERT INTO team VALUES (1, 'Reds'); INSERT INTO later VALUES (1); INSERT INTO t VALUES (1, 'Reds', 1)")
        }
    }

    @Test(arguments: Database.ForeignKeyAction.allCases)
    func `The actions of a foreign key`(action: Database.ForeignKeyAction) throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "team") { $0.primaryKey("id", .integer) }
            let sql = try db.columnSQL {
                $0.column("teamId", .integer).defaults(to: 2).references("team", onDelete: action)
            }
            #expect(sql == #""teamId" INTEGER DEFAULT 2 REFERENCES "team" ("id") ON DELETE \#(action.rawValue)"#)
            try db.execute(sql: "INSERT INTO team VALUES (1), (2); INSERT INTO t VALUES (1)")
            let delete = "DELETE FROM team WHERE id = 1"
            if action == .restrict {
                expectViolation(of: .SQLITE_CONSTRAINT_TRIGGER, db, delete)
            } else {
                try db.execute(sql: delete)
            }
            let expected: [Int?] =
                switch action {
                case .cascade: []
                case .restrict: [1]
                case .setNull: [nil]
                case .setDefault: [2]
                }
            #expect(try Int?.fetchAll(db, sql: "SELECT teamId FROM t") == expected)
        }
    }

    @Test
    func `A deferred foreign key is checked at the end of the transaction`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "team") { $0.primaryKey("id", .integer) }
            try db.create(table: "player") { $0.belongsTo("team", deferred: true) }
            try db.execute(sql: "INSERT INTO player VALUES (1); INSERT INTO team VALUES (1)")
        }
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "INSERT INTO player VALUES (2)") }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }

    @Test
    func `Foreign keys of several columns`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "seat") { t in
                t.column("row").notNull()
                t.column("number").notNull()
                t.column("x")
                t.column("y")
                t.primaryKey(["row", "number"])
                t.uniqueKey(["x", "y"])
            }
            let sql = try db.columnSQL { t in
                t.column("a")
                t.column("b")
                t.foreignKey(["a", "b"], references: "seat", onDelete: .cascade, onUpdate: .setNull, deferred: true)
                t.foreignKey(["b", "a"], references: "seat", columns: ["x", "y"])
                t.foreignKey(["a", "b"], references: "later")
            }
            #expect(
                sql == #""a", "b", FOREIGN KEY ("a", "b") REFERENCES "seat" ("row", "number") ON DELETE CASCADE ON UPDATE SET NULL "#
                    + #"DEFERRABLE INITIALLY DEFERRED, FOREIGN KEY ("b", "a") REFERENCES "seat" ("x", "y"), "#
                    + #"FOREIGN KEY ("a", "b") REFERENCES "later""#)
            #expect(try db.foreignKeys(on: "t").map(\.originColumns) == [["a", "b"], ["b", "a"], ["a", "b"]])
        }
    }

    @Test
    func `A foreign key that does not match the primary key throws an error`() throws {
        try withDatabase("CREATE TABLE seat (row, number, PRIMARY KEY (row, number)); CREATE TABLE keyless (x)") { db throws in
            #expect(
                try db.sentences { try db.create(table: "t") { $0.column("a").references("seat") } }
                    == "the primary key of table seat has the columns row, number, and a foreign key of table t has 1. "
                    + "Pass both sides to foreignKey(_:references:columns:).")
            #expect(
                try db.message { try db.create(table: "t") { $0.column("a").references("keyless") } }
                    .contains("refers to table keyless, which has no primary key"))
            let message = try db.message {
                try db.create(table: "t") { t in
                    t.column("a")
                    t.column("b")
                    t.column("c")
                    t.foreignKey(["a", "b", "c"], references: "seat")
                }
            }
            #expect(message.contains("has the columns row, number, and a foreign key of table t has 3"))
        }
    }
}
