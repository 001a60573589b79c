import Dumps
import Foundation
import Testing

@Suite(.page)
struct DumpsSamples {
    @Test
    func `The README's samples`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur', 500), (2, 'Barbara', 1000);
                    """)
        }

        // sample: Dumps 1

        // sample: What can be dumped 1
        #expect(csv == "id,name,score\r\n1,Arthur,500\r\n2,Barbara,1000\r\n")

        // sample: Formats 1
        #expect(try copy.read { try $0.contents() } == queue.read { try $0.contents() })

        let folder = try TemporaryFolder()
        let url = folder.file("players.csv")
        try Data("id,name,score\n3,\"O'Brien, Craig\",200\n".utf8).write(to: url)

        let linesURL = folder.file("players.jsonl")
        try Data("{\"id\": 5, \"name\": \"Erik\", \"score\": 100}\n".utf8).write(to: linesURL)

        // sample: Loading CSV and JSON 1
        let names = try queue.read { try String.fetchAll($0, sql: "SELECT name FROM player WHERE id > 2") }
        #expect(names == ["O'Brien, Craig", "Diane", "Erik"])

        let error = #expect(throws: LoadError.self) {
            try queue.write { db in _ = try db.load(.csv("id,name\n7,\n"), into: "player") }
        }
        #expect(error?.description == "line 2: NOT NULL constraint failed: player.name")
    }
}
