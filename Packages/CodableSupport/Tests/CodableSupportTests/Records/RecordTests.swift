import CodableSupport
import Foundation
import Testing

@Suite struct RecordTests {
    struct Player: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        var id: Int64?
        var name: String
        var score: Int?

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test
    func `A Codable record needs no code`() throws {
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER)") { db throws in
            var player = Player(id: nil, name: "Arthur", score: 1000)
            try player.insert(db)
            #expect(player.id == 1)
            player.score = nil
            try player.update(db)
            #expect(try Player.fetchAll(db) == [player])
            #expect(try Player.fetchOne(db, key: 1) == player)
            #expect(try Player.filter(Column("score") == nil).fetchOne(db) == player)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' NULL"])
            try player.save(db)
            #expect(try player.delete(db))
        }
    }

    struct Numbers: CodableRecord, Equatable {
        var bool = true
        var int = -1
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.min
        var uint: UInt = 1
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64(Int64.max)
        var float: Float = 0.25
        var double = 1e300
        var string = "it's"
    }

    @Test
    func `The standard library's basic types`() throws {
        #expect(
            try roundTrip(Numbers()) == """
                1 1e+300 0.25 -1 32767 -2147483648 -9223372036854775808 -128 'it''s' 1 65535 4294967295 9223372036854775807 255
                """)
    }

    struct OptionalNumbers: CodableRecord, Equatable {
        var bool: Bool?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var float: Float?
        var double: Double?
        var string: String?
        var data: Data?
        var date: Date?
        var uuid: UUID?
        var url: URL?
        var decimal: Decimal?
        var tags: [String]?
    }

    @Test
    func `Optionals are NULL, or what they wrap, and nil for a missing column`() throws {
        let row = try roundTrip(OptionalNumbers())
        #expect(row == Array(repeating: "NULL", count: 20).joined(separator: " "))
        try roundTrip(
            OptionalNumbers(
                bool: false, int: 1, int8: 2, int16: 3, int32: 4, int64: 5, uint: 6, uint8: 7, uint16: 8, uint32: 9, uint64: 10,
                float: 11, double: 12, string: "", data: Data(), date: Date(timeIntervalSince1970: 1), uuid: UUID(),
                url: URL(string: "https://example.com"), decimal: 13, tags: []))
        #expect(try decode(OptionalNumbers.self, "SELECT 1 AS other") == OptionalNumbers())
        #expect(try decode(OptionalNumbers.self, "SELECT 'x' AS STRING") == OptionalNumbers(string: "x"))
    }

    struct FoundationValues: CodableRecord, Equatable {
        var data = Data([0, 1, 255])
        var date = Date(timeIntervalSince1970: 1.5)
        var decimal = Decimal(string: "123456789012345678901234567890.5")!
        var url = URL(string: "https://example.com/a?b=c#d")!
        var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    }

    @Test
    func `Foundation's types are stored as elsewhere, and lose nothing`() throws {
        #expect(
            try roundTrip(FoundationValues()) == """
                x'0001ff' '1970-01-01 00:00:01.500' '123456789012345678901234567890.5' \
                'https://example.com/a?b=c#d' x'e621e1f8c36c495a93fc0c247a3e6e5f'
                """)
    }

    enum Color: String, Codable { case red, green }
    enum Level: Int, Codable { case low = 1, high }
    struct Painted: CodableRecord, Equatable {
        var color: Color
        var level: Level
        var other: Color?
    }

    @Test
    func `Enums with raw values need no conformance but Codable's`() throws {
        #expect(try roundTrip(Painted(color: .red, level: .high, other: nil)) == "'red' 2 NULL")
        #expect(try roundTrip(Painted(color: .green, level: .low, other: .red)) == "'green' 1 'red'")
        #expect(throws: DecodingError.self) { try decode(Painted.self, "SELECT 'blue' AS color, 1 AS level") }
        #expect(throws: DecodingError.self) { try decode(Painted.self, "SELECT 'red' AS color, 7 AS level") }
        #expect(throws: RowDecodingError.self) { try decode(Painted.self, "SELECT 'red' AS color, 'x' AS level") }
    }

    struct Meters: Codable, Equatable {
        var value: Double
        init(_ value: Double) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
    struct Moment: Codable, Equatable {
        var date: Date
        init(_ date: Date) { self.date = date }
        init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(date)
        }
    }
    struct Maybe<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value?
        init(_ value: Value?) { self.value = value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = container.decodeNil() ? nil : try container.decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
    struct Measured: CodableRecord, Equatable {
        var height: Meters
        var maybe = Maybe<String>(nil)
        var moment = Moment(Date(timeIntervalSince1970: 0))
        var tags = Maybe<[Int]>([1, 2])
        var width: Meters?
    }

    @Test
    func `Types that wrap a single value are stored as it`() throws {
        #expect(try roundTrip(Measured(height: Meters(1.5))) == "1.5 NULL '1970-01-01 00:00:00.000' '[1,2]' NULL")
        #expect(
            try roundTrip(Measured(height: Meters(2.5), maybe: Maybe("x"), tags: Maybe(nil), width: Meters(0.5)))
                == "2.5 'x' '1970-01-01 00:00:00.000' NULL 0.5")
        #expect(throws: RowDecodingError.self) { try decode(Measured.self, "SELECT NULL AS height") }
        #expect(throws: RowDecodingError.self) { try decode(Measured.self, "SELECT 'high' AS height") }
    }

    @propertyWrapper struct Trimmed: Codable, Equatable {
        var wrappedValue: String
        init(wrappedValue: String) { self.wrappedValue = wrappedValue.trimmingCharacters(in: .whitespaces) }
        init(from decoder: any Decoder) throws {
            self.init(wrappedValue: try decoder.singleValueContainer().decode(String.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }
    struct Form: CodableRecord, Equatable {
        @Trimmed var name: String
    }

    @Test
    func `Property wrappers`() throws {
        #expect(try roundTrip(Form(name: "  Arthur ")) == "'Arthur'")
        #expect(try decode(Form.self, "SELECT '  Barbara ' AS name").name == "Barbara")
    }

    class Animal: Codable, FetchableRecord, PersistableRecord {
        class var databaseTableName: String { "animal" }
        var name: String
        init(name: String) { self.name = name }
    }
    final class Dog: Animal {
        var breed: String
        var tags: [String]
        init(name: String, breed: String, tags: [String]) {
            self.breed = breed
            self.tags = tags
            super.init(name: name)
        }
        enum CodingKeys: CodingKey { case breed, tags }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            breed = try container.decode(String.self, forKey: .breed)
            tags = try container.decode([String].self, forKey: .tags)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(breed, forKey: .breed)
            try container.encode(tags, forKey: .tags)
        }
    }

    @Test
    func `A class and its superclass share a row`() throws {
        try withDatabase("CREATE TABLE animal (name, breed, tags)") { db throws in
            for number in 1...2 {
                let dog: Animal = Dog(name: "Rex \(number)", breed: "Beagle", tags: ["good"])
                try dog.insert(db)
                try Animal(name: "Tom").insert(db)
            }
            #expect(
                try db.rows("SELECT * FROM animal") == [
                    "'Rex 1' 'Beagle' '[\"good\"]'", "'Tom' NULL NULL", "'Rex 2' 'Beagle' '[\"good\"]'", "'Tom' NULL NULL",
                ])
            let dogs = try Dog.fetchAll(db, sql: "SELECT * FROM animal WHERE breed IS NOT NULL")
            #expect(dogs.map(\.name) == ["Rex 1", "Rex 2"])
            #expect(dogs.map(\.tags) == [["good"], ["good"]])
            #expect(try Animal.fetchAll(db).map(\.name) == ["Rex 1", "Tom", "Rex 2", "Tom"])
        }
    }

    struct Wrapped: CodableRecord, Equatable {
        var painted: Painted
        init(_ painted: Painted) { self.painted = painted }
        init(from decoder: any Decoder) throws { painted = try decoder.singleValueContainer().decode(Painted.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(painted)
        }
    }

    @Test
    func `A record that wraps another record has its columns`() throws {
        #expect(try roundTrip(Wrapped(Painted(color: .red, level: .low))) == "'red' 1 NULL")
    }

    @Test
    func `Columns have the names of coding keys`() throws {
        struct Renamed: CodableRecord, Equatable {
            var name: String
            var note = "left out"
            enum CodingKeys: String, CodingKey { case name = "the name" }
        }
        #expect(try Renamed(name: "x").databaseDictionary == ["the name": "x".databaseValue])
        try roundTrip(Renamed(name: "x"))
    }

    /// A record that reads and writes its columns in an order of its own each time.
    struct Fickle: CodableRecord, Equatable {
        var a: Int
        var b: String
        var c: [Int]
        enum CodingKeys: String, CodingKey { case a, b, c }
        init(a: Int) {
            self.a = a
            b = "b\(a)"
            c = [a]
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // Reading a column twice, or a missing column, makes no difference.
            let first = try container.decode(Int.self, forKey: .a)
            if first % 2 == 0 {
                c = try container.decode([Int].self, forKey: .c)
                b = try container.decode(String.self, forKey: .b)
                a = try container.decode(Int.self, forKey: .a)
            } else {
                a = first
                b = first % 3 == 0 ? "b\(a)" : try container.decode(String.self, forKey: .b)
                c = try container.decodeIfPresent([Int].self, forKey: .c) ?? []
            }
            #expect(container.contains(.a) && container.allKeys.count == 3)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if a % 2 == 0 { try container.encode(c, forKey: .c) }
            try container.encode(a, forKey: .a)
            if a % 3 == 0 { try container.encode("to be replaced", forKey: .b) }
            if a % 2 == 1 { try container.encode(c, forKey: .c) }
            try container.encode(b, forKey: .b)
        }
    }

    @Test
    func `Records can read and write their columns in another order each time`() throws {
        try withDatabase("CREATE TABLE fickle (b, c, a)") { db throws in
            let records = (1...20).map { Fickle(a: $0) }
            for record in records { try record.insert(db) }
            #expect(try Fickle.fetchAll(db) == records)
            #expect(try db.rows("SELECT * FROM fickle LIMIT 2") == ["'b1' '[1]' 1", "'b2' '[2]' 2"])
        }
    }

    @Test
    func `Two types can be decoded from the same rows, in turn`() throws {
        struct Name: Decodable, FetchableRecord {
            var name: String
            var score: String?
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom { name in
                RecordKey(stringValue: name == "id" ? "score" : name)
            }
            static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [:]
        }
        try withDatabase(
            "CREATE TABLE player (id, name TEXT, score INTEGER); INSERT INTO player VALUES ('x', 'Arthur', 1), ('y', 'Barbara', 2)"
        ) { db throws in
            let sql = "SELECT id, name, 0 AS score FROM player"
            struct Score: Decodable, FetchableRecord, Equatable { var score: Int; var name: String }
            for _ in 1...2 {
                #expect(try Name.fetchAll(db, sql: sql).map(\.score) == ["x", "y"])
                #expect(try Score.fetchAll(db, sql: sql).map(\.score) == [0, 0])
            }
            // Both from each row.
            let rows = try Row.fetchCursor(db, sql: sql)
            var found: [String] = []
            while let row = try rows.next() {
                let name = try Name(row: row)
                let score = try Score(row: row)
                found.append("\(name.name) \(name.score ?? "-") \(score.name) \(score.score) \(try Name(row: row).name)")
            }
            #expect(found == ["Arthur x Arthur 0 Arthur", "Barbara y Barbara 0 Barbara"])
        }
    }

    @Test
    func `A fetch sees the columns that a table has now`() throws {
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)") { db throws in
            var player = Player(id: nil, name: "Arthur", score: 1)
            try player.insert(db)
            #expect(try Player.fetchAll(db) == [player])
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN score TO points; ALTER TABLE player ADD COLUMN score INTEGER DEFAULT 7")
            #expect(try Player.fetchAll(db).map(\.score) == [7])
            try player.update(db)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1 1"])
            try db.execute(sql: "DROP TABLE player; CREATE TABLE player (score INTEGER, name TEXT, id INTEGER PRIMARY KEY)")
            try player.insert(db)
            #expect(try Player.fetchAll(db) == [player])
        }
    }
}
