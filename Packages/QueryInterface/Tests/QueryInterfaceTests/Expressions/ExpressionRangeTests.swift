import Foundation
import QueryInterface
import Testing

private let id = Player.Columns.id
private let name = Player.Columns.name
private let score = Player.Columns.score

@Suite struct ExpressionRangeTests {
    @Test(arguments: [
        ExpressionSample((2...3).contains(id), #""id" BETWEEN 2 AND 3"#, [0, 1, 1, 0]),
        ExpressionSample((2..<3).contains(id), #""id" >= 2 AND "id" < 3"#, [0, 1, 0, 0]),
        ExpressionSample((2...).contains(id), #""id" >= 2"#, [0, 1, 1, 1]),
        ExpressionSample((...2).contains(id), #""id" <= 2"#, [1, 1, 0, 0]),
        ExpressionSample((..<2).contains(id), #""id" < 2"#, [1, 0, 0, 0]),
        ExpressionSample((0.5...2.5).contains(id), #""id" BETWEEN 0.5 AND 2.5"#, [1, 1, 0, 0]),
        ExpressionSample(("B"..."Cz").contains(name), #""name" BETWEEN 'B' AND 'Cz'"#, [0, 1, 1, 0]),
        ExpressionSample(("B"..<"C").contains(name), #""name" >= 'B' AND "name" < 'C'"#, [0, 1, 0, 0]),
        ExpressionSample(("B"...).contains(name), #""name" >= 'B'"#, [0, 1, 1, 1]),
        ExpressionSample((2...2).contains(score), #""score" BETWEEN 2 AND 2"#, [0, 0, nil, 0]),
        ExpressionSample((-5 ... -1).contains(-id), #"-"id" BETWEEN -5 AND -1"#, [1, 1, 1, 1]),
        ExpressionSample(
            ("b"..."cz").contains(name.collating(.nocase)), #""name" COLLATE NOCASE BETWEEN 'b' AND 'cz'"#, [0, 1, 1, 0]),
    ])
    func `The SQL of ranges`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test(arguments: [
        ExpressionSample(!(2...3).contains(id), #""id" NOT BETWEEN 2 AND 3"#, [1, 0, 0, 1]),
        ExpressionSample(!(!(2...3).contains(id)), #""id" BETWEEN 2 AND 3"#, [0, 1, 1, 0]),
        ExpressionSample(!(2..<3).contains(id), #"NOT ("id" >= 2 AND "id" < 3)"#, [1, 0, 1, 1]),
        ExpressionSample((2...3).contains(id) && score == nil, #""id" BETWEEN 2 AND 3 AND "score" IS NULL"#, [0, 0, 1, 0]),
        ExpressionSample((2...3).contains(id) == true, #"("id" BETWEEN 2 AND 3) = 1"#, [0, 1, 1, 0]),
        ExpressionSample((1...1).contains(id > 1 && id < 4), #"("id" > 1 AND "id" < 4) BETWEEN 1 AND 1"#, [0, 1, 1, 0]),
        ExpressionSample((1...1).contains(id > 1), #""id" > 1 BETWEEN 1 AND 1"#, [0, 1, 1, 1]),
    ])
    func `Ranges in larger expressions`(sample: ExpressionSample) throws {
        try sample.check()
    }

    @Test
    func `A range of dates`() throws {
        let creation = """
            CREATE TABLE player (id INTEGER, day DATETIME);
            INSERT INTO player VALUES (1, '2024-01-01 00:00:00.000'), (2, '2024-06-01 00:00:00.000')
            """
        let start = Date(timeIntervalSince1970: 1_704_067_200)
        let sample = ExpressionSample(
            (start...start.addingTimeInterval(86400)).contains(Column("day")),
            #""day" BETWEEN '2024-01-01 00:00:00.000' AND '2024-01-02 00:00:00.000'"#, [1, 0])
        try sample.check(createdBy: creation)
    }
}
