import Dumps
import Foundation
import Testing

@Suite("Numbers of CSV and JSON files in columns of each affinity")
struct LoadedNumberTests {
    /// A column, and what it stores for numbers in files, as the quote format prints it. Nil for an error.
    struct Column: Sendable, CustomTestStringConvertible {
        let type: String
        let values: [String: String?]
        var isStrict = false

        var testDescription: String { isStrict ? "\(type), strict" : type }
    }

    private static let integerMessage = "the integer has more than 64 bits"
    private static let realMessage = "the number is too large for a REAL"

    /// Whole numbers of 64 bits, in any notation.
    private static let integers = [
        "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808", "0": "0", "-0": "0", "-0.0": "0",
        "1e3": "1000", "1E3": "1000", "1.0": "1", "120e-1": "12", "12345678901234567.0": "12345678901234567",
        "1.2345678901234567e16": "12345678901234567", "0e99999999999999999999": "0", "1000000000000000000000e-3": "1000000000000000000",
    ]
    private static let fractions = [
        "1.5": "1.5", "-0.1": "-0.1", "0.12345678901234567890123": "0.12345678901234568", "1e-400": "0.0",
        "1e-99999999999999999999": "0.0",
    ]
    private static let large = [
        "1e19": "1e+19", "9.223372036854776e+18": "9.223372036854776e+18", "1.7976931348623157e308": "1.7976931348623157e+308",
    ]
    private static let tooLarge: [String: String?] = [
        "9223372036854775808": nil, "-9223372036854775809": nil, "18446744073709551615": nil,
        "123456789012345678901234567890": nil, "1e400": nil, "-1E400": nil, "1e99999999999999999999": nil,
    ]

    private static func merged(_ tables: [String: String?]...) -> [String: String?] {
        tables.reduce(into: [:]) { $0.merge($1) { _, new in new } }
    }

    private static let wholeNumbers = merged(integers, fractions, large, ["1e-400": "0", "1e-99999999999999999999": "0"], tooLarge)
    private static let reals = merged(
        integers.mapValues { $0 + ".0" }, fractions, large, tooLarge,
        [
            "9223372036854775807": "9.223372036854776e+18", "-9223372036854775808": "-9.223372036854776e+18",
            "12345678901234567.0": "1.2345678901234568e+16", "1.2345678901234567e16": "1.2345678901234568e+16",
            "1000000000000000000000e-3": "1e+18", "9223372036854775808": "9.223372036854776e+18",
            "-9223372036854775809": "-9.223372036854776e+18", "18446744073709551615": "1.8446744073709552e+19",
            "123456789012345678901234567890": "1.2345678901234568e+29",
        ])
    private static let texts = merged(integers, fractions, large, tooLarge).reduce(into: [:]) { $0[$1.key] = "'\($1.key)'" }
    /// JSON in columns that convert nothing: the notation decides.
    private static let untyped = merged(
        reals, tooLarge,
        [
            "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808", "0": "0", "-0": "0",
            "-0.0": "-0.0",
        ])

    static let columns = [
        Column(type: "INTEGER", values: wholeNumbers), Column(type: "BIGINT", values: wholeNumbers),
        Column(type: "NUMERIC", values: wholeNumbers), Column(type: "DECIMAL(10, 5)", values: wholeNumbers),
        Column(type: "REAL", values: reals), Column(type: "REAL", values: reals, isStrict: true),
        Column(type: "TEXT", values: texts), Column(type: "TEXT", values: texts, isStrict: true),
        Column(
            type: "INTEGER",
            values: merged(
                wholeNumbers, fractions.mapValues { _ in nil }, large.mapValues { _ in nil },
                ["1e-400": "0", "1e-99999999999999999999": "0"]), isStrict: true),
    ]

