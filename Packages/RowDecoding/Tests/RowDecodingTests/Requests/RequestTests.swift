import RowDecoding
import Testing

struct RequestTests {
    /// A request that has nothing but a query.
    struct BestPlayers: FetchRequest {
        typealias RowDecoder = Player
        var minimum: Int

        var sqlSubquery: SQLSubquery {
            SQLRequest<Player>(literal: "SELECT * FROM player WHERE score >= \(minimum) ORDER BY id").sqlSubquery
        }
    }

    /// A request that gives each player the rows of a second query.
    struct Prefetching: FetchRequest {
        typealias RowDecoder = Row
        var sqlSubquery: SQLSubquery { SQLRequest<Row>(sql: "SELECT * FROM player ORDER BY id").sqlSubquery }

        func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
            var request = PreparedRequest(statement: try db.makeStatement(sql: "SELECT * FROM player ORDER BY id"))
            request.supplementaryFetch = { db, rows in
                for row in rows {
                    let others = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE id > ?", arguments: [row["id"] as Int])
                    row.setPrefetchedRows(others, forKey: "others")
                }
            }
            return request
        }
    }

    @Test
    func `Requests of records fetch records`() throws {
        try withPlayers { db throws in
            let request: SQLRequest<Player> = "SELECT * FROM player WHERE score > \(1000) ORDER BY id"
            #expect(try request.fetchAll(db) == [.arthur, .craig])
            #expect(try request.fetchSet(db) == [.arthur, .craig])
            #expect(try request.fetchOne(db) == .arthur)
            #expect(try Array(request.fetchCursor(db)) == [.arthur, .craig])
            #expect(try request.fetchCount(db) == 2)
            #expect(try Player.fetchAll(db, request) == [.arthur, .craig])
            #expect(try Player.fetchSet(db, request) == [.arthur, .craig])
            #expect(try Player.fetchOne(db, request) == .arthur)
            #expect(try Array(Player.fetchCursor(db, request)) == [.arthur, .craig])
        }
    }

    @Test
    func `Requests of values fetch values`() throws {
        enum Name: String, DatabaseValueConvertible { case arthur = "Arthur", barbara = "Barbara", craig = "Craig" }
        try withPlayers { db throws in
            let names: SQLRequest<String> = "SELECT name FROM player ORDER BY id"
            #expect(try names.fetchAll(db) == ["Arthur", "Barbara", "Craig"])
            #expect(try names.fetchSet(db) == ["Arthur", "Barbara", "Craig"])
            #expect(try names.fetchOne(db) == "Arthur")
            #expect(try Array(names.fetchCursor(db)) == ["Arthur", "Barbara", "Craig"])
            #expect(try String.fetchAll(db, names) == ["Arthur", "Barbara", "Craig"])

            let slow = names.asRequest(of: Name.self)
            #expect(try slow.fetchAll(db) == [.arthur, .barbara, .craig])
            #expect(try slow.fetchSet(db) == [.arthur, .barbara, .craig])
            #expect(try slow.fetchOne(db) == .arthur)
            #expect(try Array(slow.fetchCursor(db)) == [.arthur, .barbara, .craig])

            let optionals: SQLRequest<Int?> = "SELECT NULL UNION ALL SELECT 1"
            #expect(try optionals.fetchAll(db) == [nil, 1])
            #expect(try optionals.fetchSet(db) == [nil, 1])
            #expect(try Array(optionals.fetchCursor(db)) == [nil, 1])
            #expect(try optionals.fetchOne(db) == .some(nil))
            #expect(try optionals.asRequest(of: Int.self).fetchOne(db) == nil)
            #expect(throws: RowDecodingError.self) { try optionals.asRequest(of: Int.self).fetchAll(db) }
        }
    }

    @Test
    func `Requests of rows fetch rows`() throws {
        try withPlayers { db throws in
            let request = SQLRequest(sql: "SELECT name FROM player WHERE id < ? ORDER BY id", arguments: [3])
            #expect(try request.fetchAll(db) == [["name": "Arthur"], ["name": "Barbara"]])
            #expect(try request.fetchSet(db) == [["name": "Arthur"], ["name": "Barbara"]])
            #expect(try request.fetchOne(db) == ["name": "Arthur"])
            #expect(try Array(request.fetchCursor(db).map { $0["name"] as String }) == ["Arthur", "Barbara"])
            #expect(try Row.fetchAll(db, request).count == 2)
            #expect(try request.fetchCount(db) == 2)
            #expect(try SQLRequest(literal: "SELECT \(1) AS a").fetchOne(db) == ["a": 1])
        }
    }

    @Test
    func `A request can be asked for results of another type`() throws {
        try withPlayers { db throws in
            let request: SQLRequest<Player> = "SELECT * FROM player ORDER BY id"
            #expect(try request.asRequest(of: Int.self).fetchAll(db) == [1, 2, 3])
            #expect(try AnyFetchRequest(request).asRequest(of: Row.self).fetchOne(db)?["name"] == "Arthur")
            // Whatever its type, a request can be fetched as another type.
            #expect(try Int.fetchAll(db, request) == [1, 2, 3])
        }
    }

    @Test
    func `A request hides which one is behind it`() throws {
        try withPlayers { db throws in
            let requests = [AnyFetchRequest(BestPlayers(minimum: 1000)), AnyFetchRequest("SELECT * FROM player" as SQLRequest<Player>)]
            #expect(try requests.map { try $0.fetchCount(db) } == [2, 3])
            #expect(try requests[0].fetchAll(db) == [.arthur, .craig])
            #expect(try SQLRequest<Bool>("SELECT 1 IN (SELECT id FROM (\(requests[0])))").fetchOne(db) == true)
        }
    }

    @Test
    func `A custom request needs only a query`() throws {
        try withPlayers { db throws in
            let request = BestPlayers(minimum: 1000)
            #expect(try request.fetchAll(db) == [.arthur, .craig])
            #expect(try request.fetchCount(db) == 2)
            #expect(try request.makePreparedRequest(db).statement.sql == "SELECT * FROM player WHERE score >= ? ORDER BY id")
        }
    }

    @Test
    func `Adapted requests present their rows with other columns`() throws {
        try withPlayers { db throws in
            let request = SQLRequest(
                sql: "SELECT * FROM player ORDER BY id", adapter: RenameColumnAdapter { "player_\($0)" })
            #expect(try request.fetchOne(db)?.columnNames == ["player_id", "player_name", "player_score"])
            let adapted = request.adapted { db in
                SuffixRowAdapter(fromIndex: try db.columns(in: "player").count - 1)
            }
            // The second adapter sees what the first one presents.
            #expect(try adapted.fetchOne(db) == ["player_score": 1500])
            #expect(try adapted.adapted { _ in ColumnMapping(["x": "player_score"]) }.fetchOne(db) == ["x": 1500])
            #expect(try adapted.fetchCount(db) == 3)
            #expect(throws: TestError.self) { try request.adapted { _ in throw TestError() }.fetchAll(db) }
        }
    }

    @Test(arguments: ["", ";", " ; \n", " -- all", " /* all */", " -- ; \n;", "\n  LIMIT 3", " WHERE name <> '--'"])
    func `Results are counted, whatever the SQL ends with`(ending: String) throws {
        try withPlayers { db throws in
            #expect(try SQLRequest<Player>(sql: "SELECT * FROM player\(ending)").fetchCount(db) == 3)
        }
    }

    @Test
    func `A cached request prepares its statement once`() throws {
        try withPlayers { db throws in
            let cached = SQLRequest<Player>(sql: "SELECT * FROM player", cached: true)
            let first = ObjectIdentifier(try cached.makePreparedRequest(db).statement)
            #expect(try ObjectIdentifier(cached.makePreparedRequest(db).statement) == first)
            let fresh = SQLRequest<Player>(sql: "SELECT * FROM player")
            #expect(try fresh.makePreparedRequest(db).statement !== fresh.makePreparedRequest(db).statement)
        }
    }

    @Test
    func `Supplementary fetches give rows what comes from other queries`() throws {
        try withPlayers { db throws in
            let request = Prefetching()
            let rows = try request.fetchAll(db)
            #expect(rows.map { ($0["others"] as [Player]).count } == [2, 1, 0])
            #expect(try request.fetchOne(db)?["others"] == [Player.barbara, .craig])
            #expect(try Player.fetchAll(db, request) == [.arthur, .barbara, .craig])
            let error = #expect(throws: DatabaseError.self) { try request.fetchCursor(db) }
            #expect(
                error?.description
                    == "SQLite error 21 (SQLITE_MISUSE): a request that prefetches the rows of associations can't be fetched by a cursor - while executing `SELECT * FROM player ORDER BY id`. Use fetchAll."
            )
        }
    }

    @Test
    func `The errors of requests are thrown by all fetches`() throws {
        try withPlayers { db throws in
            let request: SQLRequest<Player> = "SELECT * FROM nothing"
            #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            #expect(throws: DatabaseError.self) { try request.fetchSet(db) }
            #expect(throws: DatabaseError.self) { try request.fetchOne(db) }
            #expect(throws: DatabaseError.self) { try request.fetchCursor(db) }
            #expect(throws: DatabaseError.self) { try request.fetchCount(db) }
            let mistaken = SQLRequest<Player>(sql: "SELECT * FROM player WHERE id = ?", arguments: [1, 2])
            #expect(throws: DatabaseError.self) { try mistaken.fetchAll(db) }
        }
    }

    @Test
    func `Requests and cursors know what they read`() throws {
        try withPlayers { db throws in
            let request: SQLRequest<Player> = "SELECT id, name FROM player"
            let expected = "player(id,name)"
            #expect(try request.databaseRegion(db).description == expected)
            #expect(try AnyFetchRequest(request).databaseRegion(db).description == expected)
            #expect(try request.adapted { _ in EmptyRowAdapter() }.databaseRegion(db).description == expected)
            #expect(try request.fetchCursor(db).databaseRegion.description == expected)
        }
    }
}
