import RowDecoding
import Testing

@Suite struct QueryPlanTests {
    @Test
    func `The plan of a statement is a tree`() throws {
        try withPlayers { (db) throws in
            try db.execute(sql: "CREATE INDEX by_name ON player (name)")
            let plan = try db.explainQueryPlan(
                sql: """
                    SELECT * FROM player WHERE id IN (SELECT id FROM player WHERE name = ?)
                    UNION ALL SELECT * FROM player ORDER BY score
                    """, arguments: ["Arthur"])
            // Later releases of SQLite report that they create a Bloom filter.
            let bloomFilter = plan.details.contains("CREATE BLOOM FILTER")
            let (branch, filter) = bloomFilter ? ("|", "\n   |  |  `--CREATE BLOOM FILTER") : ("`", "")
            #expect(
                plan.description == """
                    QUERY PLAN
                    `--MERGE (UNION ALL)
                       |--LEFT
                       |  |--SEARCH player USING INTEGER PRIMARY KEY (rowid=?)
                       |  |--LIST SUBQUERY 1
                       |  |  \(branch)--SEARCH player USING COVERING INDEX by_name (name=?)\(filter)
                       |  `--USE TEMP B-TREE FOR ORDER BY
                       `--RIGHT
                          |--SCAN player
                          `--USE TEMP B-TREE FOR ORDER BY
                    """)
            #expect(plan.details.count == (bloomFilter ? 10 : 9))
            #expect(plan.steps.first?.steps.map(\.detail) == ["LEFT", "RIGHT"])
            #expect(try db.explainQueryPlan(literal: "DELETE FROM player WHERE name = \("Arthur")").details.count == 1)
            #expect(try db.explainQueryPlan(sql: "SELECT 1").details == ["SCAN CONSTANT ROW"])
        }
    }

    @Test
    func `The plan and the SQL of a request`() throws {
        try withPlayers { (db) throws in
            let request = SQLRequest<Player>(
                sql: "SELECT * FROM player WHERE name = :name OR score > :score", arguments: ["name": "Arthur", "score": 7])
            #expect(try request.sql(db) == "SELECT * FROM player WHERE name = 'Arthur' OR score > 7")
            #expect(try request.explainQueryPlan(db) == QueryPlan(steps: [QueryPlan.Step(detail: "SCAN player")]))
            #expect(request.description.hasPrefix("SELECT * FROM player WHERE name = :name OR score > :score with arguments"))
            #expect(throws: DatabaseError.self) { try SQLRequest<Row>(sql: "SELECT * FROM missing").sql(db) }
        }
    }

    @Test
    func `Descriptions have the values of arguments`() throws {
        let (text, number): (String, Int?) = ("it's ?", nil)
        let request: SQLRequest<Row> = "SELECT '?', \"?\", [?], `?`, 'it''s ?', \(text), \(number), \(1.5)"
        #expect(request.description == "SELECT '?', \"?\", [?], `?`, 'it''s ?', 'it''s ?', NULL, 1.5")
        #expect(SQLRequest<Row>(sql: "SELECT 1").description == "SELECT 1")
        // A description can be asked for inside an access.
        try withDatabase { (_) throws in #expect(request.description.count > 20) }
    }
}
