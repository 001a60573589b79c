import Dumps
import Foundation
import Testing

@Suite("Columns that are converted when they are loaded")
struct LoadedColumnTests {
    /// The stored value of a text, as SQL; or the error.
    private func load(_ text: String, _ column: LoadedColumn, type: String = "", json: Bool = false) throws -> String {
        let queue = try DatabaseQueue()
        return try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id, v \(type))")
            let options = LoadOptions(columns: ["V": column])
            do {
                if json {
                    try db.load(.json(.text("{\"v\":\(text)}")), into: "t", options: options)
                } else {
                    try db.load(.csv(.text("id,v\n1,\(text)\n")), into: "t", options: options)
                }
            } catch let error as LoadError {
                #expect(error.column?.lowercased() == "v")
                return error.message
            }
            return try String.fetchOne(db, sql: "SELECT quote(v) FROM t") ?? ""
        }
    }

    @Test(arguments: [
        ("E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "X'E621E1F8C36C495A93FC0C247A3E6E5F'"),
        ("e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "X'E621E1F8C36C495A93FC0C247A3E6E5F'"), ("", "NULL"), ("abc", "the text is not a UUID"),
    ])
    func `UUIDs become 16 bytes`(_ text: String, _ value: String) throws {
        try #expect(load(text, .uuid) == value)
        if value.hasPrefix("X") { try #expect(load(text, .uuidText) == "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'") }
    }

    @Test(arguments: [
        ("2026-11-23T08:30:00Z", "'2026-11-23 08:30:00.000'", "1795422600", "1795422600000"),
        ("2026-11-23T08:30:00.250Z", "'2026-11-23 08:30:00.250'", "1795422600.25", "1795422600250"),
        ("2026-11-23", "'2026-11-23 00:00:00.000'", "1795392000", "1795392000000"),
        ("1960-01-01T00:00:00.001Z", "'1960-01-01 00:00:00.001'", "-315619199.999", "-315619199999"),
        ("23.11.2026", "the text is not a date", "the text is not a date", "the text is not a date"),
    ])
    func `Dates become strings or numbers`(_ text: String, _ date: String, _ seconds: String, _ milliseconds: String) throws {
        try #expect(load(text, .date) == date)
        try #expect(load(text, .dateInSeconds) == seconds)
        try #expect(load(text, .dateInMilliseconds) == milliseconds)
    }

    @Test(arguments: [
        ("12.50", "1250"), ("-12.5", "-1250"), ("12", "1200"), ("12.500", "1250"), (".5", "50"), ("0.07", "7"),
        ("92233720368547758.07", "9223372036854775807"), ("92233720368547758.08", nil), ("12.505", nil), ("1e3", nil), ("12,50", nil),
        ("x", nil),
    ])
    func `Amounts become integers, and lose no digit`(_ text: String, _ value: String?) throws {
        try #expect(load("\"\(text)\"", .fixedPoint(digits: 2)) == value ?? "the text is not a number with 2 digits after the point")
    }

    @Test(arguments: [
        ("1.234.567,89", "1234567.89"), ("1234567,89", "1234567.89"), ("-1.234", "-1234"), ("+12,5", "12.5"), ("12", "12"),
        ("12,50", "12.5"), (",5", "0.5"), ("1.5", nil), ("12.34.567", nil), ("1234.567", nil), ("1,2,3", nil), ("1,2e3", nil),
        ("1 234", nil),
    ])
    func `Numbers of other notations are read only if their groups are right`(_ text: String, _ value: String?) throws {
        let german = LoadedColumn.number(decimalSeparator: ",", groupingSeparator: ".")
        try #expect(load("\"\(text)\"", german) == value ?? "the text is not a number")
    }

    @Test
    func `A point is refused where it means nothing, and integers of more than 64 bits are`() throws {
        try #expect(load("\"1.5\"", .number(decimalSeparator: ",")) == "the text is not a number")
        try #expect(load("18446744073709551616", .number(decimalSeparator: ",")) == "the integer has more than 64 bits")
        try #expect(load("\"1,234.5\"", .number(decimalSeparator: ".", groupingSeparator: ",")) == "1234.5")
    }

    @Test(arguments: [("YES", "1"), ("true", "1"), ("0", "0"), ("No", "0"), ("perhaps", "the text is not a truth value")])
    func `Truth values have texts of their own`(_ text: String, _ value: String) throws {
        try #expect(load(text, .boolean(true: ["yes", "true"], false: ["no", "0"])) == value)
    }

    @Test
    func `Closures return values, NULL or nothing, or throw`() throws {
        let column = LoadedColumn.value { text in
            switch text {
            case "null": DatabaseValue.null
            case "nothing": nil
            case "stop": throw DatabaseError(message: "no such value")
            default: text.count
            }
        }
        try #expect(load("four", column) == "4")
        try #expect(load("null", column) == "NULL")
        try #expect(load("nothing", column) == "the text is not a value that the column accepts")
        try #expect(load("stop", column).contains("no such value"))
    }

    @Test
    func `Texts stand for NULL, and other fields are loaded as usual`() throws {
        for column in [LoadedColumn.null("n/a", "-"), .number(decimalSeparator: ".").null("n/a", "-")] {
            try #expect(load("n/a", column, type: "INTEGER") == "NULL")
            try #expect(load("\"-\"", column, type: "INTEGER") == "NULL")
            try #expect(load("7", column, type: "INTEGER") == "7")
            try #expect(load("18446744073709551616", column, type: "INTEGER") == "the integer has more than 64 bits")
        }
        try #expect(load("X'00FF'", .null("-")) == "X'00FF'")
        try #expect(load("7", .null("-"), type: "TEXT") == "'7'")
    }

    @Test(arguments: [
        ("\"12.50\"", "1250"), ("12.50", "1250"), ("null", "NULL"), ("true", "the text is not a number with 2 digits after the point"),
    ])
    func `Strings, numbers and truth values of JSON are texts`(_ json: String, _ value: String) throws {
        try #expect(load(json, .fixedPoint(digits: 2), json: true) == value)
    }

    @Test
    func `A conversion of a column that the table does not have is an error`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            for load in [
                { try db.load(.csv("v\n1\n"), into: "t", options: LoadOptions(columns: ["w": .date])) },
                { try db.load(.json("{\"v\":1}"), into: "t", options: LoadOptions(columns: ["w": .date])) },
            ] {
                let error = #expect(throws: LoadError.self) { try load() }
                #expect(error?.description == "line 1, column \"w\": the table \"t\" has no such column")
            }
        }
    }

    @Test
    func `Exports for customers are loaded again, from CSV, JSON and JSON Lines`() throws {
        let create = "CREATE TABLE payment (id BLOB PRIMARY KEY, created TEXT, paid INTEGER, sent REAL, amount INTEGER, note TEXT)"
        let source = try DatabaseQueue()
        try source.write { db in
            try db.execute(sql: create)
            for index in 0..<20 {
                let id = UUID()
                let date = Date(timeIntervalSince1970: 1_700_000_000.25 + Double(index * 1_000_003))
                try db.execute(
                    sql: "INSERT INTO payment VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [
                        id, date, Int64(date.timeIntervalSince1970 * 1000), date.timeIntervalSince1970, index * 105 - 50,
                        index % 3 == 0 ? nil : "a, \"b\"\n\(index)",
                    ])
            }
        }
        let dumped: [String: DumpedColumn] = [
            "id": .uuid, "created": .date, "paid": .dateInMilliseconds, "sent": .date, "amount": .fixedPoint(digits: 2),
        ]
        let options = LoadOptions(columns: [
            "id": .uuid, "created": .date, "paid": .dateInMilliseconds, "sent": .dateInSeconds, "amount": .fixedPoint(digits: 2),
        ])
        var texts = ["", "", ""]
        try source.dumpTables(["payment"], format: .csv(columns: dumped), to: &texts[0])
        try source.dumpTables(["payment"], format: .json(columns: dumped), to: &texts[1])
        try source.dumpTables(["payment"], format: .jsonLines(columns: dumped), to: &texts[2])
        let expected = try source.dumped("SELECT * FROM payment ORDER BY id", .quote())
        for (index, text) in texts.enumerated() {
            let copy = try DatabaseQueue()
            try copy.write { try $0.execute(sql: create) }
            switch index {
            case 0: try copy.load(.csv(.text(text)), into: "payment", options: options, portion: 7)
            case 1: try copy.load(.json(.text(text)), into: "payment", options: options, portion: 7)
            default: try copy.load(.jsonLines(.text(text)), into: "payment", options: options, portion: 7)
            }
            try #expect(copy.dumped("SELECT * FROM payment ORDER BY id", .quote()) == expected)
        }
    }
}
