import CodableSupport
import Foundation
import Testing

/// The state of decoding is made once for the rows of a fetch, whether they are copied rows, rows of scopes, or prefetched rows.
@Suite struct SharedStateTests {
    struct Tagged: Decodable, FetchableRecord, Equatable {
        static let decoders = Locked(0)

        var id: Int
        var tags: [String]

        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            decoders.increment()
            return JSONDecoder()
        }
    }

    @Test
    func `Copied rows, scopes' rows and prefetched rows of one fetch share their JSON decoders`() throws {
        let expected = (1...10).map { Tagged(id: $0, tags: ["t\($0)"]) }
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
            SELECT i AS id, json_array('t' || i) AS tags FROM n
            """
        try withDatabase("") { db in
            #expect(try Tagged.fetchAll(db, sql: sql) == expected)
            #expect(Tagged.decoders.take() == 1)

            let rows = try Row.fetchAll(db, sql: sql)
            #expect(try rows.map { try Tagged(row: $0) } == expected)
            #expect(Tagged.decoders.take() == 1)
            #expect(try rows.map { try Tagged(row: $0) } == expected)
            #expect(Tagged.decoders.take() == 0)

            let prefetched = try Row.fetchAll(db, sql: sql)
            let parents: [Row] = [["id": 1], ["id": 2]]
            parents[0].setPrefetchedRows(Array(prefetched[..<5]), forKey: "tagged")
            parents[1].setPrefetchedRows(Array(prefetched[5...]), forKey: "tagged")
            #expect(parents.flatMap { $0["tagged"] as [Tagged] } == expected)
            #expect(Tagged.decoders.take() == 1)

            let adapter = ScopeAdapter(["outer": EmptyRowAdapter().addingScopes(["tagged": SuffixRowAdapter(fromIndex: 0)])])
            let scoped = try Row.fetchAll(db, sql: sql, adapter: adapter)
            #expect(scoped.map { $0["tagged"] } == expected)
            #expect(Tagged.decoders.take() == 1)
        }
    }

    /// A record that makes others of its own type while it is being made.
    struct Node: Decodable, FetchableRecord {
        static nonisolated(unsafe) var rows: [Row] = []

        var id: Int
        var children: [Node]
        var failures: Int
        var name: String

        enum CodingKeys: CodingKey { case id, name }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            children = []
            failures = 0
            for row in Self.rows where row["parent"] as Int? == id {
                do {
                    children.append(try Node(row: row))
                } catch {
                    failures += 1
                }
            }
            name = try container.decode(String.self, forKey: .name)
        }
    }

    @Test
    func `A record that makes others from rows of the same fetch comes back to its own row`() throws {
        try withDatabase("") { db in
            Node.rows = try Row.fetchAll(
                db,
                sql: """
                    WITH t(id, parent, name) AS (VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 1, NULL), (5, 1, 'e'))
                    SELECT * FROM t
                    """)
            defer { Node.rows = [] }
            let root = try Node(row: Node.rows[0])
            #expect(root.name == "a")
            #expect(root.children.map(\.name) == ["b", "e"])
            #expect(root.failures == 1)
            #expect(root.children[0].children.map(\.name) == ["c"])
        }
    }

    /// A record that asks its decoder for containers of several key types, in turns, before and after it makes others.
    struct Parts: Decodable, FetchableRecord {
        static nonisolated(unsafe) var others: [Row] = []

        var id: Int
        var texts: [String] = []
        var others: [String] = []

        enum Identity: String, CodingKey { case id }
        enum First: CodingKey { case a, b }
        enum Second: String, CodingKey { case x = "b", y = "a" }
        struct Column: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let identity = try decoder.container(keyedBy: Identity.self)
            id = try identity.decode(Int.self, forKey: .id)
            for _ in 1...2 {
                let first = try decoder.container(keyedBy: First.self)
                texts.append(try first.decode(String.self, forKey: .a))
                let second = try decoder.container(keyedBy: Second.self)
                texts.append(try second.decode(String.self, forKey: .x))
                let column = try decoder.container(keyedBy: Column.self)
                texts.append(try column.decode(String.self, forKey: Column(stringValue: "A")!))
                others += try Self.others.filter { $0["id"] == id + 1 }.map { try Parts(row: $0).texts.joined() }
                // The containers that were there before know this row again.
                texts.append(try first.decode(String.self, forKey: .b) + second.decode(String.self, forKey: .y))
            }
        }
    }

    // One case after the other: they share the rows, which are used on one thread at a time.
    @Test(
        .serialized,
        arguments: [false, true])
    func `A decoder gives out containers of several key types, in turns, and in records inside records`(isCopied: Bool) throws {
        let sql = "SELECT 1 AS id, 'a1' AS a, 'b1' AS b UNION ALL SELECT 2, 'a2', 'b2' UNION ALL SELECT 3, 'a3', 'b3'"
        try withDatabase("") { db in
            Parts.others = try Row.fetchAll(db, sql: sql)
            defer { Parts.others = [] }
            let parts = isCopied ? try Parts.others.map { try Parts(row: $0) } : try Parts.fetchAll(db, sql: sql)
            #expect(parts.map(\.id) == [1, 2, 3])
            #expect(parts.map { $0.texts.joined() } == (1...3).map { String(repeating: "a\($0)b\($0)a\($0)b\($0)a\($0)", count: 2) })
            #expect(parts.map { $0.others.count } == [2, 2, 0])
            #expect(parts[0].others == [parts[1].texts.joined(), parts[1].texts.joined()])
        }
    }

    /// A type that is not a record, and one that is, in the scopes of rows that are joined.
    struct Side: Decodable, Equatable { var id: Int, name: String? }
    struct SideRecord: Decodable, FetchableRecord, Equatable { var id: Int, name: String? }
    struct Joined: Decodable, FetchableRecord, Equatable {
        var id: Int
        var left: Side
        var right: SideRecord?
        var both: Side?
    }

    @Test
    func `Each scope of each row is decoded as its own types, records and others, and as two types in turn`() throws {
        let sql = """
            WITH n(i) AS (VALUES (1), (2), (3))
            SELECT i AS id, 10 * i AS id, 'l' || i AS name, iif(i = 2, NULL, 100 * i) AS id, iif(i = 2, NULL, 'r' || i) AS name FROM n
            """
        let adapter = ScopeAdapter(
            base: RangeRowAdapter(0..<1),
            scopes: ["left": RangeRowAdapter(1..<3), "right": RangeRowAdapter(3..<5), "both": RangeRowAdapter(3..<5)])
        try withDatabase("") { db in
            let expected = [1, 2, 3].map {
                Joined(
                    id: $0, left: Side(id: 10 * $0, name: "l\($0)"),
                    right: $0 == 2 ? nil : SideRecord(id: 100 * $0, name: "r\($0)"),
                    both: $0 == 2 ? nil : Side(id: 100 * $0, name: "r\($0)"))
            }
            #expect(try Joined.fetchAll(db, sql: sql, adapter: adapter) == expected)
            let rows = try Row.fetchAll(db, sql: sql, adapter: adapter)
            for _ in 1...2 {
                #expect(try rows.reversed().map { try Joined(row: $0) } == expected.reversed())
            }
            // The case of a scope's name matters, unlike the case of a column's name.
            struct Shouting: Decodable, FetchableRecord {
                var LEFT: Side?
                var ID: Int
            }
            let shouting = try Shouting.fetchAll(db, sql: sql, adapter: adapter)
            #expect(shouting.map(\.ID) == [1, 2, 3])
            #expect(shouting.allSatisfy { $0.LEFT == nil })
        }
    }
}
