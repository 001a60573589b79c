import Foundation
import RowDecoding
import Testing

struct FetchSequenceTests {
    /// The numbers from 1 on.
    static func numbers(to last: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) SELECT i FROM n"
    }

    /// A query that runs forever, and returns no row.
    static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"

    /// A database that counts the rows that were asked for.
    static func countingDatabase() throws -> (queue: DatabaseQueue, rows: Locked<Int>) {
        let rows = Locked(0)
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("counted", argumentCount: 1) { arguments in
                    rows.increment()
                    return arguments[0]
                })
        }
        return (try DatabaseQueue(configuration: configuration), rows)
    }

    @Test(arguments: [Int.min, 0, 1, 2, 3, 10, 1000, 100_000])
    func `All elements come in order, whatever the size of the buffer`(bufferSize: Int) async throws {
        let queue = try DatabaseQueue()
        let request = SQLRequest<Int>(sql: Self.numbers(to: 1000))
        var numbers: [Int] = []
        for try await number in request.fetchSequence(queue, bufferSize: bufferSize) {
            numbers.append(number)
        }
        #expect(numbers == Array(1...1000))
    }

    @Test
    func `Records, values and optional values come as sequences`() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur', 1500), (2, 'Barbara', 750);
                    """)
        }
        let all = Player.fetchSequence(queue, sql: "SELECT * FROM player WHERE id < ? ORDER BY id", arguments: [9])
        #expect(try await all.reduce(into: []) { $0.append($1) } == [Player.arthur, .barbara])
        // A sequence can be iterated again.
        #expect(try await all.map(\.name).reduce("", +) == "ArthurBarbara")
        let request: SQLRequest<Player> = "SELECT * FROM player WHERE id = \(2)"
        #expect(try await request.fetchSequence(queue).reduce(into: []) { $0.append($1) } == [Player.barbara])
        let names = String.fetchSequence(queue, sql: "SELECT name FROM player WHERE id > ?", arguments: [1])
        #expect(try await names.reduce(into: []) { $0.append($1) } == ["Barbara"])
        let optionals: SQLRequest<Int?> = "SELECT NULL UNION ALL SELECT 1"
        #expect(try await optionals.fetchSequence(queue).reduce(into: []) { $0.append($1) } == [nil, 1])
    }

    @Test
    func `Only a bounded number of rows is read ahead`() async throws {
        let (queue, rows) = try Self.countingDatabase()
        let request = SQLRequest<Int>(sql: "SELECT counted(i) FROM (\(Self.numbers(to: 10_000)))")
        var iterator = request.fetchSequence(queue, bufferSize: 10).makeAsyncIterator()
        for consumed in 1...500 {
            #expect(try await iterator.next() == consumed)
            // 10 in the buffer, and one that waits for room.
            #expect(rows.value <= consumed + 11)
        }
        #expect(rows.value < 600)
    }

    @Test
    func `Nothing is read before the first element is asked for`() async throws {
        let (queue, rows) = try Self.countingDatabase()
        let iterator = SQLRequest<Int>(sql: "SELECT counted(1)").fetchSequence(queue).makeAsyncIterator()
        try await queue.read { _ in }
        #expect(rows.value == 0)
        _ = iterator
    }

    @Test
    func `Leaving the loop ends the database access`() async throws {
        let queue = try DatabaseQueue()
        for try await number in SQLRequest<Int>(sql: Self.numbers(to: 1_000_000)).fetchSequence(queue) where number == 3 {
            break
        }
        // There is one connection: this would wait forever.
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test
    func `An error in the body of the loop ends the database access`() async throws {
        let queue = try DatabaseQueue()
        await #expect(throws: TestError.self) {
            for try await _ in SQLRequest<Int>(sql: Self.numbers(to: 1_000_000)).fetchSequence(queue) {
                throw TestError()
            }
        }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test
    func `Cancelling the task ends the database access, and throws`() async throws {
        let queue = try DatabaseQueue()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { continuation.finish() }
            var count = 0
            for try await _ in SQLRequest<Int>(sql: Self.numbers(to: 100_000_000)).fetchSequence(queue) {
                if count == 0 { continuation.finish() }
                count += 1
            }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test
    func `Cancelling the task interrupts a query that is at work`() async throws {
        let queue = try DatabaseQueue()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        try await queue.read { db in
            db.add(
                function: DatabaseFunction("signal", argumentCount: 0) { _ in
                    continuation.finish()
                    return nil
                })
        }
        let request = SQLRequest<Int?>(sql: "SELECT signal() UNION ALL SELECT * FROM (\(Self.endless))")
        let task = Task {
            defer { continuation.finish() }
            for try await _ in request.fetchSequence(queue) {}
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test
    func `An access that waits for its turn is cancelled too`() async throws {
        let queue = try DatabaseQueue()
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let leave = Semaphore("the other task is cancelled")
        queue.asyncRead { _ in
            enter.finish()
            leave.wait()
        }
        for await _ in entered {}
        let task = Task {
            for try await _ in SQLRequest<Int>(sql: "SELECT 1").fetchSequence(queue) {}
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        leave.signal()
    }

    @Test
    func `Errors come after the elements before them, once`() async throws {
        let queue = try DatabaseQueue()
        var iterator = SQLRequest<Int>(sql: "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 'x'").fetchSequence(queue).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        await #expect(throws: RowDecodingError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)

        var failing = Player.fetchSequence(queue, sql: "SELECT * FROM nowhere").makeAsyncIterator()
        await #expect(throws: DatabaseError.self) { try await failing.next() }
        #expect(try await failing.next() == nil)
    }

    // MARK: - Rows

    /// Three players.
    static let players = "SELECT 1 AS id, 'Arthur' AS name UNION ALL SELECT 2, 'Barbara' UNION ALL SELECT 3, 'Craig'"

    @Test
    func `Rows come as copies, which can be kept after the sequence has moved on`() async throws {
        let queue = try DatabaseQueue()
        var rows: [Row] = []
        for try await row in Row.fetchSequence(queue, sql: Self.players, bufferSize: 2) {
            #expect(row.count == 2)
            rows.append(row)
        }
        #expect(rows.map { $0["name"] } == ["Arthur", "Barbara", "Craig"])
        let expected = try withDatabase { try Row.fetchAll($0, sql: Self.players) }
        #expect(rows == expected)

        let request = SQLRequest(sql: "SELECT ? AS a", arguments: ["x"])
        #expect(try await request.fetchSequence(queue).reduce(into: []) { $0.append($1["a"] as String) } == ["x"])
    }

    @Test
    func `Rows of a sequence come with their scopes, and share nothing that changes`() async throws {
        let queue = try DatabaseQueue()
        let adapter = ScopeAdapter(["rest": SuffixRowAdapter(fromIndex: 1)])
        var rows: [Row] = []
        for try await row in Row.fetchSequence(queue, sql: Self.players, adapter: adapter) {
            rows.append(row)
        }
        #expect(rows.map { $0.scopes["rest"]?.description } == ["[name:\"Arthur\"]", "[name:\"Barbara\"]", "[name:\"Craig\"]"])
        #expect(rows[0].attachments !== rows[1].attachments)
        #expect(rows[0].scopes["rest"]?.attachments !== rows[1].scopes["rest"]?.attachments)
        let error = #expect(throws: RowDecodingError.self) { try rows[2].decode(Int.self, forKey: "name") }
        #expect(error?.sql == Self.players)
    }

    /// An actor that iterates: rows come to it although they are not Sendable.
    actor Reader {
        private(set) var rows: [Row] = []

        func read(_ sequence: FetchSequence<Row>) async throws {
            for try await row in sequence {
                rows.append(row)
            }
        }

        var names: [String] { rows.map { $0["name"] } }
    }

    @Test
    func `An actor iterates rows, and keeps them`() async throws {
        let reader = Reader()
        try await reader.read(Row.fetchSequence(DatabaseQueue(), sql: Self.players))
        #expect(await reader.names == ["Arthur", "Barbara", "Craig"])
        try await rowsOfTheMainActor()
    }

    @MainActor private func rowsOfTheMainActor() async throws {
        var names: [String] = []
        for try await row in Row.fetchSequence(try DatabaseQueue(), sql: Self.players) {
            MainActor.preconditionIsolated()
            names.append(row["name"])
        }
        #expect(names == ["Arthur", "Barbara", "Craig"])
    }

    @Test
    func `Only a bounded number of rows is copied ahead, and leaving the loop ends the access`() async throws {
        let (queue, count) = try Self.countingDatabase()
        var consumed = 0
        for try await row in Row.fetchSequence(
            queue, sql: "SELECT counted(i) AS i FROM (\(Self.numbers(to: 10_000)))", bufferSize: 10)
        {
            consumed += 1
            #expect(row["i"] == consumed)
            // 10 in the buffer, and one that waits for room.
            #expect(count.value <= consumed + 11)
            if consumed == 500 { break }
        }
        #expect(consumed == 500)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        #expect(count.value <= 511)
    }

    @Test
    func `A loop over rows that throws, or is cancelled, ends the database access`() async throws {
        let queue = try DatabaseQueue()
        let sequence = Row.fetchSequence(queue, sql: Self.numbers(to: 100_000_000))
        await #expect(throws: TestError.self) {
            for try await _ in sequence { throw TestError() }
        }
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { continuation.finish() }
            for try await row in sequence where row[0] == 1 { continuation.finish() }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)

        await #expect(throws: DatabaseError.self) {
            for try await _ in Row.fetchSequence(queue, sql: "SELECT * FROM nowhere") {}
        }
    }

    @Test
    func `A pool is written to while a sequence reads from it`() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE t (i INTEGER)")
            try db.execute(sql: "INSERT INTO t \(Self.numbers(to: 1000))")
        }
        let numbers: SQLRequest<Int> = "SELECT i FROM t"
        var count = 0
        for try await number in numbers.fetchSequence(pool, bufferSize: 4) {
            count += 1
            if number.isMultiple(of: 100) {
                try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (0)") }
            }
        }
        // The sequence sees the state in which it began.
        #expect(count == 1000)
        #expect(try await pool.read { try numbers.fetchCount($0) } == 1010)
    }
}
