import CodableSupport
import Foundation
import Testing

/// The public decoder and encoder, and records that use them or the containers of `Codable` by hand.
@Suite struct CoderTests {
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        var tags: [String] = []
    }

    @Test
    func `The decoder makes a record of a row`() throws {
        let row: Row = ["id": 1, "name": "Arthur", "tags": #"["a"]"#]
        let decoder = FetchableRecordDecoder()
        #expect(try decoder.decode(Player.self, from: row) == Player(id: 1, name: "Arthur", tags: ["a"]))
        #expect(throws: RowDecodingError.self) { try decoder.decode(Player.self, from: ["id": 1]) }
        #expect(throws: RowDecodingError.self) { try decoder.decode(Player.self, from: Row()) }
        #expect(try decoder.decode(Player.self, from: row).id == 1)
    }

    @Test
    func `The encoder sets the columns of a record`() throws {
        struct Sorted: Codable, FetchableRecord, PersistableRecord, Equatable {
            var id: Int64
            var name: String

            init(id: Int64, name: String) {
                self.id = id
                self.name = name
            }

            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Sorted.self, from: row)
                name = name.capitalized
            }

            func encode(to container: inout PersistenceContainer) throws {
                try EncodableRecordEncoder().encode(self, to: &container)
                container["sortName"] = name.lowercased()
            }
        }
        try withDatabase("CREATE TABLE sorted (id INTEGER PRIMARY KEY, name TEXT, sortName TEXT)") { db throws in
            for id in 1...2 as ClosedRange<Int64> {
                try Sorted(id: id, name: "arthur DENT").insert(db)
            }
            #expect(try db.rows("SELECT * FROM sorted") == ["1 'arthur DENT' 'arthur dent'", "2 'arthur DENT' 'arthur dent'"])
            #expect(try Sorted.fetchAll(db).map(\.name) == ["Arthur Dent", "Arthur Dent"])
            // Its own initializer serves where it is a part of another record, too.
            struct Info: Decodable, FetchableRecord { var sorted: Sorted }
            #expect(try Info.fetchOne(db, sql: "SELECT * FROM sorted")?.sorted.name == "Arthur Dent")
        }
    }

    /// A record that reads and writes its columns by nested containers.
    struct Pieces: Codable, FetchableRecord, PersistableRecord, Equatable {
        var street: String
        var zip: Int?
        var numbers: [Int]
        var date: Date
        var note: String?
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }

        enum CodingKeys: CodingKey { case address, numbers, date, note }
        enum AddressKeys: CodingKey { case street, more }
        enum MoreKeys: CodingKey { case zip, `super` }

        init(street: String, zip: Int?, numbers: [Int], date: Date = Date(timeIntervalSince1970: 9), note: String? = nil) {
            self.street = street
            self.zip = zip
            self.numbers = numbers
            self.date = date
            self.note = note
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let address = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
            street = try address.decode(String.self, forKey: .street)
            let more = try address.nestedContainer(keyedBy: MoreKeys.self, forKey: .more)
            zip = try more.decodeIfPresent(Int.self, forKey: .zip)
            var list = try container.nestedUnkeyedContainer(forKey: .numbers)
            numbers = []
            while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
            date = try container.superDecoder(forKey: .date).singleValueContainer().decode(Date.self)
            let single = try container.superDecoder(forKey: .note).singleValueContainer()
            note = single.decodeNil() ? nil : try single.decode(String.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var address = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
            try address.encode("to be replaced", forKey: .street)
            var more = address.nestedContainer(keyedBy: MoreKeys.self, forKey: .more)
            try more.encode(zip, forKey: .zip)
            var list = container.nestedUnkeyedContainer(forKey: .numbers)
            for number in numbers { try list.encode(number) }
            #expect(list.count == numbers.count)
            // Asked for again, it is the same container.
            var again = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
            try again.encode(street, forKey: .street)
            var single = container.superEncoder(forKey: .date).singleValueContainer()
            try single.encode(date)
            var optional = container.superEncoder(forKey: .note).singleValueContainer()
            if let note { try optional.encode(note) } else { try optional.encodeNil() }
        }
    }

    @Test
    func `A column is read and written piece by piece by nested containers`() throws {
        #expect(
            try roundTrip(Pieces(street: "Main", zip: 5, numbers: [1, 2]))
                == #"'{"more":{"zip":5},"street":"Main"}' 9 NULL '[1,2]'"#)
        #expect(
            try roundTrip(Pieces(street: "", zip: nil, numbers: [], note: "x"))
                == #"'{"more":{"zip":null},"street":""}' 9 'x' '[]'"#)
        #expect(throws: DecodingError.self) { try decode(Pieces.self, "SELECT '{}' AS address") }
        #expect(throws: RowDecodingError.self) { try decode(Pieces.self, "SELECT 1 AS address") }
        #expect(throws: RowDecodingError.self) { try decode(Pieces.self, "SELECT NULL AS address") }
        #expect(throws: RowDecodingError.self) { try decode(Pieces.self, "SELECT 1 AS other") }
    }

    @Test
    func `Pieces of every kind become JSON: nested lists, superclasses, NULL, and what was never filled`() throws {
        struct Deep: Encodable, PersistableRecord {
            enum CodingKeys: CodingKey { case a, b, c }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                var list = container.nestedUnkeyedContainer(forKey: .a)
                try list.encodeNil()
                var object = list.nestedContainer(keyedBy: CodingKeys.self)
                try object.encodeNil(forKey: .b)
                var base = object.superEncoder().singleValueContainer()
                try base.encode([1])
                var inner = list.nestedUnkeyedContainer()
                try inner.encode("x")
                var last = list.superEncoder().unkeyedContainer()
                try last.encode(true)
                var nested = object.nestedUnkeyedContainer(forKey: .c)
                try nested.encode(5)
                _ = container.superEncoder(forKey: .b)
                _ = container.nestedUnkeyedContainer(forKey: .c)
                #expect(list.codingPath.map(\.stringValue) == ["a"] && object.codingPath.count == 1)
            }
        }
        #expect(
            try Deep().databaseDictionary == [
                "a": #"[null,{"b":null,"c":[5],"super":[1]},["x"],[true]]"#.databaseValue, "b": "{}".databaseValue,
                "c": "[]".databaseValue,
            ])
    }

    @Test
    func `A value whose superclass is encoded first, as a single value, becomes JSON`() throws {
        struct Extended: Encodable {
            enum CodingKeys: CodingKey { case extra }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                var base = container.superEncoder().singleValueContainer()
                try base.encode(1)
                try container.encode(2, forKey: .extra)
            }
        }
        struct Listed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                var base = list.superEncoder().singleValueContainer()
                try base.encodeNil()
            }
        }
        struct Holder: Encodable, PersistableRecord {
            var extended = Extended()
            var listed = Listed()
        }
        #expect(
            try Holder().databaseDictionary == [
                "extended": #"{"extra":2,"super":1}"#.databaseValue, "listed": "[null]".databaseValue,
            ])
    }

    @Test
    func `A record that fails in the middle of its pieces leaves none of them to the next one`() throws {
        struct Failure: Error {}
        struct Half: Encodable, PersistableRecord {
            var fails: Bool
            var number: Double = 1
            enum CodingKeys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number, forKey: .b)
                var list = container.nestedUnkeyedContainer(forKey: .a)
                try list.encode(number)
                if fails { throw Failure() }
            }
        }
        try withDatabase("CREATE TABLE half (a, b)") { db throws in
            for _ in 1...2 {
                #expect(throws: Failure.self) { try Half(fails: true).insert(db) }
                let error = #expect(throws: EncodingError.self) { try Half(fails: false, number: .infinity).insert(db) }
                guard case .invalidValue(_, let context) = error else { return }
                #expect(context.codingPath.map(\.stringValue).first == "a")
                #expect(context.debugDescription.contains("\"a\""))
                try Half(fails: false, number: 2).insert(db)
            }
            #expect(try db.rows("SELECT * FROM half") == ["'[2]' 2.0", "'[2]' 2.0"])
        }
    }

    @Test
    func `A record that encodes another of its type on the way keeps its own pieces`() throws {
        final class Chain: Encodable, PersistableRecord {
            let id: Int
            let next: Chain?
            nonisolated(unsafe) var columns: [String: DatabaseValue]?
            init(id: Int, next: Chain? = nil) {
                self.id = id
                self.next = next
            }
            enum CodingKeys: CodingKey { case list }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(id)
                columns = try next?.databaseDictionary
                try list.encode(id)
            }
        }
        let chain = Chain(id: 1, next: Chain(id: 2))
        for _ in 1...2 {
            #expect(try chain.databaseDictionary == ["list": "[1,1]".databaseValue])
            #expect(chain.columns == ["list": "[2,2]".databaseValue])
        }
    }

    @Test
    func `A record whose Decodable wraps one value reads the first column, by its strategy`() throws {
        struct Wrapped<Value: Decodable & Equatable>: Decodable, FetchableRecord {
            var value: Value
            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
            static var databaseDateDecodingStrategy: DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
                column == "unix" ? .timeIntervalSince1970 : .deferredToDate
            }
        }
        enum Color: String, Decodable { case red }
        #expect(try decode(Wrapped<Int>.self, "SELECT 5 AS a, 6 AS b").value == 5)
        #expect(try decode(Wrapped<String?>.self, "SELECT NULL AS a").value == nil)
        #expect(try decode(Wrapped<Color>.self, "SELECT 'red'").value == .red)
        #expect(try decode(Wrapped<Color?>.self, "SELECT NULL").value == nil)
        #expect(try decode(Wrapped<Date>.self, "SELECT 5.5 AS unix").value == Date(timeIntervalSince1970: 5.5))
        #expect(throws: RowDecodingError.self) { try decode(Wrapped<Date>.self, "SELECT '2000-01-01' AS unix") }
        #expect(throws: RowDecodingError.self) { try decode(Wrapped<Int>.self, "SELECT 'x' AS a") }
        #expect(throws: RowDecodingError.self) { try Wrapped<Int>(row: Row()) }
        #expect(throws: (any Error).self) { try decode(Wrapped<[Int]>.self, "SELECT '[1]' AS a") }
    }

    @Test
    func `Generic records, and classes that inherit`() throws {
        struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: CodableRecord, Equatable {
            static var databaseTableName: String { "pair" }
            var first: First
            var second: Second
        }
        #expect(try roundTrip(Pair(first: 1, second: "a")) == "1 'a'")
        #expect(try roundTrip(Pair(first: [1], second: Date(timeIntervalSince1970: 0))) == "'[1]' '1970-01-01 00:00:00.000'")
        #expect(try roundTrip(Pair(first: Player(id: 1, name: "x"), second: 2.5)) == #"'{"id":1,"name":"x","tags":[]}' 2.5"#)
        // Both types in turn, of the same rows.
        try withDatabase("CREATE TABLE pair (first, second); INSERT INTO pair VALUES (1, 2), (3, 4)") { db throws in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM pair")
            for row in rows + rows {
                let ints = try Pair<Int, Int>(row: row)
                let doubles = try Pair<Double, Int8>(row: row)
                #expect(Double(ints.first) == doubles.first && ints.second == Int(doubles.second))
            }
        }
    }

    @Test
    func `A column that is missing, or NULL, has the default of a record's own initializer`() throws {
        struct Options: Decodable, FetchableRecord, Equatable {
            var theme: String
            var size: Int
            var tags: [String]
            var date: Date
            var color: Color
            enum Color: String, Decodable { case red, none }
            enum CodingKeys: CodingKey { case theme, size, tags, date, color }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                theme = try container.decodeIfPresent(String.self, forKey: .theme) ?? "light"
                size = try container.decodeIfPresent(Int.self, forKey: .size) ?? 12
                tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? ["none"]
                date = try container.decodeIfPresent(Date.self, forKey: .date) ?? Date(timeIntervalSince1970: 0)
                color = try container.decodeIfPresent(Color.self, forKey: .color) ?? .none
            }
        }
        let missing = try decode(Options.self, "SELECT 1 AS other")
        #expect(missing.theme == "light" && missing.size == 12 && missing.tags == ["none"] && missing.color == .none)
        #expect(missing.date == Date(timeIntervalSince1970: 0))
        let null = "SELECT NULL AS theme, NULL AS size, NULL AS tags, NULL AS date, NULL AS color"
        #expect(try decode(Options.self, null) == missing)
        #expect(try decode(Options.self, "SELECT 'x' AS theme, '[]' AS tags, 'red' AS color").tags == [])
        // A value that is there has to be right.
        for column in ["size", "tags", "date", "color"] {
            #expect(throws: (any Error).self) { try decode(Options.self, "SELECT 'x' AS \(column)") }
        }
    }
}
