import Foundation
import Testing
import ValueConversion

@Suite struct StandardTypeTests {
    @Test(arguments: [true, false])
    func `Booleans are stored as one and zero`(_ value: Bool) throws {
        try expectRoundTrip(value, as: .integer(value ? 1 : 0))
    }

    @Test
    func `Integers round trip at both ends`() throws {
        func expectRoundTrips<Integer>(_ type: Integer.Type) throws
        where Integer: FixedWidthInteger & DatabaseValueConvertible & StatementColumnConvertible {
            let maximum = Integer(clamping: Int64.max)
            try expectRoundTrip(Integer.min, as: .integer(Int64(Integer.min)))
            try expectRoundTrip(0 as Integer, as: .integer(0))
            try expectRoundTrip(maximum, as: .integer(Int64(maximum)))
        }
        try expectRoundTrips(Int.self)
        try expectRoundTrips(Int8.self)
        try expectRoundTrips(Int16.self)
        try expectRoundTrips(Int32.self)
        try expectRoundTrips(Int64.self)
        try expectRoundTrips(UInt.self)
        try expectRoundTrips(UInt8.self)
        try expectRoundTrips(UInt16.self)
        try expectRoundTrips(UInt32.self)
        try expectRoundTrips(UInt64.self)
    }

    @Test(arguments: [UInt64(Int64.max) + 1, .max])
    func `An integer over the maximum is an error, whose expanded description names it`(_ value: UInt64) throws {
        let error = #expect(throws: DatabaseError.self) { try value.bindingValue() }
        #expect(error?.resultCode == .SQLITE_MISMATCH)
        #expect(error?.description.contains("\(value)") == false)
        #expect(error?.expandedDescription.contains("\(value)") == true)

        let db = try TestDatabase()
        let inArguments = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [value]) }
        #expect(inArguments?.message == error?.message)
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [UInt(value)]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: value) }
    }

    @Test
    func `The value of an integer over the maximum stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = UInt64.max.databaseValue }
    }

    @Test(arguments: [
        0, 1.5, -1.5, 0.1, .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity,
        0x1p63,
    ])
    func `Doubles round trip`(_ value: Double) throws {
        try expectRoundTrip(value, as: .real(value))
        try expectRoundTrip(CGFloat(value), as: .real(value))
    }

    @Test(arguments: [0, 1.5, -1.5, 0.1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity])
    func `Floats round trip`(_ value: Float) throws {
        try expectRoundTrip(value, as: .real(Double(value)))
    }

    @Test
    func `The sign of a zero is kept`() throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [-0.0], as: Double.self)?.sign == .minus)
        #expect(try db.value(of: "?", arguments: [-0.0 as Float], as: Float.self)?.sign == .minus)
        #expect(try db.value(of: "?", arguments: [0.0], as: Double.self)?.sign == .plus)
    }

    @Test
    func `NaN is stored as NULL`() throws {
        let db = try TestDatabase()
        #expect(try db.databaseValue(of: "?", arguments: [Double.nan]).isNull)
        #expect(try db.databaseValue(of: "?", arguments: [Float.nan]).isNull)
        #expect(try db.databaseValue(of: "?", arguments: [CGFloat.nan]).isNull)
        #expect(try db.databaseValue(boundBy: Double.nan).isNull)
        #expect(try db.value(of: "?", arguments: [Double.nan], as: Double?.self) == .some(nil))
    }

    @Test(arguments: ["", "Arthur", "l'été 🌞", "a\0b", "\0", "e\u{301}", "\u{FEFF}bom", "\u{FFFD}", "line\r\nline"])
    func `Strings round trip byte for byte`(_ value: String) throws {
        try expectRoundTrip(value, as: .text(value))
        try expectRoundTrip(Data(value.utf8), as: .blob(Array(value.utf8)))
        let db = try TestDatabase()
        let copy = try #require(try db.value(of: "?", arguments: [value], as: String.self))
        #expect(Array(copy.utf8) == Array(value.utf8))
    }

    @Test
    func `Texts and blobs of ten megabytes round trip`() throws {
        let bytes = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 & 0x7F) }
        let db = try TestDatabase()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(try db.value(of: "?", arguments: [text], as: String.self) == text)
        #expect(try db.value(of: "?", arguments: [Data(bytes)], as: Data.self) == Data(bytes))
        #expect(try db.databaseValue(of: "length(CAST(? AS BLOB))", arguments: [text]) == .integer(10_000_000))
    }

    @Test
    func `Empty strings and blobs are not NULL`() throws {
        let db = try TestDatabase()
        #expect(try db.databaseValue(of: "typeof(?)", arguments: [""]) == .text("text"))
        #expect(try db.databaseValue(of: "typeof(?)", arguments: [Data()]) == .text("blob"))
        #expect(try db.databaseValue(boundBy: "") == .text(""))
        #expect(try db.databaseValue(boundBy: Data()) == .blob([]))
    }

    @Test
    func `Nested optionals are flat`() throws {
        let db = try TestDatabase()
        let missing: Int?? = .some(.none)
        #expect(try db.databaseValue(of: "?", arguments: [missing]).isNull)
        #expect(try db.databaseValue(of: "?", arguments: [Int??.some(.some(1))]) == .integer(1))
        #expect(Int?.fromMissingColumn() == .some(.none))
        #expect(Int.fromMissingColumn() == nil)
    }

    /// A type with values for NULL and for a missing column.
    private struct Counter: DatabaseValueConvertible, Equatable {
        var count: Int
        var databaseValue: DatabaseValue { count.databaseValue }
        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Counter? { Counter(count: Int.fromDatabaseValue(dbValue) ?? 0) }
        static func fromMissingColumn() -> Counter? { Counter(count: -1) }
    }

    @Test
    func `NULL is the outermost nil of an optional of an optional, unless the wrapped type converts NULL`() throws {
        let db = try TestDatabase()
        func check<Value: DatabaseValueConvertible & Equatable>(_ sql: String, _ expected: Value) throws {
            try db.evaluating(sql) { statement in
                #expect(Value._fromColumn(of: statement, atUncheckedIndex: 0) == .some(expected))
                #expect(Value.fromDatabaseValue(statement.databaseValue(at: 0)) == .some(expected))
            }
        }
        try check("NULL", Int??.none)
        try check("1", Int??.some(.some(1)))
        try check("NULL", Int???.none)
        try check("1", Int???.some(1))
        try check("NULL", Date??.none)
        try check("NULL", Substring??.none)
        try check("NULL", DatabaseValue?.some(.null))
        try check("NULL", DatabaseValue??.some(.some(.null)))
        try check("NULL", Counter?.some(Counter(count: 0)))
        try check("NULL", Counter??.some(Counter(count: 0)))
        try check("2", Counter??.some(Counter(count: 2)))
        #expect(try db.value(of: "NULL", as: Int??.self) == .some(.none))
        #expect(try db.value(of: "1", as: Int??.self) == .some(.some(.some(1))))
    }
}
