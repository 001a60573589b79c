import Dumps
import Foundation
import Testing

@Suite("Rejected records")
struct RejectTests {
    private let folder: TemporaryFolder
    private var url: URL { folder.file("rejects") }

    init() throws { folder = try TemporaryFolder() }

    private func makeQueue(_ sql: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        return queue
    }

    private static let player = """
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER CHECK (score >= 0), team INTEGER REFERENCES team,
            data TEXT CHECK (data IS NULL OR json_extract(data, '$.a') IS NOT NULL)
        );
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        INSERT INTO team VALUES (1);
        """

    /// CSV with bad records of all kinds between the good records 1 to 6.
    private static let bad: [UInt8] =
        Array(
            #"""
            id,name,score,team,data
            1,a,,,
            1,twice,,,
            7,,,,
            8,"n, ""b""",-1,,
            9,c,,2,
            x,d,,,
            10,e,,,no JSON
            2,b,5,1,"{""a"": 1}"
            11,short
            12,long,,,,
            13,"quote"x,"y,z"
            3,"
            ",,,

            99999999999999999999,f,,,
            14,
            """#.utf8) + [0xFF]
        + Array(
            #"""
            ,,,
            4,d,,,
            "15",e,"",,
            5,e,,,
            16,"open

            """#.utf8)

    private static let expected = #"""
        rejected_line,rejected_reason,id,name,score,team,data
        3,"UNIQUE constraint failed: player.id",1,twice,,,
        4,"NOT NULL constraint failed: player.name",7,,,,
        5,"CHECK constraint failed: score >= 0",8,"n, ""b""",-1,,
        6,"FOREIGN KEY constraint failed",9,c,,2,
        7,"datatype mismatch",x,d,,,
        8,"malformed JSON",10,e,,,no JSON
        10,"the record has 2 fields, but 5 are expected",11,short
        11,"the record has 6 fields, but 5 are expected",12,long,,,,
        12,"field 2 must end at its closing quote","13,""quote""x,""y,z"""
        16,"column ""id"": the integer has more than 64 bits",99999999999999999999,f,,,
        17,"field 2 is not valid UTF-8",14,\#u{FFFD},,,
        21,"field 2 has no closing quote","16,""open
        "

        """#

    @Test(arguments: [1, 2, 3, 7, 100])
    func `Bad records of all kinds go to a file, and the others are inserted`(portion: Int) throws {
        let queue = try makeQueue(Self.player)
        var last: LoadProgress?
        let options = LoadOptions(rejects: .file(url))
        try queue.load(.csv(.data(Data(Self.bad))), into: "player", options: options, portion: portion) { last = $0 }
        let ids = try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") }
        try #expect(String(contentsOf: url, encoding: .utf8) == Self.expected)
        #expect(ids == [1, 2, 3, 4, 5, 15])
        #expect(last?.rowCount == 6 && last?.rejectedCount == 12 && last?.recordCount == 18)
    }

    @Test
    func `Corrected records are loaded from the file of rejected ones`() throws {
        let queue = try makeQueue(Self.player)
        _ = try queue.write { db in
            try db.load(.csv("id,name,score\n1,,5\n2,\"b,c\",-1\n"), into: "player", options: LoadOptions(rejects: .file(url)))
        }
        let text = try String(contentsOf: url, encoding: .utf8).replacing("1,,5", with: "1,a,5").replacing("-1", with: "1")
        _ = try queue.write { db in
            try db.load(.csv(.text(text), columns: .renaming(["rejected_line": nil, "rejected_reason": nil])), into: "player")
        }
        try #expect(queue.dumped("SELECT id, name, score FROM player", .quote()) == "1,'a',5\n2,'b,c',1\n")
    }

    @Test
    func `Bad objects go to JSON Lines`() throws {
        let queue = try makeQueue(Self.player)
        let text = """
            {"id":1,"name":"a"}
            {"id":1,"name":"é \\" \u{2028}"}
            {"id":2,"name":"open}
            {"id":3} {"id":4}
            nonsense
            {"id":5,"name":"e","nope":1}

            [1]
            {"id":6,"name":"f"}
            """
        try queue.load(.jsonLines(.text(text)), into: "player", options: LoadOptions(rejects: .file(url)), portion: 2)
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == [1, 6])
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                #"{"line":2,"reason":"UNIQUE constraint failed: player.id","record":{"id":1,"name":"é \" "# + "\u{2028}\"}}",
                #"{"line":3,"reason":"the object is not valid JSON","record":"{\"id\":2,\"name\":\"open}"}"#,
                #"{"line":4,"reason":"the object is not valid JSON","record":"{\"id\":3} {\"id\":4}"}"#,
                #"{"line":5,"reason":"the object is not valid JSON","record":"nonsense"}"#,
                #"{"line":6,"reason":"column \"nope\": the table \"player\" has no such column","record":{"id":5,"name":"e","nope":1}}"#,
                #"{"line":8,"reason":"the object is not valid JSON","record":"[1]"}"#,
            ])
        // In an array, an object can be invalid, but what is between objects can't be skipped.
        try queue.write { db in
            let options = LoadOptions(rejects: .handler { _ in })
            try #expect(db.load(.json(#"[{"id":7,"name":"a"},{"id":01},{"id":8,"name":"b"}]"#), into: "player", options: options) == 2)
            #expect(throws: LoadError.self) { try db.load(.json(#"[{"id":9,"name":"a"} x]"#), into: "player", options: options) }
        }
    }

    @Test
    func `More rejected records than the limit end the load, and leave those of earlier portions`() throws {
        let queue = try makeQueue(Self.player)
        let text = "id,name\n1,\n2,b\n3,\n4,d\n5,\n6,f\n"
        let error = #expect(throws: LoadError.self) {
            try queue.load(.csv(.text(text)), into: "player", options: LoadOptions(rejects: .file(url, limit: 2)), portion: 2)
        }
        #expect(error?.description == "line 6: NOT NULL constraint failed: player.name. No more than 2 records may be rejected")
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == [2, 4])
        try #expect(String(contentsOf: url, encoding: .utf8).split(separator: "\n").count == 3)

        // All or nothing: also in the file.
        let other = folder.file("other")
        #expect(throws: LoadError.self) {
            try queue.write { try $0.load(.csv(.text(text)), into: "player", options: LoadOptions(rejects: .file(other, limit: 2))) }
        }
        #expect(!FileManager.default.fileExists(atPath: other.path))
        #expect(throws: Stop.self) {
            try queue.write { db in
                try db.load(.csv("id,name\n9,\n"), into: "player", options: LoadOptions(rejects: .file(other))) { _ in throw Stop() }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test
    func `A closure receives the rejected records, and can end the load`() throws {
        let queue = try makeQueue(Self.player)
        let received = Locked<[String]>([])
        let options = LoadOptions(rejects: .handler { record in received.value.append("\(record.error) | \(record.text)") })
        try queue.load(.csv("id,name\n1,a\n2,\n\"3\",\n"), into: "player", options: options)
        #expect(
            received.value == [
                "line 3: NOT NULL constraint failed: player.name | 2,", "line 4: NOT NULL constraint failed: player.name | \"3\",",
            ])
        #expect(throws: Stop.self) {
            try queue.load(.csv("id,name\n4,d\n5,\n"), into: "player", options: LoadOptions(rejects: .handler { _ in throw Stop() }))
        }
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM player") } == [1])
    }

    /// A trigger that refuses negative ids, after it has changed something.
    private static func trigger(_ time: String, _ action: String) -> String {
        """
        CREATE TABLE t (id INTEGER, name TEXT UNIQUE);
        CREATE TABLE log (id INTEGER);
        CREATE TRIGGER refuse \(time) INSERT ON t BEGIN
            INSERT INTO log VALUES (new.id);
            SELECT RAISE(\(action), 'negative') WHERE new.id < 0;
        END;
        """
    }

    @Test(arguments: ["BEFORE", "AFTER"], ["ABORT", "FAIL", "ROLLBACK"])
    func `Nothing of a record that a trigger refuses stays`(_ time: String, _ action: String) throws {
        let queue = try makeQueue(Self.trigger(time, action))
        let options = LoadOptions(rejects: .file(url))
        let text = "id,name\n1,a\n-1,b\n2,c\n-2,d\n3,a\n4,b\n-3,e\n5,f\n"
        try #expect(queue.load(.csv(.text(text)), into: "t", options: options, portion: 5, resumableAs: "t") == 4)
        for table in ["t", "log"] {
            try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM \(table) ORDER BY id") } == [1, 2, 4, 5], "\(table)")
        }
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst().map { $0.split(separator: ",")[0...1] }
        #expect(
            lines.map { $0.joined() } == ["3\"negative\"", "5\"negative\"", "6\"UNIQUE constraint failed: t.name\"", "8\"negative\""])
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM strata_loads") } == 0)
    }

    /// FAIL leaves what a trigger has done before the row was refused.
    @Test(arguments: [nil, .abort, .fail, .rollback] as [Database.ConflictResolution?], ["ABORT", "FAIL", "ROLLBACK"])
    func `Nothing of a record that a constraint refuses stays, whatever triggers did before`(
        _ conflict: Database.ConflictResolution?, _ resolution: String
    ) throws {
        let queue = try makeQueue(
            """
            CREATE TABLE t (id INTEGER NOT NULL ON CONFLICT \(resolution), name TEXT UNIQUE ON CONFLICT \(resolution));
            CREATE TABLE log (name TEXT);
            CREATE TRIGGER note BEFORE INSERT ON t BEGIN INSERT INTO log VALUES (new.name); END;
            """)
        let text = "id,name\n1,a\n2,a\n,b\n3,c\n4,a\n5,d\n"
        let options = LoadOptions(rejects: .file(url))
        try #expect(queue.load(.csv(.text(text)), into: "t", options: options, onConflict: conflict, portion: 4) == 3)
        for table in ["t", "log"] {
            try #expect(queue.read { try String.fetchAll($0, sql: "SELECT name FROM \(table)") } == ["a", "c", "d"], "\(table)")
        }
    }

    @Test
    func `Ignored rows are not counted, whatever triggers did before, and rows of views are`() throws {
        let queue = try makeQueue(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            CREATE TABLE log (name TEXT);
            CREATE TRIGGER note BEFORE INSERT ON t BEGIN INSERT INTO log VALUES (new.name); END;
            CREATE VIEW v AS SELECT * FROM t;
            CREATE TRIGGER write INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.id, new.name); END;
            """)
        let text = "id,name\n1,a\n2,a\n3,b\n"
        try #expect(queue.load(.csv(.text(text)), into: "t", onConflict: .ignore, portion: 2) == 2)
        try #expect(queue.load(.json(.text(#"[{"id": 4, "name": "b"}, {"id": 5, "name": "c"}]"#)), into: "t", onConflict: .ignore) == 1)
        try #expect(queue.load(.csv("id,name\n6,e\n7,f\n"), into: "v") == 2)
    }

    @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"], [[], [57], [1, 100, 101, 250, 349]])
    func `Tables with triggers get many rows by one statement, and refuse single ones`(_ action: String, _ bad: [Int]) throws {
        let queue = try makeQueue(Self.trigger("AFTER", action))
        let text = "id,name\n" + (1...350).map { "\(bad.contains($0) ? -$0 : $0),n\($0)\n" }.joined() + "351,n2\n352,\n"
        let received = Locked<[Int]>([])
        let options = LoadOptions(rejects: .handler { record in received.value.append(record.error.line) })
        let count = try queue.load(.csv(.text(text)), into: "t", options: options, onConflict: action == "ABORT" ? .ignore : nil)
        let ids = (1...350).filter { !bad.contains($0) } + [352]
        #expect(count == ids.count)
        for table in ["t", "log"] {
            try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM \(table) ORDER BY id") } == ids, "\(table)")
        }
        #expect(received.value == bad.map { $0 + 1 } + (action == "ABORT" ? [] : [352]))
    }

    @Test
    func `A row that refers to a later row of its table is refused, wherever it is in the file`() throws {
        let queue = try makeQueue(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, parent REFERENCES t);
            CREATE TRIGGER after AFTER INSERT ON t BEGIN SELECT 1; END;
            """)
        let text = "id,parent\n" + (1...300).map { "\($0),\($0 % 150 == 0 ? 1 : $0 == 20 ? 21 : 1)\n" }.joined()
        let received = Locked<[Int]>([])
        try queue.load(
            .csv(.text(text)), into: "t", options: LoadOptions(rejects: .handler { record in received.value.append(record.error.line) }))
        #expect(received.value == [21])
    }

    @Test
    func `A trigger that ends the program's own transaction ends the load`() throws {
        let queue = try makeQueue(Self.trigger("AFTER", "ROLLBACK"))
        let options = LoadOptions(rejects: .file(url))
        let error = #expect(throws: LoadError.self) {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (100, 'mine')")
                try db.load(.csv("id,name\n1,a\n-1,b\n2,c\n"), into: "t", options: options)
            }
        }
        #expect(error?.line == 3)
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'still usable')") }
    }

    @Test(arguments: ["ROLLBACK", "FAIL", "ABORT"])
    func `Conflict resolutions of a table don't undo other records`(_ resolution: String) throws {
        let queue = try makeQueue("CREATE TABLE t (id INTEGER NOT NULL ON CONFLICT \(resolution), name UNIQUE ON CONFLICT \(resolution))")
        try queue.load(.csv("id,name\n1,a\n,b\n2,a\n3,c\n"), into: "t", options: LoadOptions(rejects: .file(url)))
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM t") } == [1, 3])
    }

    @Test
    func `Errors that are not the record's end the load`() throws {
        let queue = try makeQueue(Self.player)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA max_page_count = \(Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0)")
            let error = #expect(throws: DatabaseError.self) {
                try db.load(
                    .csv(.text(csvRows(1...10_000))), into: "player", options: LoadOptions(rejects: .file(url, limit: .max)))
            }
            #expect(error?.resultCode == .SQLITE_FULL)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        // The file of rejected records can't be a database, or lie in a folder that does not exist.
        let path = folder.path("database")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        for url in [URL(fileURLWithPath: path), folder.file("missing/rejects")] {
            #expect(throws: (any Error).self) {
                try queue.load(.csv("id,name\n1,\n"), into: "player", options: LoadOptions(rejects: .file(url)))
            }
        }
    }
}
