import CodableSupport
import Foundation
import Testing

@Suite struct JSONTests {
    struct Address: Codable, Equatable {
        var street: String
        var city: City?
        struct City: Codable, Equatable { var name: String; var founded: Date? }
    }
    struct Customer: CodableRecord, Equatable {
        var address: Address
        var limits: [String: Int] = [:]
        var other: Address?
        var tags: [String] = []
    }

    @Test
    func `Types that are not database values are stored as JSON`() throws {
        let address = Address(street: #"1, "Main" Street"#, city: .init(name: "Århus", founded: Date(timeIntervalSince1970: 1.5)))
        #expect(
            try roundTrip(Customer(address: address, limits: ["b": 2, "a": 1], tags: ["x", "y"])) == #"""
                '{"city":{"founded":1500,"name":"Århus"},"street":"1, \"Main\" Street"}' '{"a":1,"b":2}' NULL '["x","y"]'
                """#)
        #expect(
            try roundTrip(Customer(address: Address(street: ""), other: address)) == #"""
                '{"street":""}' '{}' '{"city":{"founded":1500,"name":"Århus"},"street":"1, \"Main\" Street"}' '[]'
                """#)
    }

    @Test
    func `JSON is read from strings and from blobs`() throws {
        let customer = try decode(
            Customer.self,
            #"SELECT CAST('{"street": "x"}' AS BLOB) AS address, ' { "a" : 1 } ' AS limits, '["t"]' AS tags, NULL AS other"#)
        #expect(customer == Customer(address: Address(street: "x"), limits: ["a": 1], tags: ["t"]))
    }

    struct Collections: CodableRecord, Equatable {
        var dates: [Date] = [Date(timeIntervalSince1970: 1.25)]
        var kinds: [Kind: Int] = [:]
        var kind: Kind = .two(3)
        var matrix: [[Double]] = [[1, 2], []]
        var optionals: [Int?] = [1, nil]
        var data: [Data] = [Data([1, 2])]
        var set: Set<Int> = [5]
        enum Kind: Codable, Hashable { case one, two(Int) }
    }

    @Test
    func `Collections of many kinds, and enums with values`() throws {
        #expect(
            try roundTrip(Collections())
                == #"'["AQI="]' '[1250]' '{"two":{"_0":3}}' '[]' '[[1,2],[]]' '[1,null]' '[5]'"#)
    }

    @Test(arguments: ["{", "[1]", "{}", "text", "", " {}"])
    func `A value is an error, or not, whatever was in the row before`(text: String) throws {
        struct House: Decodable, FetchableRecord, Equatable { var address: Address }
        func result(_ rows: String) throws -> Result<House, DescribedError> {
            try DatabaseQueue().read { db in
                do {
                    let houses = try House.fetchAll(db, sql: "\(rows) SELECT ? AS address", arguments: [text])
                    return .success(try #require(houses.last))
                } catch {
                    // The SQL differs.
                    return .failure(DescribedError(description: String("\(error)".prefix { $0 != "-" })))
                }
            }
        }
        let first = try result("")
        let afterJSON = try result(#"SELECT '{"street": "Main Street"}' AS address UNION ALL"#)
        #expect(afterJSON == first)
    }
    private struct DescribedError: Error, Equatable { let description: String }

    /// A value that is sometimes a single one, and sometimes needs JSON.
    enum Value: Codable, Equatable {
        case number(Int), list([Value]), null
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .list(try container.decode([Value].self))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .list(let list): try container.encode(list)
            case .null: try container.encodeNil()
            }
        }
    }
    /// A value that asks for one kind of container or the other.
    enum Shape: Codable, Equatable {
        case name(String), points([Int])
        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                var points: [Int] = []
                while !list.isAtEnd { points.append(try list.decode(Int.self)) }
                self = .points(points)
            } else {
                self = .name(try decoder.singleValueContainer().decode(String.self))
            }
        }
        func encode(to encoder: any Encoder) throws {
            switch self {
            case .name(let name):
                var container = encoder.singleValueContainer()
                try container.encode(name)
            case .points(let points):
                var container = encoder.unkeyedContainer()
                for point in points { try container.encode(point) }
            }
        }
    }

    @Test
    func `How a value is stored does not depend on the values before`() throws {
        struct Mixed: CodableRecord, Equatable {
            var value: Value
            var shape: Shape
        }
        try withDatabase("CREATE TABLE mixed (value, shape)") { db throws in
            let records = [
                Mixed(value: .number(1), shape: .name("a")),
                Mixed(value: .list([.number(1), .null]), shape: .points([1, 2])),
                Mixed(value: .number(2), shape: .name("b")),
                Mixed(value: .null, shape: .points([])),
                Mixed(value: .list([]), shape: .name("c")),
            ]
            for record in records { try record.insert(db) }
            #expect(
                try db.rows("SELECT * FROM mixed")
                    == ["1 'a'", "'[1,null]' '[1,2]'", "2 'b'", "NULL '[]'", "'[]' 'c'"])
            struct Stored: Decodable, FetchableRecord { var value: Value }
            #expect(try Stored.fetchAll(db, sql: "SELECT value FROM mixed").map(\.value) == records.map(\.value))
        }
    }

    struct Custom: CodableRecord, Equatable {
        var first: [Date]
        var second: [Date]
        static func databaseJSONEncoder(for column: String) -> JSONEncoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = column == "first" ? .iso8601 : .secondsSince1970
            return encoder
        }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = column == "first" ? .iso8601 : .secondsSince1970
            return decoder
        }
    }

    @Test
    func `Each column can have its own JSON encoder and decoder`() throws {
        let dates = [Date(timeIntervalSince1970: 60)]
        #expect(try roundTrip(Custom(first: dates, second: dates)) == #"'["1970-01-01T00:01:00Z"]' '[60]'"#)
    }

    static let key = CodingUserInfoKey(rawValue: "greeting")!
    struct Greeter: Codable, Equatable {
        var greeting: String
        init(from decoder: any Decoder) throws {
            greeting = decoder.userInfo[JSONTests.key] as? String ?? "none"
            _ = try decoder.singleValueContainer().decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(encoder.userInfo[JSONTests.key] as? String ?? "none")
        }
        init() { greeting = "" }
    }
    struct Party: CodableRecord {
        var greeter: Greeter
        var greeters: [Greeter]
        var ownGreeting: String
        static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "hello"]
        static let databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] = [JSONTests.key: "bye"]
        enum CodingKeys: String, CodingKey { case greeter, greeters, ownGreeting }
        init() {
            greeter = Greeter()
            greeters = [Greeter()]
            ownGreeting = ""
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            greeter = try container.decode(Greeter.self, forKey: .greeter)
            greeters = try container.decode([Greeter].self, forKey: .greeters)
            ownGreeting = decoder.userInfo[JSONTests.key] as? String ?? "none"
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(greeter, forKey: .greeter)
            try container.encode(greeters, forKey: .greeters)
            try container.encode(encoder.userInfo[JSONTests.key] as? String ?? "none", forKey: .ownGreeting)
        }
    }

    @Test
    func `userInfo reaches records, values and JSON`() throws {
        try withDatabase("CREATE TABLE party (greeter, greeters, ownGreeting)") { db throws in
            try Party().insert(db)
            #expect(try db.rows("SELECT * FROM party") == [#"'bye' '["bye"]' 'bye'"#])
            let party = try #require(try Party.fetchOne(db))
            #expect(party.greeter.greeting == "hello")
            #expect(party.greeters.map(\.greeting) == ["hello"])
            #expect(party.ownGreeting == "hello")
        }
    }

    @Test
    func `A record can read a part of a JSON column by containers`() throws {
        struct Part: Decodable, FetchableRecord {
            var street: String
            var first: Int
            enum CodingKeys: CodingKey { case address, numbers }
            enum AddressKeys: CodingKey { case street }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                street = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address).decode(String.self, forKey: .street)
                var numbers = try container.nestedUnkeyedContainer(forKey: .numbers)
                first = try numbers.decode(Int.self)
            }
        }
        let part = try decode(Part.self, #"SELECT '{"street": "x"}' AS address, '[7, 8]' AS numbers"#)
        #expect(part.street == "x")
        #expect(part.first == 7)
    }

    @Test
    func `Encoding a record as an array or as one value is an error`() throws {
        struct List: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
        }
        struct Single: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }
        struct Null: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            }
        }
        #expect(throws: EncodingError.self) { try List().databaseDictionary }
        #expect(throws: EncodingError.self) { try Single().databaseDictionary }
        #expect(throws: EncodingError.self) { try Null().databaseDictionary }
    }
}
