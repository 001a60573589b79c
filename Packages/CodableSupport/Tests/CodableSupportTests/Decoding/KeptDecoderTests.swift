import Foundation
import Testing

@testable import CodableSupport

/// Decoders and containers that a record keeps, and uses during its own decoding or after it.
@Suite struct KeptDecoderTests {
    enum Keys: String, CodingKey { case id, name, date, uuid, json, missing }

    /// What records have kept.
    final class Shelf {
        var decoders: [any Decoder] = []
        var containers: [KeyedDecodingContainer<Keys>] = []
        var values: [any SingleValueDecodingContainer] = []

        nonisolated(unsafe) static var shared = Shelf()
    }

    struct Failure: Error {}

    /// A decoder of a record whose keyed containers are all new, as where the coder can't tell whether a container was copied.
    struct NewContainerDecoder: Decoder {
        let base: RecordDecoder

        init(_ base: any Decoder) throws { self.base = try #require(base as? RecordDecoder) }

        var codingPath: [any CodingKey] { base.codingPath }
        var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> { base.makeNewContainer(keyedBy: type) }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }
    }

    /// A record that keeps its decoder, and all that it can get of it.
    struct Keeper: Decodable, FetchableRecord {
        var id: Int
        var name: String

        nonisolated(unsafe) static var onDecode: ((Keeper) throws -> Void)?
        nonisolated(unsafe) static var asksForNewContainers = false

        init(from decoder: any Decoder) throws {
            let decoder = Self.asksForNewContainers ? try NewContainerDecoder(decoder) : decoder
            let container = try decoder.container(keyedBy: Keys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            try Self.onDecode?(self)
            Shelf.shared.decoders.append(decoder)
            Shelf.shared.containers.append(container)
            Shelf.shared.values.append(try decoder.singleValueContainer())
            Shelf.shared.decoders.append(try container.superDecoder(forKey: .name))
            Shelf.shared.decoders.append(try container.superDecoder())
        }
    }

    static let sql = """
        SELECT i AS id, 'name ' || i AS name, NULL AS date, NULL AS uuid, '{"id":' || i || '}' AS json
        FROM (SELECT 1 AS i UNION ALL SELECT 2 UNION ALL SELECT 3)
        """

    // MARK: - Stops

    enum Use: String, Codable, CaseIterable {
        case container, unkeyedContainer, singleValueContainer, userInfo
        case decode, decodeDate, decodeUUID, decodeType, decodeIfPresent, decodeDateIfPresent, decodeUUIDIfPresent, decodeTypeIfPresent
        case decodeNil, contains, allKeys, nestedContainer, superDecoder, superDecoderForKey
        case singleValue, singleValueNil
        case columnValue, columnType, columnNil, columnContainer, columnUserInfo
        case decoderOfSuperclass

        /// Uses what the first record has kept.
        func run() throws {
            let shelf = Shelf.shared
            let (decoder, column, superclass) = (shelf.decoders[0], shelf.decoders[1], shelf.decoders[2])
            let (keyed, single) = (shelf.containers[0], shelf.values[0])
            switch self {
            case .container: _ = try decoder.container(keyedBy: Keys.self)
            case .unkeyedContainer: _ = try decoder.unkeyedContainer()
            case .singleValueContainer: _ = try decoder.singleValueContainer().decodeNil()
            case .userInfo: _ = decoder.userInfo
            case .decode: _ = try keyed.decode(Int.self, forKey: .id)
            case .decodeDate: _ = try keyed.decode(Date.self, forKey: .date)
            case .decodeUUID: _ = try keyed.decode(UUID.self, forKey: .uuid)
            case .decodeType: _ = try keyed.decode([String: Int].self, forKey: .json)
            case .decodeIfPresent: _ = try keyed.decodeIfPresent(Int.self, forKey: .id)
            case .decodeDateIfPresent: _ = try keyed.decodeIfPresent(Date.self, forKey: .date)
            case .decodeUUIDIfPresent: _ = try keyed.decodeIfPresent(UUID.self, forKey: .uuid)
            case .decodeTypeIfPresent: _ = try keyed.decodeIfPresent([String: Int].self, forKey: .json)
            case .decodeNil: _ = try keyed.decodeNil(forKey: .id)
            case .contains: _ = keyed.contains(.id)
            case .allKeys: _ = keyed.allKeys
            case .nestedContainer: _ = try keyed.nestedContainer(keyedBy: Keys.self, forKey: .json)
            case .superDecoder: _ = try keyed.superDecoder()
            case .superDecoderForKey: _ = try keyed.superDecoder(forKey: .id)
            case .singleValue: _ = try single.decode([String: String].self)
            case .singleValueNil: _ = single.decodeNil()
            case .columnValue: _ = try column.singleValueContainer().decode(String.self)
            case .columnType: _ = try column.singleValueContainer().decode(Data.self)
            case .columnNil: _ = try column.singleValueContainer().decodeNil()
            case .columnContainer: _ = try column.container(keyedBy: Keys.self)
            case .columnUserInfo: _ = column.userInfo
            case .decoderOfSuperclass: _ = try superclass.container(keyedBy: Keys.self)
            }
        }
    }

