import Foundation
import RowDecoding
import Testing

/// Each type, through every way into the database, and through every way out of it.
struct RoundTripTests {
    enum Grape: String, DatabaseValueConvertible { case chardonnay, merlot, riesling }
    enum Color: Int, DatabaseValueConvertible, StatementColumnConvertible { case red, white, rose }

    struct Point: DatabaseValueConvertible, Hashable {
        var x: Int
        var y: Int
        var databaseValue: DatabaseValue { "\(x) \(y)".databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Point? {
            guard let numbers = String.fromDatabaseValue(dbValue)?.split(separator: " ").compactMap({ Int($0) }), numbers.count == 2
            else { return nil }
            return Point(x: numbers[0], y: numbers[1])
        }
    }

    /// A record of one value, by each of the ways in which an initializer may read.
    struct Holder<Value: DatabaseValueConvertible>: FetchableRecord {
        var value: Value
        var optional: Value?
        var byIndex: Value
        init(row: Row) throws {
            value = row["value"]
            optional = row["value"]
            byIndex = row[0]
        }
    }

    static let samples: [any DatabaseValueConvertible & Sendable & Hashable] = [
        true, false,
        Int.min, Int.max, Int8.min, Int16.max, Int32.min, Int64.max, UInt(7), UInt8.max, UInt16.max, UInt32.max,
        UInt64(Int64.max),
        Float(1.5), Float.leastNonzeroMagnitude, 1.5, -0.0, Double.infinity, Double.greatestFiniteMagnitude, CGFloat(0.1),
        Decimal(string: "12345678901234567890.123456789")!, Decimal(string: "-0.5")!,
        "", "Arthur", "a\0b", "é👨‍👩‍👧", String(repeating: "x", count: 100_000),
        Data(), Data([0, 255]), Data(repeating: 1, count: 100_000),
        Date(timeIntervalSince1970: 1_700_000_000.5), Date(timeIntervalSince1970: -1),
        UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, URL(string: "https://example.com/a?b=c")!,
        Grape.merlot, Color.rose, Point(x: 1, y: -2),
        DatabaseValue(storage: .string("x")),
    ]

    @Test("A value survives every way in and every way out", arguments: samples.indices)
    func roundTrip(_ index: Int) throws {
        try check(Self.samples[index])
    }

    private func check<Value: DatabaseValueConvertible & Hashable>(_ value: Value) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (value)")
            // In: by position, by name, by interpolation, as an optional, through a prepared statement.
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
            try db.execute(sql: "INSERT INTO t VALUES (:value)", arguments: ["value": value])
            try db.execute(literal: "INSERT INTO t VALUES (\(value))")
            try db.execute(literal: "INSERT INTO t VALUES (\(Optional(value)))")
            try db.makeStatement(sql: "INSERT INTO t VALUES (?)").execute(arguments: StatementArguments([value]))
            let count = 5

            // Out: by value fetches,
            let sql = "SELECT value FROM t"
            let expected = Array(repeating: value, count: count)
            #expect(try Value.fetchAll(db, sql: sql) == expected)
            #expect(try Value.fetchSet(db, sql: sql) == [value])
            #expect(try Value.fetchOne(db, sql: sql) == value)
            #expect(try Array(Value.fetchCursor(db, sql: sql)) == expected)
            #expect(try Value?.fetchAll(db, sql: sql) == expected)
            #expect(try Value.fetchAll(db.makeStatement(sql: sql)) == expected)
            #expect(try SQLRequest<Value>(sql: sql).fetchAll(db) == expected)
            #expect(try Value.fetchAll(db, sql: "SELECT value FROM t WHERE value IS ?", arguments: [value]).count == count)

            // by rows, live and copied,
            let rows = try Row.fetchCursor(db, sql: sql)
            while let row = try rows.next() {
                for row in [row, row.copy()] {
                    #expect(row["value"] == value)
                    #expect(row[0] == value)
                    #expect(row["value"] as Value? == value)
                    #expect(row[0] as Value? == value)
                    #expect(try row.decode(Value.self, forKey: "VALUE") == value)
                    #expect(try row.decode(Value.self, atIndex: 0) == value)
                    #expect(try row.decodeIfPresent(Value.self, forKey: "value") == value)
                    #expect(try row.decodeIfPresent(Value.self, atIndex: 0) == value)
                    #expect(row.databaseValues == [value.databaseValue])
                }
            }
            let made: Row = ["value": value]
            #expect(made["value"] == value)

            // and by records.
            let records = try Holder<Value>.fetchAll(db, sql: sql)
            #expect(records.map(\.value) == expected)
            #expect(records.map(\.optional) == expected)
            #expect(records.map(\.byIndex) == expected)

            // NULL is nil on all of them.
            try db.execute(literal: "UPDATE t SET value = \(Value?.none)")
            #expect(try Value?.fetchAll(db, sql: sql) == Array(repeating: nil, count: count) || Value.self == DatabaseValue.self)
        }
    }

    @Test("Classes of Foundation survive, as values of their own")
    func foundationClasses() throws {
        let number = NSNumber(value: 10.5)
        let decimal = NSDecimalNumber(string: "12.5")
        let components = DatabaseDateComponents(DateComponents(year: 1973, month: 9, day: 18), format: .YMD)
        try withDatabase { db in
            let row = try #require(
                try Row.fetchOne(
                    db, sql: "SELECT ?, ?, ?, ?, ?, ?, ?, ?",
                    arguments: [
                        number, decimal, NSString("x"), NSData(data: Data([1])), NSDate(timeIntervalSince1970: 1),
                        NSURL(string: "http://a.b")!, NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, components,
                    ]))
            #expect(row[0] == number)
            #expect(row[1] == decimal)
            #expect(row[2] == NSString("x"))
            #expect(row[3] == NSData(data: Data([1])))
            #expect(row[4] == NSDate(timeIntervalSince1970: 1))
            #expect(row[5] == NSURL(string: "http://a.b")!)
            #expect(row[6] == NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
            #expect(row[7] as DatabaseDateComponents == components)
            #expect(try NSNull.fetchOne(db, sql: "SELECT ?", arguments: [NSNull()]) != nil)
        }
    }

    @Test("A value of ten megabytes survives")
    func largeValues() throws {
        let text = String(repeating: "0123456789", count: 1_000_000)
        let data = Data(text.utf8)
        try withDatabase { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT ? AS text, ? AS data", arguments: [text, data]))
            #expect(row["text"] == text)
            #expect(row["data"] == data)
            #expect(try row.withUnsafeData(name: "data") { $0 == data })
        }
    }
}
