import Foundation
import Testing
import ValueConversion

@Suite struct DatabaseDateComponentsTests {
    typealias Format = DatabaseDateComponents.Format

    static let components = DateComponents(
        year: 1973, month: 9, day: 18, hour: 10, minute: 30, second: 15, nanosecond: 123_000_000)

    @Test(
        arguments: [
            (.YMD, "1973-09-18"),
            (.YMD_HM, "1973-09-18 10:30"),
            (.YMD_HMS, "1973-09-18 10:30:15"),
            (.YMD_HMSS, "1973-09-18 10:30:15.123"),
            (.HM, "10:30"),
            (.HMS, "10:30:15"),
            (.HMSS, "10:30:15.123"),
        ] as [(Format, String)])
    func `Components are stored in their format, and read in it`(format: Format, text: String) throws {
        let components = DatabaseDateComponents(Self.components, format: format)
        let db = try TestDatabase()
        #expect(components.databaseValue == .text(text))
        #expect(try components.bindingValue() == .text(text))
        #expect(try db.databaseValue(boundBy: components) == .text(text))
        #expect(try db.databaseValue(of: "?", arguments: [components]) == .text(text))

        let copy = try #require(try db.value(of: "?", arguments: [text], as: DatabaseDateComponents.self))
        #expect(copy.format == format)
        let hasDate = format.rawValue.hasPrefix("YYYY")
        let hasTime = format != .YMD
        let hasSecond = hasTime && format.rawValue.contains("SS")
        #expect(copy.dateComponents.year == (hasDate ? 1973 : nil))
        #expect(copy.dateComponents.month == (hasDate ? 9 : nil))
        #expect(copy.dateComponents.day == (hasDate ? 18 : nil))
        #expect(copy.dateComponents.hour == (hasTime ? 10 : nil))
        #expect(copy.dateComponents.minute == (hasTime ? 30 : nil))
        #expect(copy.dateComponents.second == (hasSecond ? 15 : nil))
        #expect(copy.dateComponents.nanosecond == (format.rawValue.contains(".") ? 123_000_000 : nil))
        #expect(copy.dateComponents.timeZone == nil)
        // The value that was read is written and read unchanged.
        try expectRoundTrip(copy, as: .text(text))
    }

    @Test(
        arguments: [
            (.YMD, "0000-01-01"),
            (.YMD_HM, "0000-01-01 00:00"),
            (.YMD_HMS, "0000-01-01 00:00:00"),
            (.YMD_HMSS, "0000-01-01 00:00:00.000"),
            (.HM, "00:00"),
            (.HMS, "00:00:00"),
            (.HMSS, "00:00:00.000"),
        ] as [(Format, String)])
    func `Missing components have stand-ins`(format: Format, text: String) throws {
        #expect(try DatabaseDateComponents(DateComponents(), format: format).bindingValue() == .text(text))
    }

    @Test(
        arguments: [
            ("1973-09-18T10:30", .YMD_HM, nil, nil),
            ("1973-09-18T10:30:15", .YMD_HMS, nil, nil),
            ("1973-09-18T10:30:15.5", .YMD_HMSS, 500_000_000, nil),
            ("1973-09-18T10:30:15.123456789999Z", .YMD_HMSS, 123_456_789, 0),
            ("1973-09-18 10:30+02:00", .YMD_HM, nil, 7200),
            ("10:30:15 -05:30", .HMS, nil, -19_800),
            ("10:30Z", .HM, nil, 0),
        ] as [(String, Format, Int?, Int?)])
    func `Other forms of the texts are read`(text: String, format: Format, nanosecond: Int?, secondsFromGMT: Int?) throws {
        let db = try TestDatabase()
        let value = try #require(try db.value(of: "?", arguments: [text], as: DatabaseDateComponents.self))
        #expect(value.format == format)
        #expect(value.dateComponents.nanosecond == nanosecond)
        #expect(value.dateComponents.timeZone?.secondsFromGMT() == secondsFromGMT)
    }

