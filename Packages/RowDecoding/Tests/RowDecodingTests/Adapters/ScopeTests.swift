import RowDecoding
import Testing

struct ScopeTests {
    static let sql = "SELECT 1 AS id, 'Moby-Dick' AS title, 2 AS id, 'Melville' AS name, NULL AS id, NULL AS name"

    static let adapter = ScopeAdapter(
        base: RangeRowAdapter(0..<2),
        scopes: [
            "author": RangeRowAdapter(2..<4).addingScopes(["country": SuffixRowAdapter(fromIndex: 4)]),
            "empty": EmptyRowAdapter(),
        ])

    /// The row that the tests look at: live, or a copy.
    func withRow(isCopied: Bool, _ body: (Row) throws -> Void) throws {
        try withDatabase { db in
            let rows = try Row.fetchCursor(db, sql: Self.sql, adapter: Self.adapter)
            let row = try #require(try rows.next())
            try body(isCopied ? row.copy() : row)
        }
    }

    @Test(arguments: [false, true])
    func `Scopes are rows of some of the columns`(isCopied: Bool) throws {
        try withRow(isCopied: isCopied) { row throws in
            #expect(row.description == "[id:1 title:\"Moby-Dick\"]")
            #expect(row.scopes.names == ["author", "empty"])
            #expect(row.scopes.count == 2)
            #expect(row.scopes["author"]?.description == "[id:2 name:\"Melville\"]")
            #expect(row.scopes["author"]?["id"] == 2)
            #expect(row.scopes["author"]?[1] == "Melville")
            #expect(row.scopes["author"]?.scopes["country"]?.description == "[id:NULL name:NULL]")
            #expect(row.scopes["empty"]?.description == "[]")
            #expect(row.scopes["country"] == nil)
            #expect(row.scopes.map { "\($0.name): \($0.row)" } == ["author: [id:2 name:\"Melville\"]", "empty: []"])
            #expect(row.containsNonNullValue)
            #expect(row.scopes["author"]?.scopes["country"]?.containsNonNullValue == false)
        }
    }

    @Test(arguments: [false, true])
    func `The tree of scopes finds the nearest scope of a name`(isCopied: Bool) throws {
        try withRow(isCopied: isCopied) { row throws in
            #expect(row.scopesTree.names == ["author", "country", "empty"])
            #expect(row.scopesTree["country"]?.description == "[id:NULL name:NULL]")
            #expect(row.scopesTree["author"]?["id"] == 2)
            #expect(row.scopesTree["missing"] == nil)
        }
        let nested = ScopeAdapter([
            "a": ScopeAdapter(["x": ScopeAdapter(["deep": RangeRowAdapter(0..<1)]), "z": RangeRowAdapter(1..<2)]),
            "b": ScopeAdapter(["deep": ScopeAdapter(base: RangeRowAdapter(2..<3), scopes: ["deepest": RangeRowAdapter(1..<2)])]),
        ])
        let row = try row("SELECT 1, 2, 3", adapter: nested)
        #expect(row.scopesTree.names == ["a", "b", "deep", "deepest", "x", "z"])
        #expect(row.scopesTree["deep"]?[0] == 3)
        #expect(row.scopesTree["deepest"]?[0] == 2)
    }

    @Test(arguments: [false, true])
    func `A row is returned without its scopes, and without its adapters`(isCopied: Bool) throws {
        try withRow(isCopied: isCopied) { row throws in
            #expect(row.unscoped.description == "[id:1 title:\"Moby-Dick\"]")
            #expect(row.unscoped.scopes.isEmpty)
            #expect(row.unadapted.description == "[id:1 title:\"Moby-Dick\" id:2 name:\"Melville\" id:NULL name:NULL]")
            #expect(row.unadapted.scopes.isEmpty)
        }
        let row: Row = ["a": 1]
        #expect(row.unscoped === row)
        #expect(row.unadapted === row)
    }

    @Test(arguments: [false, true])
    func `Records are made of scopes`(isCopied: Bool) throws {
        try withRow(isCopied: isCopied) { row throws in
            let melville = Team(id: 2, name: "Melville")
            #expect(row["author"] == melville)
            #expect(row["author"] as Team? == melville)
            #expect(try row.decode(Team.self, forKey: "author") == melville)
            #expect(try row.decodeIfPresent(Team.self, forKey: "author") == melville)
            // A scope of NULL is not a record, nor is a missing scope.
            #expect(row["country"] as Team? == nil)
            #expect(row["missing"] as Team? == nil)
            #expect(try row.decodeIfPresent(Team.self, forKey: "country") == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(Team.self, forKey: "country") }
            #expect(throws: RowDecodingError.self) { try row.decode(Team.self, forKey: "missing") }
        }
    }

