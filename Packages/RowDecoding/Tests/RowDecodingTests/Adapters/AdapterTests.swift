import RowDecoding
import Testing

struct AdapterTests {
    static let sql = "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d"

    struct Sample: Sendable, CustomTestStringConvertible {
        let adapter: any RowAdapter
        let expected: String
        var testDescription: String { "\(adapter): \(expected)" }
    }

    static let samples: [Sample] = [
        Sample(adapter: ColumnMapping(["x": "c", "y": "A"]), expected: "[y:1 x:3]"),
        Sample(adapter: ColumnMapping(["x": "a", "y": "a"]), expected: "[x:1 y:1]"),
        Sample(adapter: ColumnMapping([:]), expected: "[]"),
        Sample(adapter: RangeRowAdapter(1..<3), expected: "[b:2 c:3]"),
        Sample(adapter: RangeRowAdapter(1...2), expected: "[b:2 c:3]"),
        Sample(adapter: RangeRowAdapter(0..<4), expected: "[a:1 b:2 c:3 d:4]"),
        Sample(adapter: RangeRowAdapter(4..<4), expected: "[]"),
        Sample(adapter: SuffixRowAdapter(fromIndex: 2), expected: "[c:3 d:4]"),
        Sample(adapter: SuffixRowAdapter(fromIndex: 0), expected: "[a:1 b:2 c:3 d:4]"),
        Sample(adapter: SuffixRowAdapter(fromIndex: 4), expected: "[]"),
        Sample(adapter: EmptyRowAdapter(), expected: "[]"),
        Sample(adapter: RenameColumnAdapter { $0.uppercased() }, expected: "[A:1 B:2 C:3 D:4]"),
        Sample(adapter: ScopeAdapter([:]), expected: "[a:1 b:2 c:3 d:4]"),
        Sample(adapter: ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: [:]), expected: "[a:1]"),
        Sample(adapter: RangeRowAdapter(0..<1).addingScopes([:]), expected: "[a:1]"),
    ]

    @Test(arguments: samples)
    func `An adapter presents other columns, in a live row and in a copy`(_ sample: Sample) throws {
        try withDatabase { db throws in
            let rows = try Row.fetchCursor(db, sql: Self.sql, adapter: sample.adapter)
            let row = try #require(try rows.next())
            let copy = row.copy()
            for row in [row, copy] {
                #expect(row.description == sample.expected)
                #expect(row.count == row.columnNames.count)
                for (index, name) in row.columnNames.enumerated() {
                    let value = row.databaseValues[index]
                    #expect(row[index] == value)
                    #expect(row[name] as Int == row[index])
                    #expect(try row.decode(Int.self, forKey: name.uppercased()) == row[index])
                }
                #expect(row.unadapted.description == "[a:1 b:2 c:3 d:4]")
            }
            #expect(row == copy)
        }
    }

    @Test
    func `Adapters nest: the base of scopes may have scopes, and scopes of one name are replaced`() throws {
        let inner = RangeRowAdapter(0..<2).addingScopes(["x": RangeRowAdapter(0..<1), "y": RangeRowAdapter(1..<2)])
        let outer = inner.addingScopes([
            "y": SuffixRowAdapter(fromIndex: 3).addingScopes(["z": ColumnMapping(["w": "a"])]), "v": EmptyRowAdapter(),
        ])
        try withDatabase { db throws in
            let rows = try Row.fetchCursor(db, sql: Self.sql, adapter: outer)
            let row = try #require(try rows.next())
            for row in [row, row.copy()] {
                #expect(row.description == "[a:1 b:2]")
                #expect(row.scopes.names == ["v", "x", "y"])
                #expect(row.scopes["x"]?.description == "[a:1]")
                #expect(row.scopes["y"]?.description == "[d:4]")
                // Scopes of scopes are made of the query's columns, too.
                #expect(row.scopes["y"]?.scopes["z"]?.description == "[w:1]")
                #expect(row.scopesTree.names == ["v", "x", "y", "z"])
                #expect(row.scopes["y"]?.unadapted.description == "[a:1 b:2 c:3 d:4]")
            }
            #expect(row == row.copy())
            #expect(row.scopes["y"] == row.copy().scopes["y"])
        }
    }

    static let misfits: [Sample] = [
        Sample(
            adapter: ColumnMapping(["x": "e"]),
            expected: #"the column mapping presents "e" as "x", but there is no such column; the columns are "a", "b", "c", "d""#),
        Sample(adapter: RangeRowAdapter(2..<5), expected: "the row adapter's range 2..<5 is outside the 4 columns"),
        Sample(adapter: RangeRowAdapter(-1..<2), expected: "the row adapter's range -1..<2 is outside the 4 columns"),
        Sample(adapter: RangeRowAdapter(0...Int.max), expected: "is outside the 4 columns"),
        Sample(adapter: SuffixRowAdapter(fromIndex: 5), expected: "the row adapter's first column, 5, is outside the 4 columns"),
        Sample(adapter: SuffixRowAdapter(fromIndex: -1), expected: "the row adapter's first column, -1, is outside the 4 columns"),
        Sample(
            adapter: ScopeAdapter(["outer": ScopeAdapter(["inner": SuffixRowAdapter(fromIndex: 5)])]),
            expected: #"in the scope "outer": in the scope "inner": the row adapter's first column, 5, is outside the 4 columns"#),
        Sample(adapter: splittingRowAdapters(columnCounts: [5])[0], expected: "is outside the 4 columns"),
        Sample(adapter: splittingRowAdapters(columnCounts: [5])[1], expected: "is outside the 4 columns"),
        Sample(adapter: splittingRowAdapters(columnCounts: [-1])[0], expected: "is outside the 4 columns"),
        Sample(adapter: splittingRowAdapters(columnCounts: [.max, .max])[1], expected: "is outside the 4 columns"),
        Sample(adapter: Custom(), expected: #"a row adapter maps column 7 of the query as "x", but the query has 4 columns"#),
    ]

    struct Custom: RowAdapter {
        func layout(from base: RowLayout) throws -> RowLayout {
            RowLayout(columns: [], scopes: [("scope", RowLayout(columns: [.init(name: "x", baseIndex: 7)]))])
        }
    }

    @Test(arguments: misfits)
    func `An adapter that does not fit the columns throws, whatever is fetched`(_ sample: Sample) throws {
        try withDatabase { db throws in
            func expectError(_ body: () throws -> Void) {
                let error = #expect(throws: DatabaseError.self, performing: body)
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.message?.contains(sample.expected) == true, "\(error?.message ?? "")")
            }
            expectError { _ = try Row.fetchAll(db, sql: Self.sql, adapter: sample.adapter) }
            expectError { _ = try Int.fetchOne(db, sql: Self.sql, adapter: sample.adapter) }
            let players = try Player.fetchCursor(db, sql: Self.sql, adapter: sample.adapter)
            expectError { _ = try players.next() }
            expectError { _ = try players.next() }
            // The statement can be used again.
            #expect(try Row.fetchOne(db, sql: Self.sql)?.count == 4)
        }
    }

    @Test
    func `Counts of columns make adapters from left to right`() throws {
        let adapters = splittingRowAdapters(columnCounts: [1, 0, 2])
        #expect(adapters.count == 4)
        let rows = try adapters.map { try row(Self.sql, adapter: $0).description }
        #expect(rows == ["[a:1]", "[]", "[b:2 c:3]", "[d:4]"])
        #expect(try row(Self.sql, adapter: splittingRowAdapters(columnCounts: [])[0]).count == 4)
    }

    @Test
    func `Values and records are read through adapters too`() throws {
        try withPlayers { db throws in
            let adapter = SuffixRowAdapter(fromIndex: 1)
            #expect(try String.fetchAll(db, sql: "SELECT * FROM player", adapter: adapter) == ["Arthur", "Barbara", "Craig"])
            #expect(try String.fetchSet(db, sql: "SELECT * FROM player", adapter: adapter).count == 3)
            #expect(
                try Player.fetchOne(
                    db, sql: "SELECT 7 AS n, name, score FROM player",
                    adapter: ColumnMapping(["id": "n", "name": "name", "score": "score"]))
                    == Player(id: 7, name: "Arthur", score: 1500))
        }
    }

    @Test
    func `A statement that was used with an adapter is itself again without`() throws {
        try withPlayers { db throws in
            let statement = try db.makeStatement(sql: "SELECT id, name, score FROM player")
            #expect(try Player.fetchOne(statement) == .arthur)
            #expect(try Row.fetchOne(statement, adapter: SuffixRowAdapter(fromIndex: 2))?.description == "[score:1500]")
            #expect(try Row.fetchOne(statement, adapter: SuffixRowAdapter(fromIndex: 1))?.description == "[name:\"Arthur\" score:1500]")
            #expect(try Player.fetchAll(statement) == [.arthur, .barbara, .craig])
        }
    }
}
