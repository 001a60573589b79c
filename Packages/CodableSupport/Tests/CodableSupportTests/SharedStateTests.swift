import CodableSupport
import Foundation
import Testing

/// What decoding takes is made once for the rows of a fetch, be they copied, scopes' rows, or prefetched.
@Suite struct SharedStateTests {
    /// Counts, from whatever thread.
    final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        func increment() { lock.withLock { count += 1 } }
        /// The count, which begins anew.
        func take() -> Int {
            lock.withLock {
                defer { count = 0 }
                return count
            }
        }
    }

    struct Tagged: Decodable, FetchableRecord, Equatable {
        static let decoders = Counter()

        var id: Int
        var tags: [String]

        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            decoders.increment()
            return JSONDecoder()
        }
    }

    @Test("Copied rows, scopes' rows and prefetched rows of one fetch share their JSON decoders")
    func decoders() throws {
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

    @Test("A record that makes others from rows of the same fetch comes back to its own row")
    func nesting() throws {
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
}
