import Foundation
import SQLiteDriver
import Testing

@Suite struct TraceTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a, b)") }
    }

    @Test
    func `Statements are traced with their parameters or their values`() throws {
        var lines: [String] = []
        try queue.writeWithoutTransaction { db in
            db.trace { event in
                lines.append(event.description)
                lines.append(event.expandedDescription)
            }
            try db.execute(sql: " INSERT INTO t VALUES (?, :b) ; ", arguments: StatementArguments(["é'", 1.5]))
        }
        #expect(lines == ["INSERT INTO t VALUES (?, :b)", "INSERT INTO t VALUES ('é''', 1.5)"])
    }

    @Test(arguments: [false, true])
    func `Descriptions show the values when arguments are public`(_ isPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        let descriptions = Box<[String]>([])
        try DatabaseQueue(configuration: configuration).writeWithoutTransaction { db in
            db.trace(options: [.statement, .profile]) { event in
                switch event {
                case .statement(let statement): descriptions.value += ["\(event)", "\(statement)", statement.sql]
                case .profile(let statement, _): descriptions.value += [String("\(event)".dropFirst("0.000s ".count)), "\(statement)"]
                }
            }
            try db.execute(sql: " SELECT ? ; ", arguments: [1])
        }
        let shown = isPublic ? "SELECT 1" : "SELECT ?"
        #expect(descriptions.value == [shown, shown, "SELECT ?", shown, shown])
    }

    @Test
    func `Events can be kept`() throws {
        var events: [Database.TraceEvent] = []
        try queue.writeWithoutTransaction { db in
            db.trace(options: [.statement, .profile]) { events.append($0) }
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            try statement.execute(arguments: [1, 2])
            try statement.execute(arguments: [3, nil])
        }
        let statements = events.map { event in
            switch event {
            case .statement(let statement), .profile(let statement, _): statement
            }
        }
        #expect(statements.map(\.sql) == Array(repeating: "INSERT INTO t VALUES (?, ?)", count: 4))
        // The statement and its values no longer exist.
        let first = "INSERT INTO t VALUES (1, 2)"
        let second = "INSERT INTO t VALUES (3, NULL)"
        #expect(statements.map(\.expandedSQL) == [first, first, second, second])
        #expect(statements[0].description == "INSERT INTO t VALUES (?, ?)")
    }

    @Test
    func `Statements are profiled with their durations`() throws {
        var events: [Database.TraceEvent] = []
        try queue.writeWithoutTransaction { db in
            db.add(
                function: DatabaseFunction("wait", argumentCount: 1) { values in
                    guard case .int64(let milliseconds) = values[0].storage else { return nil }
                    Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
                    return nil
                })
            db.trace(options: .profile) { events.append($0) }
            _ = try db.values("SELECT wait(?)", [20])
        }
        #expect(events.count == 1)
        guard case .profile(let statement, let duration)? = events.first else { return #expect(Bool(false), "no profile") }
        #expect(statement.expandedSQL == "SELECT wait(20)")
        // Clocks may differ by a millisecond or two.
        #expect(duration > 0.015)
        #expect(events[0].description.hasSuffix("s SELECT wait(?)"))
        #expect(events[0].expandedDescription.hasSuffix("s SELECT wait(20)"))
        #expect(try #/0\.\d\d\ds SELECT wait\(\?\)/#.wholeMatch(in: events[0].description) != nil || duration >= 1)
    }

    @Test
    func `The statements of triggers come as comments`() throws {
        var lines: [String] = []
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "CREATE TABLE log (a); CREATE TRIGGER log_it AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END")
            db.trace { lines.append($0.expandedDescription) }
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [1, 2])
        }
        #expect(lines.first == "INSERT INTO t VALUES (1, 2)")
        #expect(lines.contains { $0.hasPrefix("-- ") && $0.contains("log_it") })
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("-- ") })
    }

    @Test
    func `The statements of functions come as comments`() throws {
        var lines: [String] = []
        try queue.writeWithoutTransaction { db in
            let connection = Box(db)
            let function = DatabaseFunction("nested", argumentCount: 0) { _ in try connection.value.values("SELECT ?", [1])[0] }
            db.add(function: function)
            db.trace { lines.append($0.expandedDescription) }
            _ = try db.values("SELECT nested()")
            db.remove(function: function)
        }
        #expect(lines.first == "SELECT nested()")
        #expect(lines.count == 2 && lines[1].hasPrefix("-- SELECT"))
    }

    @Test
    func `A statement may begin with a comment`() throws {
        var lines: [String] = []
        try queue.writeWithoutTransaction { db in
            db.trace { lines.append($0.expandedDescription) }
            _ = try db.values("-- the answer\nSELECT ?", [42])
        }
        #expect(lines == ["-- the answer\nSELECT 42"])
    }

    @Test
    func `Transactions are traced`() throws {
        var lines: [String] = []
        try queue.writeWithoutTransaction { $0.trace { lines.append($0.description) } }
        try queue.write { try $0.execute(sql: "DELETE FROM t") }
        #expect(lines == ["BEGIN IMMEDIATE TRANSACTION", "DELETE FROM t", "COMMIT TRANSACTION"])
    }

    @Test
    func `A trace replaces the previous one and nil ends it`() throws {
        var first = 0
        var second = 0
        try queue.writeWithoutTransaction { db in
            db.trace { _ in first += 1 }
            db.trace { _ in second += 1 }
            _ = try db.values("SELECT 1")
            #expect((first, second) == (0, 1))
            db.trace()
            _ = try db.values("SELECT 1")
            db.trace { _ in first += 1 }
            db.trace(options: []) { _ in second += 1 }
            _ = try db.values("SELECT 1")
        }
        #expect((first, second) == (0, 1))
    }

    @Test
    func `A trace is released with its connection`() throws {
        final class Canary {}
        var canary: Canary? = Canary()
        weak let observed = canary
        var queue: DatabaseQueue? = try DatabaseQueue()
        try queue?.writeWithoutTransaction { [canary] (db) throws in
            db.trace(options: [.statement, .profile]) { _ in withExtendedLifetime(canary) {} }
            // The statement is still running when the access ends.
            #expect(try db.cachedStatement(sql: "SELECT 1").step())
        }
        canary = nil
        #expect(observed != nil)
        queue = nil
        #expect(observed == nil)
    }
}
