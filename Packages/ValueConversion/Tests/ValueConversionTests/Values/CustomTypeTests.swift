import Foundation
import Testing
import ValueConversion

private enum Color: Int, DatabaseValueConvertible {
    case red, white, rose
}

private enum Grape: String, DatabaseValueConvertible, StatementColumnConvertible {
    case chardonnay, merlot, riesling
}

private enum Size: UInt64, DatabaseValueConvertible, StatementColumnConvertible {
    case small = 1
    case huge = 0xFFFF_FFFF_FFFF_FFFF
}

/// An enum that has a case for what it does not know.
private enum Status: String, DatabaseValueConvertible, StatementColumnConvertible {
    case open, closed, unknown

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Status? {
        String.fromDatabaseValue(dbValue).map { Status(rawValue: $0) ?? .unknown }
    }
}

/// An enum that is stored as something else than its raw value.
private enum Weekday: Int, DatabaseValueConvertible {
    case monday = 1
    case tuesday

    var databaseValue: DatabaseValue { "\(self)".databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Weekday? {
        switch String.fromDatabaseValue(dbValue) {
        case "monday": .monday
        case "tuesday": .tuesday
        default: nil
        }
    }
}

private struct Identifier: RawRepresentable, Equatable, DatabaseValueConvertible, StatementColumnConvertible {
    var rawValue: UUID
}

private struct Flags: OptionSet, DatabaseValueConvertible {
    var rawValue: UInt8
}

/// The custom type of the guides: it knows nothing but values.
private struct RGB: Equatable, DatabaseValueConvertible {
    var red: Double
    var green: Double
    var blue: Double

    var databaseValue: DatabaseValue { "\(red),\(green),\(blue)".databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> RGB? {
        guard let text = String.fromDatabaseValue(dbValue) else { return nil }
        let parts = text.split(separator: ",").compactMap { Double($0) }
        return parts.count == 3 ? RGB(red: parts[0], green: parts[1], blue: parts[2]) : nil
    }
}

/// A type some of whose values can't be stored.
private struct Percentage: DatabaseValueConvertible {
    struct Excess: Error {}

    var value: Int

    var databaseValue: DatabaseValue { try! bindingValue() }

    func bindingValue() throws -> DatabaseValue {
        guard value <= 100 else { throw Excess() }
        return value.databaseValue
    }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Percentage? {
        Int.fromDatabaseValue(dbValue).map { Percentage(value: $0) }
    }
}

@Suite struct CustomTypeTests {
    @Test
    func `Enums are stored as their raw values`() throws {
        try expectRoundTrip(Grape.merlot, as: .text("merlot"))
        try expectRoundTrip(Size.small, as: .integer(1))
        try expectRoundTrip(Status.closed, as: .text("closed"))
        try expectRoundTrip(Identifier(rawValue: UUIDTests.uuid), as: .blob(UUIDTests.bytes))
        let db = try TestDatabase()
        #expect(try db.databaseValue(of: "?", arguments: [Color.rose]) == .integer(2))
        #expect(try db.databaseValue(boundBy: Color.rose) == .integer(2))
        #expect(try db.databaseValue(boundBy: Flags(rawValue: 3)) == .integer(3))
        #expect(Color.fromDatabaseValue(.integer(1)) == .white)
        #expect(Flags.fromDatabaseValue(.integer(3)) == Flags(rawValue: 3))
    }

    @Test
    func `An unknown raw value has no value`() throws {
        #expect(Color.fromDatabaseValue(.integer(3)) == nil)
        #expect(Color.fromDatabaseValue(.text("red")) == nil)
        #expect(Color.fromDatabaseValue(.null) == nil)
        let db = try TestDatabase()
        #expect(try db.value(of: "'syrah'", as: Grape.self) == nil)
        #expect(try db.value(of: "1", as: Grape.self) == nil)
        #expect(try db.value(of: "'syrah'", as: Grape?.self) == nil)
        #expect(try db.value(of: "NULL", as: Grape?.self) == .some(nil))
        #expect(try db.value(of: "x'6d65726c6f74'", as: Grape.self) == .merlot)
    }

    @Test
    func `An enum with its own conversion reads the same on both paths`() throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "'open'", as: Status.self) == .open)
        #expect(try db.value(of: "'pending'", as: Status.self) == .unknown)
        #expect(try db.value(of: "1", as: Status.self) == nil)
        #expect(try db.value(of: "NULL", as: Status?.self) == .some(nil))
    }

    @Test
    func `A raw value that SQLite can't hold is an error`() throws {
        #expect(throws: DatabaseError.self) { try Size.huge.bindingValue() }
        let db = try TestDatabase()
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [Size.huge]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: Size.huge) }
    }

    @Test
    func `A type of your own needs its two conversions`() throws {
        let color = RGB(red: 1, green: 0.5, blue: 0)
        let db = try TestDatabase()
        #expect(try db.databaseValue(of: "?", arguments: [color]) == .text("1.0,0.5,0.0"))
        #expect(try db.databaseValue(boundBy: color) == .text("1.0,0.5,0.0"))
        #expect(RGB.fromDatabaseValue(.text("1.0,0.5,0.0")) == color)
        #expect(RGB.fromDatabaseValue(.text("1.0,0.5")) == nil)
        #expect(RGB?.fromDatabaseValue(.null) == .some(nil))
    }

    @Test
    func `The error of a type of your own is thrown and nothing is bound`() throws {
        let db = try TestDatabase()
        #expect(throws: Percentage.Excess.self) { try db.execute(sql: "SELECT ?", arguments: [Percentage(value: 101)]) }
        // Binding stops short of `databaseValue`, which would trap.
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: Percentage(value: 101)) }
        #expect(try db.databaseValue(boundBy: Percentage(value: 100)) == .integer(100))
    }

    @Test
    func `Values are expressions`() throws {
        #expect(Grape.merlot.sqlExpression.value == .text("merlot"))
        #expect(Date(timeIntervalSinceReferenceDate: 0).sqlExpression.value == .text("2001-01-01 00:00:00.000"))
        #expect(Date?.none.sqlExpression.value == .null)
        #expect(UInt64.max.sqlExpression.value == nil)
    }

    @Test
    func `A type with a raw value is written by its own database value on every way`() throws {
        let db = try TestDatabase()
        #expect(try Weekday.tuesday.bindingValue() == .text("tuesday"))
        #expect(try db.databaseValue(boundBy: Weekday.tuesday) == .text("tuesday"))
        #expect(Weekday.tuesday.sqlExpression.value == .text("tuesday"))
        #expect(StatementArguments([Weekday.monday]) == ["monday"])
        #expect(try db.databaseValue(boundBy: Weekday?.some(.monday)) == .text("monday"))
    }
}

