import QueryInterface
import Testing

/// An expression, its SQL, and the ids of the players for which it is true.
private struct Sample: Sendable, CustomTestStringConvertible {
    let expression: SQLExpression
    let sql: String
    let ids: [Int64]

    init(_ expression: SQLExpression, _ sql: String, _ ids: [Int64]) {
        self.expression = expression
        self.sql = sql
        self.ids = ids
    }

    var testDescription: String { sql }
}

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score
private let best = Player.Columns.best
private let noNumber: Int? = nil
private let someNumber: Int? = 750

@Suite struct OperatorTests {
    private func check(_ sample: Sample, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(sample.expression).order(id)
            let sql = #"SELECT * FROM "player" WHERE \#(sample.sql) ORDER BY "id""#
            #expect(try request.sql(db) == sql, sourceLocation: sourceLocation)
            #expect(try request.fetchAll(db).map(\.id) == sample.ids, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [
        Sample(score == 750, #""score" = 750"#, [2]),
        Sample(750 == score, #"750 = "score""#, [2]),
        Sample(score == best, #""score" = "best""#, [1]),
        Sample(score != 750, #""score" <> 750"#, [1, 4]),
        Sample(750 != score, #"750 <> "score""#, [1, 4]),
        Sample(score != best, #""score" <> "best""#, [2]),
        Sample(score < 750, #""score" < 750"#, [4]),
        Sample(750 < score, #"750 < "score""#, [1]),
        Sample(score < best, #""score" < "best""#, [2]),
        Sample(score <= 750, #""score" <= 750"#, [2, 4]),
        Sample(750 <= score, #"750 <= "score""#, [1, 2]),
        Sample(score <= best, #""score" <= "best""#, [1, 2]),
        Sample(score > 750, #""score" > 750"#, [1]),
        Sample(750 > score, #"750 > "score""#, [4]),
        Sample(score > best, #""score" > "best""#, []),
        Sample(score >= 750, #""score" >= 750"#, [1, 2]),
        Sample(750 >= score, #"750 >= "score""#, [2, 4]),
        Sample(score >= best, #""score" >= "best""#, [1]),
        Sample(name == "Craig", #""name" = 'Craig'"#, [3]),
        Sample(name == "O'Hara", #""name" = 'O''Hara'"#, []),
        Sample(score == 750.5, #""score" = 750.5"#, []),
        Sample(score == true, #""score" = 1"#, []),
    ])
    fileprivate func `The SQL of comparisons`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample(score == nil, #""score" IS NULL"#, [3]),
        Sample(nil == score, #""score" IS NULL"#, [3]),
        Sample(score != nil, #""score" IS NOT NULL"#, [1, 2, 4]),
        Sample(nil != score, #""score" IS NOT NULL"#, [1, 2, 4]),
        Sample(score == noNumber, #""score" IS NULL"#, [3]),
        Sample(noNumber == score, #""score" IS NULL"#, [3]),
        Sample(score != noNumber, #""score" IS NOT NULL"#, [1, 2, 4]),
        Sample(score == someNumber, #""score" = 750"#, [2]),
        Sample(score != someNumber, #""score" <> 750"#, [1, 4]),
        Sample(score == DatabaseValue.null, #""score" IS NULL"#, [3]),
        Sample(score > noNumber, #""score" > NULL"#, []),
        Sample((score > 100) == nil, #""score" > 100 IS NULL"#, [3]),
        Sample((score == best) == nil, #"("score" = "best") IS NULL"#, [3, 4]),
        Sample((score == nil) == true, #"("score" IS NULL) = 1"#, [3]),
    ])
    fileprivate func `Comparisons with nil`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample(!(score == 750), #""score" <> 750"#, [1, 4]),
        Sample(!(score != 750), #""score" = 750"#, [2]),
        Sample(!(score == nil), #""score" IS NOT NULL"#, [1, 2, 4]),
        Sample(!(score != nil), #""score" IS NULL"#, [3]),
        Sample(!(score > 500), #"NOT "score" > 500"#, [4]),
        Sample(!score, #"NOT "score""#, [4]),
        Sample(!(!score), #"NOT (NOT "score")"#, [1, 2]),
        Sample(!(score > 500 && id < 2), #"NOT ("score" > 500 AND "id" < 2)"#, [2, 3, 4]),
        Sample(!(score > 500 || id == 4), #"NOT ("score" > 500 OR "id" = 4)"#, []),
        Sample(!(id == 1) && !(id > 3), #""id" <> 1 AND NOT "id" > 3"#, [2, 3]),
        Sample((!score) == true, #"(NOT "score") = 1"#, [4]),
        Sample(!([1, 2].contains(id)), #""id" NOT IN (1, 2)"#, [3, 4]),
        Sample(!(!([1, 2].contains(id))), #""id" IN (1, 2)"#, [1, 2]),
    ])
    fileprivate func `The SQL of NOT`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample(id > 1 && id < 4, #""id" > 1 AND "id" < 4"#, [2, 3]),
        Sample(id == 1 || id == 4, #""id" = 1 OR "id" = 4"#, [1, 4]),
        Sample(id == 1 || id > 2 && score == nil, #""id" = 1 OR "id" > 2 AND "score" IS NULL"#, [1, 3]),
        Sample((id == 1 || id > 2) && score != nil, #"("id" = 1 OR "id" > 2) AND "score" IS NOT NULL"#, [1, 4]),
        Sample(id > 0 && (id > 1 && id > 2), #""id" > 0 AND "id" > 1 AND "id" > 2"#, [3, 4]),
        Sample((id == 1 || id == 2) || id == 3, #""id" = 1 OR "id" = 2 OR "id" = 3"#, [1, 2, 3]),
        Sample(score && id, #""score" AND "id""#, [1, 2]),
    ])
    fileprivate func `AND and OR have parentheses only where necessary`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample((id == 1) == (score == 1000), #"("id" = 1) = ("score" = 1000)"#, [1, 2, 4]),
        Sample((id < 3) == (score > 500), #""id" < 3 = "score" > 500"#, [1, 2, 4]),
        Sample((id < 3) < (score > 500), #"("id" < 3) < ("score" > 500)"#, []),
        Sample((id < 3 || id == 4) == true, #"("id" < 3 OR "id" = 4) = 1"#, [1, 2, 4]),
        Sample(([1, 2].contains(id)) == true, #"("id" IN (1, 2)) = 1"#, [1, 2]),
    ])
    fileprivate func `Comparisons of comparisons`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample([1, 3].contains(id), #""id" IN (1, 3)"#, [1, 3]),
        Sample(["Craig", "David"].contains(name), #""name" IN ('Craig', 'David')"#, [3, 4]),
        Sample((2...3).reversed().contains(id), #""id" IN (3, 2)"#, [2, 3]),
        Sample(Set([4]).contains(id), #""id" IN (4)"#, [4]),
        Sample([1, 3].lazy.map { $0 + 1 }.contains(id), #""id" IN (2, 4)"#, [2, 4]),
        Sample([Int]().contains(id), #""id" IN ()"#, []),
        Sample(![Int]().contains(id), #""id" NOT IN ()"#, [1, 2, 3, 4]),
        Sample([score, best].contains(id), #""id" IN ("score", "best")"#, []),
        Sample([true].contains(score == nil), #"("score" IS NULL) IN (1)"#, [3]),
    ])
    fileprivate func `The SQL of IN`(sample: Sample) throws {
        try check(sample)
    }

    @Test
    func `Plain Swift values keep their own operators`() {
        let isEqual: Bool = 1 == 1
        let isNil: Bool = noNumber == nil
        let contains: Bool = [1, 2].contains(2)
        let negation: Bool = !false
        #expect(isEqual && isNil && contains && negation)
    }

    @Test
    func `A column can be created from a coding key`() throws {
        enum CodingKeys: String, CodingKey { case score, isBest = "best" }
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(Column(CodingKeys.isBest) > Column(CodingKeys.score))
            #expect(try request.sql(db) == #"SELECT * FROM "player" WHERE "best" > "score""#)
            #expect(try request.fetchAll(db).map(\.id) == [2])
        }
    }

    @Test
    func `The row ID is a column`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.filter(Column.rowID == 2).sql(db) == #"SELECT * FROM "player" WHERE "rowid" = 2"#)
            #expect(try Player.filter(Column.rowID == 2).fetchOne(db)?.name == "Barbara")
        }
    }
}
