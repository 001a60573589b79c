import CodableSupport
import Foundation
import Testing

/// Optionals of optionals: NULL is the outermost nil, as in `JSONDecoder`.
@Suite("Optionals of optionals") struct NestedOptionalTests {
    struct Item: CodableRecord, Equatable {
        var int: Int??
        var text: String??
        var date: Date??
        var uuid: UUID??
        var data: Data??
        var list: [Int]??
        var three: Int???
        var dates: Date???
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    }

    static let date = Date(timeIntervalSince1970: 5)
    static let full = Item(
        int: 1, text: "a", date: date, uuid: UUID(), data: Data([1]), list: [1], three: 3, dates: date)

    @Test
    func `NULL, and a missing column, are the outermost nil; JSON decodes the same`() throws {
        let nulls = try decode(
            Item.self,
            "SELECT NULL AS int, NULL AS text, NULL AS date, NULL AS uuid, NULL AS data, NULL AS list, NULL AS three, NULL AS dates")
        // A nil in an optional is not equal to nil.
        #expect(nulls == Item())
        #expect(try decode(Item.self, "SELECT 1 AS other") == Item())
        let json = Data(#"{"int":null,"text":null,"date":null,"uuid":null,"data":null,"list":null,"three":null,"dates":null}"#.utf8)
        #expect(try JSONDecoder().decode(Item.self, from: json) == nulls)
    }

    @Test
    func `A value makes a round trip, and every nil is written as NULL`() throws {
        #expect(try roundTrip(Self.full).contains("5"))
        let nils = Item(
            int: .some(nil), text: .some(nil), date: .some(nil), uuid: .some(nil), data: .some(nil), list: .some(nil),
            three: .some(.some(nil)), dates: .some(.some(nil)))
        #expect(try nils.databaseDictionary == Item().databaseDictionary)
        #expect(try nils.databaseDictionary.values.allSatisfy(\.isNull))
        // The strategy decides how a date is stored, whatever is around it.
        #expect(try Self.full.databaseDictionary["dates"] == Self.full.databaseDictionary["date"])
    }

    @Test
    func `A type that is one value reads NULL as the outermost nil, too`() throws {
        struct Wrapper: Codable, DatabaseValueConvertible {
            var value: Int??
            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int??.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        let null = try #require(Wrapper.fromDatabaseValue(.null))
        #expect(null.value == .none && null.databaseValue == .null)
        let one = try #require(Wrapper.fromDatabaseValue(1.databaseValue))
        #expect(one.value == 1 && one.databaseValue == 1.databaseValue)
        #expect(Wrapper.fromDatabaseValue("a".databaseValue) == nil)
    }

    @Test
    func `A program that asks for an optional of an optional gets the outermost nil`() throws {
        struct ByHand: Decodable, FetchableRecord {
            var values: [Int??]
            var dates: [Date??]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                values = [
                    try container.decode(Int??.self, forKey: .a), try container.decode(Int??.self, forKey: .b),
                    try container.superDecoder(forKey: .a).singleValueContainer().decode(Int??.self),
                ]
                dates = [try container.decode(Date??.self, forKey: .a), try container.decode(Date??.self, forKey: .b)]
            }
            enum CodingKeys: CodingKey { case a, b }
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }
        }
        let record = try decode(ByHand.self, "SELECT NULL AS a, 2 AS b")
        #expect(record.values == [nil, 2, nil])
        #expect(record.dates == [nil, Date(timeIntervalSinceReferenceDate: 2)])
    }
}
