import Foundation
import RowDecoding
import Testing

struct RowTests {
    @Test
    func `Columns are decoded by name with forColumn and with forKey`() throws {
        let row: Row = ["name": "Arthur", "team": nil]
        #expect(try row.decode(String.self, forColumn: "name") == "Arthur")
        #expect(try row.decode(forColumn: "NAME") as String == "Arthur")
        #expect(try row.decode(String?.self, forColumn: "team") == nil)
        #expect(try row.decodeIfPresent(String.self, forColumn: "team") == nil)
        #expect(try row.decodeIfPresent(Int.self, forColumn: "other") == nil)
        #expect(throws: RowDecodingError.self) { try row.decode(String.self, forColumn: "other") }
        #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: "name") }
        #expect(throws: RowDecodingError.self) { try row.decodeIfPresent(Int.self, forColumn: "name") }
    }

    @Test
    func `Columns are read by name, whatever the case of ASCII letters`() throws {
        let row = try row("SELECT 1 AS a, 'x' AS b, 2 AS \"É\"")
        #expect(row["A"] == 1)
        #expect(row["b"] == "x")
        #expect(row["É"] == 2)
        #expect(row["é"] as Int? == nil)
        #expect(row.index(ofColumn: "B") == 1)
        #expect(row.hasColumn("B"))
        #expect(!row.hasColumn("c"))
    }

    @Test
    func `The leftmost of the columns that share a name is read`() throws {
        try withDatabase { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 2 AS A, 3 AS a")
            let row = try #require(try rows.next())
            #expect(row["A"] == 1)
            #expect(row.copy()["A"] == 1)
            #expect(row[2] == 3)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `Asking where columns are, and reading them, find the same ones in whichever order`(isCopied: Bool, isAdapted: Bool) throws {
        let sql = "SELECT 1 AS a, 2 AS b, 3 AS A, 4 AS c UNION ALL SELECT 5, 6, 7, 8 UNION ALL SELECT 9, 10, 11, 12"
        let adapter = isAdapted ? ScopeAdapter(base: RangeRowAdapter(0..<4), scopes: ["end": SuffixRowAdapter(fromIndex: 3)]) : nil
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            var first = 1
            while let live = try cursor.next() {
                let row = isCopied ? live.copy() : live
                // Each row in an order of its own.
                for name in first == 5 ? ["c", "B", "x", "a"] : ["a", "B", "c", "x"] {
                    let index = row.index(ofColumn: name)
                    #expect(index == ["a": 0, "B": 1, "c": 3][name])
                    #expect(row.hasColumn(name) == (index != nil))
                    #expect(try row.decode(Int?.self, forKey: name) == index.map { first + $0 })
                }
                #expect(row["A"] == first)
                #expect(row.index(ofColumn: "A") == 0)
                #expect(row.scopes["end"]?.index(ofColumn: "C") == (isAdapted ? 0 : nil))
                #expect(row.scopes["end"]?.hasColumn("a") == (isAdapted ? false : nil))
                #expect(row.scopes["end"]?["c"] == (isAdapted ? first + 3 : nil))
                first += 4
            }
            #expect(first == 13)
        }
    }

    @Test
    func `A live row and its copy give the same values`() throws {
        try withPlayers { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT *, NULL AS absent FROM player")
            var copies: [Row] = []
            while let row = try rows.next() {
                let copy = row.copy()
                #expect(copy == row)
                #expect(copy !== row)
                #expect(copy.copy() === copy)
                #expect(copy.hashValue == row.hashValue)
                #expect(copy.count == 4)
                #expect(copy["name"] as String == row["name"])
                #expect(copy[2] as Int == row[2])
                #expect(copy[3] as Int? == nil)
                copies.append(copy)
            }
            #expect(copies.map { $0["name"] } == ["Arthur", "Barbara", "Craig"])
            #expect(copies == (try Row.fetchAll(db, sql: "SELECT *, NULL AS absent FROM player")))
        }
    }

