import Dumps
import Foundation
import Testing

@Suite struct DumpedColumnTests {
    private static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    private func dump(_ sql: String, _ format: some DumpFormat) throws -> String {
        var output = ""
        try DatabaseQueue().write { db in
            try db.execute(
                sql:
                    "CREATE TABLE payment (id, created, changed, amount); INSERT INTO payment VALUES (?, ?, ?, ?), (?, ?, ?, ?), (NULL, NULL, NULL, NULL)",
                arguments: [
                    Self.uuid, "2026-11-23 08:30:00.000", 1_795_422_600_250, 1250, Self.uuid.uuidString.lowercased(), 1_795_422_600, 0, -5,
                ])
            try db.dumpSQL(SQL(sql: sql), format: format, to: &output)
        }
        return output
    }

    private static let columns: [String: DumpedColumn] = [
        "ID": .uuid, "created": .date, "changed": .dateInMilliseconds, "amount": .fixedPoint(digits: 2),
    ]

    @Test
    func `CSV and JSON for customers have UUIDs, dates and amounts as text`() throws {
        let all = "SELECT id, created, changed, amount FROM payment"
        try #expect(
            dump(all, .csv(columns: Self.columns)) == """
                id,created,changed,amount\r
                E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T08:30:00Z,2026-11-23T08:30:00.250Z,12.50\r
                E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T08:30:00Z,1970-01-01T00:00:00Z,-0.05\r
                ,,,\r

                """)
        try #expect(
            dump(all + " LIMIT 1", .jsonLines(columns: Self.columns)) == """
                {"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","created":"2026-11-23T08:30:00Z",\
                "changed":"2026-11-23T08:30:00.250Z","amount":"12.50"}

                """)
        try #expect(
            dump(
                "SELECT id, amount, amount AS stored FROM payment ORDER BY rowid DESC LIMIT 2",
                .json(columns: ["id": .uuid, "amount": .fixedPoint(digits: 0)]))
                    == """
                    [{"id":null,"amount":null,"stored":null},
                    {"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","amount":"-5","stored":-5}]

                    """)
        // The fields of other columns are as before, and texts with a separator are quoted.
        let words = DumpedColumn.text { "\($0.description),\"" }
        try #expect(
            dump("SELECT 1 AS a, '1' AS b, x'00' AS c", .csv(header: false, columns: ["a": words])) == "\"1,\"\"\",\"1\",X'00'\r\n")
    }

    @Test(arguments: [
        ("'x'", DumpedColumn.uuid, "a UUID"), ("x'00'", .uuid, "a UUID"), ("'tomorrow'", .date, "a date"), ("1e300", .date, "a date"),
        ("'x'", .dateInMilliseconds, "a number of milliseconds"), ("1.5", .fixedPoint(digits: 2), "an integer"),
        ("'5'", .fixedPoint(digits: 2), "an integer"), ("1", .text { _ in nil }, "a value that the format accepts"),
    ])
    func `A value of another kind is an error, not a customer's surprise`(_ value: String, _ column: DumpedColumn, _ kind: String) throws {
        for format: any DumpFormat in [CSVDumpFormat(columns: ["v": column]), JSONDumpFormat(columns: ["v": column])] {
            let error = try #require(throws: DatabaseError.self) { try dump("SELECT \(value) AS v", format) }
            #expect(error.resultCode == .SQLITE_MISMATCH)
            #expect(error.message?.hasPrefix("the column \"v\" is dumped as \(kind), but has another value: ") == true)
        }
    }

    @Test
    func `A missing column is an error`() throws {
        for format: any DumpFormat in [CSVDumpFormat(columns: ["x": .uuid]), JSONLinesDumpFormat(columns: ["x": .uuid])] {
            let error = try #require(throws: DatabaseError.self) { try dump("SELECT id FROM payment", format) }
            #expect(error.message == "the dump has no column \"x\"")
            #expect(error.advice == "The columns are id.")
        }
    }

    @Test(arguments: [
        (0, 2, "0.00"), (1, 1, "0.1"), (-1, 3, "-0.001"), (Int64.min, 2, "-92233720368547758.08"), (Int64.max, 18, "9.223372036854775807"),
    ])
    func `Integers become fixed-point numbers`(_ number: Int64, _ digits: Int, _ text: String) throws {
        try #expect(dump("SELECT \(number) AS v", .csv(header: false, columns: ["v": .fixedPoint(digits: digits)])) == text + "\r\n")
    }
}
