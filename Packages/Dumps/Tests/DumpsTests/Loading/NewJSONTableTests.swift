import Dumps
import Foundation
import Testing

@Suite("Tables that are created for JSON")
struct NewJSONTableTests {
    /// Loads objects into a new table, and returns its SQL and rows.
    private func load(
        _ text: String, isLines: Bool = false, _ table: LoadedTable = LoadedTable(), conversions: [String: LoadedColumn] = [:],
        portion: Int = 2
    ) throws -> (sql: String, rows: String) {
        let queue = try DatabaseQueue()
        let options = LoadOptions(columns: conversions, newTable: table)
        if isLines {
            try queue.load(.jsonLines(.text(text)), into: "event", options: options, portion: portion)
        } else {
            try queue.load(.json(.text(text)), into: "event", options: options, portion: portion)
        }
        let sql = try queue.read { try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 'event'") ?? "" }
        return (sql, try queue.dumped("SELECT * FROM event", .quote()))
    }

    @Test(arguments: [
        (["1", "-2", "null", "9223372036854775807"], "INTEGER"), (["1.5", "-0.25", "3.0", "null"], "REAL"), (["1e3"], "REAL"),
        (["12.50"], "REAL"), (["1", "2.5"], "NUMERIC"), (["1", "3.0"], "NUMERIC"), (["true", "false", "null"], "BOOLEAN"),
        (["true", "7"], "INTEGER"), (["true", "0.5"], "NUMERIC"), (["\"12\""], "TEXT"), (["1", "\"2\""], "TEXT"),
        (["true", "\"a\""], "TEXT"),
        (["[1, 2]"], "TEXT"), (["{\"a\": [1]}", "1"], "TEXT"), (["null", "null"], "TEXT"),
        // Numbers that SQLite can't store as such.
        (["9223372036854775808"], "TEXT"), (["1e400", "1"], "TEXT"), (["-9223372036854775808"], "INTEGER"),
        // Values of dumps.
        (["{\"$base64\":\"AP8=\"}"], "BLOB"), (["{\"$base64\":\"AP8=\"}", "7"], "BLOB"), (["{\"$real\":\"inf\"}", "0.5"], "REAL"),
        (["{\"$real\":\"inf\"}", "1"], "NUMERIC"), (["\"a\\u0000b\""], "TEXT"),
    ])
    func `Values give a type, wherever they are`(_ values: [String], _ type: String) throws {
        // The value that decides comes late, after many others.
        let early = values.count > 1 ? Array(repeating: values[0], count: 3000) : []
        let lines = (early + values).map { "{\"v\":\($0)}\n" }.joined()
        let (sql, rows) = try load(lines, isLines: true, portion: 2000)
        #expect(sql == "CREATE TABLE \"event\" (\"v\" \(type))")
        // The same values as in a table of this type, which was created before.
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: sql)
            try db.load(.json(.text(lines)), into: "event")
        }
        try #expect(queue.dumped("SELECT * FROM event", .quote()) == rows)
        let array = "[\((early + values).map { "{\"v\": \($0)}" }.joined(separator: ",\n"))]"
        let ofArray = try load(array, portion: 2000)
        #expect(ofArray.sql == sql && ofArray.rows == rows)
    }

    @Test
    func `The columns are the members of all objects, and what an object lacks is NULL`() throws {
        let text = """
            {"id": 2, "name": "a"}
            {"ID": 1, "score": 1.5}

            {}
            {"tags": ["x", {"y": null}], "name": "b", "id": 3}
            """
        let (sql, rows) = try load(text, isLines: true)
        #expect(sql == #"CREATE TABLE "event" ("id" INTEGER, "name" TEXT, "score" REAL, "tags" TEXT)"#)
        #expect(
            rows == """
                2,'a',NULL,NULL
                1,NULL,1.5,NULL
                NULL,NULL,NULL,NULL
                3,'b',NULL,'["x", {"y": null}]'

                """)
        try #expect(load("[{\"\": 1, \"\\\"q\\\"\": 2}]").sql == #"CREATE TABLE "event" ("" INTEGER, """q""" INTEGER)"#)
        let nested = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        try #expect(load("{\"a\":\(nested)}").rows == "'\(nested)'\n")
    }

    @Test
    func `The primary key, given types and STRICT tables`() throws {
        let text = #"[{"id":1,"name":"a","flag":true,"mixed":1},{"id":2,"name":"b","flag":false,"mixed":2.5}]"#
        try #expect(
            load(text, LoadedTable(primaryKey: ["ID"])).sql
                == #"CREATE TABLE "event" ("id" INTEGER PRIMARY KEY, "name" TEXT, "flag" BOOLEAN, "mixed" NUMERIC)"#)
        let (sql, rows) = try load(text, LoadedTable(primaryKey: ["name", "id"], types: ["MIXED": .real], strict: true))
        #expect(
            sql
                == #"CREATE TABLE "event" ("id" INTEGER NOT NULL, "name" TEXT NOT NULL, "flag" INTEGER, "mixed" REAL, PRIMARY KEY ("name", "id")) STRICT"#
        )
        #expect(rows == "1,'a',1,1.0\n2,'b',0,2.5\n")
        try #expect(load(text, LoadedTable(strict: true)).rows == "1,'a',1,1\n2,'b',0,2.5\n")
        let error = #expect(throws: LoadError.self) { try load(text, LoadedTable(primaryKey: ["nope"])) }
        #expect(error?.column == "nope")
        // An object without the key.
        #expect(throws: LoadError.self) { try load(#"{"code":"a"} {"n":1}"#, LoadedTable(primaryKey: ["code"])) }
        let conversions: [String: LoadedColumn] = ["id": .fixedPoint(digits: 2), "name": .null("a"), "flag": .boolean()]
        let converted = try load(text, conversions: conversions)
        #expect(converted.sql == #"CREATE TABLE "event" ("id" INTEGER, "name" TEXT, "flag" BOOLEAN, "mixed" NUMERIC)"#)
        #expect(converted.rows == "100,NULL,1,1\n200,'b',0,2.5\n")
    }

    @Test(arguments: ["", "[]", "{}", "[{}, {}]", " \n"])
    func `A file without members makes no table`(_ text: String) throws {
        let queue = try DatabaseQueue()
        let error = #expect(throws: LoadError.self) {
            try queue.load(.json(.text(text)), into: "event", options: LoadOptions(newTable: LoadedTable()), resumableAs: "a")
        }
        #expect(error?.message == "the file has no objects with members, and so no columns for a new table")
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0)
        // A table that exists needs no columns.
        try queue.write { try $0.execute(sql: "CREATE TABLE event (a)") }
        _ = try queue.load(.json(.text(text)), into: "event", options: LoadOptions(newTable: LoadedTable()))
    }

    @Test
    func `A name that SQL can't have is an error, and leaves no table`() throws {
        let queue = try DatabaseQueue()
        #expect(throws: (any Error).self) {
            try queue.load(.json(#"{"a\u0000b":1}"#), into: "event", options: LoadOptions(newTable: LoadedTable()))
        }
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } == 0)
    }

    @Test
    func `Objects that can't be loaded give no columns and are rejected`() throws {
        let queue = try DatabaseQueue()
        let rejected = Locked<[String]>([])
        let text = "{\"a\":1}\n{\"a\":2,\"A\":3,\"b\":4}\n{\"a\":\nx\n{\"a\":5}\n"
        let options = LoadOptions(
            newTable: LoadedTable(), rejects: .handler { record in rejected.value.append("\(record.error.line): \(record.error.message)") })
        try queue.load(.jsonLines(.text(text)), into: "event", options: options)
        try #expect(queue.dumped("SELECT * FROM event", .csv()) == "a\r\n1\r\n5\r\n")
        #expect(
            rejected.value == [
                "2: the object has two members with this name", "3: the object is not valid JSON", "4: the object is not valid JSON",
            ])
    }

    @Test
    func `Of a stream, the first portion decides, also after a resumption`() throws {
        let queue = try DatabaseQueue()
        func load(_ objects: [String], rejects: LoadRejects? = nil) throws {
            var parts = objects.map { $0 + "\n" }
            try queue.load(
                .jsonLines(.chunks { parts.isEmpty ? nil : Data(parts.removeFirst().utf8) }), into: "event",
                options: LoadOptions(newTable: LoadedTable(types: ["free": .integer]), rejects: rejects), portion: 2, resumableAs: "a")
        }
        let first = [#"{"a":1,"r":0.5,"t":"x","f":true}"#, #"{"a":2,"free":1}"#]
        let fitting = [#"{"a":3,"r":4,"t":5,"f":0,"free":"12"}"#, #"{"a":4.0,"t":[1]}"#]
        let others = [
            #"{"a":"5"}"#, #"{"a":1.5}"#, #"{"r":"1.5"}"#, #"{"r":true}"#, #"{"a":[1]}"#, #"{"f":"yes"}"#, #"{"a":{"$real":"inf"}}"#,
            #"{"later":1}"#,
        ]
        let error = #expect(throws: LoadError.self) { try load(first + fitting + others) }
        #expect(
            error?.description.hasPrefix("line 5, column \"a\": the value does not fit the type that was found for the new column") == true)
        for other in others { #expect(throws: LoadError.self) { try load(first + fitting + [other]) } }
        let rejected = Locked<[Int]>([])
        try load(first + fitting + others + [#"{"a":9}"#], rejects: .handler { rejected.value.append($0.error.line) })
        #expect(rejected.value == Array(5...12))
        try #expect(
            queue.dumped("SELECT * FROM event", .quote())
                == "1,0.5,'x',1,NULL\n2,NULL,NULL,NULL,1\n3,4.0,'5',0,12\n4,NULL,'[1]',NULL,NULL\n9,NULL,NULL,NULL,NULL\n")
    }

    @Test
    func `Dumps of any values make tables with the same values`() throws {
        var random = SeededGenerator(seed: 12)
        for round in 0..<30 {
            let source = try DatabaseQueue()
            try source.write { db in
                try db.execute(sql: "CREATE TABLE event (a, b)")
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let values: [DatabaseValue] = (0..<2).map { _ in
                        switch Int.random(in: 0...3, using: &random) {
                        case 0: .null
                        case 1: DatabaseValue(storage: .int64(Int64.random(in: -20...20, using: &random)))
                        case 2: DatabaseValue(storage: .double(Double.random(in: -2...2, using: &random)))
                        default:
                            round % 2 == 0
                                ? DatabaseValue(storage: .blob(random.data() ?? Data())) : DatabaseValue(storage: .string(random.text()))
                        }
                    }
                    try db.execute(sql: "INSERT INTO event VALUES (?, ?)", arguments: StatementArguments(values))
                }
            }
            var json = ""
            try source.dumpTables(["event"], format: .json(), to: &json)
            let copy = try DatabaseQueue()
            try copy.load(.json(.text(json)), into: "event", options: LoadOptions(newTable: LoadedTable(strict: true)), portion: 3)
            // In a column of texts, numbers are stored with their digits.
            let isText = try copy.read { try $0.columns(in: "event").map { $0.type == "TEXT" } }
            let columns = zip(["a", "b"], isText).map { $1 ? "CAST(\($0) AS TEXT)" : $0 }.joined(separator: ", ")
            if round % 2 == 0 {
                try #expect(
                    copy.dumped("SELECT \(sql: columns) FROM event", .quote())
                        == source.dumped("SELECT \(sql: columns) FROM event", .quote()))
            }
        }
    }

    /// Objects with all, some or none of the members, in any order, and now and then one that can't be loaded.
    @Test(arguments: 1...12)
    func `Rows that are inserted together are the same as those inserted one by one`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lines = (0..<300).map { _ in
            let members = ["id": "\(Int.random(in: 1...2000, using: &random))", "a": "1", "b": "null", "c": "\"x\"", "D": "2.5", "g": "7"]
                .filter { _ in Int.random(in: 0...(seed % 2 == 0 ? 2 : 20), using: &random) > 0 }
            let list = members.map { "\"\($0)\":\($1)" }.sorted().shuffled(using: &random)
            return Int.random(in: 0...40, using: &random) == 0 ? "{\"nope\":1}" : "{\(list.joined(separator: ","))}"
        }
        func load(_ trigger: String, self reference: String) throws -> (String, [Int]) {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (id INTEGER PRIMARY KEY, a NOT NULL DEFAULT 'default', b DEFAULT 5, c UNIQUE ON CONFLICT REPLACE,
                            d REAL, g AS (a || b)\(reference));
                        CREATE TABLE log (id); \(trigger)
                        """)
            }
            let rejected = Locked<[Int]>([])
            let count = try queue.load(
                .jsonLines(.text(lines.joined(separator: "\n"))), into: "t",
                options: LoadOptions(rejects: .handler { rejected.value.append($0.error.line) }), portion: 130)
            return ("\(count) " + (try queue.dumped("SELECT * FROM t ORDER BY id", .quote())), rejected.value)
        }
        // A table that refers to itself gets one row per statement.
        let single = try load("", self: ", p REFERENCES t (id)")
        for trigger in ["", "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END"] {
            let grouped = try load(trigger, self: ", p")
            #expect(grouped.0 == single.0 && grouped.1 == single.1)
        }
        #expect(!single.1.isEmpty)
    }

    @Test
    func `Objects with the same columns are inserted by few statements`() throws {
        let queue = try DatabaseQueue()
        let sql = try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
            let objects = (0..<16).map { $0 % 3 == 0 ? "{\"b\":1}" : $0 % 3 == 1 ? "{\"a\":1,\"id\":\($0 + 100)}" : "{}" }
            return try db.recordingSQL { try db.load(.json(.text(objects.joined())), into: "t") }.sql
        }
        let insertions = sql.filter { $0.hasPrefix("INSERT") }
        #expect(
            insertions.count == 2 && insertions.allSatisfy { $0.hasPrefix("INSERT INTO \"t\" (\"id\", \"a\", \"b\") VALUES") }, "\(sql)")
    }
}
