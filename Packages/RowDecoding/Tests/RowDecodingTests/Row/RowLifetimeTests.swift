import RowDecoding
import Testing

/// A row that was kept past its time stops the program, and never shows another row's values.
struct RowLifetimeTests {
    static let sentence = "A row was used after its cursor had advanced, or outside its database access"

    @Test
    func `A row that is kept after its cursor moved stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withPlayers { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                let kept = try #require(try rows.next())
                let next = try #require(try rows.next())
                #expect(next["name"] == "Barbara")
                let _: String = kept["name"]
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A scope's row that is kept after the cursor moved stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withPlayers { db in
                let adapter = ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 1)])
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player", adapter: adapter)
                let kept = try #require(try rows.next()?.scopes["player"])
                let next = try #require(try rows.next()?.scopes["player"])
                #expect(next["name"] == "Barbara")
                let _: String = kept["name"]
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A scope of a scope that is kept after the cursor moved stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withPlayers { db in
                let adapter = ScopeAdapter(["a": ScopeAdapter(["b": SuffixRowAdapter(fromIndex: 1)])])
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player", adapter: adapter)
                let kept = try #require(try rows.next()?.scopes["a"]?.scopes["b"])
                _ = try rows.next()
                _ = try kept.decode(String.self, forKey: "name")
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A scope that is asked of a row that was kept stops the program, even if the row has given it before`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withPlayers { db in
                let adapter = ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 1)])
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player", adapter: adapter)
                let kept = try #require(try rows.next())
                #expect(kept.scopes["player"]?["name"] == "Arthur")
                let next = try #require(try rows.next())
                #expect(next.scopes["player"]?["name"] == "Barbara")
                _ = kept.scopes["player"]
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A row that is kept after its query has ended stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withPlayers { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player WHERE id = 1")
                let kept = try #require(try rows.next())
                #expect(try rows.next() == nil)
                _ = kept.databaseValues
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A row that is kept after its database access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var kept: Row?
            try withPlayers { db in
                kept = try Row.fetchCursor(db, sql: "SELECT * FROM player").next()
                #expect(kept?["name"] == "Arthur")
            }
            _ = kept?.count
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A row that is kept after its statement ran again stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withPlayers { db in
                let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
                let kept = try #require(try Row.fetchCursor(statement, arguments: [1]).next())
                #expect(try Player.fetchOne(statement, arguments: [2]) == .barbara)
                let _: String = kept["name"]
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A row that a record keeps stops the program once the fetch has moved on`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            struct Keeper: FetchableRecord {
                let row: Row
                init(row: Row) { self.row = row }
            }
            try withPlayers { db in
                let keepers = try Keeper.fetchAll(db, sql: "SELECT * FROM player")
                let _: String = keepers[0].row["name"]
            }
        }
        #expect(result?.message.contains(Self.sentence) == true)
    }

    @Test
    func `A copied row, and a record created from one, stay valid forever`() throws {
        var copy = Row()
        try withPlayers { db in
            let adapter = ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 1)])
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player", adapter: adapter)
            copy = try #require(try rows.next()).copy()
            _ = try rows.next()
        }
        #expect(copy["name"] == "Arthur")
        #expect(copy.scopes["player"]?["name"] == "Arthur")
        #expect(try Player(row: copy) == .arthur)
    }

    @Test
    func `The current row can be read even after its cursor was released`() throws {
        try withPlayers { db in
            let row = try #require(try Row.fetchCursor(db, sql: "SELECT * FROM player").next())
            #expect(row["name"] == "Arthur")
        }
    }

    @Test
    func `A cursor that is released early leaves no statement running`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            do {
                let players = try Player.fetchCursor(statement)
                #expect(try players.next() == .arthur)
                #expect(statement.isBusy)
            }
            #expect(!statement.isBusy)
        }
    }

    @Test
    func `A cursor that is used outside its access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var kept: RecordCursor<Player>?
            try withPlayers { db in
                kept = try Player.fetchCursor(db, sql: "SELECT * FROM player")
                _ = try kept?.next()
            }
            _ = try kept?.next()
        }
        #expect(result?.message.contains("outside its access") == true)
    }
}
