import Foundation
import RowDecoding
import Testing

struct ColumnFetchingTests {
    /// A value that has no fast way from the statement.
    private enum Level: String, DatabaseValueConvertible { case low, high }

    private static let sample = SQLRequest(
        sql: """
            SELECT 1, 1.5, 'low', x'01', NULL, 'a'
            UNION ALL SELECT 2, 2, 'high', x'', 4, 'b'
            UNION ALL SELECT 3.0, -0.5, 'low', 'bytes', 7.9, x'63'
            """)

    @Test
    func `One to six columns are fetched into arrays`() throws {
        let request = Self.sample
        try withDatabase { db throws in
            let one = try request.fetchColumns(db, as: Int64.self)
            #expect(one == [1, 2, 3])
            let two = try request.fetchColumns(db, as: Int64.self, Double.self)
            #expect(two.0 == one)
            #expect(two.1 == [1.5, 2, -0.5])
            let three = try request.fetchColumns(db, as: Int.self, Double?.self, Level.self)
            #expect(three == ([1, 2, 3], [1.5, 2, -0.5], [.low, .high, .low]))
            let four = try request.fetchColumns(db, as: UInt8.self, Float.self, String.self, Data.self)
            #expect(four == ([1, 2, 3], [1.5, 2, -0.5], ["low", "high", "low"], [Data([1]), Data(), Data("bytes".utf8)]))
            let five = try request.fetchColumns(db, as: Int64.self, Double.self, Level?.self, Data?.self, Int?.self)
            #expect((five.0, five.1, five.2) == (one, two.1, three.2))
            #expect((five.3, five.4) == (four.3, [nil, 4, 7]))
            let six = try request.fetchColumns(
                db, as: Int64.self, Double.self, Level.self, DatabaseValue.self, Double?.self, String.self)
            #expect((six.0, six.1, six.2) == (one, two.1, three.2))
            #expect(six.3 == [Data([1]).databaseValue, Data().databaseValue, "bytes".databaseValue])
            #expect((six.4, six.5) == ([nil, 4, 7.9], ["a", "b", "c"]))
        }
    }

    @Test
    func `A query without rows gives empty arrays`() throws {
        try withDatabase { db throws in
            let columns = try SQLRequest(sql: "SELECT 1, 'a' WHERE 0").fetchColumns(db, as: Int.self, String.self)
            #expect(columns == ([], []))
            // No row lacks the column.
            #expect(try SQLRequest(sql: "SELECT 1 WHERE 0").fetchColumns(db, as: Int.self, Int.self) == ([], []))
        }
    }

    @Test
    func `Arguments, adapters, statements of the cache and columns that are left over are those of any request`() throws {
        try withPlayers { db throws in
            let minimum = 1000
            let literal: SQLRequest<Never> = "SELECT name, score, id FROM player WHERE score > \(minimum) ORDER BY id"
            #expect(try literal.fetchColumns(db, as: String.self, Int.self) == (["Arthur", "Craig"], [1500, 1200]))
            let adapted = literal.adapted { _ in SuffixRowAdapter(fromIndex: 1) }
            #expect(try adapted.fetchColumns(db, as: Int.self, Int64.self) == ([1500, 1200], [1, 3]))
            for minimum in [0, 1300] {
                let cached = SQLRequest(sql: "SELECT id FROM player WHERE score > ?", arguments: [minimum], cached: true)
                #expect(try cached.fetchColumns(db, as: Int.self).count == (minimum == 0 ? 3 : 1))
            }
        }
    }

    /// The values are decoded by the rules of `fetchAll`: both give equal arrays, or equal errors.
    @Test(arguments: [
        "1", "1.9", "-1", "300", "1e300", "'12'", "' 12'", "'abc'", "'1.5'", "x'3132'", "x'ff'", "NULL", "9223372036854775807",
        "'2024-02-03'",
    ])
    func `Values are decoded as by fetchAll`(value: String) throws {
        try withDatabase { db in
            func check<Value: DatabaseValueConvertible>(_ type: Value.Type) {
                let request = SQLRequest<Value>(sql: "SELECT \(value) AS a")
                func result(_ fetch: () throws -> [Value]) -> String {
                    do { return "\(try fetch())" } catch { return "\(error)" }
                }
                let columns = result { try request.fetchColumns(db, as: Value.self) }
                #expect(columns == result { try request.fetchAll(db) })
            }
            check(Int64.self)
            check(Int8.self)
            check(UInt.self)
            check(Bool.self)
            check(Double.self)
            check(String.self)
            check(Data.self)
            check(Date.self)
            check(UUID.self)
            check(Int64?.self)
            check(String?.self)
            check(Level?.self)
        }
    }

