import Foundation
import QueryInterface
import Testing

/// Predicates as users write them in closures, with operands of many types on either side. This file also tests that they compile, and
/// fast.
@Suite struct ExpressionTypeCheckingTests {
    struct Columns: Sendable {
        let id = Column("id")
        let name = Column("name")
        let score = Column("score")
        let bonus = Column("bonus")
        let flag = Column("flag")
        let day = Column("day")
        let key = Column("key")
        let data = Column("data")
        let color = Column("color")
        let info = JSONColumn("info")
    }

    enum Color: String, DatabaseValueConvertible { case red, blue }

    static let creation = """
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT, score INTEGER, bonus INTEGER, flag BOOLEAN, day DATETIME, key BLOB, data BLOB,
            color TEXT, info TEXT);
        INSERT INTO player VALUES
            (1, 'x', 10, 5, 1, '2024-02-29 00:00:00.000', x'00112233445566778899aabbccddeeff', x'01', 'red', '{"a":1}'),
            (2, 'y', 10, 5, 0, NULL, NULL, NULL, NULL, NULL);
        """

    private func check(
        _ sql: String, _ values: [Bool?], sourceLocation: SourceLocation = #_sourceLocation,
        _ predicate: (Columns) -> SQLExpression
    ) throws {
        try ExpressionSample(predicate(Columns()), sql, values)
            .check(createdBy: Self.creation, sourceLocation: sourceLocation)
    }

    @Test
    func `Long predicates`() throws {
        try check(#""name" = 'x' AND "score" + "bonus" > 10 OR NOT "flag""#, [true, true]) {
            $0.name == "x" && $0.score + $0.bonus > 10 || !$0.flag
        }
        try check(#""score" * 2 - "bonus" / 5 + 1 >= 20 AND ("name" <> 'x' OR "flag" = 1) AND "day" IS NOT NULL"#, [true, false]) {
            $0.score * 2 - $0.bonus / 5 + 1 >= 20 && ($0.name != "x" || $0.flag == true) && $0.day != nil
        }
        try check(
            #""id" IN (1, 2) AND "score" BETWEEN 1 AND 10 AND "name" LIKE 'x%' AND length("name") = 1 AND "flag""#, [true, false]
        ) {
            [1, 2].contains($0.id) && (1...10).contains($0.score) && $0.name.like("x%") && length($0.name) == 1 && $0.flag
        }
        try check(#"-"score" + 2 * ("bonus" - 1) < 10.5 - "id" AND NOT ("flag" AND ifnull("score", 0) > 3)"#, [false, true]) {
            -$0.score + 2 * ($0.bonus - 1) < 10.5 - $0.id && !($0.flag && $0.score ?? 0 > 3)
        }
        try check(#""info" ->> 'a' = 1 AND "info" IS NOT NULL AND 1 = "info" ->> 'a'"#, [true, false]) {
            $0.info["a"] == 1 && $0.info != nil && 1 == $0.info["a"]
        }
    }

    @Test
    func `Dates, data, identifiers and enumerations on either side`() throws {
        let date = Date(timeIntervalSince1970: 1_709_164_800)
        let uuid = UUID(uuid: (0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF))
        let data = Data([1])
        let noDate: Date? = nil
        let someDate: Date? = date
        let noColor: Color? = nil
        let color = Color.red
        try check(#""day" = '2024-02-29 00:00:00.000' AND '2024-02-29 00:00:00.000' <= "day""#, [true, nil]) {
            $0.day == date && date <= $0.day
        }
        try check(#""day" IS NULL OR "day" = '2024-02-29 00:00:00.000' AND "day" >= '2024-02-29 00:00:00.000'"#, [true, true]) {
            $0.day == noDate || $0.day == someDate && $0.day >= someDate
        }
        try check(#""key" = x'00112233445566778899aabbccddeeff' AND x'01' = "data" AND "data" <> zeroblob(0)"#, [true, nil]) {
            $0.key == uuid && data == $0.data && $0.data != Data()
        }
        try check(#""color" = 'red' AND 'blue' <> "color" AND "color" IS NOT NULL AND "color" IN ('red', 'blue')"#, [true, false]) {
            $0.color == Color.red && Color.blue != $0.color && $0.color != noColor && [Color.red, .blue].contains($0.color)
        }
        try check(#""color" = 'red' OR "color" IS NULL OR "color" IS 'red'"#, [true, true]) {
            $0.color == color || $0.color == noColor || $0.color === color
        }
        try check(#"CASE "color" WHEN 'red' THEN 1 ELSE 0 END = 1"#, [true, false]) {
            Case($0.color, when: color, then: true).else(false) == true
        }
    }

    @Test
    func `nil can be on either side, and in chains`() throws {
        try check(#""day" IS NULL AND "key" IS NULL AND "data" IS NULL OR "flag" IS NOT NULL"#, [true, true]) {
            $0.day == nil && nil == $0.key && $0.data === nil || nil != $0.flag
        }
        try check(#""score" + "bonus" IS NOT NULL AND "day" IS NOT NULL"#, [true, false]) {
            !($0.score + $0.bonus == nil) && !($0.day == nil)
        }
    }

    @Test
    func `Expressions of any type`() throws {
        let column: any SQLSpecificExpressible = Column("score")
        let value: any SQLExpressible = 10
        let values: [any DatabaseValueConvertible] = [10, "x"]
        try check(#""score" = 10 AND "score" + 1 > 10 AND "score" = 10"#, [true, true]) { _ in
            column == value && column + 1 > value && column == values[0]
        }
    }
}
