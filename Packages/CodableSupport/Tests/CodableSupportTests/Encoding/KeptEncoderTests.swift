import Foundation
import Testing

@testable import CodableSupport

/// Encoders and containers that a record keeps, and uses during its own encoding or after it.
@Suite struct KeptEncoderTests {
    enum Keys: String, CodingKey { case id, name, date, list }

    /// What records have kept.
    final class Shelf {
        var encoders: [any Encoder] = []
        var containers: [KeyedEncodingContainer<Keys>] = []
        var values: [any SingleValueEncodingContainer] = []
        var lists: [any UnkeyedEncodingContainer] = []

        nonisolated(unsafe) static var shared = Shelf()
    }

    struct Failure: Error {}

    /// An encoder of a record whose keyed containers are all new, as where the coder can't tell whether a container was copied.
    struct NewContainerEncoder: Encoder {
        let base: RecordEncoder

        init(_ base: any Encoder) throws { self.base = try #require(base as? RecordEncoder) }

        var codingPath: [any CodingKey] { base.codingPath }
        var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> { base.makeNewContainer(keyedBy: type) }
        func unkeyedContainer() -> any UnkeyedEncodingContainer { base.unkeyedContainer() }
        func singleValueContainer() -> any SingleValueEncodingContainer { base.singleValueContainer() }
    }

    /// A type that encodes itself as a single value, and keeps the encoder of its column.
    struct Name: Encodable {
        var text: String
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
            Shelf.shared.encoders.append(encoder)
        }
    }

    /// A record that keeps its encoder, and all that it can get of it.
    struct Keeper: Encodable, PersistableRecord {
        static let databaseTableName = "keeper"
        var id: Int

        nonisolated(unsafe) static var onEncode: ((Keeper) throws -> Void)?
        nonisolated(unsafe) static var asksForNewContainers = false

        func encode(to encoder: any Encoder) throws {
            let encoder = Self.asksForNewContainers ? try NewContainerEncoder(encoder) : encoder
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            try container.encode(Name(text: "name \(id)"), forKey: .name)
            Shelf.shared.encoders.append(encoder)
            Shelf.shared.containers.append(container)
            Shelf.shared.values.append(encoder.singleValueContainer())
            Shelf.shared.encoders.append(container.superEncoder())
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(id)
            var nested = list.nestedContainer(keyedBy: Keys.self)
            try nested.encode(id, forKey: .id)
            Shelf.shared.containers.append(nested)
            Shelf.shared.lists.append(list)
            try Self.onEncode?(self)
        }
    }

    static let schema = "CREATE TABLE keeper (id, name, date, list)"

    // MARK: - Stops

    enum Use: String, Codable, CaseIterable {
        case container, singleValue, singleValueNil, userInfo
        case encode, encodeIfPresent, encodeNil, encodeDate, encodeType, nestedContainer, nestedUnkeyedContainer, superEncoder,
            superEncoderForKey
        case columnValue, columnType, columnNil, columnContainer, columnUserInfo
        case encoderOfSuperclass
        case pieceValue, pieceNil, pieceContainer, pieceList, pieceEncoder

