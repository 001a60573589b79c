import Dumps
import Foundation
import Testing

@Suite("Tables that are created for CSV")
struct NewTableTests {
    /// Loads CSV into a new table, and returns its SQL and rows.
    private func load(
        _ text: String, _ table: LoadedTable = LoadedTable(), columns: LoadColumns = .fromHeader, conversions: [String: LoadedColumn] = [:]
    ) throws -> (sql: String, rows: String) {
        let queue = try DatabaseQueue()
        try queue.load(
            .csv(.text(text), columns: columns), into: "event", options: LoadOptions(columns: conversions, newTable: table), portion: 2)
        let sql = try queue.read { try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 'event'") ?? "" }
        return (sql, try queue.dumped("SELECT * FROM event", .quote()))
    }

    @Test(arguments: [
        (["1", "-2", "", "9223372036854775807"], "INTEGER"), (["0", "10"], "INTEGER"), (["1.5", "-0.25", "3.0"], "REAL"),
        (["1", "2.5"], "NUMERIC"), (["X'00FF'", "X''"], ""), (["X'00FF'", "7", "a"], ""),
        // Digits that a number would lose.
        (["1", "007"], "TEXT"), (["1", "1e3"], "TEXT"), (["12.50"], "TEXT"), (["9223372036854775808"], "TEXT"), (["+1"], "TEXT"),
        (["-0"], "TEXT"), (["1", "3.0"], "TEXT"), ([" 1"], "TEXT"), (["0.1234567890123456789"], "TEXT"), (["1", "\"2\""], "TEXT"),
        (["1", "a"], "TEXT"), (["", ""], "TEXT"), (["00.5"], "TEXT"), (["1."], "TEXT"), ([".5"], "TEXT"), (["0x10"], "TEXT"),
        (["2026-11-23"], "TEXT"), (["1_000"], "TEXT"), (["NaN"], "TEXT"), (["9e999"], "REAL"), (["1e+20"], "REAL"), (["0.00001"], "TEXT"),
    ])
    func `A type loses no digit of any field, wherever it is`(_ fields: [String], _ type: String) throws {
        // The field that decides comes late, after many others.
        let early = fields.count > 1 ? Array(repeating: fields[0], count: 3000) : []
        let all = early + fields
        let (sql, _) = try load("id,v\n" + all.map { "a,\($0)\n" }.joined())
        let typeName = type.isEmpty ? "BLOB" : type
        #expect(sql == "CREATE TABLE \"event\" (\"id\" TEXT, \"v\" \(typeName))")
        // What was loaded is written again as it was.
        let queue = try DatabaseQueue()
        _ = try queue.write { db in
            try db.load(
                .csv(.text("v,w\n" + all.map { "\($0),\n" }.joined())), into: "event", options: LoadOptions(newTable: LoadedTable()))
        }
        var csv = ""
        try queue.dumpSQL("SELECT v FROM event", format: .csv(header: false), to: &csv)
        let lines = csv.components(separatedBy: "\r\n").dropLast()
        let written = lines.map { $0.replacing("\"", with: "") }
        #expect(written == all.map { $0.replacing("\"", with: "") })
    }

    @Test(arguments: [
        "VARCHAR(10)", "DECIMAL(10, 2)", "DECIMAL (+10,-2)", "UNSIGNED BIG INT", "double precision", "FLOAT(1.5)", "Größe", "KEY", "",
    ])
    func `A column can have any type of SQLite`(_ type: String) throws {
        let table = LoadedTable(types: ["v": Database.ColumnType(rawValue: type)])
        let expected = "CREATE TABLE \"event\" (\"id\" TEXT, \"v\"\(type.isEmpty ? "" : " ")\(type))"
        try #expect(load("id,v\na,1\n", table).sql == expected)
    }

    @Test(arguments: [
        "INTEGER); DROP TABLE important; --", "INTEGER, x TEXT", "TEXT NOT NULL", "TEXT DEFAULT 5", "TEXT) WITHOUT ROWID --", "TEXT --",
        "TEXT /*", "TEXT;", "INTEGER CHECK (0)", "TEXT) AS SELECT 1 --", "A'b", "INTEGER GENERATED ALWAYS AS (1)",
        "TEXT REFERENCES important",
        "TEXT UNIQUE", "TEXT COLLATE NOCASE", "INTEGER PRIMARY KEY", "TEXT(1", "TEXT(a)", "TEXT(1, 2, 3)", "(1)", "?", "TEXT(1) TEXT",
        "TEXT\u{0}", "TEXT CONSTRAINT x NULL", "GENERATED ALWAYS", "TEXT generated  always",
        "\"x\" DEFAULT 5", "\"x\"",
    ])
    func `Anything but one type is an error, and no other statement runs`(_ type: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE important (a)") }
        for isStrict in [false, true] {
            let options = LoadOptions(newTable: LoadedTable(types: ["V": Database.ColumnType(rawValue: type)], strict: isStrict))
            let error = #expect(throws: LoadError.self) { try queue.load(.csv("id,v\na,1\n"), into: "event", options: options) }
            #expect(error?.column?.lowercased() == "v")
            #expect(error?.message.contains("is not a type") == true)
            #expect(throws: LoadError.self) {
                try queue.write { db in try db.load(.json("[{\"v\": 1}]"), into: "event", options: options) }
            }
        }
        try #expect(queue.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") } == ["important"])
    }

