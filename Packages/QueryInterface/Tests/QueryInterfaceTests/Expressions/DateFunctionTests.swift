import Foundation
import QueryInterface
import Testing

private let day = Column("day")

@Suite struct DateFunctionTests {
    static let creation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, day DATETIME);
        INSERT INTO player VALUES (1, '2024-02-29 18:30:15.500'), (2, 'no date'), (3, NULL), (4, 2451545)
        """

    @Test(arguments: [
        ExpressionSample(dateTime(day), #"datetime("day")"#, ["2024-02-29 18:30:15", nil, nil, "2000-01-01 12:00:00"]),
        ExpressionSample(
            dateTime(day, .startOfMonth, .month(1), .day(-1)), #"datetime("day", 'start of month', '+1 months', '-1 days')"#,
            ["2024-02-29 00:00:00", nil, nil, "2000-01-31 00:00:00"]),
        ExpressionSample(
            dateTime(day, .unixEpoch), #"datetime("day", 'unixepoch')"#, [nil, nil, nil, "1970-01-29 08:59:05"]),
        ExpressionSample(
            dateTime("2024-02-29", .year(1)), "datetime('2024-02-29', '+1 years')", Array(repeating: "2025-03-01 00:00:00", count: 4)),
        ExpressionSample(
            dateTime("2024-02-29", .hour(-1), .minute(30), .second(1.5)),
            "datetime('2024-02-29', '-1 hours', '+30 minutes', '+1.5 seconds')", Array(repeating: "2024-02-28 23:30:01", count: 4)),
        ExpressionSample(
            dateTime("2024-02-29 12:00", .startOfDay, .second(-0.5)), "datetime('2024-02-29 12:00', 'start of day', '-0.5 seconds')",
            Array(repeating: "2024-02-28 23:59:59", count: 4)),
        ExpressionSample(
            date(day, .weekday(0), .startOfYear), #"date("day", 'weekday 0', 'start of year')"#,
            ["2024-01-01", nil, nil, "2000-01-01"]),
        ExpressionSample(date(day), #"date("day")"#, ["2024-02-29", nil, nil, "2000-01-01"]),
        ExpressionSample(time(day, .hour(6)), #"time("day", '+6 hours')"#, ["00:30:15", nil, nil, "18:00:00"]),
        ExpressionSample(
            julianDay(day) - julianDay("2000-01-01 00:00"), #"julianday("day") - julianday('2000-01-01 00:00')"#,
            [8825.771012731362, nil, nil, 0.5]),
        ExpressionSample(strftime("%Y/%m", day, .day(1)), #"strftime('%Y/%m', "day", '+1 days')"#, ["2024/03", nil, nil, "2000/01"]),
    ])
    func `Dates with modifiers`(sample: ExpressionSample) throws {
        try sample.check(createdBy: Self.creation)
    }

    @Test
    func `Local times are converted, and back to UTC`() throws {
        let sample = ExpressionSample(
            dateTime(day, .localTime, .utc), #"datetime("day", 'localtime', 'utc')"#, ["2024-02-29 18:30:15", nil, nil, nil])
        try withDatabase(Self.creation) { db throws in
            let (sql, values) = try evaluate(sample.expression, db)
            #expect(sql == sample.sql)
            #expect(values.prefix(3) == sample.values.prefix(3))
        }
    }

    @Test
    func `Modifiers are expressions`() throws {
        try withDatabase(Self.creation) { db throws in
            let request = SQLRequest<String>("SELECT date(\(day), \(SQLDateModifier.year(-24))) FROM player WHERE id = 1")
            #expect(try request.fetchOne(db) == "2000-02-29")
        }
    }
}
