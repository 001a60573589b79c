import Foundation
import SQLiteDriver
import Testing

/// The strings of a group, in order.
private struct Concatenation: DatabaseAggregate {
    var texts: [String] = []

    mutating func step(_ values: [DatabaseValue]) throws {
        for value in values {
            if case .string("stop") = value.storage { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "stopped") }
            if case .string(let text) = value.storage { texts.append(text) }
        }
    }

    func finalize() throws -> (any StatementBinding)? {
        if texts == ["bad end"] { throw TestError() }
        return texts.isEmpty ? nil : texts.joined(separator: "+")
    }
}

/// Counts its instances.
private final class Counted: DatabaseAggregate {
    nonisolated(unsafe) static var count = 0
    nonisolated(unsafe) static var finalizations = 0

    init() { Self.count += 1 }
    deinit { Self.count -= 1 }

    func step(_ values: [DatabaseValue]) throws {
        if values == [.text("stop")] { throw TestError() }
    }

    func finalize() throws -> (any StatementBinding)? {
        Self.finalizations += 1
        return nil
    }
}

@Suite struct AggregateTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            db.add(function: DatabaseFunction("concatenation", argumentCount: 1, pure: true, aggregate: Concatenation.self))
            try db.execute(
                sql: """
                    CREATE TABLE t (k, a);
                    INSERT INTO t VALUES (1, 'a'), (2, 'b'), (1, 'c'), (2, NULL), (3, NULL)
                    """)
        }
    }

    @Test
    func `An aggregate receives its rows one by one`() throws {
        #expect(try queue.read { try $0.texts("SELECT concatenation(a) FROM t") } == ["a+b+c"])
    }

    @Test
    func `An aggregate may return values of one type, or of any type`() throws {
        struct Longest: DatabaseAggregate {
            var text = ""[...]
            mutating func step(_ values: [DatabaseValue]) {
                if case .string(let value) = values[0].storage, value.count > text.count { text = value[...] }
            }
            func finalize() -> Substring? { text.isEmpty ? nil : text }
        }
        enum Parity: Int, StatementBinding { case even, odd }
        struct CountParity: DatabaseAggregate {
            var count = 0
            mutating func step(_ values: [DatabaseValue]) { count += 1 }
            func finalize() -> Parity? { Parity(rawValue: count % 2) }
        }
        try queue.write { db throws in
            db.add(function: DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self))
            db.add(function: DatabaseFunction("parity", argumentCount: 1, pure: true, aggregate: CountParity.self))
            #expect(try db.values("SELECT longest(a || k) FROM t GROUP BY k ORDER BY k") == [.text("a1"), .text("b2"), .null])
            #expect(try db.values("SELECT parity(a) FROM t") == [.integer(1)])
        }
    }

    @Test
    func `Each group has its own state`() throws {
        try queue.read { (db) throws in
            #expect(
                try db.values("SELECT concatenation(a) FROM t GROUP BY k ORDER BY k") == [.text("a+c"), .text("b"), .null])
            #expect(try db.texts("SELECT concatenation(a) || concatenation(k || '') FROM t WHERE k = 1") == ["a+c1+1"])
            #expect(try db.texts("SELECT concatenation(DISTINCT 'x') FROM t") == ["x"])
        }
    }

    @Test
    func `An aggregate without rows has a result`() throws {
        #expect(try queue.read { try $0.values("SELECT concatenation(a) FROM t WHERE k = 9") } == [.null])
        #expect(try queue.read { try $0.values("SELECT concatenation(a) FROM t WHERE k = 9 GROUP BY k") } == [])
    }

    @Test
    func `Aggregates may take any number of arguments`() throws {
        try queue.write { (db) throws in
            db.add(function: DatabaseFunction("many", aggregate: Concatenation.self))
            #expect(try db.texts("SELECT many(a, '-', a) FROM t WHERE k = 1") == ["a+-+a+c+-+c"])
            expectError(.SQLITE_ERROR) { try db.values("SELECT concatenation(a, a) FROM t") }
        }
    }

    @Test
    func `An error in a step fails the statement`() throws {
        try queue.write { (db) throws in
            let error = expectError(.SQLITE_CONSTRAINT) { try db.values("SELECT concatenation(x) FROM (SELECT 'stop' AS x)") }
            #expect(error?.message == "stopped")
            expectError(.SQLITE_CONSTRAINT) {
                try db.values("SELECT concatenation(x) FROM (SELECT 'a' AS x UNION ALL SELECT 'stop' UNION ALL SELECT 'b')")
            }
            #expect(try db.texts("SELECT concatenation('a')") == ["a"])
        }
    }

    @Test
    func `An error at the end fails the statement`() throws {
        let error = expectError(.SQLITE_ERROR) { try queue.read { try $0.values("SELECT concatenation('bad end')") } }
        #expect(error?.message == "TestError()")
    }

    @Test
    func `State is released however the statement ends`() throws {
        try queue.write { db in
            db.add(function: DatabaseFunction("counted", argumentCount: 1, aggregate: Counted.self))
            #expect(try db.values("SELECT counted(a) FROM t GROUP BY k").count == 3)
            #expect(Counted.count == 0)
            #expect(Counted.finalizations == 3)
            #expect(try db.values("SELECT counted(a) FROM t WHERE 0") == [.null])
            #expect(Counted.count == 0)
            #expect(Counted.finalizations == 4)
            expectError(.SQLITE_ERROR) { try db.values("SELECT counted('stop') FROM t") }
            #expect(Counted.count == 0)
            // After an error in a step, `finalize` is not called.
            #expect(Counted.finalizations == 4)
            // An error of another function, in the middle of a group.
            db.add(
                function: DatabaseFunction("fail_at", argumentCount: 2) { values in
                    if values[0] == values[1] { throw TestError() }
                    return 1
                })
            expectError(.SQLITE_ERROR) { try db.values("SELECT counted(fail_at(rowid, 3)) FROM t") }
            #expect(Counted.count == 0)
            let statement = try db.makeStatement(sql: "SELECT counted(a) FROM t GROUP BY k")
            #expect(try statement.step())
            statement.reset()
            #expect(Counted.count == 0)
        }
    }
}
