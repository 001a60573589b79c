import CodableSupport
import Foundation
import Testing

/// Parts of records: types that are only `Decodable`, in the columns of the row itself.
@Suite struct PartTests {
    struct PartialBook: Decodable, Hashable {
        var title: String
        var pages: Int?
    }

    /// Settings that are stored as JSON. All of them are optional.
    struct Settings: Decodable, Hashable {
        var theme: String?
        var limits: [Int]?
    }

    struct Author: Decodable, FetchableRecord, Hashable {
        var name: String
    }

    struct Info<Part: Decodable>: Decodable, FetchableRecord {
        var part: Part
    }

    struct Around: Decodable {
        var book: PartialBook
    }

    enum Shape: Decodable {
        case circle(radius: Int)
        case square
    }

    /// An enum that decodes itself from keys.
    enum Handwritten: Decodable {
        case radius(Int)
        enum CodingKeys: CodingKey { case radius }
        init(from decoder: any Decoder) throws {
            self = .radius(try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .radius))
        }
    }

    /// A type that asks for an array after it has found a key.
    struct Mixed: Decodable {
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: Handwritten.CodingKeys.self).decode(Int.self, forKey: .radius)
            _ = try decoder.unkeyedContainer()
        }
    }

    private func fetch<Record: FetchableRecord>(_ type: Record.Type, _ sql: String) throws -> [Record] {
        try DatabaseQueue().read { try Record.fetchAll($0, sql: sql) }
    }

    /// Expects the error of a property without a column.
    private func expectMissing<Part: Decodable>(_ type: Part.Type, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation) { try fetch(Info<Part>.self, sql) }
        #expect(
            error?.description.hasPrefix("could not decode \(Part.self) from \"part\": there is no such column") == true,
            sourceLocation: sourceLocation)
    }

    @Test
    func `A part stands beside columns and scopes`() throws {
        struct Info: Decodable, FetchableRecord {
            var book: PartialBook
            var n: Int
            var author: Author
        }
        let infos = try DatabaseQueue().read { db in
            try Info.fetchAll(
                db, sql: "SELECT *, 5 AS n, 'Verne' AS name FROM (SELECT 'a' AS title, 10 AS pages UNION ALL SELECT 'b', NULL)",
                adapter: ScopeAdapter(["author": SuffixRowAdapter(fromIndex: 3)]))
        }
        #expect(infos.map(\.book) == [PartialBook(title: "a", pages: 10), PartialBook(title: "b")])
        #expect(infos.map(\.n) == [5, 5])
        #expect(infos.map(\.author.name) == ["Verne", "Verne"])
    }

    @Test
    func `A part has scopes, prefetched rows, JSON columns and parts of its own`() throws {
        struct Outer: Decodable {
            var author: Author
            var settings: Settings
            var inner: PartialBook
        }
        struct ScopeOnly: Decodable { var author: Author }
        let info = try DatabaseQueue().read { db in
            try #require(
                try Info<Outer>.fetchOne(
                    db, sql: #"SELECT 'a' AS title, '{"theme": "dark"}' AS settings, 'Verne' AS name"#,
                    adapter: ScopeAdapter(["author": SuffixRowAdapter(fromIndex: 2)])))
        }
        #expect(info.part.author.name == "Verne")
        #expect(info.part.settings.theme == "dark")
        #expect(info.part.inner == PartialBook(title: "a"))
        let only = try DatabaseQueue().read {
            try Info<ScopeOnly>.fetchOne(
                $0, sql: "SELECT 'Verne' AS name", adapter: ScopeAdapter(["author": SuffixRowAdapter(fromIndex: 0)]))
        }
        #expect(only?.part.author.name == "Verne")
    }

    @Test
    func `The strategies of the record apply to its part`() throws {
        struct Times: Decodable { var firstSeen: Date }
        struct Visit: Decodable, FetchableRecord {
            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .millisecondsSince1970 }
            var times: Times
        }
        #expect(try fetch(Visit.self, "SELECT 2000 AS first_seen").map(\.times.firstSeen) == [Date(timeIntervalSince1970: 2)])
    }

    @Test
    func `A type whose keys the row lacks, and a type without fixed keys, are not parts`() throws {
        expectMissing(Settings.self, "SELECT 1 AS id")
        // The keys of a part inside don't count for the part around it.
        expectMissing(Around.self, "SELECT 'a' AS title")
        expectMissing(Shape.self, "SELECT 1 AS circle")
        expectMissing(Shape.self, "SELECT 1 AS square")
        expectMissing(Handwritten.self, "SELECT 1 AS radius")
        expectMissing(Mixed.self, "SELECT 1 AS radius")
        expectMissing([String: Int].self, "SELECT 1 AS radius")
        expectMissing([PartialBook].self, "SELECT 'a' AS title")
        expectMissing(Set<Int>.self, "SELECT 1 AS radius")
        expectMissing(ClosedRange<Int>.self, "SELECT 1 AS lowerBound")
        expectMissing(Int.self, "SELECT 1 AS radius")
        expectMissing(URL.self, "SELECT 'x' AS relative")
    }

    @Test
    func `An error of a part names the part`() throws {
        struct Outer: Decodable {
            enum Kind: String, Decodable { case round }
            var a: String
            var shape: Kind
        }
        let error = #expect(throws: DecodingError.self) { try fetch(Info<Outer>.self, "SELECT 'a' AS a, 'x' AS shape") }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["part", "shape"])
    }

    @Test
    func `An optional part is nil, and a second one is an error`() throws {
        struct Optional: Decodable, FetchableRecord { var part: PartialBook? }
        struct Two: Decodable, FetchableRecord {
            var one: PartialBook
            var two: PartialBook
        }
        struct WithRecord: Decodable, FetchableRecord {
            var one: PartialBook
            var author: Author
        }
        final class Node: Decodable {
            var title: String
            var next: Node
        }
        #expect(try fetch(Optional.self, "SELECT 'a' AS title").map(\.part) == [nil])
        let error = #expect(throws: RowDecodingError.self) { try fetch(Two.self, "SELECT 'a' AS title") }
        #expect(error?.description.contains("\"two\": there is no such column") == true)
        let second = #expect(throws: DecodingError.self) { try fetch(WithRecord.self, "SELECT 'a' AS title, 'b' AS name") }
        #expect("\(second!)".contains("Only one of one and author can be in the columns of the row itself"))
        let inside = #expect(throws: RowDecodingError.self) { try fetch(Info<Node>.self, "SELECT 'a' AS title") }
        #expect(inside?.description.contains("\"next\": there is no such column") == true)
    }
}
