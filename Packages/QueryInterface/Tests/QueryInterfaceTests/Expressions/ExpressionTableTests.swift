import QueryInterface
import Testing

private let id = Column("id")
private let name = Column("name")
private let team = Column("team")
private let score = Column("score")
private let bonus = Column("bonus")
private let flags = Column("flags")
private let day = Column("day")
private let info = JSONColumn("info")
private let teams = SQLRequest<String>("SELECT name FROM team WHERE color = 'red'")

/// The README's table of expressions, row by row.
@Suite struct ExpressionTableTests {
    @Test(arguments: [
        ExpressionSample(score + bonus * 2, #""score" + "bonus" * 2"#, [30]),
        ExpressionSample((score + bonus) % 7, #"("score" + "bonus") % 7"#, [6]),
        ExpressionSample((flags & 4) != 0, #""flags" & 4 <> 0"#, [1]),
        ExpressionSample(score ?? 0, #"ifnull("score", 0)"#, [10]),
        ExpressionSample(score === bonus, #""score" IS "bonus""#, [1]),
        ExpressionSample([name, " of ", team].joined(operator: .concat), #""name" || ' of ' || "team""#, ["Arthur of Reds"]),
        ExpressionSample((1...10).contains(score), #""score" BETWEEN 1 AND 10"#, [1]),
        ExpressionSample((1..<10).contains(score), #""score" >= 1 AND "score" < 10"#, [0]),
        ExpressionSample(!["Reds", "Blues"].contains(team), #""team" NOT IN ('Reds', 'Blues')"#, [0]),
        ExpressionSample(teams.contains(team), #""team" IN (SELECT name FROM team WHERE color = 'red')"#, [1]),
        ExpressionSample(!teams.exists(), "NOT EXISTS (SELECT name FROM team WHERE color = 'red')", [0]),
        ExpressionSample(name.like("A%"), #""name" LIKE 'A%'"#, [1]),
        ExpressionSample(name.collating(.nocase) == "arthur", #""name" COLLATE NOCASE = 'arthur'"#, [1]),
        ExpressionSample(name.lowercased, #"swiftLowercaseString("name")"#, ["arthur"]),
        ExpressionSample(cast(score, as: .real) / 3, #"CAST("score" AS REAL) / 3"#, [10.0 / 3]),
        ExpressionSample(
            Case(when: score > 5, then: "high").else("low"), #"CASE WHEN "score" > 5 THEN 'high' ELSE 'low' END"#, ["high"]),
        ExpressionSample(dateTime(day, .startOfMonth), #"datetime("day", 'start of month')"#, ["2024-02-01 00:00:00"]),
        ExpressionSample(sum(score, filter: bonus > 0), #"sum("score") FILTER (WHERE "bonus" > 0)"#, [10]),
        ExpressionSample(count(distinct: team), #"count(DISTINCT "team")"#, [1]),
        ExpressionSample(info["country"], #""info" ->> 'country'"#, ["France"]),
        ExpressionSample(
            Database.jsonArray([name.sqlExpression, info.sqlExpression]), #"json_array("name", json("info"))"#,
            [#"["Arthur",{"country":"France"}]"#]),
        ExpressionSample(
            rank().over(partitionBy: team, orderBy: score.desc), #"rank() OVER (PARTITION BY "team" ORDER BY "score" DESC)"#, [1]),
        ExpressionSample(
            sum(score).over(orderBy: day, frame: .rows(from: .preceding(6))),
            #"sum("score") OVER (ORDER BY "day" ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)"#, [10]),
        ExpressionSample(SQL("score + \(1)") > 5, "(score + 1) > 5", [1]),
    ])
    func `The README's table of expressions`(sample: ExpressionSample) throws {
        try sample.check(
            createdBy: """
                CREATE TABLE team (name TEXT, color TEXT);
                INSERT INTO team VALUES ('Reds', 'red');
                CREATE TABLE player (
                    id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER, bonus INTEGER, flags INTEGER, day DATETIME, info TEXT);
                INSERT INTO player VALUES (1, 'Arthur', 'Reds', 10, 10, 6, '2024-02-29', '{"country":"France"}')
                """)
    }
}
