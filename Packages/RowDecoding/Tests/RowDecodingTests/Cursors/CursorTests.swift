import RowDecoding
import Testing

struct CursorTests {
    /// 1, 2 and so on, then an error.
    func failing(after count: Int) -> AnyCursor<Int> {
        var number = 0
        return AnyCursor {
            number += 1
            if number > count { throw TestError() }
            return number
        }
    }

    @Test
    func `Cursors are made of sequences, iterators, closures and cursors`() throws {
        #expect(try Array(AnyCursor([1, 2, 3])) == [1, 2, 3])
        #expect(try Array(AnyCursor(iterator: [1, 2].makeIterator())) == [1, 2])
        #expect(try Array(AnyCursor(AnyCursor(1...3))) == [1, 2, 3])
        var number = 0
        let cursor = AnyCursor<Int> {
            number += 1
            return number == 3 ? nil : number
        }
        #expect(try Array(cursor) == [1, 2])
        // The closure is not asked again.
        #expect(try cursor.next() == nil)
        #expect(number == 3)
    }

    @Test
    func `Lazy operations give the same results as the operations of sequences`() throws {
        let numbers = [1, 2, 3, 4, 5]
        func cursor() -> AnyCursor<Int> { AnyCursor(numbers) }
        #expect(try Array(cursor().map { $0 * 2 }) == [2, 4, 6, 8, 10])
        #expect(try Array(cursor().filter { $0.isMultiple(of: 2) }) == [2, 4])
        #expect(try Array(cursor().compactMap { $0 > 3 ? "\($0)" : nil }) == ["4", "5"])
        #expect(try Array(cursor().flatMap { 0..<$0 }.prefix(4)) == [0, 0, 1, 0])
        #expect(try Array(cursor().flatMap { AnyCursor([$0, -$0]) }.prefix(3)) == [1, -1, 2])
        #expect(try Array([1, 2].flatMap { AnyCursor([$0, $0]) }) == [1, 1, 2, 2])
        #expect(try Array(AnyCursor([[1], [], [2, 3]]).joined()) == [1, 2, 3])
        #expect(try Array(AnyCursor([AnyCursor([1]), AnyCursor([2])]).joined()) == [1, 2])
        #expect(try Array(cursor().enumerated()).map { "\($0.0)\($0.1)" } == ["01", "12", "23", "34", "45"])
        for count in [0, 1, 4, 5, 6] {
            #expect(try Array(cursor().prefix(count)) == Array(numbers.prefix(count)))
            #expect(try Array(cursor().dropFirst(count)) == Array(numbers.dropFirst(count)))
            #expect(try cursor().dropLast(count) == numbers.dropLast(count))
            #expect(try cursor().suffix(count) == numbers.suffix(count))
        }
        #expect(try Array(cursor().prefix(-1)) == [])
        #expect(try Array(cursor().dropFirst(-1)) == numbers)
        #expect(try cursor().dropLast(-1) == numbers)
        #expect(try cursor().suffix(-1) == [])
        #expect(try Array(cursor().dropFirst()) == [2, 3, 4, 5])
        #expect(try cursor().dropLast() == [1, 2, 3, 4])
        #expect(try Array(cursor().prefix { $0 != 3 }) == [1, 2])
        #expect(try Array(cursor().drop { $0 != 3 }) == [3, 4, 5])
    }

    @Test
    func `A prefix requests only the elements that it returns`() throws {
        let cursor = AnyCursor([1, 2, 3, 4])
        #expect(try Array(cursor.prefix(2)) == [1, 2])
        #expect(try cursor.next() == 3)
    }

