import QueryInterface
import Testing

@Suite struct PageTests {
    // MARK: - Row values

    @Test
    func `Row values are compared`() throws {
        try withDatabase(Player.createTable) { (db) throws in
            let request = Player.filter { rowValue($0.name, $0.id) > rowValue("Barbara", 2) }
            #expect(try request.sql(db) == #"SELECT * FROM "player" WHERE ("name", "id") > ('Barbara', 2)"#)
            #expect(try request.fetchAll(db).map(\.id) == [3, 4])
            #expect(try Player.filter { rowValue($0.score, $0.best) == rowValue(1000, 1000) }.fetchAll(db).map(\.id) == [1])
            #expect(try Player.filter { rowValue($0.id, $0.name) != rowValue(1, "Arthur") && $0.id < 3 }.fetchAll(db).map(\.id) == [2])
            #expect(try Player.filter { !(rowValue($0.id, $0.name) <= rowValue(2, "A")) }.fetchAll(db).map(\.id) == [2, 3, 4])
            // If NULL decides, the result is NULL.
            #expect(try Player.filter { rowValue($0.best, $0.id) >= rowValue(nil, 1) }.fetchAll(db).isEmpty)
            #expect(throws: DatabaseError.self) { try Player.filter { rowValue($0.id, $0.name) < rowValue(1) }.fetchAll(db) }
        }
    }

    // MARK: - SQL and plans

