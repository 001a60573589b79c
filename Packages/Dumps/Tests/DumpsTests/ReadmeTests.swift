import Dumps
import Foundation
import Testing

@Suite struct ReadmeTests {
    @Test("The README's samples")
    func samples() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur', 500), (2, 'Barbara', 1000);
                    """)
        }

        // ┌────┬─────────┬───────┐
        // │ id │  name   │ score │
        // ├────┼─────────┼───────┤
        // │  1 │ Arthur  │   500 │
        // │  2 │ Barbara │  1000 │
        // └────┴─────────┴───────┘
        try queue.dumpTables(["player"], format: .box())

        try queue.dumpSQL("SELECT name FROM player WHERE score > \(600)")  // Barbara

        var printed = ""
        try queue.dumpTables(["player"], format: .box(), to: &printed)
        #expect(
            printed == """
                ┌────┬─────────┬───────┐
                │ id │  name   │ score │
                ├────┼─────────┼───────┤
                │  1 │ Arthur  │   500 │
                │  2 │ Barbara │  1000 │
                └────┴─────────┴───────┘

                """)

        var csv = ""
        try queue.dumpTables(["player"], format: .csv(), to: &csv)
        #expect(csv == "id,name,score\r\n1,Arthur,500\r\n2,Barbara,1000\r\n")

        var script = ""
        try queue.dumpContent(format: .insert(), to: &script)

        let copy = try DatabaseQueue()
        try copy.writeWithoutTransaction { db in try db.execute(sql: script) }
        #expect(try copy.read { try $0.contents() } == queue.read { try $0.contents() })

        let folder = try TemporaryFolder()
        let url = folder.file("players.csv")
        try Data("id,name,score\n3,\"O'Brien, Craig\",200\n".utf8).write(to: url)

        try queue.write { db in
            // id,name,score
            // 3,"O'Brien, Craig",200
            try db.load(csv: .file(url), into: "player")

            try db.load(json: #"[{"id": 4, "name": "Diane", "score": 800}]"#, into: "player")
        }
        #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM player WHERE id > 2") } == ["O'Brien, Craig", "Diane"])

        let error = #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(csv: "id,name\n7,\n", into: "player") }
        }
        #expect(error?.description == "line 2: NOT NULL constraint failed: player.name")
    }
}
