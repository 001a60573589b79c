import Foundation
import SQLiteDriver
import Testing

@Suite struct ValueTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    // These are created for each use, as the leak sanitizer does not follow references of static values.
    static var values: [DatabaseValue] {
        [
            .null, .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min), .real(0), .real(1), .real(1.5), .real(0.1),
            .real(1e300), .real(-1e300), .real(.leastNonzeroMagnitude), .real(.infinity), .real(-.infinity), .real(0x1p63), .text(""),
            .text("a"),
            .text("1"), .text("\0"), .text("a\0b\0"), .text("é"), .text("e\u{301}"), .text("👩‍🚀"), .blob([]), .blob([0]), .blob([97]),
            .blob(Array(0...255)),
        ]
    }

    // MARK: Round trips

    @Test(arguments: values)
    func `A value survives a round trip`(_ value: DatabaseValue) throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
            let statement = try db.makeStatement(sql: "SELECT a, typeof(a), length(CAST(a AS BLOB)) FROM t")
            #expect(try statement.step())
            let copy = statement.databaseValue(at: 0)
            #expect(copy == value)
            #expect(DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0) == value)
            #expect(statement.isNull(at: 0) == value.isNull)
            switch (value.storage, copy.storage) {
            case (.null, .null):
                #expect(statement.storage(at: 0) == .null)
                #expect(statement.string(at: 1) == "null")
            case (.int64(let value), .int64):
                #expect(statement.storage(at: 0) == .integer)
                #expect(statement.int64(at: 0) == value)
            case (.double(let value), .double):
                #expect(statement.storage(at: 0) == .real)
                #expect(statement.double(at: 0) == value)
            case (.string(let value), .string):
                #expect(statement.storage(at: 0) == .text)
                #expect(statement.string(at: 0).map { Array($0.utf8) } == Array(value.utf8))
                #expect(statement.data(at: 0) == Data(value.utf8))
                #expect(statement.int64(at: 2) == Int64(value.utf8.count))
                #expect(statement.unprotectedValue(atUnchecked: 0).withUnsafeText { Array($0) } == Array(value.utf8))
                #expect(statement.withUnsafeBytes(at: 0) { $0.map { Array($0) } } == Array(value.utf8))
            case (.blob(let value), .blob):
                #expect(statement.storage(at: 0) == .blob)
                #expect(statement.data(at: 0) == value)
                #expect(statement.int64(at: 2) == Int64(value.count))
                #expect(statement.unprotectedValue(atUnchecked: 0).withUnsafeBlob { Array($0) } == Array(value))
                #expect(statement.withUnsafeBytes(at: 0) { $0.map { Array($0) } } == Array(value))
            default:
                Issue.record("\(value) came back as \(copy)")
            }
        }
    }

    @Test
    func `Large values survive a round trip`() throws {
        // Ten megabytes, with some NUL characters.
        let bytes = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 % 97) }
        let text = String(decoding: bytes, as: UTF8.self)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [text, Data(bytes)])
            let statement = try db.makeStatement(sql: "SELECT a, b FROM t")
            #expect(try statement.step())
            #expect(statement.string(at: 0)?.utf8.elementsEqual(bytes) == true)
            #expect(statement.data(at: 1) == Data(bytes))
        }
    }

    @Test
    func `A NaN is stored as NULL`() throws {
        #expect(try queue.read { try $0.values("SELECT ?", [Double.nan]) } == [.null])
        #expect(try queue.read { try $0.values("SELECT ?", [Float.nan]) } == [.null])
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func `Text reads the same in any encoding of the database`(_ encoding: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA encoding = '\(encoding)'") }
        try DatabaseQueue(configuration: configuration).write { db in
            #expect(try db.texts("PRAGMA encoding") == [encoding])
            try db.execute(sql: "CREATE TABLE t (\"é\"); INSERT INTO t VALUES (?)", arguments: ["aé👩‍🚀\0z"])
            let bytes = Array("aé👩‍🚀\0z".utf8)
            for read in [
                { $0.string(at: 0).map { Array($0.utf8) } }, { $0.data(at: 0).map { Array($0) } },
                { $0.withUnsafeBytes(at: 0) { $0.map { Array($0) } } },
                { $0.unprotectedValue(atUnchecked: 0).withUnsafeText { Array($0) } },
                { if case .string(let text) = $0.databaseValue(at: 0).storage { Array(text.utf8) } else { nil } },
            ] as [(Statement) -> [UInt8]?] {
                // A new statement for each function, as the first call converts SQLite's text to UTF-8 in place.
                let statement = try db.makeStatement(sql: "SELECT * FROM t")
                #expect(try statement.step())
                #expect(read(statement) == bytes)
                #expect(statement.columnNames == ["é"])
            }
            expectError(.SQLITE_ERROR) { try db.execute(sql: "SELECT * FROM \"ü\"") }
        }
    }

    // MARK: Reading as another type

    @Test(
        arguments: [
            (.null, nil, nil, nil, nil),
            (.integer(2), 2, 2, nil, nil),
            (.integer(.max), .max, 0x1p63, nil, nil),
            (.real(2.9), 2, 2.9, nil, nil),
            (.real(-2.9), -2, -2.9, nil, nil),
            (.real(0x1p63), nil, 0x1p63, nil, nil),
            (.real(-0x1p63), .min, -0x1p63, nil, nil),
            (.real(1e300), nil, 1e300, nil, nil),
            (.real(.infinity), nil, .infinity, nil, nil),
            (.text("12"), nil, nil, "12", Data("12".utf8)),
            (.text(""), nil, nil, "", Data()),
            (.blob([]), nil, nil, "", Data()),
            (.blob([49, 50]), nil, nil, "12", Data([49, 50])),
            (.blob([0xFF, 0xFE]), nil, nil, nil, Data([0xFF, 0xFE])),
        ] as [(DatabaseValue, Int64?, Double?, String?, Data?)])
    func `Values are not coerced`(
        _ value: DatabaseValue, _ integer: Int64?, _ real: Double?, _ text: String?, _ data: Data?
    ) throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.setArguments([value])
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == integer)
            #expect(statement.double(at: 0) == real)
            #expect(statement.string(at: 0) == text)
            #expect(statement.data(at: 0) == data)
            #expect(statement.withUnsafeBytes(at: 0) { $0.map { Data($0) } } == data)
            // Reading it has not changed it.
            #expect(statement.databaseValue(at: 0) == value)
        }
    }

    @Test
    func `Invalid UTF-8 is repaired`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT CAST(x'61FF62' AS TEXT)")
            #expect(try statement.step())
            #expect(statement.string(at: 0) == "a\u{FFFD}b")
            #expect(statement.databaseValue(at: 0) == .text("a\u{FFFD}b"))
            #expect(statement.data(at: 0) == Data("a\u{FFFD}b".utf8))
            #expect(statement.unprotectedValue(atUnchecked: 0).withUnsafeText { Array($0) } == [0x61, 0xFF, 0x62])
        }
    }

    // MARK: Equality

    @Test
    func `Integers and reals of one number are equal`() {
        #expect(DatabaseValue.integer(1) == .real(1))
        #expect(DatabaseValue.integer(0) == .real(-0.0))
        #expect(DatabaseValue.integer(.min) == .real(-0x1p63))
        #expect(DatabaseValue.integer(.max) != .real(0x1p63))
        #expect(DatabaseValue.integer(1 << 53) == .real(0x1p53))
        #expect(DatabaseValue.integer(1 << 53 + 1) != .real(0x1p53))
        #expect(DatabaseValue.integer(1) != .real(1.5))
    }

    @Test
    func `Values of other storage classes differ`() {
        #expect(DatabaseValue.integer(1) != .text("1"))
        #expect(DatabaseValue.text("a") != .blob([97]))
        #expect(DatabaseValue.null != .text(""))
        #expect(DatabaseValue.null != .integer(0))
        #expect(DatabaseValue.text("") != .blob([]))
        // SQLite compares bytes.
        #expect(DatabaseValue.text("é") != .text("e\u{301}"))
    }

    @Test(arguments: values)
    func `Equal values have equal hashes`(_ value: DatabaseValue) {
        for other in Self.values where other == value {
            #expect(other.hashValue == value.hashValue)
        }
        #expect(Set(Self.values).contains(value))
        #expect(Self.values.contains(value))
    }

    // MARK: Description and conversion

    @Test(
        arguments: [
            (.null, "NULL"), (.integer(-1), "-1"), (.real(1.5), "1.5"), (.real(1), "1.0"), (.text("Arthur"), #""Arthur""#),
            (.text("a\"b\n"), #""a\"b\n""#), (.text(String(repeating: "x", count: 10_000)), "\"\(String(repeating: "x", count: 10_000))\""),
            (.blob([10, 11]), "Data(2 bytes)"), (.blob([]), "Data(0 bytes)"),
            (.blob([UInt8](repeating: 1, count: 10_000)), "Data(10000 bytes)"),
            (.blob([UInt8](0...15)), "Data(16 bytes)"), (.blob([UInt8](repeating: 0x88, count: 17)), "Data(17 bytes)"),
            (.blob([UInt8](repeating: 0x88, count: 16)), "UUID(88888888-8888-8888-8888-888888888888)"),
            (
                .blob([0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F]),
                "UUID(E621E1F8-C36C-495A-93FC-0C247A3E6E5F)"
            ),
        ] as [(DatabaseValue, String)])
    func `A description shows values as Swift writes them, blobs by their size, and UUIDs`(_ value: DatabaseValue, _ description: String)
        throws
    {
        #expect(value.description == description)
    }

    @Test(
        arguments: [
            (.null, "NULL"), (.integer(-1), "-1"), (.real(1.5), "1.5"), (.real(1), "1.0"), (.text("Arthur"), "'Arthur'"),
            (.text("O'Brien"), "'O''Brien'"), (.text("''"), "''''''"), (.text(""), "''"), (.text("'\u{301}"), "'''\u{301}'"),
            (.blob([10, 11]), "x'0a0b'"), (.blob([]), "x''"),
        ] as [(DatabaseValue, String)])
    func `A literal of SQL has the value`(_ value: DatabaseValue, _ literal: String) throws {
        #expect(value.sqlLiteral.unicodeScalars.elementsEqual(literal.unicodeScalars))
        #expect(try queue.read { try $0.values("SELECT \(value.sqlLiteral)") } == [value])
    }

    @Test
    func `A value is created from anything that can be bound`() {
        #expect(DatabaseValue(value: 1) == .integer(1))
        #expect(DatabaseValue(value: "a") == .text("a"))
        #expect(DatabaseValue(value: true) == .integer(1))
        #expect(DatabaseValue(value: nil as Int? as Any) == .null)
        #expect(DatabaseValue(value: TestError()) == nil)
        #expect(DatabaseValue(value: UInt64.max) == nil)
        #expect(DatabaseValue(storage: .int64(1)).storage.value as? Int64 == 1)
        #expect(DatabaseValue(storage: .double(1)).storage.value as? Double == 1)
        #expect(DatabaseValue(storage: .string("a")).storage.value as? String == "a")
        #expect(DatabaseValue(storage: .blob(Data([1]))).storage.value as? Data == Data([1]))
        #expect(DatabaseValue.null.storage.value == nil)
    }

    @Test(arguments: ["player", "a b", "a\"b", "\"", "", "a\"\u{301}b", "é", "select", "[x]", "a`b'c"])
    func `A quoted identifier names the column`(_ name: String) throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (\(name.quotedDatabaseIdentifier) INTEGER)")
            #expect(try db.columns(in: "t").map(\.name) == [name])
            #expect(try db.columns(in: "t")[0].type == "INTEGER")
        }
    }

    @Test
    func `Names ignore the case of ASCII letters`() {
        #expect("Name".isEqualIgnoringASCIICase(to: "nAME"))
        #expect("".isEqualIgnoringASCIICase(to: ""))
        #expect(!"name".isEqualIgnoringASCIICase(to: "names"))
        #expect(!"é".isEqualIgnoringASCIICase(to: "É"))
        #expect(!"[".isEqualIgnoringASCIICase(to: "{"))
        #expect(!"@".isEqualIgnoringASCIICase(to: "`"))
    }
}