    @Test(arguments: [
        "", "1973", "1973-09", "1973-02-29", "10", "10:", "1:30", "10:3", "24:00", "10:60", "10:30:60", "10:30:15.", "10:30x", " 10:30",
        "10:30 ", "T10:30", "1973-09-18Z", "abc", "10:30\0",
    ])
    func `A text in none of the formats has no value`(text: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: DatabaseDateComponents.self) == nil)
    }

    @Test(
        arguments: [
            (DateComponents(year: -1), .YMD, "year -1"),
            (DateComponents(year: 10_000), .YMD_HMSS, "year 10000"),
            (DateComponents(month: 0), .YMD, "month 0"),
            (DateComponents(month: 13), .YMD, "month 13"),
            (DateComponents(day: 0), .YMD, "day 0"),
            (DateComponents(year: 2023, month: 2, day: 29), .YMD, "day 29"),
            (DateComponents(year: 2024, month: 4, day: 31), .YMD, "day 31"),
            (DateComponents(hour: 24), .HM, "hour 24"),
            (DateComponents(minute: -1), .HM, "minute -1"),
            (DateComponents(second: 60), .HMS, "second 60"),
            (DateComponents(nanosecond: 1_000_000_000), .HMSS, "nanosecond 1000000000"),
            (DateComponents(day: .max - 1), .YMD, "day \(Int.max - 1)"),
            (DateComponents(nanosecond: .min), .YMD_HMSS, "nanosecond \(Int.min)"),
        ] as [(DateComponents, Format, String)])
    func `A component out of range is an error that names it, and only its expanded description contains its value`(
        components: DateComponents, format: Format, name: String
    ) throws {
        let value = DatabaseDateComponents(components, format: format)
        let error = #expect(throws: DatabaseError.self) { try value.bindingValue() }
        let words = name.split(separator: " ")
        #expect(error?.message?.hasPrefix("the \(words[0]) of date components is not between ") == true)
        #expect(error?.expandedDescription.hasSuffix(": \(words[1])") == true)
        #expect(error?.description.hasSuffix(": \(words[1])") == false)
        let db = try TestDatabase()
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [value]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: value) }
    }

    @Test
    func `Components that the format has not are not looked at`() throws {
        let components = DateComponents(year: 2024, month: 2, day: 29, hour: 99, second: -1)
        #expect(try DatabaseDateComponents(components, format: .YMD).bindingValue() == .text("2024-02-29"))
    }

    @Test(arguments: [
        (122_999_906, "00:00:00.123"), (400_000, "00:00:00.000"), (500_000, "00:00:00.001"), (999_499_999, "00:00:00.999"),
        (999_999_999, "00:00:00.999"),
    ])
    func `Nanoseconds are rounded to milliseconds, within their second`(nanosecond: Int, text: String) throws {
        #expect(try DatabaseDateComponents(DateComponents(nanosecond: nanosecond), format: .HMSS).bindingValue() == .text(text))
    }

    @Test
    func `The value of components out of range stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = DatabaseDateComponents(DateComponents(month: 13), format: .YMD).databaseValue
        }
    }

    @Test(arguments: Format.allCases)
    func `Components are encoded as their text`(_ format: Format) throws {
        let value = try #require(
            DatabaseDateComponents.fromDatabaseValue(DatabaseDateComponents(Self.components, format: format).databaseValue))
        let data = try JSONEncoder().encode([value])
        let texts = try JSONDecoder().decode([String].self, from: data)
        #expect(texts.map(\.databaseValue) == [value.databaseValue])
        #expect(try JSONDecoder().decode([DatabaseDateComponents].self, from: data) == [value])
    }

    @Test
    func `Invalid strings and components are errors of coding`() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DatabaseDateComponents].self, from: Data(#"["1973-13-01"]"#.utf8))
        }
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode([DatabaseDateComponents(DateComponents(month: 13), format: .YMD)])
        }
    }
}
