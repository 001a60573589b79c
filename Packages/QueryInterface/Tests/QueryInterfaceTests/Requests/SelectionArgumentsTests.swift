import QueryInterface
import Testing

@Suite struct SelectionArgumentsTests {
    /// Selects a value, by interpolation and by SQL with an argument.
    private struct Total: TableRecord, FetchableRecord {
        static let databaseTableName = "player"
        static var databaseSelection: [any SQLSelectable] {
            [AllColumns(), SQL("score + \(100) AS total"), SQL(sql: "score + ? AS half", arguments: [0.5])]
        }

        let id: Int
        let total: Int
        let half: Double

        init(row: Row) throws {
            id = row["id"]
            total = row["total"]
            half = row["half"]
        }
    }

    @Test
    func `The arguments of a selection stay with it when records are fetched by key`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER)")
            try db.execute(sql: "INSERT INTO player VALUES (1, 10), (2, 20)")
            for id in [1, 2, 1] {
                let total = try Total.find(db, key: id)
                #expect(total.id == id)
                #expect(total.total == id * 10 + 100)
                #expect(total.half == Double(id) * 10 + 0.5)
            }
            #expect(try Total.fetchAll(db, keys: [2]).map(\.total) == [120])
            #expect(try Total.filter(Column("score") > 15).fetchOne(db)?.total == 120)
        }
    }
}
