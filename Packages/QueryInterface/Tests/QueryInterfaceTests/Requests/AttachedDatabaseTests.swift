import QueryInterface
import Testing

@Suite struct AttachedDatabaseTests {
    struct Team: TableRecord {
        static let databaseTableName = "aux.team"
        static let players = hasMany(AuxPlayer.self)
    }

    struct AuxPlayer: TableRecord {
        static let databaseTableName = "aux.player"
        static let team = belongsTo(Team.self)
    }

    /// Runs a closure with a database that has another database attached as aux.
    private func withAttached(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ':memory:' AS aux")
            try body(db)
        }
    }

    private func createTables(_ db: Database) throws {
        try db.create(table: "aux.team") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text)
        }
        try db.create(table: "aux.player") { t in
            t.primaryKey("id", .integer)
            t.belongsTo("team", inTable: "aux.team").notNull()
            t.column("name", .text).indexed()
        }
        try db.execute(sql: "INSERT INTO aux.team VALUES (1, 'Red'), (2, 'Blue')")
        try db.execute(sql: "INSERT INTO aux.player VALUES (1, 1, 'Arthur'), (2, 1, 'Bo')")
    }

    @Test
    func `Tables, indexes and views are created, changed and dropped in an attached database`() throws {
        try withAttached { db throws in
            let creation = try db.statements { try createTables(db) }
            let sql = creation.filter { $0.hasPrefix("CREATE") }
            #expect(
                sql == [
                    #"CREATE TABLE "aux"."team" ("id" INTEGER PRIMARY KEY, "name" TEXT)"#,
                    #"CREATE TABLE "aux"."player" ("id" INTEGER PRIMARY KEY, "teamId" INTEGER NOT NULL REFERENCES "team" ("id"), "name" TEXT)"#,
                    #"CREATE INDEX "aux"."player_on_teamId" ON "player" ("teamId")"#,
                    #"CREATE INDEX "aux"."player_on_name" ON "player" ("name")"#,
                ])
            let changes = try db.statements {
                try db.create(index: "byTeam", on: "aux.player", columns: ["teamId", "name"], options: .unique)
                try db.create(indexOn: "aux.player", columns: ["name", "id"])
                try db.drop(index: "aux.byTeam")
                try db.drop(indexOn: "aux.player", columns: ["name", "id"])
                try db.alter(table: "aux.player") { t in t.add(column: "score", .integer).indexed() }
                try db.rename(table: "aux.team", to: "club")
                try db.create(view: "aux.names", as: SQLRequest<Row>("SELECT name FROM club"))
                try db.drop(view: "aux.names")
                try db.create(virtualTable: "aux.document", using: "fts5(body)")
                try db.drop(table: "aux.document")
                try db.drop(table: "aux.player")
            }
            #expect(
                changes.filter { !$0.hasSuffix("TRANSACTION") } == [
                    #"CREATE UNIQUE INDEX "aux"."byTeam" ON "player" ("teamId", "name")"#,
                    #"CREATE INDEX "aux"."index_player_on_name_id" ON "player" ("name", "id")"#,
                    #"DROP INDEX "aux"."byTeam""#, #"DROP INDEX "aux"."index_player_on_name_id""#,
                    #"ALTER TABLE "aux"."player" ADD COLUMN "score" INTEGER"#,
                    #"CREATE INDEX "aux"."player_on_score" ON "player" ("score")"#,
                    #"ALTER TABLE "aux"."team" RENAME TO "club""#, #"CREATE VIEW "aux"."names" AS SELECT name FROM club"#,
                    #"DROP VIEW "aux"."names""#, #"CREATE VIRTUAL TABLE "aux"."document" USING fts5(body)"#,
                    #"DROP TABLE "aux"."document""#, #"DROP TABLE "aux"."player""#,
                ])
            #expect(try db.tableExists("club", in: "aux"))
            #expect(try !db.tableExists("player", in: "aux"))
            #expect(try db.objectNames().isEmpty)
        }
    }

    @Test
    func `Associations follow the foreign keys of an attached database`() throws {
        try withAttached { db throws in
            try createTables(db)
            // Tables with the same names, but without a foreign key.
            try db.execute(sql: "CREATE TABLE team (id); CREATE TABLE player (id, teamId)")
            let joined = AuxPlayer.including(required: AuxPlayer.team).asRequest(of: Row.self)
            #expect(
                try joined.sql(db)
                    == #"SELECT "player".*, "team".* FROM "aux"."player" JOIN "aux"."team" ON "team"."id" = "player"."teamId""#)
            let rows = try joined.fetchAll(db)
            #expect(rows.map { $0.scopes["team"]?["name"] as String? } == ["Red", "Red"])
            let counted = Team.annotated(with: Team.players.count.forKey("players")).including(all: Team.players).asRequest(of: Row.self)
            let teams = try counted.fetchAll(db)
            #expect(teams.map { $0["players"] as Int } == [2, 0])
            #expect(teams.map { $0.prefetchedRows[$0.prefetchedRows.keys.first ?? ""]?.count } == [2, 0])
        }
    }

    @Test
    func `Tables with the same name in two databases are distinguished`() throws {
        try withAttached { db throws in
            try createTables(db)
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (2, 'Main')")
            let association = Table<Row>("aux.player").association(to: Table<Row>("main.player"), on: { $0["id"] == $1["id"] })
            let request = Table<Row>("aux.player").including(required: association.forKey("main"))
            #expect(
                try request.sql(db) == #"""
                    SELECT "player1".*, "player2".* FROM "aux"."player" AS "player1" \#
                    JOIN "main"."player" AS "player2" ON "player1"."id" = "player2"."id"
                    """#)
            let row = try #require(try request.fetchOne(db))
            #expect(row["name"] == "Bo")
            #expect(row.scopes["main"]?["name"] == "Main")
        }
    }

    @Test
    func `Without an attached database, a name with a dot is the name of a table`() throws {
        try withEmptyDatabase { db throws in
            let message = try db.message { _ = try Table<Row>("other.player").fetchAll(db) }
            #expect(message == "no such table: other.player")
        }
    }
}
