import Foundation
import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score
private let best = Player.Columns.best

@Suite struct FunctionTests {
    @Test(arguments: [
        ExpressionSample(abs(-id), #"abs(-"id")"#, [1, 2, 3, 4]),
        ExpressionSample(length(name), #"length("name")"#, [6, 7, 5, 5]),
        ExpressionSample(max(id, 2), #"max("id", 2)"#, [2, 2, 3, 4]),
        ExpressionSample(max(score, best), #"max("score", "best")"#, [1000, 1200, nil, nil]),
        ExpressionSample(max(id, 2, score ?? 0, 5), #"max("id", 2, ifnull("score", 0), 5)"#, [1000, 750, 5, 5]),
        ExpressionSample(min(id, 2), #"min("id", 2)"#, [1, 2, 2, 2]),
        ExpressionSample(min(id, 2, 3), #"min("id", 2, 3)"#, [1, 2, 2, 2]),
        ExpressionSample((id / 3.0).rounded(), #"round("id" / 3.0)"#, [0.0, 1.0, 1.0, 1.0]),
        ExpressionSample((id / 4.0).rounded(toDigits: 1), #"round("id" / 4.0, 1)"#, [0.3, 0.5, 0.8, 1.0]),
        ExpressionSample(score.storageClass, #"typeof("score")"#, ["integer", "integer", "null", "integer"]),
        ExpressionSample(cast(score, as: .text), #"CAST("score" AS TEXT)"#, ["1000", "750", nil, "0"]),
        ExpressionSample(cast(score, as: .real) / 4, #"CAST("score" AS REAL) / 4"#, [250.0, 187.5, nil, 0.0]),
        ExpressionSample(cast("12 players", as: .integer) + id, #"CAST('12 players' AS INTEGER) + "id""#, [13, 14, 15, 16]),
        ExpressionSample(cast(id > 1 || score > 1, as: .text), #"CAST("id" > 1 OR "score" > 1 AS TEXT)"#, ["1", "1", "1", "1"]),
    ])
    func `Functions on the values of a row`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(name.like("%r%"), #""name" LIKE '%r%'"#, [1, 1, 1, 0]),
        ExpressionSample(name.like("a%"), #""name" LIKE 'a%'"#, [1, 0, 0, 0]),
        ExpressionSample(!name.like("a%"), #""name" NOT LIKE 'a%'"#, [0, 1, 1, 1]),
        ExpressionSample(!(!name.like("a%")), #""name" LIKE 'a%'"#, [1, 0, 0, 0]),
        ExpressionSample(name.like("\\%", escape: "\\"), #""name" LIKE '\%' ESCAPE '\'"#, [0, 0, 0, 0]),
        ExpressionSample(!name.like("x%a%", escape: "x"), #""name" NOT LIKE 'x%a%' ESCAPE 'x'"#, [1, 1, 1, 1]),
        ExpressionSample(name.like(name), #""name" LIKE "name""#, [1, 1, 1, 1]),
        ExpressionSample(name.glob("A*"), #""name" GLOB 'A*'"#, [1, 0, 0, 0]),
        ExpressionSample(!name.glob("[A-C]*"), #""name" NOT GLOB '[A-C]*'"#, [0, 0, 0, 1]),
        ExpressionSample(
            name.like([name, "%"].joined(operator: .concat)) == true, #"("name" LIKE "name" || '%') = 1"#, [1, 1, 1, 1]),
        ExpressionSample(name.like(id > 1), #""name" LIKE ("id" > 1)"#, [0, 0, 0, 0]),
        ExpressionSample((id > 1).like("1"), #""id" > 1 LIKE '1'"#, [0, 1, 1, 1]),
        ExpressionSample((id == 1).like("1"), #"("id" = 1) LIKE '1'"#, [1, 0, 0, 0]),
    ])
    func `LIKE and GLOB`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(name.collating(.nocase) == "arthur", #""name" COLLATE NOCASE = 'arthur'"#, [1, 0, 0, 0]),
        ExpressionSample(name.collating(.rtrim) == "Craig  ", #""name" COLLATE RTRIM = 'Craig  '"#, [0, 0, 1, 0]),
        ExpressionSample(
            name.collating(Database.CollationName(rawValue: "nocase")) == "craig", #""name" COLLATE "nocase" = 'craig'"#,
            [0, 0, 1, 0]),
        ExpressionSample(
            name.collating(.caseInsensitiveCompare) == "ARTHUR",
            #""name" COLLATE "swiftCaseInsensitiveCompare" = 'ARTHUR'"#, [1, 0, 0, 0]),
        ExpressionSample(
            name.collating(.unicodeCompare) < "B", #""name" COLLATE "swiftCompare" < 'B'"#, [1, 0, 0, 0]),
        ExpressionSample(
            [name, "!"].joined(operator: .concat).collating(.nocase) == "craig!",
            #"("name" || '!') COLLATE NOCASE = 'craig!'"#, [0, 0, 1, 0]),
        ExpressionSample(-(id.collating(.nocase)), #"-("id" COLLATE NOCASE)"#, [-1, -2, -3, -4]),
        ExpressionSample((-id).collating(.nocase), #"-"id" COLLATE NOCASE"#, [-1, -2, -3, -4]),
    ])
    func `The SQL of collations`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(name.uppercased, #"swiftUppercaseString("name")"#, ["ARTHUR", "BARBARA", "CRAIG", "DAVID"]),
        ExpressionSample(name.lowercased == "craig", #"swiftLowercaseString("name") = 'craig'"#, [0, 0, 1, 0]),
        ExpressionSample(
            name.uppercased.capitalized, #"swiftCapitalizedString(swiftUppercaseString("name"))"#,
            ["Arthur", "Barbara", "Craig", "David"]),
        ExpressionSample(SQL("'ÉÀ'").lowercased, #"swiftLowercaseString('ÉÀ')"#, ["éà", "éà", "éà", "éà"]),
        ExpressionSample(
            name.localizedUppercased, #"swiftLocalizedUppercaseString("name")"#, ["ARTHUR", "BARBARA", "CRAIG", "DAVID"]),
        ExpressionSample(
            name.localizedLowercased, #"swiftLocalizedLowercaseString("name")"#, ["arthur", "barbara", "craig", "david"]),
        ExpressionSample(
            name.localizedLowercased.localizedCapitalized,
            #"swiftLocalizedCapitalizedString(swiftLocalizedLowercaseString("name"))"#,
            ["Arthur", "Barbara", "Craig", "David"]),
        ExpressionSample(score.uppercased, #"swiftUppercaseString("score")"#, [nil, nil, nil, nil]),
        ExpressionSample(name.asciiUppercased, #"upper("name")"#, ["ARTHUR", "BARBARA", "CRAIG", "DAVID"]),
        ExpressionSample(name.asciiLowercased, #"lower("name")"#, ["arthur", "barbara", "craig", "david"]),
    ])
    func `Uppercase and lowercase`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A function of the package may have been added by the user, and another statement may be running`() throws {
        try withDatabase(Player.createTable) { db throws in
            db.add(function: .uppercase)
            db.add(collation: .unicodeCompare)
            let cursor = try Row.fetchCursor(
                db, sql: "SELECT swiftUppercaseString(name) FROM player ORDER BY name COLLATE swiftCompare")
            _ = try cursor.next()
            #expect(try evaluate(name.uppercased, db).values[0] == "ARTHUR".databaseValue)
            #expect(try evaluate(name.collating(.unicodeCompare) == "Craig", db).values[2] == 1.databaseValue)
            #expect(try cursor.next() != nil)
        }
    }

    @Test
    func `The readers of a pool all know the functions of the package`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path + "/db.sqlite")
        try pool.write { try $0.execute(sql: Player.createTable) }
        let request = Player.filter(name.lowercased == "craig")
        #expect(try pool.write { try request.fetchAll($0).count } == 1)
        #expect(try pool.read { try request.fetchAll($0).count } == 1)
        #expect(try pool.read { db in try request.fetchAll(db).count } == 1)
    }

    @Test(arguments: [
        ExpressionSample(SQL("'  a '").trimmed, "trim('  a ')", ["a", "a", "a", "a"]),
        ExpressionSample(name.trimming("ADd"), #"trim("name", 'ADd')"#, ["rthur", "Barbara", "Craig", "avi"]),
        ExpressionSample(name.replacing("a", with: "-"), #"replace("name", 'a', '-')"#, ["Arthur", "B-rb-r-", "Cr-ig", "D-vid"]),
        ExpressionSample(name.substring(from: 2), #"substr("name", 2)"#, ["rthur", "arbara", "raig", "avid"]),
        ExpressionSample(name.substring(from: -3, length: 2), #"substr("name", -3, 2)"#, ["hu", "ar", "ai", "vi"]),
        ExpressionSample(name.position(of: "r"), #"instr("name", 'r')"#, [2, 3, 2, 0]),
    ])
    func `Parts of texts`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(
            Case(when: score > 800, then: "high").when(score > 500, then: "middle").else("low"),
            #"CASE WHEN "score" > 800 THEN 'high' WHEN "score" > 500 THEN 'middle' ELSE 'low' END"#,
            ["high", "middle", "low", "low"]),
        ExpressionSample(Case(when: score > 800, then: 1), #"CASE WHEN "score" > 800 THEN 1 END"#, [1, nil, nil, nil]),
        ExpressionSample(
            Case(name, when: "Arthur", then: 1).when("Craig", then: id * 10).else(nil),
            #"CASE "name" WHEN 'Arthur' THEN 1 WHEN 'Craig' THEN "id" * 10 ELSE NULL END"#, [1, nil, 30, nil]),
        ExpressionSample(
            Case(score, when: Int?.none, then: "never").else("always"),
            #"CASE "score" WHEN NULL THEN 'never' ELSE 'always' END"#, ["always", "always", "always", "always"]),
        ExpressionSample(
            Case(when: id == 1 || id == 2, then: nil).else(id > 3 && score == 0) == true,
            #"CASE WHEN "id" = 1 OR "id" = 2 THEN NULL ELSE "id" > 3 AND "score" = 0 END = 1"#, [nil, nil, 0, 1]),
        ExpressionSample(Case(when: id > 2, then: 1) + 1, #"CASE WHEN "id" > 2 THEN 1 END + 1"#, [nil, nil, 2, 2]),
    ])
    func `The SQL of CASE`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A Case is a value: completing it does not change it`() throws {
        let start = Case(name, when: "Arthur", then: 1)
        try ExpressionSample(start.else(2), #"CASE "name" WHEN 'Arthur' THEN 1 ELSE 2 END"#, [1, 2, 2, 2]).check()
        try ExpressionSample(start.else(3), #"CASE "name" WHEN 'Arthur' THEN 1 ELSE 3 END"#, [1, 3, 3, 3]).check()
    }

    @Test(arguments: [
        ExpressionSample(SQL("id") == 1, "(id) = 1", [1, 0, 0, 0]),
        ExpressionSample(SQL("id = 1 OR id = 2") && score > 800, #"(id = 1 OR id = 2) AND "score" > 800"#, [1, 0, 0, 0]),
        ExpressionSample(!SQL("id = 1 OR id = 2"), "NOT (id = 1 OR id = 2)", [0, 0, 1, 1]),
        ExpressionSample(abs(SQL("id - \(5)")), "abs(id - 5)", [4, 3, 2, 1]),
        ExpressionSample([2, 3].contains(SQL("id + 1")), "(id + 1) IN (2, 3)", [1, 1, 0, 0]),
        ExpressionSample((2...3).contains(SQL("id")), "(id) BETWEEN 2 AND 3", [0, 1, 1, 0]),
        ExpressionSample(id + SQL("1 + 1"), #""id" + (1 + 1)"#, [3, 4, 5, 6]),
    ])
    func `SQL can be used wherever an expression can`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `Custom functions are called by their quoted names`() throws {
        let initials = DatabaseFunction("first \"letters\"", argumentCount: 2, pure: true) { values in
            guard case .string(let text) = values[0].storage, case .int64(let count) = values[1].storage else { return nil }
            return String(text.prefix(Int(count)))
        }
        let one = DatabaseFunction("select", argumentCount: 0) { _ in 1 }
        try withDatabase(Player.createTable) { db throws in
            #expect(throws: DatabaseError.self) { try evaluate(initials(name, 2), db) }
            db.add(function: initials)
            db.add(function: one)
            let (sql, values) = try evaluate(initials(name, 2) == "Cr", db)
            #expect(sql == #""first ""letters"""("name", 2) = 'Cr'"#)
            #expect(values == [0, 0, 1, 0].map(\.databaseValue))
            #expect(try evaluate(one() + id, db).sql == #""select"() + "id""#)
            #expect(try evaluate(one() + id, db).values == [2, 3, 4, 5].map(\.databaseValue))
        }
    }

    @Test
    func `Custom collations must be added to the connection`() throws {
        let byLength = DatabaseCollation("by \"length\"") { lhs, rhs in
            lhs.count < rhs.count ? .ascending : lhs.count == rhs.count ? .same : .descending
        }
        try withDatabase(Player.createTable) { db throws in
            #expect(throws: DatabaseError.self) { try evaluate(name.collating(byLength) == "12345", db) }
            db.add(collation: byLength)
            let (sql, values) = try evaluate(name.collating(byLength) == "12345", db)
            #expect(sql == #""name" COLLATE "by ""length""" = '12345'"#)
            #expect(values == [0, 0, 1, 1].map(\.databaseValue))
        }
    }

    @Test
    func `Each row has a different random number`() throws {
        try withDatabase(Player.createTable) { db throws in
            let (sql, values) = try evaluate(SQLExpression.random, db)
            #expect(sql == "random()")
            #expect(Set(values).count == 4)
        }
    }

    @Test
    func `A selected expression can have an alias`() throws {
        enum CodingKeys: String, CodingKey { case total = "the \"total\"" }
        try withDatabase(Player.createTable) { db throws in
            let (sql, values) = try evaluate((id + 1).forKey(CodingKeys.total), db)
            #expect(sql == #""id" + 1 AS "the ""total""""#)
            #expect(values == [2, 3, 4, 5].map(\.databaseValue))
            let selection = (id > 1 || id == 0).forKey("x")
            #expect(try evaluate(selection, db).sql == #""id" > 1 OR "id" = 0 AS "x""#)
            #expect(try selection.columnCount(in: SQLRenderer(database: db)) == 1)
        }
    }

    @Test
    func `Orderings can be reversed`() throws {
        try withDatabase(Player.createTable) { db throws in
            func check(_ term: some SQLOrderingTerm, _ sql: String, _ ids: [Int64], _ reversed: String) throws {
                let request = Player.order(term)
                #expect(try request.sql(db) == #"SELECT * FROM "player" ORDER BY "# + sql)
                #expect(try request.fetchAll(db).map(\.id) == ids)
                let reverse = term.sqlOrdering.reversed
                #expect(try Player.order(reverse).sql(db) == #"SELECT * FROM "player" ORDER BY "# + reversed)
                #expect(try Player.order(reverse).fetchAll(db).map(\.id) == ids.reversed())
                #expect(try Player.order(reverse.reversed).fetchAll(db).map(\.id) == ids)
            }
            try check(score.asc, #""score" ASC"#, [3, 4, 2, 1], #""score" DESC"#)
            try check(score.desc, #""score" DESC"#, [1, 2, 4, 3], #""score" ASC"#)
            try check(score.ascNullsLast, #""score" ASC NULLS LAST"#, [4, 2, 1, 3], #""score" DESC NULLS FIRST"#)
            try check(score.descNullsFirst, #""score" DESC NULLS FIRST"#, [3, 1, 2, 4], #""score" ASC NULLS LAST"#)
            try check(-score, #"-"score""#, [3, 1, 2, 4], #"-"score" DESC"#)
            try check(
                name.collating(.localizedCompare).desc, #""name" COLLATE "swiftLocalizedCompare" DESC"#, [4, 3, 2, 1],
                #""name" COLLATE "swiftLocalizedCompare" ASC"#)
        }
    }
}
