import QueryInterface
import Testing

/// Comparisons that Swift could take for its own, which give a `Bool`.
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

    @Test("The literal nil asks for NULL")
    func literal() throws {
        #expect(try sql(Player.filter(name == nil)) == #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        #expect(try sql(Player.filter(nil == name)) == #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        #expect(try sql(Player.filter(name != nil)) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
        #expect(try sql(Player.filter(nil != name)) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
    }

    @Test("An optional asks for its value or for NULL")
    func optional() throws {
        let nobody: String? = nil
        let arthur: String? = "Arthur"
        #expect(try sql(Player.filter(name == nobody)) == #"SELECT * FROM "player" WHERE "name" IS NULL"#)
        #expect(try sql(Player.filter(name == arthur)) == #"SELECT * FROM "player" WHERE "name" = 'Arthur'"#)
        #expect(try sql(Player.filter(nobody != name)) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
    }

    @Test("Negation and logic keep the comparison an expression of SQL")
    func logic() throws {
        #expect(try sql(Player.filter(!(name == nil))) == #"SELECT * FROM "player" WHERE "name" IS NOT NULL"#)
        #expect(
            try sql(Player.filter(!(name != nil) && !(team == nil) || team == nil))
                == #"SELECT * FROM "player" WHERE "name" IS NULL AND "team" IS NOT NULL OR "team" IS NULL"#)
    }

    @Test("Two columns are compared by SQL, and not by Swift")
    func columns() throws {
        #expect(try sql(Player.filter(name == team)) == #"SELECT * FROM "player" WHERE "name" = "team""#)
        #expect(try sql(Player.filter(name != team)) == #"SELECT * FROM "player" WHERE "name" <> "team""#)
    }
}
