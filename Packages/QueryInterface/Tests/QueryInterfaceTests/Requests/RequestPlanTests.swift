import Foundation
import QueryInterface
import Testing

/// Requests whose shape is known get the statement that the connection keeps for it. What the writer of the SQL says about the same request
/// decides whether that was right.
@Suite struct RequestPlanTests {
    // MARK: - Random requests

    @Test(arguments: 0..<10)
    func `Random requests that are equal but for their values share a statement`(block: UInt64) throws {
        try withDatabase(RandomSchema.creation) { db throws in
            var (kept, shared) = (0, 0)
            for seed in block * 1_000..<block * 1_000 + 1_000 / share {
                var (random, other) = (RandomRequests(seed: seed), RandomRequests(seed: seed, values: 1))
                let (first, second) = (random.request().request, other.request().request)
                let count = db.requestPlans.count
                guard try isAsWritten(first, db, "seed \(seed)") else { continue }
                let isKept = db.requestPlans.count > count
                let before = db.requestPlans.count
                guard try isAsWritten(second, db, "seed \(seed), second") else { continue }
                // A sign before a negative number is another shape.
                guard isKept, try written(first, db)?.sql == written(second, db)?.sql else { continue }
                kept += 1
                shared += db.requestPlans.count == before ? 1 : 0
                // The cache is small.
                if db.requestPlans.count > 90 { db.clearSchemaCache() }
            }
            #expect(shared == kept, "\(shared) of \(kept)")
            #expect(kept > 500 / Int(share), "\(kept)")
        }
    }

    @Test(arguments: 0..<10)
    func `Random requests that differ in one point have their own SQL`(block: UInt64) throws {
        try withDatabase(RandomSchema.creation) { db throws in
            var different = 0
            for seed in block * 1_000 + 50_000..<block * 1_000 + 50_000 + 1_000 / share {
                var random = RandomRequests(seed: seed)
                let first = random.request().request
                guard try isAsWritten(first, db, "seed \(seed)") else { continue }
                for change in 0..<3 {
                    var other = RandomRequests(seed: seed, values: 1, change: Int(seed % 17) + change * 6)
                    let second = other.request().request
                    guard try isAsWritten(second, db, "seed \(seed), change \(change)") else { continue }
                    different += try written(first, db)?.sql != written(second, db)?.sql ? 1 : 0
                    _ = try isAsWritten(first, db, "seed \(seed), again after change \(change)")
                }
            }
            #expect(different > 500 / Int(share), "\(different)")
        }
    }

    /// Checks that a request has the SQL and the arguments that the writer gives it.
    ///
    /// - Returns: false if the request can't be written.
    private func isAsWritten(_ request: QueryInterfaceRequest<Row>, _ db: Database, _ comment: Comment) throws -> Bool {
        guard let expected = try written(request, db) else {
            #expect(throws: (any Error).self, comment) { try request.makePreparedRequest(db, forSingleResult: false) }
            return false
        }
        // Twice: the second time, the shape is known.
        for _ in 0..<2 {
            let prepared = try request.makePreparedRequest(db, forSingleResult: false)
            #expect(prepared.statement.sql == expected.sql, comment)
            #expect(prepared.statement.arguments == expected.arguments, comment)
            #expect((prepared.adapter == nil) == (expected.adapter == nil), comment)
        }
        return true
    }

    private func written(
        _ request: QueryInterfaceRequest<Row>, _ db: Database
    ) throws -> (sql: String, arguments: StatementArguments, adapter: (any RowAdapter)?)? {
        guard let prepared = try? request.writtenRequest(db, forSingleResult: false) else { return nil }
        return (prepared.statement.sql, prepared.statement.arguments, prepared.adapter)
    }

    // MARK: - Values

    private struct Player: Codable, FetchableRecord, TableRecord, Equatable {
        var id: Int64
        var name: String?
        var score: Int?

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let score = Column("score")
        }