    private func makeQueue(_ column: Column) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (v \(column.type))\(column.isStrict ? " STRICT" : "")") }
        return queue
    }

    private func check(_ column: Column, _ load: (Database, String) throws -> Int) throws {
        if column.isStrict, Database.sqliteLibVersionNumber < 3_037_000 { return }
        let queue = try makeQueue(column)
        for (number, expected) in column.values {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "DELETE FROM t")
                guard let expected else {
                    let error = #expect(throws: LoadError.self, "\(number)") { try load(db, number) }
                    #expect(error?.line == 2)
                    guard error?.underlyingError == nil else { return }
                    let isInteger = number.allSatisfy { $0.isNumber || $0 == "-" }
                    #expect(error?.message == (isInteger && column.type != "REAL" ? Self.integerMessage : Self.realMessage), "\(number)")
                    #expect(error?.column == "v")
                    #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 0)
                    return
                }
                try #expect(load(db, number) == 1)
                var text = ""
                try db.dumpSQL("SELECT v FROM t", format: .quote(), to: &text)
                #expect(text == expected + "\n", "\(number)")
            }
        }
    }

    @Test(
        arguments: columns + [
            Column(type: "", values: untyped), Column(type: "BLOB", values: untyped), Column(type: "ANY", values: untyped, isStrict: true),
        ])
    func `Numbers in JSON are stored exactly, as the nearest REAL, or not at all`(_ column: Column) throws {
        try check(column) { db, number in try db.load(.json(.text("[\n{\"v\": \(number)}]")), into: "t") }
    }

    @Test(arguments: columns)
    func `Numbers in CSV are stored exactly, as the nearest REAL, or not at all`(_ column: Column) throws {
        try check(column) { db, number in try db.load(.csv(.text("v\n\(number)\n")), into: "t") }
        try check(column) { db, number in try db.load(.csv(.text("v\n\"\(number)\"\n")), into: "t") }
    }

    @Test(arguments: ["INTEGER", "NUMERIC"])
    func `Texts that SQLite reads as numbers are numbers in CSV, too`(_ type: String) throws {
        let column = Column(
            type: type,
            values: [
                " 18446744073709551615 ": nil, "+18446744073709551615": nil, "\t1E400": nil, "+9e999": nil, "9E999": nil, "10e999": nil,
                " 5 ": "5", "+5": "5", "5.": "5", ".5": "0.5", "-.5e1": "-5", "007": "7", "9e999": "9e999", "-9e999": "-9e999",
                "1e": "'1e'", "0x10": "'0x10'", "inf": "'inf'", "nan": "'nan'", ".": "'.'", "1 2": "'1 2'", "1e+": "'1e+'", "--1": "'--1'",
                "e5": "'e5'", "1_000": "'1_000'", "１": "'１'",
            ])
        let queue = try makeQueue(column)
        for (text, expected) in column.values {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "DELETE FROM t")
                func load() throws { try db.load(.csv(.text("v\n\"\(text)\"\n")), into: "t") }
                guard let expected else {
                    _ = #expect(throws: LoadError.self, "\(text)") { try load() }
                    return
                }
                try load()
                var stored = ""
                try db.dumpSQL("SELECT v FROM t", format: .quote(), to: &stored)
                #expect(stored == expected + "\n", "\(text)")
            }
        }
    }

    @Test
    func `In CSV, columns without a type keep the digits of numbers that SQLite can't hold`() throws {
        let queue = try makeQueue(Column(type: "", values: [:]))
        try queue.write { _ = try $0.load(.csv("v\n18446744073709551615\n1e400\n12345678901234567.89\n-0\n"), into: "t") }
        #expect(try queue.dumped("SELECT v FROM t", .quote()) == "'18446744073709551615'\n'1e400'\n'12345678901234567.89'\n'-0'\n")
    }

    @Test
    func `The digits of a number stay in TEXT, as they are written`() throws {
        let queue = try makeQueue(Column(type: "TEXT", values: [:]))
        try queue.write { db in
            _ = try db.load(.json(#"[{"v":12345678901234567.89},{"v":1.10},{"v":-0},{"v":1E+2},{"v":true}]"#), into: "t")
        }
        #expect(try queue.dumped("SELECT v FROM t", .quote()) == "'12345678901234567.89'\n'1.10'\n'-0'\n'1E+2'\n'1'\n")
    }

    @Test(arguments: ["INTEGER", "REAL", "NUMERIC", "TEXT", "", "BLOB"])
    func `Random numbers come back from CSV and JSON as they were`(_ type: String) throws {
        var random = SeededGenerator(seed: 48)
        let source = try makeQueue(Column(type: type, values: [:]))
        try source.write { db in
            for _ in 1...2000 {
                let value: any DatabaseValueConvertible
                switch Int.random(in: 0...4, using: &random) {
                case 0: value = Int64(bitPattern: random.next())
                case 1: value = Double(bitPattern: random.next())
                case 2: value = Double(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
                case 3: value = [-0.0, 0, .infinity, -.infinity, 0x1p53, 0x1p63, -0x1p63, 1e19].randomElement(using: &random)!
                default: value = "\(Int64(bitPattern: random.next()))\(random.next() % 1000)"
                }
                if type != "TEXT", value is String { continue }
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
            }
        }
        let expected = try source.dumped("SELECT v, typeof(v) FROM t ORDER BY rowid", .quote())
        var csv = ""
        try source.dumpTables(["t"], format: .csv(), to: &csv)
        var json = ""
        try source.dumpTables(["t"], format: .json(), to: &json)
        for (index, text) in [csv, json].enumerated() {
            let copy = try makeQueue(Column(type: type, values: [:]))
            try copy.write { db in _ = try index == 0 ? db.load(.csv(.text(text)), into: "t") : db.load(.json(.text(text)), into: "t") }
            #expect(try copy.dumped("SELECT v, typeof(v) FROM t ORDER BY rowid", .quote()) == expected)
        }
    }
}
