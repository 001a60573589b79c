import CodableSupport
import Foundation
import Testing

/// Types that are `Codable`, and database values by declaration alone.
@Suite struct ValueTests {
    struct Settings: Codable, DatabaseValueConvertible, Equatable {
        var theme: String
        var fontSize: Double
        var changed: Date?
        var icon: Data?
    }

    @Test
    func `A Codable type is stored as JSON with its keys in order, by declaration alone`() throws {
        let settings = Settings(theme: "dark", fontSize: 12.5, changed: Date(timeIntervalSince1970: 1.5), icon: Data([1, 2]))
        let text = #"{"changed":1500,"fontSize":12.5,"icon":"AQI=","theme":"dark"}"#
        #expect(settings.databaseValue == text.databaseValue)
        #expect(try settings.bindingValue() == text.databaseValue)
        #expect(Settings.fromDatabaseValue(text.databaseValue) == settings)
        #expect(Settings.fromDatabaseValue(Data(text.utf8).databaseValue) == settings)
        #expect(Settings?.some(settings).databaseValue == text.databaseValue)
        #expect(Settings?.none.databaseValue == .null)
        try withDatabase("CREATE TABLE user (settings TEXT)") { db throws in
            try db.execute(sql: "INSERT INTO user VALUES (?)", arguments: [settings])
            #expect(try db.rows("SELECT * FROM user") == ["'\(text)'"])
            #expect(try Settings.fetchOne(db, sql: "SELECT settings FROM user") == settings)
            #expect(try Row.fetchOne(db, sql: "SELECT settings FROM user")?["settings"] == settings)
            #expect(try Table("user").filter(Column("settings") == settings).fetchCount(db) == 1)
            try db.execute(sql: "UPDATE user SET settings = ?", arguments: [nil as Settings?])
            #expect(try Settings?.fetchAll(db, sql: "SELECT settings FROM user") == [nil])
        }
    }