        /// Uses what the first record has kept.
        func run() throws {
            let shelf = Shelf.shared
            let (column, encoder, superclass) = (shelf.encoders[0], shelf.encoders[1], shelf.encoders[2])
            var (keyed, nested, single, list) = (shelf.containers[0], shelf.containers[1], shelf.values[0], shelf.lists[0])
            switch self {
            case .container: _ = encoder.container(keyedBy: Keys.self)
            case .singleValue: try single.encode(["id": 1])
            case .singleValueNil: try single.encodeNil()
            case .userInfo: _ = encoder.userInfo
            case .encode: try keyed.encode(1, forKey: .id)
            case .encodeIfPresent: try keyed.encodeIfPresent(nil as Int?, forKey: .id)
            case .encodeNil: try keyed.encodeNil(forKey: .id)
            case .encodeDate: try keyed.encode(Date(), forKey: .date)
            case .encodeType: try keyed.encode([1], forKey: .list)
            case .nestedContainer: _ = keyed.nestedContainer(keyedBy: Keys.self, forKey: .list)
            case .nestedUnkeyedContainer: _ = keyed.nestedUnkeyedContainer(forKey: .list)
            case .superEncoder: _ = keyed.superEncoder()
            case .superEncoderForKey: _ = keyed.superEncoder(forKey: .list)
            case .columnValue:
                var container = column.singleValueContainer()
                try container.encode("other")
            case .columnType:
                var container = column.singleValueContainer()
                try container.encode(Date())
            case .columnNil:
                var container = column.singleValueContainer()
                try container.encodeNil()
            case .columnContainer: _ = column.container(keyedBy: Keys.self)
            case .columnUserInfo: _ = column.userInfo
            case .encoderOfSuperclass: _ = superclass.container(keyedBy: Keys.self)
            case .pieceValue: try nested.encode(1, forKey: .name)
            case .pieceNil: try nested.encodeNil(forKey: .name)
            case .pieceContainer: _ = nested.nestedContainer(keyedBy: Keys.self, forKey: .list)
            case .pieceList: try list.encode(1)
            case .pieceEncoder: _ = list.superEncoder()
            }
        }
    }

