import QueryInterface
import Testing

@Suite struct ReadmeSchemaTests {
    @Test("The README's tables")
    func tables() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique().collate(.nocase)
            }

            try db.create(table: "player", options: .strict) { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().check { $0 != "" }
                t.column("score", .integer).notNull().defaults(to: 0).indexed()
                t.belongsTo("team", onDelete: .cascade)  // "teamId", which refers to the primary key of "team", and an index
            }

            try db.alter(table: "player") { t in
                t.add(column: "email", .text)
                t.rename(column: "score", to: "points")
            }

            try db.create(indexOn: "player", columns: ["email"], options: .unique, condition: Column("email") != nil)
            try db.create(view: "hero", as: Player.filter(Column("points") > 1000))
        }

        let schema = try queue.read { try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%'") }
        #expect(
            schema == [
                #"CREATE TABLE "team" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL UNIQUE COLLATE NOCASE)"#,
                #"CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL CHECK ("name" <> ''), "#
                    + #""points" INTEGER NOT NULL DEFAULT 0, "teamId" INTEGER REFERENCES "team" ("id") ON DELETE CASCADE, "email" TEXT) STRICT"#,
                #"CREATE INDEX "player_on_score" ON "player" ("points")"#,
                #"CREATE INDEX "player_on_teamId" ON "player" ("teamId")"#,
                #"CREATE UNIQUE INDEX "index_player_on_email" ON "player" ("email") WHERE "email" IS NOT NULL"#,
                #"CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "points" > 1000"#,
            ])

        try queue.write { try $0.execute(sql: "INSERT INTO player (id, name, points, email) VALUES (7, 'Arthur', -1, 'a@b')") }
        try queue.writeWithoutTransaction { db in
            try db.rebuild(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
                t.column("points", .integer).notNull().check { $0 >= 0 }
                t.fill("points", sql: "max(points, 0)")
                t.belongsTo("team", onDelete: .cascade)
                t.drop(column: "email")
                t.drop(index: "index_player_on_email")
            }
        }
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM player") }
        #expect(rows.map { "\($0)" } == ["[id:7 name:'Arthur' points:0 teamId:NULL]"])
    }
}
