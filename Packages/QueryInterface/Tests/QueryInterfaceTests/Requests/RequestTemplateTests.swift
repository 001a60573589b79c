import Foundation
import QueryInterface
import Testing

/// Templates give the results, the SQL and the regions of the requests that are built with the values.
struct RequestTemplateTests {
    private struct Typed: TableRecord, FetchableRecord, Equatable {
        static let databaseTableName = "player"

        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let name = TypedColumn<String>("name")
            static let score = TypedColumn<Int64>("score")
        }

        var id: Int64
        init(row: Row) throws { id = try row.decode(forKey: "id") }
    }

    private func withPlayers(_ body: (Database) throws -> Void) throws { try QueryInterfaceTests.withDatabase(Player.createTable, body) }

    /// Expects that a template's request fetches, counts, reads and writes what an ordinary request does.
    private func expectEqual<Record: FetchableRecord & Hashable>(
        _ templated: TemplateRequest<Record>, _ ordinary: QueryInterfaceRequest<Record>, _ db: Database, sql: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<2 {
            let (records, statements) = try db.recordingSQL { try templated.fetchAll(db) }
            let (expected, expectedStatements) = try db.recordingSQL { try ordinary.fetchAll(db) }
            #expect(records == expected, sourceLocation: sourceLocation)
            if sql { #expect(statements == expectedStatements, sourceLocation: sourceLocation) }
            #expect(try templated.fetchOne(db) == ordinary.fetchOne(db), sourceLocation: sourceLocation)
            #expect(try templated.fetchSet(db) == ordinary.fetchSet(db), sourceLocation: sourceLocation)
            #expect(try templated.fetchCount(db) == ordinary.fetchCount(db), sourceLocation: sourceLocation)
            #expect(try templated.isEmpty(db) == ordinary.isEmpty(db), sourceLocation: sourceLocation)
            #expect(try templated.all().fetchAll(db) == expected, sourceLocation: sourceLocation)
        }
        #expect(try templated.databaseRegion(db) == ordinary.databaseRegion(db), sourceLocation: sourceLocation)
        let recorded = try db.recordingAccesses { try templated.fetchAll(db) }
        let expected = try db.recordingAccesses { try ordinary.fetchAll(db) }
        #expect(recorded.value == expected.value, sourceLocation: sourceLocation)
        #expect(recorded.region == expected.region, sourceLocation: sourceLocation)
    }

    // MARK: - Values

    @Test
    func `A template gives the rows of the request with the values`() throws {
        let best = RequestTemplate { (score: Place<Int>) in Player.filter { $0.score > score } }
        try withPlayers { db throws in
            let (players, sql) = try db.recordingSQL { try best(749).fetchAll(db) }
            #expect(players.map(\.name) == ["Arthur", "Barbara"])
            #expect(sql == [#"SELECT * FROM "player" WHERE "score" > 749"#])
            for score in [0, 1000, -5, .max, .min] {
                try expectEqual(best(score), Player.filter { $0.score > score }, db)
            }
        }
    }

    @Test
    func `The closure runs once, whatever is fetched`() throws {
        var count = 0
        let template = RequestTemplate { (id: Place<Int64>, name: Place<String>) in
            count += 1
            return Player.filter { $0.id > id && $0.name != name }
        }
        #expect(count == 1)
        try withPlayers { db throws in
            for id in 0..<5 as Range<Int64> {
                try expectEqual(template(id, "Craig"), Player.filter { $0.id > id && $0.name != "Craig" }, db)
            }
            #expect(try template(0, "").limit(2).fetchAll(db).count == 2)
        }
        #expect(count == 1)
        #expect(throws: TestError.self) {
            try RequestTemplate { (_: Place<Int>) -> QueryInterfaceRequest<Player> in throw TestError() }
        }
    }

    @Test
    func `A place of an optional finds NULL, and a place of another type does not`() throws {
        let equal = RequestTemplate { (score: Place<Int?>) in Player.filter { $0.score == score } }
        let different = RequestTemplate { (score: Place<Int?>) in Player.filter { $0.score != score } }
        let typed = RequestTemplate { (name: Place<String?>, score: Place<Int64?>) in
            Typed.filter { $0.name != name && $0.score == score }
        }
        try withPlayers { db throws in
            func ids(_ request: TemplateRequest<Player>) throws -> [Int64] { try request.fetchAll(db).map(\.id) }
            // NULL comes first: the plan is made by this call.
            for _ in 0..<2 {
                #expect(try ids(equal(nil)) == [3])
                #expect(try ids(equal(750)) == [2])
                #expect(try ids(equal(1)) == [])
                #expect(try ids(different(nil)) == [1, 2, 4])
                #expect(try ids(different(750)) == [1, 3, 4])
                #expect(try typed(nil, nil).fetchAll(db).map(\.id) == [3])
                #expect(try typed("Craig", nil).fetchAll(db) == [])
                #expect(try typed("Craig", 0).fetchAll(db).map(\.id) == [4])
            }
            let (_, sql) = try db.recordingSQL { _ = try (equal(nil).fetchAll(db), different(5).fetchAll(db)) }
            #expect(sql == [#"SELECT * FROM "player" WHERE "score" IS NULL"#, #"SELECT * FROM "player" WHERE "score" IS NOT 5"#])
            let greater = RequestTemplate { (score: Place<Int?>) in Player.filter { $0.score > score } }
            #expect(try ids(greater(nil)) == [])
            #expect(try ids(greater(750)) == [1])
        }
    }

    @Test
    func `One to six places have their values`() throws {
        let one = RequestTemplate { (a: Place<Int>) in Player.filter([a].contains(Column("id"))) }
        let two = RequestTemplate { (a: Place<Int>, b: Place<Int>) in Player.filter([a, b].contains(Column("id"))) }
        let three = RequestTemplate { (a: Place<Int>, b: Place<Int>, c: Place<String>) in
            Player.filter { [a, b].contains($0.id) || $0.name == c }
        }
        let four = RequestTemplate { (a: Place<Int>, b: Place<Int>, c: Place<Int>, d: Place<Int>) in
            Player.filter { [d, b, a, c].contains($0.id) }
        }
        let five = RequestTemplate { (a: Place<Int>, b: Place<Int>, c: Place<Int>, d: Place<Int>, e: Place<Double>) in
            Player.filter { [d, b, a, c].contains($0.id) && $0.score > e }
        }
        let six = RequestTemplate { (a: Place<Int>, b: Place<Int>, c: Place<Int>, d: Place<Int>, e: Place<Double>, f: Place<String>) in
            Player.filter { [d, b, a, c].contains($0.id) && $0.score > e && $0.name != f }
        }
        try withPlayers { db throws in
            for _ in 0..<2 {
                #expect(try one(2).fetchAll(db).map(\.id) == [2])
                #expect(try two(2, 3).fetchAll(db).map(\.id) == [2, 3])
                #expect(try three(2, 9, "David").fetchAll(db).map(\.id) == [2, 4])
                #expect(try four(1, 2, 3, 9).fetchAll(db).map(\.id) == [1, 2, 3])
                #expect(try five(1, 2, 3, 4, 749.5).fetchAll(db).map(\.id) == [1, 2])
                #expect(try six(1, 2, 3, 4, -1, "Arthur").fetchAll(db).map(\.id) == [2, 4])
            }
        }
    }

    /// Requests with a place or a value.
    private static func request(_ index: Int, _ p: any SQLExpressible) -> QueryInterfaceRequest<Player> {
        switch index {
        case 0: return Player.filter { $0.score == p }
        case 1: return Player.filter { p <= $0.score }
        case 2: return Player.filter { !($0.score == p) }
        case 3: return Player.filter { $0.score + p > $0.best }
        case 4: return Player.filter { ($0.score ?? p) == p }
        case 5: return Player.filter { $0.name.like("%r%") && $0.id != p }
        case 6: return Player.filter(literal: "score < \(p) OR id = \(7)")
        case 7: return Player.filter { $0.id > 1 }.filter { $0.score < p }.order { $0.name.desc }
        case 8: return Player.filter { Player.filter { $0.best > p }.select(Column("id")).contains($0.id) }
        case 9: return Player.all().group { $0.score }.having(p < count(Column("id")))
        case 10: return Player.filter { $0.score + p <= 900 || $0.id == 2 }
        case 11: return Player.filter { $0.id == p }
        case 12: return Player.filter { $0.id == p || $0.id == 2 }
        case 13: return Player.filter { $0.id == p }.limit(1)
        default: return Player.filter { $0.id >= p }.orderByPrimaryKey().reversed()
        }
    }

    @Test(arguments: 0..<15, [UInt64(1), 2])
    func `Random values give what ordinary requests give`(index: Int, seed: UInt64) throws {
        let template = RequestTemplate { (place: Place<Int>) in Self.request(index, place) }
        var random = SeededGenerator(seed: seed &* 31 &+ UInt64(index))
        try withPlayers { db throws in
            for round in 0..<12 {
                // Negative values in sums need other SQL in a literal, and the same with parameters.
                let number = round % 3 == 0 ? Int.random(in: 0...5, using: &random) : Int.random(in: -10...1300, using: &random)
                try expectEqual(template(number), Self.request(index, number), db)
            }
        }
    }

    @Test
    func `A value that can't be stored throws the error of an ordinary request`() throws {
        let template = RequestTemplate { (id: Place<UInt64>) in Player.filter { $0.id == id } }
        try withPlayers { db throws in
            for _ in 0..<2 {
                #expect(try template(2).fetchAll(db).map(\.id) == [2])
                let error = #expect(throws: DatabaseError.self) { try template(.max).fetchAll(db) }
                let expected = #expect(throws: DatabaseError.self) { try Player.filter(Column("id") == UInt64.max).fetchAll(db) }
                #expect(error?.message == expected?.message)
            }
        }
    }

    // MARK: - Columns that store values in their own ways

    private struct Event: TableRecord, FetchableRecord, Hashable, ColumnValueEncoding {
        var id: Int64

        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let day = TypedColumn<Date>("day")
            static let code = Column("code")
        }

        init(row: Row) throws { id = try row.decode(forKey: "id") }

        static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) throws -> DatabaseValue? {
            switch value {
            case let date as Date where column == "day": return (date.timeIntervalSince1970 / 86_400).databaseValue
            case is Date: return nil
            case let uuid as UUID:
                if uuid == forbidden { throw TestError() }
                return uuid.uuidString.databaseValue
            default: fatalError("a record type gets no other values")
            }
        }

        static let forbidden = UUID(uuidString: "00000000-0000-0000-0000-000000000000")!
        static let known = UUID(uuidString: "6FA459EA-EE8A-3CA4-894E-DB77E160355E")!

        static let creation = """
            CREATE TABLE event (id INTEGER PRIMARY KEY, day REAL, code TEXT);
            INSERT INTO event VALUES (1, 1.0, '6FA459EA-EE8A-3CA4-894E-DB77E160355E'), (2, 2.5, NULL), (3, NULL, NULL);
            """
    }

    private func day(_ number: Double) -> Date { Date(timeIntervalSince1970: number * 86_400) }

    @Test
    func `A value is encoded by its column`() throws {
        let onDay = RequestTemplate { (day: Place<Date?>) in Event.filter { $0.day == day } }
        let coded = RequestTemplate { (code: Place<UUID>) in Event.filter { $0.code == code } }
        let between = RequestTemplate { (first: Place<Date>, last: Place<Date>) in
            Event.filter { $0.day >= first && [first, last].contains($0.day.sqlExpression) }
        }
        let choice = RequestTemplate { (day: Place<Date>, other: Place<Date>) in
            Event.filter { $0.day.sqlExpression == Case(when: $0.id == 1, then: day).else(other) }
        }
        try QueryInterfaceTests.withDatabase(Event.creation) { db throws in
            // NULL comes first, and does not decide how other values are encoded.
            for value in [nil, day(2.5), nil, day(1)] as [Date?] {
                try expectEqual(onDay(value), Event.filter { $0.day == value }, db, sql: false)
            }
            #expect(try onDay(day(2.5)).fetchAll(db).map(\.id) == [2])
            #expect(try onDay(nil).fetchAll(db).map(\.id) == [3])
            for _ in 0..<2 {
                #expect(try coded(Event.known).fetchAll(db).map(\.id) == [1])
                #expect(try coded(UUID()).fetchAll(db) == [])
                #expect(throws: TestError.self) { try coded(Event.forbidden).fetchAll(db) }
                #expect(try between(day(1), day(2.5)).fetchAll(db).map(\.id) == [1, 2])
                #expect(try between(day(2), day(2.5)).fetchAll(db).map(\.id) == [2])
                #expect(try choice(day(1), day(2.5)).fetchAll(db).map(\.id) == [1, 2])
                #expect(try choice(day(7), day(2.5)).fetchAll(db).map(\.id) == [2])
            }
        }
    }

    @Test
    func `A place of an integer and an ordinary date share a column`() throws {
        let number = RequestTemplate { (day: Place<Double>) in Event.filter { $0.day.sqlExpression == day } }
        try QueryInterfaceTests.withDatabase(Event.creation) { db throws in
            #expect(try number(2.5).fetchAll(db).map(\.id) == [2])
            #expect(try Event.filter { $0.day.sqlExpression == day(2.5) }.fetchAll(db).map(\.id) == [2])
            #expect(try number(1).fetchAll(db).map(\.id) == [1])
        }
    }

    @Test
    func `A program's expression with a place is refused where its values are encoded`() throws {
        struct Own: SQLExpressionNode {
            let expression: SQLExpression
            func render(to renderer: inout SQLRenderer) throws { try renderer.append(expression) }
            func encodingValues(by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?) throws -> SQLExpression? {
                try expression.encodingValues(by: encode)
            }
        }
        let own = RequestTemplate { (day: Place<Date>) in
            Event.filter { $0.day.sqlExpression == SQLExpression(Own(expression: day.sqlExpression)) }
        }
        let plain = RequestTemplate { (id: Place<Int>) in Player.filter { $0.id == SQLExpression(Own(expression: id.sqlExpression)) } }
        try QueryInterfaceTests.withDatabase(Event.creation + Player.createTable) { db throws in
            #expect(throws: DatabaseError.self) { try own(day(1)).fetchAll(db) }
            for id in [2, 3] { #expect(try plain(id).fetchAll(db).map(\.id) == [Int64(id)]) }
        }
    }

    // MARK: - Associations and subqueries

    @Test
    func `Associations are joined and prefetched with the values`() throws {
        struct AuthorInfo: FetchableRecord, Hashable {
            var author: Author
            var books: [Book]
            init(row: Row) throws {
                author = try Author(row: row)
                books = try row.decode(forKey: "books")
            }
        }
        let prefetched = RequestTemplate { (year: Place<Int>, name: Place<String>) in
            Author.filter { $0.name != name }.including(all: Author.books.filter { $0.year > year }.order { $0.id }).order { $0.id }
                .asRequest(of: AuthorInfo.self)
        }
        let joined = RequestTemplate { (year: Place<Int>) in
            Book.joining(required: Book.author.filter { $0.birthYear < year }).order { $0.id }
        }
        let aggregated = RequestTemplate { (count: Place<Int>, year: Place<Int>) in
            Author.filter(Author.books.filter { $0.year < year }.count >= count)
        }
        try Library.withDatabase { db throws in
            for (year, name) in [(0, ""), (1881, "Wells"), (1900, "Verne"), (3000, "x")] {
                let ordinary = Author.filter { $0.name != name }.including(all: Author.books.filter { $0.year > year }.order { $0.id })
                    .order { $0.id }.asRequest(of: AuthorInfo.self)
                try expectEqual(prefetched(year, name), ordinary, db)
                try expectEqual(joined(year), Book.joining(required: Book.author.filter { $0.birthYear < year }).order { $0.id }, db)
                try expectEqual(aggregated(1, year), Author.filter(Author.books.filter { $0.year < year }.count >= 1), db)
            }
            #expect(try prefetched(1881, "").fetchAll(db).map(\.books.count) == [1, 1, 1, 0])
            // A cursor can't prefetch.
            #expect(throws: DatabaseError.self) { try prefetched(1881, "").fetchCursor(db) }
        }
    }

    @Test
    func `Calls are parts of other requests, several times, and of other templates`() throws {
        let above = RequestTemplate { (score: Place<Int>) in Player.filter { $0.score > score } }
        try withPlayers { db throws in
            for (low, high) in [(0, 800), (-1, 1000), (800, 0)] {
                let request = Player.filter {
                    above(low).select(Column("id")).contains($0.id) && !above(high).select(Column("id")).contains($0.id)
                }
                let expected = Player.filter {
                    Player.filter { $0.score > low }.select(Column("id")).contains($0.id)
                        && !Player.filter { $0.score > high }.select(Column("id")).contains($0.id)
                }
                #expect(try request.fetchAll(db) == expected.fetchAll(db))
                #expect(
                    try SQLRequest<Player>("SELECT * FROM (\(above(low)))").fetchAll(db) == Player.filter { $0.score > low }.fetchAll(db))
            }
            let nested = RequestTemplate { (score: Place<Int>, name: Place<String>) in
                above(700).filter { $0.score < score && $0.name != name }
            }
            #expect(try nested(900, "x").fetchAll(db).map(\.id) == [2])
            #expect(try nested(2000, "Barbara").fetchAll(db).map(\.id) == [1])
        }
    }

    @Test
    func `A place outside the request of its template throws`() throws {
        var leaked: Place<Int>?
        let template = RequestTemplate { (id: Place<Int>) in
            leaked = id
            return Player.filter { $0.id == id }
        }
        let place = try #require(leaked)
        let other = RequestTemplate { (id: Place<Int>) in Player.filter { $0.id == id && $0.score == place } }
        try withPlayers { db throws in
            for _ in 0..<2 {
                #expect(throws: DatabaseError.self) { try Player.filter { $0.id == place }.fetchAll(db) }
                #expect(throws: DatabaseError.self) { try other(1).fetchAll(db) }
                #expect(try template(1).fetchAll(db).map(\.id) == [1])
            }
        }
    }

    @Test
    func `Clauses after the call give ordinary requests`() throws {
        let above = RequestTemplate { (score: Place<Int>) in Player.filter { $0.score >= score } }
        try withPlayers { db throws in
            for score in [0, 800] {
                let request: QueryInterfaceRequest<Player> = above(score).order { $0.id.desc }.limit(1)
                let (players, sql) = try db.recordingSQL { try request.fetchAll(db) }
                #expect(players.map(\.id) == [score == 0 ? 4 : 1])
                #expect(sql == [#"SELECT * FROM "player" WHERE "score" >= \#(score) ORDER BY "id" DESC LIMIT 1"#])
            }
            #expect(try above(0).select(Column("id"), Column("name")).fetchColumns(db, as: Int.self, String.self).0 == [1, 2, 4])
            #expect(try above(1000).all().updateAll(db, Column("best").set(to: 5)) == 1)
            #expect(try above(700).all().deleteAll(db) == 2)
            #expect(try Player.fetchCount(db) == 2)
        }
    }

    // MARK: - Plans

    @Test
    func `A connection keeps one statement for all values of a template`() throws {
        let template = RequestTemplate { (id: Place<Int>, score: Place<Int?>) in
            Player.filter { $0.id != id && $0.score == score && $0.id > 0 }
        }
        try withPlayers { db throws in
            for id in 1..<5 {
                _ = try template(id, id.isMultiple(of: 2) ? nil : 750).fetchAll(db)
                #expect(db.requestPlans.count == 1)
            }
            // A query of the first row, and an ordinary request, have their own.
            #expect(try template(1, 750).fetchOne(db)?.id == 2)
            #expect(db.requestPlans.count == 2)
            #expect(try Player.filter { $0.id != 1 && $0.score == 750 && $0.id > 0 }.fetchAll(db).map(\.id) == [2])
            #expect(db.requestPlans.count == 3)
        }
    }

    @Test
    func `A template follows changes of the schema`() throws {
        let template = RequestTemplate { (id: Place<Int>) in Table<Row>("player").filter(Column("id") == id) }
        try withPlayers { db throws in
            #expect(try template(1).fetchOne(db)?.count == 4)
            try db.execute(sql: "ALTER TABLE player ADD COLUMN team TEXT")
            #expect(try template(2).fetchOne(db)?.count == 5)
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN id TO key")
            #expect(throws: DatabaseError.self) { try template(2).fetchOne(db) }
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN key TO id")
            #expect(try template(3).fetchOne(db)?["name"] == "Craig")
        }
    }

    @Test
    func `Fetches of one template run at the same time`() throws {
        let template = RequestTemplate { (id: Place<Int>) in Player.filter { $0.id >= id } }
        try withPlayers { db throws in
            let outer = try template(2).fetchCursor(db)
            var pairs: [[Int64]] = []
            while let player = try outer.next() {
                let inner = try template(Int(player.id)).fetchCursor(db)
                while let other = try inner.next() {
                    #expect(try template(Int(other.id)).fetchOne(db) == other)
                    pairs.append([player.id, other.id])
                }
            }
            #expect(pairs == [[2, 2], [2, 3], [2, 4], [3, 3], [3, 4], [4, 4]])
        }
    }

    @Test
    func `Many templates have their own plans, of which few are kept`() throws {
        let templates = (0..<300).map { limit in RequestTemplate { (id: Place<Int>) in Player.filter { $0.id >= id }.limit(limit) } }
        try withPlayers { db throws in
            for round in 0..<2 {
                for (limit, template) in templates.enumerated() {
                    #expect(try template(round + 1).fetchAll(db).count == min(limit, 4 - round))
                }
            }
            #expect(db.requestPlans.count <= 200)
        }
        // A template at the address of another one is not taken for it.
        try withPlayers { db throws in
            for id in 1...200 {
                let template = RequestTemplate { (place: Place<Int>) -> QueryInterfaceRequest<Player> in
                    id.isMultiple(of: 2) ? Player.filter { $0.id == place } : Player.filter { $0.id != place }
                }
                #expect(try template(1).fetchAll(db).count == (id.isMultiple(of: 2) ? 1 : 3))
            }
        }
    }

    @Test
    func `A closure of a request runs for each fetch`() throws {
        let count = Locked(0)
        let template = RequestTemplate { (id: Place<Int>) in
            Player.filter { $0.id >= id }.orderWhenConnected { _ in
                count.increment()
                return [count.value.isMultiple(of: 2) ? Column("id").asc : Column("id").desc]
            }
        }
        try withPlayers { db throws in
            let first = try template(2).fetchAll(db).map(\.id)
            let second = try template(2).fetchAll(db).map(\.id)
            #expect(first == second.reversed())
            #expect(Set([first, second]) == [[2, 3, 4], [4, 3, 2]])
        }
    }

    @Test
    func `Readers of a pool and tasks share a template`() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER)")
            for id in 1...100 { try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [id, "n\(id)", id % 10]) }
        }
        let named = RequestTemplate { (name: Place<String>, score: Place<Int?>) in Player.filter { $0.name == name && $0.score == score } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        let id = (task * 13 + step * 7) % 100 + 1
                        let player = try await pool.read { try named("n\(id)", id % 10).fetchOne($0) }
                        #expect(player?.id == Int64(id))
                        #expect(try await pool.read { try named("n\(id)", nil).fetchOne($0) } == nil)
                        if step % 25 == 0 {
                            try await pool.write { try $0.execute(sql: "CREATE TABLE t\(task)_\(step) (a)") }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
