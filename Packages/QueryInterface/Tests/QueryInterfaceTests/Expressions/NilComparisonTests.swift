import QueryInterface
import Testing

/// Comparisons that Swift could interpret as its own, with a `Bool` as their result.
struct NilComparisonTests {
    private struct Player: TableRecord {}

    private func sql(_ request: QueryInterfaceRequest<Player>) throws -> String {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT, team TEXT)")
            return try request.makePreparedRequest(db).statement.expandedSQL
        }
    }

    private let name = Column("name")
    private let team = Column("team")

    @Test
    func `A comparison with nil becomes IS NULL`() throws {
        #expect(try sql(Player.filter(name == nil)) == #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        #expect(try sql(Player.filter(nil == name)) == #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        #expect(try sql(Player.filter(name != nil)) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
        #expect(try sql(Player.filter(nil != name)) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
    }

    @Test
    func `A comparison with an optional compares its value, or becomes IS NULL`() throws {
        let nobody: String? = nil
        let arthur: String? = "Arthur"
        #expect(try sql(Player.filter(name == nobody)) == #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        #expect(try sql(Player.filter(name == arthur)) == #"SELECT * FROM "player" WHERE "name" = 'Arthur'"#)
        #expect(try sql(Player.filter(nobody != name)) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
    }

    @Test
    func `Negating and combining a comparison with nil makes SQL`() throws {
        #expect(try sql(Player.filter(!(name == nil))) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
        #expect(
            try sql(Player.filter(!(name != nil) && !(team == nil) || team == nil))
                == #"SELECT * FROM "player" WHERE "name" IS NULL AND "team" IS NOT NULL OR "team" IS NULL"#)
    }

    @Test
    func `Comparing two columns makes SQL`() throws {
        #expect(try sql(Player.filter(name == team)) == #"SELECT * FROM "player" WHERE "name" = "team""#)
        #expect(try sql(Player.filter(name != team)) == #"SELECT * FROM "player" WHERE "name" <> "team""#)
    }
}