    @Test
    func `Copied rows of one fetch share their attachments, scope by scope, and others do not`() throws {
        try withPlayers { db in
            let adapter = ScopeAdapter(["a": ScopeAdapter(["b": RangeRowAdapter(0..<1)])])
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM player", adapter: adapter)
            let others = try Row.fetchAll(db, sql: "SELECT * FROM player", adapter: adapter)
            #expect(rows[0].attachments === rows[2].attachments)
            #expect(rows[0].attachments !== others[0].attachments)
            let scopes = try rows.map { try #require($0.scopes["a"]) }
            #expect(scopes[0].attachments === scopes[1].attachments)
            #expect(scopes[0].attachments !== rows[0].attachments)
            #expect(scopes[0].scopes["b"]?.attachments === scopes[2].scopes["b"]?.attachments)
            #expect(scopes[0].scopes["b"]?.attachments !== scopes[0].attachments)
            #expect(rows[0].unadapted.attachments !== rows[0].attachments)

            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            let first = try #require(try cursor.next())
            let copy = first.copy()
            #expect(copy.attachments !== first.attachments)
            #expect(copy.attachments === copy.attachments)
            #expect(try cursor.next()?.copy().attachments === copy.attachments)
        }
        #expect(Row().attachments !== Row().attachments)
        #expect(([:] as Row).attachments !== ([:] as Row).attachments)
        let row: Row = ["a": 1]
        #expect(row.attachments === row.attachments)
    }

    @Test
    func `The rows of a statement keep their attachments from one fetch to the next`() throws {
        struct Record: FetchableRecord, Hashable {
            let attachments: Attachments
            init(row: Row) { attachments = row.attachments }
            static func == (lhs: Self, rhs: Self) -> Bool { lhs.attachments === rhs.attachments }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(attachments)) }
        }
        try withPlayers { db in
            let sql = "SELECT * FROM player"
            let statement = try db.makeStatement(sql: sql)
            var records: [Record] = []
            var others: [Record] = []
            for _ in 0..<2 {
                records.append(try #require(try Record.fetchOne(db, sql: sql)))
                records += try Record.fetchAll(db, sql: sql)
                records += try Record.fetchSet(db, sql: sql)
                records.append(try #require(try Record.fetchCursor(db, sql: sql).next()))
                records.append(try #require(try SQLRequest<Record>(sql: sql, cached: true).fetchOne(db)))
                others.append(try #require(try Record.fetchOne(statement)))
            }
            #expect(records.count >= 12)
            #expect(Set(records).count == 1)
            #expect(Set(others).count == 1)
        }
    }

    @Test
    func `A missing column is nil for optionals, and an error for other types`() throws {
        let row = try row("SELECT 1 AS a")
        #expect(row["b"] as Int? == nil)
        #expect(try row.decode(Int?.self, forKey: "b") == nil)
        #expect(try row.decodeIfPresent(Int.self, forKey: "b") == nil)
        #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forKey: "b") }
        #expect(throws: RowDecodingError.self) { try row.decode(Int?.self, atIndex: 1) }
        #expect(throws: RowDecodingError.self) { try row.decode(Int?.self, atIndex: -1) }
    }

    @Test
    func `Without a type, a column is read as SQLite stores it`() throws {
        let row = try row("SELECT 1, 1.5, 'x' AS text, x'00ff', NULL")
        #expect(row[0] as? Int64 == 1)
        #expect(row[1] as? Double == 1.5)
        #expect(row["text"] as? String == "x")
        #expect(row[3] as? Data == Data([0, 255]))
        #expect((row[4] as (any DatabaseValueConvertible)?) == nil)
        #expect((row["missing"] as (any DatabaseValueConvertible)?) == nil)
        #expect(
            row.databaseValues == [1.databaseValue, 1.5.databaseValue, "x".databaseValue, Data([0, 255]).databaseValue, .null])
    }

    @Test
    func `A row is a collection of its columns' names and values`() throws {
        let row = try row("SELECT 1 AS a, 'x' AS b, 2 AS a")
        #expect(row.count == 3)
        #expect(row.map(\.0) == ["a", "b", "a"])
        #expect(row.map(\.1) == [1.databaseValue, "x".databaseValue, 2.databaseValue])
        #expect(row.reversed().map(\.0) == ["a", "b", "a"])
        #expect(row.last?.1 == 2.databaseValue)
        #expect(row[row.index(after: row.startIndex)].0 == "b")
        #expect(row.distance(from: row.startIndex, to: row.endIndex) == 3)
        #expect(Row().isEmpty)
    }

    @Test
    func `Rows are made of dictionaries, and dictionaries of rows`() throws {
        let row: Row = ["name": "Arthur", "score": 1000, "team": nil]
        #expect(row.columnNames == ["name", "score", "team"])
        #expect(row.databaseValues == ["Arthur".databaseValue, 1000.databaseValue, .null])
        #expect(row == (try RowDecodingTests.row("SELECT 'Arthur' AS name, 1000 AS score, NULL AS team")))

        let columns: [String: (any DatabaseValueConvertible)?] = ["name": "Arthur", "score": nil]
        #expect(Dictionary(Row(columns)) == ["name": "Arthur".databaseValue, "score": .null])

        let anything: [AnyHashable: Any] = ["name": "Arthur", "score": 1000]
        #expect(Row(anything).map { Dictionary($0) } == ["name": "Arthur".databaseValue, "score": 1000.databaseValue])
        #expect(Row(["name": TestError()] as [AnyHashable: Any]) == nil)
        #expect(Row([1: "Arthur"] as [AnyHashable: Any]) == nil)
        #expect(Row(["id": UInt64.max] as [AnyHashable: Any]) == nil)

        #expect(Dictionary(try RowDecodingTests.row("SELECT 1 AS a, 2 AS a")) == ["a": 1.databaseValue])
    }

    @Test
    func `Rows differ by names, order, values, scopes and prefetched rows`() throws {
        let row: Row = ["a": 1, "b": 2]
        #expect(row == ["a": 1, "b": 2])
        #expect(row == ["a": 1.0, "b": 2])
        #expect(row != ["b": 2, "a": 1])
        #expect(row != ["A": 1, "b": 2])
        #expect(row != ["a": 1, "b": nil])
        #expect(row != ["a": 1])
        let scoped = try RowDecodingTests.row("SELECT 1 AS a, 2 AS b", adapter: ScopeAdapter(["x": RangeRowAdapter(0..<1)]))
        #expect(row != scoped)
        #expect(scoped == scoped.copy())
        #expect(try scoped != RowDecodingTests.row("SELECT 1 AS a, 2 AS b", adapter: ScopeAdapter(["x": RangeRowAdapter(1..<2)])))
        let prefetching: Row = ["a": 1, "b": 2]
        prefetching.setPrefetchedRows([], forKey: "books")
        #expect(row != prefetching)
    }

    @Test
    func `NULL is distinguished from values`() throws {
        let row = try row("SELECT NULL AS a, 0 AS b, '' AS c")
        #expect(row.hasNull(atIndex: 0))
        #expect(!row.hasNull(atIndex: 1))
        #expect(!row.hasNull(atIndex: 2))
        #expect(row.containsNonNullValue)
        #expect(!(try RowDecodingTests.row("SELECT NULL, NULL").containsNonNullValue))
        #expect(!Row().containsNonNullValue)
    }

    @Test
    func `Coalescing gives the first value that is not NULL`() throws {
        let row = try row("SELECT NULL AS a, 'b' AS b, 'c' AS c")
        #expect(row.coalesce(["a", "b", "c"]) == "b")
        #expect(row.coalesce(["missing", "c"]) == "c")
        #expect(row.coalesce(["a", "missing"]) as String? == nil)
        #expect(throws: RowDecodingError.self) { try row.decodeIfPresent(Int.self, coalescing: ["a", "b"]) }
    }

    @Test(arguments: [false, true])
    func `Bytes are read without copies`(isCopied: Bool) throws {
        try withDatabase { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT x'0102' AS blob, 'é' AS text, x'' AS empty, NULL AS absent, 1 AS number")
            var row = try #require(try rows.next())
            if isCopied { row = row.copy() }
            #expect(try row.withUnsafeData(name: "blob") { $0 == Data([1, 2]) })
            #expect(try row.withUnsafeData(named: "TEXT") { $0 == Data("é".utf8) })
            #expect(try row.withUnsafeData(at: 2) { $0 == Data() })
            #expect(try row.withUnsafeData(atIndex: 3) { $0 == nil })
            #expect(throws: RowDecodingError.self) { try row.withUnsafeData(name: "number") { _ in } }
            #expect(try row.withUnsafeData(name: "missing") { $0 == nil })
            #expect(throws: RowDecodingError.self) { try row.withUnsafeData(at: 5) { _ in } }
            #expect(throws: TestError.self) { try row.withUnsafeData(at: 0) { _ in throw TestError() } }
        }
    }

    @Test(arguments: ["FF", "6162636465666768C3", "F09F98", "61EDA080"])
    func `A text that is no UTF-8 has the same bytes in a row and in its copy`(hexadecimal: String) throws {
        try withDatabase { db throws in
            let rows = try Row.fetchCursor(db, sql: "SELECT CAST(x'\(hexadecimal)' AS TEXT) AS text")
            let row = try #require(try rows.next())
            let bytes = try #require(try row.withUnsafeData(named: "text") { $0.map { [UInt8]($0) } })
            try #expect(row.copy().withUnsafeData(named: "text") { $0.map { [UInt8]($0) } } == bytes)
            #expect(bytes == [UInt8]((row["text"] as String).utf8))
            #expect(row["text"] == Data(bytes))
        }
    }

    @Test(arguments: [false, true])
    func `Bytes are read through adapters, and errors name the requested column`(isCopied: Bool) throws {
        try withDatabase { db throws in
            let adapter = SuffixRowAdapter(fromIndex: 1).addingScopes(["scope": ColumnMapping(["x": "b"])])
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, x'02' AS b, x'03' AS c, 4 AS c", adapter: adapter)
            var row = try #require(try rows.next())
            if isCopied { row = row.copy() }
            #expect(try row.withUnsafeData(atIndex: 0) { $0 == Data([2]) })
            #expect(try row.withUnsafeData(named: "c") { $0 == Data([3]) })
            #expect(try #require(row.scopes["scope"]).withUnsafeData(named: "x") { $0 == Data([2]) })
            #expect(try row.withUnsafeData(named: "a") { $0 == nil })
            // The right one of two columns that share a name.
            let error = #expect(throws: RowDecodingError.self) { try row.withUnsafeData(atIndex: 2) { _ in } }
            #expect(error?.columnIndex == 2)
            #expect(error?.column == "c")
            #expect(error?.value == 4.databaseValue)
        }
    }

    @Test
    func `A text or a blob of ten megabytes is read without copies`() throws {
        try withDatabase { db throws in
            let rows = try Row.fetchCursor(db, sql: "SELECT zeroblob(10000000) AS data, hex(zeroblob(5000000)) AS text")
            let row = try #require(try rows.next())
            #expect(try row.withUnsafeData(named: "data") { $0?.count == 10_000_000 && $0?.last == 0 })
            #expect(try row.withUnsafeData(named: "text") { $0?.count == 10_000_000 && $0?.last == UInt8(ascii: "0") })
        }
    }

    @Test
    func `A row describes itself as its columns and values`() throws {
        let row: Row = ["name": "O'Brien \"B\"", "score": nil, "ratio": 1.0, "photo": Data(repeating: 1, count: 1_000_000)]
        let text = #"[name:"O\'Brien \"B\"" score:NULL ratio:1.0 photo:Data(1000000 bytes)]"#
        #expect(row.description == text)
        #expect(row.debugDescription == text)
        #expect(Row().description == "[]")
    }

    @Test
    func `Columns beyond the hundredth are read by name, again and again`() throws {
        try withDatabase { db in
            let names = (0..<300).map { "c\($0)" }
            let columns = names.map { "n AS \($0)" }.joined(separator: ", ")
            let rows = try Row.fetchCursor(db, sql: "WITH t(n) AS (VALUES (1), (2), (3)) SELECT \(columns) FROM t")
            while let row = try rows.next() {
                let sum = names.reduce(0) { $0 + (row[$1] as Int) }
                #expect(sum == 300 * (row[0] as Int))
                #expect(names.reversed().reduce(0) { $0 + (row[$1] as Int) } == sum)
            }
        }
    }
}
