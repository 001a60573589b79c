import Strata
import Testing

@Suite("Common table expressions and aliases as GRDB's users write them")
struct CommonTableTests {
    private struct Best: Codable, FetchableRecord, TableRecord {
        var id: Int64
        var score: Int

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let score = Column(CodingKeys.score)
        }
    }

    private let names: @Sendable (Database, QueryInterfaceRequest<Player>) throws -> [String] = { db, request in
        try request.order(\.id).fetchAll(db).map(\.name)
    }

    @Test
    func `The aliases of a join condition know the columns of their records`() throws {
        try makeDatabase().read { db throws in
            let best = CommonTableExpression<Best>(
                named: "best", request: Player.filter { $0.score > 15 }.select(Column("id"), Column("score")))
            let sameTable = Player.association(to: best, on: { $0.id == $1.id })
            #expect(try names(db, Player.all().with(best).joining(required: sameTable)) == ["Barbara", "Craig"])
            let better = Player.association(to: best, on: { $0.score < $1.score && $1.id > 0 })
            #expect(try names(db, Player.all().with(best).joining(required: better).distinct()) == ["Arthur", "Craig"])
            let byName = Player.association(to: best) { left, right in left["id"] == right[Column("id")] }
            #expect(try names(db, Player.all().with(best).joining(required: byName)) == ["Barbara", "Craig"])
            let always = Player.association(to: best, on: { _, _ in true })
            #expect(try Player.all().with(best).joining(required: always).fetchCount(db) == 6)
        }
    }

    @Test
    func `Aliases without a record type qualify the columns of common tables`() throws {
        try makeDatabase().read { db throws in
            let best = CommonTableExpression(named: "best", sql: "SELECT id AS playerId, score + 1 AS score FROM player WHERE score > 15")
            let alias = TableAlias()
            let association = Player.association(to: best, on: { $0.id == $1["playerId"] }).aliased(alias)
            let request = Player.all().with(best).joining(required: association)
                .filter(alias[Column("score")] == 21)
                .filter([alias[Column("playerId")], Column("teamId"), 42].contains(Column("id")))
            #expect(try names(db, request) == ["Craig"])
            let rows = best.all().aliased(alias).filter(alias[Column("score")] > 25).with(best)
            #expect(try rows.fetchOne(db) == ["playerId": 2, "score": 31])
        }
    }
}
