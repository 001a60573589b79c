import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataImportingSamples {
    private let folder: TemporaryFolder
    private let queue: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER);
                    CREATE TABLE payment (id BLOB PRIMARY KEY, day TEXT, amount INTEGER, price REAL, paid INTEGER, note TEXT);
                    """)
        }
    }

    /// A file with the lines.
    private func makeFile(_ lines: String...) throws -> URL {
        let url = folder.file("\(UUID().uuidString).csv")
        try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: url)
        return url
    }

    private func players() throws -> [String] {
        try queue.read { try String.fetchAll($0, sql: "SELECT id || ' ' || name || ' ' || ifnull(score, '-') FROM player ORDER BY id") }
    }

    @Test
    func `Columns are named by the header, or by the program`() throws {
        do {
            let url = try makeFile("id,name,score", "1,\"O'Brien, Arthur\",500", "2,Barbara,")
            // sample: Overview 1
        }
        let url = try makeFile("Full name;Points;Remark", "Craig;300;friendly")
        // sample: Name the columns 1
        try #expect(players() == ["1 O'Brien, Arthur 500", "2 Barbara -", "3 Craig 300", "4 Diane -"])
    }

    @Test
    func `Rows are updated`() throws {
        try queue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 500)") }
        let url = try makeFile("id,score", "1,550")
        // sample: Update rows that exist 1
        try #expect(players() == ["1 Arthur 550"])
    }

    @Test
    func `Values are converted, and exported again`() throws {
        let url = try makeFile(
            "id,day,amount,price,paid,note", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F,2026-11-23T08:30:00Z,12.50,\"1.234,5\",yes,n/a")
        // sample: Convert values 1
        try queue.read { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM payment"))
            #expect(row["day"] == "2026-11-23 08:30:00.000")
            #expect(row["amount"] == 1250 && row["price"] == 1234.5 && row["paid"] == 1 && row["note"] == nil as String?)
        }
        // sample: Export 4
    }

    @Test
    func `Types are found`() throws {
        let url = try makeFile("code,count,ratio,amount", "007,1,0.5,12.50", "042,2,1.25,3.00")
        // sample: Let the load create the table 1
        let sql = try queue.read { try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 'event'") }
        #expect(
            sql == #"CREATE TABLE "event" ("code" TEXT NOT NULL PRIMARY KEY, "count" INTEGER, "ratio" REAL, "amount" NUMERIC)"#)
    }

    @Test
    func `A load is resumed, or begun again`() throws {
        struct Stop: Error {}
        let url = try makeFile("id,name", "1,Arthur", "2,Barbara")
        #expect(throws: Stop.self) {
            try queue.load(.csv(.file(url)), into: "player", portion: 1, resumableAs: "players.csv") { _ in throw Stop() }
        }
        do {
            // sample: Load large files in portions 1
            #expect(count == 2)
        }
        try #expect(players() == ["1 Arthur -", "2 Barbara -"])
        #expect(throws: Stop.self) {
            try queue.load(.csv("id,name\n3,a\n4,b\n"), into: "player", portion: 1, resumableAs: "players.csv") { _ in throw Stop() }
        }
        // sample: Load large files in portions 2
        try #expect(players() == [])
        try #expect(queue.read { try $0.interruptedLoad(named: "players.csv", into: "player") } == nil)
    }

    @Test
    func `Rejected records are corrected`() throws {
        let url = try makeFile("id,name", "1,Arthur", "2,")
        let rejectsURL = folder.file("rejects.csv")
        // sample: Keep what can't be loaded 1
        let text = try String(contentsOf: rejectsURL, encoding: .utf8)
        try Data(text.replacing("2,\n", with: "2,Barbara\n").utf8).write(to: rejectsURL)
        // sample: Keep what can't be loaded 2
        try #expect(players() == ["1 Arthur -", "2 Barbara -"])
    }

    @Test
    func `A file is read record by record`() throws {
        let url = try makeFile("id,name", "1,\"O'Brien, Arthur\"")
        // sample: Read CSV yourself 1
    }

    @Test
    func `A dump is loaded again`() throws {
        try queue.load(.csv("id,name\n1,Arthur\n"), into: "player")
        let copy = try DatabaseQueue()
        try copy.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") }
        // sample: Export 1
        try #expect(copy.read { try String.fetchAll($0, sql: "SELECT name FROM player") } == ["Arthur"])
    }

    @Test
    func `An export is a file, or none`() throws {
        let folder = folder.url
        try queue.load(.csv("id,name,score\n1,Arthur,500\n2,Barbara,\n"), into: "player")
        // sample: Export 2
        let lines = folder.appendingPathComponent("players.jsonl")
        try Data().write(to: lines)
        let handle = try FileHandle(forWritingTo: lines)
        // sample: Export 3
        try #expect(String(contentsOf: lines, encoding: .utf8).hasPrefix(#"{"id":1,"name":"Arthur","score":500}"#))
        #expect(throws: DatabaseError.self) { try queue.dumpTables(["player", "missing"], format: .csv(), toFile: path) }
        try #expect(String(contentsOfFile: path, encoding: .utf8) == "id,name,score\r\n1,Arthur,500\r\n")
        try #expect(Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["players.csv", "players.jsonl"])
    }

    @Test
    func `A spreadsheet gets no formulas`() throws {
        try queue.load(.csv("id,name\n1,=HYPERLINK(A1)\n"), into: "player")
        // sample: Export 5
        #expect(sheet == "id,name\r\n1,'=HYPERLINK(A1)\r\n")
    }
}
