import Foundation
import Testing
import ValueConversion

@Suite struct DecimalTests {
    @Test(arguments: [
        "0", "1", "-1", "10", "100", "10.5", "-10.5", "0.1", "0.01", "1234567890.0987654321",
        "3.14159265358979323846264338327950288419",
        "12345678901234567890123456789012345678", "-0.00000000000000000000000000000000000001",
        "99999999999999999999999999999999999999", "340282366920938463463374607431768211455", "18446744073709551616",
        "-9223372036854775808",
    ])
    func `Decimals keep every digit`(text: String) throws {
        let decimal = try #require(Decimal(string: text))
        try expectRoundTrip(decimal, as: .text(text))
    }

    @Test(arguments: [
        Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, Decimal.leastNonzeroMagnitude,
        Decimal(sign: .minus, exponent: -128, significand: 1), Decimal(sign: .plus, exponent: 127, significand: 1),
        Decimal(string: "1" + String(repeating: "0", count: 128))!, Decimal(1) / Decimal(3),
    ])
    func `Decimals round trip at both ends`(_ decimal: Decimal) throws {
        try expectRoundTrip(decimal, as: .text(decimal.description))
    }

    @Test(arguments: [
        ("+1", "1"), ("-0", "0"), ("-0.0", "0"), ("007", "7"), (".5", "0.5"), ("5.", "5"), ("-.5", "-0.5"), ("1e3", "1000"),
        ("1E+3", "1000"), ("15e-1", "1.5"), ("1.50", "1.5"), ("0e999999999999999999999", "0"), ("1000e-3", "1"),
        (
            "0.000000000000000000000000000000000000000000000000000000000001",
            "0.000000000000000000000000000000000000000000000000000000000001"
        ),
        ("1.0000000000000000000000000000000000000000000000000000000000000000", "1"),
        ("0000000000000000000000000000000000000000000000000000000000000001", "1"),
    ])
    func `Other forms of numbers are read`(text: String, description: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: Decimal.self)?.description == description)
    }

    @Test(arguments: [
        "", " ", "abc", "1x", "x1", " 1", "1 ", "1,5", "1.5.2", "1..5", ".", "-", "+", "+-1", "--1", "1e", "1e+", "e3", "1e3.5", "0x10",
        "NaN",
        "nan", "inf", "1_000", "1\0", "１", "340282366920938463463374607431768211456", "0.1234567890123456789012345678901234567890123",
        "1e200", "1e-129", "1e99999999999999999999", "1e-99999999999999999999",
    ])
    func `A text that is not a number, or has too many digits, has no value`(text: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: "?", arguments: [text], as: Decimal.self) == nil)
    }

    @Test(arguments: [
        ("0.1", "0.1"), ("-0.0", "0"), ("1e22", "10000000000000000000000"), ("1.5e-7", "0.00000015"),
        ("9007199254740993", "9007199254740993"),
        ("-9223372036854775808", "-9223372036854775808"), ("1e100 / 3", "3333333333333333" + String(repeating: "0", count: 84)),
    ])
    func `Numbers are read as the shortest decimal that they stand for`(sql: String, description: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: sql, as: Decimal.self)?.description == description)
    }

    @Test(arguments: ["9e999", "1e300", "1e-300", "5e-324"])
    func `A real that no decimal holds has no value`(_ sql: String) throws {
        let db = try TestDatabase()
        #expect(try db.value(of: sql, as: Decimal.self) == nil)
    }

    @Test
    func `A numeric column turns strings into numbers`() throws {
        let db = try TestDatabase()
        try db.execute(sql: "CREATE TABLE t (a DECIMAL(10, 5), b TEXT)")
        let decimal = try #require(Decimal(string: "0.1234567890123456789"))
        try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [decimal, decimal])
        #expect(try db.value(of: "b FROM t", as: Decimal.self) == decimal)
        #expect(try db.databaseValue(of: "typeof(a) FROM t") == .text("real"))
        #expect(try db.value(of: "a FROM t", as: Decimal.self)?.description == "0.12345678901234568")
    }

    @Test
    func `A decimal that is not a number is an error`() throws {
        #expect(throws: DatabaseError.self) { try Decimal.nan.bindingValue() }
        let db = try TestDatabase()
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [Decimal.nan]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: Decimal.nan) }
    }
}
