import CodableSupport
import Foundation
import Testing

/// Values of one selected column of an association.
@Suite("One column of an association") struct OneColumnTests {
    struct Athlete: TableRecord {
        static let medals = hasMany(Medal.self, key: "medals")
    }
    struct Medal: TableRecord {
        static let athlete = belongsTo(Athlete.self, key: "athlete")
        static let events = hasMany(Event.self, key: "events")
    }
    struct Event: TableRecord {}

    /// A record of an athlete with values of the medals.
    struct WithMedals<Values: Decodable>: Decodable, FetchableRecord {
        var medals: Values
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            column == "seconds" ? .timeIntervalSince1970 : .deferredToDate
        }
        static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
            column == "hex" ? .custom { $0.string.flatMap { Data($0.utf8.reversed()) } } : .deferredToData
        }
    }

    /// A record of a medal with a value of the athlete.
    struct WithAthlete<Value: Decodable>: Decodable, FetchableRecord {
        var id: Int
        var athlete: Value
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            WithMedals<Int>.databaseDateDecodingStrategy(for: column)
        }
        static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
            WithMedals<Int>.databaseDataDecodingStrategy(for: column)
        }
    }

    enum Color: String, Codable, DatabaseValueConvertible { case gold, silver }
    enum PlainColor: String, Codable { case gold, silver }

    /// Stored otherwise than its `Codable` conformance encodes it.
    struct Point: Codable, Hashable, DatabaseValueConvertible {
        var x: Int
        var y: Int
        var databaseValue: DatabaseValue { "\(x);\(y)".databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Point? {
            let parts = dbValue.string?.split(separator: ";").compactMap { Int($0) } ?? []
            return parts.count == 2 ? Point(x: parts[0], y: parts[1]) : nil
        }
    }

    /// Wraps a value in its own initializer.
    struct Wrapped<Value: Decodable & Equatable>: Decodable, Equatable {
        var value: Value
        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    }

    struct Info: Codable, Equatable {
        var place: String
        var year: Int
    }

    /// A record of one column, whose coding key names it.
    struct Place: Codable, Equatable {
        var info: Info
    }

    static let (first, second) = (Date(timeIntervalSince1970: 1_000_000_000), Date(timeIntervalSince1970: 1_500_000_000))
    static let uuids = ["0", "F"].map { UUID(uuidString: "\($0)0112233-4455-6677-8899-AABBCCDDEEFF")! }

    static let columns = """
        date TEXT, seconds INTEGER, uuid BLOB, data BLOB, hex TEXT, color TEXT, point TEXT, price TEXT, link TEXT, tags TEXT, info TEXT, \
        number INTEGER, name TEXT, note TEXT
        """

    func withAthletes(_ body: (Database) throws -> Void) throws {
        let sql = """
            CREATE TABLE athlete (id INTEGER PRIMARY KEY, \(Self.columns));
            CREATE TABLE medal (id INTEGER PRIMARY KEY, athleteId INTEGER REFERENCES athlete, \(Self.columns));
            CREATE TABLE event (id INTEGER PRIMARY KEY, medalId INTEGER REFERENCES medal, day TEXT);
            """
        try withDatabase(sql) { db in
            let values: [[(any DatabaseValueConvertible)?]] = [
                [
                    Self.first, 1_000_000_000, Self.uuids[0], Data([1, 2]), "ba", "gold", Point(x: 1, y: 2), "0.1", "https://a.org/b",
                    #"["a","b"]"#, #"{"place":"Rome","year":1960}"#, 5, "one", nil,
                ],
                [
                    Self.second, 1_500_000_000, Self.uuids[1], Data(), "dc", "silver", Point(x: 3, y: 4), "2", "x:y", "[]",
                    #"{"place":"Oslo","year":1952}"#, -7, "two", "n",
                ],
            ]
            let marks = databaseQuestionMarks(count: values[0].count)
            for (index, values) in values.enumerated() {
                try db.execute(sql: "INSERT INTO athlete VALUES (\(index + 1), \(marks))", arguments: StatementArguments(values))
                try db.execute(sql: "INSERT INTO medal VALUES (\(index + 1), 1, \(marks))", arguments: StatementArguments(values))
            }
            try db.execute(sql: "INSERT INTO medal (id, athleteId) VALUES (3, NULL)")
            try db.execute(sql: "INSERT INTO event VALUES (1, 1, '2001-09-09'), (2, 1, '2017-07-14')")
            try body(db)
        }
    }

    /// Checks the values of a column in many rows and in one row, streamed and copied.
    private func check<Value: Decodable & Equatable>(
        _ db: Database, _ column: String, _ expected: [Value], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let many = Athlete.including(all: Athlete.medals.select(Column(column)).order(Column("id"))).order(Column("id"))
        let arrays = try many.asRequest(of: WithMedals<[Value]>.self).fetchAll(db).map(\.medals)
        #expect(arrays == [expected, []], sourceLocation: sourceLocation)
        let optionals = try many.asRequest(of: WithMedals<[Value?]>.self).fetchAll(db).map(\.medals)
        #expect(optionals == [expected, []], sourceLocation: sourceLocation)

        let one = Medal.select(Column("id")).order(Column("id"))
        let athlete = Medal.athlete.select(Column(column))
        let required = one.including(required: athlete).asRequest(of: WithAthlete<Value>.self)
        #expect(try required.fetchAll(db).map(\.athlete) == [expected[0], expected[0]], sourceLocation: sourceLocation)
        let optional = one.including(optional: athlete).asRequest(of: WithAthlete<Value?>.self)
        #expect(try optional.fetchAll(db).map(\.athlete) == [expected[0], expected[0], nil], sourceLocation: sourceLocation)
        let nested = one.including(optional: athlete).asRequest(of: WithAthlete<Value??>.self)
        #expect(try nested.fetchAll(db).map(\.athlete) == [expected[0], expected[0], nil], sourceLocation: sourceLocation)
        let rows = try Row.fetchAll(db, optional)
        for _ in 1...2 {
            let copied = try rows.map { try WithAthlete<Value?>(row: $0).athlete }
            #expect(copied == [expected[0], expected[0], nil], sourceLocation: sourceLocation)
        }
    }

    @Test
    func `Every type that a column can have decodes from one column of an association`() throws {
        try withAthletes { db throws in
            try check(db, "date", [Self.first, Self.second])
            try check(db, "seconds", [Self.first, Self.second])
            try check(db, "uuid", Self.uuids)
            try check(db, "data", [Data([1, 2]), Data()])
            try check(db, "hex", [Data("ab".utf8), Data("cd".utf8)])
            try check(db, "color", [Color.gold, .silver])
            try check(db, "color", [PlainColor.gold, .silver])
            try check(db, "point", [Point(x: 1, y: 2), Point(x: 3, y: 4)])
            try check(db, "price", [Decimal(string: "0.1")!, 2])
            try check(db, "link", [URL(string: "https://a.org/b")!, URL(string: "x:y")!])
            try check(db, "tags", [["a", "b"], []])
            try check(db, "tags", [Set(["a", "b"]), []])
            try check(db, "info", [Info(place: "Rome", year: 1960), Info(place: "Oslo", year: 1952)])
            try check(db, "info", [Place(info: Info(place: "Rome", year: 1960)), Place(info: Info(place: "Oslo", year: 1952))])
            try check(db, "number", [5, -7])
            try check(db, "number", [Int8(5), -7])
            try check(db, "number", [5.0, -7])
            try check(db, "number", [true, true])
            try check(db, "number", [Duration.seconds(5), .seconds(-7)])
            try check(db, "name", ["one", "two"])
            try check(db, "date", [Wrapped(Self.first), Wrapped(Self.second)])
            try check(db, "seconds", [Wrapped(Self.first), Wrapped(Self.second)])
            try check(db, "data", [Wrapped(Data([1, 2])), Wrapped(Data())])
            try check(db, "tags", [Wrapped(["a", "b"]), Wrapped([])])
            try check(db, "tags", [Wrapped(Wrapped(["a", "b"])), Wrapped(Wrapped([]))])
            try check(db, "info", [Wrapped(Info(place: "Rome", year: 1960)), Wrapped(Info(place: "Oslo", year: 1952))])
        }
    }

    @Test
    func `Properties of the standard library's types decode from the scope of their key`() throws {
        // The standard library calls a method of its own for each of these types.
        struct Flat: Decodable, FetchableRecord {
            var text: String
            var int: Int
            var double: Double
            var bool: Bool
            var day: Date
            var optionalText: String?
            var optionalInt: Int?
            var optionalUInt: UInt8?
            var optionalDay: Date?
            var optionalData: Data?
            var optionalColor: Color?
            var missing: String?
        }
        struct Value: Decodable, FetchableRecord {
            var athlete: DatabaseValue
            var athleteOrNil: DatabaseValue?
            enum CodingKeys: String, CodingKey { case athlete, athleteOrNil = "optional" }
        }
        try withAthletes { db throws in
            func athlete(_ key: String, _ column: String) -> BelongsToAssociation<Medal, Athlete> {
                Medal.athlete.forKey(key).select(Column(column))
            }
            let request = Medal.including(required: athlete("text", "name")).including(required: athlete("int", "number"))
                .including(required: athlete("double", "number")).including(required: athlete("bool", "number"))
                .including(required: athlete("day", "seconds"))
                .including(optional: athlete("optionalText", "name")).including(optional: athlete("optionalInt", "number"))
                .including(optional: athlete("optionalUInt", "number")).including(optional: athlete("optionalDay", "date"))
                .including(optional: athlete("optionalData", "data")).including(optional: athlete("optionalColor", "color"))
                .order(Column("id"))
            for flat in try request.asRequest(of: Flat.self).fetchAll(db) {
                #expect(flat.text == "one" && flat.int == 5 && flat.double == 5 && flat.bool && flat.day == Self.first)
                #expect(flat.optionalText == "one" && flat.optionalInt == 5 && flat.optionalUInt == 5 && flat.optionalDay == Self.first)
                #expect(flat.optionalData == Data([1, 2]) && flat.optionalColor == .gold && flat.missing == nil)
            }
            let values = Medal.select(Column("id")).including(optional: athlete("athlete", "number"))
                .including(optional: athlete("optional", "number")).order(Column("id")).asRequest(of: Value.self)
            #expect(try values.fetchAll(db).map(\.athlete) == [5.databaseValue, 5.databaseValue, .null])
            #expect(try values.fetchAll(db).map(\.athleteOrNil) == [5.databaseValue, 5.databaseValue, .null])
            // No row where one must be is an error that names the scope.
            struct Required: Decodable, FetchableRecord { var int: Int }
            let none = Medal.select(Column("id")).including(optional: athlete("int", "number")).asRequest(of: Required.self)
            let error = #expect(throws: RowDecodingError.self) { try none.fetchAll(db) }
            #expect(error?.column == "number" && error?.scopes == ["int"] && error?.value == .null)
        }
    }

    @Test
    func `A dictionary is the JSON of the column`() throws {
        try withAthletes { db throws in
            try db.execute(sql: #"UPDATE athlete SET note = '{"a":1}'; UPDATE medal SET note = '{"b":' || id || '}'"#)
            try check(db, "note", [["b": 1], ["b": 2]].map { $0 as [String: Int] }, one: ["a": 1])
        }
    }

    private func check<Value: Decodable & Equatable>(_ db: Database, _ column: String, _ expected: [Value], one: Value) throws {
        let many = Athlete.including(all: Athlete.medals.select(Column(column)).order(Column("id"))).order(Column("id"))
        #expect(try many.asRequest(of: WithMedals<[Value]>.self).fetchAll(db).map(\.medals) == [expected, []])
        let required = Medal.select(Column("id")).including(required: Medal.athlete.select(Column(column)).filter(Column("id") == 1))
        #expect(try required.asRequest(of: WithAthlete<Value>.self).fetchAll(db).map(\.athlete) == [one, one])
    }

    @Test
    func `Other collections than arrays have values of one column, too, and NULL is nil`() throws {
        try withAthletes { db throws in
            let dates = Athlete.including(all: Athlete.medals.select(Column("date"))).order(Column("id"))
            #expect(try dates.asRequest(of: WithMedals<Set<Date>>.self).fetchAll(db).map(\.medals) == [[Self.first, Self.second], []])
            #expect(try dates.asRequest(of: WithMedals<ContiguousArray<Date>?>.self).fetchOne(db)?.medals?.count == 2)
            let notes = Athlete.including(all: Athlete.medals.select(Column("note")).order(Column("id"))).order(Column("id"))
            #expect(try notes.asRequest(of: WithMedals<[String?]>.self).fetchOne(db)?.medals == [nil, "n"])
            let empty = try notes.asRequest(of: WithMedals<[Data?]>.self).fetchOne(db)?.medals
            #expect(empty == [nil, Data("n".utf8)])
            let values = try notes.asRequest(of: WithMedals<[DatabaseValue]>.self).fetchOne(db)?.medals
            #expect(values == [.null, "n".databaseValue])
            let error = #expect(throws: RowDecodingError.self) { try notes.asRequest(of: WithMedals<[String]>.self).fetchAll(db) }
            #expect(error?.column == "note" && error?.value == .null && error?.scopes == ["medals"])
            #expect(error.map { "\($0)".hasPrefix(#"could not decode String from column 0 "note" of "medals": "#) } == true)
        }
    }

    @Test
    func `A type of several columns, or with a scope, is a record of its columns, and not JSON`() throws {
        struct Named: Decodable, Equatable {
            var name: String?
            var event: [String: String]?
        }
        struct WithEvents: Decodable, Equatable {
            var events: [Day]
            struct Day: Decodable, Equatable { var day: Date }
        }
        try withAthletes { db throws in
            // The column is not an object, so that the record lacks it.
            let request = Athlete.including(all: Athlete.medals.select(Column("note")).order(Column("id"))).order(Column("id"))
            #expect(try request.asRequest(of: WithMedals<[Named]>.self).fetchOne(db)?.medals == [Named(), Named()])
            // Prefetched rows belong to the row of one column.
            let events = Athlete.medals.select(Column("info")).including(all: Medal.events.select(Column("day"))).order(Column("id"))
            let fetched = try Athlete.including(all: events).order(Column("id")).asRequest(of: WithMedals<[WithEvents]>.self).fetchOne(db)
            #expect(fetched?.medals.map(\.events.count) == [2, 0])
        }
    }

    @Test
    func `Only one column is a value: a scope of several columns is not`() throws {
        try withAthletes { db throws in
            let request = Medal.select(Column("id")).including(required: Medal.athlete.select(Column("date"), Column("name")))
            let error = #expect(throws: RowDecodingError.self) { try request.asRequest(of: WithAthlete<Date>.self).fetchAll(db) }
            #expect(error?.column == "athlete" && error?.value == nil)
            #expect(throws: RowDecodingError.self) { try request.asRequest(of: WithAthlete<String>.self).fetchAll(db) }
            #expect(try request.asRequest(of: WithAthlete<String?>.self).fetchOne(db)?.athlete == nil)
            #expect(try request.asRequest(of: WithAthlete<UUID?>.self).fetchOne(db)?.athlete == nil)
            struct Plain: Decodable, FetchableRecord { var athlete: String? }
            struct Required: Decodable, FetchableRecord { var athlete: String }
            #expect(try request.asRequest(of: Plain.self).fetchOne(db)?.athlete == nil)
            #expect(throws: RowDecodingError.self) { try request.asRequest(of: Required.self).fetchAll(db) }
            // As in fetches of values, prefetched rows have the values of their leftmost column.
            let ids = Athlete.including(all: Athlete.medals.select(Column("id"), Column("name")).order(Column("id"))).order(Column("id"))
            #expect(try ids.asRequest(of: WithMedals<[Int64]>.self).fetchAll(db).map(\.medals) == [[1, 2], []])
        }
    }

    @Test
    func `Containers that an initializer requests read the one column, too`() throws {
        struct ByHand: Decodable, FetchableRecord {
            var tags: [String] = []
            var place: String
            var dates: [Date] = []
            enum CodingKeys: CodingKey { case athlete, medals }
            enum InfoKeys: CodingKey { case place }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if container.contains(.medals) {
                    var medals = try container.nestedUnkeyedContainer(forKey: .medals)
                    while !medals.isAtEnd { dates.append(try medals.decode(Date.self)) }
                    place = medals.codingPath.map(\.stringValue).joined(separator: ".")
                    return
                }
                if try container.decode(String.self, forKey: .athlete).hasPrefix("[") {
                    var list = try container.nestedUnkeyedContainer(forKey: .athlete)
                    while !list.isAtEnd { tags.append(try list.decode(String.self)) }
                    place = list.codingPath.map(\.stringValue).joined(separator: ".")
                } else {
                    let info = try container.nestedContainer(keyedBy: InfoKeys.self, forKey: .athlete)
                    #expect(info.codingPath.map(\.stringValue) == ["athlete", "info"])
                    place = try info.decode(String.self, forKey: .place)
                }
            }
        }
        try withAthletes { db throws in
            func fetch(_ column: String) throws -> ByHand? {
                let request = Medal.select(Column("id")).including(required: Medal.athlete.select(Column(column)))
                return try request.asRequest(of: ByHand.self).fetchOne(db)
            }
            #expect(try fetch("info")?.place == "Rome")
            let tagged = try fetch("tags")
            #expect(tagged?.tags == ["a", "b"] && tagged?.place == "athlete.tags")
            let dates = Athlete.including(all: Athlete.medals.select(Column("date")).order(Column("id"))).order(Column("id"))
            let dated = try dates.asRequest(of: ByHand.self).fetchOne(db)
            #expect(dated?.dates == [Self.first, Self.second] && dated?.place == "medals")
        }
    }
}
