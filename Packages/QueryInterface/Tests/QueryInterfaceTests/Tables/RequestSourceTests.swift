import Foundation
import QueryInterface
import Testing

/// Where requests begin: a record type, a table, and another request.
@Suite struct RequestSourceTests {
    // MARK: Record types

    /// Methods of requests that record types don't have: those that are rare at the beginning of a request, or change an earlier clause.
    private static let requestsOnly = [
        "all(", "applying(", "annotatedWhenConnected(", "filterWhenConnected(", "groupWhenConnected(", "havingWhenConnected(",
        "orderWhenConnected(", "pageWhenConnected(", "selectWhenConnected(", "reversed(", "unordered(", "withStableOrder(",
        "window(", "groupByPrimaryKey(", "group(_ expression: (", "group(_ expressions: (", "group(_ expressions: [",
        "group(literal", "group(sql", "having(_ predicate: (", "having(literal", "having(sql",
        "isEmpty(", "page(after record", "deleteAndFetch", "updateAndFetch", "fetchColumns<",
    ]

    /// The signatures of methods, according to the packages' lists of public symbols, with `Self` as the type of the rows.
    private func signatures(_ prefix: String) throws -> Set<String> {
        let packages = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        var signatures: Set<String> = []
        for package in try FileManager.default.contentsOfDirectory(atPath: packages.path) {
            let file = packages.appendingPathComponent("\(package)/PublicSymbols.txt")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for line in text.split(separator: "\n") where line.hasPrefix(prefix) {
                signatures.insert(
                    String(line.dropFirst(prefix.count))
                        .replacing("-> DerivedRequest", with: "-> QueryInterfaceRequest<Self>")
                        .replacing("RowDecoder.ID", with: "ID")
                        .replacing("RowDecoder.DatabaseComponents", with: "DatabaseComponents")
                        .replacing(try Regex(#"\bRowDecoder\b"#), with: "Self"))
            }
        }
        return signatures
    }

    @Test
    func `Record types have the clauses of requests as static methods`() throws {
        let methods = try signatures("RequestSource: func ")
        let expected = methods.filter { method in !Self.requestsOnly.contains { method.hasPrefix($0) } }
        let found = try signatures("TableRecord: static func ")
        #expect(expected.count > 50)
        #expect(expected.subtracting(found) == [])
        // No exception is out of date.
        #expect(Self.requestsOnly.filter { prefix in !methods.contains { $0.hasPrefix(prefix) } } == [])
        #expect(Self.requestsOnly.filter { prefix in prefix != "all(" && found.contains { $0.hasPrefix(prefix) } } == [])
        // Each static method that returns a request is one of requests.
        let clauses = found.filter { $0.contains("-> QueryInterfaceRequest<") && !$0.hasPrefix("request(") }
        #expect(clauses.subtracting(methods) == [])
    }

    // MARK: Tables

    @Test
    func `A clause has the same SQL on a record type, a table and a request`() throws {
        try withDatabase(Player.createTable) { db throws in
            let table = Table<Player>("player")
            func check(_ requests: QueryInterfaceRequest<Player>..., sql: String) throws {
                for request in requests { #expect(try request.sql(db) == sql) }
            }
            try check(
                Player.filter { $0.score > 1 }, table.filter { $0.score > 1 }, Player.all().filter { $0.score > 1 },
                sql: #"SELECT * FROM "player" WHERE "score" > 1"#)
            try check(
                Player.filter(id: 1), table.filter(id: 1), Player.all().filter(id: 1), sql: #"SELECT * FROM "player" WHERE "id" = 1"#)
            try check(
                Player.order(\.name).limit(2), table.order(\.name).limit(2), Player.all().order(\.name).limit(2),
                sql: #"SELECT * FROM "player" ORDER BY "name" LIMIT 2"#)
            try check(Player.limit(2), table.limit(2), Player.all().limit(2), sql: #"SELECT * FROM "player" LIMIT 2"#)
            try check(Player.select(\.name), table.select(\.name), Player.all().select(\.name), sql: #"SELECT "name" FROM "player""#)
            try check(
                Player.page(after: [1]) { [$0.id] }, table.page(after: [1]) { [$0.id] }, Player.all().page(after: [1]) { [$0.id] },
                sql: #"SELECT * FROM "player" WHERE "id" > 1 ORDER BY "id""#)
            // A table has the clauses that record types lack.
            try check(
                table.group { [$0.name] }.having { max($0.score) > 1 }, Player.all().group { [$0.name] }.having { max($0.score) > 1 },
                sql: #"SELECT * FROM "player" GROUP BY "name" HAVING max("score") > 1"#)
            try check(table.all(), table.reversed(), Player.all(), Player.all().all(), sql: #"SELECT * FROM "player""#)
            #expect(try table.select({ $0.name }, as: String.self).sql(db) == #"SELECT "name" FROM "player""#)
            #expect(try table.selectPrimaryKey(as: Int64.self).fetchAll(db) == [1, 2, 3, 4])
            #expect(try Table("player").groupByPrimaryKey().sql(db) == #"SELECT * FROM "player" GROUP BY "id""#)
        }
    }

    @Test
    func `A table fetches all its rows, and is its name in SQL`() throws {
        try withDatabase(Player.createTable) { db throws in
            let table = Table<Player>("player")
            #expect(try table.isEmpty(db) == false)
            #expect(try table.fetchOne(db)?.name == table.fetchCursor(db).next()?.name)
            #expect(try table.fetchCount(db) == 4)
            let names: Table<String> = Table("team")
            try db.execute(sql: "CREATE TABLE team (name TEXT); INSERT INTO team VALUES ('Reds'), (NULL)")
            #expect(try names.fetchOne(db) == "Reds")
            #expect(try names.select(Column("name"), as: String?.self).fetchSet(db) == ["Reds", nil])
            #expect(
                try SQLRequest<Row>("SELECT * FROM \(names) WHERE name IN (\(names.all()))").sql(db)
                    == #"SELECT * FROM "team" WHERE name IN (SELECT * FROM "team")"#)
        }
    }

    @Test
    func `A table changes its rows as a request does`() throws {
        try withDatabase(Player.createTable) { db throws in
            let table = Table<Player>("player")
            #expect(try table.updateAll(db) { $0.score.set(to: 7) } == 4)
            #expect(try table.updateAndFetchAll(db) { [$0.score += 1] }.map(\.score) == [8, 8, 8, 8])
            #expect(try table.deleteAndFetchAll(db).count == 4)
            #expect(try table.deleteAll(db) == 0)
        }
    }

    // MARK: Extensions of users

    @Test
    func `Extensions of requests return Self, and extensions of all sources return their request`() throws {
        try withDatabase(Player.createTable) { db throws in
            let sql = #"SELECT * FROM "player" WHERE "score" > 5 ORDER BY "score" DESC"#
            #expect(try Player.all().strong().sql(db) == sql)
            #expect(try Player.filter { $0.score > 5 }.bestFirst().sql(db) == sql)
            #expect(try Player.all().best().sql(db) == sql)
            #expect(try Table<Player>("player").best().sql(db) == sql)
            let requests: [any DerivableRequest<Player>] = [Player.all().strong(), Player.friends.strong()]
            #expect(requests.map(\.databaseTableName) == ["player", "player"])
            let erased: any FilteredRequest = Player.all()
            let filtered: any FilteredRequest = erased.filter(Column("score") > 5)
            #expect(try (filtered as? QueryInterfaceRequest<Player>)?.bestFirst().sql(db) == sql)
            #expect(try Wrapper(request: Player.all()).strong().bestFirst().named("x").request.none().limit(1).fetchAll(db).isEmpty)
        }
    }
}

extension Player {
    fileprivate static let friends = hasMany(Player.self, key: "friends", using: ForeignKey(["best"], to: ["id"]))
}

extension DerivableRequest<Player> {
    fileprivate func strong() -> Self { filter { $0.score > 5 }.bestFirst() }
}

extension OrderedRequest {
    fileprivate func bestFirst() -> Self { order(Column("score").desc) }
}

extension FilteredRequest where Self: TableRequest {
    fileprivate func named(_ name: String) -> Self { filter(Column("name") == name).filter(key: 1).all() }
}

extension RequestSource where DerivedRequest: FilteredRequest & OrderedRequest {
    fileprivate func best() -> DerivedRequest { filter(Column("score") > 5).bestFirst() }
}

/// A request of a user, which forwards the clauses.
private struct Wrapper: DerivableRequest {
    typealias RowDecoder = Player

    var request: QueryInterfaceRequest<Player>
    var databaseTableName: String { request.databaseTableName }

    func applying(_ change: RequestChange) -> Self { Wrapper(request: request.applying(change)) }
}
