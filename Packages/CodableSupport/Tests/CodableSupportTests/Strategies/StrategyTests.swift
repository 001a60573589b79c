import CodableSupport
import Foundation
import Testing

/// A record with the date strategies of its type parameter.
private struct Event<Strategies: DateStrategies>: CodableRecord, Equatable {
    static var databaseTableName: String { "event" }
    var date: Date
    var end: Date?
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { Strategies.encoding }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { Strategies.decoding }
}

private protocol DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { get }
    static var decoding: DatabaseDateDecodingStrategy { get }
}

private func formatter() -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "dd/MM/yyyy HH:mm"
    return formatter
}

private enum Deferred: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .deferredToDate }
    static var decoding: DatabaseDateDecodingStrategy { .deferredToDate }
}
private enum Timestamp: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .databaseTimestamp }
    static var decoding: DatabaseDateDecodingStrategy { .deferredToDate }
}
private enum SinceReference: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }
}
private enum Since1970: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .timeIntervalSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
}
private enum Seconds: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .secondsSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
}
private enum Milliseconds: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .millisecondsSince1970 }
    static var decoding: DatabaseDateDecodingStrategy { .millisecondsSince1970 }
}
private enum ISO8601: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .iso8601 }
    static var decoding: DatabaseDateDecodingStrategy { .iso8601 }
}
private enum Formatted: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .formatted(formatter()) }
    static var decoding: DatabaseDateDecodingStrategy { .formatted(formatter()) }
}
private enum CustomDate: DateStrategies {
    static var encoding: DatabaseDateEncodingStrategy { .custom { "day \(Int($0.timeIntervalSince1970 / 86400))" } }
    static var decoding: DatabaseDateDecodingStrategy {
        .custom { dbValue in
            String.fromDatabaseValue(dbValue).flatMap { Double($0.dropFirst(4)) }.map { Date(timeIntervalSince1970: $0 * 86400) }
        }
    }
}

