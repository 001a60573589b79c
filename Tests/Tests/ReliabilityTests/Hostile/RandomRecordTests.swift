import Foundation
import Strata
import Testing

/// Types whose `init(from:)` and `encode(to:)` ask for something else each time, with rows that hold anything: each ends with a value or
/// with an error.
@Suite("Random records", .timeLimit(.minutes(60)))
struct RandomRecordTests {
    @Test
    func `Random rows decode as random types, or throw`() throws {
        let (seed, count) = HostileValues.run("random records", quickCount: 3000)
        let choices = Choices(seed: seed)
        var outcomes = [0, 0]
        try DatabaseQueue().read { db in
            for _ in 0..<count {
                let sql = randomRow(choices)
                let adapter: (any RowAdapter)? =
                    choices.one(in: 4) ? ScopeAdapter(["a": SuffixRowAdapter(fromIndex: 1), "é": EmptyRowAdapter()]) : nil
                do {
                    try Choices.$current.withValue(choices) {
                        if choices.one(in: 3) {
                            _ = try Shape.fetchAll(db, sql: sql, adapter: adapter)
                        } else if choices.one(in: 2) {
                            // The same type twice, with its state.
                            let cursor = try Shape.fetchCursor(db, sql: "\(sql) UNION ALL \(sql)", adapter: adapter)
                            while try cursor.next() != nil {}
                        } else {
                            _ = try Row.fetchOne(db, sql: sql, adapter: adapter).map { try Shape(row: $0) }
                        }
                    }
                    outcomes[0] += 1
                } catch {
                    // The description shows the value and the row.
                    if "\(error)".isEmpty { Issue.record("no description, seed \(seed)") }
                    outcomes[1] += 1
                }
            }
        }
        print("random records: \(count) rows decoded, \(outcomes[1]) of them with errors")
        #expect(outcomes[0] > 0 && outcomes[1] > 0)
    }

    @Test
    func `Random types are encoded into a table, or throw and change nothing`() throws {
        let (seed, count) = HostileValues.run("random records, encoded", quickCount: 1000)
        let choices = Choices(seed: seed)
        var outcomes = [0, 0]
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE shape (a, b, c, A_1, \"é\", \"\", id INTEGER PRIMARY KEY)")
            for _ in 0..<count {
                let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM shape")
                do {
                    try Choices.$current.withValue(choices) {
                        if choices.one(in: 2) {
                            try Shape().insert(db)
                        } else {
                            try Shape().save(db)
                        }
                    }
                    outcomes[0] += 1
                } catch {
                    if "\(error)".isEmpty { Issue.record("no description, seed \(seed)") }
                    #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM shape") == before, "seed \(seed): \(error)")
                    outcomes[1] += 1
                }
            }
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
        print("random records: \(count) records encoded, \(outcomes[1]) of them with errors")
        #expect(outcomes[0] > 0 && outcomes[1] > 0)
    }

    private func randomRow(_ choices: Choices) -> String {
        let columns = (0..<choices.number(below: 7)).map { _ in
            "\(HostileValues.random(&choices.random)) AS \(choices.key().quotedDatabaseIdentifier)"
        }
        return "SELECT \((columns.isEmpty ? ["1"] : columns).joined(separator: ", "))"
    }
}

/// The random choices of a test.
///
/// `@unchecked Sendable`: the object does not leave the thread of the test's accesses.
private final class Choices: @unchecked Sendable {
    @TaskLocal static var current: Choices?

    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    func one(in count: Int) -> Bool { number(below: count) == 0 }
    func key() -> String { ["a", "b", "c", "A", "a_1", "é", "", "id"].randomElement(using: &random)! }
}

private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { Int(stringValue) }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { stringValue = "\(intValue)" }
}

/// A type that chooses what it decodes and encodes.
private struct Shape: Codable, FetchableRecord, PersistableRecord {
    struct Failure: Error {}

    static let databaseTableName = "shape"

    init() {}

    init(from decoder: any Decoder) throws {
        guard let choices = Choices.current else { throw Failure() }
        try Self.decode(from: decoder, choices, depth: 0)
    }

    /// A value of a column that is such a type itself.
    struct Part: Codable {
        init() {}

        init(from decoder: any Decoder) throws {
            guard let choices = Choices.current else { throw Failure() }
            try Shape.decode(from: decoder, choices, depth: decoder.codingPath.count + 1)
        }

        func encode(to encoder: any Encoder) throws {
            guard let choices = Choices.current else { throw Failure() }
            try Shape.encode(to: encoder, choices, depth: encoder.codingPath.count + 1)
        }
    }

    private static let types: [any (Codable & Sendable).Type] = [
        Int.self, UInt8.self, String.self, Double.self, Float.self, Bool.self, Date.self, Data.self, UUID.self, URL.self, Decimal.self,
        [Int].self, [String: Double].self, Int?.self, [String]?.self, Date?.self, DatabaseValue.self, Duration.self,
        ClosedRange<Int>.self, Int64.self, UInt64.self, DatabaseDateComponents.self,
    ]

    // MARK: - Decoding

    private static func decode(from decoder: any Decoder, _ choices: Choices, depth: Int) throws {
        _ = decoder.codingPath
        _ = decoder.userInfo
        let kind = choices.number(below: 10)
        if kind == 0 {
            let container = try decoder.singleValueContainer()
            _ = container.decodeNil()
            try decodeSingle(container, choices, depth)
        } else if kind == 1 {
            var container = try decoder.unkeyedContainer()
            try decodeList(&container, choices, depth)
        } else {
            try decodeKeyed(try decoder.container(keyedBy: Key.self), choices, depth)
        }
    }

