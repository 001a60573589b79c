import Foundation
import Testing
import ValueConversion

/// The conversions of each storage class to each type, on both paths: from a copied `DatabaseValue`, and straight from the
/// statement.
@Suite struct ConversionTableTests {
    /// An SQL expression, and what the types make of it: nil where they have no value.
    struct Sample: Sendable, CustomTestStringConvertible {
        var sql: String
        var bool: Bool?
        var int8: Int8?
        var uint64: UInt64?
        var int: Int?
        var double: Double?
        var string: String?
        var data: [UInt8]?
        var date: Date?
        var uuid: UUID?
        var decimal: Decimal?

        var testDescription: String { sql }
    }

    static let samples: [Sample] = [
        Sample(sql: "NULL"),
        // INTEGER
        Sample(
            sql: "0", bool: false, int8: 0, uint64: 0, int: 0, double: 0, date: Date(timeIntervalSince1970: 0), decimal: 0),
        Sample(
            sql: "1000", bool: true, uint64: 1000, int: 1000, double: 1000, date: Date(timeIntervalSince1970: 1000), decimal: 1000),
        Sample(
            sql: "-128", bool: true, int8: -128, int: -128, double: -128, date: Date(timeIntervalSince1970: -128), decimal: -128),
        Sample(
            sql: "9223372036854775807", bool: true, uint64: 9_223_372_036_854_775_807, int: .max, double: 0x1p63,
            date: Date(timeIntervalSince1970: 0x1p63), decimal: Decimal(Int64.max)),
        Sample(
            sql: "-9223372036854775808", bool: true, int: .min, double: -0x1p63,
            date: Date(timeIntervalSince1970: -0x1p63), decimal: Decimal(Int64.min)),
        // REAL
        Sample(
            sql: "0.0", bool: false, int8: 0, uint64: 0, int: 0, double: 0, date: Date(timeIntervalSince1970: 0), decimal: 0),
        Sample(
            sql: "0.25", bool: true, int8: 0, uint64: 0, int: 0, double: 0.25, date: Date(timeIntervalSince1970: 0.25),
            decimal: Decimal(string: "0.25")!),
        Sample(
            sql: "-1.9", bool: true, int8: -1, int: -1, double: -1.9, date: Date(timeIntervalSince1970: -1.9),
            decimal: Decimal(string: "-1.9")!),
        Sample(
            sql: "127.9", bool: true, int8: 127, uint64: 127, int: 127, double: 127.9, date: Date(timeIntervalSince1970: 127.9),
            decimal: Decimal(string: "127.9")!),
        Sample(
            sql: "-9223372036854775808.0", bool: true, int: .min, double: -0x1p63, date: Date(timeIntervalSince1970: -0x1p63),
            decimal: Decimal(string: "-9223372036854776000")!),
        Sample(
            sql: "9223372036854775808.0", bool: true, double: 0x1p63, date: Date(timeIntervalSince1970: 0x1p63),
            decimal: Decimal(string: "9223372036854776000")!),
        Sample(sql: "1e300", bool: true, double: 1e300, date: Date(timeIntervalSince1970: 1e300)),
        Sample(sql: "9e999", bool: true, double: .infinity),
        Sample(sql: "-9e999", bool: true, double: -.infinity),
        // TEXT
        Sample(sql: "''", string: "", data: []),
        Sample(sql: "'abc'", string: "abc", data: [0x61, 0x62, 0x63]),
        Sample(sql: "'12'", string: "12", data: [0x31, 0x32], decimal: 12),
        Sample(sql: "'1e3'", string: "1e3", data: [0x31, 0x65, 0x33], decimal: 1000),
        Sample(sql: "'a' || char(0) || 'b'", string: "a\0b", data: [0x61, 0, 0x62]),
        Sample(sql: "CAST(x'61ff62' AS TEXT)", string: "a\u{FFFD}b", data: Array("a\u{FFFD}b".utf8)),
        Sample(
            sql: "'2001-01-01'", string: "2001-01-01", data: Array("2001-01-01".utf8),
            date: Date(timeIntervalSinceReferenceDate: 0)),
        Sample(
            sql: "'00000000-0000-0000-0000-0000000000FF'", string: "00000000-0000-0000-0000-0000000000FF",
            data: Array("00000000-0000-0000-0000-0000000000FF".utf8),
            uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255))),
        // BLOB
        Sample(sql: "x''", string: "", data: []),
        Sample(sql: "x'616263'", string: "abc", data: [0x61, 0x62, 0x63]),
        Sample(sql: "x'31'", string: "1", data: [0x31]),
        Sample(sql: "x'61ff62'", data: [0x61, 0xff, 0x62]),
        Sample(sql: "x'c0af'", data: [0xc0, 0xaf]),
        Sample(
            sql: "x'000000000000000000000000000000ff'", data: Array(repeating: 0, count: 15) + [255],
            uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255))),
        Sample(
            sql: "CAST('2001-01-01' AS BLOB)", string: "2001-01-01", data: Array("2001-01-01".utf8)),
        Sample(sql: "zeroblob(15)", string: String(repeating: "\0", count: 15), data: Array(repeating: 0, count: 15)),
    ]

    @Test(arguments: samples)
    func `Each storage class converts to each type by the table`(_ sample: Sample) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: sample.sql, as: Bool.self) == sample.bool)
        #expect(try db.value(of: sample.sql, as: Int8.self) == sample.int8)
        #expect(try db.value(of: sample.sql, as: UInt64.self) == sample.uint64)
        #expect(try db.value(of: sample.sql, as: Int.self) == sample.int)
        #expect(try db.value(of: sample.sql, as: Double.self) == sample.double)
        #expect(try db.value(of: sample.sql, as: Float.self) == sample.double.map { Float($0) })
        #expect(try db.value(of: sample.sql, as: CGFloat.self) == sample.double.map { CGFloat($0) })
        #expect(try db.value(of: sample.sql, as: String.self) == sample.string)
        #expect(try db.value(of: sample.sql, as: Data.self) == sample.data.map { Data($0) })
        #expect(try db.value(of: sample.sql, as: Date.self) == sample.date)
        #expect(try db.value(of: sample.sql, as: UUID.self) == sample.uuid)
        #expect(try db.value(of: sample.sql, as: Decimal.self) == sample.decimal)
    }

    @Test(arguments: samples)
    func `All integers have the range of their type, whatever the storage class`(_ sample: Sample) throws {
        let db = try TestDatabase()
        func expect<Integer>(_ type: Integer.Type) throws
        where Integer: FixedWidthInteger & DatabaseValueConvertible & StatementColumnConvertible {
            let expected = sample.int.flatMap { Integer(exactly: $0) }
            #expect(try db.value(of: sample.sql, as: Integer.self) == expected, "\(Integer.self)")
        }
        try expect(Int8.self)
        try expect(Int16.self)
        try expect(Int32.self)
        try expect(Int64.self)
        try expect(UInt.self)
        try expect(UInt8.self)
        try expect(UInt16.self)
        try expect(UInt32.self)
        try expect(UInt64.self)
    }

    @Test(arguments: samples)
    func `The other types follow the type that they are made of`(_ sample: Sample) throws {
        let db = try TestDatabase()
        let value = try db.databaseValue(of: sample.sql)
        #expect(try db.value(of: sample.sql, as: DatabaseValue.self) == value)
        #expect(try db.value(of: sample.sql, as: URL.self) == sample.string.flatMap { URL(string: $0) })
        #expect((NSNull.fromDatabaseValue(value) != nil) == value.isNull)
        #expect(NSString.fromDatabaseValue(value) as String? == sample.string)
        #expect(NSData.fromDatabaseValue(value) as Data? == sample.data.map { Data($0) })
        #expect(NSDate.fromDatabaseValue(value) as Date? == sample.date)
        #expect(NSUUID.fromDatabaseValue(value) as UUID? == sample.uuid)
        #expect(NSURL.fromDatabaseValue(value) as URL? == URL.fromDatabaseValue(value))
        #expect(NSNumber.fromDatabaseValue(value)?.doubleValue == sample.double)
        #expect(NSDecimalNumber.fromDatabaseValue(value)?.decimalValue == sample.decimal)
        #expect(
            DatabaseDateComponents.fromDatabaseValue(value)?.format == (sample.sql == "'2001-01-01'" ? .YMD : nil))
        #expect(
            try db.value(of: sample.sql, as: DatabaseDateComponents.self)?.dateComponents.year
                == (sample.sql == "'2001-01-01'" ? 2001 : nil))
    }

    @Test(arguments: samples)
    func `An optional is nil for NULL, and has no value where its type has none`(_ sample: Sample) throws {
        let db = try TestDatabase()
        func expected<Value>(_ value: Value?) -> Value?? {
            value.map { .some($0) } ?? (sample.sql == "NULL" ? .some(nil) : nil)
        }
        #expect(try db.value(of: sample.sql, as: Int?.self) == expected(sample.int))
        #expect(try db.value(of: sample.sql, as: String?.self) == expected(sample.string))
        #expect(try db.value(of: sample.sql, as: Date?.self) == expected(sample.date))
        #expect(try db.value(of: sample.sql, as: UUID?.self) == expected(sample.uuid))
        #expect(try db.value(of: sample.sql, as: Decimal?.self) == expected(sample.decimal))
    }

    @Test(arguments: samples)
    func `Reading a column as any type leaves its storage class as it is`(_ sample: Sample) throws {
        let db = try TestDatabase()
        try db.evaluating(sample.sql) { statement in
            let storage = statement.storage(at: 0)
            _ = String.fromStatement(statement, atUncheckedIndex: 0)
            _ = Data.fromStatement(statement, atUncheckedIndex: 0)
            _ = Int.fromStatement(statement, atUncheckedIndex: 0)
            _ = Date.fromStatement(statement, atUncheckedIndex: 0)
            _ = UUID.fromStatement(statement, atUncheckedIndex: 0)
            _ = Decimal.fromStatement(statement, atUncheckedIndex: 0)
            #expect(statement.storage(at: 0) == storage)
        }
    }

    @Test(arguments: ["é", "a\0b", "2001-01-01", "12.5", ""])
    func `Strings of a database in UTF-16 read as in UTF-8`(_ text: String) throws {
        let db = try TestDatabase()
        try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
        try db.execute(sql: "CREATE TABLE t (value)")
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
        #expect(try db.databaseValue(of: "encoding FROM pragma_encoding") != .text("UTF-8"))

        let value = text.databaseValue
        #expect(try db.value(of: "value FROM t", as: String.self) == text)
        #expect(try db.value(of: "value FROM t", as: Data.self) == Data(text.utf8))
        #expect(try db.value(of: "value FROM t", as: Date.self) == Date.fromDatabaseValue(value))
        #expect(try db.value(of: "value FROM t", as: Decimal.self) == Decimal.fromDatabaseValue(value))
    }

    @Test
    func `An integer read as float is the nearest one`() throws {
        // Rounded to a Double first, it would be halfway between two Floats, and end as the one below.
        let integer: Int64 = 1 << 53 + 1 << 29 + 1
        let db = try TestDatabase()
        #expect(try db.value(of: "\(integer)", as: Float.self) == Float(integer))
        #expect(Float(integer) != Float(Double(integer)))
    }
}
