import Testing

import class Strata.Database
import protocol Strata.DatabaseCursor
import class Strata.DatabaseQueue
import protocol Strata.DatabaseReader
import struct Strata.DatabaseValue
import protocol Strata.DatabaseWriter
import typealias Strata.SQLiteStatement
import class Strata.Statement
import struct Strata.StatementArguments
import struct Strata.ValueObservation
import protocol Strata.ValueObservationScheduler

/// A library of queries on top of this one, which imports single declarations and has cursors of its own.
@Suite struct QueryLibraryTests {
    private class QueryCursor<Element>: DatabaseCursor {
        var _isDone = false
        let _statement: Strata.Statement

        init(_ db: Database, _ sql: String, _ values: [DatabaseValue]) throws {
            _statement = try db.makeStatement(sql: sql)
            _statement.arguments = StatementArguments(values)
        }

        func _element(sqliteStatement: SQLiteStatement) throws -> Element { fatalError("abstract") }
    }

    private final class PackCursor<each Value: DatabaseValueDecodable>: QueryCursor<(repeat each Value)> {
        override func _element(sqliteStatement: SQLiteStatement) throws -> (repeat each Value) {
            var index: CInt = 0
            func next<V: DatabaseValueDecodable>(_: V.Type) -> V {
                defer { index += 1 }
                return V(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
            }
            return (repeat next((each Value).self))
        }
    }

    /// Runs all actions immediately.
    private struct ImmediateScheduler: ValueObservationScheduler, Hashable {
        func immediateInitialValue() -> Bool { true }
        func schedule(_ action: @escaping @Sendable () -> Void) { action() }
    }

    /// A database whose accesses pass on closures that do not escape.
    private struct UserDatabase {
        let database: any DatabaseWriter

        func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
            try await database.write { db in try updates(db) }
        }
        func write<T>(now updates: (Database) throws -> T) throws -> T { try database.write { db in try updates(db) } }
    }

    @Test
    func `Its cursors, its scheduler and its accesses work`() async throws {
        let queue = try DatabaseQueue()
        let user = UserDatabase(database: queue)
        try user.write(now: { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") })
        let count = try await user.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara')")
            return db.changesCount
        }
        #expect(count == 2)
        try await queue.read { db in
            let cursor = try PackCursor<Int64, String>(db, "SELECT id, name FROM player WHERE id > ?", [0.databaseValue])
            var rows: [String] = []
            try cursor.forEach { rows.append("\($0.0) \($0.1)") }
            #expect(rows == ["1 Arthur", "2 Barbara"])
        }
        let reader: any DatabaseReader = queue
        let scheduler: any ValueObservationScheduler = ImmediateScheduler()
        let counts = Locked<[Int]>([])
        let observation = ValueObservation.tracking { db in
            Result { try PackCursor<Int64>(db, "SELECT count(*) FROM player", []).next() ?? 0 }
        }
        let cancellable = observation.start(in: reader, scheduling: scheduler) { _ in
        } onChange: { result in
            if case .success(let count) = result { counts.withLock { $0.append(Int(count)) } }
        }
        #expect(counts.value == [2])
        cancellable.cancel()
    }
}

/// A value that the library of queries can decode.
private protocol DatabaseValueDecodable {
    init(_ value: DatabaseValue)
}

extension Int64: DatabaseValueDecodable {
    fileprivate init(_ value: DatabaseValue) { if case .int64(let number) = value.storage { self = number } else { self = 0 } }
}

extension String: DatabaseValueDecodable {
    fileprivate init(_ value: DatabaseValue) { if case .string(let text) = value.storage { self = text } else { self = "" } }
}