@Suite struct StrategyTests {
    private func check<Strategies>(_ type: Strategies.Type, _ seconds: TimeInterval, _ stored: String, bad: [String]) throws
    where Strategies: DateStrategies {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try roundTrip(Event<Strategies>(date: date, end: nil)) == "\(stored) NULL")
        #expect(try roundTrip(Event<Strategies>(date: date, end: date)) == "\(stored) \(stored)")
        for value in bad {
            #expect(throws: RowDecodingError.self, "\(value)") { try decode(Event<Strategies>.self, "SELECT \(value) AS date") }
            #expect(throws: RowDecodingError.self, "\(value)") {
                try decode(Event<Strategies>.self, "SELECT \(stored) AS date, \(value) AS end")
            }
        }
        #expect(throws: RowDecodingError.self) { try decode(Event<Strategies>.self, "SELECT NULL AS date") }
        #expect(throws: RowDecodingError.self) { try decode(Event<Strategies>.self, "SELECT 1 AS other") }
    }

    @Test
    func `Dates, by every strategy, both ways, and bad ones as errors`() throws {
        try check(Deferred.self, 1_234_567_890.125, "'2009-02-13 23:31:30.125'", bad: ["'yesterday'", "x'00'"])
        try check(Timestamp.self, 1_234_567_890, "'2009-02-13 23:31:30'", bad: ["'yesterday'", "x'00'"])
        try check(Timestamp.self, 1_234_567_890.125, "'2009-02-13 23:31:30.125'", bad: ["'10:00'"])
        try check(SinceReference.self, 978_307_200 + 100.5, "100.5", bad: ["'100'", "x'00'"])
        try check(Since1970.self, 100.5, "100.5", bad: ["'100'"])
        try check(Seconds.self, -100, "-100", bad: ["'100'"])
        try check(Milliseconds.self, 100.25, "100250", bad: ["'100'"])
        try check(ISO8601.self, 1_234_567_890, "'2009-02-13T23:31:30Z'", bad: ["'2009'", "5"])
        try check(Formatted.self, 1_234_567_860, "'13/02/2009 23:31'", bad: ["'2009-02-13'", "5"])
        try check(CustomDate.self, 864000, "'day 10'", bad: ["'day x'", "5"])
    }

    @Test
    func `Whole seconds and milliseconds round down, and huge ones are errors`() throws {
        #expect(try Event<Seconds>(date: Date(timeIntervalSince1970: -0.5)).databaseDictionary["date"] == (-1).databaseValue)
        #expect(try Event<Milliseconds>(date: Date(timeIntervalSince1970: 0.0019)).databaseDictionary["date"] == 1.databaseValue)
        #expect(throws: DatabaseError.self) { try Event<Seconds>(date: Date(timeIntervalSince1970: 1e30)).databaseDictionary }
    }

    @Test
    func `Texts of ISO 8601 can have fractions of seconds`() throws {
        let event = try decode(Event<ISO8601>.self, "SELECT '2009-02-13T23:31:30.5Z' AS date, '2009-02-14T01:31:30+02:00' AS end")
        #expect(event.date == Date(timeIntervalSince1970: 1_234_567_890.5))
        #expect(event.end == Date(timeIntervalSince1970: 1_234_567_890))
    }

    @Test
    func `A strategy that gives nil writes NULL`() throws {
        struct Forgetful: CodableRecord, Equatable {
            var date: Date?
            var data: Data?
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .custom { _ in nil } }
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .custom { _ in nil } }
        }
        #expect(try Forgetful(date: Date(), data: Data()).databaseDictionary == ["date": .null, "data": .null])
    }

    @Test
    func `Strategies serve optionals that a record encodes by hand, and single values`() throws {
        struct ByHand: CodableRecord, Equatable {
            var date: Date?
            var data: Data?
            var uuid: UUID?
            enum CodingKeys: CodingKey { case date, data, uuid }
            init(date: Date?, data: Data?, uuid: UUID?) {
                self.date = date
                self.data = data
                self.uuid = uuid
            }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                date = try container.decode(Date?.self, forKey: .date)
                data = try container.decode(Data?.self, forKey: .data)
                uuid = try container.decode(UUID?.self, forKey: .uuid)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(date, forKey: .date)
                try container.encode(data, forKey: .data)
                try container.encode(uuid, forKey: .uuid)
            }
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
                .custom { $0.base64EncodedString() }
            }
            static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
                .custom { String.fromDatabaseValue($0).flatMap { Data(base64Encoded: $0) } }
            }
            static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
        }
        let uuid = UUID()
        let record = ByHand(date: Date(timeIntervalSince1970: 5), data: Data([1, 2]), uuid: uuid)
        #expect(try roundTrip(record) == "'AQI=' 5 '\(uuid.uuidString.lowercased())'")
        #expect(try roundTrip(ByHand(date: nil, data: nil, uuid: nil)) == "NULL NULL NULL")
        #expect(throws: RowDecodingError.self) { try decode(ByHand.self, "SELECT 1 AS date, 'not base 64!' AS data") }
        #expect(throws: RowDecodingError.self) { try decode(ByHand.self, "SELECT 'soon' AS date") }
    }

    @Test
    func `Binary data as a string, which must be valid UTF-8`() throws {
        struct Document: CodableRecord, Equatable {
            var content: Data
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
        }
        #expect(try roundTrip(Document(content: Data("héllo".utf8))) == "'héllo'")
        #expect(try roundTrip(Document(content: Data())) == "''")
        #expect(throws: EncodingError.self) { try Document(content: Data([0xFF])).databaseDictionary }
    }

    @Test
    func `Binary data by a function`() throws {
        struct Document: CodableRecord, Equatable {
            var content: Data
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
                .custom { $0.base64EncodedData() }
            }
            static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
                .custom { dbValue in
                    guard let base64Data = Data.fromDatabaseValue(dbValue) else { return nil }
                    return Data(base64Encoded: base64Data)
                }
            }
        }
        #expect(try roundTrip(Document(content: Data([1, 2]))) == "x'4151493d'")
        #expect(throws: RowDecodingError.self) { try decode(Document.self, "SELECT 'not base 64!' AS content") }
        #expect(throws: RowDecodingError.self) { try decode(Document.self, "SELECT NULL AS content") }
    }

    @Test
    func `UUIDs as blobs and as strings`() throws {
        struct Item: CodableRecord, Equatable {
            var blob: UUID
            var lower: UUID
            var upper: UUID
            static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
                switch column {
                case "lower": .lowercaseString
                case "upper": .uppercaseString
                default: .deferredToUUID
                }
            }
        }
        let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        #expect(
            try roundTrip(Item(blob: uuid, lower: uuid, upper: uuid)) == """
                x'e621e1f8c36c495a93fc0c247a3e6e5f' 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f' 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'
                """)
    }

    struct Snake: CodableRecord, Equatable {
        var playerId: Int
        var firstName: String
        var x: Int
        var lastSeenAt: Date?
        var favoriteColors: [String]
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
    }

    @Test
    func `Columns in snake case, both ways`() throws {
        let snake = Snake(playerId: 1, firstName: "Arthur", x: 2, lastSeenAt: nil, favoriteColors: ["red"])
        #expect(try snake.databaseDictionary.keys.sorted() == ["favorite_colors", "first_name", "last_seen_at", "player_id", "x"])
        try roundTrip(snake)
        let error = #expect(throws: RowDecodingError.self) { try decode(Snake.self, "SELECT 1 AS player_id") }
        #expect(error?.column == "firstName")
    }

    @Test
    func `Columns by a function, both ways`() throws {
        struct Prefixed: CodableRecord, Equatable {
            var id: Int
            var tags: [Int]
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom {
                RecordKey(stringValue: String($0.dropFirst(2)))
            }
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.custom { "c_\($0.stringValue)" }
        }
        #expect(try Prefixed(id: 1, tags: [2]).databaseDictionary == ["c_id": 1.databaseValue, "c_tags": "[2]".databaseValue])
        try roundTrip(Prefixed(id: 1, tags: [2]))
    }

    @Test
    func `A strategy is asked with the name of the column`() throws {
        struct Event: CodableRecord, Equatable {
            var startDate: Date
            var endDate: Date
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
                column == "start_date" ? .secondsSince1970 : .deferredToDate
            }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                column == "start_date" ? .timeIntervalSince1970 : .deferredToDate
            }
        }
        let date = Date(timeIntervalSince1970: 5)
        #expect(try roundTrip(Event(startDate: date, endDate: date)) == "'1970-01-01 00:00:05.000' 5")
    }

    @Test
    func `What the strategies refer to is released with the fetch, and with the connection`() throws {
        final class Token: Sendable {}
        struct Ticket: Codable, FetchableRecord, PersistableRecord {
            static nonisolated(unsafe) var token: Token?
            static let key = CodingUserInfoKey(rawValue: "token")!
            static var userInfo: [CodingUserInfoKey: any Sendable] { token.map { [key: $0] } ?? [:] }
            static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { userInfo }
            static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { userInfo }

            var id: Int
        }
        func released(_ body: (Database) throws -> Void) throws -> Bool {
            weak var reference: Token?
            defer { Ticket.token = nil }
            do {
                let token = Token()
                reference = token
                Ticket.token = token
            }
            try withDatabase("CREATE TABLE ticket (id)") { db in
                try body(db)
                #expect(reference != nil)
                Ticket.token = nil
            }
            return reference == nil
        }
        let isReleasedByEncoding = try released { try Ticket(id: 1).insert($0) }
        #expect(isReleasedByEncoding)
        let isReleasedByDecoding = try released { _ = try Ticket.fetchOne($0, sql: "SELECT 1 AS id") }
        #expect(isReleasedByDecoding)
    }
}
