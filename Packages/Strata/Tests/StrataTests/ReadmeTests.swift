import Strata
import Testing

@Suite struct ReadmeTests {
    @Test("The README's sample")
    func sample() throws {
        struct Country: Codable, FetchableRecord, PersistableRecord {
            var code: String
            var name: String
            var area: Double?
        }

        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT NOT NULL, area REAL)
                    """)
            try Country(code: "IS", name: "Iceland", area: 102_775).insert(db)
            try Country(code: "MT", name: "Malta", area: 316).insert(db)
        }

        let large = try queue.read { db in
            try Country.filter(Column("area") > 1000).order(Column("name")).fetchAll(db)
        }

        #expect(large.map(\.code) == ["IS"])
        #expect(large.map(\.name) == ["Iceland"])
        #expect(try queue.read { try Country.fetchCount($0) } == 2)
    }
}
