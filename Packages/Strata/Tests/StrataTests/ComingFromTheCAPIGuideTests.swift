import Foundation
import Strata
import Testing

@Suite("Samples of the guide ComingFromTheCAPI")
struct ComingFromTheCAPIGuideTests {
    struct Note: FetchableRecord {
        var id: Int64
        var text: String

        init(row: Row) throws {
            id = try row.decode(forKey: "id")
            text = try row.decode(forKey: "text")
        }
    }

    @Test("The program inserts a note, and prints it")
    func program() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        var printed: [String] = []
        func print(_ id: Int64, _ text: String) { printed.append("\(id) \(text)") }

        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS note
                        (id INTEGER PRIMARY KEY, text TEXT NOT NULL, isDone BOOLEAN NOT NULL)
                    """)

            let insert = try db.makeStatement(
                sql: "INSERT INTO note (text, isDone) VALUES (?, ?)")
            try insert.execute(arguments: ["Buy milk", false])
        }

        try queue.read { db in
            let select = try db.makeStatement(
                sql: "SELECT id, text FROM note WHERE NOT isDone ORDER BY text")
            while try select.step() {
                print(select.int64(at: 0) ?? 0, select.string(at: 1) ?? "")
            }
        }
        #expect(printed == ["1 Buy milk"])
        let notes = try queue.read { db in
            try Note.fetchAll(
                db, sql: "SELECT id, text FROM note WHERE NOT isDone ORDER BY text")
        }
        #expect(notes.map(\.text) == ["Buy milk"])
        #expect(notes.map(\.id) == [1])
    }
}
