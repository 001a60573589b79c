import Foundation
import Testing
import ValueConversion

@Suite struct DateTests {
    // MARK: - Writing

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00.000"),
            (-0.001, "1969-12-31 23:59:59.999"),
            (0.0004, "1970-01-01 00:00:00.000"),
            (0.0006, "1970-01-01 00:00:00.001"),
            (978_307_200, "2001-01-01 00:00:00.000"),
            (951_782_400, "2000-02-29 00:00:00.000"),
            (951_868_799.9996, "2000-03-01 00:00:00.000"),
            (951_868_799.9994, "2000-02-29 23:59:59.999"),
            (-2_203_977_600, "1900-02-28 00:00:00.000"),
            (-2_203_891_200, "1900-03-01 00:00:00.000"),
            (1_735_689_599.9996, "2025-01-01 00:00:00.000"),
            (1_700_000_000.123, "2023-11-14 22:13:20.123"),
            (-62_167_219_200, "0000-01-01 00:00:00.000"),
            (-62_162_035_201, "0000-02-29 23:59:59.000"),
            (-62_162_035_200, "0000-03-01 00:00:00.000"),
            (253_402_300_799.999, "9999-12-31 23:59:59.999"),
            (253_402_300_799.9996, "9999-12-31 23:59:59.999"),
        ] as [(Double, String)])
    func `A date is stored in UTC, to the nearest millisecond`(secondsSince1970: Double, text: String) throws {
        let date = Date(timeIntervalSince1970: secondsSince1970)
        let db = try TestDatabase()
        #expect(date.databaseValue == .text(text))
        #expect(try date.bindingValue() == .text(text))
        #expect(try db.databaseValue(boundBy: date) == .text(text))
        #expect(try db.databaseValue(of: "?", arguments: [date]) == .text(text))
    }

    @Test(arguments: [
        -62_167_219_201, -62_167_219_200.001, 253_402_300_800, 1e18, -1e300, .infinity, -.infinity, .nan,
    ])
    func `A date out of the years 0000 to 9999 is an error, whose expanded description names it`(secondsSince1970: Double) throws {
        let date = Date(timeIntervalSince1970: secondsSince1970)
        let error = #expect(throws: DatabaseError.self) { try date.bindingValue() }
        #expect(error?.expandedDescription.contains("Date(timeIntervalSince1970: \(date.timeIntervalSince1970))") == true)
        #expect(error?.description.contains("timeIntervalSince1970") == false)
        let db = try TestDatabase()
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [date]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: date) }
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [date as NSDate]) }
    }

    @Test
    func `The value of a date out of range stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = Date.distantFuture.addingTimeInterval(1e12).databaseValue }
    }

    @Test
    func `The date of a transaction is equal after it was stored`() throws {
        try DatabaseQueue().write { db in
            let select = try db.makeStatement(sql: "SELECT ?")
            for _ in 0..<1000 {
                // Outside the property, which reads the clock once for each transaction.
                let date = try db.configuration.transactionClock.now(db)
                try select.setArguments([date])
                #expect(try select.step())
                #expect(Date.fromStatement(select, atUncheckedIndex: 0) == date)
                select.reset()
            }
        }
    }

    @Test
    func `Texts compare as dates do`() {
        let dates = [-62_167_219_200, -1, -0.001, 0, 0.001, 1, 60, 3600, 86_400, 951_782_400, 253_402_300_799]
            .map { Date(timeIntervalSince1970: $0) }
        let texts = dates.compactMap { String.fromDatabaseValue($0.databaseValue) }
        #expect(texts == texts.sorted())
        #expect(texts.count == dates.count)
    }

    // MARK: - Round trips

    @Test
    func `Dates round trip`() throws {
        try expectRoundTrip(Date(timeIntervalSince1970: 1_700_000_000), as: .text("2023-11-14 22:13:20.000"))
        try expectRoundTrip(Date(timeIntervalSinceReferenceDate: -0.5), as: .text("2000-12-31 23:59:59.500"))
    }

    @Test
    func `A date that was read is written as it was`() throws {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<20_000 {
            let milliseconds = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
            let text = try Date(timeIntervalSince1970: Double(milliseconds) / 1000).bindingValue()
            let date = try #require(Date.fromDatabaseValue(text))
            #expect(try date.bindingValue() == text)
            #expect(abs(date.timeIntervalSince1970 - Double(milliseconds) / 1000) < 0.0001)
        }
    }

    @Test
    func `All days are the same as in SQLite`() throws {
        var count = 0
        try TestDatabase().queue.read { db in
            // Every 29th day: over the 10,000 years, six in seven of the days of the calendar's cycle of 400 years.
            let statement = try db.makeStatement(
                sql: """
                    WITH RECURSIVE "days" ("number") AS (SELECT 0 UNION ALL SELECT "number" + 29 FROM "days" WHERE "number" < 3652405)
                    SELECT "number", date('0000-01-01', "number" || ' days') FROM "days"
                    """)
            while try statement.step() {
                let number = try #require(Int.fromStatement(statement, atUncheckedIndex: 0))
                let expected = Date(timeIntervalSince1970: Double(number) * 86_400 - 62_167_219_200)
                let date = Date.fromStatement(statement, atUncheckedIndex: 1)
                if date != expected { Issue.record("\(number): \(String(describing: date))") }
                let text = String.fromDatabaseValue(expected.databaseValue)?.prefix(10)
                if text != String.fromStatement(statement, atUncheckedIndex: 1)?[...] { Issue.record("\(number): \(text ?? "")") }
                count += 1
            }
        }
        #expect(count == 125_946)
    }

    // MARK: - Reading

    @Test(
        arguments: [
            ("2024-02-29", 1_709_164_800),
            ("2024-02-29 12:34", 1_709_210_040),
            ("2024-02-29 12:34:56", 1_709_210_096),
            ("2024-02-29 12:34:56.5", 1_709_210_096.5),
            ("2024-02-29 12:34:56.789", 1_709_210_096.789),
            ("2024-02-29 12:34:56.789000000000", 1_709_210_096.789),
            ("2024-02-29 12:34:56.1234567890123", 1_709_210_096.123_456_789),
            ("2024-02-29T12:34", 1_709_210_040),
            ("2024-02-29T12:34:56", 1_709_210_096),
            ("2024-02-29T12:34:56.789", 1_709_210_096.789),
            ("2024-02-29T12:34:56Z", 1_709_210_096),
            ("2024-02-29T12:34:56z", 1_709_210_096),
            ("2024-02-29 12:34:56.789Z", 1_709_210_096.789),
            ("2024-02-29 12:34:56 Z", 1_709_210_096),
            ("2024-02-29 12:34Z", 1_709_210_040),
            ("2024-02-29 12:34:56+00:00", 1_709_210_096),
            ("2024-02-29 12:34:56+02:00", 1_709_202_896),
            ("2024-02-29 12:34:56-05:30", 1_709_229_896),
            ("2024-02-29 12:34:56.789   +14:59", 1_709_156_156.789),
            ("2024-02-29T12:34-00:01", 1_709_210_100),
            ("0000-01-01 00:00:00.000", -62_167_219_200),
            ("0000-01-01 00:00:00.000+01:00", -62_167_222_800),
            ("9999-12-31 23:59:59.999", 253_402_300_799.999),
        ] as [(String, Double)])
    func `Every format of SQLite's date functions is read`(text: String, secondsSince1970: Double) throws {
        let db = try TestDatabase()
        let date = try #require(try db.value(of: "?", arguments: [text], as: Date.self))
        #expect(abs(date.timeIntervalSince1970 - secondsSince1970) < 0.000_001)
        if secondsSince1970 > -62_167_219_200 {
            // SQLite has the same opinion.
            let julianDay = try #require(try db.value(of: "julianday(?)", arguments: [text], as: Double.self))
            let other = try #require(Date(julianDay: julianDay))
            #expect(abs(date.timeIntervalSince(other)) < 0.001)
        }
    }

    @Test(arguments: [
        "CURRENT_TIMESTAMP", "CURRENT_DATE", "datetime('now')", "date('now')", "strftime('%Y-%m-%d %H:%M:%f', 'now')",
        "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')", "strftime('%s', 'now') + 0", "unixepoch()",
    ])
    func `Dates that SQLite's functions write are read`(sql: String) throws {
        let db = try TestDatabase()
        let date = try #require(try db.value(of: sql, as: Date.self))
        #expect(abs(date.timeIntervalSinceNow) < 100_000)
    }

    @Test(arguments: [
        "", " ", "2024", "2024-02", "2024-2-1", "2024-02-1", "24-02-01", "2024-02-30", "2023-02-29", "1900-02-29", "2024-04-31",
        "2024-00-01", "2024-13-01", "2024-01-00", "2024-01-32", "2024-02-29 ", " 2024-02-29", "2024-02-29T", "2024-02-29 12",
        "2024-02-29 12:3", "2024-02-29 12:", "2024-02-29 24:00", "2024-02-29 12:60", "2024-02-29 12:34:60", "2024-02-29 12:34:5",
        "2024-02-29 12:34:56.", "2024-02-29 12:34:56.Z", "2024-02-29 12:34:56,789", "2024-02-29 12:34:56.789x",
        "2024-02-29 12:34:56.7 8", "2024-02-29 12:34:56+", "2024-02-29 12:34:56+2", "2024-02-29 12:34:56+02",
        "2024-02-29 12:34:56+0200", "2024-02-29 12:34:56+15:00", "2024-02-29 12:34:56+02:60", "2024-02-29 12:34:56 ",
        "2024-02-29 12:34:56ZZ", "2024-02-29Z", "2024-02-29+01:00", "2024/02/29", "2024-02/29", "2024-02-29_12:34", "20240229",
        "12:34", "12:34:56", "12:34:56.789", "-2024-02-29", "+2024-02-29", "02024-02-29", "2024-02-29\0", "2024-02-29 12:34\0",
        "２０２４-02-29", "2024-02-29t12:34", "now", "2460369.5", "1709164800", "2024-0a-01", "2024-02-29 12:34:56.-1",
    ])
    func `A text that is not a date has no value`(text: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: Date.self) == nil)
        #expect(try db.value(of: "CAST(? AS BLOB)", arguments: [text], as: Date.self) == nil)
    }

    @Test
    func `A text of the format in which dates are written, and one with a zone after it, are read in two ways, with one result`() throws {
        var generator = SeededGenerator(seed: 11)
        let texts = ["2024-02-29 12:34:56.789", "1999-12-31 23:59:59.999", "0000-01-01 00:00:00.000"].map { Array($0.utf8) }
        var count = 0
        for text in texts {
            // Each character in turn is any other one, and a few pairs of them are.
            let changes = (0..<23).flatMap { index in (UInt8(0)..<128).map { [(index, $0)] } }
            let pairs = (0..<4_000).map { _ in
                (0..<2).map { _ in (Int.random(in: 0..<23, using: &generator), UInt8.random(in: 40..<64, using: &generator)) }
            }
            for change in changes + pairs {
                var bytes = text
                for (index, byte) in change { bytes[index] = byte }
                let written = Date.fromDatabaseValue(.text(String(decoding: bytes, as: UTF8.self)))
                let zoned = Date.fromDatabaseValue(.text(String(decoding: bytes + Array("Z".utf8), as: UTF8.self)))
                // A text of another format, such as one with a zone in place of a fraction, has room for one zone only.
                let isDate = written != nil && zoned != nil
                if isDate { count += 1 }
                let isSame = written == zoned || bytes.contains(UInt8(ascii: "+")) || bytes[17...].contains { "- Zz".utf8.contains($0) }
                #expect(isSame, "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(count > 500)
    }

    @Test
    func `Arbitrary bytes don't stop the program`() throws {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("0123456789-:. TZ+\0é".utf8)
        for _ in 0..<20_000 {
            var bytes = Array("2024-02-29 12:34:56.789+02:00".utf8.prefix(Int.random(in: 0...29, using: &generator)))
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = alphabet.randomElement(using: &generator)!
            }
            let value = DatabaseValue.text(String(decoding: bytes, as: UTF8.self))
            if let date = Date.fromDatabaseValue(value) { #expect(date.timeIntervalSince1970.isFinite) }
            _ = DatabaseDateComponents.fromDatabaseValue(value)
            _ = Decimal.fromDatabaseValue(value)
            _ = UUID.fromDatabaseValue(value)
        }
    }

    @Test
    func `Numbers are seconds since 1970`() throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "1700000000", as: Date.self) == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(try db.value(of: "1700000000.25", as: Date.self) == Date(timeIntervalSince1970: 1_700_000_000.25))
        #expect(try db.value(of: "-1", as: Date.self) == Date(timeIntervalSince1970: -1))
    }

    // MARK: - Julian days

    @Test(arguments: [
        (2_451_910.5, "2001-01-01 00:00:00.000"),
        (2_440_587.5, "1970-01-01 00:00:00.000"),
        (2_460_369.5 + 0.25, "2024-02-29 06:00:00.000"),
        (2_451_910.499_999_999, "2001-01-01 00:00:00.000"),
        (1_721_059.5, "0000-01-01 00:00:00.000"),
    ])
    func `A Julian day makes the date that SQLite makes of it`(julianDay: Double, text: String) throws {
        let date = try #require(Date(julianDay: julianDay))
        #expect(date.databaseValue == .text(text))
        // The string has the same date, to the last bit.
        #expect(Date.fromDatabaseValue(.text(text)) == date)
        let db = try TestDatabase()
        #expect(try db.databaseValue(of: "strftime('%Y-%m-%d %H:%M:%f', ?)", arguments: [julianDay]) == .text(text))
    }

    @Test
    func `A text and its Julian day are the same date`() throws {
        let db = try TestDatabase()
        for text in ["2024-02-29 12:34:56.789", "1815-06-18 11:35:00.001", "0001-01-01 00:00:00.999"] {
            let julianDay = try #require(try db.value(of: "julianday(?)", arguments: [text], as: Double.self))
            #expect(Date(julianDay: julianDay) == Date.fromDatabaseValue(.text(text)))
        }
    }

    @Test(arguments: [-0.001, 5_373_484.5, 1e300, .infinity, -.infinity, .nan])
    func `A number that is not a Julian day makes no date`(_ julianDay: Double) {
        #expect(Date(julianDay: julianDay) == nil)
    }

    @Test
    func `The first Julian day makes a date`() {
        #expect(Date(julianDay: 0)?.timeIntervalSince1970 == -210_866_760_000)
    }
}
