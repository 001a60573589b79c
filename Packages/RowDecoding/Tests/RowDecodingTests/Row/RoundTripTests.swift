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

    /// Made again each time: the address sanitizer takes a static `Data` for a leak.
    static var samples: [any DatabaseValueConvertible & Hashable] {
        [
            true, false,
            Int64.min, UInt(Int64.max), -Double.infinity, -Double.greatestFiniteMagnitude, Float.infinity, CGFloat(-0.5), 0x1p63,
            Decimal(string: "-12345678901234567890123456789012345678")!, Decimal.greatestFiniteMagnitude,
            "\0", Data([0]), Date(timeIntervalSince1970: -62_167_219_200), Date(timeIntervalSince1970: 253_402_300_799.999),
            DatabaseDateComponents(DateComponents(year: 0, month: 1, day: 1), format: .YMD),
            DatabaseDateComponents(DateComponents(year: 9999, month: 12, day: 31, hour: 23, minute: 59), format: .YMD_HM),
            DatabaseDateComponents(DateComponents(hour: 10, minute: 30, second: 15, nanosecond: 123_000_000), format: .HMSS),
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
    }

    @Test(arguments: samples.indices)
    func `A value survives every way in and every way out`(_ index: Int) throws {
        try check(Self.samples[index])
    }

    private func check<Value: DatabaseValueConvertible & Hashable>(_ value: Value, inSets: Bool = true) throws {
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
            if inSets {
                #expect(try Value.fetchSet(db, sql: sql) == [value])
                #expect(try Value?.fetchSet(db, sql: sql) == [value])
            }
            #expect(try Value.fetchOne(db, sql: sql) == value)
            #expect(try Array(Value.fetchCursor(db, sql: sql)) == expected)
            #expect(try Value?.fetchAll(db, sql: sql) == expected)
            #expect(try Array(Value?.fetchCursor(db, sql: sql)) == expected)
            #expect(try Value?.fetchOne(db, sql: sql) == .some(value))
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

    @Test
    func `Classes of Foundation survive every way in and every way out`() throws {
        try check(NSNumber(value: 10.5))
        try check(NSNumber(value: Int64.min))
        // Foundation's hash of a decimal number never comes back on Linux (Swift 6.3).
        try check(NSDecimalNumber(string: "12.5"), inSets: false)
        try check(NSDecimalNumber(string: "9223372036854775807"), inSets: false)
        try check(NSString("a\0é"))
        try check(NSData(data: Data([0, 255])))
        try check(NSDate(timeIntervalSince1970: 1.5))
        try check(NSURL(string: "http://example.com/a?b=c")!)
        try check(NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
        try withDatabase { db throws in
            #expect(try NSNull.fetchOne(db, sql: "SELECT ?", arguments: [NSNull()]) != nil)
            #expect(try NSNull?.fetchAll(db, sql: "SELECT NULL UNION ALL SELECT NULL") == [NSNull(), NSNull()])
        }
    }

    @Test
    func `The sign of a zero survives, and NaN is NULL`() throws {
        try withDatabase { db throws in
            let row = try #require(
                try Row.fetchOne(
                    db, sql: "SELECT ?, ?, ?, ?, ?", arguments: [-0.0, -0.0 as Float, Double.nan, Float.nan, CGFloat.nan]))
            #expect((row[0] as Double).sign == .minus)
            #expect((row[1] as Float).sign == .minus)
            #expect((2...4).allSatisfy { row.hasNull(atIndex: $0) })
            #expect(row[2] as Double? == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(Double.self, atIndex: 2) }
            // A made row is as SQLite would give it.
            let made: Row = ["x": Double.nan]
            #expect(throws: RowDecodingError.self) { try made.decode(Int.self, forKey: "x") }
        }
    }

    @Test
    func `A value over the maximum is an error, whose expanded description names it, on every way in`() throws {
        enum Size: UInt64, DatabaseValueConvertible { case huge = 18_446_744_073_709_551_615 }
        let values: [any DatabaseValueConvertible & Sendable] = [UInt64.max, UInt.max, NSNumber(value: UInt64.max), Size.huge]
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t (value)")
            let insertion = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            for value in values {
                let attempts: [() throws -> Void] = [
                    { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) },
                    { try db.execute(sql: "INSERT INTO t VALUES (:value)", arguments: ["value": value]) },
                    { try db.execute(literal: "INSERT INTO t VALUES (\(value))") },
                    { try insertion.execute(arguments: [value]) },
                    { try insertion.execute(arguments: [] &+ [value]) },
                    { _ = try Row.fetchAll(db, sql: "SELECT ?", arguments: [value]) },
                    { _ = try Int.fetchOne(db, SQLRequest<Int>("SELECT \(value)")) },
                ]
                for attempt in attempts {
                    let error = #expect(throws: DatabaseError.self, performing: attempt)
                    #expect(error?.expandedDescription.contains("18446744073709551615") == true)
                }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
        }
    }

    @Test
    func `A value of ten megabytes survives`() throws {
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
