import Dumps
import Foundation
import Testing

@Suite("Loads that update rows")
struct LoadUpsertTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, score INTEGER DEFAULT 7, team TEXT
                    );
                    INSERT INTO player VALUES (1, 'Arthur', 'a@x', 100, 'Reds'), (2, 'Barbara', 'b@x', 200, NULL);
                    """)
        }
    }

    private func rows() throws -> String { try queue.dumped("SELECT * FROM player ORDER BY id", .quote()) }

    private func sql(_ body: (Database) throws -> Void) throws -> [String] {
        try queue.write { db in try db.recordingSQL { try body(db) } }.sql.filter { $0.hasPrefix("INSERT") || $0.hasPrefix("UPDATE") }
    }

    @Test
    func `Columns that the file lacks keep their values, and other records are inserted`() throws {
        let statements = try sql { db in
            try #expect(db.load(.csv("id,name,email\n1,Art,\n3,Craig,c@x\n"), into: "player", upsert: .byKey) == 2)
        }
        #expect(
            statements.first?.hasPrefix(
                """
                INSERT INTO "player" ("id", "name", "email") VALUES (
                """) == true)
        #expect(
            statements.allSatisfy {
                $0.hasSuffix(#"ON CONFLICT ("id") DO UPDATE SET "name" = excluded."name", "email" = excluded."email""#)
            })
        try #expect(rows() == "1,'Art',NULL,100,'Reds'\n2,'Barbara','b@x',200,NULL\n3,'Craig','c@x',7,NULL\n")
    }

    @Test
    func `Rows are found by the columns of a unique index, regardless of case`() throws {
        _ = try queue.write { db in
            try db.load(.csv("EMAIL,score,name\nb@x,5,B\nd@x,6,Diane\n"), into: "player", upsert: .by(["Email"]))
        }
        try #expect(rows() == "1,'Arthur','a@x',100,'Reds'\n2,'B','b@x',5,NULL\n3,'Diane','d@x',6,NULL\n")
    }

    @Test
    func `A NOT NULL column that the file lacks keeps its value, and is an error for other records`() throws {
        let statements = try sql { db in try #expect(db.load(.csv("score,id\n1,1\n2,2\n"), into: "player", upsert: .byKey) == 2) }
        #expect(statements.contains { $0.hasPrefix(#"UPDATE "player" SET "score" = "#) && $0.contains(#"WHERE "id" = "#) })
        try #expect(rows() == "1,'Arthur','a@x',1,'Reds'\n2,'Barbara','b@x',2,NULL\n")
        let error = #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(.csv("id,score\n1,8\n9,8\n"), into: "player", upsert: .byKey) }
        }
        #expect(error?.description == "line 3: NOT NULL constraint failed: player.name")
        try #expect(rows().hasPrefix("1,'Arthur','a@x',1,"))
    }

    @Test
    func `Each object updates the columns that it has`() throws {
        let objects = """
            [{"id": 1, "score": 1}, {"id": 2, "team": "Blues"}, {"id": 1, "team": null}, {"id": 2}, {"id": 3, "name": "C"}, {"name": "D", "id": 4}]
            """
        try #expect(queue.write { db in try db.load(.json(.text(objects)), into: "player", upsert: .byKey) } == 6)
        try #expect(
            rows() == "1,'Arthur','a@x',1,NULL\n2,'Barbara','b@x',200,'Blues'\n3,'C',NULL,7,NULL\n4,'D',NULL,7,NULL\n")
    }

    @Test
    func `Records without the key, and tables without one, are errors`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE note (text)") }
        func message(_ table: String, _ csv: String, _ upsert: LoadUpsert) -> String? {
            #expect(throws: LoadError.self) { try queue.write { db in _ = try db.load(.csv(.text(csv)), into: table, upsert: upsert) } }?
                .description
        }
        #expect(message("player", "name\nE\n", .byKey)?.hasPrefix("line 1, column \"id\": the record lacks the column") == true)
        #expect(message("note", "text\nE\n", .byKey)?.hasPrefix("line 1: the table \"note\" has no primary key") == true)
        #expect(throws: DatabaseError.self) {
            try queue.write { db in _ = try db.load(.csv("id,team,name\n1,a,b\n"), into: "player", upsert: .by(["team"])) }
        }
        // One bad object is rejected.
        let lines = Guarded<[Int]>([])
        let options = LoadOptions(rejects: .handler { record in lines.withLock { $0.append(record.error.line) } })
        try queue.load(
            .jsonLines("{\"id\":1,\"score\":3}\n{\"name\":\"x\"}\n{\"id\":2,\"score\":4}\n"), into: "player", options: options,
            upsert: .byKey)
        #expect(lines.withLock { $0 } == [2])
        try #expect(rows() == "1,'Arthur','a@x',3,'Reds'\n2,'Barbara','b@x',4,NULL\n")
    }

    /// Compares loads with the same changes by a model of the table.
    @Test(arguments: ["INTEGER PRIMARY KEY", "TEXT PRIMARY KEY", "TEXT PRIMARY KEY) WITHOUT ROWID --", "INTEGER UNIQUE"])
    func `Random files update and insert what a model of the table does`(_ key: String) throws {
        var random = SeededGenerator(seed: 12)
        for round in 0..<60 {
            let queue = try DatabaseQueue()
            let required = round % 2 == 0
            try queue.write { db in
                try db.execute(
                    sql: "CREATE TABLE t (a TEXT\(required ? " NOT NULL" : ""), b INTEGER DEFAULT 5, k \(key.replacing(" --", with: ""))"
                        + (key.contains(")") ? "" : ")"))
                if Bool.random(using: &random) {
                    try db.execute(sql: "CREATE TABLE log (n); CREATE TRIGGER r AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (1); END")
                }
            }
            var model: [Int: [String: String]] = [:]
            let upsert: LoadUpsert = key.contains("UNIQUE") ? .by(["K"]) : .byKey
            for _ in 0..<4 {
                var lines: [String] = []
                for _ in 0..<Int.random(in: 1...25, using: &random) {
                    let id = Int.random(in: 1...8, using: &random)
                    var row: [String: String] = [:]
                    if Bool.random(using: &random) || model[id] == nil && required {
                        row["a"] = "'x\(Int.random(in: 0...9, using: &random))'"
                    }
                    if Bool.random(using: &random) {
                        row["b"] = Bool.random(using: &random) ? "NULL" : "\(Int.random(in: 0...9, using: &random))"
                    }
                    model[id] = (model[id] ?? ["a": "NULL", "b": "5"]).merging(row) { $1 }
                    let members = row.map { "\"\($0)\": \($1.replacing("'", with: "\"").replacing("NULL", with: "null"))" }.sorted()
                    lines.append("{\(([ "\"k\": \(id)" ] + members).joined(separator: ", "))}")
                }
                let text = TextSource.text(lines.joined(separator: "\n"))
                let portion = Int.random(in: 1...30, using: &random)
                try #expect(queue.load(.jsonLines(text), into: "t", upsert: upsert, portion: portion) >= 0)
            }
            let rows = try queue.dumped("SELECT CAST(k AS INTEGER), quote(a), quote(b) FROM t ORDER BY 1", .list())
            let expected = model.sorted { $0.key < $1.key }.map { "\($0)|\($1["a"] ?? "")|\($1["b"] ?? "")\n" }.joined()
            #expect(rows == expected, "\(key), round \(round)")
        }
    }
}
