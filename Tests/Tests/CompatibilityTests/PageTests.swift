import Strata
import Testing

/// Lists that are fetched page by page.
@Suite struct PageTests {
    @Test
    func `Pages after a record`() throws {
        try makeDatabase().write { db in
            for index in 0..<25 {
                var player = Player(id: nil, teamId: nil, name: "Player \(index % 4)", score: index % 3)
                try player.insert(db)
            }
            try db.create(index: "player_on_score_name", on: "player", columns: ["score", "name"])
            var pages: [Player] = []
            var last: Player?
            repeat {
                let request = Player.all().page(after: last) { [$0.score.desc, $0.name.desc] }.limit(4)
                if last != nil {
                    // The index serves the position and the order.
                    #expect(
                        try request.explainQueryPlan(db).details
                            == ["SEARCH player USING INDEX player_on_score_name ((score,name)<(?,?))"])
                }
                let players = try request.fetchAll(db)
                pages += players
                last = players.count == 4 ? players.last : nil
            } while last != nil
            #expect(try pages == Player.order { [$0.score.desc, $0.name.desc, $0.id.desc] }.fetchAll(db))
            #expect(pages.count == 28)
        }
    }

    @Test
    func `Pages of mixed directions and of filtered rows`() throws {
        try makeDatabase().read { db in
            let order: [any SQLOrderingTerm] = [Player.Columns.teamId.desc, Player.Columns.name]
            let request = Player.filter { $0.score > 5 }
            let first = try request.page(after: Player?.none, by: order).limit(2).fetchAll(db)
            #expect(first.map(\.name) == ["Craig", "Arthur"])
            #expect(try request.page(after: first.last, by: order).limit(2).fetchAll(db).map(\.name) == ["Barbara"])
        }
    }

    @Test
    func `A record without the column of the order`() throws {
        struct Partial: Codable, PersistableRecord { var name: String }
        try makeDatabase().read { (db) throws in
            let error = #expect(throws: DatabaseError.self) {
                try Player.all().page(after: Partial(name: "Arthur"), by: [Column("name")]).fetchAll(db)
            }
            #expect(error?.message == "the record has no value for the column id, by which pages of player are ordered")
        }
    }
}
