import QueryInterface
import Testing

@Suite(.page)
struct QueryInterfaceSamples {
    private struct Author: TableRecord {
        enum Columns {
            static let name = Column("name")
        }
    }

    private struct Book: TableRecord {
        enum Columns {
            static let title = Column("title")
            static let price = Column("price")
        }
    }

    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try withDatabase(
            """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, birthYear INTEGER);
            CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL, year INTEGER, price REAL);
            INSERT INTO author VALUES (1, 'Verne', 1828), (2, 'Wells', 1866), (3, 'Calvino', 1923);
            INSERT INTO book VALUES
                (1, 1, 'The Steam House', 1880, 12), (2, 1, 'The Green Ray', 1882, 8), (3, 2, 'The Time Machine', 1895, 9.5);
            """, body)
    }

    @Test
    func `The README on common table expressions, set operations and windows`() throws {
        try withLibrary { db throws in
            // sample: Larger queries 1

            #expect(decades == [1880, 1890, 1900])
            #expect(words == ["Calvino", "The Green Ray", "The Steam House", "The Time Machine", "Verne", "Wells"])
            #expect(try ranked.asRequest(of: Row.self).fetchAll(db).map { $0["rank"] as Int }.sorted() == [1, 1, 2])
        }
    }

    @Test
    func `The README's tables`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            struct Player: TableRecord {}
            // sample: Tables, indexes and views 1
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
    }

    @Test
    func `The README's sample`() throws {
        // sample: QueryInterface 1

        #expect(players.map(\.name) == ["Barbara", "Arthur"])
        #expect(arthur.score == 1000)
        #expect(players.map(\.id) == [2, 1])
    }
}