    private static let table = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b TEXT NOT NULL, n INTEGER);
        CREATE INDEX ab ON t (a, b); CREATE INDEX mixed ON t (a, b DESC); CREATE INDEX nullable ON t (n)
        """

    private static let (id, a, b, n) = (Column("id"), Column("a"), Column("b"), Column("n"))

    private func page(_ values: [(any DatabaseValueConvertible)?]?, _ order: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Row> {
        Table<Row>("t").page(after: values, by: order)
    }

    @Test(
        arguments: [
            ([a, b, id], #"("a", "b", "id") > (1, 'x', 7)"#, "SEARCH t USING INDEX ab ((a,b)>(?,?))"),
            ([a.desc, b.desc, id.desc], #"("a", "b", "id") < (1, 'x', 7)"#, "SEARCH t USING INDEX ab ((a,b)<(?,?))"),
            (
                [a.asc, b.desc, id.asc], #""a" >= 1 AND ("a" > 1 OR "a" = 1 AND ("b" < 'x' OR "b" = 'x' AND "id" > 7))"#,
                "SEARCH t USING INDEX mixed (a>?)"
            ),
        ] as [([any SQLOrderingTerm & Sendable], String, String)])
    func `A page is a range of an index`(_ order: [any SQLOrderingTerm & Sendable], _ condition: String, _ plan: String) throws {
        try withDatabase(Self.table) { (db) throws in
            let request = page([1, "x", 7], order).limit(10)
            #expect(try request.sql(db).contains("WHERE \(condition) ORDER BY"))
            let found = try request.explainQueryPlan(db).details
            #expect(found.first == plan)
            #expect(!found.contains { $0.contains("TEMP B-TREE FOR ORDER BY") })
        }
    }

    @Test
    func `NULL is at the beginning or at the end`() throws {
        try withDatabase(Self.table) { (db) throws in
            func condition(_ values: [(any DatabaseValueConvertible)?], _ order: [any SQLOrderingTerm]) throws -> String {
                let sql = try page(values, order).sql(db)
                return sql.dropFirst(#"SELECT * FROM "t" WHERE "#.count).text(before: " ORDER BY")
            }
            #expect(try condition([5, 1], [Self.n, Self.id]) == #"("n", "id") > (5, 1)"#)
            #expect(try condition([nil, 1], [Self.n, Self.id]) == #""n" IS NOT NULL OR "n" IS NULL AND "id" > 1"#)
            #expect(try condition([5, 1], [Self.n.desc, Self.id]) == #""n" < 5 OR "n" IS NULL OR "n" = 5 AND "id" > 1"#)
            #expect(try condition([nil, 1], [Self.n.desc, Self.id]) == #""n" IS NULL AND "id" > 1"#)
            #expect(try condition([nil, 1], [Self.n.ascNullsLast, Self.id]) == #""n" IS NULL AND "id" > 1"#)
            #expect(try condition([5, 1], [Self.n.descNullsFirst, Self.id.desc]) == #"("n", "id") < (5, 1)"#)
            // The order of NULL at the beginning keeps the index.
            let plan = try page([5, 1], [Self.n, Self.id]).limit(10).explainQueryPlan(db).details
            #expect(plan == ["SEARCH t USING INDEX nullable (n>?)"] || plan == ["SEARCH t USING INDEX nullable ((n,rowid)>(?,?))"])
        }
    }

    @Test
    func `The first page has the order alone`() throws {
        try withDatabase(Self.table) { (db) throws in
            #expect(try page(nil, [Self.a.desc]).sql(db) == #"SELECT * FROM "t" ORDER BY "a" DESC"#)
            #expect(try page([], [Self.a]).limit(1).sql(db) == #"SELECT * FROM "t" ORDER BY "a" LIMIT 1"#)
        }
        try withDatabase(Player.createTable) { (db) throws in
            let request = Player.all().page(after: [1000, 1]) { [$0.score.desc, $0.id] }.limit(1)
            #expect(try request.fetchAll(db).map(\.id) == [2])
            #expect(try Player.page(after: [2]) { [$0.id] }.fetchAll(db).map(\.id) == [3, 4])
        }
    }

    @Test
    func `Wrong pages are errors`() throws {
        try withDatabase(Self.table) { (db) throws in
            for request in [page([1], [Self.a, Self.id]), page([1, 2], [Self.a]), page([1], [SQL(sql: "a DESC")])] {
                let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
            }
        }
    }

    // MARK: - All pages

    @Test(arguments: 0..<40)
    func `All pages together are the whole list`(_ seed: Int) throws {
        try withDatabase(Self.table + "; CREATE INDEX na ON t (n DESC, a)") { (db) throws in
            var random = SeededGenerator(seed: UInt64(seed))
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                try db.execute(
                    sql: "INSERT INTO t (a, b, n) VALUES (?, ?, ?)",
                    arguments: [
                        Int.random(in: 0...3, using: &random), ["", "x", "Y", "é"].randomElement(using: &random),
                        Bool.random(using: &random) ? nil : Int.random(in: 0...3, using: &random),
                    ])
            }
            func term(_ column: Column) -> any SQLOrderingTerm {
                let terms: [any SQLOrderingTerm] = [column, column.asc, column.desc, column.ascNullsLast, column.descNullsFirst]
                return terms.randomElement(using: &random) ?? column
            }
            let others = [Self.a, Self.b, Self.n].shuffled(using: &random)
            let columns = others.prefix(Int.random(in: 0...3, using: &random)) + [Self.id]
            let order = columns.map { term($0) }
            let size = Int.random(in: 1...7, using: &random)
            let whole = try Table<Row>("t").order(order).fetchAll(db)
            var pages: [Row] = []
            var last: [(any DatabaseValueConvertible)?]?
            while true {
                let rows = try page(last, order).limit(size).fetchAll(db)
                pages += rows
                guard rows.count == size, let row = rows.last else { break }
                last = columns.map { row[$0] as DatabaseValue }
            }
            let sql = try page(last, order).sql(db)
            #expect(pages == whole, "\(sql)")
        }
    }
}

extension StringProtocol {
    fileprivate func text(before separator: String) -> String {
        var result = ""
        var rest = self[...]
        while !rest.isEmpty, !rest.hasPrefix(separator) { result.append(rest.removeFirst()) }
        return result
    }
}
