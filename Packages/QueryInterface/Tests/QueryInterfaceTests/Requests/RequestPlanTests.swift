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
            for seed in block * pairCount / 10..<(block + 1) * pairCount / 10 {
                var (random, other) = (RandomRequests(seed: seed), RandomRequests(seed: seed, values: 1))
                let (first, second) = (random.request().request, other.request().request)
                let count = db.requestPlans.count
                guard let firstSQL = try expectAsWritten(first, db, "seed \(seed)") else { continue }
                let isKept = db.requestPlans.count > count
                let before = db.requestPlans.count
                guard let secondSQL = try expectAsWritten(second, db, "seed \(seed), second") else { continue }
                // A sign before a negative number is another shape.
                guard isKept, firstSQL == secondSQL else { continue }
                kept += 1
                shared += db.requestPlans.count == before ? 1 : 0
                // The cache is small.
                if db.requestPlans.count > 90 { db.clearSchemaCache() }
            }
            #expect(shared == kept, "\(shared) of \(kept)")
            #expect(kept > pairCount / 20, "\(kept)")
        }
    }

    @Test(arguments: 0..<10)
    func `Random requests that differ in one point have their own SQL`(block: UInt64) throws {
        try withDatabase(RandomSchema.creation) { db throws in
            var different = 0
            for seed in 1_000_000 + block * pairCount / 10..<1_000_000 + (block + 1) * pairCount / 10 {
                var random = RandomRequests(seed: seed)
                let first = random.request().request
                guard try expectAsWritten(first, db, "seed \(seed)") != nil, let expected = try written(first, db) else { continue }
                for change in 0..<3 {
                    var other = RandomRequests(seed: seed, values: 1, change: Int(seed % 17) + change * 6)
                    let second = other.request().request
                    guard let sql = try expectAsWritten(second, db, "seed \(seed), change \(change)") else { continue }
                    different += sql != expected.sql ? 1 : 0
                    try expectPrepared(first, as: expected, times: 1, db, "seed \(seed), again after change \(change)")
                }
            }
            #expect(different > pairCount / 20, "\(different)")
        }
    }

    private typealias Written = (sql: String, arguments: StatementArguments, hasAdapter: Bool)

    /// Expects that a request has the SQL and the arguments that the writer gives it.
    ///
    /// - Returns: the SQL, or nil if the request can't be written.
    private func expectAsWritten(_ request: QueryInterfaceRequest<Row>, _ db: Database, _ comment: Comment) throws -> String? {
        guard let expected = try written(request, db) else {
            #expect(throws: (any Error).self, comment) { try request.makePreparedRequest(db, forSingleResult: false) }
            return nil
        }
        // Twice: the second time, the shape is known.
        try expectPrepared(request, as: expected, times: 2, db, comment)
        return expected.sql
    }

    private func expectPrepared(
        _ request: QueryInterfaceRequest<Row>, as expected: Written, times: Int, _ db: Database, _ comment: Comment
    ) throws {
        for _ in 0..<times {
            let prepared = try request.makePreparedRequest(db, forSingleResult: false)
            #expect(prepared.statement.sql == expected.sql, comment)
            #expect(prepared.statement.arguments == expected.arguments, comment)
            #expect((prepared.adapter != nil) == expected.hasAdapter, comment)
        }
    }

    private func written(_ request: QueryInterfaceRequest<Row>, _ db: Database) throws -> Written? {
        guard let prepared = try? request.writtenRequest(db, forSingleResult: false) else { return nil }
        return (prepared.statement.sql, prepared.statement.arguments, prepared.adapter != nil)
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

    // MARK: - What tells requests apart

    /// Record types of the same name, for the same table.
    private enum Seconds {
        struct Event: FetchableRecord, TableRecord, ColumnValueEncoding {
            let names: [String]

            init(row: Row) { names = Array(row.columnNames) }

            static func databaseValue(
                of value: any DatabaseValueConvertible & Sendable, inColumn column: String
            ) throws -> DatabaseValue? {
                (value as? Date).map { $0.timeIntervalSince1970.databaseValue }
            }
        }
    }

    private enum Milliseconds {
        struct Event: FetchableRecord, TableRecord, ColumnValueEncoding {
            let names: [String]

            static var databaseSelection: [any SQLSelectable] { [Column("start")] }

            init(row: Row) { names = Array(row.columnNames) }

            static func databaseValue(
                of value: any DatabaseValueConvertible & Sendable, inColumn column: String
            ) throws -> DatabaseValue? {
                (value as? Date).map { ($0.timeIntervalSince1970 * 1_000).databaseValue }
            }
        }
    }

    @Test
    func `Record types of the same name and table have requests of their own`() throws {
        let creation = "CREATE TABLE event (id INTEGER PRIMARY KEY, start); INSERT INTO event VALUES (1, 5e3), (2, 5e6)"
        try withDatabase(creation) { db throws in
            for seconds in [5e3, 5, 5e3, 5e6] {
                let date = Date(timeIntervalSince1970: seconds)
                let (first, second) = (Seconds.Event.filter(Column("start") == date), Milliseconds.Event.filter(Column("start") == date))
                #expect(try first.fetchAll(db).map(\.names) == (seconds == 5 ? [] : [["id", "start"]]))
                #expect(try second.fetchAll(db).map(\.names) == (seconds == 5e6 ? [] : [["start"]]))
                // The same request, whose rows are decoded as the other type.
                #expect(try first.asRequest(of: Milliseconds.Event.self).fetchCount(db) == (seconds == 5 ? 0 : 1))
            }
        }
    }

    @Test
    func `Expressions that are added to all columns are not the selection`() throws {
        try withDatabase(Self.creation) { db throws in
            let score = Column("score").forKey("points")
            for _ in 0..<2 {
                #expect(try Player.annotated(with: score).asRequest(of: Row.self).fetchAll(db).map(\.count) == [4, 4, 4])
                #expect(try Player.select(score, as: Int.self).fetchAll(db) == [10, 20, 30])
            }
        }
    }

    private struct Member: FetchableRecord, TableRecord {
        let id: Int64

        static let club = belongsTo(Club.self, using: ForeignKey(["clubId"]))

        init(row: Row) throws { id = try row.decode(forKey: "id") }
    }

    private struct Club: TableRecord {}

    @Test
    func `Columns of the same name of other tables are other columns`() throws {
        let creation = """
            CREATE TABLE club (id INTEGER PRIMARY KEY); CREATE TABLE member (id INTEGER PRIMARY KEY, clubId INTEGER);
            INSERT INTO club VALUES (1), (2); INSERT INTO member VALUES (1, 2), (2, 1), (3, 1);
            """
        try withDatabase(creation) { db throws in
            let request = Member.joining(required: Member.club).order(Column("id"))
            for _ in 0..<2 {
                #expect(try request.filter(Column("id", of: Member.self) == 1).fetchAll(db).map(\.id) == [1])
                #expect(try request.filter(Column("id", of: Club.self) == 1).fetchAll(db).map(\.id) == [2, 3])
                #expect(try request.filter(TypedColumn<Int64>("id", of: Member.self) == 2).fetchAll(db).map(\.id) == [2])
                #expect(try request.filter(TypedColumn<Int64>("id", of: Club.self) == 2).fetchAll(db).map(\.id) == [1])
                #expect(try request.filter(Column("id") == 3).fetchAll(db).map(\.id) == [3])
                let (one, two) = (TableAlias(name: "a"), TableAlias(name: "b"))
                for alias in [one, two] {
                    let aliased = Member.joining(required: Member.club.aliased(alias)).filter(alias[Column("id")] == 2)
                    #expect(try aliased.fetchAll(db).map(\.id) == [1])
                    #expect(try aliased.makePreparedRequest(db).statement.sql.contains("\"\(alias === one ? "a" : "b")\".\"id\""))
                }
            }
        }
    }

    @Test
    func `Names that Unicode considers equal are different names`() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try #require(composed == decomposed)
        let creation = """
            CREATE TABLE "\(composed)" (id INTEGER PRIMARY KEY, "\(composed)", "\(decomposed)"); CREATE TABLE "\(decomposed)" (id);
            INSERT INTO "\(composed)" VALUES (1, 1, 2), (2, 2, 1), (3, 0, 0); INSERT INTO "\(decomposed)" VALUES (4);
            """
        try withDatabase(creation) { db throws in
            let table = Table(composed)
            for value in [1, 2, 1] {
                func ids(_ name: String) throws -> [Int64] {
                    try Int64.fetchAll(db, table.filter(Column(name) == value).select(Column("id")))
                }
                #expect(try ids(composed) == [Int64(value)])
                #expect(try ids(decomposed) == [Int64(3 - value)])
                #expect(try table.fetchCount(db) == 3)
                #expect(try Table(decomposed).fetchCount(db) == 1)
            }
        }
    }

    @Test
    func `Connections have plans of their own`() throws {
        let (first, second) = (try DatabaseQueue(), try DatabaseQueue())
        try first.write { try $0.execute(sql: Self.creation) }
        try second.write { db in
            try db.execute(sql: "CREATE TABLE player (score INTEGER, name TEXT, id INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO player VALUES (10, 'z', 9)")
        }
        let request = Player.filter(Column("score") == 10)
        for _ in 0..<3 {
            #expect(try first.read { try request.fetchAll($0).map(\.name) } == ["a"])
            #expect(try second.read { try request.fetchAll($0).map(\.name) } == ["z"])
        }
    }

    @Test
    func `Requests give the same rows after a connection has released its memory`() throws {
        try withDatabase(Self.creation) { db throws in
            let request = Player.filter(Column("score") == 10)
            for score in [10, 20, 30] {
                #expect(try request.fetchAll(db).map(\.id) == [1])
                let cursor = try Player.filter(Column("score") >= score).order(Column("id")).fetchCursor(db)
                #expect(try cursor.next()?.score == score)
                #expect(db.requestPlans.count > 0)
                db.releaseMemory()
                #expect(db.requestPlans.count == 0)
                #expect(try cursor.next()?.score == (score == 30 ? nil : score + 10))
            }
        }
    }

    @Test
    func `A connection that releases its memory finalizes the statements of requests`() throws {
        try withDatabase(Self.creation) { db throws in
            weak var statement: Statement?
            do {
                let prepared = try Player.filter(Column("score") == 10).makePreparedRequest(db, forSingleResult: false)
                statement = prepared.statement
            }
            #expect(statement != nil)
            db.releaseMemory()
            #expect(statement == nil)
        }
    }

    /// A record whose initializer makes the connection release its memory.
    private struct ReleasingPlayer: FetchableRecord, TableRecord {
        // One test uses it.
        nonisolated(unsafe) static var database: Database?

        static let databaseTableName = "player"

        let name: String?

        init(row: Row) throws {
            Self.database?.releaseMemory()
            name = try row.decode(forKey: "name")
        }
    }

    @Test
    func `A connection can release its memory while a record of a request is created`() throws {
        try withDatabase(Self.creation) { db throws in
            ReleasingPlayer.database = db
            defer { ReleasingPlayer.database = nil }
            for _ in 0..<2 {
                #expect(try ReleasingPlayer.fetchOne(db, key: 2)?.name == "b")
                let players = try ReleasingPlayer.filter(Column("score") <= 20).order(Column("id")).fetchAll(db)
                #expect(players.map(\.name) == ["a", "b"])
            }
        }
    }

    // MARK: - Shapes

    private func words(_ describe: (inout SQLShape) -> Void) -> [UInt64] {
        var shape = SQLShape()
        describe(&shape)
        return shape.words
    }

    @Test
    func `Two names have the same words only if their bytes are the same`() {
        var names = ["", "\u{E9}", "e\u{301}", "\u{80}"]
        for length in 1...18 {
            for unit in ["a", "\0", "\u{7F}"] {
                let name = String(repeating: unit, count: length)
                names += [name, name + "b", "b" + name]
            }
        }
        var seen: [[UInt64]: [UInt8]] = [:]
        for first in names {
            for second in names {
                let words = words {
                    $0.append(first)
                    $0.append(second)
                }
                // The bytes 0xFF are in no string.
                let bytes = Array(first.utf8) + [0xFF] + Array(second.utf8)
                #expect(seen.updateValue(bytes, forKey: words) ?? bytes == bytes)
            }
        }
        #expect(seen.count > 10_000)
    }

    @Test
    func `Shapes with the same hash are compared`() {
        func shape(_ words: [UInt64]) -> SQLShape {
            var shape = SQLShape()
            for word in words { shape.append(word) }
            return shape
        }
        // The second word makes up for the difference of the first ones.
        let difference = shape([1]).hash ^ shape([2]).hash
        let (first, second) = (shape([1, 7]), shape([2, 7 ^ difference]))
        #expect(first.hash == second.hash)
        #expect(!first.hasWords(second.words))
        #expect(first.hasWords([1, 7]))
        #expect(!first.hasWords([1]))
        #expect(!first.hasWords([1, 7, 0]))
    }

    @Test
    func `A shape that ends leaves nothing to the next one`() {
        var shape = SQLShape()
        for _ in 0..<100 { shape.append("a name of some length") }
        shape.end()
        #expect(shape.words == [])
        shape.append(3)
        #expect(shape.words == [3])
        for index in 0..<5_000 { shape.append(index) }
        #expect(!shape.isComplete)
        shape.end()
        #expect(shape.isComplete)
        shape.append(4)
        #expect(shape.words == [4])
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

    // MARK: - Conditions of closures

    /// The number of calls of a closure.
    private final class Calls: @unchecked Sendable {
        private let lock = NSLock()
        private var calls = 0
        var count: Int { lock.withLock { calls } }
        func add() -> Int {
            lock.withLock {
                calls += 1
                return calls
            }
        }
    }

    /// An association whose condition differs with each call: the books of the author, or the book with the author's id.
    private func changingAssociation(_ calls: Calls) -> JoinAssociation<Author, Book> {
        Author.association(
            to: Book.self,
            on: { author, book in
                calls.add().isMultiple(of: 2) ? author["id"] == book["authorId"] : author["id"] == book["id"] + 0
            })
    }

    @Test
    func `The closure of a join condition is called once for each query`() throws {
        try Library.withDatabase { db throws in
            let calls = Calls()
            let books = changingAssociation(calls)
            for request in [
                Author.joining(required: books), Author.joining(optional: books.filter(Column("id") > 0)),
                Author.joining(required: books.filter(Column("title") == "x")), Author.including(optional: books).limit(2),
                Author.filter(Author.joining(required: books).select(Author.Columns.id).contains(Author.Columns.id)),
            ] {
                let fetches: [(QueryInterfaceRequest<Author>) throws -> Void] = [
                    { _ = try Row.fetchAll(db, $0) }, { _ = try $0.fetchOne(db) }, { _ = try $0.sql(db) },
                    { _ = try $0.databaseRegion(db) },
                ]
                for fetch in fetches {
                    for _ in 0..<3 {
                        let count = calls.count
                        try fetch(request)
                        #expect(calls.count == count + 1)
                    }
                }
            }
        }
    }

    @Test
    func `A kept statement has the condition that the closure of its join returns`() throws {
        try Library.withDatabase { db throws in
            let books = changingAssociation(Calls())
            let request = Author.joining(required: books).select(Author.Columns.id).order(Author.Columns.id)
            let sql = [#""book"."id" + 0"#, #""book"."authorId""#].map {
                #"SELECT "author"."id" FROM "author" JOIN "book" ON "author"."id" = \#($0) ORDER BY "author"."id""#
            }
            for _ in 0..<3 {
                for (sql, rows) in zip(sql, [[1, 2, 3, 4], [1, 1, 2, 3]]) {
                    let fetched = try db.recordingSQL { try Int.fetchAll(db, request) }
                    #expect(fetched.sql == [sql])
                    #expect(fetched.value == rows)
                }
            }
            // Joined twice.
            let twice = Author.joining(required: books).joining(required: books.forKey("more")).select(Author.Columns.id)
            for _ in 0..<2 {
                #expect(
                    try twice.sql(db)
                        == #"SELECT "author"."id" FROM "author" JOIN "book" AS "book1" ON "author"."id" = "book1"."id" + 0 JOIN "book" AS "book2" ON "author"."id" = "book2"."authorId""#
                )
            }
        }
    }

    @Test
    func `A recorded query reads the rows of the condition that its closure has returned`() throws {
        try Library.withDatabase { db throws in
            let calls = Calls()
            let request = Author.select(Author.Columns.name).filterWhenConnected { _ in Author.Columns.id == calls.add() }
            for (id, name) in [(1, "Verne"), (2, "Wells"), (3, "Calvino")] {
                let (names, region) = try db.recordingAccesses { try String.fetchAll(db, request) }
                #expect(names == [name])
                #expect(region.description == "author(id,name)[\(id)]")
            }
            #expect(try request.databaseRegion(db).description == "author(id,name)[4]")
            #expect(calls.count == 4)
            // A closure whose result a query does not need can fail.
            let failing = Author.all().orderWhenConnected { _ in throw DatabaseError(message: "no order") }
            #expect(try failing.fetchCount(db) == 4)
            #expect(throws: DatabaseError.self) { try Row.fetchAll(db, failing) }
        }
    }
}