    @Test
    func `A value that can't be decoded throws with its column and its row`() throws {
        try withDatabase { db throws in
            func error<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(_ a: A.Type, _ b: B.Type) throws -> RowDecodingError {
                let request = SQLRequest(sql: "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL UNION ALL SELECT 'c', 'd'")
                return try #require(#expect(throws: RowDecodingError.self) { try request.fetchColumns(db, as: a, b) })
            }
            // NULL for a type that is not optional, in the second row.
            let null = try error(Int.self, String.self)
            #expect((null.column, null.columnIndex, null.value, null.typeName) == ("b", 1, .null, "String"))
            #expect(null.rowDescription == "[a:2 b:NULL]")
            // Another storage class, in the third row.
            let mismatch = try error(Int.self, String?.self)
            #expect((mismatch.column, mismatch.columnIndex, mismatch.value) == ("a", 0, "c".databaseValue))
            #expect(mismatch.rowDescription == #"[a:"c" b:"d"]"#)
            // The leftmost column of a row comes first.
            #expect(try error(Date.self, Int.self).column == "b")
            #expect(try error(UUID.self, Int.self).column == "a")

            let missing = try #require(
                #expect(throws: RowDecodingError.self) {
                    try SQLRequest(sql: "SELECT 1").fetchColumns(db, as: Int.self, Int?.self)
                })
            #expect((missing.columnIndex, missing.value) == (1, nil))
            // The statement does not go on.
            try db.execute(sql: "CREATE TABLE t (a); DROP TABLE t")
        }
    }

    @Test
    func `Errors of SQLite are thrown in the middle`() throws {
        try withDatabase { db throws in
            let request = SQLRequest(sql: "SELECT 1 UNION ALL SELECT abs(-9223372036854775808)")
            let error = try #require(#expect(throws: DatabaseError.self) { try request.fetchColumns(db, as: Int.self) })
            #expect(error.message == "integer overflow")
            // The statement has ended.
            try db.execute(sql: "CREATE TABLE t (a); DROP TABLE t")
        }
    }

    @Test
    func `A cancelled access ends in the middle`() async throws {
        let queue = try DatabaseQueue()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        try await queue.read { db in
            db.add(
                function: DatabaseFunction("signal", argumentCount: 1) { arguments in
                    if arguments[0] == 1000.databaseValue { continuation.finish() }
                    return arguments[0]
                })
        }
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT signal(i % 2000), 'text' FROM n"
        let task = Task {
            defer { continuation.finish() }
            return try await queue.read { try SQLRequest(sql: endless).fetchColumns($0, as: Int.self, String.self).0.count }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try SQLRequest(sql: "SELECT 1").fetchColumns($0, as: Int.self) } == [1])
    }

    @Test
    func `A fetch of columns ends at the deadline of its access`() throws {
        let queue = try DatabaseQueue()
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, NULL FROM n"
        #expect(throws: DatabaseTimeoutError.self) {
            try queue.read(timeout: .milliseconds(20)) {
                try SQLRequest(sql: endless).fetchColumns($0, as: Int.self, Int?.self).0.count
            }
        }
    }

    /// A conversion that keeps the connection busy with the same SQL.
    @Test
    func `A conversion may run the same query`() throws {
        struct Nested: DatabaseValueConvertible {
            @TaskLocal static var db: Unchecked?
            struct Unchecked: @unchecked Sendable { let db: Database }
            var numbers: [Int]
            var databaseValue: DatabaseValue { .null }
            static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Nested? {
                (try? db.map { try request.fetchColumns($0.db, as: Int.self) }).map { Nested(numbers: $0) }
            }
            static let request = SQLRequest(sql: "SELECT 1 UNION ALL SELECT 2", cached: true)
        }
        try withDatabase { db throws in
            let nested = try Nested.$db.withValue(Nested.Unchecked(db: db)) { try Nested.request.fetchColumns(db, as: Nested.self) }
            #expect(nested.map(\.numbers) == [[1, 2], [1, 2]])
        }
    }

    // MARK: - In portions

    private static func numbers(_ range: String) -> SQLRequest<Row> {
        SQLRequest(sql: "SELECT i, 'n' || i, nullif(i % 2, 0) FROM (\(FetchSequenceTests.numbers(to: 100_000_000))) \(range)")
    }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 25], [Int.min, 0, 1, 2, 10, 1000])
    func `A sequence has portions of equal length, and the rest`(rowCount: Int, portion: Int) async throws {
        let queue = try DatabaseQueue()
        let request = Self.numbers("LIMIT \(rowCount)")
        var (ids, names, bits): ([Int], [String], [Int?]) = ([], [], [])
        var lengths: [Int] = []
        for try await part in request.fetchColumnSequence(queue, rowsPerElement: portion, as: Int.self, String.self, Int?.self) {
            #expect(part.0.count == part.1.count && part.1.count == part.2.count)
            lengths.append(part.0.count)
            ids += part.0
            names += part.1
            bits += part.2
        }
        let length = max(portion, 1)
        let rest = rowCount % length
        #expect(lengths == Array(repeating: length, count: rowCount / length) + (rest == 0 ? [] : [rest]))
        let all = Array(1..<(rowCount + 1))
        #expect((ids, names) == (all, all.map { "n\($0)" }))
        #expect(bits == all.map { $0 % 2 == 0 ? nil : 1 })
    }

    @Test
    func `One to six columns come as sequences`() async throws {
        let queue = try DatabaseQueue()
        let request = Self.sample
        func first<Element: Sendable>(_ sequence: FetchSequence<Element>) async throws -> Element {
            try await #require(sequence.reduce(into: Element?.none) { $0 = $0 ?? $1 })
        }
        #expect(try await first(request.fetchColumnSequence(queue, as: Int.self)) == [1, 2, 3])
        let two = try await first(request.fetchColumnSequence(queue, as: Int.self, Double.self))
        #expect(two == ([1, 2, 3], [1.5, 2, -0.5]))
        let four = try await first(request.fetchColumnSequence(queue, rowsPerElement: 2, as: Int.self, Int.self, String.self, Data.self))
        #expect(four == ([1, 2], [1, 2], ["low", "high"], [Data([1]), Data()]))
        let five = try await first(request.fetchColumnSequence(queue, as: Int.self, Int.self, String.self, Data.self, Int?.self))
        #expect(five.4 == [nil, 4, 7])
        let six = try await first(
            request.fetchColumnSequence(queue, as: Int.self, Int.self, String.self, Data.self, Int?.self, String.self))
        #expect(six.5 == ["a", "b", "c"])
    }

    @Test
    func `An error ends a sequence after the portions before it`() async throws {
        let queue = try DatabaseQueue()
        let request = SQLRequest(sql: "SELECT nullif(i, 25) FROM (\(FetchSequenceTests.numbers(to: 100)))")
        var ids: [Int] = []
        do {
            for try await portion in request.fetchColumnSequence(queue, rowsPerElement: 10, as: Int.self) { ids += portion }
            Issue.record("NULL is no integer.")
        } catch {
            #expect((error as? RowDecodingError)?.columnIndex == 0)
        }
        #expect(ids == Array(1...20))
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test
    func `Only a bounded number of portions is read ahead, and leaving the loop ends the access`() async throws {
        let (queue, rows) = try FetchSequenceTests.countingDatabase()
        let request = SQLRequest(sql: "SELECT counted(i) FROM (\(FetchSequenceTests.numbers(to: 100_000)))")
        var count = 0
        for try await portion in request.fetchColumnSequence(queue, rowsPerElement: 10, as: Int.self) {
            count += portion.count
            // Two in the buffer, and one that waits for room.
            #expect(rows.value <= count + 30)
            if count == 500 { break }
        }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        #expect(rows.value < 600)
    }

    @Test
    func `Cancelling the task ends a sequence in the middle`() async throws {
        let queue = try DatabaseQueue()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { continuation.finish() }
            for try await _ in Self.numbers("").fetchColumnSequence(queue, as: Int.self, String.self) {
                continuation.finish()
            }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }
}
