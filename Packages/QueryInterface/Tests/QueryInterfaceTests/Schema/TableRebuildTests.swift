import QueryInterface
import Testing

@Suite struct TableRebuildTests {
    /// A team with players: an index of each kind, triggers, a view, and a table that refers to the players.
    private static let creation = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO team VALUES (1, 'Reds');
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER DEFAULT 5, teamId INTEGER REFERENCES team (id));
        CREATE INDEX player_by_name ON player (name COLLATE NOCASE);
        CREATE UNIQUE INDEX player_by_score ON player (score) WHERE score > 100;
        CREATE INDEX player_by_length ON player (length(name));
        CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE);
        CREATE TABLE log (text TEXT);
        CREATE TRIGGER player_log AFTER UPDATE OF name ON player BEGIN INSERT INTO log VALUES (old.name || ' ' || new.name); END;
        CREATE TRIGGER award_log AFTER INSERT ON award BEGIN
            INSERT INTO log SELECT name FROM player WHERE id = new.playerId;
        END;
        CREATE VIEW best AS SELECT name, score FROM player WHERE score > 10;
        INSERT INTO player VALUES (7, 'Arthur', 20, 1), (-3, 'Barbara', NULL, NULL), (9223372036854775807, 'Craig', 300, 1);
        INSERT INTO award VALUES (1, 7), (2, -3);
        DELETE FROM log;
        """

    private static let definition = """
        (id INTEGER PRIMARY KEY, score INTEGER NOT NULL DEFAULT 5 CHECK (score >= 0), name TEXT NOT NULL UNIQUE,
        teamId INTEGER REFERENCES team (id) ON DELETE SET NULL, url TEXT DEFAULT 'none')
        """

    private var plan: TableRebuildPlan {
        var plan = TableRebuildPlan(definition: Self.definition)
        plan.expressions["score"] = "ifnull(score, 0)"
        return plan
    }

    private func withDatabase(_ sql: String = Self.creation, _ body: (Database) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            // In defensive mode, SQL can't write the schema.
            try db.withoutDefensiveMode { try db.execute(sql: sql) }
            try body(db)
        }
    }

    /// Returns the rows of a query, with SQL literals as values.
    private func rows(_ db: Database, _ sql: String) throws -> [String] {
        try Row.fetchAll(db, sql: sql).map { $0.databaseValues.map(\.sqlLiteral).joined(separator: "|") }
    }

    /// Returns the schema and all rows, to compare them.
    private func dump(_ db: Database) throws -> [String] {
        let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        return try String.fetchAll(db, sql: "SELECT type || name || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
            + names.flatMap { name in
                try rows(db, "SELECT * FROM \(name)")
            }
    }

    @Test
    func `Rows, row IDs, indexes, triggers, views and foreign keys are kept`() throws {
        try withDatabase { (db) throws in
            try db.rebuild(table: "player", with: plan)
            #expect(
                try rows(db, "SELECT * FROM player ORDER BY id") == [
                    "-3|0|'Barbara'|NULL|'none'", "7|20|'Arthur'|1|'none'", "9223372036854775807|300|'Craig'|1|'none'",
                ])
            #expect(try Int64.fetchAll(db, sql: "SELECT count(*) FROM award") == [2])
            #expect(
                try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name") == [
                    "CREATE INDEX player_by_length ON player (length(name))",
                    "CREATE INDEX player_by_name ON player (name COLLATE NOCASE)",
                    "CREATE UNIQUE INDEX player_by_score ON player (score) WHERE score > 100",
                ])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM best ORDER BY name") == ["Arthur", "Craig"])
            try db.execute(sql: "UPDATE player SET name = 'Anna' WHERE id = 7; INSERT INTO award VALUES (3, 7)")
            #expect(try String.fetchAll(db, sql: "SELECT text FROM log") == ["Arthur Anna", "Anna"])
            #expect(try String.fetchAll(db, sql: "SELECT \"table\" FROM pragma_foreign_key_list('award')") == ["player"])
            try db.execute(sql: "DELETE FROM player WHERE id = -3")
            #expect(try Int64.fetchAll(db, sql: "SELECT id FROM award ORDER BY 1") == [1, 3])
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
            #expect(db.enforcesForeignKeys)
            #expect(try Int64.fetchAll(db, sql: "SELECT count(*) FROM sqlite_master WHERE name LIKE 'strata%'") == [0])
        }
    }

    @Test
    func `Where foreign keys are enforced in a transaction, a table that others refer to is refused before any change`() throws {
        try withDatabase { (db) throws in
            let before = try dump(db)
            try db.inTransaction {
                let error = expectError(.SQLITE_MISUSE) { try db.rebuild(table: "player", with: plan) }
                #expect(error?.message?.contains("award refers to it") == true)
                #expect(error?.description.contains("writeWithoutTransaction") == true)
                return .commit
            }
            #expect(try dump(db) == before)
            // No foreign key refers to this table.
            try db.inTransaction {
                try db.rebuild(table: "award", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL)"))
                return .commit
            }
            #expect(try Int64.fetchAll(db, sql: "SELECT count(*) FROM award") == [2])
            try db.withoutForeignKeys {
                try db.inTransaction {
                    try db.rebuild(table: "player", with: plan)
                    return .rollback
                }
            }
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('player')") == ["id", "name", "score", "teamId"])
        }
    }

    @Test
    func `A table that refers to itself keeps its rows`() throws {
        let sql = """
            CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES node (id) ON DELETE CASCADE);
            INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2)
            """
        try withDatabase(sql) { db in
            let plan = TableRebuildPlan(
                definition: "(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES node (id) ON DELETE SET NULL, CHECK (id > 0))")
            try db.inTransaction {
                expectError(.SQLITE_MISUSE) { try db.rebuild(table: "node", with: plan) }
                return .commit
            }
            try db.rebuild(table: "NODE", with: plan)
            #expect(try Int64.fetchAll(db, sql: "SELECT count(*) FROM node") == [3])
            try db.execute(sql: "DELETE FROM node WHERE id = 1")
            #expect(try Int64.fetchAll(db, sql: "SELECT count(*) FROM node WHERE parent IS NULL") == [1])
        }
    }

    @Test
    func `A foreign key that the new definition violates undoes all`() throws {
        try withDatabase { (db) throws in
            try db.execute(sql: "CREATE TABLE x (id INTEGER PRIMARY KEY, team INTEGER); INSERT INTO x VALUES (1, 42)")
            let before = try dump(db)
            let plan = TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, team INTEGER REFERENCES team (id))")
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.rebuild(table: "x", with: plan) }
            #expect(try dump(db) == before)
            #expect(db.enforcesForeignKeys)
        }
    }

    // MARK: - What is refused

    /// Expects that a plan is refused with a message, and changes nothing.
    private func expectRefusal(
        _ definition: String, _ message: String, _ code: ResultCode = .SQLITE_MISUSE, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout TableRebuildPlan) -> Void = { _ in }
    ) throws {
        try withDatabase { (db) throws in
            let before = try dump(db)
            var plan = TableRebuildPlan(definition: definition)
            change(&plan)
            let error = expectError(code, sourceLocation: sourceLocation) { try db.rebuild(table: "player", with: plan) }
            #expect(error?.message?.contains(message) == true, "\(error as Any)", sourceLocation: sourceLocation)
            #expect(try dump(db) == before, sourceLocation: sourceLocation)
        }
    }

    @Test
    func `A rebuild that would lose data is refused, unless the plan allows it`() throws {
        try expectRefusal("(id INTEGER PRIMARY KEY, name TEXT)", "lacks the columns score, teamId")
        try expectRefusal("(id INTEGER PRIMARY KEY, name, teamId, score AS (length(name)))", "lacks the column score")
        try expectRefusal("(id INTEGER PRIMARY KEY, name, score, teamId)", "has no column missing to drop") {
            $0.droppedColumns = ["missing"]
        }
        try expectRefusal("(id INTEGER PRIMARY KEY, name, score, teamId)", "is both dropped and in the new definition") {
            $0.droppedColumns = ["name"]
        }
        try expectRefusal("(id INTEGER PRIMARY KEY, name, score, teamId)", "a value is given for the column url") {
            $0.expressions = ["url": "1"]
        }
        try expectRefusal("(id INTEGER PRIMARY KEY, name, score, teamId)", "has no index missing") { $0.droppedIndexes = ["missing"] }
        try expectRefusal("(id INTEGER PRIMARY KEY, name, score, teamId)", "has no trigger missing") { $0.droppedTriggers = ["missing"] }
    }

    @Test
    func `Rows that don't fit the new definition undo all, also where it would ignore or replace them`() throws {
        try expectRefusal(
            "(id INTEGER PRIMARY KEY, name, score NOT NULL, teamId)", "NOT NULL constraint failed: player.score",
            .SQLITE_CONSTRAINT_NOTNULL)
        try expectRefusal(
            "(id INTEGER PRIMARY KEY, name, score, teamId UNIQUE ON CONFLICT REPLACE)", "UNIQUE constraint failed: player.teamId",
            .SQLITE_CONSTRAINT_UNIQUE)
        try expectRefusal(
            "(id INTEGER PRIMARY KEY, name, score NOT NULL ON CONFLICT IGNORE, teamId)", "player.score", .SQLITE_CONSTRAINT_NOTNULL)
        try expectRefusal("(id INTEGER PRIMARY KEY, name, score CHECK (score > 20), teamId)", "CHECK", .SQLITE_CONSTRAINT_CHECK)
        try expectRefusal("(id INTEGER PRIMARY KEY, name,", "incomplete input", .SQLITE_ERROR)
    }

    @Test(arguments: [false, true])
    func `The error of a row says what to add, instead of the SQL of the copy`(_ showsProgress: Bool) throws {
        func error(_ definition: String, _ code: ResultCode, _ change: (inout TableRebuildPlan) -> Void = { _ in }) throws -> DatabaseError
        {
            try #require(
                withResult { db in
                    var plan = TableRebuildPlan(definition: definition)
                    change(&plan)
                    return expectError(code) {
                        try db.rebuild(table: "player", with: plan, progress: showsProgress ? { _ in } : nil)
                    }
                })
        }
        let missing = try error("(id INTEGER PRIMARY KEY, name, score, teamId, total INTEGER NOT NULL)", .SQLITE_CONSTRAINT_NOTNULL)
        #expect(
            missing.description == """
                SQLite error 1299 (SQLITE_CONSTRAINT_NOTNULL): can't rebuild player: the new column total is NOT NULL, and the rows of the \
                table need a value. Give it a value with fill("total", with:) in the closure or expressions of the plan, or a default value.
                """)
        let old = try error("(id INTEGER PRIMARY KEY, name, score NOT NULL, teamId)", .SQLITE_CONSTRAINT_NOTNULL)
        #expect(
            old.message == "can't rebuild player: a row does not fit the new definition: NOT NULL constraint failed: player.score")
        let filled = try error("(id INTEGER PRIMARY KEY, name, score, teamId, total NOT NULL)", .SQLITE_CONSTRAINT_NOTNULL) {
            $0.expressions["total"] = "score"
        }
        #expect(filled.message?.hasSuffix("a row does not fit the new definition: NOT NULL constraint failed: player.total") == true)
        let check = try error("(id INTEGER PRIMARY KEY, name, score CHECK (score > 20), teamId)", .SQLITE_CONSTRAINT_CHECK)
        let rowID = try error("(name INTEGER PRIMARY KEY, id, score, teamId)", .SQLITE_MISMATCH)
        for error in [missing, old, filled, check, rowID] {
            #expect(error.sql == nil)
            #expect(error.message?.hasPrefix("can't rebuild player: ") == true)
            #expect(error.description.contains("strata_rebuild") == false)
            #expect(error.advice?.contains("fill(") == true)
        }
        // A table without rows needs no values.
        try withDatabase { db in
            try db.execute(sql: "DELETE FROM player")
            let plan = TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, name, score, teamId, total INTEGER NOT NULL)")
            try db.rebuild(table: "player", with: plan, progress: showsProgress ? { _ in } : nil)
        }
    }

    private func withResult<T>(_ body: (Database) throws -> T) throws -> T {
        var result: T?
        try withDatabase { result = try body($0) }
        return result!
    }

    @Test
    func `An index, a trigger or a view that does not fit the new definition undoes all`() throws {
        let dropping: (inout TableRebuildPlan) -> Void = { $0.droppedColumns = ["name"] }
        let definition = "(id INTEGER PRIMARY KEY, score INTEGER DEFAULT 5, teamId INTEGER)"
        try expectRefusal(definition, "its index player_by_", .SQLITE_ERROR, dropping)
        try expectRefusal(definition, "would no longer work", .SQLITE_ERROR) {
            $0.droppedColumns = ["name"]
            $0.droppedIndexes = ["player_by_name", "PLAYER_by_length"]
        }
        try withDatabase { (db) throws in
            try db.execute(sql: "DROP VIEW best; DROP TRIGGER award_log; CREATE VIEW broken AS SELECT * FROM missing")
            var plan = TableRebuildPlan(definition: definition)
            plan.droppedColumns = ["name"]
            plan.droppedIndexes = ["player_by_name", "player_by_length"]
            plan.droppedTriggers = ["player_log"]
            // A view that was broken before may stay broken.
            try db.rebuild(table: "player", with: plan)
            #expect(
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE tbl_name = 'player' AND type <> 'table'") == [
                    "player_by_score"
                ])
        }
    }

    @Test(
        arguments: [
            ("TEXT", "'007'", "INTEGER", false), ("TEXT", "'7'", "INTEGER", true), ("TEXT", "'12.10'", "REAL", false),
            ("TEXT", "'abc'", "INTEGER", true), ("INTEGER", "9007199254740993", "REAL", false), ("INTEGER", "42", "REAL", true),
            ("INTEGER", "42", "TEXT", true), ("REAL", "1.5", "INTEGER", true), ("REAL", "0.1", "TEXT", true),
            ("BLOB", "x'00ff'", "TEXT", true), ("TEXT", "' 7'", "NUMERIC", false), ("TEXT", "'1e3'", "NUMERIC", false),
            ("", "'007'", "INTEGER", false), ("TEXT", "'007'", "", true), ("TEXT", "NULL", "INTEGER", true),
            ("TEXT COLLATE NOCASE", "'7e0'", "INTEGER", false),
        ], ["", " WITHOUT ROWID"])
    func `A type that would change values for good is refused`(
        _ change: (type: String, value: String, newType: String, isAllowed: Bool), _ rest: String
    ) throws {
        let (type, value, newType, isAllowed) = change
        try withDatabase("CREATE TABLE t (a TEXT PRIMARY KEY, b \(type))\(rest); INSERT INTO t VALUES ('x', \(value))") { db in
            let plan = TableRebuildPlan(definition: "(a TEXT PRIMARY KEY, b \(newType))\(rest)")
            if isAllowed {
                try db.rebuild(table: "t", with: plan)
            } else {
                let error = expectError(.SQLITE_MISUSE) { try db.rebuild(table: "t", with: plan) }
                #expect(error?.message?.contains("the column b would change a value") == true)
                #expect(error?.message?.contains("7") == false, "values may be private")
                var explicit = plan
                explicit.expressions["b"] = "CAST(b AS \(newType))"
                try db.rebuild(table: "t", with: explicit)
            }
        }
    }

    @Test
    func `Views, virtual tables, SQLite's own tables and missing ones are refused`() throws {
        try withDatabase(Self.creation + "CREATE VIRTUAL TABLE v USING fts5(a); CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT)") {
            db in
            for name in ["best", "v", "sqlite_sequence"] {
                expectError(.SQLITE_MISUSE) { try db.rebuild(table: name, with: TableRebuildPlan(definition: "(a)")) }
            }
            expectError(.SQLITE_ERROR) { try db.rebuild(table: "missing", with: TableRebuildPlan(definition: "(a)")) }
        }
    }

    // MARK: - Kinds of tables

    @Test
    func `A renamed column is renamed in all references`() throws {
        try withDatabase { (db) throws in
            var plan = TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, fullName TEXT NOT NULL, score INTEGER, teamId INTEGER)")
            plan.renamedColumns = [("name", "fullName")]
            plan.expressions = ["fullName": "upper(fullName)"]
            try db.rebuild(table: "player", with: plan)
            #expect(try String.fetchAll(db, sql: "SELECT fullName FROM best ORDER BY 1") == ["ARTHUR", "CRAIG"])
            try db.execute(sql: "UPDATE player SET fullName = 'x' WHERE id = 7")
            #expect(try String.fetchAll(db, sql: "SELECT text FROM log") == ["ARTHUR x"])
            #expect(
                try Int64.fetchAll(db, sql: "SELECT count(*) FROM player INDEXED BY player_by_name WHERE fullName = 'X' COLLATE NOCASE")
                    == [1])
        }
    }

    @Test
    func `AUTOINCREMENT continues after its last value`() throws {
        let sql = """
            CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (100, 1); DELETE FROM t;
            CREATE TABLE u (id INTEGER PRIMARY KEY, a); INSERT INTO u VALUES (7, 1)
            """
        try withDatabase(sql) { db in
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY AUTOINCREMENT, a NOT NULL)"))
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            #expect(try Int64.fetchAll(db, sql: "SELECT id FROM t") == [101])
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY AUTOINCREMENT, a)"))
            #expect(try Int64.fetchAll(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 't'") == [101])
            try db.rebuild(table: "u", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY AUTOINCREMENT, a)"))
            #expect(try Int64.fetchAll(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'u'") == [7])
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, a)"))
            #expect(try String.fetchAll(db, sql: "SELECT name FROM sqlite_sequence") == ["u"])
        }
    }

    @Test
    func `Row IDs without a column are kept, become a column, and come from one`() throws {
        try withDatabase("CREATE TABLE t (a); INSERT INTO t (rowid, a) VALUES (5, 'x'), (-1, 'y')") { db in
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a NOT NULL)"))
            #expect(try Int64.fetchAll(db, sql: "SELECT rowid FROM t ORDER BY 1") == [-1, 5])
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a, id INTEGER PRIMARY KEY)"))
            #expect(try Int64.fetchAll(db, sql: "SELECT id FROM t ORDER BY 1") == [-1, 5])
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(rowid TEXT DEFAULT 'mine', a PRIMARY KEY, id INTEGER)"))
            #expect(try Int64.fetchAll(db, sql: "SELECT oid FROM t ORDER BY 1") == [-1, 5])
            #expect(try String.fetchAll(db, sql: "SELECT DISTINCT rowid FROM t") == ["mine"])
        }
    }

    @Test
    func `Tables without row IDs, strict tables and tables with generated columns can be rebuilt`() throws {
        let sql = """
            CREATE TABLE t (a TEXT PRIMARY KEY, b INTEGER, c AS (b * 2), d AS (b * 3) STORED) WITHOUT ROWID;
            INSERT INTO t (a, b) VALUES ('x', 1), ('y', 2); CREATE INDEX i ON t (c)
            """
        try withDatabase(sql) { db in
            // One generated column becomes a plain one, and keeps its values; the other is generated in another way.
            try db.rebuild(
                table: "t",
                with: TableRebuildPlan(definition: "(a TEXT PRIMARY KEY, b INTEGER, c INTEGER, d INTEGER AS (b * 4)) STRICT, WITHOUT ROWID")
            )
            #expect(try rows(db, "SELECT * FROM t") == ["'x'|1|2|4", "'y'|2|4|8"])
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a TEXT, b INTEGER, c INTEGER)"))
            #expect(try rows(db, "SELECT * FROM t") == ["'x'|1|2", "'y'|2|4"])
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a ANY PRIMARY KEY, b INTEGER, c INTEGER) STRICT"))
            #expect(try String.fetchAll(db, sql: "SELECT a FROM t INDEXED BY i WHERE c = 4") == ["y"])
            #expect(try Int64.fetchAll(db, sql: "SELECT strict FROM pragma_table_list('t')") == [1])
        }
    }

    @Test(arguments: ["main", "temp", "other"])
    func `Temporary and attached tables, and tables with temporary triggers, can be rebuilt`(_ schema: String) throws {
        let sql = """
            ATTACH ':memory:' AS other;
            CREATE TABLE \(schema).t (id INTEGER PRIMARY KEY, a);
            CREATE INDEX \(schema).i ON t (a);
            CREATE TABLE \(schema).log (a);
            CREATE TRIGGER \(schema).g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;
            CREATE TEMP TRIGGER h AFTER INSERT ON \(schema).t BEGIN INSERT INTO log VALUES ('temporary'); END;
            INSERT INTO \(schema).t VALUES (1, 'x'); DELETE FROM \(schema).log;
            """
        try withDatabase(sql) { db in
            // Tables with the same name in other databases don't change.
            for other in ["main", "other"] where other != schema && schema != "temp" {
                try db.execute(sql: "CREATE TABLE \(other).t (z); CREATE INDEX \(other).j ON t (z)")
            }
            try db.rebuild(table: "t", in: schema, with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, a NOT NULL, b)"))
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('t', '\(schema)')") == ["id", "a", "b"])
            try db.execute(sql: "INSERT INTO \(schema).t VALUES (2, 'y', 1)")
            #expect(try Set(String.fetchAll(db, sql: "SELECT a FROM \(schema).log")) == ["y", "temporary"])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_index_list('t', '\(schema)')") == ["i"])
        }
    }

    @Test
    func `The statistics of ANALYZE are kept`() throws {
        try withDatabase(Self.creation + "ANALYZE") { db in
            let before = try rows(db, "SELECT * FROM sqlite_stat1 WHERE tbl = 'player' ORDER BY 2")
            #expect(!before.isEmpty)
            try db.rebuild(table: "player", with: plan)
            #expect(try rows(db, "SELECT * FROM sqlite_stat1 WHERE tbl = 'player' ORDER BY 2") == before)
        }
    }

    @Test
    func `The statistics of the key of a table WITHOUT ROWID are kept, and the statistics of an index with other columns are not`() throws {
        let sql = """
            CREATE TABLE t (a TEXT, b INTEGER, c TEXT UNIQUE, d, PRIMARY KEY (a, b)) WITHOUT ROWID;
            CREATE INDEX by_d ON t (d) WHERE d > 0; CREATE INDEX by_upper ON t (upper(c), b DESC);
            INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT i % 4, i, 'c' || i, i % 8 FROM n;
            ANALYZE
            """
        let definition = "(a TEXT, b INTEGER NOT NULL, c TEXT UNIQUE, d, PRIMARY KEY (a, b)) WITHOUT ROWID"
        func statistics(_ db: Database) throws -> [String] { try rows(db, "SELECT * FROM sqlite_stat1 ORDER BY 2") }
        try withDatabase(sql) { db in
            let before = try statistics(db)
            #expect(before.contains("'t'|'t'|'40 10 1'"))
            #expect(before.count == 4)
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: definition))
            #expect(try statistics(db) == before)

            // A renamed column is the same one.
            var plan = TableRebuildPlan(definition: "(e TEXT, b INTEGER, c TEXT UNIQUE, d, PRIMARY KEY (e, b)) WITHOUT ROWID")
            plan.renamedColumns = [("a", "e")]
            try db.rebuild(table: "t", with: plan)
            #expect(try statistics(db) == before)

            // An automatic index has another number, and an index has other columns.
            plan = TableRebuildPlan(definition: "(e TEXT, b INTEGER, c TEXT UNIQUE, d, UNIQUE (d, b), PRIMARY KEY (b, e)) WITHOUT ROWID")
            plan.indexes = [("by_d", "CREATE INDEX by_d ON t (d, c)")]
            try db.rebuild(table: "t", with: plan)
            let unique = try #require(before.first { $0.contains("autoindex") })
            #expect(try Set(statistics(db)) == [unique, try #require(before.first { $0.contains("by_upper") })])
            let name = try String.fetchAll(db, sql: "SELECT idx FROM sqlite_stat1 WHERE idx LIKE '%autoindex%'")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_index_info('\(name[0])')") == ["c"])
        }
        try withDatabase(sql) { db in
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a TEXT, b INTEGER, c TEXT, d, PRIMARY KEY (a, b))"))
            #expect(try String.fetchAll(db, sql: "SELECT idx FROM sqlite_stat1 ORDER BY 1") == ["by_d", "by_upper"])
        }
    }

    @Test
    func `The samples of ANALYZE are kept`() throws {
        let sql = """
            CREATE TABLE samples (tbl, idx, neq, nlt, ndlt, sample);
            CREATE TABLE t (a TEXT PRIMARY KEY, b) WITHOUT ROWID; CREATE INDEX i ON t (b);
            INSERT INTO samples VALUES ('t', 't', '1', '0', '0', x'01'), ('t', 'i', '1 1', '0 0', '0 0', x'02'), ('u', 'u', '1', '0', '0', x'03');
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4',
                sql = 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)' WHERE name = 'samples';
            PRAGMA writable_schema = RESET;
            """
        try withDatabase(sql) { db in
            let before = try rows(db, "SELECT * FROM sqlite_stat4 ORDER BY sample")
            #expect(before.count == 3)
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a TEXT PRIMARY KEY, b NOT NULL) WITHOUT ROWID"))
            #expect(try rows(db, "SELECT * FROM sqlite_stat4 ORDER BY sample") == before)
            // The samples contain the columns of the key.
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(a TEXT, b PRIMARY KEY) WITHOUT ROWID"))
            #expect(try String.fetchAll(db, sql: "SELECT idx FROM sqlite_stat4") == ["u"])
        }
    }

    @Test
    func `New indexes are created, and replace old ones with the same name`() throws {
        try withDatabase { (db) throws in
            var plan = plan
            plan.indexes = [
                ("player_by_name", "CREATE INDEX main.player_by_name ON player (name, score)"),
                ("player_by_url", "CREATE INDEX player_by_url ON player (url)"),
            ]
            try db.rebuild(table: "player", with: plan)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_index_info('player_by_name')") == ["name", "score"])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_index_info('player_by_url')") == ["url"])
        }
    }

    // MARK: - Progress

    @Test(arguments: ["", " WITHOUT ROWID"])
    func `The copy reports its progress, and an error of the report undoes all`(_ rest: String) throws {
        let sql = """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a)\(rest);
            INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) SELECT i * 3 - 30000, i FROM n
            """
        try withDatabase(sql) { db in
            var reports: [Int] = []
            try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, a NOT NULL)\(rest)")) { progress in
                #expect(progress.totalRowCount == 25000)
                reports.append(progress.copiedRowCount)
            }
            #expect(reports == (rest.isEmpty ? [0, 10000, 20000, 25000] : [0, 25000]))
            #expect(try Int64.fetchAll(db, sql: "SELECT count(*) FROM t WHERE id = a * 3 - 30000") == [25000])
            #expect(throws: CancellationError.self) {
                try db.rebuild(table: "t", with: TableRebuildPlan(definition: "(id INTEGER PRIMARY KEY, a, b)\(rest)")) { progress in
                    if progress.fractionCompleted > 0.5 { throw CancellationError() }
                }
            }
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('t')") == ["id", "a"])
        }
    }

    @Test
    func `A table with a running statement is refused, and stays unchanged`() throws {
        try withDatabase { (db) throws in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            _ = try statement.step()
            expectError(.SQLITE_LOCKED) { try db.rebuild(table: "player", with: plan) }
            statement.reset()
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('player')") == ["id", "name", "score", "teamId"])
        }
    }
}
