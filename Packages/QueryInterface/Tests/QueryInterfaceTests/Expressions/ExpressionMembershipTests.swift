import Foundation
import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score
private let best = Player.Columns.best

@Suite struct ExpressionMembershipTests {
    @Test(arguments: [
        ExpressionSample([1000, nil].contains(score), #""score" IN (1000, NULL)"#, [1, nil, nil, nil]),
        ExpressionSample(![1000, nil].contains(score), #""score" NOT IN (1000, NULL)"#, [0, nil, nil, nil]),
        ExpressionSample([1000, 0].contains(score), #""score" IN (1000, 0)"#, [1, 0, nil, 1]),
        ExpressionSample([Int]().contains(score), #""score" IN ()"#, [0, 0, 0, 0]),
        ExpressionSample(![Int]().contains(score), #""score" NOT IN ()"#, [1, 1, 1, 1]),
        ExpressionSample(["arthur"].contains(name.collating(.nocase)), #""name" COLLATE NOCASE IN ('arthur')"#, [1, 0, 0, 0]),
        ExpressionSample([5, 6].contains(id + 3), #""id" + 3 IN (5, 6)"#, [0, 1, 1, 0]),
    ])
    func `IN with NULL in the list is NULL for other values`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(
            [1.sqlExpression, best.sqlExpression, 750.sqlExpression].contains(score), #""score" IN (1, "best", 750)"#,
            [1, 1, nil, nil]),
        ExpressionSample(
            ![1.sqlExpression, best.sqlExpression, 750.sqlExpression].contains(score), #""score" NOT IN (1, "best", 750)"#,
            [0, 0, nil, nil]),
    ])
    func `IN with a list of values and columns`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A packed list is one JSON argument of integers and strings`() throws {
        try withDatabase(Player.createTable) { db throws in
            func packed(_ expression: SQLExpression) throws -> String {
                try evaluate(expression, db) { $0.packsLists = true }.sql
            }
            #expect(try packed([1, 2, 3].contains(id)) == #""id" IN (SELECT +value FROM json_each('[1,2,3]'))"#)
            #expect(try packed(![1, 2, 3].contains(id)) == #""id" NOT IN (SELECT +value FROM json_each('[1,2,3]'))"#)
            #expect(
                try packed(["a\"b\\", nil, "\n\u{1}é"].contains(name))
                    == #""name" IN (SELECT +value FROM json_each('["a\"b\\",null,"\u000a\u0001é"]'))"#)
            #expect(
                try packed([1.5, -.infinity].contains(id))
                    == #""id" IN (SELECT strata_unpack(value) FROM json_each('["r3ff8000000000000","rfff0000000000000"]'))"#)
            #expect(try packed([1].contains(id)) == #""id" IN (1)"#)
        }
    }

    /// Values of all storage classes, including those that are hard to represent in JSON.
    static let values: [DatabaseValue] = [
        .null, 0.databaseValue, 1.databaseValue, (-1).databaseValue, Int64.max.databaseValue, Int64.min.databaseValue,
        (1 << 53 + 1).databaseValue, 1.0.databaseValue, 0.1.databaseValue, (0.1 + 0.2).databaseValue, 1.5.databaseValue,
        (-0.0).databaseValue, Double.infinity.databaseValue, Double.greatestFiniteMagnitude.databaseValue,
        Double.leastNonzeroMagnitude.databaseValue, 1e23.databaseValue, 9007199254740993.0.databaseValue,
        "".databaseValue, "1".databaseValue, "1.0".databaseValue, "1.5".databaseValue, "0.1".databaseValue, "a".databaseValue,
        "A".databaseValue, "a\0b".databaseValue, "a\0".databaseValue, "\0".databaseValue, "\"\\/\u{8}\u{1F}\u{7F}".databaseValue,
        "é".databaseValue, "e\u{301}".databaseValue, "🚀".databaseValue, "null".databaseValue, "t".databaseValue,
        "r3ff8000000000000".databaseValue, "\u{FFFF}".databaseValue, Data().databaseValue, Data([0]).databaseValue,
        Data("a".utf8).databaseValue, Data("1".utf8).databaseValue, Data([0xFF, 0, 0x80]).databaseValue,
    ]

    static let affinities = ["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "", "TEXT COLLATE NOCASE"]

    /// The classes of values. Each list contains values of one class, so that it is packed in the way of this class.
    static let lists: [[DatabaseValue]] = [
        values,
        values.filter { if case .int64 = $0.storage { true } else { false } },
        values.filter { if case .string(let text) = $0.storage { !text.utf8.contains(0) } else { false } },
        values.filter { if case .double = $0.storage { true } else { false } },
        values.filter { if case .blob = $0.storage { true } else { false } },
        values.filter { !$0.isNull },
        [1.databaseValue, .null, "a".databaseValue],
    ]

    private func createTable(_ affinity: String, _ db: Database) throws {
        try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x \(affinity), y \(affinity))")
        for (index, value) in Self.values.enumerated() {
            let other = Self.values[(index + 7) % Self.values.count]
            try db.execute(sql: "INSERT INTO t (x, y) VALUES (?, ?)", arguments: [value, other])
        }
    }

    @Test(arguments: affinities)
    func `A packed list matches the same rows as an unpacked one, for each affinity`(affinity: String) throws {
        try DatabaseQueue().write { db in
            try createTable(affinity, db)
            for list in Self.lists {
                // Packing rounds an integer to a REAL if no REAL equals it.
                let rounded = [Int64.max.databaseValue, (1 << 53 + 1).databaseValue]
                let list = affinity == "REAL" ? list.filter { !rounded.contains($0) } : list
                for expression in [list.contains(Column("x")), !list.contains(Column("x")), list.contains(Column("x").sqlExpression ?? 0)] {
                    let plain = try evaluate(expression, in: "t", db)
                    let packed = try evaluate(expression, in: "t", db) { $0.packsLists = true }
                    #expect(packed.sql.contains("json_each"))
                    #expect(plain.values == packed.values, "\(plain.sql)")
                }
            }
        }
    }

    @Test
    func `Packing and unpacking does not change a value`() throws {
        try DatabaseQueue().write { db in
            try createTable("", db)
            for value in Self.values where !value.isNull {
                // Compare the storage class too, because IN considers 1 and 1.0 equal.
                let list = [value, "no such value".databaseValue]
                let expression = list.contains(Column("x")) && Column("x").storageClass == SQL("typeof(\(value))")
                let packed = try evaluate(expression, in: "t", db) { $0.packsLists = true }
                let plain = try evaluate(expression, in: "t", db)
                #expect(packed.values == plain.values)
                #expect(packed.values.contains(1.databaseValue), "\(value)")
            }
        }
    }

    @Test
    func `A list can have more values than SQLite allows parameters`() throws {
        let numbers = Array(1...40_000)
        try withDatabase(Player.createTable) { db throws in
            let (_, values) = try evaluate(numbers.dropFirst(2).contains(id), db) { $0.packsLists = true }
            #expect(values == [0, 0, 1, 1].map(\.databaseValue))
            var renderer = SQLRenderer(database: db)
            renderer.packsLists = true
            try renderer.append(numbers.contains(id))
            #expect(renderer.values.count == 1)
        }
    }

    @Test
    func `Lists are packed while another statement runs`() throws {
        try withDatabase(Player.createTable) { db throws in
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            _ = try cursor.next()
            for _ in 1...2 {
                let (_, values) = try evaluate([1.0, 2.5].contains(id), db) { $0.packsLists = true }
                #expect(values == [1, 0, 0, 0].map(\.databaseValue))
            }
            _ = try cursor.next()
        }
    }

    @Test
    func `A value that can't be stored throws an error, packed or not`() throws {
        try withDatabase(Player.createTable) { db throws in
            let expression = [UInt64(1), UInt64.max, 3].contains(id)
            #expect(throws: (any Error).self) { try evaluate(expression, db) }
            #expect(throws: (any Error).self) { try evaluate(expression, db) { $0.packsLists = true } }
        }
    }

    @Test
    func `Unpacking another text throws an error`() throws {
        try withDatabase(Player.createTable) { db throws in
            _ = try evaluate([1.0, 2.5].contains(id), db) { $0.packsLists = true }
            for text in ["x00", "bxy"] {
                #expect(throws: DatabaseError.self) {
                    try DatabaseValue.fetchOne(db, sql: "SELECT strata_unpack(?)", arguments: [text])
                }
            }
        }
    }
}

@Suite struct ExpressionSubqueryTests {
    private let rich = SQLRequest<Row>("SELECT id FROM player WHERE score > 500")
    private let none = SQLRequest<Row>("SELECT id FROM player WHERE FALSE")

    @Test
    func `Subqueries with IN and EXISTS`() throws {
        let query = "(SELECT id FROM player WHERE score > 500)"
        try ExpressionSample(rich.contains(id), #""id" IN \#(query)"#, [1, 1, 0, 0]).check()
        try ExpressionSample(!rich.contains(id), #""id" NOT IN \#(query)"#, [0, 0, 1, 1]).check()
        try ExpressionSample(rich.contains(2), "2 IN \(query)", [1, 1, 1, 1]).check()
        try ExpressionSample(rich.contains(id + 2), #""id" + 2 IN \#(query)"#, [0, 0, 0, 0]).check()
        try ExpressionSample(rich.contains(id == 2), #"("id" = 2) IN \#(query)"#, [0, 1, 0, 0]).check()
        try ExpressionSample(rich.exists(), "EXISTS \(query)", [1, 1, 1, 1]).check()
        try ExpressionSample(!rich.exists(), "NOT EXISTS \(query)", [0, 0, 0, 0]).check()
        try ExpressionSample(!none.exists() && id > 2, #"NOT EXISTS (SELECT id FROM player WHERE FALSE) AND "id" > 2"#, [0, 0, 1, 1])
            .check()
        try ExpressionSample((!none.exists()) == id, #"(NOT EXISTS (SELECT id FROM player WHERE FALSE)) = "id""#, [1, 0, 0, 0])
            .check()
        try ExpressionSample(none.exists() == (id > 2), #"EXISTS (SELECT id FROM player WHERE FALSE) = "id" > 2"#, [1, 1, 0, 0])
            .check()
    }

    @Test
    func `A request in an expression has the value of its first row`() throws {
        let query = #"(SELECT * FROM "n" WHERE "x" > 1)"#
        let creation = Player.createTable + "CREATE TABLE n (x); INSERT INTO n VALUES (1), (3)"
        struct N: TableRecord {}
        let request = N.filter(Column("x") > 1)
        try ExpressionSample(id > request, #""id" > \#(query)"#, [0, 0, 0, 1]).check(createdBy: creation)
        try ExpressionSample(request + 1, "\(query) + 1", [4, 4, 4, 4]).check(createdBy: creation)
        try ExpressionSample(request.contains(id), #""id" IN \#(query)"#, [0, 0, 1, 0]).check(createdBy: creation)
    }
}
