import SQLiteDriver
import Testing

/// The parts of constraint errors.
@Suite struct ConstraintTests {
    typealias Constraint = DatabaseError.Constraint

    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    /// The constraint that the last of some statements violates.
    private func constraint(_ setup: String, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Constraint? {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: setup)
            return expectError(.SQLITE_CONSTRAINT, sourceLocation: sourceLocation) { try db.execute(sql: sql) }?.constraint
        }
    }

    @Test
    func `A unique column, several columns, and a unique index`() throws {
        let setup = """
            CREATE TABLE player (email TEXT UNIQUE, team, number, nick);
            CREATE UNIQUE INDEX jersey ON player (team, number);
            CREATE UNIQUE INDEX short ON player (nick) WHERE nick <> '';
            INSERT INTO player VALUES ('a', 1, 2, 'n')
            """
        #expect(
            try constraint(setup, "INSERT INTO player (email) VALUES ('a')")
                == Constraint(kind: .unique, table: "player", columns: ["email"]))
        #expect(
            try constraint("", "INSERT INTO player (team, number) VALUES (1, 2)")
                == Constraint(kind: .unique, table: "player", columns: ["team", "number"], name: "jersey"))
        #expect(
            try constraint("", "INSERT INTO player (nick) VALUES ('n')")
                == Constraint(kind: .unique, table: "player", columns: ["nick"], name: "short"))
    }

    @Test
    func `A unique index on expressions`() throws {
        let setup = """
            CREATE TABLE player (name); CREATE UNIQUE INDEX "by 'lower'" ON player (lower(name)); INSERT INTO player VALUES ('a')
            """
        #expect(
            try constraint(setup, "INSERT INTO player VALUES ('A')")
                == Constraint(kind: .unique, table: "player", columns: nil, name: "by 'lower'"))
        // An index that is just being made.
        #expect(
            try constraint("CREATE TABLE t (a); INSERT INTO t VALUES (1), (-1)", "CREATE UNIQUE INDEX i ON t (abs(a))")
                == Constraint(kind: .unique, name: "i"))
        #expect(
            try constraint("INSERT INTO t VALUES (1)", "CREATE UNIQUE INDEX i ON t (a)")
                == Constraint(kind: .unique, table: "t", columns: ["a"]))
    }

    @Test
    func `Primary keys and row IDs`() throws {
        let setup = """
            CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1);
            CREATE TABLE b (x, y, PRIMARY KEY (x, y)) WITHOUT ROWID; INSERT INTO b VALUES (1, 2);
            CREATE TABLE c (x); INSERT INTO c (rowid) VALUES (1);
            """
        #expect(try constraint(setup, "INSERT INTO a VALUES (1)") == Constraint(kind: .primaryKey, table: "a", columns: ["id"]))
        #expect(try constraint("", "INSERT INTO b VALUES (1, 2)") == Constraint(kind: .primaryKey, table: "b", columns: ["x", "y"]))
        #expect(try constraint("", "INSERT INTO c (rowid) VALUES (1)") == Constraint(kind: .rowID, table: "c", columns: ["rowid"]))
    }

    @Test
    func `Columns that are not NULL and columns of strict tables`() throws {
        let setup = "CREATE TABLE a (name NOT NULL); CREATE TABLE b (\"the score\" INTEGER) STRICT"
        #expect(try constraint(setup, "INSERT INTO a VALUES (NULL)") == Constraint(kind: .notNull, table: "a", columns: ["name"]))
        #expect(
            try constraint("", "INSERT INTO b VALUES ('x')") == Constraint(kind: .dataType, table: "b", columns: ["the score"]))
    }

    @Test
    func `Checks with and without a name`() throws {
        let setup = """
            CREATE TABLE player (
                -- CHECK (nothing)
                score INTEGER CONSTRAINT positive CHECK (score > 0),
                "the name" TEXT CHECK ( length("the name") /* , ( */ < 10 ),
                low, high DEFAULT (1 + (2)) CONSTRAINT ignored,
                CONSTRAINT "in order, please" CHECK (player.low <= high COLLATE nocase),
                CHECK ("low" <> 'CHECK (high)'),
                CHECK (CAST(high AS score) <> 7)
            )
            """
        #expect(
            try constraint(setup, "INSERT INTO player (score) VALUES (0)")
                == Constraint(kind: .check, table: "player", columns: ["score"], name: "positive"))
        #expect(
            try constraint("", "INSERT INTO player (\"the name\") VALUES ('0123456789')")
                == Constraint(kind: .check, table: "player", columns: ["the name"]))
        #expect(
            try constraint("", "INSERT INTO player (low, high) VALUES (2, 1)")
                == Constraint(kind: .check, table: "player", columns: ["low", "high"], name: "in order, please"))
        #expect(
            try constraint("", "INSERT INTO player (low, high) VALUES ('CHECK (high)', 'z')")
                == Constraint(kind: .check, table: "player", columns: ["low"]))
        #expect(
            try constraint("", "INSERT INTO player (high) VALUES (7)") == Constraint(kind: .check, table: "player", columns: ["high"]))
    }

    @Test
    func `A check of a table that a trigger writes to`() throws {
        let statement = "CREATE TABLE a (x CHECK (x > 0)); CREATE TABLE b (x CHECK (x > 0))"
        #expect(try constraint(statement, "INSERT INTO a VALUES (0)") == Constraint(kind: .check, table: "a", columns: ["x"]))
        // Now the same message may be about both tables.
        #expect(
            try constraint("CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (new.x); END", "INSERT INTO a VALUES (0)")
                == Constraint(kind: .check, table: nil, columns: ["x"]))
    }

    @Test
    func `Names with dots commas and quotes`() throws {
        let setup = #"""
            CREATE TABLE "a.b" ("c, d" UNIQUE, "e.f" NOT NULL DEFAULT 1); INSERT INTO "a.b" VALUES (1, 1);
            CREATE TABLE "it's ""here""" ("x.y", "z'", UNIQUE ("x.y", "z'")); INSERT INTO "it's ""here""" VALUES (1, 1)
            """#
        #expect(
            try constraint(setup, "INSERT INTO \"a.b\" (\"c, d\") VALUES (1)") == Constraint(kind: .unique, table: "a.b", columns: ["c, d"])
        )
        #expect(try constraint("", "INSERT INTO \"a.b\" VALUES (2, NULL)") == Constraint(kind: .notNull, table: "a.b", columns: ["e.f"]))
        #expect(
            try constraint("", "INSERT INTO \"it's \"\"here\"\"\" VALUES (1, 1)")
                == Constraint(kind: .unique, table: "it's \"here\"", columns: ["x.y", "z'"]))
    }

    @Test
    func `A text with two readings is resolved by the indexes or not at all`() throws {
        // "a.b, a.c" may be two columns of "a", or one.
        #expect(
            try constraint(
                "CREATE TABLE a (b, c, \"b, a.c\", UNIQUE (b, c)); INSERT INTO a VALUES (1, 1, 1)", "INSERT INTO a VALUES (1, 1, 1)")
                == Constraint(kind: .unique, table: "a", columns: ["b", "c"]))
        #expect(
            try constraint(
                "CREATE UNIQUE INDEX i ON a (\"b, a.c\"); CREATE TABLE t (x); INSERT INTO a VALUES (1, 2, 3)",
                "INSERT INTO a VALUES (2, 1, 3)")
                == Constraint(kind: .unique))
        // "x.y.z" may be the column "y.z" of "x", or "z" of "x.y".
        #expect(
            try constraint("CREATE TABLE x (\"y.z\" NOT NULL); CREATE TABLE \"x.y\" (z NOT NULL)", "INSERT INTO x VALUES (NULL)")
                == Constraint(kind: .notNull))
    }

    @Test
    func `Temporary tables and tables of attached databases`() throws {
        let setup = """
            ATTACH ':memory:' AS other; CREATE TABLE other.o (a UNIQUE); INSERT INTO o VALUES (1);
            CREATE TEMP TABLE t (a CONSTRAINT c CHECK (a > 1))
            """
        #expect(try constraint(setup, "INSERT INTO o VALUES (1)") == Constraint(kind: .unique, table: "o", columns: ["a"]))
        #expect(try constraint("", "INSERT INTO t VALUES (1)") == Constraint(kind: .check, table: "t", columns: ["a"], name: "c"))
    }

    // MARK: - Foreign keys

    private static let teams = """
        CREATE TABLE league (id INTEGER PRIMARY KEY);
        CREATE TABLE team (id INTEGER PRIMARY KEY, league REFERENCES league);
        CREATE TABLE player (id INTEGER PRIMARY KEY, name, team INTEGER REFERENCES team DEFERRABLE);
        INSERT INTO league VALUES (1); INSERT INTO team VALUES (1, 1); INSERT INTO player VALUES (1, 'a', 1);
        """

    @Test
    func `SQLite does not name the foreign key that a statement violates`() throws {
        #expect(try constraint(Self.teams, "INSERT INTO player VALUES (2, 'b', 2)") == Constraint(kind: .foreignKey))
        #expect(try constraint("", "DELETE FROM team") == Constraint(kind: .foreignKey))
    }

    @Test
    func `The program asks for the row that makes a commit fail, while the transaction is open`() throws {
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(sql: Self.teams)
            try db.execute(
                sql: "CREATE TABLE coach (id INTEGER PRIMARY KEY, team REFERENCES team DEFERRABLE INITIALLY DEFERRED); BEGIN")
            try db.execute(sql: "INSERT INTO coach VALUES (7, 42)")
            let error = expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.commit() }
            #expect(error?.constraint == Constraint(kind: .foreignKey))
            let violation = try db.foreignKeyViolations().next()
            #expect(violation?.originTable == "coach")
            #expect(violation?.originRowID == 7)
            // The transaction is still open, and can be corrected.
            try db.execute(sql: "UPDATE coach SET team = 1")
            try db.commit()
        }
        let error = expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO coach VALUES (8, 43)")
                try db.checkForeignKeys()
            }
        }
        #expect(error?.constraint?.table == "coach")
        #expect(error?.constraint?.columns == ["team"])
        #expect(error?.constraint?.foreignKeyViolation?.originRowID == 8)
    }

    @Test
    func `checkForeignKeys names the violating row`() throws {
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(sql: Self.teams)
            try db.execute(sql: "PRAGMA foreign_keys = 0; INSERT INTO player VALUES (9, 'b', 42)")
            let constraint = expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.checkForeignKeys() }?.constraint
            #expect(constraint?.table == "player")
            #expect(constraint?.columns == ["team"])
            #expect(constraint?.foreignKeyViolation?.originRowID == 9)
        }
    }

    // MARK: - Others

    @Test(
        arguments: ["DELETE FROM team", "UPDATE team SET id = 2", "REPLACE INTO team VALUES (1)"], ["", " DEFERRABLE INITIALLY DEFERRED"])
    func `A foreign key that restricts is one`(_ sql: String, _ deferral: String) throws {
        let setup = """
            PRAGMA recursive_triggers = 1;
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (team INTEGER REFERENCES team ON DELETE RESTRICT ON UPDATE RESTRICT\(deferral));
            INSERT INTO team VALUES (1);
            INSERT INTO player VALUES (1)
            """
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: setup)
            let error = expectError(.SQLITE_CONSTRAINT_TRIGGER) { try db.execute(sql: sql) }
            #expect(error?.constraint == Constraint(kind: .foreignKey))
            do {
                try db.execute(sql: sql)
            } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
                return
            }
            Issue.record("There was no violation.")
        }
    }

    @Test
    func `The kinds of keys of tables without row IDs, of views and of ignored triggers`() throws {
        let setup = """
            CREATE TABLE w (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
            INSERT INTO w VALUES (1, 2);
            CREATE VIEW v AS SELECT * FROM w;
            CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO w VALUES (new.a, new.b); END;
            CREATE TRIGGER r INSTEAD OF DELETE ON v BEGIN SELECT RAISE(FAIL, 'a view'); END
            """
        let key = Constraint(kind: .primaryKey, table: "w", columns: ["b", "a"])
        #expect(try constraint(setup, "INSERT INTO w VALUES (1, 2)") == key)
        #expect(try constraint("", "INSERT INTO v VALUES (1, 2)") == key)
        #expect(try constraint("", "INSERT INTO w (a) VALUES (1)")?.kind == .notNull)
        #expect(try constraint("", "DELETE FROM v") == Constraint(kind: .trigger))
        // IGNORE concerns constraints of rows, and neither foreign keys nor triggers.
        let player = "CREATE TABLE p (id PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE RESTRICT)"
        #expect(try constraint(player, "INSERT OR IGNORE INTO c VALUES (1)") == Constraint(kind: .foreignKey))
        #expect(
            try constraint("INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)", "DELETE FROM p") == Constraint(kind: .foreignKey))
    }

    @Test
    func `A trigger`() throws {
        let setup =
            "CREATE TABLE t (a); CREATE TRIGGER g BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: t.a'); END"
        #expect(try constraint(setup, "INSERT INTO t VALUES (1)") == Constraint(kind: .trigger))
    }

    @Test
    func `Errors of programs and other errors`() throws {
        #expect(DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE).constraint == Constraint(kind: .unique))
        #expect(DatabaseError(resultCode: .SQLITE_CONSTRAINT).constraint == nil)
        #expect(DatabaseError(resultCode: .SQLITE_ERROR).constraint == nil)
    }

    @Test
    func `A statement that rolls back its transaction`() throws {
        let error = expectError(.SQLITE_CONSTRAINT_UNIQUE) {
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
            try queue.write { db in
                try db.execute(sql: "CREATE UNIQUE INDEX i ON t (a)")
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        // SQLite has removed the index before the driver looks for it.
        #expect(error?.constraint == Constraint(kind: .unique, table: "t", columns: ["a"]))
    }

    @Test(arguments: [false, true])
    func `The constraints of earlier errors are forgotten when the schema changes`(byOther isOther: Bool) throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        let other = isOther ? try DatabaseQueue(path: folder.path("a.sqlite")) : queue
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES (1, 1)")
        }
        func expect(_ expected: Constraint, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            for _ in 0..<2 {
                try queue.writeWithoutTransaction { db in
                    let error = expectError(.SQLITE_CONSTRAINT, sourceLocation: sourceLocation) { try db.execute(sql: sql) }
                    #expect(error?.constraint == expected, sourceLocation: sourceLocation)
                }
            }
        }
        let insertion = "INSERT INTO t (a, b) VALUES (1, 1)"
        try expect(Constraint(kind: .unique, table: "t", columns: ["a"], name: "i"), insertion)
        try other.writeWithoutTransaction { try $0.execute(sql: "DROP INDEX i; CREATE UNIQUE INDEX j ON t (a)") }
        try expect(Constraint(kind: .unique, table: "t", columns: ["a"], name: "j"), insertion)
        try other.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (a, b CONSTRAINT c CHECK (b > 1))") }
        try expect(Constraint(kind: .check, table: "t", columns: ["b"], name: "c"), insertion)
        try other.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (a CONSTRAINT c CHECK (a > 1), b)") }
        try expect(Constraint(kind: .check, table: "t", columns: ["a"], name: "c"), insertion)
        // A temporary table takes the place of the other one, and its schema has a version of its own.
        try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TEMP TABLE t (a, b CONSTRAINT c CHECK (b > 1))") }
        try expect(Constraint(kind: .check, table: "t", columns: nil, name: "c"), insertion)
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "ATTACH ':memory:' AS o; CREATE TABLE o.u (a CONSTRAINT c CHECK (a > 1))")
        }
        try expect(Constraint(kind: .check, table: "u", columns: ["a"], name: "c"), "INSERT INTO u VALUES (1)")
    }

    @Test
    func `The search is not observed recorded or counted`() throws {
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a CHECK (a > 0)); INSERT INTO t VALUES (1)")
            let (_, sql) = db.recordingSQL { _ = try? db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [0]) }
            #expect(sql == ["INSERT INTO t VALUES (0)"])
            let (_, region) = db.recordingAccesses { _ = try? db.execute(sql: "INSERT INTO t VALUES (0)") }
            #expect(!region.description.contains("sqlite_master"))
            let (_, tables) = db.recordingChanges { _ = try? db.execute(sql: "INSERT INTO t VALUES (0)") }
            #expect(tables == ["t"])
        }
    }
}