/// A generic type that has each ability if its raw value has it.
private struct Wrapper<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

extension Wrapper: SQLExpressible where RawValue: SQLExpressible {}
extension Wrapper: StatementBinding where RawValue: StatementBinding {}
extension Wrapper: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
extension Wrapper: StatementColumnConvertible where RawValue: StatementColumnConvertible {}

/// The same, with the conditions of all conformances in one extension.
private struct Wrapped<RawValue>: RawRepresentable {
    var rawValue: RawValue
}

extension Wrapped: SQLExpressible, StatementBinding, DatabaseValueConvertible, StatementColumnConvertible
where RawValue: DatabaseValueConvertible & StatementColumnConvertible {}

/// A raw value that can only be bound.
private struct Celsius: StatementBinding {
    var degrees: Double
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { degrees.bind(to: sqliteStatement, at: index) }
}

@Suite struct GenericRawRepresentableTests {
    @Test
    func `A generic type gets the abilities of its raw value`() throws {
        #expect(Wrapper(rawValue: "a").databaseValue == "a".databaseValue)
        #expect(try Wrapper(rawValue: "a").bindingValue() == "a".databaseValue)
        #expect(Wrapper<Int>.fromDatabaseValue(7.databaseValue)?.rawValue == 7)
        #expect(Wrapper<Int>.fromDatabaseValue("x".databaseValue) == nil)
        #expect(Wrapper(rawValue: 1.5).sqlExpression.value == 1.5.databaseValue)
        #expect(Wrapper(rawValue: SQLExpression.null).sqlExpression.value == .null)
        #expect(try Wrapper(rawValue: Celsius(degrees: 20)).bindingValue() == 20.0.databaseValue)
        #expect(Wrapped(rawValue: 3).databaseValue == 3.databaseValue)
    }

    @Test
    func `A generic type is read from a statement as its raw value is`() throws {
        try DatabaseQueue().read { db throws in
            let statement = try db.makeStatement(sql: "SELECT ?, 'x', NULL")
            try statement.setArguments([Wrapper(rawValue: 42)])
            _ = try statement.step()
            #expect(Wrapper<Int>.fromStatement(statement, atUncheckedIndex: 0)?.rawValue == 42)
            #expect(Wrapper<Int>(sqliteStatement: statement.sqliteStatement, index: 0)?.rawValue == 42)
            #expect(Wrapper<Int>.fromStatement(statement, atUncheckedIndex: 1) == nil)
            #expect(Wrapper<Int?>.fromStatement(statement, atUncheckedIndex: 2) != nil)
            #expect(Wrapped<String>.fromStatement(statement, atUncheckedIndex: 1)?.rawValue == "x")
            #expect(Wrapped<String>._fromColumn(of: statement, atUncheckedIndex: 1)?.rawValue == "x")
        }
    }
}

@Suite struct SubstringTests {
    @Test
    func `A substring is stored and read as a string`() throws {
        let text = "Arthur\0x"[...].dropFirst()
        #expect(text.databaseValue == "rthur\0x".databaseValue)
        #expect(Substring.fromDatabaseValue("a".databaseValue) == "a")
        try DatabaseQueue().read { db throws in
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.setArguments([text])
            _ = try statement.step()
            #expect(statement.databaseValue(at: 0) == "rthur\0x".databaseValue)
        }
    }
}

/// An aggregate as programs write it that know only `DatabaseValueConvertible`.
private struct LastDate: DatabaseAggregate {
    var date: Date?

    mutating func step(_ values: [DatabaseValue]) throws {
        guard let value = Date.fromDatabaseValue(values[0]) else { return }
        date = max(date ?? value, value)
    }

    func finalize() throws -> (any DatabaseValueConvertible)? { date }
}

@Suite struct ConvertibleAggregateTests {
    @Test
    func `An aggregate may return any convertible value`() throws {
        try DatabaseQueue().write { db throws in
            db.add(function: DatabaseFunction("lastDate", argumentCount: 1, pure: true, aggregate: LastDate.self))
            let sql = "SELECT lastDate(column1) FROM (VALUES ('2024-02-29'), ('2025-01-01 10:00'), (NULL))"
            let statement = try db.makeStatement(sql: sql)
            _ = try statement.step()
            #expect(statement.databaseValue(at: 0) == "2025-01-01 10:00:00.000".databaseValue)
            let empty = try db.makeStatement(sql: "SELECT lastDate(NULL)")
            _ = try empty.step()
            #expect(empty.databaseValue(at: 0).isNull)
        }
    }
}
