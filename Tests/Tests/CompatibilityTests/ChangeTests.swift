import Strata
import Testing

@Suite("Changes of many rows as GRDB's users write them")
struct ChangeTests {
    private func names(_ db: Database) throws -> [String] {
        try String.fetchAll(db, Player.select(\.name).order(\.id))
    }

    @Test
    func `Rows grouped by the primary key are deleted`() throws {
        let requests: [(QueryInterfaceRequest<Player>, [String])] = [
            (Player.all().group(Column("id")), []),
            (Player.all().group(Column("ID")).having(max(Column("score")) > 10), ["Arthur"]),
            (Player.all().groupByPrimaryKey().having(sum(Column("score")) >= 20), ["Arthur"]),
            (
                Player.all().group(Column("name"), Column("id")).having(count(Column("teamId")) > 0).filter { $0.score < 20 },
                ["Barbara", "Craig"]
            ),
            (Player.all().group(Column.rowID).limit(1), ["Barbara", "Craig"]),
        ]
        for (request, rest) in requests {
            try makeDatabase().write { db throws in
                let count = try Player.fetchCount(db)
                #expect(try request.deleteAll(db) == count - rest.count)
                #expect(try names(db) == rest)
            }
        }
    }

    @Test
    func `Rows with conditions on aggregates of joined tables are deleted and updated`() throws {
        let alias = TableAlias()
        let request = Team.joining(optional: Team.players.aliased(alias)).groupByPrimaryKey().having(count(alias[Column("id")]) < 2)
        try makeDatabase().write { db throws in
            #expect(try request.updateAll(db, Column("name").set(to: "small")) == 1)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM team ORDER BY id") == ["Reds", "small"])
            #expect(try Team.having(Team.players.count > 1).updateAll(db, Column("name").set(to: "big")) == 1)
            try db.execute(sql: "UPDATE player SET teamId = 1")
            #expect(try request.deleteAll(db) == 1)
            #expect(try Team.fetchCount(db) == 1)
            try db.execute(sql: "UPDATE player SET teamId = NULL")
            #expect(try Team.having(Team.players.isEmpty).deleteAndFetchIds(db) == [1])
        }
    }

    @Test
    func `Rows grouped by anything else can't be changed`() throws {
        try makeDatabase().write { db throws in
            for request in [Player.all().group(Column("teamId")), Player.all().distinct(), Player.all().group(Column("id") + 1)] {
                #expect(throws: DatabaseError.self) { try request.deleteAll(db) }
                #expect(throws: DatabaseError.self) { try request.updateAll(db, Column("score").set(to: 0)) }
            }
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    @Test
    func `Rows filtered by an annotation are counted`() throws {
        try makeDatabase().read { db throws in
            let annotated = Player.annotated { ($0.score * 2).forKey("alt") }
            let filtered = annotated.filter(Column("alt").detached > 30)
            #expect(try filtered.fetchCount(db) == 2)
            #expect(try annotated.filter(Column("alt").detached > 30 && Column("score") < 30).fetchCount(db) == 1)
            #expect(try annotated.filter(Column("ALT").detached > 30).fetchCount(db) == 2)
            #expect(try annotated.filter(sql: "alt > ?", arguments: [30]).fetchCount(db) == 2)
            #expect(try annotated.filter { $0.score > 10 }.fetchCount(db) == 2)
            #expect(try filtered.isEmpty(db) == false)
            #expect(try filtered.fetchAll(db).count == 2)
            let teams = Team.annotated(with: Team.players.count).filter(Column("playerCount").detached > 1)
            #expect(try teams.fetchCount(db) == 1)
            let team = Player.team.select { $0.name.forKey("teamName") }
            let players = Player.annotated(withRequired: team).filter(Column("teamName").detached == "Reds")
            #expect(try players.fetchCount(db) == 2)
            #expect(try players.fetchAll(db).count == 2)
            #expect(try filtered.order(Column("alt").detached.desc).limit(1).fetchCount(db) == 1)
        }
    }

    @Test
    func `Rows filtered by an annotation are changed`() throws {
        try makeDatabase().write { db throws in
            let filtered = Player.annotated { ($0.score * 2).forKey("alt") }.filter(Column("alt").detached > 30)
            #expect(try filtered.updateAll(db, Column("name").set(to: "x")) == 2)
            #expect(try filtered.deleteAll(db) == 2)
            #expect(try names(db) == ["Arthur"])
        }
    }
}