    @Test
    func `Eager operations give the same results as the operations of sequences`() throws {
        func cursor() -> AnyCursor<Int> { AnyCursor([3, 1, 2]) }
        func empty() -> AnyCursor<Int> { AnyCursor([]) }
        #expect(try cursor().reduce(0, +) == 6)
        #expect(try cursor().reduce(into: []) { $0.append($1) } == [3, 1, 2])
        #expect(try cursor().min() == 1)
        #expect(try cursor().max() == 3)
        #expect(try cursor().min { $0 > $1 } == 3)
        #expect(try cursor().max { $0 > $1 } == 1)
        #expect(try empty().min() == nil)
        #expect(try empty().max() == nil)
        #expect(try cursor().contains(2))
        #expect(try !cursor().contains(4))
        #expect(try cursor().contains { $0 > 2 })
        #expect(try cursor().first { $0 < 3 } == 1)
        #expect(try cursor().first { $0 > 3 } == nil)
        #expect(try !cursor().isEmpty)
        #expect(try empty().isEmpty)
        #expect(try cursor().map { "\($0)" }.joined(separator: ", ") == "3, 1, 2")
        #expect(try AnyCursor(["a", "b"]).joined() == "ab")
        #expect(try AnyCursor([String]()).joined(separator: ", ") == "")
        var elements: [Int] = []
        try cursor().forEach { elements.append($0) }
        #expect(elements == [3, 1, 2])
    }

    @Test
    func `Of several least or greatest elements, it is that which sequences give`() throws {
        let pairs = [(1, "a"), (2, "b"), (1, "c"), (2, "d")]
        #expect(try AnyCursor(pairs).min { $0.0 < $1.0 }?.1 == pairs.min { $0.0 < $1.0 }?.1)
        #expect(try AnyCursor(pairs).max { $0.0 < $1.0 }?.1 == pairs.max { $0.0 < $1.0 }?.1)
    }