    @Test
    func `Scopes follow the cursor from row to row`() throws {
        try withPlayers { db in
            let adapter = ScopeAdapter([
                "player": ScopeAdapter(base: RangeRowAdapter(0..<3), scopes: ["inner": RangeRowAdapter(1..<2)])
            ])
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player ORDER BY id", adapter: adapter)
            var players: [Player] = []
            var names: [String] = []
            while let row = try rows.next() {
                players.append(row["player"])
                players.append(try row.decode(forKey: "player"))
                names.append(try #require(row.scopesTree["inner"])["name"])
            }
            #expect(players == [.arthur, .arthur, .barbara, .barbara, .craig, .craig])
            #expect(names == ["Arthur", "Barbara", "Craig"])
        }
    }

    // MARK: - Prefetched rows

    @Test
    func `A row of some columns loses its prefetched rows, and nothing else, without scopes`() throws {
        let row = try row(Self.sql, adapter: SuffixRowAdapter(fromIndex: 2))
        row.setPrefetchedRows([["id": 1]], forKey: "awards")
        #expect(row.unscoped.description == "[id:2 name:\"Melville\" id:NULL name:NULL]")
        #expect(row.unscoped["name"] == "Melville")
        #expect(row.unscoped.prefetchedRows.isEmpty)
    }

    @Test
    func `A row has the rows that were prefetched for it and for its scopes`() throws {
        let row = try row(Self.sql, adapter: Self.adapter)
        #expect(row.prefetchedRows.isEmpty)
        #expect(row.prefetchedRows["awards"] == nil)

        row.setPrefetchedRows([["id": 1, "name": "A"], ["id": 2, "name": "B"]], forKey: "awards")
        row.setPrefetchedRows([["id": 3, "name": "C"]], forKey: "books", inScope: ["author"])
        row.setPrefetchedRows([["id": 4, "name": "D"]], forKey: "awards", inScope: ["author", "country"])
        row.setPrefetchedRows([], forKey: "cities", inScope: ["author", "country"])

        #expect(!row.prefetchedRows.isEmpty)
        #expect(row.prefetchedRows.keys == ["awards", "books", "cities"])
        // The nearest one.
        #expect(row.prefetchedRows["awards"]?.count == 2)
        #expect(row.scopes["author"]?.prefetchedRows.keys == ["awards", "books", "cities"])
        #expect(row.scopes["author"]?.prefetchedRows["awards"] == [["id": 4, "name": "D"]])
        #expect(row.scopesTree["country"]?.prefetchedRows["cities"] == [])
        #expect(row.copy().prefetchedRows["books"]?.count == 1)
        #expect(row.unscoped.prefetchedRows.isEmpty)
        #expect(row.unadapted.prefetchedRows.isEmpty)
    }

    @Test
    func `Arrays and sets of records are made of prefetched rows`() throws {
        let row: Row = ["id": 1]
        row.setPrefetchedRows([["id": 1, "name": "A"], ["id": 2, "name": "B"], ["id": 1, "name": "A"]], forKey: "teams")
        row.setPrefetchedRows([["id": 1]], forKey: "broken")
        let teams = [Team(id: 1, name: "A"), Team(id: 2, name: "B"), Team(id: 1, name: "A")]
        #expect(row["teams"] == teams)
        #expect(row["teams"] == Set(teams))
        #expect(row["teams"] == ContiguousArray(teams))
        #expect(try row.decode([Team].self, forKey: "teams") == teams)
        #expect(try row.decode(Set<Team>.self, forKey: "teams") == Set(teams))
        #expect(throws: RowDecodingError.self) { try row.decode([Team].self, forKey: "players") }
        #expect(throws: RowDecodingError.self) { try row.decode(Set<Team>.self, forKey: "players") }
        #expect(throws: RowDecodingError.self) { try row.decode([Team].self, forKey: "broken") }
    }

    @Test
    func `The debug description shows what adapters and associations put around a row`() throws {
        let row = try row(Self.sql, adapter: Self.adapter)
        row.setPrefetchedRows([["id": 1], ["id": 2]], forKey: "awards")
        row.setPrefetchedRows([["id": 3]], forKey: "books", inScope: ["author"])
        #expect(
            row.debugDescription == """
                ▿ [id:1 title:"Moby-Dick"]
                  unadapted: [id:1 title:"Moby-Dick" id:2 name:"Melville" id:NULL name:NULL]
                  - author: [id:2 name:"Melville"]
                    - country: [id:NULL name:NULL]
                    + books: 1 row
                  - empty: []
                  + awards: 2 rows
                """)
    }

    @Test
    func `The debug description has a line of unadapted columns only if there is an adapter`() throws {
        let row: Row = ["id": 1, "name": "Melville"]
        #expect(row.debugDescription == #"[id:1 name:"Melville"]"#)
        row.setPrefetchedRows([["id": 3]], forKey: "books")
        #expect(
            row.debugDescription == """
                ▿ [id:1 name:"Melville"]
                  + books: 1 row
                """)
    }
}
