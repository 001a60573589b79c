import QueryInterface
import Testing

@Suite struct SchemaAlterationTests {
    private func withPlayers<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withEmptyDatabase { db throws in
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
                t.column("score", .integer)
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 1000)")
            return try body(db)
        }
    }

    @Test
    func `Changes are made in order, all of them or none`() throws {
        try withPlayers { db throws in
            let sql = try db.statements {
                try db.alter(table: "player") { t in
                    t.add(column: "url", .text)
                    t.add(column: "bonus", .integer).notNull().defaults(to: 10).check { $0 >= 0 }.indexed()
                    t.rename(column: "score", to: "points")
                    t.addColumn(sql: "note VARCHAR(10)")
                    t.addColumn(literal: "grade TEXT DEFAULT \("it's A")")
                    t.drop(column: "url")
                    t.add(column: "total", .integer).generatedAs(Column("points") > Column("bonus"))
                    t.add(column: "captainId", .integer).references("player", onDelete: .setNull)
                }
            }
            #expect(
                sql == [
                    "SAVEPOINT strata",
                    #"ALTER TABLE "player" ADD COLUMN "url" TEXT"#,
                    #"ALTER TABLE "player" ADD COLUMN "bonus" INTEGER NOT NULL CHECK ("bonus" >= 0) DEFAULT 10"#,
                    #"CREATE INDEX "player_on_bonus" ON "player" ("bonus")"#,
                    #"ALTER TABLE "player" RENAME COLUMN "score" TO "points""#,
                    #"ALTER TABLE "player" ADD COLUMN note VARCHAR(10)"#,
                    #"ALTER TABLE "player" ADD COLUMN grade TEXT DEFAULT 'it''s A'"#,
                    #"ALTER TABLE "player" DROP COLUMN "url""#,
                    #"ALTER TABLE "player" ADD COLUMN "total" INTEGER GENERATED ALWAYS AS ("points" > "bonus") VIRTUAL"#,
                    #"ALTER TABLE "player" ADD COLUMN "captainId" INTEGER REFERENCES "player" ("id") ON DELETE SET NULL"#,
                    "RELEASE SAVEPOINT strata",
                ])
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player"))
            #expect(
                row == [
                    "id": 1, "name": "Arthur", "points": 1000, "bonus": 10, "note": nil, "grade": "it's A", "total": 1, "captainId": nil,
                ])
            #expect(try db.indexes(on: "player").map(\.name) == ["player_on_bonus"])
        }
    }

    @Test
    func `One change runs one statement, and no change runs none`() throws {
        try withPlayers { db throws in
            #expect(
                try db.statement { try db.alter(table: "player") { $0.add(column: "url") } }
                    == #"ALTER TABLE "player" ADD COLUMN "url""#)
            #expect(
                try db.statement { try db.alter(table: "player") { $0.rename(column: "url", to: "link") } }
                    == #"ALTER TABLE "player" RENAME COLUMN "url" TO "link""#)
            #expect(
                try db.statement { try db.alter(table: "player") { $0.drop(column: "link") } }
                    == #"ALTER TABLE "player" DROP COLUMN "link""#)
            #expect(try db.statements { try db.alter(table: "player") { _ in } }.filter { !$0.contains("SAVEPOINT") }.isEmpty)
        }
    }

    @Test
    func `A change sees the previous ones`() throws {
        try withPlayers { db throws in
            let sql = try db.statements {
                try db.alter(table: "player") { t in
                    t.rename(column: "id", to: "number")
                    t.add(column: "rival", .integer).references("player")
                }
            }
            #expect(sql[2] == #"ALTER TABLE "player" ADD COLUMN "rival" INTEGER REFERENCES "player" ("number")"#)
        }
    }

    @Test
    func `A change that SQLite rejects leaves the table unchanged`() throws {
        try withPlayers { db throws in
            let before = try db.columns(in: "player")
            func message(_ body: (TableAlteration) -> Void) throws -> String {
                try db.message {
                    try db.alter(table: "player") { t in
                        t.add(column: "first")
                        body(t)
                    }
                }
            }
            #expect(try message { $0.add(column: "x").unique() } == "Cannot add a UNIQUE column")
            #expect(try message { $0.add(column: "x").primaryKey() } == "Cannot add a PRIMARY KEY column")
            let refused = #expect(throws: DatabaseError.self) { try db.alter(table: "player") { $0.add(column: "x").notNull() } }
            #expect(
                refused?.advice
                    == "SQLite can't add such a column to a table with rows: use rebuild(table:), and give it values with fill(_:with:).")
            #expect(try message { $0.add(column: "x").notNull() } == "Cannot add a NOT NULL column with default value NULL")
            #expect(
                try message { $0.add(column: "x").defaults(sql: "CURRENT_TIMESTAMP") } == "Cannot add a column with non-constant default")
            #expect(try message { $0.add(column: "x").generatedAs(sql: "1", .stored) } == "cannot add a STORED column")
            #expect(
                try message { $0.add(column: "x").defaults(to: 1).references("player") }
                    == "Cannot add a REFERENCES column with non-NULL default value")
            #expect(try message { $0.add(column: "name") } == "duplicate column name: name")
            #expect(try message { $0.add(column: "x", .integer).defaults(to: 1).check { $0 > 1 } } == "CHECK constraint failed")
            #expect(try message { $0.drop(column: "id") } == #"cannot drop PRIMARY KEY column: "id""#)
            #expect(try message { $0.drop(column: "nothing") }.hasPrefix("no such column"))
            #expect(try message { $0.rename(column: "nothing", to: "x") }.hasPrefix("no such column"))
            #expect(try db.columns(in: "player") == before)
            #expect(try db.message { try db.alter(table: "nothing") { $0.add(column: "x") } } == "no such table: nothing")
        }
    }

    @Test
    func `If the index of a column can't be created, the column is not added`() throws {
        try withPlayers { db throws in
            try db.execute(sql: "CREATE INDEX player_on_url ON player (name)")
            #expect(
                try db.message { try db.alter(table: "player") { $0.add(column: "url").indexed() } }
                    == "index player_on_url already exists")
            #expect(try db.columns(in: "player").map(\.name) == ["id", "name", "score"])
        }
    }

    @Test
    func `If the closure throws an error, nothing is changed`() throws {
        struct Failure: Error {}
        try withPlayers { db throws in
            let sql = try db.statements {
                #expect(throws: Failure.self) {
                    try db.alter(table: "player") { t in
                        t.add(column: "url")
                        throw Failure()
                    }
                }
            }
            #expect(sql.isEmpty)
            #expect(try db.columns(in: "player").count == 3)
        }
    }

    @Test
    func `The temporary one of two tables with the same name is altered`() throws {
        try withPlayers { db throws in
            try db.create(table: "player", options: .temporary) { $0.primaryKey("code", .text) }
            try db.alter(table: "player") { t in
                t.add(column: "x").references("player").indexed()
            }
            #expect(try db.columns(in: "player", in: "temp").map(\.name) == ["code", "x"])
            #expect(try db.foreignKeys(on: "player", in: "temp").map(\.destinationColumns) == [["code"]])
            #expect(try db.indexes(on: "player", in: "main").isEmpty)
        }
    }
}
