import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Statements read the strings of their arguments in place.
@Suite struct BorrowedArgumentsTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    /// Returns a string with memory of its own, which no other string shares.
    private func text(_ character: Character, count: Int) -> String { String(repeating: character, count: count) }

    private func values(_ statement: Statement) throws -> [DatabaseValue] {
        defer { statement.reset() }
        guard try statement.step() else { return [] }
        return (0..<statement.columnCount).map { statement.databaseValue(at: $0) }
    }

    @Test(arguments: [0, 1, 14, 15, 16, 17, 1_000])
    func `Elements of a literal are bound as their values are`(length: Int) throws {
        let text = text("é", count: length)
        let data = Data(repeating: 7, count: length)
        let integer: Int64? = Int64(length)
        let none: String? = nil
        let literals: [StatementArguments] = [
            [text, data, length, integer, 0.5, true, nil, none],
            // Types that are not read in place.
            [text, data, length, integer, Float(0.5), true, nil, none],
            [text, data, Int32(length), integer, 0.5, UInt8(1), nil, none],
        ]
        let values: [DatabaseValue] = [
            .text(text), DatabaseValue(storage: .blob(data)), .integer(Int64(length)), .integer(Int64(length)), .real(0.5), .integer(1),
            .null, .null,
        ]
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?, ?, ?, ?, ?, ?")
            for arguments in literals + [StatementArguments(values)] {
                try statement.setArguments(arguments)
                let row = try self.values(statement)
                #expect(row == values)
                #expect(statement.arguments == StatementArguments(values))
                #expect(arguments.description == StatementArguments(values).description)
            }
        }
    }

    @Test(arguments: ["a", "é", "\0", "🦉", "z\u{301}"])
    func `Texts of all lengths keep their bytes, whether they are held in their own words or not`(unit: String) throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?1, CAST(?1 AS BLOB), ?2, CAST(?2 AS BLOB)")
            for count in 0..<20 {
                let repeated = String(repeating: unit, count: count)
                // The same string, and one with the same beginning, each in memory of its own.
                let reserved = {
                    var text = ""
                    text.reserveCapacity(100)
                    text += repeated
                    return text
                }()
                let numbered = "\(repeated)\(count)"
                let expected = { (text: String) in [DatabaseValue.text(text), DatabaseValue(storage: .blob(Data(text.utf8)))] }
                try statement.setArguments([repeated, numbered])
                let fromLiteral = try values(statement)
                #expect(fromLiteral == expected(repeated) + expected(numbered))
                try statement.setArguments(StatementArguments([reserved, numbered]))
                let fromArray = try values(statement)
                #expect(fromArray == expected(repeated) + expected(numbered))
            }
        }
    }

    /// A type of another module, which binds a string in its own way.
    private struct Tag: StatementBinding {
        var text: String
        func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
            ("#" + text).bind(to: sqliteStatement, at: index)
        }
    }

    /// An object whose value can change until it is bound.
    private final class Counter: StatementBinding {
        var count = 0
        func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { count.bind(to: sqliteStatement, at: index) }
    }

    @Test
    func `A literal takes the values of objects when it is created`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?")
            let counter = Counter()
            for count in 1...20 {
                counter.count = count
                let arguments: StatementArguments = [Tag(text: text("t", count: count)), counter, text("a", count: count)]
                counter.count = 0
                try statement.setArguments(arguments)
                _ = (0..<20).map { text("#", count: $0) }
                let row = try values(statement)
                #expect(row == [.text("#" + text("t", count: count)), .integer(Int64(count)), .text(text("a", count: count))])
            }
        }
    }

    /// Values of zero size, of the size that fits into an existential, and of a larger size.
    private struct Nothing: StatementBinding {
        func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { 0.bind(to: sqliteStatement, at: index) }
    }

    private struct Sum<Term: BinaryInteger & Sendable>: StatementBinding {
        var terms: (Term, Term, Term)
        var more: [Term]? = []
        func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
            Int64(terms.0 + terms.1 + terms.2).bind(to: sqliteStatement, at: index)
        }
    }

    @Test
    func `Elements of a literal have any size`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?, ?, ?, ?, ?")
            let wrapped: Int? = 4
            let nested: Int?? = .some(.none)
            let slice = Data(repeating: 9, count: 200)[100..<150]
            for round in 0..<20 {
                let kept: StatementArguments = [
                    Nothing(), Sum<Int8>(terms: (1, 2, 3)), Sum<Int>(terms: (10, 20, 30)), wrapped as any StatementBinding,
                    nested as any StatementBinding, slice, text("k", count: round),
                ]
                // Setting the arguments on a second statement gives the same values.
                let other = try db.makeStatement(sql: "SELECT ?, ?, ?, ?, ?, ?, ?")
                for statement in [statement, other] {
                    try statement.setArguments(kept)
                    let row = try values(statement)
                    #expect(
                        row == [
                            .integer(0), .integer(6), .integer(60), .integer(4), .null, DatabaseValue(storage: .blob(Data(slice))),
                            .text(text("k", count: round)),
                        ])
                }
                // These elements are all read in place, and are set again after another literal.
                let known: StatementArguments = [slice, text("a", count: round), round, Int64.min, -0.5, round % 2 == 0, nil]
                let expected: [DatabaseValue] = [
                    DatabaseValue(storage: .blob(Data(slice))), .text(text("a", count: round)), .integer(Int64(round)),
                    .integer(.min), .real(-0.5), .integer(round % 2 == 0 ? 1 : 0), .null,
                ]
                for arguments in [known, kept, known] { try statement.setArguments(arguments) }
                let row = try values(statement)
                #expect(row == expected)
            }
        }
    }

    @Test(arguments: [-1, 0, 2, 1 << 32 + 1, Int.max])
    func `A parameter's index that is out of range is an error, however large it is`(index: Int) throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            expectError(.SQLITE_RANGE) { try statement.bind(.null, at: index) }
        }
    }

    @Test(arguments: [-1, 33, 200, 256, Int.max], [true, false])
    func `A short binding of more bytes than there is room for stops the program`(count: Int, _ isText: Bool) async {
        #expect(ShortBinding.text((0, 0, 0, 0), count: 32).count == 32 && ShortBinding.blob((0, 0, 0, 0), count: 0).count == 0)
        #expect(ShortBinding.text((1, 2, 3, 4), count: 32) != ShortBinding.blob((1, 2, 3, 4), count: 32))
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [count = count as Int, isText = isText as Bool] in
            _ = isText ? ShortBinding.text((0, 0, 0, 0), count: count) : ShortBinding.blob((0, 0, 0, 0), count: count)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("room for 32 bytes, not for \(count)"))
    }

    @Test
    func `A literal of a value that can't be stored is an error`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            expectError(.SQLITE_MISMATCH) { try statement.setArguments(["a", UInt64.max]) }
            expectError(.SQLITE_MISUSE) { _ = try statement.step() }
        }
    }

    @Test
    func `Texts stay for all runs of a statement`() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a, b, c)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?, ?)")
            for round in 0..<100 {
                let character = Character(Unicode.Scalar(UInt8(97 + round % 26)))
                // Nothing else refers to the strings.
                try statement.execute(arguments: [text(character, count: 15), text(character, count: 16), text(character, count: 4_000)])
                _ = (0..<20).map { text("#", count: 16 + $0 * 200) }
                try statement.execute()
            }
            let sql =
                "SELECT sum(length(a) = 15 AND length(b) = 16 AND length(c) = 4000 AND substr(c, 1, 15) = a AND substr(c, -16) = b) FROM t"
            let count = try db.values(sql)
            #expect(count == [.integer(200)])
        }
    }

    @Test
    func `A row shows the strings while the run continues`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT ?")
            try statement.setArguments([text("a", count: 100), text("b", count: 3)])
            let first = try statement.step() ? statement.string(at: 0) : nil
            _ = (0..<20).map { text("#", count: 90 + $0) }
            let second = try statement.step() ? statement.string(at: 0) : nil
            #expect(first == text("a", count: 100))
            #expect(second == "bbb")
            let expanded = statement.expandedSQL
            #expect(expanded == "SELECT '\(text("a", count: 100))' UNION ALL SELECT 'bbb'")
        }
    }

    @Test
    func `Texts survive repreparation`() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t (a) VALUES (?)")
            try statement.execute(arguments: [text("a", count: 50)])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            _ = (0..<20).map { text("#", count: 40 + $0) }
            try statement.execute()
            let rows = try db.values("SELECT count(*) FROM t WHERE a = ?", [text("a", count: 50)])
            #expect(rows == [.integer(2)])
        }
    }

    @Test
    func `When one string is refused, the statement has none of the arguments`() throws {
        try queue.write { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?")
            try statement.setArguments([text("a", count: 50), text("b", count: 5), "c"])
            let connection = try #require(db.sqliteConnection)
            let limit = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 1_000)
            expectError(.SQLITE_TOOBIG) {
                try statement.setArguments([text("d", count: 60), text("e", count: 2_000), "f"])
            }
            sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, limit)
            _ = (0..<20).map { text("#", count: 50 + $0) }
            let expanded = statement.expandedSQL
            #expect(expanded == "SELECT NULL, NULL, NULL")
            expectError(.SQLITE_MISUSE) { _ = try statement.step() }
            try statement.setArguments([text("g", count: 60), text("h", count: 20), "i"])
            let row = try values(statement)
            #expect(row == [.text(text("g", count: 60)), .text(text("h", count: 20)), .text("i")])
        }
    }

    @Test
    func `Short strings of each length are bound unchanged`() throws {
        try queue.write { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            for count in 0...17 {
                let text = String("abcdefghijklmnopq".prefix(count))
                try statement.setArguments([text, "x" + text])
                let row = try values(statement)
                #expect(row == [.text(text), .text("x" + text)])
            }
        }
    }

    @Test
    func `Changing arguments does not change the arguments of the statement`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            var arguments: StatementArguments = [text("a", count: 30), "b"]
            try statement.setArguments(arguments)
            arguments.append(contentsOf: ["c"])
            arguments += ["name": "d"]
            let row = try values(statement)
            #expect(row == [.text(text("a", count: 30)), .text("b")])
            #expect(arguments.description == "[\"name\": \"d\", \"\(text("a", count: 30))\", \"b\", \"c\"]")
        }
    }

    @Test
    func `A statement may outlive its access`() throws {
        var kept: Statement?
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            try statement.setArguments([text("a", count: 64)])
            kept = statement
        }
        try queue.read { _ in
            let row = try kept.map { try values($0) }
            #expect(row == [.text(text("a", count: 64))])
        }
        kept = nil
        let answer = try queue.read { try $0.values("SELECT 1") }
        #expect(answer == [.integer(1)])
    }

    @Test
    func `Arguments that are kept do not change`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?")
            let arguments: StatementArguments = [text("a", count: 30), Data(repeating: 1, count: 40), 1.5]
            var kept: [StatementArguments] = []
            for count in 20...24 {
                try statement.setArguments(arguments)
                try statement.setArguments([text("b", count: count), Data(repeating: 2, count: count), nil])
                kept.append(statement.arguments)
                try statement.setArguments(statement.arguments)
                let row = try values(statement)
                #expect(row == [.text(text("b", count: count)), .blob([UInt8](repeating: 2, count: count)), .null])
            }
            try statement.setArguments([1, 2, 3])
            #expect(arguments.sqlLiterals == "['\(text("a", count: 30))', x'\(String(repeating: "01", count: 40))', 1.5]")
            for (arguments, count) in zip(kept, 20...) {
                let blob = String(repeating: "02", count: count)
                #expect(arguments.sqlLiterals == "['\(text("b", count: count))', x'\(blob)', NULL]")
            }
        }
    }

    /// Counts how often memory of a `Data` is freed.
    private final class Frees {
        var count = 0

        func data(_ bytes: [UInt8]) -> Data {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
            memory.copyMemory(from: bytes, byteCount: bytes.count)
            return Data(
                bytesNoCopy: memory, count: bytes.count,
                deallocator: .custom { memory, _ in
                    memory.deallocate()
                    self.count += 1
                })
        }
    }

    @Test
    func `Arguments are released once when others are set`() throws {
        let frees = Frees()
        let bytes = [UInt8](repeating: 7, count: 100)
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT length(?) + length(?)")
            for number in 0..<5 {
                try statement.setArguments([frees.data(bytes), frees.data(bytes)])
                #expect(frees.count == 2 * number)
                let row = try values(statement)
                #expect(row == [.integer(200)])
            }
            try statement.setArguments([text("a", count: 50), 1])
            #expect(frees.count == 10)
            var kept: StatementArguments? = [frees.data(bytes), 1]
            try statement.setArguments(kept!)
            try statement.setArguments([1, 2])
            #expect(frees.count == 10)
            kept = nil
            #expect(frees.count == 11)
            #expect(throws: DatabaseError.self) { try statement.setArguments([frees.data(bytes)]) }
            #expect(frees.count == 12)
            try statement.setArguments([frees.data(bytes), frees.data(bytes)])
        }
        // The statement has released its arguments.
        #expect(frees.count == 14)
    }

    @Test
    func `A refused text leaves nothing of the arguments`() throws {
        let frees = Frees()
        try queue.read { db in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1_000)
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            try statement.setArguments([1, 2])
            let error = #expect(throws: DatabaseError.self) {
                try statement.setArguments([frees.data([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]), text("a", count: 1_001)])
            }
            #expect(error?.resultCode == .SQLITE_TOOBIG)
            // The error has the refused arguments, and not the previous ones.
            #expect(error?.arguments == [Data([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]), text("a", count: 1_001)])
            #expect(statement.arguments.isEmpty)
            #expect(throws: DatabaseError.self) { try statement.step() }
            try statement.setArguments([text("b", count: 30), 2])
            let row = try values(statement)
            #expect(row == [.text(text("b", count: 30)), .integer(2)])
        }
        #expect(frees.count == 1)
    }

    // MARK: - Arguments that replace others in place

    @Test
    func `Arguments in the memory of the previous ones are bound as they are, and copies stay`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?")
            var copies: [(arguments: StatementArguments, values: [DatabaseValue])] = []
            for (index, length) in [0, 15, 16, 1_000, 3, 16, 1_000, 0].enumerated() {
                let unit: Character = index % 2 == 0 ? "a" : "b"
                let values: [DatabaseValue] = [
                    .text(text(unit, count: length)), index % 3 == 0 ? .null : .integer(Int64(index)),
                    DatabaseValue(storage: .blob(Data(repeating: UInt8(index), count: length))),
                ]
                try statement.setArguments { values[$0] }
                #expect(try self.values(statement) == values)
                #expect(statement.arguments == StatementArguments(values))
                // Half of the arguments are shared with a copy.
                if index % 4 < 2 { copies.append((statement.arguments, values)) }
            }
            for copy in copies { #expect(copy.arguments == StatementArguments(copy.values)) }
        }
    }

    @Test
    func `A statement has no arguments after one of them could not be set in place`() throws {
        struct Failure: Error {}
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?")
            let values: [DatabaseValue] = [.text(text("a", count: 100)), .text(text("b", count: 100))]
            db.setLimit(.length, to: 1_000)
            for _ in 0..<2 {
                try statement.setArguments { values[$0] }
                #expect(try self.values(statement) == values)
                #expect(throws: Failure.self) {
                    try statement.setArguments { index in
                        if index == 1 { throw Failure() }
                        return .text(text("c", count: 100))
                    }
                }
                #expect(throws: DatabaseError.self) { try statement.step() }
                try statement.setArguments { values[$0] }
                #expect(throws: DatabaseError.self) { try statement.setArguments { .text(text("d", count: $0 * 2_000)) } }
                #expect(throws: DatabaseError.self) { try statement.step() }
            }
        }
    }
}
