import CodableSupport
import Foundation
import Testing

/// Coding keys that are one column, as column names ignore case.
@Suite struct RepeatedColumnTests {
    struct Player: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var other: String

        enum CodingKeys: String, CodingKey {
            case id
            case name
            case other = "Name"
        }
    }

    private static let creation = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"
    private static let message = "The coding keys \"Name\" and \"name\" are the same column \"name\""

    private func expectRefusal(_ message: String = Self.message, _ body: () throws -> Void) {
        let error = #expect(throws: EncodingError.self, performing: body)
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.debugDescription.hasPrefix(message))
    }

    @Test
    func `A record with two keys that differ by case is not written, and nothing changes`() throws {
        try withDatabase(Self.creation + "; INSERT INTO player VALUES (1, 'Arthur')") { (db) throws in
            var player = Player(id: 1, name: "Barbara", other: "Craig")
            // Twice, since the second record takes other paths.
            for _ in 0..<2 {
                expectRefusal { try player.insert(db) }
                expectRefusal { try player.update(db) }
                expectRefusal { try player.update(db, columns: ["id"]) }
                expectRefusal { try player.save(db) }
                expectRefusal { try player.upsert(db) }
                expectRefusal { _ = try player.delete(db) }
                expectRefusal { _ = try player.exists(db) }
                expectRefusal { try player.updateChanges(db) { $0.name = "Dora" } }
                expectRefusal { _ = try player.databaseChanges(from: Player(id: 1, name: "", other: "")) }
                expectRefusal { _ = try player.databaseEquals(player) }
                expectRefusal { _ = try player.databaseDictionary }
            }
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur'"])
        }
    }

    @Test
    func `Records of a batch with two keys that differ by case are not written`() throws {
        try withDatabase(Self.creation) { (db) throws in
            var players = [Player(id: 1, name: "Barbara", other: "Craig"), Player(id: 2, name: "Dora", other: "Eve")]
            expectRefusal { try players.insertAll(db) }
            #expect(try db.rows("SELECT * FROM player") == [])
        }
    }

    @Test
    func `Two keys that a strategy converts to one column are refused`() throws {
        struct Snake: Encodable, EncodableRecord {
            var userID = 1
            var userId = 2
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
        }
        struct Custom: Encodable, EncodableRecord {
            var a = 1
            var b = [1]
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.custom { $0.stringValue == "a" ? "x" : "X" }
        }
        for _ in 0..<2 {
            expectRefusal("The coding keys \"userID\" and \"userId\" are the same column \"user_id\"") {
                _ = try Snake().databaseDictionary
            }
            expectRefusal("The coding keys \"a\" and \"b\" are the same column \"x\"") { _ = try Custom().databaseDictionary }
        }
    }

    @Test
    func `Two keys that differ by case are refused when they are encoded piece by piece`() throws {
        struct Pieces: Encodable, EncodableRecord {
            let keys: [Key]

            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for key in keys {
                    var nested = container.nestedUnkeyedContainer(forKey: key)
                    try nested.encode(1)
                }
            }
        }
        let (lower, upper) = (Pieces.Key(stringValue: "name"), Pieces.Key(stringValue: "Name"))
        expectRefusal { _ = try Pieces(keys: [lower, upper]).databaseDictionary }
        #expect(try Pieces(keys: [lower, lower]).databaseDictionary.count == 1)
    }

    @Test
    func `JSON distinguishes keys that differ only in case`() throws {
        struct Document: Codable, Equatable, FetchableRecord, PersistableRecord {
            struct Content: Codable, Equatable {
                var name = "a"
                var other = "b"

                enum CodingKeys: String, CodingKey {
                    case name
                    case other = "Name"
                }
            }

            var content = Content()
        }
        #expect(try roundTrip(Document()) == #"'{"Name":"b","name":"a"}'"#)
    }

    @Test
    func `The last value of a key that is encoded again wins, as does a column that the program sets itself`() throws {
        class Base: Encodable, EncodableRecord {
            let name = "base"
            enum CodingKeys: CodingKey { case name }
        }
        final class Sub: Base {
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode("sub", forKey: .name)
            }
        }
        struct Manual: Encodable, EncodableRecord {
            var name = "coded"

            func encode(to container: inout PersistenceContainer) throws {
                container["NAME"] = "before"
                container["Name"] = "again"
                try EncodableRecordEncoder().encode(self, to: &container)
                #expect(container["name"] == "coded")
                container["NAME"] = "after"
            }
        }
        for _ in 0..<2 {
            #expect(try Sub().databaseDictionary == ["name": "sub".databaseValue])
            #expect(try Manual().databaseDictionary == ["NAME": "after".databaseValue])
        }
    }
}