/// Strings in parts of byte arrays, which SQLite copies.
@Suite struct BytesTests {
    @Test(arguments: ["", "a", "\0", "a\0b", "é", "👩‍🚀", String(repeating: "long ", count: 1000)])
    func `A part of an array of bytes is bound as a string, which outlives the array`(_ text: String) throws {
        try DatabaseQueue().read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, typeof(?1), length(CAST(?1 AS BLOB)), ?2")
            var bytes = Array("before\(text)after".utf8)
            let end = bytes.count - 5
            try statement.bind(text: bytes, 6..<end, at: 1)
            try statement.bind(text: bytes, end..<bytes.count, at: 2)
            for index in bytes.indices { bytes[index] = 0xFF }
            bytes = []
            statement.didBindArguments()
            #expect(try statement.step())
            #expect(statement.string(at: 0).map { Array($0.utf8) } == Array(text.utf8))
            #expect(statement.string(at: 1) == "text")
            #expect(statement.int64(at: 2) == Int64(text.utf8.count))
            #expect(statement.string(at: 3) == "after")
        }
    }
}

/// `DatabaseValue` with coders other than the coders of records.
@Suite struct DatabaseValueCodingTests {
    @Test(arguments: ValueTests.values)
    func `A value is the same after JSON, in its storage class, too`(_ value: DatabaseValue) throws {
        // In an array, as Foundation's coders had trouble with single values.
        let data = try JSONEncoder().encode([value])
        let decoded = try #require(try JSONDecoder().decode([DatabaseValue].self, from: data).first)
        #expect(decoded == value)
        #expect(decoded.description == value.description)
        switch (decoded.storage, value.storage) {
        case (.null, .null), (.int64, .int64), (.double, .double), (.string, .string), (.blob, .blob): break
        default: Issue.record("\(value) became \(decoded)")
        }
    }

