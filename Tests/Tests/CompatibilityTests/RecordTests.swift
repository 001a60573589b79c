import Strata
import Testing

@Suite("Records as GRDB's users write them")
struct RecordTests {
    @Test("A team's players are fetched through its association")
    func players() throws {
        let queue = try makeDatabase()
        let names = try queue.read { db in
            let team = try Team.fetchOne(db, key: 1)!
            return try team.request(for: Team.players).order { $0.score.desc }.fetchAll(db).map(\.name)
        }
        #expect(names == ["Barbara", "Arthur"])
    }
}