        init(row: Row) throws {
            id = try row.decode(forKey: "id")
            name = try row.decode(forKey: "name")
            score = try row.decode(forKey: "score")
        }
    }

    private static let creation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20), (3, NULL, 30);
        """

    private func ids(_ request: QueryInterfaceRequest<Player>, _ db: Database) throws -> [Int64] { try request.fetchAll(db).map(\.id) }

    @Test
    func `A value replaces another one, NULL and limits don't`() throws {
        try withDatabase(Self.creation) { db throws in
            for (score, expected) in [(10, [1]), (20, [2]), (30, [3]), (40, [])] as [(Int, [Int64])] {
                #expect(try ids(Player.filter(Column("score") == score), db) == expected)
            }
            #expect(db.requestPlans.count == 1)
            #expect(try ids(Player.filter(Column("name") == nil), db) == [3])
            #expect(try ids(Player.filter(Column("name") == "b"), db) == [2])
            #expect(try ids(Player.filter(Column("name") == String?.none), db) == [3])
            #expect(db.requestPlans.count == 3)
            #expect(try ids(Player.all().order(Column("id")).limit(1), db) == [1])
            #expect(try ids(Player.all().order(Column("id")).limit(2), db) == [1, 2])
            #expect(try ids(Player.all().order(Column("id")).limit(2, offset: 1), db) == [2, 3])
            #expect(try Player.filter(Column("score") > 10).fetchCount(db) == 2)
            #expect(try Player.filter(Column("score") > 20).fetchCount(db) == 1)
            #expect(try !Player.filter(Column("score") > 20).isEmpty(db))
            #expect(try Player.filter(Column("score") > 30).isEmpty(db))
            #expect(try Player.filter(Column("score") > 20).fetchOne(db)?.id == 3)
        }
    }

    @Test
    func `Lists of values have a shape for each length`() throws {
        try withDatabase(Self.creation) { db throws in
            for (keys, expected) in [([1, 2], [1, 2]), ([3, 2], [2, 3]), ([3], [3]), ([], [])] as [([Int64], [Int64])] {
                #expect(try ids(Player.filter(keys: keys).order(Column("id")), db) == expected)
            }
            #expect(db.requestPlans.count == 3 || db.requestPlans.count == 4)
            // A long list is one argument, and other statements stay.
            for count in [40_000, 40_001] {
                #expect(try ids(Player.filter(keys: 2..<count).order(Column("id")), db) == [2, 3])
            }
        }
    }

    @Test
    func `One value in two places is one value`() throws {
        try withDatabase(Self.creation) { db throws in
            for value in [10, 20] {
                let shared = value.sqlExpression
                #expect(try Player.filter(Column("score") == shared && Column("score") + 0 <= shared).fetchCount(db) == 1)
                // Two equal values are two.
                #expect(try Player.filter(Column("score") == value && Column("score") + 0 <= value + 5).fetchCount(db) == 1)
            }
            #expect(try Player.filter(Column("score") == 10 && Column("score") + 0 <= 5).fetchCount(db) == 0)
        }
    }

    @Test
    func `A negative number after a sign is written with a space`() throws {
        try withDatabase(Self.creation) { db throws in
            for value in [-10, 10, -20, 20] {
                #expect(
                    try ids(Player.filter(Column("score") == -(-(value.sqlExpression))), db) == (value == 10 ? [1] : value == 20 ? [2] : [])
                )
            }
        }
    }

    @Test
    func `A value that can't be stored fails, and the next one works`() throws {
        struct Failure: Error {}
        try withDatabase(Self.creation) { db throws in
            let request = { (value: Result<DatabaseValue, any Error>) in Player.filter(Column("score") == SQLExpression(value: value)) }
            #expect(try ids(request(.success(10.databaseValue)), db) == [1])
            #expect(throws: Failure.self) { try ids(request(.failure(Failure())), db) }
            #expect(try ids(request(.success(20.databaseValue)), db) == [2])
        }
    }

    // MARK: - Values that columns encode

    private struct Event: FetchableRecord, TableRecord, ColumnValueEncoding {
        var id: Int64

        init(row: Row) throws { id = try row.decode(forKey: "id") }

        struct Refusal: Error {}

        static func databaseValue(
            of value: any DatabaseValueConvertible & Sendable, inColumn column: String
        ) throws -> DatabaseValue? {
            guard let date = value as? Date else { return nil }
            if date.timeIntervalSince1970 < 0 { throw Refusal() }
            // Dates of the first day have their own form.
            if date.timeIntervalSince1970 < 86_400 { return nil }
            return (column == "end" ? -date.timeIntervalSince1970 : date.timeIntervalSince1970).databaseValue
        }
    }

    @Test
    func `Dates are encoded for their columns, each time`() throws {
        let creation = """
            CREATE TABLE event (id INTEGER PRIMARY KEY, start, "end");
            INSERT INTO event VALUES (1, 100000.0, -200000.0), (2, 300000.0, -400000.0), (3, '1970-01-01 00:01:40.000', 1);
            """
        try withDatabase(creation) { db throws in
            func ids(_ predicate: SQLExpression) throws -> [Int64] { try Event.filter(predicate).fetchAll(db).map(\.id) }
            func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
            let end = Column("END")
            for _ in 0..<2 {
                #expect(try ids(Column("start") == date(100_000)) == [1])
                #expect(try ids(Column("start") == date(300_000)) == [2])
                #expect(try ids(Column("start") == date(100)) == [3])
                #expect(throws: Event.Refusal.self) { try ids(Column("start") == date(-1)) }
                #expect(try ids(Column("start") == date(100_000) && end == date(200_000)) == [1])
                #expect(try ids(end == date(400_000) && Column("start") == date(300_000)) == [2])
                #expect(try ids([date(100_000), date(100)].contains(Column("start"))) == [1, 3])
                #expect(try ids([date(300_000), date(1)].contains(Column("start"))) == [2])
                #expect(try ids((date(90_000)...date(200_000)).contains(Column("start"))) == [1])
                // Another type, in the same place.
                #expect(try ids(Column("start") == UUID()) == [])
            }
        }
    }

    @Test
    func `A date after a plain value in the same place is encoded`() throws {
        let creation = """
            CREATE TABLE event (id INTEGER PRIMARY KEY, start);
            INSERT INTO event VALUES (1, 100000.0), (2, 300000.0);
            """
        try withDatabase(creation) { db throws in
            func ids(_ predicate: SQLExpression) throws -> [Int64] { try Event.filter(predicate).fetchAll(db).map(\.id) }
            let (start, date) = (Column("start"), Date(timeIntervalSince1970: 200_000))
            #expect(try ids(start < 0) == [])
            #expect(try ids(start < "a".databaseValue) == [1, 2])
            #expect(try ids(start < date) == [1])
            #expect(try ids([100_000, 1].contains(start)) == [1])
            #expect(try ids([Date(timeIntervalSince1970: 300_000), date].contains(start)) == [2])
            #expect(try ids((0...1).contains(start)) == [])
            #expect(try ids((date...Date(timeIntervalSince1970: 400_000)).contains(start)) == [2])
            #expect(throws: Event.Refusal.self) { try ids(start < Date(timeIntervalSince1970: -1)) }
        }
    }

    // MARK: - The schema

    @Test
    func `Attached and temporary tables that hide others are found`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Self.creation)
            let request = Player.filter(Column("score") >= 10)
            #expect(try request.fetchCount(db) == 3)
            try db.execute(sql: "CREATE TEMP TABLE player AS SELECT 1 AS id, 'temp' AS name, 10 AS score")
            #expect(try request.fetchAll(db).map(\.name) == ["temp"])
            try db.execute(sql: "DROP TABLE temp.player")
            #expect(try request.fetchCount(db) == 3)
            // A table of an attached database, where another name was meant before.
            let other = Table("other.player").filter(Column("score") >= 10)
            try db.execute(sql: #"CREATE TABLE "other.player" (score); INSERT INTO "other.player" VALUES (10)"#)
            #expect(try other.fetchCount(db) == 1)
            try db.execute(sql: #"DROP TABLE "other.player"; ATTACH ':memory:' AS other; CREATE TABLE other.player (score)"#)
            #expect(try other.fetchCount(db) == 0)
            try db.execute(sql: #"DETACH other; CREATE TABLE "other.player" (score); INSERT INTO "other.player" VALUES (10), (11)"#)
            #expect(try other.fetchCount(db) == 2)
        }
    }

    @Test
    func `Changes of the schema are seen, also those that are rolled back`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Self.creation)
            let request = Table("player").select(AllColumnsExcluding(["name"])).filter(Column("id") == 1)
            #expect(try request.fetchOne(db)?.columnNames.joined(separator: ",") == "id,score")
            try db.inTransaction { () throws in
                try db.execute(sql: "ALTER TABLE player ADD COLUMN team")
                #expect(try request.fetchOne(db)?.columnNames.joined(separator: ",") == "id,score,team")
                return .rollback
            }
            #expect(try request.fetchOne(db)?.columnNames.joined(separator: ",") == "id,score")
            db.releaseMemory()
            #expect(try request.fetchOne(db)?.columnNames.joined(separator: ",") == "id,score")
        }
    }

    @Test
    func `A limit that was lowered is checked`() throws {
        try withDatabase(Self.creation) { db throws in
            let request = Player.filter(Column("score") + 1 + 2 + 3 == 16)
            #expect(try request.fetchCount(db) == 1)
            db.setLimit(.expressionDepth, to: 2)
            #expect(throws: DatabaseError.self) { try request.fetchCount(db) }
        }
    }

    // MARK: - Statements

    @Test
    func `A statement that is running is not used twice`() throws {
        try withDatabase(Self.creation) { db throws in
            _ = try Player.filter(Column("score") >= 0).fetchAll(db)
            let cursor = try Player.filter(Column("score") >= 20).order(Column("id")).fetchCursor(db)
            var seen: [[Int64]] = []
            while let player = try cursor.next() {
                seen.append(try ids(Player.filter(Column("score") >= Int(player.id) * 10).order(Column("id")), db))
            }
            #expect(seen == [[2, 3], [3]])
            // Arguments that were set, and not used yet.
            let first = try Player.filter(Column("id") == 1).makePreparedRequest(db, forSingleResult: false)
            let second = try Player.filter(Column("id") == 2).makePreparedRequest(db, forSingleResult: false)
            #expect(try Player.fetchAll(first.statement).map(\.id) == [1])
            #expect(try Player.fetchAll(second.statement).map(\.id) == [2])
        }
    }

    @Test
    func `The number of statements is limited`() throws {
        try withDatabase(Self.creation) { db throws in
            for round in 0..<2 {
                for count in 1...250 {
                    let sum = (1...count).map { Column("score") + $0 + round }.joined(operator: .add)
                    #expect(try Player.filter(sum > 0).fetchCount(db) == 3)
                }
                #expect(db.requestPlans.count <= 200)
            }
        }
    }

    // MARK: - Closures, and SQL of programs

    @Test
    func `Closures run each time`() throws {
        try withDatabase(Self.creation) { db throws in
            let calls = Counter()
            let request = Player.all().filterWhenConnected { db throws in
                // A closure can run other requests.
                let count = try Player.filter(Column("score") >= 10).fetchCount(db)
                return Column("score") == calls.next() * 10 + count - 3
            }
            .order(Column("id"))
            var found: [Int64] = []
            for _ in 0..<12 { found += try ids(request, db) }
            #expect(Set(found).count == found.count)
            #expect(!found.isEmpty)
            let columns = Player.all().selectWhenConnected { _ in [Column("name")] }
            #expect(try String?.fetchAll(db, columns.order(Column("id"))) == ["a", "b", nil])
        }
    }

    @Test
    func `Closures in subqueries, and groups that a closure returns, are not kept`() throws {
        try withDatabase(Self.creation) { db throws in
            let calls = Counter()
            let inner = Player.all().filterWhenConnected { _ in
                calls.next() % 2 == 0 ? Column("id") == Column("id") : Column("id") > Column("id")
            }
            var found: Set<Int> = []
            for _ in 0..<20 { found.insert(try Player.filter(inner.exists()).fetchCount(db)) }
            #expect(found == [0, 3] || found == [0] || found == [3])
            #expect(db.requestPlans.count == 0)
            #expect(try Player.all().groupWhenConnected { _ in [] }.fetchCount(db) == 3)
            #expect(
                try Player.all().groupWhenConnected { _ in [Column("id") > 1] }.select(max(Column("id"))).asRequest(of: Int.self).fetchAll(
                    db) == [1, 3])
        }
    }

    private final class Counter: @unchecked Sendable {
        // One connection uses it.
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    private struct Fixed: SQLExpressionNode {
        let number: Int

        func render(to renderer: inout SQLRenderer) throws { renderer.append("\(number)") }
    }

    @Test
    func `SQL of programs with different values is distinguished`() throws {
        try withDatabase(Self.creation) { db throws in
            for score in [10, 20] {
                let expected: [Int64] = score == 10 ? [1] : [2]
                // A node's SQL is not known, so that it is written each time.
                #expect(try ids(Player.filter(Column("score") == SQLExpression(Fixed(number: score))), db) == expected)
                #expect(try ids(Player.filter(literal: "score = \(score)"), db) == expected)
                #expect(try ids(Player.filter(sql: "score = \(score)"), db) == expected)
                #expect(try ids(Player.filter(sql: "score = ?", arguments: [score]), db) == expected)
                #expect(try ids(Player.filter(sql: "score = :score", arguments: ["score": score]), db) == expected)
                #expect(try ids(Player.filter(literal: "score = \(score) OR \(sql: "score = ?", arguments: [score])"), db) == expected)
            }
        }
    }

    // MARK: - Associations

    @Test
    func `Prefetched associations have the values of their own request`() throws {
        try withDatabase(
            """
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, score INTEGER);
            INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
            INSERT INTO player VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30);
            """
        ) { db throws in
            let (team, player) = (Table("team"), Table("player"))
            let players = team.hasMany(player, key: "players")
            let owner = player.belongsTo(team, key: "team")
            for (score, expected) in [(10, [2, 1]), (20, [1, 1]), (30, [0, 1])] {
                let request = team.including(all: players.filter(Column("score") >= score)).order(Column("id"))
                #expect(try request.fetchAll(db).map { $0.prefetchedRows["players"]?.count ?? -1 } == expected)
                let joined = player.including(required: owner.filter(Column("name") != "Reds" || Column("id") == score / 10))
                    .order(Column("id"))
                let rows = try joined.fetchAll(db)
                #expect(rows.map { $0["id"] as Int? } == (score == 10 ? [1, 2, 3] : [3]))
                #expect(rows.allSatisfy { $0.scopes["team"]?["name"] as String? != nil })
            }
        }
    }
}
