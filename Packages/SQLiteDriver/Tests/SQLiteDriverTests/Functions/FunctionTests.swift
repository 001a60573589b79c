import Foundation
import SQLiteDriver
import Testing

@Suite struct FunctionTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    private func evaluate(_ function: DatabaseFunction, _ sql: String) throws -> DatabaseValue {
        try queue.writeWithoutTransaction { db in
            db.add(function: function)
            return try db.values("SELECT \(sql)")[0]
        }
    }

    // MARK: Arguments and results

    @Test
    func `Arguments of all kinds arrive unchanged`() throws {
        let arguments = Box<[DatabaseValue]>([])
        let function = DatabaseFunction("f") { values in
            arguments.value = values
            return nil
        }
        #expect(try evaluate(function, "f(NULL, 1, 1.5, 'a' || char(0) || 'é', x'', x'00ff', '')") == .null)
        #expect(arguments.value == [.null, .integer(1), .real(1.5), .text("a\0é"), .blob([]), .blob([0, 255]), .text("")])
    }

    @Test(
        arguments: [
            .null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .text(""), .text("a\0b"), .text("e\u{301}🎉"),
            .blob([]), .blob([0, 1, 255]),
        ] as [DatabaseValue])
    func `Results of all kinds arrive unchanged`(_ value: DatabaseValue) throws {
        let function = DatabaseFunction("f", argumentCount: 0) { _ in value }
        #expect(try evaluate(function, "f()") == value)
        let storage = try evaluate(function, "typeof(f())")
        #expect(try storage == queue.read { try $0.values("SELECT typeof(?)", [value])[0] })
    }

    @Test
    func `Results may be of any type that can be bound`() throws {
        #expect(try evaluate(DatabaseFunction("f") { _ in true }, "f()") == .integer(1))
        #expect(try evaluate(DatabaseFunction("f") { _ in UInt8(200) }, "f()") == .integer(200))
        #expect(try evaluate(DatabaseFunction("f") { _ in Int?.none }, "f()") == .null)
        #expect(try evaluate(DatabaseFunction("f") { _ in Data([1]) }, "f()") == .blob([1]))
    }

    @Test
    func `A result that SQLite can't hold is an error`() throws {
        let error = expectError(.SQLITE_MISMATCH) { try evaluate(DatabaseFunction("f") { _ in UInt64.max }, "f()") }
        #expect(error?.description.contains("18446744073709551615") == false)
        #expect((error?.underlyingError as? DatabaseError)?.expandedDescription.contains("18446744073709551615") == true)
    }

    @Test
    func `Names ignore case`() throws {
        let function = DatabaseFunction("Größe", argumentCount: 0) { _ in 1 }
        #expect(try evaluate(function, "gRößE()") == .integer(1))
        #expect(function.id == DatabaseFunction("GRößE", argumentCount: 0) { _ in 2 }.id)
        #expect(function.id != DatabaseFunction("GRÖßE", argumentCount: 0) { _ in 2 }.id)
        #expect(function.id != DatabaseFunction("Größe", argumentCount: 1) { _ in 2 }.id)
        #expect(function.id != DatabaseFunction("Größe") { _ in 2 }.id)
    }

    // MARK: Argument counts

    @Test
    func `A wrong number of arguments does not compile`() throws {
        let function = DatabaseFunction("f", argumentCount: 2) { Int64($0.count) }
        #expect(try evaluate(function, "f(1, 2)") == .integer(2))
        let error = expectError(.SQLITE_ERROR) { try evaluate(function, "f(1)") }
        #expect(error?.message == "wrong number of arguments to function f()")
        expectError(.SQLITE_ERROR) { try evaluate(function, "f(1, 2, 3)") }
    }

    @Test
    func `Functions of one name and other argument counts stand side by side`() throws {
        try queue.write { (db) throws in
            db.add(function: DatabaseFunction("f", argumentCount: 1) { _ in "one" })
            db.add(function: DatabaseFunction("f", argumentCount: 2) { _ in "two" })
            db.add(function: DatabaseFunction("f") { _ in "many" })
            #expect(try db.texts("SELECT f(0) UNION ALL SELECT f(0, 0) UNION ALL SELECT f()") == ["one", "two", "many"])
        }
    }

    @Test
    func `A function of any number of arguments takes as many as SQLite allows`() throws {
        let function = DatabaseFunction("count_them") { $0.count }
        #expect(try evaluate(function, "count_them()") == .integer(0))
        let ones = Array(repeating: "1", count: 100).joined(separator: ",")
        #expect(try evaluate(function, "count_them(\(ones))") == .integer(100))
    }

    // MARK: Errors

    @Test
    func `A thrown database error keeps its code and its message`() throws {
        let function = DatabaseFunction("f", argumentCount: 0) { _ in
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FUNCTION, message: "no é")
        }
        let error = expectError(.SQLITE_CONSTRAINT_FUNCTION) { try evaluate(function, "f()") }
        #expect(error?.message == "no é")
        #expect(error?.sql == "SELECT f()")
    }

    @Test
    func `A thrown database error without a message has the one of its code`() throws {
        let function = DatabaseFunction("f", argumentCount: 0) { _ in throw DatabaseError(resultCode: .SQLITE_TOOBIG) }
        let error = expectError(.SQLITE_TOOBIG) { try evaluate(function, "f()") }
        #expect(error?.message == ResultCode.SQLITE_TOOBIG.errorString)
    }

    @Test(arguments: [ResultCode.SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE, .SQLITE_OK_SYMLINK])
    func `A thrown error with any code fails the call`(_ code: ResultCode) throws {
        let function = DatabaseFunction("f", argumentCount: 0) { _ in throw DatabaseError(resultCode: code, message: "odd") }
        let error = expectError(.SQLITE_ERROR) { try evaluate(function, "f()") }
        #expect(error?.message == "odd")
    }

    @Test
    func `Another error arrives with its description`() throws {
        struct Odd: Error, CustomStringConvertible { var description: String { "odd number" } }
        let function = DatabaseFunction("f", argumentCount: 0) { _ in throw Odd() }
        let error = expectError(.SQLITE_ERROR) { try evaluate(function, "f()") }
        #expect(error?.message == "odd number")
    }

    @Test
    func `The code of a thrown error arrives unchanged, up to what SQLite can carry`() throws {
        let code = Box(CInt(0))
        try queue.writeWithoutTransaction { db in
            db.add(
                function: DatabaseFunction("f", argumentCount: 0) { _ in
                    throw DatabaseError(resultCode: ResultCode(rawValue: code.value), message: "custom")
                })
            var changed: [CInt] = []
            for value in [Int32.max, Int32.min, -1, -257, 123_456_789] + Array(1...2000) {
                code.value = value
                do {
                    _ = try db.values("SELECT f()")
                    Issue.record("\(value) is no error")
                } catch let error as DatabaseError {
                    // SQLite takes the primary codes 0, 100 and 101 for success, and negative codes, too.
                    let carried = value < 0 || [0, 100, 101].contains(value & 0xFF) ? 1 : value
                    if error.extendedResultCode.rawValue != carried { changed.append(value) }
                    #expect(error.message == "custom", "\(value)")
                    #expect((error.underlyingError as? DatabaseError)?.extendedResultCode.rawValue == value)
                }
            }
            #expect(changed == [])
        }
    }

    @Test(arguments: ["SELECT f(1)", "SELECT g(1)", "SELECT h(1)"])
    func `The error that a function throws is the underlying error`(_ sql: String) throws {
        struct Failing: DatabaseAggregate {
            func step(_ values: [DatabaseValue]) throws { throw TestError() }
            func finalize() -> (any StatementBinding)? { nil }
        }
        struct FailingAtTheEnd: DatabaseAggregate {
            func step(_ values: [DatabaseValue]) {}
            func finalize() throws -> (any StatementBinding)? { throw TestError() }
        }
        try queue.writeWithoutTransaction { db in
            db.add(function: DatabaseFunction("f", argumentCount: 1) { _ in throw TestError() })
            db.add(function: DatabaseFunction("g", argumentCount: 1, aggregate: Failing.self))
            db.add(function: DatabaseFunction("h", argumentCount: 1, aggregate: FailingAtTheEnd.self))
            let error = expectError(.SQLITE_ERROR) { _ = try db.values(sql) }
            #expect(error?.underlyingError is TestError)
            #expect(error?.sql == sql)
            // Later errors of the connection are other ones.
            #expect(expectError(.SQLITE_ERROR) { _ = try db.values("SELECT missing") }?.underlyingError == nil)
        }
    }

    @Test
    func `The error of a function inside another function is not the other's`() throws {
        try queue.writeWithoutTransaction { db in
            let connection = Box(db)
            db.add(function: DatabaseFunction("failing", argumentCount: 0) { _ in throw TestError() })
            db.add(
                function: DatabaseFunction("around", argumentCount: 0) { _ in
                    let error = #expect(throws: DatabaseError.self) { try connection.value.values("SELECT failing()") }
                    #expect(error?.underlyingError is TestError)
                    return nil
                })
            let values = try db.values("SELECT around()")
            #expect(values == [.null])
            let error = expectError(.SQLITE_ERROR) { try db.execute(sql: "SELECT missing()") }
            #expect(error?.underlyingError == nil)
        }
    }

    @Test
    func `The statement can run again after an error`() throws {
        try queue.write { db in
            db.add(
                function: DatabaseFunction("positive", argumentCount: 1) { values in
                    guard case .int64(let value) = values[0].storage, value > 0 else { throw TestError() }
                    return value
                })
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (positive(?))")
            expectError(.SQLITE_ERROR) { try statement.execute(arguments: [-1]) }
            try statement.execute(arguments: [1])
            #expect(try db.integers("SELECT a FROM t") == [1])
        }
    }

    // MARK: Pure functions

    @Test(arguments: [true, false])
    func `Only pure functions can be in indexes generated columns and checks`(_ isPure: Bool) throws {
        let definitions = [
            "CREATE INDEX i ON t (f(a))",
            "CREATE TABLE u (a, b AS (f(a)))",
        ]
        let queue = try DatabaseQueue()
        try queue.write { db in
            db.add(function: DatabaseFunction("f", argumentCount: 1, pure: isPure) { $0[0] })
            try db.execute(sql: "CREATE TABLE t (a)")
            for definition in definitions {
                if isPure {
                    try db.execute(sql: definition)
                } else {
                    expectError(.SQLITE_ERROR) { try db.execute(sql: definition) }
                }
            }
        }
    }

    @Test
    func `A pure function works in indexes and generated columns`() throws {
        let count = Box(0)
        let reverse = DatabaseFunction("reverse", argumentCount: 1, pure: true) { values in
            count.value += 1
            guard case .string(let text) = values[0].storage else { return nil }
            return String(text.reversed())
        }
        try queue.write { db in
            db.add(function: reverse)
            try db.execute(
                sql: """
                    CREATE TABLE t (a, b AS (reverse(a)) STORED);
                    CREATE INDEX i ON t (reverse(a));
                    INSERT INTO t VALUES ('abc'), ('déf'), (NULL);
                    """)
            #expect(try db.texts("SELECT b FROM t") == ["cba", "féd"])
            #expect(try db.texts("EXPLAIN QUERY PLAN SELECT a FROM t WHERE reverse(a) = 'féd'").isEmpty)
            count.value = 0
            #expect(try db.texts("SELECT a FROM t WHERE reverse(a) = 'féd'") == ["déf"])
            // The values are in the index, so the function is not called for each row.
            #expect(count.value <= 1)
        }
    }

    // MARK: Adding and removing

    @Test
    func `A function replaces the previous one`() throws {
        try queue.write { db in
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in 1 })
            let statement = try db.cachedStatement(sql: "SELECT f()")
            #expect(try statement.step() && statement.int64(at: 0) == 1)
            statement.reset()
            db.add(function: DatabaseFunction("F", argumentCount: 0) { _ in 2 })
            #expect(try statement.step() && statement.int64(at: 0) == 2)
            statement.reset()
            db.add(function: DatabaseFunction("upper", argumentCount: 1) { _ in "mine" })
            #expect(try db.texts("SELECT upper('a')") == ["mine"])
        }
    }

    @Test
    func `A removed function is unknown`() throws {
        try queue.write { (db) throws in
            let function = DatabaseFunction("f", argumentCount: 0) { _ in 1 }
            db.remove(function: function)
            db.add(function: function)
            #expect(try db.integers("SELECT f()") == [1])
            db.remove(function: DatabaseFunction("F", argumentCount: 1) { _ in 1 })
            #expect(try db.integers("SELECT f()") == [1])
            db.remove(function: DatabaseFunction("F", argumentCount: 0) { _ in 1 })
            let error = expectError(.SQLITE_ERROR) { try db.values("SELECT f()") }
            #expect(error?.message == "no such function: f")
        }
    }

    @Test
    func `One function serves many connections`() throws {
        let function = DatabaseFunction("f", argumentCount: 0) { _ in 1 }
        var configuration = Configuration()
        configuration.prepareDatabase { $0.add(function: function) }
        for _ in 0..<3 {
            let queue = try DatabaseQueue(configuration: configuration)
            #expect(try queue.read { try $0.integers("SELECT f()") } == [1])
        }
    }

    @Test
    func `A function may use its connection`() throws {
        try queue.write { (db) throws in
            let connection = Box(db)
            db.add(
                function: DatabaseFunction("nested", argumentCount: 1) { values in
                    try connection.value.values("SELECT ? + 1", [values[0]])[0]
                })
            #expect(try db.integers("SELECT nested(nested(1)) UNION SELECT nested(10)") == [3, 11])
            let error = expectError(.SQLITE_ERROR) { try db.values("SELECT nested()") }
            #expect(error != nil)
            db.add(function: DatabaseFunction("broken", argumentCount: 0) { _ in try connection.value.values("SELECT oops")[0] })
            #expect(expectError(.SQLITE_ERROR) { try db.values("SELECT broken()") }?.message == "no such column: oops")
            // A strong reference would make a cycle of the function and its connection.
            db.remove(function: DatabaseFunction("nested", argumentCount: 1) { _ in nil })
            db.remove(function: DatabaseFunction("broken", argumentCount: 0) { _ in nil })
        }
    }

    @Test
    func `A function that SQLite refuses stops the program`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().write { db in
                db.add(function: DatabaseFunction("f", argumentCount: 100_000) { _ in 1 })
            }
        }
        #expect(result?.message.contains("Could not add the SQL function f/100000") == true)
    }

    // MARK: Memory

    /// An object that shows whether it is still referenced.
    private final class Canary: Sendable {}

    private func makeFunction() -> (DatabaseFunction, () -> Bool) {
        let canary = Canary()
        weak let observed = canary
        return (DatabaseFunction("f", argumentCount: 0) { _ in withExtendedLifetime(canary) { 1 } }, { observed != nil })
    }

    @Test
    func `A function lives as long as a connection has it`() throws {
        var (function, isAlive): (DatabaseFunction?, () -> Bool) = makeFunction()
        let other = try DatabaseQueue()
        try queue.write { $0.add(function: function!) }
        try other.write { $0.add(function: function!) }
        function = nil
        #expect(try queue.write { try $0.integers("SELECT f()") } == [1])
        try queue.close()
        #expect(isAlive())
        try other.write { db in
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in 2 })
        }
        #expect(!isAlive())
    }

    @Test
    func `A removed function is released`() throws {
        var (function, isAlive): (DatabaseFunction?, () -> Bool) = makeFunction()
        try queue.write { db in
            db.add(function: function!)
            db.remove(function: function!)
            function = nil
            #expect(!isAlive())
        }
    }

    @Test
    func `A queue that goes away releases its functions`() throws {
        var (function, isAlive): (DatabaseFunction?, () -> Bool) = makeFunction()
        var queue: DatabaseQueue? = try DatabaseQueue()
        try queue?.write { $0.add(function: function!) }
        function = nil
        #expect(isAlive())
        queue = nil
        #expect(!isAlive())
    }
}
