import CodableSupport
import Foundation
import Testing

/// What encoding strategies mean for requests: a value that meets a column of a record's table has the form that the record stores.
@Suite struct StrategyRequestTests {
    // Each strategy, as a type, so that a record type can have it.
    protocol DateStrategy: Sendable { static var strategy: DatabaseDateEncodingStrategy { get } }
    enum Deferred: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.deferredToDate }
    enum Timestamp: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.databaseTimestamp }
    enum SinceReferenceDate: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.timeIntervalSinceReferenceDate }
    enum Since1970: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.timeIntervalSince1970 }
    enum Seconds: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.secondsSince1970 }
    enum Milliseconds: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.millisecondsSince1970 }
    enum ISO8601: DateStrategy { static let strategy = DatabaseDateEncodingStrategy.iso8601 }
    enum Formatted: DateStrategy {
        static let strategy = DatabaseDateEncodingStrategy.formatted(
            {
                let formatter = DateFormatter()
                formatter.locale = Locale(identifier: "en_US_POSIX")
                formatter.timeZone = TimeZone(secondsFromGMT: 0)
                formatter.dateFormat = "yyyy/MM/dd HH:mm:ss"
                return formatter
            }())
    }
    enum Custom: DateStrategy {
        static let strategy = DatabaseDateEncodingStrategy.custom { "d" + $0.databaseValue.string! }
    }

    struct Event<S: DateStrategy>: Codable, FetchableRecord, PersistableRecord {
        static var databaseTableName: String { "event" }
        var day: Date
        var end: Date?
        var name = "x"

        enum Columns {
            static var day: Column { Column(CodingKeys.day) }
            static var end: TypedColumn<Date> { TypedColumn(CodingKeys.end) }
        }

        init(day: Date, end: Date? = nil) {
            self.day = day
            self.end = end
        }

        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { S.strategy }
        // The tests look at what is stored.
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .custom { _ in .distantPast } }
    }

    static let strategies: [any DateStrategy.Type] = [
        Deferred.self, Timestamp.self, SinceReferenceDate.self, Since1970.self, Seconds.self, Milliseconds.self, ISO8601.self,
        Formatted.self, Custom.self,
    ]

    @Test(arguments: strategies)
    func `Each strategy for dates finds and changes the rows that it has written`(strategy: any DateStrategy.Type) throws {
        func check<S: DateStrategy>(_ type: S.Type) throws {
            let (first, second) = (Date(timeIntervalSince1970: 1_000_000_000), Date(timeIntervalSince1970: 1_500_000_000))
            try withDatabase("CREATE TABLE event (day PRIMARY KEY, end, name)") { db throws in
                try Event<S>(day: first).insert(db)
                try Event<S>(day: second, end: second).insert(db)
                func expect(
                    _ count: Int, _ make: (Event<S>.Columns.Type) -> any SQLSpecificExpressible,
                    sourceLocation: SourceLocation = #_sourceLocation
                ) throws {
                    #expect(try Event<S>.filter(make).fetchCount(db) == count, sourceLocation: sourceLocation)
                }
                try expect(1) { $0.day == first }
                try expect(1) { $0.day != first }
                try expect(1) { $0.day < second }
                try expect(2) { $0.day <= second }
                try expect(2) { $0.day >= first }
                try expect(1) { $0.day > first }
                try expect(1) { $0.end === second }
                try expect(1) { $0.end !== second }
                try expect(2) { (first...second).contains($0.day) }
                try expect(1) { (first..<second).contains($0.day) }
                try expect(2) { [first, second].contains($0.day) }
                try expect(1) { ($0.end ?? first) == first }
                #expect(try Event<S>.exists(db, key: first))
                #expect(try Event<S>.fetchOne(db, key: first) != nil)
                #expect(try Event<S>.fetchOne(db, key: ["day": first]) != nil)
                #expect(try Event<S>.fetchAll(db, keys: [first, second]).count == 2)
                #expect(try Event<S>.updateAll(db) { $0.end.set(to: first) } == 2)
                try expect(2) { $0.end == first }
                try Event<S>(day: first, end: first).upsert(db, onConflict: ["day"]) { excluded in
                    [
                        Event<S>.Columns.end.set(
                            to: Case(when: excluded[Column("end")] == first && Event<S>.Columns.day == first, then: second))
                    ]
                }
                try expect(1) { $0.end == second }
                let updated = try Event<S>.filter { $0.day == first }.updateAndFetchAll(db) { [$0.end.set(to: first)] }
                #expect(updated.count == 1)
                let stored = try Event<S>(day: first, end: first).databaseDictionary
                let row = try #require(try Row.fetchOne(db, Event<S>.filter(key: first)))
                #expect(row["end"] == stored["end"])
                let comparison = (Event<S>.Columns.end == first).forKey("isFirst")
                let isFirst = try Event<S>(day: first, end: first).updateAndFetch(db, selection: [comparison]) { try Bool.fetchOne($0) }
                #expect(isFirst == true)
                #expect(try Event<S>(day: first).updateChanges(db, from: Event<S>(day: first, end: first)))
                #expect(try Event<S>.deleteOne(db, key: second))
                #expect(try Event<S>.deleteAll(db, keys: [first, second]) == 1)
                let error = #expect(throws: RecordError.self) { try Event<S>.find(db, key: first) }
                #expect(error?.expandedDescription == "no row in table event with day = \(stored["day"]!)")
            }
        }
        try check(strategy)
    }

    protocol UUIDStrategy: Sendable { static var strategy: DatabaseUUIDEncodingStrategy { get } }
    enum Bytes: UUIDStrategy { static let strategy = DatabaseUUIDEncodingStrategy.deferredToUUID }
    enum Lowercase: UUIDStrategy { static let strategy = DatabaseUUIDEncodingStrategy.lowercaseString }
    enum Uppercase: UUIDStrategy { static let strategy = DatabaseUUIDEncodingStrategy.uppercaseString }

    struct Node<S: UUIDStrategy>: Codable, FetchableRecord, MutablePersistableRecord, Identifiable {
        static var databaseTableName: String { "node" }
        var id: UUID?
        var parentId: UUID?

        static var children: HasManyAssociation<Self, Self> { hasMany(Self.self, key: "children", using: ForeignKey(["parentId"])) }
        static var parent: BelongsToAssociation<Self, Self> { belongsTo(Self.self, key: "parent", using: ForeignKey(["parentId"])) }

        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { S.strategy }
    }

    @Test(arguments: [Bytes.self, Lowercase.self, Uppercase.self] as [any UUIDStrategy.Type])
    func `Each strategy for UUIDs, with optional ids`(strategy: any UUIDStrategy.Type) throws {
        func check<S: UUIDStrategy>(_ type: S.Type) throws {
            let (id, child) = (UUID(), UUID())
            try withDatabase("CREATE TABLE node (id PRIMARY KEY, parentId REFERENCES node)") { db throws in
                var node = Node<S>(id: id)
                try node.insert(db)
                _ = try Node<S>(id: child, parentId: id).inserted(db)
                #expect(try Node<S>.fetchOne(db, id: id)?.id == id)
                #expect(try Node<S>.fetchOne(db, id: UUID?.none)?.id == nil)
                #expect(try Node<S>.fetchOne(db, key: id)?.id == id)
                #expect(try Node<S>.find(db, id: id).id == id)
                #expect(try Node<S>.fetchAll(db, ids: [id, child, nil]).count == 2)
                #expect(try Node<S>.exists(db, id: id))
                #expect(try Node<S>.filter(id: id).fetchCount(db) == 1)
                #expect(try Node<S>.filter(ids: [id]).fetchCount(db) == 1)
                #expect(try Node<S>.filter(Column("parentId") == id).fetchOne(db)?.id == child)
                #expect(try node.request(for: Node<S>.children).fetchAll(db).map(\.id) == [child])
                #expect(try node.request(for: Node<S>.children.filter(Column("id") == child)).fetchCount(db) == 1)
                #expect(try Node<S>.joining(required: Node<S>.parent.filter(id: id)).fetchOne(db)?.id == child)
                #expect(try Node<S>.having(Node<S>.children.filter(Column("id") == child).count == 1).fetchOne(db)?.id == id)
                let rows = try Node<S>.including(all: Node<S>.children.filter(Column("parentId") == id)).asRequest(of: Row.self).fetchAll(
                    db)
                #expect(rows.map { $0.prefetchedRows["children"]?.count } == [1, 0])
                #expect(try Node<S>.filter(id: child).updateAll(db, Column("parentId").set(to: child)) == 1)
                #expect(try Node<S>.filter(Column("parentId") == Column("id")).fetchCount(db) == 1)
                #expect(try Node<S>.deleteOne(db, id: child))
                #expect(try Node<S>.deleteAll(db, ids: [id]) == 1)
            }
        }
        try check(strategy)
    }

    @Test
    func `Strategies for data`() throws {
        struct File: Codable, FetchableRecord, PersistableRecord {
            var id: Data
            var content: Data?
            static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
                column == "id" ? .text : .custom { $0.isEmpty ? nil : $0.base64EncodedString() }
            }
        }
        try withDatabase("CREATE TABLE file (id PRIMARY KEY, content)") { db throws in
            let data = Data("ab".utf8)
            try File(id: data, content: data).insert(db)
            #expect(try db.rows("SELECT * FROM file") == ["'ab' 'YWI='"])
            #expect(try File.exists(db, key: data))
            #expect(try File.filter(Column("content") == data).fetchCount(db) == 1)
            #expect(try File.updateAll(db, Column("content").set(to: Data())) == 1)
            #expect(try db.rows("SELECT * FROM file") == ["'ab' NULL"])
            #expect(throws: DatabaseError.self) { try File.exists(db, key: Data([255])) }
            let error = #expect(throws: EncodingError.self) { try File(id: Data([255])).insert(db) }
            #expect("\(error!)".contains("The data of column \"id\" is not valid UTF-8."))
        }
    }

    @Test
    func `The strategies of each column, under the name that the column has`() throws {
        struct Stamp: Codable, FetchableRecord, PersistableRecord {
            var id = 1
            var createdAt = Date(timeIntervalSince1970: 10)
            var updatedAt = Date(timeIntervalSince1970: 20)
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
                switch column {
                case "created_at": .secondsSince1970
                case "updated_at": .millisecondsSince1970
                default: .deferredToDate
                }
            }
        }
        try withDatabase("CREATE TABLE stamp (id INTEGER PRIMARY KEY, created_at, updated_at)") { db throws in
            try Stamp().insert(db)
            #expect(try db.rows("SELECT * FROM stamp") == ["1 10 20000"])
            let date = Date(timeIntervalSince1970: 15)
            let request = Stamp.filter(Column("created_at") < date && Column("UPDATED_AT") > date)
            #expect(try request.fetchCount(db) == 1)
            #expect(try Stamp.updateAll(db, Column("created_at").set(to: date), Column("updated_at").set(to: date)) == 1)
            #expect(try db.rows("SELECT * FROM stamp") == ["1 15 15000"])
        }
    }

    @Test
    func `A record that only decodes has no strategies for its requests, but can define what it stores`() throws {
        struct Event: Decodable, FetchableRecord, TableRecord {
            var day: Date
        }
        try withDatabase("CREATE TABLE event (day INTEGER); INSERT INTO event VALUES (10)") { db throws in
            let date = Date(timeIntervalSince1970: 10)
            #expect(try Event.filter(Column("day") == date).fetchCount(db) == 0)
            #expect(try Event.filter(Column("day") == date.timeIntervalSince1970).fetchCount(db) == 1)
            let value = try DatabaseDateEncodingStrategy.secondsSince1970.databaseValue(for: date)
            #expect(try Event.filter(Column("day") == value).fetchCount(db) == 1)
        }
    }

    class Base: TableRecord {
        class var databaseTableName: String { "base" }
    }

    final class Derived: Base, PersistableRecord, Encodable {
        var id = UUID()
        override class var databaseTableName: String { "derived" }
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
    }

    @Test
    func `A class that encodes itself, of a class that does not`() throws {
        try withDatabase("CREATE TABLE derived (id TEXT PRIMARY KEY)") { db throws in
            let record = Derived()
            try record.insert(db)
            #expect(try Derived.exists(db, key: record.id))
            #expect(try Derived.filter(Column("id") == record.id).fetchCount(db) == 1)
            #expect(try Table<Derived>("derived").filter(key: record.id).fetchCount(db) == 1)
        }
    }

    // MARK: - Dates that can't be written

    static let noDates = [Double.nan, .infinity, -.infinity]

    @Test(arguments: strategies)
    func `Dates that a strategy can't write are errors, in records and in requests`(strategy: any DateStrategy.Type) throws {
        func check<S: DateStrategy>(_ type: S.Type) throws {
            var dates = Self.noDates
            switch S.strategy {
            case .custom: return
            case .deferredToDate, .databaseTimestamp, .iso8601: dates += [1e12, -1e12, 1e15, -1e15, 1e18, 253_402_300_800, -62_200_000_000]
            case .formatted: dates += [1e15, -1e15, 1e18, -1e18]
            case .secondsSince1970, .millisecondsSince1970: dates += [1e19, -1e19]
            case .timeIntervalSince1970, .timeIntervalSinceReferenceDate: break
            }
            try withDatabase("CREATE TABLE event (day PRIMARY KEY, end, name)") { db throws in
                for seconds in dates {
                    let date = Date(timeIntervalSince1970: seconds)
                    #expect(throws: DatabaseError.self, "\(S.self) \(seconds)") { try Event<S>(day: date).insert(db) }
                    #expect(throws: DatabaseError.self) { try Event<S>(day: Date(), end: date).insert(db) }
                    #expect(throws: DatabaseError.self) { try Event<S>(day: Date(), end: date).databaseDictionary }
                    #expect(throws: DatabaseError.self) { try Event<S>.filter(Column("day") == date).fetchCount(db) }
                    #expect(throws: DatabaseError.self) { try Event<S>.updateAll(db) { $0.end.set(to: date) } }
                    #expect(throws: DatabaseError.self) { try Event<S>.exists(db, key: date) }
                    #expect(throws: DatabaseError.self) { try Event<S>.fetchOne(db, key: date) }
                    #expect(throws: DatabaseError.self) { try S.strategy.databaseValue(for: date) }
                    #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO event (day) VALUES (?)", arguments: [date]) }
                    // The other values don't matter to a deletion.
                    #expect(try !Event<S>(day: Date(), end: date).delete(db))
                }
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM event") == 0)
            }
        }
        try check(strategy)
    }

    @Test
    func `Dates at the ends of what strategies write`() throws {
        func value(_ strategy: DatabaseDateEncodingStrategy, _ seconds: Double) throws -> String {
            try strategy.databaseValue(for: Date(timeIntervalSince1970: seconds)).sqlLiteral
        }
        #expect(try value(.iso8601, 253_402_300_799.999) == "'9999-12-31T23:59:59Z'")
        #expect(try value(.iso8601, -62_135_596_800).hasPrefix("'0001-01-0"))
        #expect(try value(.iso8601, 0.999) == "'1970-01-01T00:00:00Z'")
        #expect(try value(.timeIntervalSince1970, 1e15) == "1000000000000000.0")
        #expect(try value(.secondsSince1970, -1.5) == "-2")
        #expect(try value(.secondsSince1970, 1e18) == "1000000000000000000")
        #expect(try value(.millisecondsSince1970, 1e15) == "1000000000000000000")
        #expect(try value(Formatted.strategy, 253_402_300_799) == "'9999/12/31 23:59:59'")
    }

    @Test
    func `A date that was read, and is written again, has the same number of milliseconds`() throws {
        struct Event: Codable, FetchableRecord, PersistableRecord {
            var at: Date
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .millisecondsSince1970 }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .millisecondsSince1970 }
        }
        var generator = SystemRandomNumberGenerator()
        try withDatabase("CREATE TABLE event (at INTEGER PRIMARY KEY)") { db throws in
            for range in [0...4_000_000_000_000, -4_000_000_000_000...0, -62_000_000_000_000...253_402_300_799_999] {
                for _ in 0..<500 {
                    let milliseconds = Int.random(in: range, using: &generator)
                    try db.execute(sql: "INSERT OR IGNORE INTO event VALUES (?)", arguments: [milliseconds])
                    let event = try #require(try Event.fetchOne(db, key: milliseconds), "\(milliseconds)")
                    #expect(try event.databaseDictionary["at"] == milliseconds.databaseValue, "\(milliseconds)")
                    #expect(try Event.exists(db, key: event.at), "\(milliseconds)")
                }
            }
        }
    }

    @Test(arguments: ["deferred", "reference", "seconds", "milliseconds"])
    func `An infinite number is not a date`(_ column: String) throws {
        struct Event: Decodable, FetchableRecord {
            static var strategy: DatabaseDateDecodingStrategy { .deferredToDate }
            var deferred: Date?
            var reference: Date?
            var seconds: Date?
            var milliseconds: Date?
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                switch column {
                case "reference": .timeIntervalSinceReferenceDate
                case "seconds": .timeIntervalSince1970
                case "milliseconds": .millisecondsSince1970
                default: .deferredToDate
                }
            }
        }
        for number in ["9e999", "-9e999"] {
            #expect(throws: RowDecodingError.self) { try decode(Event.self, "SELECT \(number) AS \(column)") }
        }
        #expect(throws: Never.self) { try decode(Event.self, "SELECT 1e12 AS \(column)") }
    }
}
