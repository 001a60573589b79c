import QueryInterface
import Testing

private let id = Column("id")
private let team = Column("team")
private let score = Column("score")

@Suite struct WindowFunctionTests {
    static let creation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT, score INTEGER);
        INSERT INTO player VALUES (1, 'Reds', 10), (2, 'Reds', 30), (3, 'Blues', 20), (4, 'Blues', 20), (5, 'Blues', 5)
        """

    @Test(arguments: [
        ExpressionSample(rowNumber().over(), "row_number() OVER ()", [1, 2, 3, 4, 5]),
        ExpressionSample(
            rowNumber().over(partitionBy: team, orderBy: score.desc, id),
            #"row_number() OVER (PARTITION BY "team" ORDER BY "score" DESC, "id")"#, [2, 1, 1, 2, 3]),
        ExpressionSample(
            rowNumber().over(partitionBy: team, orderBy: [score.desc, id]),
            #"row_number() OVER (PARTITION BY "team" ORDER BY "score" DESC, "id")"#, [2, 1, 1, 2, 3]),
        ExpressionSample(
            rowNumber().over(partitionBy: [team, score], orderBy: id),
            #"row_number() OVER (PARTITION BY "team", "score" ORDER BY "id")"#, [1, 1, 1, 2, 1]),
        ExpressionSample(
            sum(score).over(orderBy: [id]), #"sum("score") OVER (ORDER BY "id")"#, [10, 40, 60, 80, 85]),
        ExpressionSample(
            sum(score).over(WindowDefinition(partitionBy: [team], orderBy: [score.desc, id.desc])),
            #"sum("score") OVER (PARTITION BY "team" ORDER BY "score" DESC, "id" DESC)"#, [40, 30, 40, 20, 45]),
        ExpressionSample(rank().over(orderBy: score.desc), #"rank() OVER (ORDER BY "score" DESC)"#, [4, 1, 2, 2, 5]),
        ExpressionSample(denseRank().over(orderBy: score.desc), #"dense_rank() OVER (ORDER BY "score" DESC)"#, [3, 1, 2, 2, 4]),
        ExpressionSample(percentRank().over(orderBy: score), #"percent_rank() OVER (ORDER BY "score")"#, [0.25, 1.0, 0.5, 0.5, 0.0]),
        ExpressionSample(cumeDist().over(orderBy: score), #"cume_dist() OVER (ORDER BY "score")"#, [0.4, 1.0, 0.8, 0.8, 0.2]),
        ExpressionSample(ntile(2).over(orderBy: id), #"ntile(2) OVER (ORDER BY "id")"#, [1, 1, 1, 2, 2]),
        ExpressionSample(lag(score).over(orderBy: id), #"lag("score", 1) OVER (ORDER BY "id")"#, [nil, 10, 30, 20, 20]),
        ExpressionSample(
            lag(score, by: 2, default: 0).over(orderBy: id), #"lag("score", 2, 0) OVER (ORDER BY "id")"#, [0, 0, 10, 30, 20]),
        ExpressionSample(lead(score).over(orderBy: id), #"lead("score", 1) OVER (ORDER BY "id")"#, [30, 20, 20, 5, nil]),
        ExpressionSample(
            lead(score, by: 1, default: -score).over(partitionBy: team, orderBy: id),
            #"lead("score", 1, -"score") OVER (PARTITION BY "team" ORDER BY "id")"#, [30, -30, 20, 5, -5]),
        ExpressionSample(
            firstValue(score).over(partitionBy: team, orderBy: id),
            #"first_value("score") OVER (PARTITION BY "team" ORDER BY "id")"#, [10, 10, 20, 20, 20]),
        ExpressionSample(
            lastValue(score).over(orderBy: id, frame: .rows(from: .currentRow, to: .unboundedFollowing)),
            #"last_value("score") OVER (ORDER BY "id" ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)"#, [5, 5, 5, 5, 5]),
        ExpressionSample(
            nthValue(score, 2).over(orderBy: id), #"nth_value("score", 2) OVER (ORDER BY "id")"#, [nil, 30, 30, 30, 30]),
        ExpressionSample(
            score - lag(score, default: score).over(orderBy: id), #""score" - lag("score", 1, "score") OVER (ORDER BY "id")"#,
            [0, 20, -10, 0, -15]),
    ])
    func `Window functions`(sample: ExpressionSample) throws {
        try sample.check(createdBy: Self.creation)
    }

    @Test(arguments: [
        ExpressionSample(sum(score).over(), #"sum("score") OVER ()"#, [85, 85, 85, 85, 85]),
        ExpressionSample(sum(score).over(partitionBy: team), #"sum("score") OVER (PARTITION BY "team")"#, [40, 40, 45, 45, 45]),
        ExpressionSample(sum(score).over(orderBy: id), #"sum("score") OVER (ORDER BY "id")"#, [10, 40, 60, 80, 85]),
        ExpressionSample(
            count(AllColumns(), filter: score > 15).over(partitionBy: team),
            #"count(*) FILTER (WHERE "score" > 15) OVER (PARTITION BY "team")"#, [1, 1, 2, 2, 2]),
        ExpressionSample(
            max(score).over(partitionBy: team) - score, #"max("score") OVER (PARTITION BY "team") - "score""#, [20, 0, 0, 0, 15]),
        ExpressionSample(
            groupConcat(id, separator: "-").over(orderBy: id.desc), #"group_concat("id", '-') OVER (ORDER BY "id" DESC)"#,
            ["5-4-3-2-1", "5-4-3-2", "5-4-3", "5-4", "5"]),
        ExpressionSample(
            Database.jsonGroupArray(id).over(orderBy: id), #"json_group_array("id") OVER (ORDER BY "id")"#,
            ["[1]", "[1,2]", "[1,2,3]", "[1,2,3,4]", "[1,2,3,4,5]"]),
        ExpressionSample(
            total(score).over(orderBy: score > 15, id % 2 == 0),
            #"total("score") OVER (ORDER BY "score" > 15, "id" % 2 = 0)"#, [15.0, 85.0, 35.0, 85.0, 15.0]),
    ])
    func `Aggregates over windows`(sample: ExpressionSample) throws {
        try sample.check(createdBy: Self.creation)
    }

    @Test(arguments: [
        ExpressionSample(
            sum(score).over(orderBy: id, frame: .rows(from: .preceding(1))),
            #"sum("score") OVER (ORDER BY "id" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"#, [10, 40, 50, 40, 25]),
        ExpressionSample(
            sum(score).over(orderBy: id, frame: .rows(from: .preceding(1), to: .following(1), excluding: .currentRow)),
            #"sum("score") OVER (ORDER BY "id" ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW)"#,
            [30, 30, 50, 25, 20]),
        ExpressionSample(
            sum(score).over(orderBy: score, frame: .range(from: .preceding(10), to: .following(5))),
            #"sum("score") OVER (ORDER BY "score" RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING)"#, [15, 70, 50, 50, 15]),
        ExpressionSample(
            sum(score).over(orderBy: score, frame: .range(from: .unboundedPreceding, excluding: .group)),
            #"sum("score") OVER (ORDER BY "score" RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP)"#,
            [5, 55, 15, 15, nil]),
        ExpressionSample(
            sum(score).over(orderBy: score, frame: .groups(from: .preceding(1), to: .currentRow, excluding: .ties)),
            #"sum("score") OVER (ORDER BY "score" GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)"#,
            [15, 70, 30, 30, 5]),
        ExpressionSample(
            count(id).over(frame: .rows(from: .following(1), to: .unboundedFollowing)),
            #"count("id") OVER (ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)"#, [4, 3, 2, 1, 0]),
        ExpressionSample(
            count(id).over(orderBy: id, frame: .rows(from: .preceding(1.sqlExpression + 1))),
            #"count("id") OVER (ORDER BY "id" ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW)"#, [1, 2, 3, 3, 3]),
        ExpressionSample(
            count(id).over(orderBy: id, frame: .rows(from: .preceding(SQL("1 OR 0")))),
            #"count("id") OVER (ORDER BY "id" ROWS BETWEEN (1 OR 0) PRECEDING AND CURRENT ROW)"#, [1, 2, 2, 2, 2]),
    ])
    func `The SQL of frames`(sample: ExpressionSample) throws {
        try sample.check(createdBy: Self.creation)
    }

    @Test
    func `Named windows, and windows based on them`() throws {
        try withDatabase(Self.creation) { db throws in
            let window = WindowDefinition(partitionBy: team)
            let ordered = WindowDefinition(basedOn: "by \"team\"", orderBy: score.desc, frame: .rows(from: .unboundedPreceding))
            var renderer = SQLRenderer(database: db)
            renderer.append("SELECT ")
            let functions = [
                count(id).over(windowNamed: "by \"team\""), rowNumber().over(ordered), rank().over(windowNamed: "by \"team\""),
            ]
            try renderer.append(functions, separator: ", ") { try $0.append($1) }
            renderer.append(" FROM player WINDOW ")
            renderer.append(identifier: "by \"team\"")
            renderer.append(" AS ")
            try window.render(to: &renderer)
            renderer.append(" ORDER BY id")
            #expect(
                renderer.sql == #"SELECT count("id") OVER "by ""team""", "#
                    + #"row_number() OVER ("by ""team""" ORDER BY "score" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), "#
                    + #"rank() OVER "by ""team""" FROM player WINDOW "by ""team""" AS (PARTITION BY "team") ORDER BY id"#)
            let rows = try Row.fetchAll(db, sql: renderer.sql)
            #expect(rows.map { $0[0] as Int } == [2, 2, 3, 3, 3])
            #expect(rows.map { $0[1] as Int } == [2, 1, 1, 2, 3])
            #expect(rows.map { $0[2] as Int } == [1, 1, 1, 1, 1])
        }
    }

    @Test(arguments: [id.sqlExpression, 1.sqlExpression, sum(id) + 1, abs(id) == 1]
    )
    func `over throws for expressions that can't have a window`(expression: SQLExpression) throws {
        try withDatabase(Self.creation) { db throws in
            let error = #expect(throws: DatabaseError.self) { try evaluate(expression.over(), in: "player", db) }
            #expect(error?.message == "only an aggregate function or a window function can have an OVER clause")
        }
    }

    @Test
    func `Aggregates of distinct values can't have a window`() throws {
        try withDatabase(Self.creation) { db throws in
            let error = #expect(throws: DatabaseError.self) { try evaluate(count(distinct: id).over(orderBy: id), db) }
            #expect(error?.message == "count(DISTINCT …) can't have an OVER clause")
        }
    }

    @Test
    func `Window functions can be selected, and can order rows`() throws {
        try withDatabase(Self.creation) { db throws in
            struct Player: TableRecord, FetchableRecord {
                let id: Int
                init(row: Row) throws { id = try row.decode(forKey: "id") }
            }
            let request = Player.order(rank().over(orderBy: score.desc), id.desc)
            #expect(try request.sql(db) == #"SELECT * FROM "player" ORDER BY rank() OVER (ORDER BY "score" DESC), "id" DESC"#)
            #expect(try request.fetchAll(db).map(\.id) == [2, 4, 3, 1, 5])
        }
    }
}
