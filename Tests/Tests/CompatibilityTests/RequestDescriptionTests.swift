import Strata
import Testing

/// How a program looks at its requests.
@Suite struct RequestDescriptionTests {
    @Test
    func `The SQL and the plan of a request`() throws {
        try makeDatabase().read { db in
            let request = Player.filter { $0.teamId == 1 && $0.name != "it's ?" }.order { $0.score.desc }
            let sql = #"SELECT * FROM "player" WHERE "teamId" = 1 AND "name" <> 'it''s ?' ORDER BY "score" DESC"#
            #expect(try request.sql(db) == sql)
            #expect("\(request)" == sql)
            let plan = try request.explainQueryPlan(db)
            #expect(
                plan.description == """
                    QUERY PLAN
                    |--SEARCH player USING INDEX \(try db.indexes(on: "player")[0].name) (teamId=?)
                    `--USE TEMP B-TREE FOR ORDER BY
                    """)
            #expect(plan.steps.count == 2)
            #expect(!plan.details.contains { $0.hasPrefix("SCAN") })
        }
    }

    @Test
    func `A request whose SQL depends on the schema says so`() throws {
        let request = Player.including(required: Player.team)
        #expect("\(request)" == "QueryInterfaceRequest<Player>: its SQL depends on the schema; call sql(_:)")
        #expect(try makeDatabase().read { try request.sql($0) }.contains("JOIN"))
    }

    @Test
    func `Requests of SQL`() throws {
        let name = "Arthur"
        let request: SQLRequest<Player> = "SELECT * FROM player WHERE name = \(name)"
        #expect("\(request)" == "SELECT * FROM player WHERE name = 'Arthur'")
        #expect("\(AnyFetchRequest(request))" == "SELECT * FROM player WHERE name = 'Arthur'")
        #expect(try makeDatabase().read { try request.explainQueryPlan($0).details } == ["SCAN player"])
    }

    @Test
    func `A dump of a request shows the rows of its associations, too`() throws {
        var text = ""
        try makeDatabase().dumpRequest(Team.order(Column("id")).including(all: Team.players.order { $0.name }), to: &text)
        #expect(
            text == """
                1|Reds
                2|Blues

                players
                1|1|Arthur|10
                2|1|Barbara|30
                3|2|Craig|20

                """)
    }
}