    private func expectStop(_ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("was used after its record had been decoded"), sourceLocation: sourceLocation)
        #expect(!message.contains("AddressSanitizer"), sourceLocation: sourceLocation)
    }

    @Test(arguments: Use.allCases)
    func `Whatever was kept stops the program after its fetch`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            try DatabaseQueue().read { db in _ = try Keeper.fetchAll(db, sql: KeptDecoderTests.sql) }
            try? use.run()
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.container, .decode, .singleValue, .columnValue])
    func `What the first record has kept stops the program in the record after it`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            Keeper.onDecode = { if $0.id == 2 { try use.run() } }
            try? DatabaseQueue().read { db in _ = try Keeper.fetchAll(db, sql: KeptDecoderTests.sql) }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.container, .decode])
    func `What a record has kept that failed stops the program`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            struct Failing: Decodable, FetchableRecord {
                init(from decoder: any Decoder) throws {
                    _ = try Keeper(from: decoder)
                    throw Failure()
                }
            }
            try? DatabaseQueue().read { db in
                let rows = try Row.fetchAll(db, sql: KeptDecoderTests.sql)
                #expect(throws: Failure.self) { try Failing(row: rows[0]) }
                try? use.run()
            }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.container, .decode])
    func `A kept decoder or container stops the program while a later fetch uses the same memory`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            try? DatabaseQueue().read { db in _ = try Keeper.fetchOne(db, sql: KeptDecoderTests.sql) }
            Keeper.onDecode = { if $0.id == 3 { try use.run() } }
            try? DatabaseQueue().read { db in _ = try Keeper.fetchAll(db, sql: KeptDecoderTests.sql) }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [Use.decode, .superDecoder])
    func `Containers stop the program as well where they are not given out twice`(use: Use) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use = use as Use] in
            Keeper.asksForNewContainers = true
            Keeper.onDecode = { if $0.id == 2 { try use.run() } }
            try? DatabaseQueue().read { db in _ = try Keeper.fetchAll(db, sql: KeptDecoderTests.sql) }
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    @Test(arguments: [false, true])
    func `The decoder of a type that is not a record, in a scope or in prefetched rows, stops the program`(isPrefetched: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [isPrefetched = isPrefetched as Bool] in
            struct Part: Decodable {
                init(from decoder: any Decoder) throws { _ = try Keeper(from: decoder) }
            }
            struct Whole: Decodable, FetchableRecord { var parts: [Part]?, part: Part? }
            try? DatabaseQueue().read { db in
                if isPrefetched {
                    let row: Row = ["id": 1]
                    row.setPrefetchedRows(try Row.fetchAll(db, sql: KeptDecoderTests.sql), forKey: "parts")
                    #expect(try Whole(row: row).parts?.count == 3)
                } else {
                    let adapter = ScopeAdapter(["part": SuffixRowAdapter(fromIndex: 0)])
                    #expect(try Whole.fetchAll(db, sql: KeptDecoderTests.sql, adapter: adapter).count == 3)
                }
            }
            try? Use.decode.run()
            exit(EXIT_SUCCESS)
        }
        expectStop(result)
    }

    // MARK: - Uses that are right

    /// A record that uses its containers after it has decoded others of its type, in which its own are used as well.
    struct Family: Decodable, FetchableRecord {
        final class Context {
            var rows: [Row] = []
            var outer: KeyedDecodingContainer<CodingKeys>?
            var failing: Int?
            var asksForNewContainers = false

            func decoder(_ decoder: any Decoder) throws -> any Decoder {
                asksForNewContainers ? try NewContainerDecoder(decoder) : decoder
            }
        }

        nonisolated(unsafe) static var context = Context()

        var id: Int
        var texts: [String]
        var children: [Family] = []

        enum CodingKeys: CodingKey { case id, parent, name }

        init(from decoder: any Decoder) throws {
            let context = Self.context
            let decoder = try context.decoder(decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            // The record around this one is still being decoded, and has its own values.
            texts = [try context.outer?.decode(String.self, forKey: .name) ?? ""]
            let outer = context.outer
            context.outer = container
            defer { context.outer = outer }
            if context.failing == id { throw Failure() }
            for row in context.rows where row["parent"] as Int? == id {
                children.append(try Family(row: row))
            }
            // A container that is requested again belongs to this record.
            texts.append(try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name))
            let superDecoder = try context.decoder(container.superDecoder())
            texts.append(try superDecoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name))
            texts.append(try container.superDecoder(forKey: .name).singleValueContainer().decode(String.self))
            texts.append(try container.decode(String.self, forKey: .name))
        }
    }

    // One case after the other: they share the context.
    @Test(.serialized, arguments: [false, true])
    func `Containers are good until their record is decoded, whatever is decoded in the meantime`(asksForNewContainers: Bool) throws {
        try DatabaseQueue().read { db in
            Family.context = Family.Context()
            defer { Family.context = Family.Context() }
            Family.context.asksForNewContainers = asksForNewContainers
            Family.context.rows = try Row.fetchAll(
                db,
                sql: """
                    WITH t(id, parent, name) AS (VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 1, 'd'), (5, 3, 'e'))
                    SELECT * FROM t
                    """)
            for _ in 1...3 {
                let root = try Family(row: Family.context.rows[0])
                #expect(root.texts == ["", "a", "a", "a", "a"])
                #expect(root.children.map(\.texts) == [["a", "b", "b", "b", "b"], ["a", "d", "d", "d", "d"]])
                #expect(root.children[0].children[0].texts == ["b", "c", "c", "c", "c"])
                #expect(root.children[0].children[0].children[0].texts == ["c", "e", "e", "e", "e"])
                Family.context.failing = 5
                #expect(throws: Failure.self) { try Family(row: Family.context.rows[0]) }
                Family.context.failing = nil
            }
        }
    }

    @Test
    func `A record that is a part of itself is an error, and not a recursion without end`() throws {
        struct Outer: Decodable, FetchableRecord { var inner: Inner }
        struct Inner: Decodable, FetchableRecord { let outer: Box }
        final class Box: Decodable, FetchableRecord {
            let outer: Outer
            init(from decoder: any Decoder) throws { outer = try Outer(from: decoder) }
            init(row: Row) throws { outer = try Outer(row: row) }
        }
        #expect(throws: (any Error).self) { try Outer(row: ["id": 1]) }
    }

    @Test
    func `Records that keep their containers and never use them are decoded as others are, and the containers go with them`() throws {
        struct Kept: Decodable, FetchableRecord {
            var id: Int
            let container: KeyedDecodingContainer<Keys>
            init(from decoder: any Decoder) throws {
                container = try decoder.container(keyedBy: Keys.self)
                id = try container.decode(Int.self, forKey: .id)
            }
        }
        let sql = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 500) SELECT id FROM n"
        try DatabaseQueue().read { db in
            for _ in 1...3 {
                var records = try Kept.fetchAll(db, sql: sql)
                #expect(records.map(\.id) == Array(1...500))
                records.removeAll { $0.id % 2 == 0 }
                #expect(try Kept.fetchOne(db, sql: sql)?.id == 1)
                #expect(records.count == 250)
            }
        }
    }

    @Test
    func `The decoders of JSON columns, of scopes and of prefetched rows own what they decode: they can be kept`() throws {
        struct Nested: Decodable {
            let list: any UnkeyedDecodingContainer
            init(from decoder: any Decoder) throws { list = try decoder.unkeyedContainer() }
        }
        struct Whole: Decodable, FetchableRecord {
            var id: Int
            var json: KeyedDecodingContainer<Keys>
            var scope: any Decoder
            var list: any UnkeyedDecodingContainer

            enum CodingKeys: CodingKey { case id, json, part, list }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                json = try container.nestedContainer(keyedBy: Keys.self, forKey: .json)
                scope = try container.superDecoder(forKey: .part)
                list = try container.decode(Nested.self, forKey: .list).list
            }
        }
        var records: [Whole] = []
        try DatabaseQueue().read { db in
            let adapter = ScopeAdapter(["part": SuffixRowAdapter(fromIndex: 0)])
            for row in try Row.fetchAll(db, sql: Self.sql, adapter: adapter) {
                row.setPrefetchedRows(try Row.fetchAll(db, sql: "SELECT \(row["id"] as Int) AS id"), forKey: "list")
                records.append(try Whole(row: row))
            }
        }
        for (index, record) in records.enumerated() {
            #expect(try record.json.decode(Int.self, forKey: .id) == index + 1)
            let part = try record.scope.container(keyedBy: Keys.self)
            #expect(try part.decode(String.self, forKey: .name) == "name \(index + 1)")
            #expect(try part.superDecoder(forKey: .name).singleValueContainer().decode(String.self) == "name \(index + 1)")
            var list = record.list
            let element = try list.decode([String: Int].self)
            #expect(element == ["id": index + 1])
        }
    }
}