    private func expectStop(_ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("was used after its record had been encoded"), sourceLocation: sourceLocation)
        #expect(!message.contains("AddressSanitizer"), sourceLocation: sourceLocation)
    }

    @Test(arguments: Use.allCases)
    func `Whatever was kept stops the program after its connection`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            try DatabaseQueue().write { db in
                try db.execute(sql: KeptEncoderTests.schema)
                for id in 1...3 { try Keeper(id: id).insert(db) }
                #expect(try db.rows("SELECT id, name, list FROM keeper").last == #"3 'name 3' '[3,{"id":3}]'"#)
            }
            try? use.run()
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.container, .encode, .singleValue, .columnValue, .pieceList])
    func `What the first record has kept stops the program in the record after it`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            Keeper.onEncode = { if $0.id == 2 { try use.run() } }
            try? DatabaseQueue().write { db in
                try db.execute(sql: KeptEncoderTests.schema)
                for id in 1...3 { try Keeper(id: id).insert(db) }
            }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.container, .encode, .pieceValue])
    func `What a record has kept that failed stops the program`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            Keeper.onEncode = { _ in throw Failure() }
            try? DatabaseQueue().write { db in
                try db.execute(sql: KeptEncoderTests.schema)
                #expect(throws: Failure.self) { try Keeper(id: 1).insert(db) }
                try? use.run()
            }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.container, .encode, .columnNil, .pieceEncoder])
    func `What has encoded a dictionary stops the program`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            _ = try Keeper(id: 1).databaseDictionary
            _ = try Keeper(id: 2).databaseDictionary
            try? use.run()
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.encode, .superEncoder])
    func `Containers stop the program as well where they are not given out twice`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            Keeper.asksForNewContainers = true
            Keeper.onEncode = { if $0.id == 2 { try use.run() } }
            try? DatabaseQueue().write { db in
                try db.execute(sql: KeptEncoderTests.schema)
                for id in 1...3 { try Keeper(id: id).insert(db) }
            }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    /// A record that encodes another one in its place, with a column of its own before and after it.
    struct Wrapper: Encodable, PersistableRecord {
        static let databaseTableName = "keeper"
        nonisolated(unsafe) static var container: KeyedEncodingContainer<Keys>?
        var isUsedMeanwhile = false

        struct Wrapped: Encodable, PersistableRecord {
            var isUsed: Bool

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("inside", forKey: .name)
                if isUsed { try Wrapper.container?.encode("outside", forKey: .list) }
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(1, forKey: .id)
            Self.container = container
            defer { Self.container = nil }
            var place = encoder.singleValueContainer()
            try place.encode(Wrapped(isUsed: isUsedMeanwhile))
            try container.encode("after", forKey: .date)
        }
    }

    @Test
    func `An encoder stops the program while its record encodes another record in its place`() async throws {
        #expect(
            try Wrapper().databaseDictionary
                == ["id": 1.databaseValue, "name": "inside".databaseValue, "date": "after".databaseValue])
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try? Wrapper(isUsedMeanwhile: true).databaseDictionary
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    // MARK: - Uses that are right

    /// A record that uses its containers after others of its type have been encoded, and while they are.
    final class Chain: Encodable, PersistableRecord {
        static let databaseTableName = "keeper"
        let id: Int
        let next: Chain?
        /// Encodes the next one on the way.
        let body: ((Chain) throws -> Void)?
        nonisolated(unsafe) static var outer: KeyedEncodingContainer<Keys>?
        nonisolated(unsafe) static var asksForNewContainers = false

        init(id: Int, next: Chain? = nil, body: ((Chain) throws -> Void)? = nil) {
            self.id = id
            self.next = next
            self.body = body
        }

        func encode(to encoder: any Encoder) throws {
            let encoder = Self.asksForNewContainers ? try NewContainerEncoder(encoder) : encoder
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(id, forKey: .id)
            // The record around this one is still being encoded, and has its own columns.
            try Self.outer?.encode("inside \(id)", forKey: .name)
            let outer = Self.outer
            Self.outer = container
            defer { Self.outer = outer }
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(id)
            if let next { try body?(next) }
            var again = encoder.container(keyedBy: Keys.self)
            try again.encode("date \(id)", forKey: .date)
            try list.encode(id)
        }
    }

    // One case after the other: they share the static properties.
    @Test(.serialized, arguments: [false, true])
    func `Containers are good until their record is encoded, whatever is encoded in the meantime`(asksForNewContainers: Bool) throws {
        Chain.asksForNewContainers = asksForNewContainers
        defer { Chain.asksForNewContainers = false }
        try withDatabase(Self.schema) { db throws in
            for round in 1...3 {
                try db.execute(sql: "DELETE FROM keeper")
                let insert: (Chain) throws -> Void = { try $0.insert(db) }
                try Chain(id: 1, next: Chain(id: 2, next: Chain(id: 3), body: insert), body: insert).insert(db)
                #expect(
                    try db.rows("SELECT id, name, date, list FROM keeper") == [
                        "3 NULL 'date 3' '[3,3]'", "2 'inside 3' 'date 2' '[2,2]'", "1 'inside 2' 'date 1' '[1,1]'",
                    ])
                let dictionary: (Chain) throws -> Void = { _ = try $0.databaseDictionary }
                let chain = Chain(id: round, next: Chain(id: 2, next: Chain(id: 3), body: dictionary), body: dictionary)
                #expect(try chain.databaseDictionary["name"] == "inside 2".databaseValue)
            }
        }
    }

    @Test
    func `A record that encodes another of its type into the same container continues with its own pieces`() throws {
        final class Pair: Encodable, PersistableRecord {
            static let databaseTableName = "keeper"
            let id: Int
            let other: Pair?
            init(id: Int, other: Pair? = nil) {
                self.id = id
                self.other = other
            }

            func encode(to container: inout PersistenceContainer) throws {
                try EncodableRecordEncoder().encode(self, to: &container)
                // The same memory, with the state of this type, once more.
                if let other { try EncodableRecordEncoder().encode(other, to: &container) }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(id)
                try container.encode(id, forKey: .id)
                try list.encode(id)
            }
        }
        #expect(try Pair(id: 1, other: Pair(id: 2)).databaseDictionary == ["id": 2.databaseValue, "list": "[2,2]".databaseValue])
    }

    @Test
    func `Records that keep their encoders and never use them are encoded as others are`() throws {
        try withDatabase(Self.schema) { db throws in
            Shelf.shared = Shelf()
            for id in 1...200 {
                try Keeper(id: id).insert(db)
                if id % 50 == 0 { Shelf.shared = Shelf() }
            }
            #expect(try db.rows("SELECT id, name, list FROM keeper") == (1...200).map { #"\#($0) 'name \#($0)' '[\#($0),{"id":\#($0)}]'"# })
        }
    }
}