    @Test(arguments: ["NULL", "1", "1.5", "''", "'{}'", "'[]'", "'{\"theme\": 1}'", "x'ff'", "'null'"])
    func `JSON that does not fit the type has no value, and is an error where a call can throw`(literal: String) throws {
        try DatabaseQueue().read { db throws in
            let dbValue = try #require(try DatabaseValue.fetchOne(db, sql: "SELECT \(literal)"))
            #expect(Settings.fromDatabaseValue(dbValue) == nil)
            let error = #expect(throws: RowDecodingError.self) {
                try Row.fetchOne(db, sql: "SELECT \(literal) AS settings")!.decode(Settings.self, forKey: "settings")
            }
            #expect(error?.column == "settings" && error?.typeName == "Settings" && error?.value == dbValue)
            #expect(throws: (any Error).self) { try Settings.fetchAll(db, sql: "SELECT \(literal)") }
        }
    }

    struct Meters: Codable, DatabaseValueConvertible, Equatable {
        var value: Double
        init(_ value: Double) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
    struct Track: Codable, DatabaseValueConvertible, Equatable {
        var points: [Int]?
        init(_ points: [Int]?) { self.points = points }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            points = container.decodeNil() ? nil : try container.decode([Int].self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(points)
        }
    }
    struct Day: Codable, DatabaseValueConvertible, Equatable {
        var date: Date
        init(_ date: Date) { self.date = date }
        init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(date)
        }
    }

    @Test
    func `A type that codes itself as a single value is stored as that, and one that wraps JSON as JSON`() throws {
        #expect(Meters(1.5).databaseValue == 1.5.databaseValue)
        #expect(Meters.fromDatabaseValue(2.databaseValue) == Meters(2))
        #expect(Meters.fromDatabaseValue("x".databaseValue) == nil)
        #expect(Track([1, 2]).databaseValue == "[1,2]".databaseValue)
        #expect(Track(nil).databaseValue == .null)
        #expect(Track.fromDatabaseValue("[1,2]".databaseValue) == Track([1, 2]))
        #expect(Track.fromDatabaseValue(.null) == Track(nil))
        let day = Day(Date(timeIntervalSince1970: 0))
        #expect(day.databaseValue == "1970-01-01 00:00:00.000".databaseValue)
        #expect(Day.fromDatabaseValue(day.databaseValue) == day)
    }

    @Test
    func `A declaration does not change how a type's values are stored in a record`() throws {
        struct Plain: Codable, Equatable {
            var theme: String
            var fontSize: Double
        }
        struct User: CodableRecord, Equatable {
            var declared: Settings
            var none: Settings?
            var plain: Plain
            var width: Meters
        }
        let user = User(
            declared: Settings(theme: "a", fontSize: 1), none: nil, plain: Plain(theme: "a", fontSize: 1), width: Meters(2))
        #expect(try roundTrip(user) == #"'{"fontSize":1,"theme":"a"}' NULL '{"fontSize":1,"theme":"a"}' 2.0"#)
    }

    enum Grape: String, Codable, DatabaseValueConvertible { case merlot, riesling }
    enum Stars: Int, Codable, DatabaseValueConvertible { case one = 1, two }
    struct PlayerID: RawRepresentable, Codable, DatabaseValueConvertible, Hashable { var rawValue: Int64 }
    struct Moment: RawRepresentable, Codable, DatabaseValueConvertible, Equatable { var rawValue: Date }

    @Test
    func `Codable types with raw values are their raw values`() throws {
        #expect(Grape.merlot.databaseValue == "merlot".databaseValue)
        #expect(Grape.fromDatabaseValue("riesling".databaseValue) == .riesling)
        #expect(Grape.fromDatabaseValue("\"riesling\"".databaseValue) == nil)
        #expect(Stars.two.databaseValue == 2.databaseValue)
        #expect(Stars.fromDatabaseValue(3.databaseValue) == nil)
        #expect(PlayerID(rawValue: 5).databaseValue == 5.databaseValue)
        #expect(try PlayerID(rawValue: 5).bindingValue() == 5.databaseValue)
        struct Wine: CodableRecord, Equatable {
            var grape: Grape
            var id: PlayerID
            var moment: Moment
            var other: Grape?
            var stars: Stars
        }
        let wine = Wine(
            grape: .merlot, id: PlayerID(rawValue: 7), moment: Moment(rawValue: Date(timeIntervalSince1970: 0)), other: nil, stars: .one)
        #expect(try roundTrip(wine) == "'merlot' 7 '1970-01-01 00:00:00.000' NULL 1")
        #expect(throws: RowDecodingError.self) {
            try decode(Wine.self, "SELECT 'gamay' AS grape, 7 AS id, 0 AS moment, NULL AS other, 1 AS stars")
        }
    }

    /// A type with conversions of its own, which the defaults leave alone.
    struct Point: Codable, DatabaseValueConvertible, Equatable {
        var x: Int
        var y: Int
        var databaseValue: DatabaseValue { "\(x);\(y)".databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Point? {
            let parts = dbValue.string?.split(separator: ";").compactMap { Int($0) } ?? []
            return parts.count == 2 ? Point(x: parts[0], y: parts[1]) : nil
        }
    }

    @Test
    func `Conversions of a type's own are used on every way in and out`() throws {
        struct Shape: CodableRecord, Equatable { var point: Point; var url: URL }
        #expect(try Point(x: 1, y: 2).bindingValue() == "1;2".databaseValue)
        #expect(try roundTrip(Shape(point: Point(x: 1, y: 2), url: URL(string: "https://a.b")!)) == "'1;2' 'https://a.b'")
        // Types of the layers below keep their conversions, although they are Codable.
        #expect(try URL(string: "https://a.b")!.bindingValue() == "https://a.b".databaseValue)
        #expect(try Decimal(5).bindingValue() == "5".databaseValue)
        try withDatabase("CREATE TABLE shape (point)") { db throws in
            try db.execute(sql: "INSERT INTO shape VALUES (?)", arguments: [Point(x: 1, y: 2)])
            #expect(try db.rows("SELECT * FROM shape") == ["'1;2'"])
            #expect(try Point.fetchOne(db, sql: "SELECT point FROM shape") == Point(x: 1, y: 2))
        }
    }

    struct Failure: Error, Equatable {}
    struct Picky: Codable, DatabaseValueConvertible {
        var number: Double
        init(_ number: Double) { self.number = number }
        enum CodingKeys: CodingKey { case number }
        func encode(to encoder: any Encoder) throws {
            if number < 0 { throw Failure() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
        }
    }

    @Test
    func `A value that can't be encoded is an error wherever it is written, and never NULL`() throws {
        struct Holder: CodableRecord { var picky: Picky? }
        #expect(throws: Failure.self) { try Picky(-1).bindingValue() }
        #expect(throws: EncodingError.self) { try Picky(.infinity).bindingValue() }
        #expect(throws: Failure.self) { try Picky?.some(Picky(-1)).bindingValue() }
        try withDatabase("CREATE TABLE holder (picky)") { db throws in
            #expect(throws: Failure.self) { try db.execute(sql: "INSERT INTO holder VALUES (?)", arguments: [Picky(-1)]) }
            #expect(throws: Failure.self) {
                try db.execute(sql: "INSERT INTO holder VALUES (:p)", arguments: ["p": Picky(-1)])
            }
            #expect(throws: Failure.self) { try Holder(picky: Picky(-1)).insert(db) }
            #expect(throws: Failure.self) { try Holder(picky: Picky(-1)).databaseDictionary }
            #expect(throws: Failure.self) { try Table("holder").filter(Column("picky") == Picky(-1)).fetchCount(db) }
            #expect(throws: EncodingError.self) { try Holder(picky: Picky(.nan)).insert(db) }
            #expect(try Table("holder").fetchCount(db) == 0)
            try Holder(picky: Picky(1)).insert(db)
            #expect(throws: Failure.self) { try Holder(picky: Picky(-1)).insert(db) }
            #expect(try db.rows("SELECT * FROM holder") == [#"'{"number":1}'"#])
        }
    }

    struct Coders: Codable, DatabaseValueConvertible, Equatable {
        static let counter = Locked(0)
        var firstName: String
        var date: Date
        static func databaseJSONEncoder() -> JSONEncoder {
            counter.increment()
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .secondsSince1970
            return encoder
        }
        static func databaseJSONDecoder() -> JSONDecoder {
            counter.increment()
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .secondsSince1970
            return decoder
        }
    }

    @Test
    func `A type can have coders of its own, which are made once`() throws {
        let value = Coders(firstName: "Jules", date: Date(timeIntervalSince1970: 5))
        for _ in 1...10 {
            #expect(value.databaseValue == #"{"date":5,"first_name":"Jules"}"#.databaseValue)
            #expect(Coders.fromDatabaseValue(value.databaseValue) == value)
        }
        #expect(Coders.counter.take() == 2)
    }

    @Test
    func `Many threads can code values of a type at once`() async throws {
        struct Shared: Codable, DatabaseValueConvertible, Equatable { var numbers: [Int] }
        let results = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
            let results = Results(count: 8, continuation: continuation)
            for thread in 0..<8 {
                Thread.detachNewThread {
                    let values = (0..<50).map { Shared(numbers: [thread, $0]) }
                    results.add(values.allSatisfy { Shared.fromDatabaseValue($0.databaseValue) == $0 })
                }
            }
        }
        #expect(results == Array(repeating: true, count: 8))
    }

    private final class Results: @unchecked Sendable {
        private let lock = NSLock()
        private let count: Int
        private let continuation: CheckedContinuation<[Bool], Never>
        private var results: [Bool] = []

        init(count: Int, continuation: CheckedContinuation<[Bool], Never>) {
            self.count = count
            self.continuation = continuation
        }

        func add(_ result: Bool) {
            lock.withLock {
                results.append(result)
                if results.count == count { continuation.resume(returning: results) }
            }
        }
    }

    /// A value that reads columns in a way of its own. It would make a value of NULL, but never gets it.
    private struct Own: Codable, DatabaseValueConvertible, StatementColumnConvertible, Equatable {
        var number: Int64

        init(number: Int64) { self.number = number }

        init(sqliteStatement: SQLiteStatement, index: CInt) {
            number = 2 * (DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 ?? -1)
        }

        var databaseValue: DatabaseValue { number.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Own? { dbValue.int64.map { Own(number: $0) } }
    }

    /// The same for a type with a raw value.
    private enum OwnRaw: Int64, Codable, DatabaseValueConvertible, StatementColumnConvertible {
        case two = 2
        case four = 4

        init?(sqliteStatement: SQLiteStatement, index: CInt) {
            guard let number = DatabaseValue(sqliteStatement: sqliteStatement, index: index).int64 else { return nil }
            self.init(rawValue: 2 * number)
        }
    }

    @Test
    func `A property whose type reads columns in a way of its own is read that way`() throws {
        struct Record: Decodable, FetchableRecord, Equatable {
            var a: Own
            var b: Own?
            var c: OwnRaw
            var d: OwnRaw?
            var e: Own?
        }
        let records: [Record] = try DatabaseQueue().read { db in
            try Record.fetchAll(db, sql: "SELECT 1 AS a, NULL AS b, 1 AS c, NULL AS d, 3 AS e UNION ALL SELECT 2, 1, 2, 1, 4")
        }
        #expect(
            records == [
                Record(a: Own(number: 2), b: nil, c: .two, d: nil, e: Own(number: 6)),
                Record(a: Own(number: 4), b: Own(number: 2), c: .four, d: .two, e: Own(number: 8)),
            ])
    }
}

@Suite struct DatabaseValuePropertyTests {
    private struct Cell: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int
        var value: DatabaseValue
    }

    @Test
    func `A property that is a DatabaseValue is the value of its column, of any storage class`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE cell (id INTEGER PRIMARY KEY, value)")
            try db.execute(
                sql: "INSERT INTO cell VALUES (1, NULL), (2, 7), (3, 7.0), (4, 'a' || char(0) || 'b'), (5, x'00FF'), (6, '{\"real\":1}')")
            let cells = try Cell.fetchAll(db)
            #expect(cells.count == 6)
            try db.execute(sql: "DELETE FROM cell")
            for cell in cells { try cell.insert(db) }
            let types = try String.fetchAll(db, sql: "SELECT typeof(value) || quote(value) FROM cell ORDER BY id")
            #expect(types == ["nullNULL", "integer7", "real7.0", "text'a'", "blobX'00FF'", "text'{\"real\":1}'"])
            #expect(try Int.fetchOne(db, sql: "SELECT length(CAST(value AS BLOB)) FROM cell WHERE id = 4") == 3)
            #expect(try Cell.fetchAll(db) == cells)
        }
    }
}