/// The list of containers that coders keep.
@Suite struct KeptContainerTests {
    private enum Keys: CodingKey { case a }

    /// Notes when it goes.
    private final class Sentinel {
        nonisolated(unsafe) static var count = 0
        init() { Self.count += 1 }
        deinit { Self.count -= 1 }
    }

    private struct Container: KeyedDecodingContainerProtocol {
        typealias Key = Keys
        let sentinel = Sentinel()
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Keys] { [] }
        func contains(_ key: Keys) -> Bool { false }
        func decodeNil(forKey key: Keys) throws -> Bool { true }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Keys) throws -> T { throw CancellationError() }
        func nestedContainer<NestedKey>(keyedBy type: NestedKey.Type, forKey key: Keys) throws -> KeyedDecodingContainer<NestedKey> {
            throw CancellationError()
        }
        func nestedUnkeyedContainer(forKey key: Keys) throws -> any UnkeyedDecodingContainer { throw CancellationError() }
        func superDecoder() throws -> any Decoder { throw CancellationError() }
        func superDecoder(forKey key: Keys) throws -> any Decoder { throw CancellationError() }
    }

    private typealias Keyed = KeyedDecodingContainer<Keys>

    @Test
    func `A container of the standard library shows whether it was copied`() throws {
        let cell = GenerationCell(1)
        defer { cell.free() }
        var box = try #require(KeptBox(Keyed(Container()), cell: cell))
        var answers = [box.isFree]
        var copy: Keyed? = box.container(as: Keyed.self)
        answers.append(box.isFree)
        #expect(copy?.contains(.a) == false)
        copy = nil
        answers.append(box.isFree)
        #expect(answers == [true, false, true])
        #expect(KeptBox((1, 2), cell: cell) == nil)
    }

    @Test
    func `A container serves one record after the other until it is kept, and is freed with its last copy`() throws {
        var containers = KeptContainers()
        let isKept = containers.add(Keyed(Container()), cell: GenerationCell(1), keys: Keys.self)
        #expect(isKept)
        var copies: [Keyed] = []
        do {
            let kept = try #require(containers.reference(keys: Keys.self))
            #expect(containers.reference(keys: Int.self) == nil)
            #expect(kept.serves(1) && kept.serves(3) && kept.serves(3))
            for generation in 4..<1_000 {
                copies.append(kept.container(as: Keyed.self))
                #expect(!kept.serves(generation))
                containers.replace(kept, by: Keyed(Container()), cell: GenerationCell(generation))
                #expect(kept.serves(generation))
                if copies.count == 10 { copies = [] }
            }
        }
        // Those that were kept for a while have gone, but for some that are still to be looked for.
        #expect(Sentinel.count < 60)
        containers.removeAll()
        #expect(Sentinel.count == copies.count)
        #expect(containers.reference(keys: Keys.self) == nil)
        copies = []
        containers.removeAll()
        #expect(Sentinel.count == 0)
    }
}