    private static func decodeSingle(_ container: any SingleValueDecodingContainer, _ choices: Choices, _ depth: Int) throws {
        if depth < 4, choices.one(in: 3) {
            _ = try container.decode(Part.self)
        } else {
            _ = try container.decode(types.randomElement(using: &choices.random)!)
        }
    }

    private static func decodeList(_ container: inout any UnkeyedDecodingContainer, _ choices: Choices, _ depth: Int) throws {
        for _ in 0..<choices.number(below: 4) {
            _ = (container.count, container.currentIndex, container.isAtEnd)
            if try container.decodeNil() { continue }
            if depth < 4, choices.one(in: 3) {
                _ = try container.decode(Part.self)
            } else {
                _ = try container.decode(types.randomElement(using: &choices.random)!)
            }
        }
    }

    private static func decodeKeyed(_ container: KeyedDecodingContainer<Key>, _ choices: Choices, _ depth: Int) throws {
        for _ in 0..<choices.number(below: 8) {
            let key = Key(stringValue: choices.key())
            let type = types.randomElement(using: &choices.random)!
            switch choices.number(below: 10) {
            case 0: _ = container.allKeys.map(\.stringValue)
            case 1: _ = container.contains(key)
            case 2: _ = try container.decodeNil(forKey: key)
            case 3: try decodeIfPresent(type, container, key)
            case 4 where depth < 4: try decode(from: try container.superDecoder(forKey: key), choices, depth: depth + 1)
            case 5 where depth < 4:
                try decodeKeyed(try container.nestedContainer(keyedBy: Key.self, forKey: key), choices, depth + 1)
            case 6 where depth < 4:
                var list = try container.nestedUnkeyedContainer(forKey: key)
                try decodeList(&list, choices, depth + 1)
            case 7 where depth < 4: _ = try container.decodeIfPresent(Part.self, forKey: key)
            case 8:
                // A type that continues after an error.
                _ = try? container.decode(type, forKey: key)
            default: _ = try container.decode(type, forKey: key)
            }
        }
    }

    private static func decodeIfPresent<T: Decodable>(_ type: T.Type, _ container: KeyedDecodingContainer<Key>, _ key: Key) throws {
        _ = try container.decodeIfPresent(type, forKey: key)
    }

    // MARK: - Encoding

    func encode(to encoder: any Encoder) throws {
        guard let choices = Choices.current else { throw Failure() }
        try Self.encode(to: encoder, choices, depth: 0)
    }

    private static let values: [any (Codable & Sendable)] = [
        1, UInt64.max, "text\0\u{1F469}", Double.nan, Double.infinity, -0.0, Float.greatestFiniteMagnitude, true, Date.distantPast,
        Date(timeIntervalSinceReferenceDate: 1e300), Date(timeIntervalSinceReferenceDate: .nan), Data([0, 255]), UUID(),
        Decimal.greatestFiniteMagnitude, Decimal.nan, [1, 2], ["a": 0.5], ["a": Double.nan], Int?.none, Int64.min, Duration.seconds(1),
        [Date.distantFuture], 1...2, URL(fileURLWithPath: "/"),
    ]

    private static func encode(to encoder: any Encoder, _ choices: Choices, depth: Int) throws {
        _ = encoder.codingPath
        let kind = choices.number(below: depth == 0 ? 20 : 4)
        if kind == 0 {
            var container = encoder.singleValueContainer()
            try container.encode(values.randomElement(using: &choices.random)!)
        } else if kind == 1 {
            var container = encoder.unkeyedContainer()
            try encodeList(&container, choices, depth)
        } else if choices.one(in: 20) {
            throw Failure()
        } else {
            var container = encoder.container(keyedBy: Key.self)
            try encodeKeyed(&container, choices, depth)
        }
    }

    private static func encodeList(_ container: inout any UnkeyedEncodingContainer, _ choices: Choices, _ depth: Int) throws {
        for _ in 0..<choices.number(below: 4) {
            _ = container.count
            switch choices.number(below: 4) {
            case 0: try container.encodeNil()
            case 1 where depth < 4: try container.encode(Part())
            default: try container.encode(values.randomElement(using: &choices.random)!)
            }
        }
    }

    private static func encodeKeyed(_ container: inout KeyedEncodingContainer<Key>, _ choices: Choices, _ depth: Int) throws {
        var keys: Set<String> = []
        for _ in 0..<choices.number(below: 5) {
            let key = Key(stringValue: choices.key())
            // Foundation's JSON encoder stops the program for a key with two containers.
            if !keys.insert(key.stringValue).inserted, depth > 0 { continue }
            switch choices.number(below: 9) {
            case 0: try container.encodeNil(forKey: key)
            case 1 where depth < 4: try container.encode(Part(), forKey: key)
            case 2 where depth < 4:
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: key)
                try encodeKeyed(&nested, choices, depth + 1)
            case 3 where depth < 4:
                var list = container.nestedUnkeyedContainer(forKey: key)
                try encodeList(&list, choices, depth + 1)
            case 4 where depth < 4: try encode(to: container.superEncoder(forKey: key), choices, depth: depth + 1)
            default: try container.encode(values.randomElement(using: &choices.random)!, forKey: key)
            }
        }
    }
}