    @Test
    func `JSON shows the storage class of a value`() throws {
        let values: [DatabaseValue] = [.null, .integer(1), .real(1), .text("a"), .blob([1, 2])]
        #expect(String(decoding: try JSONEncoder().encode(values), as: UTF8.self) == #"[null,1,{"real":1},"a",{"blob":"AQI="}]"#)
        let infinities: [DatabaseValue] = [.real(.infinity), .real(-.infinity)]
        let names = #"[{"real":"Infinity"},{"real":"-Infinity"}]"#
        #expect(String(decoding: try JSONEncoder().encode(infinities), as: UTF8.self) == names)
        #expect(try JSONDecoder().decode([DatabaseValue].self, from: Data(names.utf8)) == infinities)
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        #expect(String(decoding: try encoder.encode(infinities), as: UTF8.self) == #"[{"real":"+"},{"real":"-"}]"#)
        #expect(try decoder.decode([DatabaseValue].self, from: encoder.encode(infinities)) == infinities)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([DatabaseValue].self, from: Data(#"[{"real":"infinite"}]"#.utf8)) }
        #expect(try JSONDecoder().decode([DatabaseValue].self, from: Data("[1.5]".utf8)) == [.real(1.5)])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([DatabaseValue].self, from: Data("[[1]]".utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([DatabaseValue].self, from: Data("[{}]".utf8)) }
    }
}
