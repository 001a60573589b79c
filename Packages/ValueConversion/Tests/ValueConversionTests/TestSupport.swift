import Foundation
import Testing
import ValueConversion

/// An empty database, each of whose methods is an access of its own.
struct TestDatabase {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    /// Runs a statement.
    func execute(sql: String, arguments: StatementArguments = []) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// Evaluates an SQL expression, and hands out its statement on its only row.
    func evaluating<Result>(
        _ expression: String, arguments: StatementArguments = [], _ body: (Statement) throws -> Result
    ) throws -> Result {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT \(expression)")
            try statement.setArguments(arguments)
            guard try statement.step() else { throw DatabaseError(message: "no row: \(expression)") }
            return try body(statement)
        }
    }

    /// Evaluates an SQL expression, and copies its value.
    func databaseValue(of expression: String, arguments: StatementArguments = []) throws -> DatabaseValue {
        try evaluating(expression, arguments: arguments) { $0.databaseValue(at: 0) }
    }

    /// Evaluates an SQL expression, and reads its value straight from the statement, having checked that its copy reads the same.
    func value<Value>(
        of expression: String, arguments: StatementArguments = [], as type: Value.Type
    ) throws -> Value? where Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable {
        try evaluating(expression, arguments: arguments) { statement in
            let direct = Value.fromStatement(statement, atUncheckedIndex: 0)
            let copied = Value.fromDatabaseValue(statement.databaseValue(at: 0))
            let raw = Value(sqliteStatement: statement.sqliteStatement, index: 0)
            #expect(direct == copied, "\(expression)")
            #expect(direct == raw, "\(expression)")
            #expect(direct == Value._fromColumn(of: statement, atUncheckedIndex: 0), "\(expression)")
            return direct
        }
    }

    /// The value that SQLite keeps when a Swift value is bound to a parameter by its own means.
    func databaseValue(boundBy value: some StatementBinding) throws -> DatabaseValue {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            let code = value.bind(to: statement.sqliteStatement, at: 1)
            guard code == ResultCode.SQLITE_OK.rawValue else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            statement.didBindArguments()
            guard try statement.step() else { throw DatabaseError(message: "no row") }
            return statement.databaseValue(at: 0)
        }
    }
}

/// Writes a value and reads it, in all ways, and checks that it is the same.
func expectRoundTrip<Value>(
    _ value: Value, as stored: DatabaseValue, sourceLocation: SourceLocation = #_sourceLocation
) throws where Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable {
    let db = try TestDatabase()
    // In.
    #expect(value.databaseValue == stored, sourceLocation: sourceLocation)
    #expect(try value.bindingValue() == stored, sourceLocation: sourceLocation)
    #expect(try db.databaseValue(boundBy: value) == stored, sourceLocation: sourceLocation)
    #expect(try db.databaseValue(of: "?", arguments: [value]) == stored, sourceLocation: sourceLocation)
    #expect(try db.databaseValue(of: ":value", arguments: ["value": value]) == stored, sourceLocation: sourceLocation)
    #expect(try db.databaseValue(of: "?", arguments: [Value?.some(value)]) == stored, sourceLocation: sourceLocation)
    #expect(try db.databaseValue(of: "?", arguments: [Value?.none]) == .null, sourceLocation: sourceLocation)
    // Out.
    #expect(try db.value(of: "?", arguments: [value], as: Value.self) == value, sourceLocation: sourceLocation)
    #expect(try db.value(of: "?", arguments: [value], as: Value?.self) == .some(.some(value)), sourceLocation: sourceLocation)
    #expect(try db.value(of: "NULL", as: Value.self) == nil, sourceLocation: sourceLocation)
    #expect(try db.value(of: "NULL", as: Value?.self) == .some(.none), sourceLocation: sourceLocation)
    // Through a table, whose column has no affinity.
    try db.execute(sql: "CREATE TABLE t (value)")
    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
    #expect(try db.value(of: "value FROM t", as: Value.self) == value, sourceLocation: sourceLocation)
}