    @Test
    func `The primary key, given types and STRICT tables`() throws {
        let text = "id,name,amount,mixed\n1,a,12.50,1\n2,b,3.00,2.5\n"
        try #expect(
            load(text, LoadedTable(primaryKey: ["ID"])).sql
                == #"CREATE TABLE "event" ("id" INTEGER PRIMARY KEY, "name" TEXT, "amount" TEXT, "mixed" NUMERIC)"#)
        let (sql, rows) = try load(text, LoadedTable(primaryKey: ["name", "id"], types: ["AMOUNT": .real], strict: true))
        #expect(
            sql
                == #"CREATE TABLE "event" ("id" INTEGER NOT NULL, "name" TEXT NOT NULL, "amount" REAL, "mixed" ANY, PRIMARY KEY ("name", "id")) STRICT"#
        )
        #expect(rows == "1,'a',12.5,1\n2,'b',3.0,2.5\n")
        try #expect(
            load("code,n\n007,1\n", LoadedTable(primaryKey: ["code"])).sql
                == #"CREATE TABLE "event" ("code" TEXT NOT NULL PRIMARY KEY, "n" INTEGER)"#)
        for table in [LoadedTable(primaryKey: ["nope"]), LoadedTable(types: ["nope": .text])] {
            let error = #expect(throws: LoadError.self) { try load(text, table) }
            #expect(error?.column == "nope")
        }
    }

    @Test
    func `Conversions give types`() throws {
        let text = "id,day,amount,flag,other\nE621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23,12.50,true,n/a\n,,,,5\n"
        let conversions: [String: LoadedColumn] = [
            "id": .uuid, "day": .date, "amount": .fixedPoint(digits: 2), "flag": .boolean(), "other": .null("n/a"),
        ]
        let rows = "X'E621E1F8C36C495A93FC0C247A3E6E5F','2026-11-23 00:00:00.000',1250,1,NULL\nNULL,NULL,NULL,NULL,5\n"
        let plain = try load(text, conversions: conversions)
        #expect(plain.sql == #"CREATE TABLE "event" ("id" UUID, "day" DATETIME, "amount" INTEGER, "flag" BOOLEAN, "other" INTEGER)"#)
        #expect(plain.rows == rows)
        let strict = try load(text, LoadedTable(strict: true), conversions: conversions)
        #expect(strict.sql == #"CREATE TABLE "event" ("id" BLOB, "day" TEXT, "amount" INTEGER, "flag" INTEGER, "other" INTEGER) STRICT"#)
        #expect(strict.rows == rows)
        let closure = try load("a\nx\n", conversions: ["a": .value { _ in 1.5 }])
        #expect(closure.sql == #"CREATE TABLE "event" ("a")"#)
        #expect(closure.rows == "1.5\n")
    }

    @Test
    func `Columns without a name or with the name of another one get names`() throws {
        let (sql, rows) = try load("a,,A,a_2,a,\"q \"\"x\"\"\"\n1,2,3,4,5,6\n")
        #expect(
            sql
                == #"CREATE TABLE "event" ("a" INTEGER, "column2" INTEGER, "A_3" INTEGER, "a_2" INTEGER, "a_4" INTEGER, "q ""x""" INTEGER)"#
        )
        #expect(rows == "1,2,3,4,5,6\n")
        try #expect(load("1,2\n", columns: .inOrder(["x", nil])).sql == #"CREATE TABLE "event" ("x" INTEGER)"#)
        try #expect(load("a,b\n1,2\n", columns: .renaming(["a": "x", "b": nil])).sql == #"CREATE TABLE "event" ("x" INTEGER)"#)
    }

    @Test
    func `A file without records makes an empty table, and one without a header none`() throws {
        let empty = try load("a,b\n")
        #expect(empty.sql == #"CREATE TABLE "event" ("a" TEXT, "b" TEXT)"# && empty.rows.isEmpty)
        #expect(throws: LoadError.self) { try load("") }
    }

    @Test
    func `A table that exists is used as it is`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE event (a TEXT)")
            try db.load(.csv("a\n7\n"), into: "EVENT", options: LoadOptions(newTable: LoadedTable()))
            try db.load(.json("{\"A\":true}"), into: "EVENT", options: LoadOptions(newTable: LoadedTable()))
            try #expect(String.fetchAll(db, sql: "SELECT quote(a) FROM event") == ["'7'", "'1'"])
        }
    }

    @Test
    func `An error leaves no table`() throws {
        let queue = try DatabaseQueue()
        #expect(throws: LoadError.self) {
            try queue.load(
                .csv("a\n1\n1\n"), into: "event", options: LoadOptions(newTable: LoadedTable(primaryKey: ["a"])), portion: 10,
                resumableAs: "a")
        }
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0)
    }

    @Test
    func `Of a stream, the first portion decides, and a later field that does not fit is an error, also after a resumption`() throws {
        let queue = try DatabaseQueue()
        func load(_ fields: [String], rejects: LoadRejects? = nil) throws {
            var parts = ["a,b\n"] + fields.map { "\($0),x\n" }
            try queue.load(
                .csv(.chunks { parts.isEmpty ? nil : Data(parts.removeFirst().utf8) }), into: "event",
                options: LoadOptions(newTable: LoadedTable(), rejects: rejects), portion: 2, resumableAs: "a")
        }
        let error = #expect(throws: LoadError.self) { try load(["1", "2", "3", "4", "007", "6"]) }
        #expect(
            error?.description.hasPrefix("line 6, column \"a\": the field does not fit the type that was found for the new column") == true)
        #expect(throws: LoadError.self) { try load(["1", "2", "3", "4", "1.5", "6"]) }
        let lines = Locked<[Int]>([])
        try load(["1", "2", "3", "4", "007", "6"], rejects: .handler { record in lines.value.append(record.error.line) })
        #expect(lines.value == [6])
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT a FROM event") } == [1, 2, 3, 4, 6])
    }

    @Test
    func `A whole real does not fit a new column of integers and reals, where SQLite would make it an integer`() throws {
        let queue = try DatabaseQueue()
        func load(_ fields: [String]) throws {
            var parts = ["a"] + fields
            try queue.load(
                .csv(.chunks { parts.isEmpty ? nil : Data("\(parts.removeFirst())\n".utf8) }), into: "event",
                options: LoadOptions(newTable: LoadedTable()), portion: 2)
        }
        let error = #expect(throws: LoadError.self) { try load(["1", "2.5", "3", "4.5", "5.0"]) }
        #expect(error?.description.hasPrefix("line 6, column \"a\": the field does not fit the type") == true)
    }

    @Test
    func `Dumps of any values make tables with the same values`() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<30 {
            let source = try DatabaseQueue()
            try source.write { db in
                try db.execute(sql: "CREATE TABLE event (a, b)")
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let values: [DatabaseValue] = (0..<2).map { _ in
                        switch Int.random(in: 0...4, using: &random) {
                        case 0: .null
                        case 1: DatabaseValue(storage: .int64(Int64.random(in: -20...20, using: &random)))
                        case 2: DatabaseValue(storage: .double(Double.random(in: -2...2, using: &random)))
                        case 3: DatabaseValue(storage: .blob(random.data() ?? Data()))
                        default: DatabaseValue(storage: .string(random.text()))
                        }
                    }
                    try db.execute(sql: "INSERT INTO event VALUES (?, ?)", arguments: StatementArguments(values))
                }
            }
            var csv = ""
            try source.dumpTables(["event"], format: .csv(), to: &csv)
            for isStrict in [false, true] {
                let copy = try DatabaseQueue()
                try copy.load(.csv(.text(csv)), into: "event", options: LoadOptions(newTable: LoadedTable(strict: isStrict)), portion: 3)
                // In a column of texts, numbers are stored with their digits.
                var again = ""
                try copy.dumpTables(["event"], format: .csv(), to: &again)
                #expect(again.replacing("\"", with: "") == csv.replacing("\"", with: ""))
            }
        }
    }
}
