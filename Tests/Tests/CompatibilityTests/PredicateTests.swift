import Strata
import Testing

@Suite("Conditions with values of all kinds")
struct PredicateTests {
    @Test
    func `Long conditions make the SQL that they say`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            try db.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY, a, b, c, name TEXT, info TEXT)")
            for shape in predicateShapes(Limits()) {
                let sql = try shape.request.makePreparedRequest(db).statement.expandedSQL
                #expect(sql == #"SELECT * FROM "sample" WHERE "# + shape.sql)
            }
            for shape in typedPredicateShapes(Limits()) {
                let sql = try shape.request.makePreparedRequest(db).statement.expandedSQL
                #expect(sql == #"SELECT * FROM "sample" WHERE "# + shape.sql)
            }
        }
    }

    private func condition(_ request: QueryInterfaceRequest<Sample>) throws -> String {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY, a, b, c, name TEXT, info TEXT)")
            let sql = try request.makePreparedRequest(db).statement.expandedSQL
            return String(sql.dropFirst(#"SELECT * FROM "sample" "#.count))
        }
    }

    @Test
    func `A Bool is an operand of AND, OR and NOT`() throws {
        let yes = true
        let no = false
        let a = Column("a")
        #expect(try condition(Sample.filter(a > 0 && true)) == #"WHERE "a" > 0 AND 1"#)
        #expect(try condition(Sample.filter(false || a > 0)) == #"WHERE 0 OR "a" > 0"#)
        #expect(try condition(Sample.filter { $0.a > 0 && yes || no }) == #"WHERE "a" > 0 AND 1 OR 0"#)
        #expect(try condition(Sample.filter { !(yes && $0.a == nil) }) == #"WHERE NOT (1 AND "a" IS NULL)"#)
        #expect(try condition(Sample.filter(true)) == "WHERE 1")
        #expect(try condition(Sample.filter { _ in no }) == "WHERE 0")
        #expect(try condition(Sample.filter { _ in yes && !no }) == "WHERE 1")
        let expression: SQLExpression = a > 1
        let combined: SQLExpression = expression && yes
        #expect(try condition(Sample.filter(combined)) == #"WHERE "a" > 1 AND 1"#)
        #expect(try condition(Sample.all().group(a).having(true)) == #"GROUP BY "a" HAVING 1"#)
        #expect(try condition(Sample.all().group(a).having(max(a) > 1 || no)) == #"GROUP BY "a" HAVING max("a") > 1 OR 0"#)
        #expect(try condition(Sample.all().group { $0.a }.having { _ in yes }) == #"GROUP BY "a" HAVING 1"#)
        let value: any SQLExpressible = 2
        #expect(try condition(Sample.filter(value.sqlExpression && a > 1 || value.sqlExpression)) == #"WHERE 2 AND "a" > 1 OR 2"#)
    }

    @Test
    func `A comparison with nil is SQL beside a Bool, too`() throws {
        let yes = true
        #expect(try condition(Sample.filter { $0.a == nil && yes }) == #"WHERE "a" IS NULL AND 1"#)
        #expect(try condition(Sample.filter { yes && $0.a != nil }) == #"WHERE 1 AND "a" IS NOT NULL"#)
        #expect(try condition(Sample.filter { !($0.a == nil || yes) }) == #"WHERE NOT ("a" IS NULL OR 1)"#)
        #expect(try condition(Sample.filter(nil == Column("a") && yes && true)) == #"WHERE "a" IS NULL AND 1 AND 1"#)
        let condition = Column("a") == nil && yes
        let sql = try self.condition(Sample.filter(condition))
        #expect(sql == #"WHERE "a" IS NULL AND 1"#)
    }

    @Test
    func `A list may mix expressions, columns and values`() throws {
        #expect(try condition(Sample.filter([-Column("a"), Column("b"), 42].contains(Column("c")))) == #"WHERE "c" IN (-"a", "b", 42)"#)
        let values: [any DatabaseValueConvertible] = [1, "x"]
        #expect(try condition(Sample.filter(values.contains(Column("a")))) == #"WHERE "a" IN (1, 'x')"#)
        #expect(try condition(Sample.filter { ["x", $0.name].contains($0.a) }) == #"WHERE "a" IN ('x', "name")"#)
        #expect(try condition(Sample.filter { ![$0.b, $0.c * 2].contains($0.a) }) == #"WHERE "a" NOT IN ("b", "c" * 2)"#)
    }

    @Test
    func `A database value is an expression, a selection and an ordering term`() throws {
        let one = 1.databaseValue
        let text = "a".databaseValue
        #expect(try condition(Sample.filter(one)) == "WHERE 1")
        #expect(try condition(Sample.filter { one && $0.a == text }) == #"WHERE 1 AND "a" = 'a'"#)
        #expect(try condition(Sample.filter(text == "b")) == "WHERE 'a' = 'b'")
        #expect(try condition(Sample.filter(!one)) == "WHERE NOT 1")
        #expect(try condition(Sample.filter(one + 2 > 2 && abs(one) == 1)) == "WHERE 1 + 2 > 2 AND abs(1) = 1")
        #expect(try condition(Sample.filter(text.collating(.nocase) == "A")) == "WHERE 'a' COLLATE NOCASE = 'A'")
        #expect(try condition(Sample.filter(["a", "b"].contains(text))) == "WHERE 'a' IN ('a', 'b')")
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            try db.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY); INSERT INTO sample VALUES (1), (2)")
            let json = #"{"x":1}"#.databaseValue
            let row = try #require(
                try Sample.select(one, text.forKey("t"), json.asJSON["x"].forKey("x")).order(one.desc).asRequest(of: Row.self).fetchOne(db))
            #expect(Array(row.databaseValues) == [one, text, one])
            #expect(Array(row.columnNames.dropFirst()) == ["t", "x"])
        }
        // Swift's own comparisons of database values are unchanged.
        let isEqual = one == 1.databaseValue
        let isDifferent = one != text
        let isContained = [one, text].contains(one)
        #expect(isEqual && isDifferent && isContained)
    }
}
