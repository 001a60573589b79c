import Foundation
import Testing
import ValueConversion

@Suite struct UUIDTests {
    static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    static let bytes: [UInt8] = [
        0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F,
    ]

    @Test
    func `A UUID is stored as sixteen bytes`() throws {
        try expectRoundTrip(Self.uuid, as: .blob(Self.bytes))
        #expect(Self.uuid.shortBinding()?.databaseValue == Data(Self.bytes).databaseValue)
    }

    @Test(arguments: [
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "e621E1f8-C36c-495A-93fc-0c247A3e6e5F",
    ])
    func `A UUID is read from its standard form`(_ text: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: UUID.self) == Self.uuid)
    }

    @Test(arguments: [
        "", "E621E1F8C36C495A93FC0C247A3E6E5F", "{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}", "E621E1F8-C36C-495A-93FC-0C247A3E6E5",
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5FF", "E621E1F8-C36C-495A-93FC-0C247A3E6E5G", "E621E1F8-C36C-495A-93FC_0C247A3E6E5F",
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5\0", "E621E1F-8C36C-495A-93FC-0C247A3E6E5F", "/621E1F8-C36C-495A-93FC-0C247A3E6E5F",
        ":621E1F8-C36C-495A-93FC-0C247A3E6E5F", "@621E1F8-C36C-495A-93FC-0C247A3E6E5F", "`621E1F8-C36C-495A-93FC-0C247A3E6E5F",
    ])
    func `Another text has no value`(_ text: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: UUID.self) == nil)
    }

    @Test(arguments: [0, 15, 17, 36])
    func `A blob of another size has no value`(_ count: Int) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "zeroblob(\(count))", as: UUID.self) == nil)
    }

    @Test
    func `Arbitrary UUIDs round trip as text and blob`() throws {
        for _ in 0..<1000 {
            let uuid = UUID()
            #expect(UUID.fromDatabaseValue(uuid.databaseValue) == uuid)
            #expect(UUID.fromDatabaseValue(.text(uuid.uuidString)) == uuid)
            #expect(UUID.fromDatabaseValue(.text(uuid.uuidString.lowercased())) == uuid)
        }
    }
}

@Suite struct URLTests {
    @Test(arguments: [
        "https://example.com", "https://user@example.com:8080/a%20b?q=1&r=%C3%A9#top", "file:///tmp/a", "mailto:arthur@example.com",
        "relative/path",
    ])
    func `A URL is stored as its text`(_ text: String) throws {
        try expectRoundTrip(try #require(URL(string: text)), as: .text(text))
    }

    @Test
    func `A relative URL is stored with its base`() throws {
        let url = try #require(URL(string: "b?q", relativeTo: URL(string: "https://example.com/a/")))
        #expect(url.databaseValue == .text("https://example.com/a/b?q"))
    }

    @Test(arguments: [
        (#""https:\/\/example.com\/a""#, "https://example.com/a"), (#""https://example.com""#, "https://example.com"),
        (#""caf\u00e9""#, "caf%C3%A9"), (#""a"#, "%22a"), (#""a" b"#, "%22a%22%20b"),
    ])
    func `A URL is also read from a JSON string, as GRDB stores it on Linux`(_ text: String, _ expected: String) throws {
        #expect(try TestDatabase().value(of: "?", arguments: [text], as: URL.self)?.absoluteString == expected)
        #expect(URL.fromDatabaseValue(.text(text))?.absoluteString == expected)
    }

    @Test(arguments: ["", "http://["])
    func `A string that is not a URL has no value`(_ text: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: URL.self) == nil)
    }
}

@Suite struct NumberClassTests {
    @Test(
        arguments: [
            (NSNumber(value: 10), .integer(10)),
            (NSNumber(value: -1 as Int8), .integer(-1)),
            (NSNumber(value: UInt8.max), .integer(255)),
            (NSNumber(value: Int16.min), .integer(-32_768)),
            (NSNumber(value: UInt16.max), .integer(65_535)),
            (NSNumber(value: UInt32.max), .integer(4_294_967_295)),
            (NSNumber(value: Int64.min), .integer(.min)),
            (NSNumber(value: Int64.max), .integer(.max)),
            (NSNumber(value: UInt64(Int64.max)), .integer(.max)),
            (NSNumber(value: true), .integer(1)),
            (NSNumber(value: false), .integer(0)),
            (NSNumber(value: 10.5), .real(10.5)),
            (NSNumber(value: 10.0), .real(10)),
            (NSNumber(value: 1.5 as Float), .real(1.5)),
            (NSNumber(value: Double.infinity), .real(.infinity)),
            (NSDecimalNumber(string: "10"), .integer(10)),
            (NSDecimalNumber(string: "10.0"), .integer(10)),
            (NSDecimalNumber(string: "-9223372036854775808"), .integer(.min)),
            (NSDecimalNumber(string: "9223372036854775807"), .integer(.max)),
            (NSDecimalNumber(string: "9223372036854775808"), .real(0x1p63)),
            (NSDecimalNumber(string: "0.1"), .real(0.1)),
            (NSDecimalNumber(string: "-10.5"), .real(-10.5)),
            (NSDecimalNumber(decimal: .greatestFiniteMagnitude), .real(Double(Decimal.greatestFiniteMagnitude.description)!)),
        ] as [(NSNumber, DatabaseValue)])
    func `Numbers are stored by their kind`(number: NSNumber, value: DatabaseValue) throws {
        #expect(number.databaseValue.storage == value.storage)
        #expect("\(number.databaseValue)" == "\(value)", "INTEGER and REAL are told apart")
        let db = try TestDatabase()
        #expect(try db.databaseValue(of: "?", arguments: [number]) == value)
        #expect(try db.databaseValue(boundBy: number) == value)
    }

