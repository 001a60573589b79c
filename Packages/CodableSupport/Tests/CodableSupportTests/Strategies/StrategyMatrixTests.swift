import CodableSupport
import Foundation
import Testing

/// Every strategy for dates, data and UUIDs, on every way in and out: what is stored, and that it comes back.
@Suite struct StrategyMatrixTests {
    /// What a record's columns are coded with; one type of record for each case.
    protocol Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { get }
        static var dateDecoding: DatabaseDateDecodingStrategy { get }
        static var dataEncoding: DatabaseDataEncodingStrategy { get }
        static var dataDecoding: DatabaseDataDecodingStrategy { get }
        static var uuidEncoding: DatabaseUUIDEncodingStrategy { get }
        static var columnEncoding: DatabaseColumnEncodingStrategy { get }
        static var columnDecoding: DatabaseColumnDecodingStrategy { get }
    }

    struct Record<S: Strategies>: Codable, FetchableRecord, PersistableRecord, Equatable {
        static var databaseTableName: String { "record" }
        var myID = 1
        var aDate = Date(timeIntervalSince1970: 86400)
        var optionalDate: Date? = Date(timeIntervalSince1970: 86400)
        var noDate: Date?
        var someData = Data("ab".utf8)
        var noData: Data?
        var itsUUID = StrategyMatrixTests.uuid
        var noUUID: UUID?
        var wrapped = Wrapped(date: Date(timeIntervalSince1970: 86400))

        struct Wrapped: Codable, Equatable {
            var date: Date
            init(date: Date) { self.date = date }
            init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(date)
            }
        }

        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { S.dateEncoding }
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { S.dateDecoding }
        static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { S.dataEncoding }
        static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy { S.dataDecoding }
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { S.uuidEncoding }
        static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { S.columnEncoding }
        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { S.columnDecoding }
    }

    struct Outer<S: Strategies>: Decodable, FetchableRecord { var scope: Record<S> }
    struct Parent<S: Strategies>: Decodable, FetchableRecord { var children: [Record<S>] }

    static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    /// - Parameter columns: the columns in their order. The other arguments are what must be stored in them, as SQL literals.
    private func check<S: Strategies>(_ type: S.Type, date: String, data: String, uuid: String, columns: String) throws {
        let record = Record<S>()
        let stored = ["1", date, date, "NULL", data, "NULL", uuid, "NULL", date].joined(separator: " ")
        let names = columns.split(separator: " ").map(String.init)
        let list = names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let definitions = names.enumerated().map { $1.quotedDatabaseIdentifier + ($0 == 0 ? " INTEGER PRIMARY KEY" : "") }
        try withDatabase("CREATE TABLE record (\(definitions.joined(separator: ", ")))") { db throws in
            func expectRow(_ way: String) throws {
                #expect(try db.rows("SELECT \(list) FROM record") == [stored], "\(way) of \(S.self)")
                try db.execute(sql: "DELETE FROM record")
            }
            // In.
            #expect(Set(try record.databaseDictionary.keys) == Set(names))
            try record.insert(db)
            try expectRow("insert")
            try record.save(db)
            try expectRow("save")
            try record.upsert(db)
            try expectRow("upsert")
            try db.execute(sql: "INSERT INTO record (\(names[0].quotedDatabaseIdentifier)) VALUES (1)")
            try record.update(db)
            try expectRow("update")
            let values = try record.databaseDictionary
            try db.execute(
                sql: "INSERT INTO record VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))",
                arguments: StatementArguments(names.map { values[$0] }))
            try expectRow("databaseDictionary")
            let fetched = try record.insertAndFetch(db, as: Record<S>.self)
            #expect(fetched == record)
            // Out.
            #expect(try Record<S>.fetchAll(db) == [record])
            #expect(try Record<S>.fetchOne(db, key: 1) == record)
            #expect(try Array(Record<S>.fetchCursor(db)) == [record])
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM record"))
            #expect(try Record<S>(row: row) == record)
            let adapter = ScopeAdapter(["scope": SuffixRowAdapter(fromIndex: 0)])
            #expect(try Outer<S>.fetchOne(db, sql: "SELECT * FROM record", adapter: adapter)?.scope == record)
            let parent: Row = ["id": 1]
            parent.setPrefetchedRows([row, row], forKey: "children")
            #expect(try Parent<S>(row: parent).children == [record, record])
        }
    }

    // Each case changes one thing of the defaults.

    enum Defaults: Strategies {}
    enum Timestamps: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .databaseTimestamp }
    }
    enum SinceReferenceDate: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
        static var dateDecoding: DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }
    }
    enum Since1970: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .timeIntervalSince1970 }
        static var dateDecoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
    }
    enum Seconds: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .secondsSince1970 }
        static var dateDecoding: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
    }
    enum SecondsReadByDefault: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .secondsSince1970 }
    }
    enum Milliseconds: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .millisecondsSince1970 }
        static var dateDecoding: DatabaseDateDecodingStrategy { .millisecondsSince1970 }
    }
    enum ISO8601: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .iso8601 }
        static var dateDecoding: DatabaseDateDecodingStrategy { .iso8601 }
    }
    enum ISO8601ReadByDefault: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .iso8601 }
    }
    enum Formatted: Strategies {
        static var formatter: DateFormatter {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "dd.MM.yyyy"
            return formatter
        }
        static var dateEncoding: DatabaseDateEncodingStrategy { .formatted(formatter) }
        static var dateDecoding: DatabaseDateDecodingStrategy { .formatted(formatter) }
    }
    enum CustomDates: Strategies {
        static var dateEncoding: DatabaseDateEncodingStrategy { .custom { $0.timeIntervalSince1970 / 86400 } }
        static var dateDecoding: DatabaseDateDecodingStrategy {
            .custom { $0.double.map { Date(timeIntervalSince1970: $0 * 86400) } }
        }
    }
    enum TextData: Strategies {
        static var dataEncoding: DatabaseDataEncodingStrategy { .text }
    }
    enum CustomData: Strategies {
        static var dataEncoding: DatabaseDataEncodingStrategy { .custom { $0.base64EncodedString() } }
        static var dataDecoding: DatabaseDataDecodingStrategy { .custom { $0.string.flatMap { Data(base64Encoded: $0) } } }
    }
    enum LowercaseUUIDs: Strategies {
        static var uuidEncoding: DatabaseUUIDEncodingStrategy { .lowercaseString }
    }
    enum UppercaseUUIDs: Strategies {
        static var uuidEncoding: DatabaseUUIDEncodingStrategy { .uppercaseString }
    }
    enum SnakeCase: Strategies {
        static var columnEncoding: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
        // `my_id` would be the key myId: acronyms need a function on the way back.
        static var columnDecoding: DatabaseColumnDecodingStrategy {
            .custom { name in
                let keys = ["my_id": "myID", "its_uuid": "itsUUID", "no_uuid": "noUUID"]
                let words = name.split(separator: "_")
                return RecordKey(stringValue: keys[name] ?? words[0] + words.dropFirst().map(\.capitalized).joined())
            }
        }
    }
    enum CustomColumns: Strategies {
        static var columnEncoding: DatabaseColumnEncodingStrategy { .custom { "c " + $0.stringValue } }
        static var columnDecoding: DatabaseColumnDecodingStrategy { .custom { RecordKey(stringValue: String($0.dropFirst(2))) } }
    }

    private static let keys = "myID aDate optionalDate noDate someData noData itsUUID noUUID wrapped"

    /// Strategies, and what they store.
    struct Case: Sendable, CustomTestStringConvertible {
        let strategies: any (Strategies & SendableMetatype).Type
        var date = "'1970-01-02 00:00:00.000'"
        var data = "x'6162'"
        var uuid = "x'e621e1f8c36c495a93fc0c247a3e6e5f'"
        var columns = StrategyMatrixTests.keys
        var testDescription: String { "\(strategies)" }
    }

    static let cases = [
        Case(strategies: Defaults.self),
        Case(strategies: Timestamps.self, date: "'1970-01-02 00:00:00'"),
        Case(strategies: SinceReferenceDate.self, date: "-978220800.0"),
        Case(strategies: Since1970.self, date: "86400.0"),
        Case(strategies: Seconds.self, date: "86400"),
        Case(strategies: SecondsReadByDefault.self, date: "86400"),
        Case(strategies: Milliseconds.self, date: "86400000"),
        Case(strategies: ISO8601.self, date: "'1970-01-02T00:00:00Z'"),
        Case(strategies: ISO8601ReadByDefault.self, date: "'1970-01-02T00:00:00Z'"),
        Case(strategies: Formatted.self, date: "'02.01.1970'"),
        Case(strategies: CustomDates.self, date: "1.0"),
        Case(strategies: TextData.self, data: "'ab'"),
        Case(strategies: CustomData.self, data: "'YWI='"),
        Case(strategies: LowercaseUUIDs.self, uuid: "'\(uuid.uuidString.lowercased())'"),
        Case(strategies: UppercaseUUIDs.self, uuid: "'\(uuid.uuidString)'"),
        Case(
            strategies: SnakeCase.self,
            columns: "my_id a_date optional_date no_date some_data no_data its_uuid no_uuid wrapped"),
    ]

    @Test(arguments: cases)
    func `Strategies are used on every way in and out`(_ stored: Case) throws {
        try check(stored.strategies, date: stored.date, data: stored.data, uuid: stored.uuid, columns: stored.columns)
    }

    @Test
    func `Columns whose names are not identifiers are written and read`() throws {
        let columns = Self.keys.split(separator: " ").map { "c " + $0 }
        struct Names: Codable, FetchableRecord, PersistableRecord, Equatable {
            var myID = 1
            static let databaseColumnEncodingStrategy = CustomColumns.columnEncoding
            static let databaseColumnDecodingStrategy = CustomColumns.columnDecoding
        }
        #expect(try Record<CustomColumns>().databaseDictionary.keys.sorted() == columns.sorted())
        try roundTrip(Record<CustomColumns>())
        #expect(try roundTrip(Names()) == "1")
    }
}

extension StrategyMatrixTests.Strategies {
    static var dateEncoding: DatabaseDateEncodingStrategy { .deferredToDate }
    static var dateDecoding: DatabaseDateDecodingStrategy { .deferredToDate }
    static var dataEncoding: DatabaseDataEncodingStrategy { .deferredToData }
    static var dataDecoding: DatabaseDataDecodingStrategy { .deferredToData }
    static var uuidEncoding: DatabaseUUIDEncodingStrategy { .deferredToUUID }
    static var columnEncoding: DatabaseColumnEncodingStrategy { .useDefaultKeys }
    static var columnDecoding: DatabaseColumnDecodingStrategy { .useDefaultKeys }
}
