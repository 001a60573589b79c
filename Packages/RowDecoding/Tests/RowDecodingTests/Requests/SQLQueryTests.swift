import RowDecoding
import Testing

@Suite struct SQLQueryTests {
    @Test
    func `A query of many rows is a request of records`() throws {
        try withPlayers { db throws in
            let query = SQLQuery<Player, [Player]>(
                "SELECT * FROM player WHERE score > :score AND id <> :id ORDER BY id", arguments: ["id": 1, "score": 1000])
            #expect(try query.fetch(db) == [.craig])
            #expect(try query.fetchAll(db) == [.craig])
            #expect(try query.fetchOne(db) == .craig)
            #expect(try Array(query.fetchCursor(db)) == [.craig])
            #expect(try query.fetchCount(db) == 1)
        }
    }

    @Test
    func `Lists and values are arguments of one query`() throws {
        try withPlayers { db throws in
            func names(_ ids: [Int]) throws -> [String] {
                try SQLQuery<String, [String]>(
                    "SELECT name FROM player WHERE score > :score AND id IN \(ids) AND score < :limit ORDER BY id",
                    arguments: ["limit": 100_000, "score": 0], isCached: false
                ).fetch(db)
            }
            #expect(try names([1, 3]) == ["Arthur", "Craig"])
            #expect(try names([]) == [])
        }
    }

    @Test
    func `A query of at most one row, or of exactly one, refuses other numbers of rows`() throws {
        try withPlayers { db throws in
            func optional(_ condition: String) throws -> Player? {
                try SQLQuery<Player, Player?>("SELECT * FROM player WHERE \(sql: condition)").fetch(db)
            }
            #expect(try optional("id = 1") == .arthur)
            #expect(try optional("0") == nil)
            #expect(throws: DatabaseError.self) { try optional("1") }
            func one(_ condition: String) throws -> Player {
                try SQLQuery<Player, Player>("SELECT * FROM player WHERE \(sql: condition)").fetch(db)
            }
            #expect(try one("id = 1") == .arthur)
            #expect(throws: DatabaseError.self) { try one("0") }
            #expect(throws: DatabaseError.self) { try one("1") }
            // The statements can be run again.
            #expect(try optional("1 AND id = 3") == .craig)
        }
    }

    @Test
    func `Values may be NULL where their type is optional`() throws {
        try withPlayers { db throws in
            #expect(try SQLQuery<Int?, [Int?]>("SELECT NULL UNION ALL SELECT 1").fetch(db) == [nil, 1])
            #expect(try SQLQuery<Int?, Int?>("SELECT NULL").fetch(db) == nil)
            #expect(try SQLQuery<Int, Int?>("SELECT NULL").fetch(db) == nil)
            #expect(try SQLQuery<Int, Int>("SELECT 1").fetch(db) == 1)
            #expect(throws: RowDecodingError.self) { try SQLQuery<Int, Int>("SELECT NULL").fetch(db) }
            #expect(throws: RowDecodingError.self) { try SQLQuery<Int, [Int]>("SELECT 'a'").fetch(db) }
        }
    }

    @Test
    func `Commands count the changed rows, or return rows`() throws {
        try withPlayers { db throws in
            let update = SQLCommand<Int>("UPDATE player SET score = score + :n WHERE id IN \([1, 2])", arguments: ["n": 1], isCached: false)
            #expect(try update.execute(db) == 2)
            let insert = SQLCommand(
                returning: SQLQuery<Int64, Int64>(
                    "INSERT INTO player (name, score) VALUES (:name, 1) RETURNING id", arguments: ["name": "Diane"]))
            #expect(try insert.execute(db) == 4)
            #expect(try insert.execute(db) == 5)
            #expect(try SQLCommand<Int>("DELETE FROM player WHERE 0").execute(db) == 0)
        }
    }
}