    @Test
    func `Cursors fill collections`() throws {
        func cursor() -> AnyCursor<Int> { AnyCursor([1, 2, 2, 3]) }
        #expect(try Array(cursor(), minimumCapacity: 10).capacity >= 10)
        #expect(try ContiguousArray(cursor()) == [1, 2, 2, 3])
        #expect(try String(AnyCursor("abc")) == "abc")
        var array = [0]
        try array.append(contentsOf: cursor())
        #expect(array == [0, 1, 2, 2, 3])
        #expect(try Set(cursor()) == [1, 2, 3])
        #expect(try Set(cursor(), minimumCapacity: 10) == [1, 2, 3])
        #expect(try Set([0]).union(cursor()) == [0, 1, 2, 3])
        #expect(try Set([0, 1]).intersection(cursor()) == [1])
        var set: Set = [0, 1]
        try set.formUnion(cursor())
        #expect(set == [0, 1, 2, 3])
        try set.formIntersection(AnyCursor([3, 4]))
        #expect(set == [3])
        #expect(try Dictionary(grouping: cursor(), by: { $0 % 2 }) == [0: [2, 2], 1: [1, 3]])
        #expect(try Dictionary(minimumCapacity: 10, grouping: cursor(), by: { $0 % 2 }) == [0: [2, 2], 1: [1, 3]])
        let pairs = AnyCursor([("a", 1), ("b", 2)])
        #expect(try Dictionary(uniqueKeysWithValues: pairs) == ["a": 1, "b": 2])
        #expect(try Dictionary(minimumCapacity: 10, uniqueKeysWithValues: AnyCursor([("a", 1)])) == ["a": 1])
        #expect(try Dictionary(AnyCursor([("a", 1), ("a", 2)]), uniquingKeysWith: +) == ["a": 3])
        let error = #expect(throws: DuplicateKeyError.self) {
            try Dictionary(uniqueKeysWithValues: AnyCursor([("a", 1), ("a", 2)]))
        }
        #expect(error?.key == "a")
        #expect(
            error?.description
                == "a key occurs more than once. Use init(_:uniquingKeysWith:) to choose between its values, or init(grouping:by:).")
    }

    @Test
    func `After an error, a cursor has ended`() throws {
        func expectEnd<C: Cursor>(_ cursor: C, after count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
            for _ in 0..<count {
                #expect(try cursor.next() != nil, sourceLocation: sourceLocation)
            }
            #expect(throws: TestError.self, sourceLocation: sourceLocation) { try cursor.next() }
            for _ in 0..<3 {
                #expect(try cursor.next() == nil, sourceLocation: sourceLocation)
            }
        }
        func numbers() -> AnyCursor<Int> { AnyCursor(1...10) }
        func fail(_ number: Int) throws -> Int {
            if number == 3 { throw TestError() }
            return number
        }
        try expectEnd(failing(after: 2), after: 2)
        try expectEnd(failing(after: 2).map { $0 }, after: 2)
        try expectEnd(failing(after: 2).filter { _ in true }, after: 2)
        try expectEnd(failing(after: 2).enumerated(), after: 2)
        try expectEnd(failing(after: 2).prefix(5), after: 2)
        try expectEnd(failing(after: 2).prefix { _ in true }, after: 2)
        try expectEnd(failing(after: 2).dropFirst(1), after: 1)
        try expectEnd(failing(after: 2).dropFirst(5), after: 0)
        try expectEnd(failing(after: 2).drop { _ in false }, after: 2)
        try expectEnd(failing(after: 2).flatMap { [$0, $0] }, after: 4)
        try expectEnd(numbers().map { try fail($0) }, after: 2)
        try expectEnd(numbers().filter { try fail($0) > 0 }, after: 2)
        try expectEnd(numbers().compactMap { try Optional(fail($0)) }, after: 2)
        try expectEnd(numbers().flatMap { [try fail($0)] }, after: 2)
        try expectEnd(numbers().flatMap { _ in failing(after: 1) }, after: 1)
        try expectEnd(numbers().prefix { try fail($0) > 0 }, after: 2)
        try expectEnd(numbers().drop { try fail($0) > 0 }, after: 0)
        #expect(throws: TestError.self) { try Array(failing(after: 2)) }
        #expect(throws: TestError.self) { try failing(after: 2).suffix(1) }
    }

    // MARK: - Cursors of queries

    @Test
    func `A query's cursor describes its statement`() throws {
        try withPlayers { db in
            let players = try Player.fetchCursor(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [1000])
            #expect(players.sql == "SELECT * FROM player WHERE score > ?")
            #expect(players.arguments == [1000])
            #expect(players.columnCount == 3)
            #expect(players.columnNames == ["id", "name", "score"])
            #expect(try Array(players.map(\.name)) == ["Arthur", "Craig"])
            #expect(try players.next() == nil)
        }
    }

    /// Counts the elements that it visits one by one.
    private final class Numbers: Cursor {
        var remaining = [1, 2, 2, 3]
        var visits = 0

        func next() -> Int? { remaining.isEmpty ? nil : remaining.removeFirst() }

        func forEach(_ body: (Int) throws -> Void) throws {
            visits += 1
            while !remaining.isEmpty { try body(remaining.removeFirst()) }
        }
    }

    @Test
    func `Methods that consume a cursor call its own forEach`() throws {
        func check<T: Equatable>(
            _ expected: T, sourceLocation: SourceLocation = #_sourceLocation, _ value: (Numbers) throws -> T
        ) throws {
            let numbers = Numbers()
            #expect(try value(numbers) == expected, sourceLocation: sourceLocation)
            #expect(numbers.visits == 1, sourceLocation: sourceLocation)
        }
        try check([1, 2, 2, 3]) { try Array($0) }
        try check([1, 2, 3]) { try Set($0) }
        try check([2, 4, 4, 6]) { try Array($0.map { $0 * 2 }) }
        try check([2, 2]) { try Array($0.filter { $0 == 2 }) }
        try check([1, 3]) { try Array($0.compactMap { $0 == 2 ? nil : $0 }) }
        try check(["0 1", "1 2", "2 2", "3 3"]) { try Array($0.enumerated().map { "\($0) \($1)" }) }
        try check([1, 2, 2, 3]) { try Array(AnyCursor($0)) }
        try check([1: [1], 2: [2, 2], 3: [3]]) { try Dictionary(grouping: $0) { $0 } }
        try check([1: 1, 2: 2, 3: 1]) { try Dictionary($0.map { ($0, 1) }, uniquingKeysWith: +) }
        try check(8) { try $0.reduce(0, +) }
        try check(3) { try $0.max() }
        try check([2, 3]) { try $0.suffix(2) }
        let numbers = Numbers()
        #expect(throws: DuplicateKeyError.self) { try Dictionary(uniqueKeysWithValues: numbers.map { ($0, $0) }) }
        // An error leaves the remaining elements.
        #expect(numbers.remaining == [3])
    }

    @Test
    func `After an error of SQLite, a query's cursor throws it again; after an error of a conversion, it has ended`() throws {
        try withDatabase { db in
            // The second row overflows.
            let sql = "SELECT 1 AS n UNION ALL SELECT abs(-9223372036854775808) UNION ALL SELECT 3"
            let rows = try Row.fetchCursor(db, sql: sql)
            #expect(try rows.next()?["n"] == 1)
            for _ in 0..<3 {
                #expect(throws: DatabaseError.self) { try rows.next() }
            }
            let first = try Row.fetchCursor(db, sql: "SELECT abs(-9223372036854775808)").map { $0 }.filter { _ in true }
            let lengths = AnyCursor(first).flatMap { [$0.count] }.enumerated().prefix { _ in true }.drop { _ in false }
            for _ in 0..<3 {
                #expect(throws: DatabaseError.self) { try lengths.next() }
            }
            #expect(throws: DatabaseError.self) { try Int.fetchAll(db, sql: sql) }

            let numbers = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 'x' UNION ALL SELECT 3")
            #expect(try numbers.next() == 1)
            #expect(throws: RowDecodingError.self) { try numbers.next() }
            #expect(try numbers.next() == nil)

            let players = try Player.fetchCursor(db, sql: "SELECT 1 AS id")
            #expect(throws: RowDecodingError.self) { try players.next() }
            #expect(try players.next() == nil)
        }
    }

    @Test
    func `A cursor whose statement is run again by someone else throws`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            let players = try Player.fetchCursor(statement)
            #expect(try players.next() == .arthur)
            #expect(try Player.fetchAll(statement).count == 3)
            #expect(throws: DatabaseError.self) { try players.next() }
            #expect(throws: DatabaseError.self) { try players.next() }
        }
    }

    @Test
    func `A cursor that is cut short ends its query`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            #expect(try Array(Player.fetchCursor(statement).prefix(1)) == [.arthur])
            #expect(!statement.isBusy)
            let failing = try Player.fetchCursor(statement).map { _ -> Int in throw TestError() }
            #expect(throws: TestError.self) { try failing.next() }
            #expect(!statement.isBusy)
        }
    }

    @Test
    func `A query inside another query with the same SQL has its own rows`() throws {
        struct Nested: FetchableRecord {
            var id: Int
            var count: Int
            static nonisolated(unsafe) var db: Database?

            init(row: Row) throws {
                id = row["id"]
                count = try Row.fetchAll(#require(Self.db), sql: "SELECT * FROM player ORDER BY id").count
                // The row is still the same.
                #expect(row["id"] == id)
            }
        }
        try withPlayers { db in
            Nested.db = db
            defer { Nested.db = nil }
            let records = try Nested.fetchAll(db, sql: "SELECT * FROM player ORDER BY id")
            #expect(records.map(\.id) == [1, 2, 3])
            #expect(records.map(\.count) == [3, 3, 3])
        }
    }

    @Test
    func `Rows are copied on their way into collections`() throws {
        try withPlayers { db in
            func rows() throws -> RowCursor { try Row.fetchCursor(db, sql: "SELECT * FROM player ORDER BY id") }
            let copies = try Array(rows().map { $0.copy() })
            #expect(copies.map { $0["name"] } == ["Arthur", "Barbara", "Craig"])
            #expect(try rows().filter { $0["score"] > 1000 }.map { $0["name"] as String }.joined(separator: " ") == "Arthur Craig")
            #expect(try rows().reduce(0) { $0 + ($1["score"] as Int) } == 3450)
            #expect(try rows().first { $0["id"] == 2 }?["name"] == "Barbara")
        }
    }
}