    @Test(arguments: [NSNumber(value: UInt64.max), NSNumber(value: UInt64(Int64.max) + 1), NSDecimalNumber.notANumber])
    func `A number that SQLite can't hold is an error, whose expanded description names it`(_ number: NSNumber) throws {
        let error = #expect(throws: DatabaseError.self) { try number.bindingValue() }
        #expect(error?.expandedDescription.contains(number is NSDecimalNumber ? "notANumber" : "\(number.uint64Value)") == true)
        #expect(number is NSDecimalNumber || error?.description.contains("\(number.uint64Value)") == false)
        let db = try TestDatabase()
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [number]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: number) }
    }

    @Test
    func `Numbers are read`() {
        #expect(NSNumber.fromDatabaseValue(.integer(10)) == NSNumber(value: 10))
        #expect(NSNumber.fromDatabaseValue(.integer(.max))?.int64Value == .max)
        #expect(NSNumber.fromDatabaseValue(.real(10.5)) == NSNumber(value: 10.5))
        #expect(NSNumber.fromDatabaseValue(.text("10")) == nil)
        #expect(NSDecimalNumber.fromDatabaseValue(.integer(.max)) == NSDecimalNumber(string: "9223372036854775807"))
        #expect(NSDecimalNumber.fromDatabaseValue(.real(0.1)) == NSDecimalNumber(string: "0.1"))
        #expect(NSDecimalNumber.fromDatabaseValue(.text("0.1234567890123456789")) == NSDecimalNumber(string: "0.1234567890123456789"))
        #expect(NSDecimalNumber.fromDatabaseValue(.text("abc")) == nil)
    }
}

@Suite struct FoundationClassTests {
    @Test
    func `Classes are stored as their Swift types`() throws {
        let date = NSDate(timeIntervalSince1970: 1_700_000_000.123)
        let uuid = UUIDTests.uuid
        let values: [(any DatabaseValueConvertible, DatabaseValue)] = [
            (NSNull(), .null),
            (NSString(string: "a\0é"), .text("a\0é")),
            (NSMutableString(string: "abc"), .text("abc")),
            (NSData(data: Data([1, 0, 2])), .blob([1, 0, 2])),
            (date, .text("2023-11-14 22:13:20.123")),
            (NSURL(string: "https://example.com/a")!, .text("https://example.com/a")),
            (NSUUID(uuidString: uuid.uuidString)!, .blob(UUIDTests.bytes)),
        ]
        let db = try TestDatabase()
        for (value, stored) in values {
            #expect(value.databaseValue == stored)
            #expect(try db.databaseValue(of: "?", arguments: [value]) == stored)
            #expect(try db.databaseValue(boundBy: value) == stored)
            #expect(DatabaseValue(value: value) == stored)
        }
    }

    @Test
    func `Classes are read`() {
        #expect(NSNull.fromDatabaseValue(.null) == NSNull())
        #expect(NSString.fromDatabaseValue(.text("a\0é")) == NSString(string: "a\0é"))
        #expect(NSData.fromDatabaseValue(.blob([1, 0, 2])) == NSData(data: Data([1, 0, 2])))
        #expect(NSDate.fromDatabaseValue(.text("2001-01-01 00:00:01")) == NSDate(timeIntervalSinceReferenceDate: 1))
        #expect(NSURL.fromDatabaseValue(.text("https://example.com")) == NSURL(string: "https://example.com"))
        #expect(NSUUID.fromDatabaseValue(.blob(UUIDTests.bytes))?.uuidString == UUIDTests.uuid.uuidString)
    }

    @Test
    func `A subclass has no value`() {
        #expect(NSMutableString.fromDatabaseValue(.text("abc")) == nil)
        #expect(NSMutableData.fromDatabaseValue(.blob([1])) == nil)
    }
}
