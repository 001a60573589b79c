import Foundation
import RowDecoding
import Testing

/// Values of another storage class, which decoding converts if nothing is lost.
@Suite struct LosslessDecodingTests {
    let queue: DatabaseQueue

    init() throws { queue = try DatabaseQueue() }

    /// Expects a value, or an error if it is nil, on each path that decodes a column.
    private func expect<Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable & Sendable>(
        _ expected: Value?, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try queue.read { (db) throws in
            func check(_ path: String, _ body: () throws -> Value?) {
                do {
                    let value = try body()
                    #expect(expected != nil && value == expected, "\(path)", sourceLocation: sourceLocation)
                } catch {
                    #expect(expected == nil, "\(path): \(error)", sourceLocation: sourceLocation)
                }
            }
            let query = "SELECT \(sql) AS a"
            check("fetchOne") { try Value.fetchOne(db, sql: query) }
            check("fetchAll") { try Value.fetchAll(db, sql: query).first }
            check("a cursor") { try Value.fetchCursor(db, sql: query).next() }
            check("an adapter") { try Value.fetchOne(db, sql: "SELECT 0, \(sql)", adapter: SuffixRowAdapter(fromIndex: 1)) }
            let copy = try #require(try Row.fetchOne(db, sql: query))
            let rows = try Row.fetchCursor(db, sql: query)
            let live = try #require(try rows.next())
            for (name, row) in [("a copied row", copy), ("a live row", live)] {
                check("\(name), by index") { try row.decode(Value.self, atIndex: 0) }
                check("\(name), by name") { try row.decode(Value.self, forKey: "a") }
                check("\(name), in an optional") { try row.decodeIfPresent(Value.self, forKey: "a") }
                check("\(name), coalescing") { try row.decodeIfPresent(Value.self, coalescing: ["b", "a"]) }
                if let expected {
                    #expect(row[0] == expected, sourceLocation: sourceLocation)
                    #expect(row["a"] == expected, sourceLocation: sourceLocation)
                    #expect(row["a"] as Value? == expected, sourceLocation: sourceLocation)
                }
            }
            // Programs ask which kind of value they have.
            let dbValue = try #require(try DatabaseValue.fetchOne(db, sql: query))
            #expect(Value.fromDatabaseValue(dbValue) == nil, sourceLocation: sourceLocation)
        }
    }

    @Test
    func `An integer is read as the string of its digits`() throws {
        try expect("12", "12")
        try expect("-9223372036854775808", "-9223372036854775807 - 1")
    }

    @Test(arguments: [
        2.5, 100, -0.5, 0.1, 1e15, 1e16, 1.5e-5, 1e-4, 123_456_789_012_345_680, 1e100, -1e-300, .leastNonzeroMagnitude,
        .greatestFiniteMagnitude,
    ])
    func `A real is read as SQLite's text with 15 digits, or as the shortest that reads as the same number`(_ number: Double) throws {
        try queue.read { (db) throws in
            let text = try #require(try String.fetchOne(db, sql: "SELECT printf('%!.15g', ?)", arguments: [number]))
            let expected = Double(text) == number ? text : "\(number)"
            #expect(try String.fetchOne(db, sql: "SELECT ?", arguments: [number]) == expected)
            #expect(Double(expected) == number)
            if [2.5, 100, 1e15, 1e16, 1.5e-5].contains(number) { #expect(expected == text) }
        }
    }

    @Test
    func `Reals whose text SQLite shortens keep their value`() throws {
        try expect("0.30000000000000004", "0.1 + 0.2")
        try expect("0.3333333333333333", "1.0 / 3")
        try expect("Inf", "9e999")
        try expect("-Inf", "-9e999")
    }

    @Test
    func `A text is read as an integer if it is that integer's decimal text`() throws {
        try expect(12, "'12'")
        try expect(-7 as Int8, "'-7'")
        try expect(0 as UInt, "'0'")
        try expect(UInt64.max, "'18446744073709551615'")
        try expect(Int64.min, "'-9223372036854775808'")
        for text in ["012", " 12", "12 ", "+12", "1e3", "12abc", "", "-0", "0x10", "12.0", "1_000", "١٢", "9223372036854775808"] {
            try expect(nil as Int?, "'\(text)'")
        }
        try expect(nil as Int8?, "'128'")
        try expect(nil as UInt?, "'-1'")
        try expect(nil as Int?, "x'3132'")
    }

    @Test
    func `A text is read as a floating-point number if it is a finite decimal literal`() throws {
        try expect(2.5, "'2.5'")
        try expect(-1000.0, "'-1e3'")
        try expect(0.5, "'.5'")
        try expect(5.0, "'5.'")
        try expect(12.0, "'+12'")
        try expect(0.1 as Float, "'0.1'")
        try expect(2.5 as CGFloat, "'2.5'")
        for text in ["", " 2.5", "2.5 ", "2.5x", "0x10", "inf", "Infinity", "nan", "1e", "e5", ".", "1e999", "2,5", "1.2.3", "--1"] {
            try expect(nil as Double?, "'\(text)'")
            try expect(nil as Float?, "'\(text)'")
        }
        try expect(nil as Float?, "'1e39'")
    }

    @Test
    func `A text is read as a boolean if it is 0 or 1`() throws {
        try expect(true, "'1'")
        try expect(false, "'0'")
        for text in ["", "2", "true", "1.0", " 1", "01"] { try expect(nil as Bool?, "'\(text)'") }
    }

    @Test
    func `Dates, identifiers and data are not converted`() throws {
        try expect(nil as Data?, "12")
        try expect(nil as Data?, "2.5")
        try expect(nil as UUID?, "12")
        try expect(nil as Date?, "x'3132'")
        try expect(nil as String?, "x'ff'")
        enum Grade: String, DatabaseValueConvertible { case one = "1" }
        try queue.read { (db) throws in
            _ = #expect(throws: RowDecodingError.self) { try Grade.fetchOne(db, sql: "SELECT 1") }
        }
    }

    @Test
    func `NULL is not converted`() throws {
        try queue.read { (db) throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT NULL AS a"))
            #expect(try row.decodeIfPresent(String.self, forKey: "a") == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(String.self, forKey: "a") }
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forKey: "a") }
        }
    }
}
