import QueryInterface
import Testing

private struct RebuildError: Error {}

private func refuse(_ table: TableRebuild) throws {
    throw RebuildError()
}

private func defineKey(_ table: TableRebuild) {
    table.primaryKey("id", .integer)
}

@Suite struct TableRebuildDefinitionTests {
    private func withTables(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO team VALUES (1, 'Reds');
                    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, score INTEGER, nickname TEXT, teamId INTEGER);
                    CREATE INDEX player_on_score ON player (score);
                    CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player (id) ON DELETE CASCADE);
                    INSERT INTO player VALUES (3, 'Arthur', NULL, 'Art', 1), (5, 'Barbara', 7, NULL, 1);
                    INSERT INTO award VALUES (1, 3);
                    """)
            try body(db)
        }
    }

    @Test(arguments: [false, true])
    func `An index of belongsTo has one name, unless the other one is dropped`(_ drops: Bool) throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team (id));
                    CREATE INDEX index_player_on_teamId ON player (teamId);
                    """)
            try db.rebuild(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team")
                if drops { t.drop(index: "index_player_on_teamId") }
            }
            #expect(try db.indexes(on: "player").map(\.name) == [drops ? "player_on_teamId" : "index_player_on_teamId"])
        }
    }

    @Test
    func `A closure defines the table, and the values of its columns`() throws {
        try withTables { db in
            try db.rebuild(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("fullName", .text).notNull().unique()
                t.column("score", .integer).notNull().check { $0 >= 0 }.indexed()
                t.belongsTo("team", onDelete: .cascade)
                t.belongsTo("captain", inTable: "player")
                t.rename(column: "name", to: "fullName")
                t.fill("score", with: Column("score") ?? 0)
                t.fill("fullName", sql: "upper(fullName) -- with a comment")
                t.drop(column: "nickname")
            }
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'player'")
            #expect(
                sql == #"CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "fullName" TEXT NOT NULL UNIQUE, "#
                    + #""score" INTEGER NOT NULL CHECK ("score" >= 0), "teamId" INTEGER REFERENCES "team" ("id") ON DELETE CASCADE, "#
                    + #""captainId" INTEGER REFERENCES "player" ("id"))"#)
            #expect(
                try Row.fetchAll(db, sql: "SELECT * FROM player").map { "\($0)" } == [
                    "[id:3 fullName:\"ARTHUR\" score:0 teamId:1 captainId:NULL]",
                    "[id:5 fullName:\"BARBARA\" score:7 teamId:1 captainId:NULL]",
                ])
            #expect(
                try db.indexes(on: "player").filter { $0.origin == .createIndex }.map(\.name).sorted()
                    == ["player_on_captainId", "player_on_score", "player_on_teamId"])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM award") == 1)
            #expect(db.enforcesForeignKeys)
        }
    }

    @Test
    func `The options of the table are kept, unless others are given`() throws {
        try withTables { db in
            try db.create(table: "country", options: [.withoutRowID, .strict]) { t in
                t.primaryKey("code", .text)
                t.column("name", .text)
            }
            try db.execute(sql: "INSERT INTO country VALUES ('IS', 'Iceland')")
            func rebuild(_ options: TableOptions?) throws -> String? {
                try db.rebuild(table: "country", options: options) { t in
                    t.primaryKey("code", .text)
                    t.column("name", .text).notNull()
                }
                return try String.fetchOne(db, sql: "SELECT substr(sql, -22) FROM sqlite_master WHERE name = 'country'")
            }
            #expect(try rebuild(nil) == ") WITHOUT ROWID, STRICT".suffix(22).description)
            #expect(try rebuild(.strict)?.hasSuffix(") STRICT") == true)
            #expect(try rebuild([])?.hasSuffix("NOT NULL)") == true)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM country") == ["Iceland"])
        }
    }

    @Test
    func `Tables of attached databases and temporary ones are found as elsewhere`() throws {
        try withTables { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other; CREATE TABLE other.player (id INTEGER PRIMARY KEY, a); INSERT INTO other.player VALUES (1, 2);
                    CREATE TEMP TABLE team (id INTEGER PRIMARY KEY, b)
                    """)
            try db.rebuild(table: "other.player") { t in
                t.primaryKey("id", .integer)
                t.column("a", .integer).notNull().indexed()
            }
            #expect(try db.columns(in: "player", in: "other").map(\.isNotNull) == [false, true])
            #expect(try db.indexes(on: "player", in: "other").map(\.name) == ["player_on_a"])
            #expect(try db.columns(in: "player", in: "main").count == 5)
            try db.rebuild(table: "team") { t in
                t.primaryKey("id", .integer)
                t.column("b", .text).notNull()
            }
            #expect(try db.columns(in: "team", in: "temp").map(\.isNotNull) == [false, true])
            #expect(try db.columns(in: "team", in: "main").map(\.name) == ["id", "name"])
        }
    }

    /// The error of a rebuilding, as a string, or nil.
    private func failure(_ db: Database, _ body: (TableRebuild) throws -> Void) -> String? {
        do {
            try db.rebuild(table: "player", body: body)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test
    func `A closure that throws, and a column that is forgotten, leave the table as it was`() throws {
        try withTables(expectErrors)
    }

    private func expectErrors(_ db: Database) throws {
        #expect(failure(db, refuse) == "RebuildError()")
        #expect(failure(db, defineKey)?.contains("lacks the columns name, score, nickname, teamId") == true)
        try db.beginTransaction()
        #expect(failure(db, defineKey)?.contains("award refers to it") == true)
        try db.rollback()
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 2)
    }

    @Test
    func `Indexes and triggers are dropped when the closure drops them, and progress is reported`() throws {
        try withTables { db in
            try db.execute(sql: "CREATE TRIGGER g AFTER INSERT ON player BEGIN SELECT 1; END")
            var reports: [TableRebuildProgress] = []
            try db.rebuild(table: "player", progress: { reports.append($0) }) { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
                for name in ["score", "nickname", "teamId"] { t.drop(column: name) }
                t.drop(index: "player_on_score")
                t.drop(trigger: "g")
            }
            #expect(reports.map(\.copiedRowCount) == [0, 2])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE tbl_name = 'player'") == ["player"])
        }
    }
}
