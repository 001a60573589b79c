import Dumps
import Foundation
import Testing

@Suite("Loading CSV and JSON")
struct LoadTests {
    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'nobody', score REAL, photo BLOB)")
        }
        return queue
    }

    private func rows(_ queue: DatabaseQueue) throws -> String {
        try queue.dumped("SELECT id, name, score, photo FROM player ORDER BY id", .quote())
    }

    /// The source in chunks of one byte.
    private func bytes(_ text: String) -> TextSource {
        var rest = Array(text.utf8)[...]
        return .chunks { rest.popFirst().map { Data([$0]) } }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `A CSV file's header names the columns, and values get the columns' types`(lineEnd: String) throws {
        let queue = try makeQueue()
        let lines = ["Score,NAME,id,photo", "5,\"O'Brien, \"\"A\"\"\",1,X'00fF'", ",\"line\(lineEnd)two\",2,", "1e3,\"\",3,X''", ""]
        for source in [TextSource.text(lines.joined(separator: lineEnd)), bytes(lines.joined(separator: lineEnd))] {
            try queue.write { db in
                try db.execute(sql: "DELETE FROM player")
                try #expect(db.load(.csv(source), into: "player") == 3)
            }
            #expect(
                try rows(queue)
                    == "1,'O''Brien, \"A\"',5.0,X'00FF'\n2,'line\(lineEnd)two',NULL,NULL\n3,'',1000.0,X''\n")
        }
    }

    @Test
    func `Columns can be renamed, skipped and given in order`() throws {
        let queue = try makeQueue()
        try queue.write { db in
            try db.load(
                .csv(
                    "\u{FEFF}Full name;x;Number\nArthur;y;1", format: CSVFormat(separator: ";"),
                    columns: .renaming(["Full name": "name", "x": nil, "Number": "id"])), into: "player")
            try db.load(.csv("2,skipped,Barbara\n\n", columns: .inOrder(["id", nil, "name"])), into: "player")
            try db.load(
                .csv(
                    "id,name,photo\n3,NULL-,00fF\n4,\"NULL\",NULL",
                    format: CSVFormat(nullValue: "NULL", blobs: .hexadecimal)), into: "player")
        }
        try #expect(rows(queue) == "1,'Arthur',NULL,NULL\n2,'Barbara',NULL,NULL\n3,'NULL-',NULL,X'00FF'\n4,'NULL',NULL,NULL\n")
    }

    @Test(arguments: [
        ("id,name\n1,a\n2,b\n1,c", 4, "UNIQUE constraint failed: player.id"),
        ("id,name\n1,\"a\nb\"\n2", 4, "the record has 1 field, but 2 are expected"),
        ("id,name\n1,a,b", 2, "the record has 3 fields, but 2 are expected"),
        ("id\n1,2", 2, "the record has 2 fields, but 1 is expected"),
        ("id,name\n1,\"a", 2, "field 2 has no closing quote"),
        ("id,name\n1,\"a\"b", 2, "field 2 must end at its closing quote"),
        ("id,nope\n1,a", 1, "field 2 of the header does not name a column of the table \"player\""),
        ("id,ID\n1,2", 1, "two fields of the header name the same column"),
        ("id,name\n1,a\nx,b", 3, "datatype mismatch"),
        ("id,name\n1,a\n\n3,", 4, "NOT NULL constraint failed: player.name"),
    ])
    func `An error names its line, and nothing is loaded`(_ text: String, _ line: Int, _ message: String) throws {
        let queue = try makeQueue()
        let error = #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(.csv(.text(text)), into: "player") }
        }
        #expect(error?.line == line)
        #expect(error?.message == message)
        let advice: String? =
            switch message {
            case "field 2 must end at its closing quote", "field 2 has no closing quote":
                "Double the quotes inside the field, or set another quote character."
            case "the record has 1 field, but 2 are expected": #"Check the separator of the fields: the format has ","."#
            case let message where message.hasPrefix("the record has"):
                #"Quote fields that contain ",", and write missing ones as empty fields, or cut such records."#
            default: nil
            }
        #expect(error?.advice == advice)
        #expect(error?.description.hasSuffix(": " + [message, advice].compactMap { $0 }.joined(separator: ". ")) == true)
        try #expect(rows(queue).isEmpty)
    }

    @Test(arguments: [false, true])
    func `The first line of a file without a header is shown only if arguments are public`(isPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: "CREATE TABLE player (id, name)")
            let error = #expect(throws: LoadError.self) { try db.load(.csv("1,Arthur\n"), into: "player") }
            #expect(error?.column == (isPublic ? "1" : nil))
            #expect(error?.message.contains("field 1 of the header") == !isPublic)
            let own = #expect(throws: LoadError.self) { try db.load(.csv("1,a\n", columns: .inOrder(["id", "nope"])), into: "player") }
            #expect(own?.description == #"line 1, column "nope": the table "player" has no such column"#)
        }
    }

    @Test
    func `Invalid UTF-8 is an error`() throws {
        let queue = try makeQueue()
        let error = #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(.csv(.data(Data("id,name\n1,".utf8) + [0xFF])), into: "player") }
        }
        #expect(error?.line == 2)
    }

    @Test
    func `An empty file has no header, and loads nothing`() throws {
        let queue = try makeQueue()
        try queue.write { db in
            try #expect(db.load(.csv(""), into: "player") == 0)
            try #expect(db.load(.csv("id,name\n"), into: "player") == 0)
            try #expect(db.load(.json(""), into: "player") == 0)
            try #expect(db.load(.json(" [ ] \n"), into: "player") == 0)
        }
    }

    @Test
    func `Conflicts are resolved as asked, and progress is reported`() throws {
        let queue = try makeQueue()
        let text = "id,name\n" + (0..<2500).map { "\($0 % 2000),n\n" }.joined()
        var counts: [LoadProgress] = []
        try queue.write { db in
            try #expect(db.load(.csv(.text(text)), into: "player", onConflict: .ignore) { counts.append($0) } == 2000)
        }
        #expect(counts.map(\.rowCount) == [1000, 2000, 2000])
        #expect(counts.last?.byteCount == text.utf8.count)

        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try queue.write { db in _ = try db.load(.csv(.text(text)), into: "player", onConflict: .replace) { _ in throw Stop() } }
        }
        try queue.write { db in try #expect(db.load(.csv("id,name\n0,zero"), into: "player", onConflict: .replace) == 1) }
        try #expect(queue.read { try String.fetchOne($0, sql: "SELECT name FROM player WHERE id = 0") } == "zero")
    }

    @Test
    func `JSON arrays and JSON Lines are loaded, with default values for missing members`() throws {
        let queue = try makeQueue()
        let objects = [
            #"{"id": 1, "name": "O'Brien \"A\" é\u0000", "score": 2, "photo": {"$base64": "AP8="}}"#,
            #"{ "NAME" : {"a" : [1.0, "}"]} , "id":2,"score":true}"#,
            #"{"id":3,"score":null}"#, "{}",
        ]
        let expected =
            "1,replace('O''Brien \"A\" é\\0', '\\0', char(0)),2.0,X'00FF'\n2,'{\"a\" : [1.0, \"}\"]}',1.0,NULL\n3,'nobody',NULL,NULL\n4,'nobody',NULL,NULL\n"
        for text in ["[" + objects.joined(separator: ",\n") + "]", objects.joined(separator: "\n"), objects.joined()] {
            for source in [TextSource.text(text), bytes(text)] {
                try queue.write { db in
                    try db.execute(sql: "DELETE FROM player")
                    try #expect(db.load(.json(source), into: "player") == 4)
                }
                try #expect(rows(queue) == expected)
            }
        }
    }

    @Test
    func `JSON numbers keep their kind`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            try db.load(.json(#"[{"v":1},{"v":1.0},{"v":-9223372036854775808},{"v":1e2},{"v":-0.5}]"#), into: "t")
        }
        try #expect(queue.dumped("SELECT v FROM t", .quote()) == "1\n1.0\n-9223372036854775808\n100.0\n-0.5\n")
    }

    @Test(arguments: [511, 512, 513, 100_000])
    func `Arrays and objects may be nested to any depth`(depth: Int) throws {
        let queue = try makeQueue()
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            try queue.write { db in
                try db.execute(sql: "DELETE FROM player")
                try db.load(.json(.text("{\"id\":1,\"name\":\(nested)}")), into: "player")
            }
            try #expect(queue.read { try String.fetchOne($0, sql: "SELECT name FROM player") } == nested)
        }
    }

    @Test(arguments: [
        "01", "1.", ".5", "+1", "-", "1e", "1e+", "0x1", "--1", "tru", "nul", "True", "nullx", "NaN", "Infinity", "1 2", "[1,]", "[,1]",
        "[1 2]",
        "[", "]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "{,}", "[1}", "{\"a\":1]", "'a'", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"",
        "\"a\nb\"",
        "\"\t\"", "[\"\u{1}\"]", "/* a */ 1", "", ",", ":", "\u{A0}1", "\"\\ud800\"",
    ])
    func `Only valid JSON is loaded, at any depth`(_ value: String) throws {
        let queue = try makeQueue()
        for nested in [value, "[[\(value)]]", "{\"a\": {\"b\": \(value)}}"]
        where !(nested.count > value.count && (value.isEmpty || value.contains("ud800"))) {
            let error = #expect(throws: LoadError.self, "\(nested)") {
                try queue.write { db in _ = try db.load(.json(.text("{\"name\": \(nested)}")), into: "player") }
            }
            #expect(error?.line == 1)
        }
        // A byte that is not UTF-8, in a value that stays JSON.
        #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(.json(.data(Data("{\"name\":[\"".utf8) + [0xFF] + Data("\"]}".utf8))), into: "player") }
        }
    }

    @Test
    func `Valid JSON of all kinds is loaded`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            let values = [
                "[]", "{}", "[ ]", "{ }", #"{"a" : [ -0.5e+1 , 1E2, true,false ,null, "\\\"\/\b\f\n\r\t\u00e9\ud83d\ude00" ] , "" : {} }"#,
                "[[],{}]",
            ]
            for value in values {
                try db.execute(sql: "DELETE FROM t")
                try db.load(.json(.text("\t{ \"v\" :\r\n\(value)\n}\n")), into: "t")
                #expect(try String.fetchOne(db, sql: "SELECT v FROM t") == value)
            }
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `Lines end with LF, CR LF or CR, and are counted once`(lineEnd: String) throws {
        let queue = try makeQueue()
        func line(_ load: (Database, TextSource) throws -> Int, _ lines: [String]) -> [Int?] {
            let text = lines.joined(separator: lineEnd)
            return [TextSource.text(text), bytes(text)].map { source in
                #expect(throws: LoadError.self) { try queue.write { _ = try load($0, source) } }?.line
            }
        }
        let csv = { (db: Database, source: TextSource) in try db.load(.csv(source), into: "player") }
        let json = { (db: Database, source: TextSource) in try db.load(.json(source), into: "player") }
        #expect(line(csv, ["id,name", "1,a", "1,b", ""]) == [3, 3])
        #expect(line(csv, ["id,name", "1,\"a", "", "b\"", "1,b"]) == [5, 5])
        #expect(line(csv, ["id,name", "", "", "1,\"a"]) == [4, 4])
        #expect(line(json, ["[", "{\"id\":1},", "", "{\"id\":", "1}]"]) == [4, 4])
        #expect(line(json, ["{\"id\":1}", "{\"id\":2}", "x"]) == [3, 3])
    }

    @Test(arguments: [
        ("[{\"id\":1}\n{\"id\":2}]", 2, "a comma or ] must follow an object"),
        ("[{\"id\":1},\n]", 2, "an object must begin with {"),
        ("[{\"id\":1}] x", 1, "unexpected text after the array"),
        ("[{\"id\":1}", 1, "a comma or ] must follow an object"),
        ("\n{\"id\":1", 2, "the object has no closing brace"),
        ("{\"id\":1}\n{\"id\" 2}", 2, "the object is not valid JSON"),
        ("{\"id\":01}", 1, "the object is not valid JSON"),
        ("{\"id\":1,\"ID\":2}", 1, "the object has two members with this name"),
        ("{\"id\":1}\n{\"nope\":2}", 2, "the table \"player\" has no such column"),
        ("{\"id\":1}\n{\"id\":1}", 2, "UNIQUE constraint failed: player.id"),
        ("{\"photo\":{\"$base64\":\"%\"}}", 1, "the blob is not valid base64"),
        ("{\"score\":{\"$real\":\"nan\"}}", 1, "a number in {\"$real\": …} must be \"inf\" or \"-inf\""),
        ("{\"score\":9e999}", 1, "the number is too large for a REAL"),
        ("7", 1, "an object must begin with {"),
    ])
    func `An error in JSON names its line, and nothing is loaded`(_ text: String, _ line: Int, _ message: String) throws {
        let queue = try makeQueue()
        let error = #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(.json(.text(text)), into: "player") }
        }
        #expect(error?.line == line)
        #expect(error?.message == message)
        try #expect(rows(queue).isEmpty)
    }

    @Test
    func `Random tables come back from CSV, JSON and JSON Lines as they were`() throws {
        for seed in 1...60 {
            var random = SeededGenerator(seed: UInt64(seed))
            let source = try makeQueue()
            try source.write { db in
                for id in 1...Int.random(in: 1...20, using: &random) {
                    try db.execute(
                        sql: "INSERT INTO player VALUES (?, ?, ?, ?)",
                        arguments: [id, random.text(), Bool.random(using: &random) ? nil : Double(id) / 3, random.data()])
                }
            }
            let expected = try rows(source)
            var csv = ""
            try source.dumpTables(["player"], format: .csv(), to: &csv)
            var json = ""
            try source.dumpTables(["player"], format: .json(), to: &json)
            var lines = ""
            try source.dumpTables(["player"], format: .jsonLines(), to: &lines)
            for (index, text) in [csv, json, lines].enumerated() {
                let copy = try makeQueue()
                try copy.write { db in
                    _ = try index == 0 ? db.load(.csv(bytes(text)), into: "player") : db.load(.json(bytes(text)), into: "player")
                }
                try #expect(rows(copy) == expected, "seed \(seed), \(text)")
            }
        }
    }
}
